"""The server's HTTP: which requests are let in, and that nothing goes on for a client that has gone.

Before anything runs a request has shown that it is meant for this server (`Host`), that no web page sends it
that may not (`Origin`, `Sec-Fetch-Site`), whose token it has, that its head is not too large, and where its
body ends, which is not too large either. It is taken in whole, within bounds; only then is it handed on.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from http import HTTPStatus

import anyio
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.streamable_http import MCP_SESSION_ID_HEADER
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.routing import BaseRoute, Router
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from askance.config.settings import ServerSettings
from askance.domain.errors import StorageError, place_of
from askance.domain.ports.storage import Client
from askance.local_service.service_process import has_hung_up, is_own_name, json_reply, problem
from askance.server.clients import CURRENT, ClientLookup, Tokens

MCP_PATH, HEALTH_PATH = "/mcp", "/health"
MAX_BODY_BYTES = 2 * 1024 * 1024
MAX_REQUESTS = 128
"""Requests that are served at the same time: twice as many as one client may have waiting."""
# Where clients look for a sign-in. One that finds "unauthorized" there takes its own token for good.
_SIGN_IN_PATHS = frozenset({"/register", "/authorize", "/token"})
_WELL_KNOWN = "/.well-known/"
RETRY_AFTER_S = 1
# Seconds within which a body must be there: on a slow line 2 MB take some of them.
_BODY_S = 30.0
# A client that is refused while it still sends may never see why: so much is read and dropped, for so long.
_DRAINED, _DRAIN_S = 32 * 1024 * 1024, 5.0
_CANCEL_S = 5.0
# What comes in one piece is taken in by h11 however long it is.
_LONGEST_HEAD, _MOST_LINES = 16 * 1024, 100
_CLOSED = [(b"content-length", b"0"), (b"connection", b"close")]
_METHODS = "GET, POST, DELETE, OPTIONS"
_ASKED_HEADERS = (
    "Authorization, Content-Type, Accept, Last-Event-ID, Mcp-Session-Id, "
    "Mcp-Protocol-Version, Mcp-Method, Mcp-Name"
)
_log = logging.getLogger(__name__)


class _Refusal(Exception):
    """A request is not let in: an HTTP status, a stable code, one sentence."""

    def __init__(self, status: HTTPStatus, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message

    def reply(self) -> Response:
        # The body may be unread: it must not be taken for the next request.
        headers = {"Connection": "close"}
        if self.status is HTTPStatus.UNAUTHORIZED:
            is_wrong = ', error="invalid_token"' if self.code == "invalid_token" else ""
            headers["WWW-Authenticate"] = f'Bearer realm="askance"{is_wrong}'
        if self.status is HTTPStatus.SERVICE_UNAVAILABLE:
            headers["Retry-After"] = str(RETRY_AFTER_S)
        return problem(self.status, self.code, self.message, headers)


class HttpEndpoint:
    """An ASGI app that serves MCP at `/mcp`, and `routes` beside it, to those with a token.

    `here` is entered for as long as a request is served. `close` ends what is under way.
    """

    def __init__(
        self,
        sessions: StreamableHTTPSessionManager,
        routes: Sequence[BaseRoute],
        tokens: Tokens,
        clients: ClientLookup,
        settings: ServerSettings,
        here: Callable[[], AbstractContextManager[None]],
    ) -> None:
        self._sessions = sessions
        self._router = Router([*routes], redirect_slashes=False)
        self._tokens = tokens
        self._clients = clients
        self._settings = settings
        self._hosts = {settings.host.lower(), *settings.hosts}
        self._here = here
        self._serving: set[anyio.CancelScope] = set()
        self._listening: set[anyio.CancelScope] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it. An unexpected error ends here."""
        headers, began, body = Headers(scope=scope), _Began(send), _Body(receive)
        try:
            _check_head(scope, headers)
            origin = self._check_caller(headers)
            if origin:
                began.allow(origin)
            if origin and scope["method"] == "OPTIONS":
                await _preflight()(scope, receive, began)
            # The container's health check has no token, and learns only that the server runs.
            elif scope["path"] == HEALTH_PATH:
                await json_reply('{"status": "ok"}')(scope, receive, began)
            elif scope["path"] in _SIGN_IN_PATHS or scope["path"].startswith(_WELL_KNOWN):
                await body.drain()
                await _no_sign_in()(scope, receive, began)
            else:
                client = await self._client_of(headers)
                with self._here(), self._under_way(scope) as serving:
                    content = await body.taken_in(headers, MAX_BODY_BYTES)
                    await self._serve(client, content, scope, receive, began, serving)
        except _Refusal as exc:
            await body.drain()
            await exc.reply()(scope, receive, began)
        except Exception as exc:  # noqa: BLE001 - its text may hold what was asked
            _log.error("A request failed: %s", place_of(exc))
            if not began.has_begun:
                failed = _Refusal(
                    HTTPStatus.INTERNAL_SERVER_ERROR, "internal", "The server failed."
                )
                await failed.reply()(scope, receive, began)

    def stop_listening(self) -> None:
        """End the streams that only wait for what the server may have to say."""
        for scope in self._listening:
            scope.cancel()

    def close(self) -> None:
        """End all that is under way."""
        self.stop_listening()
        for scope in self._serving:
            scope.cancel()

    def _check_caller(self, headers: Headers) -> str:
        """Return the origin of a page that may ask, "" for what no page has sent."""
        # DNS rebinding: a page that points its own name at this machine shows that name here (decision 17).
        if not is_own_name(headers.get("host", ""), self._hosts):
            raise _Refusal(
                HTTPStatus.MISDIRECTED_REQUEST, "forbidden_host", "The server has another name."
            )
        origins = headers.getlist("origin")
        # Browsers send `none` for an address that a person opened: no page has sent it.
        if not origins and headers.get("sec-fetch-site", "none") == "none":
            return ""
        origin = origins[0].lower() if len(origins) == 1 else ""
        # The server's own address is allowed: it serves no pages, so no foreign script has this origin.
        if origin not in self._settings.origins and not (
            origin == f"http://{headers.get('host', '').lower()}"
        ):
            raise _Refusal(
                HTTPStatus.FORBIDDEN,
                "forbidden_origin",
                "The server is not there for web pages; `server.origins` names those that may ask.",
            )
        return origin

    async def _client_of(self, headers: Headers) -> Client:
        given = headers.getlist("authorization")
        # Two headers are ambiguous: they count as none.
        shown = given[0] if len(given) == 1 else ""
        try:
            client = await self._clients.by_header(self._tokens, shown)
        except StorageError as exc:
            raise _Refusal(HTTPStatus.SERVICE_UNAVAILABLE, "unusable", str(exc.problem)) from exc
        if client is None:
            code, message = (
                (
                    "invalid_token",
                    "This token is not one of this server's. `askance clients` has them.",
                )
                if shown
                else (
                    "unauthorized",
                    "The request shows no token of this server (Authorization: Bearer TOKEN).",
                )
            )
            raise _Refusal(HTTPStatus.UNAUTHORIZED, code, message)
        return client

    @contextmanager
    def _under_way(self, scope: Scope) -> Generator[anyio.CancelScope]:
        """Count a request among those that are served."""
        # A stream that only listens stays open for hours, and must not take a place from requests.
        waits = scope["method"] == "GET" and scope["path"] == MCP_PATH
        under_way = self._listening if waits else self._serving
        if len(under_way) >= MAX_REQUESTS:
            message = f"{MAX_REQUESTS} requests are served already."
            raise _Refusal(HTTPStatus.SERVICE_UNAVAILABLE, "busy", message)
        serving = anyio.CancelScope()
        under_way.add(serving)
        try:
            yield serving
        finally:
            under_way.discard(serving)

    async def _serve(
        self,
        client: Client,
        body: bytes,
        scope: Scope,
        receive: Receive,
        send: _Began,
        serving: anyio.CancelScope,
    ) -> None:
        """Hand a request on, for as long as its client is there."""
        # The SDK compares this user: a session serves only the client that has opened it.
        scope["user"] = AuthenticatedUser(AccessToken(token="", client_id=client.name, scopes=[]))
        CURRENT.set(client)
        is_mcp = scope["path"] == MCP_PATH
        app: ASGIApp = self._sessions.handle_request if is_mcp else self._router
        failed = False
        try:
            with serving:
                async with asyncio.TaskGroup() as tasks:
                    watching = tasks.create_task(_watch(scope, receive, send, serving))
                    try:
                        await app(scope, _replayed(body), send)
                    finally:
                        watching.cancel()
        except Exception:
            failed = True
            raise
        finally:
            if not send.has_ended:
                # A failure that comes before the reply has a reply of its own.
                if send.has_begun or not failed:
                    await send.end()
                if is_mcp:
                    await self._cancel(body, scope)

    async def _cancel(self, content: bytes, scope: Scope) -> None:
        """Cancel what a client has asked for in a session, which in the older protocol outlives its request."""
        number = _number_in_session(Headers(scope=scope), content)
        if number is None:
            return
        params = {"requestId": number, "reason": "The client has gone."}
        notification = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
        body = json.dumps(notification).encode()
        headers = [(k, v) for k, v in scope["headers"] if k != b"content-length"]
        headers.append((b"content-length", str(len(body)).encode()))
        # Shielded: the task that calls this is being cancelled itself.
        with anyio.move_on_after(_CANCEL_S, shield=True):
            cancelling = {**scope, "headers": headers}
            await self._sessions.handle_request(cancelling, _replayed(body), _unheard)


