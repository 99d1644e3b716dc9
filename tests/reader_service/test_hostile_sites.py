"""The real service in its own process against a site that does what it can, within bounds."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path
from time import perf_counter

import pytest
from bench.service_process import ServiceProcess, running_service

from askance.adapters.reader.workers import WORKER_MEMORY_MB, WORKERS
from askance.config.settings import ReaderSettings
from servers.hostile import TRICKS, hostile_site
from servers.loopback import Loopback, serve

SITE = "http://hostile.example"
# The start of a worker counts as well, which takes seconds beside other tests.
PAGE_TIMEOUT_S = ReaderSettings.page_timeout_s
# What a busy machine may add to a deadline.
SLACK_S = 30.0
# The service itself has some 50 MiB. Twenty pages of 2 MB would be 40 more; this site's may not be.
SERVICE_MB = 120
IN_TIME = {
    "/endless-head": "network",
    "/endless-chunk": "network",
    "/endless-page": "too_large",
    "/junk": "network",
    "/short": "network",
    "/ladder": "redirects",
    "/circle": "redirects",
    "/bomb": "too_large",
    "/endless-interim": "network",
    "/bomb-in-bomb": "not_text",
    "/large": "too_large",
    "/nested": "",
    "/not-pdf": "extraction",
    "/binary": "not_text",
    "/no-gzip": "",
    "/entities": "",
    "/charset": "",
    "/no-charset": "",
    "/cookies": "",
    "/article": "",
    "/busy": "",
}
NEVER = ("/drip", "/drip-head", "/stall", "/silent", "/attributes")
INSIDE = ("http://127.0.0.1/", "http://127.0.0.1:{port}/article", "http://localhost:{port}/article", "//[::1]/",
          "http://169.254.169.254/latest/meta-data/", "http://2130706433/", "http://user@hostile.example/",
          "http://hostile.example:{port}/article", "file:///etc/passwd", "gopher://hostile.example/")  # fmt: skip
pytestmark = [
    pytest.mark.exhaustive,
    pytest.mark.skipif(
        sys.platform != "linux", reason="memory is read from /proc: run it on Linux"
    ),
]


async def test_a_hostile_site_costs_its_own_pages_and_no_more_time_and_memory_than_allowed(
    tmp_path: Path,
):
    async with (
        serve(hostile_site) as site,
        running_service({"hostile.example": ("127.0.0.1", site.port)}, tmp_path) as service,
    ):
        await all_at_once_without_end(service)
        await each_with_its_own_outcome(service)
        await redirects_that_lead_inside(service, site)
        assert peak_mb(service.process.pid) < SERVICE_MB
        assert service.resident_mb() < SERVICE_MB + WORKERS * WORKER_MEMORY_MB
        assert not any("cookie" in request.headers for request in site.requests)
        await service.client.get("/read?q=hidden-plan", headers={"Referer": f"{SITE}/"})
    text = "".join(service.log)
    assert "Ended. Replies: failed 28, method_not_allowed 1, ok 8" in text
    assert not any(
        word in text for word in ("hostile", "article", "hidden-plan", "WARNING", "ERROR")
    )
    assert {"/to", "/cookies/back", *IN_TIME, *NEVER} == set(TRICKS)


async def all_at_once_without_end(service: ServiceProcess) -> None:
    """Pages that never come, or never can be taken apart, are all given up together."""
    started = perf_counter()
    async with asyncio.TaskGroup() as tasks:
        replies = [tasks.create_task(service.read(SITE + path)) for path in NEVER]
    assert perf_counter() - started < PAGE_TIMEOUT_S + SLACK_S
    assert [(r.result().url, r.result().reason) for r in replies] == [
        (SITE + path, "timed_out") for path in NEVER
    ]


async def each_with_its_own_outcome(service: ServiceProcess) -> None:
    for path, reason in IN_TIME.items():
        started = perf_counter()
        reply = await service.read(SITE + path)
        assert (path, reply.reason) == (path, reason)
        assert perf_counter() - started < PAGE_TIMEOUT_S + SLACK_S
        if "charset" in path:
            assert "Das Café öffnete früh." in reply.markdown


async def redirects_that_lead_inside(service: ServiceProcess, site: Loopback) -> None:
    for place in INSIDE:
        before = len(site.requests)
        reply = await service.read(f"{SITE}/to?{place.format(port=site.port)}")
        assert (place, reply.reason) == (place, "refused_address")
        assert len(site.requests) == before + 1


def peak_mb(pid: int) -> float:
    """The most that a process ever held in memory, in MiB."""
    status = Path(f"/proc/{pid}/status").read_text("ascii")
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert found
    return int(found[1]) / 1024
