"""`python -m bench.reads`: the reader service under load, written to `reader.md`. Linux only.

The sample web answers from this process, the service runs in another one, its workers in more.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from time import perf_counter

from askance.adapters.reader.inprocess import InProcessReader
from askance.adapters.reader.network import MappedResolver
from askance.config.settings import ReaderSettings
from askance.domain.web_pages import Page, PageReason, PageStatus
from askance.sample_web.sample_pages import load_library
from askance.sample_web.sample_server import SampleWeb, serve_sample_web
from bench.mapped_reader import NoResolver
from bench.service_process import ServiceProcess, running_service

PAGE = Path(__file__).parents[1] / "docs" / "bench" / "reader.md"
AT_ONCE = 20
READS = 200


@dataclass(frozen=True, slots=True)
class Load:
    """Many reads, so many at once. Memory is that of the service and its workers, in MiB.

    `first_mb` is taken after the first batch, `last_mb` after the last. `strays` are the addresses
    whose pages came out otherwise than they should.
    """

    reads: int
    strays: tuple[str, ...]
    seconds: float
    median_ms: float
    slowest_ms: float
    first_mb: float
    last_mb: float


async def put_under_load(
    service: ServiceProcess,
    shelf: Mapping[str, Page],
    *,
    reads: int = READS,
    at_once: int = AT_ONCE,
) -> Load:
    """Have pages read, `at_once` of them at any time. `shelf` says how each should come out."""
    waits: list[float] = []
    strays: list[str] = []

    async def read(url: str) -> None:
        started = perf_counter()
        reply = await service.read(url)
        waits.append((perf_counter() - started) * 1000)
        if (reply.status, reply.reason, reply.markdown) != _outcome(shelf[url]):
            strays.append(url)

    wanted = list(islice(cycle(sorted(shelf)), reads))
    started = perf_counter()
    await _all_of(read, wanted[:at_once], at_once)
    first_mb = service.resident_mb()
    await _all_of(read, wanted[at_once:], at_once)
    seconds = perf_counter() - started
    return Load(reads, tuple(strays), seconds, statistics.median(waits), max(waits), first_mb,
                service.resident_mb())  # fmt: skip


def _outcome(page: Page) -> tuple[PageStatus, PageReason, str]:
    return page.status, page.reason, page.markdown


async def read_here(names: Mapping[str, tuple[str, int]], urls: Sequence[str]) -> dict[str, Page]:
    """Return the pages as this program reads them."""
    async with InProcessReader(
        ReaderSettings(), resolver=MappedResolver(names, NoResolver())
    ) as reader:
        return {url: await reader.read(url, sent=lambda _: None) for url in urls}


async def _all_of(
    read: Callable[[str], Awaitable[None]], urls: Sequence[str], at_once: int
) -> None:
    left = iter(urls)

    async def reader() -> None:
        for url in left:
            await read(url)

    async with asyncio.TaskGroup() as tasks:
        for _ in range(at_once):
            tasks.create_task(reader())


async def _one_by_one(service: ServiceProcess, urls: Sequence[str]) -> float:
    """The median time of a read, in milliseconds."""
    waits: list[float] = []
    for url in urls:
        started = perf_counter()
        await service.read(url)
        waits.append((perf_counter() - started) * 1000)
    return statistics.median(waits)


async def measure(web: SampleWeb, folder: Path) -> str:
    """Return the page with the figures."""
    urls, names = sorted(load_library().documents), dict(web.names)
    shelf = await read_here(names, urls)
    async with running_service(names, folder) as service:
        idle_mb = service.resident_mb()
        load = await put_under_load(service, shelf)
        single_ms = await _one_by_one(service, urls)
        healthy_s, workers = service.healthy_s, len(service.children)
    own_ms = statistics.median(page.elapsed_ms for page in shelf.values())
    return _page(load, healthy_s, idle_mb, workers, single_ms, own_ms)


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m bench.reads", description=__doc__)
    parser.add_argument("--out", type=Path, default=PAGE, help="file to write")
    options = parser.parse_args()
    with serve_sample_web() as web, tempfile.TemporaryDirectory() as folder:
        page = asyncio.run(measure(web, Path(folder)))
    options.out.write_text(page, encoding="utf-8")


def _page(
    load: Load, healthy_s: float, idle_mb: float, workers: int, single_ms: float, own_ms: float
) -> str:
    return f"""# The reader service, measured

`make bench` writes this page. The sample web answers on loopback, the service runs as it is
installed, in a process of its own with {workers} workers, and {load.reads} pages are asked of it, {AT_ONCE} at any
time. Site, client and service share one machine: the times are upper bounds.

| | |
| --- | ---: |
| pages asked for | {load.reads} |
| pages that came out otherwise than read in this program | {len(load.strays)} |
| pages a second | {load.reads / load.seconds:.0f} |
| median of a page under load, ms | {load.median_ms:.0f} |
| slowest page under load, ms | {load.slowest_ms:.0f} |
| one page after another through the service, median ms | {single_ms:.0f} |
| the same in this program, without the service, median ms | {own_ms:.0f} |
| from the start of the process to the first 200 of `/healthz`, s | {healthy_s:.2f} |
| memory of service and workers before the first page, MiB | {idle_mb:.0f} |
| after the first {AT_ONCE} pages, MiB | {load.first_mb:.0f} |
| after all {load.reads}, MiB | {load.last_mb:.0f} |
| growth between these two | {load.last_mb / load.first_mb - 1:.0%} |

Memory is the resident memory of all its processes together; pages that they share are counted more
than once. A test holds two limits: every page comes out right, and memory grows by a fifth at most.
"""


if __name__ == "__main__":
    main()
