"""One exchange: its question, the line of its run, sources and answer, notes, and what can be done.

First its parts, each a widget that is made when it is first wanted; then `ExchangeWidget`, which lays them out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from enum import Enum
from functools import partial
from time import monotonic
from typing import TypeVar, cast

from PySide6.QtCore import QEvent, QMimeData, QObject, QRect, Qt, QThreadPool, Signal
from PySide6.QtGui import (
    QAccessible,
    QAction,
    QClipboard,
    QContextMenuEvent,
    QFont,
    QFontDatabase,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
)
from PySide6.QtWidgets import (
    QPushButton,
    QSizePolicy,
    QSpacerItem,
    QVBoxLayout,
    QWidget,
    QWidgetItem,
)

from askance.domain.characters import one_line
from askance.domain.checked_text import CheckProposal
from askance.domain.conversation import CHAT, FILES, SEARCH
from askance.domain.messages import Message
from askance.presentation.i18n import plural, tr, translated
from askance.presentation.progress import SILENCE_S
from askance.system.qt_environment import font_fix, font_problem, scripts_in, without_font
from askance.ui.design import theme
from askance.ui.design.composing import (
    Button,
    Composite,
    FlowLayout,
    LineField,
    Styled,
    activate_layouts,
    column_of,
    repeating_timer,
    row_of,
    style,
)
from askance.ui.design.controls import holds_files
from askance.ui.design.focus import announce, native_keys
from askance.ui.design.labels import (
    PlainLabel,
    RichLabel,
    StyledLabel,
    TextStyle,
    line,
    lines,
    span,
)
from askance.ui.design.theme import Look
from askance.ui.overlay.answer.answer_piece import PAD
from askance.ui.overlay.answer.answer_view import AnswerView
from askance.ui.overlay.answer.citation_links import QuoteView, quote_of
from askance.ui.overlay.answer.copying import CopyKind, bare_words, copy_of
from askance.ui.overlay.answer.printing import print_page
from askance.ui.overlay.answer.word_changes import marked_changes
from askance.ui.overlay.conversation.disagreements import DisagreementsView
from askance.ui.overlay.conversation.exchange import ExchangeAction, ExchangeView, State
from askance.ui.overlay.conversation.exchange_actions import (
    ExchangeActions,
    ExchangeServices,
    NextQuestions,
    RewriteActions,
)
from askance.ui.overlay.conversation.exchange_notes import FailureView, NotesView
from askance.ui.overlay.conversation.run_details import TraceView
from askance.ui.overlay.conversation.sources_strip import SourceStrip

# Of a text so many characters are looked through for letters without a font: the window waits for it.
_MOST_CHARACTERS = 20_000
_Writing = QFontDatabase.WritingSystem
_WRITINGS = {
    "zh-cn": _Writing.SimplifiedChinese,
    "zh-tw": _Writing.TraditionalChinese,
    "ja": _Writing.Japanese,
    "ko": _Writing.Korean,
    "ar": _Writing.Arabic,
    "he": _Writing.Hebrew,
    "hi": _Writing.Devanagari,
    "th": _Writing.Thai,
}


def missing_fonts(*texts: str) -> Message | None:
    """Return what to say where these texts are shown with boxes; None where all of them can be read."""
    needed = scripts_in("\n".join(text[:_MOST_CHARACTERS] for text in texts))
    lacking = without_font(needed, lambda code: bool(QFontDatabase.families(_WRITINGS[code])))
    return Message.joined(font_problem(lacking), font_fix(lacking)) if lacking else None


_TICK_MS = 1000


class RunClock(QObject):
    """Ticks every second while a run is under way."""

    ticked = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._began = self._last_event = 0.0
        self._timer = repeating_timer(self, _TICK_MS, self.ticked)

    def note_event(self) -> None:
        """Take note of a sign of the run; the first one begins it."""
        # By our own clock: an event has the engine's second, and may have waited in a queue.
        self._last_event = now()
        if not self._timer.isActive():
            self._began = self._last_event
            self._timer.start()

    def stop(self) -> None:
        """Stand still: the run has ended."""
        self._timer.stop()

    @property
    def seconds(self) -> int | None:
        """How many seconds the run has gone on; None while there is none."""
        return int(now() - self._began) if self._timer.isActive() else None

    @property
    def is_silent(self) -> bool:
        """Whether no event came for so long that it must be said what is waited for."""
        return self._timer.isActive() and now() - self._last_event >= SILENCE_S


def now() -> float:
    """Return the seconds of a clock that only goes forward."""
    return monotonic()


class ReplyField(LineField):
    """Takes text only: the window gets the key that would paste files, whose paths would leave as a query."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Paste nothing but text."""
        if event.matches(QKeySequence.StandardKey.Paste) and _are_files_copied():
            event.ignore()
        else:
            super().keyPressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Paste nothing but text, as the middle button does under X11."""
        is_middle = event.button() is Qt.MouseButton.MiddleButton
        if not (is_middle and _are_files_copied(QClipboard.Mode.Selection)):
            super().mouseReleaseEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer to paste nothing but text."""
        menu = self.createStandardContextMenu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if _are_files_copied():
            cast("QAction", menu.findChild(QAction, "edit-paste")).setEnabled(False)
        menu.popup(event.globalPos())


