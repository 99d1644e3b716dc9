"""A run in a world of its own, and the order that the events of any run have."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from askance.domain.conversation import Conversation
from askance.domain.events import (
    Answered,
    Cancelled,
    CitationsChecked,
    Emit,
    GapFound,
    Judged,
    PageRead,
    PageRequested,
    PassagesSelected,
    ResultsFound,
    RunEvent,
    SearchStarted,
    SourcesReady,
    TokenArrived,
    Warned,
    WarningCode,
)
from askance.domain.phases import Sufficiency
from servers.model_script import ModelScript
from servers.world import ENDS, QUESTION, RecordedEvents, world

_OF_WORLD = ("hits", "web", "breaks", "hosts", "settings", "library", "asks_all")


async def run_in_world(
    script: ModelScript | None = None,
    question: str = QUESTION,
    conversation: Conversation | None = None,
    **options: Any,
) -> RecordedEvents:
    """Run a question in a world of its own to its end, after which no server has a connection.

    `options` are those of `world` and of `World.ask`.
    """
    of_world = {name: options.pop(name) for name in _OF_WORLD if name in options}
    async with world(script, **of_world) as w:
        reported = await w.ask(question, conversation, **options)
        await w.until_idle()
    assert_legal(reported.events)
    return reported


run_credulous = partial(run_in_world, asks_all=True)
"""A run whose model is asked for a plan and for verdicts in any case."""


async def cancelled_at(
    kind: type[RunEvent], run: Callable[[Emit], Coroutine[Any, Any, object]]
) -> None:
    """Begin something that emits events, cancel it at the first of a kind, and see it end as cancelled, once."""
    reported = RecordedEvents()

    def emit(event: RunEvent) -> None:
        reported.events.append(event)
        if isinstance(event, kind):
            running.cancel()

    async with asyncio.TaskGroup() as group:
        running = group.create_task(run(emit))
    assert running.cancelled()
    assert reported.ends == [Cancelled()]


def assert_legal(events: Sequence[RunEvent]) -> None:
    """Fail where an event stands before what it rests on, twice, or behind the end."""
    assert [e for e in events if isinstance(e, ENDS)] == [events[-1]]
    witness = _Witness()
    for event in events:
        witness.see_research(event)
        witness.see_answer(event)


@dataclass
class _Witness:
    """What was told so far."""

    round: int = 1
    queries: set[str] = field(default_factory=set[str])
    requested: set[str] = field(default_factory=set[str])
    read: set[str] = field(default_factory=set[str])
    codes: set[str] = field(default_factory=set[str])
    warned: int = 0
    verdict: Judged | None = None
    sources: set[int] | None = None
    checked: bool = False

    def see_research(self, event: RunEvent) -> None:
        match event:
            case SearchStarted(queries=queries, round=number):
                # What a verdict misses first is searched while the verdict is still being written.
                assert number in {self.round, self.round + 1}
                assert not self.queries & set(queries), "a query is not asked twice"
                assert self.sources is None, "the search is over before the answer begins"
                self.queries |= set(queries)
            case ResultsFound(query=query):
                assert query in self.queries
                assert self.sources is None
            case PageRequested(url=url):
                assert url not in self.requested, "a page is read once"
                self.requested.add(url)
            case PageRead(url=url):
                assert url in self.requested - self.read
                self.read.add(url)
            case Judged(round=number) | PassagesSelected(round=number):
                # What the library has is of no round, and comes before the first page or instead of it.
                assert number == self.round or (number == 0 and not self.read)
                self.verdict = event if isinstance(event, Judged) else self.verdict
            case GapFound(queries=queries, round=number):
                assert len(set(queries)) == len(queries)
                assert self.verdict is not None
                assert self.verdict.sufficiency is not Sufficiency.SUFFICIENT
                self.round += 1
                assert number == self.round
            case _:
                pass

    def see_answer(self, event: RunEvent) -> None:
        match event:
            case SourcesReady(sources=sources):
                assert self.sources is None, "the sources are told once"
                self.sources = {source.n for source in sources}
            case TokenArrived():
                assert self.sources is not None, "the sources come before the first token"
                assert not self.checked
            case CitationsChecked(citations=citations):
                assert self.sources is not None
                assert not self.checked, "an answer is checked once"
                assert {c.n for c in citations} <= self.sources
                self.checked = True
            case Warned(code=code):
                more = code is WarningCode.WORDS_HELD_BACK  # each time other words
                assert more or code not in self.codes, "a warning is given once"
                self.codes.add(code)
                self.warned += 1
            case Answered(warnings=warnings):
                assert self.checked
                assert len(warnings) == self.warned
            case _:
                pass
