"""What is Ollama's own: its options, its names, its clouds."""

from __future__ import annotations

from typing import Any

import pytest

from askance.domain.errors import ModelMissing, ModelRefused
from askance.domain.ports.model import (
    Finished,
    FinishReason,
    ModelCall,
    ModelInfo,
    Text,
)
from remedies import remedy_of
from servers.loopback import Request, Wire, serve
from servers.ollama import FakeOllama, shown, tag
from servers.scripted import CALL, parts_of


async def info_of(fake: FakeOllama, **settings: Any) -> ModelInfo:
    async with serve(fake) as server, fake.model(server.url, **settings) as model:
        return await model.info()


async def chat_of(fake: FakeOllama, call: ModelCall = CALL, **settings: Any) -> dict[str, Any]:
    """The body of the chat request that a call leads to."""
    assert [part for part in await parts_of(fake, call, **settings) if isinstance(part, Text)]
    return fake.chats[-1]


async def test_a_prompt_is_never_cut_in_silence() -> None:
    body = await chat_of(FakeOllama())

    assert body["truncate"] is False
    assert body["shift"] is False
    assert body["options"] == {"num_ctx": 4096, "num_predict": 50, "temperature": 0.3}
    assert body["messages"] == [{"role": "user", "content": "Where does Lisbon lie?"}]


@pytest.mark.parametrize(("num_ctx", "context"), [(2048, 2048), (100_000, 4096)])
async def test_the_context_is_the_smaller_of_the_settings_and_the_models(
    num_ctx: int, context: int
) -> None:
    fake = FakeOllama()

    assert (await info_of(fake, context_tokens=num_ctx)).context_tokens == context
    assert (await chat_of(fake, context_tokens=num_ctx))["options"]["num_ctx"] == context


async def test_a_model_that_tells_no_context_gets_the_settings() -> None:
    fake = FakeOllama(shows={"tiny:latest": {"capabilities": ["completion"]}})

    assert (await info_of(fake, context_tokens=3000)).context_tokens == 3000


@pytest.mark.parametrize(
    ("setting", "sent"), [("30m", "30m"), ("-1", -1), ("600", 600), ("1.5", 1.5), ("0", 0)]
)
async def test_a_keep_alive_without_unit_is_sent_as_a_number(setting: str, sent: object) -> None:
    assert (await chat_of(FakeOllama(), keep_alive=setting))["keep_alive"] == sent


@pytest.mark.parametrize("think", [True, False])
async def test_only_a_reasoning_model_is_told_whether_to_reason(think: bool) -> None:
    call = ModelCall(CALL.messages, 50, think=think)
    reasoning = FakeOllama(shows={"tiny:latest": shown(4096, "completion", "thinking")})

    assert (await chat_of(reasoning, call))["think"] is think
    assert "think" not in await chat_of(FakeOllama(), call)


def crowded() -> FakeOllama:
    return FakeOllama(
        tags=[
            tag("embedder:latest", capabilities=["embedding"]),
            tag("far:cloud", remote_host="https://ollama.com:443"),
            tag("disguised:latest"),
            tag("gone:latest"),
            tag("old:7b", capabilities=None),
            tag("tiny:latest"),
        ],
        shows={
            "embedder:latest": shown(512, "embedding"),
            "far:cloud": shown(),
            "disguised:latest": shown(remote_host="https://ollama.com:443"),
            "old:7b": {"model_info": None, "capabilities": None},
            "tiny:latest": shown(),
        },
    )


async def test_the_first_chat_model_of_this_machine_is_taken() -> None:
    assert (await info_of(crowded())).name == "old:7b"


async def test_only_chat_models_of_this_machine_are_listed() -> None:
    fake = crowded()
    async with serve(fake) as server, fake.model(server.url) as model:
        assert [info.name for info in await model.models()] == ["old:7b", "tiny:latest"]


async def test_a_server_without_models_is_told_to_fetch_one() -> None:
    fake = FakeOllama(tags=[])
    async with serve(fake) as server, fake.model(server.url) as model:
        assert await model.models() == ()
        with pytest.raises(ModelMissing, match="ollama pull"):
            await model.info()


async def test_a_missing_model_is_named_with_its_remedy() -> None:
    with pytest.raises(ModelMissing) as caught:
        await info_of(FakeOllama(), model="qwen3:4b")

    assert caught.value.problem.values == {"model": "qwen3:4b"}
    remedy = remedy_of(caught.value)
    assert (remedy.command, remedy.setting) == ("ollama pull", "llm.model")


async def test_an_embedding_model_cannot_chat() -> None:
    with pytest.raises(ModelMissing, match="cannot chat"):
        await info_of(crowded(), model="embedder")


@pytest.mark.parametrize("name", ["far:cloud", "disguised", "disguised:latest"])
async def test_a_model_that_runs_in_a_cloud_is_refused(name: str) -> None:
    fake = crowded()

    with pytest.raises(ModelRefused, match="cloud"):
        await info_of(fake, model=name)

    assert fake.chats == []


@pytest.mark.parametrize("name", ["new:cloud", "gpt-oss:120b-cloud", "Me/x:9B-CLOUD"])
async def test_the_name_of_a_cloud_model_is_not_even_spoken(name: str) -> None:
    fake = FakeOllama()
    async with serve(fake) as server, fake.model(server.url, model=name) as model:
        with pytest.raises(ModelRefused, match="cloud"):
            await model.info()
        assert server.requests == []


async def test_a_model_that_only_sounds_like_a_cloud_is_asked_for() -> None:
    fake = FakeOllama(tags=[tag("word-cloud:7b")], shows={"word-cloud:7b": shown()})

    assert (await info_of(fake, model="word-cloud:7b")).name == "word-cloud:7b"


@pytest.mark.parametrize(
    ("message", "end", "parts"),
    [
        ({"thinking": "It is."}, "stop", [Text("It is."), Finished(FinishReason.STOP, is_from_reasoning=True)]),
        ({"thinking": "It is."}, "length", [Finished(FinishReason.LENGTH)]),
        ({"thinking": "It is.", "tool_calls": [{}]}, "stop", [Finished(FinishReason.STOP)]),
        ({"content": "It"}, "error", [Text("It"), Finished(FinishReason.OTHER, word="error")]),
    ],
)  # fmt: skip
async def test_how_a_reply_ends(message: dict[str, Any], end: str, parts: list[Any]) -> None:
    async def ending(_request: Request, wire: Wire) -> None:
        await wire.send_json({"message": message, "done": True, "done_reason": end})

    seen = await parts_of(FakeOllama(on_chat=ending))
    assert [part for part in seen if isinstance(part, Text | Finished)] == parts
