"""How a command ends: code and sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from askance.cli.exits import Exit, Output, OutputLost, failure_sentence, guarded, report_end
from askance.domain.errors import InputError, ServiceDown, SettingsError
from askance.domain.events import Cancelled, ClarifyAsked, Failed, RunEnd
from askance.domain.messages import NOTHING, Message
from cli.fake_shell import FakeStream
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
