"""One conversation: each question goes to the engine once, is recorded once by those who follow its run, and becomes its history."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncGenerator, Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, get_args

from askance.adapters.storage.traces import traced_run
from askance.app.commands import (
    LONGEST_SEARCHED_ABOUT,
    MOST_SEARCHED_WORDS,
    CommandError,
    asked_by_own,
    mode_of,
)
from askance.app.own_files import OwnFiles, render
from askance.config.choices import LibraryLookup, LlmApi
from askance.domain.characters import clean
from askance.domain.checked_text import CheckProposal
from askance.domain.conversation import (
    CHECK,
    CommandMode,
    Conversation,
    OwnCommand,
    ParsedCommand,
    QuoteOrigin,
    RunRequest,
    TextTask,
    Turn,
    asks_files,
    searches,
    thinks,
)
from askance.domain.errors import InputError, StorageError
from askance.domain.events import (
    Answered,
    Cancelled,
    Emit,
    Failed,
    RunEnd,
    RunEvent,
    SearchStarted,
    TokenArrived,
    ignore,
    once,
)
from askance.domain.history import (
    ExchangeKey,
    TimedEvent,
    WrittenText,
    stopped_answer,
    turn_of,
)
from askance.domain.messages import Message
from askance.domain.ports.storage import History
from askance.domain.web_pages import SearchScope
from askance.presentation.i18n import tr
from askance.text.ranking.index_terms import count_words, terms

if TYPE_CHECKING:
    from askance.app.attachments import AskedFiles, Attachments
    from askance.app.container import App  # it imports what opens all parts
    from askance.engine.run import Engine
    from askance.engine.suggestions import AnsweredRun

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


@dataclass(slots=True, eq=False)
class StoredExchange:
    """A question of a conversation: where it is stored and what was said, once that is known.

    One that `is_gone` is as if it had never been asked: the next question does not follow it up.
    """

    number: int | None = None
    turn: Turn | None = None
    is_gone: bool = False


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
        self._on_error = once(on_error)
        self._clock = clock
        # One thread: what is asked first is stored first.
        self._writer = ThreadPoolExecutor(1, "history")
        self._saving: Future[None] | None = None

    @asynccontextmanager
    async def recorded(
        self,
        command: str,
        text: str,
        show: Observer,
        *others: Observer,
        quote: str = "",
        stored: StoredExchange | None = None,
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
            self._writer.submit(self._begin, keeping, stored or StoredExchange())
        events: list[TimedEvent] = []
        written, saved_s = WrittenText(), 0.0

        def record(timed: TimedEvent) -> None:
            nonlocal saved_s
            written.add(timed.event)
            # Thousands of tokens, of which only the text is stored.
            if not isinstance(timed.event, TokenArrived):
                events.append(timed)
            # Only the text of an answer is saved while the run goes on (decision 45).
            elif timed.at_s - saved_s >= SAVE_S and keeping:
                saved_s = timed.at_s
                self._save(keeping, _stopped(events, written, timed.at_s))

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
                    await self._settled(keeping, _events_to_store(events, written, end))
            finally:
                if end is not None and _is_held_back(end.event):
                    show(end)
        observers.check()

    def _save(self, keeping: _RunRecord, events: list[TimedEvent]) -> None:
        """Keep how far a run is, unless the last time goes on still."""
        # Skipped while the disk is still busy with the last one: the next state has this one in it.
        if self._saving is None or self._saving.done():
            self._saving = self._writer.submit(keeping.note, events)

    def _begin(self, keeping: _RunRecord, stored: StoredExchange) -> None:
        keeping.begin(self.conversation)
        if keeping.key is not None:
            self.conversation, stored.number = keeping.key.conversation, keeping.key.exchange

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
        if problem is not None:
            self._on_error(Message("This conversation is not kept: {problem}", problem=problem))


class _RunRecord:
    """One question and its run on the way into the history. It blocks: the writer's thread does it."""

    def __init__(self, history: History, command: str, text: str, quote: str) -> None:
        self._history = history
        self._asked = command, text, quote
        self._problem: StorageError | None = None
        self.key: ExchangeKey | None = None

    def begin(self, conversation: int | None) -> None:
        """Keep the question, under a `key`; None if that cannot be done."""
        try:
            self.key = self._history.begin_exchange(conversation, *self._asked)
        except StorageError as exc:
            self._problem = exc

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


def _events_to_store(
    events: list[TimedEvent], written: WrittenText, end: TimedEvent | None
) -> list[TimedEvent] | None:
    """Return what is stored of a run; None for one that has not ended."""
    if end is not None and isinstance(end.event, Cancelled):
        return _stopped(events[:-1], written, end.at_s)
    return events if end is not None else None


