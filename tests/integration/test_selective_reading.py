"""Selective reading: the model scores the results, and only promising pages are read."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from askance.domain.conversation import Outcome, PageChoice
from askance.domain.events import Cancelled, PageRequested, PagesChosen
from integration.order import assert_legal
from integration.test_cancellation import assert_nothing_is_left, cancelled_after
from servers.faults import FAULTS, stalls
from servers.model_script import ModelScript, Scripted, number_of, plan, verdict
from servers.world import (
    GAP,
    GAZETTE,
    HARBOUR,
    LIGHTHOUSE,
    SHORT_RUN,
    TITLES,
    RecordedEvents,
    found,
    world,
)

pytestmark = pytest.mark.usefixtures("waits_skipped")

QUESTION = "When was the Lindmouth lighthouse built?"
CHOSEN = PageChoice()


def the_year(prompt: str) -> str:
    return f"The Lindmouth lighthouse was built in 1871 [{number_of(prompt, TITLES[LIGHTHOUSE])}]."


def script_of(
    *chosen: Scripted, judge: tuple[Scripted, ...] = (verdict("sufficient"),)
) -> ModelScript:
    return ModelScript([plan("Lindmouth lighthouse")], judge, [the_year], choose=chosen)


def scores(**by_title: float) -> Scripted:
    """A choice by the titles of the results, as words in lower case."""

    def report(prompt: str) -> str:
        numbers = [number_of(prompt, TITLES[NAMES[name]]) for name in by_title]
        return f'{{"relevant": {numbers}, "scores": {list(by_title.values())}}}'

    return report


NAMES = {"lighthouse": LIGHTHOUSE, "harbour": HARBOUR, "gazette": GAZETTE}


async def asked(
    script: ModelScript, choice: PageChoice | None = CHOSEN, **settings: Any
) -> RecordedEvents:
    hits = found(LIGHTHOUSE, HARBOUR, GAZETTE)
    async with world(script, hits=lambda q: hits, settings=settings) as w:
        reported = await w.ask(QUESTION, page_choice=choice)
        await w.until_idle()
    assert_legal(reported.events)
    return reported


def read(on_progress: RecordedEvents) -> list[str]:
    return [event.url for event in on_progress.of(PageRequested)]


async def test_only_what_reaches_the_threshold_is_read_the_best_first():
    reported = await asked(script_of(scores(gazette=0.75, harbour=0.69, lighthouse=0.9)))
    assert read(reported) == [LIGHTHOUSE, GAZETTE]
    (chosen,) = reported.of(PagesChosen)
    assert (chosen.urls, chosen.scores) == ((LIGHTHOUSE, GAZETTE), (0.9, 0.75))
    assert (chosen.offered, chosen.round) == (3, 1)
    assert reported.end.outcome is Outcome.WEB


async def test_pages_with_one_score_are_read_in_the_order_of_the_reply():
    reported = await asked(script_of(scores(gazette=0.8, lighthouse=0.8)))
    assert read(reported) == [GAZETTE, LIGHTHOUSE]


async def test_no_more_are_read_than_wanted_from_the_threshold_on():
    script = script_of(scores(harbour=0.2, lighthouse=0.3))
    reported = await asked(script, PageChoice(least_score=0.1, most=1))
    assert read(reported) == [LIGHTHOUSE]


async def test_where_nothing_is_promising_and_nothing_was_read_the_first_results_are():
    reported = await asked(script_of(scores(lighthouse=0.1)), PageChoice(most=2))
    (chosen,) = reported.of(PagesChosen)
    assert read(reported) == list(chosen.urls)
    assert len(chosen.urls) == 2
    assert max(chosen.scores) == pytest.approx(0.1)


async def test_where_something_was_read_nothing_unpromising_is():
    script = script_of(
        scores(gazette=0.9),
        scores(lighthouse=0.1),
        judge=(*[verdict("partial", GAP)] * 2, verdict("sufficient")),
    )
    reported = await asked(script)
    assert read(reported) == [GAZETTE]
    assert [event.urls for event in reported.of(PagesChosen)] == [(GAZETTE,), ()]


@pytest.mark.parametrize(
    "said",
    ["no choice at all", FAULTS["fails"], '{"relevant": [1]', '{"relevant": "1", "other": []}'],
    ids=["prose", "fails", "cut", "other keys"],
)
async def test_a_choice_that_fails_leaves_the_ranking(said: Scripted):
    reported = await asked(script_of(said, said))
    assert LIGHTHOUSE in read(reported)
    assert reported.warned == {"judge_failed"}
    assert not reported.of(PagesChosen)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ('{"relevant": [99, 1, 1, -3], "scores": [1, 0.9, 0.1]}', 1),
        ('{"relevant": [1, 2], "scores": [7, "high"]}', 2),
        ('{"relevant": [true, 1.0, null, 2], "scores": []}', 2),
        ('{"relevant": [NaN, 1], "scores": [Infinity, 0.8]}', 1),
    ],
)
async def test_numbers_that_are_none_of_the_results_are_passed_over(said: str, expected: int):
    reported = await asked(script_of(said))
    (chosen,) = reported.of(PagesChosen)
    assert len(chosen.urls) == expected
    assert len(set(chosen.urls)) == expected
    assert all(0 <= score <= 1 for score in chosen.scores)


async def test_a_choice_that_stalls_leaves_what_is_known_by_the_limit():
    reported = await asked(script_of(stalls), CHOSEN, **SHORT_RUN)
    assert "time_limit" in reported.warned
    assert reported.end.sources, "the snippets are there"


async def test_where_pages_are_not_to_be_chosen_nobody_is_asked():
    reported = await asked(script_of("never asked"), None)
    assert not reported.of(PagesChosen)
    assert len(read(reported)) == 3


async def test_without_a_model_the_ranking_decides():
    script = script_of("never asked")
    script.before = FAULTS["fails"]
    reported = await asked(script)
    assert reported.end.outcome is Outcome.PASSAGES_ONLY
    assert read(reported)


async def test_a_run_cancelled_after_its_choice_leaves_nothing(tmp_path: Any):
    hits = found(LIGHTHOUSE, HARBOUR)
    script = script_of(scores(lighthouse=0.9))
    async with world(script, hits=lambda q: hits) as w:
        before = asyncio.all_tasks()
        reported = await cancelled_after(
            w, PagesChosen, 1, tmp_path, question=QUESTION, page_choice=CHOSEN
        )
        assert reported
        assert reported.ends == [Cancelled()]
        await assert_nothing_is_left(w, before)
