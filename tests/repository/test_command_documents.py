"""docs/commands.md is what the command line says of itself."""

from __future__ import annotations

from tools import commands


def test_the_document_is_that_of_the_command_line() -> None:
    """`python -m tools.commands` writes it."""
    assert commands.FILE.read_text(encoding="utf-8") == commands.document()


def test_a_stale_document_is_found() -> None:
    assert "## `askance library add" in commands.document()
    assert commands.document().count("\n| `askance library") >= 10
