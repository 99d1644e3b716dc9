"""The door of Askance: its tools and OpenAI's API, on parts that are opened once for all programs."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from askance.config.folders import Folders
from askance.config.settings import Settings
from askance.ports.clients import ClientBook
from askance.server.clients import current_client
from askance.server.daemon import Door
from askance.server.desk import Desk
from askance.server.openai_door import openai_routes
from askance.server.tools import build_mcp
from askance.wiring import open_app


@asynccontextmanager
async def open_door(settings: Settings, folders: Folders, book: ClientBook) -> AsyncGenerator[Door]:
    """Open the parts, and give what programs are served with.

    Raises:
        SettingsError: a part cannot be built from these settings.
    """
    async with (
        # No process is started before somebody searches.
        open_app(settings, folders, eager=False, upkeep=True, gives_way=True) as app,
        Desk(app, book, most_waiting=settings.server.max_waiting) as desk,
    ):
        mcp = build_mcp(desk, book, current_client)
        routes = openai_routes(desk, lambda _request: current_client())
        yield Door(mcp, routes, desk.runs.connection, lambda: desk.is_busy)
