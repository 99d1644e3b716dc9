"""How a command ends: its exit code, one plain sentence where something failed, one line after a crash, and
Ctrl-C, which counts once where it is pressed twice in a row."""

from __future__ import annotations

import asyncio
import logging
import math
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager
from enum import IntEnum
from types import FrameType
from typing import Any, NoReturn, TextIO, TypeVar, cast

from askance.cli.render.output import Output, OutputLost, silence, write_line
from askance.config.diagnostics import mark_reported, write_report
from askance.config.folders import find_folders
from askance.domain.errors import AskanceError, place_of
from askance.domain.events import Answered, Cancelled, ClarifyAsked, Failed, RunEnd

_log = logging.getLogger(__name__)
_VERBOSE = {"-v", "--verbose"}
_Result = TypeVar("_Result")
SAME_CTRL_C_S = 1.0
"""A Ctrl-C so soon after another one is the same one."""


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
        return _report(exc, stdout, stderr)
    except BaseExceptionGroup as group:
        # A bug beside an expected failure is still a bug, and gets its report.
        if (expected := expected_in(group)) is None:
            raise
        return _report(expected, stdout, stderr)
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


def report_end(end: RunEnd, stderr: TextIO) -> Exit:
    """Say what failed, if anything did, and return the exit code for the end of a run."""
    if isinstance(end, Failed):
        write_line(stderr, f"askance: {failure_sentence(end)}")
    return exit_of(end)


def failure_sentence(end: Failed) -> str:
    """Return what failed and what fixes it, with the service named."""
    named = end.service and end.service.lower() not in end.problem.lower()
    return f"{end.service + ': ' if named else ''}{end.problem} {end.fix}".strip()


def report_crash(error: Exception) -> Exit:
    """Leave a report of an error that nobody expected, and say where it is.

    The traceback, whose last line may quote anything, is shown with `--verbose`.
    """
    folders = find_folders(os.environ)
    report = write_report(folders, error)
    # From `sys.argv`: it may have crashed before the options were parsed.
    if _VERBOSE & set(sys.argv) or report is None:
        traceback.print_exception(error)
    what = f"askance: Askance crashed: {place_of(error)}."
    if report is None:
        write_line(sys.stderr, f"{what} No report could be written.")
        return Exit.SERVICE_FAILED
    mark_reported(folders, [report])
    write_line(sys.stderr, f"{what} The report is {report}; nothing was sent.")
    return Exit.SERVICE_FAILED


class _CtrlC:
    """What Ctrl-C does now. A second one within a second belongs to the first: people press it
    twice, some terminals send it twice, and what the first has set going must not be torn apart."""

    def __init__(self, act: Callable[[], object]) -> None:
        self.act = act
        self._pressed_s = -math.inf

    def __call__(self, _number: int, _frame: FrameType | None) -> None:
        now_s = time.monotonic()
        if now_s - self._pressed_s >= SAME_CTRL_C_S:
            self._pressed_s = now_s
            self.act()


def handle_ctrl_c() -> None:
    """Let Ctrl-C raise KeyboardInterrupt as before, but not twice in a row, until the process ends."""
    if _has_reader():
        signal.signal(signal.SIGINT, _CtrlC(_interrupt))


def run_async(work: Coroutine[Any, Any, _Result]) -> _Result:
    """Run to the end, as `asyncio.run` does. Ctrl-C cancels it, and a later one ends it at once.

    Raises:
        KeyboardInterrupt: Ctrl-C ended it.
    """
    if not _has_reader():
        return asyncio.run(work)
    was_cancelled = False

    def cancel() -> None:
        nonlocal was_cancelled
        if was_cancelled or task.done():
            _interrupt()
        was_cancelled = True
        task.cancel()
        # Wakes a loop that waits for the network.
        loop.call_soon_threadsafe(lambda: None)

    # Also while the loop is made and closed, where there is no task to cancel.
    with _on_ctrl_c(_interrupt), asyncio.Runner() as runner:
        loop = runner.get_loop()
        task = loop.create_task(work)
        with _on_ctrl_c(cancel):
            try:
                return loop.run_until_complete(task)
            except asyncio.CancelledError:
                if was_cancelled:
                    raise KeyboardInterrupt from None
                raise


async def stoppable(work: Coroutine[Any, Any, _Result]) -> _Result | None:
    """Run to the end, or until Ctrl-C cancels it; then return None. For the main thread only."""
    loop = asyncio.get_running_loop()
    async with asyncio.TaskGroup() as group:
        task = group.create_task(work)
        # This way it wakes a loop that waits for the network.
        with _on_ctrl_c(lambda: loop.call_soon_threadsafe(task.cancel)):
            await asyncio.wait([task])
    return None if task.cancelled() else task.result()


@contextmanager
def interruptible() -> Generator[None]:
    """Let Ctrl-C raise KeyboardInterrupt at once, as it does outside of an event loop."""
    with _on_ctrl_c(_interrupt):
        yield


@contextmanager
def _on_ctrl_c(act: Callable[[], object]) -> Generator[None]:
    """Let Ctrl-C do this. One that was pressed just before is the same one here, and afterwards."""
    before = signal.getsignal(signal.SIGINT)
    if isinstance(before, _CtrlC):
        outer, before.act = before.act, act
        try:
            yield
        finally:
            before.act = outer
        return
    signal.signal(signal.SIGINT, _CtrlC(act))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _interrupt() -> NoReturn:
    raise KeyboardInterrupt


def _has_reader() -> bool:
    """Whether Ctrl-C is this thread's matter; a program in the background is deaf to it."""
    if threading.current_thread() is not threading.main_thread():
        return False
    # In a script a shell starts `command &` with SIGINT ignored; that is left as it is.
    handler = signal.getsignal(signal.SIGINT)
    return handler is signal.default_int_handler or isinstance(handler, _CtrlC)


def _report(exc: BaseException, stdout: Output, stderr: TextIO) -> Exit:
    match exc:
        case AskanceError():
            _log.info("Ended by an error.", extra={"error": type(exc).__name__})
            return report_end(Failed.of(exc), stderr)
        case OutputLost():
            if not exc.reader_gone:
                write_line(stderr, f"askance: The output cannot be written: {exc.reason}.")
            silence(stdout)
            return Exit.SERVICE_FAILED
        case _:
            write_line(stderr, "Stopped.")
            return Exit.INTERRUPTED
