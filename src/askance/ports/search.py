"""A web search."""

from __future__ import annotations

from typing import Protocol

from askance.domain.web import ResultPage


class WebSearch(Protocol):
    """A metasearch engine."""

    async def search(self, query: str, *, wanted: int) -> ResultPage:
        """Search for plain words; no operator syntax passes through. At most `wanted` results.

        Raises:
            ServiceDown, ServiceSlow, ServiceRefused, ServiceNonsense: the service failed.
        """
        ...
