"""Opening the parts so that an expected failure comes out as itself."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from askance.cli.endings import expected_in
from askance.cli.parts import App
from askance.cli.shell import Shell
from askance.config.settings import LlmSettings, Settings


@asynccontextmanager
async def opened(
    shell: Shell, settings: Settings, *, sample_web: Any | None = None
) -> AsyncGenerator[App]:
    """Open the parts for as long as the context lasts.

    Parts that run child processes hold a task group, which wraps whatever is raised under them.

    Raises:
        AskanceError: a part cannot be opened, or the body raised it.
    """
    try:
        async with shell.open_app(settings, shell.folders, sample_web=sample_web) as app:
            yield app
    except BaseExceptionGroup as group:
        if (expected := expected_in(group)) is None:
            raise
        raise expected from group


def without_model(settings: Settings) -> Settings:
    """Return settings for work that asks no model: an embedded one takes seconds to start."""
    return settings.model_copy(update={"llm": LlmSettings()})
