"""Lists of rows: what a list shows, how high its rows are, and how it stands in a window; a field that filters one; a list
of lines, each with its state at the right; a list that opens from a field; and the scroll bar of all that scrolls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Generic, TypeVar

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    QVariantAnimation,
    Signal,
)
from PySide6.QtGui import (
    QFont,
    QFontMetrics,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractScrollArea,
    QComboBox,
    QFrame,
    QListView,
    QScrollArea,
    QScrollBar,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from askance.ui.design import theme
from askance.ui.design.composing import LineField, Styled, single_shot_timer, style
from askance.ui.design.drawing import IconLabel, antialiased, draw_box, fill, pixmap, write
from askance.ui.design.focus import announce
from askance.ui.design.frame import can_be_seen_through
from askance.ui.design.theme import Look

Index = QModelIndex | QPersistentModelIndex
ROW = Qt.ItemDataRole.UserRole
"""The role under which a model has its rows whole, for those who draw them."""
Row = TypeVar("Row")

# A bar is seen for so long after something was scrolled.
_FADES_AFTER_MS = 800
_THIN, _THICK, _BAR_ROOM, _LEAST_HANDLE = 4, 6, 10, 28


class ThinScrollBar(Styled, QScrollBar):
    """A thin bar that is seen while something is scrolled and under the pointer, and fades after that.

    Its room stays: what is scrolled must not become wider when nobody scrolls.
    """

    def __init__(self, look: Look, area: QAbstractScrollArea) -> None:
        super().__init__(look, Qt.Orientation.Vertical, area)
        self.strength = 0.0
        """How much of it is seen, from 0 to 1."""
        self._fading = QVariantAnimation(self)
        self._fading.valueChanged.connect(self._fade)
        self._rest = single_shot_timer(self, self._disappear, _FADES_AFTER_MS)
        style(self, look, width=_BAR_ROOM)
        self.valueChanged.connect(self._appear)
        self.rangeChanged.connect(self._appear)
        area.setVerticalScrollBar(self)
        if isinstance(area, QAbstractItemView):
            # Lists fetch more rows by these, and are connected with their first bar alone.
            self.valueChanged.connect(area.verticalScrollbarValueChanged)
            self.actionTriggered.connect(area.verticalScrollbarAction)

    def sizeHint(self) -> QSize:
        """Return the room of the bar."""
        return QSize(self.look.px(_BAR_ROOM), 0)

    def event(self, event: QEvent) -> bool:
        """Say once that there is more than what is seen, be there to be taken, and fade once the pointer has left it."""
        is_taken = super().event(event)
        if event.type() in {QEvent.Type.Show, QEvent.Type.Enter, QEvent.Type.Leave}:
            self._appear()
        return is_taken

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the handle."""
        if not self.strength or self.maximum() <= self.minimum():
            return
        px, span = self.look.px, self.maximum() - self.minimum() + self.pageStep()
        high = max(px(_LEAST_HANDLE), self.height() * self.pageStep() / span)
        share = (self.value() - self.minimum()) / (self.maximum() - self.minimum())
        is_taken = self.underMouse() or self.isSliderDown()
        wide = px(_THICK if is_taken else _THIN)
        place = QRectF((self.width() - wide) / 2, share * (self.height() - high), wide, high)
        with antialiased(self) as painter:
            painter.setOpacity(self.strength)
            c = self.look.colours
            fill(painter, place, c.edge if is_taken else c.line_2, wide / 2)

    def _appear(self) -> None:
        self._fading.stop()
        self._fade(1.0)
        self._rest.start()

    def _disappear(self) -> None:
        if self.underMouse() or self.isSliderDown():
            self._rest.start()
        elif self.look.motion_ms:
            self._fading.setDuration(self.look.motion_ms)
            self._fading.setStartValue(1.0)
            self._fading.setEndValue(0.0)
            self._fading.start()
        else:
            self._fade(0.0)

    def _fade(self, strength: float) -> None:
        self.strength = strength
        self.update()


