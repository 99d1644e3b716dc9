"""Garbage is collected in the window's thread alone.

Python collects in whichever thread happens to allocate. A widget in a cycle that is found by the
engine's thread is destroyed there, and Qt takes the process down with it.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QAbstractEventDispatcher, QObject

from askance.system.machine import give_back_memory
from askance.ui.design.timers import single_shot_timer

# Looking through all there is may take 80 ms, more than anybody may wait for.
_CALM_MS = 3_000


class GarbageCollector(QObject):
    """Collects in place of Python itself, for as long as it lives: young garbage whenever the event
    loop has done all there was to do, old garbage once nothing happens any more. Then the memory
    that this has freed is given back, too.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        # What was imported stays, and is not looked through with the first young garbage.
        gc.freeze()
        self._is_started = False
        self._calm = single_shot_timer(self, _CALM_MS)
        self._calm.timeout.connect(self._collect_all)
        self._dispatcher = QAbstractEventDispatcher.instance()
        self._dispatcher.aboutToBlock.connect(self.collect)

    def stop(self) -> None:
        """Let Python collect again; call it once no other thread runs."""
        self._dispatcher.aboutToBlock.disconnect(self.collect)
        self._calm.stop()
        gc.unfreeze()
        gc.enable()

    def collect(self) -> None:
        """Collect the youngest garbage if there is much."""
        if gc.get_count()[0] < gc.get_threshold()[0]:
            return
        gc.collect(1)
        self._calm.start()

    def _collect_all(self) -> None:
        gc.collect()
        if not self._is_started:
            # What is left after the start stays as well: what the engine has imported above all.
            gc.freeze()
            self._is_started = True
        give_back_memory()
