"""The thin line and the sentence beside it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from askance.domain.events import (
    CitationsChecked,
    Dequeued,
    GapFound,
    Judged,
    Judging,
    PageRead,
    PageRequested,
    PassagesSelected,
    Planned,
    Queued,
    RequestSent,
    ResultsFound,
    ResultsRanked,
    RunEvent,
    SearchStarted,
    Sending,
    SourcesReady,
    TimeExpected,
    TokenArrived,
    Warned,
    WarningCode,
)
from askance.domain.messages import NOTHING, Message
from askance.domain.phases import Action, Sufficiency
from askance.domain.web_pages import PageReason, PageStatus
from askance.presentation.progress import RunProgress, Status
from cli.runs import RUN, SOURCES

URLS = [f"https://host{n}.example/p" for n in range(5)]


def read(url: str) -> PageRead:
    return PageRead(url, PageStatus.OK, PageReason.NONE, NOTHING, "T", 9, 5)


def after(*events: RunEvent) -> RunProgress:
    progress = RunProgress("search")
    for event in events:
        progress.apply(event)
    return progress


def test_reading_counts_the_pages_and_names_the_host_that_is_waited_for():
    progress = after(*(PageRequested(url, 1) for url in URLS))
    assert progress.status == Status("Reading 5 pages", "host0.example")
    progress.apply(read(URLS[0]))
    progress.apply(read(URLS[2]))
    assert progress.status == Status("Read 2 of 5 pages", "host1.example")
    for url in URLS:
        progress.apply(read(url))
    hosts = "host4.example, host3.example, host1.example …"
    assert progress.status == Status("Planning the search", hosts)


AHEAD = (
    SearchStarted(("q",), 1),
    ResultsFound("q", 4, 4, (), NOTHING, 5),
    ResultsRanked(tuple(URLS[:4]), ("t",) * 4, 0, 1),
    *(PageRequested(url, 1) for url in URLS[:4]),
)
PLANNED = Planned(Action.PROCEED, Sufficiency.INSUFFICIENT, ("r",), False, 9)
MODEL = "Waiting for the model"


def test_while_the_model_plans_pages_that_are_there_are_not_read_on():
    """All four pages were there after a second, and `Reading 4 of 4 pages` stood for forty."""
    progress = after(*AHEAD, *map(read, URLS[:4]))
    assert progress.status.text == "Planning the search"
    assert progress.status.waits == MODEL


def test_each_stage_says_what_it_waits_for():
    progress = after(*AHEAD)
    reports: list[tuple[str, str]] = []
    for event in (
        *map(read, URLS[:4]),
        PLANNED,
        SearchStarted(("r",), 1),
        ResultsRanked(tuple(URLS), ("t",) * 5, 0, 1),
        Judged(Judging.SNIPPETS, Sufficiency.PARTIAL, (), NOTHING, 1, 1),
        PageRequested(URLS[4], 1),
        read(URLS[4]),
        PassagesSelected(3, 2, 9, 0, 0, 1),
        Judged(Judging.PASSAGES, Sufficiency.PARTIAL, ("s",), NOTHING, 1, 1),
        GapFound(("s",), 2),
        SourcesReady(SOURCES),
        TokenArrived("So"),
    ):
        progress.apply(event)
        reports.append((progress.status.text, progress.status.waits))
    assert reports[3:] == [
        ("Planning the search", MODEL),
        ("Planning the search", "Waiting for the search"),
        ("Searching", "Waiting for the search"),
        ("Looking at the best 5 results", MODEL),
        ("The snippets are not enough", "Waiting for the search"),
        ("Read 4 of 5 pages", "Waiting for host4.example"),
        ("Read 5 pages", "Waiting for the search"),
        ("Checking 3 passages", MODEL),
        ("Something is missing", "Waiting for the search"),
        ("Searching again", "Waiting for the search"),
        ("Preparing the answer", MODEL),
        ("Writing", MODEL),
    ]


def test_without_a_model_it_is_not_waited_for():
    progress = after(Warned(WarningCode.MODEL_UNAVAILABLE, Message("No.")), *AHEAD)
    assert progress.status.text == "Reading 4 pages"
    assert progress.status.waits == "Waiting for host0.example"


def test_what_was_read_before_is_weighed_by_the_model():
    known = Planned(Action.PROCEED, Sufficiency.SUFFICIENT, (), False, 9)
    progress = after(known)
    assert (progress.status.text, progress.status.waits) == ("Checking earlier sources", MODEL)


def test_a_talk_waits_for_the_model_from_its_start():
    talk = RunProgress("chat")
    talk.apply(RequestSent(Sending.MODEL, "x", Message("y"), "z"))
    assert talk.status.waits == MODEL


def test_whoever_waits_for_others_is_told_and_begins_after_that():
    progress = after(Queued(1))
    assert progress.status == Status("Waiting for another question")
    progress.apply(Queued(3))
    assert progress.status == Status("Waiting for 3 other questions")
    progress.apply(Dequeued(2000))
    assert progress.status == Status("Starting")
    progress.apply(TokenArrived("x"))
    assert progress.status == Status("Writing")


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
    assert first.status == Status("Read 1 page", "host1.example, host0.example")
    first.apply(SourcesReady(SOURCES))
    assert first.fraction == 0.8


def test_a_late_page_does_not_change_the_words_once_the_answer_is_written():
    progress = after(PageRequested(URLS[0], 1), SourcesReady(SOURCES), read(URLS[0]))
    assert progress.status == Status("Preparing the answer", "from 3 sources")
    progress.apply(TokenArrived("So"))
    assert progress.status == Status("Writing", "from 3 sources")


def test_a_search_beside_the_reading_does_not_change_the_words():
    progress = after(PageRequested(URLS[0], 1), SearchStarted(("q",), 1))
    progress.apply(ResultsFound("q", 0, 0, (), Message("broken"), 5))
    progress.apply(ResultsRanked((), (), 0, 1))
    progress.apply(Judged(Judging.SNIPPETS, Sufficiency.PARTIAL, (), NOTHING, 1, 1))
    assert progress.status == Status("Reading 1 page", "host0.example")


def test_snippets_that_are_enough_end_the_reading_in_words():
    progress = after(Judged(Judging.SNIPPETS, Sufficiency.SUFFICIENT, (), NOTHING, 1, 1))
    assert progress.status == Status("The snippets are enough")


EVENTS = st.sampled_from(
    [
        *RUN,
        *(PageRequested(url, 1 + n // 2) for n, url in enumerate(URLS)),
        *map(read, URLS),
        GapFound(("q",), 2),
        GapFound(("r",), 3),
        Judged(Judging.PASSAGES, Sufficiency.PARTIAL, (), NOTHING, 2, 1),
    ]
)


@given(st.lists(EVENTS, max_size=30))
def test_the_line_never_runs_backwards_and_never_beyond_its_end(events: list[RunEvent]):
    progress = RunProgress("search")
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


def test_what_to_expect_stands_beside_what_goes_on_until_the_answer_is_written():
    progress = after(TimeExpected(40), SearchStarted(("q",), 1))
    assert progress.status == Status("Searching", "“q” · about 40 s here")
    progress.apply(SourcesReady(()))
    progress.apply(TokenArrived("So"))
    assert progress.status == Status("Writing")


def test_the_first_status_says_what_to_expect_too():
    assert after(TimeExpected(40)).status == Status("Starting", "about 40 s here")
