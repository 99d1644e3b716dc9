"""What services say about themselves: their versions, and how long a word from them takes.

For `askance doctor`, which must be able to tell what is there even where it does not work. All raise
ServiceDown, ServiceTimeout or ServiceProtocolError where something else answers, or nothing, ServiceRefused
where a token cannot be read, and SettingsError where the address is none.
"""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import Any, cast

import httpx

from askance.adapters.network.http import service_client
from askance.adapters.network.service_auth import auth_of
from askance.domain.addresses import bare_address
from askance.domain.errors import ServiceDown, ServiceProtocolError, ServiceTimeout
from askance.domain.messages import Message
from askance.domain.ports.containers import ServiceStatus

_SEARXNG, _READER = "SearXNG", Message("The reader service")
LIMIT_S = 5.0
# SearXNG lists all its engines with their languages: some 300 KB.
_MAX_BYTES = 4_000_000


@dataclass(frozen=True, slots=True)
class SearxngHealth:
    """A SearXNG that answers: its round trip, and whether it answers searches in JSON."""

    ms: float
    speaks_json: bool


async def searxng_health(url: str, token_file: Path | None = None) -> SearxngHealth:
    """Ask SearXNG whether it could answer a search, in two short replies. No engine is asked.

    `token_file` is that of the gateway before it; only what knows the token is then believed.
    """
    auth = auth_of(token_file, _SEARXNG, url)
    ms = await _searxng_ms(url, auth)
    # A search for nothing is refused with 400; where JSON is switched off, with 403.
    status, _, _ = await reply_of(_SEARXNG, url, "/search?format=json", auth)
    return SearxngHealth(ms, status != HTTPStatus.FORBIDDEN)


async def searxng_vitals(url: str, token_file: Path | None = None) -> ServiceStatus:
    """Ask SearXNG for its version, which it tells among all of its settings.

    `token_file` is as for `searxng_health`.
    """
    auth = auth_of(token_file, _SEARXNG, url)
    ms = await _searxng_ms(url, auth)
    config, _ = await _ask(_SEARXNG, url, "/config", auth)
    return ServiceStatus(_text(_object(_SEARXNG, url, config), "version"), ms)


async def _searxng_ms(url: str, auth: httpx.Auth | None) -> float:
    """Return the round trip of `/healthz`, which asks no engine."""
    body, ms = await _ask(_SEARXNG, url, "/healthz", auth)
    if body.strip() != b"OK":
        raise _other(_SEARXNG, url)
    return ms


async def reader_vitals(url: str, token_file: Path | None = None) -> ServiceStatus:
    """Ask the reader service for its version. Where there is a token, only what knows it is believed."""
    auth = auth_of(token_file, _READER, url)
    body, ms = await _ask(_READER, url, "/version", auth)
    version = _text(_object(_READER, url, body), "askance")
    if not version:
        raise _other(_READER, url)
    return ServiceStatus(version, ms)


async def loaded_context(url: str, model: str) -> int | None:
    """Return the tokens of context with which Ollama holds a model in memory; None if it does not.

    0 stands for an Ollama that does not tell.
    """
    return (await loaded_models(url)).get(model)


async def loaded_models(url: str) -> dict[str, int]:
    """Return the models that Ollama holds in memory, each with its tokens of context, 0 if untold."""
    return await _loaded(url, "context_length")


async def loaded_sizes(url: str) -> dict[str, int]:
    """Return the models that Ollama holds in memory, each with the bytes that it takes, 0 if untold."""
    return await _loaded(url, "size")


async def _loaded(url: str, version: str) -> dict[str, int]:
    body, _ = await _ask("Ollama", url.removesuffix("/api"), "/api/ps")
    models = _object("Ollama", url, body).get("models")
    loaded: dict[str, int] = {}
    for model in cast("list[object]", models) if isinstance(models, list) else []:
        match model:
            case {"name": str(name)}:
                number = cast("dict[str, object]", model).get(version)
                loaded[name] = number if isinstance(number, int) else 0
            case _:
                pass
    return loaded


async def _ask(
    service: str, url: str, path: str, auth: httpx.Auth | None = None
) -> tuple[bytes, float]:
    """Return the body of an answer with status 200, and the milliseconds until it was there."""
    status, body, ms = await reply_of(service, url, path, auth)
    if status != HTTPStatus.OK:
        raise _other(service, url)
    return body, ms


async def reply_of(
    service: str, url: str, path: str, auth: httpx.Auth | None = None
) -> tuple[int, bytes, float]:
    """Return the status and the body of an answer, and the milliseconds until it was there."""
    shown = bare_address(url)
    try:
        async with service_client(url, connect_timeout_s=LIMIT_S) as client:
            began = time.monotonic()
            async with (
                asyncio.timeout(LIMIT_S),
                client.stream("GET", path, auth=auth) as response,
            ):
                body = bytearray()
                async for chunk in response.aiter_bytes():
                    body += chunk
                    if len(body) > _MAX_BYTES:
                        raise _other(service, url)
    except TimeoutError as exc:
        problem = Message(
            "{service} at {address} does not answer within {n} s.",
            service=service,
            address=shown,
            n=LIMIT_S,
        )
        raise ServiceTimeout(service, shown, problem) from exc
    except (httpx.NetworkError, httpx.ConnectTimeout, UnicodeError) as exc:
        raise ServiceDown(
            service, shown, Message("Nothing answers at {address}.", address=shown)
        ) from exc
    except httpx.RequestError as exc:
        raise _other(service, url) from exc
    return response.status_code, bytes(body), (time.monotonic() - began) * 1000


def _object(service: str, url: str, body: bytes) -> dict[str, Any]:
    try:
        parsed: Any = json.loads(body)
    except (ValueError, RecursionError) as exc:
        raise _other(service, url) from exc
    if not isinstance(parsed, dict):
        raise _other(service, url)
    return cast("dict[str, Any]", parsed)


def _text(fields: dict[str, Any], name: str) -> str:
    value = fields.get(name)
    return value if isinstance(value, str) else ""


def _other(service: str, url: str) -> ServiceProtocolError:
    shown = bare_address(url)
    return ServiceProtocolError(
        service,
        shown,
        Message(
            "What answers at {address} is not {service}.", address=shown, service=_inside(service)
        ),
    )


def _inside(service: str) -> str:
    """The service's name in the middle of a sentence."""
    return service[0].lower() + service[1:] if service.startswith("The ") else service
