"""Whole runs without SearXNG: after consent this program asks the engines itself, and says so."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from askance.adapters.llm.ollama import OllamaModel
from askance.adapters.search.metasearch import InProcessSearch
from askance.adapters.search.searxng import SearxngSearch
from askance.adapters.web_choice import FallbackSearch
from askance.app.container import open_app
from askance.config.folders import find_folders
from askance.domain.conversation import Outcome, RunRequest
from askance.domain.events import Failed, RequestSent, ResultsFound, Sending, Warned
from askance.engine.prompts import load_prompts
from askance.engine.run import Engine
from fakes.outbound import ListedLedger
from integration.order import assert_legal
from servers.engines import HOSTS, Engines, Hits, engine_web
from servers.faults import address_of_nobody, fails, stalls
from servers.world import (
    HARBOUR,
    LIGHTHOUSE,
    PAGES,
    QUESTION,
    TITLES,
    WHITLOW,
    RecordedEvents,
    knowing_model,
    serving,
    settings_for,
    world,
)


def hits_of(*urls: str) -> Hits:
    return [(url, TITLES[url], PAGES[url][:300]) for url in urls]


ENGINES = {"mojeek": hits_of(LIGHTHOUSE, HARBOUR, WHITLOW), "brave": hits_of(LIGHTHOUSE)}


@pytest.fixture(autouse=True)
def trusted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The engines' certificates are trusted."""
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))


async def asked(engines: Engines, folder: Path) -> tuple[RecordedEvents, ListedLedger, str]:
    """Run the question where nothing answers at the address of SearXNG."""
    reported, ledger, nobody = RecordedEvents(), ListedLedger(), address_of_nobody()
    async with engine_web(engines, folder) as web, world() as w:
        chosen = {
            "search.url": nobody,
            "search.proxy": f"http://127.0.0.1:{web.tunnels.port}",
            "reader.proxy": "direct",
            "search.timeout_s": 5.0,
        }
        settings = settings_for(w.servers, chosen)
        async with (
            SearxngSearch(settings.search) as first,
            OllamaModel(settings.llm) as model,
        ):
            search = FallbackSearch(first, InProcessSearch(settings.search, stragglers_s=0.5))
            engine = Engine(
                model,
                search,
                w.reader,
                load_prompts(),
                settings,
                lambda: date(2026, 11, 20),
                ledger,
            )
            await engine.run(RunRequest(QUESTION), emit=reported.events.append)
    return reported, ledger, nobody


async def test_a_run_says_which_search_served_it(tmp_path: Path):
    reported, ledger, nobody = await asked(Engines(ENGINES), tmp_path)
    assert_legal(reported.events)
    assert reported.end.outcome is Outcome.WEB
    assert "1871" in reported.end.answer
    assert {found.served_by for found in reported.of(ResultsFound)} == {"this program"}
    (warning,) = {w.message for w in reported.of(Warned) if w.code == "search_fallback"}
    assert nobody in warning
    queries = [r for r in reported.of(RequestSent) if r.sending is Sending.QUERY]
    assert {r.to for r in queries} == {", ".join(HOSTS)}
    assert {r.content for r in queries} == {found.query for found in reported.of(ResultsFound)}
    assert all(r.through.startswith("the proxy http://127.0.0.1:") for r in queries)
    assert [request for request, _ in ledger.entries] == reported.of(RequestSent)


async def test_engines_that_fail_cost_only_themselves(tmp_path: Path):
    breaks = {"brave": fails, "startpage": stalls, "wikipedia": fails}
    reported, _, _ = await asked(Engines(ENGINES, breaks), tmp_path)
    assert reported.end.outcome is Outcome.WEB
    silent = {e.name for found in reported.of(ResultsFound) for e in found.silent_engines}
    assert silent == set(breaks)


async def test_engines_that_all_fail_are_told_from_an_empty_web(tmp_path: Path):
    reported, _, _ = await asked(Engines(breaks=dict.fromkeys(HOSTS, fails)), tmp_path)
    assert isinstance(reported.end, Failed)
    assert "brave (HTTP 500)" in reported.end.problem
    assert "engines_silent" in reported.warned


@pytest.mark.parametrize("consent", ["unasked", "refused", "given"])
async def test_nobody_else_is_asked_without_consent(tmp_path: Path, consent: str):
    reported = RecordedEvents()
    async with (
        engine_web(Engines(ENGINES), tmp_path) as web,
        serving(knowing_model()) as (servers, _, _),
    ):
        chosen = {
            "search.url": address_of_nobody(),
            "search.proxy": f"http://127.0.0.1:{web.tunnels.port}",
            "reader.proxy": "direct",
            "search.in_process": consent,
            "reader.mode": "inprocess",
        }
        folders = find_folders({"ASKANCE_HOME": str(tmp_path)})
        async with open_app(settings_for(servers, chosen), folders) as app:
            await app.engine.run(RunRequest(QUESTION), emit=reported.events.append)
        received = len(web.tunnels.asked)
    if consent == "given":
        assert received
        assert "search_fallback" in reported.warned
    else:
        assert received == 0
        assert isinstance(reported.end, Failed)
        assert "`askance up`" in reported.end.fix
        assert "search.in_process given" in reported.end.fix
