"""The service's side of the proofs, for services that a test plays."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from askance.local_service.credentials import PROOF_LENGTH, RequestProof, Token
from servers.loopback import Handler, Request, Wire


class ProvenWire(Wire):
    """Adds to each reply the proofs that belong to a request."""

    def __init__(self, wire: Wire, token: Token, nonce: str) -> None:
        self.__dict__.update(wire.__dict__)
        self._under, self._token, self._nonce = wire, token, nonce
        self._body = token.body_proof(nonce, 0)
        self._proving = False

    async def _head(self, status: int, headers: dict[str, str] | None = None) -> None:
        headers = {
            **(headers or {}),
            "Authentication-Info": self._token.head_proof(self._nonce, status),
        }
        if "Content-Length" in headers:
            headers["Content-Length"] = str(int(headers["Content-Length"]) + PROOF_LENGTH)
        self._body = self._token.body_proof(self._nonce, status)
        await super()._head(status, headers)
        self._proving = True

    async def send(
        self, body: bytes | str = b"", status: int = 200, headers: dict[str, str] | None = None
    ) -> None:
        """A whole reply, with its proof."""
        data = body.encode() if isinstance(body, str) else body
        await self._head(status, {"Content-Length": str(len(data)), **(headers or {})})
        self._body.update(data)
        await self.raw(data + self._body.hexdigest().encode())

    async def chunk(self, data: bytes | str) -> None:
        """A piece of a streamed reply; the proof follows the last one."""
        self._body.update(data.encode() if isinstance(data, str) else data)
        await super().chunk(data)

    async def finish(self) -> None:
        """The proof, and the end of a streamed reply."""
        if self._chunked and not self.hung_up:
            await super().chunk(self._body.hexdigest())
        await super().finish()

    def abort(self) -> None:
        """Hang up, so that the server below knows it, too."""
        super().abort()
        self._under.hung_up = True


def proven(handler: Handler, token: Callable[[], str]) -> Handler:
    """Let a handler answer as the service that knows this token, as it is at each request."""

    async def handle(request: Request, wire: Wire) -> None:
        proof = RequestProof.parse(request.headers.get("authorization", ""))
        if proof is None:
            await handler(request, wire)
            return
        proving = ProvenWire(wire, Token(token()), proof.nonce)
        await handler(request, cast("Wire", proving))
        await proving.finish()

    return handle
