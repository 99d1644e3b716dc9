"""Two askers and one real model server with one slot: nothing is lost, and the later one is told."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from bench.slow_server import Brake, serve
from bench.tiny_models import write_tiny_model

from integration.test_command_line_runs import Machine, machine
from servers.real_models import small_model
from servers.world import QUESTION
from waiting import patience

OTHER_QUESTION = "Who built the Lindmouth lighthouse?"
pytestmark = [pytest.mark.real, pytest.mark.exhaustive]


# While nobody waits: so slow that the first is not done before the second has started.
BRAKED = 0.05


async def lines_of(m: Machine, question: str, brake: Brake) -> list[dict[str, Any]]:
    process = await m.start("ask", "--json", question)
    assert process.stdout
    lines = list[dict[str, Any]]()
    async for line in process.stdout:
        lines.append(json.loads(line))
        if lines[-1]["type"] == "queued":
            brake.set(0.0)
    assert await process.wait() == 0
    return lines


@pytest.mark.exhaustive
async def test_two_processes_at_once_get_an_answer_each(tmp_path: Path) -> None:
    write_tiny_model(gguf := tmp_path / "tiny.gguf", small_model())
    with serve(gguf, threads=1) as llama:
        llama.brake.set(BRAKED)
        settings = {"ASKANCE_LLM__API": "openai", "ASKANCE_LLM__URL": llama.url}
        async with machine(tmp_path, settings=settings) as m:
            # Once: the scripted server is asked again and again.
            async with patience(), asyncio.TaskGroup() as group:
                runs = [
                    group.create_task(lines_of(m, question, llama.brake))
                    for question in (QUESTION, OTHER_QUESTION)
                ]
            ends = [run.result() for run in runs]
            assert [lines[-1]["type"] for lines in ends] == ["answered", "answered"]
            assert all(lines[-1]["sources"] for lines in ends)
            # A tiny model with random weights writes what no source carries; the server was there for both.
            texts = [warning for lines in ends for warning in lines[-1]["warnings"]]
            assert not any("server" in warning or "time limit" in warning for warning in texts)
            kinds = [[line["type"] for line in lines] for lines in ends]
            (later,) = (k for k in kinds if "queued" in k)
            assert later[:2] == ["queued", "dequeued"]
