"""A web search that knows a few queries."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from askance.domain.ports.web import Sent
from askance.domain.web_pages import (
    WHOLE_WEB,
    ResultPage,
    SearchResult,
    SearchScope,
    UnresponsiveEngine,
)
from fakes.signals import Tally

Found = Sequence[SearchResult] | ResultPage | Exception


def result(
    url: str, title: str = "", snippet: str = "", *, published: str | None = None
) -> SearchResult:
    """A result; its title and snippet are made of the URL where none are given."""
    return SearchResult(
        url, title or f"Title of {url}", snippet or f"Snippet of {url}", (), published
    )


class ScriptedSearch:
    """Answers each query as the script says, any other with no results.

    A query named in `holds` is answered only once its event is set.
    """

    def __init__(
        self,
        found: Mapping[str, Found] | None = None,
        *,
        holds: Mapping[str, asyncio.Event] | None = None,
        silent: Sequence[UnresponsiveEngine] = (),
    ) -> None:
        self.found = dict(found or {})
        self.holds = dict(holds or {})
        self.silent = tuple(silent)
        self.tally = Tally()
        self.wanted: list[int] = []
        self.narrowed: list[SearchScope] = []
        self.languages: dict[str, str | None] = {}

    @property
    def asked(self) -> list[str]:
        """The queries so far, in the order in which they were sent."""
        return self.tally.begun

    async def search(
        self,
        query: str,
        *,
        wanted: int,
        sent: Sent,
        narrowing: SearchScope = WHOLE_WEB,
        language: str | None = None,
    ) -> ResultPage:
        self.wanted.append(wanted)
        self.narrowed.append(narrowing)
        self.languages[query] = language
        await self.tally.begin(query)
        try:
            if query in self.holds:
                await self.holds[query].wait()
        except asyncio.CancelledError:
            self.tally.cancel(query)
            raise
        await self.tally.finish(query)
        found = self.found.get(query, ())
        if isinstance(found, Exception):
            raise found
        if isinstance(found, ResultPage):
            return found
        return ResultPage(query, tuple(found), self.silent)
