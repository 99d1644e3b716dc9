"""The colour scheme of the desktop, followed where Qt does not do so itself."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from askance.system.qt_environment import misses_changes
from askance.ui.bridge import OnProgress, PendingCalls

_SCHEMES = {"light": Qt.ColorScheme.Light, "dark": Qt.ColorScheme.Dark}


def follow_color_scheme(environment: Mapping[str, str], calls: PendingCalls) -> None:
    """Follow the settings portal on the desktops whose changes Qt does not find out itself."""
    if sys.platform != "linux" or not misses_changes(environment):
        return

    async def follow(_parts: object, on_change: OnProgress) -> None:
        from askance.system import session_bus  # noqa: PLC0415 - Linux only

        await session_bus.follow_color_scheme(environment, on_change)

    calls.follow("color scheme", follow, _set_color_scheme, lambda _end: None)


def _set_color_scheme(name: str) -> None:
    hints = QGuiApplication.styleHints()
    if name in _SCHEMES:
        hints.setColorScheme(_SCHEMES[name])
    else:
        hints.unsetColorScheme()