def _stopped(events: list[TimedEvent], written: WrittenText, at_s: float) -> list[TimedEvent]:
    """Return a run that is stopped now, with what was written of its answer."""
    return [*events, TimedEvent(at_s, Cancelled(str(written)))]


_TASKS = frozenset(task.value for task in TextTask)


def is_asked(command: str) -> bool:
    """Return whether a command is the engine's, and not one of the front end itself."""
    return mode_of(command) is not None or command in _TASKS


class ConversationSession:
    """A conversation. `number` is the one under which it is stored, None before its first question is.

    `turns` are what was said in it so far: answers, and what was written of one until it was stopped.
    What failed leaves them as they were. `on_error` is called with one sentence for what could not be stored.
    One that is not `is_stored` leaves a trace, and nothing in the history. `attachments` are its files, which
    questions are asked about as long as they are there.
    """

    def __init__(
        self,
        on_error: Callable[[str], None],
        *,
        number: int | None = None,
        turns: Conversation | None = None,
        is_stored: bool = True,
    ) -> None:
        self.asked = [StoredExchange(turn=turn) for turn in (turns or Conversation()).turns]
        """What was asked, oldest first."""
        self.attachments: Attachments | None = None
        self.model = ""
        """Which model of the server answers from now on; empty for that of the settings."""
        self._on_error = on_error
        self._number = number
        self._is_stored = is_stored
        self._recorder: Recorder | None = None
        self._history: History | None = None
        self._answered: AnsweredRun | None = None
        self._used_model = ""

    @property
    def turns(self) -> Conversation:
        """What was said in it."""
        there = (stored.turn for stored in self.asked if not stored.is_gone)
        return Conversation(tuple(turn for turn in there if turn is not None))

    @property
    def number(self) -> int | None:
        """The number under which it is stored."""
        return self._recorder.conversation if self._recorder is not None else self._number

    @property
    def is_lost_when_left(self) -> bool:
        """Whether what is asked in it is stored nowhere: False as long as nothing was asked."""
        return self._recorder is not None and self._history is None

    async def ask(
        self,
        parts: App,
        asked: ParsedCommand,
        show: Observer,
        stored: StoredExchange | None = None,
    ) -> RunEnd:
        """Do what was asked, and show each event with its second of the run. `stored` learns where it is.

        The end is shown when the run is stored.
        """
        stored = stored or StoredExchange()
        self.asked.append(stored)
        # Before its place in the queue: no question waits for what would only have suggested one.
        with suppress(InputError):  # raised again where it is a part of the run
            asked = _resolved(asked, parts)
        self._answered, self._used_model = None, (asked.own and asked.own.model) or self.model
        for task in parts.suggesting:
            task.cancel()
        if parts.suggesting:
            await asyncio.wait(set(parts.suggesting))
        # The text of documents is for this question alone: the model may be another one by the next.
        is_shown_only = asked.documents or asked.origin is QuoteOrigin.ATTACHED
        quote = "" if is_shown_only else asked.quote
        files = self._files(asked)
        # What is in the files goes with the conversation; their names say later what the question was about.
        named = "\n".join(files.names) if files else ""
        recorder = self._recording(parts.history if self._is_stored else None)
        events: list[RunEvent] = []
        written = WrittenText()

        def remember(timed: TimedEvent) -> None:
            written.add(timed.event)
            if not isinstance(timed.event, TokenArrived):
                events.append(timed.event)

        settings = parts.settings.trace
        try:
            with traced_run(parts.folders, settings, asked.text, self._on_error) as trace:
                async with (
                    recorder.recorded(
                        *(asked.command, asked.text, show, trace, remember),
                        quote=quote or named,
                        stored=stored,
                    ) as emit,
                    _answering_with(parts, self._used_model) as answering,
                ):
                    if asked.command == CHECK:
                        end = await _checked(answering, asked, emit, show)
                    else:
                        end = await self._run(answering, asked, quote, emit, files)
        except asyncio.CancelledError:
            # The next question may follow up what was written until then (decision 45).
            if (text := str(written)).strip():
                stored.turn = _turn(asked, quote, stopped_answer(events, text, asked.command))
            raise
        if isinstance(end, Answered):
            stored.turn = _turn(asked, quote, end)
        return end

    def _files(self, asked: ParsedCommand) -> AskedFiles | None:
        """Return the files that a question is about."""
        is_about_files = asks_files(asked.command) or searches(asked.command)
        if self.attachments is None or asked.documents or not is_about_files:
            return None
        return self.attachments.asked()

    async def propose_check(self, asked: ParsedCommand) -> CheckProposal:
        """Return what would be searched for a text, which is typed and quoted, or else in the attached files.

        Raises:
            InputError: there is no text, or it is too long.
        """
        from askance.app.text_checks import propose  # noqa: PLC0415 - it is loaded with its first text

        text = "\n\n".join(filter(str.strip, (asked.text, asked.quote)))
        if not text and (files := self.attachments) is not None:
            text = await asyncio.to_thread(files.text)
        return await asyncio.to_thread(propose, text)

    async def suggest(self, parts: App) -> tuple[str, ...]:
        """Return at most three questions that may follow the last answer, once; none with `answer.suggest` off.

        To be called in a task of its own when the answer is shown. A new question cancels that, in whatever
        conversation of these parts, and so may whoever began it.
        """
        answered, self._answered = self._answered, None
        if answered is None:
            return ()
        # Parts that are open have loaded both.
        from askance.adapters.llm.model_queue import FileQueue, queue_name  # noqa: PLC0415
        from askance.engine.suggestions import suggest  # noqa: PLC0415

        if (task := asyncio.current_task()) is not None:
            parts.suggesting.add(task)
            task.add_done_callback(parts.suggesting.discard)
        folder = parts.folders.model_queue(queue_name(parts.settings.llm))
        async with _answering_with(parts, self._used_model) as answering:
            # Every question of whatever program goes first.
            queue = FileQueue(folder, gives_way=True)
            return await suggest(answered, answering.model, queue, parts.ledger)

    def _set_answered(self, answered: AnsweredRun) -> None:
        self._answered = answered

    def _recording(self, history: History | None) -> Recorder:
        """One recorder goes through a conversation, for as long as its history stays open."""
        # Where the parts were opened anew, the former history is closed: a new recorder is needed.
        if self._recorder is None or history is not self._history:
            self._recorder = Recorder(history, self._on_error, conversation=self.number)
            self._history = history
        return self._recorder

    async def _run(
        self, parts: App, asked: ParsedCommand, quote: str, emit: Emit, files: AskedFiles | None
    ) -> RunEnd:
        if asked.command in _TASKS:
            task = TextTask(asked.command)
            text, wish = (quote, asked.text) if quote.strip() else (asked.text, "")
            return await parts.engine.rework(task, text, wish, emit=emit)
        try:
            return await self._ask_engine(parts, asked, quote, emit, files)
        except InputError as exc:
            # Before the engine had it: an own command lacks a text, or its model cannot be asked.
            end = Failed.of(exc)
            emit(end)
            return end

    async def _ask_engine(
        self, parts: App, asked: ParsedCommand, quote: str, emit: Emit, files: AskedFiles | None
    ) -> RunEnd:
        asked = _resolved(asked, parts)
        request = RunRequest(
            asked.question,
            self.turns,
            quote,
            think=thinks(asked.command),
            fresh=asked.fresh,
            allowed_words=asked.allowed,
            size=asked.size,
            pasted=asked.pasted,
        )
        engine, own = parts.engine, asked.own
        if own is not None:
            request = _filled(request, asked, own, engine)
        if asks_files(asked.command):
            return await _ask_files(engine, request, files, emit)
        if not searches(asked.command):
            return await engine.chat(replace(request, pasted=None), emit=emit)

        def prepare_beside(event: RunEvent) -> None:
            emit(event)
            # Not before: the processes that read pages would take the time of the first search.
            if isinstance(event, SearchStarted):
                parts.prepare()

        if own is not None and own.mode is CommandMode.FILES:
            engine = _of_library(engine)
        on_answered = self._set_answered if parts.settings.answer.suggest else ignore
        request = _narrowed(request, asked)
        if files is not None:
            request = replace(request, attached=files.documents, pictures=files.pictures)
            # A next question would be made of the files, and count as typed once it was taken.
            engine, on_answered = replace(engine, attached=files.library), ignore
        return await engine.run(request, emit=prepare_beside, on_answered=on_answered)


