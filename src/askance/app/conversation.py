"""One conversation: each question goes to the engine once, is recorded once by those who follow its run, and becomes its history."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, get_args

from askance.adapters.storage.traces import traced_run
from askance.app.commands import LONGEST_SEARCHED_ABOUT, MOST_SEARCHED_WORDS, mode_of
from askance.domain.characters import clean
from askance.domain.conversation import (
    Conversation,
    ParsedCommand,
    RunRequest,
    TextTask,
    searches,
    thinks,
)
from askance.domain.errors import StorageError
from askance.domain.events import Answered, Cancelled, Emit, RunEnd, RunEvent, TokenArrived
from askance.domain.history import (
    ExchangeKey,
    TimedEvent,
    stopped_answer,
    turn_of,
    written_in,
)
from askance.domain.messages import Message
from askance.domain.ports.storage import History
from askance.presentation.i18n import tr
from askance.text.ranking.index_terms import count_words, terms

if TYPE_CHECKING:
    from askance.app.container import App  # it imports what opens all parts

# Who follows a run: its history and its trace, which record it, and what shows it.

Observer = Callable[[TimedEvent], None]

HOLD_S = 0.5
"""How long the end of a run waits at most until it is stored."""
SAVE_S = 2.0
"""How much of what is written is lost at most if the program is killed."""


class RunObservers:
    """Hands each event of a run, with its second, to all who follow the run, in their order.

    An observer that raises is called no more, and the others go on: a run does not end because nobody can
    see it. What it has raised is raised by `check`, once the run is over.
    """

    def __init__(
        self, observers: Iterable[Observer], clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._observers = list(observers)
        self._clock = clock
        self._began = clock()
        self._fault: Exception | None = None

    def elapsed_s(self) -> float:
        """Return for how long the run has been followed."""
        return self._clock() - self._began

    def emit(self, event: RunEvent) -> None:
        """Hand an event on that happens now."""
        timed = TimedEvent(self.elapsed_s(), event)
        # A copy: one that fails leaves the list while it is gone through.
        for observer in tuple(self._observers):
            try:
                observer(timed)
            except Exception as exc:  # noqa: BLE001 - whatever it is, it must not cost the run
                self._observers.remove(observer)
                self._fault = self._fault or exc

    def check(self) -> None:
        """Raise what an observer has raised first."""
        if self._fault is not None:
            raise self._fault


class Recorder:
    """Keeps what is asked in one conversation, run by run, beside the event loop.

    A run is worth more than its record: it never waits for a file that another process holds. Where
    it cannot be stored, `on_error` is called with one plain sentence, the same one only once, and the
    run goes on. Without a history nothing is stored. `conversation` is the number under which the
    conversation is stored, None before its first question is; set, it goes on with an older one.
    """

    def __init__(
        self,
        history: History | None,
        on_error: Callable[[str], None],
        *,
        conversation: int | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.conversation = conversation
        self._history = history
        self._on_error = on_error
        self._reported: set[str] = set()
        self._clock = clock
        # One thread: what is asked first is stored first.
        self._writer = ThreadPoolExecutor(1, "history")
        self._saving: Future[None] | None = None

    def begin_anew(self) -> None:
        """Let the next question begin a new conversation."""
        self.conversation = None

    @asynccontextmanager
    async def recorded(
        self,
        command: str,
        text: str,
        show: Observer,
        *others: Observer,
        quote: str = "",
    ) -> AsyncGenerator[Emit]:
        """Store a question, and give an `emit` that records its run as well, and hands it to the observers.

        Each event is shown with the second of the run under which it is stored. The end is shown when
        the context is left and the run is stored, or `HOLD_S` later: what was seen to end is there
        again after a crash. Of a run that is stopped, what was written until then is stored. One that
        is left without an end is forgotten with its question.
        """
        # Nothing here waits for the writer before the end: another process may hold its file.
        keeping = _RunRecord(self._history, command, text, quote) if self._history else None
        if keeping is not None:
            self._writer.submit(self._begin, keeping)
        events: list[TimedEvent] = []
        saved_s = 0.0

        def record(timed: TimedEvent) -> None:
            nonlocal saved_s
            events.append(timed)
            # Only the text of an answer is saved while the run goes on (decision 45).
            if isinstance(timed.event, TokenArrived) and timed.at_s - saved_s >= SAVE_S and keeping:
                saved_s = timed.at_s
                self._save(keeping, _stopped(events, timed.at_s))

        # Shown last: where showing fails, the event is recorded already.
        observers = RunObservers([*others, record, _without_end(show)], self._clock)
        try:
            yield observers.emit
        except asyncio.CancelledError:
            if not (events and isinstance(events[-1].event, get_args(RunEnd))):
                events.append(TimedEvent(observers.elapsed_s(), Cancelled()))
            raise
        finally:
            end = events[-1] if events and isinstance(events[-1].event, get_args(RunEnd)) else None
            try:
                if keeping is not None:
                    await self._settled(keeping, _events_to_store(events, end))
            finally:
                if end is not None and _is_held_back(end.event):
                    show(end)
        observers.check()

    def _save(self, keeping: _RunRecord, events: list[TimedEvent]) -> None:
        """Keep how far a run is, unless the last time goes on still."""
        # Skipped while the disk is still busy with the last one: the next state has this one in it.
        if self._saving is None or self._saving.done():
            self._saving = self._writer.submit(keeping.note, events)

    def _begin(self, keeping: _RunRecord) -> None:
        if keeping.begin(self.conversation):
            self.conversation = keeping.key.conversation if keeping.key else None

    async def _settled(self, keeping: _RunRecord, events: list[TimedEvent] | None) -> None:
        settling = asyncio.wrap_future(self._writer.submit(keeping.settle, events))
        settling.add_done_callback(self._report)
        try:
            await _a_while(settling)
        except asyncio.CancelledError:
            # The history is closed behind this: what can still be stored of it is.
            await _a_while(settling)
            raise

    def _report(self, settling: asyncio.Future[StorageError | None]) -> None:
        problem = None if settling.cancelled() else settling.result()
        if problem is None:
            return
        sentence = Message("This conversation is not kept: {problem}", problem=problem)
        if sentence not in self._reported:
            self._reported.add(sentence)
            self._on_error(sentence)


class _RunRecord:
    """One question and its run on the way into the history. It blocks: the writer's thread does it."""

    def __init__(self, history: History, command: str, text: str, quote: str) -> None:
        self._history = history
        self._asked = command, text, quote
        self._problem: StorageError | None = None
        self.key: ExchangeKey | None = None

    def begin(self, conversation: int | None) -> bool:
        """Keep the question; False if that cannot be done."""
        try:
            self.key = self._history.begin_exchange(conversation, *self._asked)
        except StorageError as exc:
            self._problem = exc
        return self.key is not None

    def note(self, events: list[TimedEvent]) -> None:
        """Keep how far the run is; its end tells what goes wrong with that."""
        if self.key is not None:
            with suppress(StorageError):
                self._history.note_events(self.key, events)

    def settle(self, events: list[TimedEvent] | None) -> StorageError | None:
        """Keep the run, or forget the question if there are no events; return what went wrong."""
        if self.key is None:
            return self._problem
        try:
            if events is None:
                self._history.drop_exchange(self.key)
            else:
                self._history.finish_exchange(self.key, events)
        except StorageError as exc:
            return exc
        return None


