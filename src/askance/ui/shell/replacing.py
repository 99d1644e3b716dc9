"""Putting what was made of a selection in its place, where the desktop allows it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtGui import QGuiApplication

from askance.presentation.i18n import tr
from askance.system.replacing_selection import can_replace_selection, replace_selection
from askance.ui.bridge import Bridge, PendingCalls
from askance.ui.overlay.conversation.exchange import ExchangeView
from askance.ui.overlay.overlay import Overlay


class SelectionReplacer(QObject):
    """Offers it for texts of another program, and does it beside the window: each waits for the X server."""

    def __init__(
        self, environment: Mapping[str, str], overlay: Overlay, chores: Bridge, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._environment, self._overlay = environment, overlay
        self._calls = PendingCalls(chores, self)

    def look(self, _index: int, view: ExchangeView) -> None:
        """See whether what was selected can be replaced, while its new text is written."""
        if view.is_of_selection:
            can = partial(can_replace_selection, self._environment)
            self._calls.in_thread("can replace", can, self._offer)

    def _offer(self, can: object) -> None:
        self._overlay.conversation.services.put_in_place = self._put if can is True else None

    def _put(self, selected: str, text: str) -> None:
        work = partial(replace_selection, self._environment, selected, text)
        self._calls.in_thread("replace", work, partial(self._say, text))

    def _say(self, text: str, is_taken: object) -> None:
        if is_taken is not True:
            # Nothing of it is lost: it can be pasted by hand.
            QGuiApplication.clipboard().setText(text)
            self._overlay.complain(tr("It is no longer selected there. The new text was copied."))
