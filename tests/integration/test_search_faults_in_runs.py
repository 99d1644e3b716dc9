"""The search engine fails, in every way and at every moment of a run."""

from __future__ import annotations

import pytest

from askance.domain.conversation import Outcome
from askance.domain.events import Failed, ResultsFound
from integration.order import assert_legal
from remedies import remedy_of
from servers.faults import FAULTS, address_of_nobody
from servers.loopback import Handler, Request, Wire
from servers.model_script import verdict
from servers.searxng import Hit, reply
from servers.world import (
    GAP,
    PLANNED,
    QUESTION,
    always,
    knowing_model,
    some_answer,
    the_hits,
    where,
    world,
)

pytestmark = pytest.mark.usefixtures("waits_skipped")

IMPATIENT = {"search.timeout_s": 15.0}
EACH_FAULT = pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())


@EACH_FAULT
async def test_a_search_engine_that_fails_ends_the_run_and_is_named(fault: Handler):
    async with world(breaks={"search": always(fault)}, settings=IMPATIENT) as w:
        reported = await w.ask()
        await w.until_idle()
    assert_legal(reported.events)
    assert isinstance(reported.end, Failed)
    assert reported.end.service == "SearXNG"
    assert reported.end.address == w.servers["search"].url
    assert reported.end.fix
    assert not w.script.of("answer")


async def test_a_search_engine_that_is_not_there_ends_the_run_with_its_address():
    address = address_of_nobody()
    async with world(settings={"search.url": address}) as w:
        reported = await w.ask()
    assert isinstance(reported.end, Failed)
    assert address in reported.end.problem
    assert "`askance up`" in reported.end.fix
    assert remedy_of(reported.end.fix).setting == "search.in_process"


async def test_json_switched_off_is_told_with_the_lines_that_switch_it_on():
    async with world() as w:
        w.searxng.formats = ("html",)
        reported = await w.ask()
    assert isinstance(reported.end, Failed)
    assert "switched off" in reported.end.problem
    assert "formats: [html, json]" in reported.end.fix


@EACH_FAULT
async def test_a_failed_gap_search_leaves_the_answer_of_the_first_round(fault: Handler):
    script = knowing_model(answer=[some_answer])
    async with world(script, breaks={"search": where("Clara", fault)}, settings=IMPATIENT) as w:
        reported = await w.ask()
        await w.until_idle()
    assert_legal(reported.events)
    assert reported.end.outcome is Outcome.WEB
    assert "search_failed" in reported.warned
    assert [r.query for r in reported.of(ResultsFound) if r.error] == [GAP]
    assert "1871" in reported.end.answer


@EACH_FAULT
async def test_a_dead_query_costs_only_itself(fault: Handler):
    async with world(breaks={"search": where("birthplace", fault)}, settings=IMPATIENT) as w:
        reported = await w.ask()
    assert [r.query for r in reported.of(ResultsFound) if r.error] == [PLANNED]
    assert reported.warned == {"search_failed"}
    assert "Orr" in reported.end.answer


async def test_a_dead_first_query_is_made_up_for_by_the_planned_one():
    def only_planned(request: object) -> Handler | None:
        return None if "birthplace" in str(request) or "Clara" in str(request) else FAULTS["fails"]

    async with world(breaks={"search": only_planned}) as w:
        reported = await w.ask()
    assert reported.end.outcome is Outcome.WEB
    assert "Orr" in reported.end.answer
    assert {QUESTION, PLANNED} <= {r.query for r in reported.of(ResultsFound)}


@pytest.mark.parametrize(
    ("reasons", "code", "said", "fix"),
    [
        # As SearXNG 2026 says them without a network, the second time with a rest for the engine.
        (
            ["HTTP connection error", "Suspended: HTTP connection error"],
            "engines_unreachable",
            "could not be reached",
            "this computer's connection",
        ),
        (["proxy error", "network error"], "engines_unreachable", "could not be", "search.proxy"),
        (["CAPTCHA", "Suspended: too many requests"], "engines_silent", "did not answer", "later"),
        (["HTTP connection error", "access denied"], "engines_silent", "did not answer", "later"),
        (["timeout", "timeout"], "engines_silent", "did not answer", "later"),
    ],
)
async def test_engines_that_were_not_heard_are_not_called_an_empty_web(
    reasons: list[str], code: str, said: str, fix: str
):
    silent = [[name, reason] for name, reason in zip(("alpha", "beta"), reasons, strict=True)]

    async def unheard(request: Request, wire: Wire) -> None:
        await wire.send_json(reply(request.query["q"], [], silent))

    async with world(breaks={"search": always(unheard)}) as w:
        reported = await w.ask()
    assert_legal(reported.events)
    assert reported.warned == {code}
    assert isinstance(reported.end, Failed)
    assert reported.end.service  # an exit code of 1, as of any service that failed
    assert said in reported.end.problem
    assert f"alpha ({reasons[0]}), beta ({reasons[1]})" in reported.end.problem
    assert fix in reported.end.fix
    first = reported.of(ResultsFound)[0]
    assert [engine.reason for engine in first.silent_engines] == reasons
    assert all(engine.unreachable for engine in first.silent_engines) is (
        code == "engines_unreachable"
    )


async def test_an_empty_web_is_an_answer():
    async with world(hits=lambda query: []) as w:
        reported = await w.ask()
    assert_legal(reported.events)
    assert reported.warned == {"no_results"}
    assert reported.end.outcome is Outcome.INSUFFICIENT
    assert f"“{QUESTION}”" in reported.end.answer
    assert not reported.end.sources


async def test_a_gap_search_that_brings_nothing_new_ends_the_rounds():
    def stale(query: str) -> list[Hit]:
        return the_hits("the same again")

    judge = [verdict("partial", "the harbour again", GAP)]
    script = knowing_model(judge=judge, answer=[some_answer])
    async with world(script, hits=stale) as w:
        reported = await w.ask()
    assert_legal(reported.events)
    assert "no_progress" in reported.warned
    assert reported.end.rounds == 2
    assert reported.end.outcome is Outcome.WEB


async def test_a_judge_that_only_repeats_old_queries_ends_the_rounds():
    judge = [verdict("partial", QUESTION, PLANNED.upper())]
    script = knowing_model(judge=judge, answer=[some_answer])
    async with world(script) as w:
        reported = await w.ask()
    assert reported.warned == {"no_progress"}
    assert reported.end.rounds == 1
