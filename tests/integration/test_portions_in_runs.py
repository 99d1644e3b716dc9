"""Evidence in two portions, and pages that the model chooses."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from askance.domain.conversation import Outcome, PageChoice
from askance.domain.events import (
    Cancelled,
    GapFound,
    Judged,
    PageRead,
    PageRequested,
    PagesChosen,
    PassagesSelected,
    Planned,
    RunEvent,
    SourcesReady,
    TokenArrived,
)
from askance.engine import research
from integration.order import assert_legal, run_credulous, run_in_world
from integration.test_cancellation import assert_nothing_is_left, cancelled_after
from servers.faults import FAULTS, stalls
from servers.loopback import Request, Wire
from servers.model_script import GIVEN_UP, ModelScript, Scripted, number_of, plan, verdict
from servers.searxng import Hit
from servers.world import (
    GAP,
    GAZETTE,
    HARBOUR,
    LIGHTHOUSE,
    PAGES,
    SHORT_RUN,
    TITLES,
    WHITLOW,
    RecordedEvents,
    credulous,
    found,
    the_answer,
    the_web,
    world,
)
from waiting import patience

pytestmark = pytest.mark.usefixtures("waits_skipped")

PLAIN = "When was the Lindmouth lighthouse built?"
HIDDEN = (
    "Whose drawings of 1871 hang beside the oldest lamp in the museum of Lindmouth harbour town?"
)
# So little that one page of the three fills it.
PORTION = {"FIRST_PORTION_TOKENS": 130, "evidence.first_round_tokens": 600}
IN_PLAN_ORDER: dict[str, str] = {
    "action": "proceed",
    "history_sufficiency": "insufficient",
    "optimized_query": "never searched",
    "clarifying_question": "",
}


def the_year(prompt: str) -> str:
    return f"The Lindmouth lighthouse was built in 1871 [{number_of(prompt, TITLES[LIGHTHOUSE])}]."


def judging(*text: Scripted) -> ModelScript:
    return ModelScript([IN_PLAN_ORDER], text, [the_year])


def all_pages(query: str) -> list[Hit]:
    return found(LIGHTHOUSE, HARBOUR, GAZETTE)


async def asked(script: ModelScript, question: str, **settings: object) -> RecordedEvents:
    chosen = {**PORTION, **settings}
    reported = await run_in_world(script, question, hits=all_pages, settings=chosen)
    assert reported.end.outcome is Outcome.WEB
    return reported


def roles(script: ModelScript) -> list[str]:
    return [call.role for call in script.calls]


def writing(*answers: Scripted, judge: tuple[Scripted, ...] = (verdict("partial"),)) -> ModelScript:
    return ModelScript([IN_PLAN_ORDER], judge, answers)


async def test_where_the_answer_is_plain_in_a_first_portion_only_the_writer_is_asked():
    script = writing(the_year)
    reported = await asked(script, PLAIN)
    assert roles(script) == ["answer"]
    assert script.readied == 1, "the model is loaded while the question is searched"
    assert len(reported.of(PassagesSelected)) == 1
    assert [source.url for source in reported.of(SourcesReady)[0].sources] == [LIGHTHOUSE]
    assert not reported.of(Planned)


async def test_what_is_not_plain_is_judged_and_the_writer_believed_against_it():
    script = writing(GIVEN_UP, the_year, judge=(verdict("sufficient"),))
    settings = {"limits.rounds": 1, "FIRST_PORTION_TOKENS": 300}
    reported = await asked(script, HIDDEN, **settings)
    # The writer is believed: a third opinion would be the second again.
    assert roles(script) == ["judge", "judge", "answer", "answer"]
    assert "held to be enough" in script.of("judge")[1].task
    assert [str(judged.doubt) for judged in reported.of(Judged)] == [
        "",
        "",
        "the writer did not find the answer in it",
        "the writer did not find the answer in it",
    ]
    assert {source.url for source in reported.end.sources} == {LIGHTHOUSE, HARBOUR, GAZETTE}
    assert "could not" not in "".join(event.text for event in reported.of(TokenArrived))


async def test_the_writer_is_asked_again_of_a_second_step_that_has_the_answer_plain():
    script = writing(GIVEN_UP, the_year)
    steps = {"FIRST_STEP_TOKENS": 130, "FIRST_PORTION_TOKENS": 600}
    await asked(script, "What is said of Lindmouth?", **steps)
    assert roles(script) == ["answer", "answer"]
    first, second = (call.fenced for call in script.calls)
    assert second.startswith(first.splitlines()[0])
    assert len(second) > len(first)


STEPS = {"FIRST_STEP_TOKENS": 130, "FIRST_PORTION_TOKENS": 600}
# The first step has half of its words, which is not plain, and all of its names.
HALF = "In what year was the lighthouse of Lindmouth built of granite above the quay by pilots and fishermen?"


async def test_two_verdicts_that_the_first_step_is_enough_save_the_next_one():
    script = writing(the_year, judge=(verdict("sufficient"),))
    reported = await asked(script, HALF, **STEPS)
    assert roles(script) == ["judge", "judge", "answer"]
    brief, second = script.of("judge")
    assert "gap_queries" not in brief.schema["properties"]
    assert "held to be enough" in second.task
    assert len(reported.of(PassagesSelected)) == 1


async def test_one_opinion_is_not_enough_for_less_than_all_of_a_round():
    script = writing(
        the_year, judge=(verdict("sufficient"), verdict("partial"), verdict("sufficient"))
    )
    reported = await asked(script, HALF, **STEPS)
    assert roles(script)[:3] == ["judge", "judge", "judge"]
    assert len(reported.of(PassagesSelected)) == 2


@pytest.mark.parametrize(
    "said",
    [
        'I see {two} sources.\n```json\n{"sufficiency": "sufficient"}\n```',
        '{"sufficiency": "SUFFICIENT", "reason": "it says \\"1871\\""}',
        '<think>{"sufficiency": "partial"}</think>\n{"sufficiency": "sufficient"}',
    ],
    ids=["prose with braces, fenced", "keys of its own", "reasoning"],
)
async def test_a_verdict_in_one_word_is_read_in_all_that_stands_around_it(said: str):
    """As it is not in VibiumDev/vibium#536, DataDog/integrations-core#24262 and gradients-ai/G.O.D#1199."""
    script = writing(the_year, judge=(said, verdict("sufficient")))
    reported = await asked(script, HALF, **STEPS)
    assert not reported.warned
    assert len(reported.of(PassagesSelected)) == 1