def _turn(asked: ParsedCommand, quote: str, end: Answered) -> Turn:
    # With the quote, since a later question may be about it.
    question = f"{asked.text}\n\n{quote}".strip()
    return replace(turn_of(asked.text, end, quote), question=question)


async def _checked(parts: App, asked: ParsedCommand, emit: Emit, show: Observer) -> RunEnd:
    """Compare a text with the web. What was settled so far is shown and not stored: the end has all of it."""
    from askance.app.text_checks import run_check  # noqa: PLC0415 - see `propose_check`

    began = time.monotonic()

    def show_only(event: RunEvent) -> None:
        show(TimedEvent(time.monotonic() - began, event))

    return await run_check(parts, asked.quote, asked.claims or (), emit=emit, show=show_only)


async def _ask_files(
    engine: Engine, request: RunRequest, files: AskedFiles | None, emit: Emit
) -> RunEnd:
    """Ask the files of a conversation alone: nothing of the question is sent to the web.

    Raises:
        InputError: there are none any more.
    """
    if files is None:
        raise InputError(
            Message("No file is attached any more."),
            fix=Message("Attach it again, or search the web."),
        )
    request = replace(request, pictures=files.pictures, pasted=None)
    if not files.documents:
        return await engine.chat(request, emit=emit)
    request = replace(
        request,
        question=clean(request.question),
        about=clean(request.about),
        scope=SearchScope(documents=files.documents),
    )
    return await replace(engine, attached=files.library).run(request, emit=emit)


