"""Only `app/wiring` and `app/stores` build what does work: front ends take it from there, ready made."""

from __future__ import annotations

import ast
import dataclasses
import enum
import importlib
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[2] / "src" / "askance"
FOLDERS = ("ui", "cli", "app", "presentation")
BUILDERS = {"app/wiring.py", "app/stores.py"}


def does_work(thing: object) -> bool:
    """Whether it is a class that is neither data nor an error nor a port."""
    if not isinstance(thing, type) or getattr(thing, "_is_protocol", False):
        return False
    is_record = dataclasses.is_dataclass(thing) or issubclass(thing, tuple)
    return not is_record and not issubclass(thing, enum.Enum | BaseException)


def workers(tree: ast.AST) -> set[str]:
    """The names under which a module knows classes of adapters that do work."""
    return {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("askance.adapters")
        for alias in node.names
        if does_work(getattr(importlib.import_module(node.module or ""), alias.name, None))
    }


def used(tree: ast.AST, names: set[str]) -> Iterator[str]:
    """Those of the names that are called or handed on; what stands in an annotation is neither."""
    annotations = {
        id(part)
        for node in ast.walk(tree)
        for annotation in (getattr(node, "annotation", None), getattr(node, "returns", None))
        if annotation is not None
        for part in ast.walk(annotation)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in names and id(node) not in annotations:
            yield node.id


def test_front_ends_build_no_adapter() -> None:
    files = [path for folder in FOLDERS for path in sorted((SOURCES / folder).rglob("*.py"))]
    assert len(files) > 100
    built: set[tuple[str, str]] = set()
    for path in files:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        file = path.relative_to(SOURCES).as_posix()
        if file in BUILDERS:
            continue
        built |= {(file, name) for name in used(tree, workers(tree))}
    assert built == set()


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("store = SqliteHistory(file)", ["SqliteHistory"]),
        ("opener = SqliteHistory", ["SqliteHistory"]),
        ("def f(store: SqliteHistory) -> SqliteHistory: ...", []),
        ("entry = Entry(1)", []),
    ],
)
def test_a_class_that_does_work_is_told_from_data(line: str, found: list[str]) -> None:
    tree = ast.parse(
        "from askance.adapters.storage.history import SqliteHistory\n"
        f"from askance.adapters.storage.ledger import LedgerEntry\n{line}\n"
    )
    assert list(used(tree, workers(tree))) == found
