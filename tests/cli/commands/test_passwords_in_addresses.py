"""Every command, with a password in every address of the settings: none is shown, kept or sent on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from askance.app.container import open_app
from askance.cli.command_tree import app
from cli.fake_shell import FakeShell, FakeStream
from servers.faults import address_of_nobody

PASSWORD = "geheim7xyz"  # noqa: S105 - of nobody
# What goes on until somebody ends it, or starts what outlives the test.
_STAY = {
    "serve",
    "mcp",
    "window",
    "up",
    "down",
    "logs",
    "demo",
    "watch",
    "menu",
    "toggle",
    "evaluate",
}
_ARGUMENTS = {
    "ask": ["Who built the Lindmouth lighthouse?"],
    "chat": [],
    "read": ["http://lindmouth.example/"],
    "set": ["search.safesearch", "1"],
    "search": ["lighthouse"],
}


def leaves(command: Any, *path: str) -> Iterator[tuple[str, ...]]:
    """Yield the names of all commands that have none below them."""
    if hasattr(command, "commands"):
        for name, below in command.commands.items():
            yield from leaves(below, *path, name)
    elif not _STAY.intersection(path):
        yield path


COMMANDS = sorted(leaves(get_command(app)))


def with_password(address: str) -> str:
    return address.replace("://", f"://ada:{PASSWORD}@")


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    nobody = with_password(address_of_nobody())
    named = (
        "LLM__URL",
        "SEARCH__URL",
        "READER__URL",
        "EMBEDDINGS__URL",
    )
    addresses = {f"ASKANCE_{name}": nobody for name in (*named, "LIBRARY__QDRANT_URL")}
    proxies = {f"ASKANCE_{name}__PROXY": nobody for name in ("SEARCH", "READER")}
    chosen = {
        "ASKANCE_HOME": str(tmp_path),
        "ASKANCE_LLM__API": "openai",
        "ASKANCE_READER__MODE": "container",
        "ASKANCE_EMBEDDINGS__API": "openai",
        "ASKANCE_EMBEDDINGS__MODEL": "some",
    }
    return {**addresses, **proxies, **chosen}


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_command_shows_or_keeps_a_password_of_an_address(
    command: tuple[str, ...], environment: dict[str, str], tmp_path: Path
) -> None:
    out, err = FakeStream(), FakeStream()
    fake_shell = FakeShell(tmp_path, environment=environment, out=out, err=err)
    shell = replace(fake_shell.shell, open_app=open_app)
    arguments = [*command, *_ARGUMENTS.get(command[-1], [])]
    text_of_all = ""
    for more in ([], ["--json"]):
        result = CliRunner().invoke(app, [*arguments, *more], obj=shell)
        text = f"{out.getvalue()}{err.getvalue()}{result.output}{result.exception}"
        assert PASSWORD not in text
        assert "is not allowed" not in text, "the settings are read"
        text_of_all += text
    if command[-1] in {"ask", "doctor"}:
        assert environment["ASKANCE_SEARCH__URL"].rpartition("@")[2] in text_of_all
    for file in tmp_path.rglob("*"):
        if file.is_file():
            assert PASSWORD.encode() not in file.read_bytes(), file
