"""The model switch: what the server has, what comes, and another one to download; below the model button."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem, QWidget

from askance.domain.errors import AskanceError
from askance.presentation.i18n import gigabytes, size_text, tr, translated
from askance.ui.design import theme
from askance.ui.design.composing import column_of, style
from askance.ui.design.drawing import draw_hairline, fill, write
from askance.ui.design.focus import LinkButton
from askance.ui.design.glyphs import draw_glyph
from askance.ui.design.labels import StyledLabel, TextStyle
from askance.ui.design.lists import ROW, Index, RowList, RowPainter, Rows
from askance.ui.design.popover import Menu, Popover
from askance.ui.design.theme import Look

if TYPE_CHECKING:
    from askance.app.model_choices import ModelChoice

_WIDTH, _ROW_HEIGHT, _MOST_ROWS = 470, 46, 9
_PAD, _GLYPH_ROOM, _FIRST, _SECOND = 9, 27, 14, 31
DOWNLOAD = "D"


@dataclass(frozen=True, slots=True)
class SwitchRow:
    """A row: a name, what is known of it below, a state at the right. `press` is what Enter does there, None for nothing."""

    title: str
    below: str = ""
    state: str = ""
    glyph: str = ""
    is_good: bool = False
    is_dim: bool = False
    is_first: bool = False
    """Whether a hairline parts it from what stands above."""
    model: str = ""
    key: str = ""
    press: Callable[[], object] | None = None
    is_unknown: bool = False
    """Whether nobody knows yet what the model is good for: a button at the right finds out."""

    @property
    def spoken(self) -> str:
        """The row as a screen reader says it."""
        chosen = tr("chosen") if self.glyph == "check" else ""
        return ", ".join(filter(None, (self.title, chosen, self.below, self.state, self.key)))


class _SwitchList(RowList):
    def edit(self, *_: Any) -> Any:
        """Edit nothing: Qt would give the keyboard to the button of the row that is chosen."""
        return False


class ModelSwitch(Popover):
    """Choose with the arrows and Enter, a number, or a click; a right click offers to use a model everywhere."""

    chosen = Signal(str)
    """The model that answers in this conversation from now on."""
    chosen_for_all = Signal(str)
    """The model that answers in every conversation."""
    download_wanted = Signal()
    evaluation_wanted = Signal(str)
    """What a model is good for here is to be found out."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(look, parent, _WIDTH)
        self._choices: tuple[ModelChoice, ...] = ()
        self._downloads: tuple[SwitchRow, ...] = ()
        self._current = ""
        self._rows = Rows[SwitchRow]()
        self.list = _SwitchList(self._rows, _SwitchPainter(look, _ROW_HEIGHT), self)
        self.list.setMouseTracking(True)
        self.list.entered.connect(self.list.setCurrentIndex)
        self.list.clicked.connect(self._press_at)
        self.list.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.list.customContextMenuRequested.connect(self._offer_for_all)
        self.state = StyledLabel(look, TextStyle.HELP, parent=self)
        style(self.state, look, margins=(_PAD, 5, _PAD, 5))
        margins = (6, 6, 6, 6)
        self.contents.addLayout(column_of(look, self.state, self.list, gap=0, margins=margins))
        self.setFocusProxy(self.list)
        self.list.installEventFilter(self)
        self._restyle()

    def _restyle(self) -> None:
        self.setAccessibleName(tr("Models"))
        self.list.setAccessibleName(tr("Models"))
        self._fill()

    def set_choices(
        self, choices: Sequence[ModelChoice] | AskanceError | None, current: str
    ) -> None:
        """Show the models of the server, or why there are none; None while the server is asked."""
        self._current = current
        self._choices = ()
        if isinstance(choices, AskanceError):
            self.state.show_text(translated(choices), TextStyle.NOTE)
        else:
            self._choices = tuple(choices or ())
            self.state.show_text(tr("Checking") if choices is None else "")
        self._fill()

    def set_downloads(self, rows: Sequence[SwitchRow]) -> None:
        """Show what is downloaded now, below the models."""
        self._downloads = tuple(rows)
        # Some come each second: what nobody sees is filled when it is opened.
        if not self.isVisible():
            return
        found = self._all_rows()
        if len(found) == len(self._rows.shown):
            self._rows.change_rows(found)
        else:
            self._fill()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Choose by number, and download by its letter."""
        row = event.key() - Qt.Key.Key_1
        if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            super().keyPressEvent(event)
        elif 0 <= row < min(len(self._choices), 9):
            self._press(row)
        elif event.key() == Qt.Key.Key_D:
            self._press(len(self._rows.shown) - 1)
        elif event.key() == Qt.Key.Key_E:
            found = self._rows.at(self.list.row)
            if found is not None and found.is_unknown:
                self.evaluation_wanted.emit(found.model)
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take the keys that the list would search with, and Enter."""
        if watched is not self.list or not isinstance(event, QKeyEvent):
            return False
        if event.type() is not QEvent.Type.KeyPress:
            return False
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._press(self.list.row)
        elif event.text().strip() or event.key() == Qt.Key.Key_Escape:
            self.keyPressEvent(event)
        else:
            return False
        return True

    def _all_rows(self) -> list[SwitchRow]:
        more = SwitchRow(
            tr("Download a model…"), glyph="new", key=DOWNLOAD, press=self.download_wanted.emit
        )
        rows = [*map(self._row, self._choices), *self._downloads, more]
        if at := len(self._choices):
            rows[at] = replace(rows[at], is_first=True)
        return rows

    def _fill(self) -> None:
        """Show all rows, the model that answers as the one that is picked."""
        rows = self._all_rows()
        self._rows.show_rows(rows)
        for at, row in enumerate(rows):
            if row.is_unknown:
                evaluate = partial(self.evaluation_wanted.emit, row.model)
                button = LinkButton(self.list, tr("Evaluate"), evaluate)
                button.setProperty("link", True)
                style(button, self.look, font=theme.LABEL_TEXT)
                button.setAccessibleName(f"{row.title}: {button.text()}")
                self.list.setIndexWidget(self._rows.index(at, 0), button)
        height = self.list.painter.height
        self.list.setFixedHeight(height * min(len(rows), _MOST_ROWS))
        at = next((n for n, row in enumerate(rows) if row.glyph == "check"), 0)
        self.list.setCurrentIndex(self._rows.index(at, 0))
        if self.isVisible():
            self.refit()

    def _row(self, choice: ModelChoice) -> SwitchRow:
        parts = [size_text(choice.size_bytes)] if choice.size_bytes else []
        is_current = choice.name in (self._current, f"{self._current}:latest")
        if choice.free_bytes:
            # Both in the unit of the sentence: a model that does not fit is some gigabytes large.
            size, free = gigabytes(choice.size_bytes), gigabytes(choice.free_bytes)
            below = tr("{n} GB: more than the {m} GB that are free", n=size, m=free)
            glyph = "check" if is_current else "attention"
            return SwitchRow(choice.name, below, glyph=glyph, is_dim=True, model=choice.name)
        if choice.is_loaded:
            parts.append(tr("in memory"))
        if choice.words_a_second:
            parts.append(tr("about {n} words a second here", n=choice.words_a_second))
        if choice.grade is None:
            parts.append(tr("not evaluated yet"))
        return SwitchRow(
            choice.name,
            " · ".join(parts),
            "" if choice.grade is None else translated(choice.grade),
            "check" if is_current else "",
            choice.is_good,
            model=choice.name,
            press=partial(self.chosen.emit, choice.name),
            is_unknown=choice.grade is None,
        )

    def _press(self, row: int) -> None:
        found = self._rows.at(row)
        if found is not None and found.press is not None:
            self.close()
            found.press()

    def _press_at(self, index: QModelIndex) -> None:
        self._press(index.row())

    def _offer_for_all(self, at: QPoint) -> None:
        row = self._rows.at(self.list.indexAt(at).row())
        if row is None or row.press is None or not row.model:
            return
        menu = Menu(self.look, self)
        menu.add(tr("Use for all"), lambda: self._use_for_all(row.model), glyph="check")
        menu.open_at(self.list.viewport().mapToGlobal(at))

    def _use_for_all(self, model: str) -> None:
        self.close()
        self.chosen_for_all.emit(model)


