"""A real container engine for tests, through its own command line, and all that was made undone."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from ipaddress import ip_network
from threading import Timer
from typing import Any

# Taken when the module is imported: later the tests' own guard hides these variables.
ENVIRONMENT = dict(os.environ)
DEMANDED = ENVIRONMENT.get("ASKANCE_TEST_DOCKER", "") not in {"", "0"}
PYTHON_IMAGE = ENVIRONMENT.get(
    "ASKANCE_TEST_PYTHON_IMAGE", "docker.io/library/python:3.13-slim-bookworm"
)
SEARXNG_IMAGE = ENVIRONMENT.get("ASKANCE_TEST_SEARXNG_IMAGE", "")
CALL_S = 60.0
BUILD_S = 540.0


class CallFailed(Exception):
    """The engine's command line said no."""


def call(
    *arguments: str, environment: Mapping[str, str] = ENVIRONMENT, limit_s: float = CALL_S,
    given: str = "",
) -> str:  # fmt: skip
    """Run `docker …` and return what it printed."""
    tool = shutil.which("docker", path=ENVIRONMENT.get("PATH"))
    if tool is None:
        raise CallFailed("there is no docker command")
    done = subprocess.run(  # noqa: S603 - the developer's own docker
        [tool, *arguments], env=dict(environment), capture_output=True, text=True, input=given,
        timeout=limit_s, check=False,
    )  # fmt: skip
    if done.returncode != 0:
        raise CallFailed(f"docker {' '.join(arguments)}: {done.stdout}{done.stderr}")
    return done.stdout


def until_said(container: str) -> None:
    """Wait until a container has written its first line.

    Raises:
        CallFailed: it has not within a minute.
    """
    tool = shutil.which("docker", path=ENVIRONMENT.get("PATH")) or "docker"
    with subprocess.Popen(  # noqa: S603 - the developer's own docker
        [tool, "logs", "--follow", container], env=ENVIRONMENT, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    ) as following:  # fmt: skip
        assert following.stdout is not None
        ending = Timer(CALL_S, following.kill)
        ending.start()
        found = following.stdout.readline()
        ending.cancel()
        following.kill()
    if not found:
        raise CallFailed(f"{container} said nothing")


def missing_compose() -> str:
    """Why no compose file can be read here, and what it takes; empty where one can."""
    try:
        call("compose", "version")
    except CallFailed as exc:
        return f"no docker compose ({_said(exc)}): install Docker with its compose plugin"
    return ""


def missing_engine() -> str:
    """Why no container can be run here; empty where one can, or where it is demanded."""
    if DEMANDED:
        return ""
    try:
        call("version", "--format", "{{.Server.Version}}")
        call("image", "inspect", PYTHON_IMAGE)
    except CallFailed as exc:
        return f"no engine with {PYTHON_IMAGE} ({_said(exc)}): start Docker, and pull the image"
    return missing_compose()


def _said(exc: CallFailed) -> str:
    return " ".join(str(exc).split())[-100:]


@dataclass
class Project:
    """A compose project of its own, with whatever else a test needs beside it."""

    name: str
    folder: str
    variables: Mapping[str, str]
    undo: ExitStack = field(default_factory=ExitStack)

    def compose(self, *arguments: str, limit_s: float = CALL_S) -> str:
        """Run `docker compose …` on the project."""
        return call(
            "compose", "--project-name", self.name, "--project-directory", self.folder, *arguments,
            environment={**ENVIRONMENT, **self.variables}, limit_s=limit_s,
        )  # fmt: skip

    def container(self, service: str) -> str:
        """The name of a service's container."""
        return f"{self.name}-{service}-1"

    def inspect(self, service: str) -> dict[str, Any]:
        """What the engine knows about a service's container."""
        return json.loads(call("inspect", self.container(service)))[0]

    def run_beside(self, suffix: str, image: str, *command: str, options: Sequence[str]) -> str:
        """Run another container until the end; return its name once it has said something."""
        name = f"{self.name}-{suffix}"
        self.undo.callback(call, "rm", "--force", "--volumes", name)
        call("run", "--detach", "--name", name, *options, image, *command)
        until_said(name)
        return name

    def network(self, suffix: str, *options: str) -> str:
        """Make another network until the end; return its name."""
        name = f"{self.name}-{suffix}"
        call("network", "create", *options, name)
        self.undo.callback(call, "network", "rm", name)
        return name


def address_of(container: str, network: str) -> str:
    """The IPv4 address of a container in a network."""
    networks = json.loads(call("inspect", container))[0]["NetworkSettings"]["Networks"]
    return networks[network]["IPAddress"]


def gateway_of(network: str) -> str:
    """The host's own address in a network."""
    config = json.loads(call("network", "inspect", network))[0]["IPAM"]["Config"][0]
    # A new engine of version 20 does not tell that of its own bridge, which is the first one.
    return config.get("Gateway") or str(next(ip_network(config["Subnet"]).hosts()))
