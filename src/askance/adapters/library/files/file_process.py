"""Files and folders that may never answer are looked at in processes that can be left behind.

Whoever waits for a network folder that is gone, or for a file that a cloud has not brought yet, cannot be ended: a thread
would keep this program from its own end. A process is killed, and ends once the system lets go of it.
"""

from __future__ import annotations

import io
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Iterator
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Any, TypeVar, cast

from askance.system.program import NO_WINDOW, child_command

ANSWER_S = 15.0
"""So long a folder may take for its names, and a file for each part of it."""
MOST_STUCK = 8
"""So many processes are left behind in one folder: what else lies in it is not asked for while they are there."""
# By the folder that was added. A later look knows of them, too.
_STUCK: dict[str, list[subprocess.Popen[bytes]]] = {}
_T = TypeVar("_T")


class FileCalls:
    """Runs functions that look at files, here and now. `place` is the folder or file that was added."""

    def call(
        self,
        place: str,
        function: Callable[..., _T],
        *arguments: Any,
        answer_s: float | None = None,
    ) -> _T:
        """Return what a function of a module returns. It raises what that does, and OSError where it does not answer."""
        (result,) = self.parts(place, function, *arguments, answer_s=answer_s)
        return result

    def parts(
        self,
        place: str,  # noqa: ARG002 - for those who keep count
        function: Callable[..., Any],
        *arguments: Any,
        answer_s: float | None = None,  # noqa: ARG002 - for those who wait
    ) -> Iterator[Any]:
        """Yield what a function returns, of a generator one after the other. It raises as `call` does."""
        result = function(*arguments)
        yield from result if isinstance(result, Generator) else [result]

    def close(self) -> None:
        """End all that is running, at once."""


HERE = FileCalls()


class FileProcesses(FileCalls):
    """Runs functions in processes that start as they are needed, for any thread, each for as long as it answers."""

    def __init__(self) -> None:
        self._idle: list[_Process] = []
        self._busy: set[_Process] = set()
        self._is_closed = False

    def parts(
        self,
        place: str,
        function: Callable[..., Any],
        *arguments: Any,
        answer_s: float | None = None,
    ) -> Iterator[Any]:
        """Yield what a function returns, or raise TimeoutError where the next part takes too long."""
        answer_s = answer_s or ANSWER_S
        stuck = [process for process in _STUCK.pop(place, ()) if process.poll() is None]
        if stuck:
            _STUCK[place] = stuck
        no_answer = TimeoutError(f"it did not answer within {answer_s:g} s")
        if len(stuck) >= MOST_STUCK:
            raise no_answer
        # Whoever walks a folder in a thread must come to an end, too.
        if self._is_closed:
            raise _GONE
        process = self._taken(function)
        self._busy.add(process)
        asked, is_last = (function, arguments), False
        try:
            while not is_last:
                values, is_last = process.ask(asked, answer_s)
                asked = None
                if isinstance(values, Exception):
                    raise values
                yield from values
        except Empty:
            _STUCK.setdefault(place, []).append(process.process)
            raise no_answer from None
        finally:
            self._busy.discard(process)
            if is_last and not self._is_closed:
                self._idle.append(process)
            else:
                process.leave()

    def _taken(self, function: Callable[..., Any]) -> _Process:
        """Return a process that is idle, as a rule the one that knows a function already, or a new one."""
        try:
            known = [process for process in self._idle if process.ran is function]
            process = known[-1] if known else self._idle[-1]
            self._idle.remove(process)
        except (IndexError, ValueError):  # another thread has taken it
            process = _Process()
        process.ran = function
        return process

    def close(self) -> None:
        """End all processes without waiting for them: whoever waits for one gets OSError."""
        self._is_closed = True
        for process in (*self._idle, *self._busy):
            process.leave()


def is_stuck(place: str) -> bool:
    """Whether something in a folder that was added has not answered, and still does not."""
    return any(process.poll() is None for process in _STUCK.get(place, ()))


class _Process:
    def __init__(self) -> None:
        self.process = subprocess.Popen(  # noqa: S603 - our own module
            child_command(__name__),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            creationflags=NO_WINDOW,
        )
        self._replies = SimpleQueue[tuple[Any, bool]]()
        self.ran: Callable[..., Any] | None = None
        threading.Thread(target=self._receive, name="files", daemon=True).start()

    def ask(self, asked: object, answer_s: float) -> tuple[Any, bool]:
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(pickle.dumps(asked))
            self.process.stdin.flush()
        except ValueError as exc:  # it was closed
            raise _GONE from exc
        return self._replies.get(timeout=answer_s)

    def leave(self) -> None:
        self.process.kill()
        self._replies.put((_GONE, False))

    def _receive(self) -> None:
        with self.process as process:
            assert process.stdout is not None
            try:
                while True:
                    self._replies.put(pickle.load(process.stdout))  # noqa: S301 - of our own module
            except (EOFError, OSError, pickle.UnpicklingError):
                self._replies.put((_GONE, False))


_GONE = OSError("the process that reads it has ended")


class PartStream(io.RawIOBase):
    """The parts of a file as a stream, for a buffer around it."""

    def __init__(self, parts: Iterator[bytes]) -> None:
        self._parts, self._rest = parts, b""

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer; 0 at the end. It raises what getting the parts does."""
        self._rest = self._rest or next(self._parts, b"")
        n = min(len(buffer), len(self._rest))
        buffer[:n], self._rest = self._rest[:n], self._rest[n:]
        return n


def main() -> None:
    """Answer on standard output what comes on standard input: a function with its arguments, None for the next part."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when its children end
    parts: Generator[Any] | None = None
    reply: tuple[Any, bool] = [], True
    while True:
        try:
            asked = pickle.load(sys.stdin.buffer)  # noqa: S301 - of our own parent
        except EOFError:
            return
        try:
            if asked is not None:
                function, arguments = asked
                result = function(*arguments)
                parts = cast("Generator[Any]", result) if isinstance(result, Generator) else None
                reply = [result], True
            if parts is not None:
                some = list(islice(parts, 1))
                reply = some, not some
        except Exception as exc:  # noqa: BLE001 - raised again where it was asked
            reply = exc, True
        sys.stdout.buffer.write(pickle.dumps(reply))
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
