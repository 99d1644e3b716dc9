"""Reading on in this program: when, for how long, and what is said about it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from askance.adapters.reader.fallback import REMEMBERED_S, FallbackReader
from askance.domain.errors import (
    ServiceDown,
    ServiceError,
    ServiceNonsense,
    ServiceRefused,
    ServiceSlow,
)
from askance.domain.web import Page, PageReason, PageStatus
from askance.ports.outbound import Sent
from fakes.outbound import ignore
from fakes.reader import ScriptedReader, page

A, B, C = "http://a.example/", "http://b.example/", "http://c.example/"
SHELF = {A: "Text A.", B: "Text B.", C: "Text C."}
WHERE = "page reader", "http://127.0.0.1:25018"
DOWN = ServiceDown(*WHERE, "Nothing answers there.", fix="`askance up` starts it.")


class Clock:
    """Seconds that go on when they are told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class NotingReader(ScriptedReader):
    """Keeps what it was given beside the address."""

    def __init__(self, shelf: dict[str, Page | str | Exception]) -> None:
        super().__init__(shelf)
        self.given: list[tuple[Any, Any]] = []

    async def read(self, url: str, *, sent: Sent, known: Page | None = None) -> Page:
        self.given.append((sent, known))
        return await super().read(url, sent=sent, known=known)


def readers(**first: Exception) -> tuple[ScriptedReader, NotingReader]:
    """A first reader that breaks at the named pages, and a second one that has all."""
    broken = {{"a": A, "b": B, "c": C}[name]: error for name, error in first.items()}
    return ScriptedReader({**SHELF, **broken}), NotingReader(dict(SHELF))


async def test_a_service_that_works_reads_every_page_alone():
    first, second = readers()
    reader = FallbackReader(first, second)
    pages = [await reader.read(url, sent=ignore) for url in SHELF]
    assert [found.markdown for found in pages] == list(SHELF.values())
    assert {found.fallback for found in pages} == {""}
    assert first.requested == list(SHELF)
    assert second.requested == []


@pytest.mark.parametrize("kind", [ServiceDown, ServiceRefused, ServiceNonsense, ServiceSlow])
async def test_a_service_that_fails_costs_no_page_and_is_told(kind: type[ServiceError]):
    first, second = readers(a=kind(*WHERE, "It is no good.", fix="`askance up` mends it."))
    found = await FallbackReader(first, second).read(A, sent=ignore)
    assert found.markdown == "Text A."
    assert found.fallback == (
        "It is no good; pages are read in this program meanwhile. `askance up` mends it."
    )


@pytest.mark.parametrize("status", [PageStatus.FAILED, PageStatus.EMPTY])
async def test_a_pages_own_failure_is_not_tried_elsewhere(status: PageStatus):
    missing = Page(A, status, PageReason.TIMED_OUT, "It took too long.")
    first, second = ScriptedReader({A: missing}), NotingReader(dict(SHELF))
    assert await FallbackReader(first, second).read(A, sent=ignore) == missing
    assert second.requested == []


async def test_the_second_reader_gets_the_note_and_the_known_page():
    first, second = readers(a=DOWN)
    known = page(A, "Older text.")
    await FallbackReader(first, second).read(A, sent=ignore, known=known)
    assert second.given == [(ignore, known)]


async def test_a_service_that_is_gone_is_not_asked_again_for_a_while():
    first, second = readers(a=DOWN)
    clock = Clock()
    reader = FallbackReader(first, second, clock=clock)
    first_sentence = (await reader.read(A, sent=ignore)).fallback
    clock.now += REMEMBERED_S - 0.001
    later = await reader.read(B, sent=ignore)
    assert later.fallback == first_sentence != ""
    assert first.requested == [A]
    assert second.requested == [A, B]


async def test_a_service_that_comes_back_is_noticed():
    first, second = readers(a=DOWN)
    clock = Clock()
    reader = FallbackReader(first, second, clock=clock)
    await reader.read(A, sent=ignore)
    clock.now += REMEMBERED_S
    back = await reader.read(B, sent=ignore)
    assert (back.markdown, back.fallback) == ("Text B.", "")
    assert first.requested == [A, B]


async def test_a_service_that_stays_away_is_asked_once_more_after_each_while():
    first, second = readers(a=DOWN, b=DOWN, c=DOWN)
    clock = Clock()
    reader = FallbackReader(first, second, clock=clock)
    for url in (A, B, C):
        assert (await reader.read(url, sent=ignore)).fallback
        assert (await reader.read(url, sent=ignore)).fallback
        clock.now += REMEMBERED_S
    assert first.requested == [A, B, C]


async def test_pages_under_way_when_the_service_dies_are_all_read():
    dies = asyncio.Event()
    first = ScriptedReader(dict.fromkeys((A, B, C), DOWN), holds=dict.fromkeys((A, B, C), dies))
    second = NotingReader(dict(SHELF))
    reader = FallbackReader(first, second)
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        tasks = [group.create_task(reader.read(url, sent=ignore)) for url in SHELF]
        await first.tally.until_begun(3)
        dies.set()
    assert [task.result().markdown for task in tasks] == list(SHELF.values())
    assert sorted(second.requested) == sorted(SHELF)


async def test_a_page_under_way_that_the_service_still_delivers_is_taken():
    slow = asyncio.Event()
    first = ScriptedReader({A: "Text A.", B: DOWN}, holds={A: slow})
    second = NotingReader(dict(SHELF))
    reader = FallbackReader(first, second)
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        under_way = group.create_task(reader.read(A, sent=ignore))
        await first.tally.until_begun(1)
        assert (await reader.read(B, sent=ignore)).fallback
        slow.set()
    assert under_way.result().fallback == ""
    assert second.requested == [B]


async def test_cancelling_passes_and_is_no_failure_of_the_service():
    never = asyncio.Event()
    first = ScriptedReader(dict(SHELF), holds={A: never})
    second = NotingReader(dict(SHELF))
    reader = FallbackReader(first, second)
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        reading = group.create_task(reader.read(A, sent=ignore))
        await first.tally.until_begun(1)
        reading.cancel()
    assert reading.cancelled()
    assert first.tally.cancelled == [A]
    assert second.requested == []
    assert (await reader.read(B, sent=ignore)).fallback == ""


async def test_cancelling_passes_in_the_second_reading_too():
    never = asyncio.Event()
    first, _ = readers(a=DOWN)
    second = ScriptedReader(dict(SHELF), holds={A: never})
    reader = FallbackReader(first, second)
    async with asyncio.timeout(5), asyncio.TaskGroup() as group:
        reading = group.create_task(reader.read(A, sent=ignore))
        await second.tally.until_begun(1)
        reading.cancel()
    assert reading.cancelled()
    assert second.tally.cancelled == [A]


async def test_where_both_fail_the_second_speaks_with_the_first_as_its_context():
    first, _ = readers(a=DOWN)
    second = ScriptedReader({A: ServiceDown("page reader", "this machine", "No processes.")})
    reader = FallbackReader(first, second)
    with pytest.raises(ServiceDown, match="No processes") as caught:
        await reader.read(A, sent=ignore)
    assert caught.value.__context__ is DOWN


async def test_an_error_that_is_a_bug_is_not_covered_up():
    first, second = readers(a=ZeroDivisionError("a bug"))
    with pytest.raises(ZeroDivisionError):
        await FallbackReader(first, second).read(A, sent=ignore)
    assert second.requested == []


async def test_only_the_sentence_is_added_to_a_page():
    first, second = readers(a=DOWN)
    found = await FallbackReader(first, second).read(A, sent=ignore)
    assert replace(found, fallback="") == page(A, "Text A.")
