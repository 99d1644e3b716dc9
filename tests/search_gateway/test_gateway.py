"""The gateway before SearXNG: who gets through it, what is handed on, and what comes back."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from askance.adapters.network.own_services import ServiceAuth, searxng_vitals
from askance.adapters.search.searxng import SearxngSearch
from askance.config.settings import SearchSettings
from askance.domain.errors import ServiceRefused
from askance.local_service.credentials import RequestProof, Token
from fakes.outbound import ignore
from sampled import sampled
from servers.faults import address_of_nobody, free_port, stalls
from servers.loopback import Handler, Loopback, Request, Wire, endless, serve
from servers.search_gateway import TOKEN, gateway_before
from servers.searxng import ScriptedSearxng, hit
from waiting import PATIENCE_S

KNOWN = ServiceAuth(Token(TOKEN), "SearXNG", "the gateway of the tests")
QUERY = "/search?q=a+wren&format=json"
ONE = [hit("http://a.example/", "A", "a wren")]


@dataclass
class Place:
    """A gateway, and the SearXNG behind it."""

    url: str
    token_file: Path
    searxng: Loopback
    client: httpx.AsyncClient

    async def get(self, target: str = QUERY, **headers: str) -> httpx.Response:
        """Ask as a program that knows the token."""
        return await self.client.get(target, headers=headers, auth=KNOWN)

    async def bare(self, target: str = QUERY, **headers: str) -> httpx.Response:
        """Ask as somebody who does not."""
        return await self.client.get(target, headers=headers)


@dataclass(frozen=True)
class Gateway:
    """A gateway, and the port on which it looks for SearXNG."""

    url: str
    token_file: Path
    port: int


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    """One for all tests, each of which puts a SearXNG of its own behind it: it keeps no connection."""
    token_file, port = tmp_path_factory.mktemp("gateway") / "search.token", free_port()
    with gateway_before(f"http://127.0.0.1:{port}", token_file) as url:
        yield Gateway(url, token_file, port)


@asynccontextmanager
async def before(handler: Handler, gateway: Gateway) -> AsyncIterator[Place]:
    async with (
        serve(handler, port=gateway.port) as searxng,
        httpx.AsyncClient(base_url=gateway.url, trust_env=False, timeout=PATIENCE_S) as client,
    ):
        yield Place(gateway.url, gateway.token_file, searxng, client)


def answering() -> ScriptedSearxng:
    return ScriptedSearxng(lambda _: ONE)


async def test_the_program_searches_through_the_gateway(gateway: Gateway):
    async with before(answering(), gateway) as place:
        async with SearxngSearch(SearchSettings(url=place.url), place.token_file) as search:
            page = await search.search("a wren", wanted=10, sent=ignore)
        [asked] = place.searxng.requests
    assert [result.url for result in page.results] == ["http://a.example/"]
    assert asked.query["q"] == "a wren"
    # Neither the proof nor anything else of the program's reaches SearXNG.
    assert asked.headers.keys() <= {"host", "accept", "accept-encoding", "connection", "user-agent"}


def signed() -> dict[str, str]:
    """The proof of a request, for one that is sent by something else than the program."""
    return {"Authorization": RequestProof.fresh(Token(TOKEN), "GET", QUERY, b"").header()}


PAGES = {
    "another site": {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"},
    "a picture of a page": {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"},
    "a frame without an origin": {"Origin": "null"},
    "a page of SearXNG's own": {"Sec-Fetch-Site": "same-origin"},
    "a page of this machine": {"Origin": "http://127.0.0.1:25017", "Sec-Fetch-Site": "same-site"},
    "a name that was bent here": {"Host": "evil.example:25017"},
    "a private address": {"Host": "172.18.0.2:25017"},
}


@pytest.mark.parametrize("page", sampled(PAGES, every=3))
@pytest.mark.parametrize("proof", [{}, signed()], ids=["no proof", "even with a proof"])
async def test_no_page_in_a_browser_searches_or_reads(
    page: str, proof: dict[str, str], gateway: Gateway
):
    async with before(answering(), gateway) as place:
        for target in (QUERY, "/config", "/healthz", "/"):
            reply = await place.bare(target, **PAGES[page], **(proof if target == QUERY else {}))
            assert (target, reply.status_code) in {(target, 403), (target, 421)}
            assert not any(name.startswith("access-control") for name in reply.headers)
        assert place.searxng.requests == []


async def test_it_answers_to_a_name_that_it_was_given_and_to_no_other(tmp_path: Path):
    token_file = tmp_path / "search.token"
    async with serve(answering()) as searxng:
        with gateway_before(searxng.url, token_file, "--name", "SearXNG") as url:
            async with httpx.AsyncClient(
                base_url=url, trust_env=False, timeout=PATIENCE_S
            ) as client:
                for host, status in (
                    ("searxng:25017", 200), ("searxng", 200), ("127.0.0.1", 200),
                    ("searxng.evil.example", 421), ("reader-net:25017", 421),
                ):  # fmt: skip
                    reply = await client.get(QUERY, headers={"Host": host, **signed()})
                    assert (host, reply.status_code) == (host, status)
                # A name is no proof.
                bare = await client.get(QUERY, headers={"Host": "searxng:25017"})
                assert bare.status_code == 401


async def test_what_a_browser_sends_without_a_sign_of_itself_needs_the_token(gateway: Gateway):
    async with before(answering(), gateway) as place:
        for target in (QUERY, "/config"):
            reply = await place.bare(target)
            assert reply.status_code == 401
            assert "know its token" in reply.json()["error"]["message"]
            assert "authentication-info" not in reply.headers
        assert place.searxng.requests == []


async def test_a_recorded_search_is_asked_once(gateway: Gateway):
    proof = signed()
    async with before(answering(), gateway) as place:
        statuses = [(await place.bare(QUERY, **proof)).status_code for _ in range(3)]
        assert statuses == [200, 401, 401]
        assert len(place.searxng.requests) == 1
        # Nor does it serve for another query.
        other = await place.bare("/search?q=other&format=json", **signed())
        assert other.status_code == 401
        assert len(place.searxng.requests) == 1


async def test_a_person_who_opens_the_address_is_told_what_it_is(gateway: Gateway):
    async with before(answering(), gateway) as place:
        reply = await place.bare("/", **{"Sec-Fetch-Site": "none"})
        assert (reply.status_code, reply.headers["content-type"]) == (
            200,
            "text/plain; charset=utf-8",
        )
        assert "Askance's search service" in reply.text
        typed = await place.bare(QUERY, **{"Sec-Fetch-Site": "none"})
        assert typed.status_code == 401
        assert place.searxng.requests == []


async def test_nothing_but_searches_and_its_own_state_is_handed_on(gateway: Gateway):
    async with before(answering(), gateway) as place:
        for target in ("/preferences", "/image_proxy?url=http://a.example/", "/search/", "/stats",
                       "/static/themes/simple/img/searxng.svg", "/config/engines", "/autocompleter"):  # fmt: skip
            reply = await place.get(target)
            assert (target, reply.status_code) == (target, 404)
        for method in ("POST", "PUT", "DELETE", "OPTIONS"):
            reply = await place.client.request(method, QUERY, auth=KNOWN)
            assert (method, reply.status_code) == (method, 405)
        assert place.searxng.requests == []


async def test_a_redirect_is_neither_followed_nor_handed_on(gateway: Gateway):
    async with before(answering(), gateway) as place:
        reply = await place.get("/search?q=%21%21w+a&format=json")
        assert reply.status_code == 302
        assert "location" not in reply.headers
        async with SearxngSearch(SearchSettings(url=place.url), place.token_file) as search:
            page = await search.search("!!w a", wanted=10, sent=ignore)
        assert page.results
        assert len(place.searxng.requests) == 2


async def test_only_what_the_program_looks_at_comes_back(gateway: Gateway):
    async def chatty(request: Request, wire: Wire) -> None:
        await wire.send(
            b"{}", 429, {"Retry-After": "7", "Set-Cookie": "a=b", "Server": "granian",
                         "Authentication-Info": "0" * 64, "Access-Control-Allow-Origin": "*",
                         "Content-Type": "application/json"},
        )  # fmt: skip

    async with before(chatty, gateway) as place:
        reply = await place.get()
    assert reply.status_code == 429
    assert reply.headers["retry-after"] == "7"
    assert reply.headers.keys() == {
        "retry-after", "content-type", "content-length", "cache-control", "authentication-info"
    }  # fmt: skip


async def test_a_reply_is_bounded_and_not_unpacked(gateway: Gateway):
    async def packed(request: Request, wire: Wire) -> None:
        await wire.send(b"\x1f\x8b", headers={"Content-Encoding": "gzip"})

    async def no_http(request: Request, wire: Wire) -> None:
        await wire.raw(b"SSH-2.0-OpenSSH_9.9\r\n\r\n")

    async def hangs_up(request: Request, wire: Wire) -> None:
        wire.abort()

    for handler, code in ((endless, "too_large"), (packed, "broken"), (no_http, "broken"),
                          (hangs_up, "broken")):  # fmt: skip
        async with before(handler, gateway) as place:
            reply = await place.get()
            assert (reply.status_code, reply.json()["error"]["code"]) == (502, code)
            if handler is endless:
                await place.searxng.until_idle()


async def test_without_searxng_the_gateway_says_so(tmp_path: Path):
    with gateway_before(address_of_nobody(), tmp_path / "search.token") as url:
        async with httpx.AsyncClient(base_url=url, trust_env=False) as client:
            reply = await client.get(QUERY, auth=KNOWN)
            assert (reply.status_code, reply.json()["error"]["code"]) == (503, "down")
            assert (await client.get("/healthz")).status_code == 503
        async with SearxngSearch(SearchSettings(url=url), tmp_path / "search.token") as search:
            with pytest.raises(ServiceRefused, match=r"failed \(HTTP 503\)"):
                await search.search("a wren", wanted=10, sent=ignore)


async def test_beyond_eight_queries_the_gateway_is_busy_and_then_free_again(gateway: Gateway):
    free = asyncio.Event()

    async def held(request: Request, wire: Wire) -> None:
        await free.wait()
        await wire.send_json({})

    async with before(held, gateway) as place, asyncio.TaskGroup() as tasks:
        asked = [tasks.create_task(place.get(f"/search?q={number}")) for number in range(8)]
        await place.searxng.until_requests(8)
        busy = await place.get("/search?q=more")
        assert (busy.status_code, busy.headers["retry-after"]) == (503, "1")
        free.set()
        assert [(await task).status_code for task in asked] == [200] * 8
        assert (await place.get("/search?q=more")).status_code == 200


async def test_a_search_that_is_given_up_leaves_the_gateway_as_it_was(gateway: Gateway):
    async with before(stalls, gateway) as place:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await place.get()
        assert (await place.bare("/")).status_code == 200


async def test_doctor_learns_the_version_through_the_gateway(gateway: Gateway):
    async def reporter(request: Request, wire: Wire) -> None:
        if request.path == "/healthz":
            await wire.send("OK")
        else:
            await wire.send_json({"version": "2026.8.22"})

    async with before(reporter, gateway) as place:
        vitals = await searxng_vitals(place.url, place.token_file)
    assert vitals.version == "2026.8.22"


def failing(*arguments: str) -> Iterator[object]:
    done = subprocess.run(  # noqa: S603 - ours
        [sys.executable, "-m", "askance.services.search_gateway", *arguments],
        capture_output=True, text=True, timeout=PATIENCE_S, check=False,
    )  # fmt: skip
    yield done.returncode
    yield done.stderr


def test_what_keeps_it_from_starting_is_one_sentence_and_an_exit_code(tmp_path: Path):
    token = tmp_path / "token"
    usual = ("--upstream", "http://127.0.0.1:8080", "--token-file", str(token))
    code, text = failing(*usual)
    assert (code, "cannot be read" in str(text)) == (2, True)
    token.write_text(TOKEN)
    code, text = failing(*usual, "--port", "99999")
    assert (code, "port must be 0-65535" in str(text)) == (1, True)


def test_its_health_is_that_of_searxng(gateway: Gateway):
    """Where nobody listens behind it, the container's first process is ended; here there is none."""

    async def health_of(port: str, upstream: str) -> tuple[int | None, str]:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-c", HEALTH, port, upstream),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        text, _ = await process.communicate()
        return process.returncode, text.decode()

    async def scenes() -> list[tuple[int | None, str]]:
        async def well(request: Request, wire: Wire) -> None:
            await wire.send("OK", 200 if request.path == "/healthz" else 404)

        async with before(well, gateway) as place:
            port = place.url.rpartition(":")[2]
            nobody = address_of_nobody().rpartition(":")[2]
            return [
                await health_of(port, str(place.searxng.port)),
                await health_of(nobody, str(place.searxng.port)),
                await health_of(port, nobody),
            ]

    well, silent, gone = asyncio.run(scenes())
    assert well == (0, "")
    assert silent[0] == 1
    assert "The gateway does not answer" in silent[1]
    assert gone[0] == 1
    assert json.loads(gone[1].splitlines()[0]) == [1, 15]


# The check, with a stand-in for the one call that would end a container.
HEALTH = """
import json, os, sys
os.kill = lambda pid, number: print(json.dumps([pid, int(number)]), flush=True)
from askance.services import gateway_health as health
health.main(int(sys.argv[1]), int(sys.argv[2]))
"""
