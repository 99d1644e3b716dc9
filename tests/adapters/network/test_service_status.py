"""What services say about themselves, read with distrust."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from askance.adapters.network import own_services as vitals
from askance.adapters.network.own_services import (
    loaded_context,
    reader_vitals,
    searxng_health,
    searxng_vitals,
)
from askance.domain.errors import (
    ServiceDown,
    ServiceError,
    ServiceProtocolError,
    ServiceTimeout,
    SettingsError,
)
from servers.faults import FAULTS, address_of_nobody
from servers.loopback import Handler, Request, Wire, endless, serve
from servers.searxng import ScriptedSearxng

ASKS: tuple[Callable[[str], Awaitable[object]], ...] = (
    searxng_vitals,
    searxng_health,
    reader_vitals,
    lambda url: loaded_context(url, "wren:8b"),
)
EACH = pytest.mark.parametrize("ask", ASKS, ids=["searxng", "health", "reader", "ollama"])


def saying(values: dict[str, object]) -> Handler:
    async def answer(request: Request, wire: Wire) -> None:
        if request.path not in values:
            await wire.send("not found", 404)
        elif isinstance(body := values[request.path], str):
            await wire.send(body)
        else:
            await wire.send_json(body)

    return answer


async def test_searxng_tells_its_version_and_is_asked_for_no_search() -> None:
    values: dict[str, object] = {"/healthz": "OK", "/config": {"version": "2026.8.22+9fea41204"}}
    async with serve(saying(values)) as server:
        reported = await searxng_vitals(server.url)
        assert [r.path for r in server.requests] == ["/healthz", "/config"]
    assert reported.version == "2026.8.22+9fea41204"
    assert 0 < reported.ms < 5_000


@pytest.mark.parametrize(("formats", "speaks"), [(("html", "json"), True), (("html",), False)])
async def test_a_searxng_is_well_if_it_answers_in_json(
    formats: tuple[str, ...], speaks: bool
) -> None:
    searxng = ScriptedSearxng(lambda _: [], formats)

    async def answer(request: Request, wire: Wire) -> None:
        await (wire.send("OK") if request.path == "/healthz" else searxng(request, wire))

    async with serve(answer) as server:
        found = await searxng_health(server.url)
        assert [r.path for r in server.requests] == ["/healthz", "/search"]
    assert (found.speaks_json, searxng.heard) == (speaks, [])
    assert 0 < found.ms < 5_000


async def test_a_searxng_without_a_version_is_one_too() -> None:
    async with serve(saying({"/healthz": "OK", "/config": {"version": 3}})) as server:
        assert (await searxng_vitals(server.url)).version == ""


async def test_the_reader_service_tells_its_version() -> None:
    values: dict[str, object] = {"/version": {"askance": "0.1.0", "protocol": 1}}
    async with serve(saying(values)) as server:
        assert (await reader_vitals(server.url)).version == "0.1.0"


@pytest.mark.parametrize(
    ("models", "tokens"),
    [
        ([{"name": "wren:8b", "context_length": 4096}], 4096),
        ([{"name": "owl"}, {"name": "wren:8b"}], 0),
        ([{"name": "owl", "context_length": 4096}], None),
        (["wren:8b", {"name": 7}], None),
        ([], None),
        (None, None),
    ],
)
async def test_ollama_tells_the_context_of_a_model_in_memory(
    models: object, tokens: int | None
) -> None:
    async with serve(saying({"/api/ps": {"models": models}})) as server:
        assert await loaded_context(f"{server.url}/api", "wren:8b") == tokens


@EACH
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
async def test_every_fault_is_an_error_of_the_service(
    ask: Callable[[str], Awaitable[object]], fault: Handler, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vitals, "LIMIT_S", 0.2)
    async with serve(fault) as server:
        with pytest.raises(ServiceError) as caught:
            await ask(server.url)
        await server.until_idle()
    assert type(caught.value) in {ServiceDown, ServiceTimeout, ServiceProtocolError}
    assert server.url in caught.value.problem


@EACH
async def test_nobody_there_is_a_service_that_is_down(
    ask: Callable[[str], Awaitable[object]],
) -> None:
    with pytest.raises(ServiceDown, match="http"):
        await ask(address_of_nobody())
    with pytest.raises(SettingsError):
        await ask("http://a\x7fb")


@EACH
@pytest.mark.parametrize("body", ["[1]", '"OK"', "[" * 100_000, "\xff"])
async def test_another_program_is_not_taken_for_the_service(
    ask: Callable[[str], Awaitable[object]], body: str
) -> None:
    paths = ("/healthz", "/version", "/api/ps")
    async with serve(saying(dict.fromkeys(paths, body))) as server:
        with pytest.raises(ServiceProtocolError, match="is not"):
            await ask(server.url)


async def test_an_endless_answer_is_not_taken_in(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serve(endless) as server:
        with pytest.raises(ServiceProtocolError):
            await reader_vitals(server.url)
