"""The compose project as it really runs, for the tests that look at it from outside."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from askance.adapters.network.own_services import ServiceAuth
from askance.local_service.credentials import Token
from deploy.containers import (
    BUILD_S,
    PYTHON_IMAGE,
    SEARXNG_IMAGE,
    CallFailed,
    Project,
    address_of,
    call,
    gateway_of,
)
from servers.faults import free_port

ROOT = Path(__file__).parents[2]
TOKEN = "a-token-of-the-tests-only"  # noqa: S105 - it opens nothing else
READER, SEARXNG = (ServiceAuth(Token(TOKEN), name, "this test") for name in ("reader", "SearXNG"))
# A public network that nobody but this test's own container is in, for as long as it runs.
OUTSIDE = "11.213.7.0/29"
PAGE = "<html><title>Outside</title><body><p>" + "A page from outside the refused networks. " * 30
# Prints what became of each connection. An address that is refused says so at once.
PROBE = """
import socket, sys
for place in sys.argv[1:]:
    host, _, port = place.rpartition(":")
    try:
        socket.create_connection((host, int(port)), 5).close()
        print("open")
    except OSError as exc:
        print(type(exc).__name__)
"""
REFUSED = "ConnectionRefusedError"


@dataclass(frozen=True)
class Setting:
    """The running services, and what was put around them."""

    project: Project
    reader_url: str
    host_port: int
    gateway: str
    outside: str
    neighbour: str

    def probe(self, *places: str) -> list[str]:
        """What becomes of connections out of the reader's container, as its own user."""
        name = self.project.container("reader")
        python = ("/opt/reader/bin/python", "-")
        return call("exec", "--interactive", name, *python, *places, given=PROBE).split()


@contextmanager
def running_services(folder: Path) -> Iterator[Setting]:
    """Everything built, and the reader started, from a folder like the one of `askance up`."""
    name = f"askance-test-{secrets.token_hex(4)}"
    ignored = shutil.ignore_patterns("__pycache__")
    for part in ("deploy", "src/askance", "prompts"):
        shutil.copytree(ROOT / part, folder / part, ignore=ignored)
    shutil.copy(ROOT / "docker-compose.yml", folder)
    token = folder / "service.token"
    token.write_text(TOKEN)
    # As shipped, but for its engines: nobody outside is asked.
    settings = yaml.safe_load((ROOT / "deploy" / "searxng" / "settings.yml").read_text("utf-8"))
    settings |= {"use_default_settings": {"engines": {"keep_only": []}}, "engines": []}
    (folder / "settings.yml").write_text(yaml.safe_dump(settings))
    host_port = free_port()
    variables = {
        "ASKANCE_SEARXNG_SETTINGS": str(folder / "settings.yml"),
        "ASKANCE_VERSION": name,
        "ASKANCE_PYTHON_IMAGE": PYTHON_IMAGE,
        "ASKANCE_SEARXNG_SECRET": secrets.token_hex(16),
        "ASKANCE_READER_TOKEN_FILE": str(token),
        "ASKANCE_SEARCH_TOKEN_FILE": str(token),
        "ASKANCE_READER_PORT": str(free_port()),
        "ASKANCE_SEARXNG_PORT": str(free_port()),
    }
    if SEARXNG_IMAGE:
        variables["ASKANCE_SEARXNG_IMAGE"] = SEARXNG_IMAGE
    project = Project(name, str(folder), variables)
    images = [
        f"localhost/askance-{part}:{name}" for part in ("reader-net", "reader", "search-gateway")
    ]
    with project.undo:
        project.undo.callback(call, "image", "rm", "--force", *images)
        project.compose("build", "reader-net", "reader", "search-gateway", limit_s=BUILD_S)
        project.undo.callback(project.compose, "down", "--volumes", "--timeout", "5")
        try:
            project.compose("up", "--detach", "--no-build", "--wait", "reader")
        except CallFailed as exc:
            pytest.fail(f"{exc}\n{project.compose('logs')}")
        served = folder / "served"
        served.mkdir()
        (served / "index.html").write_text(PAGE)
        serving = ("-u", "-m", "http.server", "80", "--directory", "/served")
        on_host = ("-u", "-m", "http.server", str(host_port), "--directory", "/served")
        mount = ("--volume", f"{served}:/served:ro,z", "--entrypoint", "python3")
        outside = project.network("outside", "--internal", "--subnet", OUTSIDE)
        elsewhere = project.network("elsewhere")
        call("network", "connect", outside, project.container("reader-net"))
        project.undo.callback(call, "rm", "--force", project.container("reader-net"))
        image = images[0]
        project.run_beside("host", image, *on_host, options=["--network", "host", *mount])
        page = project.run_beside("page", image, *serving, options=["--network", outside, *mount])
        other = project.run_beside(
            "other", image, *serving, options=["--network", elsewhere, *mount]
        )
        yield Setting(
            project=project,
            reader_url=f"http://127.0.0.1:{variables['ASKANCE_READER_PORT']}",
            host_port=host_port,
            gateway=gateway_of(f"{name}_pages"),
            outside=address_of(page, outside),
            neighbour=address_of(other, elsewhere),
        )


def status_of(project: Project, service: str) -> dict[str, str]:
    """What the kernel says about a container's first process."""
    rows = call("exec", project.container(service), "cat", "/proc/1/status").splitlines()
    return {key: value.strip() for key, _, value in (row.partition(":") for row in rows)}
