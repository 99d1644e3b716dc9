"""The first column of a wide window: the questions of the conversation, and past conversations below them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QStyle, QStyleOptionViewItem, QWidget

from askance.domain.history import title_of
from askance.presentation.i18n import tr
from askance.ui.design import theme
from askance.ui.design.composing import Composite, column_of, row_of, style
from askance.ui.design.drawing import write
from askance.ui.design.focus import wants_ring
from askance.ui.design.glyphs import fill_hover
from askance.ui.design.labels import Hairline, PlainLabel
from askance.ui.design.lists import ROW, Index, RowList, RowPainter, Rows
from askance.ui.design.theme import Look
from askance.ui.overlay.bar.tool_row import ToolRow
from askance.ui.overlay.conversation.exchange import ExchangeView, State
from askance.ui.overlay.sources_panel import ROW_HEIGHT

WIDTH = 228
_SIDE = 8
# Within a row, as its text stands: in line with the captions, and with the line of the one that is read.
_LEFT, _TOP, _RIGHT, _LINE = 16, 5, 9, 18
_MARK, _MARK_LEFT, _MARK_TOP = 2, 6, 8
_MOST_LINES, _BAR = 2, 6
_MEDIUM, _BOLD = QFont.Weight.Medium, QFont.Weight.DemiBold
# Of a question so much is enough for two lines.
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    """A question of the conversation, and whether it waits for those before it."""

    title: str
    is_next: bool

    @property
    def spoken(self) -> str:
        """The row as a screen reader says it."""
        return f"{self.title}, {tr('next')}" if self.is_next else self.title


class QuestionPainter(RowPainter):
    """Draws questions in at most two lines, and a line of the accent beside the one that is read."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, _LINE)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: ARG002 - Qt's interface
        """Return the height of a row: that of its lines."""
        question: AskedQuestion = index.data(ROW)
        lines = len(self._lines(question))
        return QSize(0, self.look.px(lines * _LINE + 2 * _TOP))

    def draw_ground(self, painter: QPainter, option: QStyleOptionViewItem) -> None:
        """Draw the line beside the one that is read."""
        px, area = self.look.px, option.rect
        top = px(_MARK_TOP)
        mark = QRect(area.left() + px(_MARK_LEFT), area.top() + top, px(_MARK), 0)
        mark.setHeight(area.height() - 2 * top)
        painter.fillRect(mark, QColor(self.look.colours.accent))

    def draw(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        row: AskedQuestion,
        *,
        is_chosen: bool,
    ) -> None:
        """Write a question."""
        question, area = row, option.rect
        c, px = self.look.colours, self.look.px
        if option.state & QStyle.StateFlag.State_MouseOver and not is_chosen:
            fill_hover(painter, area, self.look)
        ink = c.ink if is_chosen else c.ink_3 if question.is_next else c.ink_2
        font = self.look.font(theme.SMALL_TEXT, _MEDIUM if is_chosen else QFont.Weight.Normal)
        line = QRect(area.left() + px(_LEFT), area.top() + px(_TOP), area.width(), px(_LINE))
        line.setRight(area.right() - px(_RIGHT))
        if question.is_next:
            small, label = self.look.font(theme.LABEL_TEXT), tr("next")
            right = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
            write(painter, label, line, small, c.ink_3, where=right)
        line.setWidth(self._room(question))
        for text in self._lines(question):
            write(painter, text, line, font, ink)
            line.translate(0, px(_LINE))

    def _room(self, question: AskedQuestion) -> int:
        # Qt asks for the height before there is a width; a scroll bar may come beside it.
        px = self.look.px
        room = px(WIDTH) - 2 * px(_SIDE) - px(_LEFT) - px(_RIGHT) - px(_BAR)
        if question.is_next:
            label = QFontMetrics(self.look.font(theme.LABEL_TEXT))
            room -= label.horizontalAdvance(tr("next")) + self.look.px(theme.SPACE_S)
        return room

    def _lines(self, question: AskedQuestion) -> list[str]:
        return _broken(question.title[:_LONGEST], self._room(question), self.look)


