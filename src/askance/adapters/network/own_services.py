"""The user's own services: which are on this machine, how both sides prove that they know a token, and what each says
about itself.

The construction of the proofs is described in `local_service.credentials`.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import socket
import time
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass
from http import HTTPStatus
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

import httpx

from askance.adapters.network.guarded_http import service_client
from askance.config.private_files import exists
from askance.domain.addresses import bare_address
from askance.domain.errors import (
    ServiceDown,
    ServiceProtocolError,
    ServiceRefused,
    ServiceTimeout,
    SettingsError,
)
from askance.domain.messages import Message, Remedy
from askance.domain.web_pages import leads_here
from askance.local_service.credentials import PROOF_LENGTH, RequestProof, Token, read_token, same

if TYPE_CHECKING:
    from askance.domain.ports.containers import ServiceStatus

_FIX = Remedy(
    "`askance up` renews it; `askance status` shows what listens where.", command="askance up"
)
_IPV4 = 4


def is_this_machine(host: str) -> bool:
    """Whether a host name or a literal address leads to this machine. Nobody is asked for it."""
    return leads_here(host) or _is_own_name(host) or _is_own_address(host)


def distant_host_of(url: str) -> str:
    """Return the host and port of a service's address, or nothing if it is on this machine."""
    parts = urlsplit(url)
    return "" if is_this_machine(parts.hostname or "") else parts.netloc.rpartition("@")[2]


def _is_own_name(host: str) -> bool:
    own = socket.gethostname().lower()
    # Machines are asked for with this ending in a local network (RFC 6762); some have it in their
    # own name.
    return bool(own) and host.lower().removesuffix(".local") == own.removesuffix(".local")


def _is_own_address(host: str) -> bool:
    """Whether the system lets a socket have this address, which it does with its own alone."""
    try:
        family = socket.AF_INET if ip_address(host).version == _IPV4 else socket.AF_INET6
    except ValueError:
        return False  # a name
    try:
        # A datagram socket: nothing is sent, nothing listens, and no port stays taken afterwards.
        with socket.socket(family, socket.SOCK_DGRAM) as own:
            own.bind((host, 0))
    except OSError:
        return False
    return True


class ServiceAuth(httpx.Auth):
    """Signs each request with a token, and believes nothing of a reply that does not prove it.

    Every use of the client raises `ServiceProtocolError` where the reply has no proof: before anything of
    its body is seen, or at the end of it.
    """

    # Has httpx read the body before it is signed.
    requires_request_body = True

    def __init__(self, token: Token, service: str, address: str) -> None:
        self._token = token
        self._service = service
        self._address = address

    async def async_auth_flow(
        self, request: httpx.Request
    ) -> AsyncGenerator[httpx.Request, httpx.Response]:
        """Sign a request, and look at the reply's proof. See `httpx.Auth`."""
        body = await request.aread()
        proof = RequestProof.fresh(
            self._token, request.method, request.url.raw_path.decode("ascii"), body
        )
        request.headers["Authorization"] = proof.header()
        response = yield request
        given = response.headers.get("Authentication-Info", "")
        if not same(given, self._token.head_proof(proof.nonce, response.status_code)):
            raise self._unproven()
        response.stream = _ProvenStream(
            cast("httpx.AsyncByteStream", response.stream),
            self._token.body_proof(proof.nonce, response.status_code),
            self._unproven(),
        )

    def _unproven(self) -> ServiceProtocolError:
        problem = Message(
            "What answers at {address} does not prove that it knows this program's token: "
            "another program listens there, or the token is not the one that it was started with.",
            address=self._address,
        )
        return ServiceProtocolError(self._service, self._address, problem, fix=_FIX)


class _ProvenStream(httpx.AsyncByteStream):
    """A reply's body without the proof at its end, which is looked at when it comes."""

    def __init__(
        self, stream: httpx.AsyncByteStream, proof: hmac.HMAC, unproven: ServiceProtocolError
    ) -> None:
        self._stream = stream
        self._proof = proof
        self._unproven = unproven

    async def __aiter__(self) -> AsyncIterator[bytes]:
        held = b""
        async for chunk in self._stream:
            held += chunk
            # A proof holds no line feed: a line that has come is the body's, and is passed on at once.
            body_ends = max(len(held) - PROOF_LENGTH, held.rfind(b"\n") + 1, 0)
            body, held = held[:body_ends], held[body_ends:]
            if body:
                self._proof.update(body)
                yield body
        # Latin-1 takes any byte: bytes that are no proof are refused below, and raise nothing here.
        if not same(held.decode("latin-1"), self._proof.hexdigest()):
            raise self._unproven

    async def aclose(self) -> None:
        await self._stream.aclose()


def auth_of(token_file: Path | None, service: str, address: str) -> ServiceAuth | None:
    """Return what signs requests to a service; None where there is no token, so nothing to prove.

    The file is read each time: `askance up` may make a token while this program runs.

    Raises:
        ServiceRefused: there is a file, and no token can be read from it.
    """
    try:
        if token_file is None or not exists(token_file):
            return None
        return ServiceAuth(read_token(token_file), service, address)
    except (SettingsError, OSError) as exc:
        problem = Message(
            "The token for {address} cannot be read from {file}.", address=address, file=token_file
        )
        raise ServiceRefused(
            service, address, problem, fix=Remedy("`askance up` renews it.", command="askance up")
        ) from exc


# For `askance doctor`, which shows what is there even where it does not work. All raise ServiceDown
# or ServiceTimeout where nothing answers, ServiceProtocolError where something else does,
# ServiceRefused where a token cannot be read, and SettingsError where the address is none.

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
    # Not above, nor in the next function: every question loads this module for its token.
    from askance.domain.ports.containers import ServiceStatus  # noqa: PLC0415

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
    from askance.domain.ports.containers import ServiceStatus  # noqa: PLC0415

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
    body, _ = await _ask("Ollama", url.removesuffix("/api"), "/api/ps")
    models = _object("Ollama", url, body).get("models")
    loaded: dict[str, int] = {}
    for model in cast("list[object]", models) if isinstance(models, list) else []:
        match model:
            case {"name": str(name)}:
                number = cast("dict[str, object]", model).get("context_length")
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
    # A host name that IDNA cannot encode comes as UnicodeError, straight from `socket`.
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
    # SearXNG and Ollama are names, and begin with a capital anywhere.
    return service[0].lower() + service[1:] if service.startswith("The ") else service
