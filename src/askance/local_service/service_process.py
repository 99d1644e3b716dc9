"""The HTTP server under a local service, one process and one loop that write nothing down of a request; and who may speak
to it at all: programs that know its token, and no page in a browser.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import logging
import re
import signal
import socket
import sys
from collections.abc import Callable, Collection, Coroutine, Generator, Mapping
from contextlib import contextmanager
from http import HTTPStatus
from types import FrameType
from typing import Any, cast

import h11
import uvicorn
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from askance.domain.errors import place_of
from askance.domain.web_pages import leads_here
from askance.local_service.credentials import (
    PROOF_LENGTH,
    SCHEME,
    Nonces,
    RequestProof,
    Token,
)
from askance.local_service.request_head import StrictConnection

DONE, FAILED, WRONG_USAGE = 0, 1, 2
# Clients keep a connection for the pages of a round.
_STORE_ALIVE_S = 5
_HEAD_S = 5.0
_LONGEST_HEAD = 16 * 1024
_MOST_CONNECTIONS = 128
# Reading is given up at once when the service ends; this is for the replies that say so.
_ENDING_S = 1
_HUNG_UP = "askance.hung_up"


def has_hung_up(scope: Scope) -> bool:
    """Whether the client of a request has closed its sending side, or its connection."""
    return _HUNG_UP in scope.get("state", {})


class ImpatientProtocol(H11Protocol):
    """Does not wait without an end for a request that does not come, or not whole, and refuses ambiguous heads.

    A client that closes its sending side after its request still gets its reply: see
    `has_hung_up`.
    """

    _head: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        """Take a connection in, and look after a while what came of it."""
        super().connection_made(transport)
        self.conn = StrictConnection(h11.SERVER, _LONGEST_HEAD)
        self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        """Take in what comes; the head of a further request must not take longer than the first."""
        super().data_received(data)
        self._wait_for_head()

    def shutdown(self) -> None:
        """Close the connection, at once or after the reply that is under way."""
        super().shutdown()
        cycle = cast("RequestResponseCycle | None", self.cycle)
        # uvicorn would wait for the rest of a request that may never come.
        if cycle is not None and cycle.more_body:
            self.transport.close()

    def eof_received(self) -> bool:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Take note that the client sends no more. True keeps the connection open for the reply."""
        cycle = cast("RequestResponseCycle | None", self.cycle)
        # Closed where no reply can follow: the request is not complete, or was answered.
        if cycle is None or cycle.more_body or cycle.response_complete:
            return False
        self._note_hang_up(cycle)
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        """Take note that the client is gone."""
        cycle = cast("RequestResponseCycle | None", self.cycle)
        if cycle is not None:
            self._note_hang_up(cycle)
        super().connection_lost(exc)

    def _note_hang_up(self, cycle: RequestResponseCycle) -> None:
        cycle.scope.setdefault("state", {})[_HUNG_UP] = True
        cycle.keep_alive = False  # h11 does not know of it, and would wait for a request
        cycle.message_event.set()

    def _wait_for_head(self) -> None:
        """Close the connection after a while where no request is under way by then, nor was meanwhile."""
        cycle = cast("RequestResponseCycle | None", self.cycle)
        if self._head is None and (cycle is None or cycle.response_complete):
            self._head = self.loop.call_later(_HEAD_S, self._close_after, cycle)

    def _close_after(self, cycle: RequestResponseCycle | None) -> None:
        self._head = None
        if cast("RequestResponseCycle | None", self.cycle) is cycle:
            self.transport.close()
        else:
            self._wait_for_head()


