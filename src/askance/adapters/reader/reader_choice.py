"""The reader of pages that the settings choose: the service, this program, both, or none while they are not understood."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, NoReturn

from askance.adapters.reader.inprocess import InProcessReader
from askance.adapters.reader.network import MappedResolver, SystemResolver
from askance.config.choices import ReaderMode
from askance.config.folders import Folders
from askance.config.private_files import exists
from askance.config.settings import Bar, ReaderSettings, Settings
from askance.domain.errors import ServiceAbsent
from askance.domain.messages import Message
from askance.domain.ports.web import PageReader
from askance.text.languages.recognition import forget_model

if TYPE_CHECKING:
    from askance.adapters.reader.service import ServiceReader

# The service is imported where it is chosen.
# ruff: noqa: PLC0415

# The processes that take pages apart hold some 90 MB each. A conversation goes on within this time,
# and starting them again takes half a second, beside the search.
READERS_IDLE_S = 45.0

Prepare = Callable[[], None]


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


def _do_nothing() -> None:
    pass


def is_set_up(folders: Folders) -> bool:
    """Whether `askance up` has made a token. One that we may not look at was made by somebody."""
    try:
        return exists(folders.reader_token)
    except OSError:
        return True


async def open_reader(
    stack: AsyncExitStack, settings: Settings, folders: Folders, *, eager: bool
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
        from askance.adapters.reader.service import ContainerOnlyReader

        # Nothing that could read a page is made in this program.
        return ContainerOnlyReader(await _service(stack, chosen, folders, resolver)), _do_nothing
    # Where the service reads, no process of ours starts before it turns out to be absent.
    here = await stack.enter_async_context(
        _in_process(chosen, resolver, eager=eager and not by_service)
    )
    if by_service:
        from askance.adapters.reader.service import FallbackReader

        return FallbackReader(await _service(stack, chosen, folders, resolver), here), _do_nothing
    return here, here.prepare


async def open_sample_reader(
    stack: AsyncExitStack, settings: Settings, names: Mapping[str, tuple[str, int]], *, eager: bool
) -> tuple[PageReader, Prepare]:
    """Open a reader in this program that knows the host names of a sample web; and return what prepares it."""
    resolver = MappedResolver(names, SystemResolver())
    reader = _in_process(settings.page_reader, resolver, eager=eager)
    here = await stack.enter_async_context(reader)
    return here, here.prepare


def _in_process(
    settings: ReaderSettings, resolver: SystemResolver | MappedResolver, *, eager: bool
) -> InProcessReader:
    return InProcessReader(
        settings, resolver=resolver, eager=eager, idle_s=READERS_IDLE_S, on_idle=forget_model
    )


async def _service(
    stack: AsyncExitStack, settings: ReaderSettings, folders: Folders, resolver: SystemResolver
) -> ServiceReader:
    from askance.adapters.reader.service import LastSeen, ServiceReader

    last_seen = LastSeen(folders.reader_seen)
    service = ServiceReader(settings, folders.reader_token, resolver, last_seen)
    return await stack.enter_async_context(service)
