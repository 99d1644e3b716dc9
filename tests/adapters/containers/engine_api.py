"""An engine's API as Docker and Podman speak it, over real sockets, with containers from the test."""

from __future__ import annotations

import asyncio
import contextlib
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from servers.loopback import Request, Wire, _read_request, serve


def container(
    service: str,
    *,
    status: str = "running",
    health: str = "healthy",
    ports: dict[str, str] | None = None,
    network_mode: str = "askance_search",
    identity: str = "",
    **state: Any,
) -> dict[str, Any]:
    """The engine's record of a service's container. `ports` maps inner ports to `host:port`."""
    bindings = {
        inner: [{"HostIp": at.rpartition(":")[0], "HostPort": at.rpartition(":")[2]}]
        for inner, at in (ports or {}).items()
    }
    known: dict[str, Any] = {
        "Status": status,
        "StartedAt": "2026-11-22T03:05:14.123456789Z",
        "FinishedAt": "0001-01-01T00:00:00Z",
        "ExitCode": 0,
        "OOMKilled": False,
        "Error": "",
    }
    if health:
        known["Health"] = {"Status": health}
    return {
        "Id": identity or f"id-of-{service}",
        "Created": "2026-11-22T03:05:10.5Z",
        "RestartCount": 0,
        "State": known | state,
        "Config": {
            "Image": f"example/{service}:1",
            "Tty": False,
            "Labels": {
                "com.docker.compose.project": "askance",
                "com.docker.compose.service": service,
            },
        },
        "HostConfig": {"NetworkMode": network_mode},
        "NetworkSettings": {"Ports": bindings},
    }


def search(at: str = "127.0.0.1:1", **state: Any) -> list[dict[str, Any]]:
    """The records of SearXNG and of the gateway in its network namespace, published `at`."""
    searxng = container("searxng", ports={"25017/tcp": at}, identity="s", **state)
    return [searxng, container("search-gateway", network_mode="container:s", **state)]


@dataclass
class EngineApi:
    """An engine with these containers. `logs` maps a service to the lines of its log.

    Those that are `vanishing` are listed, and gone when they are asked about.
    """

    containers: list[dict[str, Any]] = field(default_factory=list)
    vanishing: list[dict[str, Any]] = field(default_factory=list)
    others: list[dict[str, Any]] = field(default_factory=list)
    logs: dict[str, list[str]] = field(default_factory=dict)
    name: str = "Engine"
    refusal: str = ""
    asked_logs: list[dict[str, str]] = field(default_factory=list)

    async def handle(self, request: Request, wire: Wire) -> None:
        path = request.path.removeprefix("/v1.41")
        match path.strip("/").split("/"):
            case ["version"]:
                await wire.send_json(
                    {
                        "Version": "28.2.2",
                        "ApiVersion": "1.41",
                        "MinAPIVersion": "1.24",
                        "Components": [{"Name": self.name}],
                    }
                )
            case _ if self.refusal:
                await wire.send_json({"message": self.refusal}, 500)
            case ["containers", "json"]:
                await wire.send_json(self._listed(request))
            case ["containers", identity, "json"]:
                found = [c for c in self.containers if c["Id"] == identity]
                if found:
                    await wire.send_json(found[0])
                else:
                    await wire.send_json({"message": f"No such container: {identity}"}, 404)
            case ["containers", identity, "logs"]:
                await self._log(identity, request, wire)
            case _:
                await wire.send_json({"message": "page not found"}, 404)

    def _listed(self, request: Request) -> list[dict[str, Any]]:
        if "label" not in request.query.get("filters", ""):
            return self.others
        return [
            {"Id": c["Id"], "Created": n, "Labels": c["Config"]["Labels"]}
            for n, c in enumerate([*self.containers, *self.vanishing])
        ]

    async def _log(self, identity: str, request: Request, wire: Wire) -> None:
        service = identity.removeprefix("id-of-")
        lines = [f"{line}\n".encode() for line in self.logs.get(service, [])]
        frames = b"".join(struct.pack(">BxxxL", 1, len(line)) + line for line in lines)
        self.asked_logs.append(dict(request.query))
        await wire.send(frames)


@asynccontextmanager
async def serve_engine(api: EngineApi) -> AsyncIterator[str]:
    """Serve the engine on loopback; the value is its address."""
    async with serve(api.handle) as server:
        yield server.url.replace("http://", "tcp://")


@asynccontextmanager
async def serve_engine_at(api: EngineApi, socket: Path) -> AsyncIterator[str]:
    """Serve the engine on a Unix socket, as engines do."""

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # A client may knock, and say nothing.
        with contextlib.suppress(asyncio.IncompleteReadError):
            request = await _read_request(reader)
            assert request is not None
            wire = Wire(reader, writer)
            await api.handle(request, wire)
            await wire.finish()
        writer.close()

    server = await asyncio.start_unix_server(connected, str(socket))
    async with server:
        yield f"unix://{socket}"
