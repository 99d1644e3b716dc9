"""The services that the window speaks to, in a thread beside it: to be held, broken and mended.

Pages are fetched through a forward proxy, which is the web itself: so the program is put together
as a person's is, with nothing in it replaced.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from servers.faults import Breakable, stalls
from servers.loopback import Handler, Loopback, Request, Wire, serve
from servers.model_script import ModelScript
from servers.searxng import ScriptedSearxng
from servers.world import knowing_model, the_hits, the_web
from waiting import PATIENCE_S

_Result = TypeVar("_Result")


class Held:
    """Requests that get no answer until they are let go, or their clients hang up. A handler."""

    def __init__(self, then: Handler = stalls) -> None:
        self._then = then
        self._loop: asyncio.AbstractEventLoop | None = None
        self._go = asyncio.Event()
        self.reached = threading.Event()
        """A request is there."""
        self.dropped = threading.Event()
        """A client has hung up."""

    async def __call__(self, request: Request, wire: Wire) -> None:
        self._loop = asyncio.get_running_loop()
        async with asyncio.TaskGroup() as group:
            gone = group.create_task(_client_gone(wire))
            go = group.create_task(self._go.wait())
            gone.add_done_callback(lambda _: go.cancel())
            go.add_done_callback(lambda _: gone.cancel())
            self.reached.set()
        if gone.cancelled():
            await self._then(request, wire)
        else:
            self.dropped.set()

    def let_go(self) -> None:
        """Let the requests have their answers."""
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self._go.set)


async def _client_gone(wire: Wire) -> None:
    with suppress(ConnectionError):
        await wire.client_gone()


class Neighbour:
    """A server at one address, which can be broken, ended and started again."""

    def __init__(self, sound: Handler, run: Callable[[Coroutine[Any, Any, Any]], Any]) -> None:
        self.breakable = Breakable(sound)
        self._run = run
        self._under_way = 0
        self._serving = AsyncExitStack()
        self.loopback: Loopback

    @property
    def url(self) -> str:
        return self.loopback.url

    @property
    def is_idle(self) -> bool:
        """Whether nobody waits for an answer, or is being told one.

        A connection on which nothing was asked yet does not count: httpcore keeps one for later
        where it is cancelled in the moment in which it is made.
        """
        return self._under_way == 0

    async def open(self, port: int = 0) -> None:
        self.loopback = await self._serving.enter_async_context(serve(self._answer, port=port))

    async def close(self) -> None:
        await self._serving.aclose()

    async def _answer(self, request: Request, wire: Wire) -> None:
        self._under_way += 1
        try:
            await self.breakable(request, wire)
        finally:
            self._under_way -= 1

    def break_with(self, fault_of: Callable[[Request], Handler | None]) -> None:
        """Let a fault take the place of the answer to some requests."""
        self.breakable.fault_of = fault_of

    def mend(self) -> None:
        """Let all requests be answered again."""
        self.breakable.fault_of = lambda _: None

    def hold(self, matches: Callable[[Request], bool] = lambda _: True) -> Held:
        """Hold the requests that match."""
        held = Held(self.breakable.sound)
        self.break_with(lambda request: held if matches(request) else None)
        return held

    def die(self) -> None:
        """End, with all connections."""
        self._run(self.close())

    def come_back(self) -> None:
        """Serve again, at the same address."""
        self._run(self.open(self.loopback.port))


@dataclass
class Neighbours:
    """A model, a search engine and the web."""

    script: ModelScript
    servers: dict[str, Neighbour] = field(default_factory=dict[str, Neighbour])

    @property
    def model(self) -> Neighbour:
        return self.servers["model"]

    @property
    def search(self) -> Neighbour:
        return self.servers["search"]

    @property
    def web(self) -> Neighbour:
        return self.servers["web"]

    @property
    def are_idle(self) -> bool:
        """Whether nobody waits for an answer of any of them."""
        return all(server.is_idle for server in self.servers.values())

    def environment(self, home: object, **more: str) -> dict[str, str]:
        """The settings of a person who has these neighbours and that home."""
        return settings_of(home, self.model.url, self.search.url, self.web.url) | more


def settings_of(home: object, model: str, search: str, proxy: str) -> dict[str, str]:
    """The environment of the program with these services."""
    return {
        "ASKANCE_HOME": str(home),
        "ASKANCE_LLM__URL": model,
        "ASKANCE_SEARCH__URL": search,
        "ASKANCE_READER__PROXY": proxy,
        "ASKANCE_WINDOW__HOTKEY": "",
        "ASKANCE_WINDOW__ANIMATIONS": "false",
    }


class Searxng(ScriptedSearxng):
    """SearXNG with what the lights of the window look at."""

    async def __call__(self, request: Request, wire: Wire) -> None:
        match request.path:
            case "/healthz":
                await wire.send("OK")
            case "/config":
                await wire.send_json({"version": "2026.11.1"})
            case _:
                await super().__call__(request, wire)


@contextmanager
def neighbours(
    script: ModelScript | None = None, handlers: Mapping[str, Handler] | None = None
) -> Iterator[Neighbours]:
    """Serve the neighbours in a thread of their own."""
    script = script or knowing_model()
    sound: dict[str, Handler] = {
        "model": script,
        "search": Searxng(the_hits),
        "web": the_web,
        **(handlers or {}),
    }

    with loop_beside() as run:
        made = Neighbours(
            script, {name: Neighbour(handler, run) for name, handler in sound.items()}
        )
        for server in made.servers.values():
            run(server.open())
        try:
            yield made
        finally:
            for server in made.servers.values():
                run(server.close())


def welcomed(home: Path) -> Path:
    """Make the home of somebody who has seen the first page."""
    (home / "data").mkdir(parents=True)
    (home / "data" / "welcomed").touch()
    return home


@contextmanager
def loop_beside() -> Iterator[Callable[[Coroutine[Any, Any, Any]], Any]]:
    """Run an event loop in a thread, and give what runs a coroutine in it."""
    loops: list[asyncio.AbstractEventLoop] = []
    ended = asyncio.Event()
    started = threading.Event()

    async def live() -> None:
        loops.append(asyncio.get_running_loop())
        started.set()
        await ended.wait()

    thread = threading.Thread(target=lambda: asyncio.run(live()), name="neighbours")
    thread.start()
    assert started.wait(PATIENCE_S)

    def run(work: Coroutine[Any, Any, _Result]) -> _Result:
        return asyncio.run_coroutine_threadsafe(work, loops[0]).result(PATIENCE_S)

    try:
        yield run
    finally:
        loops[0].call_soon_threadsafe(ended.set)
        thread.join(PATIENCE_S)
        assert not thread.is_alive()
