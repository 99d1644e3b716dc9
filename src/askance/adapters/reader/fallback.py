"""What happens to pages where there is no reader service."""

from __future__ import annotations

from dataclasses import replace

from askance.domain.errors import ServiceAbsent
from askance.domain.messages import Message
from askance.domain.web import Page
from askance.ports.outbound import Sent
from askance.ports.reader import PageReader


class FallbackReader:
    """A `PageReader` that asks a first one, and a second one where the first is not there.

    Not there is what no page has a part in. Every other error is the page's: one that broke the
    first reader is not read by the second, and the next one is asked of the first again.
    """

    def __init__(self, first: PageReader, second: PageReader) -> None:
        self._first = first
        self._second = second

    async def read(self, url: str, *, sent: Sent, known: Page | None = None) -> Page:
        """Read one page. See `PageReader.read`."""
        try:
            return await self._first.read(url, sent=sent, known=known)
        except ServiceAbsent as exc:
            page = await self._second.read(url, sent=sent, known=known)
            said = Message(
                "{problem}; pages are read in this program meanwhile.", problem=exc.problem.clause()
            )
            return replace(page, fallback=Message.joined(said, exc.fix))


class ContainerOnlyReader:
    """A `PageReader` that asks one reader, and says so where that one is not there."""

    def __init__(self, reader: PageReader) -> None:
        self._reader = reader

    async def read(self, url: str, *, sent: Sent, known: Page | None = None) -> Page:
        """Read one page. See `PageReader.read`."""
        try:
            return await self._reader.read(url, sent=sent, known=known)
        except ServiceAbsent as exc:
            problem = Message(
                "{problem}; no page is read outside the container.",
                problem=exc.problem.clause(),
            )
            raise ServiceAbsent(exc.service, exc.address, problem, fix=exc.fix) from exc
