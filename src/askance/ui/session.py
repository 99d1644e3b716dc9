"""One conversation as the window holds it: questions go to the engine, views of them come back.

It owns no widget. The window shows what it tells, and calls what the user does.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal

from askance.adapters.library.history_recording import Recorder
from askance.adapters.trace_keeping import trace_kept
from askance.domain.conversation import Conversation
from askance.domain.events import RunEnd, RunEvent
from askance.domain.history import ConversationRecord, resumed
from askance.domain.text_task import TextTask
from askance.telling.words import tr
from askance.ui.bridge import Bridge, Emit, Work
from askance.ui.model.commands import (
    CHAT,
    THINK,
    Asked,
    NotUnderstood,
    clarified,
    parse,
    searches,
    thinks,
)
from askance.ui.model.exchange import ExchangeModel, ExchangeView, State, fold

if TYPE_CHECKING:
    from askance.wiring import App  # the engine's thread imports it, which takes half a second

_LONGEST_CONTEXT = 300


@dataclass(slots=True)
class _Exchange:
    """One question as it is shown, and its run's number while that goes on."""

    view: ExchangeView
    run: int = 0


@dataclass(slots=True)
class _Kept:
    """How a conversation is kept. The recorder is made with its first run, in the engine's thread."""

    number: int | None = None
    recorder: Recorder | None = None


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
    """What was typed cannot be done: a `NotUnderstood`."""
    wanted = Signal(str, str)
    """A command that is the window's own: its name, and what stood behind it."""
    troubled = Signal(str)
    """Something of the run could not be kept: one sentence."""

    def __init__(self, bridge: Bridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._exchanges: list[_Exchange] = []
        self._conversation = Conversation()
        self._kept = _Kept()
        bridge.happened.connect(self._take, Qt.ConnectionType.QueuedConnection)

    @property
    def views(self) -> list[ExchangeView]:
        """All exchanges as they are shown now, oldest first."""
        return [exchange.view for exchange in self._exchanges]

    @property
    def conversation(self) -> int | None:
        """The number under which the conversation is kept, if it is."""
        kept = self._kept
        return kept.recorder.conversation if kept.recorder is not None else kept.number

    @property
    def is_running(self) -> bool:
        """Whether a run is under way."""
        return any(exchange.run for exchange in self._exchanges)

    def submit(self, text: str, quote: str = "") -> bool:
        """Do what was typed. False, and `misunderstood`, if that cannot be done."""
        asked = parse(text, quote=quote)
        if isinstance(asked, NotUnderstood):
            self.misunderstood.emit(asked)
            return False
        if asked.command == "new":
            self.begin_anew()
        elif asked.command in {CHAT, THINK} or searches(asked.command) or asked.command in _TASKS:
            self._ask(asked, quote)
        else:
            self.wanted.emit(asked.command, asked.text)
        return True

    def stop(self) -> None:
        """Stop what is under way. Its exchange ends as stopped."""
        for exchange in self._exchanges:
            if exchange.run:
                self._bridge.stop(exchange.run)

    def retry(self, index: int) -> None:
        """Ask the same again, as a new exchange."""
        view = self._exchanges[index].view
        self._ask(Asked(view.command, view.question), view.quote)

    def without_web(self, index: int) -> None:
        """Ask the model alone what was searched for."""
        view = self._exchanges[index].view
        command = THINK if thinks(view.command) else CHAT
        self._ask(Asked(command, view.question), view.quote)

    def reply(self, index: int, text: str) -> None:
        """Answer a clarifying question: both together are searched."""
        view = self._exchanges[index].view
        self._ask(Asked(view.command, clarified(view.question, text)), view.quote)

    def begin_anew(self) -> None:
        """Leave this conversation. What is under way is stopped."""
        self.stop()
        self._exchanges.clear()
        self._conversation, self._kept = Conversation(), _Kept()
        self.cleared.emit()

    def resume(
        self, record: ConversationRecord, folded: Sequence[ExchangeView] | None = None
    ) -> None:
        """Go on with an old conversation; it looks as it did.

        `folded` is what `fold` made of its exchanges, where that was done beside the window.
        """
        self.begin_anew()
        self._kept = _Kept(record.summary.id)
        self._conversation = resumed(record)
        views = fold(record) if folded is None else folded
        self._exchanges = [_Exchange(view) for view in views]
        self.resumed.emit()

    def _ask(self, asked: Asked, quote: str) -> None:
        self.stop()
        model = ExchangeModel(asked.text, asked.command, quote)
        exchange = _Exchange(model.view)
        # From now on the model is the engine's thread's: rendering an answer takes several frames.
        exchange.run = self._bridge.run(self._work(asked, quote, self._conversation), model.take)
        self._exchanges.append(exchange)
        self.began.emit(len(self._exchanges) - 1, exchange.view)

    def _work(self, asked: Asked, quote: str, conversation: Conversation) -> Work:
        trouble: Callable[[str], None] = self.troubled.emit
        kept = self._kept

        async def work(app: App, emit: Emit) -> RunEnd:
            # One recorder goes through a conversation: it learns under which number that is kept.
            kept.recorder = kept.recorder or Recorder(
                app.history, trouble, conversation=kept.number
            )
            async with kept.recorder.recorded(
                asked.command,
                asked.text,
                lambda timed: emit(timed.event, timed.at_s),
                quote=quote,
            ) as keeping:
                with trace_kept(
                    app.folders, app.settings.trace, asked.text, keeping, trouble
                ) as tracing:
                    return await _run(app, asked, quote, conversation, tracing)

        return work

    def _take(self, number: int, view: ExchangeView) -> None:
        """Show how a run stands; one that is not shown any more is passed over."""
        found = [(i, e) for i, e in enumerate(self._exchanges) if e.run == number]
        for index, exchange in found:
            exchange.view = view
            if view.ended:
                exchange.run = 0
                if view.state is State.ANSWERED:
                    said = f"{view.question}\n\n{view.quote}".strip()
                    self._conversation = self._conversation.with_turn(said, view.text)
            self.changed.emit(index, view)


_TASKS = frozenset(task.value for task in TextTask)


async def _run(
    app: App,
    asked: Asked,
    quote: str,
    conversation: Conversation,
    emit: Callable[[RunEvent], None],
) -> RunEnd:
    if asked.command in _TASKS:
        task = TextTask(asked.command)
        text, wish = (quote, asked.text) if quote.strip() else (asked.text, "")
        return await app.engine.rework(task, text, wish, emit=emit)
    engine = app.engine.thinking() if thinks(asked.command) else app.engine
    if searches(asked.command):
        return await engine.run(_about(asked.text, quote), conversation, emit=emit)
    message = f"{asked.text}\n\n{quote}".strip()
    return await engine.chat(message, conversation, emit=emit)


def _about(question: str, quote: str) -> str:
    """A question with the text that it is about, as far as a search can use that."""
    context = " ".join(quote.split())[:_LONGEST_CONTEXT]
    with suppress(ValueError):
        context = context[: context.rindex(" ")] if len(context) == _LONGEST_CONTEXT else context
    if not question or not context:
        return question or context
    return f"{question} ({tr('about')}: {context})"
