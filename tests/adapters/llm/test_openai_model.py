"""What is particular to OpenAI-compatible servers: loading, schemas refused, contexts told or not."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from askance.domain.errors import ModelMissing, ServiceRefused, ServiceTimeout
from askance.domain.ports.model import (
    Finished,
    FinishReason,
    ModelCall,
    Text,
    Timing,
)
from remedies import remedy_of
from servers.loopback import Request, Wire, serve
from servers.openai import FakeOpenAI
from servers.scripted import CALL, parts_of, streaming

CALL_WITH_SCHEMA = ModelCall(CALL.messages, 50, schema={"type": "object"})


async def test_the_request_asks_for_a_counted_stream() -> None:
    fake = FakeOpenAI(n_ctx=0)
    await parts_of(fake)

    assert fake.chats == [
        {
            "model": "tiny",
            "messages": [{"role": "user", "content": "Where does Lisbon lie?"}],
            "stream": True,
            "stream_options": {"include_usage": True},
            "max_tokens": 50,
            "temperature": 0.3,
            "chat_template_kwargs": {"enable_thinking": False, "thinking": False},
            "reasoning_effort": "none",
        }
    ]


async def test_a_schema_is_asked_for_strictly() -> None:
    fake = FakeOpenAI()
    await parts_of(fake, CALL_WITH_SCHEMA)

    assert fake.chats[-1]["response_format"] == {
        "type": "json_schema",
        "json_schema": {"name": "reply", "strict": True, "schema": {"type": "object"}},
    }


async def test_a_server_that_takes_no_schema_is_asked_again_without_and_remembered() -> None:
    fake = FakeOpenAI(refuses_schemas=True)
    async with serve(fake) as server, fake.model(server.url) as model:
        for _ in range(2):
            async with model.reply(CALL_WITH_SCHEMA) as parts:
                assert [part async for part in parts]

    assert ["response_format" in chat for chat in fake.chats] == [True, False, False]


async def test_another_refusal_is_not_taken_for_one_of_schemas() -> None:
    async def refusing(request: Request, wire: Wire) -> None:
        await wire.send_json({"error": {"message": "the moon is too low"}}, 403)

    fake = FakeOpenAI(on_chat=refusing)

    with pytest.raises(ServiceRefused, match="moon is too low"):
        await parts_of(fake, CALL_WITH_SCHEMA)
    assert len(fake.chats) == 1


async def test_a_loading_server_is_waited_for() -> None:
    fake = FakeOpenAI(loading=2)

    assert isinstance((await parts_of(fake))[-1], Finished)
    assert fake.loading == 0


async def test_a_server_that_goes_on_loading_is_slow() -> None:
    fake = FakeOpenAI(loading=10_000)
    async with serve(fake) as server, fake.model(server.url, load_timeout_s=0.2) as model:
        with pytest.raises(ServiceTimeout, match=r"'Loading model' after 0\.2 s") as caught:
            await model.info()
        assert "llm.load_timeout_s" in caught.value.fix
        # Waiting is not asking as fast as one can.
        assert len(server.requests) <= 3


@pytest.mark.parametrize(
    ("fake", "context"),
    [
        (FakeOpenAI(n_ctx=1234), 1234),
        (FakeOpenAI(n_ctx=0), 3000),
        (FakeOpenAI(n_ctx=0, entries=[{"id": "tiny", "max_model_len": 999}]), 999),
    ],
    ids=["llama.cpp", "one that does not tell", "vLLM"],
)
async def test_the_context_is_the_servers_where_it_tells(fake: FakeOpenAI, context: int) -> None:
    async with serve(fake) as server, fake.model(server.url, context_tokens=3000) as model:
        assert (await model.info()).context_tokens == context


@pytest.mark.parametrize(
    ("fake", "effort"),
    [
        (FakeOpenAI(), None),
        (FakeOpenAI(n_ctx=0, entries=[{"id": "tiny", "owned_by": "vllm"}]), None),
        (FakeOpenAI(n_ctx=0), "none"),
        (FakeOpenAI(n_ctx=0, entries=[{"id": "openai/gpt-oss-20b"}]), "low"),
    ],
    ids=["llama.cpp", "vLLM", "unknown", "gpt-oss"],
)
async def test_a_model_is_asked_not_to_reason_as_its_server_takes_it(
    fake: FakeOpenAI, effort: str | None
) -> None:
    await parts_of(fake)
    body = fake.chats[-1]
    assert body["chat_template_kwargs"] == {"enable_thinking": False, "thinking": False}
    assert body.get("reasoning_effort") == effort
    assert not {"think", "thinking", "enable_thinking", "reasoning"} & body.keys()


@pytest.mark.parametrize("fake", [FakeOpenAI(), FakeOpenAI(n_ctx=0)], ids=["llama.cpp", "unknown"])
async def test_a_model_that_is_to_reason_is_not_asked_not_to(fake: FakeOpenAI) -> None:
    await parts_of(fake, replace(CALL, think=True, reasons_unasked=True))
    body = fake.chats[-1]
    assert body.get("chat_template_kwargs") == ({"enable_thinking": True} if fake.n_ctx else None)
    assert not {"reasoning_effort", "think", "thinking", "enable_thinking"} & body.keys()


async def test_a_model_that_reasons_all_the_same_is_asked_in_more_ways() -> None:
    fake = FakeOpenAI(n_ctx=0)

    async def reason(_request: Request, wire: Wire) -> None:
        await wire.start()
        await wire.chunk(fake.thought("Hm."))
        await wire.chunk(fake.text("Lisbon."))
        await wire.chunk(fake.end())

    fake.on_chat = reason
    async with serve(fake) as server, fake.model(server.url) as model:
        for _ in range(3):
            async with model.reply(CALL) as parts:
                assert Text("Lisbon.") in [part async for part in parts]
    first, second, third = fake.chats
    assert "think" not in first
    assert (second["think"], second["enable_thinking"], second["reasoning"]) == (
        False,
        False,
        {"effort": "none"},
    )
    assert (third["reasoning_effort"], third["reasoning"]) == ("low", {"effort": "low"})


REFUSALS = [
    ("Unrecognized request argument supplied: reasoning_effort", "reasoning_effort", None),
    ('think value "none" is not supported for this model', "reasoning_effort", None),
    ('"tiny" does not support thinking', "reasoning_effort", None),
    ("body.reasoning_effort: Input should be 'low', 'medium' or 'high'", "reasoning_effort", "low"),
    ('Unknown name "chat_template_kwargs": Cannot find field.', "chat_template_kwargs", None),
    ('Unknown name "enable_thinking": Cannot find field.', "enable_thinking", None),
    ('Only one of "reasoning" and "reasoning_effort" may be provided', "reasoning", None),
    ("property 'think' is unsupported", "think", None),
]


@pytest.mark.parametrize(("message", "field", "left"), REFUSALS)
async def test_a_switch_that_a_server_refuses_is_left_out_from_then_on(
    message: str, field: str, left: str | None
) -> None:
    fake = FakeOpenAI(n_ctx=0)
    refused: list[Any] = []

    async def refuse(request: Request, wire: Wire) -> None:
        fake.chats[-1] = body = request.json()
        if body.get(field) not in (None, left):
            refused.append(body[field])
            await wire.send_json({"error": {"message": message}}, 400)
        else:
            await fake._chat(request, wire)

    fake.on_chat = refuse
    call = replace(CALL, reasons_unasked=field not in ("reasoning_effort", "chat_template_kwargs"))
    async with serve(fake) as server, fake.model(server.url) as model:
        for _ in range(2):
            async with model.reply(call) as parts:
                assert Text("Lisbon ") in [part async for part in parts]
    assert len(refused) == 1
    assert fake.chats[-1].get(field) == left
    others = {"reasoning_effort", "chat_template_kwargs"} - {field}
    assert others <= fake.chats[-1].keys()


NO_SUCH_MODEL = [
    "Invalid model name passed in model=gpt-5. Call `/v1/models` to view available models.",
    "gpt-5 is not a valid model ID",
    "The model `gpt-5` does not exist.",
    "could not find real modelID for gpt-5",
    "model 'gpt-5' not found",
]
ENTRIES = [
    {"id": "text-embedding-nomic", "meta": None},
    {"id": "chatty", "aliases": ["c"], "meta": {"size": 77}},
    {"id": "other"},
]


@pytest.mark.parametrize(
    ("wanted", "chosen"), [("", "chatty"), ("c", "chatty"), ("other", "other")]
)
async def test_a_model_is_chosen_by_name_or_alias_and_never_an_embedding_one_by_default(
    wanted: str, chosen: str
) -> None:
    fake = FakeOpenAI(entries=ENTRIES)
    async with serve(fake) as server, fake.model(server.url, model=wanted) as model:
        assert (await model.info()).name == chosen
        assert [info.name for info in await model.models()] == ["chatty", "other"]


@pytest.mark.parametrize("message", NO_SUCH_MODEL)
async def test_a_model_that_the_server_refuses_is_named_beside_those_that_are_there(
    message: str,
) -> None:
    fake = FakeOpenAI(entries=ENTRIES)

    async def refuse(_request: Request, wire: Wire) -> None:
        await wire.send_json({"error": {"message": message}}, 400)

    fake.on_chat = refuse
    async with serve(fake) as server, fake.model(server.url, model="gpt-5") as model:
        with pytest.raises(ModelMissing) as caught:
            async with model.reply(CALL) as parts:
                assert [part async for part in parts]
    assert len(fake.chats) == 1
    assert caught.value.problem.values["model"] == "gpt-5"
    remedy = remedy_of(caught.value)
    assert (remedy.setting, remedy.values["names"]) == ("llm.model", "chatty, other")


@pytest.mark.parametrize(
    ("wanted", "asked"), [("hidden-alias", "hidden-alias"), ("gemma3", "gemma3:latest")]
)
async def test_a_model_that_the_list_lacks_is_asked_for_all_the_same(
    wanted: str, asked: str
) -> None:
    fake = FakeOpenAI(entries=[{"id": "other"}, {"id": "gemma3:latest"}])
    assert Text("Lisbon ") in await parts_of(fake, model=wanted)
    assert fake.chats[-1]["model"] == asked


@pytest.mark.parametrize("idle", [b": ping\n\n", b"\r", b"event: x\n\n", b"\n"])
@pytest.mark.parametrize("has_begun", [True, False])
async def test_a_flood_of_what_is_no_reply_is_no_sign_of_life(idle: bytes, has_begun: bool) -> None:
    fake = FakeOpenAI()
    begun = [fake.text("Lisbon")] if has_begun else []
    fake.on_chat = streaming(*begun, *[idle * 10_000] * 40)

    with pytest.raises(ServiceTimeout, match="sends no reply"):
        await parts_of(fake)


@pytest.mark.parametrize(("cached", "whole"), [({"cache_n": 70}, 100), ({}, 0)])
async def test_the_counters_of_llama_cpp_tell_the_whole_prompt_where_they_tell_the_cached_part(
    cached: dict[str, int], whole: int
) -> None:
    fake = FakeOpenAI()
    counters = {"prompt_n": 30, "prompt_ms": 500.0, "predicted_ms": 100.0, **cached}
    counted = fake.event(json.dumps({"choices": [], "timings": counters, "usage": {}}))
    fake.on_chat = streaming(fake.text("x"), counted, fake.end())

    assert Timing(30, 0.5, 0.1, prompt_tokens=whole) in await parts_of(fake)


SAID = "The tower is 47 metres tall [1]. It is old."
PIECES = [f"{word} " for word in SAID.split()]


def choice(n: int, text: str) -> dict[str, Any]:
    return {"index": n, "delta": {"content": text}, "finish_reason": None}


@pytest.mark.parametrize(
    "events",
    [
        [[choice(n, piece)] for piece in PIECES for n in (0, 1)],
        [[choice(1, piece), choice(0, piece)] for piece in PIECES],
        [[choice(0, "".join(PIECES[:n]))] for n in range(1, len(PIECES) + 1)],
        [*([choice(0, piece)] for piece in PIECES), [choice(0, SAID) | {"finish_reason": "stop"}]],
        [*([choice(0, piece)] for piece in PIECES), [choice(0, SAID)]],
    ],
    ids=["two choices", "two in one", "all so far", "once more", "once more before the end"],
)
async def test_a_text_that_is_sent_more_than_once_is_one(events: list[list[Any]]) -> None:
    fake = FakeOpenAI()
    sent = [fake.event(json.dumps({"choices": choices})) for choices in events]
    fake.on_chat = streaming(*sent, fake.end())
    assert "".join(p.text for p in await parts_of(fake) if isinstance(p, Text)).strip() == SAID


async def test_tokens_that_repeat_by_chance_are_all_there() -> None:
    fake = FakeOpenAI()
    fake.on_chat = streaming(*(fake.text(piece) for piece in ("1", "1", "1", " m")), fake.end())
    assert "".join(p.text for p in await parts_of(fake) if isinstance(p, Text)) == "111 m"


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        *((word, FinishReason.STOP) for word in ("stop", "end_turn", "eosFound", "tool_calls")),
        *((word, FinishReason.LENGTH) for word in ("length", "MAX_TOKENS", "model_length")),
        *((word, FinishReason.OTHER) for word in ("error", "content_filter", "abort", "SAFETY")),
    ],
)
async def test_how_a_reply_ended_is_known_by_the_words_of_many_servers(
    word: str, reason: FinishReason
) -> None:
    fake = FakeOpenAI()
    fake.on_chat = streaming(fake.text("x"), fake.end(word, 0, 0))
    named = word if reason is FinishReason.OTHER else ""
    assert (await parts_of(fake))[-1] == Finished(reason, word=named)


async def test_a_gateway_that_hides_a_fault_behind_stop_is_seen_through() -> None:
    fake = FakeOpenAI()
    end = {"delta": {}, "finish_reason": "stop", "native_finish_reason": "network_error"}
    fake.on_chat = streaming(fake.text("x"), fake.event(json.dumps({"choices": [end]})))
    assert (await parts_of(fake))[-1] == Finished(FinishReason.OTHER, word="network_error")


@pytest.mark.parametrize(
    ("end", "text"), [("stop", "It is old."), ("length", ""), ("tool_calls", "")]
)
async def test_an_answer_that_is_sent_as_reasoning_alone_is_taken(end: str, text: str) -> None:
    fake = FakeOpenAI()
    thoughts = (fake.thought("Hm. </think>It is"), fake.thought(" old."))
    fake.on_chat = streaming(*thoughts, fake.end(end, 0, 0))
    parts = await parts_of(fake)
    assert "".join(p.text for p in parts if isinstance(p, Text)) == text
    assert isinstance(last := parts[-1], Finished)
    assert last.is_from_reasoning == bool(text)
