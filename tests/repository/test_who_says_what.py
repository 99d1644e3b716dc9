"""Below the front ends every sentence for people is a message, so that it can be translated."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from repository.places import SOURCES, python_files

BELOW = (
    *("engine", "adapters", "extract", "config", "domain", "system"),
    "ui/shell",
)
# Sentences that no person reads in the window.
LEFT = {
    "config/diagnostics.py": "a report is read by who mends the fault",
    "adapters/storage/traces.py": "`askance trace` reads traces",
    "domain/history.py": "`askance trace` reads traces",
    "engine/prompts.py": "the model reads them",
    "domain/ports/model.py": "the embedding model reads it",
    "engine/run_progress.py": "`askance logs app` shows the log",
}
LEFT_TEXTS = {
    "7 is not the proxy.": "a warning of the code to itself",
    "There is no catalogue in 7.": "a warning of the code to itself",
    "There is no screen here for a window. `askance chat` talks in this terminal,"
    " `askance ask` answers one question.": "said on a terminal",
}
_SAYING = {"Message", "Remedy", "tr", "term", "plural"}
_TO_ITSELF = {"ValueError", "TypeError", "RuntimeError", "debug", "info", "warning", "error"}
_SENTENCE = re.compile(r"[A-Z7`].* .*[.:]", re.DOTALL)


def flat(node: ast.AST) -> str:
    """A text of the code, with a 7 in the place of each value."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(flat(p) if isinstance(p, ast.Constant) else "7" for p in parts)
        case _:
            return ""


def unsaid(tree: ast.AST) -> Iterator[str]:
    """Every text that is neither a docstring nor said through a message."""
    within: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr | ast.Expr):
            within |= {id(p) for p in ast.iter_child_nodes(node) if isinstance(p, ast.Constant)}
        if isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else ""
            name = node.func.attr if isinstance(node.func, ast.Attribute) else name
            if name in _SAYING | _TO_ITSELF:
                within |= {id(p) for argument in node.args for p in ast.walk(argument)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant | ast.JoinedStr) and id(node) not in within:
            yield flat(node).strip()


def test_no_sentence_from_below_is_plain_text():
    plain = [
        f"{file}: {text}"
        for path in python_files(*(SOURCES / folder for folder in BELOW))
        if (file := path.relative_to(SOURCES).as_posix()) not in LEFT
        for text in unsaid(ast.parse(path.read_text(encoding="utf-8")))
        if _SENTENCE.fullmatch(text) and text not in LEFT_TEXTS
    ]
    assert plain == []


def test_a_template_is_written_where_it_is_said():
    computed = [
        f"{path.relative_to(SOURCES)}:{node.lineno}"
        for path in python_files(SOURCES)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in {"Message", "Remedy"}
        and path.name != "messages.py"
        and not (node.args and isinstance(node.args[0], ast.Constant))
    ]
    assert computed == []
