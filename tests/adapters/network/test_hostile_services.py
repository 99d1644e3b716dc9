"""Whatever answers at a service's address, its client ends with an error that names the service."""

from __future__ import annotations

import gzip
import ssl
import tracemalloc
from collections.abc import Awaitable, Callable
from functools import cache
from pathlib import Path

import pytest
import trustme

from askance.adapters.containers.container_services import round_trip
from askance.adapters.llm.ollama import OllamaModel, pull_model
from askance.adapters.llm.openai import OpenAIModel
from askance.adapters.network.own_services import loaded_models, reader_vitals, searxng_vitals
from askance.adapters.reader import service as reader_service
from askance.adapters.reader.service import ServiceReader
from askance.adapters.search.searxng import SearxngSearch
from askance.config.settings import LlmSettings, ReaderSettings, SearchSettings
from askance.domain.errors import ModelMissing, ServiceError
from fakes.outbound import ignore
from sampled import sampled
from servers.garbled import damaging_relay, garbling, location, reply, seeded
from servers.loopback import Handler, Request, Wire, serve
from servers.reader_client import TOKEN
from servers.site import ScriptedResolver

Asking = Callable[[str, Path], Awaitable[object]]
SEED = 8
MIB = 1024 * 1024


async def search(url: str, _: Path) -> None:
    async with SearxngSearch(SearchSettings(url=url)) as searxng:
        await searxng.search("cats", wanted=5, sent=ignore)


async def ask_ollama(url: str, _: Path) -> None:
    async with OllamaModel(LlmSettings(url=url)) as model:
        await model.info()


async def ask_openai(url: str, _: Path) -> None:
    async with OpenAIModel(LlmSettings(url=url, load_timeout_s=1)) as model:
        await model.info()


async def pull(url: str, _: Path) -> None:
    await pull_model(LlmSettings(url=url), "wren:8b", lambda step: None)


async def read(url: str, folder: Path) -> None:
    token = folder / "token"
    token.write_text(TOKEN, "ascii")
    resolver = ScriptedResolver({"site.example": [["93.184.215.14"]]})
    async with ServiceReader(ReaderSettings(url=url), token, resolver) as reader:
        await reader.read("http://site.example/", sent=ignore)


async def look(url: str, _: Path) -> None:
    if (trip := await round_trip("searxng", url)).problem:
        raise ServiceError("searxng", url, trip.problem)


ASKING: dict[str, Asking] = {
    "searxng": search,
    "ollama": ask_ollama,
    "openai": ask_openai,
    "pull": pull,
    "reader": read,
    "vitals": lambda url, _: searxng_vitals(url),
    "version": lambda url, _: reader_vitals(url),
    "loaded": lambda url, _: loaded_models(url),
    "healthz": look,
}
EACH = pytest.mark.parametrize("asking", ASKING.values(), ids=ASKING)


async def outcome(asking: Asking, url: str, folder: Path) -> str:
    """How asking ended: with an error that the program expects, or with an answer."""
    try:
        await asking(url, folder)
    except (ServiceError, ModelMissing) as exc:
        return type(exc).__name__
    return "answered"


@cache
def packed(layers: int) -> bytes:
    """64 MiB of zeros, packed so many times."""
    inner = packed(layers - 1) if layers > 1 else bytes(64 * MIB)
    return gzip.compress(inner, compresslevel=1)


def serving(*replies: bytes) -> Handler:
    given = iter(replies)

    async def handle(request: Request, wire: Wire) -> None:
        await wire.raw(next(given, b""))

    return handle


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask a reader that hung up again at once: it is not being restarted here."""
    monkeypatch.setattr(reader_service, "KNOCK_S", 0.01)
    monkeypatch.setattr(reader_service, "RESTART_S", 0.2)


@EACH
async def test_no_redirect_is_looked_into(asking: Asking, tmp_path: Path):
    chance = seeded(SEED)
    own = (b"mailto:a@b", b"javascript:x", b"http:opaque", b"http://xn--a", b"\xff", b"http://[")
    locations = [*own, *(location(chance) for _ in range(60))]

    async def handle(request: Request, wire: Wire) -> None:
        head = b"HTTP/1.1 302 Away\r\nLocation: %b\r\nContent-Length: 0\r\n\r\n"
        await wire.raw(head % locations[len(server.requests) % len(locations)])

    async with serve(handle) as server:
        ends = {await outcome(asking, server.url, tmp_path) for _ in locations}
        assert {request.path for request in server.requests} <= {
            server.requests[0].path, "/props", "/v1/models", "/api/tags",
        }  # fmt: skip
    assert "answered" not in ends


@EACH
async def test_broken_replies_are_errors_of_the_service(asking: Asking, tmp_path: Path):
    chance = seeded(SEED)
    replies = [reply(chance) for _ in range(120)]
    async with serve(serving(*replies)) as server:
        ends = [await outcome(asking, server.url, tmp_path) for _ in range(40)]
    if asking is not look:
        assert "answered" not in ends


@pytest.mark.parametrize("layers", sampled([1, 2, 4], every=3))
@EACH
async def test_a_packed_reply_is_not_unpacked(asking: Asking, layers: int, tmp_path: Path):
    bomb = packed(layers)
    packing = {"Content-Encoding": ", ".join(["gzip"] * layers)}

    async def handle(request: Request, wire: Wire) -> None:
        await wire.send(bomb, headers=packing)

    async with serve(handle) as server:
        await outcome(
            asking, server.url, tmp_path
        )  # what is loaded at the first use counts for nothing
        tracemalloc.start()
        try:
            assert await outcome(asking, server.url, tmp_path) != "answered"
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert server.requests[0].headers["accept-encoding"] == "identity"
    assert peak < 8 * MIB


@EACH
async def test_interim_replies_without_end_are_cut_off(asking: Asking, tmp_path: Path):
    async def handle(request: Request, wire: Wire) -> None:
        while True:
            await wire.raw(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 100)

    async with serve(handle) as server:
        assert await outcome(asking, server.url, tmp_path) != "answered"
        await server.until_idle()


@pytest.mark.parametrize("name", ["searxng", "ollama", "version"])
async def test_tls_that_breaks_after_the_handshake_is_an_error_of_the_service(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    authority = trustme.CA()
    authority.cert_pem.write_to_path(str(tmp_path / "authority.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(tls)
    chance = seeded(SEED)

    async def handle(request: Request, wire: Wire) -> None:
        await wire.send(b"x" * 30_000)
        wire.abort()

    async with (
        serve(handle, tls=tls) as server,
        damaging_relay(server.port, [garbling(chance) for _ in range(30)], 6_000) as port,
    ):
        url = f"https://127.0.0.1:{port}"
        ends = {await outcome(ASKING[name], url, tmp_path) for _ in range(30)}
    assert "answered" not in ends
