"""A reader that remembers: no page is fetched twice within a short time, none in vain after it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime, timedelta
from time import perf_counter
from typing import Self, TypeVar
from weakref import WeakValueDictionary

from askance.adapters.storage.database import utc_now
from askance.adapters.storage.page_cache import PageCache
from askance.config.settings import CacheSettings
from askance.domain.errors import StoreUnusable
from askance.domain.messages import Message
from askance.domain.web import Page, PageStatus, Validators
from askance.ports.outbound import Sent
from askance.ports.reader import PageReader
from askance.ranking.urls import canonical

SERVED_BY = Message("the page cache")
# A store that is in trouble is not asked again with every page: each time may cost its patience.
REST_S = 60.0
_Result = TypeVar("_Result")


class CachingReader:
    """A `PageReader` that keeps what another one reads: `async with CachingReader(...) as reader`.

    A page younger than `cache.fresh_minutes` is given as it is kept, and nothing is sent. The
    server of an older one is asked whether it has changed; where that fails, the failure is what
    the caller gets. Only pages that were read well, and that their server lets be kept, are. A URL
    that is being read is waited for. Where the cache is in trouble, pages are read as if there were
    none, and `trouble` is called once with each plain sentence about it.

    Leaving the context closes the cache.
    """

    def __init__(
        self,
        inner: PageReader,
        cache: PageCache,
        settings: CacheSettings,
        trouble: Callable[[str], None],
        *,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        self._inner = inner
        self._cache = cache
        self._fresh_for = timedelta(minutes=settings.fresh_minutes)
        self._trouble = trouble
        self._clock = clock
        # One thread of its own: the loop's threads look up host names, and must not queue here.
        self._thread = ThreadPoolExecutor(1, "page-cache")
        self._reading: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._told: set[str] = set()
        self._rests_until = 0.0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self._thread.submit(self._cache.close)
        await asyncio.to_thread(self._thread.shutdown)

    async def read(self, url: str, *, sent: Sent, known: Page | None = None) -> Page:
        """Return a page out of the cache, or read it. See `PageReader.read`."""
        async with self._reading.setdefault(canonical(url), asyncio.Lock()):
            if known is None:
                started = perf_counter()
                known = await self._guarded(self._cache.find, url)
                if known is not None and self._is_fresh(known):
                    await self._guarded(self._cache.touch, url)
                    took_ms = round((perf_counter() - started) * 1000)
                    return replace(known, served_by=SERVED_BY, elapsed_ms=took_ms)
            return await self._read_and_keep(url, sent, known)

    async def _read_and_keep(self, url: str, sent: Sent, known: Page | None) -> Page:
        if known is not None and known.validators == Validators():
            known = None
        page = await self._inner.read(url, sent=sent, known=known)
        if page.status is PageStatus.OK and page.storable:
            await self._guarded(self._cache.keep, page)
        elif page.status is PageStatus.OK:
            await self._guarded(self._cache.forget, url)
        return page

    def _is_fresh(self, page: Page) -> bool:
        """A page from the future is not: the clock was wrong then, or is now."""
        try:
            age = self._clock() - datetime.fromisoformat(page.fetched_at)
        except (ValueError, TypeError):  # no time, or one that does not say where it holds
            return False
        return timedelta(0) <= age < self._fresh_for

    async def _guarded(self, action: Callable[..., _Result], *arguments: object) -> _Result | None:
        """Return what the cache says, or None where it cannot be used."""
        if time.monotonic() < self._rests_until:
            return None
        try:
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._thread, action, *arguments)
        except StoreUnusable as exc:
            self._rests_until = time.monotonic() + REST_S
            if str(exc) not in self._told:
                self._told.add(str(exc))
                self._trouble(exc.message)
            return None
