"""An icon of the set that stands for itself and is sharp on every screen."""

from __future__ import annotations

from PySide6.QtGui import QIcon, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from askance.ui.design.icons import icon


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
