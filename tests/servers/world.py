"""A small world on loopback: a model, a search engine and a few web sites, and the program on them.

The question needs two rounds: the first finds who built the lighthouse, the second where she was
born.
"""

from __future__ import annotations

import json
import re
import ssl
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar, get_args
from urllib.parse import urlsplit

import pytest

from askance.adapters.library.files.walking import left_out_of
from askance.adapters.library.sqlite_library import SqliteLibrary
from askance.adapters.llm.ollama import OllamaModel
from askance.adapters.network.guarded_http import page_client
from askance.adapters.reader.inprocess import Fetcher, InProcessReader
from askance.adapters.reader.network import MappedResolver, page_transport
from askance.adapters.search.searxng import SearxngSearch
from askance.config.settings import Settings
from askance.config.sources import load_settings
from askance.domain.conversation import Conversation, RunRequest
from askance.domain.events import RunEnd, RunEvent, Warned, WarningCode
from askance.domain.ports.model import Defaults
from askance.domain.web_pages import WHOLE_WEB, SearchScope
from askance.engine import context, question_run, research
from askance.engine.library_router import LibraryRouter
from askance.engine.local_library import LocalLibrary
from askance.engine.prompts import load_prompts
from askance.engine.run import Engine
from askance.extract.extracted import Extracted
from askance.extract.page import extract_page
from askance.sample_web.sample_server import SampleWeb
from servers.faults import Breakable
from servers.loopback import Handler, Loopback, Request, Wire, serve
from servers.model_script import ModelScript, Scripted, number_of, verdict
from servers.model_script import plan as the_plan
from servers.searxng import Hit, Hits, ScriptedSearxng, hit
from servers.site import ScriptedResolver
from waiting import patience

QUESTION = "Where was the engineer who built the Lindmouth lighthouse born?"
PLANNED = "Lindmouth lighthouse engineer birthplace"
GAP = "Clara Whitlow engineer born village"
LIGHTHOUSE = "http://light.example/history"
HARBOUR = "http://harbour.example/basin"
GAZETTE = "http://gazette.example/lamp"
WHITLOW = "http://museum.example/whitlow"
TITLES = {
    LIGHTHOUSE: "The lighthouse of Lindmouth",
    HARBOUR: "The harbour basin of Lindmouth",
    GAZETTE: "A new lamp for the Lindmouth lighthouse",
    WHITLOW: "Clara Whitlow",
}
SNIPPETS = {
    LIGHTHOUSE: "The Lindmouth lighthouse stands on a rock at the mouth of the river.",
    HARBOUR: "The inner basin of Lindmouth was dredged twice, and holds forty boats.",
    GAZETTE: "The lighthouse keepers of Lindmouth have been given an electric lamp.",
    WHITLOW: "Papers and drawings of the engineer Clara Whitlow.",
}
PAGES = {
    LIGHTHOUSE: "The Lindmouth lighthouse was built in 1871 by the engineer Clara Whitlow, after two"
    " grain ships had run aground in the same night. It is thirty metres high, of grey granite, and"
    " its first lamp burned the oil of herrings. The pilots of the river paid for a third of it,"
    " and the rest came from a lottery that was held in the town hall of Lindmouth every spring.",
    HARBOUR: "The harbour basin of Lindmouth was dredged for the first time in 1868, and again when"
    " the cannery closed. Forty boats lie in it today. The eastern breakwater rests on clay and"
    " broken slate, and a storm in the winter of 1884 carried away the hut of the harbour master,"
    " which was found on the beach three miles to the north a week later.",
    GAZETTE: "The lighthouse of Lindmouth has been given an electric lamp, the gazette reports. The"
    " keepers had asked for one since the war. The old lamp goes to the museum, where it will stand"
    " beside the engineer's drawings. The council paid eleven hundred crowns for the new lamp, and"
    " the mayor switched it on in the presence of the whole school.",
    WHITLOW: "The engineer Clara Whitlow was born in the village of Orr in 1839, the daughter of a"
    " miller. She learned to draw from the priest, and at nineteen she repaired the mill's wheel"
    " after a flood. Of the eleven lighthouses that she planned four were built. She kept a diary"
    " in which the cost of every stone is written down, and it can be read in the museum.",
}
RunEvents = TypeVar("RunEvents")
ENDS = get_args(RunEnd)


def the_answer(prompt: str) -> str:
    """The right answer, with the numbers that its sources have in the prompt."""
    born, built = number_of(prompt, TITLES[WHITLOW]), number_of(prompt, TITLES[LIGHTHOUSE])
    return (
        f"The engineer Clara Whitlow was born in the village of Orr in 1839 [{born}]. She built the"
        f" Lindmouth lighthouse in 1871 [{built}]."
    )


def some_answer(prompt: str) -> str:
    """An answer from the first round alone."""
    built = number_of(prompt, TITLES[LIGHTHOUSE])
    return f"The Lindmouth lighthouse was built in 1871 by the engineer Clara Whitlow [{built}]."


