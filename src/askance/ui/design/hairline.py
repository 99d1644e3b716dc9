"""Hairlines that are equally thin wherever they lie, on screens with a broken ratio too."""

from __future__ import annotations

from math import floor

from PySide6.QtCore import QLineF
from PySide6.QtGui import QColor, QPainter, QPen


def draw_hairline(painter: QPainter, colour: str, width: int, top: int = 0) -> None:
    """Draw a hairline over so many logical pixels. `top` is the first pixel that it covers."""
    pen = QPen(QColor(colour), max(1, floor(painter.device().devicePixelRatioF())))
    # In pixels of the screen: where a logical pixel is one and a half, lines would differ.
    pen.setCosmetic(True)
    painter.setPen(pen)
    painter.drawLine(QLineF(0, top + 0.5, width, top + 0.5))
