"""The API for other programs on a loopback port: a small world behind OpenAI's routes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from openai import AsyncOpenAI

from askance.app.client_service import ClientService
from askance.app.container import App, Container
from askance.config.folders import find_folders
from askance.domain.ports.storage import Client, ClientCall, ClientRecord
from askance.local_service.service_process import LocalServer, listen
from askance.server.clients import ClientLookup
from askance.server.http_server import HttpEndpoint
from askance.server.openai_api import openai_routes
from servers.model_script import ModelScript
from servers.world import World
from servers.world import credulous as world

CLIENT = Client("the front end")


@dataclass
class NotedCalls:
    """A book of clients that only takes calls down."""

    calls_noted: list[ClientCall] = field(default_factory=list[ClientCall])

    def note(self, call: ClientCall) -> None:
        self.calls_noted.append(call)

    def look_up(self, name: str) -> Client | None:
        return Client(name)

    def known(self, name: str) -> Client:
        return Client(name)

    def by_token(self, token: str) -> Client | None:
        return None

    def allow(self, name: str, capabilities: object) -> None:
        raise AssertionError("nobody is allowed anything here")

    def make_token(self, name: str) -> str:
        raise AssertionError("there are no tokens here")

    def forget(self, name: str) -> None:
        raise AssertionError("nobody is forgotten here")

    def records(self) -> Sequence[ClientRecord]:
        return ()

    def calls(self, name: str, limit: int) -> Sequence[ClientCall]:
        return self.calls_noted[-limit:]


@dataclass
class OpenAiEndpoint:
    """A running endpoint, and what is behind it."""

    url: str
    world: World
    book: NotedCalls
    client: AsyncOpenAI

    @property
    def searched(self) -> int:
        """How many queries have left."""
        return len(self.world.servers["search"].requests)


@asynccontextmanager
async def open_endpoint(
    home: Path,
    script: ModelScript | None = None,
    *,
    client: Client = CLIENT,
    model: bool = True,
    heartbeat_s: float = 60.0,
    settings: Mapping[str, Any] | None = None,
    **of_world: Any,
) -> AsyncIterator[OpenAiEndpoint]:
    """Serve the endpoint; without `model` there is none."""
    async with world(script, settings=settings, **of_world) as w:
        book = NotedCalls()
        engine = w.engine
        if not model:
            engine = type(engine)(
                None, engine.search, engine.reader, engine.prompts, engine.settings, engine.today
            )
        folders = find_folders({"ASKANCE_HOME": str(home)})
        app = App(
            engine,
            engine.model,
            engine.search,
            engine.reader,
            w.settings,
            folders,
            container=Container(w.settings, folders),
        )
        async with ClientService(app, book) as desk:
            routes = openai_routes(desk, lambda _: client, heartbeat_s=heartbeat_s)
            listener = listen("127.0.0.1", 0)
            # Nothing is asked over MCP here, and whoever asks is this client, but for one wrong token.
            tokens = cast(
                "Any",
                SimpleNamespace(client_of=lambda text: None if text == "Bearer wrong" else client),
            )
            clients, sessions = ClientLookup(book), cast("Any", None)
            http = HttpEndpoint(sessions, routes, tokens, clients, w.settings.server, nullcontext)
            server = LocalServer(http, ending=lambda: None)
            url = f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
            async with asyncio.TaskGroup() as group:
                serving = group.create_task(server.serve([listener]))
                try:
                    async with AsyncOpenAI(base_url=url, api_key="k", max_retries=0) as caller:
                        yield OpenAiEndpoint(url, w, book, caller)
                finally:
                    server.should_exit = True
                    await serving
                    listener.close()
                    clients.close()
