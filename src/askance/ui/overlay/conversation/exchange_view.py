"""One exchange: its question, trace, answer and sources, the clock of its run, notes, and what can be done.

First its parts, each a widget that is made when it is first wanted; then `ExchangeWidget`, which lays them out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from enum import IntEnum
from time import monotonic
from typing import TypeVar, cast

from PySide6.QtCore import QEvent, QMimeData, QObject, QSize, Qt, QThreadPool, Signal
from PySide6.QtGui import (
    QAction,
    QClipboard,
    QColor,
    QContextMenuEvent,
    QFont,
    QFontDatabase,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QLineEdit, QPushButton, QSizePolicy, QSpacerItem, QVBoxLayout, QWidget

from askance.domain.conversation import CHAT
from askance.domain.messages import Message
from askance.presentation.i18n import quoted, term, tr, translated
from askance.presentation.progress import SILENCE_S
from askance.system.qt_environment import font_fix, font_problem, scripts_in, without_font
from askance.ui.design import theme
from askance.ui.design.composing import (
    Button,
    Composite,
    Styled,
    activate_layouts,
    column_of,
    repeating_timer,
    row_of,
    single_shot_timer,
    style,
)
from askance.ui.design.controls import holds_files
from askance.ui.design.drawing import antialiased, fill
from askance.ui.design.focus import ALLOW_WORDS, PaintedButton, announce, native_keys
from askance.ui.design.labels import PlainLabel, RichLabel, line, lines, set_tip, span
from askance.ui.design.theme import Look
from askance.ui.overlay.answer.answer_piece import PAD
from askance.ui.overlay.answer.answer_view import AnswerView
from askance.ui.overlay.answer.citation_links import QuoteView, quote_of
from askance.ui.overlay.answer.markup import as_page, with_sources
from askance.ui.overlay.conversation.exchange import (
    ExchangeAction,
    ExchangeView,
    Failure,
    State,
    label_of,
)
from askance.ui.overlay.conversation.field import Chip
from askance.ui.overlay.conversation.run_details import SourcesView, TraceView

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


class ReplyField(QLineEdit):
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
        self.field = ReplyField()
        # What is dropped here is dropped on the window.
        self.field.setAcceptDrops(False)
        self.field.setPlaceholderText(tr("Your answer"))
        self.field.returnPressed.connect(self._reply)
        self.button = QPushButton(tr("Answer"))
        self.button.setEnabled(False)
        self.button.clicked.connect(self._reply)
        self.field.textChanged.connect(self._weigh)
        answering = row_of(look, self.field, self.button, wide=self.field)
        self.setLayout(column_of(look, self._question, answering))
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


class NotesView(Composite):
    """Amber sentences on one panel, and a button where queries were sent without words."""

    allowed = Signal()
    """Words that were held back may be searched."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self._texts: tuple[str, ...] = ()
        self._words = RichLabel()
        self.button = Button(look, tr("Search with these words"), then=self.allowed)
        self.button.hide()
        pads = (theme.SPACE_M, theme.SPACE_S, theme.SPACE_M, theme.SPACE_S)
        gap, wide = theme.SPACE_M, self._words
        self.setLayout(row_of(look, self._words, self.button, gap=gap, wide=wide, margins=pads))
        self._restyle()

    def show_notes(self, texts: Sequence[str], held_back: Sequence[str] = ()) -> None:
        """Show notes, each on a line of its own; `held_back` are the words that may be searched all the same."""
        self._texts = tuple(texts)
        self._restyle()
        self.button.setVisible(bool(held_back))
        if held_back:
            words, key = quoted(held_back), native_keys(ALLOW_WORDS)
            text = tr("Asks again, with {words} ({key})", words=words, key=key)
            set_tip(self.button, text)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the panel."""
        with antialiased(self) as painter:
            radius = self.look.px(theme.CONTROL_RADIUS)
            fill(painter, self.rect(), self.look.colours.amber_soft, radius)

    def _restyle(self) -> None:
        texts = [_coloured(text, self.look.colours.amber) for text in self._texts]
        markup = lines(self.look, texts, theme.SMALL)
        spoken = [tr("Note: {text}", text=text.replace("`", "")) for text in self._texts]
        self._words.set_markup(markup, "\n".join(spoken))


class FailureView(Composite):
    """Why there is no answer, what fixes it, and a button where a click can fix it."""

    fix_requested = Signal(str)
    """What its button promises: the value of a `FixKind`."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self._failure: Failure | None = None
        self._words = RichLabel()
        self.button = QPushButton()
        self.button.clicked.connect(self._fix)
        self.setLayout(row_of(look, self._words, self.button, gap=theme.SPACE_M, wide=self._words))
        self._restyle()

    def _restyle(self) -> None:
        if self._failure is not None:
            self.show_failure(self._failure)

    def show_failure(self, failure: Failure) -> None:
        """Show a failure."""
        self._failure = failure
        colours = self.look.colours
        problem = lines(self.look, [span(failure.problem, colours.red)], theme.BODY)
        fix = failure.fix.replace("`", "")
        remedy = lines(
            self.look, [_coloured(failure.fix, colours.ink_2)] if fix else [], theme.SMALL
        )
        self._words.set_markup(problem + remedy, f"{failure.problem} {fix}".strip())
        self.button.setVisible(failure.quick_fix is not None)
        if failure.quick_fix is not None:
            self.button.setText(label_of(failure.quick_fix))
            # Its label alone does not say what it starts.
            self.button.setAccessibleDescription(fix)

    def _fix(self) -> None:
        if self._failure is not None:
            self.fix_requested.emit(self._failure.quick_fix)