def scrolling(look: Look, inside: QWidget, parent: QWidget) -> QScrollArea:
    """Return an area that scrolls a widget up and down, and has it as wide as itself."""
    area = QScrollArea(parent)
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    ThinScrollBar(look, area)
    area.setWidget(inside)
    return area


class Rows(QAbstractListModel, Generic[Row]):
    """Rows that are shown all at once.

    `title` is what a row is called, `spoken` the row as a screen reader says it.
    """

    def __init__(
        self,
        title: Callable[[Row], str] = attrgetter("title"),
        spoken: Callable[[Row], str] = attrgetter("spoken"),
    ) -> None:
        super().__init__()
        self._title, self._spoken = title, spoken
        self.shown: tuple[Row, ...] = ()

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Show these rows in the place of all others."""
        self.beginResetModel()
        self.shown = tuple(rows)
        self.endResetModel()

    def change_rows(self, rows: Sequence[Row]) -> None:
        """Show these rows, as many as there are: what is chosen stays, and what lies on them."""
        self.shown = tuple(rows)
        self.dataChanged.emit(self.index(0), self.index(len(self.shown) - 1))

    def at(self, row: int) -> Row | None:
        """Return the row at a place, if there is one."""
        return self.shown[row] if 0 <= row < len(self.shown) else None

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's interface
        """Return how many rows there are."""
        # Qt asks for the rows below each row as well, as in a tree.
        return 0 if parent.isValid() else len(self.shown)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a row is called, what is said of it, or all of it."""
        row = self.at(index.row())
        match role:
            case _ if row is None:
                return None
            case Qt.ItemDataRole.DisplayRole:
                return self._title(row)
            case Qt.ItemDataRole.AccessibleTextRole:
                return self._spoken(row)
            case _:
                return row if role == ROW else None


