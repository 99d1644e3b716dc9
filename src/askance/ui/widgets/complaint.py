"""Why what was typed was not done: a sentence under the field, and what was probably meant."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QFont, QPalette
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QWidget

from askance.telling.words import tr
from askance.ui.look import tokens
from askance.ui.look.theme import Look
from askance.ui.model.commands import NotUnderstood
from askance.ui.widgets.announcing import announce
from askance.ui.widgets.ask_field import INSET
from askance.ui.widgets.elided_label import ElidedLabel


class Complaint(QWidget):
    """Hidden while there is nothing to complain of."""

    accepted = Signal(str)
    """The text that was meant, and is to stand in the field."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._nearest = ""
        self._sentence = ElidedLabel(parent=self)
        self._button = QPushButton(self)
        self._button.setProperty("quiet", True)
        self._button.setAutoDefault(False)
        self._button.setCursor(Qt.CursorShape.PointingHandCursor)
        self._button.clicked.connect(self._accept)
        self._row = QHBoxLayout(self)
        self._row.addWidget(self._sentence)
        self._row.addWidget(self._button)
        self._row.addStretch(1)
        self.set_look(look)
        self.hide()

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        self._row.setContentsMargins(INSET, look.px(6), 0, 0)
        self._row.setSpacing(look.px(tokens.SPACE_S))
        self._sentence.setFont(look.font(tokens.SMALL_TEXT))
        self._button.setFont(look.font(tokens.SMALL_TEXT, QFont.Weight.Medium))
        palette = self._sentence.palette()
        palette.setColor(QPalette.ColorRole.WindowText, QColor(look.colours.amber))
        self._sentence.setPalette(palette)

    @property
    def sentence(self) -> str:
        """What is complained of; empty if nothing is."""
        return "" if self.isHidden() else self._sentence.text()

    def say(self, problem: NotUnderstood) -> None:
        """Show a complaint, and tell it to a screen reader."""
        self._nearest = problem.nearest
        self._sentence.setText(problem.problem)
        self._button.setVisible(bool(problem.nearest))
        self._button.setText(tr("Use {text}", text=(problem.nearest.split() or [""])[0]))
        self._button.setAccessibleDescription(problem.nearest)
        self.show()
        announce(self, problem.problem)

    def _accept(self) -> None:
        self.accepted.emit(self._nearest)
