"""How a command ends: its exit code, one plain sentence where something failed, one line after a crash, and
Ctrl-C where it should stop one run and not the program."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
import traceback
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager
from enum import IntEnum
from types import FrameType
from typing import Any, TextIO, TypeVar, cast

from askance.cli.render.output import Output, OutputLost, say, silence
from askance.config.folders import find_folders
from askance.diagnostics.crash_reports import mark_told, write_report
from askance.domain.errors import AskanceError, place_of
from askance.domain.events import Answered, Cancelled, ClarifyAsked, Failed, RunEnd

_log = logging.getLogger(__name__)
_VERBOSE = {"-v", "--verbose"}
_Result = TypeVar("_Result")


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


def tell_of_crash(error: Exception) -> Exit:
    """Leave a report of an error that nobody expected, and say where it is.

    The traceback, whose last line may quote anything, is shown with `--verbose`.
    """
    folders = find_folders(os.environ)
    report = write_report(folders, error)
    if _VERBOSE & set(sys.argv) or report is None:
        traceback.print_exception(error)
    what = f"askance: Askance crashed: {place_of(error)}."
    if report is None:
        say(sys.stderr, f"{what} No report could be written.")
        return Exit.SERVICE_FAILED
    mark_told(folders, [report])
    say(sys.stderr, f"{what} The report is {report}; nothing was sent.")
    return Exit.SERVICE_FAILED


async def stoppable(work: Coroutine[Any, Any, _Result]) -> _Result | None:
    """Run to the end, or until Ctrl-C cancels it; then return None. For the main thread only."""
    loop = asyncio.get_running_loop()
    async with asyncio.TaskGroup() as group:
        task = group.create_task(work)

        def stop(_number: int, _frame: FrameType | None) -> None:
            loop.call_soon_threadsafe(task.cancel)  # wakes a loop that waits for the network

        before = signal.signal(signal.SIGINT, stop)
        task.add_done_callback(lambda _: signal.signal(signal.SIGINT, before))
    return None if task.cancelled() else task.result()


@contextmanager
def interruptible() -> Generator[None]:
    """Let Ctrl-C raise KeyboardInterrupt at once, as it does outside of an event loop."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


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
