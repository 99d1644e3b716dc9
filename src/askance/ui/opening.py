"""What the engine's thread opens for the window: the real parts, or those of the sample web."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING

from askance.config.folders import Folders
from askance.config.settings import Settings

if TYPE_CHECKING:
    from askance.wiring import App

Trouble = Callable[[str], None]


def real_parts(
    settings: Settings, folders: Folders, trouble: Trouble
) -> Callable[[], AbstractAsyncContextManager[App]]:
    """Return what opens the parts of the program as the settings have them."""

    @asynccontextmanager
    async def opened() -> AsyncGenerator[App]:
        # Here and not above: the window is there before httpx and pydantic are.
        from askance.wiring import open_app  # noqa: PLC0415

        async with open_app(settings, folders, trouble=trouble) as app:
            yield app

    return opened


def sample_parts(
    settings: Settings, folders: Folders, trouble: Trouble
) -> Callable[[], AbstractAsyncContextManager[App]]:
    """Return what opens the parts over the sample web, which is on this machine."""

    @asynccontextmanager
    async def opened() -> AsyncGenerator[App]:
        from askance.sample_web import serve_sample_web  # noqa: PLC0415
        from askance.wiring import open_app  # noqa: PLC0415

        with serve_sample_web() as web:
            async with open_app(settings, folders, sample_web=web, trouble=trouble) as app:
                yield app

    return opened
