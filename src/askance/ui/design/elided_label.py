"""A label that gives way: where its text has no room, the text ends in an ellipsis."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QSizePolicy, QWidget

from askance.ui.design.plain_text import PlainLabel

_LEAST_CHARACTERS = 4


class ElidedLabel(PlainLabel):
    """One line of plain text. The whole text is what screen readers hear.

    It does not shrink below the width of `least_characters`, or of its text where that is shorter.
    """

    def __init__(
        self,
        text: str = "",
        parent: QWidget | None = None,
        *,
        least_characters: int = _LEAST_CHARACTERS,
    ) -> None:
        super().__init__(text, parent)
        self._least_characters = least_characters
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)

    @property
    def is_cut(self) -> bool:
        """Whether not all of the text is seen."""
        return self.fontMetrics().horizontalAdvance(self.text()) > self.width()

    def minimumSizeHint(self) -> QSize:
        """Return the room of a few characters."""
        whole = super().sizeHint()
        least = self.fontMetrics().averageCharWidth() * self._least_characters
        return QSize(min(whole.width(), least), whole.height())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw as much of the text as there is room for."""
        painter = QPainter(self)
        painter.setPen(self.palette().color(QPalette.ColorRole.WindowText))
        shown = self.fontMetrics().elidedText(
            self.text(), Qt.TextElideMode.ElideRight, self.width()
        )
        painter.drawText(self.rect(), self.alignment() | Qt.AlignmentFlag.AlignVCenter, shown)
