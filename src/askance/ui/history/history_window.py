"""The history in a window of its own."""

from __future__ import annotations

from PySide6.QtGui import QCursor, QGuiApplication

from askance.presentation.i18n import tr
from askance.ui.design import tokens
from askance.ui.design.frame import Frame, bring_up, centred_in_upper_third
from askance.ui.design.theme import Look
from askance.ui.engine.bridge import Bridge
from askance.ui.history.history_panel import HistoryPanel

_HEIGHT = 520
_ROOM = 16_777_215  # what Qt takes for no bound


class HistoryWindow(Frame):
    """A card with the history panel; Escape closes it."""

    def __init__(self, look: Look, bridge: Bridge) -> None:
        super().__init__(look)
        self.setWindowTitle(tr("History"))
        self.panel = HistoryPanel(look, bridge, self)
        self.panel.dismissed.connect(self.hide)
        self.panel.opened.connect(self.hide)
        self.contents.addWidget(self.panel)
        self._fit()

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        super().set_look(look)
        self.panel.set_look(look)
        self._fit()

    def summon(self, words: str = "") -> None:
        """Show the window, and look for these words."""
        screen = QGuiApplication.screenAt(QCursor.pos()) or QGuiApplication.primaryScreen()
        area = screen.availableGeometry()
        self._fit(area.height())
        # Where the paper of the overlay lies, which shadows are no part of.
        self.move(centred_in_upper_third(self.paper, area) - self.paper.topLeft())
        bring_up(self)
        self.panel.search.setText(words)
        self.panel.search.setFocus()

    def _fit(self, room: int = _ROOM) -> None:
        margins = self.shadow_margins
        width = self.look.px(tokens.WINDOW_WIDTH) + margins.left() + margins.right()
        height = self.look.px(_HEIGHT) + margins.top() + margins.bottom()
        self.resize(width, min(height, room))
