"""Buttons side by side, in as many lines as they need: at large sizes of text and in long languages."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QLayout, QLayoutItem, QWidget

from askance.ui.design import tokens
from askance.ui.design.styling import style
from askance.ui.design.theme import Look


class FlowLayout(QLayout):
    """Lays parts out from left to right, and begins another line where one has no room."""

    def __init__(self, look: Look, *parts: QWidget) -> None:
        super().__init__()
        self._items: list[QLayoutItem] = []
        self.setContentsMargins(0, 0, 0, 0)
        style(self, look, gap=tokens.SPACE_S)
        for part in parts:
            self.addWidget(part)

    def addItem(self, item: QLayoutItem) -> None:
        """Add a part at the end."""
        self._items.append(item)

    def count(self) -> int:
        """Return how many parts there are, hidden ones too."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """Return a part; None behind the last."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Take a part out."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def expandingDirections(self) -> Qt.Orientation:
        """Say that no more room is wanted than is needed."""
        return Qt.Orientation(0)

    def hasHeightForWidth(self) -> bool:
        """Say that the height depends on the width."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height of all lines at a width."""
        return self._flow(QRect(0, 0, width, 0), moves=False)

    def sizeHint(self) -> QSize:
        """Return the size of all parts in one line."""
        sizes = [item.sizeHint() for item in self._shown()]
        gaps = self.spacing() * max(0, len(sizes) - 1)
        height = max((size.height() for size in sizes), default=0)
        return QSize(sum(size.width() for size in sizes) + gaps, height)

    def minimumSize(self) -> QSize:
        """Return the size of the widest part."""
        least = QSize(0, 0)
        for item in self._shown():
            least = least.expandedTo(item.minimumSize())
        return least

    def setGeometry(self, rect: QRect) -> None:
        """Put each part into its place."""
        super().setGeometry(rect)
        self._flow(rect, moves=True)

    def _shown(self) -> list[QLayoutItem]:
        return [item for item in self._items if not item.isEmpty()]

    def _flow(self, rect: QRect, *, moves: bool) -> int:
        """Return how high the lines are, and move the parts there."""
        x, y, line = rect.x(), rect.y(), 0
        for item in self._shown():
            size = item.sizeHint()
            if line and x + size.width() > rect.x() + rect.width():
                x, y, line = rect.x(), y + line + self.spacing(), 0
            if moves:
                width = min(size.width(), rect.width())
                item.setGeometry(QRect(QPoint(x, y), QSize(width, size.height())))
            x += size.width() + self.spacing()
            line = max(line, size.height())
        return y + line - rect.y()
