"""What is there to begin with, and what a click could mend. No Qt in here.

Nothing that is looked at here leaves this machine: no search is tried, no page is read.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Protocol
from urllib.parse import urlsplit

from askance.adapters.containers.problems import NoCli, NoComposePlugin
from askance.adapters.containers.progress import Kind, Progress
from askance.adapters.containers.state import Survey
from askance.adapters.containers.tool import find_executable
from askance.adapters.memory import free_memory
from askance.adapters.metasearch_engines import engines_for
from askance.adapters.ollama_pull import PullStep
from askance.adapters.vitals import reader_vitals, searxng_vitals
from askance.config.settings import Consent, LlmApi, ReaderMode, SearchSettings, Settings
from askance.domain.errors import AskanceError, ServiceDown
from askance.domain.web import bare_proxy, is_loopback
from askance.ports.model import ChatModel, ModelInfo
from askance.telling.retelling import retold
from askance.telling.words import duration, tr

# Name, and bytes to fetch. The first that fits the free memory is offered: larger ones answer better,
# but a machine without a graphics card keeps one waiting with them.
SUGGESTED = (("gemma3:4b", 3_300_000_000), ("gemma3:1b", 815_000_000))
# A model takes its size and the room for its context.
_OVERHEAD_BYTES = 1_000_000_000
_GB, _MB = 1_000_000_000, 1_000_000


class Mend(Enum):
    """What a click could do."""

    START_OLLAMA = auto()
    GET_OLLAMA = auto()
    PULL = auto()
    UP = auto()
    CONSENT = auto()


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """How one part is. `label` is what stands on the button of `mend`; `model` what it would fetch."""

    well: bool
    says: str
    mend: Mend | None = None
    label: str = ""
    model: str = ""


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
    parts: Parts, environment: Mapping[str, str], free: Callable[[], int] = free_memory
) -> Diagnosis:
    """Look whether there is a model that can be talked to, and whether it fits."""
    settings = parts.settings.llm
    if parts.model is None:
        return Diagnosis(False, tr("No model server is set up."))
    try:
        models = await parts.model.models()
    except ServiceDown as exc:
        if settings.api is not LlmApi.OLLAMA or not _is_here(settings.url):
            return Diagnosis(False, retold(exc))
        if find_executable("ollama", environment):
            says = tr("Ollama is installed, and not running.")
            return Diagnosis(False, says, Mend.START_OLLAMA, tr("Start it"))
        says = tr("Ollama, which runs the model, is not installed.")
        return Diagnosis(False, says, Mend.GET_OLLAMA, tr("Get it"))
    except AskanceError as exc:
        return Diagnosis(False, retold(exc))
    return _of_models(models, settings.model, settings.api, free())


async def look_at_search(settings: Settings, survey: Callable[[], Awaitable[Survey]]) -> Diagnosis:
    """Look whether SearXNG answers, and if not what could be done. No query is sent."""
    url = settings.search.url
    try:
        vitals = await searxng_vitals(url)
    except AskanceError:
        pass
    else:
        return Diagnosis(True, tr("SearXNG is running ({span}).", span=duration(vitals.ms)))
    allowed = settings.search.in_process is Consent.GIVEN
    away = tr("SearXNG is not running.")
    if allowed:
        away = tr("SearXNG is not running; public engines are asked directly, as you allowed.")
    if not _is_here(url):
        says = tr("Nothing answers at {url}.", url=url)
        return Diagnosis(False, says) if allowed else _asking(says)
    try:
        engine = (await survey()).engine.name
    except (NoCli, NoComposePlugin) as exc:
        return Diagnosis(True, away) if allowed else _asking(f"{away} {retold(exc.problem)}")
    except AskanceError as exc:
        return Diagnosis(allowed, f"{away} {retold(exc)}", Mend.UP, tr("Try it"))
    says = away if allowed else f"{away} {tr('{engine} is installed.', engine=engine)}"
    return Diagnosis(allowed, says, Mend.UP, tr("Start it"))


async def look_at_reader(settings: Settings, *, is_set_up: bool) -> Diagnosis:
    """Look where pages are read."""
    mode = settings.reader.mode
    if mode is ReaderMode.INPROCESS:
        return Diagnosis(True, tr("Built in."))
    if mode is ReaderMode.AUTO and not is_set_up:
        says = tr("Built in. The hardened container starts together with SearXNG.")
        return Diagnosis(True, says)
    try:
        vitals = await reader_vitals(settings.reader.url)
    except AskanceError:
        says = tr("Its container does not answer; pages are read in this program.")
        return Diagnosis(False, says, Mend.UP, tr("Start it"))
    return Diagnosis(True, tr("In its container ({span}).", span=duration(vitals.ms)))


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


def size_text(size: int) -> str:
    """Return a number of bytes as short as it can be told: `815 MB`, `3.3 GB`, `11 GB`."""
    if size < _GB:
        return tr("{n} MB", n=round(size / _MB))
    return tr("{n} GB", n=_gigabytes(size))


def pull_text(step: PullStep) -> str:
    """Say how far a model is."""
    if not step.total_bytes:
        return tr("Asking for it")
    if step.done_bytes >= step.total_bytes:
        return tr("Checking what came")
    return tr(
        "{done} of {total}", done=size_text(step.done_bytes), total=size_text(step.total_bytes)
    )


def start_text(step: Progress) -> str:
    """Say what the containers are doing."""
    if step.kind is Kind.BUILD:
        return tr("Building the reader")
    if step.kind is Kind.IMAGE:
        name = step.name.rpartition("/")[2].partition(":")[0]
        if not step.total_bytes:
            return tr("Fetching {name}", name=name)
        done, total = size_text(step.current_bytes), size_text(step.total_bytes)
        return tr("Fetching {name}: {done} of {total}", name=name, done=done, total=total)
    return tr("Starting {name}", name=step.name)


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
        return Diagnosis(False, tr("{running}, and has no such model.", running=running))
    if wanted:
        says = tr("{running}, and does not have {model}.", running=running, model=wanted)
        return Diagnosis(False, says, Mend.PULL, tr("Fetch it"), wanted)
    name, size = suggested(free_bytes)
    says = tr(
        "{running}, and has no model yet. {model} fits this computer ({size}).",
        running=running,
        model=name,
        size=size_text(size),
    )
    return Diagnosis(False, says, Mend.PULL, tr("Fetch it"), name)


def _fitting(model: ModelInfo, running: str, free_bytes: int) -> Diagnosis:
    if not model.size_bytes or not free_bytes or model.host:
        return Diagnosis(
            True, tr("{running}; {model} is there.", running=running, model=model.name)
        )
    size, free = tr("{n}", n=_gigabytes(model.size_bytes)), size_text(free_bytes)
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


def _asking(says: str) -> Diagnosis:
    return Diagnosis(False, says, Mend.CONSENT, tr("Search without it"))


def _gigabytes(size: int) -> float | int:
    return round(size / _GB) if size >= 10 * _GB else size / _GB


def _is_here(url: str) -> bool:
    return is_loopback(urlsplit(url).hostname or "")
