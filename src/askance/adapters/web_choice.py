"""The search and the reader of pages that the settings choose: a service, this program, the one where the other is not there,
or none while they are not understood.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, NoReturn

from askance.adapters.reader.inprocess import InProcessReader
from askance.adapters.reader.network import MappedResolver, SystemResolver
from askance.config.choices import ReaderMode
from askance.config.folders import Folders
from askance.config.private_files import exists
from askance.config.settings import Bar, ReaderSettings, Settings
from askance.domain.errors import ServiceAbsent, ServiceDown, ServiceError, ServiceSwitchedOff
from askance.domain.messages import Message
from askance.domain.ports.web import PageReader, Sent, WebSearch
from askance.domain.web_pages import WHOLE_WEB, Page, ResultPage, SearchScope

if TYPE_CHECKING:
    from askance.adapters.reader.service import ServiceReader

# The service is imported where it is chosen.
# ruff: noqa: PLC0415

# The processes that take pages apart hold some 90 MB each. A conversation goes on within this time,
# and starting them again takes half a second, beside the search.
READERS_IDLE_S = 45.0

Prepare = Callable[[], None]
SAMPLE_WEB = "sample web"
TOO_BUSY = Message("This computer may be too busy: try again when it has less to do.")
"""What fixes a part of this program that did not answer in time."""
# A run sends its queries within a minute, and need not knock for each of them; a service that was
# started in between is found again by the next one.
REMEMBERED_S = 60.0


class NoWeb:
    """A `WebSearch` and a `PageReader` that always say why nothing goes out.

    It is used while a line of the settings that guards the web, such as one of a proxy, is not understood.
    """

    def __init__(self, why: Message) -> None:
        self._why = why

    async def search(self, *_: object, **__: object) -> NoReturn:
        """Raise ServiceAbsent with the reason."""
        raise ServiceAbsent("search", "", self._why)

    async def read(self, *_: object, **__: object) -> NoReturn:
        """Raise ServiceAbsent with the reason."""
        raise ServiceAbsent("reader", "", self._why)


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
        self,
        query: str,
        *,
        wanted: int,
        sent: Sent,
        narrowing: SearchScope = WHOLE_WEB,
        language: str | None = None,
    ) -> ResultPage:
        """Search with the first, or with the second and say so in `fallback`."""
        down = self._down
        if down is None or self._clock() >= self._asked_again_at:
            try:
                page = await self._first.search(
                    query, wanted=wanted, sent=sent, narrowing=narrowing, language=language
                )
            except (ServiceDown, ServiceSwitchedOff) as exc:
                self._down = down = exc
                self._asked_again_at = self._clock() + REMEMBERED_S
            else:
                self._down = None
                return page
        page = await self._second.search(
            query, wanted=wanted, sent=sent, narrowing=narrowing, language=language
        )
        message = (
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
        return replace(page, fallback=message)


class SampleSearch:
    """The port `WebSearch` on the search engine of the sample web.

    This program serves it: where it fails, nothing that starts or sets up SearXNG helps.
    """

    def __init__(self, engine: WebSearch) -> None:
        self._engine = engine

    async def search(
        self,
        query: str,
        *,
        wanted: int,
        sent: Sent,
        narrowing: SearchScope = WHOLE_WEB,
        language: str | None = None,
    ) -> ResultPage:
        """Search the sample web. Raises ServiceError with a remedy for this computer."""
        try:
            return await self._engine.search(
                query, wanted=wanted, sent=sent, narrowing=narrowing, language=language
            )
        except ServiceError as exc:
            problem = Message("The sample web, which this program serves itself, did not answer.")
            # The same class, since the run decides by it; only the remedy differs.
            raise type(exc)(SAMPLE_WEB, exc.address, problem, fix=TOO_BUSY) from exc


class FallbackReader:
    """A `PageReader` that asks a first one, and a second one where the first is not there.

    Not there is what no page has a part in. Every other error is the page's: one that broke the
    first reader is not read by the second, and the next one is asked of the first again.
    """

    def __init__(self, first: PageReader, second: PageReader) -> None:
        self._first = first
        self._second = second

    async def read(
        self, url: str, *, sent: Sent, known: Page | None = None, scope: SearchScope = WHOLE_WEB
    ) -> Page:
        """Read one page. See `PageReader.read`."""
        try:
            return await self._first.read(url, sent=sent, known=known, scope=scope)
        except ServiceAbsent as exc:
            page = await self._second.read(url, sent=sent, known=known, scope=scope)
            message = Message(
                "{problem}; pages are read in this program meanwhile.", problem=exc.problem.clause()
            )
            return replace(page, fallback=Message.joined(message, exc.fix))


class ContainerOnlyReader:
    """A `PageReader` that asks one reader, and says so where that one is not there."""

    def __init__(self, reader: PageReader) -> None:
        self._reader = reader

    async def read(
        self, url: str, *, sent: Sent, known: Page | None = None, scope: SearchScope = WHOLE_WEB
    ) -> Page:
        """Read one page. See `PageReader.read`."""
        try:
            return await self._reader.read(url, sent=sent, known=known, scope=scope)
        except ServiceAbsent as exc:
            problem = Message(
                "{problem}; no page is read outside the container.",
                problem=exc.problem.clause(),
            )
            raise ServiceAbsent(exc.service, exc.address, problem, fix=exc.fix) from exc


def _do_nothing() -> None:
    pass


def is_set_up(folders: Folders) -> bool:
    """Whether `askance up` has made a token. One that we may not look at was made by somebody."""
    try:
        return exists(folders.reader_token)
    except OSError:
        return True


async def open_reader(
    stack: AsyncExitStack, settings: Settings, folders: Folders
) -> tuple[PageReader, Prepare]:
    """Open the reader that the settings choose; and return what prepares it.

    Raises:
        SettingsError: it cannot be built from these settings.
    """
    if why := settings.why_barred(Bar.WEB):
        return NoWeb(why), _do_nothing
    chosen = settings.page_reader
    by_service = chosen.mode is ReaderMode.CONTAINER or (
        chosen.mode is ReaderMode.AUTO and is_set_up(folders)
    )
    resolver = SystemResolver()
    if chosen.mode is ReaderMode.CONTAINER_ONLY:
        # Nothing that could read a page is made in this program.
        return ContainerOnlyReader(await _service(stack, chosen, folders, resolver)), _do_nothing
    # Where the service reads, no process of ours starts before it turns out to be absent.
    here = await stack.enter_async_context(_in_process(chosen, resolver))
    if by_service:
        return FallbackReader(await _service(stack, chosen, folders, resolver), here), _do_nothing
    return here, here.prepare


async def open_sample_reader(
    stack: AsyncExitStack, settings: Settings, names: Mapping[str, tuple[str, int]]
) -> tuple[PageReader, Prepare]:
    """Open a reader in this program that knows the host names of a sample web; and return what prepares it."""
    resolver = MappedResolver(names, SystemResolver())
    reader = _in_process(settings.page_reader, resolver)
    here = await stack.enter_async_context(reader)
    return here, here.prepare


def _in_process(
    settings: ReaderSettings, resolver: SystemResolver | MappedResolver
) -> InProcessReader:
    return InProcessReader(settings, resolver=resolver, eager=False, idle_s=READERS_IDLE_S)


async def _service(
    stack: AsyncExitStack, settings: ReaderSettings, folders: Folders, resolver: SystemResolver
) -> ServiceReader:
    from askance.adapters.reader.service import LastSeen, ServiceReader

    last_seen = LastSeen(folders.reader_seen)
    service = ServiceReader(settings, folders.reader_token, resolver, last_seen)
    return await stack.enter_async_context(service)
