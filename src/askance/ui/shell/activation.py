"""What brings the window up: another process, which asks the first one since each user has one window; the desktop's
bus; the hotkey.
"""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from time import monotonic, sleep

from PySide6.QtCore import QLockFile, QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from askance.config.private_files import claim_folder
from askance.domain.errors import AskanceError, InputError, StorageError
from askance.domain.events import ignore
from askance.domain.messages import NOTHING, Message, message_of
from askance.domain.ports.hotkey import Hotkey, parse_combination
from askance.system import ipc
from askance.ui.bridge import Bridge, OnProgress, PendingCalls
from askance.ui.design.composing import single_shot_timer

# How long the process that has the lock may take to listen, or to answer.
PATIENCE_S = 10.0
# How long another process may take to say its line.
CALLER_LIMIT_MS = 2000
_AGAIN_S = 0.03
_HOTKEY = "hotkey"


class Instance(QObject):
    """This process, as the one that has the window or one that comes after it."""

    asked = Signal(str, str)
    """What another process asks (`ipc.ASKED`), and the token with which the desktop lets the
    window come to the front, or ""."""

    def __init__(
        self,
        environment: Mapping[str, str],
        parent: QObject | None = None,
        *,
        patience_s: float = PATIENCE_S,
        caller_limit_ms: int = CALLER_LIMIT_MS,
    ) -> None:
        super().__init__(parent)
        self._environment = environment
        self._patience_s = patience_s
        self._caller_limit_ms = caller_limit_ms
        self._lock = QLockFile(ipc.lock(environment))
        # It never grows old; that its process is gone is found out all the same.
        self._lock.setStaleLockTime(0)
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._receive)

    def claim(self) -> bool:
        """Become the one that has the window. False where another has it and was asked to show it.

        Raises:
            InputError: another has it, but does not answer, or shows it on another screen.
            StorageError: the folder for the socket is not ours alone, or cannot be written.
        """
        self._prepare_folder()
        end = monotonic() + self._patience_s
        # The lock comes first: listening takes the socket away from whoever has it.
        while not self._lock.tryLock(0):
            self._judge_lock()
            if self._has_notified_other():
                return False
            if monotonic() > end:
                raise InputError(
                    Message("Askance is running already, but its window does not answer."),
                    fix=Message("Quit it and start it again."),
                )
            # There is no event loop yet that this could hold up.
            sleep(_AGAIN_S)
        self._listen()
        return True

    def release(self) -> None:
        """Give the window up, so that the next process can have it."""
        self._server.close()
        self._lock.unlock()

    def _prepare_folder(self) -> None:
        folder = Path(ipc.folder(self._environment))
        try:
            # In the folder for temporary files, another user may have made it first.
            claim_folder(folder)
        except OSError as exc:
            raise _unusable(folder, message_of(exc)) from exc

    def _judge_lock(self) -> None:
        if self._lock.error() is not QLockFile.LockError.LockFailedError:
            folder = Path(ipc.folder(self._environment))
            raise _unusable(folder, Message("no lock can be made there"))

    def _has_notified_other(self) -> bool:
        try:
            return ipc.ring(self._environment, ipc.SHOW, limit_s=self._patience_s)
        except ipc.ShownElsewhere as exc:
            raise InputError(
                Message(
                    "Askance is running already, and shows its window on the screen {screen}.",
                    screen=exc.screen,
                ),
                fix=Message("Quit it there to have it here."),
            ) from exc
        # Nobody listens, or not yet: `claim` asks again until its time is over.
        except OSError:
            return False

    def _listen(self) -> None:
        where = ipc.address(self._environment)
        # What a process left that crashed.
        QLocalServer.removeServer(where)
        if not self._server.listen(where):
            self._lock.unlock()
            raise _unusable(Path(where), self._server.errorString())

    def _receive(self) -> None:
        while self._server.hasPendingConnections():
            caller = self._server.nextPendingConnection()
            if _is_ours(caller):
                _Caller(caller, self._answer, self._caller_limit_ms)
            else:
                caller.abort()
                caller.deleteLater()

    def _answer(self, line: bytes) -> bytes:
        """Take what a caller said, and return the answer."""
        question = ipc.read_question(line)
        if question is None:
            return ipc.answer("not understood")
        reply = ipc.answer_to(line, self._environment)
        # Whoever presses a key on another screen would hide the window here, or never see it.
        if question[0] == ipc.SHOW or reply == ipc.answer(ipc.DONE):
            self.asked.emit(*question)
        return reply


