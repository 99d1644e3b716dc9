"""Where commands write to: standard output that says plainly when it cannot be written, sentences on the
error stream, new files, and charts."""

from __future__ import annotations

import errno
import io
import os
import subprocess
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from askance.config.private_files import create_file, replace_file
from askance.domain.characters import clean, one_line
from askance.domain.errors import InputError
from askance.system.program import NO_WINDOW, child_command

if TYPE_CHECKING:
    from askance.presentation.statistics import Chart


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


# Charts as PNG files, drawn by a child process: Qt is nothing for this one.

MODULE = "askance.ui.design.charts"
_LIMIT_S = 60


def refuse_unwritable(file: Path) -> None:
    """See before the work that a chart can be written to a file.

    Raises:
        InputError: it cannot.
    """
    folder = file.absolute().parent
    if os.path.isdir(file):  # noqa: PTH112 - raises nothing
        problem = os.strerror(errno.EISDIR)
    elif not os.path.isdir(folder):  # noqa: PTH112
        problem = os.strerror(errno.ENOENT)
    elif not os.access(folder, os.W_OK | os.X_OK):
        problem = os.strerror(errno.EACCES)
    else:
        return
    raise InputError(f"The chart cannot be written to {file}: {problem}.")


def write_chart(chart: Chart, file: Path) -> None:
    """Have a child process draw a chart, and write the picture to a file.

    Raises:
        InputError: it cannot be drawn, or not be written.
    """
    # Nothing is shown, and over SSH or in cron there is no display to show it on.
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    try:
        drawn = subprocess.run(  # noqa: S603 - it is our own
            child_command(MODULE),
            input=chart.model_dump_json().encode(),
            capture_output=True,
            env=environment,
            timeout=_LIMIT_S,
            creationflags=NO_WINDOW,
            check=False,
        )
        if drawn.returncode:
            error_lines = drawn.stderr.decode(errors="replace").strip().splitlines() or [
                "it said nothing"
            ]
            raise InputError(f"The chart cannot be drawn: {error_lines[-1].rstrip('.')}.")
        replace_file(file, drawn.stdout)
    except subprocess.TimeoutExpired as exc:
        raise InputError("The chart cannot be drawn: it takes too long.") from exc
    except OSError as exc:
        raise InputError(f"The chart cannot be written to {file}: {exc.strerror}.") from exc
