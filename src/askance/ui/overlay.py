"""The overlay: the ask bar that grows into a conversation, and the bar at its foot.

Built once and hidden, never destroyed. It shows a `Session` and hands on what the user does.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import (
    QAbstractAnimation,
    QEasingCurve,
    QEvent,
    QRect,
    Qt,
    QTimer,
    QVariantAnimation,
    Signal,
)
from PySide6.QtGui import QCursor, QGuiApplication, QKeySequence, QShortcut

from askance.telling.words import tr
from askance.ui.look import tokens
from askance.ui.look.theme import Look
from askance.ui.model.commands import NotUnderstood, without_library
from askance.ui.model.exchange import ExchangeView
from askance.ui.session import Session
from askance.ui.widgets.ask_bar import AskBar
from askance.ui.widgets.bottom_bar import BottomBar, Light
from askance.ui.widgets.conversation_view import ConversationView
from askance.ui.widgets.exchange_view import ExchangeWidget
from askance.ui.widgets.frame import Frame, centred_in_upper_third

# A step that is smaller than this is taken at once: text that streams grows by lines.
_SMALL_STEP = 60


class Overlay(Frame):
    """The window that the hotkey summons."""

    link_activated = Signal(str)
    """An address to open in the browser."""
    fix_requested = Signal(str)
    """A command that mends what failed, such as `askance up`."""
    light_activated = Signal(str)
    """A light of the bottom bar was pressed: its action."""

    def __init__(self, look: Look, session: Session) -> None:
        super().__init__(look, Qt.WindowType.Window | Qt.WindowType.WindowStaysOnTopHint)
        self.setWindowTitle("Askance")
        self._session = session
        self._idle_lights: tuple[Light, ...] = ()
        self._running: ExchangeView | None = None
        self.ask_bar = AskBar(look, table=without_library())
        self.conversation = ConversationView(look)
        self.bottom_bar = BottomBar(look)
        self.contents.addWidget(self.ask_bar)
        self.contents.addWidget(self.conversation, 1)
        self.contents.addWidget(self.bottom_bar)
        self.conversation.hide()
        self._growth = QVariantAnimation(self)
        self._growth.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._growth.valueChanged.connect(self.setFixedHeight)
        self._fitting = QTimer(self)
        self._fitting.setSingleShot(True)
        self._fitting.timeout.connect(self._fit)
        self._connect()
        self._show_state()
        self._fit()

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        super().set_look(look)
        for part in (self.ask_bar, self.conversation, self.bottom_bar):
            part.set_look(look)
        self._show_state()
        self._fit_soon()

    def set_lights(self, lights: Sequence[Light]) -> None:
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
        if not self.isVisible():
            self._place()
        self.show()
        self.raise_()
        self.activateWindow()
        self.ask_bar.setFocus(Qt.FocusReason.ActiveWindowFocusReason)

    def event(self, event: QEvent) -> bool:
        """Follow the ask bar, whose field grows with what is typed."""
        if event.type() is QEvent.Type.LayoutRequest:
            self._fit_soon()
        return super().event(event)

    def complain(self, sentence: str) -> None:
        """Say something below the field; the next key takes it away."""
        self.ask_bar.complain(NotUnderstood(sentence))

    def _connect(self) -> None:
        bar, session, talk = self.ask_bar, self._session, self.conversation
        bar.submitted.connect(session.submit)
        bar.stop_requested.connect(session.stop)
        bar.dismissed.connect(self.hide)
        bar.text_edited.connect(self._fit_soon)
        session.began.connect(self._begin)
        session.changed.connect(self._change)
        session.resumed.connect(self._resume)
        session.cleared.connect(self._clear)
        session.misunderstood.connect(bar.complain)
        session.troubled.connect(self.complain)
        talk.height_changed.connect(self._fit_soon)
        talk.link_activated.connect(self.link_activated)
        talk.fix_requested.connect(self.fix_requested)
        talk.retry_requested.connect(self._retry)
        talk.without_web_requested.connect(self._without_web)
        talk.replied.connect(self._reply)
        self.bottom_bar.activated.connect(self.light_activated)
        QShortcut(QKeySequence(Qt.Key.Key_Escape), self, bar.escape)
        QShortcut(QKeySequence.StandardKey.New, self, session.begin_anew)

    # What the session tells

    def _begin(self, _index: int, view: ExchangeView) -> None:
        self.conversation.add(view)
        self._running = None if view.ended else view
        self._show_state()

    def _change(self, index: int, view: ExchangeView) -> None:
        if widget := self._widget_at(index):
            widget.show_view(view)
        newest = self._session.views[-1]
        self._running = None if newest.ended else newest
        self._show_state()

    def _resume(self) -> None:
        self.conversation.show_all(self._session.views)
        self._show_state()

    def _clear(self) -> None:
        self.conversation.clear()
        self._running = None
        self._show_state()

    # What the user does with an exchange

    def _retry(self, widget: ExchangeWidget) -> None:
        self._session.retry(self._index_of(widget))

    def _without_web(self, widget: ExchangeWidget) -> None:
        self._session.without_web(self._index_of(widget))

    def _reply(self, widget: ExchangeWidget, text: str) -> None:
        self._session.reply(self._index_of(widget), text)

    # Older exchanges of a resumed conversation come in later, so that the last ones of both lists
    # belong together.

    def _widget_at(self, index: int) -> ExchangeWidget | None:
        widgets = self.conversation.exchanges
        place = index - (len(self._session.views) - len(widgets))
        return widgets[place] if place >= 0 else None

    def _index_of(self, widget: ExchangeWidget) -> int:
        widgets = self.conversation.exchanges
        return len(self._session.views) - len(widgets) + list(widgets).index(widget)

    # How it stands

    def _show_state(self) -> None:
        views = self._session.views
        running = self._running
        self.ask_bar.set_running(running is not None)
        self.ask_bar.set_follow_up(bool(views))
        self.ask_bar.set_ruled(bool(views))
        self.ask_bar.line.set_fraction(running.progress if running is not None else None)
        self.conversation.setVisible(bool(views))
        if running is not None and running.round:
            said = tr("round {number}", number=running.round)
            self.bottom_bar.set_lights((*self._idle_lights[:1], Light(said)))
            weight = running.evidence_tokens
            self.bottom_bar.set_hints(
                [tr("{tokens} tokens of evidence", tokens=weight)] if weight else []
            )
        else:
            self.bottom_bar.set_lights(self._idle_lights)
            self.bottom_bar.set_hints([] if views else [tr("↑ last question"), tr("⇧↵ new line")])
        self._fit_soon()

    # Where it stands

    def _fit_soon(self) -> None:
        """Fit the height once all that grows in this turn of the event loop has grown."""
        if not self._fitting.isActive():
            self._fitting.start(0)

    def _fit(self) -> None:
        """Make the window as high as what it shows, up to its share of the screen."""
        margins = self.shadow_margins
        fixed = self.ask_bar.sizeHint().height() + self.bottom_bar.height()
        talk = self.conversation.content_height if self._session.views else 0
        most = int(self._screen().height() * tokens.WINDOW_SHARE_OF_SCREEN)
        around = margins.top() + margins.bottom()
        height = min(max(fixed, most), fixed + talk) + around
        width = self.look.px(tokens.WINDOW_WIDTH) + margins.left() + margins.right()
        if width != self.width():
            self.setFixedWidth(width)
        self._grow_to(height)

    def _grow_to(self, height: int) -> None:
        self._growth.stop()
        step = abs(height - self.height())
        if not self.isVisible() or step < _SMALL_STEP or self.look.motion_ms == 0:
            self.setFixedHeight(height)
            return
        self._growth.setStartValue(self.height())
        self._growth.setEndValue(height)
        self._growth.setDuration(self.look.motion_ms)
        self._growth.start(QAbstractAnimation.DeletionPolicy.KeepWhenStopped)

    def _place(self) -> None:
        self._fit()
        paper = QRect(0, 0, self.look.px(tokens.WINDOW_WIDTH), 0)
        corner = centred_in_upper_third(paper, self._screen())
        margins = self.shadow_margins
        self.move(corner.x() - margins.left(), corner.y() - margins.top())

    def _screen(self) -> QRect:
        screen = QGuiApplication.screenAt(QCursor.pos()) or QGuiApplication.primaryScreen()
        return screen.availableGeometry()