class LocalServer(uvicorn.Server):
    """`await LocalServer(app, ending=...).serve([listener])` until `should_exit` is set.

    `ending` is called when the end begins, before anybody is waited for.
    """

    def __init__(self, app: ASGIApp, *, ending: Callable[[], None]) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=ImpatientProtocol,
                ws="none",
                # A service opens and closes what it needs around `serve`, not in the app.
                lifespan="off",
                log_config=None,
                access_log=False,
                proxy_headers=False,
                server_header=False,
                date_header=False,
                limit_concurrency=_MOST_CONNECTIONS,
                timeout_keep_alive=_STORE_ALIVE_S,
                timeout_graceful_shutdown=_ENDING_S,
            )
        )
        self._ending = ending
        # It warns of each request that is none, whoever sends it.
        logging.getLogger("uvicorn.error").setLevel(logging.ERROR)

    def end_on_signals(self) -> None:
        """End the service in good order on SIGTERM and SIGINT, from now on."""

        def end(_number: int, _frame: FrameType | None) -> None:
            self.should_exit = True

        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, end)

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Leave signals to the caller: uvicorn would raise them again before the caller has ended."""
        yield

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the service."""
        self._ending()
        await super().shutdown(sockets)


def run(
    name: str,
    chosen: argparse.Namespace,
    log: logging.Logger,
    serve: Callable[[socket.socket], Coroutine[Any, Any, None]],
) -> int:
    """Serve on the chosen host and port until `serve` ends, and return the exit code.

    Only the service's own lines are written below a warning: httpx tells every address at INFO.
    """
    try:
        listener = listen(chosen.host, chosen.port)
    except (OSError, OverflowError) as exc:
        reason = getattr(exc, "strerror", None) or exc
        log_line(name, f"{chosen.host}:{chosen.port} cannot be listened on: {reason}.")
        return FAILED
    logging.basicConfig(
        stream=sys.stderr, level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s"
    )
    log.setLevel(logging.INFO)
    with listener:
        asyncio.run(serve(listener))
    return DONE


def parser_of(module: str, does: str, port: int) -> argparse.ArgumentParser:
    """Return a parser that knows where a service listens."""
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=does)
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on")
    parser.add_argument("--port", default=port, type=int, help="port to listen on")
    parser.add_argument(
        "--name", action="append", default=[], type=str.lower,
        help="name by which it may be asked, beside those of this machine",
    )  # fmt: skip
    return parser


def log_line(name: str, sentence: str) -> None:
    """Tell whoever starts a service something of it."""
    sys.stderr.write(f"askance {name}: {sentence}\n")


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 takes a free one.

    Raises:
        OSError: the port is taken, or the host is none of this machine's.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.create_server((host, port), family=family, backlog=_MOST_CONNECTIONS)
    # Connections inherit it. asyncio would set it on each, but not on sockets made like this one;
    # without it a reply waits 40 ms for an acknowledgement.
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listener


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


class Denied(Exception):
    """A request is not served. The message says why, in one sentence, `code` in a stable word."""

    def __init__(
        self, status: HTTPStatus, code: str, message: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.headers = status, code, message, headers

    def reply(self) -> Response:
        """Return the denial as an HTTP reply."""
        return problem(self.status, self.code, self.message, self.headers)


def _unauthorized(message: str) -> Denied:
    headers = {"WWW-Authenticate": SCHEME}
    return Denied(HTTPStatus.UNAUTHORIZED, "unauthorized", message, headers)


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
            message = "The service is not known by this name."
            raise Denied(HTTPStatus.MISDIRECTED_REQUEST, "forbidden_host", message)
        # `none` is what a browser says of an address that somebody typed (Fetch Metadata Request
        # Headers).
        if "origin" in headers or headers.get("sec-fetch-site", "none") != "none":
            message = "The service is not there for web pages."
            raise Denied(HTTPStatus.FORBIDDEN, "forbidden_origin", message)

    def _proof_of(self, scope: Scope, headers: Headers) -> RequestProof | None:
        """Return the proof that a request has, None for one that has none and needs none."""
        given = headers.getlist("authorization")
        if not given and scope["path"] in self._open_paths:
            return None
        # With two headers this check and the service behind it could each read a different one.
        proof = RequestProof.parse(given[0]) if len(given) == 1 else None
        if proof is None or not proof.holds(self._token, scope["method"], _target(scope)):
            message = "This service answers programs that know its token; this request shows none."
            raise _unauthorized(message)
        if not self._nonces.take(proof.nonce):
            raise _unauthorized("This request was served before.")
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
