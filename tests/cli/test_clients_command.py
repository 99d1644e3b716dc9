"""`askance clients`: who has asked, and what each may do."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from askance.app.container import Container
from askance.cli.command_tree import app
from askance.config.folders import find_folders
from askance.config.settings import Settings
from askance.domain.ports.storage import Capability, Client, ClientCall
from askance.server.clients import Tokens

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("ASKANCE_HOME", str(tmp_path))

    def invoke(*arguments: str) -> Result:
        return CliRunner().invoke(app, ["clients", *arguments])

    return invoke


def client_of(home: Path, token: str) -> Client | None:
    folders = find_folders({"ASKANCE_HOME": str(home)})
    with closing(Container(Settings(), folders, pytest.fail).clients) as book:
        return Tokens(folders.server_token, book).client_of(f"Bearer {token}")


def test_without_any_it_says_how_they_come(run: Run):
    done = run()
    assert done.exit_code == 0
    assert "askance mcp" in done.output


def test_a_token_is_shown_once_and_lets_in(run: Run, tmp_path: Path):
    done = run("add", "Open WebUI")
    token = done.stdout.strip()
    client = client_of(tmp_path, token)
    assert client is not None
    assert client.name == "Open WebUI"
    assert client.allowed == {Capability.WEB}
    assert token not in run("--json").output


def test_a_token_that_is_made_again_ends_the_one_before(run: Run, tmp_path: Path):
    first = run("add", "Open WebUI").stdout.strip()
    run("allow", "Open WebUI", "read")
    again = run("add", "Open WebUI")
    assert "has ended" in again.output
    assert client_of(tmp_path, first) is None
    renewed = client_of(tmp_path, again.stdout.strip())
    assert renewed is not None
    assert renewed.allowed == {Capability.WEB, Capability.READ}


def test_the_token_that_is_in_a_file_is_not_renewed(run: Run):
    done = run("add", "default")
    assert done.exit_code == 2
    assert "server.token" in done.output.replace("\n", "")


def test_what_a_program_may_do_is_given_and_taken(run: Run):
    run("add", "Cursor")
    done = run("allow", "Cursor", "read", "library_read")
    assert "library_read, read, web" in done.output
    assert "may leave this computer" in done.output
    assert "read, web" in run("deny", "Cursor", "library_read").output
    (record,) = [json.loads(line) for line in run("--json").stdout.splitlines()]
    assert record["allowed"] == ["read", "web"]


@pytest.mark.parametrize(
    "arguments",
    [("allow", "nobody", "read"), ("forget", "nobody"), ("log", "nobody")],
)
def test_a_program_that_is_not_known_is_wrong_usage(run: Run, arguments: tuple[str, ...]):
    done = run(*arguments)
    assert done.exit_code == 2
    assert "No program called" in done.output


def test_what_cannot_be_allowed_is_wrong_usage_and_changes_nothing(run: Run):
    run("add", "Cursor")
    done = run("allow", "Cursor", "everything")
    assert done.exit_code == 2
    assert "library_write" in done.output
    assert "Cursor: web" in run("list").output


def test_a_program_that_is_forgotten_has_no_token_and_no_calls(run: Run, tmp_path: Path):
    token = run("add", "Cursor").stdout.strip()
    folders = find_folders({"ASKANCE_HOME": str(tmp_path)})
    with closing(Container(Settings(), folders, pytest.fail).clients) as book:
        book.note(ClientCall("Cursor", "search_web", "2026-11-20T08:00:00+00:00", "ok", 14))
    assert "search_web" in run("log", "Cursor").output
    run("forget", "Cursor")
    with closing(Container(Settings(), folders, pytest.fail).clients) as book:
        assert Tokens(folders.server_token, book).client_of(f"Bearer {token}") is None
        assert not book.calls("Cursor", 9)
