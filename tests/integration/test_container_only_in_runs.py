"""`askance ask` beside the window's engine, and a reader service that breaks, dies and comes back."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections import Counter
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from bench.service_process import children_of

from askance.adapters.storage.ledger import SqliteLedger
from askance.app.container import App, open_app
from askance.config.folders import Folders, find_folders
from askance.config.sources import load_settings
from askance.domain.conversation import RunRequest
from askance.domain.events import Answered, PageRead, RunEvent
from servers.faults import address_of_nobody, free_port
from servers.loopback import Handler, Request, Wire, serve
from servers.reader_service import ReaderProcess, reader_process
from servers.searxng import ScriptedSearxng
from servers.world import GAZETTE, HARBOUR, LIGHTHOUSE, PAGES, QUESTION, TITLES, the_hits
from waiting import patience

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="children are read from /proc: run it on Linux"
)
MOVED = "http://www.moved.example/history"
OK, SERVICE = "ok", "the reader service"
Fates = dict[str, tuple[str, str]]
WELL = dict.fromkeys((LIGHTHOUSE, HARBOUR, GAZETTE), (OK, SERVICE))


@dataclass
class Web:
    """The web behind a proxy. It notes who could have asked for a page beside the service."""

    handlers: dict[str, Handler] = field(default_factory=dict[str, Handler])
    asked: list[str] = field(default_factory=list[str])
    watched: set[int] = field(default_factory=lambda: {os.getpid()})
    parsers: list[int] = field(default_factory=list[int])

    async def __call__(self, request: Request, wire: Wire) -> None:
        url = request.target
        self.asked.append(url)
        self.look()
        if handler := self.handlers.get(url):
            await handler(request, wire)
        elif url == LIGHTHOUSE:
            await wire.send(b"", 301, {"Location": MOVED})
        elif url == HARBOUR and self.asked.count(HARBOUR) == 1:
            wire.abort()  # it is asked once more
        else:
            page = LIGHTHOUSE if url == MOVED else url
            text = f"# {TITLES[page]}\n\n{PAGES[page]}\n"
            await wire.send(text, headers={"Content-Type": "text/markdown"})

    def look(self) -> None:
        """Look for children of ours that take pages apart."""
        children = [child for pid in self.watched for child in children_of(pid)]
        self.parsers += [child for child in children if b"extract.worker" in command_of(child)]


def command_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


@dataclass
class Desk:
    """A window's engine and a command line beside it, of each mode, and the service that all ask."""

    apps: list[App]
    web: Web
    folders: Folders
    environments: list[dict[str, str]]
    token_file: Path
    _proxy: str
    _port: int
    _home: Path
    _running: AsyncExitStack = field(default_factory=AsyncExitStack)
    service: ReaderProcess | None = None

    async def start(self, **environment: str) -> None:
        """Start the service anew, where it was."""
        await self._running.aclose()
        own = {"ASKANCE_READER__PROXY": self._proxy, **environment}
        process = reader_process(self._home, environment=own, port=self._port)
        self.service = self._running.enter_context(process)

    def kill(self) -> None:
        assert self.service is not None
        self.service.kill()

    async def ask(self) -> list[tuple[Fates, set[str]]]:
        """Ask everywhere at once: what became of the pages, and the warnings."""
        async with patience(), asyncio.TaskGroup() as group:
            asked = [
                *(group.create_task(self._ask_here(app)) for app in self.apps),
                *(group.create_task(self._ask_there(own)) for own in self.environments),
            ]
        self.web.look()
        return [task.result() for task in asked]

    async def _ask_here(self, app: App) -> tuple[Fates, set[str]]:
        events: list[RunEvent] = []
        await app.engine.run(RunRequest(QUESTION), emit=events.append)
        read = [event for event in events if isinstance(event, PageRead)]
        [end] = [event for event in events if isinstance(event, Answered)]
        return {page.url: (page.status, page.served_by) for page in read}, set(end.warnings)

    async def _ask_there(self, environment: Mapping[str, str]) -> tuple[Fates, set[str]]:
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "askance", "ask", "--json", QUESTION),
            env=environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        self.web.watched.add(process.pid)
        out, err = await process.communicate()
        assert process.returncode == 0, err
        lines: list[dict[str, Any]] = [json.loads(line) for line in out.splitlines()]
        read = [line for line in lines if line["type"] == "page_read"]
        assert lines[-1]["type"] == "answered"
        return {p["url"]: (p["status"], p["served_by"]) for p in read}, set(lines[-1]["warnings"])

    def ledger(self) -> list[tuple[str, str]]:
        """Each address that a page was asked for at, and through what."""
        ledger = SqliteLedger(self.folders.ledger, 90, pytest.fail)
        entries = ledger.entries(datetime(2020, 1, 1, tzinfo=UTC))
        ledger.close()
        return [(entry.content, entry.through) for entry in entries if entry.sending == "page"]


