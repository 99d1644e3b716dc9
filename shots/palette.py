"""Pictures with few colours, and small files: text on paper needs no more than 256."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

COLOURS = 256
# The middles of the groups stand still long before.
_PASSES = 24

_Colours = NDArray[np.float64]
_Numbers = NDArray[np.int64]


def reduced(picture: QImage, colours: int = COLOURS) -> QImage:
    """Return a picture with so few colours, 256 at most, each near to those it stands for.

    The same picture always gives the same one. Colours that are not opaque count by what is seen.
    """
    picture = picture.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)
    height, width = picture.height(), picture.width()
    pixels = np.frombuffer(picture.constBits(), np.uint32).reshape(height, -1)[:, :width]
    found, places, counts = np.unique(pixels, return_inverse=True, return_counts=True)
    parts = found.view(np.uint8).reshape(-1, 4).astype(np.float64)
    groups, middles = _grouped(parts, np.sqrt(counts.astype(np.float64)), colours)
    small = QImage(width, height, QImage.Format.Format_Indexed8)
    small.setColorTable([_straight(*(int(part) for part in middle)) for middle in middles.round()])
    small.setDevicePixelRatio(picture.devicePixelRatio())
    rows = np.frombuffer(small.bits(), np.uint8).reshape(height, -1)
    rows[:, :width] = groups.astype(np.uint8)[places].reshape(height, width)
    return small


def _grouped(
    colours: _Colours, weights: NDArray[np.float64], most: int
) -> tuple[_Numbers, _Colours]:
    """Put colours into groups (Lloyd's algorithm); the heaviest ones, far apart, begin them."""
    chosen = [int(np.argmax(weights))]
    nearest = _squares(colours, colours[chosen[0]])
    while len(chosen) < min(most, len(colours)):
        chosen.append(int(np.argmax(nearest * weights)))
        nearest = np.minimum(nearest, _squares(colours, colours[chosen[-1]]))
    middles = colours[chosen]
    groups = np.zeros(len(colours), np.int64)
    for _ in range(_PASSES):
        groups = np.argmin([_squares(colours, middle) for middle in middles], axis=0)
        sums = np.zeros_like(middles)
        np.add.at(sums, groups, colours * weights[:, None])
        totals = np.bincount(groups, weights, len(middles))
        moved = np.where(totals[:, None] > 0, sums / np.maximum(totals, 1e-9)[:, None], middles)
        if np.array_equal(moved, middles):
            break
        middles = moved
    return groups, middles


def _squares(colours: _Colours, middle: _Colours) -> NDArray[np.float64]:
    return ((colours - middle) ** 2).sum(axis=1)


def _straight(blue: int, green: int, red: int, alpha: int) -> int:
    """Return a premultiplied colour as Qt's tables want it."""
    if not alpha:
        return 0
    parts = (min(255, round(255 * part / alpha)) for part in (red, green, blue))
    red, green, blue = parts
    return alpha << 24 | red << 16 | green << 8 | blue
