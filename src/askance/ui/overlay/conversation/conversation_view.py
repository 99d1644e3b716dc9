"""The exchanges of a conversation, one below the other, which stay where the reader is; and what a screen reader is told
of their runs.

They are stacked by hand: a layout would ask every exchange for its height whenever one of them
grows by a line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from time import monotonic

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QScrollBar, QWidget

from askance.citations.markdown.grammar import MARKER
from askance.presentation.i18n import plural, tr
from askance.text.languages.sentences import sentences
from askance.ui.design import theme
from askance.ui.design.composing import Styled, single_shot_timer
from askance.ui.design.drawing import draw_hairline
from askance.ui.design.focus import announce
from askance.ui.design.theme import Look
from askance.ui.overlay.answer.citation_links import plain
from askance.ui.overlay.conversation.exchange import ExchangeAction, ExchangeView, State
from askance.ui.overlay.conversation.exchange_view import ExchangeWidget
from askance.ui.overlay.conversation.session import Session

_AT_BOTTOM = 8
_LINE_STEP = 40


class ConversationView(Styled, QScrollArea):
    """Scrolls the exchanges. It follows what grows at its end unless the reader went up.

    It does so until the last question has come to the top: an answer is read from its beginning.
    Beyond that it follows who went to the end.
    """

    height_changed = Signal()
    link_activated = Signal(str)
    requested = Signal(object, object)
    """An exchange, an `ExchangeWidget` as in the next one, and the `ExchangeAction` that is wanted of it."""
    replied = Signal(object, str)
    fix_requested = Signal(str)

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self._follows, self._is_past_question = True, False
        self._is_placing = False
        self._waiting: list[ExchangeView] = []
        self._made_ahead: ExchangeWidget | None = None
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

    def add(self, view: ExchangeView) -> ExchangeWidget:
        """Add an exchange at the end and go there."""
        exchange = self._made(view)
        self._follows, self._is_past_question = True, False
        self._stack.insert(len(self._stack.exchanges), exchange)
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

    def clear(self) -> None:
        """Take everything away."""
        self._older.stop()
        self._waiting = []
        if self._made_ahead is not None:
            self._made_ahead.deleteLater()
            self._made_ahead = None
        self._stack.clear()
        self._follows, self._is_past_question = True, False

    @property
    def exchanges(self) -> Sequence[ExchangeWidget]:
        """The exchanges that are there, oldest first."""
        return self._stack.exchanges

    @property
    def is_complete(self) -> bool:
        """Whether all that was to be shown is there."""
        return not self._waiting and self._made_ahead is None

    @property
    def content_height(self) -> int:
        """How high all of it is, in pixels."""
        return self._stack.height()

    def measure(self) -> None:
        """Give every exchange the height that it takes now. While they are hidden, none asks for it."""
        # The viewport takes this width only when it is seen.
        self._stack.set_width(self.width())
        for exchange in self.exchanges:
            exchange.measure()
            self._stack.measure(exchange)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break everything anew where the width has changed."""
        # Until all is placed: Qt's own scrolling for the new size is not the reader's.
        self._is_placing = True
        super().resizeEvent(event)
        width = self._bar.sizeHint().width()
        self._bar.setGeometry(self.width() - width, 0, width, self.height())
        self._stack.set_width(self.viewport().width())
        self._anchor(0)

    def _made(self, view: ExchangeView) -> ExchangeWidget:
        exchange = ExchangeWidget(self.look)
        exchange.link_activated.connect(self.link_activated)
        exchange.fix_requested.connect(self.fix_requested)
        exchange.requested.connect(self._request)
        exchange.replied.connect(self._reply)
        exchange.unfolded.connect(self._stay)
        exchange.show_view(view)
        return exchange

    def _add_older(self) -> None:
        """Make an exchange in one turn of the event loop, and put it in its place in the next."""
        if self._made_ahead is not None:
            # In a turn of its own, so that none has both to make it and to lay it out.
            self._stack.insert(0, self._made_ahead)
            self._made_ahead = None
        elif self._waiting:
            self._made_ahead = self._made(self._waiting.pop())
        if not self.is_complete:
            self._older.start(0)

    def _grow(self, above: int) -> None:
        """Stay at the end, or at the same words: `above` pixels came in over the reader's place."""
        self._anchor(above)
        self.height_changed.emit()

    def _anchor(self, above: int) -> None:
        self._is_placing = True
        bar = self.verticalScrollBar()
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
        elif above:
            bar.setValue(bar.value() + above)
        self._is_placing = False

    def _scroll(self, value: int) -> None:
        if not self._is_placing:  # it is the reader who scrolls
            # A few pixels count as the end, where wheels and fractions of lines leave the bar.
            self._follows = value >= self.verticalScrollBar().maximum() - _AT_BOTTOM
            self._is_past_question = value > self._stack.last_top
        self._stack.top = value
        self._bar.setValue(value)

    def _stay(self) -> None:
        """Whoever unfolds the steps wants to see them, not the end."""
        self._follows = False

    def _request(self, action: ExchangeAction) -> None:
        self.requested.emit(self.sender(), action)

    def _reply(self, text: str) -> None:
        self.replied.emit(self.sender(), text)


