"""A run from question to answer, with the real adapters on servers of this machine."""

from __future__ import annotations

import asyncio
import json
import os
from itertools import pairwise
from pathlib import Path

import pytest

from askance.adapters.reader.inprocess import InProcessReader
from askance.adapters.reader.workers import WORKERS
from askance.domain.conversation import Outcome, RunRequest
from askance.domain.events import (
    Answered,
    ClarifyAsked,
    Failed,
    GapFound,
    Judged,
    PageRead,
    PassagesSelected,
    SourcesReady,
)
from askance.domain.evidence import Support
from askance.domain.messages import Message
from askance.domain.web_pages import PageStatus
from askance.engine import page_reads, research
from askance.text import caches
from integration.order import assert_legal
from integration.order import run_credulous as run_in_world
from integration.program import opened
from servers.faults import stalls
from servers.loopback import Request, Wire
from servers.model_script import plan, verdict
from servers.ollama import FakeOllama
from servers.searxng import Hit, hit
from servers.world import (
    GAP,
    LIGHTHOUSE,
    PAGES,
    QUESTION,
    TITLES,
    WHITLOW,
    RecordedEvents,
    always,
    knowing_model,
    some_answer,
)
from servers.world import (
    credulous as world,
)
from waiting import patience


async def test_a_question_of_two_hops_is_answered_in_two_rounds_with_checked_citations():
    reported = await run_in_world()
    end = reported.end
    assert isinstance(end, Answered)
    assert end.outcome is Outcome.WEB
    assert end.rounds == 2
    assert [gap.queries[0] for gap in reported.of(GapFound)] == [GAP]
    by_number = {source.n: source.url for source in end.sources}
    assert [by_number[c.n] for c in end.citations] == [WHITLOW, LIGHTHOUSE]
    assert {c.support for c in end.citations} == {Support.SUPPORTED}
    assert "born in the village of Orr in 1839" in end.citations[0].quote
    assert all(c.quote in PAGES[by_number[c.n]] for c in end.citations)
    assert reported.of(SourcesReady)[0].sources == end.sources
    assert end.usage.model_calls == 4
    assert end.usage.pages_read == 4
    assert end.usage.prompt_tokens > 0
    assert end.warnings == ()


async def test_a_run_leaves_nothing_of_its_texts_in_the_caches():
    await run_in_world()
    left = {cached: cached.cache_info().currsize for cached in caches._caches}
    assert left
    assert not any(left.values()), left


async def test_the_whole_program_reads_pages_in_children_and_leaves_none_behind(tmp_path: Path):
    reported = RecordedEvents()
    async with opened(tmp_path) as (app, servers):
        await app.engine.run(RunRequest(QUESTION), emit=reported.events.append)
        assert isinstance(app.reader, InProcessReader)
        children = app.reader.worker_pids
        for server in servers.values():
            await server.until_idle()
    assert_legal(reported.events)
    assert reported.end.outcome is Outcome.WEB
    assert {page.status for page in reported.of(PageRead)} == {PageStatus.OK}
    assert len(children) == WORKERS
    for child in children:
        with pytest.raises(ProcessLookupError):
            os.kill(child, 0)


async def test_the_model_is_shown_the_same_beginning_in_every_call():
    async with world() as w:
        await w.ask()
    shown = [call.text.partition("Task: ")[0].rstrip() for call in w.script.calls]
    assert len(shown) == 4
    for earlier, later in pairwise(shown):
        assert later.startswith(earlier)
    assert len(set.union(*(call.nonces for call in w.script.calls))) == 1
    assert {call.options["num_ctx"] for call in w.script.calls} == {8192}


async def test_a_later_round_keeps_the_numbers_of_the_sources():
    async with world() as w:
        reported = await w.ask()
    first, last = w.script.of("judge")[0].fenced, w.script.of("answer")[0].fenced
    assert f"[1] {TITLES[LIGHTHOUSE]}" in first
    assert f"[1] {TITLES[LIGHTHOUSE]}" in last
    assert [s.n for s in reported.end.sources] == [1, 2, 3, 4]


NOTABLE = "The engineer Clara Whitlow, who built the Lindmouth lighthouse, was born in Orr."


def one_telling_hit(query: str) -> list[Hit]:
    """A result whose snippet answers the question in full."""
    return [hit(LIGHTHOUSE, TITLES[LIGHTHOUSE], NOTABLE)]


