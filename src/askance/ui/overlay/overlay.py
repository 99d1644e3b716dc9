"""The overlay: the ask bar that grows into a conversation, and the bar at its foot; what a screen reader is told of
its runs, and what is started before a question is asked.

Built once and hidden, never destroyed. It shows a `Session` and hands on what the user does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from time import monotonic
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication, QHideEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from askance.citations.grammar import MARKER
from askance.config.choices import AskMode
from askance.domain.messages import FixKind
from askance.presentation.i18n import plural, tr, translated
from askance.text.languages.sentences import sentences
from askance.ui.answer.conversation_view import ConversationView
from askance.ui.answer.exchange_view import ExchangeWidget
from askance.ui.design.composing import activate_layouts, single_shot_timer
from askance.ui.design.focus import announce
from askance.ui.design.frame import (
    Frame,
    FramePlacement,
    bring_up,
    can_be_seen_through,
    can_place_windows,
)
from askance.ui.design.theme import Look
from askance.ui.engine.bridge import Bridge
from askance.ui.engine.session import Session
from askance.ui.model.exchange import ExchangeAction, ExchangeView, State
from askance.ui.model.markers import plain
from askance.ui.overlay.ask_bar import AskBar
from askance.ui.overlay.below_field import MessageAction
from askance.ui.overlay.bottom_bar import BottomBar, StatusIndicator
from askance.ui.overlay.library_view import LibraryView
from askance.ui.overlay.quotes import Clipboard, SelectionWatcher
from askance.ui.overlay.shortcuts import OverlayKeys

if TYPE_CHECKING:
    from askance.app.container import App


class Overlay(Frame):
    """The window that the hotkey summons."""

    link_activated = Signal(str)
    """An address to open in the browser."""
    fix_requested = Signal(str)
    """What the button at a failure promises: the value of a `FixKind`."""
    mode_chosen = Signal(object)
    """The `AskMode` with which questions are asked from now on."""
    summoned = Signal()
    """The window has come up; what is in it is seen now."""
    hidden = Signal()

    def __init__(self, look: Look, session: Session, *, clipboard: Clipboard | None = None) -> None:
        super().__init__(look)
        self.setWindowTitle("Askance")
        self._session = session
        self._idle_lights: tuple[StatusIndicator, ...] = ()
        self._count = 0
        # What a conversation begins with.
        self._mode = AskMode.WEB
        self.ask_bar = AskBar(look)
        self.conversation = ConversationView(look)
        self.library = LibraryView(look)
        self.bottom_bar = BottomBar(look)
        self.contents.addWidget(self.ask_bar)
        self.contents.addWidget(self.library, 1)
        self.contents.addWidget(self.conversation, 1)
        self.contents.addWidget(self.bottom_bar)
        self.conversation.hide()
        self.offering = SelectionWatcher(clipboard or QGuiApplication.clipboard(), self)
        self._placing = FramePlacement(self)
        self._fitting = single_shot_timer(self, self._fit)
        self._connect()
        self._show_state()
        self._fit()

    def _restyle(self) -> None:
        self._show_state()
        self._fit_soon()

    def set_lights(self, lights: Sequence[StatusIndicator]) -> None:
        """Show these at the foot while nothing runs."""
        self._idle_lights = tuple(lights)
        self._show_state()

    def toggle(self) -> None:
        """Hide the window if it has the focus, else summon it."""
        if self.isVisible() and self.isActiveWindow():
            self.hide()
        else:
            self.summon()

    def summon(self) -> None:
        """Show the window on the screen that holds the pointer, ready to type into."""
        if self.isVisible() and not self.isActiveWindow() and not can_place_windows():
            # A window that comes up anew lies in front. Desktops raise one that is seen only with a token of
            # theirs, and some not even then: sway's, for what a key of it starts, is good for new windows alone.
            self.hide()
        if not self.isVisible():
            self.set_plain(not can_be_seen_through())
            self._placing.place()
            # What came while it was hidden is to be seen whole in the first frame.
            activate_layouts(self)
            self.conversation.measure()
            self._fit()
        bring_up(self)
        self.ask_bar.setFocus(Qt.FocusReason.ActiveWindowFocusReason)

    def event(self, event: QEvent) -> bool:
        """Follow the ask bar, whose field grows with what is typed, and look what may be quoted."""
        if event.type() is QEvent.Type.LayoutRequest:
            self._fit_soon()
        elif event.type() is QEvent.Type.WindowActivate:
            # Not before: where the desktop is Wayland, only the active window may look.
            self.offering.look_soon()
        return super().event(event)

    def showEvent(self, event: QShowEvent) -> None:
        """Tell that the window is seen."""
        super().showEvent(event)
        self.summoned.emit()

    def hideEvent(self, event: QHideEvent) -> None:
        """Take back what was offered, and tell that the window is gone."""
        super().hideEvent(event)
        self.ask_bar.offer.withdraw()
        self.offering.forget()
        self.hidden.emit()

    def set_mode(self, mode: AskMode) -> None:
        """Let conversations begin with this mode, and the one that has not begun yet."""
        self._mode = mode
        if not self._count:
            self.ask_bar.switch.set_mode(mode)

    def show_library(self) -> None:
        """Show what the library holds, in the place of the conversation, and go there."""
        self._show_state()
        if not self.ask_bar.field.text:
            self.library.enter()

    def complain(self, sentence: str, step: MessageAction | None = None) -> None:
        """Say something below the field, with a button for the step; a key takes it away, once it can be read."""
        self.ask_bar.show_message(translated(sentence), step)

    def take_back(self, sentence: str) -> None:
        """Show a complaint no more: its cause is gone."""
        self.ask_bar.inline_message.take_back(translated(sentence))

    def _connect(self) -> None:
        bar, session, conversation = self.ask_bar, self._session, self.conversation
        bar.submitted.connect(session.take)
        bar.switch.chosen.connect(self._choose_mode)
        bar.switch.setup_requested.connect(self._set_up_search)
        bar.stop_requested.connect(session.stop)
        bar.dismissed.connect(self._dismiss)
        bar.left_below.connect(self.library.enter)
        bar.take_drops_on(self)
        self.library.left.connect(bar.setFocus)
        self.library.closed.connect(self._show_state)
        self.library.height_changed.connect(self._show_state)
        bar.text_edited.connect(self._fit_soon)
        self.offering.found.connect(bar.offer_quote)
        session.began.connect(self._begin)
        session.changed.connect(self._change)
        session.resumed.connect(self._resume)
        session.cleared.connect(self._clear)
        session.misunderstood.connect(bar.complain)
        session.troubled.connect(self.complain)
        conversation.height_changed.connect(self._fit_soon)
        conversation.link_activated.connect(self.link_activated)
        conversation.fix_requested.connect(self.fix_requested)
        conversation.requested.connect(self._request)
        conversation.replied.connect(self._reply)
        OverlayKeys(self.look, self, bar, conversation, session)
        RunAnnouncer(session, self)

    # What the session tells

    def _begin(self, index: int, view: ExchangeView) -> None:
        self.library.close_view()
        self.conversation.add(view)
        self._count = index + 1
        self._show_state()

    def _change(self, index: int, view: ExchangeView) -> None:
        if widget := self._widget_at(index):
            widget.show_view(view)
        self._show_state()

    def _resume(self) -> None:
        self.library.close_view()
        views = self._session.views
        self.conversation.show_all(views)
        self._count = len(views)
        # The next question follows up the last one.
        self.ask_bar.switch.set_mode(self._session.mode or self._mode)
        self._show_state()

    def _clear(self) -> None:
        self.library.close_view()
        self.conversation.clear()
        self._count = 0
        self.ask_bar.switch.set_mode(self._mode)
        self._show_state()

    # What the user does with an exchange

    def _request(self, widget: ExchangeWidget, action: ExchangeAction) -> None:
        session = self._session
        does: dict[ExchangeAction, Callable[[int], None]] = {
            ExchangeAction.RETRY: session.retry,
            ExchangeAction.WITH_WEB: session.with_web,
            ExchangeAction.WITHOUT_WEB: session.without_web,
            ExchangeAction.ALLOW_WORDS: session.allow_words,
            ExchangeAction.ASK_NOW: session.ask_now,
            ExchangeAction.DROP: session.drop,
        }
        does[action](self._index_of(widget))
        # What was pressed goes, and would leave the focus to whatever stands beside it.
        self.ask_bar.setFocus(Qt.FocusReason.OtherFocusReason)

    def _reply(self, widget: ExchangeWidget, text: str) -> None:
        self._session.reply(self._index_of(widget), text)

    # Older exchanges of a resumed conversation come in later, so that the last ones of both lists
    # belong together.

    def _widget_at(self, index: int) -> ExchangeWidget | None:
        widgets = self.conversation.exchanges
        place = index - (self._count - len(widgets))
        return widgets[place] if place >= 0 else None

    def _index_of(self, widget: ExchangeWidget) -> int:
        widgets = self.conversation.exchanges
        return self._count - len(widgets) + list(widgets).index(widget)

    def _dismiss(self) -> None:
        if self.library.is_open:
            self.library.close_view()
        else:
            self.hide()

    # What Enter asks

    def _choose_mode(self, mode: AskMode) -> None:
        self._mode = mode
        self.mode_chosen.emit(mode)

    def _set_up_search(self) -> None:
        self.fix_requested.emit(FixKind.ALLOW_SEARCH)

    # How it stands

    def _show_state(self) -> None:
        is_begun, running = self._count > 0, self._session.running
        self.ask_bar.set_running(running is not None)
        self.ask_bar.set_follow_up(is_begun)
        is_found = self.library.is_open
        self.ask_bar.set_ruled(is_begun or is_found)
        self.ask_bar.line.set_fraction(running.progress if running is not None else None)
        self.conversation.setVisible(is_begun and not is_found)
        if running is not None and running.round:
            text = tr("round {number}", number=running.round)
            self.bottom_bar.set_lights((*self._idle_lights[:1], StatusIndicator(text)))
            weight = running.evidence_tokens
            self.bottom_bar.set_hints(
                [tr("{tokens} tokens of evidence", tokens=weight)] if weight else []
            )
        else:
            self.bottom_bar.set_lights(self._idle_lights)
            hints = [] if is_begun else [tr("↑ last question"), tr("⇧↵ new line")]
            self.bottom_bar.set_hints(self.library.hints if is_found else hints)
        self._fit_soon()

    # Where it stands

    def _fit_soon(self) -> None:
        """Fit the height once all that grows in this turn of the event loop has grown."""
        if not self._fitting.isActive():
            self._fitting.start(0)

    def _fit(self) -> None:
        """Make the window as high as what it shows, up to its share of the screen."""
        most, foot = self._placing.most_height, self.bottom_bar.height()
        self.ask_bar.set_most_height(most - foot)
        fixed = self.ask_bar.sizeHint().height() + foot
        shown = 0 if self.conversation.isHidden() else self.conversation.content_height
        if self.library.is_open:
            shown = self.library.content_height
        self._placing.grow_to(min(max(fixed, most), fixed + shown))


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
        announce_text: Callable[[QWidget, str], None] = announce,
        seconds: Callable[[], float] = monotonic,
    ) -> None:
        super().__init__(window)
        self._window, self._announce, self._seconds = window, announce_text, seconds
        self._index = -1
        self._announced = self._next = ""
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
        self._speak(spoken_end(view))

    def _end(self) -> None:
        self._index, self._next = -1, ""
        self.pause.stop()

    def _stage(self, stage: str) -> None:
        self._next = stage if stage != self._announced else ""
        if self._next and not self.pause.isActive():
            waited_ms = 1000 * (self._seconds() - self._announced_s)
            self.pause.start(max(0, round(PAUSE_MS - waited_ms)))

    def _announce_next(self) -> None:
        if self._next:
            self._announced, self._next, self._announced_s = self._next, "", self._seconds()
            self._speak(self._announced)

    def _speak(self, text: str) -> None:
        if self._window.isVisible():
            self._announce(self._window, text)


_MARKERS = re.compile(rf"(?:(?:(?<!\s)\s++)?+{MARKER.pattern})+")


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


# A word to the engine's thread for each letter would be too many.
_AGAIN_S = 10.0
# The window paints first, and one that is put away at once asks for nothing.
_STAYS_MS = 500


class Prewarmer(QObject):
    """Lets the engine load the model when the window comes up, start its child processes with the first letter of a
    question, and free what a conversation took that was left.

    The processes end again when no page comes; who goes on typing after that starts them once more.
    """

    def __init__(self, bridge: Bridge, session: Session, overlay: Overlay) -> None:
        super().__init__(overlay)
        self._bridge, self._overlay = bridge, overlay
        self._prepared_s = -_AGAIN_S
        self._shown = single_shot_timer(self, self._preload, _STAYS_MS)
        overlay.summoned.connect(self._shown.start)
        overlay.ask_bar.text_edited.connect(self._prepare)
        session.cleared.connect(lambda: bridge.call(_forget_conversation, lambda _: None))

    def _preload(self) -> None:
        if self._overlay.isVisible():
            self._bridge.call(_preload, lambda _: None)

    def _prepare(self) -> None:
        now = monotonic()
        if now - self._prepared_s < _AGAIN_S or not self._overlay.ask_bar.field.text.strip():
            return
        self._prepared_s = now
        self._bridge.call(_prepare, lambda _: None)


async def _preload(app: App) -> None:
    await app.preload()


async def _prepare(app: App) -> None:
    app.prepare()


async def _forget_conversation(app: App) -> None:
    app.engine.forget_conversation()