class _Stack(Styled, QWidget):
    """The exchanges at their places."""

    height_changed = Signal(int)
    """How many pixels came in above `top`."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.top = 0
        self.exchanges: list[ExchangeWidget] = []

    @property
    def last_top(self) -> int:
        return self.exchanges[-1].y() if self.exchanges else 0

    def insert(self, index: int, exchange: ExchangeWidget) -> None:
        exchange.setParent(self)
        if index == 0:
            exchange.lower()  # screen readers go by this order
        exchange.height_changed.connect(self._resize_sender)
        self.exchanges.insert(index, exchange)
        height = exchange.heightForWidth(self.width())
        # `bottom` of a `QRect` is the last pixel in it, not the first below.
        y = 0 if index == 0 else self.exchanges[index - 1].geometry().bottom() + 1
        exchange.setGeometry(0, y, self.width(), height)
        exchange.show()
        self._move_from(index + 1)
        self._end(height if y < self.top or (index == 0 and len(self.exchanges) > 1) else 0)

    def clear(self) -> None:
        for exchange in self.exchanges:
            exchange.hide()
            exchange.deleteLater()
        self.exchanges = []
        self.top = 0
        self._end(0)

    def set_width(self, width: int) -> None:
        if width == self.width():
            return
        self.resize(width, self.height())
        y = 0
        for exchange in self.exchanges:
            height = exchange.heightForWidth(width)
            exchange.setGeometry(0, y, width, height)
            y += height
        self._end(0)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw a hairline between exchanges."""
        with QPainter(self) as painter:
            side = self.look.px(theme.SPACE_XL)
            painter.translate(side, 0)
            for exchange in self.exchanges[1:]:
                if event.rect().top() - 1 <= exchange.y() <= event.rect().bottom():
                    width = self.width() - 2 * side
                    draw_hairline(painter, self.look.colours.line, width, exchange.y())

    def _resize_sender(self) -> None:
        exchange = self.sender()
        if isinstance(exchange, ExchangeWidget) and exchange in self.exchanges:
            self.measure(exchange)

    def measure(self, exchange: ExchangeWidget) -> None:
        height = exchange.heightForWidth(self.width())
        before = exchange.height()
        if height == before:
            return
        exchange.resize(self.width(), height)
        self._move_from(self.exchanges.index(exchange) + 1)
        is_above = exchange.y() + before <= self.top
        self._end(height - before if is_above else 0)

    def _move_from(self, index: int) -> None:
        y = self.exchanges[index - 1].geometry().bottom() + 1 if index else 0
        for exchange in self.exchanges[index:]:
            # Heights change one at a time: from the first exchange that is in place all are.
            if exchange.y() == y:
                break
            exchange.move(0, y)
            y += exchange.height()

    def _end(self, above: int) -> None:
        last = self.exchanges[-1].geometry().bottom() + 1 if self.exchanges else 0
        # By hand, as the places are: the scroll area leaves the size of its widget alone.
        self.setFixedHeight(last)
        self.height_changed.emit(above)