def assert_answered_after_the_snippets(on_progress: RecordedEvents) -> None:
    assert_legal(on_progress.events)
    assert on_progress.end.rounds == 1
    assert [str(j.judging) for j in on_progress.of(Judged)] == ["snippets"]
    assert on_progress.end.outcome is Outcome.WEB


async def test_sufficient_snippets_end_the_run_without_waiting_for_a_page(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(page_reads, "BATCH_TIMEOUT_S", 100)
    monkeypatch.setattr(research, "PAGES_SOON_S", 0.1)
    script = knowing_model(judge=[verdict("sufficient")], answer=[f"{NOTABLE[:-1]} [1]."])
    endless = {"reader.page_timeout_s": 100}
    breaks = {"web": always(stalls)}
    async with world(script, hits=one_telling_hit, breaks=breaks, settings=endless) as w:
        async with patience():
            reported = await w.ask()
        await w.until_idle()
    assert_answered_after_the_snippets(reported)
    assert [s.snippet_only for s in reported.end.sources] == [True]
    assert not reported.of(PassagesSelected)


@pytest.mark.usefixtures("snippets_judged")
async def test_a_page_that_was_read_ahead_stands_behind_sufficient_snippets():
    page_is_read = asyncio.Event()
    ollama = FakeOllama()

    async def once_it_is_read(request: Request, wire: Wire) -> None:
        await page_is_read.wait()
        await wire.start()
        await wire.chunk(ollama.text(json.dumps(verdict("sufficient"))))
        await wire.chunk(ollama.end())

    script = knowing_model(judge=[once_it_is_read], answer=[f"{NOTABLE[:-1]} [1]."])
    reported = await run_in_world(
        script,
        hits=one_telling_hit,
        on_event=lambda e: isinstance(e, PageRead) and page_is_read.set(),
    )
    assert_answered_after_the_snippets(reported)
    assert [s.snippet_only for s in reported.end.sources] == [False]
    assert "thirty metres high, of grey granite" in script.of("answer")[0].fenced


async def test_an_unclear_question_ends_with_a_question():
    asked = plan(action="clarify", clarifying_question="Which Lindmouth do you mean?")
    async with world(knowing_model(plan=[asked])) as w:
        reported = await w.ask()
        await w.until_idle()
    assert isinstance(reported.end, ClarifyAsked)
    assert reported.end.question == "Which Lindmouth do you mean?"
    assert reported.end.usage.model_calls == 1
    assert not w.script.of("judge")


@pytest.mark.parametrize("server", ["search", "web"])
async def test_a_question_back_does_not_wait_for_what_was_begun_ahead(server: str):
    asked = plan(action="clarify", clarifying_question="Which Lindmouth do you mean?")
    endless = {"search.timeout_s": 100, "reader.page_timeout_s": 100}
    breaks = {server: always(stalls)}
    async with world(knowing_model(plan=[asked]), breaks=breaks, settings=endless) as w:
        async with patience():
            reported = await w.ask()
        await w.until_idle()
    assert_legal(reported.events)
    assert isinstance(reported.end, ClarifyAsked)


async def test_an_empty_question_is_refused_before_anything_leaves_the_machine():
    async with world() as w:
        reported = await w.ask("  \n ")
    assert reported.end == Failed(
        Message("There is no question."), Message("Type a question."), kind="InputError"
    )
    assert not any(server.requests for server in w.servers.values())


async def test_an_answer_that_says_it_found_nothing_is_called_insufficient():
    script = knowing_model(answer=["I could not find where she was born in these sources."])
    reported = await run_in_world(script)
    assert reported.end.outcome is Outcome.INSUFFICIENT


async def test_a_writer_without_markers_gets_them_from_the_check():
    bare = knowing_model(
        answer=["The engineer Clara Whitlow was born in the village of Orr in 1839."]
    )
    reported = await run_in_world(bare)
    assert [c.added for c in reported.end.citations] == [True]
    number = reported.end.citations[0].n
    assert reported.end.sources[number - 1].url == WHITLOW
    assert reported.end.answer.endswith(f"1839 [{number}].")


async def test_a_model_that_repeats_itself_without_end_is_stopped():
    script = knowing_model(answer=[lambda prompt: some_answer(prompt) + " And so on." * 500])
    reported = await run_in_world(script)
    assert "answer_cut" in reported.warned
    assert len(reported.end.answer) < 3000
    assert reported.end.outcome is Outcome.WEB
