"""Conversations for the documents to be made of."""

from __future__ import annotations

from askance.domain.conversation import Outcome, Usage
from askance.domain.events import Answered, ClarifyAsked, Failed, RunEvent, TokenArrived
from askance.domain.evidence import Citation, Source
from askance.domain.history import (
    ConversationRecord,
    ConversationSummary,
    Exchange,
    TimedEvent,
    title_of,
)
from askance.domain.messages import Message
from cli.runs import RUN

AT = "2026-03-01T12:34:56.789+00:00"


def answered(
    text: str, sources: tuple[Source, ...] = (), citations: tuple[Citation, ...] = ()
) -> Answered:
    return Answered(text, sources, citations, Outcome.WEB, 1, Usage(), (), 1000)


def exchange(
    number: int, text: str, *events: RunEvent, command: str = "search", quote: str = ""
) -> Exchange:
    retained = [event for event in events if not isinstance(event, TokenArrived)]
    timed = tuple(TimedEvent(i * 0.5, event) for i, event in enumerate(retained))
    return Exchange(number, command, text, quote, AT, timed, bool(events))


def conversation(*exchanges: Exchange, title: str = "") -> ConversationRecord:
    title = title or title_of(exchanges[0].text)
    return ConversationRecord(ConversationSummary(7, title, AT, AT, len(exchanges)), exchanges)


def only(end: Answered) -> ConversationRecord:
    """A conversation of one answer."""
    return conversation(exchange(1, "q", end))


WHOLE = conversation(
    exchange(1, "When was\nthe *lamp* lit?", *RUN, quote="- a <b>quote</b>\n\n# of two lines"),
    exchange(2, "1. And why?", ClarifyAsked("Which [lamp](x)?"), command="chat"),
    exchange(3, "And who?", Failed(Message("SearXNG was down."), Message("Start it."), "SearXNG")),
    exchange(4, "And then?"),
)