PAUSE_MS = 1500
"""Stages are announced so far apart at least; of those that pass meanwhile, the last. An end waits for
nothing."""


class RunAnnouncer(QObject):
    """Tells a screen reader how a run goes on, seldom enough to be listened to, and how it ended, in a breath;
    only while the window is seen."""

    def __init__(
        self,
        session: Session,
        window: QWidget,
        *,
        announce_text: Callable[[QWidget, str | Callable[[], str]], None] = announce,
        seconds: Callable[[], float] = monotonic,
    ) -> None:
        super().__init__(window)
        self._window, self._announce, self._seconds = window, announce_text, seconds
        self._index = -1
        self._announced = self._next = ""
        # As if a pause had just ended: the first stage waits for nothing.
        self._announced_s = -PAUSE_MS / 1000
        self.pause = single_shot_timer(self, self._announce_next)
        session.began.connect(self._begin)
        session.changed.connect(self._follow)
        session.cleared.connect(self._end)

    def _begin(self, index: int, view: ExchangeView) -> None:
        if view.state is State.WAITING:
            self._speak(view.status.text)  # the run before it goes on
            return
        self._index, self._announced = index, ""
        self._stage(view.status.spoken)

    def _follow(self, index: int, view: ExchangeView) -> None:
        if index != self._index:
            if view.state is State.RUNNING:
                self._begin(index, view)  # it has waited until now
            return
        if not view.ended:
            self._stage(view.status.spoken)
            return
        self._end()
        # The language of an answer is recognised for its first sentence, by a model that takes most of a second to load.
        self._speak(partial(spoken_end, view))

    def _end(self) -> None:
        self._index, self._next = -1, ""
        self.pause.stop()

    def _stage(self, stage: str) -> None:
        # The last one that came counts: what is announced late must still be true.
        self._next = stage if stage != self._announced else ""
        if self._next and not self.pause.isActive():
            waited_ms = 1000 * (self._seconds() - self._announced_s)
            self.pause.start(max(0, round(PAUSE_MS - waited_ms)))

    def _announce_next(self) -> None:
        if self._next:
            self._announced, self._next, self._announced_s = self._next, "", self._seconds()
            self._speak(self._announced)

    def _speak(self, text: str | Callable[[], str]) -> None:
        # Nobody asked to hear of a window that was put away; the tray and a notification tell of
        # its end.
        if self._window.isVisible():
            self._announce(self._window, text)


# Accepts one marker or several with the blanks before them, as in ` [1] [2]`. The blanks are taken
# whole, or a long run of them would be tried from each of its places (decision 13).
_MARKERS = re.compile(rf"(?:(?>(?<!\s)\s++|){MARKER.pattern})+")


def spoken_end(view: ExchangeView) -> str:
    """Return how an exchange ended: the start of its answer, a question, a failure and its remedy."""
    match view.state:
        case State.WAITING | State.RUNNING:
            return ""
        case State.ANSWERED:
            return _answer(view)
        case State.CLARIFYING:
            return view.clarify
        case State.FAILED:
            failure = view.failure
            parts = (failure.problem, failure.fix.replace("`", "")) if failure else ()
            return " ".join(filter(None, parts)) or view.status.text
        case State.STOPPED:
            return view.status.text


def _answer(view: ExchangeView) -> str:
    counts: list[str] = []
    if view.sources:
        counts.append(plural("{n} source", "{n} sources", len(view.sources)))
    if view.notes:
        counts.append(plural("{n} note", "{n} notes", len(view.notes)))
    start = _start(view.text)
    text = tr("Answer: {sentence}", sentence=start) if start else tr("Answer")
    return " ".join([text, ", ".join(counts)]).rstrip()


def _start(text: str) -> str:
    """Return the first sentence as it is read out; an ellipsis says that there is more."""
    sentences_left = filter(
        None, (plain(_MARKERS.sub("", sentence)) for sentence in sentences(text))
    )
    first = next(sentences_left, "")
    if next(sentences_left, ""):
        return first.rstrip(".") + "…"
    return f"{first}." if first[-1:].isalnum() else first
