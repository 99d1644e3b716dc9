"""A reader of web pages."""

from __future__ import annotations

from typing import Protocol

from askance.domain.web import Page


class PageReader(Protocol):
    """Fetches a page and takes its text. A page that cannot be read is a value, not an error."""

    async def read(self, url: str) -> Page:
        """Read one page, within the reader's limits of time and size.

        Raises:
            ServiceDown: the reader itself is not there (its process or container is gone).
        """
        ...
