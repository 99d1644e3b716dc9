"""One conversation: each question goes to the engine once, is recorded once, and becomes its history."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Protocol

from askance.adapters.storage.traces import traced_run
from askance.app.commands import (
    LONGEST_SEARCHED_ABOUT,
    MOST_SEARCHED_WORDS,
    ParsedCommand,
    mode_of,
)
from askance.app.recording import Observer, Recorder
from askance.config.folders import Folders
from askance.config.settings import Settings
from askance.domain.characters import clean
from askance.domain.conversation import Conversation, TextTask, searches, thinks
from askance.domain.events import Answered, Emit, RunEnd, RunEvent
from askance.domain.history import (
    TimedEvent,
    inputs_of,
    published_in,
    quoted_in,
    stopped_answer,
    written_in,
)
from askance.domain.ports.history import History
from askance.domain.requests import RunRequest
from askance.presentation.i18n import tr
from askance.text.ranking.tokens import count_words, terms

_TASKS = frozenset(task.value for task in TextTask)


class QuestionEngine(Protocol):
    """What runs a question. The end of a run is emitted, and returned."""

    def forget_conversation(self) -> None:
        """Let go of what the model was shown in the conversation so far: it was left."""
        ...

    async def run(self, request: RunRequest, *, emit: Emit) -> RunEnd:
        """Search for an answer."""
        ...

    async def chat(self, request: RunRequest, *, emit: Emit) -> RunEnd:
        """Talk to the model alone."""
        ...

    async def rework(self, task: TextTask, text: str, wish: str, *, emit: Emit) -> RunEnd:
        """Do something with a text."""
        ...


class ConversationParts(Protocol):
    """What a conversation needs of the program's parts, which stay open while a question runs."""

    @property
    def engine(self) -> QuestionEngine:
        """What runs questions."""
        ...

    @property
    def history(self) -> History | None:
        """Where conversations are kept, if they are."""
        ...

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        ...

    @property
    def folders(self) -> Folders:
        """Where files are."""
        ...

    @property
    def prepare(self) -> Callable[[], None]:
        """Start what a search will need soon, without waiting for it."""
        ...


def is_asked(command: str) -> bool:
    """Return whether a command is the engine's, and not one of the front end itself."""
    return mode_of(command) is not None or command in _TASKS


class ConversationSession:
    """A conversation. `number` is the one under which it is kept, None before its first question is.

    `turns` are what was said in it so far: answers, and what was written of one until it was stopped.
    What failed leaves them as they were. `on_error` is told, in one sentence, of what could not be kept.
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
        """The number under which it is kept."""
        return self._recorder.conversation if self._recorder is not None else self._number

    async def ask(
        self, parts: ConversationParts, asked: ParsedCommand, show: Observer, *, quote: str = ""
    ) -> RunEnd:
        """Do what was asked, and show each event with its second of the run.

        The end is shown when the run is kept.
        """
        if asked.documents:
            quote = ""  # their text is for this question alone: the model may be another one by the next
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
            if (text := written_in(events)).strip():
                self._add_turn(asked, quote, stopped_answer(events, text, asked.command))
            raise
        if isinstance(end, Answered):
            self._add_turn(asked, quote, end)
        return end

    def _add_turn(self, asked: ParsedCommand, quote: str, end: Answered) -> None:
        self.turns = self.turns.with_turn(
            f"{asked.text}\n\n{quote}".strip(),
            end.answer,
            published_in(asked.text, end),
            quoted_in(end),
            inputs_of(end, quote),
            end.model_host,
        )

    def _recording(self, history: History | None) -> Recorder:
        """One recorder goes through a conversation, for as long as its history stays open."""
        if self._recorder is None or history is not self._history:
            self._recorder = Recorder(history, self._on_error, conversation=self.number)
            self._history = history
        return self._recorder

    async def _run(
        self, parts: ConversationParts, asked: ParsedCommand, quote: str, emit: Emit
    ) -> RunEnd:
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
        )
        if not searches(asked.command):
            return await parts.engine.chat(request, emit=emit)
        parts.prepare()
        # Direction marks order what is shown. In a query they would hide words from the search.
        question, about = clean(asked.text), ""
        if not asked.documents:
            question, about = _searched(question, clean(quote))
        request = replace(request, question=question, about=about, scope=asked.scope)
        return await parts.engine.run(request, emit=emit)


def _searched(question: str, quote: str) -> tuple[str, str]:
    """Return what is searched for a question about a text, and what of the text the model reads.

    A few words are what the question is about, and so is a text to a question that names nothing
    itself. Of a longer one nothing is searched that the question does not say.
    """
    context = " ".join(quote.split())[:LONGEST_SEARCHED_ABOUT]
    with suppress(ValueError):
        context = (
            context[: context.rindex(" ")] if len(context) == LONGEST_SEARCHED_ABOUT else context
        )
    if not question or not context:
        return question or context, ""
    if count_words(context) > MOST_SEARCHED_WORDS and terms(question):
        return question, context
    return f"{question} ({tr('about')}: {context})", ""