async def _a_while(settling: asyncio.Future[StorageError | None]) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(HOLD_S):
            # Shielded: whoever stops waiting does not stop the writing.
            await asyncio.shield(settling)


def _is_held_back(event: RunEvent) -> bool:
    """Whether an event is shown when the run is stored: whoever stops one waits for nothing."""
    return isinstance(event, get_args(RunEnd)) and not isinstance(event, Cancelled)


def _without_end(show: Observer) -> Observer:
    def show_at_once(timed: TimedEvent) -> None:
        if not _is_held_back(timed.event):
            show(timed)

    return show_at_once


def _events_to_store(events: list[TimedEvent], end: TimedEvent | None) -> list[TimedEvent] | None:
    """Return what is stored of a run; None for one that has not ended."""
    if end is not None and isinstance(end.event, Cancelled):
        return _stopped(events[:-1], end.at_s)
    return events if end is not None else None


def _stopped(events: list[TimedEvent], at_s: float) -> list[TimedEvent]:
    """Return a run that is stopped now, with what was written of its answer."""
    text = written_in(timed.event for timed in events)
    return [*events, TimedEvent(at_s, Cancelled(text))]


_TASKS = frozenset(task.value for task in TextTask)


def is_asked(command: str) -> bool:
    """Return whether a command is the engine's, and not one of the front end itself."""
    return mode_of(command) is not None or command in _TASKS