def the_judge(prompt: str) -> str:
    """What misses the engineer's village until a source tells it, however often it is asked."""
    known = "born in the village of Orr" in prompt
    return json.dumps(verdict("sufficient") if known else verdict("partial", GAP))


def the_choice(prompt: str) -> str:
    """All results that it is shown: what stands in front of the task has been read."""
    shown = re.findall(r"^\[(\d+)\]", prompt.rpartition("Task:")[2], re.MULTILINE)
    return json.dumps({"relevant": list(map(int, shown)), "scores": [1.0] * len(shown)})


SHORT_RUN = {"limits.run_timeout_s": 40.0}
"""Many times what a run takes on a busy machine: it lasts so long only where something stalls, and then
`waits_skipped` makes it end at once."""
ONE_ROUND = (verdict("sufficient"),)
FIRST_GAP = (verdict("partial", GAP),)


def knowing_model(
    *,
    plan: Sequence[Scripted] = (the_plan(PLANNED),),
    judge: Sequence[Scripted] = (the_judge,),
    answer: Sequence[Scripted] = (the_answer,),
) -> ModelScript:
    """A model that finds the gap after the first round, and the answer after the second."""
    return ModelScript(plan, judge, answer, choose=(the_choice,))


def found(*urls: str) -> list[Hit]:
    """Results as the search engine gives them."""
    return [hit(url, TITLES[url], SNIPPETS[url]) for url in urls]


def the_hits(query: str) -> list[Hit]:
    """What the search engine knows."""
    return found(WHITLOW) if "whitlow" in query.lower() else found(LIGHTHOUSE, HARBOUR, GAZETTE)


async def the_web(request: Request, wire: Wire) -> None:
    """The sites, told apart by the host that is asked for."""
    url = f"http://{request.headers['host']}{urlsplit(request.target).path}"
    if url in PAGES:
        await wire.send(
            f"# {TITLES[url]}\n\n{PAGES[url]}\n", headers={"Content-Type": "text/markdown"}
        )
    else:
        await wire.send("not here", 404)


def other_text(url: str, *paragraphs: str) -> Handler:
    """The web, with these paragraphs under one of its addresses."""

    async def web(request: Request, wire: Wire) -> None:
        if f"http://{request.headers['host']}{request.path}" == url:
            text = "\n\n".join([f"# {TITLES[url]}", *paragraphs])
            await wire.send(text, headers={"Content-Type": "text/markdown"})
        else:
            await the_web(request, wire)

    return web


@dataclass
class RecordedEvents:
    """What a run told, and how it ended."""

    events: list[RunEvent] = field(default_factory=list[RunEvent])

    def of(self, kind: type[RunEvents]) -> list[RunEvents]:
        """The events of one kind, in order."""
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def ends(self) -> list[RunEvent]:
        return [event for event in self.events if isinstance(event, ENDS)]

    @property
    def end(self) -> Any:
        """The one end, which is the last event."""
        assert len(self.ends) == 1, self.ends
        assert self.events[-1] is self.ends[0], self.events[-1]
        return self.events[-1]

    @property
    def warned(self) -> set[WarningCode]:
        return {event.code for event in self.of(Warned)}


@dataclass
class World:
    """Three servers and an engine that speaks to them."""

    engine: Engine
    settings: Settings
    script: ModelScript
    servers: dict[str, Loopback]
    searxng: ScriptedSearxng
    reader: InProcessReader

    async def ask(
        self,
        question: str = QUESTION,
        conversation: Conversation | None = None,
        *,
        narrowing: SearchScope = WHOLE_WEB,
        is_reported: RecordedEvents | None = None,
        on_event: Callable[[RunEvent], object] = lambda event: None,
        **wanted: Any,
    ) -> RecordedEvents:
        """Run a question to its end. What else is `wanted` are fields of the request."""
        is_reported = is_reported or RecordedEvents()

        def emit(event: RunEvent) -> None:
            is_reported.events.append(event)
            on_event(event)

        end = await self.engine.run(
            RunRequest(question, conversation or Conversation(), scope=narrowing, **wanted),
            emit=emit,
        )
        assert end is is_reported.events[-1]
        return is_reported

    def read(self) -> list[str]:
        """The pages that the web was asked for."""
        return [f"http://{r.headers['host']}{r.path}" for r in self.servers["web"].requests]

    async def until_idle(self) -> None:
        """Wait until no server has a connection."""
        async with patience():
            for server in self.servers.values():
                await server.until_idle()


class SameProcess:
    """Takes pages apart in this process: a stand-in for the child processes, which start slowly."""

    def start(self, pages: int | None = None) -> None:
        """Nothing is to be started."""

    async def extract(self, data: bytes, url: str, content_type: str) -> Extracted:
        return extract_page(data, url, content_type)


