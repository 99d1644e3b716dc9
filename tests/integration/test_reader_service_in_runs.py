"""Runs whose pages are read by the real service, which dies, refuses, lies and hangs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from askance.adapters.reader.network import MappedResolver
from askance.adapters.reader.service import ServiceReader
from askance.adapters.web_choice import FallbackReader
from askance.app.container import open_app
from askance.config.folders import find_folders
from askance.domain.conversation import Outcome, RunRequest
from askance.domain.events import Cancelled, GapFound, PageRead, RequestSent, RunEvent, Sending
from askance.domain.web_pages import PageReason, PageStatus
from integration.order import assert_legal
from servers.faults import address_of_nobody, breaks_off, hangs_up, stalls, talks_nonsense
from servers.loopback import Handler, Request, Wire, serve
from servers.model_script import ModelScript
from servers.reader_service import ReaderProcess, reader_process
from servers.site import ScriptedResolver, forward_proxy
from servers.world import (
    FIRST_GAP,
    GAZETTE,
    LIGHTHOUSE,
    ONE_ROUND,
    PAGES,
    QUESTION,
    RecordedEvents,
    World,
    knowing_model,
    names_of,
    serving,
    settings_for,
    some_answer,
    the_web,
    where,
    world,
)
from waiting import patience

SERVICE, HERE = "the reader service", "this program"
FROM_SNIPPETS = "The Lindmouth lighthouse stands on a rock at the mouth of the river [1]."


@dataclass
class Where:
    """Where the client finds the service."""

    url: str
    token_file: Path


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReaderProcess]:
    with reader_process(tmp_path_factory.mktemp("reader")) as running:
        yield running


@pytest.fixture
def token_file(tmp_path: Path) -> Path:
    file = tmp_path / "reader.token"
    file.write_text("some-token-of-the-tests-only", "ascii")
    return file


@asynccontextmanager
async def serviced(
    service: ReaderProcess | Where,
    script: ModelScript | None = None,
    *,
    settings: Mapping[str, Any] | None = None,
    web: Handler = the_web,
    breaks: Mapping[str, Callable[[Request], Handler | None]] | None = None,
) -> AsyncIterator[World]:
    """The world, its pages read by a service, or by this program where that fails."""
    async with world(script, settings=settings, web=web, breaks=breaks) as w:
        names = names_of(*PAGES, port=w.servers["web"].port)
        if isinstance(service, ReaderProcess):
            service.know(names)
        chosen = w.settings.reader.model_copy(update={"url": service.url})
        resolver = MappedResolver(names, ScriptedResolver({}))
        async with ServiceReader(chosen, service.token_file, resolver) as client:
            w.engine = replace(w.engine, reader=FallbackReader(client, w.reader))
            yield w


def readers_of(on_progress: RecordedEvents) -> dict[str, str]:
    return {page.url: page.served_by for page in on_progress.of(PageRead)}


def fates_of(on_progress: RecordedEvents) -> dict[str, tuple[Any, ...]]:
    return {p.url: (p.status, p.reason, p.title, p.words) for p in on_progress.of(PageRead)}


def ways_of(on_progress: RecordedEvents) -> dict[str, list[str]]:
    """For each page, through what it was asked for."""
    ways: dict[str, list[str]] = {}
    for request in on_progress.of(RequestSent):
        if request.sending is Sending.PAGE:
            ways.setdefault(request.content, []).append(request.through)
    return ways


def assert_read_here(w: World, on_progress: RecordedEvents) -> None:
    """Every page was read by this program, once, the answer is whole, and the user was told."""
    assert_legal(on_progress.events)
    assert on_progress.end.outcome is Outcome.WEB
    assert "Orr" in on_progress.end.answer
    assert on_progress.warned == {"reader_fallback"}
    assert set(readers_of(on_progress).values()) == {HERE}
    assert {page.status for page in on_progress.of(PageRead)} == {PageStatus.OK}
    assert sorted(w.read()) == sorted(set(w.read()))
    [warning] = on_progress.end.warnings
    assert "pages are read in this program meanwhile" in warning
    assert "`askance " in warning


async def test_the_service_gives_a_run_the_same_pages(process: ReaderProcess):
    async with world() as w:
        here = await w.ask()
    async with serviced(process) as w:
        there = await w.ask()
        await w.until_idle()
    assert_legal(there.events)
    assert there.warned == set()
    assert set(readers_of(here).values()) == {HERE}
    assert set(readers_of(there).values()) == {SERVICE}
    assert fates_of(there) == fates_of(here)
    assert there.end.answer == here.end.answer
    # Of pages that are as good the one that came first comes first.
    assert {s.url for s in there.end.sources} == {s.url for s in here.end.sources}
    assert ways_of(there) == {url: [SERVICE] for url in fates_of(there)}


async def test_a_service_killed_over_a_page_costs_that_page_and_is_not_left(tmp_path: Path):
    """Not even the pages after it are read here, though it is being started again for a while."""
    read_before, killed = asyncio.Event(), asyncio.Event()

    def on_event(event: RunEvent) -> None:
        if isinstance(event, PageRead) and event.url == LIGHTHOUSE:
            read_before.set()

    async def kills(request: Request, wire: Wire) -> None:
        if process.process.returncode is None and "gazette" in request.headers["host"]:
            await read_before.wait()
            process.kill()
            killed.set()
            wire.abort()
        else:
            await the_web(request, wire)

    settings = {"reader.page_timeout_s": 6.0}
    with reader_process(tmp_path) as process:
        script = knowing_model(answer=[some_answer])
        async with serviced(process, script, web=kills, settings=settings) as w:
            reported = await w.ask(on_event=on_event)
            await w.until_idle()
    assert killed.is_set()
    assert_legal(reported.events)
    assert reported.end.outcome is Outcome.WEB
    assert "reader_unavailable" in reported.warned
    assert "reader_fallback" not in reported.warned
    assert any(process.url in warning for warning in reported.end.warnings)
    assert any("`askance logs reader`" in warning for warning in reported.end.warnings)
    fates = {page.url: page.status for page in reported.of(PageRead)}
    assert (fates[LIGHTHOUSE], fates[GAZETTE]) == (PageStatus.OK, PageStatus.FAILED)
    assert set(readers_of(reported).values()) == {SERVICE, ""}
    assert {way for ways in ways_of(reported).values() for way in ways} == {SERVICE}
    assert w.read().count(GAZETTE) == 1


async def test_a_service_that_is_started_again_in_a_run_reads_on_in_it(tmp_path: Path):
    async with AsyncExitStack() as stack:
        process = stack.enter_context(reader_process(tmp_path))

        def on_event(event: RunEvent) -> None:
            if isinstance(event, GapFound):
                process.kill()
                restarted.append(stack.enter_context(reader_process(tmp_path, names, port=port)))

        restarted: list[ReaderProcess] = []
        port = int(process.url.rpartition(":")[2])
        w = await stack.enter_async_context(serviced(process))
        names = names_of(*PAGES, port=w.servers["web"].port)
        reported = await w.ask(on_event=on_event)
        assert len(restarted) == 1
    assert_legal(reported.events)
    assert reported.warned == set()
    assert "Orr" in reported.end.answer
    assert set(readers_of(reported).values()) == {SERVICE}


async def test_where_the_service_never_was_the_run_reads_here(token_file: Path):
    async with serviced(Where(address_of_nobody(), token_file)) as w:
        reported = await w.ask()
        await w.until_idle()
    assert_read_here(w, reported)
    assert "Nothing answers at" in reported.end.warnings[0]
    assert "`askance up`" in reported.end.warnings[0]
    # Nothing is noted as sent that found nobody to go to.
    assert ways_of(reported) == {url: [HERE] for url in fates_of(reported)}


async def test_where_there_is_no_token_the_run_reads_here(process: ReaderProcess, tmp_path: Path):
    async with serviced(Where(process.url, tmp_path / "none")) as w:
        reported = await w.ask()
    assert_read_here(w, reported)
    assert "no token" in reported.end.warnings[0]


def assert_from_snippets(w: World, on_progress: RecordedEvents, *text: str) -> None:
    """No page was read anywhere, the answer rests on snippets, and the user was told."""
    assert_legal(on_progress.events)
    assert on_progress.end.outcome is Outcome.WEB
    assert {"reader_unavailable", "snippets_only"} <= on_progress.warned
    assert "reader_fallback" not in on_progress.warned
    assert {page.status for page in on_progress.of(PageRead)} == {PageStatus.FAILED}
    assert HERE not in {way for ways in ways_of(on_progress).values() for way in ways}
    assert w.read() == []
    for part in text:
        assert part in on_progress.end.warnings[0]


async def test_where_the_service_does_not_take_the_token_no_page_is_read(
    process: ReaderProcess, token_file: Path
):
    script = knowing_model(answer=[FROM_SNIPPETS])
    async with serviced(Where(process.url, token_file), script) as w:
        reported = await w.ask()
    assert_from_snippets(w, reported, "does not prove that it knows", "`askance up` renews it")


@pytest.mark.parametrize("handler", [talks_nonsense, hangs_up, breaks_off])
async def test_where_something_else_answers_no_page_is_read(handler: Handler, token_file: Path):
    script = knowing_model(answer=[FROM_SNIPPETS])
    settings = {"reader.page_timeout_s": 1.0}
    async with (
        serve(handler) as impostor,
        serviced(Where(impostor.url, token_file), script, settings=settings) as w,
    ):
        reported = await w.ask()
        await w.until_idle()
    assert_from_snippets(w, reported, impostor.url)


async def test_a_service_that_hangs_costs_page_timeouts_and_nothing_else(token_file: Path):
    async with serve(stalls) as hanging:
        script = knowing_model(judge=[*FIRST_GAP, *ONE_ROUND], answer=[FROM_SNIPPETS])
        settings = {"reader.page_timeout_s": 0.3}
        async with serviced(Where(hanging.url, token_file), script, settings=settings) as w:
            reported = await w.ask()
            await w.until_idle()
        await hanging.until_idle()
    assert_legal(reported.events)
    assert reported.end.outcome is Outcome.WEB
    assert {page.reason for page in reported.of(PageRead)} == {PageReason.TIMED_OUT}
    assert reported.warned == {"snippets_only"}
    assert w.read() == []


async def test_a_page_that_fails_in_the_service_is_not_tried_here(process: ReaderProcess):
    async with serviced(process, breaks={"web": where("harbour", hangs_up)}) as w:
        reported = await w.ask()
        await w.until_idle()
    assert_legal(reported.events)
    assert reported.warned == set()
    assert "Orr" in reported.end.answer
    assert set(readers_of(reported).values()) == {SERVICE}


async def test_what_goes_through_a_proxy_is_never_read_by_a_service_without_it(
    process: ReaderProcess, tmp_path: Path
):
    reported = RecordedEvents()
    async with serving(knowing_model(answer=[FROM_SNIPPETS])) as (servers, _, _):
        names = names_of(*PAGES, port=servers["web"].port)
        process.know(names)
        ports = {host: port for host, (_, port) in names.items()}
        async with serve(forward_proxy(ports)) as proxy:
            reader = {
                "reader.mode": "container",
                "reader.url": process.url,
                "reader.proxy": proxy.url,
            }
            folders = replace(
                find_folders({"ASKANCE_HOME": str(tmp_path)}),
                mounted_reader_token=process.token_file,
            )
            async with open_app(settings_for(servers, reader), folders) as app:
                await app.engine.run(RunRequest(QUESTION), emit=reported.events.append)
            assert_legal(reported.events)
            assert servers["web"].requests == proxy.requests == []
    assert reported.warned >= {"reader_unavailable", "snippets_only"}
    assert "reader.proxy" in reported.end.warnings[0]
    assert "`askance up`" in reported.end.warnings[0]
    assert {page.status for page in reported.of(PageRead)} == {PageStatus.FAILED}


async def test_a_cancelled_run_gives_up_its_pages_in_the_service(process: ReaderProcess):
    reported = RecordedEvents()
    async with serviced(process, web=stalls) as w:
        async with patience(), asyncio.TaskGroup() as group:
            running = group.create_task(w.ask(is_reported=reported))
            await w.servers["web"].until_requests(2)
            running.cancel()
        assert reported.ends == [Cancelled()]
        await w.until_idle()
    async with serviced(process) as w:
        assert set(readers_of(await w.ask()).values()) == {SERVICE}
