"""Icons of one set, drawn on a grid of 24 in any colour and sharp on every screen."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPaintEvent, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QWidget

_FOLDER = files("askance.ui.design").joinpath("icons")


@lru_cache(maxsize=256)
def pixmap(name: str, colour: str, size: int, ratio: float = 1.0) -> QPixmap:
    """Return an icon as a picture of `size` logical pixels for a screen of that pixel ratio.

    Raises:
        FileNotFoundError: there is no icon of that name.
    """
    source = _FOLDER.joinpath(f"{name}.svg").read_text(encoding="utf-8")
    renderer = QSvgRenderer(QByteArray(source.replace("currentColor", colour).encode()))
    picture = QPixmap(round(size * ratio), round(size * ratio))
    picture.fill(Qt.GlobalColor.transparent)
    picture.setDevicePixelRatio(ratio)
    painter = QPainter(picture)
    renderer.render(painter, QRectF(0, 0, size, size))
    painter.end()
    return picture


def icon(name: str, colour: str, size: int = 24) -> QIcon:
    """Return an icon that is sharp on screens of one, two and three pixels to a logical one."""
    made = QIcon()
    for ratio in (1.0, 2.0, 3.0):
        made.addPixmap(pixmap(name, colour, size, ratio))
    return made


class IconLabel(QWidget):
    """A picture beside a text: nothing to the pointer, the keyboard or a screen reader."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icon = QIcon()

    def set_icon(self, name: str, colour: str, size: int) -> None:
        """Show an icon, `size` logical pixels wide and high.

        Raises:
            FileNotFoundError: there is no icon of that name.
        """
        self._icon = icon(name, colour, size)
        self.setFixedSize(size, size)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the icon for the screen that it is on."""
        self._icon.paint(QPainter(self), self.rect())
