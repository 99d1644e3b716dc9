"""The child process of a search without SearXNG: it is slow, it is killed, it talks nonsense."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

import pytest
from primp import ConnectError

from adapters.search.searching import A, searching, speaking
from askance.adapters.search.metasearch import STANDARD
from askance.adapters.search.metasearch_worker import cause_of
from askance.domain.errors import ServiceDown, ServiceTimeout
from askance.domain.events import RequestSent
from askance.domain.messages import Message
from askance.domain.web_pages import UnresponsiveEngine
from fakes.outbound import ignore
from leftovers import begun_and_cancelled, children, nothing_left_behind
from servers.engines import HOSTS, Engines, engine_web
from servers.faults import stalls
from servers.loopback import Request, Wire
from waiting import patience


@pytest.fixture(autouse=True)
def trusted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The engines' certificates are trusted as a company's would be."""
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))


async def test_a_slow_engine_does_not_hold_up_the_others(tmp_path: Path) -> None:
    async with searching(
        tmp_path, {"mojeek": [A]}, breaks={"brave": stalls}, stragglers_s=0.2, timeout_s=60
    ) as (search, web):
        async with patience():
            page = await search.search("cats", wanted=20, sent=ignore)
        await web.tunnels.until_idle()
    assert [r.url for r in page.results] == [A[0]]
    assert UnresponsiveEngine("brave", Message("timeout")) in page.silent_engines


async def test_engines_that_all_stay_silent_are_slow(tmp_path: Path) -> None:
    async with searching(tmp_path, breaks=dict.fromkeys(HOSTS, stalls), timeout_s=1.0) as (
        search,
        web,
    ):
        with pytest.raises(ServiceTimeout) as caught:
            await search.search("cats", wanted=20, sent=ignore)
        await web.tunnels.until_idle()
    assert "within 1 s" in caught.value.problem


async def test_cancelling_leaves_no_process_and_no_connection_behind(tmp_path: Path) -> None:
    before = children()
    async with searching(tmp_path, breaks=dict.fromkeys(HOSTS, stalls)) as (search, web):
        async with asyncio.TaskGroup() as group:
            task = group.create_task(search.search("cats", wanted=20, sent=ignore))
            await web.servers.until_requests(len(HOSTS))
            task.cancel()
        assert task.cancelled()
        await web.tunnels.until_idle()
    assert children() <= before


async def test_cancelling_over_and_over_while_the_process_starts_leaves_nothing_behind(
    tmp_path: Path,
) -> None:
    async with searching(tmp_path) as (search, web):
        with nothing_left_behind():
            for turns in range(1, 12):
                asking = search.search("cats", wanted=20, sent=ignore)
                await begun_and_cancelled(asking, turns=turns)
        assert web.tunnels.asked == []


async def test_a_process_that_is_killed_ends_the_query_and_not_the_program(tmp_path: Path) -> None:
    before = children()

    async def kill_it(request: Request, wire: Wire) -> None:
        (worker,) = children() - before
        os.kill(worker, signal.SIGKILL)
        await wire.client_gone()

    async with searching(tmp_path, breaks=dict.fromkeys(HOSTS, stalls) | {"brave": kill_it}) as (
        search,
        _,
    ):
        with pytest.raises(ServiceDown) as caught:
            await search.search("cats", wanted=20, sent=ignore)
    assert "broke off" in caught.value.problem
    assert children() <= before


async def test_what_was_found_before_the_process_broke_off_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = json.dumps({"engine": "brave", "results": [list(A), ["https://b.example/"], 7]})
    monkeypatch.setattr(sys, "executable", str(speaking(tmp_path, row + "\\n")))
    async with searching(tmp_path) as (search, _):
        page = await search.search("cats", wanted=20, sent=ignore)
    assert [(r.url, r.engines) for r in page.results] == [(A[0], ("brave",))]
    assert {e.reason for e in page.silent_engines} == {"its process ended"}
    assert len(page.silent_engines) == len(STANDARD) - 1


async def test_a_process_that_cannot_be_started_is_told_and_nothing_was_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no-python"))
    noted: list[RequestSent] = []
    async with searching(tmp_path) as (search, _):
        with pytest.raises(ServiceDown) as caught:
            await search.search("cats", wanted=20, sent=noted.append)
    assert caught.value.problem
    assert noted == []


@pytest.mark.parametrize("said", ["", "not json", "[1]", '{"engine": 3}', '{"engine": "brave"'])
async def test_whatever_the_process_says_is_read_with_distrust(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    monkeypatch.setattr(sys, "executable", str(speaking(tmp_path, said + "\\n")))
    async with searching(tmp_path) as (search, _):
        with pytest.raises(ServiceDown) as caught:
            await search.search("cats", wanted=20, sent=ignore)
    assert "broke off" in caught.value.problem


async def test_an_engine_of_which_nothing_is_said_is_silent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", str(speaking(tmp_path, '{"engine": "brave"}\\n')))
    async with searching(tmp_path) as (search, _):
        page = await search.search("cats", wanted=20, sent=ignore)
    assert page.results == ()
    assert {e.name for e in page.silent_engines} == set(STANDARD)


async def test_the_process_ends_when_its_parent_is_gone(tmp_path: Path) -> None:
    async with engine_web(Engines(breaks=dict.fromkeys(HOSTS, stalls)), tmp_path) as web:
        child = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "askance.adapters.search.metasearch_worker",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.DEVNULL,
        )
        assert child.stdin is not None
        request = {
            "query": "cats",
            "wanted": 5,
            "engines": ["mojeek"],
            "region": "us-en",
            "safesearch": "off",
            "timelimit": None,
            "proxy": f"http://127.0.0.1:{web.tunnels.port}",
            "timeout_s": 60,
        }
        child.stdin.write(json.dumps(request).encode() + b"\n")
        await web.servers.until_requests(1)
        child.stdin.close()
        async with patience():
            assert await child.wait() == 0


@pytest.mark.parametrize(
    ("heard", "said"),
    [
        (
            "error sending request for url (https://a.example/?q=secret) > client error (Connect)"
            ' > DNS error: no records found for Query { name: Name("a.example."), query_type: A }',
            "names cannot be looked up",
        ),
        (
            "error sending request > tcp connect error > Connection refused (os error 111)",
            "Connection refused",
        ),
    ],
)
def test_why_an_engine_is_out_of_reach_is_said_in_few_words(heard: str, said: str) -> None:
    assert cause_of(ConnectError(heard)) == said
