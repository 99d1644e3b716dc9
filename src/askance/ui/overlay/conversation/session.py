"""The conversation in the window, and those that were left while they went on: questions go to the engine, views of
them come back.

It owns no widget. The window shows what it tells, and calls what the user does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal

from askance.app.commands import NEW, CommandError, WindowCommand, asked_in, mode_of, parse
from askance.app.conversation import ConversationSession, StoredExchange, is_asked
from askance.config.choices import AskMode
from askance.domain.conversation import CHECK, ParsedCommand
from askance.domain.errors import AskanceError
from askance.domain.events import Failed, RunEnd
from askance.domain.history import ConversationRecord, TimedEvent, resumed, title_of
from askance.ui.bridge import Bridge, Emit
from askance.ui.overlay.conversation.exchange import (
    ExchangeModel,
    ExchangeView,
    State,
    dropped,
    fold,
    proposed,
    waiting,
)
from askance.ui.overlay.conversation.files import ConversationFiles

if TYPE_CHECKING:
    from askance.app.container import (
        App,  # the engine's thread imports it, which takes half a second
    )
    from askance.app.model_choices import ModelChoice


# By identity: the same question may wait twice.
@dataclass(slots=True, eq=False)
class _Exchange:
    """How a question is shown, and its run's number while that goes on."""

    view: ExchangeView
    run: int = 0
    stored: StoredExchange = field(default_factory=StoredExchange)
    replaces: _Exchange | None = None
    """The one whose question was edited: it goes when this one is asked."""
    gone: GoneExchange | None = None


@dataclass(slots=True, eq=False)
class _Conversation:
    """Exchanges, oldest first, and what the engine knows of them."""

    turns: ConversationSession
    title: str = ""
    exchanges: list[_Exchange] = field(default_factory=list[_Exchange])
    waiting: list[_Exchange] = field(default_factory=list[_Exchange])
    """Those that wait for the run that is under way, in the order in which they are asked."""
    unseen: ExchangeView | None = None
    """What has ended since it was left."""

    @property
    def running(self) -> _Exchange | None:
        return next((exchange for exchange in self.exchanges if exchange.run), None)


@dataclass(frozen=True, slots=True, eq=False)
class GoneExchange:
    """An exchange that was taken out of its conversation, and where it stood: it can be put back."""

    conversation: _Conversation
    exchange: _Exchange
    index: int

    @property
    def question(self) -> str:
        """What was asked."""
        return self.exchange.view.asked.text

    @property
    def key(self) -> tuple[int, int] | None:
        """The numbers of the conversation and of the exchange under which it is stored, if it is."""
        conversation, number = self.conversation.turns.number, self.exchange.stored.number
        return (conversation, number) if conversation and number else None


def _first_title(exchanges: Sequence[_Exchange]) -> str:
    asked = exchanges[0].view.asked if exchanges else None
    return title_of(asked.text, asked.quote) if asked is not None else ""


