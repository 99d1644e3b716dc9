"""The program as others meet it: a home, the services that its daemon speaks to, and its processes."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

import psutil
import pytest
from mcp.client import Client as McpClient
from mcp.client.stdio import StdioServerParameters, stdio_client

from askance.app.container import Container
from askance.config.folders import find_folders
from askance.config.settings import Settings
from askance.domain.ports.storage import Capability
from server.served import Era
from servers.loopback import Loopback, Request, Wire
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


def has_ended(process: psutil.Process) -> bool:
    """Whether a process has ended; one that nobody has waited for yet stays listed for seconds in some containers."""
    with suppress(psutil.NoSuchProcess):
        return process.status() == psutil.STATUS_ZOMBIE
    return True


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


@dataclass
class HeldPages:
    """A web that answers nothing: `came` says that a run has come to it, `go_on` lets the run go on without pages."""

    came: asyncio.Event = field(default_factory=asyncio.Event)
    go_on: asyncio.Event = field(default_factory=asyncio.Event)

    async def __call__(self, _request: Request, wire: Wire) -> None:
        self.came.set()
        await self.go_on.wait()
        wire.abort()

    async def wait(self) -> None:
        """Wait until a run has come."""
        async with patience():
            await self.came.wait()


@asynccontextmanager
async def held_pages(around: Around) -> AsyncIterator[HeldPages]:
    """Put such a web in the place of the other."""
    held = HeldPages()
    async with serving(knowing_model(), web=held) as (servers, _, _):
        around.environment["ASKANCE_READER__PROXY"] = servers["web"].url
        yield held
