"""Icons of one set, drawn on a grid of 24 in any colour and sharp on every screen."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPaintEvent, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QWidget

from askance.ui.design.styling import Styled
from askance.ui.design.theme import Look

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


class IconLabel(Styled, QWidget):
    """A picture beside a text, `size` pixels of the tokens wide and high; empty without a name.

    It is nothing to the pointer, the keyboard or a screen reader.
    """

    def __init__(
        self, look: Look, size: float, name: str = "", ink: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.look, self._size, self._name, self._ink = look, size, name, ink
        self._restyle()

    def set_icon(self, name: str, ink: str) -> None:
        """Show another icon, in this colour of the palette.

        Raises:
            FileNotFoundError: there is no icon of that name.
        """
        self._name, self._ink = name, ink
        self._restyle()
        self.update()

    def _restyle(self) -> None:
        size = self.look.px(self._size)
        self.setFixedSize(size, size)
        if self._name:
            self._icon = icon(self._name, getattr(self.look.colours, self._ink), size)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the icon for the screen that it is on."""
        if self._name:
            self._icon.paint(QPainter(self), self.rect())