def _number_in_session(headers: Headers, body: bytes) -> int | str | None:
    """Return what a request is known by in its session, None where it has none."""
    if MCP_SESSION_ID_HEADER not in headers:
        return None
    try:
        number = json.loads(body)["id"]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return number if isinstance(number, int | str) else None


def _replayed(body: bytes) -> Receive:
    """Receive a body that was taken in, and then nothing: `_watch` sees who goes."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        if not messages:
            await asyncio.get_running_loop().create_future()
        return messages.pop()

    return receive


class _Began:
    """Sends a reply, and knows how far it is."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._origin = ""
        self.has_begun = self.has_ended = False

    def allow(self, origin: str) -> None:
        """Let a page of this origin read the reply."""
        self._origin = origin

    async def end(self) -> None:
        """Bring a reply to an end that was given up; the client may be gone."""
        with suppress(Exception):
            if not self.has_begun:
                head = {"type": "http.response.start", "status": 503, "headers": _CLOSED}
                await self(head)
            await self({"type": "http.response.body", "body": b"", "more_body": False})

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.has_begun = True
            if self._origin:
                headers = MutableHeaders(scope=message)
                headers["Access-Control-Allow-Origin"] = self._origin
                # Without it a page's script cannot read the session that it has to name.
                headers["Access-Control-Expose-Headers"] = "Mcp-Session-Id"
                # A cache must not hand the reply for one page to another.
                headers.add_vary_header("Origin")
        elif message["type"] == "http.response.body":
            self.has_ended = not message.get("more_body", False)
        await self._send(message)


