"""Pages that were read before, in one file no larger than it may be, and the reader that asks it first.

It remembers, too, which pages were not there, were refused, or held nothing to read.
"""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time
import zlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from time import perf_counter
from typing import Any, Self, TypeVar
from urllib.parse import urlsplit
from weakref import WeakValueDictionary

from askance import __version__
from askance.adapters.storage.database import Database, Schema, give_back, pragma, utc_now
from askance.domain.characters import storable
from askance.domain.errors import StorageError
from askance.domain.events import once
from askance.domain.messages import NOTHING, Message
from askance.domain.ports.web import PageReader, Sent
from askance.domain.web_pages import (
    WHOLE_WEB,
    Page,
    PageReason,
    PageStatus,
    SearchScope,
    Validators,
)
from askance.text.ranking.urls import canonical, without_tracking

SCHEMA = Schema(
    Message("The page cache"),
    (
        """
        CREATE TABLE page (
            key TEXT NOT NULL PRIMARY KEY,
            url TEXT NOT NULL,
            final_url TEXT NOT NULL,
            title TEXT NOT NULL,
            byline TEXT NOT NULL,
            -- Why a page was no use; `ok` for one that was read well.
            status TEXT NOT NULL,
            reason TEXT NOT NULL,
            detail TEXT NOT NULL,
            markdown BLOB NOT NULL,
            words INTEGER NOT NULL,
            published TEXT,
            language TEXT,
            fetched_at TEXT NOT NULL,
            content_hash TEXT NOT NULL,
            etag TEXT NOT NULL,
            last_modified TEXT NOT NULL,
            read_by TEXT NOT NULL,
            used INTEGER NOT NULL,
            updated TEXT
        )
        """,
        "CREATE INDEX page_used ON page (used)",
    ),
    disposable=True,
)
# What waits for another process waits on the way to an answer.
BUSY_TIMEOUT_S = 1.0
# Named as in `Page`.
_ALIKE = (
    *("url", "final_url", "title", "byline", "words", "published", "updated", "language"),
    *("fetched_at", "content_hash"),
)
_COLUMNS = f"markdown, etag, last_modified, status, reason, detail, {', '.join(_ALIKE)}"
# Its index in a row that is written: after the key and the version.
_MARKDOWN = 2
# A count, not a time: clocks go backwards. The newest page has the highest.
_NEXT_USE = "(SELECT coalesce(max(used), 0) + 1 FROM page)"
_MIB = 1_048_576

SERVED_BY = Message("the page cache")
_HALF_AN_HOUR = timedelta(minutes=30)
# How long it holds why a page was no use. One that needs scripts or consent needs them again in a while, and
# a server that refused is left alone; one that failed may have come round, and the largest size is a setting.
LASTING = {
    PageReason.SCRIPT_ONLY: _HALF_AN_HOUR,
    PageReason.CONSENT_WALL: _HALF_AN_HOUR,
    PageReason.NO_TEXT: _HALF_AN_HOUR,
    PageReason.ONLY_IMAGES: _HALF_AN_HOUR,
    PageReason.ENCRYPTED: _HALF_AN_HOUR,
    PageReason.NOT_TEXT: _HALF_AN_HOUR,
    PageReason.REDIRECTS: _HALF_AN_HOUR,
    # Somebody may have just published it.
    PageReason.NOT_FOUND: timedelta(minutes=10),
    PageReason.DENIED: timedelta(minutes=10),
}
# A store that is in trouble is not asked again with every page: each time may cost its timeout.
REST_S = 60.0
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class CacheContents:
    """How many pages are stored, and the bytes that they take in the file."""

    pages: int
    bytes: int