def _are_files_copied(mode: QClipboard.Mode = QClipboard.Mode.Clipboard) -> bool:
    return holds_files(QGuiApplication.clipboard().mimeData(mode))


class ClarifyForm(Composite):
    """A question asked back. It takes one reply; after that it only shows what was replied."""

    replied = Signal(str)

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self._text = ""
        self._question = RichLabel()
        self.field = ReplyField(look, tr("Your answer"), size=theme.BODY_TEXT)
        # What is dropped here is dropped on the window.
        self.field.setAcceptDrops(False)
        self.field.returnPressed.connect(self._reply)
        self.button = QPushButton(tr("Answer"))
        self.button.setEnabled(False)
        self.button.clicked.connect(self._reply)
        self.field.textChanged.connect(self._weigh)
        answering = row_of(look, self.field, self.button, wide=self.field)
        self.setLayout(column_of(look, self._question, answering))
        self.first = self.field
        self._restyle()

    def _restyle(self) -> None:
        self.show_question(self._text)

    def show_question(self, text: str) -> None:
        """Show a question."""
        self._text = text
        markup = span(text, self.look.colours.ink)
        self._question.set_markup(lines(self.look, [markup], theme.BODY), text)
        self.field.setAccessibleName(text)

    def _weigh(self, text: str) -> None:
        self.button.setEnabled(bool(text.strip()))

    def _reply(self) -> None:
        reply = self.field.text().strip()
        if reply and not self.field.isReadOnly():
            # Read-only and not disabled: what was replied can still be read and copied.
            self.field.setReadOnly(True)
            self.button.hide()
            self.replied.emit(reply)


