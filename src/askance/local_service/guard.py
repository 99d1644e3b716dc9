"""Who may speak to a local service at all: programs that know its token, and no page in a browser."""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections.abc import Collection, Mapping
from enum import StrEnum
from http import HTTPStatus

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from askance.domain.errors import place_of
from askance.domain.web_pages import leads_here
from askance.local_service.credentials import (
    PROOF_LENGTH,
    SCHEME,
    Nonces,
    RequestProof,
    Token,
)

_log = logging.getLogger(__name__)
# `localhost:25017` or `[::1]:25017`, and nothing that a server might read in another way.
_HOST = re.compile(r"(?:\[(?P<v6>[0-9a-f:.]+)\]|(?P<name>[a-z0-9._-]+))(?::[0-9]{1,5})?")


def is_own_name(host: str, others: Collection[str]) -> bool:
    """Say whether a `Host` names this machine, or is one of the `others` that the service is known by.

    A page that has bound a name of its own to a loopback address sends that name.
    """
    match = _HOST.fullmatch(host.lower())
    if match is None:
        return False
    name = match["v6"] or match["name"]
    return leads_here(name) or name in others


class Denial(StrEnum):
    """Why a request is not let in. Stable codes."""

    FORBIDDEN_HOST = "forbidden_host"
    FORBIDDEN_ORIGIN = "forbidden_origin"
    UNAUTHORIZED = "unauthorized"


_STATUS = {
    Denial.FORBIDDEN_HOST: HTTPStatus.MISDIRECTED_REQUEST,
    Denial.FORBIDDEN_ORIGIN: HTTPStatus.FORBIDDEN,
    Denial.UNAUTHORIZED: HTTPStatus.UNAUTHORIZED,
}


class Denied(Exception):
    """A request is not let in. The message says why, in one sentence."""

    def __init__(self, code: Denial, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message

    def reply(self) -> Response:
        """Return the denial as an HTTP reply."""
        headers = {"WWW-Authenticate": SCHEME} if self.code is Denial.UNAUTHORIZED else {}
        return problem(_STATUS[self.code], self.code, self.message, headers)


def json_reply(body: str, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return an HTTP reply with a JSON body that nobody keeps."""
    sent_headers = {"Cache-Control": "no-store", **(headers or {})}
    return Response(body, status, sent_headers, media_type="application/json")


def problem(
    status: int, code: str, message: str, headers: Mapping[str, str] | None = None
) -> Response:
    """Return the reply of a local service that does not serve a request."""
    return json_reply(json.dumps({"error": {"code": code, "message": message}}), status, headers)


class Guard:
    """Stands before an app and lets in what a program with the token sends.

    A page that has bound its own name to a loopback address is known by `Host`, any other one by
    `Origin` or `Sec-Fetch-Site`, which no page can leave out or forge. `hosts` are allowed beside
    the names of loopback. What is asked for under another path than those of `open_paths` needs the
    proof that `credentials` describes; where a request has one, the reply has one too.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        token: Token,
        open_paths: Collection[str],
        hosts: Collection[str] = (),
    ) -> None:
        self._app = app
        self._token = token
        self._open_paths = frozenset(open_paths)
        self._hosts = frozenset(hosts)
        self._nonces = Nonces()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or deny it. An unexpected error ends here."""
        try:
            headers = Headers(scope=scope)
            self._check_caller(headers)
            proof = self._proof_of(scope, headers)
            if proof is not None:
                receive = _Checked(receive, proof)
                send = _Proven(send, self._token, proof)
            await self._app(scope, receive, send)
        except Denied as exc:
            await exc.reply()(scope, receive, send)
        except Exception as exc:  # noqa: BLE001 - its text may hold an address that was read
            _log.error("A request failed: %s", place_of(exc))

    def _check_caller(self, headers: Headers) -> None:
        if not is_own_name(headers.get("host", ""), self._hosts):
            raise Denied(Denial.FORBIDDEN_HOST, "The service is not known by this name.")
        # `none` is what a browser says of an address that somebody typed (Fetch Metadata Request
        # Headers).
        if "origin" in headers or headers.get("sec-fetch-site", "none") != "none":
            raise Denied(Denial.FORBIDDEN_ORIGIN, "The service is not there for web pages.")

    def _proof_of(self, scope: Scope, headers: Headers) -> RequestProof | None:
        """Return the proof that a request has, None for one that has none and needs none."""
        given = headers.getlist("authorization")
        if not given and scope["path"] in self._open_paths:
            return None
        # With two headers this check and the service behind it could each read a different one.
        proof = RequestProof.parse(given[0]) if len(given) == 1 else None
        if proof is None or not proof.holds(self._token, scope["method"], _target(scope)):
            message = "This service answers programs that know its token; this request shows none."
            raise Denied(Denial.UNAUTHORIZED, message)
        if not self._nonces.take(proof.nonce):
            raise Denied(Denial.UNAUTHORIZED, "This request was served before.")
        return proof


class _Checked:
    """What a request's body brings, as long as it is the proven one: else it breaks off."""

    def __init__(self, receive: Receive, proof: RequestProof) -> None:
        self._receive = receive
        self._wanted = proof.body_digest
        self._read = hashlib.sha256()
        self._ended = False

    async def __call__(self) -> Message:
        message = await self._receive()
        if message["type"] == "http.request" and not self._ended:
            self._read.update(message.get("body", b""))
            self._ended = not message.get("more_body", False)
            # Nothing secret is compared: the digest stands in the request.
            if self._ended and self._read.hexdigest() != self._wanted:
                return {"type": "http.disconnect"}
        return message


class _Proven:
    """Adds the service's own proof to a reply: to its head at once, to its body at the end."""

    def __init__(self, send: Send, token: Token, proof: RequestProof) -> None:
        self._send = send
        self._token = token
        self._nonce = proof.nonce
        # Replaced when the head is sent, since the status is part of the proof.
        self._body = token.body_proof(proof.nonce, 0)

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            status = int(message["status"])
            self._body = self._token.body_proof(self._nonce, status)
            headers = MutableHeaders(scope=message)
            headers["Authentication-Info"] = self._token.head_proof(self._nonce, status)
            if "content-length" in headers:
                # The proof follows the body within the same reply.
                headers["Content-Length"] = str(int(headers["content-length"]) + PROOF_LENGTH)
        elif message["type"] == "http.response.body":
            body = message.get("body", b"")
            self._body.update(body)
            if not message.get("more_body", False):
                message = {**message, "body": body + self._body.hexdigest().encode("ascii")}
        await self._send(message)


def _target(scope: Scope) -> str:
    """The path with its query as they were sent."""
    path, query = scope["raw_path"], scope["query_string"]
    return (path + b"?" + query if query else path).decode("latin-1")
