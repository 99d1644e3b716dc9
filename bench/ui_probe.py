"""Probes inside the window's process: how long its thread does not turn, and when it has painted."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic

from PySide6.QtCore import QEvent, QEventLoop, QObject, Qt, QTimer
from PySide6.QtWidgets import QWidget

BEAT_MS = 4
_LOOK_MS = 20
_LOOK_FOR_THREADS = 50
_THREADS = Path("/proc/self/task")
_LONGEST = 100


class Heartbeat(QObject):
    """Beats in the window's thread.

    `beats` are `(second, gap, starved)`: when a beat came, how many milliseconds after the one before
    it, and for how many of these a thread of the program was ready but no processor was free for it:
    the thread with the most of it, because the window's waits for whichever has Python's lock. Linux;
    0 elsewhere.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.beats: list[tuple[float, float, float]] = []
        self._waits = _Waits()
        self._last_s = monotonic()
        self._timer = QTimer(self)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)
        self._timer.start(BEAT_MS)

    def stop(self) -> None:
        """Beat no more."""
        self._timer.stop()

    def _beat(self) -> None:
        now = monotonic()
        gap_ms = 1000 * (now - self._last_s)
        self.beats.append((now, gap_ms, min(gap_ms, self._waits.most_ms())))
        self._last_s = now
        if len(self.beats) % _LOOK_FOR_THREADS == 0:
            self._waits.look_for_threads()


class _Waits:
    """For how long the threads of this process have waited for a processor."""

    def __init__(self) -> None:
        # Python's own calls would give its lock away, and wait for it once more than the program.
        self._pread = ctypes.PyDLL(None).pread
        self._buffer = ctypes.create_string_buffer(_LONGEST)
        self._files: dict[Path, int] = {}
        self._waited_ns: dict[Path, int] = {}
        self.look_for_threads()

    def look_for_threads(self) -> None:
        """Take in the threads that have begun, and leave those that have ended."""
        with suppress(OSError):
            for thread in set(_THREADS.iterdir()) - set(self._files):
                with suppress(OSError):
                    file = os.open(thread / "schedstat", os.O_RDONLY)
                    self._files[thread] = file
                    self._waited_ns[thread] = self._read(file)

    def most_ms(self) -> float:
        """Return how long the thread waited that has waited most since the last call."""
        most = 0
        for thread, file in self._files.items():
            waited_ns = self._read(file)
            most = max(most, waited_ns - self._waited_ns[thread])
            self._waited_ns[thread] = waited_ns
        return most / 1e6

    def _read(self, file: int) -> int:
        length = self._pread(file, self._buffer, _LONGEST, 0)
        return int(self._buffer.raw[:length].split()[1]) if length > 0 else 0


class FirstPaint(QObject):
    """Calls back once a window that was shown has been painted, and when it was hidden."""

    def __init__(self, window: QWidget, on_progress: Callable[[str, float], None]) -> None:
        super().__init__(window)
        self._told = on_progress
        self._is_waiting = False
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's interface
        """Watch; nothing is taken away."""
        match event.type():
            case QEvent.Type.Show:
                self._is_waiting = True
            case QEvent.Type.Hide:
                self._told("hidden", monotonic())
            case QEvent.Type.Paint if self._is_waiting:
                self._is_waiting = False
                # The next turn of the event loop: the whole window has been drawn and handed over.
                QTimer.singleShot(0, self, lambda: self._told("painted", monotonic()))
            case _:
                pass
        return super().eventFilter(watched, event)


def until(is_true: Callable[[], bool], limit_s: float) -> None:
    """Let the event loop turn until something is true.

    Raises:
        TimeoutError: it was not within `limit_s`.
    """
    loop, looks = QEventLoop(), QTimer()
    looks.timeout.connect(lambda: loop.quit() if is_true() or monotonic() > end else None)
    end = monotonic() + limit_s
    looks.start(_LOOK_MS)
    loop.exec()
    if not is_true():
        raise TimeoutError("What was waited for did not happen.")


def rest(seconds: float) -> None:
    """Let the event loop turn for so long."""
    loop = QEventLoop()
    QTimer.singleShot(round(1000 * seconds), loop.quit)
    loop.exec()
