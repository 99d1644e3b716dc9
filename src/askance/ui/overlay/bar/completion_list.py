"""The list of commands that complete what was typed, below the ask bar."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QMouseEvent, QPainter, QPalette
from PySide6.QtWidgets import QAbstractItemView, QStyleOptionViewItem, QWidget

from askance.app.commands import Completion
from askance.presentation.i18n import tr
from askance.ui.design import theme
from askance.ui.design.drawing import fill, write
from askance.ui.design.focus import announce
from askance.ui.design.lists import RowList, RowPainter, Rows
from askance.ui.design.theme import Look

_ROW_TEXT = 14
_ROW_HEIGHT = 35
_MARGIN = 6
# The texts stand in line with the question above: so far from the edge of their row.
_INDENT = theme.SPACE_XL - _MARGIN
_HELP_AT = 122
_MOST_ROWS = 8
# So many stay on the smallest screen with the largest text: one to choose, one that shows more.
_LEAST_ROWS = 2


class CompletionList(RowList):
    """Shows completions; the field keeps the focus and moves the selection. Hidden while empty."""

    chosen = Signal(object)
    """A `Completion` that was clicked on."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        self._rows = Rows[Completion](_named, _spoken)
        super().__init__(self._rows, _Completions(look, _ROW_HEIGHT), parent)
        self._most_rows = _MOST_ROWS
        # Whole rows: the arrows move by rows, and half of one cannot be chosen.
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setMouseTracking(True)
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor)
        self.viewport().setAutoFillBackground(False)
        self.clicked.connect(self._choose)
        self._restyle()
        self.hide()

    def _restyle(self) -> None:
        super()._restyle()
        self.setAccessibleName(tr("Commands"))
        margin = self.look.px(_MARGIN)
        # The hairline's strip above is one pixel higher than the hairline.
        self.setViewportMargins(margin, margin - 1, margin, margin)
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Base, QColor(self.look.colours.paper))
        self.setPalette(palette)
        self._fit()

    def set_room(self, height: int) -> None:
        """Show as many rows at once as this height has room for."""
        rows = (height - 2 * self.look.px(_MARGIN)) // self.look.px(_ROW_HEIGHT)
        most = min(max(rows, _LEAST_ROWS), _MOST_ROWS)
        if most != self._most_rows:
            self._most_rows = most
            self._fit()
            self.scrollTo(self.currentIndex())

    @property
    def is_open(self) -> bool:
        """Whether there is something to choose from."""
        return not self.isHidden()

    @property
    def current(self) -> Completion | None:
        """The completion that is selected."""
        return self._rows.at(self.currentIndex().row()) if self.is_open else None

    def offer(self, completions: Sequence[Completion]) -> None:
        """Show other completions, the first one selected; with none of them the list is closed."""
        # The selection stays where the arrows have put it while the same commands fit.
        if tuple(completions) == self._rows.shown and self.is_open == bool(completions):
            return
        self._rows.show_rows(completions)
        self._fit()
        self.setVisible(bool(completions))
        self._select(0)

    def step(self, by: int) -> None:
        """Move the selection so many rows on, round the ends."""
        if count := len(self._rows.shown):
            self._select((self.currentIndex().row() + by) % count)

    def sizeHint(self) -> QSize:
        """Return the room for all rows, or for as many as are shown at once."""
        return QSize(super().sizeHint().width(), self._height())

    def minimumSizeHint(self) -> QSize:
        """Return the same height: the rows do not give way."""
        return QSize(0, self._height())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Select the row under a pointer that moves; one that merely lies there selects nothing."""
        index = self.indexAt(event.position().toPoint())
        if index.isValid() and index != self.currentIndex():
            self.setCurrentIndex(index)

    def _height(self) -> int:
        rows = min(len(self._rows.shown), self._most_rows)
        return rows * self.look.px(_ROW_HEIGHT) + 2 * self.look.px(_MARGIN) - 1

    def _fit(self) -> None:
        self.setFixedHeight(self._height())

    def _select(self, row: int) -> None:
        self.setCurrentIndex(self._rows.index(row, 0))
        # The field keeps the focus, so that no screen reader notices the selection by itself.
        if chosen := self.current:
            announce(self, _spoken(chosen))

    def _choose(self, index: QModelIndex) -> None:
        self.chosen.emit(self._rows.at(index.row()))


class _Completions(RowPainter):
    def draw_ground(self, painter: QPainter, option: QStyleOptionViewItem) -> None:
        radius = self.look.px(theme.CONTROL_RADIUS)
        fill(painter, option.rect, self.look.colours.accent_soft, radius)

    def draw(
        self, painter: QPainter, option: QStyleOptionViewItem, row: Completion, **_: bool
    ) -> None:
        colours, px, rect = self.look.colours, self.look.px, option.rect
        name, font = _named(row), self.look.font(_ROW_TEXT, QFont.Weight.Medium)
        wide = QFontMetrics(font).horizontalAdvance(name)
        column = max(px(_HELP_AT), px(_INDENT) + wide + px(12))
        write(painter, name, rect.adjusted(px(_INDENT), 0, 0, 0), font, colours.ink)
        about = rect.adjusted(column, 0, -px(_INDENT), 0)
        small = self.look.font(_ROW_TEXT)
        write(painter, row.command.about, about, small, colours.ink_2)


def _named(completion: Completion) -> str:
    return completion.command.label


def _spoken(completion: Completion) -> str:
    return tr("{name}: {about}", name=completion.command.label, about=completion.command.about)
