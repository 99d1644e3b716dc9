"""One conversation as the window holds it: questions go to the engine, views of them come back.

It owns no widget. The window shows what it tells, and calls what the user does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal

from askance.app.commands import NEW, CommandError, WindowCommand, mode_of, parse
from askance.app.conversation import ConversationSession, is_asked
from askance.config.choices import AskMode
from askance.domain.conversation import ParsedCommand
from askance.domain.events import RunEnd
from askance.domain.history import ConversationRecord, resumed
from askance.ui.bridge import Bridge, Emit
from askance.ui.overlay.conversation.exchange import (
    ExchangeModel,
    ExchangeView,
    State,
    dropped,
    fold,
    waiting,
)

if TYPE_CHECKING:
    from askance.app.container import (
        App,  # the engine's thread imports it, which takes half a second
    )


# By identity: the same question may wait twice.
@dataclass(slots=True, eq=False)
class _Exchange:
    """How a question is shown, and its run's number while that goes on."""

    view: ExchangeView
    run: int = 0


class Session(QObject):
    """The conversation in the window. Exchanges are known by their index, from 0."""

    began = Signal(int, object)
    """A new exchange is there: its index and its `ExchangeView`."""
    changed = Signal(int, object)
    """An exchange looks different now: its index and its `ExchangeView`."""
    resumed = Signal()
    """An old conversation is there, with all its `views`."""
    cleared = Signal()
    """A conversation was left; the window is empty."""
    misunderstood = Signal(object)
    """What was typed cannot be done: a `CommandError`."""
    wanted = Signal(object, str)
    """A `WindowCommand` for the desktop, and what stood behind it."""
    troubled = Signal(object)
    """Something of the run could not be stored: one sentence."""

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._exchanges: list[_Exchange] = []
        # Those that wait for the run that is under way, in the order in which they are asked.
        self._waiting: list[_Exchange] = []
        self._left_unasked = ""
        self._conversation_session = ConversationSession(self.troubled.emit)
        # Queued: it is emitted in the engine's thread.
        bridge.happened.connect(self._take, Qt.ConnectionType.QueuedConnection)

    @property
    def views(self) -> list[ExchangeView]:
        """All exchanges as they are shown now, oldest first."""
        return [exchange.view for exchange in self._exchanges]

    @property
    def conversation(self) -> int | None:
        """The number under which the conversation is stored, if it is."""
        return self._conversation_session.number

    @property
    def is_running(self) -> bool:
        """Whether a run is under way."""
        return self.running is not None

    @property
    def running(self) -> ExchangeView | None:
        """The exchange whose run is under way."""
        return next((exchange.view for exchange in self._exchanges if exchange.run), None)

    @property
    def mode(self) -> AskMode | None:
        """With which mode the last question of this conversation was asked, if any was."""
        # From the end: commands on texts have no mode, and are passed over.
        modes = (mode_of(exchange.view.asked.command) for exchange in reversed(self._exchanges))
        return next((mode for mode in modes if mode is not None), None)

    def submit(self, text: str, quote: str = "", *, mode: AskMode = AskMode.WEB) -> bool:
        """Do what a text says, as if it had been typed. False, and `misunderstood`, if that cannot be done.

        `mode` says what plain text asks.
        """
        asked = parse(text, quote=quote, mode=mode)
        if isinstance(asked, CommandError):
            self.misunderstood.emit(asked)
            return False
        self.take(replace(asked, quote=quote))
        return True

    def take(self, asked: ParsedCommand) -> None:
        """Do what was sent. What is asked while a run is under way waits for its end."""
        if is_asked(asked.command):
            self._ask(asked)
        elif asked.command == NEW:
            self.begin_anew()
        else:
            self.wanted.emit(WindowCommand(asked.command), asked.text)

    def stop(self) -> None:
        """Stop what is under way. Its exchange ends as stopped, and the next one that waits begins."""
        for exchange in self._exchanges:
            if exchange.run:
                self._bridge.stop(exchange.run)

    def ask_now(self, index: int) -> None:
        """Ask what waits in the place of what is under way, which is stopped."""
        exchange = self._exchanges[index]
        if exchange in self._waiting:
            self._waiting.remove(exchange)
            self._waiting.insert(0, exchange)
            self.stop()

    def drop(self, index: int) -> None:
        """Do not ask what waits."""
        exchange = self._exchanges[index]
        if exchange in self._waiting:
            self._waiting.remove(exchange)
            exchange.view = dropped(exchange.view)
            self.changed.emit(index, exchange.view)

    def retry(self, index: int) -> None:
        """Ask the same again, as a new exchange. Who has an answer wants another one: the web is searched."""
        view = self._exchanges[index].view
        fresh = view.state is State.ANSWERED and not view.asked.documents
        self._ask(replace(view.asked, fresh=fresh))

    def allow_words(self, index: int) -> None:
        """Search the same again, with the words that queries were sent without; a run without them is stopped."""
        again = self._exchanges[index]
        if not again.view.held_back:
            return
        self._ask(again.view.asked.allowing(again.view.held_back))
        # Only after the new question, which waits for this end.
        if again.run:
            self._bridge.stop(again.run)

    def with_web(self, index: int) -> None:
        """Search the web for what the model was asked alone."""
        self._ask(self._exchanges[index].view.asked.with_web())

    def without_web(self, index: int) -> None:
        """Ask the model alone what was searched for."""
        self._ask(self._exchanges[index].view.asked.without_web())

    def reply(self, index: int, text: str) -> None:
        """Answer a clarifying question: both together are searched."""
        self._ask(self._exchanges[index].view.asked.clarified(text))

    @property
    def unasked(self) -> str:
        """What waits to be asked, or waited when a conversation was left: a paragraph a question."""
        asked = [exchange.view.asked.text for exchange in self._waiting]
        return "\n\n".join(asked) or self._left_unasked

    def begin_anew(self) -> None:
        """Leave this conversation. What is under way is stopped, and what waits is not asked."""
        # Kept until `cleared` was emitted: drafts take it over then.
        self._left_unasked = self.unasked if self._waiting else ""
        # Before the stop, whose end would begin the next one.
        self._waiting.clear()
        self.stop()
        self._exchanges.clear()
        self._conversation_session = ConversationSession(self.troubled.emit)
        self.cleared.emit()
        self._left_unasked = ""

    def resume(
        self, record: ConversationRecord, folded: Sequence[ExchangeView] | None = None
    ) -> None:
        """Go on with an old conversation; it looks as it did.

        `folded` is what `fold` made of its exchanges, where that was done beside the window.
        """
        self.begin_anew()
        self._conversation_session = ConversationSession(
            self.troubled.emit, number=record.summary.id, turns=resumed(record)
        )
        self._exchanges = [_Exchange(view) for view in (fold(record) if folded is None else folded)]
        self.resumed.emit()

    def _ask(self, asked: ParsedCommand) -> None:
        exchange = _Exchange(ExchangeView(asked))
        if self.is_running:
            exchange.view = waiting(exchange.view)
            self._waiting.append(exchange)
        else:
            self._begin(exchange)
        self._exchanges.append(exchange)
        self.began.emit(len(self._exchanges) - 1, exchange.view)

    def _begin(self, exchange: _Exchange) -> None:
        asked, conversation = exchange.view.asked, self._conversation_session
        model = ExchangeModel(asked)
        exchange.view = model.view

        async def work(app: App, emit: Emit) -> RunEnd:
            return await conversation.ask(app, asked, lambda timed: emit(timed.event, timed.at_s))

        # From now on the model and this conversation are the engine's thread's: rendering an answer takes
        # several frames.
        exchange.run = self._bridge.run(work, model.take)

    def _begin_next(self) -> None:
        if self._waiting and not self.is_running:
            exchange = self._waiting.pop(0)
            self._begin(exchange)
            self.changed.emit(self._exchanges.index(exchange), exchange.view)

    def _take(self, number: int, view: ExchangeView) -> None:
        """Show how a run stands; one that is not shown any more is passed over."""
        # A number that nobody has is that of a run whose conversation was left.
        found = [(i, e) for i, e in enumerate(self._exchanges) if e.run == number]
        for index, exchange in found:
            exchange.view = view
            if view.ended:
                # Free for the next one, before anybody is told and may ask for it.
                exchange.run = 0
            self.changed.emit(index, view)
            if view.ended:
                self._begin_next()
