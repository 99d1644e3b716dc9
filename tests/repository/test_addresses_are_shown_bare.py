"""An address of the settings may hold a password: whoever shows one asks `bare_address` for it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from repository.places import SOURCES, python_files

_ADDRESSES = {"url", "qdrant_url", "proxy"}
_SHOWING = {"tr", "write_line", "log_line", "show_text", "line"}
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
# What is built with an address to make requests to it.
_USING = {
    "adapters/library/qdrant_vectors.py": {"QdrantServer"},
    "services/reader.py": {"ReadLimiter"},
}


def is_address(node: ast.AST, names: frozenset[str] = frozenset()) -> bool:
    """Say whether an expression is an address of the settings as it was typed.

    `names` are variables that one was assigned to.
    """
    if isinstance(node, ast.Name):
        return node.id in names
    if not isinstance(node, ast.Attribute) or node.attr not in _ADDRESSES:
        return False
    return "settings" in ast.unparse(node.value)


def shows(call: ast.Call, using: set[str]) -> bool:
    """Say whether a call shows what it is given: a known function, or whatever builds an object."""
    name = ast.unparse(call.func).rpartition(".")[2]
    return name in _SHOWING or (name[:1].isupper() and name not in using)


def shown(tree: ast.AST, using: set[str]) -> Iterator[ast.AST]:
    """Yield what stands in a text, or is given to what shows it, but for what a call has taken in."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FormattedValue):
            yield node.value
        if isinstance(node, ast.Call) and shows(node, using):
            yield from (*node.args, *(keyword.value for keyword in node.keywords))


def assigned(function: ast.AST) -> frozenset[str]:
    """Return the variables of a function that hold an address as it was typed."""
    return frozenset(
        target.id
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and is_address(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    )


def typed_addresses(code: str, using: set[str] = frozenset()) -> list[int]:  # type: ignore[assignment]
    """Return the lines that show an address as it was typed."""
    # Parsing takes seconds where it is done for all modules.
    if not any(f".{name}" in code for name in _ADDRESSES):
        return []
    tree = ast.parse(code)
    inside = [(node, assigned(node)) for node in ast.walk(tree) if isinstance(node, _FUNCTIONS)]
    return sorted(
        {
            node.lineno  # type: ignore[attr-defined]
            for part, names in [(tree, frozenset()), *inside]
            for node in shown(part, using)
            if is_address(node, names)
        }
    )


def test_no_address_of_the_settings_is_shown_as_it_was_typed() -> None:
    found = {
        f"{name}:{line}"
        for file in python_files(SOURCES)
        for name in [file.relative_to(SOURCES).as_posix()]
        for line in typed_addresses(file.read_text(encoding="utf-8"), _USING.get(name, set()))
    }
    assert found == set()


def test_the_rule_finds_what_it_forbids() -> None:
    assert typed_addresses("says = f'at {settings.search.url}'")
    assert typed_addresses("Message('at {a}', a=self._settings.url)")
    assert typed_addresses("Light('SearXNG', detail=app.settings.search.url)")
    assert typed_addresses("def f():\n    url = settings.llm.url\n    return f'at {url}'")
    assert not typed_addresses("says = f'at {bare_address(settings.url)}'")
    assert not typed_addresses("def f():\n    url = settings.llm.url\n    return opened(url)")
    assert not typed_addresses("client = open(settings.url)")
    assert not typed_addresses("Client(settings.url)", {"Client"})
