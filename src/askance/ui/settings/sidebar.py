"""The list of pages at the side of the settings."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFont,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QFrame, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from askance.presentation.words import tr
from askance.ui.design import tokens
from askance.ui.design.theme import Look

_WIDTH = 176
_ROW = 35
_KEYED = "keyed"


class Sidebar(QWidget):
    """Names of pages, of which one is chosen; a hairline parts it from the page."""

    chosen = Signal(int)
    entered = Signal()
    """Enter, or an arrow that leads into the page."""

    def __init__(self, look: Look, names: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self.list = _Names(self)
        self.list.entered_page.connect(self.entered)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setAccessibleName(tr("Pages of the settings"))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.addItems(list(names))
        self.list.currentRowChanged.connect(self._choose)
        self.setFocusProxy(self.list)
        column = QVBoxLayout(self)
        column.addWidget(self.list)
        self._column = column
        self.set_look(look)
        self.list.setCurrentRow(0)

    def choose(self, number: int) -> None:
        """Turn to a page."""
        self.list.setCurrentRow(number)

    def step(self, by: int) -> None:
        """Turn to a page beside the present one; the last is followed by the first."""
        self.choose((self.list.currentRow() + by) % self.list.count())

    def show_focus(self, *, wanted: bool) -> None:
        """Draw the ring of the focus around the chosen page, or wait for a key before it is."""
        self.list.show_focus(wanted=wanted)

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        self._look = look
        c, px = look.colours, look.px
        self.setFixedWidth(px(_WIDTH))
        self._column.setContentsMargins(px(10), px(tokens.SPACE_M), px(11), px(tokens.SPACE_M))
        radius = px(tokens.CONTROL_RADIUS)
        self.list.setStyleSheet(
            f"""QListWidget {{ background: transparent; border: none; outline: none; }}
            QListWidget::item {{ color: {c.ink_2}; height: {px(_ROW)}px; padding-left: {px(8)}px;
                border: 1px solid transparent; border-radius: {radius}px; }}
            QListWidget::item:hover {{ color: {c.ink}; }}
            QListWidget::item:selected {{ background: {c.accent_soft}; color: {c.ink}; }}
            QListWidget[{_KEYED}="true"]::item:selected:focus {{ border: 2px solid {c.accent};
                padding-left: {px(8) - 1}px; }}"""
        )
        self._embolden()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the hairline at the right."""
        painter = QPainter(self)
        painter.fillRect(self.width() - 1, 0, 1, self.height(), QColor(self._look.colours.line))
        painter.end()

    def _choose(self, number: int) -> None:
        self._embolden()
        self.chosen.emit(number)

    def _embolden(self) -> None:
        for number in range(self.list.count()):
            item: QListWidgetItem = self.list.item(number)
            weight = QFont.Weight.Medium if number == self.list.currentRow() else _NORMAL
            item.setFont(self._look.font(tokens.BODY_TEXT - 1, weight))


class _Names(QListWidget):
    entered_page = Signal()

    def show_focus(self, *, wanted: bool) -> None:
        if bool(self.property(_KEYED)) is not wanted:
            self.setProperty(_KEYED, wanted)
            self.style().unpolish(self)
            self.style().polish(self)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Need no ring to be found."""
        self.show_focus(wanted=False)
        super().mousePressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show that the keys go here now."""
        if event.reason() in _BY_KEY:
            self.show_focus(wanted=True)
        super().focusInEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave for the page beside with Enter and the arrow that points there."""
        self.show_focus(wanted=True)
        right_to_left = self.layoutDirection() is Qt.LayoutDirection.RightToLeft
        inwards = Qt.Key.Key_Left if right_to_left else Qt.Key.Key_Right
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, inwards):
            self.entered_page.emit()
        else:
            super().keyPressEvent(event)


_NORMAL = QFont.Weight.Normal
_BY_KEY = {Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason}
