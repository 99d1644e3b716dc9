"""How long a round waits for its pages: on a clock that only timers move."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

import pytest
from bench.clock import simulate

from askance.config.settings import ReaderSettings
from askance.domain.events import RequestSent, Sending
from askance.domain.messages import Message
from askance.domain.ports.web import Sent
from askance.domain.web_pages import (
    WHOLE_WEB,
    Page,
    SearchScope,
)
from askance.engine import page_reads
from askance.engine.page_reads import PATIENCE_FOR_ENOUGH, PATIENCE_FOR_MORE, PageReads
from askance.engine.run_progress import RunState
from askance.engine.search import SearchCandidate
from fakes.reader import page
from fakes.search import result

ENDLESS_S = 1000.0
LIMITS = ReaderSettings().model_copy(update={"page_timeout_s": 90})
Steps = Callable[[PageReads], Awaitable[None]]


class PacedReader:
    """Reads every page well, in the time that it is given; one that takes none was kept."""

    def __init__(self, takes_s: Mapping[str, float]) -> None:
        self._takes_s = takes_s

    async def read(
        self, url: str, *, sent: Sent, known: Page | None = None, scope: SearchScope = WHOLE_WEB
    ) -> Page:
        if self._takes_s[url]:
            sent(RequestSent(Sending.PAGE, url, Message("this program"), url))
        await asyncio.sleep(self._takes_s[url])
        return page(url, "Text.")


def url(name: str) -> str:
    return f"https://{name}.example/"


def offers(names: str) -> list[SearchCandidate]:
    return [SearchCandidate(result(url(name))) for name in names]


@pytest.fixture(autouse=True)
def a_patient_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing here ends because the batch does."""
    monkeypatch.setattr(page_reads, "BATCH_TIMEOUT_S", 100)


def rounds(takes_s: Mapping[str, float], steps: Steps) -> None:
    """Run the steps with a reading in which each page takes so many seconds."""

    async def run() -> None:
        progress = RunState(lambda _: None, wall_clock_s=ENDLESS_S, answer_reserve_s=0)
        reader = PacedReader({url(name): seconds for name, seconds in takes_s.items()})
        async with asyncio.TaskGroup() as group:
            reading = PageReads(reader, group, LIMITS, progress)
            await steps(reading)
            reading.stop()

    simulate(run())


def now() -> float:
    return asyncio.get_running_loop().time()


def taken(reading: PageReads) -> str:
    return "".join(found.page.url.removeprefix("https://")[0] for found in reading.take_pages())


@pytest.mark.parametrize(
    ("takes_s", "enough", "ended_s", "came"),
    [
        # A page a little slower than the others is waited for, one that is far behind is not.
        ({"a": 1, "b": 1, "c": 2.5}, 3, 2.5, "abc"),
        ({"a": 1, "b": 1, "c": 80}, 3, PATIENCE_FOR_ENOUGH, "ab"),
        # Where enough are there, the rest gets only a moment more.
        ({"a": 1, "b": 1, "c": 1.1}, 2, 1.1, "abc"),
        ({"a": 1, "b": 1, "c": 2.5}, 2, PATIENCE_FOR_MORE, "ab"),
        # Pages that were kept say nothing about the network.
        ({"a": 0, "b": 0, "c": 0, "d": 2.5}, 4, 2.5, "abcd"),
        # A slow network is not a slow page.
        ({"a": 20, "b": 20, "c": 50}, 3, 50, "abc"),
        # The first page is waited for as long as a batch may take.
        ({"a": 85, "b": 86}, 1, 86, "ab"),
    ],
)
def test_the_pages_own_pace_decides_how_long_the_late_ones_are_waited_for(
    takes_s: dict[str, float], enough: int, ended_s: float, came: str
) -> None:
    async def steps(reading: PageReads) -> None:
        reading.request(offers("".join(takes_s)), 1)
        await reading.until_enough(enough)
        assert now() == pytest.approx(ended_s)
        assert taken(reading) == came

    rounds(takes_s, steps)


def test_a_page_of_a_later_round_has_its_time_from_its_own_request_on() -> None:
    async def steps(reading: PageReads) -> None:
        reading.request(offers("ab"), 1)
        await reading.until_enough(2)
        assert now() == pytest.approx(PATIENCE_FOR_ENOUGH)
        assert taken(reading) == "a"
        await asyncio.sleep(20 - now())
        reading.request(offers("cd"), 2)
        await reading.until_enough(2)
        assert now() == pytest.approx(20 + 1.5)
        assert taken(reading) == "acd"

    rounds({"a": 1, "b": 80, "c": 1, "d": 1.5}, steps)


def test_a_straggler_of_an_earlier_round_is_not_waited_for_a_second_time() -> None:
    async def steps(reading: PageReads) -> None:
        reading.request(offers("ab"), 1)
        await reading.until_enough(2)
        await asyncio.sleep(20 - now())
        reading.take_pages()
        reading.request(offers("c"), 2)
        await reading.until_enough(2)
        # Only the old straggler is left when the new page has come: it has had its time.
        assert now() == pytest.approx(21)
        assert taken(reading) == "ac"

    rounds({"a": 1, "b": 80, "c": 1}, steps)


def test_the_first_page_of_a_later_round_is_waited_for_however_fast_the_earlier_ones_were() -> None:
    async def steps(reading: PageReads) -> None:
        reading.request(offers("ab"), 1)
        await reading.until_enough(2)
        assert taken(reading) == "ab"
        reading.request(offers("c"), 2)
        await reading.until_enough(1)
        assert now() == pytest.approx(8)
        assert taken(reading) == "abc"

    rounds({"a": 0, "b": 0, "c": 8}, steps)
