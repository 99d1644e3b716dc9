"""The whole program as `wiring` puts it together, children included, on a world of loopback."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from askance.app.container import App, open_app
from askance.config.folders import find_folders
from servers.loopback import Loopback
from servers.model_script import ModelScript
from servers.world import as_sample_web, knowing_model, serving, settings_for


@asynccontextmanager
async def opened(
    home: Path, script: ModelScript | None = None, settings: Mapping[str, Any] | None = None
) -> AsyncIterator[tuple[App, dict[str, Loopback]]]:
    """Open the program; the servers outlive it."""
    async with serving(script or knowing_model()) as (servers, _, _):
        chosen = settings_for(servers, settings or {})
        folders = find_folders({"ASKANCE_HOME": str(home)})
        async with open_app(chosen, folders, sample_web=as_sample_web(servers)) as app:
            yield app, servers
