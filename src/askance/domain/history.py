"""Past conversations: what was asked, and the events from which what was shown can be shown again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import get_args

from askance.domain.conversation import (
    Conversation,
    Outcome,
    Turn,
    TurnInput,
    Usage,
    from_memory,
    rests_on,
)
from askance.domain.events import (
    Answered,
    Cancelled,
    CitationsChecked,
    DraftRetracted,
    RequestSent,
    RunEnd,
    RunEvent,
    Sending,
    SourcesReady,
    TokenArrived,
)
from askance.domain.evidence import Quote
from askance.domain.messages import NOTHING, Message

_TITLE_CHARACTERS = 80
# A word longer than this share of a title is cut: a title of one word would say too little.
_SHORTEST_SHARE = 0.6


@dataclass(frozen=True, slots=True)
class TimedEvent:
    """An event of a run, and its second in the run."""

    at_s: float
    event: RunEvent


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question and what came of it.

    `command` is what it was asked with, without its slash (`search`, `chat`, `tldr`, …), `text` what
    the user typed behind it, `quote` the text that it was asked about, if any. `asked_at` is ISO
    8601, UTC. `events` are those of the run, without the tokens as they arrived: the checked text is
    in its end. `ended` is False while the run goes on, and for ever if the program was killed in it:
    then what was written last is in its end, which is that of a run that was stopped.
    `damage` says what of it cannot be read any more; empty if nothing is wrong.
    """

    id: int
    command: str
    text: str
    quote: str
    asked_at: str
    events: tuple[TimedEvent, ...] = ()
    ended: bool = False
    damage: Message = NOTHING

    @property
    def end(self) -> RunEnd | None:
        """How the run ended; None if it did not, or if its end cannot be read."""
        last = self.events[-1].event if self.events else None
        return last if isinstance(last, get_args(RunEnd)) else None  # type: ignore[return-value]

    @property
    def rests_on(self) -> Outcome | None:
        """What its answer rests on; None if it has none."""
        end = self.answer
        return rests_on(end.outcome, self.command, self.quote) if end is not None else None

    @property
    def answer(self) -> Answered | None:
        """Its answer, or what was written of it until the run was stopped; None if nothing was."""
        match self.end:
            case Answered() as end:
                return end
            case Cancelled(text=text) if text.strip():
                return stopped_answer((e.event for e in self.events), text, self.command)
            case _:
                return None


@dataclass(frozen=True, slots=True)
class ConversationSummary:
    """A conversation in a list. `updated_at` is when its last question was asked; both ISO, UTC."""

    id: int
    title: str
    created_at: str
    updated_at: str
    exchanges: int


@dataclass(frozen=True, slots=True)
class ConversationRecord:
    """A whole conversation, oldest question first."""

    summary: ConversationSummary
    exchanges: tuple[Exchange, ...]


@dataclass(frozen=True, slots=True)
class ExchangeKey:
    """Where an exchange is stored. A number is never given twice."""

    conversation: int
    exchange: int


@dataclass(frozen=True, slots=True)
class SearchHit:
    """An exchange that holds the words that were searched.

    `excerpt` is a piece of the text that holds them, on one line; `marks` are the `(start, end)` of
    each in it, in order and apart.
    """

    conversation: int
    exchange: int
    title: str
    asked_at: str
    excerpt: str
    marks: tuple[tuple[int, int], ...]


def title_of(text: str, quote: str = "") -> str:
    """Return a conversation's title: its first question, on one line, shortened at a word."""
    line = " ".join(text.split()) or " ".join(quote.split()) or "Untitled"
    if len(line) <= _TITLE_CHARACTERS:
        return line
    # One less, for the ellipsis.
    shortened = line[: _TITLE_CHARACTERS - 1]
    at_word = shortened.rfind(" ") if line[len(shortened)] != " " else len(shortened)
    if at_word >= _TITLE_CHARACTERS * _SHORTEST_SHARE:
        shortened = shortened[:at_word]
    return shortened.rstrip(" ,;:.-–—") + "…"


def written_in(events: Iterable[RunEvent]) -> str:
    """Return what was written in a run so far: the checked text, or else the tokens as they arrived."""
    pieces: list[str] = []
    for event in events:
        match event:
            case TokenArrived(text=text):
                pieces.append(text)
            case DraftRetracted():
                pieces.clear()
            case CitationsChecked(text=text):
                pieces = [text]
            case _:
                pass
    return "".join(pieces)


def stopped_answer(events: Iterable[RunEvent], text: str, command: str) -> Answered:
    """Return what was written until a run was stopped as an answer, of which nothing was checked.

    What went into it is not known: nothing of it is public.
    """
    sources: SourcesReady | None = None
    host = ""
    for event in events:
        match event:
            case SourcesReady():
                sources = event
            case RequestSent(sending=Sending.MODEL, to=to):
                host = to
            case _:
                pass
    return Answered(
        answer=text,
        sources=sources.sources if sources else (),
        citations=(),
        outcome=Outcome.MEMORY if from_memory(command) else Outcome.WEB,
        rounds=0,
        usage=Usage(),
        warnings=(),
        elapsed_ms=0,
        model_host=host,
    )


def published_in(question: str, end: Answered) -> tuple[str, ...]:
    """Return what is no secret of a question and its answer: what was searched, and what came of it.

    An answer's own sentences may hold what its writer knew from the conversation; the quotes that
    carry them are the web's, and so are those of its words that stand in the evidence.
    """
    asked = (end.asked or question,) if end.usage.searches else ()
    public = {source.n: source.title for source in end.sources if not source.is_private}
    titles = public.values()
    quotes = (citation.quote for citation in end.citations if citation.n in public)
    return tuple(filter(None, (*asked, *titles, *quotes, "\n".join(end.public_words))))


def quoted_in(end: Answered) -> tuple[Quote, ...]:
    """Return what the pages that were read said to carry an answer, each text once."""
    read = {source.n: source for source in end.sources if not source.snippet_only}
    quotes = {
        (c.n, c.quote): Quote(read[c.n], c.quote, c.quote_offset)
        for c in end.citations
        if c.quote and c.n in read
    }
    return tuple(quotes.values())


def inputs_of(end: Answered, quote: str) -> tuple[TurnInput, ...]:
    """Return what went into a turn that was asked with a quoted text; nothing where that was not stored."""
    if not end.inputs or not quote.strip():
        return end.inputs
    return tuple(dict.fromkeys((*end.inputs, TurnInput.TEXT)))


def resumed(record: ConversationRecord) -> Conversation:
    """Return a past conversation as the engine takes it up: the turns that were answered."""
    answered = [(e, e.answer) for e in record.exchanges]
    return Conversation(
        tuple(
            Turn(
                e.text,
                end.answer,
                published_in(e.text, end),
                quoted_in(end),
                inputs_of(end, e.quote),
                end.model_host,
            )
            for e, end in answered
            if end is not None
        )
    )