async def test_a_long_question_by_way_of_another_thing_is_not_judged_before_its_words_are_there():
    by_way = "When did the harbour get the lamp which the sculptor Ramona Quillfeather drew for Odense in spring?"
    script = writing(the_year, judge=(verdict("partial"),))
    await asked(script, by_way, **STEPS)
    assert "gap_queries" in script.of("judge")[0].schema["properties"]


@pytest.mark.parametrize("is_found", [True, False], ids=["answered", "given up"])
async def test_the_writer_is_asked_of_the_first_passages_of_the_missing_page(is_found: bool):
    answers = (the_answer,) if is_found else (GIVEN_UP, the_answer)
    script = writing(*answers, judge=(verdict("partial", "Clara Whitlow"), verdict("sufficient")))
    steps = {"FIRST_STEP_TOKENS": 100, "FIRST_PORTION_TOKENS": 0}

    def hits(query: str) -> list[Hit]:
        return found(WHITLOW, GAZETTE) if "Whitlow" in query else found(LIGHTHOUSE)

    reported = await run_in_world(script, hits=hits, settings=steps)
    selected = [event for event in reported.of(PassagesSelected) if event.round == 2]
    assert len(selected) == (1 if is_found else 2)
    assert reported.end.outcome is Outcome.WEB
    has_rest = GAZETTE in {source.url for source in reported.end.sources}
    assert has_rest is not is_found


