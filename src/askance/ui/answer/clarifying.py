"""A question that was asked back, and the field in which it is answered in place."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from askance.presentation.words import tr
from askance.ui.design import tokens
from askance.ui.design.prose import Prose, lines, span
from askance.ui.design.theme import Look


class Clarifying(QWidget):
    """Asks, and takes one reply; after that it only shows what was replied."""

    replied = Signal(str)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = ""
        self._question = Prose()
        self.field = QLineEdit()
        self.field.setPlaceholderText(tr("Your answer"))
        self.field.returnPressed.connect(self._reply)
        self.button = QPushButton(tr("Answer"))
        self.button.setEnabled(False)
        self.button.clicked.connect(self._reply)
        self.field.textChanged.connect(self._weigh)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.addWidget(self._question)
        self._row = QHBoxLayout()
        self._row.addWidget(self.field, 1)
        self._row.addWidget(self.button)
        self._layout.addLayout(self._row)
        self.set_look(look)

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        self.look = look
        self._layout.setSpacing(look.px(tokens.SPACE_S))
        self._row.setSpacing(look.px(tokens.SPACE_S))
        self.show_question(self._text)

    def show_question(self, text: str) -> None:
        """Show a question."""
        self._text = text
        markup = span(text, self.look.colours.ink)
        self._question.set_markup(
            lines(self.look, [markup], tokens.BODY_TEXT, tokens.BODY_LINE), text
        )
        self.field.setAccessibleName(text)

    def _weigh(self, text: str) -> None:
        self.button.setEnabled(bool(text.strip()))

    def _reply(self) -> None:
        reply = self.field.text().strip()
        if reply and not self.field.isReadOnly():
            self.field.setReadOnly(True)
            self.button.hide()
            self.replied.emit(reply)
