"""Limits of time, tokens, rounds and context: a run that reaches one answers from what it has."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from askance.domain.conversation import Outcome, SearchSize
from askance.domain.events import Answered, Failed, GapFound, PassagesSelected, SearchStarted
from askance.engine import context, question_run
from integration.order import assert_legal
from integration.order import run_credulous as run_in_world
from servers.faults import stalls
from servers.loopback import Handler, Request, Wire
from servers.model_script import ModelScript, Role, Scripted, plan, verdict
from servers.ollama import FakeOllama
from servers.searxng import hit
from servers.world import (
    GAP,
    GAZETTE,
    HARBOUR,
    LIGHTHOUSE,
    PLANNED,
    SHORT_RUN,
    SNIPPETS,
    TITLES,
    RecordedEvents,
    always,
    knowing_model,
    some_answer,
    where,
)
from servers.world import (
    credulous as world,
)

pytestmark = pytest.mark.usefixtures("waits_skipped")

# A busy machine may be late, but not by as much as any single limit below.
LATE_S = 40.0
LONG_S = 120
SHORT = {
    **SHORT_RUN,
    "llm.idle_timeout_s": LONG_S,
    "llm.load_timeout_s": LONG_S,
    "search.timeout_s": LONG_S,
    "reader.page_timeout_s": LONG_S,
}


async def timed(script: ModelScript, *breaks: tuple[str, Handler | None, str]) -> RecordedEvents:
    """A run within little time, where a part of the world stalls for ever."""
    broken = {
        name: where(part, fault) if part else always(fault) for name, fault, part in breaks if fault
    }
    clock = asyncio.get_running_loop().time
    started = clock()
    async with world(script, breaks=broken, settings=SHORT) as w:
        reported = await w.ask()
        took_s = clock() - started
        await w.until_idle()
    assert_legal(reported.events)
    assert took_s < SHORT_RUN["limits.run_timeout_s"] + LATE_S
    return reported


async def test_a_model_that_stalls_at_first_contact_leaves_the_passages_of_the_look_ahead():
    script = knowing_model()
    script.before = stalls
    reported = await timed(script)
    assert "time_limit" in reported.warned
    assert reported.end.outcome is Outcome.PASSAGES_ONLY
    assert "built in 1871" in reported.end.answer


async def test_a_plan_that_stalls_leaves_the_writer_what_was_read_meanwhile():
    script = knowing_model(plan=[stalls], answer=[some_answer])
    reported = await timed(script)
    assert "time_limit" in reported.warned
    assert reported.end.outcome is Outcome.WEB
    assert "built in 1871 by the engineer Clara Whitlow" in script.of("answer")[0].fenced


async def test_a_plan_that_takes_too_long_is_done_without_and_the_run_goes_on(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(question_run, "PLAN_TIMEOUT_S", 0.3)
    script = knowing_model(plan=[stalls])
    async with world(script) as w:
        reported = await w.ask()
        await w.until_idle()
    assert_legal(reported.events)
    assert reported.warned == {"plan_failed"}
    (warning,) = reported.end.warnings
    assert " 0.3 s" in warning
    assert len(script.of("plan")) == 1
    assert PLANNED not in w.searxng.heard
    assert reported.end.rounds == 2
    assert "born in the village of Orr" in reported.end.answer


async def test_a_plan_within_its_time_is_not_cut():
    async with world() as w:
        reported = await w.ask()
    assert PLANNED in w.searxng.heard
    assert reported.warned == set()


async def test_a_snippet_judge_that_stalls_leaves_the_writer_what_was_read_meanwhile():
    script = knowing_model(judge=[stalls], answer=[some_answer])
    reported = await timed(script)
    assert "time_limit" in reported.warned
    assert reported.end.outcome is Outcome.WEB
    assert "built in 1871 by the engineer Clara Whitlow" in script.of("answer")[0].fenced


async def test_a_passage_judge_that_stalls_leaves_the_writer_the_evidence():
    script = knowing_model(judge=[stalls], answer=[some_answer])
    reported = await timed(script)
    assert "time_limit" in reported.warned
    assert "judge_failed" not in reported.warned
    assert reported.end.outcome is Outcome.WEB


async def test_a_writer_that_stalls_leaves_the_passages():
    reported = await timed(knowing_model(answer=[stalls]))
    assert "answer_cut" in reported.warned
    assert reported.end.outcome is Outcome.PASSAGES_ONLY
    assert any("time limit" in warning for warning in reported.end.warnings)


async def test_a_writer_that_stalls_in_mid_answer_leaves_its_whole_sentences():
    script = knowing_model()
    script.answer = [script.after("She was born in Orr in 1839 [4]. And the light", stalls)]
    reported = await timed(script)
    assert reported.end.answer == "She was born in Orr in 1839 [4]."
    assert "answer_cut" in reported.warned


@pytest.mark.parametrize("role", ["plan", "judge", "answer"])
async def test_a_model_that_stalls_from_some_point_on_never_costs_the_answer(role: Role):
    order: list[Role] = ["plan", "judge", "answer"]
    dead: dict[str, list[Scripted]] = {name: [stalls] for name in order[order.index(role) :]}
    reported = await timed(knowing_model(**dead))
    assert isinstance(reported.end, Answered)
    assert reported.end.outcome is Outcome.PASSAGES_ONLY
    assert reported.end.sources


async def test_of_a_search_that_stalls_nothing_is_claimed_to_be_known():
    reported = await timed(knowing_model(), ("search", stalls, ""))
    assert "time_limit" in reported.warned
    assert isinstance(reported.end, Failed)
    assert reported.end.problem == "No search was answered before the time limit."
    assert "limits.run_timeout_s" in reported.end.fix
    assert reported.end.service


async def test_a_gap_search_that_stalls_leaves_the_answer_of_the_first_round():
    reported = await timed(knowing_model(answer=[some_answer]), ("search", stalls, "Clara"))
    assert "time_limit" in reported.warned
    assert reported.end.outcome is Outcome.WEB
    assert len(reported.of(GapFound)) == 1


async def test_pages_that_stall_leave_the_snippets():
    script = knowing_model(answer=["The Lindmouth lighthouse stands on a rock [1]."])
    reported = await timed(script, ("web", stalls, ""))
    assert "time_limit" in reported.warned
    assert reported.end.outcome is Outcome.WEB
    assert all(source.snippet_only for source in reported.end.sources)


async def test_a_gap_page_that_stalls_leaves_the_answer_of_the_first_round():
    reported = await timed(knowing_model(answer=[some_answer]), ("web", stalls, "museum"))
    assert reported.end.outcome is Outcome.WEB
    assert {"time_limit", "no_progress"} & reported.warned


async def test_everything_stalling_at_once_still_ends():
    script = knowing_model(plan=[stalls], judge=[stalls], answer=[stalls])
    script.before = stalls
    reported = await timed(script, ("search", stalls, ""), ("web", stalls, ""))
    assert "time_limit" in reported.warned
    assert isinstance(reported.end, Failed)


async def test_the_round_limit_ends_the_search_with_a_warning():
    script = knowing_model(answer=[some_answer])
    async with world(script, settings={"limits.rounds": 1}) as w:
        reported = await w.ask()
    assert_legal(reported.events)
    assert reported.warned == {"round_limit"}
    assert reported.end.rounds == 1
    assert GAP not in w.searxng.heard


async def test_the_token_limit_ends_the_search_with_a_warning(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(context, "MAX_MODEL_TOKENS", 10)
    script = knowing_model(answer=[some_answer])
    reported = await run_in_world(script)
    assert reported.warned == {"token_limit"}
    assert not reported.of(GapFound)
    assert reported.end.outcome is Outcome.WEB


async def test_no_more_queries_go_out_in_one_round_than_are_allowed():
    judge = [verdict("partial", "Whitlow a", "Whitlow b", "Whitlow c")]
    reported = await run_in_world(knowing_model(judge=judge), size=SearchSize(queries=2))
    assert all(len(event.queries) <= 2 for event in reported.of(SearchStarted))


@pytest.mark.parametrize("chars_per_token", [4.0, 3.0, 2.5])
async def test_a_small_context_drops_evidence_in_sight_and_never_overflows(chars_per_token: float):
    script = knowing_model(answer=[some_answer])
    script = ModelScript(
        script.plan,
        [verdict("insufficient"), verdict("sufficient")],
        [some_answer],
        context=1024,
        chars_per_token=chars_per_token,
    )
    reported = await run_in_world(script, web=long_pages, settings={"answer.max_tokens": 200})
    assert script.overflows == 0
    assert {call.options["num_ctx"] for call in script.calls} == {1024}
    assert "evidence_dropped" in reported.warned
    assert reported.of(PassagesSelected)[0].dropped > 0
    assert reported.end.outcome in {Outcome.WEB, Outcome.PASSAGES_ONLY}


async def long_pages(request: Request, wire: Wire) -> None:
    """Pages that tell much more about the lighthouse than a small context holds."""
    host = request.headers["host"]
    url = LIGHTHOUSE if host.startswith("light") else HARBOUR
    paragraphs = "\n\n".join(
        f"In the year {1871 + n} the engineer Clara Whitlow wrote about the Lindmouth lighthouse"
        f" that its lamp number {n} burned for {n * 7} nights, and that {n + 3} ships were guided"
        " past the rock into the river without any loss to their owners or to their crews, which"
        f" the pilots of the river put down to the {n + 11} mirrors that had been set behind it."
        for n in range(30)
    )
    await wire.send(f"# {TITLES[url]}\n\n{paragraphs}\n", headers={"Content-Type": "text/markdown"})


async def test_evidence_of_all_rounds_is_under_the_writers_eyes():
    script = knowing_model()
    async with world(script) as w:
        await w.ask()
    fenced = script.of("answer")[0].fenced
    assert "built in 1871" in fenced
    assert "born in the village of Orr" in fenced


@pytest.mark.parametrize("repeats", [20, 40, 60])
async def test_a_long_question_which_the_writer_sees_twice_leaves_the_context_whole(repeats: int):
    script = ModelScript([plan()], [verdict("sufficient")], [some_answer], context=2048)
    question = "Who built the Lindmouth lighthouse? " + "I ask since my aunt kept it. " * repeats
    reported = await run_in_world(script, question, web=long_pages)
    assert script.overflows == 0
    assert reported.end.outcome is Outcome.WEB
    (call,) = script.of("answer")
    room = call.options["num_ctx"] - call.options["num_predict"]
    assert len(call.text) / script.chars_per_token <= room


@pytest.mark.usefixtures("snippets_judged")
async def test_long_snippets_leave_a_small_context_room_for_passages():
    chatty = [
        hit(url, TITLES[url], f"{SNIPPETS[url]} {n}" + " Boats came in." * 90)
        for n, url in enumerate((LIGHTHOUSE, HARBOUR, GAZETTE))
    ]
    script = ModelScript([plan()], [verdict("sufficient")], [some_answer], context=1024)
    reported = await run_in_world(script, hits=lambda query: chatty)
    assert script.overflows == 0
    assert "evidence_dropped" in reported.warned
    assert reported.of(PassagesSelected)[0].passages > 0
    assert reported.end.outcome is Outcome.WEB


async def test_a_judge_whose_prompt_is_refused_as_too_long_costs_only_its_opinion():
    async def too_long(request: Request, wire: Wire) -> None:
        status, body = FakeOllama().overflow(9000, 8192)
        await wire.send(body, status)

    reported = await run_in_world(knowing_model(judge=[too_long], answer=[some_answer]))
    assert "judge_failed" in reported.warned
    assert reported.end.outcome is Outcome.WEB


ANSWER = "In the year 1871 the engineer Clara Whitlow wrote about the Lindmouth lighthouse [1]."
UNKNOWN = '{"error": {"message": "bad_request_body"}}'
WORDS = '{"error": "the input length exceeds the context length"}'
NUMBERS = '{"error": "This model\'s maximum context length is 1500 tokens. However, your request has 9000 input tokens."}'


async def one_long_page(request: Request, wire: Wire) -> None:
    text = "\n\n".join(
        f"In the year {1871 + n} the engineer Clara Whitlow wrote about the Lindmouth lighthouse that"
        f" its lamp number {n} burned for {n * 7} nights, and {n + 3} ships were guided past the rock."
        for n in range(60)
    )
    await wire.send(f"# Lighthouse\n\n{text}\n", headers={"Content-Type": "text/markdown"})


def refusing(most_characters: int, status: int, body: str) -> Callable[[Request], Handler | None]:
    """A server that takes no longer prompts than this, and says so in its own words."""

    async def refuse(_request: Request, wire: Wire) -> None:
        await wire.send(body, status)

    def fault_of(request: Request) -> Handler | None:
        if request.path != "/api/chat":
            return None
        length = sum(len(m["content"]) for m in request.json()["messages"])
        return refuse if length > most_characters else None

    return fault_of


async def asked(
    most: int, status: int = 400, body: str = WORDS
) -> tuple[ModelScript, RecordedEvents]:
    script = ModelScript([plan()], [verdict("insufficient"), verdict("sufficient")], [ANSWER])
    breaks = {"model": refusing(most, status, body)}
    reported = await run_in_world(script, web=one_long_page, breaks=breaks)
    return script, reported


@pytest.mark.parametrize(
    ("status", "body"),
    [(400, UNKNOWN), (413, "too big"), (422, UNKNOWN), (400, WORDS), (500, WORDS), (400, NUMBERS)],
)
async def test_a_long_prompt_that_is_refused_is_sent_again_with_less_evidence(
    status: int, body: str
) -> None:
    script, reported = await asked(3400, status, body)
    assert isinstance(reported.end, Answered)
    assert reported.end.outcome is Outcome.WEB
    assert script.of("answer")
    assert "evidence_dropped" in reported.warned
    assert any("shown a part" in warning for warning in reported.end.warnings)


async def test_a_fence_that_was_cut_is_closed() -> None:
    script, _ = await asked(3400)
    for call in script.of("answer"):
        (nonce,) = call.nonces
        assert call.text.count(f"<<<web {nonce}") == call.text.count(f"web {nonce}>>>") > 0


@pytest.mark.parametrize("status", [401, 404, 429, 500])
async def test_a_refusal_for_another_reason_is_not_tried_again(status: int) -> None:
    _script, reported = await asked(3400, status, UNKNOWN)
    assert not any("shown a part" in warning for warning in reported.end.warnings)


async def test_an_overflow_at_the_plan_does_not_end_the_run() -> None:
    _script, reported = await asked(0)
    assert isinstance(reported.end, Answered)
    assert reported.end.outcome is Outcome.PASSAGES_ONLY
    assert {"plan_failed", "judge_failed"} <= reported.warned
    assert "\n> " in reported.end.answer


@pytest.mark.parametrize("context", [300, 400, 512, 600])
async def test_what_was_found_and_fits_no_prompt_is_shown(context: int) -> None:
    script = ModelScript([plan()], [verdict("sufficient")], [ANSWER], context=context)
    reported = await run_in_world(script)
    assert isinstance(reported.end, Answered)
    assert "could not find" not in reported.end.answer
    assert "Lindmouth lighthouse" in reported.end.answer
    assert reported.end.sources
    assert script.overflows == 0