class _SwitchPainter(RowPainter):
    def updateEditorGeometry(
        self,
        editor: QWidget,
        option: QStyleOptionViewItem,
        index: Index,  # noqa: ARG002 - Qt's interface
    ) -> None:
        """Put the button of a row at its right."""
        area = QRect(option.rect).adjusted(0, 0, -self.look.px(_PAD), 0)
        where = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        size = editor.sizeHint()
        editor.setGeometry(QStyle.alignedRect(option.direction, where, size, area))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: SwitchRow = index.data(ROW)
        c, px = self.look.colours, self.look.px
        area: QRect = option.rect
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if row.is_first:
            draw_hairline(painter, c.line, area.width(), area.top())
        if option.state & QStyle.StateFlag.State_Selected:
            fill(painter, area, c.accent_soft, px(theme.MENU_ROW_RADIUS))
        inside = area.adjusted(px(_PAD), 0, -px(_PAD), 0)
        if row.glyph:
            amber = row.is_dim and row.glyph != "check"
            ink = c.amber if amber else c.accent if row.glyph == "check" else c.ink_2
            place = QRect(inside.left(), area.top(), px(theme.GLYPH), area.height())
            widget = option.widget
            draw_glyph(painter, widget, self.look, row.glyph, ink, place)
        small = self.look.font(theme.LABEL_TEXT)
        state = row.state or row.key or (tr("Evaluate") if row.is_unknown else "")
        room = QFontMetrics(small).horizontalAdvance(state) + 1 if state else 0
        at = QRect(inside.right() - room, area.top(), room, area.height())
        if not row.is_unknown:
            write(painter, state, at, small, c.accent if row.is_good else c.ink_3)
        if row.key and not row.state:
            cap = at.adjusted(-px(5), 0, px(4), 0)
            cap.setTop(at.center().y() - px(8))
            cap.setHeight(px(17))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QColor(c.line_2))
            painter.drawRoundedRect(cap, px(theme.SPACE_XS), px(theme.SPACE_XS))
        left = inside.left() + px(_GLYPH_ROOM)
        width = at.left() - px(theme.SPACE_M) - left
        lines = ((row.title, theme.SMALL_TEXT, c.ink_3 if row.is_dim else c.ink),)
        lines += ((row.below, theme.LABEL_TEXT, c.ink_3),) if row.below else ()
        middle = area.center().y() + 1 - px(theme.SPACE_S) * (len(lines) - 1)
        for n, (text, size, ink) in enumerate(lines):
            high = px(18)
            top = middle - high // 2 + n * px(17)
            line = QRect(left, top, width, high)
            # Of a model's name the end says which of its family it is.
            elide = Qt.TextElideMode.ElideRight if n else Qt.TextElideMode.ElideMiddle
            write(painter, text, line, self.look.font(size), ink, elide=elide)
        painter.restore()
