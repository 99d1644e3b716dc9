"""Panels, and hairlines that are equally thin wherever they lie, on any screen."""

from __future__ import annotations

from math import floor

from PySide6.QtCore import QLineF, QRect
from PySide6.QtGui import QColor, QPainter, QPen

from askance.ui.design import tokens
from askance.ui.design.theme import Look


def draw_panel(painter: QPainter, room: QRect, look: Look) -> None:
    """Draw a raised panel with a hairline around it."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(look.colours.line), 1))
    painter.setBrush(QColor(look.colours.raised))
    radius = look.px(tokens.PANEL_RADIUS)
    painter.drawRoundedRect(room.toRectF().adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)


def draw_hairline(painter: QPainter, colour: str, width: int, top: int = 0) -> None:
    """Draw a hairline over so many logical pixels. `top` is the first pixel that it covers."""
    pen = QPen(QColor(colour), max(1, floor(painter.device().devicePixelRatioF())))
    # In pixels of the screen: where a logical pixel is one and a half, lines would differ.
    pen.setCosmetic(True)
    painter.setPen(pen)
    painter.drawLine(QLineF(0, top + 0.5, width, top + 0.5))
