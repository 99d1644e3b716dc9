"""The project's list of releases: one request, without cookies, redirects or a second try."""

from __future__ import annotations

import asyncio
import json
from http import HTTPStatus
from typing import Any, cast

import httpx

from askance.adapters.network.guarded_http import (
    packing_of,
    page_client,
    page_tls_context,
    reason_of,
    way_out,
)
from askance.adapters.reader.inprocess import BrokenEncoding, TooLong, Unpacker
from askance.adapters.reader.network import (
    RefusedAddress,
    Resolver,
    SystemResolver,
    page_transport,
)
from askance.config.settings import ReaderSettings
from askance.domain.characters import clean
from askance.domain.errors import ServiceDown, ServiceProtocolError, ServiceRefused, ServiceTimeout
from askance.domain.events import RequestSent, Sending
from askance.domain.messages import Message
from askance.domain.ports.web import Sent
from askance.domain.updates import PROJECT, Release, version_key

FEED = f"https://api.github.com/repos/{PROJECT}/releases?per_page=10"
LIMIT_S = 20.0
MAX_BYTES = 500_000
MOST_RELEASES = 10
LONGEST_CHANGES = 8_000
_SERVICE = "GitHub"


async def fetch_releases(
    settings: ReaderSettings,
    sent: Sent,
    *,
    feed: str = FEED,
    resolver: Resolver | None = None,
) -> tuple[Release, ...]:
    """Ask which releases there are; `settings` say through which proxy. Drafts are left out.

    Raises:
        ServiceError: no list came.
    """
    tls = page_tls_context()
    transport = page_transport(resolver or SystemResolver(), tls, settings.proxy)
    host = httpx.URL(feed).host
    try:
        async with asyncio.timeout(LIMIT_S), page_client(transport) as client:
            sent(RequestSent(Sending.UPDATE, host, way_out(settings.proxy), feed))
            return releases_of(await _body(client, feed))
    except TimeoutError as exc:
        raise ServiceTimeout(_SERVICE, feed, Message("{host} did not answer.", host=host)) from exc
    except (httpx.TransportError, RefusedAddress) as exc:
        problem = Message("{host} cannot be reached: {problem}.", host=host, problem=reason_of(exc))
        raise ServiceDown(_SERVICE, feed, problem) from exc
    except (ValueError, TooLong, BrokenEncoding) as exc:
        problem = Message("{host} answered something that is no list of releases.", host=host)
        raise ServiceProtocolError(_SERVICE, feed, problem) from exc


async def _body(client: httpx.AsyncClient, feed: str) -> bytes:
    headers = {"Accept": "application/vnd.github+json", "Accept-Encoding": "identity"}
    async with client.stream("GET", feed, headers=headers) as response:
        if response.status_code != HTTPStatus.OK:
            status = response.status_code
            problem = Message("{service} answered {status}.", service=_SERVICE, status=str(status))
            raise ServiceRefused(_SERVICE, feed, problem, status=status)
        unpacker = Unpacker(packing_of(response), MAX_BYTES)
        async for chunk in response.aiter_raw():
            unpacker.feed(chunk)
        return unpacker.data


def releases_of(body: bytes) -> tuple[Release, ...]:
    """Return the releases of a reply, with their texts cut and cleaned. Raises ValueError: it is no list."""
    try:
        rows: Any = json.loads(body)
    except RecursionError as exc:
        raise ValueError("nested too deeply") from exc
    if not isinstance(rows, list):
        raise ValueError("no list")  # noqa: TRY004 - it is the server's mistake
    found = (_release(row) for row in cast("list[object]", rows)[:MOST_RELEASES])
    return tuple(release for release in found if release is not None)


def _release(row: object) -> Release | None:
    match row:
        # A draft is not published, and a tag that names no version is no release.
        case {"draft": False, "tag_name": str(tag)} if version_key(tag) is not None:
            body = cast("dict[str, object]", row).get("body")
            text = body if isinstance(body, str) else ""
            # It is shown: one kind of line end, and no control or invisible characters.
            changes = "\n".join(text[:LONGEST_CHANGES].splitlines())
            return Release(tag.removeprefix("v"), clean(changes).strip())
        case _:
            return None
