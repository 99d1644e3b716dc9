"""Pictures on their way to a model, and which models are known to see."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest

from askance.domain.conversation import Picture
from askance.domain.ports.model import ChatMessage, ModelCall, Role
from servers.loopback import Request, Wire, serve
from servers.ollama import FakeOllama, shown, tag
from servers.openai import FakeOpenAI
from servers.scripted import parts_of

PICTURE = Picture(b"\x89PNG", "image/png", "Screenshot")
SHOWN = ModelCall(
    (ChatMessage(Role.SYSTEM, "Look."), ChatMessage(Role.USER, "What is it?", (PICTURE,))), 50
)
CODED = b64encode(PICTURE.data).decode()
CONTENT = [
    {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{CODED}"}},
    {"type": "text", "text": "What is it?"},
]


async def test_ollama_gets_pictures_beside_the_message() -> None:
    fake = FakeOllama()
    await parts_of(fake, SHOWN)
    assert fake.chats[-1]["messages"] == [
        {"role": "system", "content": "Look."},
        {"role": "user", "content": "What is it?", "images": [CODED]},
    ]


async def test_other_servers_get_pictures_as_parts_of_the_message() -> None:
    fake = FakeOpenAI()
    await parts_of(fake, SHOWN)
    assert fake.chats[-1]["messages"][-1] == {"role": "user", "content": CONTENT}


async def test_a_template_without_a_system_role_still_gets_the_picture() -> None:
    fake = FakeOpenAI()

    async def refuses_system(request: Request, wire: Wire) -> None:
        if any(message["role"] == "system" for message in fake.chats[-1]["messages"]):
            await wire.send_json({"error": {"message": "System role not supported"}}, 400)
            return
        await wire.start(headers={"Content-Type": "text/event-stream"})
        await wire.chunk(fake.text("A boat.") + fake.end())

    fake.on_chat = refuses_system
    await parts_of(fake, SHOWN)
    (message,) = fake.chats[-1]["messages"]
    assert message["content"] == [{"type": "text", "text": "Look."}, *CONTENT]


@pytest.mark.parametrize(
    ("abilities", "sees"),
    [(("completion", "vision"), True), (("completion",), False), (None, None)],
)
async def test_ollama_tells_whether_a_model_sees(
    abilities: tuple[str, ...] | None, sees: bool | None
) -> None:
    row = tag("tiny:latest", capabilities=abilities)
    fake = FakeOllama(tags=[row], shows={"tiny:latest": {**shown(), "capabilities": abilities}})
    async with serve(fake) as server, fake.model(server.url) as model:
        assert (await model.info()).sees is sees


ENTRIES: dict[str, tuple[dict[str, Any], bool | None]] = {
    "OpenRouter": ({"architecture": {"input_modalities": ["text", "image"]}}, True),
    "OpenRouter's without": ({"architecture": {"input_modalities": ["text"]}}, False),
    "LM Studio": ({"type": "vlm"}, True),
    "LM Studio's without": ({"type": "llm"}, False),
    "LM Studio's newer": ({"capabilities": {"vision": True}}, True),
    "llama.cpp": ({"capabilities": ["completion", "multimodal"]}, True),
    "nobody tells": ({}, None),
}


@pytest.mark.parametrize("name", ENTRIES)
async def test_lists_of_models_tell_it_in_many_ways(name: str) -> None:
    fields, sees = ENTRIES[name]
    fake = FakeOpenAI(entries=[{"id": "tiny", **fields}], n_ctx=0)
    async with serve(fake) as server, fake.model(server.url) as model:
        assert (await model.info()).sees is sees


@pytest.mark.parametrize("vision", [True, False])
async def test_the_properties_of_llama_cpp_count_before_its_list(vision: bool) -> None:
    fake = FakeOpenAI(modalities={"vision": vision, "audio": False})
    async with serve(fake) as server, fake.model(server.url) as model:
        assert (await model.info()).sees is vision
