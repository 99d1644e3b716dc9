"""The reader service in a process of its own, and what it and its children hold."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sys
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

import httpx

from askance.adapters.network.guarded_http import service_client
from askance.adapters.network.own_services import ServiceAuth
from askance.adapters.reader.reader_protocol import (
    HEALTH_PATH,
    READ_PATH,
    Problem,
    ReadReply,
    ReadRequest,
    ReplyLine,
)
from askance.local_service.credentials import Token

TOKEN = "a-token-of-this-run-only"  # noqa: S105 - it opens nothing else
_LISTENS = re.compile(r"listens on .*, port (\d+);")
_POLL_S, _LIMIT_S = 0.03, 60.0


class GivenUp(Exception):
    """The service gave a page up that it had taken on. `problem` says why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


@dataclass(slots=True)
class ServiceProcess:
    """A running service. `log` has what it has written so far; `healthy_s` is its start-up time."""

    process: asyncio.subprocess.Process
    client: httpx.AsyncClient
    healthy_s: float
    log: list[str] = field(default_factory=list[str])

    async def read(self, wanted: ReadRequest | str) -> ReadReply:
        """Have a page read.

        Raises:
            httpx.HTTPStatusError: the service refused.
            GivenUp: it gave the page up.
        """
        asked = ReadRequest(url=wanted) if isinstance(wanted, str) else wanted
        response = await self.client.post(READ_PATH, json=asked.model_dump())
        response.raise_for_status()
        last = ReplyLine.model_validate_json(response.content.splitlines()[-1])
        if last.error is not None:
            raise GivenUp(last.error)
        assert last.page is not None
        return last.page

    @property
    def children(self) -> list[int]:
        """The processes that take pages apart."""
        return children_of(self.process.pid)

    def resident_mb(self) -> float:
        """Return what the service and its children hold in memory, in MiB."""
        return sum(resident_mb(pid) for pid in (self.process.pid, *self.children))


def children_of(pid: int) -> list[int]:
    """Return the processes that a process has started. Linux only."""
    return [int(child) for child in _proc(pid, f"task/{pid}/children").split()]


def resident_mb(pid: int) -> float:
    """Return what a process holds in memory, in MiB; 0 where it is gone. Linux only."""
    found = re.search(r"VmRSS:\s+(\d+) kB", _proc(pid, "status"))
    return int(found[1]) / 1024 if found else 0.0


def _proc(pid: int, name: str) -> str:
    try:
        return Path(f"/proc/{pid}/{name}").read_text("ascii")
    except (FileNotFoundError, ProcessLookupError):
        return ""


@asynccontextmanager
async def running_service(
    names: Mapping[str, tuple[str, int]],
    folder: Path,
    environment: Mapping[str, str] | None = None,
    arguments: Sequence[str] = (),
) -> AsyncGenerator[ServiceProcess]:
    """Run the service, knowing only these names, for as long as the context lasts.

    Its files lie under `folder`. It is given SIGTERM at the end where it still runs.
    """
    token = folder / "reader.token"
    token.write_text(TOKEN, encoding="ascii")
    started = perf_counter()
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.mapped_reader", json.dumps(dict(names)), "--port", "0"),
        *arguments,
        cwd=Path(__file__).parents[1],
        env={"PATH": os.environ.get("PATH", ""), "ASKANCE_HOME": str(folder),
             "ASKANCE_READER_TOKEN_FILE": str(token), **(environment or {})},
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stderr is not None
    log: list[str] = []
    async with asyncio.TaskGroup() as tasks:
        try:
            port = await _port(process.stderr, log)
            tasks.create_task(_collect(process.stderr, log))
            async with service_client(f"http://127.0.0.1:{port}", connect_timeout_s=5.0) as client:
                client.auth = ServiceAuth(Token(TOKEN), "page reader", f"port {port}")
                await _until_healthy(client)
                yield ServiceProcess(process, client, perf_counter() - started, log)
        finally:
            if process.returncode is None:
                # `terminate` would take the status of one that has just died from asyncio, which warns.
                with suppress(ProcessLookupError):
                    os.kill(process.pid, signal.SIGTERM)
            await process.wait()


async def _port(lines: asyncio.StreamReader, log: list[str]) -> int:
    while line := (await lines.readline()).decode():
        log.append(line)
        if found := _LISTENS.search(line):
            return int(found[1])
    raise RuntimeError(f"The service did not start: {''.join(log)}")


async def _collect(lines: asyncio.StreamReader, log: list[str]) -> None:
    while line := (await lines.readline()).decode():
        log.append(line)


async def _until_healthy(client: httpx.AsyncClient) -> None:
    async with asyncio.timeout(_LIMIT_S):
        while not (await client.get(HEALTH_PATH)).is_success:  # noqa: ASYNC110 - no event tells it
            await asyncio.sleep(_POLL_S)
