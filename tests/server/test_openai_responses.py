"""OpenAI's Responses under the published client: created, streamed, refused; and nothing is stored."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest

from servers.faults import hangs_up
from servers.model_script import ModelScript
from servers.openai_endpoint import OpenAiEndpoint, open_endpoint
from servers.world import (
    LIGHTHOUSE,
    ONE_ROUND,
    QUESTION,
    WHITLOW,
    always,
    knowing_model,
    some_answer,
)

ROOM = {
    "type": "object",
    "properties": {
        "answer": {"type": "string"},
        "sources": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["answer", "sources"],
}


def quick(answer: str = "") -> ModelScript:
    return ModelScript(knowing_model().plan, ONE_ROUND, [answer or some_answer])


async def respond(
    endpoint: OpenAiEndpoint, given: Any = QUESTION, model: str = "askance", **more: Any
) -> Any:
    return await endpoint.client.responses.create(model=model, input=given, **more)


async def test_a_response_has_text_annotations_usage_and_is_not_stored(tmp_path: Path):
    async with open_endpoint(tmp_path) as endpoint:
        text = await respond(endpoint, instructions="Be brief.", metadata={"a": "b"})
    assert (text.status, text.object, text.model) == ("completed", "response", "askance")
    assert text.model_extra["store"] is False
    assert text.metadata == {"a": "b"}
    (item,) = text.output
    (part,) = item.content
    assert part.text == text.output_text
    assert {a.url.partition("#")[0] for a in part.annotations} == {WHITLOW, LIGHTHOUSE}
    for a in part.annotations:
        assert a.type == "url_citation"
        assert text.output_text[a.start_index : a.end_index].endswith(f"]({a.url})")
    assert text.usage.total_tokens == text.usage.input_tokens + text.usage.output_tokens > 0


async def test_a_stream_of_events_comes_to_the_same_response(tmp_path: Path):
    async with open_endpoint(tmp_path) as endpoint:
        events = [event async for event in await respond(endpoint, stream=True)]
    kinds = [event.type for event in events]
    assert kinds[:4] == [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.content_part.added",
    ]
    assert kinds[-4:] == [
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
    ]
    assert [event.sequence_number for event in events] == list(range(len(events)))
    text = "".join(e.delta for e in events if e.type == "response.output_text.delta")
    whole = events[-1].response
    assert text == whole.output_text
    linked = [e.annotation for e in events if e.type == "response.output_text.annotation.added"]
    assert {a.url.partition("#")[0] for a in linked} == {WHITLOW, LIGHTHOUSE}
    assert whole.id == events[0].response.id


async def test_a_conversation_comes_with_the_request(tmp_path: Path):
    async with open_endpoint(tmp_path) as endpoint:
        first = await respond(endpoint)
        turns = [
            {"role": "user", "content": QUESTION},
            *first.output,
            {
                "role": "user",
                "content": [{"type": "input_text", "text": "How high is the lighthouse?"}],
            },
        ]
        await respond(endpoint, turns)
        shown = endpoint.world.script.calls[-1].text
        assert QUESTION in shown
        assert "**Sources**" not in shown


async def test_an_answer_is_known_by_its_id_while_the_server_runs(tmp_path: Path):
    async with open_endpoint(tmp_path) as endpoint:
        first = await respond(endpoint)
        turns = [
            {"role": "user", "content": QUESTION},
            {"type": "item_reference", "id": first.output[0].id},
            {"role": "user", "content": "How high is the lighthouse?"},
        ]
        await respond(endpoint, turns)
        assert "Clara Whitlow was born" in endpoint.world.script.calls[-1].text
        turns[1] = {"type": "item_reference", "id": "msg_of_another"}
        with pytest.raises(openai.BadRequestError) as caught:
            await respond(endpoint, turns)
        assert (caught.value.code, caught.value.param) == ("item_not_found", "input[1]")


async def test_items_that_say_nothing_are_left_out(tmp_path: Path):
    turns = [
        {"role": "user", "content": [{"type": "input_image", "image_url": "data:,"}]},
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "Rain"},
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "Yes."}],
        },
        {"role": "user", "content": QUESTION},
    ]
    async with open_endpoint(tmp_path, quick()) as endpoint:
        assert "1871" in (await respond(endpoint, turns)).output_text


@pytest.mark.parametrize("streams", [False, True])
async def test_a_schema_with_room_is_filled(tmp_path: Path, streams: bool):
    form = {"format": {"type": "json_schema", "name": "x", "schema": ROOM, "strict": True}}
    async with open_endpoint(tmp_path, quick()) as endpoint:
        text = await respond(endpoint, text=form, stream=streams)
        if streams:
            text = [event async for event in text][-1].response
    record = json.loads(text.output_text)
    assert "1871" in record["answer"]
    assert any(url.startswith(LIGHTHOUSE) for url in record["sources"])


@pytest.mark.parametrize("streams", [False, True])
async def test_a_response_ends_at_its_most_tokens(tmp_path: Path, streams: bool):
    async with open_endpoint(tmp_path) as endpoint:
        text = await respond(endpoint, max_output_tokens=6, stream=streams)
        if streams:
            text = [event async for event in text][-1].response
    assert text.status == "incomplete"
    assert text.incomplete_details.reason == "max_output_tokens"
    assert 0 < text.usage.output_tokens <= 6


@pytest.mark.parametrize(
    ("more", "param"),
    [
        ({"previous_response_id": "resp_1"}, "previous_response_id"),
        ({"conversation": "conv_1"}, "conversation"),
        ({"background": True}, "background"),
        ({"input": None}, "input"),
        ({"input": []}, "input"),
        ({"input": [{}]}, "input[0]"),
        ({"input": ["x"]}, "input[0]"),
        ({"input": [{"role": "user", "content": [{"type": "input_image"}]}]}, "input.[0].content"),
        ({"tools": [{"type": "function", "name": "f"}], "tool_choice": "required"}, "tool_choice"),
        ({"text": {"format": {"type": "grammar"}}}, "text.format"),
        ({"max_output_tokens": "x"}, "max_output_tokens"),
        ({"top_logprobs": 3}, "top_logprobs"),
        ({"model": None}, "model"),
    ],
)  # fmt: skip
async def test_what_cannot_be_served_is_refused_by_its_own_name(
    tmp_path: Path, more: dict[str, Any], param: str
):
    async with open_endpoint(tmp_path) as endpoint, httpx.AsyncClient() as caller:
        body = {"model": "askance", "input": QUESTION, **more}
        reply = await caller.post(f"{endpoint.url}/responses", json=body)
        error = reply.json()["error"]
        assert (reply.status_code, error["param"]) == (400, param)
        # What the other interface calls it nobody has sent.
        assert not re.search("`(messages|max_tokens|response_format)`", error["message"])
        assert endpoint.searched == 0


async def test_a_search_of_the_web_may_be_forced(tmp_path: Path):
    tools = [{"type": "web_search"}]
    async with open_endpoint(tmp_path, quick()) as endpoint:
        text = await respond(endpoint, tools=tools, tool_choice={"type": "web_search"})
    assert "1871" in text.output_text


async def test_an_error_before_the_first_word_has_its_status_and_one_behind_it_is_an_event(
    tmp_path: Path,
):
    async with open_endpoint(
        tmp_path, breaks={"search": always(hangs_up)}, model=False
    ) as endpoint:
        for streams in (False, True):
            with pytest.raises(openai.InternalServerError) as caught:
                await respond(endpoint, stream=streams)
            assert caught.value.status_code == 503


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
@pytest.mark.parametrize(
    "path",
    ["completions", "embeddings", "chat/completions/", "responses/resp_1", "files", "", "chat"],
)
async def test_what_is_not_there_is_said_in_openais_form(tmp_path: Path, path: str, method: str):
    async with open_endpoint(tmp_path) as endpoint, httpx.AsyncClient() as caller:
        reply = await caller.request(method, f"{endpoint.url}/{path}")
    error = reply.json()["error"]
    assert (reply.status_code, error["code"]) == (404, "unknown_url")
    assert "/v1/chat/completions" in error["message"]


@pytest.mark.parametrize("path", ["chat/completions", "responses"])
async def test_a_path_that_takes_no_get_says_so_in_openais_form(tmp_path: Path, path: str):
    async with open_endpoint(tmp_path) as endpoint, httpx.AsyncClient() as caller:
        reply = await caller.get(f"{endpoint.url}/{path}")
    assert (reply.status_code, reply.json()["error"]["code"]) == (404, "unknown_url")


async def test_what_is_sent_back_is_json_whatever_came(tmp_path: Path):
    """Python reads NaN and infinity, which other programs refuse."""
    body = json.dumps(
        {
            "model": "askance",
            "input": QUESTION,
            "temperature": math.nan,
            "metadata": {"a": math.inf},
        }
    )
    async with open_endpoint(tmp_path, quick()) as endpoint, httpx.AsyncClient() as client:
        reply = await client.post(f"{endpoint.url}/responses", content=body)
    assert reply.status_code == 200
    record = json.loads(reply.text, parse_constant=pytest.fail)
    assert (record["temperature"], record["metadata"]) == (None, {})
