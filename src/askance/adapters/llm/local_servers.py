"""Model servers that run on this machine, found on the ports where they listen unless told otherwise.

They are asked for their list of models, and told apart by what they answer. What answers with anything
else is no model server, and is left alone. Nothing leaves this machine.
"""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import suppress
from http import HTTPStatus
from typing import Any, cast

from askance.adapters.llm.openai_wire import ModelEntry, read_entries, read_props
from askance.adapters.network.own_services import reply_of
from askance.config.choices import LlmApi
from askance.domain.downloads import FoundServer
from askance.domain.errors import AskanceError

LIMIT_S = 0.4
"""How long a port may take: what is loopback answers in milliseconds, or is busy with other things."""
PORTS = {
    11434: "Ollama",
    8080: "llama.cpp",
    1234: "LM Studio",
    1337: "Jan",
    8000: "vLLM",
}
"""Where each program listens by itself."""
# What the programs write as the owner of their models.
_OWNERS = {"llamacpp": "llama.cpp", "vllm": "vLLM", "library": "Ollama"}
_SERVICE = "model server"


async def find_servers(ports: dict[int, str] | None = None) -> tuple[FoundServer, ...]:
    """Ask all ports at once, and return what answered, the quickest first."""
    asked = PORTS if ports is None else ports
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_look(port, usual)) for port, usual in asked.items()]
    found = [server for task in tasks if (server := task.result()) is not None]
    return tuple(sorted(found, key=lambda server: server.answered_ms))


async def _look(port: int, usual: str) -> FoundServer | None:
    url, began = f"http://127.0.0.1:{port}", time.monotonic()
    with suppress(TimeoutError):
        async with asyncio.timeout(LIMIT_S):
            entries = read_entries(await _text(url, "/v1/models"))
            if entries is None:
                return None
            answered_ms = (time.monotonic() - began) * 1000
            program = await _program(url, usual, entries)
            names = [entry.name for entry in entries if entry.chats]
            loaded = await _loaded(url) if program == "LM Studio" else ""
            api = LlmApi.OLLAMA if program == "Ollama" else LlmApi.OPENAI
            model = loaded if loaded in names else next(iter(names), "")
            # Without a model only Ollama is of use: it can get one.
            if model or api is LlmApi.OLLAMA:
                return FoundServer(program, api.value, url, model, answered_ms)
    return None


async def _program(url: str, usual: str, entries: tuple[ModelEntry, ...]) -> str:
    """Return what the server is: its port says only what is likely."""
    owner = next((entry.owner.lower() for entry in entries if entry.owner), "")
    if owner in _OWNERS:
        return _OWNERS[owner]
    # Before Ollama's own list, which llama.cpp and its kin have, too.
    if read_props(await _text(url, "/props")) is not None:
        return "llama.cpp"
    # An Ollama without a model names no owner.
    if '"models"' in (tags := await _text(url, "/api/tags")) and read_entries(tags) is not None:
        return "Ollama"
    # What names itself on its models was told apart above.
    return usual if usual in {"LM Studio", "Jan"} else _SERVICE


async def _loaded(url: str) -> str:
    """Return the model that LM Studio holds in memory: its other list has all that it has on the disk."""
    with suppress(ValueError):
        rows: Any = json.loads(await _text(url, "/api/v0/models") or "{}")
        found = cast("dict[str, Any]", rows).get("data") if isinstance(rows, dict) else None
        for row in cast("list[Any]", found) if isinstance(found, list) else ():
            match row:
                case {"state": "loaded", "type": "llm" | "vlm", "id": str(name)}:
                    return name
                case _:
                    pass
    return ""


async def _text(url: str, path: str) -> str:
    """Return what stands at a path; nothing where no server answers that."""
    try:
        status, body, _ = await reply_of(_SERVICE, url, path)
    except AskanceError:
        return ""
    return body.decode(errors="replace") if status == HTTPStatus.OK else ""
