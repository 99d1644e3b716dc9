"""A model that is deleted under a running program: another takes its place where none was named."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from askance.domain.errors import ModelMissing
from askance.domain.ports.model import (
    Finished,
    ModelChanged,
    ReplyPart,
    Text,
)
from servers.loopback import Request, Wire, serve
from servers.ollama import FakeOllama, shown, tag
from servers.scripted import CALL, Fake, streaming

FIRST, SECOND = "first:latest", "second:latest"


@pytest.fixture
def fake(fake: Fake) -> Fake:
    have(fake, FIRST, SECOND)

    async def chat(request: Request, wire: Wire) -> None:
        name = request.json()["model"]
        if name in named(fake):
            await streaming(fake.text("Lisbon"), fake.end())(request, wire)
        else:
            status, body = fake.missing(name)
            await wire.send(body, status)

    fake.on_chat = chat
    return fake


def have(fake: Fake, *names: str) -> None:
    if isinstance(fake, FakeOllama):
        fake.tags = [tag(name) for name in names]
        fake.shows = {name: shown() for name in names}
    else:
        fake.entries = [{"id": name} for name in names]


def named(fake: Fake) -> set[str]:
    return set(fake.shows) if isinstance(fake, FakeOllama) else {e["id"] for e in fake.entries}


async def parts_of(model: Any) -> list[ReplyPart]:
    async with model.reply(CALL) as parts:
        return [part async for part in parts]


async def test_the_next_model_takes_the_place_of_a_deleted_one_and_says_so(fake: Fake) -> None:
    async with serve(fake) as server, fake.model(server.url) as model:
        assert (await model.info()).name == FIRST
        have(fake, SECOND)

        first, *others = await parts_of(model)

        assert first == ModelChanged(FIRST, SECOND)
        assert others[0] == Text("Lisbon")
        assert isinstance(others[-1], Finished)
        assert (await model.info()).name == SECOND
        assert [chat["model"] for chat in fake.chats] == [FIRST, SECOND]
        # It is told once.
        assert (await parts_of(model))[0] == Text("Lisbon")


async def test_runs_that_find_it_deleted_at_the_same_time_agree_on_the_next(fake: Fake) -> None:
    async with serve(fake) as server, fake.model(server.url) as model:
        await model.info()
        have(fake, SECOND)
        async with asyncio.TaskGroup() as group:
            replies = [group.create_task(parts_of(model)) for _ in range(3)]
    assert all(Text("Lisbon") in reply.result() for reply in replies)


async def test_where_no_other_is_there_that_is_said_and_looked_for_again(fake: Fake) -> None:
    async with serve(fake) as server, fake.model(server.url) as model:
        await model.info()
        have(fake)
        for ask in (lambda: parts_of(model), model.info):
            with pytest.raises(ModelMissing):
                await ask()
        have(fake, SECOND)
        assert Text("Lisbon") in await parts_of(model)


async def test_a_model_that_was_named_is_never_replaced(fake: Fake) -> None:
    async with serve(fake) as server, fake.model(server.url, model=FIRST) as model:
        await model.info()
        have(fake, SECOND)
        for _ in range(2):
            with pytest.raises(ModelMissing, match=FIRST):
                await parts_of(model)
        # Fetched anew, it is there without a restart.
        have(fake, FIRST, SECOND)
        assert (await parts_of(model))[0] == Text("Lisbon")


async def test_a_server_that_lists_a_model_and_refuses_it_is_asked_once(fake: Fake) -> None:
    async with serve(fake) as server, fake.model(server.url) as model:
        await model.info()

        async def refuse(request: Request, wire: Wire) -> None:
            status, body = fake.missing(FIRST)
            await wire.send(body, status)

        fake.on_chat = refuse
        with pytest.raises(ModelMissing):
            await parts_of(model)
        assert len(fake.chats) == 1