class RowPainter(QStyledItemDelegate):
    """Draws rows that are all `height` pixels of the tokens high, a chosen one on the soft accent."""

    def __init__(self, look: Look, height: float) -> None:
        super().__init__()
        self.look, self._height = look, height

    @property
    def height(self) -> int:
        """How high a row is, in logical pixels."""
        return self.look.px(self._height)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: ARG002 - Qt's interface
        """Return the height: a row is as wide as its list."""
        return QSize(0, self.height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Draw a row."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        is_chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        if is_chosen:
            self.draw_ground(painter, option)
        self.draw(painter, option, index.data(ROW), is_chosen=is_chosen)
        painter.restore()

    def draw_ground(self, painter: QPainter, option: QStyleOptionViewItem) -> None:
        """Draw what a chosen row stands on."""
        radius = self.look.px(theme.MENU_ROW_RADIUS)
        fill(painter, option.rect, self.look.colours.accent_soft, radius)

    def draw(
        self, painter: QPainter, option: QStyleOptionViewItem, row: Any, *, is_chosen: bool
    ) -> None:
        """Write what a row says."""


_GLASS, _SIDE, _BESIDE = 15, 10, 8
# Between the edge of Qt's field and its text: the padding and border of the style sheet, and its own margin.
_OF_QT = _SIDE + 3


class SearchField(LineField):
    """A field that filters what is below it, with a glass at its start. Escape empties it; so does a cross, if it `clears`."""

    def __init__(self, look: Look, prompt: str, parent: QWidget, *, clears: bool = False) -> None:
        super().__init__(look, prompt, parent)
        self.setClearButtonEnabled(clears)
        # No action of Qt's field, which would be a button without a name for a screen reader.
        self._glass = IconLabel(look, _GLASS, "search", "ink_3", self)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Place the glass."""
        super().resizeEvent(event)
        px = self._glass.look.px
        top = (self.height() - self._glass.height()) // 2
        place = self._glass.rect().translated(px(_SIDE), top)
        self._glass.move(QStyle.visualRect(self.layoutDirection(), self.rect(), place).topLeft())
        before = px(_SIDE + _GLASS + _BESIDE) - px(_OF_QT)
        is_mirrored = self.layoutDirection() is Qt.LayoutDirection.RightToLeft
        self.setTextMargins(0 if is_mirrored else before, 0, before if is_mirrored else 0, 0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Empty it with Escape; empty, it leaves the key to what is around it."""
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        else:
            super().keyPressEvent(event)


class RowList(Styled, QListView):
    """A list without a frame of its own, which is not scrolled sideways and not edited."""

    def __init__(
        self, rows: QAbstractListModel, painter: RowPainter, parent: QWidget | None
    ) -> None:
        super().__init__(painter.look, parent)
        self.painter = painter
        # A view owns neither its model nor its delegate: without a parent they would go with their
        # last reference in Python.
        for part in (rows, painter):
            part.setParent(self)
        self.setModel(rows)
        self.setItemDelegate(painter)
        self.setFrameShape(QFrame.Shape.NoFrame)
        # One row is measured for all of them: some lists have two thousand.
        self.setUniformItemSizes(True)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        ThinScrollBar(painter.look, self)

    @property
    def row(self) -> int:
        """The row that is chosen, -1 for none."""
        return self.currentIndex().row()

    def choose(self, row: int) -> None:
        """Choose a row; none if there is no such row."""
        self.setCurrentIndex(self.model().index(row, 0))

    def step(self, by: int) -> None:
        """Choose the next row that can be chosen, and announce it: the keyboard is in a field beside the list."""
        model, row = self.model(), self.row + by
        while (index := model.index(row, 0)).isValid() and not index.flags():
            row += by
        if index.isValid():
            self.choose(row)
            announce(self, str(index.data(Qt.ItemDataRole.AccessibleTextRole)))

    def fit(self, most: int) -> None:
        """Be as high as the rows, and at most so many pixels high: of hundreds those that have room are measured."""
        high, row = 0, 0
        while high < most and row < self.model().rowCount():
            high += self.sizeHintForRow(row)
            row += 1
        self.setFixedHeight(max(0, min(high, most)))

    def _restyle(self) -> None:
        self.painter.look = self.look
        # Heights of rows are kept by Qt until it is told to measure anew.
        self.doItemsLayout()


_HEIGHT, _TITLE_TOP, _TITLE, _BELOW_TOP, _BELOW = 46, 5, 20, 24, 17
_LOW = 28


@dataclass(frozen=True, slots=True)
class ListLine:
    """What a row shows: a name and what is known of it, a state at the right, and whether that is bad.

    By its `key` it is known again when other rows are shown.
    """

    title: str
    below: str = ""
    state: str = ""
    is_bad: bool = False
    key: str = ""

    @property
    def spoken(self) -> str:
        """The row as a screen reader says it."""
        return ", ".join(filter(None, (self.title, self.state, self.below)))


class LineList(RowList):
    """A list that is as high as its rows, up to so many of them. `is_low`: all of them have one line."""

    chosen = Signal(int)
    """Another row is chosen; -1 if none is."""

    def __init__(self, look: Look, most: int, parent: QWidget, *, is_low: bool = False) -> None:
        self._lines, self._most = Rows[ListLine](), most
        super().__init__(self._lines, LinePainter(look, _LOW if is_low else _HEIGHT), parent)
        self.selectionModel().currentChanged.connect(self._emit_chosen)
        self._restyle()

    def _restyle(self) -> None:
        super()._restyle()
        self._fit()

    @property
    def lines(self) -> tuple[ListLine, ...]:
        """What is shown."""
        return self._lines.shown

    def count(self) -> int:
        """Return how many rows there are."""
        return len(self.lines)

    def show_lines(self, lines: Sequence[ListLine], *, or_first: bool = False) -> None:
        """Show these rows in the place of all others; the chosen one stays so, or the first is chosen then."""
        before, keys = self._lines.at(self.row), [line.key for line in lines]
        # By key and not by place: what was looked up anew may have other rows above it.
        row = keys.index(before.key) if before is not None and before.key in keys else -1
        # A reset takes the chosen row and the scroll bar back to the start.
        if tuple(lines) != self.lines:
            self._lines.show_rows(lines)
            self._fit()
        self.choose(0 if row < 0 and or_first else row)

    def _fit(self) -> None:
        rows = min(max(len(self.lines), 1), self._most)
        self.setFixedHeight(rows * self.painter.height + 2 * self.painter.look.px(4))

    def _emit_chosen(self, current: QModelIndex) -> None:
        self.chosen.emit(current.row() if current.isValid() else -1)


class LinePainter(RowPainter):
    """Draws a `ListLine`: its name and its state, below them what is known of it."""

    def draw_ground(self, painter: QPainter, option: QStyleOptionViewItem) -> None:
        """Draw an edge where the keys go here: a chosen row without it is merely marked."""
        c, radius = self.look.colours, self.look.px(theme.CONTROL_RADIUS) - 2
        edge = c.accent if option.state & QStyle.StateFlag.State_HasFocus else c.accent_soft
        draw_box(painter, option.rect.adjusted(1, 1, -1, -1), c.accent_soft, edge, radius)

    def draw(
        self, painter: QPainter, option: QStyleOptionViewItem, row: ListLine, *, is_chosen: bool
    ) -> None:
        """Write the row."""
        line, area = row, option.rect
        c, px = self.look.colours, self.look.px
        inside = area.adjusted(px(theme.SPACE_S), 0, -px(theme.SPACE_S), 0)
        small, quiet = self.look.font(theme.LABEL_TEXT), c.ink_2 if is_chosen else c.ink_3
        room = QFontMetrics(small).horizontalAdvance(line.state)
        alone = (area.height() - px(_TITLE)) // 2
        top = area.top() + (px(_TITLE_TOP) if line.below else alone)

        def placed(left: int, top: int, width: int, height: int) -> QRect:
            # Mirrored in languages that are read from right to left.
            return QStyle.visualRect(option.direction, area, QRect(left, top, width, height))

        state = placed(inside.right() - room, top, room + 1, px(_TITLE))
        write(painter, line.state, state, small, c.red if line.is_bad else quiet)
        below = placed(inside.left(), area.top() + px(_BELOW_TOP), inside.width(), px(_BELOW))
        write(painter, line.below, below, small, quiet)
        font = self.look.font(theme.SMALL_TEXT, QFont.Weight.Medium)
        width = inside.width() - room - px(theme.SPACE_M)
        title = placed(inside.left(), top, width, px(_TITLE))
        # Of a path its end says more than its middle.
        write(painter, line.title, title, font, c.ink, elide=Qt.TextElideMode.ElideMiddle)


_OPTION, _TWO_LINES, _TICK, _AROUND, _BESIDE_POPUP = 30, 46, 16, 6, 4
_BELOW_ROLE = ROW + 1


class Combo(Styled, QComboBox):
    """A field with a list that opens below it, as wide as the field: a tick at what is in force, a second line where one is known.

    Arrows, letters, Space and Enter open the list, and nothing changes before a row of it is taken; Escape
    leaves everything as it was. The wheel passes by: a page that is scrolled must not change a setting.
    """

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(look, parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        rows = QListView(self)
        rows.setFrameShape(QFrame.Shape.NoFrame)
        rows.setTextElideMode(Qt.TextElideMode.ElideRight)
        ThinScrollBar(look, rows)
        self.setView(rows)
        self._painter = _OptionPainter(look, self)
        self.setItemDelegate(self._painter)
        paper = rows.window()
        paper.setWindowFlag(Qt.WindowType.FramelessWindowHint)
        paper.setWindowFlag(Qt.WindowType.NoDropShadowWindowHint)
        paper.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        paper.installEventFilter(self)
        style(self, look, font=theme.SMALL_TEXT, height=theme.CONTROL_HEIGHT)
        self._restyle()

    def add_option(self, label: str, value: str, below: str = "") -> None:
        """Add a row at the end: what it is called, its value, what is known of it."""
        self.addItem(label, value)
        self.setItemData(self.count() - 1, below, _BELOW_ROLE)

    def _restyle(self) -> None:
        self._painter.look = self.look
        around = self.look.px(_AROUND)
        self.view().window().setContentsMargins(around, around, around, around)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Draw the paper of the list, for which style sheets have no rule."""
        if event.type() is not QEvent.Type.Paint or not isinstance(watched, QWidget):
            return super().eventFilter(watched, event)
        c, radius = self.look.colours, self.look.px(theme.PANEL_RADIUS)
        with antialiased(watched) as painter:
            paper = QRectF(watched.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
            corners = radius if can_be_seen_through() else 0
            draw_box(painter, paper, c.raised, c.line_2, corners)
        return True

    def showPopup(self) -> None:
        """Open the list, a little beside the field."""
        super().showPopup()
        paper = self.view().window()
        is_below = paper.y() >= self.mapToGlobal(self.rect().center()).y()
        gap = self.look.px(_BESIDE_POPUP)
        paper.move(paper.x(), paper.y() + (gap if is_below else -gap))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the list with the keys that would change the value, at what is typed."""
        plain = not event.modifiers() & ~(
            Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier
        )
        if event.key() in _OPENING and plain:
            self.showPopup()
        elif plain and event.text().strip() and event.text().isprintable():
            self.showPopup()
            self.view().keyboardSearch(event.text())
        elif event.key() == Qt.Key.Key_F4 or event.modifiers() & Qt.KeyboardModifier.AltModifier:
            super().keyPressEvent(event)
        else:
            # Qt would take the letters of shortcuts for words to look for.
            event.ignore()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to the page."""
        event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the box, and the sign that it opens."""
        super().paintEvent(event)
        size = self.look.px(_TICK - 2)
        inside = size + self.look.px(theme.SPACE_S)
        left = inside - size if self.isRightToLeft() else self.width() - inside
        with QPainter(self) as painter:
            picture = pixmap("down", self.look.colours.ink_3, size, self.devicePixelRatioF())
            painter.drawPixmap(left, (self.height() - size) // 2, picture)


_ARROWS = {Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_End}
_OPENING = _ARROWS | {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space}


class _OptionPainter(QStyledItemDelegate):
    def __init__(self, look: Look, combo: Combo) -> None:
        super().__init__(combo)
        self.look, self._combo = look, combo

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: ARG002 - Qt's interface
        return QSize(0, self.look.px(_TWO_LINES if index.data(_BELOW_ROLE) else _OPTION))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        c, px = self.look.colours, self.look.px
        area: QRect = option.rect
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & (QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_MouseOver):
            fill(painter, area, c.accent_soft, px(theme.MENU_ROW_RADIUS))

        def placed(left: int, top: int, width: int, height: int) -> QRect:
            return QStyle.visualRect(option.direction, area, QRect(left, top, width, height))

        side, tick = px(9), px(_TICK)
        if index.row() == self._combo.currentIndex():
            here = placed(area.left() + side, area.center().y() - tick // 2, tick, tick)
            ratio = self._combo.devicePixelRatioF()
            painter.drawPixmap(here.topLeft(), pixmap("check", c.accent, tick, ratio))
        left = area.left() + side + tick + px(10)
        width = area.right() - left - side
        below = str(index.data(_BELOW_ROLE) or "")
        title = area.adjusted(0, px(5), 0, px(5) + px(18) - area.height()) if below else area
        text = placed(left, title.top(), width, title.height())
        write(painter, str(index.data()), text, self.look.font(theme.SMALL_TEXT), c.ink)
        if below:
            where = placed(left, title.bottom() + 1, width, px(18))
            write(painter, below, where, self.look.font(theme.LABEL_TEXT), c.ink_3)
        painter.restore()
