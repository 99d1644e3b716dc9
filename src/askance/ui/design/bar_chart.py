"""A picture of shares, drawn by a process of its own without a screen: JSON comes in, a PNG goes out.

The JSON has a `title`, a `subtitle`, the `names` of what is compared, and `rows`, each with its `label`
and a share, 0 to 1 or null, for each name. The first name has the accent.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field
from PySide6.QtCore import QBuffer, QIODevice, QRectF
from PySide6.QtGui import QColor, QFont, QGuiApplication, QImage, QPainter

from askance.ui.design import tokens
from askance.ui.design.drawing import write
from askance.ui.design.theme import load_fonts, text_font
from askance.ui.design.tokens import LIGHT

# Twice the size at which it is looked at.
SCALE = 2
WIDTH = 760
_EDGE, _LABELS, _VALUES = 28, 200, 52
_BAR, _GAP, _BETWEEN = 12, 3, 14
_HEAD, _LEGEND = 76, 22


ShareValue = Annotated[float, Field(ge=0, le=1)]


class BarGroup(BaseModel):
    """One group of bars."""

    model_config = ConfigDict(frozen=True)

    label: str
    shares: tuple[ShareValue | None, ...]


class BarChart(BaseModel):
    """What is drawn."""

    model_config = ConfigDict(frozen=True)

    title: str
    subtitle: str
    names: tuple[str, ...]
    rows: tuple[BarGroup, ...]


def draw(picture: BarChart) -> QImage:
    """Return the picture. A `QGuiApplication` is there, with our typefaces loaded."""
    group = len(picture.names) * (_BAR + _GAP) + _BETWEEN
    height = _HEAD + group * len(picture.rows) + _LEGEND * len(picture.names) + _EDGE
    image = QImage(WIDTH * SCALE, height * SCALE, QImage.Format.Format_RGB32)
    image.fill(QColor(LIGHT.paper))
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.scale(SCALE, SCALE)
    bold = text_font(tokens.BODY_TEXT + 3, QFont.Weight.DemiBold)
    write(painter, picture.title, QRectF(_EDGE, 16, WIDTH - 2 * _EDGE, 26), bold, LIGHT.ink)
    small = text_font(tokens.LABEL_TEXT)
    write(painter, picture.subtitle, QRectF(_EDGE, 42, WIDTH - 2 * _EDGE, 20), small, LIGHT.ink_2)
    top = float(_HEAD)
    for row in picture.rows:
        _draw_row(painter, row, top, small)
        top += group
    for n, name in enumerate(picture.names):
        painter.fillRect(QRectF(_EDGE, top + 5, _BAR, _BAR), _colour(n))
        area = QRectF(_EDGE + 2 * _BAR, top, WIDTH - 3 * _EDGE, _LEGEND)
        write(painter, name, area, small, LIGHT.ink)
        top += _LEGEND
    painter.end()
    return image


def _draw_row(painter: QPainter, row: BarGroup, top: float, font: QFont) -> None:
    height = len(row.shares) * (_BAR + _GAP)
    area = QRectF(_EDGE, top, _LABELS - 12, height)
    write(painter, row.label, area, font, LIGHT.ink)
    left, room = _EDGE + _LABELS, WIDTH - 2 * _EDGE - _LABELS - _VALUES
    for n, share in enumerate(row.shares):
        y = top + n * (_BAR + _GAP)
        painter.fillRect(QRectF(left, y, room, _BAR), QColor(LIGHT.line))
        painter.fillRect(QRectF(left, y, room * (share or 0.0), _BAR), _colour(n))
        label = "–" if share is None else f"{share:.0%}"
        write(painter, label, QRectF(left + room + 8, y - 2, _VALUES, _BAR + 4), font, LIGHT.ink_2)


def _colour(n: int) -> QColor:
    shades = (LIGHT.accent, LIGHT.ink_3, LIGHT.amber, LIGHT.edge)
    return QColor(shades[n % len(shades)])


def as_png(image: QImage) -> bytes:
    """Return an image as a PNG file has it."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # pyright: ignore[reportCallIssue, reportArgumentType]
    return bytes(buffer.data().data())


def serve(draw: Callable[[bytes], QImage]) -> int:
    """Draw what standard input describes, and write the picture to standard output."""
    application = QGuiApplication(sys.argv[:1])
    load_fonts()
    sys.stdout.buffer.write(as_png(draw(sys.stdin.buffer.read())))
    application.shutdown()
    return 0


if __name__ == "__main__":
    sys.exit(serve(lambda json: draw(BarChart.model_validate_json(json))))
