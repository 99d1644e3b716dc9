"""Replies that are read to their end, left early or cancelled; text, thoughts and schemas in them."""

from __future__ import annotations

import asyncio

import pytest

from askance.domain.ports.model import (
    Finished,
    ModelCall,
    Text,
    Thought,
)
from servers.loopback import Handler, Request, Wire, serve
from servers.scripted import CALL, Fake, parts_of, streaming
from waiting import patience


async def test_the_model_is_described_once(fake: Fake) -> None:
    async with serve(fake) as server, fake.model(server.url) as model:
        async with asyncio.TaskGroup() as group:
            asked = [group.create_task(model.info()) for _ in range(5)]
        count = len(server.requests)
        assert await model.info() is asked[0].result()

        assert len({id(task.result()) for task in asked}) == 1
        assert len(server.requests) == count <= 3


def endless(fake: Fake, hung_up: asyncio.Event) -> Handler:
    """Begin a reply, and set the event when the client has gone."""

    async def until_gone(wire: Wire) -> None:
        await wire.client_gone()
        hung_up.set()

    return streaming(fake.text("on and on "), then=until_gone)


async def test_leaving_a_reply_early_is_seen_by_the_server(fake: Fake) -> None:
    hung_up = asyncio.Event()
    fake.on_chat = endless(fake, hung_up)
    async with serve(fake) as server, fake.model(server.url) as model:
        async with model.reply(CALL) as reply:
            assert await anext(reply) == Text("on and on ")
            assert not hung_up.is_set()
        async with patience():
            await hung_up.wait()


async def test_an_exception_in_the_readers_code_closes_the_reply(fake: Fake) -> None:
    hung_up = asyncio.Event()
    fake.on_chat = endless(fake, hung_up)
    async with serve(fake) as server, fake.model(server.url) as model:

        async def read() -> None:
            async with model.reply(CALL) as reply:
                await anext(reply)
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            await read()
        async with patience():
            await hung_up.wait()


@pytest.mark.parametrize("reading", [True, False], ids=["while reading", "before the first part"])
async def test_a_cancelled_reply_leaves_no_connection(fake: Fake, reading: bool) -> None:
    hung_up, begun = asyncio.Event(), asyncio.Event()
    pieces = [fake.text("on and on ")] if reading else []

    async def handler(request: Request, wire: Wire) -> None:
        if pieces:
            await streaming(*pieces)(request, wire)
        else:
            begun.set()
        await wire.client_gone()
        hung_up.set()

    fake.on_chat = handler

    async with serve(fake) as server, fake.model(server.url) as model:

        async def read() -> None:
            async with model.reply(CALL) as reply:
                async for _ in reply:
                    begun.set()

        async with asyncio.TaskGroup() as group:
            task = group.create_task(read())
            await begun.wait()
            task.cancel()
        async with patience():
            await hung_up.wait()
            await server.until_idle()
        assert task.cancelled()


async def test_lines_may_be_split_anywhere(fake: Fake) -> None:
    whole = fake.text("Lissabon, är") + b"\n" + fake.text("\u2028é") + fake.end()
    whole = whole.replace(b"\\u2028", "\u2028".encode()).replace(b"\\u00e4", "ä".encode())
    fake.on_chat = streaming(*[whole[i : i + 3] for i in range(0, len(whole), 3)])

    *texts, last = await parts_of(fake)

    assert "".join(part.text for part in texts if isinstance(part, Text)) == "Lissabon, är\u2028é"
    assert isinstance(last, Finished)


async def test_lines_may_end_as_they_do_on_windows(fake: Fake) -> None:
    whole = (fake.text("Lisbon") + fake.end()).replace(b"\n", b"\r\n")
    fake.on_chat = streaming(whole)

    assert (await parts_of(fake))[0] == Text("Lisbon")


async def test_reasoning_never_becomes_text(fake: Fake) -> None:
    fake.on_chat = streaming(
        fake.thought("Let me see."),
        *[fake.text(piece) for piece in ("<thi", "nk>Portugal", "?</th", "ink>\n\n", "Lisbon")],
        fake.end(),
    )

    *parts, last = await parts_of(fake)

    assert parts == [
        Thought("Let me see."),
        Thought("Portugal"),
        Thought("?"),
        Text("Lisbon"),
    ]
    assert isinstance(last, Finished)


async def test_reasoning_that_is_never_closed_stays_reasoning(fake: Fake) -> None:
    fake.on_chat = streaming(fake.text("<think>I should "), fake.text("search <"), fake.end())

    *parts, _ = await parts_of(fake)

    assert all(isinstance(part, Thought) for part in parts)
    assert "".join(p.text for p in parts if isinstance(p, Thought)) == "I should search <"


async def test_what_follows_the_end_of_a_reply_is_not_read(fake: Fake) -> None:
    fake.on_chat = streaming(fake.text("a"), fake.end(), b"<junk>\n")

    assert len(await parts_of(fake)) == 2


async def test_the_schema_is_sent_as_it_is(fake: Fake) -> None:
    await parts_of(fake, ModelCall(CALL.messages, 50, schema={"type": "object"}))
    assert fake.schema() == {"type": "object"}

    await parts_of(fake, CALL)
    assert fake.schema() is None
