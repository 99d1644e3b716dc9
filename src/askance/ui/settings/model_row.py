"""One model to choose: its name, and at the end of the row what is known of it."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QRadioButton, QSizePolicy, QWidget

from askance.ui.design import tokens
from askance.ui.design.theme import Look

_HEIGHT = 30
_DOT = 14


class ModelRow(QRadioButton):
    """A radio button over the whole width."""

    picked = Signal(str)
    """The model's name, when a person chooses it."""

    def __init__(
        self, look: Look, name: str, label: str, details: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(label, parent)
        self.name = name
        self.shown = (name, label, details)
        self._details = details
        self._look = look
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(f"{label}, {details}" if details else label)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.clicked.connect(lambda: self.picked.emit(self.name))

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        self._look = look
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Return one line."""
        return QSize(self._look.px(200), self._look.px(_HEIGHT))

    def minimumSizeHint(self) -> QSize:
        """Return one line: names give way."""
        return self.sizeHint()

    def hitButton(self, pos: QPoint) -> bool:
        """Take a click anywhere on it."""
        return self.rect().contains(pos)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the row: the chosen one is filled, the one with the focus has a ring."""
        c, px = self._look.colours, self._look.px
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        area = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        chosen = self.isChecked()
        painter.setPen(QPen(QColor(c.accent), 2) if self.hasFocus() else Qt.PenStyle.NoPen)
        painter.setBrush(QColor(c.accent_soft) if chosen else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(area, px(tokens.CONTROL_RADIUS), px(tokens.CONTROL_RADIUS))
        side = px(tokens.SPACE_S)
        dot = QRectF(side, (self.height() - px(_DOT)) / 2, px(_DOT), px(_DOT))
        painter.setBrush(QColor(c.raised))
        painter.setPen(QPen(QColor(c.accent if chosen else c.ink_3), 1.4))
        painter.drawEllipse(dot.adjusted(0.7, 0.7, -0.7, -0.7))
        if chosen:
            inset = px(_DOT) * 0.28
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(c.accent))
            painter.drawEllipse(dot.adjusted(inset, inset, -inset, -inset))
        self._write(painter, round(dot.right()) + side, self.width() - side)
        painter.end()

    def _write(self, painter: QPainter, left: int, right: int) -> None:
        c = self._look.colours
        small = self._look.font(tokens.LABEL_TEXT)
        room = QFontMetrics(small).horizontalAdvance(self._details)
        painter.setFont(small)
        # On the ground of the chosen row the quietest ink cannot be read.
        painter.setPen(QColor(c.ink_2 if self.isChecked() else c.ink_3))
        centred = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(
            QRectF(right - room - 1, 0, room + 1, self.height()), centred, self._details
        )
        weight = QFont.Weight.Medium if self.isChecked() else QFont.Weight.Normal
        font = self._look.font(tokens.BODY_TEXT - 1, weight)
        width = right - room - left - self._look.px(tokens.SPACE_M)
        name = QFontMetrics(font).elidedText(self.text(), Qt.TextElideMode.ElideMiddle, width)
        painter.setFont(font)
        painter.setPen(QColor(c.ink))
        painter.drawText(QRectF(left, 0, width, self.height()), centred, name)
