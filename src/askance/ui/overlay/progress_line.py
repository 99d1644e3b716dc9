"""How far a run is, as a line under the field; while nothing runs it is a hairline or nothing."""

from __future__ import annotations

from PySide6.QtCore import QEasingCurve, QRectF, QVariantAnimation
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QProgressBar, QWidget

from askance.presentation.words import tr
from askance.ui.design import tokens
from askance.ui.design.hairline import draw_hairline
from askance.ui.design.theme import Look

# What a screen reader is told in: whole steps of a per cent.
_STEPS = 100


class ProgressLine(QProgressBar):
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
        self.set_look(look)

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        self._look = look
        self.setAccessibleName(tr("Progress"))
        self.setFixedHeight(look.px(tokens.PROGRESS_HEIGHT))
        self._easing.setDuration(look.motion_ms)
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
        if wanted is None or wanted < self.shown or not self._look.motion_ms:
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
        colours = self._look.colours
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
