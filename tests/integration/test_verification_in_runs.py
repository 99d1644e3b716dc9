"""Verification by meaning: the model is asked for what words alone cannot decide, and for nothing else."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from askance.domain.events import Answered, Cancelled, CitationsChecked, CitationsVerified
from askance.domain.evidence import Support
from integration.order import assert_legal
from integration.test_cancellation import assert_nothing_is_left, cancelled_after
from servers.faults import FAULTS, stalls
from servers.model_script import ModelScript, Scripted, plan, verdict
from servers.world import SHORT_RUN, RecordedEvents, world

pytestmark = pytest.mark.usefixtures("waits_skipped")

QUESTION = "When was the Lindmouth lighthouse built?"
BUILT = "The Lindmouth lighthouse was built in 1871 [1]."
REWORDED = "The river pilots paid a share of a third and gamblers the remainder [1]."
ELSEWHERE = "It is fifty metres high, of grey granite [1]."
DENIED = "It was not built of grey granite [1]."
VERIFY: dict[str, object] = {"answer.verify": "always"}


def script_of(*sentences: str, texts: tuple[Scripted, ...] = ({"supported": [1]},)) -> ModelScript:
    answer = " ".join(sentences)
    return ModelScript([plan("Lindmouth")], [verdict("sufficient")], [answer], verify=texts)


async def asked(script: ModelScript, **settings: Any) -> RecordedEvents:
    async with world(script, settings={**VERIFY, **settings}) as w:
        reported = await w.ask(QUESTION)
        await w.until_idle()
    assert_legal(reported.events)
    assert isinstance(reported.end, Answered)
    return reported


def grades(on_progress: RecordedEvents) -> list[Support]:
    return [citation.support for citation in on_progress.end.citations]


async def test_what_is_reworded_is_raised_once_the_model_says_so():
    script = script_of(BUILT, REWORDED)
    reported = await asked(script)
    (checked,) = reported.of(CitationsChecked)
    assert [c.support for c in checked.citations] == [Support.SUPPORTED, Support.WEAK]
    assert grades(reported) == [Support.SUPPORTED, Support.SUPPORTED]
    (verified,) = reported.of(CitationsVerified)
    assert (verified.asked, verified.supported) == (1, 1)
    (call,) = script.of("verify")
    assert f"S1 [1]: {reported.end.citations[1].sentence}" in call.task
    assert BUILT.removesuffix(" [1].") not in call.task.split("Task:")[1]
    assert call.fenced == script.of("answer")[0].fenced, "the prompt's beginning is in the cache"


async def test_numbers_and_denials_are_never_overruled():
    script = script_of(BUILT, ELSEWHERE, DENIED, texts=({"supported": [1, 2, 3]},))
    reported = await asked(script)
    assert not script.of("verify"), "there is nothing that it could decide"
    assert grades(reported) == [Support.SUPPORTED, Support.UNSUPPORTED, Support.WEAK]


async def test_a_number_of_a_sentence_that_was_not_asked_changes_nothing():
    reported = await asked(
        script_of(BUILT, REWORDED, ELSEWHERE, texts=({"supported": [2, 7, True]},))
    )
    assert grades(reported) == [Support.SUPPORTED, Support.WEAK, Support.UNSUPPORTED]
    assert reported.of(CitationsVerified)[0].supported == 0


@pytest.mark.parametrize(
    "said",
    ["prose", FAULTS["fails"], FAULTS["hangs_up"], '{"supported": "all"}', '{"other": []}'],
    ids=["prose", "fails", "hangs up", "no list", "other keys"],
)
async def test_a_model_that_fails_at_it_changes_nothing(said: Scripted):
    reported = await asked(script_of(BUILT, REWORDED, texts=(said, said)))
    assert grades(reported) == [Support.SUPPORTED, Support.WEAK]
    assert not reported.warned


async def test_a_model_that_stalls_at_it_holds_the_end_up_to_the_time_limit_alone():
    reported = await asked(script_of(BUILT, REWORDED, texts=(stalls,)), **SHORT_RUN)
    assert grades(reported) == [Support.SUPPORTED, Support.WEAK]


async def test_without_the_setting_nobody_is_asked():
    script = script_of(BUILT, REWORDED)
    reported = await asked(script, **{"answer.verify": "never"})
    assert not script.of("verify")
    assert grades(reported) == [Support.SUPPORTED, Support.WEAK]


async def test_a_run_cancelled_after_it_leaves_nothing(tmp_path: Path):
    async with world(script_of(BUILT, REWORDED), settings=VERIFY) as w:
        before = asyncio.all_tasks()
        reported = await cancelled_after(w, CitationsVerified, 1, tmp_path, question=QUESTION)
        assert reported
        assert reported.ends == [Cancelled()]
        await assert_nothing_is_left(w, before)
