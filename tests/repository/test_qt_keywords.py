"""No Qt property is set by a keyword of a constructor.

PySide6 finds the setter by writing the property's first letter as a capital in the locale of the
process: in Turkish, Azerbaijani and Tatar that of i is İ, and `interval` is an AttributeError.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from repository.places import SOURCES, python_files
from repository.test_repository_rules import named


def _name(expression: ast.expr) -> str:
    match expression:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Subscript(value=value):
            return _name(value)
        case _:
            return ""


def classes_of_qt(trees: list[ast.Module]) -> tuple[set[str], set[str]]:
    """Return Qt's classes and ours that hand their keywords to Qt: they have no constructor; and
    ours whose own constructor calls that of one of them by `super()`."""
    direct = {
        alias.asname or alias.name
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("PySide6")
        for alias in node.names
    }
    classes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    calling: set[str] = set()
    grows = True
    while grows:
        before = len(direct) + len(calling)
        for found in classes:
            if direct & set(map(_name, found.bases)):
                has_own = any(
                    isinstance(part, ast.FunctionDef) and part.name == "__init__"
                    for part in found.body
                )
                (calling if has_own else direct).add(found.name)
        grows = len(direct) + len(calling) > before
    return direct, calling


def keywords(trees: dict[str, ast.Module]) -> list[str]:
    """Return where a constructor of Qt's gets keywords."""
    direct, calling = classes_of_qt(list(trees.values()))
    found: list[str] = []
    for place, tree in trees.items():
        for node in ast.walk(tree):
            match node:
                case ast.Call(func=func, keywords=[_, *_]) if _name(func) in direct:
                    found.append(f"{place}:{node.lineno}")
                case ast.ClassDef(name=name, body=body) if name in calling:
                    found += [f"{place}:{line}" for part in body for line in _super_calls(part)]
    return sorted(found)


def _super_calls(part: ast.stmt) -> list[int]:
    return [
        node.lineno
        for node in ast.walk(part)
        if isinstance(node, ast.Call)
        and node.keywords
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "__init__"
    ]


def _parsed(*paths: Path) -> dict[str, ast.Module]:
    return {named(path): ast.parse(path.read_text(encoding="utf-8")) for path in paths}


def test_no_constructor_of_qt_gets_a_property_as_a_keyword() -> None:
    trees = _parsed(*python_files(SOURCES / "ui"))
    assert len(trees) > 50
    assert keywords(trees) == []


_IMPORT = "from PySide6.QtCore import QTimer, QObject\n"


@pytest.mark.parametrize(
    ("source", "is_found"),
    [
        (_IMPORT + "QTimer(None, interval=5)", True),
        (_IMPORT + "QTimer(None)", False),
        (_IMPORT + "class Mine(QTimer): ...\nMine(None, singleShot=True)", True),
        (
            _IMPORT + "class Mine(QTimer):\n def __init__(self):\n  super().__init__(interval=5)",
            True,
        ),
        (
            _IMPORT + "class Mine(QTimer):\n def __init__(self, *, ms):\n  super().__init__()\n"
            "Mine(ms=5)",
            False,
        ),
        ("def interval(*, ms): ...\ninterval(ms=5)", False),
    ],
)
def test_a_keyword_of_qt_is_told_from_one_of_ours(source: str, *, is_found: bool) -> None:
    assert bool(keywords({"a.py": ast.parse(source)})) is is_found
