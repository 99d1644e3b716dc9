"""Model servers that are down, slow, rude or mad: every failure is one sentence with its remedy."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest

from askance.domain.errors import (
    AskanceError,
    ModelMissing,
    PromptTooLong,
    ServiceDown,
    ServiceError,
    ServiceProtocolError,
    ServiceRefused,
    ServiceTimeout,
    SettingsError,
)
from askance.domain.ports.model import ChatModel, Text
from remedies import remedy_of
from servers.faults import address_of_nobody
from servers.loopback import Handler, Request, Wire, serve
from servers.ollama import FakeOllama
from servers.openai import FakeOpenAI
from servers.scripted import CALL, Fake, answering, hang_up, streaming
from waiting import skip_waits


async def failure_of(fake: Fake, kind: type[AskanceError], **settings: Any) -> Any:
    """The error that a reply ends with; it leaves no connection."""

    async def read(model: ChatModel) -> None:
        async with model.reply(CALL) as reply:
            async for _ in reply:
                pass

    async with serve(fake) as server, fake.model(server.url, **settings) as model:
        with pytest.raises(kind) as caught:
            await read(model)
        await server.until_idle()
    return caught.value


async def test_a_server_that_is_down_is_named_with_its_address(fake: Fake) -> None:
    address = address_of_nobody()
    async with fake.model(address) as model:
        for ask in (model.info, model.models):
            with pytest.raises(ServiceDown) as caught:
                await ask()
            assert caught.value.problem.values["address"] == address
            assert "llm.url" in caught.value.fix


async def test_an_address_that_is_none_is_a_matter_of_settings(fake: Fake) -> None:
    with pytest.raises(SettingsError, match=r"llm\.url"):
        fake.model("http://ä..b")


async def test_a_host_that_cannot_exist_is_down(fake: Fake) -> None:
    async with fake.model(f"http://{'a' * 70}.localhost") as model:
        with pytest.raises(ServiceDown):
            await model.info()


async def test_a_queue_before_a_warm_model_is_no_silence(
    fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What another program asked comes first, and the prompt is read: that takes its time."""
    before_us = asyncio.Event()

    async def handler(request: Request, wire: Wire) -> None:
        if len(fake.chats) > 1:
            await before_us.wait()
        await streaming(fake.text("x"), fake.end())(request, wire)

    fake.on_chat = handler
    async with (
        serve(fake) as server,
        fake.model(server.url, load_timeout_s=600, idle_timeout_s=30) as model,
    ):
        async with model.reply(CALL) as reply:
            assert [part async for part in reply]
        loop = asyncio.get_running_loop()
        loop.call_later(90, before_us.set)
        skip_waits(loop, monkeypatch)
        async with model.reply(CALL) as reply:
            assert [part async for part in reply]


