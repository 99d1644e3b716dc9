"""Writes docs/commands.md out of the command line's own definitions.

python -m tools.commands            write it
python -m tools.commands --check    say whether it is stale, and change nothing
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import typer

from askance.cli.command_tree import app

FILE = Path(__file__).parents[1] / "docs" / "commands.md"
_HEAD = """\
# Commands

`python -m tools.commands` writes this out of the command line's own definitions; `askance COMMAND --help` says the same.
"""


def document() -> str:
    """Return the whole document."""
    program = typer.main.get_command(app)
    every = list(_all(program))
    rows = [f"| `{path}` | {_cell(command.help)} |" for path, command in every]
    index = "\n".join(["| command | does |", "|---|---|", *rows, ""])
    return "\n".join([_HEAD, index, *(_section(path, command) for path, command in every)])


def _all(program: Any) -> Iterator[tuple[str, Any]]:
    """Yield each command with the words that call it, in the order of `--help`."""
    waiting = [("askance", program)]
    while waiting:
        path, command = waiting.pop(0)
        yield path, command
        children = getattr(command, "commands", {}).items()
        waiting[:0] = [(f"{path} {name}", child) for name, child in children if not child.hidden]


def _section(path: str, command: Any) -> str:
    context = typer.Context(command, info_name=path)
    usage = " ".join([path, *command.collect_usage_pieces(context)])
    lines = [f"## `{usage}`", "", _one_line(command.help)]
    records = (param.get_help_record(context) for param in command.params)
    rows = [f"| `{_cell(names)}` | {_cell(text)} |" for names, text in filter(None, records)]
    if rows:
        lines += ["", "| option | |", "|---|---|", *rows]
    return "\n".join(lines) + "\n"


def _one_line(text: str | None) -> str:
    return " ".join((text or "").split())


def _cell(text: str | None) -> str:
    return _one_line(text).replace("|", "\\|")


def main(arguments: Sequence[str]) -> int:
    """Write the document, or say whether it is stale."""
    if list(arguments) == ["--check"]:
        is_stale = not FILE.exists() or FILE.read_text(encoding="utf-8") != document()
        if is_stale:
            sys.stderr.write("docs/commands.md is stale: run `python -m tools.commands`.\n")
        return int(is_stale)
    FILE.write_text(document(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
