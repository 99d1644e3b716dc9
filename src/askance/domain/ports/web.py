"""The web as the engine needs it: a search, a reader of pages, and the record of what leaves."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from askance.domain.events import RequestSent
from askance.domain.web_pages import WHOLE_WEB, Page, ResultPage, SearchScope

Sent = Callable[[RequestSent], None]
"""Takes note of a request. Whoever sends one calls it before the first byte goes out."""


class WebSearch(Protocol):
    """A metasearch engine."""

    async def search(
        self,
        query: str,
        *,
        wanted: int,
        sent: Sent,
        narrowing: SearchScope = WHOLE_WEB,
        language: str | None = None,
    ) -> ResultPage:
        """Search for plain words; no operator syntax passes through. At most `wanted` results.

        `language` is that of the query, empty if it is not recognised or is not to be named; without one
        the words tell. `narrowing` says where to search, and how new results are to be: no other is returned.
        `sent` is called with the query before it leaves, and with the engines that it went to.

        Raises:
            ServiceDown, ServiceTimeout, ServiceRefused, ServiceProtocolError: the service failed.
        """
        ...


class PageReader(Protocol):
    """Fetches a page and takes its text. A page that cannot be read is a value, not an error."""

    async def read(
        self, url: str, *, sent: Sent, known: Page | None = None, scope: SearchScope = WHOLE_WEB
    ) -> Page:
        """Read one page, within the reader's limits of time and size.

        No host is asked for anything that `scope` does not admit: a redirect to one ends the reading.
        `sent` is called with every host before a request goes to it. `known` is an earlier reading
        of the page: its server is asked whether it has changed, and where it has not, the same page
        comes back with a new `fetched_at`.

        Raises:
            ServiceError: the reader itself failed (its process or container is gone).
        """
        ...


class OutboundLedger(Protocol):
    """Keeps what was sent, when, and on what occasion."""

    def add(self, sent: RequestSent, occasion: str) -> None:
        """Keep one entry, under the present time. `occasion` is the question, or the command.

        Raises:
            StorageError: it cannot be written.
        """
        ...