_THANKS_MS = 1600
_ACTION = "action"
_BETWEEN = 16
_COPY = term("Copy")
_NAMES = {
    ExchangeAction.WITH_WEB: term("Search the web"),
    ExchangeAction.COPY: term("Copy with sources"),
    ExchangeAction.RETRY: term("Retry"),
    ExchangeAction.WITHOUT_WEB: term("Without the web"),
    ExchangeAction.ASK_NOW: term("Ask now"),
    ExchangeAction.DROP: term("Discard"),
}


class ExchangeActions(Composite):
    """What can be done with an exchange: quiet buttons at the left, figures at the right."""

    chosen = Signal(object)

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self._copy = _NAMES[ExchangeAction.COPY]
        self.buttons: dict[ExchangeAction, QuietButton] = {}
        for action, name in _NAMES.items():
            button = QuietButton(look, tr(name))
            button.setProperty(_ACTION, action)
            button.clicked.connect(self._choose)
            self.buttons[action] = button
        self._figures = style(PlainLabel(), look, font=theme.LABEL_TEXT, ink="ink_3")
        self.setLayout(row_of(look, *self.buttons.values(), None, self._figures, gap=_BETWEEN))
        self._back = single_shot_timer(self, self._rest)

    def show_actions(self, actions: tuple[ExchangeAction, ...], figures: str) -> None:
        """Show what can be done, and what it took."""
        for action, button in self.buttons.items():
            button.setVisible(action in actions)
        # What came from memory has no sources to copy.
        self._copy = _COPY if ExchangeAction.WITH_WEB in actions else _NAMES[ExchangeAction.COPY]
        self._rest()
        self._figures.setText(figures)

    @property
    def figures(self) -> str:
        """What it took, as it is shown."""
        return self._figures.text()

    def thank(self) -> None:
        """Say for a moment that it was copied."""
        self.buttons[ExchangeAction.COPY].setText(tr("Copied"))
        self._back.start(_THANKS_MS)

    def _choose(self) -> None:
        self.chosen.emit(ExchangeAction(self.sender().property(_ACTION)))

    def _rest(self) -> None:
        copy, name = self.buttons[ExchangeAction.COPY], tr(self._copy)
        copy.texts = (name, tr("Copied"))
        copy.setText(name)


