"""Pages that are given up, and readers that die over one, through the engine's own forwarding."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from askance.adapters.reader.network import SystemResolver
from askance.adapters.reader.service import ServiceReader
from askance.config.settings import ReaderSettings
from askance.domain.errors import ServiceDown
from askance.domain.events import RequestSent
from askance.domain.web_pages import PageStatus
from askance.extract.sandbox import Protection
from deploy.containers import address_of, call, missing_engine, until_said
from deploy.real_services import PAGE, Setting
from fakes.outbound import ignore
from waiting import patience

# Three redirects lead from /1 to /held-1. What is held is never answered; all else is a page. It says
# each path that it is asked for, and that it was left once who waits for an answer has gone.
SITE = f"""
import http.server
HOPS = {{"/1": "/2", "/2": "/3", "/3": "/held-1"}}
class Site(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        print(self.path, flush=True)
        if self.path.startswith("/held"):
            self.request.recv(1)
            print(self.path, "left", flush=True)
            return
        to = HOPS.get(self.path)
        self.send_response(302 if to else 200)
        self.send_header("Content-Type", "text/html")
        if to: self.send_header("Location", to)
        self.end_headers()
        if not to: self.wfile.write({PAGE!r}.encode())
    def log_message(self, *_): pass
server = http.server.ThreadingHTTPServer(("0.0.0.0", 80), Site)
print("ready", flush=True)
server.serve_forever()
"""
# Starts what takes pages apart, as the service does, and prints its first frame.
FIRST_FRAME = """
import subprocess, sys
from askance.extract.extracted import LENGTH
command = [sys.executable, "-P", "-m", "askance.extract.worker", "768", "150"]
with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
    size = LENGTH.unpack(child.stdout.read(LENGTH.size))[0]
    print(child.stdout.read(size).decode())
    child.stdin.close()
"""

pytestmark = [
    pytest.mark.timeout(600),
    pytest.mark.skipif(bool(why := missing_engine()), reason=why or "-"),
]


@pytest.fixture(scope="module")
def site(setting: Setting) -> str:
    """The name of the site's container."""
    project = setting.project
    image = f"localhost/askance-reader-net:{project.name}"
    options = ["--network", f"{project.name}-outside", "--entrypoint", "python3"]
    return project.run_beside("site", image, "-c", SITE, options=options)


@pytest.fixture
def site_url(setting: Setting, site: str) -> str:
    return f"http://{address_of(site, f'{setting.project.name}-outside')}"


@pytest.fixture
async def reader(setting: Setting) -> AsyncIterator[ServiceReader]:
    """The reader as the program asks it. A start over takes seconds here, which pages wait for."""
    settings = ReaderSettings(url=setting.reader_url).model_copy(update={"page_timeout_s": 60})
    token = Path(setting.project.folder) / "service.token"
    async with ServiceReader(settings, token, SystemResolver()) as reader:
        yield reader


async def test_a_page_given_up_is_left_at_once_and_all_its_hosts_are_told(
    reader: ServiceReader, site: str, site_url: str
) -> None:
    reports: list[str] = []

    def sent(request: RequestSent) -> None:
        reports.append(request.content)

    async with patience(), asyncio.TaskGroup() as group:
        reading = group.create_task(reader.read(f"{site_url}/1", sent=sent))
        await asyncio.to_thread(until_said, site, "/held-1")
        given_up = time.monotonic()
        reading.cancel()
    assert reports == [f"{site_url}/{hop}" for hop in ("1", "2", "3", "held-1")]
    await asyncio.to_thread(until_said, site, "/held-1 left")
    # Long before the service's own time for a page is over.
    assert time.monotonic() - given_up < ReaderSettings().page_timeout_s / 2


async def test_a_reader_that_dies_over_a_page_costs_that_page_and_the_next_ones_wait(
    setting: Setting, reader: ServiceReader, site: str, site_url: str
) -> None:
    project = setting.project
    before = project.inspect("reader")

    async def fatal() -> None:
        with pytest.raises(ServiceDown):
            await reader.read(f"{site_url}/held-2", sent=ignore)

    async with patience(), asyncio.TaskGroup() as group:
        group.create_task(fatal())
        await asyncio.to_thread(until_said, site, "/held-2")
        await asyncio.to_thread(kill, setting, before["State"]["Pid"])
        nexts = [group.create_task(reader.read(f"{site_url}/a", sent=ignore)) for _ in range(3)]
    assert [task.result().status for task in nexts] == [PageStatus.OK] * 3
    assert project.inspect("reader")["RestartCount"] == before["RestartCount"] + 1


def test_what_takes_pages_apart_is_confined_within_the_container_too(setting: Setting) -> None:
    """The engine lets nobody make namespaces, and need not know Landlock."""
    name = setting.project.container("reader")
    text = call("exec", "--interactive", name, "/opt/reader/bin/python", "-", given=FIRST_FRAME)
    missing = set(json.loads(text)["missing"])
    assert missing <= {Protection.NAMESPACE, Protection.LANDLOCK}


def kill(setting: Setting, pid: int) -> None:
    """Kill a process of the engine's machine: the first one of a container hears nobody inside."""
    image = f"localhost/askance-reader-net:{setting.project.name}"
    options = ("run", "--rm", "--pid", "host", "--entrypoint", "python3")
    call(*options, image, "-Ic", f"import os; os.kill({pid}, 9)")
