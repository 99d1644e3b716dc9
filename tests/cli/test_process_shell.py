"""What this process itself brings along."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import askance
from askance.cli.shell import find_package, process_shell, read_piped_line
from askance.config.folders import find_folders
from askance.config.settings import Settings
from askance.domain.errors import InputError
from askance.domain.events import RequestSent, Sending
from askance.domain.messages import Message
from cli.fake_shell import FakeShell, run


def test_an_installed_package_is_found_without_being_imported() -> None:
    assert find_package("askance") == Path(askance.__file__).parent
    assert find_package("no_such_package_anywhere") is None


def test_a_pipe_gives_its_lines_and_then_ends() -> None:
    pipe = io.StringIO("one\n\ntwo")
    assert [read_piped_line(pipe) for _ in range(3)] == ["one", "", "two"]
    with pytest.raises(EOFError):
        read_piped_line(pipe)


def test_bytes_that_are_no_text_are_refused_in_a_sentence(fake_shell: FakeShell) -> None:
    with pytest.raises(InputError, match="not UTF-8"):
        read_piped_line(io.TextIOWrapper(io.BytesIO(b"\xff\n"), "utf-8"))
    fake_shell.stdin = io.TextIOWrapper(io.BytesIO(b"\xff\n"), "utf-8")
    assert run(fake_shell, "ask", "-") == 2
    assert "UTF-8" in fake_shell.errors


async def test_what_is_wrong_with_our_files_is_told_behind_the_work(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folders = find_folders({"ASKANCE_HOME": str(tmp_path)})
    folders.ledger.parent.mkdir(parents=True)
    folders.ledger.write_bytes(b"no database at all" * 1000)
    async with process_shell().open_app(Settings(), folders) as app:
        assert app.ledger is not None
        app.ledger.add(RequestSent(Sending.QUERY, "x", Message("y"), "z"), "a question")
        assert not capsys.readouterr().err
    reported = capsys.readouterr().err
    assert reported.startswith("askance: ")
    assert "ledger" in reported