class QuietButton(PaintedButton):
    """Words that can be clicked. They stand in line with the text above: nothing is around them."""

    def __init__(self, look: Look, text: str) -> None:
        super().__init__(look, theme.LABEL_TEXT)
        self.setText(text)
        self.texts: tuple[str, ...] = ()
        """All that it says in turn: it has room for each, or its neighbours would move under the pointer."""

    def sizeHint(self) -> QSize:
        """Return the room of the words."""
        words = max(map(self.fontMetrics().horizontalAdvance, (self.text(), *self.texts)))
        return QSize(words, self.look.px(theme.TARGET))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the words, darker under the pointer and with the focus."""
        with QPainter(self) as painter:
            colours = self.look.colours
            painter.setFont(self.font())
            lit = self.underMouse() or self.hasFocus()
            painter.setPen(QColor(colours.ink if lit else colours.ink_2))
            left = Qt.AlignmentFlag.AlignLeading | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(self.rect(), left, self.text())


def _coloured(text: str, colour: str) -> str:
    """Return a sentence as markup, the commands that it names in the typeface of code."""
    parts = enumerate(text.split("`"))
    return "".join(span(part, colour, is_code=i % 2 == 1) for i, part in parts)


_Part = TypeVar("_Part", bound=QWidget)


class _Place(IntEnum):
    """The parts from top to bottom."""

    QUESTION = 0
    QUOTE = 1
    TRACE = 2
    ANSWER = 3
    CLARIFYING = 4
    FAILURE = 5
    NOTES = 6
    SOURCES = 7
    ACTIONS = 8


# The room above each part, in pixels of the tokens.
_GAPS = {
    _Place.QUESTION: theme.SPACE_L,
    _Place.QUOTE: theme.SPACE_XS,
    _Place.TRACE: theme.SPACE_M,
    _Place.ANSWER: theme.SPACE_L,
    _Place.CLARIFYING: theme.SPACE_L,
    _Place.FAILURE: theme.SPACE_L,
    _Place.NOTES: theme.SPACE_L,
    _Place.SOURCES: theme.SPACE_XL,
    _Place.ACTIONS: theme.SPACE_M,
}

# What is clicked is higher than its words.
_SLACK = (theme.TARGET - theme.SMALL_LINE) // 2
# The room that parts have inside, above and below.
_INSIDE = {_Place.TRACE: _SLACK, _Place.ANSWER: PAD, _Place.ACTIONS: _SLACK}


class ExchangeWidget(Styled, QWidget):
    """Shows an `ExchangeView`, and of a new one only what differs from the last."""

    link_activated = Signal(str)
    """An address to open in the browser."""
    requested = Signal(object)
    """Something that only the conversation can do: an `ExchangeAction`."""
    replied = Signal(str)
    """What was answered to the question that was asked back."""
    fix_requested = Signal(str)
    """A command that fixes what failed, such as `askance up`."""
    _copied = Signal(str, str)
    unfolded = Signal()
    """The steps were folded or unfolded by hand."""
    height_changed = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.view: ExchangeView | None = None
        self._is_unmeasured = False
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
        self._clock = RunClock(self)
        self._clock.ticked.connect(self._show_status)
        self.answer = AnswerView(look)
        self.answer.link_activated.connect(self.link_activated)
        self.answer.set_quotes(self._quote_of)
        # Queued: it is emitted in a thread of the pool, and the clipboard belongs to the window's.
        self._copied.connect(self._put_on_clipboard, Qt.ConnectionType.QueuedConnection)
        self._part(_Place.QUESTION, RichLabel)
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
        self.trace.setVisible(bool(view.status.text))
        self._answer(view)
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

    def measure(self) -> None:
        """Lay out what came while it was not seen, when the parts in it did not report that they grew."""
        if self._is_unmeasured:
            self._is_unmeasured = False
            activate_layouts(self)

    def part(self, kind: type[QWidget]) -> QWidget | None:
        """Return the visible part of a kind, if there is one."""
        found = (p for p in self._parts.values() if isinstance(p, kind) and not p.isHidden())
        return next(found, None)

    def event(self, event: QEvent) -> bool:
        """Tell that the height may have changed."""
        handled = super().event(event)
        if event.type() is QEvent.Type.LayoutRequest:
            self.height_changed.emit()
        return handled

    def _put(self, place: _Place, part: QWidget) -> None:
        self._parts[place] = part
        self._layout.insertWidget(self._layout.indexOf(self._spacers[place]) + 1, part)
        for shown in sorted(self._parts):
            self._parts[shown].raise_()  # screen readers go by this order
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
            gap = _GAPS[place] - _INSIDE.get(place, 0)
            if above is not None and not (above is _Place.TRACE and self.trace.panel):
                gap -= _INSIDE.get(above, 0)
            spacer.changeSize(0, px(gap))
            above = place
        self._layout.invalidate()

    def _ask(self, view: ExchangeView) -> None:
        colours = self.look.colours
        asked, text = view.asked, view.asked.text
        markup = span(text, colours.ink, weight=QFont.Weight.DemiBold)
        if asked.command != CHAT:
            text = f"/{asked.command} {text}"
            markup = f"{span(f'/{asked.command} ', colours.accent)}{markup}"
        self.setAccessibleName(text)
        question = self._part(_Place.QUESTION, RichLabel)
        question.set_markup(line(self.look, markup, theme.BODY), text)
        if asked.quote:
            quote = self._part(_Place.QUOTE, RichLabel)
            chip = Chip(asked.origin, asked.quote)
            label = span(chip.label, colours.ink_3)
            markup = line(self.look, label, theme.SMALL)
            quote.set_markup(markup, chip.label)
            set_tip(quote, chip.preview)

    def _show_status(self) -> None:
        """Say what goes on and for how long, and after a silence what is waited for."""
        if self.view is None:
            return
        status = self.view.status.silent if self._clock.is_silent else self.view.status
        self.trace.show_trace(status, self.view.trace, self._clock.seconds)

    def _answer(self, view: ExchangeView) -> None:
        if view.answer is not None:
            self.answer.show_pieces(view.answer.pieces)
            self.answer.setVisible(bool(view.answer.pieces))
        elif view.draft is not None:
            self.answer.show_pieces(view.draft.pieces, view.draft.tail)
            self.answer.show()
        else:
            self.answer.hide()

    def _attend(self, view: ExchangeView) -> None:
        """Ask what was asked back, tell what failed."""
        # Made once: a later view must not take away a reply that is half typed.
        if view.clarify and _Place.CLARIFYING not in self._parts:
            clarifying = ClarifyForm(self.look)
            clarifying.replied.connect(self.replied)
            clarifying.show_question(view.clarify)
            self._put(_Place.CLARIFYING, clarifying)
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
        if view.sources and view.answer is not None:
            self._part(_Place.SOURCES, self._sources).show_sources(view.sources)
        actions = self._part(_Place.ACTIONS, self._actions)
        actions.show_actions(view.actions, view.footer)
        actions.show()

    def _sources(self) -> SourcesView:
        sources = SourcesView(self.look)
        sources.link_activated.connect(self.link_activated)
        return sources

    def _actions(self) -> ExchangeActions:
        actions = ExchangeActions(self.look)
        actions.chosen.connect(self._act)
        return actions

    def _act(self, action: ExchangeAction) -> None:
        match action:
            case ExchangeAction.COPY:
                self.copy_with_sources()
            case ExchangeAction.STOP | ExchangeAction.REPLY:
                pass
            case _:
                self.requested.emit(action)

    def allow_words(self) -> None:
        """Ask for the same with the words that were held back."""
        self.requested.emit(ExchangeAction.ALLOW_WORDS)

    def copy_with_sources(self) -> None:
        """Put the answer with its sources on the clipboard, as words and formatted.

        It is there some turns later: what pages say may take longer to be made harmless than a
        frame, however short the answer is.
        """
        if self.view is None:
            return
        copied = self.view.copied

        def work() -> None:
            text, page = with_sources(copied), as_page(copied)
            with suppress(RuntimeError):  # the exchange went meanwhile
                self._copied.emit(text, page)

        # In the pool of Qt, which waits for it when the program ends.
        QThreadPool.globalInstance().start(work)

    def _put_on_clipboard(self, text: str, page: str) -> None:
        data = QMimeData()
        data.setText(text)
        data.setHtml(page)
        QGuiApplication.clipboard().setMimeData(data)
        announce(self, tr("Copied with sources"))
        actions = self._parts.get(_Place.ACTIONS)
        if isinstance(actions, ExchangeActions):
            actions.thank()

    def _fold(self) -> None:
        self._space()
        self.unfolded.emit()

    def _quote_of(self, link: str) -> QuoteView | None:
        if self.view is None:
            return None
        view = self.view
        return quote_of(link, view.known_sources, view.citations, view.quote_languages)