async def test_a_giving_up_is_written_once_behind_a_round_that_brings_nothing_better():
    question = "When was the Lindmouth lighthouse of granite by the harbour painted?"
    script = writing(GIVEN_UP, judge=(verdict("partial", "harbour"),))

    def hits(query: str) -> list[Hit]:
        return found(LIGHTHOUSE if "lighthouse" in query.lower() else HARBOUR)

    reported = await run_in_world(script, question, hits=hits, settings=PORTION)
    assert (reported.end.outcome, reported.end.rounds) == (Outcome.INSUFFICIENT, 2)
    assert roles(script)[-2:] == ["judge", "answer"]
    assert "".join(event.text for event in reported.of(TokenArrived)) == GIVEN_UP
    assert str(reported.of(Judged)[-1].doubt) == "the writer did not find the answer in it"


async def test_where_no_search_is_left_the_rest_enters_for_the_writer_alone():
    script = writing(GIVEN_UP, the_year)
    reported = await asked(script, PLAIN, **{"limits.rounds": 1})
    assert roles(script) == ["answer", "judge", "answer"]
    first, second = (call.fenced for call in script.of("answer"))
    assert PAGES[HARBOUR][:60] not in first
    assert PAGES[HARBOUR][:60] in second
    assert reported.end.rounds == 1


@pytest.mark.parametrize(
    ("again", "outcome"),
    [
        (verdict("partial", GAP), Outcome.PASSAGES_ONLY),
        (verdict("sufficient"), Outcome.WEB),
    ],
)
async def test_a_writer_that_gave_up_and_answers_against_the_verdict_is_judged_once_more(
    again: dict[str, Any], outcome: Outcome
):
    script = writing(GIVEN_UP, the_year, judge=(verdict("partial", GAP), again))
    settings = {**PORTION, "limits.rounds": 1}
    reported = await run_in_world(script, PLAIN, hits=all_pages, settings=settings)
    assert roles(script) == ["answer", "judge", "answer", "judge"]
    assert reported.end.outcome is outcome
    assert ("answer_unusable" in reported.warned) is (outcome is Outcome.PASSAGES_ONLY)


async def test_the_beginning_of_a_verdict_is_no_answer():
    script = writing('{"sufficiency": "suff')
    reported = await run_in_world(script, PLAIN, hits=all_pages, settings=PORTION)
    assert reported.end.outcome is Outcome.PASSAGES_ONLY
    assert "suff" not in reported.end.answer


async def test_the_snippets_of_pages_that_were_not_read_come_with_the_rest():
    script = writing(GIVEN_UP, the_year)
    settings = {"limits.rounds": 1, "PAGES_A_ROUND": 1}
    reported = await asked(script, PLAIN, **settings)
    assert len(reported.of(PageRequested)) == 1
    assert {s.url for s in reported.end.sources if s.snippet_only} == {HARBOUR, GAZETTE}


async def test_without_a_portion_the_round_enters_at_once():
    settings = {"FIRST_PORTION_TOKENS": 0, "PAGES_A_ROUND": 2}
    reported = await asked(writing(the_year), PLAIN, **settings)
    assert len(reported.of(PassagesSelected)) == 1
    assert [source.snippet_only for source in reported.end.sources].count(True) == 1
    assert {source.url for source in reported.end.sources} == {LIGHTHOUSE, HARBOUR, GAZETTE}


@pytest.mark.parametrize("fault", [FAULTS["fails"], "no verdict at all"], ids=["fails", "prose"])
async def test_a_judge_that_fails_on_the_first_portion_is_asked_again_with_the_rest(
    fault: Scripted,
):
    script = writing(the_year, judge=(fault, fault, verdict("sufficient")))
    reported = await asked(script, HIDDEN)
    assert reported.warned <= {"judge_failed"}
    assert len(reported.of(PassagesSelected)) == 2