class ConfirmForm(Composite):
    """What would be searched for a text, and above it the button that lets it: the list may be long."""

    confirmed, left = Signal(), Signal()

    def __init__(self, look: Look, proposal: CheckProposal) -> None:
        super().__init__(look)
        self._sent = proposal.leaving
        about = tr("This would be searched, and opened where the text cites it:")
        self._about, self._list = StyledLabel(look, TextStyle.BODY, about), RichLabel()
        text = plural("Search {n} claim", "Search {n} claims", proposal.searched)
        self.first = Button(look, text, then=self.confirmed)
        self.first.setProperty("primary", True)
        self.first.setAccessibleDescription("\n".join((about, *self._sent)))
        self.discard = Button(look, tr("Do not search"), then=self.left)
        keys = style(PlainLabel(native_keys("Esc")), look, font=theme.LABEL_TEXT, ink="ink_3")
        buttons = FlowLayout(look, self.first, self.discard, keys)
        keys.setFixedHeight(self.discard.sizeHint().height())
        self.setLayout(column_of(look, buttons, self._about, self._list, gap=theme.SPACE_M))
        self._restyle()

    def _restyle(self) -> None:
        ink = self.look.colours.ink_2
        # As they leave: each is one line, however long.
        items = [span(f"•\u00a0\u00a0{one_line(each)}", ink) for each in self._sent]
        self._list.set_markup(lines(self.look, items, theme.SMALL), "\n".join(self._sent))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave with Escape, which elsewhere stops a run that goes on above."""
        if event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)


class QuestionLabel(RichLabel):
    """The question over its answer, which a screen reader lists as a heading."""

    accessible_role = QAccessible.Role.Heading


class OutsideItem(QWidgetItem):
    """A part whose buttons begin with their room, so that their words stand in line with the text above."""

    def __init__(self, widget: QWidget, look: Look) -> None:
        super().__init__(widget)
        self._look = look

    def setGeometry(self, rect: QRect) -> None:
        """Reach over the edges of the text."""
        out = self._look.px(theme.SPACE_S)
        super().setGeometry(rect.adjusted(-out, 0, out, 0))


_Part = TypeVar("_Part", bound=QWidget)


class _Place(Enum):
    """The parts from top to bottom: the number of each, and the room above it, in pixels of the tokens."""

    QUESTION = (0, theme.SPACE_L)
    TRACE = (1, 6)
    SOURCES = (2, 6)
    ANSWER = (3, 10)
    CHANGES = (4, 10)
    DISAGREEMENTS = (5, 16)
    AS_OF = (6, 10)
    CLARIFYING = (7, theme.SPACE_L)
    FAILURE = (8, theme.SPACE_L)
    NOTES = (9, theme.SPACE_L)
    ACTIONS = (10, 16)
    NEXT = (11, theme.SPACE_S)


# What is clicked is higher than its words.
_SLACK = (theme.TARGET - theme.SMALL_LINE) // 2
# The room that parts have inside, above and below.
_INSIDE = {_Place.TRACE: _SLACK, _Place.ANSWER: PAD}


class ExchangeWidget(Styled, QWidget):
    """Shows an `ExchangeView`, and of a new one only what differs from the last."""

    link_activated = Signal(str)
    """An address to open in the browser."""
    requested = Signal(object, str)
    """Something that only the conversation can do: an `ExchangeAction`, and the words that go with it, such as a reply,
    a question or the name of a model."""
    fix_requested = Signal(str)
    """A command that fixes what failed, such as `askance up`."""
    _copied = Signal(object, str, str)
    unfolded = Signal()
    """The steps or the sources were folded or unfolded by hand."""
    pointed = Signal(str)
    """The link of the number that is under the pointer, or has the focus; empty for none."""
    height_changed = Signal()

    def __init__(
        self, look: Look, parent: QWidget | None = None, services: ExchangeServices | None = None
    ) -> None:
        super().__init__(look, parent)
        self._services = services or ExchangeServices()
        # Qt hands an item of Python's own to nobody: it goes with the exchange.
        self._outside: list[OutsideItem] = []
        self.view: ExchangeView | None = None
        self._is_unmeasured = self._are_sources_beside = False
        self._parts: dict[_Place, QWidget] = {}
        self._layout = QVBoxLayout(self)
        self._layout.setSpacing(0)
        self._spacers = {place: QSpacerItem(0, 0) for place in _Place}
        for spacer in self._spacers.values():
            self._layout.addItem(spacer)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.trace = TraceView(look)
        self.trace.link_activated.connect(self.link_activated)
        self.trace.toggled.connect(self._fold)
        self.trace.web_requested.connect(self._search_web)
        self._clock = RunClock(self)
        self._clock.ticked.connect(self._show_status)
        self.answer = AnswerView(look)
        self.answer.search_wanted.connect(self._search)
        # A layout that became invalid while it was hidden requests no other pass.
        self.answer.settled.connect(self._layout.invalidate)
        self._connect(self.answer)
        # Queued: it is emitted in a thread of the pool, and the clipboard belongs to the window's.
        self._copied.connect(self._put_on_clipboard, Qt.ConnectionType.QueuedConnection)
        self._part(_Place.QUESTION, QuestionLabel)
        self._put(_Place.TRACE, self.trace)
        self._put(_Place.ANSWER, self.answer)
        self._space()

    def _restyle(self) -> None:
        if self.view is not None:
            self._ask(self.view)
        self._space()
        self._is_unmeasured |= not self.isVisible()

    def show_view(self, view: ExchangeView) -> None:
        """Show a view."""
        old, self.view = self.view, view
        if old is None or old.asked != view.asked:
            self._ask(view)
        if view.state is State.RUNNING:
            self._clock.note_event()
        else:
            self._clock.stop()
        self._show_status()
        offers_web = ExchangeAction.WITH_WEB in view.actions and view.ended
        self.trace.show_tags(view.tags, offers_web=offers_web)
        self.trace.setVisible(bool(view.status.text or view.tags))
        self._show_sources(view)
        self._answer(view)
        if view.disagreements and (old is None or old.disagreements != view.disagreements):
            make = partial(DisagreementsView, self.look, self._connect)
            self._part(_Place.DISAGREEMENTS, make).show_view(view)
        self._date(view)
        self._attend(view)
        if old is None or old.notes != view.notes or old.ended != view.ended:
            self._note(view)
        is_still = view.ended or view.state is State.WAITING
        if is_still and (old is None or old != view):
            self._close(view)
        elif old is not None and old.state is State.WAITING and not is_still:
            self._parts[_Place.ACTIONS].hide()  # its turn has come
        self._space()
        # In a hidden window no layout tells the one around it that it grew (`activate_layouts`).
        self._is_unmeasured |= old is not None and not self.isVisible()

    def set_sources_beside(self, are_beside: bool) -> None:
        """Leave sources and quotes to what stands beside the conversation, or show them here."""
        if are_beside is self._are_sources_beside:
            return
        self._are_sources_beside = are_beside
        for part in self.numbered:
            part.shows_cards = not are_beside
        if self.view is not None:
            self._show_sources(self.view)
            self._space()

    def _show_sources(self, view: ExchangeView) -> None:
        if view.source_line or _Place.SOURCES in self._parts:
            sources = self._part(_Place.SOURCES, self._sources)
            sources.show_sources(view.source_line)
            sources.setVisible(bool(view.source_line) and not self._are_sources_beside)

    @property
    def numbered(self) -> list[AnswerView]:
        """All that has numbers of sources, in the order in which it is read."""
        is_alone = _Place.DISAGREEMENTS not in self._parts
        return [self.answer] if is_alone else self.findChildren(AnswerView)

    def _connect(self, numbered: AnswerView) -> None:
        numbered.link_activated.connect(self.link_activated)
        numbered.pointed.connect(self.pointed)
        numbered.set_quotes(self._quote_of)
        numbered.shows_cards = not self._are_sources_beside

    def measure(self) -> None:
        """Lay out what came while it was not seen, when the parts in it did not report that they grew."""
        if self._is_unmeasured:
            self._is_unmeasured = False
            activate_layouts(self)

    def part(self, kind: type[_Part]) -> _Part | None:
        """Return the visible part of a kind, if there is one."""
        found = (p for p in self._parts.values() if isinstance(p, kind) and not p.isHidden())
        return next(found, None)

    def event(self, event: QEvent) -> bool:
        """Tell that the height may have changed."""
        handled = super().event(event)
        if event.type() is QEvent.Type.LayoutRequest:
            self.height_changed.emit()
        return handled

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer what the row of actions offers."""
        actions = self._parts.get(_Place.ACTIONS)
        if isinstance(actions, ExchangeActions) and not actions.isHidden():
            actions.list_all(event.globalPos())
        else:
            event.ignore()

    def _put(self, place: _Place, part: QWidget) -> None:
        self._parts[place] = part
        index = self._layout.indexOf(self._spacers[place]) + 1
        if isinstance(part, SourceStrip | ExchangeActions | NextQuestions):
            part.setParent(self)
            self._outside.append(OutsideItem(part, self.look))
            self._layout.insertItem(index, self._outside[-1])
        else:
            self._layout.insertWidget(index, part)
        for shown in filter(None, map(self._parts.get, _Place)):
            shown.raise_()  # screen readers go by this order
        part.show()

    def _part(self, place: _Place, make: Callable[[], _Part]) -> _Part:
        """Return the part at a place, which is made when it is first wanted."""
        if place not in self._parts:
            self._put(place, make())
        return cast("_Part", self._parts[place])

    def _space(self) -> None:
        px = self.look.px
        side = px(theme.SPACE_XL)
        self._layout.setContentsMargins(side, 0, side, px(theme.SPACE_L - _SLACK))
        above: _Place | None = None
        for place, spacer in self._spacers.items():
            part = self._parts.get(place)
            if part is None or part.isHidden():
                # The spacer is an item of its own, and would stay where its part is hidden.
                spacer.changeSize(0, 0)
                continue
            gap = place.value[1] - _INSIDE.get(place, 0)
            if above is not None and not (above is _Place.TRACE and self.trace.panel):
                gap -= _INSIDE.get(above, 0)
            spacer.changeSize(0, px(gap))
            above = place
        self._layout.invalidate()

    def _ask(self, view: ExchangeView) -> None:
        colours = self.look.colours
        asked, text = view.asked, view.asked.text
        markup = span(text, colours.ink, weight=QFont.Weight.DemiBold)
        # Whether the web or files were asked the window shows elsewhere; what is done with a text, here alone.
        name = f"/{asked.command}" if asked.command not in (CHAT, SEARCH, FILES) else ""
        if name:
            markup = f"{span(f'{name} ', colours.accent)}{markup}"
        spoken = f"{name} {text}".strip()
        self.setAccessibleName(spoken)
        question = self._part(_Place.QUESTION, QuestionLabel)
        question.set_markup(line(self.look, markup, theme.BODY), spoken)

    def _show_status(self) -> None:
        """Say what goes on and for how long, and after a silence what is waited for."""
        if self.view is None:
            return
        status = self.view.status.silent if self._clock.is_silent else self.view.status
        view = self.view
        self.trace.show_trace(status, view.trace, self._time(view), view.footer)

    def _time(self, view: ExchangeView) -> str:
        seconds, expected = self._clock.seconds, view.expected_s
        if not seconds:
            return view.took
        # What takes longer than it should is not held to what was expected.
        if expected and seconds <= expected:
            return tr("{s} s of about {t} s", s=seconds, t=expected)
        return tr("{n} s", n=seconds)

    def _answer(self, view: ExchangeView) -> None:
        if view.answer is not None:
            self.answer.show_pieces(view.answer.pieces)
            self.answer.setVisible(bool(view.answer.pieces))
        elif view.draft is not None:
            self.answer.show_pieces(view.draft.pieces, view.draft.tail)
            self.answer.show()
        else:
            self.answer.hide()

    def _date(self, view: ExchangeView) -> None:
        """Say of which day the answer is."""
        if view.as_of or _Place.AS_OF in self._parts:
            label = self._part(_Place.AS_OF, self._as_of_label)
            label.setText(view.as_of)
            label.setVisible(bool(view.as_of))

    def _as_of_label(self) -> PlainLabel:
        return style(PlainLabel(), self.look, font=theme.LABEL_TEXT, ink="ink_3")

    def _attend(self, view: ExchangeView) -> None:
        """Ask what was asked back, tell what failed."""
        # Made once: a later view must not take away a reply that is half typed.
        if view.clarify and _Place.CLARIFYING not in self._parts:
            clarifying = ClarifyForm(self.look)
            clarifying.replied.connect(partial(self.requested.emit, ExchangeAction.REPLY))
            clarifying.show_question(view.clarify)
            self._put(_Place.CLARIFYING, clarifying)
        if view.proposal is not None and _Place.CLARIFYING not in self._parts:
            form = ConfirmForm(self.look, view.proposal)
            form.confirmed.connect(partial(self.requested.emit, ExchangeAction.CONFIRM, ""))
            form.left.connect(partial(self.requested.emit, ExchangeAction.DROP, ""))
            self._put(_Place.CLARIFYING, form)
        elif isinstance(form := self._parts.get(_Place.CLARIFYING), ConfirmForm):
            form.setVisible(view.is_unconfirmed)
        if view.failure is not None and _Place.FAILURE not in self._parts:
            failure = FailureView(self.look)
            failure.fix_requested.connect(self.fix_requested)
            failure.show_failure(view.failure)
            self._put(_Place.FAILURE, failure)

    def _note(self, view: ExchangeView) -> None:
        # At the end alone: a draft changes with every bundle of tokens, and all of it would be
        # looked through.
        missing = missing_fonts(view.asked.text, view.text) if view.ended else None
        texts = (*view.notes, *([translated(missing)] if missing else []))
        if texts or _Place.NOTES in self._parts:
            notes = self._part(_Place.NOTES, self._notes)
            notes.show_notes(texts, view.held_back)
            notes.setVisible(bool(texts))

    def _notes(self) -> NotesView:
        notes = NotesView(self.look)
        notes.allowed.connect(self.allow_words)
        return notes

    def _close(self, view: ExchangeView) -> None:
        """Show what belongs below an exchange that is over."""
        if view.is_rewritten:
            self._part(_Place.ACTIONS, self._rewrite_actions).show()
            return
        actions = self._part(_Place.ACTIONS, self._actions)
        actions.show_actions(view)
        actions.setVisible(bool(view.actions))

    def show_next(self, questions: Sequence[str]) -> None:
        """Show questions that go on from the answer, or none."""
        if questions or _Place.NEXT in self._parts:
            lines = self._part(_Place.NEXT, self._next_questions)
            lines.show_questions(questions)
            lines.setVisible(bool(lines.questions))
            self._space()

    def ask_next(self, index: int) -> bool:
        """Ask one of these questions, if it is there."""
        lines = self._parts.get(_Place.NEXT)
        return isinstance(lines, NextQuestions) and lines.ask(index)

    def _sources(self) -> SourceStrip:
        sources = SourceStrip(self.look)
        sources.link_activated.connect(self.link_activated)
        sources.toggled.connect(self._fold)
        return sources

    def _actions(self) -> ExchangeActions:
        actions = ExchangeActions(self.look, self._services)
        actions.chosen.connect(self._act)
        actions.copy_wanted.connect(self.copy_as)
        return actions

    def _rewrite_actions(self) -> RewriteActions:
        is_of_selection = self.view is not None and self.view.is_of_selection
        actions = RewriteActions(self.look, self._services, is_of_selection=is_of_selection)
        actions.replace_wanted.connect(self.replace_selection)
        actions.copy_wanted.connect(lambda: self.copy_as(CopyKind.WORDS))
        actions.reworded.connect(partial(self.requested.emit, ExchangeAction.REWORD))
        actions.changes_wanted.connect(self._show_changes)
        return actions

    def _next_questions(self) -> NextQuestions:
        lines = NextQuestions(self.look)
        lines.asked.connect(partial(self.requested.emit, ExchangeAction.ASK))
        return lines

    def _act(self, action: ExchangeAction, words: str) -> None:
        match action:
            case ExchangeAction.SHOW_STEPS:
                self.trace.unfold()
            case ExchangeAction.PRINT:
                self.copy_as(None)
            case _:
                self.requested.emit(action, words)

    def _search_web(self) -> None:
        self.requested.emit(ExchangeAction.WITH_WEB, "")

    def allow_words(self) -> None:
        """Ask for the same with the words that were held back."""
        self.requested.emit(ExchangeAction.ALLOW_WORDS, "")

    def replace_selection(self) -> bool:
        """Put the text in the place of the selection that it was made of; False where that cannot be done."""
        view, put = self.view, self._services.put_in_place
        if view is None or put is None or not (view.is_rewritten and view.is_of_selection):
            return False
        put(view.asked.quote, bare_words(view.pieces).rstrip("\n"))
        return True

    def copy_as(self, kind: CopyKind | None) -> None:
        """Put the answer on the clipboard in one of the ways, or print it where it is none.

        It is there some turns later: what pages say may take longer to be made harmless than a
        frame, however short the answer is.
        """
        if self.view is None:
            return
        copied, pieces = self.view.copied, self.view.pieces

        def work() -> None:
            text, page = copy_of(kind or CopyKind.WITH_SOURCES, copied, pieces)
            with suppress(RuntimeError):  # the exchange went meanwhile
                self._copied.emit(kind, text, page)

        # In the pool of Qt, which waits for it when the program ends.
        QThreadPool.globalInstance().start(work)

    def _put_on_clipboard(self, kind: CopyKind | None, text: str, page: str) -> None:
        if kind is None:
            print_page(page, self)
            return
        data = QMimeData()
        data.setText(text)
        if page:
            data.setHtml(page)
        QGuiApplication.clipboard().setMimeData(data)
        is_whole = kind is CopyKind.WITH_SOURCES
        announce(self, tr("Copied with sources") if is_whole else tr("Copied"))
        actions = self._parts.get(_Place.ACTIONS)
        if isinstance(actions, ExchangeActions | RewriteActions):
            actions.thank(kind)

    def _show_changes(self, wanted: bool) -> None:
        """Show in the text's place what was added to the selection and what was taken out, or the text again."""
        if self.view is None:
            return
        changes = self._part(_Place.CHANGES, RichLabel)
        if wanted:
            marked = marked_changes(self.look, self.view.asked.quote, bare_words(self.view.pieces))
            spoken = tr("Removed words are struck out, added ones are lit.")
            changes.set_markup(lines(self.look, [marked], theme.BODY), spoken)
        changes.setVisible(wanted)
        self.answer.setVisible(not wanted)
        self._space()

    def _search(self, words: str) -> None:
        self.requested.emit(ExchangeAction.ASK, f"/{SEARCH} {words}")

    def _fold(self) -> None:
        self._space()
        self.unfolded.emit()

    def _quote_of(self, link: str) -> QuoteView | None:
        if self.view is None:
            return None
        view = self.view
        return quote_of(link, view.known_sources, view.citations, view.quote_languages)
