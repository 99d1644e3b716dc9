"""Keys of the overlay that belong to no single part, and where its focus goes."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import (
    QKeyEvent,
    QKeySequence,
    QShortcut,
)
from PySide6.QtWidgets import QAbstractSlider, QApplication, QWidget
from shiboken6 import isValid

from askance.app.commands import WindowCommand
from askance.ui.answer.conversation_view import ConversationView
from askance.ui.answer.exchange_view import ClarifyForm, ExchangeWidget
from askance.ui.design.composing import single_shot_timer
from askance.ui.design.focus import (
    ALLOW_WORDS,
    CLOSE,
    HISTORY,
    FocusRing,
    announce,
    press_with_enter,
    reading_order,
)
from askance.ui.design.theme import Look
from askance.ui.engine.session import Session
from askance.ui.model.exchange import ExchangeView, State
from askance.ui.overlay.ask_bar import AskBar

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
        if watched is self._bar.field:
            return self._scrolls(event) or self._copies(event)
        return (
            self._scrolls(event)
            or self._copies(event)
            or self._leaves(event)
            or press_with_enter(self._window, event)
            or self._types(event)
        )

    # Reading

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
        stops = reading_order(found)
        if focused is not None and stops:
            stops[0].setFocus(Qt.FocusReason.TabFocusReason)
        bar.setValue(found.y())
        if found.view is not None:
            announce(found, found.view.question)

    def _focused_exchange(self) -> ExchangeWidget | None:
        widget = self._window.focusWidget()
        while widget is not None and not isinstance(widget, ExchangeWidget):
            widget = widget.parentWidget()
        return widget

    # Copying

    def _copies(self, event: QKeyEvent) -> bool:
        """Copy the answer that is read, unless words of the field are selected."""
        if not event.matches(QKeySequence.StandardKey.Copy):
            return False
        field = self._bar.field
        if field.hasFocus() and field.textCursor().hasSelection():
            return False
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

    # Searching

    def _allow_words(self) -> None:
        """Search the question that is read once more, with the words that were held back of it."""
        exchange = self._focused_exchange() or self._seen_exchange()
        if exchange is not None and exchange.view is not None and exchange.view.held_back:
            exchange.allow_words()

    # The window

    def _leaves(self, event: QKeyEvent) -> bool:
        if event.key() != Key.Key_Escape:
            return False
        self._bar.escape()
        return True

    def _types(self, event: QKeyEvent) -> bool:
        """Let what is typed anywhere stand in the field."""
        text = event.text()
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

    # The focus

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
