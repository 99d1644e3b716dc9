"""A web search."""

from __future__ import annotations

from typing import Protocol

from askance.domain.web import ResultPage
from askance.ports.outbound import Sent


class WebSearch(Protocol):
    """A metasearch engine."""

    async def search(self, query: str, *, wanted: int, sent: Sent) -> ResultPage:
        """Search for plain words; no operator syntax passes through. At most `wanted` results.

        `sent` is told of the query before it leaves, and of the engines that it went to.

        Raises:
            ServiceDown, ServiceSlow, ServiceRefused, ServiceNonsense: the service failed.
        """
        ...
