"""Reading: no page twice, nobody waits for stragglers, and what came in time or late is used."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager

import pytest

from askance.config.settings import ReaderSettings
from askance.domain.conversation import Outcome, RunRequest
from askance.domain.errors import ServiceDown
from askance.domain.events import (
    Answered,
    GapFound,
    Judged,
    PageRead,
    PageRequested,
    PassagesSelected,
    RunEvent,
    SearchStarted,
    WarningCode,
    ignore,
)
from askance.domain.messages import Message
from askance.domain.web_pages import Page, PageReason, PageStatus
from askance.engine import page_reads
from askance.engine.page_reads import PageReads
from askance.engine.run_progress import RunState
from askance.engine.search import SearchCandidate
from engine.contexts import engine_of
from fakes.model import ScriptedModel
from fakes.reader import ScriptedReader, page
from fakes.search import ScriptedSearch, result
from servers.model_script import plan, verdict
from waiting import patience, until


def url(n: int) -> str:
    return f"https://p{n}.example/"


def offers(*numbers: int) -> list[SearchCandidate]:
    return [SearchCandidate(result(url(n)), [f"query {n}"], [f"snippet {n}"]) for n in numbers]


def shelf(*numbers: int) -> dict[str, Page | str | Exception]:
    return {url(n): f"Text of page {n}." for n in numbers}


def taken(reading: PageReads) -> list[str]:
    return [found.page.url for found in reading.take_pages()]


@asynccontextmanager
async def reading_of(
    reader: ScriptedReader, progress: RunState, settings: Mapping[str, float] | None = None
) -> AsyncGenerator[PageReads]:
    """A reading whose tasks are stopped at the end, as a run does."""
    async with asyncio.TaskGroup() as group:
        reading = PageReads(reader, group, ReaderSettings().model_copy(update=settings), progress)
        try:
            yield reading
        finally:
            reading.stop()


async def test_pages_are_read_once_and_know_their_queries_and_snippets(
    progress: RunState, events: list[RunEvent]
) -> None:
    reader = ScriptedReader(shelf(1, 2))
    async with reading_of(reader, progress) as reading:
        reading.request(offers(1, 2), 1)
        again = SearchCandidate(result("http://www.p1.example/#part"))
        assert reading.unread([again, *offers(3)]) == offers(3)
        reading.request([again], 2)
        await reading.until_enough(2)
        found = reading.take_pages()
    assert reader.requested == [url(1), url(2)]
    assert [(f.page.url, f.queries, f.snippets) for f in found] == [
        (url(1), ("query 1",), ("snippet 1",)),
        (url(2), ("query 2",), ("snippet 2",)),
    ]
    assert [(e.url, e.round) for e in events if isinstance(e, PageRequested)] == [
        (url(1), 1),
        (url(2), 1),
    ]
    assert [e.status for e in events if isinstance(e, PageRead)] == [PageStatus.OK] * 2
    assert progress.usage.pages_read == 2


async def test_an_error_of_ours_is_logged_and_costs_one_page(
    progress: RunState, events: list[RunEvent], caplog: pytest.LogCaptureFixture
) -> None:
    reader = ScriptedReader({**shelf(1), url(2): KeyError("a secret")})
    async with reading_of(reader, progress) as reading:
        reading.request(offers(1, 2), 1)
        await reading.until_enough(2)
        assert taken(reading) == [url(1)]
    failed = [e for e in events if isinstance(e, PageRead) and e.status is PageStatus.FAILED]
    assert [(e.url, e.reason) for e in failed] == [(url(2), PageReason.INTERNAL)]
    assert "KeyError" in caplog.text
    assert "secret" not in caplog.text
    caplog.clear()


async def test_nobody_waits_where_nothing_is_under_way(progress: RunState) -> None:
    async with reading_of(ScriptedReader(), progress) as reading:
        await reading.until_enough(3)
        assert reading.take_pages() == []
        reading.request(offers(1), 1)
        await reading.until_enough(3)
        assert reading.take_pages() == []
        assert reading.promising == 0


async def test_a_straggler_is_not_waited_for_and_joins_the_next_round(progress: RunState) -> None:
    release = asyncio.Event()
    reader = ScriptedReader(shelf(1, 2, 3), holds={url(3): release})
    async with reading_of(reader, progress) as reading:
        reading.request(offers(1, 2, 3), 1)
        await reading.until_enough(2)
        assert taken(reading) == [url(1), url(2)]
        assert reading.promising == 1
        release.set()
        await reading.until_enough(1)
        assert reading.promising == 1
        assert taken(reading) == [url(1), url(2), url(3)]
        assert reading.promising == 0


async def test_a_late_page_does_not_stand_in_for_one_of_the_round_under_way(
    progress: RunState,
) -> None:
    late, release = asyncio.Event(), asyncio.Event()
    reader = ScriptedReader(shelf(1, 2, 3), holds={url(2): late, url(3): release})
    async with reading_of(reader, progress) as reading:
        reading.request(offers(1, 2), 1)
        await reading.until_enough(1)
        assert taken(reading) == [url(1)]
        late.set()
        await reader.tally.until_finished(2)
        reading.request(offers(3), 2)
        assert (reading.waiting, reading.promising) == (0, 1)
        release.set()
        await reading.until_enough(1)
        assert taken(reading) == [url(1), url(2), url(3)]


async def test_too_few_pages_are_not_waited_for_longer_than_the_others_took(
    progress: RunState,
) -> None:
    reader = ScriptedReader(shelf(1, 2), holds={url(2): asyncio.Event()})
    async with reading_of(reader, progress) as reading:
        reading.request(offers(1, 2), 1)
        async with patience():
            await reading.until_enough(2)
        assert taken(reading) == [url(1)]


async def test_the_batchs_time_limit_keeps_what_has_come(
    progress: RunState, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_reads, "BATCH_TIMEOUT_S", 0.05)
    holds = {url(n): asyncio.Event() for n in (2, 3)}
    reader = ScriptedReader(shelf(1, 2, 3), holds=holds)
    async with reading_of(reader, progress) as reading:
        reading.request(offers(1, 2, 3), 1)
        await reading.until_enough(3)
        assert taken(reading) == [url(1)]


async def test_a_batch_in_which_nothing_comes_ends_at_its_time_limit(
    progress: RunState, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_reads, "BATCH_TIMEOUT_S", 0.05)
    reader = ScriptedReader(shelf(1), holds={url(1): asyncio.Event()})
    async with reading_of(reader, progress) as reading:
        reading.request(offers(1), 1)
        await reading.until_enough(1)
        assert reading.take_pages() == []
    assert reader.tally.cancelled == [url(1)]


async def test_a_page_has_its_own_time_limit(progress: RunState, events: list[RunEvent]) -> None:
    reader = ScriptedReader(shelf(1, 2), holds={url(1): asyncio.Event()})
    async with reading_of(reader, progress, {"page_timeout_s": 0.05}) as reading:
        reading.request(offers(1), 1)
        await reading.until_enough(1)
        assert reading.take_pages() == []
        assert reading.promising == 0
    (read,) = [e for e in events if isinstance(e, PageRead)]
    assert (read.status, read.reason) == (PageStatus.FAILED, PageReason.TIMED_OUT)
    assert reader.tally.cancelled == [url(1)]


async def test_waiting_for_a_slot_does_not_count_as_reading(
    progress: RunState, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_reads, "CONCURRENT_PAGES", 2)
    release = asyncio.Event()
    reader = ScriptedReader(shelf(1, 2, 3), holds={url(n): release for n in (1, 2)})
    async with reading_of(reader, progress) as reading:
        reading.request(offers(1, 2, 3), 1)
        await reader.tally.until_begun(2)
        assert reader.requested == [url(1), url(2)]
        release.set()
        await reader.tally.until_finished(3)
        await reading.until_enough(3)
        assert sorted(taken(reading)) == [url(1), url(2), url(3)]
    assert reader.tally.most_at_once == 2


async def test_a_reader_that_is_down_is_told_and_costs_its_page(
    progress: RunState, events: list[RunEvent]
) -> None:
    down = ServiceDown("reader", "", "The reader does not answer.")
    reader = ScriptedReader({**shelf(1), url(2): down, url(3): down})
    async with reading_of(reader, progress) as reading:
        reading.request(offers(1, 2, 3), 1)
        await reading.until_enough(3)
        assert taken(reading) == [url(1)]
    assert progress.warnings == ("The reader does not answer.",)
    assert progress.warned == {WarningCode.READER_UNAVAILABLE}
    failed = [e for e in events if isinstance(e, PageRead) and e.status is PageStatus.FAILED]
    assert [(e.url, e.reason) for e in failed] == [
        (url(2), PageReason.NETWORK),
        (url(3), PageReason.NETWORK),
    ]


async def test_an_empty_page_is_told_with_its_reason_and_not_taken(
    progress: RunState, events: list[RunEvent]
) -> None:
    wall = Page(url(1), PageStatus.EMPTY, PageReason.CONSENT_WALL, Message("it asks for consent"))
    async with reading_of(ScriptedReader({url(1): wall}), progress) as reading:
        reading.request(offers(1), 1)
        await reading.until_enough(1)
        assert reading.take_pages() == []
    (read,) = [e for e in events if isinstance(e, PageRead)]
    assert (read.reason, read.detail) == (PageReason.CONSENT_WALL, "it asks for consent")


@pytest.mark.parametrize(
    ("readable", "code"),
    [
        ((), WarningCode.SNIPPETS_ONLY),
        ((1,), WarningCode.MOST_PAGES_FAILED),
        ((1, 2), None),
        ((1, 2, 3), None),
    ],
)
async def test_a_poor_harvest_is_told(
    readable: tuple[int, ...], code: WarningCode | None, progress: RunState
) -> None:
    async with reading_of(ScriptedReader(shelf(*readable)), progress) as reading:
        reading.request(offers(1, 2, 3), 1)
        await reading.until_enough(3)
        reading.warn_if_poor()
    assert progress.warned == ({code} if code else set())


async def test_where_nothing_was_read_there_is_nothing_to_tell(progress: RunState) -> None:
    async with reading_of(ScriptedReader(), progress) as reading:
        reading.warn_if_poor()
    assert not progress.warned


async def test_stopping_gives_up_what_is_under_way(progress: RunState) -> None:
    reader = ScriptedReader(holds={url(1): asyncio.Event()})
    async with patience(), reading_of(reader, progress, {"page_timeout_s": 60}) as reading:
        reading.request(offers(1), 1)
        await reader.tally.until_begun(1)
    assert reader.tally.cancelled == [url(1)]
    assert reader.tally.under_way == 0


async def test_pages_that_fail_are_replaced_by_the_next_best_while_too_few_are_promising(
    progress: RunState, events: list[RunEvent]
) -> None:
    reader = ScriptedReader(shelf(1, 3, 5, 6))
    async with reading_of(reader, progress) as reading:
        reading.request(offers(1, 2), 2, spare=offers(1, 3, 4, 5, 6), enough=2)
        await reading.until_enough(2)
        assert taken(reading) == [url(1), url(3)]
    assert reader.requested == [url(1), url(2), url(3)]
    assert {e.round for e in events if isinstance(e, PageRequested)} == {2}


async def test_a_spare_page_that_fails_is_replaced_too_until_none_is_left(
    progress: RunState,
) -> None:
    reader = ScriptedReader(shelf(1))
    async with reading_of(reader, progress) as reading:
        reading.request(offers(1, 2), 1, spare=offers(3, 4), enough=4)
        await reading.until_enough(4)
        assert taken(reading) == [url(1)]
    assert sorted(reader.requested) == [url(n) for n in (1, 2, 3, 4)]


async def test_a_reading_that_was_stopped_begins_no_page(progress: RunState) -> None:
    release = asyncio.Event()
    reader = ScriptedReader(shelf(3), holds={url(1): release})
    async with reading_of(reader, progress) as reading:
        reading.request(offers(1), 1, spare=offers(3), enough=1)
        await asyncio.sleep(0)
        reading.stop()
        release.set()
    assert reader.requested in ([], [url(1)])


async def test_a_page_knows_of_the_searches_that_found_it_after_it_was_read(
    progress: RunState,
) -> None:
    (offer,) = offers(1)
    async with reading_of(ScriptedReader(shelf(1)), progress) as reading:
        reading.request([offer], 1)
        await reading.until_enough(1)
        reading.take_pages()
        offer.queries.append("gap")
        offer.snippets.append("elsewhere")
        (found,) = reading.take_pages()
    assert found.queries == ("query 1", "gap")
    assert found.snippets == ("snippet 1", "elsewhere")


QUESTION = "In which harbour town was the founder of the Velmar Ferry Company born?"
FILLER = (
    "The timetable of the lines changed in spring, when boats left twice a day and carried mail. "
    * 6
)
FIRST = ("https://velmar.example/", "https://lines.example/")
LATE = "https://oda.example/"
SECOND = (LATE, *(f"https://{name}.example/" for name in ("street", "name", "hall")))
TEXTS = {
    FIRST[0]: f"The Velmar Ferry Company was founded in 1911 by Oda Brennik. {FILLER}",
    FIRST[1]: f"Ferry lines of the north carried many people. {FILLER}",
    LATE: f"Oda Brennik was born in the harbour town of Skarholt in 1874. {FILLER}",
    SECOND[1]: f"Brennik Street is a street with shops. {FILLER}",
    SECOND[2]: f"Oda is a given name. {FILLER}",
    SECOND[3]: f"Brennik Hall is a hall for concerts. {FILLER}",
}


async def test_it_is_taken_in_before_the_run_gives_up() -> None:
    release, arrived = asyncio.Event(), asyncio.Event()
    events: list[RunEvent] = []

    def emit(event: RunEvent) -> None:
        events.append(event)
        if isinstance(event, PassagesSelected) and any(isinstance(e, GapFound) for e in events):
            release.set()
        if isinstance(event, PageRead) and event.url == LATE:
            arrived.set()

    wants_more = verdict("partial", "Oda Brennik")
    model = ScriptedModel.by_role(
        plan=[plan(QUESTION)],
        # The last is a second opinion.
        judge=[
            wants_more,
            [arrived, json.dumps(wants_more)],
            verdict("sufficient"),
            verdict("sufficient"),
        ],
        answer=["Oda Brennik was born in Skarholt [1]."],
    )
    search = ScriptedSearch({
        QUESTION: [result(url, TEXTS[url][:40], TEXTS[url][:60]) for url in FIRST],
        "Oda Brennik": [result(url, TEXTS[url][:40], TEXTS[url][:60]) for url in SECOND],
    })  # fmt: skip
    reader = ScriptedReader(
        {url: page(url, text, text[:40]) for url, text in TEXTS.items()}, holds={LATE: release}
    )
    engine = engine_of(model, search, reader)
    end = await engine.run(RunRequest(QUESTION), emit=emit)
    assert isinstance(end, Answered)
    assert end.outcome is Outcome.WEB
    assert "Skarholt" in "".join(message.content for message in model.calls[-1].messages)


def on_the_web(
    *, held: dict[str, asyncio.Event] | None = None
) -> tuple[ScriptedSearch, ScriptedReader]:
    found = {"Oda Brennik": SECOND, QUESTION: FIRST}
    search = ScriptedSearch({
        query: [result(url, TEXTS[url][:40], TEXTS[url][:60]) for url in urls]
        for query, urls in found.items()
    })  # fmt: skip
    pages = {url: page(url, text, text[:40]) for url, text in TEXTS.items()}
    return search, ScriptedReader(pages, holds=held or {})


async def test_what_a_verdict_misses_is_searched_while_it_is_being_written() -> None:
    is_searched, events = asyncio.Event(), list[RunEvent]()

    def emit(event: RunEvent) -> None:
        events.append(event)
        if isinstance(event, SearchStarted) and event.queries[0] == "Oda Brennik":
            is_searched.set()

    begun = '{"sufficiency": "partial", "gap_queries": ["Oda Brennik", '
    enough = verdict("sufficient")
    model = ScriptedModel.by_role(
        plan=[plan(QUESTION)],
        judge=[[begun, is_searched, '"Brennik birthplace"]}'], enough, enough],
        answer=["Oda Brennik was born in Skarholt [1]."],
    )
    search, reader = on_the_web()
    end = await engine_of(model, search, reader).run(RunRequest(QUESTION), emit=emit)
    assert isinstance(end, Answered)
    kinds = [type(event) for event in events]
    assert kinds.index(SearchStarted, kinds.index(PageRead)) < kinds.index(Judged)
    (gap,) = (event for event in events if isinstance(event, GapFound))
    assert gap.queries[0] == "Oda Brennik"
    assert "Brennik birthplace" in gap.queries
    assert search.asked.count("Oda Brennik") == search.asked.count("Brennik birthplace") == 1
    assert LATE in [source.url for source in end.sources]


async def test_a_search_that_began_early_ends_with_its_run() -> None:
    never = asyncio.Event()
    begun = '{"sufficiency": "partial", "gap_queries": ["Oda Brennik", '
    model = ScriptedModel.by_role(
        plan=[plan(QUESTION)], judge=[[begun, never]], answer=["The company is of 1911 [1]."]
    )
    search, reader = on_the_web()
    search.holds["Oda Brennik"] = never
    async with asyncio.TaskGroup() as group:
        run = group.create_task(
            engine_of(model, search, reader).run(RunRequest(QUESTION), emit=ignore)
        )
        await until(lambda: "Oda Brennik" in search.asked)
        run.cancel()
    assert (search.tally.under_way, model.open_replies) == (0, 0)


async def test_evidence_is_evaluated_while_a_late_page_is_waited_for() -> None:
    never = asyncio.Event()
    model = ScriptedModel.by_role(
        plan=[plan(QUESTION), plan(QUESTION)],
        judge=[verdict("sufficient")] * 2,
        answer=["The company is of 1911 [1]."],
    )
    search, reader = on_the_web(held={FIRST[1]: never})
    end = await engine_of(model, search, reader).run(RunRequest(QUESTION), emit=ignore)
    assert isinstance(end, Answered)
    assert model.roles[:3] == ["plan", "plan", "judge"]
    ahead, judged = (call.messages[-1].content for call in model.calls[1:3])
    assert model.calls[1].max_tokens == 0
    assert "founded in 1911" in ahead
    assert judged.startswith(ahead)


async def test_a_name_of_the_question_itself_is_not_searched_early() -> None:
    lacking, enough = verdict("partial", "Ferry Company", "Oda Brennik"), verdict("sufficient")
    model = ScriptedModel.by_role(
        plan=[plan(QUESTION)],
        judge=[lacking, enough, enough],
        answer=["Oda Brennik was born in Skarholt [1]."],
    )
    search, reader = on_the_web()
    end = await engine_of(model, search, reader).run(RunRequest(QUESTION), emit=ignore)
    assert isinstance(end, Answered)
    assert "Oda Brennik" in search.asked
    assert "Ferry Company" not in search.asked


async def test_a_query_whose_early_search_is_not_sent_yet_is_named_once() -> None:
    lacking, enough = verdict("partial", "Oda Brennik"), verdict("sufficient")
    model = ScriptedModel.by_role(
        plan=[plan(QUESTION)],
        judge=[lacking, enough, enough],
        answer=["Oda Brennik was born in Skarholt [1]."],
    )
    search, reader = on_the_web()
    events: list[RunEvent] = []
    await engine_of(model, search, reader).run(RunRequest(QUESTION), emit=events.append)
    (gap,) = (event for event in events if isinstance(event, GapFound))
    assert gap.queries.count("Oda Brennik") == 1
    assert search.asked.count("Oda Brennik") == 1