async def test_a_judge_that_stalls_on_the_first_portion_leaves_the_writer_the_portion():
    script = writing("The drawings hang in the museum [1].", judge=(stalls,))
    reported = await asked(script, HIDDEN, **SHORT_RUN)
    assert "time_limit" in reported.warned
    assert "museum" in reported.end.answer


async def test_a_page_that_comes_while_the_judge_thinks_is_taken_without_a_search():
    is_thinking, is_read = asyncio.Event(), asyncio.Event()

    async def late(request: Request, wire: Wire) -> None:
        if f"http://{request.headers['host']}{request.path}" == WHITLOW:
            await is_thinking.wait()
        await the_web(request, wire)

    async def thinks(request: Request, wire: Wire) -> None:
        is_thinking.set()
        await is_read.wait()
        await script.after(json.dumps(verdict("partial", "Clara Whitlow")), end)(request, wire)

    async def end(_request: Request, wire: Wire) -> None:
        await wire.chunk(script.ollama.end(prompt=100, output=10))

    def note(event: RunEvent) -> None:
        if isinstance(event, PageRead) and event.url == WHITLOW:
            is_read.set()

    script = writing(the_answer, judge=(thinks, verdict("sufficient")))
    hits = found(LIGHTHOUSE, HARBOUR, GAZETTE, WHITLOW)
    async with patience(), world(script, hits=lambda _: hits, web=late) as w:
        reported = await w.ask(on_event=note)
        await w.until_idle()
    assert_legal(reported.events)
    assert not reported.of(GapFound)
    assert {LIGHTHOUSE, WHITLOW} <= {source.url for source in reported.end.sources}


