"""The overlay: the ask bar that grows into a conversation; its keys that belong to no single
part, and where its focus goes.

Built once and hidden, never destroyed. It shows a `Session` and hands on what the user does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import (
    QGuiApplication,
    QHideEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QAbstractSlider, QApplication, QWidget
from shiboken6 import isValid

from askance.app.commands import WindowCommand, as_typed, mode_of
from askance.config.choices import AskMode
from askance.domain.conversation import ParsedCommand
from askance.domain.messages import FixKind
from askance.presentation.missing_parts import in_window_words
from askance.presentation.steps import Tone
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
from askance.ui.design.frame import Frame, bring_up, can_be_seen_through, is_here
from askance.ui.design.keys import Binding, bind_keys
from askance.ui.design.placement import WIDE, FramePlacement
from askance.ui.design.theme import Look
from askance.ui.overlay.answer.copying import CopyKind
from askance.ui.overlay.attach_files import FileAttacher
from askance.ui.overlay.bar.ask_bar import AskBar
from askance.ui.overlay.bar.missing import MissingPartRow
from askance.ui.overlay.bar.model_switch import ModelSwitch
from askance.ui.overlay.bar.quotes import Clipboard, SelectionWatcher
from askance.ui.overlay.bar.status import MessageAction, StatusIndicator
from askance.ui.overlay.bar.tool_row import LIBRARY, MODEL_SWITCH, PIN, SETTINGS
from askance.ui.overlay.columns import WindowColumns
from askance.ui.overlay.conversation.conversation_view import ConversationView
from askance.ui.overlay.conversation.exchange import ExchangeAction, ExchangeView, State
from askance.ui.overlay.conversation.exchange_view import ClarifyForm, ConfirmForm, ExchangeWidget
from askance.ui.overlay.conversation.run_announcer import RunAnnouncer
from askance.ui.overlay.conversation.session import Session
from askance.ui.overlay.follow_ups import FollowUps
from askance.ui.overlay.leaving import BlurWatcher, be_ordinary
from askance.ui.overlay.library_view import LibraryView


class Overlay(Frame):
    """The window that the hotkey summons."""

    link_activated = Signal(str)
    """An address to open in the browser."""
    fix_requested = Signal(str)
    """What the button at a failure promises: the value of a `FixKind`."""
    model_chosen = Signal(str)
    """The model that every conversation is answered by from now on."""
    mode_chosen = Signal(object)
    """The `AskMode` with which questions are asked from now on."""
    summoned = Signal()
    """The window has come up; what is in it is seen now."""
    hidden = Signal()
    pinned_changed = Signal(bool)
    """The window is pinned from now on, or not any more."""

    def __init__(self, look: Look, session: Session, *, clipboard: Clipboard | None = None) -> None:
        super().__init__(look)
        self.setWindowTitle("Askance")
        self._session = session
        self._notice: StatusIndicator | None = None
        self._model: StatusIndicator | None = None
        self._title = ""
        # What a conversation begins with.
        self._mode = AskMode.WEB
        self.ask_bar = AskBar(look)
        self.missing = MissingPartRow(look)
        self.conversation = ConversationView(look)
        self.library = LibraryView(look)
        self.models = ModelSwitch(look, self)
        self.columns = WindowColumns(
            look, self.ask_bar, self.missing, self.conversation, self.library
        )
        self.contents.addWidget(self.columns)
        self.conversation.hide()
        self.offering = SelectionWatcher(clipboard or QGuiApplication.clipboard(), self)
        self._placing = FramePlacement(self)
        self.leaving = BlurWatcher(self)
        self._fitting = single_shot_timer(self, self._fit)
        self._connect()
        self._show_state()
        self._fit()

    def _restyle(self) -> None:
        self._show_state()
        self._fit_soon()

    def set_lights(self, lights: Sequence[StatusIndicator]) -> None:
        """Show the model, which comes first, and whether the sample web is searched."""
        self._model = lights[0] if lights else None
        self._show_model()
        # What is missing for a search stands elsewhere: an action leads there.
        noted = [light for light in lights[1:] if light.tone is Tone.AMBER and not light.action]
        self._notice = noted[0] if noted else None
        self._show_title()

    def set_title(self, title: str) -> None:
        """Show the title of the conversation in the bar."""
        self._title = title
        self._show_title()

    def _show_title(self) -> None:
        if self._notice is not None:
            self.ask_bar.tools.set_title(self._notice.text, self._notice.detail)
        else:
            self.ask_bar.tools.set_title(self._title)

    @property
    def is_pinned(self) -> bool:
        """Whether the user has pinned it: it is an ordinary window then, and stays."""
        return self._placing.is_pinned

    def set_pinned(self, pinned: bool) -> None:
        """Pin it, or let it be a visitor again, which lies above all others and goes when one of them is used."""
        if pinned is self.is_pinned:
            return
        is_tiled = self._placing.is_given
        self._placing.set_pinned(pinned)
        self.pinned_changed.emit(pinned)
        if is_tiled and self.isVisible():
            # Where windows are tiled, one floats only if it does so from the moment that it comes up.
            self.hide()
            self.summon()

    def toggle_wide(self) -> None:
        """Make it wide, or as narrow as at first."""
        self._placing.toggle_wide()

    def toggle_sources(self) -> None:
        """Show sources beside the text, for which a narrow window becomes wide, or no more."""
        self.columns.toggle_sources()
        if not self.columns.is_wide:
            self.toggle_wide()

    def store_places_in(self, file: Path) -> None:
        """Keep in this file where it stands, how large it is and whether it is pinned, and take what is in it."""
        self._placing.store_in(file)
        self.columns.fold(self._placing.folded)
        self.pinned_changed.emit(self.is_pinned)

    def toggle(self) -> None:
        """Hide the window if it is where the user is and has the focus, else summon it."""
        if self.isVisible() and self.isActiveWindow() and self._is_here:
            self.hide()
        else:
            self.summon()

    def toggle_from_panel(self) -> None:
        """Toggle at a click on the icon in the panel, for which the window may have gone already, as for any other."""
        if self.isVisible() or not self.leaving.has_just_hidden:
            self.toggle()

    def summon(self) -> None:
        """Show the window on the desktop that is seen and the screen that holds the pointer, ready to type into."""
        if self.isVisible() and not self._is_here:
            self.hide()
        if not self.isVisible():
            self.set_plain(not can_be_seen_through())
            self._placing.place()
            self._be_ordinary()
            # What came while it was hidden is to be seen whole in the first frame.
            activate_layouts(self)
            self.conversation.measure()
            self._fit()
        bring_up(self)
        self.leaving.note_summons()
        self.ask_bar.setFocus(Qt.FocusReason.ActiveWindowFocusReason)

    def event(self, event: QEvent) -> bool:
        """Follow the ask bar, whose field grows with what is typed, and look what may be quoted."""
        if event.type() is QEvent.Type.LayoutRequest:
            self._fit_soon()
        elif event.type() is QEvent.Type.WindowDeactivate and self.isVisible():
            self.ask_bar.set_active(False)
        elif event.type() is QEvent.Type.WindowActivate:
            self.ask_bar.set_active(True)
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
        # It has the keyboard when it comes up again, and its first frame should look so.
        self.ask_bar.set_active(True)
        self.ask_bar.offer.withdraw()
        self.offering.forget()
        self.hidden.emit()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Become wide, or narrow again, by the empty parts of the rows."""
        at = self.columns.mapFrom(self, event.position().toPoint())
        if event.button() is Qt.MouseButton.LeftButton and self.columns.is_handle(at):
            self.toggle_wide()

    def set_mode(self, mode: AskMode) -> None:
        """Let conversations begin with this mode, and the one that has not begun yet."""
        self._mode = mode
        if not self._session.views:
            self.ask_bar.switch.set_mode(mode)

    def show_library(self) -> None:
        """Show what the library holds, in the place of the conversation, and go there."""
        self._show_state()
        if not self.ask_bar.field.text:
            self.library.enter()

    def complain(self, sentence: str, step: MessageAction | None = None) -> None:
        """Say something below the field, with a button for the step; a key takes it away, once it can be read."""
        self.ask_bar.show_message(in_window_words(sentence), step)

    def take_back(self, sentence: str) -> None:
        """Show a complaint no more: its cause is gone."""
        self.ask_bar.inline_message.take_back(in_window_words(sentence))

    def _be_ordinary(self) -> None:
        """Be a window as all others, or one that lies above them and is in no list of theirs."""
        is_ordinary = self._placing.is_ordinary
        self.leaving.is_ordinary = is_ordinary
        be_ordinary(self, is_ordinary)

    def _connect(self) -> None:
        bar, session, conversation = self.ask_bar, self._session, self.conversation
        self.files = FileAttacher(self, bar, session, self.models.chosen)
        self.files.link_activated.connect(self.link_activated)
        self._placing.resized.connect(self._fit_soon)
        self._placing.kind_changed.connect(self._be_ordinary)
        bar.submitted.connect(self._take)
        bar.switch.chosen.connect(self._choose_mode)
        bar.switch.setup_requested.connect(lambda: self.fix_requested.emit(FixKind.ALLOW_SEARCH))
        bar.stop_requested.connect(session.stop)
        bar.dismissed.connect(self._dismiss)
        bar.left_below.connect(self.library.enter)
        self._connect_tools()
        self.library.left.connect(bar.setFocus)
        self.library.closed.connect(self._show_state)
        self.library.height_changed.connect(self._show_state)
        bar.text_edited.connect(self._fit_soon)
        self.offering.found.connect(bar.offer_quote)
        session.began.connect(self._begin)
        session.changed.connect(self._change)
        session.resumed.connect(self._resume)
        session.removed.connect(conversation.remove)
        session.put_back.connect(conversation.put_back)
        for moved in (session.removed, session.put_back):
            moved.connect(self._show_state)
        session.cleared.connect(self._clear)
        session.misunderstood.connect(bar.complain)
        session.troubled.connect(self.complain)
        conversation.height_changed.connect(self._fit_soon)
        self.columns.form_changed.connect(self._show_state)
        self.columns.folded.connect(self._placing.set_folded)
        self.columns.questions.question_chosen.connect(conversation.go_to_index)
        self.columns.sources.link_activated.connect(self.link_activated)
        conversation.link_activated.connect(self.link_activated)
        conversation.fix_requested.connect(self.fix_requested)
        conversation.requested.connect(self._request)
        # A child of the window, which keeps it; so is the next one.
        OverlayKeys(self, session)
        self.follow_ups = FollowUps(bar, conversation, session, self)
        RunAnnouncer(session, self)

    def _take(self, asked: ParsedCommand) -> None:
        """Ask about the passages that are picked in the library, if some are; else as it stands."""
        if self.library.has_picked and mode_of(asked.command) and not asked.quote:
            self.ask_bar.field.set_text(as_typed(asked))
            self.library.ask_about_picked()
        else:
            self._session.take(asked)

    def _connect_tools(self) -> None:
        tools, wanted = self.ask_bar.tools, self._session.wanted
        tools.new_requested.connect(self._session.begin_anew)
        tools.history_requested.connect(lambda: wanted.emit(WindowCommand.HISTORY, ""))
        tools.settings_requested.connect(lambda: wanted.emit(WindowCommand.SETTINGS, ""))
        tools.library_requested.connect(lambda: wanted.emit(WindowCommand.LIBRARY, ""))
        tools.model_requested.connect(self._open_models)
        tools.pin_toggled.connect(self._choose_pinned)
        self.pinned_changed.connect(self._show_pinned)
        self._placing.kind_changed.connect(self._show_pinned)
        models = self.models
        models.closed.connect(lambda: tools.model_button.set_on(False))
        models.chosen.connect(self.use_model)
        models.chosen_for_all.connect(self._use_model_for_all)

    def _choose_pinned(self, pinned: bool) -> None:
        """Pin it or not. One that is wide is pinned by that: it becomes narrow again as well."""
        self.set_pinned(pinned)
        if not pinned and self._placing.is_ordinary:
            self.toggle_wide()

    def _show_pinned(self) -> None:
        self.ask_bar.tools.set_pinned(self._placing.is_ordinary)

    def _open_models(self) -> None:
        """Show what the server has, and ask it what that is."""
        name = self._session.model or (self._model.text if self._model else "")
        self.models.set_choices(None, name)
        self._session.ask_models(lambda found: self.models.set_choices(found, name))
        button = self.ask_bar.tools.model_button
        button.set_on(True)
        self.models.open_below(button)

    def use_model(self, name: str) -> None:
        """Let this conversation be answered by another model of the server."""
        self._session.use_model("" if self._model and name == self._model.text else name)
        self._show_model()

    def _use_model_for_all(self, name: str) -> None:
        self._session.use_model("")
        self.model_chosen.emit(name)

    def _show_model(self) -> None:
        chosen = self._session.model
        light = StatusIndicator(chosen, Tone.GOOD) if chosen else self._model
        if light is not None:
            self.ask_bar.tools.model_button.show_light(light)
        self._session.files.look_again()

    def _begin(self, _index: int, view: ExchangeView) -> None:
        self.library.close_view()
        self.conversation.add(view)
        self._show_state()

    def _change(self, index: int, view: ExchangeView) -> None:
        if widget := self.conversation.at(index):
            widget.show_view(view)
        if view.ended and view.state is not State.STOPPED and self._session.running is None:
            self.ask_bar.finish_run()
        self._show_state()

    def _resume(self) -> None:
        self.library.close_view()
        self.conversation.show_all(self._session.views)
        # The next question follows up the last one.
        self.ask_bar.switch.set_mode(self._session.mode or self._mode)
        self._show_model()
        self._show_state()

    def _clear(self) -> None:
        self.library.close_view()
        self.conversation.clear()
        self.ask_bar.switch.set_mode(self._mode)
        self._show_model()
        self._show_state()

    def _request(self, widget: ExchangeWidget, action: ExchangeAction, words: str) -> None:
        session = self._session
        does: dict[ExchangeAction, Callable[[int], None]] = {
            ExchangeAction.REPLY: lambda index: session.reply(index, words),
            ExchangeAction.RETRY: session.retry,
            ExchangeAction.OTHER_MODEL: lambda index: self._ask_model(index, words),
            ExchangeAction.WITH_WEB: session.with_web,
            ExchangeAction.WITHOUT_WEB: session.without_web,
            ExchangeAction.ALLOW_WORDS: session.allow_words,
            ExchangeAction.ASK_NOW: session.ask_now,
            ExchangeAction.CONFIRM: session.confirm,
            ExchangeAction.DROP: self._drop,
        }
        if action not in does:
            return  # `FollowUps` does it
        does[action](self.conversation.index_of(widget))
        # What was pressed goes, and would leave the focus to whatever stands beside it.
        self.ask_bar.setFocus(Qt.FocusReason.OtherFocusReason)

    def _ask_model(self, index: int, name: str) -> None:
        """Ask the same of another model, which answers this conversation from then on."""
        self.use_model(name)
        self._session.retry(index)

    def _dismiss(self) -> None:
        if self.library.is_open:
            self.library.close_view()
        elif not self._leave_proposal(len(self._session.views) - 1):
            self.hide()

    def _leave_proposal(self, index: int) -> bool:
        """Take a text back whose check is not confirmed, into the field if that is empty."""
        asked = self._session.leave_proposal(index)
        if asked is not None and self.ask_bar.is_empty:
            self.follow_ups.put_into_field(asked)
        return asked is not None

    def _drop(self, index: int) -> None:
        if not self._leave_proposal(index):
            self._session.drop(index)

    def _choose_mode(self, mode: AskMode) -> None:
        self._mode = mode
        self.mode_chosen.emit(mode)

    def _show_state(self) -> None:
        is_begun, running = bool(self._session.views), self._session.running
        self.ask_bar.set_running(running is not None)
        self.ask_bar.set_follow_up(is_begun)
        is_found = self.library.is_open
        self.ask_bar.set_ruled(is_begun or is_found or self.columns.is_at_foot)
        self.missing.set_has_below(is_begun or is_found)
        self.ask_bar.line.set_fraction(running.progress if running is not None else None)
        self.conversation.setVisible(is_begun and not is_found)
        self.ask_bar.show_hints(self.library.hints if is_found else ())
        self.columns.questions.show_questions(self._session.views)
        self.columns.follow()
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
        most = self._placing.most_height
        # By the paper, which has its width before what lies on it is arranged.
        if self.paper.width() >= self.look.px(WIDE):
            # It has the size that the user gives it, and what is in it is scrolled.
            self.ask_bar.set_most_height(most // 2)
            self._placing.grow_to(most)
            return
        self.ask_bar.set_most_height(most)
        fixed = self.ask_bar.sizeHint().height() + self.missing.content_height
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

    def __init__(self, window: Overlay, session: Session) -> None:
        super().__init__(window)
        bar = window.ask_bar
        self._window, self._bar, self._conversation = window, bar, window.conversation
        bar.field.installEventFilter(self)
        window.installEventFilter(self)
        FocusRing(window.look, window)
        bind_keys(window, self._shortcuts)
        bar.tools.keys_requested.connect(lambda: session.wanted.emit(WindowCommand.HELP, ""))
        session.began.connect(self._go_to_field)
        session.cleared.connect(self._go_to_field)
        session.changed.connect(self._ask_back)
        # In the next turn: what is hidden gives the focus up before something else has it.
        self._lost = single_shot_timer(self, self._regain_focus)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._note_focus)

    @property
    def _shortcuts(self) -> tuple[Binding, ...]:
        tools = self._bar.tools
        return (
            (QKeySequence.StandardKey.New, tools.new_requested.emit),
            (QKeySequence.StandardKey.HelpContents, tools.keys_requested.emit),
            (SETTINGS, tools.settings_requested.emit),
            (HISTORY, self._open_history),
            ("F6", self._window.columns.go_to_next_column),
            (MODEL_SWITCH, tools.model_requested.emit),
            (LIBRARY, tools.library_requested.emit),
            (PIN, tools.toggle_pin),
            (QKeySequence.StandardKey.ZoomIn, lambda: tools.text_size_requested.emit(1)),
            # Where plus is the other sign of a key, as browsers have it.
            ("Ctrl+=", lambda: tools.text_size_requested.emit(1)),
            (QKeySequence.StandardKey.ZoomOut, lambda: tools.text_size_requested.emit(-1)),
            ("Ctrl+0", lambda: tools.text_size_requested.emit(0)),
            (CLOSE, self._window.hide),
            (ALLOW_WORDS, self._allow_words),
            ("Alt+Up", lambda: self._go(-1)),
            ("Alt+Down", lambda: self._go(1)),
            ("Alt+Right", lambda: self._conversation.go_to_number(1)),
            ("Alt+Left", lambda: self._conversation.go_to_number(-1)),
            ("Alt+2", lambda: self._conversation.ask_next(0)),
            ("Alt+3", lambda: self._conversation.ask_next(1)),
        )

    def _open_history(self) -> None:
        """Show past conversations, or fold the column that shows them beside the text."""
        if not self._window.columns.fold_questions():
            self._bar.tools.history_requested.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take keys before the field does, and those that come up to the window."""
        if event.type() is not QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        # The field is asked first only for what it would swallow itself: keys that scroll, and a
        # copy of nothing.
        if watched is self._bar.field:
            return self._scrolls(event) or self._copies(event) or self._replaces(event)
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
        self._conversation.go_to(found)
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
        exchange = self._focused_exchange() or self._conversation.read_exchange
        if exchange is None or exchange.view is None or exchange.view.state is not State.ANSWERED:
            return False
        exchange.copy_as(CopyKind.WITH_SOURCES)
        return True

    def _replaces(self, event: QKeyEvent) -> bool:
        """Put the text that was made of a selection in its place, while the field is empty."""
        is_enter = event.key() in (Key.Key_Return, Key.Key_Enter)
        is_held = event.modifiers() & _HELD == Qt.KeyboardModifier.ControlModifier
        if not (is_enter and is_held) or self._bar.field.text:
            return False
        exchange = self._focused_exchange() or self._conversation.read_exchange
        return exchange is not None and exchange.replace_selection()

    def _allow_words(self) -> None:
        """Search the question that is read once more, with the words that were held back of it."""
        exchange = self._focused_exchange() or self._conversation.read_exchange
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

    def _go_to_field(self) -> None:
        """Leave what belongs to the exchange before, or to one that is gone."""
        # A popover keeps the keyboard while it is open.
        is_free = self._window.isVisible() and QApplication.activePopupWidget() is None
        if is_free and not self._bar.field.hasFocus():
            self._bar.setFocus(Qt.FocusReason.OtherFocusReason)

    def _ask_back(self, _index: int, view: ExchangeView) -> None:
        """Offer the reply's own field, or the button that confirms, unless something else is being typed."""
        field = self._bar.field
        is_asking = view.state is State.CLARIFYING or (view.proposal and view.is_unconfirmed)
        if not is_asking or field.text or not field.hasFocus():
            return
        exchanges = self._conversation.exchanges
        for form in (ClarifyForm, ConfirmForm):
            if exchanges and (asking := exchanges[-1].part(form)) is not None:
                asking.first.setFocus(Qt.FocusReason.OtherFocusReason)

    def _note_focus(self, _old: QWidget | None, new: QWidget | None) -> None:
        """Never leave the window without a focus: what had it may be gone."""
        if new is None and isValid(self._lost):
            self._lost.start(0)

    def _regain_focus(self) -> None:
        if QApplication.focusWidget() is None and self._window.isActiveWindow():
            self._go_to_field()