async def test_a_warm_model_that_never_begins_is_given_up_all_the_same(
    fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    hangs = {"now": False}

    async def handler(request: Request, wire: Wire) -> None:
        if hangs["now"]:
            await wire.client_gone()
        await streaming(fake.text("x"), fake.end())(request, wire)

    fake.on_chat = handler
    async with (
        serve(fake) as server,
        fake.model(server.url, load_timeout_s=60, idle_timeout_s=30) as model,
    ):
        async with model.reply(CALL) as reply:
            assert [part async for part in reply]
        hangs["now"] = True
        skip_waits(asyncio.get_running_loop(), monkeypatch)
        with pytest.raises(ServiceTimeout, match="60 s") as caught:
            async with model.reply(CALL) as reply:
                assert [part async for part in reply]
    assert remedy_of(caught.value).setting == "llm.load_timeout_s"


class Chatter:
    """Sends something that is no part of a reply, again and again, until the client is gone."""

    def __init__(self, *pieces: bytes, nothing: bytes) -> None:
        self._pieces, self._nothing = pieces, nothing

    async def __call__(self, request: Request, wire: Wire) -> None:
        await wire.start()
        for piece in self._pieces:
            await wire.chunk(piece)
        gone = asyncio.Event()
        async with asyncio.TaskGroup() as group:
            group.create_task(self._talk(wire, gone))
            await wire.client_gone()
            gone.set()

    async def _talk(self, wire: Wire, gone: asyncio.Event) -> None:
        with suppress(ConnectionError):
            while not gone.is_set():
                await wire.chunk(self._nothing)
                await asyncio.sleep(0.02)


NOTHING = {FakeOllama: b"\n", FakeOpenAI: b": still there\n\n"}


SILENT: dict[str, tuple[Callable[[Fake], Handler], float, float]] = {
    "nothing comes": (lambda _: lambda request, wire: wire.client_gone(), 0.2, 30),
    "only signs of life come": (lambda fake: Chatter(nothing=NOTHING[type(fake)]), 0.5, 30),
    "a word, then nothing": (
        lambda fake: streaming(fake.text("Lis"), then=Wire.client_gone), 30, 0.2
    ),
    "a word, then signs of life": (
        lambda fake: Chatter(fake.text("Lis"), nothing=NOTHING[type(fake)]), 30, 0.5
    ),
}  # fmt: skip


@pytest.mark.parametrize("how", SILENT)
async def test_a_model_has_the_time_for_loading_and_from_its_first_word_on_that_for_silence(
    fake: Fake, how: str
) -> None:
    play, load_s, idle_s = SILENT[how]
    fake.on_chat = play(fake)
    error = await failure_of(fake, ServiceTimeout, load_timeout_s=load_s, idle_timeout_s=idle_s)
    assert f"{min(load_s, idle_s)} s" in error.problem
    setting = "llm.load_timeout_s" if load_s < idle_s else "llm.idle_timeout_s"
    assert remedy_of(error).setting == setting


async def test_the_time_that_a_reader_takes_is_no_silence(
    fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two pieces have come; the second is asked for long after the time for silence."""
    fake.on_chat = streaming(fake.text("Lis"), fake.text("bon"), fake.end())
    loop = asyncio.get_running_loop()
    async with (
        serve(fake) as server,
        fake.model(server.url, idle_timeout_s=30) as model,
        model.reply(CALL) as reply,
    ):
        assert await anext(reply) == Text("Lis")
        later = asyncio.Event()
        loop.call_later(60, later.set)
        skip_waits(loop, monkeypatch)
        await later.wait()
        assert Text("bon") in [part async for part in reply]


async def test_an_openai_servers_empty_first_part_is_no_beginning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """vLLM and LM Studio send it before they have looked at the prompt."""
    fake = FakeOpenAI()
    before_us = asyncio.Event()

    async def handler(request: Request, wire: Wire) -> None:
        await wire.start()
        await wire.chunk(fake.choice({"role": "assistant", "content": ""}))
        await before_us.wait()
        await wire.chunk(fake.text("x") + fake.end())

    fake.on_chat = handler
    async with serve(fake) as server, fake.model(server.url, idle_timeout_s=30) as model:
        loop = asyncio.get_running_loop()
        loop.call_later(60, before_us.set)
        skip_waits(loop, monkeypatch)
        async with model.reply(CALL) as reply:
            assert await anext(reply) == Text("x")


@pytest.mark.parametrize("status", [500, 502])
async def test_a_failing_server_is_quoted(fake: Fake, status: int) -> None:
    fake.on_chat = answering(status, b'{"error": "model requires more system memory (9 GiB)"}')

    error = await failure_of(fake, ServiceRefused)

    assert f"status {status}" in error.problem
    assert "more system memory (9 GiB)" in error.problem


@pytest.mark.parametrize(
    "junk",
    [b"<html>hello</html>\n", b"\xff\xfe\x00\n\n", b"data: {broken\n\n", b"data: {}\n\n", b"[1]\n"],
)
async def test_a_line_of_something_else_is_nonsense_to_ollama_and_skipped_among_events(
    fake: Fake, junk: bytes
) -> None:
    fake.on_chat = streaming(fake.text("Lis"), junk, fake.text("bon"), fake.end())

    if isinstance(fake, FakeOllama):
        assert "llm.url" in (await failure_of(fake, ServiceProtocolError)).fix
        return
    async with (
        serve(fake) as server,
        fake.model(server.url) as model,
        model.reply(CALL) as reply,
    ):
        parts = [part async for part in reply]
    assert "".join(part.text for part in parts if isinstance(part, Text)) == "Lisbon"


@pytest.mark.parametrize(
    "junk", [b"<html>hello</html>\n", b"\xff\xfe\x00\n\n", b"data: {broken\n\n", b"[1]\n"]
)
async def test_a_stream_of_nothing_but_something_else_is_nonsense(fake: Fake, junk: bytes) -> None:
    fake.on_chat = streaming(junk)

    error = await failure_of(fake, ServiceProtocolError)

    assert error.problem.values["service"]


@pytest.mark.parametrize("how", [hang_up, None], ids=["reset", "ended"])
async def test_a_stream_that_breaks_off_is_said_to_be_cut(fake: Fake, how: Any) -> None:
    fake.on_chat = streaming(fake.text("Lisbon "), fake.text("lies"), then=how)

    error = await failure_of(fake, ServiceProtocolError)

    assert set(error.problem.values) == {"service"}, "it quotes nothing"


async def test_the_parts_before_a_cut_have_been_passed_on(fake: Fake) -> None:
    fake.on_chat = streaming(fake.text("Lisbon "), fake.text("lies"), then=hang_up)
    async with (
        serve(fake) as server,
        fake.model(server.url) as model,
        model.reply(CALL) as reply,
    ):
        assert [await anext(reply), await anext(reply)] == [Text("Lisbon "), Text("lies")]
        with pytest.raises(ServiceProtocolError):
            await anext(reply)


async def test_a_server_that_hangs_up_without_a_word_is_said_to_cut(fake: Fake) -> None:
    fake.on_chat = lambda request, wire: hang_up(wire)

    error = await failure_of(fake, ServiceProtocolError)

    assert set(error.problem.values) == {"service"}, "it quotes nothing"


async def test_an_error_in_the_middle_of_a_stream_is_quoted(fake: Fake) -> None:
    fake.on_chat = streaming(fake.text("Lis"), fake.error("the runner has died"))

    error = await failure_of(fake, ServiceRefused)

    assert error.problem.values["said"] == "the runner has died."


async def test_an_overflow_in_the_middle_of_a_stream_is_a_prompt_too_long(fake: Fake) -> None:
    fake.on_chat = streaming(fake.error("request (9000 tokens) exceeds the available context size"))

    assert (await failure_of(fake, PromptTooLong)).needed == 9000


async def test_an_overflow_tells_both_sizes(fake: Fake) -> None:
    fake.on_chat = answering(*fake.overflow(9031, 4096))

    error = await failure_of(fake, PromptTooLong)

    assert (error.needed, error.available) == (9031, 4096)


async def test_a_model_that_has_gone_is_missing(fake: Fake) -> None:
    fake.on_chat = answering(*fake.missing("tiny:latest"))

    missing = (await failure_of(fake, ModelMissing)).problem.values["model"]
    assert missing.removesuffix(":latest") == "tiny"


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (200, "<html>a router's page</html>", ServiceProtocolError),
        (200, '"hello"', ServiceProtocolError),
        (404, "not here", ServiceProtocolError),
        (302, "", ServiceProtocolError),
        (401, '{"error": "no key"}', ServiceRefused),
        (500, "", ServiceRefused),
    ],
)
async def test_another_program_at_the_address_is_recognised(
    fake: Fake, status: int, body: str, kind: type[ServiceError]
) -> None:
    async with serve(answering(status, body)) as server, fake.model(server.url) as model:
        for ask in (model.info, model.models):
            with pytest.raises(kind):
                await ask()


async def test_a_server_that_does_not_even_list_its_models_is_slow(fake: Fake) -> None:
    async with (
        serve(lambda request, wire: wire.client_gone()) as server,
        fake.model(server.url, idle_timeout_s=0.2, load_timeout_s=30) as model,
    ):
        with pytest.raises(ServiceTimeout, match=r"0\.2 s"):
            await model.info()


async def test_a_failed_description_is_asked_for_again(fake: Fake) -> None:
    down = {"now": True}

    async def handler(request: Request, wire: Wire) -> None:
        await (wire.send("", 500) if down["now"] else fake(request, wire))

    async with serve(handler) as server, fake.model(server.url) as model:
        with pytest.raises(ServiceRefused):
            await model.info()
        down["now"] = False
        assert (await model.info()).context_tokens == 4096


async def test_a_line_without_end_is_given_up(fake: Fake) -> None:
    fake.on_chat = streaming(*[b"x" * 1_000_000] * 6)

    assert "bytes" in (await failure_of(fake, ServiceProtocolError)).problem