class ConversationSession:
    """A conversation. `number` is the one under which it is stored, None before its first question is.

    `turns` are what was said in it so far: answers, and what was written of one until it was stopped.
    What failed leaves them as they were. `on_error` is called with one sentence for what could not be stored.
    One that is not `is_stored` leaves a trace, and nothing in the history.
    """

    def __init__(
        self,
        on_error: Callable[[str], None],
        *,
        number: int | None = None,
        turns: Conversation | None = None,
        is_stored: bool = True,
    ) -> None:
        self.turns = turns or Conversation()
        self._on_error = on_error
        self._number = number
        self._is_stored = is_stored
        self._recorder: Recorder | None = None
        self._history: History | None = None

    @property
    def number(self) -> int | None:
        """The number under which it is stored."""
        return self._recorder.conversation if self._recorder is not None else self._number

    async def ask(self, parts: App, asked: ParsedCommand, show: Observer) -> RunEnd:
        """Do what was asked, and show each event with its second of the run.

        The end is shown when the run is stored.
        """
        # The text of documents is for this question alone: the model may be another one by the next.
        quote = "" if asked.documents else asked.quote
        recorder = self._recording(parts.history if self._is_stored else None)
        events: list[RunEvent] = []

        def remember(timed: TimedEvent) -> None:
            events.append(timed.event)

        settings = parts.settings.trace
        try:
            with traced_run(parts.folders, settings, asked.text, self._on_error) as trace:
                async with recorder.recorded(
                    asked.command, asked.text, show, trace, remember, quote=quote
                ) as emit:
                    end = await self._run(parts, asked, quote, emit)
        except asyncio.CancelledError:
            # The next question may follow up what was written until then (decision 45).
            if (text := written_in(events)).strip():
                self._add_turn(asked, quote, stopped_answer(events, text, asked.command))
            raise
        if isinstance(end, Answered):
            self._add_turn(asked, quote, end)
        return end

    def _add_turn(self, asked: ParsedCommand, quote: str, end: Answered) -> None:
        # With the quote, since a later question may be about it.
        question = f"{asked.text}\n\n{quote}".strip()
        turn = replace(turn_of(asked.text, end, quote), question=question)
        self.turns = self.turns.with_turn(turn)

    def _recording(self, history: History | None) -> Recorder:
        """One recorder goes through a conversation, for as long as its history stays open."""
        # Where the parts were opened anew, the former history is closed: a new recorder is needed.
        if self._recorder is None or history is not self._history:
            self._recorder = Recorder(history, self._on_error, conversation=self.number)
            self._history = history
        return self._recorder

    async def _run(self, parts: App, asked: ParsedCommand, quote: str, emit: Emit) -> RunEnd:
        if asked.command in _TASKS:
            task = TextTask(asked.command)
            text, wish = (quote, asked.text) if quote.strip() else (asked.text, "")
            return await parts.engine.rework(task, text, wish, emit=emit)
        request = RunRequest(
            asked.text,
            self.turns,
            quote,
            think=thinks(asked.command),
            fresh=asked.fresh,
            allowed_words=asked.allowed,
            size=asked.size,
        )
        if not searches(asked.command):
            return await parts.engine.chat(request, emit=emit)
        parts.prepare()
        # Direction marks order what is shown. In a query they would hide words from the search.
        typed = question = clean(asked.text)
        about, pasted = "", asked.pasted
        if not asked.documents:
            question, about = _searched(typed, clean(quote))
        if pasted is not None:
            # A quote that has become a part of the question was not typed.
            pasted = tuple(map(clean, pasted)) if question == typed else None
        request = replace(request, question=question, about=about, scope=asked.scope, pasted=pasted)
        return await parts.engine.run(request, emit=emit)


def _searched(question: str, quote: str) -> tuple[str, str]:
    """Return what is searched for a question about a text, and what of the text the model reads.

    A few words are what the question is about, and so is a text to a question that names nothing
    itself. Of a longer one nothing is searched that the question does not say.
    """
    context = " ".join(quote.split())[:LONGEST_SEARCHED_ABOUT]
    # The last word may have been cut in two.
    with suppress(ValueError):
        context = (
            context[: context.rindex(" ")] if len(context) == LONGEST_SEARCHED_ABOUT else context
        )
    if not question or not context:
        return question or context, ""
    if count_words(context) > MOST_SEARCHED_WORDS and terms(question):
        return question, context
    return f"{question} ({tr('about')}: {context})", ""
