"""The HTTP server under a local service: one process, one loop, nothing written down of a request."""

from __future__ import annotations

import argparse
import asyncio
import logging
import signal
import socket
import sys
from collections.abc import Callable, Coroutine, Generator
from contextlib import contextmanager
from types import FrameType
from typing import Any, cast

import h11
import uvicorn
from starlette.types import ASGIApp, Scope
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

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
