"""Fetching a model and starting Ollama: progress that only grows, and every failure in words."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from askance.adapters.llm.ollama import pull_model, start_ollama
from askance.config.settings import LlmSettings
from askance.domain.errors import (
    AskanceError,
    ModelMissing,
    ModelRefused,
    ServiceDown,
    ServiceProtocolError,
    ServiceRefused,
    ServiceTimeout,
)
from askance.domain.ports.model import PullStep
from python_program import write_python_program
from servers.faults import address_of_nobody, fails, free_port
from servers.loopback import Request, Wire, serve

Play = Callable[[Wire], Awaitable[None]]


def line(**fields: Any) -> bytes:
    return json.dumps(fields).encode() + b"\n"


async def pull(play: Play, **settings: Any) -> list[PullStep]:
    """Fetch from an Ollama that plays a script, and return the steps that were told."""
    steps: list[PullStep] = []

    async def answer(request: Request, wire: Wire) -> None:
        assert (request.method, request.path) == ("POST", "/api/pull")
        assert request.json() == {"model": "wren:4b", "stream": True}
        await play(wire)

    async with serve(answer) as server:
        await pull_model(LlmSettings(url=server.url, **settings), "wren:4b", steps.append)
    return steps


def lines(*pieces: bytes) -> Play:
    async def play(wire: Wire) -> None:
        await wire.start()
        for piece in pieces:
            await wire.chunk(piece)

    return play


async def test_layers_are_added_up_and_lines_without_totals_change_nothing() -> None:
    steps = await pull(
        lines(
            line(status="pulling manifest"),
            line(status="pulling a", digest="a", total=100),
            line(status="pulling a", digest="a", total=100, completed=60),
            line(status="pulling b", digest="b", total=50, completed=70),
            b"\n",
            line(status="verifying sha256 digest"),
            line(status="success"),
        )
    )
    assert steps == [
        PullStep(),
        PullStep(0, 100),
        PullStep(60, 100),
        PullStep(110, 150),
        PullStep(110, 150),
    ]


# As Ollama 0.17 says it without a network, before the first layer and in the middle of one.
OFFLINE = (
    'pull model manifest: Get "https://registry.example/v2/library/wren/manifests/4b": dial tcp: '
    "lookup registry.example on 127.0.0.53:53: server misbehaving",
    'max retries exceeded: Get "https://layers.example/aa": dial tcp 192.0.2.1:443: connect: '
    "network is unreachable",
    'pull model manifest: Get "https://registry.example/v2/": proxyconnect tcp: dial tcp: lookup '
    "proxy.example: no such host",
)


@pytest.mark.parametrize("said", OFFLINE)
async def test_a_fetch_without_a_network_is_told_as_such(said: str) -> None:
    with pytest.raises(ServiceRefused, match="cannot connect") as caught:
        await pull(lines(line(status="pulling manifest"), line(error=said)))
    assert said.rpartition('": ')[2] in caught.value.problem
    assert "https://" not in caught.value.problem
    assert "internet" in caught.value.fix
    assert "HTTPS_PROXY" in caught.value.fix


def refusing(status: int, said: Any) -> Play:
    return lambda wire: wire.send_json(said, status)


FULL = "write /models/blobs/sha256-aa-partial: no space left on device"
TOO_NEW = "pull model manifest: 412: The model that you pull requires a newer version of Ollama."


@pytest.mark.parametrize(
    ("play", "kind", "fix"),
    [
        (lines(line(error="pull model manifest: file does not exist")), ModelMissing, "search"),
        (lines(line(error=FULL)), ServiceRefused, "Free some space"),
        (lines(line(error=TOO_NEW)), ServiceRefused, "https://ollama.com/download"),
        (lines(line(status="pulling manifest")), ServiceProtocolError, ""),
        (lines(b"<html>\n"), ServiceProtocolError, ""),
        # Before the first line.
        (refusing(400, {"error": "invalid model name"}), ModelMissing, "search"),
        (refusing(500, {"error": "disk is full"}), ServiceRefused, ""),
        (refusing(404, "not a page"), ServiceProtocolError, ""),
    ],
)
async def test_a_fetch_that_fails_says_why(play: Play, kind: type[AskanceError], fix: str) -> None:
    with pytest.raises(kind) as caught:
        await pull(play)
    assert fix in caught.value.fix


@pytest.mark.parametrize("name", ["", "  "])
async def test_without_a_name_nothing_is_asked_for(name: str) -> None:
    with pytest.raises(ModelMissing, match="model"):
        await pull_model(LlmSettings(url=address_of_nobody()), name, print)


async def test_a_model_in_a_cloud_is_never_asked_for() -> None:
    with pytest.raises(ModelRefused):
        await pull_model(LlmSettings(url=address_of_nobody()), "wren:480b-cloud", print)


async def test_an_ollama_that_is_down_is_named() -> None:
    with pytest.raises(ServiceDown):
        await pull_model(LlmSettings(url=address_of_nobody()), "wren:4b", print)


async def test_an_ollama_that_falls_silent_is_given_up() -> None:
    async def play(wire: Wire) -> None:
        await wire.start()
        await wire.chunk(line(status="pulling manifest"))
        await wire.client_gone()

    with pytest.raises(ServiceTimeout):
        await pull(play, load_timeout_s=0.2)


async def test_cancelling_hangs_up() -> None:
    begun, gone = asyncio.Event(), asyncio.Event()

    async def play(wire: Wire) -> None:
        await wire.start()
        await wire.chunk(line(status="pulling manifest"))
        begun.set()
        await wire.client_gone()
        gone.set()

    async def answer(_request: Request, wire: Wire) -> None:
        await play(wire)

    async with serve(answer) as server, asyncio.TaskGroup() as group:
        fetching = group.create_task(pull_model(LlmSettings(url=server.url), "wren:4b", print))
        await begun.wait()
        fetching.cancel()
        await gone.wait()
    assert fetching.cancelled()


def script(tmp_path: Path, text: str) -> str:
    file = tmp_path / "ollama"
    write_python_program(file, text)
    return str(file)


SERVER = """
import http.server, os, sys
assert sys.argv[1:] == ["serve"]
class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"{}")
        self.wfile.flush()
        os._exit(0)
