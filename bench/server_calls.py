"""The daemon measured: a thousand calls by ten clients, what each costs it, and whether it grows.

Calls that need no model: `tools/list`, and a tool that is refused at its first look. What is measured is the
processor time of the daemon itself.

    python -m bench.server_calls
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any, Literal

import psutil
from mcp.client import Client as McpClient
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from askance.config.folders import find_folders
from askance.server.daemon_connection import connect

CLIENTS, CALLS = 10, 100
ASKANCE = (sys.executable, "-m", "askance")
PORT = 25_919
Era = Literal["legacy", "auto"]
Connect = Callable[[], AbstractAsyncContextManager[McpClient]]


async def _serve(environment: dict[str, str]) -> asyncio.subprocess.Process:
    process = await asyncio.create_subprocess_exec(
        *ASKANCE, "serve", env=environment, stderr=asyncio.subprocess.PIPE
    )
    assert process.stderr is not None
    await process.stderr.readline()
    await process.stderr.readline()
    return process


def _token(environment: dict[str, str]) -> str:
    return find_folders(environment).server_token.read_text("utf-8").strip()


@asynccontextmanager
async def _over_http(token: str, era: Era) -> AsyncIterator[McpClient]:
    async with AsyncExitStack() as stack:
        headers = {"Authorization": f"Bearer {token}"}
        web = await stack.enter_async_context(create_mcp_http_client(headers=headers))
        transport = streamable_http_client(f"http://127.0.0.1:{PORT}/mcp", http_client=web)
        yield await stack.enter_async_context(McpClient(transport, mode=era))


@asynccontextmanager
async def _over_stdio(environment: dict[str, str], era: Era) -> AsyncIterator[McpClient]:
    parameters = StdioServerParameters(
        command=ASKANCE[0], args=[*ASKANCE[1:], "mcp", "--client", "bench"], env=environment
    )
    async with McpClient(stdio_client(parameters), mode=era) as client:
        yield client


async def _calls(connect_: Connect, each: Callable[[McpClient], Any], count: int) -> int:
    """Call from ten clients at once, and return how many failed."""
    failed = 0

    async def one() -> None:
        nonlocal failed
        async with connect_() as client:
            for _ in range(count):
                try:
                    await each(client)
                except Exception:  # noqa: BLE001 - counted
                    failed += 1

    async with asyncio.TaskGroup() as group:
        for _ in range(CLIENTS):
            group.create_task(one())
    return failed


def _spent(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


async def _measure(process: psutil.Process, name: str, connect_: Connect) -> str:
    async def listing(client: McpClient) -> None:
        await client.list_tools(cache_mode="bypass")

    async def refused(client: McpClient) -> None:
        result = await client.call_tool("read_page", {"url": "http://site.example/"})
        assert result.is_error

    rows: list[str] = []
    for what, each in (("tools/list", listing), ("a tool", refused)):
        await _calls(connect_, each, 5)
        before, memory, files = _spent(process), process.memory_info().rss, process.num_fds()
        began = time.monotonic()
        failed = await _calls(connect_, each, CALLS)
        took = time.monotonic() - began
        spent = 1000 * (_spent(process) - before) / (CLIENTS * CALLS)
        grown = (process.memory_info().rss - memory) / 1_048_576
        rows.append(
            f"| {name} | {what} | {failed} | {spent:.2f} | {CLIENTS * CALLS / took:,.0f} "
            f"| {grown:+.1f} | {process.num_fds() - files:+d} |"
        )
    return "\n".join(rows)


async def measure() -> str:
    """Return the table."""
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "ASKANCE_HOME": home, "ASKANCE_SERVER__PORT": str(PORT)}
        serving = await _serve(environment)
        try:
            token = await asyncio.to_thread(_token, environment)
            found = connect(environment, limit_s=5)
            assert found is not None
            found[0].close()
            process = psutil.Process(found[1].process)
            rows = [
                "| clients | call | failed | daemon's processor time, ms | calls a second | memory, MiB | files |",
                "|---|---|---:|---:|---:|---:|---:|",
            ]
            eras: tuple[Era, ...] = ("auto", "legacy")
            for era in eras:
                rows.append(
                    await _measure(process, f"HTTP, {era}", lambda era=era: _over_http(token, era))
                )
                rows.append(
                    await _measure(
                        process,
                        f"bridge, {era}",
                        lambda era=era: _over_stdio(environment, era),
                    )
                )
            return "\n".join(rows)
        finally:
            serving.terminate()
            await serving.wait()


if __name__ == "__main__":
    sys.stdout.write(asyncio.run(measure()) + "\n")
