"""How a command ends: code and sentence."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import askance
from askance.cli.exits import Exit, Output, OutputLost, failure_sentence, guarded, report_end
from askance.cli.shell import find_package, process_shell, read_piped_line
from askance.config.folders import find_folders
from askance.config.settings import Settings
from askance.domain.errors import InputError, ServiceDown, SettingsError
from askance.domain.events import Cancelled, ClarifyAsked, Failed, RequestSent, RunEnd, Sending
from askance.domain.messages import NOTHING, Message
from cli.fake_shell import FakeShell, FakeStream, run
from cli.runs import ANSWERED


@pytest.mark.parametrize(
    ("end", "code"),
    [
        (ANSWERED, 0),
        (ClarifyAsked("Which?"), 0),
        (Failed(Message("Down."), NOTHING, "SearXNG"), 1),
        (Failed(Message("Too long.")), 2),
        (Cancelled(), 130),
    ],
)
def test_each_end_of_a_run_has_its_exit_code(end: RunEnd, code: int) -> None:
    assert report_end(end, FakeStream()) == code


DOWN = ServiceDown("SearXNG", "http://x", "Nothing answers there.", fix="Start it.")


@pytest.mark.parametrize(
    ("error", "code", "told"),
    [
        (DOWN, 1, "askance: SearXNG: Nothing answers there. Start it.\n"),
        (SettingsError("Bad value.", fix="Mend it."), 2, "askance: Bad value. Mend it.\n"),
        (InputError("Evil \x1b[2Jname."), 2, "askance: Evil [2Jname.\n"),
        (KeyboardInterrupt(), 130, "Stopped.\n"),
        (
            OutputLost(OSError(28, "No space")),
            1,
            "askance: The output cannot be written: No space.\n",
        ),
        (OutputLost(BrokenPipeError(32, "Broken pipe")), 1, ""),
        (
            ExceptionGroup("g", [ExceptionGroup("h", [DOWN])]),
            1,
            "askance: SearXNG: Nothing answers",
        ),
    ],
)
def test_what_is_expected_ends_in_one_sentence(error: BaseException, code: int, told: str) -> None:
    def action() -> Exit:
        raise error

    stderr = FakeStream()
    assert guarded(action, stdout=Output(FakeStream()), stderr=stderr) == code
    assert stderr.getvalue().startswith(told)
    assert stderr.getvalue().count("\n") <= 1


@pytest.mark.parametrize("bug", [ZeroDivisionError(), ExceptionGroup("g", [DOWN, KeyError("k")])])
def test_a_bug_passes_through(bug: Exception) -> None:
    def action() -> Exit:
        raise bug

    with pytest.raises(type(bug)):
        guarded(action, stdout=Output(FakeStream()), stderr=FakeStream())


def test_a_service_is_named_once() -> None:
    assert (
        failure_sentence(Failed(Message("SearXNG is down."), NOTHING, "SearXNG"))
        == "SearXNG is down."
    )
    assert (
        failure_sentence(Failed(Message("It is down."), NOTHING, "SearXNG"))
        == "SearXNG: It is down."
    )


def test_a_lost_error_stream_does_not_hide_the_exit_code(tmp_path: Path) -> None:
    class Gone(FakeStream):
        def write(self, text: str) -> int:
            raise BrokenPipeError(32, "Broken pipe")

    def action() -> Exit:
        raise DOWN

    assert guarded(action, stdout=Output(FakeStream()), stderr=Gone()) == 1


# What this process itself brings along.


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
