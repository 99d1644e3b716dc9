"""What becomes of an answer: kept with a word of doubt, or replaced by the passages themselves."""

from __future__ import annotations

import pytest

from askance.citations.check.disagreement import find_disagreements
from askance.config.choices import AnswerLength
from askance.domain.conversation import Outcome
from askance.domain.events import TokenArrived, Warned
from askance.domain.evidence import Extract, ExtractKind, Support
from askance.engine.prompts import LENGTHS, load_prompts
from askance.engine.question_run import SMALL_MODEL_BYTES
from integration.order import assert_legal
from servers.loopback import Request, Wire
from servers.model_script import ModelScript, Scripted
from servers.world import (
    HARBOUR,
    LIGHTHOUSE,
    ONE_ROUND,
    PAGES,
    QUESTION,
    TITLES,
    RecordedEvents,
    knowing_model,
    other_text,
    some_answer,
    the_answer,
    world,
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


async def run(script: ModelScript, question: str = QUESTION) -> RecordedEvents:
    async with world(script) as w:
        reported = await w.ask(question)
    assert_legal(reported.events)
    return reported


def assert_replaced(on_progress: RecordedEvents) -> None:
    """The passages stand for the answer, and the reader is told why."""
    end = on_progress.end
    assert on_progress.warned >= {"answer_unusable"}
    assert "weak_sources" not in on_progress.warned
    assert end.outcome is Outcome.PASSAGES_ONLY
    assert end.answer.startswith("The language model gave no usable answer. These passages")
    assert "built in 1871 by the engineer Clara Whitlow" in end.answer
    assert {c.support for c in end.citations} == {Support.SUPPORTED}
    assert on_progress.of(TokenArrived), "what the model wrote was shown while it was written"


@pytest.mark.parametrize("task", ["answer", "answer_small"])
async def test_an_answer_that_repeats_its_instructions_is_replaced_by_the_passages(task: str):
    sizes = {"answer": SMALL_MODEL_BYTES, "answer_small": SMALL_MODEL_BYTES - 1}
    echo = load_prompts().texts[task].partition("$")[0]
    reported = await run(one_answer(echo, size_bytes=sizes[task]))
    assert_replaced(reported)
    assert echo not in reported.end.answer


async def test_an_echo_does_not_pass_for_a_sentence_that_is_true():
    reported = await run(
        one_answer(
            lambda prompt: some_answer(prompt) + " End every sentence with the number of the source"
        )
    )
    assert_replaced(reported)


async def test_an_answer_lost_in_a_loop_without_a_supported_sentence_is_replaced():
    reported = await run(one_answer("She was born on the moon." + LOST))
    assert_replaced(reported)
    assert "moon" not in reported.end.answer
    assert "answer_cut" in reported.warned


async def test_an_answer_lost_in_a_loop_keeps_what_the_sources_carry():
    reported = await run(one_answer(lambda prompt: some_answer(prompt) + LOST))
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
    reported = await run(script)
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
    assert_replaced(await run(one_answer(lie, size_bytes=1)))
    reported = await run(one_answer(lie))
    assert reported.end.outcome is Outcome.WEB
    assert reported.warned == {"weak_sources"}


@pytest.mark.parametrize(
    "said", ["The lighthouse is 34 meters high.", "The gray lighthouse is 34 m tall."]
)
async def test_a_small_model_is_believed_in_the_other_spelling_without_a_marker(said: str):
    web = other_text(HARBOUR, PAGES[HARBOUR], "The grey lighthouse is 34 metres high.")
    async with world(one_answer(said, size_bytes=1), web=web) as w:
        reported = await w.ask(WHEN)
    assert reported.end.outcome is Outcome.WEB
    assert reported.end.answer.removesuffix(".").endswith("]")


async def test_a_small_model_may_say_that_it_found_nothing():
    reported = await run(one_answer("I could not find where she was born.", size_bytes=1))
    assert reported.end.outcome is Outcome.INSUFFICIENT
    assert reported.warned == set()


async def test_an_answer_that_no_source_carries_is_given_with_a_word_of_doubt():
    reported = await run(one_answer("The engineer who built it was born in Paris [1]."))
    assert reported.warned == {"weak_sources"}
    assert reported.end.outcome is Outcome.WEB
    assert reported.end.answer == "The engineer who built it was born in Paris [1]."


async def test_one_sentence_that_a_source_carries_leaves_no_doubt_of_that_kind():
    def half(prompt: str) -> str:
        return some_answer(prompt) + " She was born in Paris [2]."

    reported = await run(one_answer(half))
    assert {c.support for c in reported.end.citations} > {Support.SUPPORTED}
    assert reported.warned == set()


async def test_a_search_in_vain_is_no_weak_answer():
    reported = await run(one_answer("I could not find where the engineer was born."))
    assert reported.end.outcome is Outcome.INSUFFICIENT
    assert reported.warned == set()


async def disagreeing(*paragraphs: str) -> RecordedEvents:
    """A run in which the harbour's page tells the lighthouse's story in another way."""
    web = other_text(HARBOUR, PAGES[HARBOUR], *paragraphs)
    async with world(one_answer(some_answer), web=web) as w:
        reported = await w.ask(WHEN)
    assert_legal(reported.events)
    assert {LIGHTHOUSE, HARBOUR} <= {s.url for s in reported.end.sources if not s.snippet_only}
    return reported


async def test_sources_that_disagree_are_named_with_what_each_says():
    reported = await disagreeing(RETOLD)
    (warned,) = reported.of(Warned)
    numbers = {source.url: source.n for source in reported.end.sources}
    message = sorted([(numbers[LIGHTHOUSE], "1871"), (numbers[HARBOUR], "1874")])
    positions = ", ".join(f"[{n}] says {year}" for n, year in message)
    assert (warned.code, warned.message) == (
        "sources_disagree",
        f"Sources disagree: {positions}.",
    )
    assert reported.end.warnings == (warned.message,)
    assert reported.end.outcome is Outcome.WEB


async def test_sources_that_tell_the_same_in_other_words_do_not_disagree():
    reported = await disagreeing(
        "Whitlow had the Lindmouth lighthouse built, and in 1871 it was lit."
    )
    assert reported.warned == set()


async def test_every_disagreement_is_told():
    stones = "The Lindmouth lighthouse was built of {} stones that came from the island quarry."
    texts = [f"{EARLIER}. {stones.format('4,210')}", f"{LATER}. {stones.format('6,340')}"]
    extracts = [Extract(n, ExtractKind.PASSAGE, text) for n, text in enumerate(texts, 1)]
    assert len(find_disagreements(WHEN, extracts)) == 2
    light = other_text(LIGHTHOUSE, texts[0], PAGES[LIGHTHOUSE].partition("night. ")[2])
    harbour = other_text(HARBOUR, texts[1], PAGES[HARBOUR])

    async def both(request: Request, wire: Wire) -> None:
        page = harbour if "harbour" in request.headers["host"] else light
        await page(request, wire)

    async with world(one_answer(some_answer), web=both) as w:
        reported = await w.ask(WHEN)
    (warned,) = reported.of(Warned)
    for value in ("1871", "1874", "4,210", "6,340"):
        assert f"says {value}" in warned.message


async def test_a_disagreement_is_told_even_where_the_writer_found_nothing():
    web = other_text(HARBOUR, PAGES[HARBOUR], RETOLD)
    script = one_answer("I could not find the year in which it was built.")
    async with world(script, web=web) as w:
        reported = await w.ask(WHEN)
    assert reported.end.outcome is Outcome.INSUFFICIENT
    assert reported.warned == {"sources_disagree"}


async def test_the_right_answer_comes_without_any_word_of_doubt():
    reported = await run(knowing_model(answer=[the_answer]))
    assert reported.warned == set()
    assert TITLES[LIGHTHOUSE] in {source.title for source in reported.end.sources}