@asynccontextmanager
async def serving(
    script: ModelScript, hits: Hits = the_hits, web: Handler = the_web
) -> AsyncIterator[tuple[dict[str, Loopback], dict[str, Breakable], ScriptedSearxng]]:
    """Serve a model, a search engine and the web, each of which can be broken."""
    searxng = ScriptedSearxng(hits)
    breakable = {"model": Breakable(script), "search": Breakable(searxng), "web": Breakable(web)}
    async with AsyncExitStack() as stack:
        servers = {
            name: await stack.enter_async_context(serve(handler))
            for name, handler in breakable.items()
        }
        yield servers, breakable, searxng


TIME_LIMITS = {"search.timeout_s", "reader.page_timeout_s"}
"""They are no settings, and stand where their part's settings do."""
CONSTANTS = {"FIRST_PORTION_TOKENS", "FIRST_STEP_TOKENS", "PAGES_A_ROUND"}
"""Of the engine; a test may have others."""


def settings_for(servers: Mapping[str, Loopback], chosen: Mapping[str, Any]) -> Settings:
    """Settings that point to the servers, impatient enough for tests."""
    overrides: dict[str, Any] = {
        "llm.url": servers["model"].url,
        "search.url": servers["search"].url,
        **{name: value for name, value in chosen.items() if name not in TIME_LIMITS | CONSTANTS},
    }
    settings = load_settings(Path("no-such-file"), {}, overrides)
    for name in TIME_LIMITS & set(chosen):
        section, _, field = name.partition(".")
        changed = getattr(settings, section).model_copy(update={field: chosen[name]})
        settings = settings.model_copy(update={section: changed})
    return settings


def names_of(*urls: str, port: int) -> dict[str, tuple[str, int]]:
    """Each host of these addresses, at a port of loopback."""
    return {str(urlsplit(url).hostname): ("127.0.0.1", port) for url in urls}


def as_sample_web(servers: Mapping[str, Loopback]) -> SampleWeb:
    """The search engine and the sites in the shape in which `container.open_app` takes others."""
    names = names_of(*PAGES, port=servers["web"].port)
    return SampleWeb(servers["search"].url, MappingProxyType(names), ())


@asynccontextmanager
async def world(
    script: ModelScript | None = None,
    *,
    hits: Hits = the_hits,
    web: Handler = the_web,
    breaks: Mapping[str, Callable[[Request], Handler | None]] | None = None,
    hosts: tuple[str, ...] = (),
    settings: Mapping[str, Any] | None = None,
    library: SqliteLibrary | None = None,
    asks_all: bool = False,
) -> AsyncIterator[World]:
    """Put the real adapters and the engine on a world of their own.

    With `asks_all` the model is asked for a plan and for verdicts in any case: as a credulous one, which is not
    left to write where code finds the answer plain.
    """
    script = script or knowing_model()
    async with AsyncExitStack() as stack:
        patch = stack.enter_context(pytest.MonkeyPatch.context())
        for name in CONSTANTS & set(settings or {}):
            module = context if hasattr(context, name) else research
            patch.setattr(module, name, (settings or {})[name])
        if asks_all:
            patch.setattr(question_run, "stands_alone", lambda _question: False)
        servers, breakable, searxng = await stack.enter_async_context(serving(script, hits, web))
        for name, fault_of in (breaks or {}).items():
            breakable[name].fault_of = fault_of
        chosen = settings_for(servers, settings or {})
        names = names_of(*PAGES, *hosts, port=servers["web"].port)
        resolver = MappedResolver(names, ScriptedResolver({}))
        reader = InProcessReader(chosen.reader, resolver=resolver)
        # Entering it would start children and load certificates, which cost more than a run.
        reader._workers = SameProcess()  # type: ignore[assignment]
        client = page_client(page_transport(resolver, ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)))
        reader._fetcher = Fetcher(await stack.enter_async_context(client), chosen.reader)
        search = await stack.enter_async_context(SearxngSearch(chosen.search))
        model = await stack.enter_async_context(OllamaModel(chosen.llm))
        known = library and LocalLibrary(
            LibraryRouter(library),
            library,
            library.answers,
            left_out=partial(left_out_of, library.book),
        )

        async def evaluated(_model: str) -> Defaults:
            return Defaults(invents=asks_all)

        engine = Engine(
            model,
            search,
            reader,
            load_prompts(),
            chosen,
            _today,
            evaluated=evaluated,
            library=known,
        )
        yield World(engine, chosen, script, servers, searxng, reader)


# For tests of what a plan or a verdict leads to: where the answer is plain, neither is asked for.
credulous = partial(world, asks_all=True)


def always(fault: Handler) -> Callable[[Request], Handler | None]:
    """Break every request."""
    return lambda request: fault


def where(part: str, fault: Handler) -> Callable[[Request], Handler | None]:
    """Break the requests whose target or host holds a text."""
    return lambda request: (
        fault if part in request.target or part in request.headers.get("host", "") else None
    )


def _today() -> date:
    return date(2026, 11, 20)
