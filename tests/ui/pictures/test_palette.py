"""Pictures with few colours look like those they are made of."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QImage, QLinearGradient, QPainter
from shots.palette import COLOURS, reduced

from ui.pictures.likeness import compare


@pytest.fixture
def shaded() -> QImage:
    """A shadow that fades into nothing, and more colours than a palette holds."""
    picture = QImage(320, 200, QImage.Format.Format_ARGB32_Premultiplied)
    picture.fill(QColor(0, 0, 0, 0))
    shades = QLinearGradient(QPointF(0, 0), QPointF(320, 200))
    shades.setColorAt(0, QColor(0, 0, 0, 0))
    shades.setColorAt(0.4, QColor(0, 0, 0, 90))
    shades.setColorAt(0.5, QColor("#2C6B5E"))
    shades.setColorAt(1, QColor("#FBFAF7"))
    painter = QPainter(picture)
    painter.fillRect(picture.rect(), shades)
    painter.end()
    return picture


def test_no_more_colours_than_wanted(shaded: QImage) -> None:
    assert len(reduced(shaded).colorTable()) == COLOURS
    assert len(reduced(shaded, colours=64).colorTable()) == 64


def test_a_picture_with_few_colours_keeps_them_as_they_are() -> None:
    picture = QImage(5, 3, QImage.Format.Format_ARGB32)
    picture.fill(QColor("#2C6B5E"))
    picture.setPixelColor(2, 1, QColor(0, 0, 0, 60))
    small = reduced(picture)
    assert len(small.colorTable()) == 2
    assert small.convertToFormat(QImage.Format.Format_ARGB32) == picture


def test_nobody_sees_a_difference(shaded: QImage) -> None:
    assert compare(reduced(shaded), shaded) is None
