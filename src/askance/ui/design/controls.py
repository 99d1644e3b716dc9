"""Controls that windows share: a button that asks for confirmation, and a line of progress."""

from __future__ import annotations

from PySide6.QtCore import QEasingCurve, QRectF, Qt, QVariantAnimation, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QProgressBar, QWidget
from shiboken6 import isValid

from askance.presentation.i18n import tr
from askance.ui.design import tokens
from askance.ui.design.composing import Button, Composite, row_of
from askance.ui.design.drawing import draw_hairline
from askance.ui.design.focus import announce
from askance.ui.design.labels import StyledLabel, TextStyle
from askance.ui.design.styling import Styled
from askance.ui.design.theme import Look


class ConfirmButton(Composite):
    """A button, and after a press of it a question with a yes and a no. Escape is a no.

    After the answer the focus is back where it was when the question came.
    """

    confirmed = Signal()

    def __init__(
        self, look: Look, offer: str, question: str, yes: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(look, parent)
        self._asked_from: QWidget | None = None
        self.offer = Button(look, offer, self)
        beside = (tokens.SPACE_S, 0, 0, 0)
        self._question = StyledLabel(look, TextStyle.BODY, question, self, margins=beside)
        self._question.setWordWrap(False)
        self.yes = Button(look, yes, self)
        self.no = Button(look, tr("Keep"), self)
        self.setLayout(row_of(look, self.offer, self._question, self.yes, self.no, None))
        self.yes.setAccessibleDescription(question)
        self.setFocusProxy(self.offer)
        self.offer.clicked.connect(lambda: self._asks(True))
        self.no.clicked.connect(lambda: self._asks(False))
        self.yes.clicked.connect(self._confirm)
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


# What a screen reader is told in: whole steps of a per cent.
_STEPS = 100


class ProgressLine(Styled, QProgressBar):
    """A line two pixels high over the whole width, which moves on as it is told.

    It is a progress bar to screen readers, and nothing to the keyboard.
    """

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.fraction: float | None = None
        self.shown = 0.0
        self._is_ruled = False
        self._easing = QVariantAnimation(self)
        self._easing.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._easing.valueChanged.connect(self._move)
        self.setRange(0, _STEPS)
        self.setTextVisible(False)
        self.look = look
        self._restyle()

    def _restyle(self) -> None:
        self.setAccessibleName(tr("Progress"))
        self.setFixedHeight(self.look.px(tokens.PROGRESS_HEIGHT))
        self._easing.setDuration(self.look.motion_ms)
        self._settle()

    def set_fraction(self, fraction: float | None) -> None:
        """Show how much is done, from 0 to 1; None shows no progress at all."""
        wanted = None if fraction is None else min(1.0, max(0.0, fraction))
        if wanted == self.fraction:
            return
        self.fraction = wanted
        self.setUpdatesEnabled(False)  # Qt would draw the whole window before it goes on
        if wanted is None:
            self.reset()
        else:
            self.setValue(round(wanted * _STEPS))
        self.setUpdatesEnabled(True)
        self._easing.stop()
        # A line that goes back belongs to another run: that is not a movement.
        if wanted is None or wanted < self.shown or not self.look.motion_ms:
            self._settle()
            return
        self._easing.setStartValue(self.shown)
        self._easing.setEndValue(wanted)
        self._easing.start()

    def set_ruled(self, is_ruled: bool) -> None:
        """Say whether a hairline parts the field from what stands below while nothing runs."""
        self._is_ruled = is_ruled
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the way that is left as a hairline's colour, and what is done in the accent."""
        painter = QPainter(self)
        colours = self.look.colours
        if self.fraction is None:
            if self._is_ruled:
                draw_hairline(painter, colours.line, self.width())
            return
        painter.fillRect(self.rect(), QColor(colours.line))
        done = QRectF(0, 0, self.width() * self.shown, self.height())
        if self.isRightToLeft():
            done.moveRight(self.width())
        painter.fillRect(done, QColor(colours.accent))

    def _settle(self) -> None:
        self._easing.stop()
        self._move(self.fraction or 0.0)

    def _move(self, shown: float) -> None:
        self.shown = shown
        self.update()
