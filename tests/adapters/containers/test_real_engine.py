"""The whole of `up`, `status`, `logs` and `down` with a real engine, where one is lent to the tests.

ASKANCE_TEST_DOCKER=1 says that the engine of this environment may be used, and
ASKANCE_TEST_PYTHON_IMAGE names an image with Python that it has. A stand-in plays SearXNG.
"""

from __future__ import annotations

import asyncio
import io
import os
import socket
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from askance.adapters.containers.container_services import LocalServices
from askance.adapters.containers.engine import find_engine
from askance.adapters.containers.problems import PortTaken, Unhealthy
from askance.config.folders import Folders, find_folders
from askance.config.settings import Settings
from askance.domain.ports.containers import ComposeProgress
from servers.faults import free_port

# Taken before any test begins: those see no such variables.
ENVIRONMENT = dict(os.environ)
PYTHON = ENVIRONMENT.get("ASKANCE_TEST_PYTHON_IMAGE", "")
STAND_IN, ENDING = "localhost/askance-test-searxng:1", "localhost/askance-test-ending:1"

pytestmark = [
    pytest.mark.real,
    pytest.mark.skipif(
        not (ENVIRONMENT.get("ASKANCE_TEST_DOCKER") and PYTHON),
        reason="no engine is offered: set ASKANCE_TEST_DOCKER=1 and ASKANCE_TEST_PYTHON_IMAGE",
    ),
    pytest.mark.timeout(300),
]

_SERVER = (
    "import http.server as h; open('/tmp/healthz', 'w'); print('serving', flush=True); "
    "h.test(lambda *a: h.SimpleHTTPRequestHandler(*a, directory='/tmp'), h.HTTPServer, port=8080)"
)


def dockerfile(command: str) -> io.BytesIO:
    python = "/usr/local/searxng/.venv/bin/python"
    return io.BytesIO(
        f"FROM {PYTHON}\n"
        f'RUN mkdir -p {Path(python).parent} && ln -s "$(command -v python3)" {python}\n'
        f'CMD ["python3", "-c", "{command}"]\n'.encode()
    )


@pytest.fixture(scope="module")
def images() -> Iterator[None]:
    import docker  # noqa: PLC0415

    client: Any = docker.DockerClient(base_url=asyncio.run(find_engine(ENVIRONMENT)))
    client.images.build(fileobj=dockerfile(_SERVER), tag=STAND_IN)
    client.images.build(fileobj=dockerfile("print('giving up'); exit(3)"), tag=ENDING)
    yield
    for tag in (STAND_IN, ENDING):
        client.images.remove(tag, force=True)
    client.close()


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return find_folders({"ASKANCE_HOME": str(tmp_path / "home")})


@pytest.fixture
def port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        yield taken.getsockname()[1]


@pytest.fixture
async def services(images: None, folders: Folders) -> AsyncIterator[LocalServices]:
    opened = local(folders, free_port(), STAND_IN)
    if (await opened.survey()).begun:
        pytest.skip(
            "services of Askance are running with this engine: end them with `askance down`"
        )
    yield opened
    await opened.down(lambda _step: None, volumes=True)
    assert not (await opened.survey()).begun


def local(folders: Folders, port: int, image: str) -> LocalServices:
    sections = {
        "search": {"url": f"http://127.0.0.1:{port}"},
        "reader": {"mode": "inprocess"},
    }
    environment = ENVIRONMENT | {"ASKANCE_SEARXNG_IMAGE": image}
    return LocalServices(Settings.model_validate(sections), folders, environment)


async def test_up_and_again_with_another_engine_list(
    services: LocalServices, folders: Folders
) -> None:
    seen: list[ComposeProgress] = []
    started = await services.up(seen.append)
    assert started.survey.ok
    assert ("searxng", "Healthy") in {(step.name, step.doing) for step in seen}
    log = await services.log("searxng", lines=50)
    assert log[0].text == "serving"
    since = started.survey.services[0].since
    assert (await services.up(seen.append)).survey.services[0].since == since
    with folders.searxng_settings.open("a") as own:
        own.write("# changed\n")
    assert (await services.up(seen.append)).survey.services[0].since != since


async def test_a_port_in_use_is_told_with_the_program_that_has_it(
    services: LocalServices, folders: Folders, port: int
) -> None:
    with pytest.raises(PortTaken, match=rf"Port {port} .* \(process {os.getpid()}\)"):
        await local(folders, port, STAND_IN).up(lambda _step: None)


async def test_a_container_that_ends_comes_with_its_last_words(
    services: LocalServices, folders: Folders
) -> None:
    with pytest.raises(Unhealthy, match=r"ends (with status 3 )?each time .*giving up"):
        await local(folders, 26017, ENDING).up(lambda _step: None)
