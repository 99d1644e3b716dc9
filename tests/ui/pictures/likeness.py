"""Whether two pictures look alike to a person: tile by tile, after a blur.

The tile is small enough that a line which moved, or a word that is gone, changes some of them a lot,
and large enough that another rasteriser's edges change all of them only a little.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter

TILE = 8
# Of 255, on average over a tile and in the channel that differs most. Other hinting, which draws
# every stem anew, stays below; a word that is gone comes to 20 and more.
NOTICED = 14
# By how much one channel may go another way than the rest: paler or darker ink, which is what another
# rasteriser makes of a letter, changes all of them alike, another colour does not.
TINTED = 10
# A caret or a rounded corner may fall into another pixel, but that gives no tile another colour.
OVERLOOKED = 3
RECOLOURED = 30
# What is transparent is seen on this ground, which no colour of the look comes near.
_GROUND = "#7F5FA0"
_MOST_REPORTED = 5


@dataclass(frozen=True, slots=True)
class Difference:
    """A tile that looks different, in pixels of the picture, and by how much of 255, also in colour."""

    place: QRect
    amount: int
    tint: int


@dataclass(frozen=True, slots=True)
class Unlike:
    """What sets a picture apart from the one that is known."""

    what: str
    places: tuple[QRect, ...] = ()


def compare(seen: QImage, known: QImage) -> Unlike | None:
    """Return what sets two pictures apart; None if they look alike."""
    if seen.size() != known.size():
        sides = (_sides(seen.size()), _sides(known.size()))
        return Unlike(f"It is {sides[0]} pixels, and was {sides[1]}.")
    found = sorted(_differences(seen, known), key=lambda d: (-d.amount, d.place.y(), d.place.x()))
    if len(found) <= OVERLOOKED and all(d.tint <= RECOLOURED for d in found):
        return None
    text = ", ".join(
        f"{d.amount} at ({d.place.x()}, {d.place.y()})" for d in found[:_MOST_REPORTED]
    )
    tiles = seen.width() * seen.height() // TILE**2
    what = f"{len(found)} of {tiles} tiles look different, of 255 by {text}."
    return Unlike(what, tuple(d.place for d in found))


def marked(seen: QImage, unlike: Unlike) -> QImage:
    """Return a picture with frames around what looks different in it."""
    picture = seen.convertToFormat(QImage.Format.Format_ARGB32)
    painter = QPainter(picture)
    painter.setPen(QColor("#FF00AA"))
    painter.drawRects(list(unlike.places))
    painter.end()
    return picture


def _differences(seen: QImage, known: QImage) -> Iterator[Difference]:
    new, old = _tiles(seen), _tiles(known)
    for y in range(new.height()):
        for x in range(new.width()):
            here, there = new.pixelColor(x, y), old.pixelColor(x, y)
            apart = (
                here.red() - there.red(),
                here.green() - there.green(),
                here.blue() - there.blue(),
            )
            amount, tint = max(map(abs, apart)), max(apart) - min(apart)
            if amount > NOTICED or tint > TINTED:
                yield Difference(QRect(x * TILE, y * TILE, TILE, TILE), amount, tint)


def _tiles(picture: QImage) -> QImage:
    """Return a picture in which each pixel is the mean of a tile."""
    whole = QSize(-(-picture.width() // TILE) * TILE, -(-picture.height() // TILE) * TILE)
    ground = QImage(whole, QImage.Format.Format_RGB32)
    ground.fill(QColor(_GROUND))
    painter = QPainter(ground)
    painter.drawImage(QRect(0, 0, picture.width(), picture.height()), picture)
    painter.end()
    smooth = Qt.TransformationMode.SmoothTransformation
    ratio = Qt.AspectRatioMode.IgnoreAspectRatio
    return ground.scaled(whole / TILE, ratio, smooth)


def _sides(size: QSize) -> str:
    return f"{size.width()} by {size.height()}"
