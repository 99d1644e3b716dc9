"""The real daemon in the background, with one tool that says how many objects it has: `python counting_daemon.py`."""

from __future__ import annotations

import gc
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from mcp.server.mcpserver import MCPServer

from askance.server import __main__ as daemon
from askance.server import serving
from askance.server.daemon import ServerParts


@asynccontextmanager
async def counting(*_: object) -> AsyncGenerator[ServerParts]:
    mcp: MCPServer[Any] = MCPServer("counting")

    async def objects() -> int:
        """Count what is there, garbage included."""
        return len(gc.get_objects())

    mcp.tool()(objects)
    yield ServerParts(mcp)


if __name__ == "__main__":
    serving.real_parts = counting
    sys.exit(daemon.main())
