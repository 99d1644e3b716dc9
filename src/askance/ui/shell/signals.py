"""Signals of the system wake the event loop; nothing has to look for them."""

from __future__ import annotations

import signal
import socket

from PySide6.QtCore import QObject, QSocketNotifier, Signal

_BYTES = 64


class Signals(QObject):
    """Tells of signals in the window's thread, which must be the main one.

    Python takes note of a signal at once, but calls what is to be done only when it runs; a waiting
    Qt does not let it. So each signal is written into a socket that Qt waits for.
    """

    came = Signal(int)
    """The number of a signal."""

    def __init__(self, numbers: tuple[int, ...], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._numbers = numbers
        self._told, tell = socket.socketpair()
        self._tell = tell
        for end in (self._told, tell):
            end.setblocking(False)
        signal.set_wakeup_fd(tell.fileno(), warn_on_full_buffer=False)
        for number in numbers:
            signal.signal(number, _leave_to_the_socket)
        self._notifier = QSocketNotifier(self._told.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._read)

    def close(self) -> None:
        """Tell of nothing more."""
        signal.set_wakeup_fd(-1)
        for number in self._numbers:
            signal.signal(number, signal.SIG_DFL)  # whatever still takes its time can be ended
        self._notifier.setEnabled(False)
        for end in (self._told, self._tell):
            end.close()

    def _read(self) -> None:
        for number in self._told.recv(_BYTES):
            self.came.emit(number)


def _leave_to_the_socket(_number: int, _frame: object) -> None:
    pass
