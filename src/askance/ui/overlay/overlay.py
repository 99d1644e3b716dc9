"""The overlay: the ask bar that grows into a conversation, and the bar at its foot; its keys that belong to no single
part, where its focus goes, and what is started before a question is asked.

Built once and hidden, never destroyed. It shows a `Session` and hands on what the user does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import (
    QGuiApplication,
    QHideEvent,
    QKeyEvent,
    QKeySequence,
    QShortcut,
    QShowEvent,
)
from PySide6.QtWidgets import QAbstractSlider, QApplication, QWidget
from shiboken6 import isValid

from askance.app.commands import WindowCommand
from askance.config.choices import AskMode
from askance.domain.messages import FixKind
from askance.presentation.i18n import tr, translated
from askance.ui.bridge import Bridge
from askance.ui.design.composing import activate_layouts, single_shot_timer
from askance.ui.design.focus import (
    ALLOW_WORDS,
    CLOSE,
    HISTORY,
    FocusRing,
    announce,
    press_with_enter,
    reading_order,
)
from askance.ui.design.frame import (
    Frame,
    FramePlacement,
    bring_up,
    can_be_seen_through,
    is_here,
)
from askance.ui.design.theme import Look
from askance.ui.overlay.bar.ask_bar import AskBar
from askance.ui.overlay.bar.quotes import Clipboard, SelectionWatcher
from askance.ui.overlay.bar.status import BottomBar, MessageAction, StatusIndicator
from askance.ui.overlay.conversation.conversation_view import ConversationView, RunAnnouncer
from askance.ui.overlay.conversation.exchange import ExchangeAction, ExchangeView, State
from askance.ui.overlay.conversation.exchange_view import ClarifyForm, ExchangeWidget
from askance.ui.overlay.conversation.session import Session
from askance.ui.overlay.library_view import LibraryView

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
        """Hide the window if it is where the user is and has the focus, else summon it."""
        if self.isVisible() and self.isActiveWindow() and self._is_here:
            self.hide()
        else:
            self.summon()

    def summon(self) -> None:
        """Show the window on the desktop that is seen and the screen that holds the pointer, ready to type into."""
        if self.isVisible() and not self._is_here:
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
        # A child of the window, which keeps it; so is the next one.
        OverlayKeys(self.look, self, bar, conversation, session)
        RunAnnouncer(session, self)

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

    def _choose_mode(self, mode: AskMode) -> None:
        self._mode = mode
        self.mode_chosen.emit(mode)

    def _set_up_search(self) -> None:
        self.fix_requested.emit(FixKind.ALLOW_SEARCH)

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

    @property
    def _is_here(self) -> bool:
        """Whether the window, which is shown, is on the desktop that is seen, and active or on the screen of the pointer."""
        return is_here(self) and (self.isActiveWindow() or self._placing.is_on_screen)

    def _fit_soon(self) -> None:
        """Fit the height once all that grows in this turn of the event loop has grown."""
        if not self._fitting.isActive():
            self._fitting.start(0)

    def _fit(self) -> None:
        """Make the window as high as what it shows, up to its share of the screen."""
        most, foot = self._placing.most_height, self.bottom_bar.height()
        self.ask_bar.set_most_height(most - foot)
        fixed = self.ask_bar.sizeHint().height() + foot
        # Only one of the two is shown: the library takes the conversation's place.
        shown = 0 if self.conversation.isHidden() else self.conversation.content_height
        if self.library.is_open:
            shown = self.library.content_height
        self._placing.grow_to(min(max(fixed, most), fixed + shown))


Key, Step = Qt.Key, QAbstractSlider.SliderAction
_STEPS = {
    Key.Key_PageUp: Step.SliderPageStepSub,
    Key.Key_PageDown: Step.SliderPageStepAdd,
    Key.Key_Home: Step.SliderToMinimum,
    Key.Key_End: Step.SliderToMaximum,
}
_HELD = (
    Qt.KeyboardModifier.ControlModifier
    | Qt.KeyboardModifier.AltModifier
    | Qt.KeyboardModifier.MetaModifier
)


class OverlayKeys(QObject):
    """Keys of the overlay that belong to no single part, and where its focus goes, for as long as the window lives.

    The field keeps the focus while the conversation is scrolled. What no widget wants comes up to the
    window, and is taken there.
    """

    def __init__(
        self,
        look: Look,
        window: QWidget,
        bar: AskBar,
        conversation: ConversationView,
        session: Session,
    ) -> None:
        super().__init__(window)
        self._window, self._bar, self._conversation, self._session = (
            window,
            bar,
            conversation,
            session,
        )
        bar.field.installEventFilter(self)
        window.installEventFilter(self)
        FocusRing(look, window)
        for key, then in self._shortcuts:
            QShortcut(QKeySequence(key), window, then)
        session.began.connect(self._go_to_field)
        session.cleared.connect(self._go_to_field)
        session.changed.connect(self._ask_back)
        # In the next turn: what is hidden gives the focus up before something else has it.
        self._lost = single_shot_timer(self, self._regain_focus)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._note_focus)

    @property
    def _shortcuts(self) -> tuple[tuple[QKeySequence.StandardKey | str, Callable[[], object]], ...]:
        return (
            (QKeySequence.StandardKey.New, self._session.begin_anew),
            (QKeySequence.StandardKey.HelpContents, self._help),
            ("Ctrl+,", lambda: self._session.wanted.emit(WindowCommand.SETTINGS, "")),
            (HISTORY, lambda: self._session.wanted.emit(WindowCommand.HISTORY, "")),
            (CLOSE, self._window.hide),
            (ALLOW_WORDS, self._allow_words),
            ("Ctrl+Up", lambda: self._go(-1)),
            ("Ctrl+Down", lambda: self._go(1)),
        )

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take keys before the field does, and those that come up to the window."""
        if event.type() is not QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        # The field is asked first only for what it would swallow itself: keys that scroll, and a
        # copy of nothing.
        if watched is self._bar.field:
            return self._scrolls(event) or self._copies(event)
        return (
            # Typing comes last, for it takes every letter that nobody else has a use for.
            self._scrolls(event)
            or self._copies(event)
            or self._leaves(event)
            or self._pastes(event)
            or press_with_enter(self._window, event)
            or self._types(event)
        )

    def _scrolls(self, event: QKeyEvent) -> bool:
        """Scroll the conversation by a page, or to an end of it."""
        if self._conversation.isHidden():
            return False
        key = Key(event.key())
        if event.modifiers() & _HELD or key not in _STEPS or self._is_editing(key):
            return False
        self._conversation.verticalScrollBar().triggerAction(_STEPS[key])
        return True

    def _is_editing(self, key: Qt.Key) -> bool:
        """Return whether a key has something to do in the text of the field."""
        field = self._bar.field
        if not field.hasFocus():
            return False
        if key in (Key.Key_Home, Key.Key_End):
            return bool(field.text)
        return field.verticalScrollBar().maximum() > 0

    def _go(self, by: int) -> None:
        """Go to the exchange before or after the one that is read: the focus too, if it is there."""
        if self._conversation.isHidden():
            return
        exchanges, bar = self._conversation.exchanges, self._conversation.verticalScrollBar()
        focused = self._focused_exchange()
        if focused is not None:
            at = list(exchanges).index(focused) + by
            found = exchanges[at] if 0 <= at < len(exchanges) else None
        elif by < 0:
            found = next((e for e in reversed(exchanges) if e.y() < bar.value()), None)
        else:
            found = next((e for e in exchanges if e.y() > bar.value()), None)
        if found is None:
            return
        # The focus moves only where it was in the conversation: from the field one goes on typing.
        stops = reading_order(found)
        if focused is not None and stops:
            stops[0].setFocus(Qt.FocusReason.TabFocusReason)
        bar.setValue(found.y())
        if found.view is not None:
            announce(found, found.view.asked.text)

    def _focused_exchange(self) -> ExchangeWidget | None:
        widget = self._window.focusWidget()
        while widget is not None and not isinstance(widget, ExchangeWidget):
            widget = widget.parentWidget()
        return widget

    def _copies(self, event: QKeyEvent) -> bool:
        """Copy the answer that is read, unless words of the field are selected."""
        if not event.matches(QKeySequence.StandardKey.Copy):
            return False
        field = self._bar.field
        if field.hasFocus() and field.textCursor().hasSelection():
            return False
        # Where nothing of an answer has the focus, what is seen is meant.
        exchange = self._focused_exchange() or self._seen_exchange()
        if exchange is None or exchange.view is None or exchange.view.state is not State.ANSWERED:
            return False
        exchange.copy_with_sources()
        return True

    def _seen_exchange(self) -> ExchangeWidget | None:
        """Return the newest exchange at the end of the conversation, else the topmost one seen."""
        exchanges, bar = self._conversation.exchanges, self._conversation.verticalScrollBar()
        at_end = bar.value() >= bar.maximum()
        below = [e for e in exchanges if at_end or e.geometry().bottom() > bar.value()]
        if not below:
            return None
        return below[-1] if at_end else below[0]

    def _allow_words(self) -> None:
        """Search the question that is read once more, with the words that were held back of it."""
        exchange = self._focused_exchange() or self._seen_exchange()
        if exchange is not None and exchange.view is not None and exchange.view.held_back:
            exchange.allow_words()

    def _leaves(self, event: QKeyEvent) -> bool:
        if event.key() != Key.Key_Escape:
            return False
        self._bar.escape()
        return True

    def _pastes(self, event: QKeyEvent) -> bool:
        """Paste into the field what is pasted anywhere."""
        if is_paste := event.matches(QKeySequence.StandardKey.Paste):
            self._bar.field.paste()
        return is_paste

    def _types(self, event: QKeyEvent) -> bool:
        """Let what is typed anywhere stand in the field."""
        text = event.text()
        # Backspace, Escape and their like come with a control character as their text.
        if event.modifiers() & _HELD or not text.strip() or not text.isprintable():
            return False
        self._bar.setFocus(Qt.FocusReason.OtherFocusReason)
        self._bar.field.insertPlainText(text)
        return True

    def _help(self) -> None:
        """Show what can be asked for; what stands in the field can be recalled."""
        if draft := self._bar.field.text.strip():
            self._bar.recall.add(draft)
        self._bar.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._session.wanted.emit(WindowCommand.HELP, "")

    def _go_to_field(self) -> None:
        """Leave what belongs to the exchange before, or to one that is gone."""
        if self._window.isVisible() and not self._bar.field.hasFocus():
            self._bar.setFocus(Qt.FocusReason.OtherFocusReason)

    def _ask_back(self, _index: int, view: ExchangeView) -> None:
        """Offer the reply's own field, unless something else is being typed."""
        field = self._bar.field
        if view.state is not State.CLARIFYING or field.text or not field.hasFocus():
            return
        asking = (
            self._conversation.exchanges[-1].part(ClarifyForm)
            if self._conversation.exchanges
            else None
        )
        if isinstance(asking, ClarifyForm):
            asking.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def _note_focus(self, _old: QWidget | None, new: QWidget | None) -> None:
        """Never leave the window without a focus: what had it may be gone."""
        if new is None and isValid(self._lost):
            self._lost.start(0)

    def _regain_focus(self) -> None:
        if QApplication.focusWidget() is None and self._window.isActiveWindow():
            self._go_to_field()


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
        # As if that were long ago: the first letter starts them.
        self._prepared_s = -_AGAIN_S
        self._shown = single_shot_timer(self, self._preload, _STAYS_MS)
        overlay.summoned.connect(self._shown.start)
        overlay.ask_bar.text_edited.connect(self._prepare)
        # Its prompts and evidence would stay in memory until the next question.
        session.cleared.connect(lambda: bridge.call(_forget_conversation, lambda _: None))

    def _preload(self) -> None:
        # Somebody who only glanced at the window has no need of a model.
        if self._overlay.isVisible():
            self._bridge.call(lambda app: app.preload(), lambda _: None)

    def _prepare(self) -> None:
        now = monotonic()
        if now - self._prepared_s < _AGAIN_S or not self._overlay.ask_bar.field.text.strip():
            return
        self._prepared_s = now
        self._bridge.call(_prepare, lambda _: None)


async def _prepare(app: App) -> None:
    app.prepare()


async def _forget_conversation(app: App) -> None:
    app.engine.forget_conversation()