async def test_snippets_are_judged_where_no_page_comes_soon(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(research, "PAGES_SOON_S", 0.05)
    judged = asyncio.Event()

    async def late(request: Request, wire: Wire) -> None:
        await judged.wait()
        await the_web(request, wire)

    script = judging(verdict("insufficient", "Clara Whitlow village"), verdict("sufficient"))
    async with patience(), credulous(script, web=late, hits=all_pages) as w:
        reported = await w.ask(PLAIN, on_event=lambda e: isinstance(e, Judged) and judged.set())
    assert_legal(reported.events)
    assert [str(j.judging) for j in reported.of(Judged)] == ["snippets", "passages"]


async def test_snippets_are_judged_at_once_where_reading_is_forbidden():
    script = judging(verdict("insufficient"), verdict("sufficient"))
    settings = {"PAGES_A_ROUND": 0}
    reported = await run_credulous(script, PLAIN, hits=all_pages, settings=settings)
    assert reported.of(Judged)[0].judging == "snippets"
    assert not reported.of(PageRequested)


async def test_a_run_in_portions_cancelled_after_any_event_leaves_nothing(tmp_path: Path):
    script = judging(verdict("partial", "a"), verdict("sufficient"))
    async with credulous(script, hits=all_pages, settings=PORTION) as w:
        before = asyncio.all_tasks()
        for kind in (PassagesSelected, Judged, SourcesReady):
            nth = 1
            while reported := await cancelled_after(w, kind, nth, tmp_path, question=PLAIN):
                assert reported.ends == [Cancelled()], f"after {kind.__name__} number {nth}"
                await assert_nothing_is_left(w, before)
                script.calls.clear()
                nth += 1
            assert nth == (2 if kind is SourcesReady else 3)
            script.calls.clear()


@pytest.mark.parametrize("role_at", [0, 1], ids=["first portion", "rest"])
async def test_a_run_cancelled_while_a_portion_is_judged_closes_its_connection(role_at: int):
    reached = asyncio.Event()

    async def announced(request: Request, wire: Wire) -> None:
        reached.set()
        await stalls(request, wire)

    verdicts: list[Scripted] = [verdict("partial", "a"), verdict("sufficient")]
    verdicts[role_at] = announced
    async with credulous(judging(*verdicts), hits=all_pages, settings=PORTION) as w:
        before = asyncio.all_tasks()
        async with patience(), asyncio.TaskGroup() as group:
            running = group.create_task(w.ask(PLAIN))
            await reached.wait()
            running.cancel()
        assert running.cancelled()
        await assert_nothing_is_left(w, before)


CHOSEN = PageChoice()


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


async def chosen_from(
    script: ModelScript, choice: PageChoice | None = CHOSEN, **settings: Any
) -> RecordedEvents:
    hits = found(LIGHTHOUSE, HARBOUR, GAZETTE)
    return await run_credulous(
        script, PLAIN, hits=lambda q: hits, settings=settings, page_choice=choice
    )


def read(on_progress: RecordedEvents) -> list[str]:
    return [event.url for event in on_progress.of(PageRequested)]


async def test_only_what_reaches_the_threshold_is_read_the_best_first():
    reported = await chosen_from(script_of(scores(gazette=0.75, harbour=0.69, lighthouse=0.9)))
    assert read(reported) == [LIGHTHOUSE, GAZETTE]
    (chosen,) = reported.of(PagesChosen)
    assert (chosen.urls, chosen.scores) == ((LIGHTHOUSE, GAZETTE), (0.9, 0.75))
    assert (chosen.offered, chosen.round) == (3, 1)
    assert reported.end.outcome is Outcome.WEB


async def test_pages_with_one_score_are_read_in_the_order_of_the_reply():
    reported = await chosen_from(script_of(scores(gazette=0.8, lighthouse=0.8)))
    assert read(reported) == [GAZETTE, LIGHTHOUSE]


async def test_no_more_are_read_than_wanted_from_the_threshold_on():
    script = script_of(scores(harbour=0.2, lighthouse=0.3))
    reported = await chosen_from(script, PageChoice(least_score=0.1, most=1))
    assert read(reported) == [LIGHTHOUSE]


async def test_where_nothing_is_promising_and_nothing_was_read_the_first_results_are():
    reported = await chosen_from(script_of(scores(lighthouse=0.1)), PageChoice(most=2))
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
    reported = await chosen_from(script)
    assert read(reported) == [GAZETTE]
    first, *others = (event.urls for event in reported.of(PagesChosen))
    assert first == (GAZETTE,)
    assert not any(others)


@pytest.mark.parametrize(
    "said",
    ["no choice at all", FAULTS["fails"], '{"relevant": [1]', '{"relevant": "1", "other": []}'],
    ids=["prose", "fails", "cut", "other keys"],
)
async def test_a_choice_that_fails_leaves_the_ranking(said: Scripted):
    reported = await chosen_from(script_of(said, said))
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
    reported = await chosen_from(script_of(said))
    (chosen,) = reported.of(PagesChosen)
    assert len(chosen.urls) == expected
    assert len(set(chosen.urls)) == expected
    assert all(0 <= score <= 1 for score in chosen.scores)


async def test_a_choice_that_stalls_leaves_what_is_known_by_the_limit():
    reported = await chosen_from(script_of(stalls), CHOSEN, **SHORT_RUN)
    assert "time_limit" in reported.warned
    assert reported.end.sources, "the snippets are there"


async def test_where_pages_are_not_to_be_chosen_nobody_is_asked():
    reported = await chosen_from(script_of("never asked"), None)
    assert not reported.of(PagesChosen)
    assert len(read(reported)) == 3


async def test_without_a_model_the_ranking_decides():
    script = script_of("never asked")
    script.before = FAULTS["fails"]
    reported = await chosen_from(script)
    assert reported.end.outcome is Outcome.PASSAGES_ONLY
    assert read(reported)


async def test_a_run_cancelled_after_its_choice_leaves_nothing(tmp_path: Any):
    hits = found(LIGHTHOUSE, HARBOUR)
    script = script_of(scores(lighthouse=0.9))
    async with credulous(script, hits=lambda q: hits) as w:
        before = asyncio.all_tasks()
        reported = await cancelled_after(
            w, PagesChosen, 1, tmp_path, question=PLAIN, page_choice=CHOSEN
        )
        assert reported
        assert reported.ends == [Cancelled()]
        await assert_nothing_is_left(w, before)