@asynccontextmanager
async def desk(home: Path, *modes: str) -> AsyncIterator[Desk]:
    web = Web()
    async with (
        AsyncExitStack() as stack,
        serve(ScriptedSearxng(the_hits)) as search,
        serve(web) as proxy,
    ):
        reader_home = home / "service"
        reader_home.mkdir()
        address = f"http://127.0.0.1:{free_port()}"
        token_file = reader_home / "reader.token"
        environment = {
            "PATH": os.environ.get("PATH", ""),
            "PYTHONDONTWRITEBYTECODE": "1",
            "ASKANCE_HOME": str(home),
            "ASKANCE_LLM__URL": address_of_nobody(),
            "ASKANCE_SEARCH__URL": search.url,
            "ASKANCE_CACHE__SIZE_MB": "0",
            "ASKANCE_LIBRARY__RECALL": "never",
            "ASKANCE_READER__URL": address,
            "ASKANCE_READER_TOKEN_FILE": str(token_file),
            "ASKANCE_READER__PROXY": proxy.url,
        }
        environments = [{**environment, "ASKANCE_READER__MODE": mode} for mode in modes]
        folders = find_folders(environment)
        apps = [
            await stack.enter_async_context(open_app(load_settings(None, own), folders))
            for own in environments
        ]
        port = int(address.rpartition(":")[2])
        running = await stack.enter_async_context(AsyncExitStack())
        yield Desk(
            apps, web, folders, environments, token_file, proxy.url, port, reader_home, running
        )


def assert_told_of(d: Desk) -> None:
    """Every request that the web got stands in the ledger, and the service sent it."""
    reported = d.ledger()
    assert d.web.asked
    assert Counter(d.web.asked) <= Counter(url for url, _ in reported)
    assert {through for _, through in reported} == {f"{SERVICE}, the proxy {d._proxy}"}
    assert d.web.parsers == []


def only(warnings: set[str], part: str) -> bool:
    return any(part in warning for warning in warnings)


@pytest.mark.exhaustive
async def test_no_page_is_read_here_when_the_service_breaks_or_dies_over_it(tmp_path: Path):
    async with desk(tmp_path, "container_only", "container") as d:

        async def kills(request: Request, wire: Wire) -> None:
            d.kill()
            wire.abort()

        await d.start(RAISES_FOR="gazette")
        for fates, _ in await d.ask():
            assert fates == {**WELL, GAZETTE: ("failed", SERVICE)}
        assert {MOVED, HARBOUR} <= set(d.web.asked)

        d.web.handlers[MOVED] = kills
        for fates, warned in await d.ask():
            assert fates[LIGHTHOUSE] == ("failed", "")
            assert only(warned, "`askance logs reader`")

        # Nothing takes a connection now, as while a container is being started again.
        for fates, warned in await d.ask():
            assert set(fates.values()) == {("failed", "")}
            assert only(warned, "Nothing answers at")
            assert only(warned, "No page could be read")

        del d.web.handlers[MOVED]
        await d.start()
        for fates, _ in await d.ask():
            assert fates == WELL
        assert_told_of(d)


@pytest.mark.exhaustive
async def test_where_the_service_was_ended_on_purpose_no_page_is_read_if_none_may_be(
    tmp_path: Path,
):
    """`askance down` takes the token away."""
    async with desk(tmp_path, "container_only") as d:
        await d.start()
        await d.ask()
        asked = len(d.web.asked)
        d.kill()
        d.token_file.unlink()
        for fates, warned in await d.ask():
            assert set(fates.values()) == {("failed", "")}
            assert only(warned, "no page is read outside the container")
            assert only(warned, "`askance up`")
        assert len(d.web.asked) == asked
        assert_told_of(d)


@pytest.mark.exhaustive
async def test_where_the_service_was_ended_on_purpose_pages_are_read_here_at_once(tmp_path: Path):
    async with desk(tmp_path, "container") as d:
        await d.start()
        await d.ask()
        d.kill()
        d.token_file.unlink()
        for fates, warned in await d.ask():
            assert fates == dict.fromkeys(WELL, (OK, "this program"))
            assert only(warned, "pages are read in this program meanwhile")
        assert d.web.parsers != []
        assert set(d.web.asked) <= {url for url, _ in d.ledger()}
