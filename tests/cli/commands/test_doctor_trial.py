"""The trial of `askance doctor`: a model has to give a word of text."""

from __future__ import annotations

import pytest

from askance.app.checks.first_steps import ask_for_token
from askance.domain.errors import ModelMissing
from remedies import remedy_of
from servers.loopback import Request, Wire, serve
from servers.openai import FakeOpenAI

LONG = "Let me see. " * 30


def thinking(*, room: int = 0, kind: str = "thought", reason: str = "length") -> FakeOpenAI:
    """A server whose model reasons until its limit; with `room` tokens it comes to a reply, 0 never."""
    fake = FakeOpenAI(n_ctx=8192)

    async def chat(request: Request, wire: Wire) -> None:
        await wire.start()
        if kind:
            await wire.chunk(getattr(fake, kind)(LONG))
        if room and request.json()["max_tokens"] >= room:
            await wire.chunk(fake.text("Hello."))
            await wire.chunk(fake.end())
        else:
            await wire.chunk(fake.end(reason))

    fake.on_chat = chat
    return fake


async def trial(fake: FakeOpenAI) -> None:
    async with serve(fake) as server, fake.model(server.url) as model:
        await ask_for_token(model, None, "doctor")


@pytest.mark.parametrize("kind", ["thought", ""])
@pytest.mark.parametrize("reason", ["length", "stop"])
async def test_a_model_that_only_reasons_fails_and_what_to_set_is_said(
    kind: str, reason: str
) -> None:
    with pytest.raises(ModelMissing) as caught:
        await trial(thinking(kind=kind, reason=reason))
    assert remedy_of(caught.value).setting == "llm.model"
    said = "empty replies" if (kind, reason) == ("", "stop") else "used up its tokens by reasoning"
    assert said in str(caught.value)


async def test_a_reply_that_is_the_reasoning_once_more_is_no_word_of_text() -> None:
    fake = FakeOpenAI()

    async def chat(_request: Request, wire: Wire) -> None:
        await wire.start()
        await wire.chunk(fake.thought("Hello."))
        await wire.chunk(fake.text("Hello."))
        await wire.chunk(fake.end())

    fake.on_chat = chat
    with pytest.raises(ModelMissing, match="by reasoning"):
        await trial(fake)


async def test_a_model_that_comes_to_a_word_with_more_room_passes() -> None:
    # So much some reason to say hello, and answer in full when a search leaves them the room.
    fake = thinking(room=4_000)
    await trial(fake)
    first, second = fake.chats
    assert first["max_tokens"] < 600
    assert 4_000 <= second["max_tokens"] < fake.n_ctx
    assert "think" in second


async def test_a_model_that_says_a_word_is_asked_once() -> None:
    fake = FakeOpenAI()
    await trial(fake)
    assert len(fake.chats) == 1
