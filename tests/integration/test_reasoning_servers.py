"""Whole runs at servers whose model reasons although it was asked not to."""

from __future__ import annotations

import pytest
from bench.reasoning_servers import MOST_MORE_REQUESTS, ReasoningServer, seen_of, servers

from askance.config.choices import LlmApi
from bench import web
from sampled import sampled

COUNTING = [server for server in servers() if server.counts]
OTHERS = sampled([server for server in servers() if not server.counts], every=5)
# A plan, a verdict, an answer, and the check of its citation.
PLAIN = 3


@pytest.fixture(autouse=True)
def _quick_web(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(web, "SEARCH_S", 0.0)
    monkeypatch.setattr(web, "PAGE_MEDIAN_S", 0.001)


@pytest.mark.parametrize("server", [*COUNTING, *OTHERS], ids=str)
async def test_plan_verdict_and_answer_are_there(server: ReasoningServer) -> None:
    seen = await seen_of(server)
    assert (seen.plan, seen.verdict, seen.answer) == (True, True, True)
    assert seen.requests <= PLAIN + MOST_MORE_REQUESTS


@pytest.mark.parametrize("api", [LlmApi.OPENAI, LlmApi.OLLAMA])
async def test_a_model_that_does_not_reason_costs_no_request_more(api: LlmApi) -> None:
    seen = await seen_of(ReasoningServer(api, thinks=0, switch="", counts=True))
    assert seen.answer
    assert (seen.requests, seen.warned) == (PLAIN, False)
