"""Runs that may outlive the call that began them, and what is stored of a client's runs for it to read later."""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
import secrets
from collections import OrderedDict
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Self

from askance.domain.conversation import SEARCH
from askance.domain.errors import AskanceError, place_of
from askance.domain.events import Cancelled, Emit, Failed, Judged, RunEnd, RunEvent, TokenArrived
from askance.domain.evidence import Extract, Source
from askance.domain.history import to_record
from askance.domain.messages import Message
from askance.domain.phases import Sufficiency
from askance.domain.ports.storage import Client
from askance.domain.web_pages import Page
from askance.engine.recall import completeness
from askance.engine.research import Research
from askance.presentation.progress import RunProgress
from askance.text.ranking.urls import canonical

LINGERS_S = 60.0
"""So long a run goes on after its caller's deadline if nobody asks for it."""
_MOST_RUNS = 8
_MOST_CLIENTS = 64
_MOST_CHARACTERS = 2_000_000
_ID_DIGITS = 24

_log = logging.getLogger(__name__)
_CONNECTION: ContextVar[object | None] = ContextVar("askance_connection", default=None)

Watch = Callable[[Research], None]
Ask = Callable[[Emit, Watch], Awaitable[RunEnd]]


class ClientRun:
    """A question under way, or answered. `id` is what its client asks for it with; nobody can guess it.

    `events` are what has happened so far, `progress` is what it does now.
    """

    def __init__(self, client: Client, question: str, group: asyncio.TaskGroup, ask: Ask) -> None:
        """Start the run in `group`; its exceptions never reach the group."""
        # 128 random bits: a client's name is no boundary (decision 37), so the id must not be guessable.
        self.id = secrets.token_urlsafe(16)
        self.client = client.name
        self.question = question
        self.connection = _CONNECTION.get()
        self.end: RunEnd | None = None
        self.error: AskanceError | None = None
        self._research: Research | None = None
        self._evidence: tuple[tuple[Source, ...], tuple[Extract, ...]] = ((), ())
        self.events: list[tuple[float, RunEvent]] = []
        self.progress = RunProgress(SEARCH)
        self.changed = asyncio.Event()
        self.waiters = 0
        self._began = asyncio.get_running_loop().time()
        self.task = group.create_task(self._go(ask))

    @property
    def is_over(self) -> bool:
        """Whether it has ended, well or not."""
        return self.task.done()

    @property
    def elapsed_s(self) -> float:
        """Seconds since it was asked for, its waiting included."""
        return asyncio.get_running_loop().time() - self._began

    @property
    def sources(self) -> tuple[Source, ...]:
        """The sources that have entered its evidence."""
        return self._research.evidence.entered_sources if self._research else self._evidence[0]

    @property
    def extracts(self) -> tuple[Extract, ...]:
        """The texts that have entered its evidence, in their order."""
        return self._research.evidence.entered if self._research else self._evidence[1]

    @property
    def completeness(self) -> float:
        """How far its evidence answers the question, 0 to 1, by the last verdict and by the question's words."""
        verdicts = [event.sufficiency for _, event in self.events if isinstance(event, Judged)]
        verdict = verdicts[-1] if verdicts else Sufficiency.INSUFFICIENT
        return completeness(self.question, verdict, self.extracts) if self.extracts else 0.0

    @property
    def has_read_library(self) -> bool:
        """Whether a word of it may be out of the library."""
        return any(source.kept for source in self.sources)

    @property
    def pages(self) -> tuple[Page, ...]:
        """The pages that it has read; none once it has ended."""
        return tuple(self._research.pages) if self._research else ()

    def trace(self) -> str:
        """Return its events, but for the pieces of its answer, as lines of JSON."""
        return "\n".join(
            json.dumps(to_record(event, at_s), ensure_ascii=False) for at_s, event in self.events
        )

    def _on_event(self, event: RunEvent) -> None:
        self.progress.apply(event)
        # Not the hundreds of pieces of the answer: the final event has the whole text.
        if not isinstance(event, TokenArrived):
            self.events.append((self.elapsed_s, event))
        self.changed.set()

    def _watch(self, research: Research) -> None:
        self._research = research

    async def _go(self, ask: Ask) -> None:
        try:
            self.end = await ask(self._on_event, self._watch)
        except AskanceError as exc:
            self.error = exc
        except asyncio.CancelledError:
            self.end = Cancelled()
            raise
        except Exception as exc:  # noqa: BLE001 - a fault in one run is no fault of the others
            _log.error("a run failed: %s", place_of(exc))
            self.end = Failed(Message("Askance failed to answer; its log says where."))
        finally:
            self.changed.set()

    def let_go(self) -> None:
        """Keep of the evidence what an answer shows, and give up the rest."""
        self._evidence = self.sources, self.extracts
        self._research = None


@dataclass(frozen=True, slots=True)
class StoredSource:
    """A source that a run of a client's has read. `text` is None where the library has it."""

    id: str
    url: str
    title: str
    text: str | None


@dataclass(slots=True)
class _ClientRuns:
    """What is stored for one client: its last runs, and the texts of their sources."""

    runs: OrderedDict[str, ClientRun] = field(default_factory=OrderedDict[str, ClientRun])
    sources: OrderedDict[str, StoredSource] = field(default_factory=OrderedDict[str, StoredSource])

    def put(self, source: StoredSource) -> None:
        self.sources.pop(source.id, None)
        self.sources[source.id] = source
        # These are whole pages: beyond the limit for one client the oldest are dropped.
        while sum(len(k.text or "") for k in self.sources.values()) > _MOST_CHARACTERS:
            self.sources.popitem(last=False)