host, _, port = os.environ["OLLAMA_HOST"].rpartition(":")
http.server.HTTPServer((host, int(port)), Answer).serve_forever()
"""


async def test_ollama_is_started_and_waited_for(tmp_path: Path) -> None:
    # Where llm.url says, whatever else the environment may say.
    environment = {"OLLAMA_HOST": "127.0.0.1:1", "PATH": "/usr/bin:/bin"}
    settings = LlmSettings(url=f"http://127.0.0.1:{free_port()}")
    await start_ollama(settings, script(tmp_path, SERVER), environment)


async def test_an_ollama_that_ends_at_once_is_told(tmp_path: Path) -> None:
    settings = LlmSettings(url=address_of_nobody())
    with pytest.raises(ServiceDown, match=r"with status 3\. Run") as caught:
        await start_ollama(settings, script(tmp_path, "raise SystemExit(3)"), {})
    place = settings.url.removeprefix("http://")
    assert f"`OLLAMA_HOST={place} ollama serve`" in caught.value.fix


async def test_a_port_that_another_program_holds_is_seen(tmp_path: Path) -> None:
    async with serve(fails) as server:
        settings = LlmSettings(url=server.url)
        with pytest.raises(ServiceDown, match=rf"listens at 127\.0\.0\.1:{server.port} already"):
            await start_ollama(settings, script(tmp_path, "raise SystemExit(1)"), {})


async def test_an_ollama_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ServiceDown, match="started"):
        await start_ollama(LlmSettings(url=address_of_nobody()), str(tmp_path / "no"), {})
