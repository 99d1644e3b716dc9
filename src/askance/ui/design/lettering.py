"""Labels of the settings: a text with the size, the colour and the manners that its place wants."""

from __future__ import annotations

from enum import Enum

from PySide6.QtCore import QSize
from PySide6.QtGui import QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from askance.presentation.words import without_backticks
from askance.ui.design import tokens
from askance.ui.design.hairline import draw_hairline
from askance.ui.design.plain_text import PlainLabel
from askance.ui.design.theme import Look

_TITLE = 17
# A text that wraps gives way to this width.
_NARROWEST = 60


class Tone(Enum):
    """What a text is: its size, its weight, and which colour of the look it has."""

    TITLE = (_TITLE, QFont.Weight.DemiBold, "ink")
    LEAD = (tokens.SMALL_TEXT, QFont.Weight.Normal, "ink_2")
    LABEL = (tokens.BODY_TEXT - 1, QFont.Weight.Medium, "ink")
    BODY = (tokens.SMALL_TEXT, QFont.Weight.Normal, "ink")
    HELP = (tokens.LABEL_TEXT, QFont.Weight.Normal, "ink_3")
    NOTE = (tokens.LABEL_TEXT, QFont.Weight.Normal, "amber")
    PROBLEM = (tokens.LABEL_TEXT, QFont.Weight.Medium, "red")


class Words(PlainLabel):
    """Plain text that wraps; hidden while it is empty, if so wished."""

    def __init__(
        self, look: Look, tone: Tone, text: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(without_backticks(text), parent)
        self._tone = tone
        self._look = look
        self.setWordWrap(True)
        self.set_look(look)

    def say(self, text: str, tone: Tone | None = None) -> None:
        """Show a text; nothing hides the label."""
        if tone is not None and tone is not self._tone:
            self._tone = tone
            self.set_look(self._look)
        self.setText(without_backticks(text))
        self.setVisible(bool(text))

    def minimumSizeHint(self) -> QSize:
        """Return one line where the text wraps: how many it takes depends on the width alone."""
        whole = super().minimumSizeHint()
        if not self.wordWrap():
            return whole
        margins = self.contentsMargins()
        line = self.fontMetrics().lineSpacing() + margins.top() + margins.bottom()
        return QSize(min(whole.width(), self._look.px(_NARROWEST)), line)

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        self._look = look
        size, weight, colour = self._tone.value
        self.setFont(look.font(size, weight))
        self.set_ink(getattr(look.colours, colour))


class Rule(QWidget):
    """A hairline between rows."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self.setFixedHeight(1)

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        self._look = look
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw it."""
        painter = QPainter(self)
        draw_hairline(painter, self._look.colours.line, self.width())
        painter.end()
