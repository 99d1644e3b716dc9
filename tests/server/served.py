"""A client service with the tools of MCP on it, on a world of loopback."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from mcp.client import Client as McpClient
from mcp_types import CallToolResult

from askance.adapters.library.sqlite_library import SqliteLibrary
from askance.app.client_service import ClientService
from askance.app.container import App, Container
from askance.config.folders import find_folders
from askance.domain.ports.storage import Capability, Client
from askance.engine.evidence_search import EvidenceSearch
from askance.server.mcp_protocol import AskanceServer
from askance.server.tool_results import tokens_of
from askance.server.tools import build_mcp
from fakes.clients import ListedClients
from fakes.outbound import ListedLedger
from servers.model_script import ModelScript
from servers.world import World
from servers.world import credulous as world

Era = Literal["legacy", "auto"]
ERAS: tuple[Era, ...] = ("legacy", "auto")
EVERYTHING = frozenset(Capability)
_NAME: ContextVar[str] = ContextVar("name", default="tester")


@dataclass
class Served:
    """A client service, its tools, and what stands below them."""

    world: World
    service: ClientService
    book: ListedClients
    ledger: ListedLedger
    mcp: AskanceServer

    @asynccontextmanager
    async def client(self, era: Era = "auto", name: str = "tester") -> AsyncIterator[McpClient]:
        """Connect as a client of a name."""
        token = _NAME.set(name)
        try:
            async with self.service.runs.connection(), McpClient(self.mcp, mode=era) as client:
                yield client
        finally:
            _NAME.reset(token)

    async def call(
        self, tool: str, *, era: Era = "auto", name: str = "tester", **arguments: Any
    ) -> CallToolResult:
        """Call one tool over a connection of its own."""
        async with self.client(era, name) as client:
            return await client.call_tool(tool, arguments)

    def known(self, name: str = "tester") -> Client:
        return self.book.known(name)


def as_client(name: str) -> None:
    """Ask under this name from here on, in this task."""
    _NAME.set(name)


@asynccontextmanager
async def served(
    script: ModelScript | None = None,
    *,
    allowed: frozenset[Capability] | None = None,
    library: SqliteLibrary | None = None,
    settings: Mapping[str, Any] | None = None,
    lingers_s: float = 60.0,
    most_waiting: int = 16,
    home: str = "/nowhere",
    **options: Any,
) -> AsyncIterator[Served]:
    """Serve a world's engine to other programs."""
    async with world(script, library=library, settings=settings, **options) as w:
        ledger, book = ListedLedger(), ListedClients()
        if allowed is not None:
            book.allow("tester", allowed)
        engine = replace(w.engine, ledger=ledger)
        folders = find_folders({"ASKANCE_HOME": home})
        evidence = EvidenceSearch(engine)
        app = App(
            engine,
            engine.model,
            engine.search,
            w.reader,
            w.settings,
            folders,
            ledger,
            evidence=lambda: evidence,
            container=Container(w.settings, folders),
        )
        service = ClientService(app, book, lingers_s=lingers_s, most_waiting=most_waiting)
        async with service:
            mcp = build_mcp(service, book, lambda: Client(_NAME.get()))
            yield Served(w, service, book, ledger, mcp)


def text_of(result: CallToolResult) -> str:
    """The text of a result."""
    return "\n".join(block.text for block in result.content if block.type == "text")


def told(result: CallToolResult) -> dict[str, Any]:
    """The structured content of a result that is no error."""
    assert not result.is_error, text_of(result)
    assert result.structured_content is not None
    return result.structured_content


def tokens_in(result: CallToolResult) -> int:
    """The tokens of a result as its client sees it."""
    return tokens_of(result.model_dump_json(by_alias=True, exclude_none=True))


@dataclass
class Gate:
    """Where something waits, once it has been reached, to be let through."""

    reached: asyncio.Event = field(default_factory=asyncio.Event)
    opened: asyncio.Event = field(default_factory=asyncio.Event)


def everything_of(values: Any) -> str:
    """All texts of a structured result, in one."""
    match values:
        case str():
            return values
        case Mapping():
            return "\n".join(everything_of(value) for value in values.values())
        case Sequence():
            return "\n".join(everything_of(value) for value in values)
        case _:
            return ""
