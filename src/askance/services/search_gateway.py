"""The gateway before SearXNG, `python -m askance.services.search_gateway`.

It forwards searches, the configuration and the health check, for clients that know the token, and nothing else.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import sys
from collections.abc import Collection, Sequence
from pathlib import Path

import httpx
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp

from askance import __version__
from askance.adapters.network.guarded_http import service_client
from askance.domain.errors import SettingsError
from askance.local_service.credentials import Token, read_token
from askance.local_service.service_process import (
    WRONG_USAGE,
    Guard,
    LocalServer,
    log_line,
    parser_of,
    problem,
    run,
)

ROOT_PATH, HEALTH_PATH = "/", "/healthz"
# The program asks for nothing else: no page for people, no picture, no setting.
FORWARDED = ("/search", "/config", HEALTH_PATH)
# Twenty results are some 30 KB, all of its engines with their languages some 300.
LONGEST_REPLY = 8_000_000
# Longer than any client of ours waits.
LIMIT_S = 120.0
# The program asks at most eight queries at a time; so many replies are held in memory at once.
AT_ONCE = 8
_LATER = {"Retry-After": "1"}
_SENT = {"Accept": "application/json", "Accept-Encoding": "identity"}
# What the program looks at. Where a redirect leads is nobody's affair: none is followed.
_FORWARDED = ("content-type", "retry-after")
_GREETING = (
    "This is Askance's search service. It answers the program on this computer that knows its token, "
    "and no browser.\n"
)
NAME = "search gateway"
_CONNECT_S = 2.0
_log = logging.getLogger("askance.services.search_gateway")


class Gateway:
    """Asks SearXNG. `upstream` is a client with its address, which follows no redirects."""

    def __init__(self, upstream: httpx.AsyncClient) -> None:
        self._upstream = upstream
        self._room = asyncio.Semaphore(AT_ONCE)

    async def forward(self, request: Request) -> Response:
        """Hand a request on, without its headers, and its reply back, with those of `_FORWARDED`."""
        # Byte for byte as it came, since the proof covers these bytes.
        query = request.scope["query_string"].decode("latin-1")
        target = f"{request.url.path}?{query}" if query else request.url.path
        # Refused and not queued: our program asks no more at a time, so these are somebody
        # else's.
        if self._room.locked():
            return problem(503, "busy", f"{AT_ONCE} queries are being asked already.", _LATER)
        try:
            async with self._room, asyncio.timeout(LIMIT_S):
                body = bytearray()
                async with self._upstream.stream("GET", target, headers=_SENT) as reply:
                    async for chunk in reply.aiter_raw():
                        body += chunk
                        if len(body) > LONGEST_REPLY:
                            return problem(502, "too_large", "SearXNG's reply does not end.")
                headers = {
                    name: reply.headers[name] for name in _FORWARDED if name in reply.headers
                }
                return Response(
                    bytes(body), reply.status_code, {**headers, "Cache-Control": "no-store"}
                )
        except TimeoutError:
            return problem(504, "slow", f"SearXNG did not answer within {LIMIT_S:g} s.")
        except (httpx.ConnectError, httpx.ConnectTimeout):
            return problem(503, "down", "SearXNG does not answer.", _LATER)
        except (httpx.HTTPError, httpx.InvalidURL):
            return problem(502, "broken", "SearXNG broke off, or did not speak HTTP.")


def build_app(upstream: httpx.AsyncClient, *, token: Token, hosts: Collection[str] = ()) -> ASGIApp:
    """Return the gateway as an ASGI app. `hosts` are names by which it may be addressed."""
    gateway = Gateway(upstream)

    async def greet(_: Request) -> Response:
        return Response(_GREETING, media_type="text/plain")

    async def refuse(_: Request, exc: Exception) -> Response:
        # One sentence for every error: none shows what SearXNG or Starlette says.
        status = int(getattr(exc, "status_code", 500))
        return problem(status, "refused", "The gateway hands searches on, and nothing else.")

    routes = [Route(path, gateway.forward, methods=["GET"]) for path in FORWARDED]
    app = Starlette(
        routes=[Route(ROOT_PATH, greet, methods=["GET"]), *routes],
        exception_handlers={404: refuse, 405: refuse, 500: refuse},
    )
    app.router.redirect_slashes = False
    return Guard(app, token=token, open_paths=(ROOT_PATH, HEALTH_PATH), hosts=hosts)


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until SIGTERM or SIGINT, and return the exit code: 1 no port, 2 no token."""
    does = "Hands searches on to SearXNG for the programs that know its token."
    parser = parser_of("askance.services.search_gateway", does, 25017)
    parser.add_argument("--token-file", required=True, type=Path, help="file with the token")
    parser.add_argument("--upstream", required=True, help="address of SearXNG")
    chosen = parser.parse_args(arguments)
    try:
        token = read_token(chosen.token_file)
    except SettingsError as exc:
        log_line(NAME, str(exc))
        return WRONG_USAGE
    return run(NAME, chosen, _log, lambda port: _serve(port, token, chosen.upstream, chosen.name))


async def _serve(
    listener: socket.socket, token: Token, upstream: str, names: Sequence[str]
) -> None:
    host, port = listener.getsockname()[:2]
    async with service_client(upstream, connect_timeout_s=_CONNECT_S) as client:
        app = build_app(client, token=token, hosts=[host, *names])
        # Nothing is given up when the end begins: replies that are under way have a second.
        server = LocalServer(app, ending=lambda: None)
        server.end_on_signals()
        _log.info("Gateway %s listens on %s, port %s.", __version__, host, port)
        await server.serve([listener])
    _log.info("Ended.")


if __name__ == "__main__":
    sys.exit(main())
