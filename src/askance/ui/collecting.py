"""Garbage is collected in the window's thread alone.

Python collects in whichever thread happens to allocate. A widget in a cycle that is found by the
engine's thread is destroyed there, and Qt takes the process down with it.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

_EVERY_MS = 500
_OLDEST = 2
# The oldest generation is looked through only after so many collections of the one before it: that
# takes longer than a frame.
_SELDOM = 20


class Collecting(QObject):
    """Collects from a timer, for as long as it lives, in place of Python itself."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._turns = 0
        gc.disable()
        self._timer = QTimer(self)
        self._timer.setInterval(_EVERY_MS)
        self._timer.timeout.connect(self.collect)
        self._timer.start()

    def stop(self) -> None:
        """Let Python collect again; call it once no other thread runs."""
        self._timer.stop()
        gc.enable()

    def collect(self) -> None:
        """Collect the youngest garbage if there is much, and all of it now and then."""
        if gc.get_count()[0] < gc.get_threshold()[0]:
            return
        self._turns += 1
        gc.collect(_OLDEST if self._turns % _SELDOM == 0 else 1)
