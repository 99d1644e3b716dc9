"""Model servers as they are: what a person sees of each, in an answer and in what is examined."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest

from askance.adapters.llm import model_server
from askance.adapters.model_choice import model_of
from askance.app.checks.first_steps import look_at_model
from askance.app.checks.parts import check_model, settled
from askance.config.choices import LlmApi
from askance.config.settings import LlmSettings, Settings
from askance.domain.errors import AskanceError, ServiceDown, ServiceProtocolError
from askance.domain.ports.model import (
    ChatMessage,
    ChatModel,
    ModelCall,
    ModelInfo,
    Retracted,
    Role,
    Text,
)
from askance.engine.prompts import ANSWERING_CONTEXT
from sampled import sampled
from servers.closing import close_server
from servers.loopback import Request, Wire, serve
from servers.model_quirks import ANSWER, Quirk, quirks

QUIRKS = quirks()
MESSAGES = (ChatMessage(Role.SYSTEM, "Be brief."), ChatMessage(Role.USER, "How tall is it?"))
PLAN = ModelCall(MESSAGES, 50, schema={"type": "object", "properties": {}})
CALL = ModelCall(MESSAGES, 50, temperature=0.2)
SECRETS = ("s3cretpw", "shibboleth", "sesame")


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """What failed is asked again at once: how long the program waits is tried elsewhere."""
    monkeypatch.setattr(model_server, "RETRY_S", 0.01)


async def said(model: ChatModel, call: ModelCall) -> str:
    """The answer, or the sentence in its place."""
    text = ""
    try:
        async with model.reply(call) as parts:
            async for part in parts:
                if isinstance(part, Text):
                    text += part.text
                elif isinstance(part, Retracted):
                    text = ""
    except AskanceError as exc:
        return f"{exc.problem} {exc.fix}"
    return text.strip()


def settings_of(quirk: Quirk, url: str) -> LlmSettings:
    host = url.removeprefix("http://")
    places = {
        "url": url,
        "host": host,
        "capital": f"HTTP://{host}",
        "private": f"http://bob:s3cretpw@{host}",
    }
    record = {"url": "{url}", **quirk.settings}
    filled = {name: value.format(**places) for name, value in record.items()}
    return LlmSettings.model_validate(
        {"api": LlmApi(quirk.api), "context_tokens": 3000, "load_timeout_s": 5.0, **filled}
    )


def test_there_are_enough_of_them_and_none_twice() -> None:
    assert len(QUIRKS) >= 150
    assert len({quirk.name for quirk in QUIRKS}) == len(QUIRKS)


@pytest.mark.parametrize("quirk", sampled(QUIRKS, every=3), ids=lambda quirk: quirk.name)
async def test_what_a_person_sees(quirk: Quirk) -> None:
    async with serve(quirk) as server:
        settings = settings_of(quirk, server.url)
        async with model_of(settings) as model:
            planned, answered = await said(model, PLAN), await said(model, CALL)
            chats = len(quirk.chats)
            parts = cast(
                "Any", SimpleNamespace(model=model, settings=Settings(llm=settings), ledger=None)
            )
            examined = await settled("model", check_model(parts), 5.0)
            looked = await look_at_model(parts, {"PATH": ""}, lambda: 0)
            seen = " ".join(
                (planned, answered, examined.message, examined.fix, looked.message, looked.more)
            )
            info = await model.info() if quirk.shows == ANSWER else ModelInfo("", 0)

    assert not any(secret in seen for secret in SECRETS)
    assert "<" not in seen
    if quirk.shows == ANSWER:
        assert (planned, answered) == (ANSWER, ANSWER)
        assert chats <= quirk.asked + 1, "what was refused once is not sent again"
        assert quirk.model in {"", info.name}
        assert quirk.context in {0, info.context_tokens}
        enough = not 0 < quirk.context < ANSWERING_CONTEXT
        assert (examined.ok, looked.ok) == (enough, enough), (examined, looked)
        return
    assert quirk.shows in answered
    # A first word is all that is asked for: what fails behind it does not show.
    if "among parts" not in quirk.name and quirk.name != "fails: no end":
        assert (examined.ok, looked.ok) == (False, False), (examined, looked)
        assert quirk.shows in f"{examined.message} {examined.fix}"


async def test_https_where_a_server_speaks_plain_http_is_said_in_one_sentence() -> None:
    async def plain(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(plain, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    try:
        settings = LlmSettings(api=LlmApi.OPENAI, url=f"https://bob:s3cretpw@127.0.0.1:{port}")
        async with model_of(settings) as model:
            with pytest.raises(ServiceDown) as caught:
                await model.info()
    finally:
        await close_server(server)
    assert caught.value.address == f"https://127.0.0.1:{port}"
    assert f"http://127.0.0.1:{port}" in caught.value.fix
    assert not any(secret in f"{caught.value.problem} {caught.value.fix}" for secret in SECRETS)


async def test_a_redirect_says_where_it_leads() -> None:
    async def moved(_request: Request, wire: Wire) -> None:
        await wire.send("", 308, {"Location": "https://bob:s3cretpw@models.example/v1/models"})

    async with serve(moved) as server:
        settings = LlmSettings(api=LlmApi.OPENAI, url=server.url)
        async with model_of(settings) as model:
            with pytest.raises(ServiceProtocolError) as caught:
                await model.info()
    assert "https://models.example" in caught.value.problem
    assert "s3cretpw" not in caught.value.problem