# Painted at each movement of the pointer, and measured whenever the window is.
@lru_cache(maxsize=200)
def _broken(title: str, room: int, look: Look) -> list[str]:
    """Return the words line by line; what has no room in them stands in the last, which is cut when drawn."""
    # By the widest weight: the height of a row is the same whether it is read or not.
    metrics, words = QFontMetrics(look.font(theme.SMALL_TEXT, _MEDIUM)), title.split()
    lines = [""]
    for i, word in enumerate(words):
        longer = f"{lines[-1]} {word}".strip()
        if not lines[-1] or metrics.horizontalAdvance(longer) <= room:
            lines[-1] = longer
        elif len(lines) < _MOST_LINES:
            lines.append(word)
        else:
            lines[-1] = " ".join((lines[-1], *words[i:]))
            break
    return lines


class QuestionsColumn(Composite):
    """The row of the window, the questions, at most half of the column, and the history in what is left."""

    question_chosen = Signal(int)
    """A question is to be read, by its place from 0."""
    shown = Signal()
    """It has come up: the history may be out of date."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(look, parent)
        self._views: tuple[ExchangeView, ...] = ()
        self._is_following = False
        # Screen readers go by the order in which the parts are made.
        top = QWidget(self)
        self.caption = style(
            PlainLabel("", self),
            look,
            font=theme.LABEL_TEXT,
            weight=_BOLD,
            ink="ink_3",
            margins=(_LEFT, 6, _RIGHT, 3),
        )
        self.rows = Rows[AskedQuestion]()
        self.list = RowList(self.rows, QuestionPainter(look), self)
        self.list.setUniformItemSizes(False)
        self.list.viewport().setMouseTracking(True)
        wants_ring(self.list)
        self.list.selectionModel().currentChanged.connect(self._choose)
        self.list.clicked.connect(self._choose)
        self.rule = Hairline(look, self)
        ruled = column_of(look, self.rule, gap=0, margins=(15, 12, _RIGHT, 8))
        self._top = row_of(look, None, gap=4, margins=(14, 0, 18, 0))
        top.setLayout(self._top)
        style(top, look, height=ROW_HEIGHT)
        self._below = column_of(look, self.caption, self.list, gap=0, margins=(_SIDE, 0, _SIDE, 0))
        self._below.addLayout(ruled)
        self.setLayout(column_of(look, top, self._below, None, gap=0))
        self._restyle()

    def _restyle(self) -> None:
        self.setFixedWidth(self.look.px(WIDTH))
        self.caption.setText(tr("In this conversation"))
        self.list.setAccessibleName(tr("In this conversation"))
        self._fit()

    def take_buttons(self, tools: ToolRow) -> None:
        """Take the buttons out of the tools that belong to all conversations."""
        self._top.insertWidget(0, tools.menu_button)
        for part in (tools.history_button, tools.new_button):
            self._top.addWidget(part)
        for part in (tools.menu_button, tools.history_button, tools.new_button):
            part.raise_()
            part.show()

    def show_history(self, past: QWidget) -> None:
        """Show past conversations in what is left of the column."""
        self._below.addWidget(past, 1)
        layout = self.layout()
        assert layout is not None
        layout.takeAt(layout.count() - 1)  # the room that was left
        past.show()

    def show_questions(self, views: Sequence[ExchangeView]) -> None:
        """Show the questions of a conversation."""
        self._views = tuple(views)
        asked = ((v.asked.text or title_of("", v.asked.quote), v.state) for v in views)
        questions = tuple(AskedQuestion(text, state is State.WAITING) for text, state in asked)
        if questions != self.rows.shown:
            at = self.list.row
            self.rows.show_rows(questions)
            self._follow(min(at, len(questions) - 1))
            self._fit()

    def mark(self, view: ExchangeView | None) -> None:
        """Mark the question that is read."""
        # By identity: the same may be asked twice.
        row = next((i for i, v in enumerate(self._views) if v is view), -1)
        if row >= 0 and row != self.list.row:
            self._follow(row)

    def showEvent(self, event: QShowEvent) -> None:
        """Say that it is seen."""
        super().showEvent(event)
        self.shown.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave half of the height to the history."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        has_questions = bool(self.rows.shown)
        for part in (self.caption, self.list, self.rule):
            part.setVisible(has_questions)
        self.list.fit(self.height() // 2 - self.look.px(ROW_HEIGHT))

    def _follow(self, row: int) -> None:
        self._is_following = True
        self.list.choose(row)
        self._is_following = False

    def _choose(self, index: Index) -> None:
        # The arrow keys of the list read on; what is followed was scrolled to already.
        if not self._is_following and index.isValid():
            self.question_chosen.emit(index.row())
