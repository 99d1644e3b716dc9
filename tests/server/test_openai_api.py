"""What a client of OpenAI's API asks of the form of a reply: JSON, stop words, lengths; and what is refused by name."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest

from askance.domain.ports.storage import Client
from askance.server.openai_request import (
    LONGEST_QUESTION,
    JsonForm,
    OpenAIError,
    fields_of,
    json_form_of,
    most_tokens,
    stops_of,
)
from servers.faults import stalls
from servers.model_script import ModelScript
from servers.openai_endpoint import OpenAiEndpoint, open_endpoint
from servers.world import LIGHTHOUSE, ONE_ROUND, QUESTION, WHITLOW, knowing_model, some_answer
from waiting import patience

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


# OpenAI's API under the published client: models, answers, streams, citations, jobs, errors, cancelling.

TITLE = (
    '### Task:\nWrite a title of 3-5 words for the chat.\n### Output:\nJSON: {"title": "a title"}\n'
    f"### Chat History:\n<chat_history>\nUSER: {QUESTION}\nASSISTANT: In Orr.\n</chat_history>"
)


async def test_the_models_are_listed_and_told(tmp_path: Path):
    async with open_endpoint(tmp_path) as endpoint:
        listed = [model.id async for model in endpoint.client.models.list()]
        assert listed == ["askance", "askance-chat"]
        assert (await endpoint.client.models.retrieve("askance")).owned_by == "askance"
        with pytest.raises(openai.NotFoundError) as caught:
            await endpoint.client.models.retrieve("gpt-9")
        assert caught.value.code == "model_not_found"


async def test_an_answer_has_links_annotations_usage_and_sources(tmp_path: Path):
    async with open_endpoint(tmp_path) as endpoint:
        value = await complete(endpoint)
        (choice,) = value.choices
        text = choice.message.content or ""
        assert choice.finish_reason == "stop"
        cited = [a.url_citation for a in choice.message.annotations or []]
        assert {c.url.partition("#")[0] for c in cited} == {WHITLOW, LIGHTHOUSE}
        for c in cited:
            assert text[c.start_index : c.end_index].endswith(f"]({c.url})")
            assert "#:~:text=" in c.url
        assert "**Sources**" in text
        assert value.usage is not None
        assert (
            value.usage.total_tokens
            == value.usage.prompt_tokens + value.usage.completion_tokens
            > 0
        )
        assert value.model_extra is not None
        assert value.model_extra["askance"]["outcome"] == "web"
    assert [c.tool for c in endpoint.book.calls_noted] == ["chat search"]


async def test_a_stream_brings_role_text_citations_usage_and_an_end(tmp_path: Path):
    async with open_endpoint(tmp_path) as endpoint:
        stream = await complete(endpoint, stream=True, stream_options={"include_usage": True})
        chunks = [chunk async for chunk in stream]
        deltas = [c.choices[0].delta for c in chunks if c.choices]
        text = "".join(delta.content or "" for delta in deltas)
        assert deltas[0].role == "assistant"
        assert len([d for d in deltas if d.content]) > 2
        assert [c.choices[0].finish_reason for c in chunks if c.choices][-1] == "stop"
        links = (deltas[-1].model_extra or {})["annotations"]
        for item in (link["url_citation"] for link in links):
            assert text[item["start_index"] : item["end_index"]] == f"[{item['n']}]({item['url']})"
            assert item["support"] == "supported"
        assert {link["url_citation"]["url"] for link in links} == {WHITLOW, LIGHTHOUSE}
        assert chunks[-1].usage is not None
        assert chunks[-1].usage.total_tokens > 0


async def test_a_stream_whose_text_the_check_replaces_ends_with_the_checked_one(tmp_path: Path):
    lost = "It was built. " + "And so on, and so on, and so on. " * 60
    async with open_endpoint(tmp_path, quick(lost)) as endpoint:
        stream = await complete(endpoint, stream=True)
        text = "".join([c.choices[0].delta.content or "" async for c in stream if c.choices])
        assert text.startswith("It was built.")
        assert text.index("\n\n---\n\n") < text.index(LIGHTHOUSE)


@pytest.mark.parametrize("streams", [False, True])
async def test_a_title_job_costs_no_search(tmp_path: Path, streams: bool):
    async with open_endpoint(tmp_path, quick('{"title": "Whitlow"}')) as endpoint:
        job = [{"role": "user", "content": TITLE}]
        value = await complete(endpoint, job, stream=streams)
        text = (
            "".join([c.choices[0].delta.content or "" async for c in value])
            if streams
            else value.choices[0].message.content
        )
        assert json.loads(text) == {"title": "Whitlow"}
        assert endpoint.searched == 0
        assert [call.role for call in endpoint.world.script.calls] == ["answer"]
    assert [c.tool for c in endpoint.book.calls_noted] == ["chat title"]


async def test_without_a_model_a_job_is_done_and_a_talk_is_refused_with_its_remedy(tmp_path: Path):
    async with open_endpoint(tmp_path, model=False) as endpoint:
        text = await complete(endpoint, [{"role": "user", "content": TITLE}])
        assert list(json.loads(text.choices[0].message.content or "")) == ["title"]
        with pytest.raises(openai.InternalServerError) as caught:
            await complete(endpoint, model="askance-chat")
        assert caught.value.status_code == 503
        assert "askance doctor" in str(caught.value)
        assert endpoint.searched == 0


@pytest.mark.parametrize("model", ["askance-chat", "askance"])
async def test_the_model_alone_talks_and_never_searches(tmp_path: Path, model: str):
    text = QUESTION if model == "askance-chat" else f"{QUESTION} {'word ' * LONGEST_QUESTION}"
    reports = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": text}]
    async with open_endpoint(tmp_path, quick("In Orr, see [it](http://evil.example).")) as endpoint:
        value = await complete(endpoint, reports, model)
        content = value.choices[0].message.content or ""
        assert content.startswith("In Orr")
        assert "](http://evil.example)" not in content
        assert endpoint.searched == 0
        assert "Be brief." in endpoint.world.script.calls[0].text


async def test_a_follow_up_goes_on_from_the_answer_that_came_back(tmp_path: Path):
    async with open_endpoint(tmp_path) as endpoint:
        first = await complete(endpoint)
        answer = first.choices[0].message.content
        more = [*ASKED, {"role": "assistant", "content": answer}]
        await complete(
            endpoint, [*more, {"role": "user", "content": "How high is the lighthouse?"}]
        )
        shown = endpoint.world.script.calls[-1].text
        assert QUESTION in shown
        assert "**Sources**" not in shown
        assert "#:~:text" not in shown


async def test_an_answer_ends_at_its_most_tokens(tmp_path: Path):
    async with open_endpoint(tmp_path) as endpoint:
        text = await complete(endpoint, max_tokens=8)
        assert text.choices[0].finish_reason == "length"
        whole = text.choices[0].message.content or ""
        assert "**Sources**" not in whole
        stream = await complete(endpoint, max_tokens=8, stream=True)
        chunks = [c async for c in stream]
        assert chunks[-1].choices[0].finish_reason == "length"


@pytest.mark.parametrize(
    ("body", "status", "param"),
    [
        ({"model": "gpt-9", "messages": ASKED}, 404, "model"),
        ({"messages": ASKED}, 400, "model"),
        ({"model": "askance"}, 400, "messages"),
        ({"model": "askance", "messages": []}, 400, "messages"),
        ({"model": "askance", "messages": ["x"]}, 400, "messages.[0]"),
        ({"model": "askance", "messages": [{"role": "user", "content": " "}]}, 400, "messages"),
        ({"model": "askance", "messages": [{"role": "tool", "content": "x"}]}, 400, "messages.[0].role"),
        ({"model": "askance", "messages": [{"role": "x", "content": "x"}]}, 400, "messages.[0].role"),
        ({"model": "askance", "messages": [{"role": "user", "content": 1}]}, 400, "messages.[0].content"),
        (
            {"model": "askance", "messages": [{"role": "user", "content": [{"type": "image_url"}]}]},
            400,
            "messages.[0].content",
        ),
        ({"model": "askance", "messages": ASKED, "n": 2}, 400, "n"),
        ({"model": "askance", "messages": ASKED, "max_tokens": "x"}, 400, "max_tokens"),
        ([], 400, None),
        ("{", 400, None),
    ],
)  # fmt: skip
async def test_what_cannot_be_served_is_refused_in_openais_form(
    tmp_path: Path, body: object, status: int, param: str | None
):
    content = body if isinstance(body, str) else json.dumps(body)
    async with open_endpoint(tmp_path) as endpoint, httpx.AsyncClient() as caller:
        reply = await caller.post(f"{endpoint.url}/chat/completions", content=content)
        error = reply.json()["error"]
        assert (reply.status_code, error["param"]) == (status, param)
        assert error["type"] == "invalid_request_error"
        assert endpoint.searched == 0


async def test_a_client_that_may_not_search_is_told_how_it_is_allowed(tmp_path: Path):
    nobody = Client("stranger", frozenset())
    async with open_endpoint(tmp_path, client=nobody) as endpoint:
        for streams in (False, True):
            with pytest.raises(openai.PermissionDeniedError) as caught:
                await complete(endpoint, stream=streams)
            assert "askance clients allow stranger web" in str(caught.value)
    assert [c.outcome for c in endpoint.book.calls_noted] == ["not_allowed"] * 2


async def test_unknown_parameters_are_ignored(tmp_path: Path):
    parts = [{"type": "text", "text": QUESTION}]
    async with open_endpoint(tmp_path, quick()) as endpoint:
        more = {"temperature": 1.5, "extra_body": {"top_k": 3, "chat_id": "x"}}
        text = await complete(endpoint, [{"role": "user", "content": parts}], **more)
        assert "1871" in (text.choices[0].message.content or "")


async def test_a_silent_stream_says_that_it_lives(tmp_path: Path):
    body = {"model": "askance", "messages": ASKED, "stream": True}
    breaks = {"search": lambda _: stalls}
    async with (
        open_endpoint(tmp_path, heartbeat_s=0.05, breaks=breaks) as endpoint,
        httpx.AsyncClient() as caller,
        patience(),
        caller.stream("POST", f"{endpoint.url}/chat/completions", json=body) as reply,
    ):
        async for line in reply.aiter_lines():
            if line.startswith(":"):
                break


@pytest.mark.parametrize("streams", [False, True])
async def test_who_goes_away_cancels_the_run(tmp_path: Path, streams: bool):
    breaks = {"search": lambda _: stalls}
    body = {"model": "askance", "messages": ASKED, "stream": streams}
    async with open_endpoint(tmp_path, heartbeat_s=0.05, breaks=breaks) as endpoint, patience():
        async with httpx.AsyncClient() as caller, asyncio.TaskGroup() as group:
            asking = group.create_task(caller.post(f"{endpoint.url}/chat/completions", json=body))
            await endpoint.world.servers["search"].until_requests(1)
            asking.cancel()
        await endpoint.world.until_idle()
    assert [c.outcome for c in endpoint.book.calls_noted] == ["cancelled"]


@pytest.mark.parametrize("depth", [99, 500, 930, 945, 5_000])
def test_a_request_that_is_nested_too_deep_is_refused_in_a_sentence(depth: int) -> None:
    body = ('{"model": ' + '{"a":' * depth + "1" + "}" * depth + "}").encode()
    with pytest.raises(OpenAIError) as caught:
        fields_of(body)
    assert caught.value.status == 400


def test_a_request_of_a_hundred_levels_is_read() -> None:
    assert fields_of(b'{"model": ' + b'{"a":' * 98 + b"1" + b"}" * 98 + b"}")
