"""`llm.api openai`: an Ollama behind the address is recognised, and its context is the one asked for."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from askance.adapters.model_choice import CompatibleModel
from askance.config.settings import LlmSettings
from askance.domain.errors import PromptTooLong, ServiceDown
from askance.domain.ports.model import ChatMessage, ModelCall, ModelInfo, ReplyPart, Role, Text
from servers.faults import free_port
from servers.loopback import Request, Wire, serve
from servers.ollama import FakeOllama, shown, tag
from servers.openai import FakeOpenAI

LONG = "word " * 6247
LOADED_BY_ITSELF = 4096


@dataclass
class RealOllama:
    """An Ollama with both of its protocols: in OpenAI's it cuts what is too long, and says nothing."""

    own: FakeOllama = field(
        default_factory=lambda: FakeOllama(
            tags=[tag("tiny:latest")], shows={"tiny:latest": shown(32_768)}
        )
    )
    compatible: FakeOpenAI = field(
        default_factory=lambda: FakeOpenAI(
            entries=[{"id": "tiny:latest", "owned_by": "library"}], n_ctx=0
        )
    )
    only_v1: bool = False

    async def __call__(self, request: Request, wire: Wire) -> None:
        if request.path == "/v1/chat/completions":
            words = " ".join(m["content"] for m in request.json()["messages"]).split()
            self.compatible.words = (f"{min(len(words), LOADED_BY_ITSELF // 2)} words read",)
        if request.path.startswith("/v1/"):
            await self.compatible(request, wire)
        elif self.only_v1:
            await wire.send("not here", 404)
        else:
            await self.own(request, wire)


def model_at(url: str, **settings: Any) -> CompatibleModel:
    return CompatibleModel(LlmSettings.model_validate({"api": "openai", "url": url, **settings}))


async def parts_of(model: CompatibleModel, text: str) -> list[ReplyPart]:
    async with model.reply(ModelCall((ChatMessage(Role.USER, text),), 50)) as parts:
        return [part async for part in parts]


@pytest.mark.parametrize("path", ["", "/v1"])
async def test_an_ollama_is_asked_in_its_own_protocol_and_cuts_nothing(path: str) -> None:
    ollama = RealOllama()
    async with serve(ollama) as server, model_at(server.url + path, context_tokens=8192) as model:
        info = await model.info()
        assert (info.server, info.context_tokens) == ("Ollama 0.34.0", 8192)
        assert await model.models() == (info,)
        assert Text("Lisbon ") in await parts_of(model, LONG)

    assert ollama.compatible.chats == []
    (chat,) = ollama.own.chats
    assert chat["options"]["num_ctx"] == 8192
    assert (chat["truncate"], chat["shift"]) == (False, False)


async def test_what_is_longer_than_its_context_is_refused_with_its_size() -> None:
    async with serve(RealOllama()) as server, model_at(server.url, context_tokens=4096) as model:
        with pytest.raises(PromptTooLong) as caught:
            await parts_of(model, LONG)
    assert (caught.value.needed, caught.value.available) == (6247, 4096)


async def test_an_ollama_of_which_only_this_protocol_gets_through_has_its_own_context() -> None:
    ollama = RealOllama(only_v1=True)
    async with serve(ollama) as server, model_at(server.url, context_tokens=8192) as model:
        assert (await model.info()).context_tokens == LOADED_BY_ITSELF


class LlamaCpp(FakeOpenAI):
    """It answers on some of Ollama's paths, too."""

    async def __call__(self, request: Request, wire: Wire) -> None:
        if request.path == "/api/version":
            await wire.send_json({"version": "0.7.0"})
        else:
            await super().__call__(request, wire)


class LmStudio(FakeOpenAI):
    """It answers every path with status 200."""

    async def __call__(self, request: Request, wire: Wire) -> None:
        if request.path.startswith("/v1/"):
            await super().__call__(request, wire)
        else:
            await wire.send_json({"error": f"Unexpected endpoint or method. ({request.target})"})


@pytest.mark.parametrize("fake", [FakeOpenAI(), FakeOpenAI(n_ctx=0), LlamaCpp(), LmStudio(n_ctx=0)])
async def test_any_other_server_is_asked_in_the_protocol_of_the_settings(fake: FakeOpenAI) -> None:
    async with serve(fake) as server, model_at(server.url) as model:
        assert (await model.info()).name == "tiny"
        assert [info.name for info in await model.models()] == ["tiny"]
        assert Text("Lisbon ") in await parts_of(model, "Where?")
    assert len(fake.chats) == 1


async def test_a_server_that_is_down_is_told_of_as_ever_and_recognised_once_it_is_there() -> None:
    address = f"http://127.0.0.1:{free_port()}"
    async with model_at(address) as model:
        with pytest.raises(ServiceDown, match="model server"):
            await model.info()
        async with serve(RealOllama(), port=int(address.rpartition(":")[2])):
            info: ModelInfo = await model.info()
    assert info.server == "Ollama 0.34.0"
