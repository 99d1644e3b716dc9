"""What comes up below the field: why something was not done, and the commands that fit what was typed."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from PySide6.QtCore import QElapsedTimer, QModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetrics, QMouseEvent, QPainter, QPalette, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QStyle, QStyleOptionViewItem, QWidget

from askance.app.commands import CommandError, Completion
from askance.presentation.i18n import tr, without_backticks
from askance.ui.design import tokens
from askance.ui.design.composing import Styled, style
from askance.ui.design.drawing import fill, write
from askance.ui.design.focus import LinkButton, announce
from askance.ui.design.labels import PlainLabel
from askance.ui.design.lists import ROW, Index, RowList, RowPainter, Rows
from askance.ui.design.theme import Look
from askance.ui.overlay.ask_field import INSET

_MOST_SENTENCES = 3
_ANY_HEIGHT = 10_000
# Somebody who types sees a message that comes by itself only after some keys more.
READING_MS = 4_000
# Where a path or an address may go on in the next line: a space that nobody sees is put there.
_BREAKS = re.compile(r"(?<=[/\\._-])(?=\w)")


@dataclass(frozen=True, slots=True)
class MessageAction:
    """What can be done about a complaint: the label of its button, and what that does."""

    label: str
    run: Callable[[], object]


class InlineMessage(Styled, QWidget):
    """Why something was not done, with a button for what helps; hidden while there is nothing to say."""

    accepted = Signal(str)
    """The text that was meant, and is to stand in the field."""
    insisted = Signal(str)
    """The text that asks what was typed as it stands."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._problem = CommandError("")
        self._step: MessageAction | None = None
        self._since_news = QElapsedTimer()  # valid where a message came by itself
        self._sentence = PlainLabel(parent=self)
        style(self._sentence, look, font=tokens.SMALL_TEXT, ink="amber")
        self._sentence.setWordWrap(True)
        self._button = LinkButton(self)
        self._button.clicked.connect(self._accept)
        self._insist = LinkButton(self)
        self._insist.clicked.connect(lambda: self.insisted.emit(self._problem.as_question))
        for button in (self._button, self._insist):
            medium = QFont.Weight.Medium
            style(button, look, font=tokens.SMALL_TEXT, weight=medium, min_height=tokens.TARGET)
        self._row = style(QHBoxLayout(self), look, gap=tokens.SPACE_S)
        self._row.addWidget(self._sentence)
        self._row.addWidget(self._button, 0, Qt.AlignmentFlag.AlignTop)
        self._row.addWidget(self._insist, 0, Qt.AlignmentFlag.AlignTop)
        self._row.addStretch(1)
        self._restyle()
        self.hide()

    def _restyle(self) -> None:
        self._row.setContentsMargins(INSET, self.look.px(6), 0, 0)
        self._fit()

    @property
    def sentence(self) -> str:
        """What is complained of; empty if nothing is."""
        return "" if self.isHidden() else self._problem.problem

    def show_problem(self, problem: CommandError) -> None:
        """Show a complaint, and tell it to a screen reader."""
        self._since_news.invalidate()
        self._show(problem)

    def _show(self, problem: CommandError, step: MessageAction | None = None) -> None:
        text = without_backticks(problem.problem)
        # As it is shown: `take_back` and `add_problem` compare sentences with these.
        self._problem, self._step = replace(problem, problem=text), step
        self._sentence.setText(_BREAKS.sub("\u200b", text))
        self._sentence.setAccessibleName(text)
        self._button.setVisible(bool(problem.nearest or step))
        use = tr("Use {text}", text=(problem.nearest.split() or [""])[0])
        self._button.setText(step.label if step else use)
        self._button.setAccessibleDescription(problem.nearest)
        self._insist.setVisible(bool(problem.as_question))
        self._insist.setText(tr("Ask it anyway"))
        self._insist.setAccessibleDescription(problem.as_question)
        self._fit()
        self.show()
        announce(self, text)

    def take_back(self, sentence: str) -> None:
        """Show a sentence no more: what it says is no longer so."""
        taken = set(without_backticks(sentence).splitlines())
        if self.isHidden() or taken.isdisjoint(self.sentence.splitlines()):
            return
        left = [line for line in self.sentence.splitlines() if line not in taken]
        if left:
            self._show(replace(self._problem, problem="\n".join(left)))
        else:
            self.hide()

    def add_problem(self, sentence: str, step: MessageAction | None = None) -> None:
        """Show a sentence below those that are shown: each of several troubles is to be read."""
        sentences, sentence = self.sentence.splitlines(), without_backticks(sentence)
        if sentence not in sentences:
            sentences = [*sentences, sentence][-_MOST_SENTENCES:]
        if self.isHidden():
            self._problem, self._step = CommandError(""), None
        problem = replace(self._problem, problem="\n".join(sentences))
        self._show(problem, step or self._step)
        self._since_news.start()

    def hide_read(self) -> None:
        """Hide what is shown, but not what came by itself less than `READING_MS` ago."""
        if not self._since_news.isValid() or self._since_news.elapsed() >= READING_MS:
            self.hide()

    def minimumSizeHint(self) -> QSize:
        """Return the height alone: the sentence takes as many lines as the width leaves it."""
        return QSize(0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break the sentence anew."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Let the sentence be as wide as it is, or as there is room for, and as high as that takes."""
        if not self._problem.problem:
            return
        room = self.width() - INSET
        for button in (self._button, self._insist):
            if not button.isHidden():
                room -= button.sizeHint().width() + self._row.spacing()
        text, metrics = self._sentence.text(), self._sentence.fontMetrics()
        whole = 1 + max(map(metrics.horizontalAdvance, text.split("\n")))
        width = max(1, min(whole, room))
        # The label's own answer is never less than the height that it has been given before.
        high = QRect(0, 0, width, _ANY_HEIGHT)
        needed = metrics.boundingRect(high, Qt.TextFlag.TextWordWrap, text).height()
        self._sentence.setFixedSize(width, needed)

    def _accept(self) -> None:
        if self._step is not None:
            self._step.run()
        else:
            self.accepted.emit(self._problem.nearest)


_ROW_TEXT = 14
_ROW_HEIGHT = 35
_MARGIN = 6
# The texts stand in line with the mark above: so far from the edge of their row.
_INDENT = tokens.SPACE_L - _MARGIN
_HELP_AT = 116
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
        if tuple(completions) == self._rows.shown and self.is_open == bool(completions):
            return
        self._rows.show_rows(completions)
        self._fit()
        self.setVisible(bool(completions))
        self._select(0)

    def step(self, rows: int) -> None:
        """Move the selection so many rows on, round the ends."""
        if count := len(self._rows.shown):
            self._select((self.currentIndex().row() + rows) % count)

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
        if chosen := self.current:
            announce(self, _spoken(chosen))

    def _choose(self, index: QModelIndex) -> None:
        self.chosen.emit(self._rows.at(index.row()))


class _Completions(RowPainter):
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        colours, px = self.look.colours, self.look.px
        rect: QRect = option.rect
        completion: Completion = index.data(ROW)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_Selected:
            fill(painter, rect, colours.accent_soft, px(tokens.CONTROL_RADIUS))
        name, font = _named(completion), self.look.font(_ROW_TEXT, QFont.Weight.Medium)
        wide = QFontMetrics(font).horizontalAdvance(name)
        column = max(px(_HELP_AT), px(_INDENT) + wide + px(12))
        write(painter, name, rect.adjusted(px(_INDENT), 0, 0, 0), font, colours.ink)
        about = rect.adjusted(column, 0, -px(_INDENT), 0)
        small = self.look.font(_ROW_TEXT)
        write(painter, completion.command.about, about, small, colours.ink_2)
        painter.restore()


def _named(completion: Completion) -> str:
    return f"/{completion.command.name}"


def _spoken(completion: Completion) -> str:
    return tr("/{name}: {about}", name=completion.command.name, about=completion.command.about)
