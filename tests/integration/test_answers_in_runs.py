"""What becomes of an answer: checked, verified, replaced by passages, or searched for once more."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from askance.citations.check.disagreement import compare_answers
from askance.config.choices import AnswerLength
from askance.domain.conversation import Conversation, Outcome, RunRequest, Turn
from askance.domain.events import (
    Answered,
    Cancelled,
    CitationsChecked,
    CitationsVerified,
    GapFound,
    Judged,
    SourcesReady,
    TokenArrived,
)
from askance.domain.evidence import Extract, ExtractKind, Support
from askance.engine.prompts import LENGTHS, load_prompts
from askance.engine.question_run import SMALL_MODEL_BYTES
from integration.order import assert_legal, cancelled_at
from integration.order import run_credulous as run_in_world
from integration.test_cancellation import assert_nothing_is_left, cancelled_after
from servers.faults import FAULTS, stalls
from servers.loopback import Request, Wire
from servers.model_script import ModelScript, Scripted, plan, verdict
from servers.world import (
    GAP,
    HARBOUR,
    LIGHTHOUSE,
    ONE_ROUND,
    PAGES,
    QUESTION,
    SHORT_RUN,
    TITLES,
    WHITLOW,
    RecordedEvents,
    knowing_model,
    other_text,
    some_answer,
    the_answer,
)
from servers.world import (
    credulous as world,
)

WHEN = "When was the Lindmouth lighthouse built?"
EARLIER = "The Lindmouth lighthouse was built in 1871 by the engineer Clara Whitlow"
LATER = EARLIER.replace("1871", "1874")
RETOLD = PAGES[LIGHTHOUSE].partition(" It is")[0].replace("1871", "1874")
LOST = " And so on, and so on, and so on." * 60


def one_answer(answer: Scripted, *, size_bytes: int = SMALL_MODEL_BYTES) -> ModelScript:
    """A model of some size that finds enough in the first round."""
    script = knowing_model()
    return ModelScript(script.plan, ONE_ROUND, [answer], size_bytes=size_bytes)


def assert_replaced(on_progress: RecordedEvents) -> None:
    """The passages stand for the answer, and the reader is told why."""
    end = on_progress.end
    assert on_progress.warned >= {"answer_unusable"}
    assert "weak_sources" not in on_progress.warned
    assert end.outcome is Outcome.PASSAGES_ONLY
    assert end.answer.startswith("The language model gave no usable answer. Best passages")
    assert "built in 1871 by the engineer Clara Whitlow" in end.answer
    assert {c.support for c in end.citations} == {Support.SUPPORTED}
    assert on_progress.of(TokenArrived), "what the model wrote was shown while it was written"


@pytest.mark.parametrize("task", ["answer", "answer_small"])
async def test_an_answer_that_repeats_its_instructions_is_replaced_by_the_passages(task: str):
    sizes = {"answer": SMALL_MODEL_BYTES, "answer_small": SMALL_MODEL_BYTES - 1}
    echo = load_prompts().texts[task].partition("$")[0]
    reported = await run_in_world(one_answer(echo, size_bytes=sizes[task]))
    assert_replaced(reported)
    assert echo not in reported.end.answer


async def test_an_echo_does_not_pass_for_a_sentence_that_is_true():
    reported = await run_in_world(
        one_answer(
            lambda prompt: (
                some_answer(prompt) + " End every sentence with its source's number, like"
            )
        )
    )
    assert_replaced(reported)


async def test_an_answer_lost_in_a_loop_without_a_supported_sentence_is_replaced():
    reported = await run_in_world(one_answer("She was born on the moon." + LOST))
    assert_replaced(reported)
    assert "moon" not in reported.end.answer
    assert "answer_cut" in reported.warned


async def test_an_answer_lost_in_a_loop_keeps_what_the_sources_carry():
    reported = await run_in_world(one_answer(lambda prompt: some_answer(prompt) + LOST))
    assert reported.warned == {"answer_cut"}
    assert reported.end.outcome is Outcome.WEB
    assert "built in 1871 by the engineer Clara Whitlow [1]." in reported.end.answer
    assert reported.end.answer.count("And so on") <= 1


@pytest.mark.parametrize(
    ("size_bytes", "is_small"),
    [(1, True), (SMALL_MODEL_BYTES - 1, True), (SMALL_MODEL_BYTES, False), (0, False)],
)
async def test_a_small_model_is_asked_in_one_line_and_one_of_unknown_size_is_not_small(
    size_bytes: int, is_small: bool
):
    script = one_answer(some_answer, size_bytes=size_bytes)
    reported = await run_in_world(script)
    (call,) = script.of("answer")
    task = call.task.rpartition(">>>\n\n")[2]
    prompts = load_prompts()
    if is_small:
        assert task == prompts.render("answer_small", question=QUESTION)
    else:
        length = LENGTHS[AnswerLength.NORMAL]
        assert task == prompts.render("answer", question=QUESTION, length=length)
    assert reported.end.outcome is Outcome.WEB
    assert reported.warned == set()


async def test_a_small_model_that_says_what_no_source_carries_is_not_believed():
    lie = "The engineer who built it was a baker from the moon."
    assert_replaced(await run_in_world(one_answer(lie, size_bytes=1)))
    reported = await run_in_world(one_answer(lie))
    assert reported.end.outcome is Outcome.WEB
    assert reported.warned == {"weak_sources"}


@pytest.mark.parametrize(
    "said", ["The lighthouse is 34 meters high.", "The gray lighthouse is 34 m tall."]
)
async def test_a_small_model_is_believed_in_the_other_spelling_without_a_marker(said: str):
    web = other_text(HARBOUR, PAGES[HARBOUR], "The grey lighthouse is 34 metres high.")
    reported = await run_in_world(one_answer(said, size_bytes=1), WHEN, web=web)
    assert reported.end.outcome is Outcome.WEB
    assert reported.end.answer.removesuffix(".").endswith("]")


async def test_a_small_model_may_say_that_it_found_nothing():
    reported = await run_in_world(one_answer("I could not find where she was born.", size_bytes=1))
    assert reported.end.outcome is Outcome.INSUFFICIENT
    assert reported.warned == {"no_progress"}


async def test_an_answer_that_no_source_carries_is_given_with_a_word_of_doubt():
    reported = await run_in_world(one_answer("The engineer who built it was born in Paris [1]."))
    assert reported.warned == {"weak_sources"}
    assert reported.end.outcome is Outcome.WEB
    assert reported.end.answer == "The engineer who built it was born in Paris [1]."


async def test_one_sentence_that_a_source_carries_leaves_no_doubt_of_that_kind():
    def half(prompt: str) -> str:
        return some_answer(prompt) + " She was born in Paris [2]."

    reported = await run_in_world(one_answer(half))
    assert {c.support for c in reported.end.citations} > {Support.SUPPORTED}
    assert reported.warned == set()


async def test_a_search_in_vain_is_no_weak_answer():
    reported = await run_in_world(one_answer("I could not find where the engineer was born."))
    assert reported.end.outcome is Outcome.INSUFFICIENT
    assert reported.warned == {"no_progress"}


async def disagreeing(*paragraphs: str) -> RecordedEvents:
    """A run in which the harbour's page tells the lighthouse's story in another way."""
    web = other_text(HARBOUR, PAGES[HARBOUR], *paragraphs)
    reported = await run_in_world(one_answer(some_answer), WHEN, web=web)
    assert {LIGHTHOUSE, HARBOUR} <= {s.url for s in reported.end.sources if not s.snippet_only}
    return reported


def told(reported: RecordedEvents) -> dict[str, tuple[int, ...]]:
    """The values of the first disagreement, each with the numbers of its sources."""
    (disagreement, *_) = reported.end.disagreements
    return {position.value: position.sources for position in disagreement.positions}


async def test_sources_that_disagree_stand_in_a_table_with_what_each_says():
    reported = await disagreeing(RETOLD)
    numbers = {source.url: source.n for source in reported.end.sources}
    assert told(reported) == {"1871": (numbers[LIGHTHOUSE],), "1874": (numbers[HARBOUR],)}
    assert reported.warned == set()
    assert reported.end.outcome is Outcome.WEB


async def test_sources_that_tell_the_same_in_other_words_do_not_disagree():
    reported = await disagreeing(
        "Whitlow had the Lindmouth lighthouse built, and in 1871 it was lit."
    )
    assert reported.end.disagreements == ()
    assert reported.warned == set()


async def test_every_disagreement_is_told():
    stones = "The Lindmouth lighthouse was built of {} stones that came from the island quarry."
    texts = [f"{EARLIER}. {stones.format('4,210')}", f"{LATER}. {stones.format('6,340')}"]
    extracts = [Extract(n, ExtractKind.PASSAGE, text) for n, text in enumerate(texts, 1)]
    assert len(compare_answers(WHEN, extracts).found) == 2
    light = other_text(LIGHTHOUSE, texts[0], PAGES[LIGHTHOUSE].partition("night. ")[2])
    harbour = other_text(HARBOUR, texts[1], PAGES[HARBOUR])

    async def both(request: Request, wire: Wire) -> None:
        page = harbour if "harbour" in request.headers["host"] else light
        await page(request, wire)

    reported = await run_in_world(one_answer(some_answer), WHEN, web=both)
    values = {p.value for each in reported.end.disagreements for p in each.positions}
    assert values == {"1871", "1874", "4,210", "6,340"}


async def test_a_disagreement_is_told_even_where_the_writer_found_nothing():
    web = other_text(HARBOUR, PAGES[HARBOUR], RETOLD)
    script = one_answer("I could not find the year in which it was built.")
    reported = await run_in_world(script, WHEN, web=web)
    assert reported.end.outcome is Outcome.INSUFFICIENT
    assert reported.warned == {"no_progress"}
    assert set(told(reported)) == {"1871", "1874"}


async def test_the_right_answer_comes_without_any_word_of_doubt():
    reported = await run_in_world(knowing_model(answer=[the_answer]))
    assert reported.warned == set()
    assert TITLES[LIGHTHOUSE] in {source.title for source in reported.end.sources}


pytestmark = pytest.mark.usefixtures("waits_skipped")

BUILT = "The Lindmouth lighthouse was built in 1871 [1]."
REWORDED = "The river pilots paid a share of a third and gamblers the remainder [1]."
ELSEWHERE = "It is fifty metres high, of grey granite [1]."
DENIED = "It was not built of grey granite [1]."
VERIFY: dict[str, object] = {"answer.verify": "always"}


def verifying(*sentences: str, texts: tuple[Scripted, ...] = ({"supported": [1]},)) -> ModelScript:
    answer = " ".join(sentences)
    return ModelScript([plan("Lindmouth")], [verdict("sufficient")], [answer], verify=texts)


async def verifying_run(script: ModelScript, **settings: Any) -> RecordedEvents:
    reported = await run_in_world(script, WHEN, settings={**VERIFY, **settings})
    assert isinstance(reported.end, Answered)
    return reported


def grades(on_progress: RecordedEvents) -> list[Support]:
    return [citation.support for citation in on_progress.end.citations]


async def test_what_is_reworded_is_raised_once_the_model_says_so():
    script = verifying(BUILT, REWORDED)
    reported = await verifying_run(script)
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
    script = verifying(BUILT, ELSEWHERE, DENIED, texts=({"supported": [1, 2, 3]},))
    reported = await verifying_run(script)
    assert not script.of("verify"), "there is nothing that it could decide"
    assert grades(reported) == [Support.SUPPORTED, Support.UNSUPPORTED, Support.WEAK]


async def test_a_number_of_a_sentence_that_was_not_asked_changes_nothing():
    reported = await verifying_run(
        verifying(BUILT, REWORDED, ELSEWHERE, texts=({"supported": [2, 7, True]},))
    )
    assert grades(reported) == [Support.SUPPORTED, Support.WEAK, Support.UNSUPPORTED]
    assert reported.of(CitationsVerified)[0].supported == 0


@pytest.mark.parametrize(
    "said",
    ["prose", FAULTS["fails"], FAULTS["hangs_up"], '{"supported": "all"}', '{"other": []}'],
    ids=["prose", "fails", "hangs up", "no list", "other keys"],
)
async def test_a_model_that_fails_at_it_changes_nothing(said: Scripted):
    reported = await verifying_run(verifying(BUILT, REWORDED, texts=(said, said)))
    assert grades(reported) == [Support.SUPPORTED, Support.WEAK]
    assert not reported.warned


async def test_a_model_that_stalls_at_it_holds_the_end_up_to_the_time_limit_alone():
    reported = await verifying_run(verifying(BUILT, REWORDED, texts=(stalls,)), **SHORT_RUN)
    assert grades(reported) == [Support.SUPPORTED, Support.WEAK]


async def test_without_the_setting_nobody_is_asked():
    script = verifying(BUILT, REWORDED)
    reported = await verifying_run(script, **{"answer.verify": "never"})
    assert not script.of("verify")
    assert grades(reported) == [Support.SUPPORTED, Support.WEAK]


async def test_a_run_cancelled_after_it_leaves_nothing(tmp_path: Path):
    async with world(verifying(BUILT, REWORDED), settings=VERIFY) as w:
        before = asyncio.all_tasks()
        reported = await cancelled_after(w, CitationsVerified, 1, tmp_path, question=WHEN)
        assert reported
        assert reported.ends == [Cancelled()]
        await assert_nothing_is_left(w, before)


ENOUGH = verdict("sufficient")
MISSING = verdict("partial", GAP)
NOT_FOUND = "I could not find where she was born. The sources tell only who built it [1]."


def judging(judge: tuple[Scripted, ...], *answer: Scripted) -> ModelScript:
    return ModelScript([plan("Lindmouth lighthouse engineer")], judge, answer)


async def asked(script: ModelScript, question: str = QUESTION, **settings: Any) -> RecordedEvents:
    reported = await run_in_world(script, question, settings=settings)
    assert isinstance(reported.end, Answered)
    return reported


def written(on_progress: RecordedEvents) -> str:
    return "".join(event.text for event in on_progress.of(TokenArrived))


async def test_what_the_writer_misses_is_searched_and_the_reader_sees_one_answer():
    """Two opinions hold it to be enough, and so does a third: the names of the question are searched."""
    script = judging((ENOUGH, ENOUGH, ENOUGH), NOT_FOUND, BUILT)
    reported = await asked(script, QUESTION, FIRST_PORTION_TOKENS=0)
    assert [call.role for call in script.calls].count("answer") == 2
    assert "could not" not in written(reported)
    assert len(reported.of(SourcesReady)) == 1


async def test_a_second_opinion_says_what_to_search_for():
    script = judging((ENOUGH, MISSING, ENOUGH), NOT_FOUND, the_answer)
    reported = await asked(script, WHEN)
    assert [call.role for call in script.calls][1:] == [
        "judge",
        "answer",
        "judge",
        "judge",
        "answer",
    ]
    assert "held to be enough" in script.of("judge")[1].task
    assert [gap.queries for gap in reported.of(GapFound)] == [(GAP,)]
    assert {LIGHTHOUSE, WHITLOW} <= {source.url for source in reported.end.sources}
    assert reported.end.outcome is Outcome.WEB
    assert reported.end.rounds == 2
    assert "could not" not in written(reported)


async def test_where_it_is_held_to_be_there_again_the_writer_is_believed():
    script = judging((ENOUGH, ENOUGH), NOT_FOUND)
    reported = await asked(script, WHEN)
    assert reported.end.outcome is Outcome.INSUFFICIENT
    assert written(reported).strip() == NOT_FOUND
    assert reported.of(GapFound), "what the question names is searched"


@pytest.mark.parametrize("said", ["no verdict", FAULTS["fails"]], ids=["prose", "fails"])
async def test_a_second_opinion_that_fails_is_none_for_it(said: Scripted):
    reported = await asked(judging((ENOUGH, said, said), NOT_FOUND), WHEN)
    assert [str(j.sufficiency) for j in reported.of(Judged)][:2] == ["sufficient", "insufficient"]
    assert reported.end.outcome is Outcome.INSUFFICIENT


async def test_at_the_last_round_the_answer_stands():
    reported = await asked(judging((ENOUGH, MISSING), NOT_FOUND), WHEN, **{"limits.rounds": 1})
    assert reported.end.outcome is Outcome.INSUFFICIENT
    assert reported.end.rounds == 1
    assert "round_limit" in reported.warned


@pytest.mark.parametrize(
    "answer",
    [
        "Yes.",
        "It was built in 1871 [1].",
        "The Lindmouth lighthouse was built in 1871, long ago [1].",
    ],
)
async def test_no_word_of_an_opening_is_lost(answer: str):
    reported = await asked(judging((ENOUGH,), answer), WHEN)
    assert written(reported) == answer
    first = next(e for e in reported.events if isinstance(e, SourcesReady | TokenArrived))
    assert isinstance(first, SourcesReady)


async def test_a_second_opinion_that_stalls_leaves_the_writer_its_word_at_the_limit():
    reported = await asked(judging((ENOUGH, stalls), NOT_FOUND), WHEN, **SHORT_RUN)
    assert "time_limit" in reported.warned
    assert reported.end.outcome is Outcome.INSUFFICIENT


async def test_a_writer_that_stalls_in_its_opening_ends_at_the_limit():
    script = judging((ENOUGH,))
    script.answer = [script.after("The light", stalls)]
    reported = await asked(script, WHEN, **SHORT_RUN)
    assert "answer_cut" in reported.warned


async def test_a_follow_up_that_the_evidence_does_not_answer_after_all_is_searched():
    script = judging((ENOUGH, ENOUGH, ENOUGH), BUILT, NOT_FOUND, "It is of grey granite [1].")
    async with world(script) as w:
        first = await w.ask(WHEN)
        searched = len(w.searxng.heard)
        conversation = Conversation().with_turn(Turn(WHEN, first.end.answer))
        reported = await w.ask("Is it of grey granite?", conversation)
        await w.until_idle()
        assert len(w.searxng.heard) > searched
    assert_legal(reported.events)
    assert reported.end.outcome is Outcome.WEB
    assert reported.end.rounds > 0
    assert "could not" not in written(reported)


async def test_a_run_cancelled_while_it_searches_on_leaves_nothing():
    script = judging((ENOUGH, MISSING, ENOUGH), NOT_FOUND, the_answer)
    async with world(script) as w:
        before = asyncio.all_tasks()
        await cancelled_at(GapFound, lambda emit: w.engine.run(RunRequest(WHEN), emit=emit))
        await assert_nothing_is_left(w, before)
