"""Past conversations and traced runs: what was asked, and the events from which what was shown can be shown again.

Events are stored as plain records, for JSON Lines: `{"type": "page_read", "at_s": 1.25, ...}`. A message stands in
its field as its English text. What it was made from stands beside it, under `messages` and the name of the
field, so that it can be said in another language later.
"""

from __future__ import annotations

import dataclasses
import re
import types
import typing
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, StrEnum
from functools import cache
from typing import Any, cast, get_args, get_origin, get_type_hints

from askance.domain.conversation import (
    Conversation,
    Outcome,
    Turn,
    TurnInput,
    Usage,
    from_memory,
    rests_on,
)
from askance.domain.errors import InputError
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

_MESSAGES = "messages"
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")
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


class TranscriptFormat(StrEnum):
    """A kind of document that a conversation is written as; its value is what its files end with."""

    MD = "md"
    HTML = "html"
    JSON = "json"


@dataclass(frozen=True, slots=True)
class ExchangeKey:
    """Where an exchange is stored. A number is never given twice."""

    conversation: int
    exchange: int


@dataclass(frozen=True, slots=True)
class SearchHit:
    """An exchange that holds the words that were searched.

    `excerpt` is a piece of the text that holds them, on one line; `marks` are the `(start, end)` of
    each in it, in order and apart; `title_marks` are those in the title, in order.
    """

    conversation: int
    exchange: int
    title: str
    asked_at: str
    excerpt: str
    marks: tuple[tuple[int, int], ...]
    title_marks: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class TraceSummary:
    """A trace in the list. `seconds` is how long the run took.

    `outcome` is that of the answer (`web`, `library`, …), or `clarify_asked` or `failed`. `damage`
    is empty, or says what is wrong with the file; the fields that cannot be read are then empty.
    """

    id: str
    question: str = ""
    started: str = ""
    outcome: str = ""
    seconds: float = 0.0
    damage: str = ""


@dataclass(frozen=True, slots=True)
class StoredTrace:
    """A whole trace: what was asked, when (ISO, UTC), and each event with its second in the run."""

    id: str
    question: str
    started: str
    events: tuple[tuple[float, RunEvent], ...]


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


class WrittenText:
    """What was written in a run so far: the checked text, or else the tokens as they arrived."""

    def __init__(self) -> None:
        self._pieces: list[str] = []

    def add(self, event: RunEvent) -> None:
        """Take in the next event of the run."""
        match event:
            case TokenArrived(text=text):
                self._pieces.append(text)
            # Only now has the model closed its reasoning: all that came as text so far was that.
            case DraftRetracted():
                self._pieces.clear()
            case CitationsChecked(text=text):
                self._pieces = [text]
            case _:
                pass

    def __str__(self) -> str:
        return "".join(self._pieces)


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


def turn_of(question: str, end: Answered, quote: str = "") -> Turn:
    """Return a question and its answer as later questions know them; `quote` is the text it was asked about."""
    published, quoted = published_in(question, end), quoted_in(end)
    inputs = inputs_of(end, quote)
    return Turn(question, end.answer, published, quoted, inputs, end.model_host)


def resumed(record: ConversationRecord) -> Conversation:
    """Return a past conversation as the engine takes it up: the turns that were answered."""
    answered = [(e, e.answer) for e in record.exchanges]
    return Conversation(
        tuple(turn_of(e.text, end, e.quote) for e, end in answered if end is not None)
    )


def type_name(event_type: type) -> str:
    """Return the record's type of an event class: `PageRead` is `page_read`."""
    return _CAPITAL.sub("_", event_type.__name__).lower()


EVENT_TYPES: dict[str, type] = {type_name(cls): cls for cls in get_args(RunEvent)}


def to_record(event: RunEvent, at_s: float) -> dict[str, Any]:
    """Return an event as JSON-ready values. `at_s` is seconds since the run began."""
    return {
        "type": type_name(type(event)),
        "at_s": round(at_s, 3),
        **cast("dict[str, Any]", _plain(event)),
    }


def from_record(record: dict[str, Any]) -> RunEvent:
    """Rebuild an event from its record; keys the event does not have are passed over.

    Raises:
        InputError: the record is of no known type, or a field is missing or of the wrong kind.
    """
    cls = EVENT_TYPES.get(str(record.get("type")))
    if cls is None:
        raise InputError(f"A trace line of type {record.get('type')!r} is not known.")
    try:
        return cast("RunEvent", _rebuilt(cls, record))
    # The file may have been edited or cut: whatever its values are, it costs one line and not the
    # trace.
    except (TypeError, ValueError, KeyError, AttributeError) as exc:
        raise InputError(f"A trace line of type {record['type']!r} is damaged: {exc}.") from exc


def _plain(value: object) -> object:
    match value:
        # Before all else, for a member of a StrEnum is a text as well.
        case Enum():
            return value.value
        case tuple() | list():
            return [_plain(item) for item in cast("tuple[object, ...]", value)]
        case _ if dataclasses.is_dataclass(value):
            fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
            plain = {name: _plain(field) for name, field in fields.items()}
            made = {name: made for name, field in fields.items() if (made := _made_from(field))}
            return {**plain, _MESSAGES: made} if made else plain
        case Message():
            return str(value)
        case _:
            return value


def _made_from(value: object) -> object:
    """Return what a message, or each of several, was made from; nothing where there is none."""
    match value:
        case Message():
            return value.to_record() if value.is_ours else None
        case tuple():
            each = [_made_from(item) for item in cast("tuple[object, ...]", value)]
            return each if any(each) else None
        case _:
            return None


@cache
def _hints(cls: type) -> dict[str, Any]:
    return get_type_hints(cls)


def _rebuilt(kind: Any, value: Any) -> Any:
    origin = get_origin(kind)
    if origin is tuple:
        if not isinstance(value, list):
            raise TypeError(f"expected a list, got {type(value).__name__}")
        value = cast("list[Any]", value)
        return tuple(_rebuilt(get_args(kind)[0], item) for item in value)
    if origin in (types.UnionType, typing.Union):
        # Of unions, events have `X | None` alone.
        return None if value is None else _rebuilt(get_args(kind)[0], value)
    if dataclasses.is_dataclass(kind):
        if not isinstance(value, dict):
            raise TypeError(f"expected an object, got {type(value).__name__}")
        value = cast("dict[str, Any]", value)
        hints = _hints(cast("type", kind))
        # What is not known is passed over, and what is missing has its default.
        known = {f.name for f in dataclasses.fields(kind)} & set(value)
        made = value.get(_MESSAGES)
        made = cast("dict[str, Any]", made) if isinstance(made, dict) else {}
        fields = {name: _rebuilt(hints[name], value[name]) for name in known}
        messages = {name: _parsed_as(fields[name], made[name]) for name in known & set(made)}
        return cast("type", kind)(**fields | messages)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(value)
    if kind is Message and isinstance(value, str):
        return Message.verbatim(value)
    # JSON has one kind of number: other programs write 1.0 as 1.
    if isinstance(kind, type) and not isinstance(value, (kind, int) if kind is float else kind):
        raise TypeError(f"expected {kind.__name__}, got {type(value).__name__}")
    return value


def _parsed_as(text: object, record: object) -> object:
    """Return a text, or each of several, as the message that it was."""
    match text, record:
        case str(), _:
            return Message.from_record(text, record)
        case tuple(), list():
            texts, records = cast("tuple[str, ...]", text), cast("list[object]", record)
            return tuple(map(Message.from_record, texts, records))
        case _:
            return text
