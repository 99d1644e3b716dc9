"""How a command ends: its exit code, and one plain sentence where something went wrong."""

from __future__ import annotations

import logging
from collections.abc import Callable
from enum import IntEnum
from typing import TextIO, cast

from askance.cli.render.output import Output, OutputLost, say, silence
from askance.domain.errors import AskanceError
from askance.domain.events import Answered, Cancelled, ClarifyAsked, Failed, RunEnd

_log = logging.getLogger(__name__)


class Exit(IntEnum):
    """The exit codes that other programs rely on."""

    DONE = 0
    SERVICE_FAILED = 1
    WRONG_USAGE = 2
    INTERRUPTED = 130


def guarded(action: Callable[[], Exit], *, stdout: Output, stderr: TextIO) -> Exit:
    """Run a command's body to its end. What is expected to go wrong ends in a sentence, not a trace."""
    try:
        code = action()
        stdout.flush()
    except (AskanceError, OutputLost, KeyboardInterrupt) as exc:
        return _told(exc, stdout, stderr)
    except BaseExceptionGroup as group:
        if (expected := expected_in(group)) is None:
            raise
        return _told(expected, stdout, stderr)
    return code


def _told(exc: BaseException, stdout: Output, stderr: TextIO) -> Exit:
    match exc:
        case AskanceError():
            _log.info("Ended by an error.", extra={"error": type(exc).__name__})
            return told_end(Failed.of(exc), stderr)
        case OutputLost():
            if not exc.reader_gone:
                say(stderr, f"askance: The output cannot be written: {exc.reason}.")
            silence(stdout)
            return Exit.SERVICE_FAILED
        case _:
            say(stderr, "Stopped.")
            return Exit.INTERRUPTED


def expected_in(group: BaseExceptionGroup[BaseException]) -> AskanceError | OutputLost | None:
    """Return the first expected failure of a group, or None if there is a bug among them."""
    expected, bugs = group.split((AskanceError, OutputLost))
    if expected is None or bugs is not None:
        return None
    first: BaseException = expected
    while isinstance(first, BaseExceptionGroup):
        first = cast("BaseExceptionGroup[BaseException]", first).exceptions[0]
    return cast("AskanceError | OutputLost", first)


def exit_of(end: RunEnd) -> Exit:
    """Return the exit code for the end of a run."""
    match end:
        case Answered() | ClarifyAsked():
            return Exit.DONE
        case Failed(service=service):
            return Exit.SERVICE_FAILED if service else Exit.WRONG_USAGE
        case Cancelled():
            return Exit.INTERRUPTED


def told_end(end: RunEnd, stderr: TextIO) -> Exit:
    """Say what failed, if anything did, and return the exit code for the end of a run."""
    if isinstance(end, Failed):
        say(stderr, f"askance: {failure_sentence(end)}")
    return exit_of(end)


def failure_sentence(end: Failed) -> str:
    """Return what failed and what fixes it, with the service named."""
    named = end.service and end.service.lower() not in end.problem.lower()
    return f"{end.service + ': ' if named else ''}{end.problem} {end.fix}".strip()
