"""Pages that were read before: one file, no larger than it may be."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from askance import __version__
from askance.adapters.storage.database import Database, give_back, pragma, storable
from askance.adapters.storage.schema import Schema
from askance.domain.messages import Message
from askance.domain.web import Page, PageStatus, Validators
from askance.ranking.urls import canonical, without_tracking

SCHEMA = Schema(
    Message("The page cache"),
    (
        (
            """
            CREATE TABLE page (
                key TEXT NOT NULL PRIMARY KEY,
                url TEXT NOT NULL,
                final_url TEXT NOT NULL,
                title TEXT NOT NULL,
                byline TEXT NOT NULL,
                markdown BLOB NOT NULL,
                words INTEGER NOT NULL,
                published TEXT,
                language TEXT,
                fetched_at TEXT NOT NULL,
                content_hash TEXT NOT NULL,
                etag TEXT NOT NULL,
                last_modified TEXT NOT NULL,
                read_by TEXT NOT NULL,
                used INTEGER NOT NULL
            )
            """,
            "CREATE INDEX page_used ON page (used)",
        ),
        # Its keys had no scheme.
        ("DELETE FROM page",),
    ),
    disposable=True,
)
# What waits for another process waits on the way to an answer.
PATIENCE_S = 1.0
# Named as in `Page`.
_ALIKE = (
    *("url", "final_url", "title", "byline", "words", "published", "language", "fetched_at"),
    "content_hash",
)
_COLUMNS = f"markdown, etag, last_modified, {', '.join(_ALIKE)}"
_MARKDOWN = 2
# A count, not a time: clocks go backwards. The newest page has the highest.
_NEXT_USE = "(SELECT coalesce(max(used), 0) + 1 FROM page)"
_MIB = 1_048_576


@dataclass(frozen=True, slots=True)
class Contents:
    """How many pages are kept, and the bytes that they take in the file."""

    pages: int
    bytes: int


class PageCache:
    """A file of pages, of which those that were not used for longest go first.

    A page is found under the scheme and the canonical form of its URL, and given only for an address
    that is known to lead to it: the one that was asked for, or the one that answered, each in the
    same spelling but for tracking parameters. What came in the open never answers for `https://`. `trouble` is called with one plain
    sentence where the file was damaged and had to be begun anew. For one thread at a time; no method
    is for the event loop, and all raise StoreUnusable where the file cannot be used.
    """

    def __init__(self, file: Path, size_mb: int, trouble: Callable[[str], None]) -> None:
        self._limit = size_mb * _MIB
        self._database = Database(file, SCHEMA, trouble, patience_s=PATIENCE_S)

    def find(self, url: str) -> Page | None:
        """Return the page that is kept for a URL, `url` set to it, however old it is."""
        # Another version may take a page apart better, and its server would vouch for it for ever.
        query = f"SELECT {_COLUMNS} FROM page WHERE key = ? AND read_by = ?"  # noqa: S608 - constants
        row = self._database.read(lambda c: c.execute(query, (_key(url), __version__)).fetchone())
        page = None if row is None else _page(row)
        if page and _address(url) in {_address(page.url), _address(page.final_url)}:
            return replace(page, url=url)
        return None

    def touch(self, url: str) -> None:
        """Note that the page of a URL was used."""
        update = f"UPDATE page SET used = {_NEXT_USE} WHERE key = ?"  # noqa: S608 - constants
        self._database.write(lambda c: c.execute(update, (_key(url),)))

    def keep(self, page: Page) -> None:
        """Keep a page that was read well, in the place of an older reading of it.

        One that would take more than half of the room is not kept, nor one that was asked for over
        TLS and answered in the open.
        """
        assert page.status is PageStatus.OK, "only pages that were read well are kept"
        if _scheme(page.url) == "https" and _scheme(page.final_url) != "https":
            return
        try:
            row = _row(page)
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
            self._make_room(connection)

        self._database.write(put)

    def forget(self, url: str) -> None:
        """Delete what is kept for a URL."""
        self._database.write(lambda c: c.execute("DELETE FROM page WHERE key = ?", (_key(url),)))

    def contents(self) -> Contents:
        """Count what is kept; nothing where there is no file."""
        if not self._database.exists:
            return Contents(0, 0)
        return self._database.read(lambda c: Contents(_count(c), _used_bytes(c)))

    def clear(self) -> int:
        """Delete all pages, give their room back to the disk, and return how many they were."""
        return self._database.clear("page")

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def _make_room(self, connection: sqlite3.Connection) -> None:
        while _used_bytes(connection) > self._limit:
            oldest = "DELETE FROM page WHERE key = (SELECT key FROM page ORDER BY used LIMIT 1)"
            if not connection.execute(oldest).rowcount:
                break
        unit = pragma(connection, "page_size")
        give_back(connection, pragma(connection, "page_count") - self._limit // unit)


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


def _row(page: Page) -> tuple[Any, ...]:
    values = (
        _key(page.url),
        __version__,
        zlib.compress(page.markdown.encode()),
        page.validators.etag,
        page.validators.last_modified,
        *(getattr(page, name) for name in _ALIKE),
    )
    for value in values:
        if isinstance(value, str):
            value.encode()
    return values


def _page(row: tuple[Any, ...]) -> Page | None:
    """Return the page of a row, or None where its text is damaged."""
    packed, etag, last_modified, *alike = row
    try:
        markdown = zlib.decompress(packed).decode()
    except (zlib.error, UnicodeDecodeError):
        return None
    fields = dict(zip(_ALIKE, alike, strict=True))
    validators = Validators(etag, last_modified)
    return Page(status=PageStatus.OK, markdown=markdown, validators=validators, **fields)


def _count(connection: sqlite3.Connection) -> int:
    return int(connection.execute("SELECT count(*) FROM page").fetchone()[0])


def _used_bytes(connection: sqlite3.Connection) -> int:
    """The room that the file takes on the disk, but for what is free in it."""
    used = pragma(connection, "page_count") - pragma(connection, "freelist_count")
    return used * pragma(connection, "page_size")
