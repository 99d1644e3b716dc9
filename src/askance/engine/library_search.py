"""The one way into the library: the engine, the window, the command line and other programs search it here."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from askance.domain.library import EVERY, Filters, Found, SearchMode
from askance.ports.library import Library


@dataclass(frozen=True, slots=True)
class LibraryRouter:
    """Searches a library. See `ports.library.LibrarySearch`."""

    library: Library

    async def find(
        self,
        words: str,
        limit: int,
        filters: Filters = EVERY,
        *,
        passages_each: int = 1,
        mode: SearchMode = SearchMode.AUTO,  # noqa: ARG002 - keywords are all there is
    ) -> Found:
        """Return the passages that fit some words best."""
        hits = await asyncio.to_thread(
            self.library.search, words, limit, filters, passages_each=passages_each
        )
        return Found(hits, SearchMode.KEYWORDS)
