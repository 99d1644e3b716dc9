"""A page reader with a shelf of pages."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from askance.domain.events import RequestSent, Sending
from askance.domain.messages import Message
from askance.domain.ports.web import Sent
from askance.domain.web_pages import (
    WHOLE_WEB,
    Page,
    PageReason,
    PageStatus,
    SearchScope,
    host_of,
)
from fakes.signals import Tally


def page(url: str, markdown: str, title: str = "", *, published: str | None = None) -> Page:
    """A page that was read well."""
    return Page(
        url,
        PageStatus.OK,
        final_url=url,
        title=title,
        markdown=markdown,
        words=len(markdown.split()),
        published=published,
    )


class ScriptedReader:
    """Reads pages off its shelf: a string is a page's Markdown, an exception is raised.

    A page that is not there fails as HTTP 404. A URL named in `holds` is read only once its event
    is set.
    """

    def __init__(
        self,
        shelf: Mapping[str, Page | str | Exception] | None = None,
        *,
        holds: Mapping[str, asyncio.Event] | None = None,
    ) -> None:
        self.shelf = dict(shelf or {})
        self.holds = dict(holds or {})
        self.tally = Tally()

    @property
    def requested(self) -> list[str]:
        """The URLs so far, in the order in which they were asked for."""
        return self.tally.begun

    async def read(
        self, url: str, *, sent: Sent, known: Page | None = None, scope: SearchScope = WHOLE_WEB
    ) -> Page:
        sent(RequestSent(Sending.PAGE, host_of(url), Message("this program"), url))
        await self.tally.begin(url)
        try:
            if url in self.holds:
                await self.holds[url].wait()
        except asyncio.CancelledError:
            self.tally.cancel(url)
            raise
        await self.tally.finish(url)
        found = self.shelf.get(url)
        if isinstance(found, Exception):
            raise found
        if isinstance(found, Page):
            return found
        if found is None:
            return Page(
                url, PageStatus.FAILED, PageReason.HTTP_STATUS, Message("the server said 404")
            )
        return page(url, found)
