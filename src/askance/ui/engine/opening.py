"""What the engine's thread opens for the window: the real parts, or those of the sample web."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import TYPE_CHECKING

from askance.config.folders import Folders
from askance.config.settings import Bar, Settings
from askance.domain.errors import AskanceError

if TYPE_CHECKING:
    from askance.app.container import App

# What is asked of the sample web. Without a model its passages are shown as they stand, and one of
# them must be the answer.
COMPARISON = "/search Which village is higher above the sea, Skarne or Kelhaven?"
ONE_PASSAGE = "/search What is the strongest gust of wind ever measured on Hesperay?"
OnError = Callable[[str], None]


def real_parts(
    settings: Settings, folders: Folders, on_error: OnError
) -> Callable[[], AbstractAsyncContextManager[App]]:
    """Return what opens the parts of the program as the settings have them."""

    @asynccontextmanager
    async def opened() -> AsyncGenerator[App]:
        settings.refuse_if_barred(Bar.ALL)
        # Here and not above: the window is there before httpx and pydantic are.
        from askance.app.container import open_app  # noqa: PLC0415

        async with open_app(
            settings, folders, on_error=on_error, eager=False, upkeep=True, follows=True
        ) as app:
            yield app

    return opened


def sample_parts(
    settings: Settings, folders: Folders, on_error: OnError
) -> Callable[[], AbstractAsyncContextManager[App]]:
    """Return what opens the parts over the sample web, which is on this machine."""

    @asynccontextmanager
    async def opened() -> AsyncGenerator[App]:
        settings.refuse_if_barred(Bar.ALL)
        from askance.app.container import open_app  # noqa: PLC0415
        from askance.sample_web.server import serve_sample_web  # noqa: PLC0415

        with serve_sample_web() as web:
            async with open_app(settings, folders, sample_web=web, on_error=on_error) as app:
                yield app

    return opened


async def sample_question(app: App) -> str:
    """Return what to ask of the sample web: something to compare where there is a model to do it."""
    try:
        if app.model is not None:
            await app.model.info()
            return COMPARISON
    except AskanceError:
        pass
    return ONE_PASSAGE
