"""Where a command writes to, and how it ends: its exit code, one plain sentence where something failed, one line after
a crash, and Ctrl-C, which counts once where it is pressed twice in a row."""

from __future__ import annotations

import asyncio
import io
import logging
import math
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Coroutine, Generator, Iterable, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from enum import IntEnum
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn, TextIO, TypeVar, cast

from askance.config.diagnostics import mark_reported, write_report
from askance.config.folders import find_folders
from askance.config.private_files import create_file
from askance.domain.characters import clean, one_line
from askance.domain.errors import AskanceError, InputError, place_of
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
    # A bug beside an expected failure is still a bug: it passes, and gets its report.
    except* (AskanceError, OutputLost, KeyboardInterrupt) as group:
        first: BaseException = group
        while isinstance(first, BaseExceptionGroup):
            first = cast("BaseExceptionGroup[BaseException]", first).exceptions[0]
        code = _report(first, stdout, stderr)
    return code


def report_end(end: RunEnd, stderr: TextIO) -> Exit:
    """Say what failed, if anything did, and return the exit code for the end of a run."""
    match end:
        case Failed(service=service):
            write_line(stderr, f"askance: {failure_sentence(end)}")
            return Exit.SERVICE_FAILED if service else Exit.WRONG_USAGE
        case Cancelled():
            return Exit.INTERRUPTED
        case Answered() | ClarifyAsked():
            return Exit.DONE


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


def interruptible() -> AbstractContextManager[None]:
    """Let Ctrl-C raise KeyboardInterrupt at once, as it does outside of an event loop."""
    return _on_ctrl_c(_interrupt)


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


# Standard output that says plainly when it cannot be written, sentences on the error stream, and new files.


class OutputLost(Exception):
    """The output cannot be written: its reader is gone, or its disk is full."""

    def __init__(self, cause: OSError) -> None:
        super().__init__(str(cause))
        # As in `askance ... | head`: that is no failure to report.
        self.reader_gone = isinstance(cause, BrokenPipeError)
        self.reason = cause.strerror or type(cause).__name__


class Output(io.TextIOBase):
    """A text stream whose failures are `OutputLost`, so that no other `OSError` is taken for one."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The encoding of the stream underneath; rich asks for it."""
        return self._stream.encoding or "utf-8"

    def writable(self) -> bool:
        """Return that this stream is written to."""
        return True

    def isatty(self) -> bool:
        """Return whether a person may be looking at it."""
        return self._stream.isatty()

    def fileno(self) -> int:
        """Return the system's number of the stream underneath."""
        return self._stream.fileno()

    def write(self, text: str) -> int:
        """Write text. Raises OutputLost: it could not be written."""
        try:
            return self._stream.write(text)
        except OSError as exc:
            raise OutputLost(exc) from exc

    def flush(self) -> None:
        """Hand what was written to the system. Raises OutputLost: it could not be written."""
        try:
            # A stream is flushed once more when it is finalized.
            if not self._stream.closed:
                self._stream.flush()
        except OSError as exc:
            raise OutputLost(exc) from exc

    def line(self, text: str = "") -> None:
        """Write one line and flush it."""
        self.write(text + "\n")
        self.flush()


def write_line(stderr: TextIO, sentence: str) -> None:
    """Write a sentence to the error stream, cleaned; if that is gone too, there is nobody to tell."""
    try:
        stderr.write(clean(sentence) + "\n")
        stderr.flush()
    except OSError:
        silence(stderr)


def silence(stream: TextIO | Output) -> None:
    """Send a broken stream to nowhere, so that Python's last flush at exit does not complain."""
    try:
        number = stream.fileno()
    except (OSError, ValueError):
        # Not a file of the system: nothing is flushed into it later.
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, number)
    os.close(nowhere)


def write_new(file: Path, pieces: Iterable[str]) -> int:
    """Write a file that is not there yet, for its owner's eyes alone, whole or not at all.

    Returns the number of pieces.

    Raises:
        InputError: it is there already, or cannot be written.
    """
    try:
        opened = create_file(file)
    except FileExistsError as exc:
        raise InputError(f"There is a file {file} already.", fix="Give another name.") from exc
    # ValueError: a name with a null character.
    except (OSError, ValueError) as exc:
        raise _unwritable(file, exc) from exc
    n = 0
    try:
        with os.fdopen(opened, "wb") as stream:
            for n, piece in enumerate(pieces, 1):  # noqa: B007 - used below
                # Half of a surrogate pair has no UTF-8, and must not cost the whole file.
                stream.write(piece.encode("utf-8", "replace"))
    # BaseException: the store that yields the pieces may fail, and Ctrl-C may come.
    except BaseException as exc:
        with suppress(OSError):
            file.unlink()
        if isinstance(exc, OSError):
            raise _unwritable(file, exc) from exc
        raise
    return n


def _unwritable(file: Path, exc: OSError | ValueError) -> InputError:
    reason = (exc.strerror if isinstance(exc, OSError) else "") or exc
    return InputError(f"{file} cannot be written: {reason}.")


# 22 ends bold type alone; 0 would end a colour around it as well.
_BOLD, _PLAIN = "\x1b[1m", "\x1b[22m"


def marked(text: str, marks: Sequence[tuple[int, int]], *, bold: bool) -> str:
    """Return an excerpt on one line, cleaned; what is marked in bold type if so wished."""
    if not bold:
        return one_line(text)
    pieces: list[str] = []
    done = 0
    for start, stop in marks:
        pieces += [clean(text[done:start]), _BOLD, clean(text[start:stop]), _PLAIN]
        done = stop
    return "".join([*pieces, clean(text[done:])]).replace("\n", " ")
