"""The exchanges of a conversation, one below the other, which stay where the reader is.

They are stacked by hand: a layout would ask every exchange for its height whenever one of them
grows by a line.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import takewhile
from time import perf_counter

from PySide6.QtCore import QPoint, QRect, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QScrollArea, QScrollBar, QWidget

from askance.domain.conversation import Outcome, ParsedCommand, Usage
from askance.domain.events import Answered, ResultsFound, TokenArrived
from askance.domain.messages import NOTHING
from askance.presentation.i18n import tr
from askance.ui.design import theme
from askance.ui.design.composing import Styled, single_shot_timer
from askance.ui.design.drawing import draw_hairline
from askance.ui.design.theme import Look
from askance.ui.overlay.conversation.exchange import ExchangeModel, ExchangeView, State
from askance.ui.overlay.conversation.exchange_actions import ExchangeServices
from askance.ui.overlay.conversation.exchange_view import ExchangeWidget

_AT_BOTTOM = 8
_LINE_STEP = 40
TEXT_WIDTH = 680
"""Text is so wide at most, in pixels of the tokens: longer lines are hard to follow."""
# Of an exchange so much has to be seen at the top to be the one that is read.
_LEAST_SEEN = 60
# For so long exchanges out of sight are laid out at another width, in one turn of the event loop.
_SLICE_S = 0.006

_SPECIMEN = (
    ResultsFound("?", 1, 1, (), NOTHING, 0, urls=("https://example.org/",)),
    TokenArrived("**?** `?` [1]\n\n"),
    Answered("?", (), (), Outcome.WEB, 1, Usage(), (), 0),
)

START, END = -1, -2


@dataclass(frozen=True, slots=True)
class ReadingPlace:
    """What stands at the top, and how far below it: a place in an answer, or `START` or `END` of an exchange."""

    exchange: ExchangeWidget
    position: int
    offset: int


class ConversationView(Styled, QScrollArea):
    """Scrolls the exchanges. It follows what grows at its end unless the reader went up.

    It does so until the last question has come to the top: an answer is read from its beginning.
    Beyond that it follows who went to the end.
    """

    height_changed = Signal()
    link_activated = Signal(str)
    requested = Signal(object, object, str)
    """An `ExchangeWidget`, and what it requests: see there."""
    fix_requested = Signal(str)
    read_changed = Signal()
    """Another exchange is read, or none."""
    pointed = Signal(str)
    """The link of the number under the pointer, or with the focus, in the exchange that is read; empty for none."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.services = ExchangeServices()
        """What the window does with exchanges: to be filled before the first one is there."""
        self._follows, self._is_past_question = True, False
        self._is_placing = False
        self._waiting: list[ExchangeView] = []
        self._made_ahead: ExchangeWidget | None = None
        self._spare: ExchangeWidget | None = None
        # The index of the exchange that is to be read once it is made.
        self._goal: int | None = None
        self._read: ExchangeWidget | None = None
        self._pointed: ExchangeWidget | None = None
        # It is kept while the width changes step by step: each would move it by a part of a line.
        self._place: ReadingPlace | None = None
        self._are_sources_beside = False
        self._stack = _Stack(look)
        self._stack.height_changed.connect(self._grow)
        self._stack.setFixedHeight(0)
        self.setWidget(self._stack)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # A bar beside the exchanges would break all their lines anew when it comes; one over them
        # does not.
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._bar = QScrollBar(Qt.Orientation.Vertical, self)
        self._bar.valueChanged.connect(self.verticalScrollBar().setValue)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(tr("Conversation"))
        self.verticalScrollBar().setSingleStep(_LINE_STEP)
        self.verticalScrollBar().valueChanged.connect(self._scroll)
        self._older = single_shot_timer(self, self._add_older)
        self._unseen = single_shot_timer(self, self._measure_unseen)

    def _restyle(self) -> None:
        self._spare = None
        self._anchor(0)
        self._measure_seen()

    def add(self, view: ExchangeView) -> ExchangeWidget:
        """Add an exchange at the end and go there."""
        exchange = self._made(view)
        # They went on from what was the last answer until now.
        self.set_suggestions(())
        self._follows, self._is_past_question = True, False
        self._pointed = self._place = self._goal = None
        self._stack.insert(len(self._stack.exchanges), exchange)
        self._note_read()
        return exchange

    def show_all(self, views: Sequence[ExchangeView]) -> None:
        """Show a conversation from the history, its end first; the older exchanges follow."""
        self.clear()
        self._waiting = list(views[:-1])
        if views:
            self.add(views[-1])
        # The newest is there at once; the older ones follow one by one, when nothing is to do.
        if self._waiting:
            self._older.start(0)

    def set_suggestions(self, questions: Sequence[str]) -> None:
        """Show questions that go on from the last answer, below it alone."""
        for exchange in self.exchanges:
            exchange.show_next(questions if exchange is self.exchanges[-1] else ())

    def ask_next(self, index: int) -> bool:
        """Ask one of these questions, by its place from 0; False if it is not there."""
        return bool(self.exchanges) and self.exchanges[-1].ask_next(index)

    def go_to_number(self, by: int) -> None:
        """Go to the next number, or the one before: from the one that has the focus, else in the newest answer."""
        answers = [answer for exchange in self.exchanges for answer in exchange.numbered]
        focused = (n for n, answer in enumerate(answers) if answer.hasFocus())
        newest = self.exchanges[-1].numbered if self.exchanges else ()
        at = next(focused, len(answers) - (len(newest) if by > 0 else 1))
        for answer in answers[at:] if by > 0 else answers[at::-1]:
            if answer.go_to_number(by):
                return

    def clear(self) -> None:
        """Take everything away."""
        self._older.stop()
        self._waiting = []
        if self._made_ahead is not None:
            self._made_ahead.deleteLater()
            self._made_ahead = None
        self._pointed = self._place = self._goal = None
        self._stack.clear()
        self._follows, self._is_past_question = True, False
        self._note_read()

    @property
    def _missing(self) -> int:
        """How many exchanges are not made yet: the oldest ones."""
        return len(self._waiting) + (self._made_ahead is not None)

    def at(self, index: int) -> ExchangeWidget | None:
        """Return the exchange of an index, if it is made."""
        place = index - self._missing
        return self.exchanges[place] if 0 <= place < len(self.exchanges) else None

    def index_of(self, exchange: ExchangeWidget) -> int:
        """Return the index of an exchange."""
        return self._missing + list(self.exchanges).index(exchange)

    def remove(self, index: int) -> None:
        """Take an exchange away; what is read stays where it is."""
        exchange = self.at(index)
        if exchange is None:
            del self._waiting[index]
            return
        if exchange is self._pointed:
            self._pointed = None
        self._place = None
        self._stack.remove(exchange)

    def put_back(self, index: int, view: ExchangeView) -> None:
        """Show an exchange again where it stood."""
        if index < self._missing:
            self._waiting.insert(index, view)
        else:
            self._stack.insert(index - self._missing, self._made(view))

    @property
    def exchanges(self) -> Sequence[ExchangeWidget]:
        """The exchanges that are there, oldest first."""
        return self._stack.exchanges

    @property
    def is_complete(self) -> bool:
        """Whether all that was to be shown is there."""
        return not self._missing

    @property
    def content_height(self) -> int:
        """How high all of it is, in pixels."""
        return self._stack.height()

    @property
    def read_exchange(self) -> ExchangeWidget | None:
        """The exchange in which a number was pointed at, else the newest at the end, else the topmost one seen."""
        if self._pointed is not None:
            return self._pointed
        bar = self.verticalScrollBar()
        if bar.value() < bar.maximum():
            least = min(self.look.px(_LEAST_SEEN), self.viewport().height() // 2)
            # They stand in order, and there may be hundreds.
            at = bisect_right(self.exchanges, bar.value() + least, key=ExchangeWidget.y)
            return self.exchanges[max(0, at - 1)] if self.exchanges else None
        # What waits has nothing to be read yet.
        newest = reversed(self.exchanges)
        return next((e for e in newest if not e.view or e.view.state is not State.WAITING), None)

    def go_to(self, exchange: ExchangeWidget) -> None:
        """Bring an exchange to the top, as far as there is something below it."""
        self.verticalScrollBar().setValue(exchange.y())
        # One near the end does not come to the top, and is the one that is wanted all the same.
        self._pointed = exchange
        self._note_read()

    def go_to_index(self, index: int) -> None:
        """Bring the exchange of an index to the top, as soon as it is made."""
        self._goal = index
        self._go_to_goal()

    def _go_to_goal(self) -> None:
        if self._goal is not None and (exchange := self.at(self._goal)) is not None:
            self._goal = None
            self.go_to(exchange)

    def set_form(self, *, is_wide: bool, are_sources_beside: bool) -> None:
        """Say whether the window is wide, and whether sources with their quotes stand beside the exchanges.

        Where it is, lines end before they are too long; where they do, exchanges need not show them.
        """
        place = self._reading_place()
        self._are_sources_beside = are_sources_beside
        if self._stack.set_form(is_wide=is_wide, are_sources_beside=are_sources_beside):
            self._go_back_to(place)

    def light_source(self, n: int) -> None:
        """Light the numbers of a source in the exchange that is read; none for 0."""
        for exchange in self.exchanges:
            for numbered in exchange.numbered:
                numbered.light_source(n if exchange is self._read else 0)

    def measure(self) -> None:
        """Give every exchange the height that it takes now. While they are hidden, none asks for it."""
        # The viewport takes this width only when it is seen.
        self._stack.set_width(self.width())
        for exchange in self.exchanges:
            exchange.measure()
            self._stack.measure(exchange)
        self._measure_seen()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break everything anew where the width has changed: what is seen now, all else when there is time."""
        place = self._reading_place()
        # Qt's own scrolling for the new size is not the reader's.
        with self._placing():
            super().resizeEvent(event)
            width = self._bar.sizeHint().width()
            self._bar.setGeometry(self.width() - width, 0, width, self.height())
            self._stack.set_width(self.viewport().width())
        self._go_back_to(place)

    def _reading_place(self) -> ReadingPlace | None:
        """Return which words are at the top; None where the end is read, which stays so."""
        if self._follows:
            return None
        if self._place is None:
            self._place = self._stack.place_at(self.verticalScrollBar().value())
        return self._place

    def _go_back_to(self, place: ReadingPlace | None) -> None:
        # What is laid out anew moves what is below it, until all that is seen is in its place.
        for _ in range(3):
            self._anchor(0)
            if place is not None:
                with self._placing():
                    self._stack.lay_out(place.exchange)
                self._anchor(0)
            if not self._measure_seen():
                break
        self._note_read()

    def _measure_seen(self) -> bool:
        """Lay out what is seen and was not at this width; return whether there was something."""
        top, height, found = self.verticalScrollBar().value(), self.viewport().height(), False
        while stale := self._stack.stale_between(top, top + height):
            with self._placing():
                self._stack.lay_out(stale)
            top, found = self.verticalScrollBar().value(), True
        if self._stack.stale:
            self._unseen.start(0)
        return found

    def _measure_unseen(self) -> None:
        """Lay out what is out of sight, for a moment."""
        began = perf_counter()
        while self._stack.stale and perf_counter() - began < _SLICE_S:
            with self._placing():
                self._stack.lay_out(next(iter(self._stack.stale)))
        if self._stack.stale:
            self._unseen.start(0)

    def _note_read(self) -> None:
        read = self.read_exchange
        if read is not self._read:
            self.light_source(0)
            self._read = read
            self.read_changed.emit()

    def _point(self, exchange: ExchangeWidget, link: str) -> None:
        """Read the exchange of a number that is pointed at, until the reader scrolls."""
        if link:
            self._pointed = exchange
            self._note_read()
        if exchange is self._read:
            self.pointed.emit(link)

    def prepare(self) -> None:
        """Make the widget of the next question ahead: it takes longer than a frame."""
        self._spare = self._spare or self._unseen_exchange()

    def draw_specimen(self) -> Iterator[None]:
        """Draw an exchange where nobody sees it: fonts and glyphs are loaded, and what draws answers is made, by then.

        Each step takes about a frame.
        """
        specimen = self._unseen_exchange()
        model = ExchangeModel(ParsedCommand("search", "?"))
        for event in _SPECIMEN:
            yield
            model.apply(event, 0)
            specimen.show_view(model.view)
        yield
        specimen.resize(self.width(), specimen.sizeHint().height())
        specimen.grab()
        specimen.deleteLater()

    def _unseen_exchange(self) -> ExchangeWidget:
        # A part of the window, with which it goes: one that garbage collection finds may go in another thread.
        exchange = ExchangeWidget(self.look, self, self.services)
        # Said, or it would be shown with the window.
        exchange.hide()
        return exchange

    def _made(self, view: ExchangeView) -> ExchangeWidget:
        self.prepare()
        exchange, self._spare = self._spare, None
        assert exchange is not None
        exchange.link_activated.connect(self.link_activated)
        exchange.fix_requested.connect(self.fix_requested)
        exchange.requested.connect(partial(self.requested.emit, exchange))
        exchange.unfolded.connect(self._stay)
        exchange.pointed.connect(partial(self._point, exchange))
        exchange.set_sources_beside(self._are_sources_beside)
        exchange.show_view(view)
        return exchange

    def _add_older(self) -> None:
        """Make an exchange in one turn of the event loop, and put it in its place in the next."""
        if self._made_ahead is not None:
            # In a turn of its own, so that none has both to make it and to lay it out.
            self._stack.insert(0, self._made_ahead)
            self._made_ahead = None
            self._go_to_goal()
        elif self._waiting:
            self._made_ahead = self._made(self._waiting.pop())
        if not self.is_complete:
            self._older.start(0)

    def _grow(self, above: int) -> None:
        """Stay at the end, or at the same words: `above` pixels came in over the reader's place."""
        self._anchor(above)
        self._note_read()
        self.height_changed.emit()

    @contextmanager
    def _placing(self) -> Generator[None]:
        """Say that what scrolls meanwhile is not the reader."""
        before, self._is_placing = self._is_placing, True
        yield
        self._is_placing = before

    def _anchor(self, above: int) -> None:
        bar = self.verticalScrollBar()
        with self._placing():
            # The bar gets the new height only later, with the next round of layout.
            most = max(0, self._stack.height() - self.viewport().height())
            bar.setRange(0, most)
            bar.setPageStep(self.viewport().height())
            self._bar.setRange(0, most)
            self._bar.setPageStep(self.viewport().height())
            self._bar.setSingleStep(_LINE_STEP)
            self._bar.setVisible(most > 0)
            self._bar.raise_()
            if self._follows:
                bar.setValue(most if self._is_past_question else min(most, self._stack.last_top))
            elif self._place is not None and self._place.exchange not in self._stack.stale:
                # Parts report their new heights one after the other: the words stay through all of them.
                bar.setValue(self._stack.top_of(self._place) - self._place.offset)
            elif above:
                bar.setValue(bar.value() + above)

    def _scroll(self, value: int) -> None:
        if not self._is_placing:  # it is the reader who scrolls
            # A few pixels count as the end, where wheels and fractions of lines leave the bar.
            self._follows = value >= self.verticalScrollBar().maximum() - _AT_BOTTOM
            self._is_past_question = value > self._stack.last_top
            self._pointed = self._place = self._goal = None
        self._stack.top = value
        self._bar.setValue(value)
        if not self._is_placing:
            self._measure_seen()
            self._note_read()

    def _stay(self) -> None:
        """Whoever unfolds the steps wants to see them, not the end."""
        self._follows = False


class _Stack(Styled, QWidget):
    """The exchanges at their places."""

    height_changed = Signal(int)
    """How many pixels came in above `top`."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.top = 0
        self.exchanges: list[ExchangeWidget] = []
        self.stale: dict[ExchangeWidget, None] = {}
        """Those that are not laid out at this width yet, in order: they are as high as they were, about."""
        self.is_wide = self.are_sources_beside = False

    def _restyle(self) -> None:
        # The text is as wide as its size lets it be.
        self._refit(0)

    def set_form(self, *, is_wide: bool, are_sources_beside: bool) -> bool:
        """Take another form; return whether anything is to be laid out for it."""
        before, width = self.are_sources_beside, self.column.width()
        self.is_wide, self.are_sources_beside = is_wide, are_sources_beside
        if are_sources_beside is not before or self.column.width() != width:
            self.stale = dict.fromkeys(self.exchanges)
        return bool(self.stale)

    @property
    def column(self) -> QRect:
        """Where exchanges stand: in the middle, where there is more room than a line of text should take."""
        most = self.look.px(TEXT_WIDTH + 2 * theme.SPACE_XL)
        width = min(self.width(), most) if self.is_wide else self.width()
        return QRect((self.width() - width) // 2, 0, width, 0)

    def place_at(self, top: int) -> ReadingPlace | None:
        """Return what stands there, or begins first below it."""
        exchange = next((e for e in self.exchanges if e.geometry().bottom() >= top), None)
        if exchange is None:
            return None
        answer = exchange.answer
        at = answer.viewport().mapFrom(self, QPoint(0, top))
        at.setX(0)
        if answer.isHidden() or at.y() < 0:
            position = START
        elif at.y() >= answer.viewport().height():
            position = END
        else:
            position = answer.cursorForPosition(at).position()
        place = ReadingPlace(exchange, position, 0)
        return ReadingPlace(exchange, position, self.top_of(place) - top)

    def top_of(self, place: ReadingPlace) -> int:
        """Return where a place is now, once its exchange is laid out."""
        exchange, answer = place.exchange, place.exchange.answer
        if place.position < 0:
            return exchange.y() + (exchange.height() if place.position == END else 0)
        cursor = QTextCursor(answer.document())
        cursor.setPosition(min(place.position, answer.document().characterCount() - 1))
        rect = answer.cursorRect(cursor)
        return answer.viewport().mapTo(self, rect.topLeft()).y()

    def stale_between(self, top: int, bottom: int) -> ExchangeWidget | None:
        """Return one that reaches into this part and is not laid out at this width."""
        if not self.stale:
            return None
        # They stand below one another: of hundreds those alone are asked that reach into it.
        first = bisect_left(self.exchanges, top, key=lambda e: e.geometry().bottom())
        seen = takewhile(lambda e: e.y() < bottom, self.exchanges[first:])
        return next((e for e in seen if e in self.stale), None)

    def lay_out(self, exchange: ExchangeWidget) -> None:
        """Lay out one that is stale, and move those below it."""
        if exchange not in self.stale:
            return
        del self.stale[exchange]
        exchange.set_sources_beside(self.are_sources_beside)
        before, column = exchange.height(), self.column
        height = exchange.heightForWidth(column.width())
        exchange.setGeometry(column.left(), exchange.y(), column.width(), height)
        self._move_from(self.exchanges.index(exchange) + 1)
        # Of one whose start is out of sight its end stays where it is.
        self._end(height - before if exchange.y() < self.top else 0)

    @property
    def last_top(self) -> int:
        return self.exchanges[-1].y() if self.exchanges else 0

    def insert(self, index: int, exchange: ExchangeWidget) -> None:
        exchange.setParent(self)
        # Screen readers go by this order.
        if index == 0:
            exchange.lower()
        for later in self.exchanges[index:] if index else ():
            later.raise_()
        for changed in (exchange.height_changed, exchange.answer.settled):
            changed.connect(partial(self._resize, exchange))
        self.exchanges.insert(index, exchange)
        column = self.column
        height = exchange.heightForWidth(column.width())
        # `bottom` of a `QRect` is the last pixel in it, not the first below.
        y = 0 if index == 0 else self.exchanges[index - 1].geometry().bottom() + 1
        exchange.setGeometry(column.left(), y, column.width(), height)
        exchange.show()
        self._move_from(index + 1)
        self._end(height if y < self.top or (index == 0 and len(self.exchanges) > 1) else 0)

    def remove(self, exchange: ExchangeWidget) -> None:
        index = self.exchanges.index(exchange)
        y, height = exchange.y(), exchange.height()
        del self.exchanges[index]
        self.stale.pop(exchange, None)
        exchange.hide()
        exchange.deleteLater()
        self._move_from(index)
        self._end(-height if y + height <= self.top else 0)

    def clear(self) -> None:
        for exchange in self.exchanges:
            exchange.hide()
            exchange.deleteLater()
        self.exchanges = []
        self.stale = {}
        self.top = 0
        self._end(0)

    def set_width(self, width: int) -> None:
        if width == self.width():
            return
        before = self.column.width()
        self.resize(width, self.height())
        self._refit(before)

    def _refit(self, before: int) -> None:
        """Give exchanges the width of the column, which was another one before."""
        column = self.column
        if column.width() == before:
            for exchange in self.exchanges:
                exchange.move(column.left(), exchange.y())
        else:
            # Hundreds of answers take longer to break than a frame: each does so when it is seen.
            self.stale = dict.fromkeys(self.exchanges)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw a hairline between exchanges."""
        with QPainter(self) as painter:
            side, column = self.look.px(theme.SPACE_XL), self.column
            painter.translate(column.left() + side, 0)
            top, bottom, width = event.rect().top(), event.rect().bottom(), column.width()
            for exchange in self.exchanges[1:]:
                if top - 1 <= (y := exchange.y()) <= bottom:
                    draw_hairline(painter, self.look.colours.line, width - 2 * side, y)

    def _resize(self, exchange: ExchangeWidget) -> None:
        if exchange in self.exchanges:
            self.measure(exchange)

    def measure(self, exchange: ExchangeWidget) -> None:
        if exchange in self.stale:
            return  # it is laid out before it is seen
        height = exchange.heightForWidth(self.column.width())
        before = exchange.height()
        if height == before:
            return
        exchange.resize(self.column.width(), height)
        self._move_from(self.exchanges.index(exchange) + 1)
        is_above = exchange.y() + before <= self.top
        self._end(height - before if is_above else 0)

    def _move_from(self, index: int) -> None:
        y = self.exchanges[index - 1].geometry().bottom() + 1 if index else 0
        for exchange in self.exchanges[index:]:
            # Heights change one at a time: from the first exchange that is in place all are.
            if exchange.y() == y:
                break
            exchange.move(exchange.x(), y)
            y += exchange.height()

    def _end(self, above: int) -> None:
        last = self.exchanges[-1].geometry().bottom() + 1 if self.exchanges else 0
        # By hand, as the places are: the scroll area leaves the size of its widget alone.
        self.setFixedHeight(last)
        self.height_changed.emit(above)