def _narrowed(request: RunRequest, asked: ParsedCommand) -> RunRequest:
    """Return a request as it is searched: with its scope, and what of the quote is a part of the question."""
    # Direction marks order what is shown. In a query they would hide words from the search.
    typed = question = clean(request.question)
    about, pasted = "", request.pasted
    if not asked.documents:
        question, about = _searched(typed, clean(request.about))
    if pasted is not None:
        # A quote that has become a part of the question was not typed.
        pasted = tuple(map(clean, pasted)) if question == typed else None
    return replace(request, question=question, about=about, scope=asked.scope, pasted=pasted)


def _resolved(asked: ParsedCommand, parts: App) -> ParsedCommand:
    """Return what was asked with the own command and the lens that its text names, if it comes from the history.

    Raises:
        InputError: one of them is not there any more, or broken: without it something else would be asked.
    """
    if asked.own is not None or asked.lens or not asked.text.startswith(("/", "@")):
        return asked
    again = asked_by_own(asked.text, OwnFiles(parts.folders.config), asked.quote)
    if isinstance(again, CommandError):
        raise InputError(again.problem)
    again = again or asked
    found = {again.own and f"/{again.own.name}", f"@{again.lens}"}
    if gone := next((name for name in asked.own_names if name not in found), ""):
        problem = Message("{name} is not there any more.", name=gone)
        raise InputError(problem, fix=Message("Edit the question, and ask it without that."))
    return replace(asked, command=again.command, own=again.own, lens=again.lens, scope=again.scope)


def _filled(
    request: RunRequest, asked: ParsedCommand, own: OwnCommand, engine: Engine
) -> RunRequest:
    """Return a request whose question is the prompt of an own command, with its variables filled.

    What comes from a selection or the clipboard is never searched for more than a pasted text is, and for
    a model it stands between lines with a word that it cannot know.

    Raises:
        InputError: it wants a text of the selection or the clipboard, and there is none.
    """
    argument, selection = request.question, clean(request.about).strip()
    if own.uses("selection") and not selection:
        argument, selection = "", argument
    texts = {"selection": selection, "clipboard": clean(asked.clipboard).strip()}
    if any(own.uses(name) and not text for name, text in texts.items()):
        problem = Message("/{name} needs a text that is selected or copied.", name=own.name)
        raise InputError(problem, fix=Message("Select or copy one, and ask again."))
    used = [text for name, text in texts.items() if own.uses(name) and text]
    texts["date"] = engine.today().isoformat()
    rest, mark = "" if own.uses("selection") else request.about, f"text {secrets.token_hex(4)}"
    if searches(asked.command):
        pasted = (*(request.pasted or ()), *used)
        return replace(request, question=render(own, argument, texts), about=rest, pasted=pasted)
    prompt = render(own, argument, texts, lambda text: f"\n<<<{mark}\n{text}\n{mark}>>>\n")
    if used:
        prompt = engine.prompts.render("own_command", prompt=prompt, mark=mark)
    return replace(request, question=prompt, about=rest)


def _of_library(engine: Engine) -> Engine:
    """Return an engine that answers from the library alone."""
    settings = engine.settings
    library = settings.library.model_copy(update={"recall": LibraryLookup.ONLY})
    return replace(engine, settings=settings.model_copy(update={"library": library}))


@asynccontextmanager
async def _answering_with(parts: App, model: str) -> AsyncGenerator[App]:
    """Give the parts with another model of the same server, for one run; the same where none is named."""
    # The model of an embedded server is a file, and no other one is there.
    if model in {"", parts.settings.llm.model} or parts.settings.llm.api is LlmApi.EMBEDDED:
        yield parts
        return
    # Few choose one: each of these is imported where it is needed.
    from askance.adapters.llm.model_queue import SpeedFile  # noqa: PLC0415
    from askance.adapters.model_choice import model_of  # noqa: PLC0415
    from askance.engine.model_speed import ModelSpeed  # noqa: PLC0415
    from askance.engine.prompts import Transcript  # noqa: PLC0415

    llm = parts.settings.llm.model_copy(update={"model": model})
    settings = parts.settings.model_copy(update={"llm": llm})
    async with model_of(llm) as other:
        engine = replace(
            parts.engine,
            model=other,
            settings=settings,
            model_speed=ModelSpeed(SpeedFile(parts.folders.speeds), llm.server),
            # What the usual model has read of the conversation, this one has not.
            transcript=Transcript(),
        )
        yield replace(parts, engine=engine, model=other, settings=settings)


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
