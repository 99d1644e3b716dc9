"""The reply to a request for a page: a line for each host before it is asked, the page at the end."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any

from starlette.types import Receive, Scope, Send

from askance.adapters.reader.protocol import LINES_TYPE, Asked, ReadRequest, ReplyLine
from askance.local_service.server import has_hung_up
from askance.reader_service.desk import ClientGone, Desk

_HEADERS = [
    (b"content-type", LINES_TYPE.encode("ascii")),
    (b"cache-control", b"no-store"),
]


class PageStream:
    """An ASGI app that reads one page for one client."""

    def __init__(self, desk: Desk, wanted: ReadRequest) -> None:
        self._desk = desk
        self._wanted = wanted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the page, and say so line by line.

        Raises:
            Refused: the page is not taken on; nothing has been sent.
        """

        def tell(asked: Asked) -> None:
            if has_hung_up(scope):
                raise ClientGone
            _send_now(send(_part(ReplyLine(asked=asked).encoded(), more=True)))

        async def gone() -> None:
            while not has_hung_up(scope) and (await receive())["type"] != "http.disconnect":
                pass

        with self._desk.taking_on(self._wanted):
            # The head goes out at once: it says that the page was taken on.
            await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
            last = await self._desk.read(self._wanted, tell=tell, gone=gone)
            await send(_part(last, more=False))


def _part(body: bytes, *, more: bool) -> dict[str, Any]:
    return {"type": "http.response.body", "body": body, "more_body": more}


def _send_now(sending: Awaitable[None]) -> None:
    """Send to the end before anything else of this process goes on.

    The server hands what it is given to the system at once, and waits only for a client that leaves
    its lines lying: what comes next must not leave before the client could know of it.

    Raises:
        ClientGone: the client does not take what it is told.
    """
    steps = sending.__await__()
    try:
        next(steps)
    except StopIteration:
        return
    raise ClientGone
