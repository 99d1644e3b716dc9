"""What a run sends out is told, and written down, before anybody receives it."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import pytest

from askance.adapters.reader.network import MappedResolver
from askance.adapters.reader.service import ServiceReader
from askance.adapters.storage.ledger import SqliteLedger
from askance.adapters.storage.page_cache import CachingReader, PageCache
from askance.app.container import open_app
from askance.config.folders import find_folders
from askance.domain.conversation import Outcome, RunRequest
from askance.domain.events import (
    Cancelled,
    Failed,
    PageRead,
    RequestSent,
    RunEvent,
    Sending,
    TokenArrived,
)
from askance.domain.messages import Message
from askance.domain.ports.web import OutboundLedger
from fakes.outbound import ListedLedger
from integration.order import assert_legal
from servers.faults import stalls
from servers.loopback import Handler, Request, Wire, serve
from servers.model_script import ModelScript
from servers.reader_service import ReaderProcess, reader_process
from servers.site import ScriptedResolver, forward_proxy
from servers.world import (
    LIGHTHOUSE,
    PAGES,
    QUESTION,
    RecordedEvents,
    World,
    knowing_model,
    names_of,
    serving,
    settings_for,
    the_web,
)
from servers.world import (
    credulous as world,
)
from waiting import patience

Kind = Literal["in process", "service"]
EACH_READER = pytest.mark.parametrize("kind", ["in process", "service"])
MOVED = "http://www.moved.example/history"
BEYOND = "http://beyond.example/history"


@pytest.fixture(scope="module")
def process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReaderProcess]:
    with reader_process(tmp_path_factory.mktemp("reader")) as running:
        yield running


@dataclass
class Watched:
    """A world whose servers note, with each request, whether it was told of by then."""

    world: World
    told: RecordedEvents
    ledger: ListedLedger
    untold: list[str] = field(default_factory=list[str])
    seen: list[str] = field(default_factory=list[str])

    def see(self, sending: Sending, content: str) -> None:
        self.seen.append(content)
        entries = {(sent.sending, sent.content) for sent, _ in self.ledger.entries}
        events = {(sent.sending, sent.content) for sent in self.told.of(RequestSent)}
        if (sending, content) not in entries & events:
            self.untold.append(content)

    async def ask(
        self, on_event: Callable[[RunEvent], object] = lambda event: None
    ) -> RecordedEvents:
        return await self.world.ask(is_reported=self.told, on_event=on_event)


@asynccontextmanager
async def watched(
    kind: Kind,
    process: ReaderProcess,
    *,
    web: Handler = the_web,
    hosts: tuple[str, ...] = (),
    script: ModelScript | None = None,
) -> AsyncIterator[Watched]:
    """The world with a ledger, and witnesses in its search engine and its web."""

    def at_search(request: Request) -> None:
        w.see(Sending.QUERY, request.query["q"])

    def at_web(request: Request) -> None:
        w.see(Sending.PAGE, f"http://{request.headers['host']}{request.target}")

    breaks = {"search": at_search, "web": at_web}
    async with world(script, web=web, hosts=hosts, breaks=breaks) as of:
        w = Watched(of, RecordedEvents(), ListedLedger())
        of.engine = replace(of.engine, ledger=w.ledger)
        names = names_of(*PAGES, *hosts, port=of.servers["web"].port)
        process.know(names)
        chosen = of.settings.reader.model_copy(update={"url": process.url})
        resolver = MappedResolver(names, ScriptedResolver({}))
        async with ServiceReader(chosen, process.token_file, resolver) as client:
            if kind == "service":
                of.engine = replace(of.engine, reader=client)
            yield w


def assert_in_ledger(on_progress: RecordedEvents, ledger: ListedLedger) -> None:
    """The ledger has what the events had, in their order, and what it was for."""
    assert [sent for sent, _ in ledger.entries] == on_progress.of(RequestSent)
    assert {occasion for _, occasion in ledger.entries} <= {QUESTION}


@EACH_READER
async def test_every_query_and_every_page_is_told_before_it_is_asked_for(
    kind: Kind, process: ReaderProcess
):
    async with watched(kind, process) as w:
        reported = await w.ask()
    assert_legal(reported.events)
    assert reported.warned == set()
    assert w.untold == []
    assert set(PAGES) <= set(w.seen)
    assert len(w.seen) > len(PAGES)
    assert_in_ledger(reported, w.ledger)
    sent = reported.of(RequestSent)
    assert {s.content for s in sent} == set(w.seen)
    assert {s.sending for s in sent} == {Sending.QUERY, Sending.PAGE}
    pages = {s.content: (s.to, s.through) for s in sent if s.sending is Sending.PAGE}
    through = "the reader service" if kind == "service" else "this program"
    assert pages[LIGHTHOUSE] == ("light.example", through)


async def moved(request: Request, wire: Wire) -> None:
    """The web, one of whose pages has moved, twice."""
    match request.headers["host"]:
        case "light.example":
            await wire.send(b"", 301, {"Location": MOVED})
        case "www.moved.example":
            await wire.send(b"", 302, {"Location": BEYOND})
        case "beyond.example":
            text = f"# The lighthouse of Lindmouth\n\n{PAGES[LIGHTHOUSE]}\n"
            await wire.send(text, headers={"Content-Type": "text/markdown"})
        case _:
            await the_web(request, wire)


async def test_the_hops_of_a_redirect_are_told_before_they_are_asked(process: ReaderProcess):
    async with watched("in process", process, web=moved, hosts=(MOVED, BEYOND)) as w:
        reported = await w.ask()
    assert w.untold == []
    assert {MOVED, BEYOND} <= set(w.seen)
    assert {"www.moved.example", "beyond.example"} <= {s.to for s in reported.of(RequestSent)}
    assert_in_ledger(reported, w.ledger)


async def test_the_hops_that_the_service_followed_are_told_in_their_order(process: ReaderProcess):
    async with watched("service", process, web=moved, hosts=(MOVED, BEYOND)) as w:
        reported = await w.ask()
    assert {s.content for s in reported.of(RequestSent)} == set(w.seen)
    assert_in_ledger(reported, w.ledger)
    read = [e for e in reported.events if isinstance(e, PageRead) and e.url == LIGHTHOUSE]
    hops = [e for e in reported.of(RequestSent) if e.content in {LIGHTHOUSE, MOVED, BEYOND}]
    assert [hop.content for hop in hops] == [LIGHTHOUSE, MOVED, BEYOND]
    assert reported.events.index(hops[-1]) < reported.events.index(read[0])


@EACH_READER
async def test_a_run_cancelled_over_its_pages_has_told_of_all_that_went_out(
    kind: Kind, process: ReaderProcess
):
    async with watched(kind, process, web=stalls) as w:
        async with patience(), asyncio.TaskGroup() as group:
            running = group.create_task(w.ask())
            await w.world.servers["web"].until_requests(2)
            running.cancel()
        assert w.told.ends == [Cancelled()]
        await w.world.until_idle()
    assert w.untold == []
    assert any(content in PAGES for content in w.seen)
    assert set(w.seen) <= {sent.content for sent, _ in w.ledger.entries}
    assert_in_ledger(w.told, w.ledger)


@EACH_READER
async def test_a_run_cancelled_over_a_redirect_has_told_of_all_its_hops(
    kind: Kind, process: ReaderProcess
):
    reached = asyncio.Event()

    async def moved_for_ever(request: Request, wire: Wire) -> None:
        if request.headers["host"] == "beyond.example":
            reached.set()
            await wire.client_gone()
        else:
            await moved(request, wire)

    async with watched(kind, process, web=moved_for_ever, hosts=(MOVED, BEYOND)) as w:
        async with patience(), asyncio.TaskGroup() as group:
            running = group.create_task(w.ask())
            await reached.wait()
            running.cancel()
        assert w.told.ends == [Cancelled()]
        await w.world.until_idle()
    assert {LIGHTHOUSE, MOVED, BEYOND} <= set(w.seen)
    assert set(w.seen) <= {sent.content for sent, _ in w.ledger.entries}
    assert_in_ledger(w.told, w.ledger)


async def test_the_hops_of_a_page_that_kills_the_service_are_told(tmp_path: Path):
    async def kills(request: Request, wire: Wire) -> None:
        if request.headers["host"] == "beyond.example":
            process.kill()
            wire.abort()
        else:
            await moved(request, wire)

    with reader_process(tmp_path) as process:
        async with watched("service", process, web=kills, hosts=(MOVED, BEYOND)) as w:
            reported = await w.ask()
    assert BEYOND in w.seen
    assert "reader_unavailable" in reported.warned
    assert set(w.seen) <= {sent.content for sent, _ in w.ledger.entries}
    assert_in_ledger(reported, w.ledger)


async def test_a_run_cancelled_over_its_answer_keeps_its_entries(process: ReaderProcess):
    def on_event(event: RunEvent) -> None:
        if isinstance(event, TokenArrived):
            running.cancel()

    async with watched("in process", process) as w:
        async with patience(), asyncio.TaskGroup() as group:
            running = group.create_task(w.ask(on_event))
        assert w.told.ends == [Cancelled()]
    assert w.untold == []
    assert set(w.seen) == {sent.content for sent, _ in w.ledger.entries}


async def test_a_query_that_finds_nothing_is_told_as_well(process: ReaderProcess):
    async with watched("in process", process) as w:
        w.world.searxng.hits = lambda query: []
        reported = await w.ask()
    assert reported.ends
    assert w.seen
    assert w.untold == []
    assert {s.sending for s in reported.of(RequestSent)} == {Sending.QUERY}


def at_nothing(path: Path) -> OutboundLedger:
    return ListedLedger("The ledger cannot be written. Make room.")


def at_a_folder(path: Path) -> OutboundLedger:
    (path / "ledger.sqlite3").mkdir()
    return SqliteLedger(path / "ledger.sqlite3", 90, pytest.fail)


def at_a_file(path: Path) -> OutboundLedger:
    (path / "data").write_text("a file where a folder should be", "ascii")
    return SqliteLedger(path / "data" / "ledger.sqlite3", 90, pytest.fail)


@pytest.mark.parametrize("broken", [at_nothing, at_a_folder, at_a_file])
async def test_nothing_leaves_that_the_ledger_cannot_take(
    broken: Callable[[Path], OutboundLedger], tmp_path: Path
):
    async with world() as w:
        w.engine = replace(w.engine, ledger=broken(tmp_path))
        reported = await w.ask()
        assert w.searxng.heard == []
        assert w.read() == []
    assert_legal(reported.events)
    assert isinstance(reported.events[-1], Failed)
    assert "ledger" in reported.events[-1].problem.lower()
    assert reported.of(RequestSent) == []


async def test_a_search_without_a_ledger_is_possible_where_the_user_says_so(tmp_path: Path):
    (tmp_path / "ledger.sqlite3").mkdir()
    async with world() as w:
        ledger = SqliteLedger(tmp_path / "ledger.sqlite3", 90, pytest.fail, required=False)
        w.engine = replace(w.engine, ledger=ledger)
        reported = await w.ask()
    assert "Orr" in reported.end.answer
    assert reported.warned == set()


async def test_a_page_out_of_the_cache_is_no_request(tmp_path: Path):
    ledger = ListedLedger()
    async with world() as w:
        cache = PageCache(tmp_path / "pages.sqlite3", 10, pytest.fail)
        async with CachingReader(w.reader, cache, pytest.fail) as reader:
            w.engine = replace(w.engine, reader=reader, ledger=ledger)
            first = await w.ask()
            asked = len(w.read())
            w.script.calls.clear()
            second = await w.ask()
        assert len(w.read()) == asked
    assert {page.served_by for page in first.of(PageRead)} == {"this program"}
    assert {page.served_by for page in second.of(PageRead)} == {"the page cache"}
    assert {s.sending for s in second.of(RequestSent)} == {Sending.QUERY}
    assert [sent for sent, _ in ledger.entries] == [*first.of(RequestSent), *second.of(RequestSent)]
    assert second.end.answer == first.end.answer


async def test_the_whole_program_writes_its_ledger_down(tmp_path: Path):
    reported = RecordedEvents()
    async with serving(knowing_model()) as (servers, _, _):
        names = names_of(*PAGES, port=servers["web"].port)
        ports = {host: port for host, (_, port) in names.items()}
        async with serve(forward_proxy(ports)) as proxy:
            settings = settings_for(servers, {"reader.proxy": proxy.url})
            folders = find_folders({"ASKANCE_HOME": str(tmp_path)})
            async with open_app(settings, folders) as app:
                await app.engine.run(RunRequest(QUESTION), emit=reported.events.append)
            proxied = {request.target for request in proxy.requests}
    ledger = SqliteLedger(folders.ledger, 90, pytest.fail)
    entries = list(reversed(ledger.entries(datetime(2020, 1, 1, tzinfo=UTC))))
    ledger.close()
    assert {entry.occasion for entry in entries} == {QUESTION}
    assert [(e.sending, e.to, e.through, e.content) for e in entries] == [
        (s.sending, s.to, s.through, s.content) for s in reported.of(RequestSent)
    ]
    assert proxied == {e.content for e in entries if e.sending == "page"}
    assert {e.through for e in entries if e.sending == "page"} == {f"the proxy {proxy.url}"}


@pytest.fixture
def distant_names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Names under .example lead to loopback, so that a model can be on another host."""
    real = socket.getaddrinfo

    def resolve(host: Any, *arguments: Any, **options: Any) -> Any:
        name = host.decode() if isinstance(host, bytes) else host
        return real("127.0.0.1" if str(name).endswith(".example") else host, *arguments, **options)

    monkeypatch.setattr(socket, "getaddrinfo", resolve)


