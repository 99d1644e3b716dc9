"""The side of the settings: a field that searches all of them, and the list of pages with what was found on each."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QRect, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFont,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
)
from PySide6.QtWidgets import (
    QFrame,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from askance.presentation.i18n import tr
from askance.ui.design import theme
from askance.ui.design.composing import Styled, column_of, row_of, set_state, style
from askance.ui.design.lists import Index, SearchField, ThinScrollBar
from askance.ui.design.theme import Look

_FOR_PAGE = 640
_WIDTH, _AROUND, _BESIDE, _AROUND_PROMPT = 184, 10, 4, 76
_HITS = Qt.ItemDataRole.UserRole
_NORMAL = QFont.Weight.Normal
_BY_KEY = {Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason}


class Sidebar(Styled, QWidget):
    """A field that searches all settings, and below it the names of the pages, of which one is chosen; a hairline parts it
    from the page.
    """

    chosen = Signal(int)
    entered = Signal()
    """Enter, or an arrow that leads into the page."""
    searched = Signal(str)
    """Other words stand in the field."""

    def __init__(self, look: Look, names: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.list = _Names(self)
        self.list.entered_page.connect(self.entered)
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setAccessibleName(tr("Pages of the settings"))
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        ThinScrollBar(look, self.list)
        self.list.addItems(list(names))
        self.list.setItemDelegate(_NamePainter(self.list))
        self.list.currentRowChanged.connect(self._choose)
        # A page whose rows are all found is chosen still: a press on it leads to them.
        self.list.clicked.connect(self._click)
        self.setFocusProxy(self.list)
        self.search = SearchField(look, tr("Search settings"), self, clears=True)
        self.search.textChanged.connect(self.searched)
        style(self.search, look, height=theme.CONTROL_HEIGHT)
        beside = row_of(look, self.search, margins=(_BESIDE, 0, _BESIDE, 0))
        margins = (_AROUND, 16, _AROUND - 2, 16)
        self.setLayout(column_of(look, beside, self.list, gap=theme.SPACE_M, margins=margins))
        self._restyle()
        self.list.setCurrentRow(0)

    def choose(self, number: int) -> None:
        """Turn to a page."""
        self.list.setCurrentRow(number)

    def step(self, by: int) -> None:
        """Turn to a page beside the present one; the last is followed by the first."""
        self.choose((self.list.currentRow() + by) % self.list.count())

    def show_hits(self, numbers: Sequence[int] | None) -> None:
        """Show beside each page how many of its rows were found; None shows no numbers."""
        for row in range(self.list.count()):
            item = self.list.item(row)
            found = numbers[row] if numbers is not None else -1
            item.setData(_HITS, str(found) if found > 0 else "")
            spoken = f"{item.text()}, {found}" if found >= 0 else item.text()
            item.setData(Qt.ItemDataRole.AccessibleTextRole, spoken)
            enabled = item.flags() | Qt.ItemFlag.ItemIsEnabled
            item.setFlags(enabled if found else enabled & ~Qt.ItemFlag.ItemIsEnabled)
        self._restyle()

    def _click(self, index: QModelIndex) -> None:
        self.chosen.emit(index.row())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go from the field to the pages with Enter and the arrow that points there."""
        if event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.list.setFocus(Qt.FocusReason.TabFocusReason)
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the hairline at the right."""
        with QPainter(self) as painter:
            painter.fillRect(self.width() - 1, 0, 1, self.height(), QColor(self.look.colours.line))

    def _choose(self, number: int) -> None:
        self._restyle()
        self.chosen.emit(number)

    def _restyle(self) -> None:
        px, prompt = self.look.px, self.search.accessibleName()
        # In some languages the prompt is longer than the names of all pages.
        needed = self.search.fontMetrics().horizontalAdvance(prompt) + px(_AROUND_PROMPT)
        # With large text the pages need the room more.
        has_room = needed <= max(px(_WIDTH), self.screen().availableSize().width() - px(_FOR_PAGE))
        self.search.setPlaceholderText(prompt if has_room else tr("Search"))
        self.setFixedWidth(max(px(_WIDTH), needed if has_room else 0))
        for number in range(self.list.count()):
            item: QListWidgetItem = self.list.item(number)
            # A page on which nothing was found does not stand out, although it was chosen before.
            stands_out = number == self.list.currentRow() and bool(
                item.flags() & Qt.ItemFlag.ItemIsEnabled
            )
            weight = QFont.Weight.Medium if stands_out else _NORMAL
            item.setFont(self.look.font(theme.SMALL_TEXT, weight))


_INSET = 15


class _NamePainter(QStyledItemDelegate):
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw the name of a page, and how many of its rows were found at the other end."""
        super().paint(painter, option, index)
        if found := index.data(_HITS):
            area: QRect = option.rect.adjusted(_INSET, 0, -_INSET, 0)
            painter.save()
            painter.setFont(index.data(Qt.ItemDataRole.FontRole))
            painter.setPen(option.palette.color(QPalette.ColorRole.PlaceholderText))
            where = QStyle.visualAlignment(option.direction, Qt.AlignmentFlag.AlignRight)
            painter.drawText(area, where | Qt.AlignmentFlag.AlignVCenter, found)
            painter.restore()


class _Names(QListWidget):
    entered_page = Signal()

    def show_focus(self, *, wanted: bool) -> None:
        """Draw the ring of the focus around the chosen page, or wait for a key before it is."""
        set_state(self, "keyed", is_on=wanted)

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
        # The page lies at the side to which the language reads on.
        right_to_left = self.layoutDirection() is Qt.LayoutDirection.RightToLeft
        inwards = Qt.Key.Key_Left if right_to_left else Qt.Key.Key_Right
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, inwards):
            self.entered_page.emit()
        else:
            super().keyPressEvent(event)
