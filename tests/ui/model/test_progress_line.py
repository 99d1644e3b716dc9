"""The thin line and the sentence beside it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from askance.domain.events import (
    CitationsChecked,
    GapFound,
    Judged,
    Judging,
    PageRead,
    PageRequested,
    PassagesSelected,
    ResultsFound,
    ResultsRanked,
    RunEvent,
    SearchStarted,
    SourcesReady,
    TokenArrived,
)
from askance.domain.verdict import Sufficiency
from askance.domain.web import PageReason, PageStatus
from askance.ui.model.progress import RunProgress, Status
from cli.runs import RUN, SOURCES

URLS = [f"https://host{n}.example/p" for n in range(5)]


def read(url: str) -> PageRead:
    return PageRead(url, PageStatus.OK, PageReason.NONE, "", "T", 9, 5)


def after(*events: RunEvent) -> RunProgress:
    progress = RunProgress()
    for event in events:
        progress.apply(event)
    return progress


def test_reading_counts_the_pages_and_names_the_host_that_is_waited_for():
    progress = after(*(PageRequested(url, 1) for url in URLS))
    assert progress.status == Status("Reading 1 of 5 pages", "host0.example")
    progress.apply(read(URLS[0]))
    progress.apply(read(URLS[2]))
    assert progress.status == Status("Reading 3 of 5 pages", "host1.example")
    for url in URLS:
        progress.apply(read(url))
    assert progress.status == Status("Reading 5 of 5 pages")


def test_nothing_is_determinate_before_the_number_of_pages_is_known():
    progress = after(SearchStarted(("q",), 1), ResultsRanked(("u",), ("t",), 0, 1))
    assert progress.fraction is None
    progress.apply(PageRequested(URLS[0], 1))
    assert progress.fraction is not None


def test_a_run_without_pages_has_no_line_at_all():
    assert (
        after(SourcesReady(()), TokenArrived("x"), CitationsChecked("x", (), 0, 0)).fraction is None
    )


def test_a_second_round_takes_what_is_left():
    first = after(PageRequested(URLS[0], 1), read(URLS[0]), PassagesSelected(1, 1, 9, 0, 0, 1))
    assert first.fraction is not None
    half = first.fraction
    for event in (GapFound(("q",), 2), SearchStarted(("q",), 2), PageRequested(URLS[1], 2)):
        first.apply(event)
        assert first.fraction >= half
    first.apply(read(URLS[1]))
    assert half < first.fraction < 0.8
    assert first.status == Status("Reading 1 of 1 page")
    first.apply(SourcesReady(SOURCES))
    assert first.fraction == 0.8


def test_a_late_page_does_not_change_the_words_once_the_answer_is_written():
    progress = after(PageRequested(URLS[0], 1), SourcesReady(SOURCES), read(URLS[0]))
    assert progress.status == Status("Writing", "from 3 sources")


def test_a_search_beside_the_reading_does_not_change_the_words():
    progress = after(PageRequested(URLS[0], 1), SearchStarted(("q",), 1))
    progress.apply(ResultsFound("q", 0, 0, (), "broken", 5))
    progress.apply(ResultsRanked((), (), 0, 1))
    progress.apply(Judged(Judging.SNIPPETS, Sufficiency.PARTIAL, "", (), "", 1, 1))
    assert progress.status == Status("Reading 1 of 1 page", "host0.example")


def test_snippets_that_are_enough_end_the_reading_in_words():
    progress = after(Judged(Judging.SNIPPETS, Sufficiency.SUFFICIENT, "", (), "", 1, 1))
    assert progress.status == Status("The snippets are enough")


EVENTS = st.sampled_from(
    [
        *RUN,
        *(PageRequested(url, 1 + n // 2) for n, url in enumerate(URLS)),
        *map(read, URLS),
        GapFound(("q",), 2),
        GapFound(("r",), 3),
        Judged(Judging.PASSAGES, Sufficiency.PARTIAL, "", (), "", 2, 1),
    ]
)


@given(st.lists(EVENTS, max_size=30))
def test_the_line_never_runs_backwards_and_never_beyond_its_end(events: list[RunEvent]):
    progress = RunProgress()
    before = 0.0
    for event in events:
        progress.apply(event)
        if progress.fraction is not None:
            assert before <= progress.fraction <= 1.0
            before = progress.fraction
        assert progress.status.text


def test_a_run_that_thinks_says_so_until_the_first_word():
    talk = RunProgress("think")
    assert talk.status == Status("Thinking")
    talk.apply(TokenArrived("So"))
    assert talk.status == Status("Writing")

    search = RunProgress("search /think")
    assert search.status == Status("Starting")
    search.apply(SourcesReady(SOURCES))
    assert search.status.text == "Thinking"
    assert search.status.detail == f"about {len(SOURCES)} sources"
    search.apply(TokenArrived("So"))
    assert search.status == Status("Writing", f"from {len(SOURCES)} sources")