def source_id(url: str) -> str:
    """Return the identity of what was read at an address."""
    return hashlib.sha256(canonical(url).encode(errors="replace")).hexdigest()[:_ID_DIGITS]


class Runs:
    """The runs of all clients. To be entered before one is begun; leaving it ends them all."""

    def __init__(self, lingers_s: float = LINGERS_S) -> None:
        self._lingers_s = lingers_s
        self._group: asyncio.TaskGroup | None = None
        self._by_client: OrderedDict[str, _ClientRuns] = OrderedDict()
        self._timers: dict[str, asyncio.TimerHandle] = {}

    async def __aenter__(self) -> Self:
        """Begin to take runs."""
        self._group = await asyncio.TaskGroup().__aenter__()
        return self

    async def __aexit__(self, *_: object) -> None:
        """Cancel the runs that are under way, and wait for them."""
        assert self._group is not None
        for timer in self._timers.values():
            timer.cancel()
        for run in self.open:
            run.task.cancel()
        # None first: what is begun while the tasks end is a bug, and not one more run to wait for.
        group, self._group = self._group, None
        await group.__aexit__(None, None, None)
        self._by_client.clear()

    @property
    def open(self) -> list[ClientRun]:
        """The runs that are under way."""
        return [
            run
            for stored_runs in self._by_client.values()
            for run in stored_runs.runs.values()
            if not run.is_over
        ]

    @asynccontextmanager
    async def connection(self) -> AsyncGenerator[None]:
        """Serve one connection inside: what was begun over it ends with it."""
        here = object()
        token = _CONNECTION.set(here)
        try:
            yield
        finally:
            _CONNECTION.reset(token)
            # Nobody could ask for it any more: its id went over this connection.
            for run in self.open:
                if run.connection is here:
                    run.task.cancel()

    def begin(self, client: Client, question: str, ask: Ask) -> ClientRun:
        """Begin a run of a client's."""
        assert self._group is not None, "to be entered first"
        run = ClientRun(client, question, self._group, ask)

        # Added before anybody waits for the run, so it runs before they wake up: they find the sources.
        def ended(_: asyncio.Task[None]) -> None:
            self.store_sources(client, run)
            # Its research holds all pages that it has read, which nothing needs any more.
            run.let_go()

        run.task.add_done_callback(ended)
        stored_runs = self._runs_of(client)
        stored_runs.runs[run.id] = run
        # A run under way stays, however many there are: its caller was promised its result.
        over = [old.id for old in stored_runs.runs.values() if old.is_over]
        for old in over[: max(0, len(stored_runs.runs) - _MOST_RUNS)]:
            del stored_runs.runs[old]
        return run

    def find(self, client: Client, run_id: str) -> ClientRun | None:
        """Return a run of this client's; None of an unknown one, and of another's."""
        return self._runs_of(client).runs.get(run_id)

    def of(self, client: Client) -> tuple[ClientRun, ...]:
        """Return what is stored of a client's runs, the newest first."""
        return tuple(reversed(self._runs_of(client).runs.values()))

    async def wait(self, run: ClientRun, deadline_s: float) -> bool:
        """Wait for the end of a run, and say whether it came in time.

        A run that did not end goes on for a while, to be waited for again. Who is cancelled here, and waits for it alone,
        cancels it.
        """
        if (timer := self._timers.pop(run.id, None)) is not None:
            timer.cancel()
        run.waiters += 1
        try:
            # `wait` leaves the task alone when the time is over; `asyncio.timeout` would cancel it.
            await asyncio.wait({run.task}, timeout=deadline_s)
        except asyncio.CancelledError:
            # Who else waits for the same run has cancelled nothing.
            if run.waiters == 1:
                run.task.cancel()
            raise
        finally:
            run.waiters -= 1
        if not run.is_over and not run.waiters:
            loop = asyncio.get_running_loop()
            self._timers[run.id] = loop.call_later(self._lingers_s, self._give_up, run)
        return run.is_over

    def store_sources(self, client: Client, run: ClientRun) -> None:
        """Store the texts that a run has read so far, for its client alone."""
        stored_runs = self._runs_of(client)
        pages = {canonical(page.url): page for page in run.pages}
        for source in run.sources:
            page = pages.get(canonical(source.url))
            # Of a source that only the search has shown there is no text to be read.
            text = page.markdown if page else None
            if text is not None or source.kept:
                stored_runs.put(StoredSource(source_id(source.url), source.url, source.title, text))

    def source(self, client: Client, identity: str) -> StoredSource | None:
        """Return what a run of this client's has read."""
        return self._runs_of(client).sources.get(identity)

    def sources(self, client: Client) -> tuple[StoredSource, ...]:
        """Return what this client's runs have read and is stored here, the newest first."""
        stored = reversed(self._runs_of(client).sources.values())
        return tuple(k for k in stored if k.text is not None)

    def _give_up(self, run: ClientRun) -> None:
        self._timers.pop(run.id, None)
        run.task.cancel()

    def _runs_of(self, client: Client) -> _ClientRuns:
        # Moved to the end at each use, so that the client unused for longest stands first.
        stored_runs = self._by_client.pop(client.name, None) or _ClientRuns()
        self._by_client[client.name] = stored_runs
        for name in list(self._by_client)[: max(0, len(self._by_client) - _MOST_CLIENTS)]:
            # A run under way must still be found by its id.
            if all(run.is_over for run in self._by_client[name].runs.values()):
                del self._by_client[name]
        return stored_runs