class PageCache:
    """A file of pages, of which those that were not used for longest go first.

    A page is found under the scheme and the canonical form of its URL, and given only for an address
    that is known to lead to it: the one that was asked for, or the one that answered, each in the
    same spelling but for tracking parameters. What came in the open never answers for `https://`. `on_error` is called with one plain
    sentence where the file was damaged and had to be begun anew. For one thread at a time; no method
    is for the event loop, and all raise StorageError where the file cannot be used.
    """

    def __init__(self, file: Path, size_mb: int, on_error: Callable[[str], None]) -> None:
        self._limit = size_mb * _MIB
        self._database = Database(file, SCHEMA, on_error, busy_timeout_s=BUSY_TIMEOUT_S)

    def find(self, url: str) -> Page | None:
        """Return the page that is stored for a URL, `url` set to it, however old it is."""
        # Another version may take a page apart better, and its server would vouch for it for ever.
        query = f"SELECT {_COLUMNS} FROM page WHERE key = ? AND read_by = ?"  # noqa: S608 - constants
        row = self._database.read(lambda c: c.execute(query, (_key(url), __version__)).fetchone())
        page = None if row is None else _page(row)
        # The key folds more than a server may, such as a last slash or `www.`: another spelling
        # can be another page there.
        if page and _address(url) in {_address(page.url), _address(page.final_url)}:
            return replace(page, url=url)
        return None

    def touch(self, url: str) -> None:
        """Note that the page of a URL was used."""
        update = f"UPDATE page SET used = {_NEXT_USE} WHERE key = ?"  # noqa: S608 - constants
        self._database.write(lambda c: c.execute(update, (_key(url),)))

    def store(self, page: Page) -> None:
        """Keep a page that was read well, or why it never will be, in the place of an older reading of it.

        One that would take more than half of the room is not kept, nor one that was asked for over
        TLS and answered in the open.
        """
        assert page.status is PageStatus.OK or page.reason in LASTING, (
            "it may be read well next time"
        )
        if _scheme(page.url) == "https" and _scheme(page.final_url) != "https":
            return
        try:
            row = (
                _key(page.url),
                __version__,
                zlib.compress(page.markdown.encode()),
                page.validators.etag,
                page.validators.last_modified,
                page.status,
                page.reason,
                json.dumps([str(page.detail), page.detail.to_record()]) if page.detail else "",
                *(getattr(page, name) for name in _ALIKE),
            )
            "".join(value for value in row if isinstance(value, str)).encode()
        except UnicodeEncodeError:  # half a character, out of a broken escape: no file takes it
            return
        if len(row[_MARKDOWN]) > self._limit // 2:
            return
        marks = ", ".join("?" * len(row))
        insert = (
            f"INSERT OR REPLACE INTO page (key, read_by, {_COLUMNS}, used) "  # noqa: S608 - constants
            f"VALUES ({marks}, {_NEXT_USE})"
        )

        def put(connection: sqlite3.Connection) -> None:
            connection.execute(insert, row)
            while _used_bytes(connection) > self._limit:
                oldest = "DELETE FROM page WHERE key = (SELECT key FROM page ORDER BY used LIMIT 1)"
                if not connection.execute(oldest).rowcount:
                    break
            unit = pragma(connection, "page_size")
            give_back(connection, pragma(connection, "page_count") - self._limit // unit)

        self._database.write(put)

    def forget(self, url: str) -> None:
        """Delete what is stored for a URL."""
        self._database.write(lambda c: c.execute("DELETE FROM page WHERE key = ?", (_key(url),)))

    def contents(self) -> CacheContents:
        """Count what is stored; nothing where there is no file."""
        if not self._database.exists:
            return CacheContents(0, 0)
        readable = "SELECT count(*) FROM page WHERE status = 'ok'"
        return self._database.read(
            lambda c: CacheContents(int(c.execute(readable).fetchone()[0]), _used_bytes(c))
        )

    def clear(self) -> int:
        """Delete all pages, give their room back to the disk, and return how many they were."""
        return self._database.clear("page")

    def close(self) -> None:
        """Close the file."""
        self._database.close()


FRESH_FOR = timedelta(minutes=60)
"""A page that is older is taken as it is only where its server says that it has not changed."""


class CachingReader:
    """A `PageReader` that caches what another one reads: `async with CachingReader(...) as reader`.

    A page younger than `FRESH_FOR` is given as it is stored, and nothing is sent. The
    server of an older one is asked whether it has changed; where that fails, the failure is what
    the caller gets. Only pages that were read well, and that their server lets be stored, are; and for half
    an hour at the most, which pages were not there or held nothing to read, unless an older reading of them did. A URL
    that is being read is waited for. Where the cache is in trouble, pages are read as if there were
    none, and `on_error` is called once with each plain sentence about it.

    Leaving the context closes the cache.
    """

    def __init__(
        self,
        inner: PageReader,
        cache: PageCache,
        on_error: Callable[[str], None],
        *,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self._inner = inner
        self._cache = cache
        self._on_error = once(on_error)
        self._clock = clock
        # One thread of its own: the loop's threads look up host names, and must not queue here.
        self._thread = ThreadPoolExecutor(1, "page-cache")
        self._reading: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._rests_until = 0.0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._thread.submit(self._cache.close)
        # In a thread, for shutting down waits for what the cache is doing.
        await asyncio.to_thread(self._thread.shutdown)

    async def read(
        self, url: str, *, sent: Sent, known: Page | None = None, scope: SearchScope = WHOLE_WEB
    ) -> Page:
        """Return a page out of the cache, or read it. See `PageReader.read`."""
        # The dictionary is weak: a lock is in it only as long as somebody holds or awaits it.
        async with self._reading.setdefault(canonical(url), asyncio.Lock()):
            if known is None:
                started = perf_counter()
                known = await self._guarded(self._cache.find, url)
                # What another question let a redirect lead to is not for this one.
                if known is not None and not scope.admits(known.final_url or url):
                    known = None
                if known is not None and self._is_fresh(known):
                    await self._guarded(self._cache.touch, url)
                    took_ms = round((perf_counter() - started) * 1000)
                    return replace(known, served_by=SERVED_BY, elapsed_ms=took_ms)
            was_read = known is not None and known.status is PageStatus.OK
            # Without a validator there is nothing to ask its server by.
            if known is not None and known.validators == Validators():
                known = None
            page = await self._inner.read(url, sent=sent, known=known, scope=scope)
            if (
                page.status is PageStatus.OK or (page.reason in LASTING and not was_read)
            ) and page.storable:
                await self._guarded(self._cache.store, page)
            # The server does not allow storing any more, so the stored copy is deleted.
            elif page.status is PageStatus.OK:
                await self._guarded(self._cache.forget, url)
            return page

    def _is_fresh(self, page: Page) -> bool:
        """A page from the future is not: the clock was wrong then, or is now."""
        try:
            age = self._clock() - datetime.fromisoformat(page.fetched_at)
        except (ValueError, TypeError):  # no time, or one that does not say where it holds
            return False
        is_read = page.status is PageStatus.OK
        fresh_for = FRESH_FOR if is_read else LASTING.get(page.reason, timedelta(0))
        return timedelta(0) <= age < fresh_for

    async def _guarded(self, action: Callable[..., _Result], *arguments: object) -> _Result | None:
        """Return what the cache says, or None where it cannot be used."""
        if time.monotonic() < self._rests_until:
            return None
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._thread, action, *arguments)
        except StorageError as exc:
            self._rests_until = time.monotonic() + REST_S
            self._on_error(exc.message)
            return None


def _key(url: str) -> str:
    return storable(f"{_scheme(url)}:{canonical(url)}")


def _scheme(url: str) -> str:
    return url.strip().partition(":")[0].lower()


def _address(url: str) -> str:
    """Return what a request for this URL asks, and whom, in one spelling."""
    bare = without_tracking(url)
    try:
        parts = urlsplit(bare)
    except ValueError:
        return bare
    return parts._replace(netloc=parts.netloc.lower(), path=parts.path or "/").geturl()


def _page(row: tuple[Any, ...]) -> Page | None:
    """Return the page of a row, or None where its text is of no use."""
    packed, etag, last_modified, status, reason, detail, *alike = row
    try:
        markdown = zlib.decompress(packed).decode()
        state, why = PageStatus(status), PageReason(reason)
    except (zlib.error, ValueError):  # damaged, or written by a build that knows more reasons
        return None
    fields = dict(zip(_ALIKE, alike, strict=True))
    validators = Validators(etag, last_modified)
    return Page(
        status=state,
        reason=why,
        detail=Message.from_record(*json.loads(detail)) if detail else NOTHING,
        markdown=markdown,
        validators=validators,
        **fields,
    )


def _used_bytes(connection: sqlite3.Connection) -> int:
    """The room that the file takes on the disk, but for what is free in it."""
    used = pragma(connection, "page_count") - pragma(connection, "freelist_count")
    return used * pragma(connection, "page_size")
