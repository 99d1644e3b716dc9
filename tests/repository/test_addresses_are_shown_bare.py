"""An address of the settings may hold a password: whoever shows one asks `bare_address` for it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

SOURCES = Path(__file__).parents[2] / "src" / "askance"
_ADDRESSES = {"url", "qdrant_url", "reranker_url", "proxy"}
_SHOWING = {"Message", "Remedy", "tr", "say", "line", "RequestSent", "ServiceDown", "ServiceSlow"}


def is_address(node: ast.AST) -> bool:
    """Say whether an expression is an address of the settings as it was typed."""
    if not isinstance(node, ast.Attribute) or node.attr not in _ADDRESSES:
        return False
    return "settings" in ast.unparse(node.value)


def shown(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield what stands in a text, or is given to what shows it, but for what a call has taken in."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FormattedValue):
            yield node.value
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func).rpartition(".")[2]
            if name in _SHOWING:
                yield from (*node.args, *(keyword.value for keyword in node.keywords))


def typed_addresses(code: str) -> list[int]:
    """Return the lines that show an address as it was typed."""
    return [node.lineno for node in shown(ast.parse(code)) if is_address(node)]  # type: ignore[attr-defined]


def test_no_address_of_the_settings_is_shown_as_it_was_typed() -> None:
    found = {
        f"{file.relative_to(SOURCES)}:{line}"
        for file in SOURCES.rglob("*.py")
        for line in typed_addresses(file.read_text(encoding="utf-8"))
    }
    assert found == set()


def test_the_rule_finds_what_it_forbids() -> None:
    assert typed_addresses("says = f'at {settings.search.url}'")
    assert typed_addresses("Message('at {a}', a=self._settings.url)")
    assert not typed_addresses("says = f'at {bare_address(settings.url)}'")
    assert not typed_addresses("client = open(settings.url)")
