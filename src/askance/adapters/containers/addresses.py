"""Where the engine listens: as the environment says, the tool's context, or the usual sockets."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from askance.adapters.containers.problems import RemoteEngine
from askance.adapters.containers.tool import CLIS, ask, find_executable
from askance.adapters.network.this_machine import is_this_machine

_LIMIT_S = 20.0
_DOCKER_SOCKET = "/var/run/docker.sock"
_PODMAN_SOCKET = "/run/podman/podman.sock"
_DOCKER_PIPE = "npipe:////./pipe/docker_engine"


async def find_engine(environment: Mapping[str, str], cli: str = "") -> str:
    """Return the engine's address, such as `unix:///var/run/docker.sock`; it need not answer.

    `cli` is `docker` or `podman`; empty takes the first that is found, its command or its socket.

    Raises:
        RemoteEngine: it is on another machine.
    """
    cli = cli or next((name for name in CLIS if find_executable(name, environment)), "")
    named = environment.get("DOCKER_HOST", "")
    if not named and cli == "podman":
        named = environment.get("CONTAINER_HOST", "")
    if not named and cli != "podman":
        named = await _of_context(environment)
    address = named or _usual(environment, cli)
    if not is_local(address):
        raise RemoteEngine(address)
    return address


def is_local(address: str) -> bool:
    """Return whether an engine's address is on this machine."""
    parts = urlsplit(address)
    if parts.scheme in {"unix", "npipe", ""}:
        return True
    host = parts.hostname or ""
    if parts.scheme == "ssh":
        return False
    return is_this_machine(host)


async def _of_context(environment: Mapping[str, str]) -> str:
    if not (docker := find_executable("docker", environment)):
        return ""
    template = "{{.Endpoints.docker.Host}}"
    command = [docker, "context", "inspect", "--format", template]
    try:
        reply = await ask(command, environment, limit_s=_LIMIT_S)
    except (OSError, TimeoutError):
        return ""
    address = reply.out.strip()
    if reply.status != 0 or "://" not in address:
        return ""  # such as Podman under the name of docker, which knows no contexts
    # Without any context Docker names its own socket, there or not; another engine may be there.
    is_default = address == f"unix://{_DOCKER_SOCKET}"
    return "" if is_default and not _exists(_DOCKER_SOCKET) else address


def _usual(environment: Mapping[str, str], cli: str) -> str:
    if sys.platform == "win32":
        return _DOCKER_PIPE
    runtime = environment.get("XDG_RUNTIME_DIR", "")
    of_docker = [_DOCKER_SOCKET, *([f"{runtime}/docker.sock"] if runtime else [])]
    of_podman = [*([f"{runtime}/podman/podman.sock"] if runtime else []), _PODMAN_SOCKET]
    sockets = {"docker": of_docker, "podman": of_podman}.get(cli, of_docker + of_podman)
    return "unix://" + next((path for path in sockets if _exists(path)), sockets[0])


def _exists(path: str) -> bool:
    return Path(path).exists()
