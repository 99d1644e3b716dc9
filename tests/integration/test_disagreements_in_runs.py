"""What sources answer differently: sorted by the model, told to the writer, and shown below the answer."""

from __future__ import annotations

from typing import Any

import pytest

from askance.domain.conversation import Outcome
from askance.engine.evidence_set import NumberedEvidence
from askance.engine.judge import MOST_LISTED, listed_values
from askance.engine.prompts import load_prompts
from askance.text.ranking.index_terms import estimated_tokens
from integration.order import run_in_world
from integration.test_answers_in_runs import RETOLD, WHEN, one_answer
from servers.faults import FAULTS
from servers.model_script import ModelScript, Scripted
from servers.world import (
    HARBOUR,
    LIGHTHOUSE,
    ONE_ROUND,
    PAGES,
    RecordedEvents,
    knowing_model,
    other_text,
    some_answer,
)

pytestmark = pytest.mark.usefixtures("waits_skipped")

BOTH = {"1871": {LIGHTHOUSE}, "1874": {HARBOUR}}


def sorting(*replies: Scripted, answer: Scripted = some_answer) -> ModelScript:
    """A model that sorts positions as it is told to."""
    plan = knowing_model().plan
    return ModelScript(plan, ONE_ROUND, [answer], positions=replies)


async def differing_run(script: ModelScript, **options: Any) -> RecordedEvents:
    """A run in which the harbour's page has another year than the lighthouse's."""
    web = other_text(HARBOUR, PAGES[HARBOUR], RETOLD)
    return await run_in_world(script, WHEN, web=web, **options)


def positions(reported: RecordedEvents) -> dict[str, set[str]]:
    """The values of the answer's table, each with the pages that say it."""
    urls = {source.n: source.url for source in reported.end.sources}
    return {
        position.value: {urls[n] for n in position.sources}
        for disagreement in reported.end.disagreements
        for position in disagreement.positions
    }


async def test_the_writer_is_told_who_says_what_behind_all_that_the_server_has() -> None:
    script = one_answer(some_answer)
    reported = await differing_run(script)
    assert positions(reported) == BOTH
    (call,), (asked,) = script.of("answer"), script.of("positions")
    numbers = {url: n for n, url in ((s.n, s.url) for s in reported.end.sources)}
    told = f"1871 [{numbers[LIGHTHOUSE]}], 1874 [{numbers[HARBOUR]}]"
    for prompt in (call, asked):
        task = prompt.task.partition("Task:")[2]
        assert told in task or ", ".join(reversed(told.split(", "))) in task
        assert "1874" not in prompt.unfenced.rpartition("Task:")[2], (
            "a page's words stay in a fence"
        )
    assert call.task.partition("Task:")[0] == asked.task.partition("Task:")[0]


async def test_where_nothing_differs_the_model_is_not_asked_and_the_writer_told_nothing() -> None:
    script = one_answer(some_answer)
    web = other_text(HARBOUR, "Forty boats lie in the harbour basin of Lindmouth.")
    reported = await run_in_world(script, WHEN, web=web)
    assert reported.end.disagreements == ()
    assert not script.of("positions")
    assert "The sources differ" not in script.of("answer")[0].task


async def test_what_the_model_made_up_is_left_out() -> None:
    def reply(prompt: str) -> str:
        return (
            '{"positions": [{"value": "1871", "sources": [1, 2, 3, 4, 5, 6]}, {"value": "1874", '
            '"sources": [1, 2, 3, 4, 5, 99]}, {"value": "1900", "sources": [1]}]}'
        )

    reported = await differing_run(sorting(reply))
    assert positions(reported) == BOTH


async def test_a_model_that_finds_them_to_agree_is_believed_but_for_a_changed_copy() -> None:
    told = "The Lindmouth lighthouse, say the pilots, was built in 1874."
    web = other_text(HARBOUR, PAGES[HARBOUR], told)
    for replies, expected in (((), BOTH), (({"positions": []},), {})):
        script = sorting(*replies) if replies else one_answer(some_answer)
        assert positions(await run_in_world(script, WHEN, web=web)) == expected


@pytest.mark.parametrize(
    "said",
    ["prose", FAULTS["fails"], '{"positions": "all"}', '{"other": []}'],
    ids=["prose", "fails", "no list", "other keys"],
)
async def test_without_a_readable_reply_code_has_the_word(said: Scripted) -> None:
    reported = await differing_run(sorting(said))
    assert positions(reported) == BOTH
    assert reported.end.outcome is Outcome.WEB


@pytest.mark.parametrize(
    ("size_bytes", "options"),
    [(1, {}), (0, {"settings": {"answer.verify": "never"}}), (0, {"asks_all": True})],
    ids=["small", "not good at verifying", "one that invents"],
)
async def test_a_weak_model_is_not_asked(size_bytes: int, options: dict[str, Any]) -> None:
    script = one_answer(some_answer, size_bytes=size_bytes)
    reported = await differing_run(script, **options)
    assert not script.of("positions")
    assert positions(reported) == BOTH
    assert "The sources differ" in script.of("answer")[-1].task


def test_the_question_for_positions_is_short() -> None:
    values = [(f"the {n} of September 18{n}, or so", (n, n + 10)) for n in range(10, 20)]
    fenced = NumberedEvidence("c0ffee42").fenced(listed_values(values[:MOST_LISTED]))
    assert estimated_tokens(load_prompts().render("positions", values=fenced)) < 150
