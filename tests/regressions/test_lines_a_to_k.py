"""What went wrong in the best-known implementation of this kind, lines (a) to (k): each is a test here."""

from __future__ import annotations

import asyncio
import io
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from askance.app.container import App
from askance.cli.commands.asking import Chat
from askance.cli.exits import Output
from askance.cli.shell import Shell
from askance.config.settings import EvidenceSettings, Settings
from askance.domain.conversation import Outcome, RunRequest
from askance.domain.events import Answered, Failed, ResultsFound, ResultsRanked
from askance.engine import page_reads
from integration.program import opened
from servers.faults import stalls
from servers.loopback import Handler, Request, Wire
from servers.model_script import verdict
from servers.searxng import Hit, hit
from servers.world import (
    GAP,
    LIGHTHOUSE,
    ONE_ROUND,
    PLANNED,
    QUESTION,
    SHORT_RUN,
    WHITLOW,
    RecordedEvents,
    always,
    found,
    knowing_model,
    other_text,
    some_answer,
)
from servers.world import (
    credulous as world,
)
from waiting import stretched

pytestmark = pytest.mark.usefixtures("waits_skipped")


async def test_more_results_are_taken_than_kept_and_the_ranking_decides_which_go():
    """(a) The URL cut dropped nothing, because only as many results were taken as were kept."""

    def crowded(query: str) -> list[Hit]:
        others = [
            hit(f"http://boats{n}.example/", f"Boat number {n}", f"A boat of {n} tons for sale.")
            for n in range(29)
        ]
        return [*others[:14], *found(LIGHTHOUSE), *others[14:]]

    script = knowing_model(judge=ONE_ROUND, answer=[some_answer])
    async with world(script, hits=crowded) as w:
        reported = await w.ask()
    assert reported.of(ResultsFound)[0].results == 20
    assert all(len(event.urls) == 10 for event in reported.of(ResultsRanked))
    assert all(event.urls[0] == LIGHTHOUSE for event in reported.of(ResultsRanked))
    assert w.read() == [LIGHTHOUSE]


async def test_judges_and_writer_see_the_users_own_question():
    """(b) Judges and writer saw the rewritten query instead of the question."""
    async with world() as w:
        await w.ask()
    assert PLANNED in w.searxng.heard
    assert {call.role for call in w.script.calls} == {"plan", "judge", "answer"}
    for call in w.script.calls:
        assert f"Question: {QUESTION}\n" in call.task
        assert PLANNED not in call.text


@pytest.mark.usefixtures("snippets_judged")
async def test_gap_queries_of_the_snippet_judge_are_searched():
    """(c) Gap queries of the snippet judge were thrown away."""
    judge = [verdict("partial", GAP), verdict("partial"), verdict("sufficient")]
    async with world(knowing_model(judge=judge)) as w:
        reported = await w.ask()
    assert GAP in w.searxng.heard
    assert WHITLOW in w.read()
    assert "Orr" in reported.end.answer


async def test_a_second_malformed_plan_is_done_without():
    """(d) A second malformed plan became an error."""
    async with world(knowing_model(plan=["Certainly!", "{'action': proceed"])) as w:
        reported = await w.ask()
    assert len(w.script.of("plan")) == 2
    assert reported.end.outcome is Outcome.WEB
    assert "plan_failed" in reported.warned


async def test_a_judge_that_takes_too_long_does_not_cost_the_answer():
    """(e) A judge's time-out killed the turn with "the model isn't running"; evidence was there."""
    script = knowing_model(judge=[stalls], answer=[some_answer])
    async with world(script, settings={"llm.load_timeout_s": 2}) as w:
        reported = await w.ask()
    assert reported.end.outcome is Outcome.WEB
    assert reported.warned == {"judge_failed"}
    assert "for 2 s" in reported.end.warnings[0]
    assert not any("running" in warning for warning in reported.end.warnings)


async def test_a_batch_out_of_time_keeps_the_pages_that_came(monkeypatch: pytest.MonkeyPatch):
    """(f) A batch time-out threw away pages already read."""
    monkeypatch.setattr(page_reads, "BATCH_TIMEOUT_S", 0.4)
    settings = {"reader.page_timeout_s": 60}
    script = knowing_model(judge=ONE_ROUND, answer=[some_answer])

    def slow(request: Request) -> Handler | None:
        return None if request.headers["host"] == "light.example" else stalls

    async with world(script, breaks={"web": slow}, settings=settings) as w:
        reported = await w.ask()
        await w.until_idle()
    assert "built in 1871 by the engineer" in script.of("answer")[0].fenced
    assert {s.url for s in reported.end.sources if not s.snippet_only} == {LIGHTHOUSE}


