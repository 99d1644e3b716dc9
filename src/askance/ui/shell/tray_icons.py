"""The mark as it stands in a panel: idle, at work with a moving pupil, or with a dot for attention.

A panel is light or dark whatever the scheme of the windows is, and few desktops tell which. So the
colours lie between: at least 3:1 on white, on black and on the usual panels (WCAG 2.2, 1.4.11).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPainterPath, QPen, QPixmap

INK = "#449684"
AMBER = "#C07C1E"

# Drawn on a grid of 16: the pixels of a panel that is not scaled.
_GRID = 16
_SIZES = (16, 22, 24, 32, 44, 48, 64)
_STROKE = 1.5
_PUPIL = 2.1
_DOT = 2.6
_GAP = 1.1
_DOT_AT = QPointF(13.2, 2.8)

RIGHT = 10.2
"""Where the pupil looks aside, as in the mark."""
WORKING = (RIGHT, 9.0, 7.0, 5.8, 7.0, 9.0)
"""Where the pupil is in each frame while Askance works; from the last one it goes to the first."""


@dataclass(frozen=True, slots=True)
class Picture:
    """What an icon shows: where the pupil is, and whether there is a dot."""

    pupil: float = RIGHT
    dot: bool = False


@lru_cache(maxsize=32)
def tray_icon(picture: Picture, *, as_mask: bool) -> QIcon:
    """Return the icon at all sizes of panels. As a mask, the panel itself chooses the colour."""
    icon = QIcon()
    for size in _SIZES:
        icon.addPixmap(draw(picture, size, as_mask=as_mask))
    icon.setIsMask(as_mask)
    return icon


def draw(picture: Picture, size: int, *, as_mask: bool = False) -> QPixmap:
    """Return the picture, `size` pixels wide and high."""
    pixmap = QPixmap(size, size)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.scale(size / _GRID, size / _GRID)
    ink = QColor("#000000" if as_mask else INK)
    painter.setPen(QPen(ink, _STROKE, c=Qt.PenCapStyle.RoundCap, j=Qt.PenJoinStyle.RoundJoin))
    painter.drawPath(_lens())
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink)
    painter.drawEllipse(QPointF(picture.pupil, 8), _PUPIL, _PUPIL)
    if picture.dot:
        # A gap around the dot, so that it is seen where colours are not.
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Clear)
        painter.drawEllipse(_DOT_AT, _DOT + _GAP, _DOT + _GAP)
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)
        painter.setBrush(QColor("#000000" if as_mask else AMBER))
        painter.drawEllipse(_DOT_AT, _DOT, _DOT)
    painter.end()
    return pixmap


def _lens() -> QPainterPath:
    path = QPainterPath(QPointF(1, 8))
    path.cubicTo(QPointF(3, 4.7), QPointF(5.4, 3), QPointF(8, 3))
    path.cubicTo(QPointF(10.6, 3), QPointF(13, 4.7), QPointF(15, 8))
    path.cubicTo(QPointF(13, 11.3), QPointF(10.6, 13), QPointF(8, 13))
    path.cubicTo(QPointF(5.4, 13), QPointF(3, 11.3), QPointF(1, 8))
    path.closeSubpath()
    return path
