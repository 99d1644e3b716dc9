"""A button for what cannot be undone: it asks once more, in its own place."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QPushButton, QWidget
from shiboken6 import isValid

from askance.presentation.words import tr
from askance.ui.design import tokens
from askance.ui.design.announcing import announce
from askance.ui.design.lettering import Tone, Words
from askance.ui.design.theme import Look


class AskingTwice(QWidget):
    """A button, and after a press of it a question with a yes and a no. Escape is a no.

    After the answer the focus is back where it was when the question came.
    """

    confirmed = Signal()

    def __init__(
        self, look: Look, offer: str, question: str, yes: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._asked_from: QWidget | None = None
        self.offer = QPushButton(offer, self)
        self._question = Words(look, Tone.BODY, question, self)
        self._question.setWordWrap(False)
        self.yes = QPushButton(yes, self)
        self.no = QPushButton(tr("Keep"), self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(look.px(tokens.SPACE_S))
        for part in (self.offer, self._question, self.yes, self.no):
            row.addWidget(part)
        row.addStretch(1)
        self.yes.setAccessibleDescription(question)
        self.setFocusProxy(self.offer)
        self.offer.clicked.connect(lambda: self._asks(True))
        self.no.clicked.connect(lambda: self._asks(False))
        self.yes.clicked.connect(self._confirm)
        self.set_look(look)
        self._show(False)

    def call(self, label: str, about: str) -> None:
        """Say to screen readers what the question would be about."""
        for button in (self.offer, self.yes, self.no):
            button.setAccessibleName(f"{label}: {button.text()}")
        self.offer.setAccessibleDescription(about)

    @property
    def is_asking(self) -> bool:
        """Whether the question stands there."""
        return self.offer.isHidden()

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        self._question.set_look(look)
        self._question.setContentsMargins(look.px(tokens.SPACE_S), 0, 0, 0)
        for button in (self.offer, self.yes, self.no):
            button.setFont(look.font(tokens.SMALL_TEXT))

    def withdraw(self) -> None:
        """Take the question back, as when it would be about something else now."""
        self._show(False)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take Escape for a no."""
        if event.key() == Qt.Key.Key_Escape and self.is_asking:
            self._asks(False)
        else:
            super().keyPressEvent(event)

    def _confirm(self) -> None:
        self._asks(False)
        self.confirmed.emit()

    def _asks(self, asking: bool) -> None:
        if asking:
            focused = QApplication.focusWidget()
            self._asked_from = None if focused is self.offer else focused
            self._show(True)
            self.no.setFocus(Qt.FocusReason.OtherFocusReason)
            announce(self, self._question.text())
            return
        back = self._asked_from
        if back is None or not isValid(back) or not back.isVisible():
            back = self.offer
        # Before what has the focus is hidden, which would send it elsewhere.
        self.offer.show()
        back.setFocus(Qt.FocusReason.OtherFocusReason)
        self._show(False)

    def _show(self, asking: bool) -> None:
        self.offer.setVisible(not asking)
        for part in (self._question, self.yes, self.no):
            part.setVisible(asking)
