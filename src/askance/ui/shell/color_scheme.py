"""Qt is told that the desktop became light or dark, where it does not find out itself."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QGuiApplication

from askance.system.qt_environment import misses_changes
from askance.ui.engine.bridge import Bridge, OnProgress, PendingCalls

_SCHEMES = {"light": Qt.ColorScheme.Light, "dark": Qt.ColorScheme.Dark}


class PortalColorScheme(QObject):
    """Follows the settings portal while the window runs. Nothing happens on desktops whose changes Qt hears."""

    def __init__(self, environment: Mapping[str, str], chores: Bridge, parent: QObject) -> None:
        super().__init__(parent)
        self._environment = environment
        self._calls = PendingCalls(chores, self)

    def listen(self) -> None:
        """Follow it from now on."""
        if sys.platform != "linux" or not misses_changes(self._environment):
            return

        async def follow(_parts: object, on_change: OnProgress) -> None:
            from askance.system.color_scheme import follow_color_scheme  # noqa: PLC0415

            await follow_color_scheme(self._environment, on_change)

        self._calls.follow("color scheme", follow, _set_scheme, lambda _end: None)


def _set_scheme(name: Any) -> None:
    hints = QGuiApplication.styleHints()
    if name in _SCHEMES:
        hints.setColorScheme(_SCHEMES[name])
    else:
        hints.unsetColorScheme()
