"""The page reader without a container: guarded fetching here, extraction in child processes."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import fields, replace
from functools import partial
from time import perf_counter

from askance.adapters.network.guarded_http import HERE, page_client, page_tls_context
from askance.adapters.reader.fetch import (
    Fetched,
    Fetcher,
    NotFetched,
    elapsed_ms,
    missing_page,
    now,
)
from askance.adapters.reader.network import Resolver, page_transport
from askance.adapters.reader.workers import WORKER_MEMORY_MB, WORKERS, WorkerPool
from askance.config.settings import ReaderSettings
from askance.domain.errors import ServiceDown, place_of
from askance.domain.messages import NOTHING, Message
from askance.domain.ports.web import Sent
from askance.domain.web_pages import Page, PageReason, Validators
from askance.extract.extracted import Extracted
from askance.extract.sandbox import Protections

_log = logging.getLogger(__name__)


class InProcessReader:
    """A `PageReader`: `async with InProcessReader(settings.reader, resolver=...) as reader`.

    Entering starts the child processes and does not wait for them; leaving ends them. Without
    `eager` they start with `prepare`, or one for each page that is read at once, beside its fetching.
    Those that have had no page for `idle_s` seconds are ended until then; 0 keeps them. `on_idle` is called
    then. Where they cannot be started, `read` and `protections` raise ServiceDown.
    """

    def __init__(
        self,
        settings: ReaderSettings,
        *,
        resolver: Resolver,
        workers: int = WORKERS,
        eager: bool = True,
        idle_s: float = 0.0,
        on_idle: Callable[[], None] | None = None,
    ) -> None:
        self._settings = settings
        self._resolver = resolver
        self._stack = AsyncExitStack()
        self._workers = WorkerPool(
            workers,
            WORKER_MEMORY_MB,
            eager=eager,
            idle_s=idle_s,
            on_idle=on_idle,
            page_cpu_s=settings.page_timeout_s,
        )
        self._fetcher: Fetcher | None = None
        self._reading = 0

    async def __aenter__(self) -> InProcessReader:
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self._workers)
            # Loading the certificates takes tens of milliseconds, beside the children's start.
            tls = await asyncio.to_thread(page_tls_context)
            transport = page_transport(self._resolver, tls, self._settings.proxy)
            client = await stack.enter_async_context(page_client(transport))
            self._fetcher = Fetcher(client, self._settings)
            # Kept only now: where a part fails to open, the stack closes those before it.
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        self._fetcher = None
        await self._stack.aclose()

    @property
    def worker_pids(self) -> list[int]:
        """The child processes that are there now."""
        return self._workers.pids

    @property
    def ready(self) -> bool:
        """Whether a child process has come up, so that a page can be taken apart now."""
        return self._workers.ready

    def prepare(self) -> None:
        """Start the child processes that are not there: pages will be asked for soon."""
        self._workers.start()

    async def protections(self) -> Protections:
        """Return how the child processes are confined. See `WorkerPool.protections`."""
        return await self._workers.protections()

    async def read(self, url: str, *, sent: Sent, known: Page | None = None) -> Page:
        """Read one page. A page that cannot be read is a value. See `PageReader.read`."""
        assert self._fetcher is not None, "read() belongs inside `async with`"
        started = perf_counter()
        missing = partial(missing_page, url, started=started, by=HERE)
        # Before the page is fetched, since a process takes half a second to start.
        self._reading += 1
        self._workers.start(self._reading)
        final_url, limit_s = url, self._settings.page_timeout_s
        begun = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout_at(begun + limit_s) as limit:
                fetched = await self._fetcher.fetch(url, sent=sent, known=known)
                final_url = fetched.final_url
                # From here on the worker counts its processor time; a process that has not started
                # yet, or that waits for a processor, takes none.
                limit_s = self._settings.page_deadline_s
                limit.reschedule(begun + limit_s)
                if known is not None and fetched.unchanged:
                    return _vouched(url, known, fetched, started)
                extracted = await self._workers.extract(
                    fetched.data, fetched.final_url, fetched.content_type
                )
        except NotFetched as exc:
            return missing(exc.final_url, exc.reason, exc.detail)
        except TimeoutError:  # never one of the network's: those are translated
            detail = Message("The page took longer than {n} seconds.", n=limit_s)
            return missing(final_url, PageReason.TIMED_OUT, detail)
        except ServiceDown:
            raise
        except Exception as exc:  # noqa: BLE001 - a page chooses the code that it meets
            # The one place where whatever a page brought about ends. Neither its address nor its
            # text is logged: the reader service's log must not tell what was read.
            _log.error("Reading a page failed: %s", place_of(exc))
            detail = Message("Reading the page failed inside the reader; its log says where.")
            return missing(final_url, PageReason.INTERNAL, detail)
        finally:
            self._reading -= 1
        return _page(url, fetched, extracted, started)


def _vouched(url: str, known: Page, fetched: Fetched, started: float) -> Page:
    """The known page, whose server has just said that it is still the same."""
    new = fetched.validators
    return replace(
        known,
        url=url,
        elapsed_ms=elapsed_ms(started),
        fetched_at=now(),
        validators=Validators(
            new.etag or known.validators.etag, new.last_modified or known.validators.last_modified
        ),
        served_by=HERE,
        fallback=NOTHING,
    )


def _page(url: str, fetched: Fetched, extracted: Extracted, started: float) -> Page:
    # All but what it took to compute.
    outcome = {
        field.name: getattr(extracted, field.name) for field in fields(extracted) if field.compare
    }
    return Page(
        url=url,
        final_url=fetched.final_url,
        elapsed_ms=elapsed_ms(started),
        fetched_at=now(),
        content_hash=hashlib.sha256(extracted.markdown.encode()).hexdigest(),
        validators=fetched.validators,
        storable=fetched.storable,
        served_by=HERE,
        **outcome,
    )
