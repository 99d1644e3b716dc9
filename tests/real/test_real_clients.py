"""Published clients of OpenAI's API, each installed for itself, against the endpoint: what their users see.

The table of what was seen, with the versions, stands in `docs/agents.md`. The newest versions are installed, which
takes a network and minutes: `ASKANCE_TEST_CLIENTS=1` asks for it.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from servers.model_script import ModelScript
from servers.openai_endpoint import open_endpoint
from servers.world import ONE_ROUND, knowing_model, some_answer

pytestmark = [pytest.mark.real, pytest.mark.exhaustive]
# Read here: tests run without the settings of their surroundings.
WANTED = os.environ.get("ASKANCE_TEST_CLIENTS", "")
SCRIPTS = Path(__file__).parent / "clients"
NODE = {
    "openai": ["openai"],
    "ai": ["ai", "@ai-sdk/openai"],
    "langchain": ["@langchain/openai", "@langchain/core"],
    "llamaindex": ["llamaindex", "@llamaindex/openai"],
    "agents": ["@openai/agents", "zod"],
}
PYTHON = {
    "openai": ["openai"],
    "agents": ["openai-agents"],
    "langchain": ["langchain-openai"],
    "llamaindex": ["llama-index-llms-openai-like"],
    "litellm": ["litellm"],
}
REFUSED = {"token": "not one of this server's", "model": "no model 'gpt-9'", "long": "too long"}


async def run(*command: str | Path, folder: Path) -> list[str]:
    process = await asyncio.create_subprocess_exec(
        *command, cwd=folder, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
    )
    out, _ = await process.communicate()
    assert process.returncode == 0, command
    return out.decode().splitlines()


def check(lines: Sequence[str]) -> None:
    record: dict[str, dict[str, Any]] = {one["try"]: one for one in map(json.loads, lines)}
    assert {"ask", "stream", "stop", "turns", "json", "picture", "ten", *REFUSED} <= set(record)
    for name, one in record.items():
        assert one["ok"] is (name not in REFUSED), one
        assert REFUSED.get(name, "") in one["said"]
    for name in ("ask", "stream", "json", "picture"):
        assert "1871" in record[name]["said"], record[name]


def script() -> ModelScript:
    return ModelScript(knowing_model().plan, ONE_ROUND, [some_answer])


def needs(program: str) -> str:
    found = shutil.which(program) if WANTED else None
    if found is None:
        pytest.skip("no published clients: ASKANCE_TEST_CLIENTS=1 installs them with npm and pip")
    return found


@pytest.mark.parametrize("client", NODE)
async def test_a_client_on_node_sees_what_is_meant(tmp_path: Path, client: str) -> None:
    npm, node = needs("npm"), needs("node")
    folder = tmp_path / "client"
    folder.mkdir()
    await run(npm, "install", "--no-audit", "--no-fund", *NODE[client], folder=folder)
    async with open_endpoint(tmp_path, script()) as endpoint:
        check(
            await run(node, SCRIPTS / "openai_node.mjs", client, endpoint.url, "k", folder=folder)
        )


@pytest.mark.parametrize("client", PYTHON)
async def test_a_client_on_python_sees_what_is_meant(tmp_path: Path, client: str) -> None:
    needs("pip")
    await run(sys.executable, "-m", "venv", "client", folder=tmp_path)
    python = tmp_path / "client/bin/python"
    await run(python, "-m", "pip", "install", "--quiet", *PYTHON[client], folder=tmp_path)
    async with open_endpoint(tmp_path, script()) as endpoint:
        reported = await run(
            python, SCRIPTS / "openai_python.py", client, endpoint.url, "k", folder=tmp_path
        )
    check(reported)
