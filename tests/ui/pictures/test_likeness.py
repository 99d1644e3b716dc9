"""The comparison of pictures notices what a person would, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QImage, QPainter

from askance.ui.design.theme import LIGHT
from ui.pictures.likeness import compare, marked

REFERENCE = Path(__file__).with_name("reference")
PAPER = QColor(LIGHT.paper)


@pytest.fixture(params=["answer-light", "settings-apps-light", "first-run-light"])
def known(request: pytest.FixtureRequest) -> QImage:
    picture = QImage(str(REFERENCE / f"{request.param}.png"))
    return picture.convertToFormat(QImage.Format.Format_ARGB32)


def pixels(picture: QImage) -> memoryview:
    """The pixels of a picture, row by row: few colours are to be looked at, and many pixels."""
    assert picture.format() is QImage.Format.Format_ARGB32
    return memoryview(picture.bits()).cast("I")


def inked(picture: QImage) -> list[tuple[int, int]]:
    """Where text stands: the pixels that are nearly as dark as the ink."""
    found = pixels(picture)
    colours = {pixel: QColor.fromRgba(pixel) for pixel in set(found)}
    dark = {p for p, colour in colours.items() if colour.alpha() == 255 and colour.lightness() < 70}
    width = picture.width()
    return [(at % width, at // width) for at, pixel in enumerate(found) if pixel in dark]


def without(picture: QImage, area: QRect) -> QImage:
    changed = picture.copy()
    painter = QPainter(changed)
    painter.fillRect(area, PAPER)
    painter.end()
    return changed


def moved(picture: QImage, top: int, by: int) -> QImage:
    """What stands below `top`, so many pixels lower."""
    changed = picture.copy()
    painter = QPainter(changed)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Source)
    painter.drawImage(0, top + by, picture.copy(0, top, picture.width(), picture.height() - top))
    painter.end()
    return changed


def test_the_edges_of_another_rasteriser_are_not_noticed(known: QImage) -> None:
    """Every edge softer, as if by other hinting, and all ink a little lighter."""
    smooth = Qt.TransformationMode.SmoothTransformation
    ratio = Qt.AspectRatioMode.IgnoreAspectRatio
    width, height = known.width(), known.height()
    soft = known.scaled(width * 3 // 4, height * 3 // 4, ratio, smooth)
    soft = soft.scaled(width, height, ratio, smooth)
    assert soft != known
    assert compare(soft, known) is None


def test_words_half_a_pixel_aside_are_not_noticed(known: QImage) -> None:
    aside = known.copy()
    painter = QPainter(aside)
    painter.setOpacity(0.5)
    painter.drawImage(1, 0, known)
    painter.end()
    assert compare(aside, known) is None


def test_a_word_that_is_gone_is_noticed(known: QImage) -> None:
    x, y = inked(known)[-1]
    changed = without(known, QRect(x - 60, y - 12, 72, 16))
    unlike = compare(changed, known)
    assert unlike is not None
    assert unlike.places
    marker = marked(changed, unlike).pixelColor(unlike.places[0].topLeft())
    assert marker == QColor("#FF00AA")
    assert all(abs(place.y() - y) < 32 for place in unlike.places)


def test_a_line_that_stands_six_pixels_lower_is_noticed(known: QImage) -> None:
    lines = sorted({y for _, y in inked(known)})
    assert compare(moved(known, lines[len(lines) // 2], 6), known) is not None


def test_a_wrong_colour_is_noticed(known: QImage) -> None:
    """Red where the accent belongs, were it only in a ring and a dot."""
    accent, wrong = QColor(LIGHT.accent), known.copy()
    found = pixels(wrong)

    def is_accent(pixel: int) -> bool:
        here = QColor.fromRgba(pixel)
        return abs(here.red() - accent.red()) + abs(here.green() - accent.green()) < 20

    red, accents = QColor(LIGHT.red).rgba(), set(filter(is_accent, set(found)))
    assert accents
    for at, pixel in enumerate(found):
        if pixel in accents:
            found[at] = red
    assert compare(wrong, known) is not None


def test_another_size_is_told(known: QImage) -> None:
    unlike = compare(known.copy(0, 0, known.width(), known.height() - 4), known)
    assert unlike is not None
    assert str(known.height() - 4) in unlike.what
