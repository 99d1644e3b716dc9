"""A request that fails before a word of its reply has come is sent again, as the server tells or once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from askance.adapters.llm.model_server import RESTART_S
from askance.domain.errors import ServiceDown, ServiceError, ServiceRefused
from askance.domain.ports.model import ModelCall, ReplyPart, Text
from servers.faults import breaks_off, hangs_up
from servers.loopback import Handler, Request, Wire, serve
from servers.ollama import FakeOllama
from servers.openai import FakeOpenAI
from servers.scripted import CALL, Fake

pytestmark = pytest.mark.usefixtures("waits_skipped")


def says(status: int, **headers: str) -> Handler:
    async def refuse(_request: Request, wire: Wire) -> None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        await wire.send(json.dumps({"error": {"message": "Overloaded"}}), status, named)

    return refuse


def failing(fake: Fake, fault: Handler, times: int) -> list[Request]:
    """Have the first chats fail; returns all of them."""
    asked: list[Request] = []

    async def chat(request: Request, wire: Wire) -> None:
        asked.append(request)
        if len(asked) <= times:
            await fault(request, wire)
        else:
            await fake._chat(request, wire)

    fake.on_chat = chat
    return asked


async def replied(fake: Fake, call: ModelCall = CALL) -> tuple[list[ReplyPart], float]:
    """Return what came of a call, and the seconds that it took."""
    async with serve(fake) as server, fake.model(server.url) as model:
        await model.info()
        clock = asyncio.get_running_loop().time
        began = clock()
        async with model.reply(call) as parts:
            return [part async for part in parts], clock() - began


def text_of(parts: list[ReplyPart]) -> str:
    return "".join(part.text for part in parts if isinstance(part, Text))


async def says_an_error(_request: Request, wire: Wire) -> None:
    await wire.start()
    await wire.chunk('data: {"error": {"message": "slot is gone", "code": 502}}\n\n')


async def only_loads(_request: Request, wire: Wire) -> None:
    await wire.send_json({"message": {"content": ""}, "done": True, "done_reason": "load"})


ONCE = {
    "hangs up": hangs_up,
    "breaks off": breaks_off,
    **{str(status): says(status) for status in (429, 500, 502, 504, 529)},
}


@pytest.mark.parametrize("fault", ONCE.values(), ids=ONCE.keys())
async def test_what_fails_before_a_word_is_tried_once_more(fake: Fake, fault: Handler) -> None:
    asked = failing(fake, fault, times=1)
    parts, _ = await replied(fake)
    assert text_of(parts).startswith("Lisbon")
    assert len(asked) == 2


@pytest.mark.parametrize("fault", ONCE.values(), ids=ONCE.keys())
async def test_what_goes_on_failing_is_not_tried_a_third_time(fake: Fake, fault: Handler) -> None:
    asked = failing(fake, fault, times=9)
    with pytest.raises(ServiceError):
        await replied(fake)
    assert len(asked) == 2


async def test_a_stream_that_begins_with_an_error_is_tried_once_more() -> None:
    fake = FakeOpenAI()
    asked = failing(fake, says_an_error, times=1)
    parts, _ = await replied(fake)
    assert (text_of(parts)[:6], len(asked)) == ("Lisbon", 2)


async def test_an_ollama_that_has_only_loaded_the_model_is_asked_once_more() -> None:
    fake = FakeOllama()
    asked = failing(fake, only_loads, times=1)
    parts, _ = await replied(fake)
    assert (text_of(parts)[:6], len(asked)) == ("Lisbon", 2)


def in_seconds(seconds: int) -> str:
    return format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), usegmt=True)


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("header", [lambda: "7", lambda: in_seconds(8)], ids=["seconds", "date"])
async def test_a_server_that_tells_when_is_asked_again_then(
    fake: Fake, status: int, header: Callable[[], str]
) -> None:
    asked = failing(fake, says(status, Retry_After=header()), times=2)
    parts, seconds = await replied(fake)
    assert text_of(parts).startswith("Lisbon")
    assert len(asked) == 3
    assert 10.0 <= seconds < 30.0


async def test_no_retry_waits_beyond_the_end_of_the_run(fake: Fake) -> None:
    asked = failing(fake, says(429, Retry_After="30"), times=1)
    ends_at = asyncio.get_running_loop().time() + 20.0
    with pytest.raises(ServiceRefused):
        await replied(fake, replace(CALL, ends_at=ends_at))
    assert len(asked) == 1


@pytest.mark.parametrize("header", ["", "soon", "-3", "9" * 400, "\u00b2", "3600"])
async def test_a_header_that_tells_nothing_useful_costs_one_more_request_at_the_most(
    fake: Fake, header: str
) -> None:
    asked = failing(fake, says(429, Retry_After=header), times=9)
    with pytest.raises(ServiceRefused):
        await replied(fake)
    assert len(asked) <= 2


async def test_no_word_is_shown_twice(fake: Fake) -> None:
    async def begin(_request: Request, wire: Wire) -> None:
        await wire.start()
        await wire.chunk(fake.text("Lisbon "))
        wire.abort()

    asked = failing(fake, begin, times=1)
    with pytest.raises(ServiceError):
        await replied(fake)
    assert len(asked) == 1


@pytest.mark.parametrize("status", [400, 401, 403])
async def test_a_refusal_that_will_not_pass_is_told_at_once(fake: Fake, status: int) -> None:
    failing(fake, says(status), times=9)
    with pytest.raises(ServiceRefused):
        await replied(fake)


async def test_a_server_that_starts_again_is_waited_for_and_one_that_stays_away_is_not(
    fake: Fake,
) -> None:
    clock = asyncio.get_running_loop().time
    async with serve(fake) as first, fake.model(first.url) as model:
        await model.info()
        port = first.port
    async with fake.model(first.url) as model:
        async with serve(fake, port=port):
            await model.info()
        began = clock()
        with pytest.raises(ServiceDown):
            async with model.reply(CALL) as parts:
                assert [part async for part in parts]
        assert RESTART_S <= clock() - began < 3 * RESTART_S
        async with serve(fake, port=port):
            await model.info()

        async def later() -> str:
            async with model.reply(CALL) as parts:
                return text_of([part async for part in parts])

        async with asyncio.TaskGroup() as group:
            reply = group.create_task(later())
            await asyncio.sleep(3)
            async with serve(fake, port=port):
                assert (await reply).startswith("Lisbon")
