"""OpenAI's API under the published client: models, answers, streams, citations, jobs, errors, cancelling."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import httpx
import openai
import pytest

from askance.domain.ports.storage import Client
from askance.server.openai_request import LONGEST_QUESTION, OpenAIError, fields_of
from servers.faults import stalls
from servers.model_script import ModelScript
from servers.openai_endpoint import OpenAiEndpoint, open_endpoint
from servers.world import LIGHTHOUSE, ONE_ROUND, QUESTION, WHITLOW, knowing_model, some_answer
from waiting import patience

ASKED = [{"role": "user", "content": QUESTION}]
TITLE = (
    '### Task:\nWrite a title of 3-5 words for the chat.\n### Output:\nJSON: {"title": "a title"}\n'
    f"### Chat History:\n<chat_history>\nUSER: {QUESTION}\nASSISTANT: In Orr.\n</chat_history>"
)


def quick(answer: str = "") -> ModelScript:
    """A model that finds enough in the first round."""
    script = knowing_model()
    return ModelScript(script.plan, ONE_ROUND, [answer or some_answer])


async def complete(
    endpoint: OpenAiEndpoint, messages: object = ASKED, model: str = "askance", **more: object
):
    return await endpoint.client.chat.completions.create(model=model, messages=messages, **more)  # type: ignore[arg-type,call-overload]


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
