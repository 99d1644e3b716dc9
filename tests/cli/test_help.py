"""What `--help` and a wrong option show, for every command that there is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from askance.cli.command_tree import app
from cli.fake_shell import FakeShell, run
from sampled import each_row


def every_command(command: Any, *names: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield names, command
    for name, child in getattr(command, "commands", {}).items():
        if not child.hidden:
            yield from every_command(child, *names, name)


COMMANDS = dict(every_command(get_command(app)))
del COMMANDS[("toggle",)]  # its own page, without typer


@each_row("names", COMMANDS)
def test_a_help_page_is_whole(names: tuple[str, ...]) -> None:
    shown = CliRunner().invoke(app, [*names, "--help"], env={"COLUMNS": "80"}).output
    assert shown.startswith("Usage: ")
    # What a list of commands says of one is not cut off, and nothing is repeated that repeats itself.
    assert not re.search(r"^  \S+ .*\w\.\.\.$", shown, re.MULTILINE)
    assert "...}..." not in shown
    for argument in COMMANDS[names].params:
        assert argument.name == "help" or argument.help or argument.metavar


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["ask", "hi", "--queries", "x"], "whole number"),
        (["ask", "hi", "--queries", "99"], "6"),
        (["evidence", "hi", "--max-tokens", "3"], "400 or more"),
        (["evidence", "hi", "--max-blocks", "99"], "12 or less"),
        (["ask", "hi", "--since", "never"], "'day', 'week'"),
        (["history", "show", "abc"], "whole number"),
    ],
)
def test_a_wrong_value_is_told_in_plain_words(
    fake_shell: FakeShell, arguments: list[str], told: str
) -> None:
    assert run(fake_shell, *arguments) == 2
    shown = CliRunner().invoke(app, arguments).output
    assert told in shown
    assert "Input should" not in shown
    assert "Value error" not in shown