@asynccontextmanager
async def modelled(settings: Mapping[str, Any]) -> AsyncIterator[tuple[World, ListedLedger]]:
    ledger = ListedLedger()
    async with world(settings=settings) as w:
        w.engine = replace(w.engine, ledger=ledger)
        yield w, ledger


@pytest.mark.usefixtures("distant_names")
async def test_a_model_on_another_host_is_told_before_it_sees_the_question():
    reported, entries_by_then = RecordedEvents(), list[list[Sending]]()

    async def served(request: Request, wire: Wire) -> None:
        if request.path == "/api/chat":
            entries_by_then.append([sent.sending for sent, _ in ledger.entries])
        await script(request, wire)

    script = knowing_model()
    async with serve(served) as model:
        distant = {"llm.url": f"http://gpu.example:{model.port}"}
        async with modelled(distant) as (w, ledger):
            await w.ask(is_reported=reported)
    assert reported.end.outcome is Outcome.WEB
    to, by = f"gpu.example:{model.port}", Message("this program")
    sent = RequestSent(Sending.MODEL, to, by, "tiny:latest")
    assert [s for s in reported.of(RequestSent) if s.sending is Sending.MODEL] == [sent]
    assert (sent, QUESTION) in ledger.entries
    assert len(entries_by_then) == 4
    assert all(Sending.MODEL in entries for entries in entries_by_then)


@pytest.mark.usefixtures("distant_names")
async def test_a_talk_with_a_model_on_another_host_is_told_as_well():
    reported = RecordedEvents()
    async with serve(knowing_model(answer=["Hello."])) as model:
        distant = {"llm.url": f"http://gpu.example:{model.port}"}
        async with modelled(distant) as (w, ledger):
            await w.engine.chat(RunRequest("Hello?"), emit=reported.events.append)
    assert isinstance(reported.events[0], RequestSent)
    noted = [(sent.sending, occasion) for sent, occasion in ledger.entries]
    assert noted == [(Sending.MODEL, "Hello?")]


async def test_a_model_on_this_machine_is_no_entry():
    async with modelled({}) as (w, ledger):
        reported = await w.ask()
        assert ledger.entries
        assert Sending.MODEL not in {sent.sending for sent, _ in ledger.entries}
        assert Sending.MODEL not in {sent.sending for sent in reported.of(RequestSent)}
        ledger.entries.clear()
        w.script.answer = ["Hello."]
        await w.engine.chat(RunRequest("Hello?"), emit=lambda event: None)
        assert ledger.entries == []
