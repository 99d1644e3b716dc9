"""What runs on this machine already, told apart by its answers; and which tier fits."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from askance.adapters.llm.local_servers import find_servers
from askance.adapters.llm.model_queue import SpeedFile
from askance.app.model_offers import (
    expected_answer_s,
    offers,
    running_servers,
    try_processor,
)
from askance.app.model_tiers import model_tiers
from askance.config.folders import Folders
from askance.domain.downloads import FoundServer, ProcessorTrial
from askance.domain.ports.model import Speed
from servers.loopback import Request, Wire, serve

GB = 1_000_000_000
QUICK = ProcessorTrial(4000, 80)
OLLAMA = FoundServer("Ollama", "ollama", "http://127.0.0.1:11434", "wren:4b")


def models(*rows: dict[str, Any]) -> str:
    return json.dumps({"object": "list", "data": list(rows)})


def server_with(**paths: str) -> Callable[[Request, Wire], Awaitable[None]]:
    """A server that answers these paths, whose slashes are underscores, and nothing else."""

    async def answer(request: Request, wire: Wire) -> None:
        body = paths.get(request.path.strip("/").replace("/", "_"))
        await wire.send("not found" if body is None else body, 404 if body is None else 200)

    return answer


PROPS = json.dumps({"default_generation_settings": {"n_ctx": 8192}})
WREN = {"id": "wren", "object": "model"}
SERVERS = {
    "llama.cpp": ("LM Studio", {"v1_models": models({**WREN, "owned_by": "llamacpp"})}, "wren"),
    "llama.cpp by its properties": ("Jan", {"v1_models": models(WREN), "props": PROPS}, "wren"),
    "vLLM on llama.cpp's port": (
        "llama.cpp",
        {"v1_models": models({**WREN, "owned_by": "vllm"})},
        "wren",
    ),
    "LM Studio with another model in memory": (
        "LM Studio",
        {
            "v1_models": models({"id": "large"}, {"id": "nomic-embed-text"}, {"id": "small"}),
            "api_v0_models": models(
                {"id": "large", "type": "llm", "state": "not-loaded"},
                {"id": "small", "type": "llm", "state": "loaded"},
            ),
        },
        "small",
    ),
    "Jan": ("Jan", {"v1_models": models(WREN)}, "wren"),
    "Ollama": (
        "Ollama",
        {"v1_models": models({"id": "wren:4b", "owned_by": "library"})},
        "wren:4b",
    ),
    "Ollama without a model": (
        "Ollama",
        {"v1_models": '{"object":"list","data":null}', "api_tags": '{"models":[]}'},
        "",
    ),
    "another one": ("llama.cpp", {"v1_models": models(WREN)}, "wren"),
}
PROGRAMS = [
    "llama.cpp",
    "llama.cpp",
    "vLLM",
    "LM Studio",
    "Jan",
    "Ollama",
    "Ollama",
    "model server",
]


@pytest.mark.parametrize("row", list(zip(SERVERS, PROGRAMS, strict=True)))
async def test_a_server_is_told_by_what_it_answers(row: tuple[str, str]) -> None:
    usual, paths, model = SERVERS[row[0]]
    async with serve(server_with(**paths)) as server:
        (found,) = await find_servers({server.port: usual})
    assert (found.program, found.model, found.url) == (row[1], model, server.url)
    assert found.api == ("ollama" if row[1] == "Ollama" else "openai")


NO_MODEL_SERVERS = {
    "a web site": {"v1_models": "<html>hello</html>"},
    "no such page": {},
    "another JSON": {"v1_models": '{"status": "ok"}'},
    "a list of nothing": {"v1_models": models()},
    "embeddings alone": {"v1_models": models({"id": "nomic-embed-text"})},
}


@pytest.mark.parametrize("row", list(NO_MODEL_SERVERS))
async def test_what_is_no_model_server_is_left_alone(row: str) -> None:
    async with serve(server_with(**NO_MODEL_SERVERS[row])) as server:
        assert await find_servers({server.port: "llama.cpp"}) == ()


async def test_a_port_that_keeps_silent_holds_up_nothing() -> None:
    silent = asyncio.Event()

    async def hold(_request: Request, _wire: Wire) -> None:
        await silent.wait()

    async with (
        serve(hold) as held,
        serve(server_with(v1_models=models(WREN))) as server,
    ):
        found = await find_servers({held.port: "llama.cpp", server.port: "Jan"})
        assert [one.program for one in found] == ["Jan"]
        silent.set()


def folders_in(root: Path) -> Folders:
    return Folders(root / "config", root / "data", root / "cache", root / "run")


async def test_the_fastest_by_what_was_measured_here_stands_first(tmp_path: Path) -> None:
    folders = folders_in(tmp_path)
    await SpeedFile(folders.speeds).store("http://127.0.0.1:1", "b", Speed(reply_tps=24.0))

    async def found() -> tuple[FoundServer, ...]:
        near = FoundServer("Jan", "openai", "http://127.0.0.1:2", "a", 1.0)
        return near, FoundServer("llama.cpp", "openai", "http://127.0.0.1:1", "b", 9.0)

    first, second = await running_servers(folders, {"PATH": ""}, found)
    assert (first.program, first.words_per_s) == ("llama.cpp", 18.0)
    assert (second.program, second.words_per_s) == ("Jan", 0.0)


async def test_an_ollama_that_is_not_started_is_offered(tmp_path: Path) -> None:
    program = tmp_path / "ollama"
    program.write_text("#!/bin/sh\n", encoding="ascii")
    program.chmod(0o755)

    async def nothing() -> tuple[FoundServer, ...]:
        return ()

    (found,) = await running_servers(folders_in(tmp_path), {"PATH": str(tmp_path)}, nothing)
    assert (found.program, found.is_running) == ("Ollama", False)


@pytest.mark.parametrize(
    ("memory", "card", "trial", "chosen"),
    [
        (16 * GB, 0, QUICK, "large"),
        (6 * GB, 0, QUICK, "medium"),
        (3 * GB, 0, QUICK, "small"),
        (1 * GB, 0, QUICK, "small"),
        (0, 0, QUICK, "large"),
        (16 * GB, 0, ProcessorTrial(500, 15), "medium"),
        (16 * GB, 0, ProcessorTrial(10, 2), "small"),
        (16 * GB, 0, None, "large"),
        (3 * GB, 24 * GB, ProcessorTrial(10, 2), "large"),
        (3 * GB, 6 * GB, ProcessorTrial(10, 2), "medium"),
    ],
)
async def test_the_largest_that_fits_memory_and_pace_is_chosen(
    tmp_path: Path, memory: int, card: int, trial: ProcessorTrial | None, chosen: str
) -> None:
    servers = (OLLAMA,) if card else ()
    found = await offers(
        folders_in(tmp_path), servers, trial, free=lambda: memory, card=lambda: card
    )
    assert found.tiers[found.chosen].tier.key == chosen
    assert found.by_ollama is bool(card)
    assert found.free_disk > 0


def test_tiers_are_three_from_small_to_large_under_a_free_licence() -> None:
    tiers = model_tiers()
    assert [tier.key for tier in tiers] == ["small", "medium", "large"]
    assert sorted(tiers, key=lambda tier: tier.bytes) == list(tiers)
    for tier in tiers:
        assert tier.licence == "Apache 2.0"
        assert tier.file.endswith("Q4_K_M.gguf")
        assert tier.needs_bytes > tier.bytes
        assert tier.ollama.startswith("qwen3:")


async def test_the_processor_is_tried_in_a_process_of_its_own() -> None:
    trial = await try_processor()
    assert trial is not None
    assert trial.gigaflops > 0
    assert trial.gigabytes_per_s > 0
    small, _, large = model_tiers()
    assert expected_answer_s(small, trial) < expected_answer_s(large, trial)
