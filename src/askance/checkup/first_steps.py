"""What somebody who begins can do next: in the window a button, in the terminal a command.

Nothing that is looked at here leaves this machine: no search is tried, no page is read.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol
from urllib.parse import urlsplit

from askance.adapters.containers.executables import find_executable
from askance.adapters.containers.problems import DaemonDown, NoCli
from askance.adapters.containers.state import Survey
from askance.adapters.network.this_machine import is_this_machine
from askance.adapters.network.vitals import reader_vitals, searxng_health
from askance.adapters.search.metasearch_engines import engines_for
from askance.adapters.system.memory import free_memory
from askance.checkup.around import reader_is_set_up, reader_token_file
from askance.config.folders import Folders
from askance.config.settings import Consent, LlmApi, ReaderMode, SearchSettings, Settings
from askance.domain.errors import AskanceError, ServiceDown
from askance.domain.web import bare_proxy
from askance.ports.model import ChatModel, ModelInfo
from askance.presentation.words import duration, gigabytes, size_text, tr, translated

# Name, and bytes to fetch. The first that fits the free memory is offered: larger ones answer better,
# but a machine without a graphics card keeps one waiting with them.
SUGGESTED = (("gemma3:4b", 3_300_000_000), ("gemma3:1b", 815_000_000))
# A model takes its size and the room for its context.
_OVERHEAD_BYTES = 1_000_000_000


class Step(StrEnum):
    """A step towards an answer. The value is what does it in a terminal."""

    START_OLLAMA = "ollama serve"
    FETCH_MODEL = "ollama pull"
    START_SERVICES = "askance up"
    ALLOW_SEARCH = "askance config set search.in_process given"
    GET_OLLAMA = "https://ollama.com/download"
    TRY_SAMPLE = "askance demo"
    ASK = "askance ask"


# What is done with a click before what must be installed; without a model a search still quotes.
_ORDER = (
    Step.START_OLLAMA,
    Step.FETCH_MODEL,
    Step.START_SERVICES,
    Step.ALLOW_SEARCH,
    Step.GET_OLLAMA,
)


@dataclass(frozen=True, slots=True)
class Way:
    """What a click does about a part: what stands on its button, and which model it would fetch."""

    step: Step
    label: str
    model: str = ""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """How one part is, and what can be done: the best way first. `more` is read before a click."""

    well: bool
    says: str
    ways: tuple[Way, ...] = ()
    more: str = ""


class Parts(Protocol):
    """What is looked at of the open parts."""

    @property
    def model(self) -> ChatModel | None:
        """The language model."""
        ...

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        ...


async def look_at_model(
    parts: Parts,
    environment: Mapping[str, str],
    free: Callable[[], int] = free_memory,
    *,
    online: bool = True,
) -> Diagnosis:
    """Look whether there is a model that can be talked to, and whether it fits."""
    settings = parts.settings.llm
    if parts.model is None:
        return Diagnosis(False, tr("No model server is set up."))
    try:
        models = await parts.model.models()
    except ServiceDown as exc:
        if settings.api is not LlmApi.OLLAMA or not _is_here(settings.url):
            return Diagnosis(False, translated(exc))
        if find_executable("ollama", environment):
            says = tr("Ollama is installed, but not running.")
            return _without(Diagnosis(False, says, (Way(Step.START_OLLAMA, tr("Start it")),)))
        says = tr("Ollama, which runs the model, is not installed.")
        found = Diagnosis(False, says, (Way(Step.GET_OLLAMA, tr("Download")),))
        return _online(_without(found), online=online)
    except AskanceError as exc:
        return Diagnosis(False, translated(exc))
    return _online(_of_models(models, settings.model, settings.api, free()), online=online)


async def look_at_search(
    settings: Settings,
    folders: Folders,
    survey: Callable[[], Awaitable[Survey]],
    *,
    online: bool = True,
) -> Diagnosis:
    """Look whether the web can be searched, and if not how it could be. No query is sent."""
    url = settings.search.url
    allowed = settings.search.in_process is Consent.GIVEN
    if not online:
        return Diagnosis(False, tr("This computer has no network: the web cannot be searched now."))
    try:
        health = await searxng_health(url, folders.search_token(url))
    except AskanceError:
        pass
    else:
        if health.speaks_json:
            return Diagnosis(True, tr("SearXNG is running ({span}).", span=duration(health.ms)))
        off = tr("SearXNG does not answer in JSON, which is switched off in its settings.")
        return _built_in(off) if allowed else _not_built_in(settings.search, off)
    if not _is_here(url):
        away = tr("Nothing answers at {url}.", url=url)
        return _built_in(away) if allowed else _not_built_in(settings.search, away)
    engine, problem = await _containers(survey)
    start = () if problem else (Way(Step.START_SERVICES, tr("Start it")),)
    if allowed:
        return _built_in(tr("SearXNG is not running."), start)
    says = tr("No web search is set up yet.")
    if problem is None:
        own = tr("“Start it” runs a search engine of your own, SearXNG, in {name}.", name=engine)
    else:
        own = tr("A search engine of your own, SearXNG, is more private. {why}", why=_why(problem))
    return _not_built_in(settings.search, says, start, own)


async def look_at_reader(
    settings: Settings, folders: Folders, survey: Callable[[], Awaitable[Survey]]
) -> Diagnosis:
    """Look where pages are read."""
    mode = settings.reader.mode
    if mode is ReaderMode.INPROCESS:
        return Diagnosis(True, tr("Built in."))
    only = settings.reader.container_only
    if mode is ReaderMode.AUTO and not reader_is_set_up(settings, folders):
        if only:
            says = tr("Its container is not set up, and no page is read outside of it.")
            return await _startable(says, survey)
        return Diagnosis(True, tr("Built in."))
    try:
        vitals = await reader_vitals(settings.reader.url, reader_token_file(settings, folders))
    except AskanceError:
        says = tr("Its container does not answer; pages are read in this program.")
        if only:
            says = tr("Its container does not answer, and no page is read outside of it.")
        return await _startable(says, survey)
    return Diagnosis(True, tr("In its container ({span}).", span=duration(vitals.ms)))


def main_step(model: Diagnosis, search: Diagnosis) -> Step:
    """Return what is best done next: the page shows it as its main button."""
    offered = [way.step for found in (model, search) if not found.well for way in found.ways]
    return next_step(offered, can_search=search.well)


def command_of(model: Diagnosis, search: Diagnosis) -> str:
    """Return what a terminal is told to do next, or the page where it is to be had."""
    step = main_step(model, search)
    ways = (way for found in (model, search) for way in found.ways)
    name = next((way.model for way in ways if way.step is step), "")
    return f"{step} {name}".strip()


def next_step(offered: Iterable[Step], *, can_search: bool) -> Step:
    """Return the best of what is offered for the parts that are not well; there always is one.

    Where nothing can be done about them, a question is asked if it can be searched, and else the
    sample web is there, which needs neither a model nor a network.
    """
    there = set(offered)
    last = Step.ASK if can_search else Step.TRY_SAMPLE
    return next((step for step in _ORDER if step in there), last)


def explanation(settings: SearchSettings) -> str:
    """Say what leaves this computer, whereto and how, once public engines may be asked."""
    engines = ", ".join(engines_for(settings)) or tr("none that the settings allow")
    proxy = bare_proxy(settings.proxy)
    if proxy:
        return tr(
            "Your queries then go through {proxy} straight to {engines}.",
            proxy=proxy,
            engines=engines,
        )
    return tr("Your queries then go from your own address straight to {engines}.", engines=engines)


def suggested(free_bytes: int) -> tuple[str, int]:
    """Return the name and the size of the model that is offered; the first if nothing is known."""
    for name, size in SUGGESTED:
        if not free_bytes or size + _OVERHEAD_BYTES <= free_bytes:
            return name, size
    return SUGGESTED[-1]


def _of_models(
    models: tuple[ModelInfo, ...], wanted: str, api: LlmApi, free_bytes: int
) -> Diagnosis:
    server = "Ollama" if api is LlmApi.OLLAMA else tr("The model server")
    running = tr("{server} is running", server=server)
    names = {wanted, f"{wanted}:latest"}
    found = next((m for m in models if not wanted or m.name in names), None)
    if found is not None:
        return _fitting(found, running, free_bytes)
    if api is not LlmApi.OLLAMA:
        return Diagnosis(False, tr("{running}, but does not have this model.", running=running))
    if wanted:
        says = tr("{running}, but does not have {model}.", running=running, model=wanted)
        return _without(Diagnosis(False, says, (Way(Step.FETCH_MODEL, tr("Download"), wanted),)))
    name, size = suggested(free_bytes)
    says = tr(
        "{running}, but has no model yet. {model} fits this computer ({size}).",
        running=running,
        model=name,
        size=size_text(size),
    )
    return _without(Diagnosis(False, says, (Way(Step.FETCH_MODEL, tr("Download"), name),)))


def _fitting(model: ModelInfo, running: str, free_bytes: int) -> Diagnosis:
    if not model.size_bytes or not free_bytes or model.host:
        return Diagnosis(
            True, tr("{running}; {model} is there.", running=running, model=model.name)
        )
    size, free = tr("{n}", n=gigabytes(model.size_bytes)), size_text(free_bytes)
    if model.size_bytes > free_bytes:
        says = tr(
            "{running}; {model} is large for this computer ({size} of {free} free).",
            running=running,
            model=model.name,
            size=size,
            free=free,
        )
    else:
        says = tr(
            "{running}; {model} fits your memory ({size} of {free} free).",
            running=running,
            model=model.name,
            size=size,
            free=free,
        )
    return Diagnosis(True, says)


def _built_in(away: str, ways: tuple[Way, ...] = ()) -> Diagnosis:
    says = tr("{away} Public engines are asked directly, as you allowed.", away=away)
    return Diagnosis(True, says, ways)


def _not_built_in(
    settings: SearchSettings, says: str, ways: tuple[Way, ...] = (), own: str = ""
) -> Diagnosis:
    """Offer the search that needs nothing else, and say what leaves this computer with it."""
    label = tr("Use built-in search")
    told = f"{tr('“{label}” needs nothing to be installed.', label=label)} {explanation(settings)}"
    lines = (own, told) if ways else (told, own)
    more = "\n".join(filter(None, lines))
    return Diagnosis(False, says, (*ways, Way(Step.ALLOW_SEARCH, label)), more)


async def _containers(
    survey: Callable[[], Awaitable[Survey]],
) -> tuple[str, AskanceError | None]:
    """Return the name of the engine that could start containers, or why none could."""
    try:
        seen = await survey()
    except AskanceError as exc:
        return "", exc
    return seen.engine.name, seen.lacking


def _why(problem: AskanceError) -> str:
    """Say why no container can be started, to somebody who may not know what one is."""
    match problem:
        case NoCli():
            return tr("It needs Docker or Podman, and neither is installed.")
        case DaemonDown(denied=True, name=name):
            return tr("{name} is installed, but this user may not use it.", name=name)
        case DaemonDown(name=name):
            return tr("{name} is installed, but not running.", name=name)
        case _:
            return translated(problem.problem)


async def _startable(says: str, survey: Callable[[], Awaitable[Survey]]) -> Diagnosis:
    _, problem = await _containers(survey)
    if problem:
        return Diagnosis(False, says, more=_why(problem))
    return Diagnosis(False, says, (Way(Step.START_SERVICES, tr("Start it")),))


def _without(found: Diagnosis) -> Diagnosis:
    """Say what there is for as long as there is no model."""
    return replace(found, more=tr("Until then, a search shows what it has found, in quotes."))


def _online(found: Diagnosis, *, online: bool) -> Diagnosis:
    """Return what was found without the ways for which something is fetched from the web."""
    if online or not found.ways:
        return found
    return replace(found, ways=(), more=tr("To download it, connect this computer to a network."))


def _is_here(url: str) -> bool:
    return is_this_machine(urlsplit(url).hostname or "")
