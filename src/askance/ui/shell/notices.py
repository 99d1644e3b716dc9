"""One notification of the desktop: through the icon in the panel, or without it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QObject, Signal

from askance.adapters.desktop.desktop_entry import APP_ID
from askance.adapters.desktop.notifications import notify
from askance.domain.errors import AskanceError
from askance.presentation.words import tr
from askance.ui.shell.tray import Tray, plain
from askance.ui.talk.bridge import Bridge
from askance.ui.talk.calls import Calls

_SHOWN = "shown"


class Notices(QObject):
    """Tells the desktop something. The next notice takes the place of the last."""

    pressed = Signal(str)
    """The notification was clicked; with the token for coming to the front, or none."""

    def __init__(self, environment: Mapping[str, str], tray: Tray, chores: Bridge) -> None:
        super().__init__(tray)
        self._environment, self._tray = environment, tray
        self._calls = Calls(chores, self)

    def tell(self, title: str, text: str) -> None:
        """Show a notification."""
        if self._tray.notify(title, text):
            return

        async def show(_: Any) -> str | None:
            return await notify(self._environment, APP_ID, title, plain(text), tr("Show"))

        self._calls.ask(_SHOWN, show, self._press)

    def withdraw(self) -> None:
        """Take the notification back: its news is seen."""
        self._calls.give_up(_SHOWN)

    def _press(self, token: str | AskanceError | None) -> None:
        if isinstance(token, str):
            self.pressed.emit(token)
