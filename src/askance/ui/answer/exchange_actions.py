"""The row below an answer: what can be done with it, and what it took."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from askance.presentation.words import term, tr
from askance.ui.design import tokens
from askance.ui.design.focus_ring import wants_ring
from askance.ui.design.plain_text import PlainLabel
from askance.ui.design.pressing import PaintedButton
from askance.ui.design.theme import Look
from askance.ui.model.exchange import Action

_THANKS_MS = 1600
_ACTION = "action"
_BETWEEN = 16
_COPY = term("Copy")
_NAMES = {
    Action.WITH_WEB: term("Search the web"),
    Action.COPY: term("Copy with sources"),
    Action.RETRY: term("Retry"),
    Action.WITHOUT_WEB: term("Without the web"),
    Action.ASK_NOW: term("Ask now"),
    Action.DROP: term("Discard"),
}


class ExchangeActions(QWidget):
    """Quiet buttons at the left, figures at the right."""

    chosen = Signal(object)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._copy = _NAMES[Action.COPY]
        self.buttons: dict[Action, QuietButton] = {}
        self._layout = QHBoxLayout(self)
        for action, name in _NAMES.items():
            button = QuietButton(look, tr(name))
            button.setProperty(_ACTION, action)
            button.clicked.connect(self._choose)
            self.buttons[action] = button
            self._layout.addWidget(button)
        self._layout.addStretch(1)
        self._figures = PlainLabel()
        self._layout.addWidget(self._figures)
        self._back = QTimer(self, singleShot=True)
        self._back.timeout.connect(self._rest)
        self.set_look(look)

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        self.look = look
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(look.px(_BETWEEN))
        for button in self.buttons.values():
            button.set_look(look)
        self._figures.setFont(look.font(tokens.LABEL_TEXT))
        self._figures.set_ink(look.colours.ink_3)

    def show_actions(self, actions: tuple[Action, ...], figures: str) -> None:
        """Show what can be done, and what it took."""
        for action, button in self.buttons.items():
            button.setVisible(action in actions)
        # What came from memory has no sources to copy.
        self._copy = _COPY if Action.WITH_WEB in actions else _NAMES[Action.COPY]
        self._rest()
        self._figures.setText(figures)

    @property
    def figures(self) -> str:
        """What it took, as it is shown."""
        return self._figures.text()

    def thank(self) -> None:
        """Say for a moment that it was copied."""
        self.buttons[Action.COPY].setText(tr("Copied"))
        self._back.start(_THANKS_MS)

    def _choose(self) -> None:
        self.chosen.emit(Action(self.sender().property(_ACTION)))

    def _rest(self) -> None:
        self.buttons[Action.COPY].setText(tr(self._copy))


class QuietButton(PaintedButton):
    """Words that can be clicked. They stand in line with the text above: nothing is around them."""

    def __init__(self, look: Look, text: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setText(text)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        wants_ring(self)
        self.set_look(look)

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        self.look = look
        self.setFont(look.font(tokens.LABEL_TEXT))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Return the room of the words."""
        words = self.fontMetrics().horizontalAdvance(self.text())
        return QSize(words, self.look.px(tokens.TARGET))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the words, darker under the pointer and with the focus."""
        painter = QPainter(self)
        colours = self.look.colours
        painter.setFont(self.font())
        lit = self.underMouse() or self.hasFocus()
        painter.setPen(QColor(colours.ink if lit else colours.ink_2))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())
        painter.end()
