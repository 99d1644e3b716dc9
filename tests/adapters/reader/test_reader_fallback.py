"""Reading on in this program: when, for which pages, and what is said about it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from askance.adapters.web_choice import ContainerOnlyReader, FallbackReader
from askance.domain.errors import (
    ServiceAbsent,
    ServiceDown,
    ServiceError,
    ServiceProtocolError,
    ServiceRefused,
    ServiceTimeout,
)
from askance.domain.messages import Message
from askance.domain.ports.web import Sent
from askance.domain.web_pages import (
    WHOLE_WEB,
    Page,
    PageReason,
    PageStatus,
    SearchScope,
)
from fakes.outbound import ignore
from fakes.reader import ScriptedReader, page
from waiting import patience

A, B, C = "http://a.example/", "http://b.example/", "http://c.example/"
SHELF = {A: "Text A.", B: "Text B.", C: "Text C."}
WHERE = "page reader", "http://127.0.0.1:25018"
ABSENT = ServiceAbsent(*WHERE, "Nothing answers there.", fix="`askance up` starts it.")


class NotingReader(ScriptedReader):
    """Keeps what it was given beside the address."""

    def __init__(self, shelf: dict[str, Page | str | Exception]) -> None:
        super().__init__(shelf)
        self.given: list[tuple[Any, Any]] = []

    async def read(
        self, url: str, *, sent: Sent, known: Page | None = None, scope: SearchScope = WHOLE_WEB
    ) -> Page:
        self.given.append((sent, known))
        return await super().read(url, sent=sent, known=known, scope=scope)


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


async def test_a_service_that_is_not_there_costs_no_page_and_is_told():
    first, second = readers(a=ABSENT)
    found = await FallbackReader(first, second).read(A, sent=ignore)
    assert found.markdown == "Text A."
    assert found.fallback.startswith("Nothing answers there; ")
    assert found.fallback.endswith(". `askance up` starts it.")


@pytest.mark.parametrize(
    "kind", [ServiceDown, ServiceRefused, ServiceProtocolError, ServiceTimeout, ZeroDivisionError]
)
async def test_a_page_that_breaks_the_service_is_not_read_here_nor_are_those_after_it(
    kind: type[Exception],
):
    error = kind(*WHERE, "It is no good.") if issubclass(kind, ServiceError) else kind()
    first, second = readers(a=error)
    reader = FallbackReader(first, second)
    with pytest.raises(kind):
        await reader.read(A, sent=ignore)
    for url in (B, C):
        assert (await reader.read(url, sent=ignore)).fallback == ""
    assert first.requested == [A, B, C]
    assert second.requested == []


@pytest.mark.parametrize("status", [PageStatus.FAILED, PageStatus.EMPTY])
async def test_a_pages_own_failure_is_not_tried_elsewhere(status: PageStatus):
    missing = Page(A, status, PageReason.TIMED_OUT, Message("It took too long."))
    first, second = ScriptedReader({A: missing}), NotingReader(dict(SHELF))
    assert await FallbackReader(first, second).read(A, sent=ignore) == missing
    assert second.requested == []


async def test_the_second_reader_gets_the_note_and_the_known_page():
    first, second = readers(a=ABSENT)
    known = page(A, "Older text.")
    await FallbackReader(first, second).read(A, sent=ignore, known=known)
    assert second.given == [(ignore, known)]


async def test_a_service_that_comes_back_has_the_next_page():
    first, second = readers(a=ABSENT)
    reader = FallbackReader(first, second)
    assert (await reader.read(A, sent=ignore)).fallback
    back = await reader.read(B, sent=ignore)
    assert (back.markdown, back.fallback) == ("Text B.", "")
    assert first.requested == [A, B]
    assert second.requested == [A]


async def test_cancelling_passes_and_is_no_failure_of_the_service():
    never = asyncio.Event()
    first = ScriptedReader(dict(SHELF), holds={A: never})
    second = NotingReader(dict(SHELF))
    reader = FallbackReader(first, second)
    async with patience(), asyncio.TaskGroup() as group:
        reading = group.create_task(reader.read(A, sent=ignore))
        await first.tally.until_begun(1)
        reading.cancel()
    assert reading.cancelled()
    assert first.tally.cancelled == [A]
    assert second.requested == []
    assert (await reader.read(B, sent=ignore)).fallback == ""


async def test_cancelling_passes_in_the_second_reading_too():
    never = asyncio.Event()
    first, _ = readers(a=ABSENT)
    second = ScriptedReader(dict(SHELF), holds={A: never})
    reader = FallbackReader(first, second)
    async with patience(), asyncio.TaskGroup() as group:
        reading = group.create_task(reader.read(A, sent=ignore))
        await second.tally.until_begun(1)
        reading.cancel()
    assert reading.cancelled()
    assert second.tally.cancelled == [A]


async def test_where_both_fail_the_second_speaks_with_the_first_as_its_context():
    first, _ = readers(a=ABSENT)
    second = ScriptedReader({A: ServiceDown("page reader", "this machine", "No processes.")})
    reader = FallbackReader(first, second)
    with pytest.raises(ServiceDown, match="No processes") as caught:
        await reader.read(A, sent=ignore)
    assert caught.value.__context__ is ABSENT


async def test_only_the_sentence_is_added_to_a_page():
    first, second = readers(a=ABSENT)
    found = await FallbackReader(first, second).read(A, sent=ignore)
    assert replace(found, fallback="") == page(A, "Text A.")


async def test_where_no_page_may_be_read_elsewhere_an_absence_says_so():
    first, _ = readers(a=ABSENT, b=ServiceDown(*WHERE, "It is no good.", fix="Mend it."))
    reader = ContainerOnlyReader(first)
    with pytest.raises(ServiceAbsent) as caught:
        await reader.read(A, sent=ignore)
    assert str(caught.value) == (
        "Nothing answers there; no page is read outside the container. `askance up` starts it."
    )
    assert (caught.value.service, caught.value.address) == WHERE
    with pytest.raises(ServiceDown, match="It is no good"):
        await reader.read(B, sent=ignore)
    assert (await reader.read(C, sent=ignore)).markdown == "Text C."
