"""The program as others meet it: a home, the services that its daemon speaks to, and its processes."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

import psutil
import pytest
from mcp.client import Client as McpClient
from mcp.client.stdio import StdioServerParameters, stdio_client

from askance.app.container import Container
from askance.config.folders import find_folders
from askance.config.settings import Settings
from askance.domain.ports.storage import Capability
from server.served import Era
from servers.loopback import Loopback
from servers.model_script import ModelScript
from servers.world import knowing_model, serving
from waiting import patience

ASKANCE = (sys.executable, "-m", "askance")


@dataclass
class Around:
    """A home and the services that its daemon speaks to."""

    home: Path
    environment: dict[str, str]
    servers: Mapping[str, Loopback]
    script: ModelScript

    def allow(self, name: str) -> None:
        """Let a program do everything."""
        with closing(
            Container(Settings(), find_folders(self.environment), pytest.fail).clients
        ) as book:
            book.known(name)
            book.allow(name, set(Capability))

    @asynccontextmanager
    async def over_stdio(
        self, era: Era, name: str, errors: TextIO = sys.stderr
    ) -> AsyncIterator[McpClient]:
        parameters = StdioServerParameters(
            command=ASKANCE[0],
            args=[*ASKANCE[1:], "mcp", "--client", name],
            env=self.environment,
        )
        async with McpClient(stdio_client(parameters, errors), mode=era) as client:
            yield client


def daemons_of(home: Path) -> list[psutil.Process]:
    """The daemons of a home."""
    found: list[psutil.Process] = []
    for process in psutil.process_iter():
        try:
            if "askance.server" in process.cmdline() and process.environ().get(
                "ASKANCE_HOME"
            ) == str(home):
                found.append(process)
        except psutil.Error:
            continue
    return found


@asynccontextmanager
async def over_http(
    around: Around, error_lines: list[str] | None = None
) -> AsyncIterator[tuple[str, str]]:
    """Start `askance serve`, give its address and the token, and collect its lines of errors."""
    process = await asyncio.create_subprocess_exec(
        *ASKANCE, "serve", env=around.environment, stderr=subprocess.PIPE
    )
    assert process.stderr is not None
    first = second = ""
    try:
        async with patience():
            first = (await process.stderr.readline()).decode()
            second = (await process.stderr.readline()).decode()
        assert "MCP at" in first, first
        url = f"http://127.0.0.1:{around.environment['ASKANCE_SERVER__PORT']}"
        yield url, find_folders(around.environment).server_token.read_text("utf-8").strip()
    finally:
        process.terminate()
        async with patience():
            rest = (await process.stderr.read()).decode()
            await process.wait()
        if error_lines is not None:
            error_lines += [first, second, rest]


@asynccontextmanager
async def held_pages(around: Around) -> AsyncIterator[asyncio.Event]:
    """A web that answers nothing, and an event that says that a run has come to it."""
    held = asyncio.Event()

    async def never(_request: Any, _wire: Any) -> None:
        held.set()
        await asyncio.Event().wait()

    async with serving(knowing_model(), web=never) as (servers, _, _):
        around.environment["ASKANCE_READER__PROXY"] = servers["web"].url
        yield held
