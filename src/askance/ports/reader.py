"""A reader of web pages."""

from __future__ import annotations

from typing import Protocol

from askance.domain.web import Page
from askance.ports.outbound import Sent


class PageReader(Protocol):
    """Fetches a page and takes its text. A page that cannot be read is a value, not an error."""

    async def read(self, url: str, *, sent: Sent, known: Page | None = None) -> Page:
        """Read one page, within the reader's limits of time and size.

        `sent` is told of every host before it is asked for something. `known` is an earlier reading
        of the page: its server is asked whether it has changed, and where it has not, the same page
        comes back with a new `fetched_at`.

        Raises:
            ServiceError: the reader itself failed (its process or container is gone).
        """
        ...
