"""How long a run has gone on, and whether anything has been heard of it lately."""

from __future__ import annotations

from time import monotonic

from PySide6.QtCore import QObject, QTimer, Signal

from askance.presentation.progress import SILENCE_S

_TICK_MS = 1000


class RunClock(QObject):
    """Ticks every second while a run is under way."""

    ticked = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._began = self._heard = 0.0
        self._timer = QTimer(self)
        self._timer.setInterval(_TICK_MS)
        self._timer.timeout.connect(self.ticked)

    def hear(self) -> None:
        """Take note of a sign of the run; the first one begins it."""
        self._heard = now()
        if not self._timer.isActive():
            self._began = self._heard
            self._timer.start()

    def stop(self) -> None:
        """Stand still: the run has ended."""
        self._timer.stop()

    @property
    def seconds(self) -> int | None:
        """How many seconds the run has gone on; None while there is none."""
        return int(now() - self._began) if self._timer.isActive() else None

    @property
    def is_silent(self) -> bool:
        """Whether nothing was heard for so long that it must be said what is waited for."""
        return self._timer.isActive() and now() - self._heard >= SILENCE_S


def now() -> float:
    """Return the seconds of a clock that only goes forward."""
    return monotonic()