class _Caller(QObject):
    """A process that called: it has one line and little time."""

    def __init__(
        self, connection: QLocalSocket, answer: Callable[[bytes], bytes], limit_ms: int
    ) -> None:
        super().__init__(connection)
        self._connection = connection
        self._answer = answer
        self._received = b""
        connection.readyRead.connect(self._read)
        connection.disconnected.connect(connection.deleteLater)
        single_shot_timer(self, self._give_up, limit_ms).start()
        # Bytes that came before the signal was connected emit none.
        self._read()

    def _read(self) -> None:
        self._received += self._connection.read(ipc.LONGEST_LINE).data()
        if b"\n" in self._received:
            # One line is all that a caller has: what comes behind it is not read.
            self._connection.readyRead.disconnect(self._read)
            self._connection.write(self._answer(self._received))
            self._connection.disconnectFromServer()
        # Nobody who speaks our protocol says more: memory is not filled for anybody else.
        elif len(self._received) >= ipc.LONGEST_LINE:
            self._give_up()

    def _give_up(self) -> None:
        self._connection.abort()


def _is_ours(caller: QLocalSocket) -> bool:
    if sys.platform == "win32":
        return True  # the pipe itself lets nobody else in
    try:
        # On a copy: Python's socket closes its descriptor, and that one is Qt's.
        with socket.socket(fileno=os.dup(caller.socketDescriptor())) as end:
            return ipc.is_ours(end)
    except OSError:  # it has hung up
        return False


def _unusable(path: Path, reason: str) -> StorageError:
    return StorageError(
        Message(
            "{path} cannot be used to find the running window: {problem}.",
            path=path,
            problem=reason,
        ),
        fix=Message("Set ASKANCE_HOME or XDG_RUNTIME_DIR to a folder of your own."),
    )


class BusActivation(QObject):
    """Owns the program's name on the bus while the window runs. Nothing happens where there is no bus."""

    asked = Signal(str, str)
    """An action of the desktop entry, empty for the window itself; and the desktop's token, or ""."""

    def __init__(self, environment: Mapping[str, str], chores: Bridge, parent: QObject) -> None:
        super().__init__(parent)
        self._environment = environment
        self._calls = PendingCalls(chores, self)

    def listen(self) -> None:
        """Take calls from now on."""
        if sys.platform != "linux":
            return

        async def serve(_parts: object, on_activation: OnProgress) -> None:
            from askance.system.session_bus import serve_application  # noqa: PLC0415

            await serve_application(self._environment, on_activation)

        self._calls.follow("bus", serve, lambda asked: self.asked.emit(*asked), ignore)


class HotkeyListener(QObject):
    """Listens to one combination at a time: its presses, and why there is none, come as signals.

    It listens over `chores`: over the engine's bridge, an everlasting piece of work would keep that from
    taking other parts after a change of settings. `choose` returns the hotkey of this desktop, or raises
    `HotkeyUnavailable`.
    """

    summoned = Signal(str)
    """The keys were pressed; with the token that lets the window come to the front, or ""."""
    ready = Signal(str, object)
    """The combination in force from now on, as written, "" for none; and what the desktop says
    of it, as a `Message`."""
    failed = Signal(object)
    """No combination is in force: the problem, and what fixes it, as a `Message`."""

    def __init__(self, choose: Callable[[], Hotkey], chores: Bridge, parent: QObject) -> None:
        super().__init__(parent)
        self._choose = choose
        self._calls = PendingCalls(chores, self)
        # A combination is given back before the next one is taken: it may be the same.
        self._in_force = asyncio.Lock()

    def listen(self, written: str) -> None:
        """Give back the combination in force, and listen to another one, "" for none.

        Returns at once; `ready` or `failed` follows, and `failed` again where it is lost later.
        """
        self._calls.give_up(_HOTKEY)
        if not written:
            self.ready.emit("", NOTHING)
            return
        try:
            combination = parse_combination(written)
            hotkey = self._choose()
        except ValueError as exc:
            problem = Message("The hotkey {problem}.", problem=exc)
            fix = Message("Choose another combination in the settings.")
            self.failed.emit(Message.joined(problem, fix))
            return
        except AskanceError as exc:
            self.failed.emit(exc.message)
            return

        async def work(_parts: object, notify: OnProgress) -> None:
            async with self._in_force, hotkey.listening(combination, notify) as note:
                notify((str(combination), note))
                # Until another one is wanted.
                await asyncio.Event().wait()

        self._calls.follow(_HOTKEY, work, self._take, lambda lost: self.failed.emit(lost.message))

    def _take(self, event: str | tuple[str, Message]) -> None:
        if isinstance(event, tuple):
            self.ready.emit(*event)
        else:
            self.summoned.emit(event)