async def test_evidence_of_a_gap_is_ranked_by_the_query_that_found_it(
    monkeypatch: pytest.MonkeyPatch,
):
    """(g) Gap evidence was ranked by the original query only."""
    tempting = [
        f"The Lindmouth lighthouse and the engineer who built it are named on page {n} of the"
        " catalogue of the museum, which lists all that was given to it by the pilots, the keepers"
        " and the mayor, with the year, the price, the weight and the number of the shelf, and says"
        f" of each of the {n} things who found it, who mended it and who paid for the mending."
        for n in (17, 31, 46)
    ]
    wanted = (
        "Clara Whitlow came from the village of Orr, and her parents kept a mill there. Her mother"
        " taught her to count with grains of barley, and her father let her carve the teeth of the"
        " small wheel. When the flood took the bridge of the village away, she drew a better one on"
        " the door of the barn, which is shown to visitors of Orr to this day."
    )
    web = other_text(WHITLOW, *tempting[:2], wanted, *tempting[2:])
    judge = [
        verdict("partial", "Clara Whitlow parents village mill"),
        verdict("sufficient"),
    ]
    script = knowing_model(judge=judge, answer=["She came from Orr."])
    monkeypatch.setattr(EvidenceSettings, "later_round_tokens", 140)
    async with world(script, web=web) as w:
        await w.ask()
    fenced = script.of("answer")[0].fenced
    assert "came from the village of Orr" in fenced
    assert "number of the shelf" not in fenced


HALF = "Half an answer, then Ctrl-C."


async def test_what_was_written_until_ctrl_c_stands_once_in_the_conversation(tmp_path: Path):
    """(h) Cancelling left partial text in the model's history, unasked; decision 45 puts it there."""
    lines = iter(
        [f"/search {QUESTION}", "/search And who built the Lindmouth lighthouse?", "/quit"]
    )
    script = knowing_model()

    async def ctrl_c(request: Request, wire: Wire) -> None:
        signal.raise_signal(signal.SIGINT)
        script.answer = [some_answer]
        await stalls(request, wire)

    script.answer = [script.after(HALF, ctrl_c)]
    out = io.StringIO()
    async with world(script, settings={"trace.keep": 0}) as w:
        shell = shell_in(tmp_path, lines.__next__, out)
        app: Any = SimpleNamespace(
            suggesting=(),
            engine=w.engine,
            settings=w.settings,
            history=None,
            folders=shell.folders,
            prepare=lambda: None,
        )

        async def never(_: Settings) -> App:
            raise AssertionError

        await Chat(shell, app, never, verbose=False).hold()
    assert "Stopped." in out.getvalue()
    assert "built in 1871" in out.getvalue()
    later = [call for call in script.calls if "And who built" in call.task]
    assert later
    for call in later:
        assert [m["role"] for m in call.messages] == ["system", "user", "assistant", "user"]
        assert [m["content"] for m in call.messages[1:3]] == [QUESTION, HALF]


def shell_in(home: Path, next_line: Callable[[], str], out: io.StringIO) -> Shell:
    return Shell(
        environment={"ASKANCE_HOME": str(home)},
        stdin=io.StringIO(),
        stdout=Output(out),
        stderr=io.StringIO(),
        read_line=lambda prompt: next_line(),
        open_app=None,  # type: ignore[arg-type]
        serve_sample_web=None,  # type: ignore[arg-type]
        find_package=lambda name: None,
    )


async def test_a_slow_search_is_called_slow():
    """(i) Any search time-out said that the service was not running."""
    slow = {"search": always(stalls)}
    async with world(breaks=slow, settings={"search.timeout_s": 4.0}) as w:
        reported = await w.ask()
    assert isinstance(reported.end, Failed)
    assert "was slow: it did not answer within 4 s" in reported.end.problem
    assert "search.engines" in reported.end.fix
    assert "Start SearXNG" not in str(reported.end)


async def test_a_dead_reader_holds_nothing_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """(j) A dead reader blocked the whole command."""
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no-python"))
    reported = RecordedEvents()
    started = time.monotonic()
    async with opened(tmp_path, knowing_model(answer=["It stands on a rock [1]."])) as (app, _):
        await app.engine.run(RunRequest(QUESTION), emit=reported.events.append)
    assert time.monotonic() - started < stretched(8)
    assert reported.end.outcome is Outcome.WEB
    assert "reader_unavailable" in reported.warned


@pytest.mark.parametrize("part", ["plan", "judge", "search", "web"])
async def test_the_time_limit_ends_a_wait_in_the_middle_of_a_round(part: str):
    """(k) The time budget was looked at only between rounds."""
    roles: dict[str, Any] = {part: [stalls]} if part in {"plan", "judge"} else {}
    script = knowing_model(**{"answer": ["It stands on a rock."], **roles})
    broken = {part: always(stalls)} if part in {"search", "web"} else {}
    clock = asyncio.get_running_loop().time
    started = clock()
    async with world(script, breaks=broken, settings=SHORT_RUN) as w:
        reported = await w.ask()
    assert clock() - started < stretched(SHORT_RUN["limits.run_timeout_s"] + 4)
    if part == "search":  # nothing was heard: that is no answer
        assert isinstance(reported.end, Failed)
        assert reported.end.service == "search"
    else:
        assert "time_limit" in reported.warned
        assert isinstance(reported.end, Answered)
