"""What the desktop asks of the running window over the session's bus."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QObject, Signal

from askance.ui.engine.bridge import Bridge, OnProgress, PendingCalls


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

        self._calls.follow("bus", serve, self._report, lambda _end: None)

    def _report(self, activation: Any) -> None:
        self.asked.emit(*activation)
