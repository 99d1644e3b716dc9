"""Another search for when the first one is not there, or not for programs."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from askance.domain.errors import ServiceDown, ServiceSwitchedOff
from askance.domain.messages import Message
from askance.domain.web import WHOLE_WEB, Narrowing, ResultPage
from askance.ports.web import Sent, WebSearch

# A run sends its queries within a minute, and need not knock for each of them; a service that was
# started in between is found again by the next one.
REMEMBERED_S = 60.0


class FallbackSearch:
    """The port `WebSearch` on two others: the second is asked where nothing answers at the first,
    or where its settings do not let programs search.

    One that is slow, refuses or talks nonsense is there: its error stands, as does the second's.
    """

    def __init__(
        self, first: WebSearch, second: WebSearch, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`clock` gives seconds that never go back."""
        self._first, self._second = first, second
        self._clock = clock
        self._down: ServiceDown | ServiceSwitchedOff | None = None
        self._asked_again_at = 0.0

    async def search(
        self, query: str, *, wanted: int, sent: Sent, narrowing: Narrowing = WHOLE_WEB
    ) -> ResultPage:
        """Search with the first, or with the second and say so in `fallback`."""
        down = self._down
        if down is None or self._clock() >= self._asked_again_at:
            try:
                page = await self._first.search(
                    query, wanted=wanted, sent=sent, narrowing=narrowing
                )
            except (ServiceDown, ServiceSwitchedOff) as exc:
                self._down = down = exc
                self._asked_again_at = self._clock() + REMEMBERED_S
            else:
                self._down = None
                return page
        page = await self._second.search(query, wanted=wanted, sent=sent, narrowing=narrowing)
        said = (
            Message(
                "SearXNG at {address} does not answer in JSON; this program asked the search engines "
                "itself.",
                address=down.address,
            )
            if isinstance(down, ServiceSwitchedOff)
            else Message(
                "Nothing answers at {address}; this program asked the search engines itself.",
                address=down.address,
            )
        )
        return replace(page, fallback=said)
