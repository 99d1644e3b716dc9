"""What a client of OpenAI's API asks of the form of a reply: JSON, stop words, lengths; and what is refused by name."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest

from askance.server.openai_request import JsonForm, OpenAIError, json_form_of, most_tokens, stops_of
from servers.model_script import ModelScript
from servers.openai_endpoint import OpenAiEndpoint, open_endpoint
from servers.world import LIGHTHOUSE, ONE_ROUND, QUESTION, knowing_model, some_answer

ASKED = [{"role": "user", "content": QUESTION}]
TALK = [{"role": "user", "content": "Give the builder as JSON."}]
BUILDER = {
    "type": "object",
    "properties": {"builder": {"type": "string"}},
    "required": ["builder"],
    "additionalProperties": False,
}
SOURCE = {
    "type": "object",
    "properties": {"url": {"type": "string"}, "title": {"type": "string"}},
    "required": ["url", "title"],
}
ROOM: dict[str, dict[str, Any]] = {
    "objects": {
        "type": "object",
        "properties": {"answer": {"type": "string"}, "sources": {"type": "array", "items": SOURCE}},
        "required": ["answer", "sources"],
    },
    "addresses": {
        "type": "object",
        "properties": {
            "Answer": {"type": "string"},
            "citations": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["Answer", "citations"],
    },
    "references and null": {
        "type": "object",
        "$defs": {"Source": SOURCE},
        "properties": {
            "text": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "links": {"type": "array", "items": {"$ref": "#/$defs/Source"}},
            "note": {"type": ["string", "null"]},
        },
        "required": ["text", "links", "note"],
    },
    "the answer alone": {"type": "object", "properties": {"result": {"type": "string"}}},
}
NO_ROOM: dict[str, dict[str, Any]] = {
    "another thing": BUILDER,
    "a number": {
        "type": "object",
        "properties": {"answer": {"type": "string"}, "year": {"type": "integer"}},
        "required": ["answer", "year"],
    },
    "one of two": {
        "type": "object",
        "properties": {"answer": {"type": "string", "enum": ["yes", "no"]}},
        "required": ["answer"],
    },
    "sources with a rank": {
        "type": "object",
        "properties": {
            "answer": {"type": "string"},
            "sources": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"url": {"type": "string"}, "rank": {"type": "number"}},
                    "required": ["url", "rank"],
                },
            },
        },
        "required": ["answer", "sources"],
    },
    "itself": {"type": "object", "properties": {"answer": {"$ref": "#/properties/answer"}}},
}


def quick(answer: str = "") -> ModelScript:
    return ModelScript(knowing_model().plan, ONE_ROUND, [answer or some_answer])


def of_schema(schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": "x", "strict": True, "schema": schema}}


async def complete(
    endpoint: OpenAiEndpoint, messages: object = ASKED, model: str = "askance", **more: object
) -> Any:
    return await endpoint.client.chat.completions.create(model=model, messages=messages, **more)  # type: ignore[arg-type,call-overload]


async def text_of(text: Any, *, streams: bool) -> str:
    if not streams:
        return text.choices[0].message.content or ""
    return "".join([c.choices[0].delta.content or "" async for c in text if c.choices])


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize("schema", ROOM.values(), ids=ROOM)
async def test_an_answer_and_its_sources_fill_a_schema_that_has_room(
    tmp_path: Path, schema: dict[str, Any], streams: bool
):
    async with open_endpoint(tmp_path, quick()) as endpoint:
        text = await complete(endpoint, response_format=of_schema(schema), stream=streams)
        record = json.loads(await text_of(text, streams=streams))
    assert set(schema.get("required", ())) <= set(record) <= set(schema["properties"])
    assert any("1871" in str(value) for value in record.values())
    if len(record) > 1:
        assert LIGHTHOUSE in json.dumps(record)


@pytest.mark.parametrize(
    "wrong",
    [
        {"anyOf": 5},
        {"anyOf": "string"},
        {"required": 5},
        {"required": [["answer"], {}]},
        {"properties": {"answer": {"anyOf": 5}}},
        {"properties": {"sources": {"type": "array", "items": {"required": 5, "anyOf": True}}}},
    ],
    ids=json.dumps,
)
async def test_a_schema_that_is_none_is_no_failure_of_the_server(
    tmp_path: Path, wrong: dict[str, Any]
):
    """A program that gets 503 tries again, and again."""
    schema = {**ROOM["objects"], **wrong}
    wanted = {"model": "askance", "messages": ASKED, "response_format": of_schema(schema)}
    async with open_endpoint(tmp_path, quick()) as endpoint, httpx.AsyncClient() as client:
        reply = await client.post(f"{endpoint.url}/chat/completions", json=wanted)
    assert reply.status_code in {200, 400}


@pytest.mark.parametrize("streams", [False, True])
async def test_a_failure_of_our_own_is_said(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    streams: bool,
):
    def broken(*_: object) -> None:
        raise TypeError("secret words")

    monkeypatch.setattr("askance.server.openai_api.completion_of", broken)
    async with open_endpoint(tmp_path, quick()) as endpoint:
        with pytest.raises(openai.InternalServerError) as caught:
            await complete(endpoint, stream=streams)
    assert caught.value.status_code == 500
    assert caught.value.code == "internal"
    assert "secret" not in str(caught.value) + caplog.text
    caplog.clear()


async def test_an_address_without_its_v1_is_told_what_there_is(tmp_path: Path):
    async with open_endpoint(tmp_path, quick()) as endpoint, httpx.AsyncClient() as client:
        for path in ("/chat/completions", "/", "/v1/nothing"):
            reply = await client.post(endpoint.url.removesuffix("/v1") + path, json={})
            assert reply.status_code == 404
            assert "/v1/chat/completions" in reply.json()["error"]["message"]


@pytest.mark.parametrize("schema", NO_ROOM.values(), ids=NO_ROOM)
async def test_a_schema_without_room_is_refused_before_anything_is_searched(
    tmp_path: Path, schema: dict[str, Any]
):
    async with open_endpoint(tmp_path, quick()) as endpoint:
        with pytest.raises(openai.BadRequestError) as caught:
            await complete(endpoint, response_format=of_schema(schema))
        assert caught.value.param == "response_format"
        assert endpoint.searched == 0


async def test_any_json_has_the_answer_and_its_sources(tmp_path: Path):
    async with open_endpoint(tmp_path, quick()) as endpoint:
        text = await complete(endpoint, response_format={"type": "json_object"})
        record = json.loads(text.choices[0].message.content)
    assert "1871" in record["answer"]
    assert record["sources"][0]["url"].startswith("http://")


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize("model", ["askance-chat"])
async def test_the_model_alone_is_held_to_a_schema(tmp_path: Path, model: str, streams: bool):
    async with open_endpoint(tmp_path, quick('{"builder": "Clara Whitlow"}')) as endpoint:
        more = {"response_format": of_schema(BUILDER), "stream": streams}
        text = await complete(endpoint, TALK, model, **more)
        assert json.loads(await text_of(text, streams=streams)) == {"builder": "Clara Whitlow"}
        (call,) = endpoint.world.script.calls
        assert '"builder"' in call.text
        asked = [
            r.json() for r in endpoint.world.servers["model"].requests if r.path == "/api/chat"
        ]
        assert asked[-1]["format"] == BUILDER


@pytest.mark.parametrize("said", ["It was Clara Whitlow.", '{"who": "Clara"}', "[1]"])
async def test_a_model_that_writes_no_such_json_is_told_of(tmp_path: Path, said: str):
    async with open_endpoint(tmp_path, quick(said)) as endpoint:
        with pytest.raises(openai.BadRequestError) as caught:
            await complete(endpoint, TALK, "askance-chat", response_format=of_schema(BUILDER))
    assert (caught.value.code, caught.value.param) == ("invalid_json", "response_format")


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize("stop", ["engineer", ["nowhere", "engineer"], "eng"])
async def test_an_answer_ends_before_its_stop_word(tmp_path: Path, stop: object, streams: bool):
    async with open_endpoint(tmp_path, quick()) as endpoint:
        value = await complete(endpoint, stop=stop, stream=streams)
        if streams:
            chunks = [c async for c in value if c.choices]
            text = "".join(c.choices[0].delta.content or "" for c in chunks)
            finish = chunks[-1].choices[0].finish_reason
        else:
            text, finish = value.choices[0].message.content, value.choices[0].finish_reason
    assert text == "The Lindmouth lighthouse was built in 1871 by the "
    assert finish == "stop"


@pytest.mark.parametrize("streams", [False, True])
async def test_a_stop_word_in_an_address_or_below_the_answer_ends_nothing(
    tmp_path: Path, streams: bool
):
    async with open_endpoint(tmp_path, quick()) as endpoint:
        value = await complete(
            endpoint, stop=["http", "**Sources**", "](", "\n\n\n"], stream=streams
        )
        text = await text_of(value, streams=streams)
    assert f"]({LIGHTHOUSE}" in text
    assert "**Sources**" in text


@pytest.mark.parametrize(
    ("more", "param"),
    [
        ({"tools": [{"type": "function"}], "tool_choice": "required"}, "tool_choice"),
        ({"tool_choice": {"type": "function", "function": {"name": "f"}}}, "tool_choice"),
        ({"function_call": {"name": "f"}}, "function_call"),
        ({"logprobs": True}, "logprobs"),
        ({"logprobs": True, "top_logprobs": 2}, "logprobs"),
        ({"top_logprobs": 2}, "top_logprobs"),
        ({"modalities": ["text", "audio"], "audio": {}}, "modalities"),
        ({"response_format": {"type": "grammar"}}, "response_format"),
        ({"response_format": "json"}, "response_format"),
        ({"response_format": {"type": "json_schema", "json_schema": {"name": "x"}}}, "response_format"),
        ({"response_format": of_schema({"type": "array"})}, "response_format"),
        ({"response_format": of_schema({"type": "object", "x": "y" * 20_000})}, "response_format"),
        ({"stop": 1}, "stop"),
        ({"stop": ["a"] * 5}, "stop"),
        ({"stop": [""]}, "stop"),
        ({"max_tokens": -5}, "max_tokens"),
        ({"max_completion_tokens": 1.5}, "max_completion_tokens"),
        ({"max_tokens": True}, "max_tokens"),
    ],
)  # fmt: skip
async def test_what_changes_a_reply_and_cannot_be_had_is_refused_by_name(
    tmp_path: Path, more: dict[str, Any], param: str
):
    async with open_endpoint(tmp_path) as endpoint, httpx.AsyncClient() as caller:
        body = {"model": "askance", "messages": ASKED, **more}
        reply = await caller.post(f"{endpoint.url}/chat/completions", json=body)
        error = reply.json()["error"]
        assert (reply.status_code, error["param"]) == (400, param)
        assert error["type"] == "invalid_request_error"
        assert endpoint.searched == 0


async def test_tools_that_nothing_forces_are_no_fault(tmp_path: Path):
    tools = [{"type": "function", "function": {"name": "weather", "parameters": {}}}]
    for choice in ("auto", "none"):
        async with open_endpoint(tmp_path, quick()) as endpoint:
            text = await complete(endpoint, tools=tools, tool_choice=choice, logprobs=False)
        assert "1871" in text.choices[0].message.content
        assert text.choices[0].message.tool_calls is None


@pytest.mark.parametrize(
    ("fields", "most"),
    [({}, 0), ({"max_tokens": -1}, 0), ({"max_tokens": -2}, 0), ({"max_tokens": 256.0}, 256),
     ({"max_tokens": None, "max_completion_tokens": 9}, 9), ({"max_tokens": 7}, 7)],
)  # fmt: skip
def test_numbers_of_tokens_are_read_as_clients_mean_them(fields: dict[str, Any], most: int):
    assert most_tokens(fields) == most


def test_no_stop_and_no_form_are_none():
    assert stops_of({"stop": None}) == ()
    assert json_form_of({"response_format": {"type": "text"}}) is None
    assert json_form_of({"response_format": None}) is None
    with pytest.raises(OpenAIError):
        json_form_of({"response_format": {"type": "json_schema", "json_schema": []}})


def test_a_deeply_nested_schema_has_no_room_and_does_no_harm():
    deep: dict[str, Any] = {"type": "string"}
    for _ in range(300):
        deep = {"anyOf": [deep]}
    form = JsonForm({"type": "object", "properties": {"answer": deep}, "required": ["answer"]})
    assert form.filled("x", ()) is None


@pytest.mark.parametrize("streams", [False, True])
async def test_what_is_too_long_is_no_fault_of_the_server(tmp_path: Path, streams: bool):
    long = [{"role": "user", "content": "The tide came in. " * 4_000}]
    async with open_endpoint(tmp_path) as endpoint:
        with pytest.raises(openai.BadRequestError) as caught:
            await complete(endpoint, long, "askance-chat", stream=streams)
    assert caught.value.code == "context_length_exceeded"
    assert caught.value.param == "messages"


async def test_usage_of_an_answer_that_was_cut_is_what_is_there(tmp_path: Path):
    async with open_endpoint(tmp_path) as endpoint:
        text = await complete(endpoint, max_tokens=5)
        assert text.choices[0].finish_reason == "length"
        assert 0 < text.usage.completion_tokens <= 5
        stream = await complete(
            endpoint, max_tokens=5, stream=True, stream_options={"include_usage": True}
        )
        chunks = [c async for c in stream]
        assert 0 < chunks[-1].usage.completion_tokens <= 5


PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
EARLIER: dict[str, list[dict[str, Any]]] = {
    "a picture": [
        {"role": "user", "content": [{"type": "text", "text": "What is this?"}, PICTURE]},
        {"role": "assistant", "content": "A lighthouse."},
    ],
    "nothing but a picture": [
        {"role": "user", "content": [PICTURE]},
        {"role": "assistant", "content": "A lighthouse."},
    ],
    "sound and a file": [
        {"role": "user", "content": [{"type": "input_audio", "input_audio": {}}, {"type": "file", "file": {}}]},
        {"role": "assistant", "content": [{"type": "text", "text": "Heard."}]},
    ],
    "a call of a tool": [
        {"role": "user", "content": "What is the weather?"},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c1", "content": "Rain"},
        {"role": "assistant", "content": "It rains."},
    ],
    "a call without an answer": [
        {"role": "user", "content": "What is the weather?"},
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c1", "content": "Rain"},
    ],
    "a function": [
        {"role": "user", "content": "What is the weather?"},
        {"role": "assistant", "content": "Let me see.", "function_call": {"name": "f", "arguments": "{}"}},
        {"role": "function", "name": "f", "content": "Rain"},
    ],
    "a refusal": [
        {"role": "user", "content": "Do harm."},
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]},
    ],
}  # fmt: skip


@pytest.mark.parametrize("earlier", EARLIER.values(), ids=EARLIER)
async def test_what_is_no_text_in_an_earlier_turn_is_left_out(
    tmp_path: Path, earlier: list[dict[str, Any]]
):
    async with open_endpoint(tmp_path, quick()) as endpoint:
        text = await complete(endpoint, [*earlier, *ASKED])
        assert "1871" in text.choices[0].message.content
        asked = [request.query["q"] for request in endpoint.world.servers["search"].requests]
    assert QUESTION in asked
    assert not any("weather" in query for query in asked)


@pytest.mark.parametrize(
    "part", [PICTURE, {"type": "input_audio"}, {"type": "file"}, {"type": "x"}]
)
async def test_what_is_no_text_in_the_last_message_is_refused(tmp_path: Path, part: dict[str, Any]):
    last = [{"role": "user", "content": [{"type": "text", "text": QUESTION}, part]}]
    async with open_endpoint(tmp_path) as endpoint:
        with pytest.raises(openai.BadRequestError) as caught:
            await complete(endpoint, last)
        assert caught.value.param == "messages.[0].content"
        assert endpoint.searched == 0
