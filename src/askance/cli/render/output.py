"""Standard output that says plainly when it cannot be written, and sentences on the error stream."""

from __future__ import annotations

import io
import os
from typing import TextIO

from askance.presentation.sanitizing import clean


class OutputLost(Exception):
    """The output cannot be written: its reader is gone, or its disk is full."""

    def __init__(self, cause: OSError) -> None:
        super().__init__(str(cause))
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
            self._stream.flush()
        except OSError as exc:
            raise OutputLost(exc) from exc

    def line(self, text: str = "") -> None:
        """Write one line and flush it."""
        self.write(text + "\n")
        self.flush()


def say(stderr: TextIO, sentence: str) -> None:
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
        return  # not a file of the system: nothing is flushed into it later
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, number)
    os.close(nowhere)