class Session(QObject):
    """The conversation in the window. Exchanges are known by their index, from 0.

    One that is left goes on: its runs end as usual, and it can be returned to.
    """

    began = Signal(int, object)
    """A new exchange is there: its index and its `ExchangeView`."""
    changed = Signal(int, object)
    """An exchange looks different now: its index and its `ExchangeView`."""
    removed = Signal(int)
    """The exchange of this index is no more."""
    put_back = Signal(int, object)
    """One is there again: its index and its `ExchangeView`."""
    replaced = Signal(object)
    """An edited question was answered: the `GoneExchange` whose place it took."""
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
    ended_unseen = Signal(int, object)
    """A run has ended in a conversation that was left: its number, and the `ExchangeView`."""
    titled = Signal(str)
    """The conversation is called so now; empty before its first question."""
    left_changed = Signal()
    """`left_states` are others now."""

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self.holds: Callable[[ParsedCommand], bool] = lambda _asked: False
        """Whether something else keeps a question that was sent, and asks it later."""
        self._here = self._new()
        self._left: list[_Conversation] = []
        self._edited: _Exchange | None = None
        self.files = ConversationFiles(bridge, lambda: self._here.turns, self)
        """The files that are attached to the conversation."""
        # Queued: it is emitted in the engine's thread.
        bridge.happened.connect(self._take, Qt.ConnectionType.QueuedConnection)

    @property
    def views(self) -> list[ExchangeView]:
        """All exchanges as they are shown now, oldest first."""
        return [exchange.view for exchange in self._here.exchanges]

    @property
    def conversation(self) -> int | None:
        """The number under which the conversation is stored, if it is."""
        return self._here.turns.number

    @property
    def title(self) -> str:
        """What the conversation is called; empty before its first question."""
        return self._here.title

    def retitle(self, number: int, title: str) -> None:
        """Take another title for a conversation; a blank one makes it that of its first question again."""
        for conversation in self._all:
            if conversation.turns.number == number:
                conversation.title = title or _first_title(conversation.exchanges)
        self.titled.emit(self.title)

    @property
    def is_running(self) -> bool:
        """Whether a run is under way, in this conversation or in one that was left."""
        return any(conversation.running for conversation in self._all)

    @property
    def running(self) -> ExchangeView | None:
        """The exchange of this conversation whose run is under way."""
        return exchange.view if (exchange := self._here.running) else None

    @property
    def left_states(self) -> Mapping[int, ExchangeView]:
        """How the conversations stand that were left: by their numbers, what runs, or has ended unseen."""
        found = {c.turns.number: c.running.view if c.running else c.unseen for c in self._left}
        return {number: view for number, view in found.items() if number and view is not None}

    @property
    def has_unseen(self) -> bool:
        """Whether a run has ended in a conversation that was left, and is not returned to since."""
        return any(view.ended for view in self.left_states.values())

    @property
    def _all(self) -> list[_Conversation]:
        return [self._here, *self._left]

    @property
    def mode(self) -> AskMode | None:
        """With which mode the last question of this conversation was asked, if any was."""
        # From the end: commands on texts have no mode, and are passed over.
        modes = (mode_of(view.asked.command) for view in reversed(self.views))
        return next((mode for mode in modes if mode is not None), None)

    @property
    def model(self) -> str:
        """Which model was chosen for this conversation; empty for that of the settings."""
        return self._here.turns.model

    def use_model(self, name: str) -> None:
        """Let this conversation be answered by another model of the server, from the next question on."""
        self._here.turns.model = name

    def ask_models(self, then: Callable[[Any], None]) -> None:
        """Ask the server which models it has; `then` gets the `ModelChoice`s, or the `AskanceError`."""
        self._bridge.call(_model_choices, then)

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
        if asked.command == CHECK:
            self.ask(asked)  # no model has a part in it
        elif is_asked(asked.command):
            if not self.holds(asked):
                self.ask(asked)
        elif asked.command == NEW:
            self.begin_anew()
        else:
            self.wanted.emit(WindowCommand(asked.command), asked.text)

    def ask(self, asked: ParsedCommand) -> None:
        """Ask a question, whether or not a model is there to answer it."""
        exchange, here = _Exchange(ExchangeView(asked)), self._here
        edited, self._edited = self._edited, None
        if edited is not None and edited.view.ended:
            exchange.replaces = edited
        if exchange.view.is_unconfirmed:
            self._propose(exchange, here)
        else:
            self._begin_or_wait(exchange, here)
        here.exchanges.append(exchange)
        if not here.title:
            here.title = _first_title(here.exchanges)
            self.titled.emit(here.title)
        self.began.emit(len(here.exchanges) - 1, exchange.view)

    def _begin_or_wait(self, exchange: _Exchange, conversation: _Conversation) -> None:
        if conversation.running:
            exchange.view = waiting(exchange.view)
            conversation.waiting.append(exchange)
        else:
            self._begin(exchange, conversation)

    def _propose(self, exchange: _Exchange, conversation: _Conversation) -> None:
        """Find out what would be searched for a text. Nothing of it leaves, or is stored, before that is confirmed."""
        asked = exchange.view.asked
        exchange.view = proposed(exchange.view)

        def show(result: Any) -> None:
            if exchange not in conversation.exchanges or conversation not in self._all:
                return  # it was left meanwhile
            if isinstance(result, AskanceError):
                exchange.view = ExchangeModel(asked).take([(0.0, Failed.of(result))])
            else:
                exchange.view = proposed(exchange.view, result)
            self._show(conversation, exchange)
            found = exchange.view.proposal
            if conversation is self._here and found is not None and not found.leaving:
                self.confirm(conversation.exchanges.index(exchange))

        self._bridge.call(lambda _: conversation.turns.propose_check(asked), show)

    def confirm(self, index: int) -> None:
        """Check a text: what was shown may be searched."""
        exchange, here = self._here.exchanges[index], self._here
        if (proposal := exchange.view.proposal) is not None and exchange.view.is_unconfirmed:
            # From now on the text stands for itself, wherever it came from.
            asked = exchange.view.asked
            asked = replace(asked, text="", quote=proposal.text, claims=proposal.claims)
            exchange.view = ExchangeView(asked)
            self._begin_or_wait(exchange, here)
            # One whose place it takes may have stood above it.
            self.changed.emit(here.exchanges.index(exchange), exchange.view)

    def leave_proposal(self, index: int) -> ParsedCommand | None:
        """Take a text out whose check is not confirmed, and return what was asked; None where there is none."""
        view = self.views[index] if 0 <= index < len(self.views) else None
        if view is None or not view.is_unconfirmed:
            return None
        del self._here.exchanges[index]
        self.removed.emit(index)
        return view.asked

    def stop(self) -> None:
        """Stop what is under way here. Its exchange ends as stopped, and the next one that waits begins."""
        self._stop(self._here)

    def ask_now(self, index: int) -> None:
        """Ask what waits in the place of what is under way, which is stopped."""
        exchange = self._here.exchanges[index]
        if exchange in self._here.waiting:
            self._here.waiting.remove(exchange)
            self._here.waiting.insert(0, exchange)
            self.stop()

    def drop(self, index: int) -> None:
        """Do not ask what waits."""
        exchange = self._here.exchanges[index]
        if exchange in self._here.waiting:
            self._here.waiting.remove(exchange)
            exchange.view = dropped(exchange.view)
            self.changed.emit(index, exchange.view)

    def suggest(self, then: Callable[[object], None]) -> None:
        """Ask what may follow the last answer; `then` gets the questions, or the error that was in the way."""
        self._bridge.call(self._here.turns.suggest, then)

    def retry(self, index: int) -> None:
        """Ask the same again, as a new exchange. Who has an answer wants another one: the web is searched."""
        view = self._here.exchanges[index].view
        fresh = view.state is State.ANSWERED and not view.asked.documents
        self.ask(replace(view.asked, fresh=fresh))

    def edit(self, index: int | None) -> None:
        """Let the next question take the place of an exchange, or of none."""
        self._edited = None if index is None else self._here.exchanges[index]

    def index_of(self, number: int) -> int | None:
        """Return the index of the exchange that is stored under a number; None if it is not in this conversation."""
        stored = enumerate(exchange.stored.number for exchange in self._here.exchanges)
        return next((index for index, other in stored if other == number), None)

    def take_out(self, index: int) -> GoneExchange | None:
        """Take an exchange out of this conversation, whose next question does not follow it up; not one that runs."""
        return self._take_out(self._here, self._here.exchanges[index])

    def bring_back(self, gone: GoneExchange) -> None:
        """Put an exchange back to where it stood."""
        exchanges = gone.conversation.exchanges
        index = min(gone.index, len(exchanges))
        gone.exchange.stored.is_gone = False
        exchanges.insert(index, gone.exchange)
        if gone.conversation is self._here:
            self.put_back.emit(index, gone.exchange.view)

    def allow_words(self, index: int) -> None:
        """Search the same again, with the words that queries were sent without; a run without them is stopped."""
        again = self._here.exchanges[index]
        if not again.view.held_back:
            return
        self.ask(again.view.asked.allowing(again.view.held_back))
        # Only after the new question, which waits for this end.
        if again.run:
            self._bridge.stop(again.run)

    def with_web(self, index: int) -> None:
        """Search the web for what the model was asked alone."""
        self.ask(self._here.exchanges[index].view.asked.with_web())

    def without_web(self, index: int) -> None:
        """Ask the model alone what was searched for."""
        self.ask(self._here.exchanges[index].view.asked.without_web())

    def reply(self, index: int, text: str) -> None:
        """Answer a clarifying question: both together are searched."""
        self.ask(self._here.exchanges[index].view.asked.clarified(text))

    @property
    def unasked(self) -> Mapping[int | None, str]:
        """What waits to be asked, by the numbers of the conversations: a paragraph a question."""
        return {
            conversation.turns.number: "\n\n".join(e.view.asked.text for e in conversation.waiting)
            for conversation in self._all
            if conversation.waiting
        }

    def begin_anew(self) -> None:
        """Leave this conversation. What is under way in it goes on, and what waits is asked after that."""
        self._go_to(self._new())

    def resume(
        self, record: ConversationRecord, folded: Sequence[ExchangeView] | None = None
    ) -> None:
        """Go on with an old conversation; it looks as it did.

        `folded` is what `fold` made of its exchanges, where that was done beside the window.
        """
        turns = ConversationSession(
            self.troubled.emit, number=record.summary.id, turns=resumed(record)
        )
        views = fold(record, asked_in) if folded is None else folded
        exchanges: list[_Exchange] = []
        answered = iter(turns.asked)
        for view, asked in zip(views, record.exchanges, strict=True):
            # Turns are those that were answered, in order.
            stored = next(answered) if asked.answer is not None else StoredExchange()
            stored.number = asked.id
            exchanges.append(_Exchange(view, stored=stored))
        self._go_to(_Conversation(turns, record.summary.title, exchanges))
        self.resumed.emit()

    def return_to(self, number: int) -> bool:
        """Go back to a conversation that was left while it went on; False if there is none of that number."""
        found = next((c for c in self._left if c.turns.number == number), None)
        if found is not None:
            self._left.remove(found)
            found.unseen = None
            self._go_to(found)
            self.resumed.emit()
        return found is not None

    def forget(self, number: int) -> None:
        """Stop and leave a conversation that was deleted; 0 stands for all of them."""
        gone = [c for c in self._all if number in {0, c.turns.number}]
        for conversation in gone:
            conversation.waiting.clear()
            self._stop(conversation)
            self.files.close(conversation.turns)
        self._left = [c for c in self._left if c not in gone]
        if self._here in gone:
            self._here = self._new()
            self.cleared.emit()
            self.titled.emit("")
        self.left_changed.emit()

    def _new(self) -> _Conversation:
        return _Conversation(ConversationSession(self.troubled.emit))

    def _go_to(self, conversation: _Conversation) -> None:
        # Empty until the next one is announced: what stands in the field belongs to neither of the two.
        left, self._here = self._here, self._new()
        self._edited = None
        if left.running:
            self._left.append(left)
            self._stop_lost(left)
        else:
            self.files.close(left.turns)
        self.cleared.emit()
        self._here = conversation
        self.titled.emit(self.title)
        self.left_changed.emit()

    def _stop(self, conversation: _Conversation) -> None:
        if running := conversation.running:
            self._bridge.stop(running.run)

    def _stop_lost(self, left: _Conversation) -> None:
        """Stop what nobody could return to."""
        if left.turns.is_lost_when_left:
            left.waiting.clear()
            self._stop(left)

    def _begin(self, exchange: _Exchange, conversation: _Conversation) -> None:
        asked, turns = exchange.view.asked, conversation.turns
        if exchange.replaces is not None:
            exchange.gone = self._take_out(conversation, exchange.replaces)
        model = ExchangeModel(asked)
        exchange.view = model.view

        async def work(app: App, emit: Emit) -> RunEnd:
            def show(timed: TimedEvent) -> None:
                emit(timed.event, timed.at_s)

            return await turns.ask(app, asked, show, exchange.stored)

        # From now on the model and this conversation are the engine's thread's: rendering an answer takes
        # several frames.
        exchange.run = self._bridge.run(work, model.take)

    def _take(self, number: int, view: ExchangeView) -> None:
        """Take in how a run stands, wherever it goes on; one that nobody returns to is passed over."""
        for conversation in self._all:
            exchange = next((e for e in conversation.exchanges if e.run == number), None)
            if exchange is not None:
                exchange.view = view
                if view.ended:
                    # Free for the next one, before anybody is told and may ask for it.
                    exchange.run = 0
                self._show(conversation, exchange)
                if view.ended and exchange.gone is not None:
                    self._settle(exchange, exchange.gone)

    def _settle(self, exchange: _Exchange, gone: GoneExchange) -> None:
        """Let what was replaced go once there is an answer in its place; until then it is not lost."""
        exchange.gone = None
        if exchange.view.state in (State.STOPPED, State.FAILED):
            self.bring_back(gone)
        else:
            self.replaced.emit(gone)

    def _take_out(self, conversation: _Conversation, exchange: _Exchange) -> GoneExchange | None:
        if exchange not in conversation.exchanges or not exchange.view.ended:
            return None
        index = conversation.exchanges.index(exchange)
        exchange.stored.is_gone = True
        del conversation.exchanges[index]
        if conversation is self._here:
            self.removed.emit(index)
        return GoneExchange(conversation, exchange, index)

    def _show(self, conversation: _Conversation, exchange: _Exchange) -> None:
        is_here, ended = conversation is self._here, exchange.view.ended
        if is_here:
            self.changed.emit(conversation.exchanges.index(exchange), exchange.view)
        # Whoever was told may have asked the next one, or gone elsewhere.
        if ended and conversation.waiting and not conversation.running:
            following = conversation.waiting.pop(0)
            self._begin(following, conversation)
            self._show(conversation, following)
        if not is_here:
            self._note_left(conversation, exchange.view)

    def _note_left(self, left: _Conversation, view: ExchangeView) -> None:
        """Mark a conversation that was left, once a run of it has ended."""
        self._stop_lost(left)
        if left.turns.number is None or view.state is State.STOPPED:
            # What was stopped is stored, and what is not stored is gone: nobody waits for it.
            if not left.running and left in self._left:
                self._left.remove(left)
                self.files.close(left.turns)
        elif view.ended:
            left.unseen = view
            self.ended_unseen.emit(left.turns.number, view)
        self.left_changed.emit()


async def _model_choices(app: App) -> tuple[ModelChoice, ...]:
    from askance.app.model_choices import model_choices  # noqa: PLC0415 - in the engine's thread

    return await model_choices(app)