async def _watch(scope: Scope, receive: Receive, send: _Began, serving: anyio.CancelScope) -> None:
    """End what is served for a client that has gone, or has closed its sending side.

    After the last of a reply the server says the same of everybody: what ends a request then ends by itself,
    and a session that it has opened stays.
    """
    while not has_hung_up(scope) and (await receive())["type"] != "http.disconnect":
        pass
    if not send.has_ended:
        serving.cancel()


class _Body:
    """Takes in the body of a request, within bounds."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._more = True

    async def taken_in(self, headers: Headers, longest: int) -> bytes:
        """Return all of it."""
        too_large = _Refusal(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            "too_large",
            f"The request is longer than {longest:,} bytes.",
        )
        length = headers.get("content-length", "0")
        # Twenty digits decide it: `int` raises for thousands of digits.
        if not length.isdecimal() or int(length[:20]) > longest:
            raise too_large
        body = bytearray()
        try:
            async with asyncio.timeout(_BODY_S):
                while self._more:
                    body += await self._next()
                    if len(body) > longest:
                        raise too_large
        except TimeoutError as exc:
            message = "The request did not come to its end."
            raise _Refusal(HTTPStatus.REQUEST_TIMEOUT, "too_slow", message) from exc
        return bytes(body)

    async def drain(self) -> None:
        """Read what a client still sends that is about to be refused, and keep nothing of it."""
        left = _DRAINED
        try:
            async with asyncio.timeout(_DRAIN_S):
                while self._more and left > 0:
                    left -= len(await self._next())
        except (TimeoutError, _Refusal):
            pass

    async def _next(self) -> bytes:
        message = await self._receive()
        if message["type"] == "http.disconnect":
            self._more = False
            raise _Refusal(HTTPStatus.BAD_REQUEST, "broken_off", "The request broke off.")
        self._more = message.get("more_body", False)
        return message.get("body", b"")


def _check_head(scope: Scope, headers: Headers) -> None:
    """Refuse oversized heads; ambiguous framing `StrictConnection` has refused before."""
    length = len(scope["raw_path"]) + len(scope["query_string"])
    length += sum(len(name) + len(value) for name, value in headers.raw)
    if len(headers) > _MOST_LINES or length > _LONGEST_HEAD:
        raise _Refusal(
            HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "too_large", "The head is too large."
        )


def _no_sign_in() -> Response:
    """Say in OAuth's form that nobody signs in here."""
    description = (
        "Nobody signs in at this server: a program shows a token that `askance clients add NAME` has made. "
        "If it shows one, that token is not one of this server's."
    )
    body = {"error": "not_found", "error_description": description}
    return json_reply(json.dumps(body), HTTPStatus.NOT_FOUND)


def _preflight() -> Response:
    headers = {
        "Access-Control-Allow-Methods": _METHODS,
        "Access-Control-Allow-Headers": _ASKED_HEADERS,
        "Access-Control-Max-Age": "600",
    }
    return Response(status_code=HTTPStatus.NO_CONTENT, headers=headers)


async def _unheard(_message: Message) -> None:
    pass
