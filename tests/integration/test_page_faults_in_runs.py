"""Pages fail, in every way and at every moment of a run."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from askance.domain.conversation import Outcome, RunRequest
from askance.domain.events import PageRead
from askance.domain.web_pages import PageReason, PageStatus
from askance.engine import page_reads
from integration.order import assert_legal
from integration.order import run_credulous as run_in_world
from integration.program import opened
from servers.faults import FAULTS, fails, stalls
from servers.loopback import Handler, Request, Wire
from servers.searxng import hit
from servers.world import (
    GAZETTE,
    HARBOUR,
    LIGHTHOUSE,
    ONE_ROUND,
    QUESTION,
    SNIPPETS,
    WHITLOW,
    RecordedEvents,
    always,
    found,
    knowing_model,
    some_answer,
    where,
)
from servers.world import (
    credulous as world,
)

pytestmark = pytest.mark.usefixtures("waits_skipped")

IMPATIENT = {"reader.page_timeout_s": 10.0}
REASONS = {
    "hangs_up": PageReason.NETWORK,
    "stalls": PageReason.TIMED_OUT,
    "fails": PageReason.HTTP_STATUS,
    "talks_nonsense": PageReason.NOT_TEXT,
    "breaks_off": PageReason.NETWORK,
    "stalls_in_mid_reply": PageReason.TIMED_OUT,
}
EACH_FAULT = pytest.mark.parametrize("name", FAULTS)
_AWAY = b"HTTP/1.1 302 Away\r\nContent-Length: 0\r\nLocation: "
GARBLED = {
    "mail": _AWAY + b"mailto:a@b\r\n\r\n",
    "script": _AWAY + b"javascript:alert(1)\r\n\r\n",
    "opaque": _AWAY + b"http:opaque\r\n\r\n",
    "idna": _AWAY + b"http://xn--a\r\n\r\n",
    "bytes": _AWAY + b"\xff\xfe://\x80\r\n\r\n",
    "interim": b"HTTP/1.1 100 Continue\r\n\r\n" * 5_000,
    "status": b"HTTP/1.1 2000 What\r\n\r\n",
    "chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\nx\r\n",
}
FROM_SNIPPETS = "The Lindmouth lighthouse stands on a rock at the mouth of the river [1]."


@EACH_FAULT
async def test_where_no_page_can_be_read_the_answer_rests_on_snippets_and_says_so(name: str):
    script = knowing_model(answer=[FROM_SNIPPETS])
    reported = await run_in_world(script, breaks={"web": always(FAULTS[name])}, settings=IMPATIENT)
    assert reported.end.outcome is Outcome.WEB
    assert "snippets_only" in reported.warned
    assert {page.reason for page in reported.of(PageRead)} == {REASONS[name]}
    assert all(page.detail for page in reported.of(PageRead))
    assert all(source.snippet_only for source in reported.end.sources)
    assert SNIPPETS[LIGHTHOUSE] in script.of("answer")[0].fenced


@EACH_FAULT
async def test_a_page_that_fails_costs_only_itself(name: str):
    reported = await run_in_world(
        breaks={"web": where("harbour", FAULTS[name])}, settings=IMPATIENT
    )
    assert reported.warned == set()
    assert "Orr" in reported.end.answer
    status = {page.url: page.status for page in reported.of(PageRead)}
    assert status.pop(HARBOUR, PageStatus.FAILED) is PageStatus.FAILED
    assert set(status.values()) == {PageStatus.OK}


@EACH_FAULT
async def test_the_one_page_of_the_gap_failing_leaves_its_snippet_to_the_writer(name: str):
    script = knowing_model(answer=[FROM_SNIPPETS])
    reported = await run_in_world(
        script, breaks={"web": where("museum", FAULTS[name])}, settings=IMPATIENT
    )
    assert reported.end.outcome is Outcome.WEB
    assert SNIPPETS[WHITLOW] in script.of("answer")[0].fenced
    assert [s.snippet_only for s in reported.end.sources if s.url == WHITLOW] == [True]
    assert {page.url for page in reported.of(PageRead) if page.status is not PageStatus.OK} == {
        WHITLOW
    }


async def test_more_than_half_of_the_pages_failing_is_told():
    def most(request: object) -> Handler | None:
        return None if "light.example" in str(request) else fails

    reported = await run_in_world(knowing_model(answer=[FROM_SNIPPETS]), breaks={"web": most})
    assert "most_pages_failed" in reported.warned
    assert "snippets_only" not in reported.warned
    search = {s.url for s in reported.end.sources if not s.snippet_only}
    assert search == {LIGHTHOUSE}


async def test_garbled_pages_cost_only_themselves():
    hits = [
        hit(f"http://{name}.example/", f"The Lindmouth lighthouse, {name}", "Its engineer.")
        for name in GARBLED
    ]

    async def garbled(request: Request, wire: Wire) -> None:
        await wire.raw(GARBLED[request.headers["host"].partition(".")[0]])

    reported = await run_in_world(
        knowing_model(judge=ONE_ROUND, answer=[some_answer]),
        hits=lambda query: [*hits, *found(LIGHTHOUSE)],
        breaks={"web": lambda request: None if "light." in str(request) else garbled},
        hosts=tuple(h["url"] for h in hits),
        settings={"PAGES_A_ROUND": 10},
    )
    pages = {page.url: page for page in reported.of(PageRead)}
    assert pages.pop(LIGHTHOUSE).status is PageStatus.OK
    assert len(pages) == len(GARBLED)
    reasons = {page.reason for page in pages.values()}
    assert reasons == {PageReason.REFUSED_ADDRESS, PageReason.REDIRECTS, PageReason.NETWORK}
    assert [s.url for s in reported.end.sources if not s.snippet_only] == [LIGHTHOUSE]
    assert "1871" in reported.end.answer


async def test_a_batch_that_runs_out_of_time_keeps_the_pages_that_came(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(page_reads, "BATCH_TIMEOUT_S", 0.5)
    slow = {"web": where("gazette", stalls)}
    async with world(breaks=slow, settings={"reader.page_timeout_s": 30}) as w:
        reported = await w.ask()
        await w.until_idle()
    assert_legal(reported.events)
    assert GAZETTE in w.read()
    assert "Orr" in reported.end.answer


async def test_a_reader_that_cannot_start_costs_the_pages_and_not_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no-python"))
    reported = RecordedEvents()
    async with opened(tmp_path, knowing_model(answer=[FROM_SNIPPETS])) as (app, _):
        await app.engine.run(RunRequest(QUESTION), emit=reported.events.append)
    assert_legal(reported.events)
    assert {"reader_unavailable", "snippets_only"} <= reported.warned
    assert reported.end.outcome is Outcome.WEB
    assert any("do not start" in warning for warning in reported.end.warnings)
