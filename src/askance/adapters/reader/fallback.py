"""Reading on in this program where the reader service fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import monotonic

from askance.domain.errors import ServiceError
from askance.domain.web import Page
from askance.ports.outbound import Sent
from askance.ports.reader import PageReader

# Long enough that the pages of a run do not each knock at a closed door, short enough that a
# service that was started again is noticed within the same conversation.
REMEMBERED_S = 30.0


@dataclass(frozen=True, slots=True)
class _Failure:
    sentence: str
    until: float


class FallbackReader:
    """A `PageReader` that asks a first one, and a second one where the first itself fails.

    A page's own failure is an answer, and stands. A page that was under way when the first reader
    died is read again from its beginning: its site may be asked for it twice, which is harmless
    (it is only ever a GET), shows in what `sent` is told, and costs less than a lost source. After
    a failure the second reader has all pages for `REMEMBERED_S`; nothing is ever asked of both at
    once.
    """

    def __init__(
        self, first: PageReader, second: PageReader, *, clock: Callable[[], float] = monotonic
    ) -> None:
        """`clock` gives seconds that never go back."""
        self._first = first
        self._second = second
        self._clock = clock
        self._failure: _Failure | None = None

    async def read(self, url: str, *, sent: Sent, known: Page | None = None) -> Page:
        """Read one page. See `PageReader.read`.

        Raises:
            ServiceError: the second reader failed as well.
        """
        failure = self._failure
        if failure is not None and self._clock() < failure.until:
            return await self._second_reading(url, sent, known, failure)
        try:
            page = await self._first.read(url, sent=sent, known=known)
        except ServiceError as exc:
            self._failure = failure = _Failure(_sentence(exc), self._clock() + REMEMBERED_S)
            return await self._second_reading(url, sent, known, failure)
        return page

    async def _second_reading(
        self, url: str, sent: Sent, known: Page | None, failure: _Failure
    ) -> Page:
        page = await self._second.read(url, sent=sent, known=known)
        return replace(page, fallback=failure.sentence)


def _sentence(error: ServiceError) -> str:
    problem = error.problem.removesuffix(".")
    return f"{problem}; pages are read in this program meanwhile. {error.fix}".strip()
