"""Who may speak to the service at all: programs of this machine, and no page in a browser."""

from __future__ import annotations

import logging
import re
import traceback
from collections.abc import Collection
from typing import cast

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from askance.adapters.reader.protocol import Refusal
from askance.domain.web import is_loopback
from askance.reader_service.refused import Refused

_log = logging.getLogger(__name__)
_HOST = re.compile(r"(?:\[(?P<v6>[0-9a-f:.]+)\]|(?P<name>[a-z0-9.-]+))(?::[0-9]{1,5})?")


class Guard:
    """Stands before an app and refuses what a browser sends for a page.

    A page that has bound its own name to a loopback address is known by `Host`, any other one by
    `Origin` or `Sec-Fetch-Site`, which no page can leave out or forge. `hosts` are allowed beside
    the names of loopback.
    """

    def __init__(self, app: ASGIApp, *, hosts: Collection[str]) -> None:
        self._app = app
        self._hosts = frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it. An unexpected error ends here."""
        try:
            self._check(Headers(scope=scope))
            await self._app(scope, receive, send)
        except Refused as exc:
            await exc.reply()(scope, receive, send)
        except Exception as exc:  # noqa: BLE001 - its text may hold an address that was read
            _log.error("A request failed: %s", _place(exc))

    def _check(self, headers: Headers) -> None:
        if not self._knows(headers.get("host", "")):
            raise Refused(Refusal.FORBIDDEN_HOST, "The service is not known by this name.")
        if "origin" in headers or headers.get("sec-fetch-site", "none") != "none":
            raise Refused(Refusal.FORBIDDEN_ORIGIN, "The service is not there for web pages.")

    def _knows(self, host: str) -> bool:
        match = _HOST.fullmatch(host.lower())
        if match is None:
            return False
        name = match["v6"] or match["name"]
        return is_loopback(name) or name in self._hosts


def _place(error: BaseException) -> str:
    """The kind of an error and where it was raised, without its text."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    frames = traceback.extract_tb(error.__traceback__)
    where = f" in {frames[-1].name}, line {frames[-1].lineno}" if frames else ""
    return f"{type(error).__name__}{where}"
