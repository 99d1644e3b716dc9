"""Proving to a local service that this program knows its token, and seeing that the service does.

The construction is described in `local_service.credentials`.
"""

from __future__ import annotations

import hmac
from collections.abc import AsyncGenerator, AsyncIterator
from pathlib import Path
from typing import cast

import httpx

from askance.config.private_files import exists
from askance.domain.errors import ServiceProtocolError, ServiceRefused, SettingsError
from askance.domain.messages import Message, Remedy
from askance.local_service.credentials import PROOF_LENGTH, RequestProof, Token, read_token, same

_FIX = Remedy(
    "`askance up` renews it; `askance status` shows what listens where.", command="askance up"
)


class ServiceAuth(httpx.Auth):
    """Signs each request with a token, and believes nothing of a reply that does not prove it.

    Every use of the client raises `ServiceProtocolError` where the reply has no proof: before anything of
    its body is seen, or at the end of it.
    """

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
