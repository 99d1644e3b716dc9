"""Whether model, search and reader are there, and what can be done about each; downloading a model, starting Ollama.

Data alone: `askance doctor`, the first page and the settings show it, each in its own way.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from askance import __version__
from askance.adapters.containers.compose import find_executable
from askance.adapters.containers.problems import DaemonDown, NoCli
from askance.adapters.llm import ollama
from askance.adapters.llm.openai_wire import ModelEntry
from askance.adapters.network import own_services as services
from askance.adapters.network.own_services import (
    is_this_machine,
    reader_vitals,
    searxng_health,
)
from askance.adapters.search.metasearch import engines_for
from askance.adapters.web_choice import is_set_up
from askance.app.container import App, Container
from askance.app.model_tiers import model_tiers
from askance.config.choices import Consent, LlmApi, ReaderMode
from askance.config.folders import Folders
from askance.config.settings import LlmSettings, SearchSettings, Settings
from askance.domain.addresses import bare_address
from askance.domain.errors import AskanceError, InputError, ModelMissing, ServiceDown
from askance.domain.events import Failed, ignore
from askance.domain.messages import NOTHING, FixAction, FixKind, Message, Remedy
from askance.domain.ports.containers import Survey
from askance.domain.ports.model import (
    ChatModel,
    Finished,
    FinishReason,
    ModelCall,
    ModelInfo,
    Retracted,
    Role,
    Text,
    Thought,
)
from askance.domain.ports.web import OutboundLedger
from askance.engine.prompts import ANSWERING_CONTEXT, THINKING_TOKENS, prompted, too_small
from askance.engine.run_progress import WITHOUT_REASONING, log_model, only_reasoned, recorded
from askance.presentation import missing_parts
from askance.presentation.i18n import duration, gigabytes, size_text, tr
from askance.presentation.missing_parts import (
    MissingPart,
    PartAction,
    missing_part,
    with_saved_pages,
)
from askance.system.machine import free_disk, free_memory

# What is done with a click before what must be installed; without a model a search still quotes.
_ORDER = (
    FixKind.START_OLLAMA,
    FixKind.DOWNLOAD_MODEL,
    FixKind.START_SERVICES,
    FixKind.ALLOW_SEARCH,
    FixKind.DOWNLOAD_OLLAMA,
)


START = FixAction(FixKind.START_SERVICES, Message("Start SearXNG"))


@dataclass(frozen=True, slots=True)
class CheckResult:
    """How one part is. What it says are messages wherever they can be said in another language.

    `details` are for who looks closely: addresses, versions, times. `actions` are what can be done
    now, the best first, and `more` is read before; `fix` is what to do by hand. `needed` says that
    without the part no search can be answered in full. A check need not say of which part it is, and whether that is
    needed: the doctor knows.
    """

    part: str = ""
    ok: bool = True
    message: str = ""
    details: str = ""
    fix: str = ""
    needed: bool = True
    actions: tuple[FixAction, ...] = ()
    more: str = ""
    engines: int = 0
    """How many public engines this program asks itself, or would once that is allowed; 0 where another part searches."""

    @property
    def is_well(self) -> bool:
        """Whether nothing need be done about it."""
        return self.ok or not (self.needed or self.actions or self.more)

    @property
    def steps(self) -> list[FixKind]:
        """The steps of the ways, in their order."""
        return [action.step for action in self.actions]


def main_step(model: CheckResult, search: CheckResult) -> FixKind:
    """Return what is best done next: the page shows it as its main button."""
    offered = [step for found in (model, search) if not found.is_well for step in found.steps]
    return next_step(offered, can_search=search.is_well)


def command_of(model: CheckResult, search: CheckResult) -> str:
    """Return the command to run next, or the page where it is to be had."""
    step = main_step(model, search)
    actions = (action for found in (model, search) for action in found.actions)
    name = next((action.model for action in actions if action.step is step), "")
    return f"{step} {name}".strip()


def next_step(offered: Iterable[FixKind], *, can_search: bool) -> FixKind:
    """Return the best of what is offered for the parts that are not well; there always is one.

    Where nothing can be done about them, a question is asked if it can be searched, and else the
    sample web is there, which needs neither a model nor a network.
    """
    there = set(offered)
    last = FixKind.ASK if can_search else FixKind.TRY_SAMPLE
    return next((step for step in _ORDER if step in there), last)


def explanation(settings: SearchSettings) -> Message:
    """Say what leaves this computer, whereto and how, once public engines may be asked."""
    engines = ", ".join(engines_for(settings)) or Message("none that the settings allow")
    proxy = bare_address(settings.proxy)
    if proxy:
        return Message(
            "Your queries then go through {proxy} straight to {engines}.",
            proxy=proxy,
            engines=engines,
        )
    return Message(
        "Your queries then go from your own address straight to {engines}.", engines=engines
    )


MODEL, SEARCH, READER = "model", "search", "reader service"
# So long what a model has said is not asked for again because somebody comes back to the page.
TRIAL_COUNTS_S = 60.0
# The first word ends the trial; a server that is asked for one token may hold that back.
_TRIAL_TOKENS = 16
# As much as two replies of a search have room for: less of it fails models that answer, only slowly.
_TRIAL_THOUGHT_TOKENS = 2 * THINKING_TOKENS
FIRST_PROMPT = "Say hello."
# With less a database cannot even make room by deleting.
_FULL_BYTES = 4_000_000
_SERVICE_AND_ITS_LOG = "`askance up` starts it; `askance logs reader` says why it ended."


class Trials:
    """What a model did when it was asked for a word: remembered for a moment, as long as nothing changes."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._key: object = None
        self._at = 0.0
        self._problem: AskanceError | None = None

    def forget(self) -> None:
        """Have the model asked anew: something may have changed."""
        self._key = None

    async def ask(self, parts: App, model: ChatModel, occasion: str) -> None:
        """Have the model say a word, unless it did a moment ago. Raises like `ask_for_token`."""
        # By the model's present name, too: the server may have loaded another model since.
        key = (parts.settings.llm, (await model.info()).name)
        if key != self._key or self._clock() - self._at >= TRIAL_COUNTS_S:
            # Reset before it is asked: a trial that is cancelled must not leave a result.
            self._key, self._problem = None, None
            try:
                await ask_for_token(model, parts.ledger, occasion)
            except AskanceError as exc:
                self._problem = exc
            self._key, self._at = key, self._clock()
        if self._problem is not None:
            raise self._problem


async def look_at_model(
    parts: App,
    environment: Mapping[str, str],
    free: Callable[[], int] = free_memory,
    *,
    online: bool = True,
    asks: bool = True,
    trials: Trials | None = None,
) -> CheckResult:
    """Look whether there is a model that answers, and whether it fits. With `asks` it is asked for a token.

    `trials` are those of a page that looks again and again.
    """
    settings = parts.settings.llm
    if parts.model is None:
        return _model(Message("No model server is set up."))
    try:
        models = await parts.model.models()
        is_listed = any(ModelEntry(m.name).is_named(settings.model) for m in models)
        if asks and settings.api is LlmApi.OPENAI and settings.model and not is_listed:
            # A list lacks a gateway's aliases: the trial tells whether the server has the model.
            models = (await parts.model.info(),)
        found = _of_models(models, settings.model, settings.api, free())
        if found.ok and asks:
            await (trials or Trials()).ask(parts, parts.model, "first page")
    except AskanceError as exc:
        return without_server(exc, settings, environment, online=online)
    return _online(found, online=online)


async def ask_for_token(model: ChatModel, ledger: OutboundLedger | None, occasion: str) -> None:
    """Have a model say a first word: many a server lists models that it refuses to run, many a model only reasons.

    Raises:
        AskanceError: it does not, or its context is too small for answers.
    """
    info = await model.info()
    # 0 means that the server does not report it, as llama.cpp's router does not.
    if 0 < info.context_tokens < ANSWERING_CONTEXT:
        fix = Message("Start its server with a larger context: at least 4,096 tokens.")
        raise InputError(too_small(info), fix=fix)
    log_model(info, recorded(ledger, occasion, ignore))
    messages = prompted(Role.SYSTEM, "Answer in one word."), prompted(Role.USER, FIRST_PROMPT)
    reasons = False
    most_thought = min(_TRIAL_THOUGHT_TOKENS, (info.context_tokens or ANSWERING_CONTEXT) // 2)
    for most in (_TRIAL_TOKENS, _TRIAL_TOKENS + most_thought):
        text = thought = ""
        async with model.reply(ModelCall(messages, most, reasons_unasked=reasons)) as reply:
            async for part in reply:
                if isinstance(part, Thought):
                    thought += part.text
                elif isinstance(part, Text):
                    text += part.text
                # Some servers write the reply itself where the reasoning belongs.
                if text.strip() and not thought:
                    return
                is_cut = isinstance(part, Finished) and part.reason is FinishReason.LENGTH
                reasons = reasons or is_cut or isinstance(part, Thought | Retracted)
        if text.strip() and text.strip() != thought.strip():
            return
    if reasons:
        raise ModelMissing(only_reasoned(info.name), fix=WITHOUT_REASONING)
    problem = Message("The model {model} gives empty replies.", model=info.name)
    raise ModelMissing(problem, fix=Remedy("Set llm.model to another model.", setting="llm.model"))


def without_server(
    problem: AskanceError,
    settings: LlmSettings,
    environment: Mapping[str, str],
    *,
    online: bool = True,
) -> CheckResult:
    """Return what can be done where the model server failed; one elsewhere is not ours to start."""
    down = isinstance(problem, ServiceDown)
    if not down or settings.api is not LlmApi.OLLAMA or not is_here(settings.url):
        return _model(problem.message)
    if find_executable("ollama", environment):
        action = FixAction(FixKind.START_OLLAMA, Message("Start Ollama"))
        return _without(_model(Message("Ollama is installed, but not running."), action))
    message = Message("Ollama, which runs the model, is not installed.")
    found = _model(message, FixAction(FixKind.DOWNLOAD_OLLAMA, Message("Download")))
    return _online(_without(found), online=online)


async def why_no_searxng(settings: SearchSettings, folders: Folders) -> tuple[float, Message]:
    """Return the round trip of SearXNG, and why it could not answer a search; nothing if it could.

    Raises:
        AskanceError: it does not answer.
    """
    token_file = folders.search_token(settings.url)
    health = await searxng_health(settings.url, token_file)
    if health.speaks_json:
        return health.ms, NOTHING
    off = Message("SearXNG does not answer in JSON, which is switched off in its settings.")
    return health.ms, off


async def look_at_search(
    settings: Settings,
    folders: Folders,
    survey: Callable[[], Awaitable[Survey]],
    *,
    online: bool = True,
) -> CheckResult:
    """Look whether the web can be searched, and if not how it could be. No query is sent."""
    url = settings.search.url
    allowed = settings.search.in_process is Consent.GIVEN
    # First: without a network no other fault of the search can be found.
    if not online:
        off = Message("This computer has no network: the web cannot be searched now.")
        return CheckResult(SEARCH, ok=False, message=off)
    try:
        ms, off = await why_no_searxng(settings.search, folders)
    except AskanceError:
        pass
    else:
        if not off:
            message = Message("SearXNG is running ({span}).", span=duration(ms))
            return CheckResult(SEARCH, ok=True, message=message)
        return _built_in(settings.search, off) if allowed else _not_built_in(settings.search, off)
    if not is_here(url):
        away = Message("Nothing answers at {url}.", url=bare_address(url))
        return _built_in(settings.search, away) if allowed else _not_built_in(settings.search, away)
    engine, problem = await _containers(survey)
    # Where no container can be started, a button for that could only fail.
    start = () if problem else (START,)
    if allowed:
        return _built_in(settings.search, Message("SearXNG is not running."), start)
    message = Message("No web search is set up yet.")
    if problem is None:
        own = Message(
            "“Start SearXNG” runs a search engine of your own, SearXNG, in {name}.", name=engine
        )
    else:
        own = Message(
            "A search engine of your own, SearXNG, is more private. {why}", why=_why(problem)
        )
    return _not_built_in(settings.search, message, start, own)


async def look_at_reader(
    settings: Settings, folders: Folders, survey: Callable[[], Awaitable[Survey]]
) -> CheckResult:
    """Look where pages are read; the service is needed where no page may be read elsewhere."""
    mode, url = settings.reader.mode, settings.reader.url
    only = mode is ReaderMode.CONTAINER_ONLY
    instead = "no page is read outside the container" if only else "pages are read in this program"
    if mode is ReaderMode.INPROCESS:
        details = "Not used: reader.mode is inprocess."
        return _reader(Message("Built in."), details, needed=False, ok=True)
    # Who chooses the service by hand may have it elsewhere, with no token of ours here.
    if mode is not ReaderMode.CONTAINER and not is_set_up(folders):
        fix, details = (
            "`askance up` reads them in a container of their own.",
            f"Not set up: {instead}.",
        )
        if not only:
            return _reader(Message("Built in."), details, fix, needed=False)
        message = Message("Its container is not set up, and no page is read outside of it.")
        return await _startable(_reader(message, details, fix, needed=True), survey)
    try:
        status = await reader_vitals(url, folders.reader_token)
    except AskanceError as exc:
        message = Message("Its container does not answer; pages are read in this program.")
        if only:
            message = Message("Its container does not answer, and no page is read outside of it.")
        details = f"{exc.problem.rstrip('.')}; {instead}."
        return await _startable(
            _reader(message, details, _SERVICE_AND_ITS_LOG, needed=only), survey
        )
    details = f"{status.version} at {bare_address(url)} ({status.ms:,.0f} ms)"
    if status.version != __version__:
        message = Message(
            "Its container has version {there}, and this program is {here}.",
            there=status.version,
            here=__version__,
        )
        details += f", and this program is {__version__}."
        fix = "`askance up` brings them together."
        return await _startable(_reader(message, details, fix, needed=only), survey)
    message = Message("In its container ({span}).", span=duration(status.ms))
    details += "; no page is read outside of it." if only else "."
    return _reader(message, details, needed=False, ok=True)


async def missing_now(
    parts: App,
    environment: Mapping[str, str],
    free: Callable[[], int] = free_memory,
    *,
    online: bool = True,
) -> tuple[MissingPart, ...]:
    """Look what a question would lack just now. Nothing leaves this machine for it."""
    settings = parts.settings
    found = [await _missing_model(parts, environment, free)]
    if is_full(parts.folders):
        found.append(with_saved_pages(await asyncio.to_thread(_saved_bytes, parts)))
    if settings.search.enabled and not online:
        found.append(missing_parts.OFFLINE)
    elif settings.search.enabled and settings.search.in_process is not Consent.GIVEN:
        try:
            _, off = await why_no_searxng(settings.search, parts.folders)
        except AskanceError as exc:
            off = exc.message
        if off:
            found.append(replace(missing_parts.NO_SEARCH, details=off))
    return tuple(part for part in found if part is not None)


def is_full(folders: Folders) -> bool:
    """Whether nothing more can be written where conversations and the ledger are."""
    free = free_disk(folders.data)
    return free is not None and free < _FULL_BYTES


def _saved_bytes(parts: App) -> int:
    with suppress(AskanceError), Container(parts.settings, parts.folders) as own:
        return own.page_cache.contents().bytes
    return 0


async def _missing_model(
    parts: App, environment: Mapping[str, str], free: Callable[[], int]
) -> MissingPart | None:
    name, size = suggested(free())
    label = Message("Medium") if name == model_tiers()[1].ollama else Message("Small")
    if parts.model is None:
        return missing_parts.NO_MODEL
    try:
        await parts.model.info()
    except ModelMissing as exc:
        if parts.settings.llm.api is LlmApi.OLLAMA and not parts.settings.llm.model:
            part = replace(missing_parts.NO_MODEL, details=exc.message)
            return missing_parts.with_download(part, name, label, size)
        return missing_part(Failed.of(exc))
    except AskanceError as exc:
        part = missing_part(Failed.of(exc))
        offered = without_server(exc, parts.settings.llm, environment).steps
        if part.action is PartAction.START_OLLAMA and FixKind.START_OLLAMA not in offered:
            # It is not installed: the page of models knows other ways to one.
            return replace(missing_parts.NO_MODEL, details=part.details)
        return part
    return None


def suggested(free_bytes: int) -> tuple[str, int]:
    """Return the name at Ollama and the size of the model that is offered: the medium one if it fits, or nothing is known."""
    # Larger ones answer better, but a machine without a graphics card keeps one waiting with them.
    small, medium, *_ = model_tiers()
    tier = medium if not free_bytes or medium.needs_bytes <= free_bytes else small
    return tier.ollama, tier.bytes


def is_here(url: str) -> bool:
    """Whether an address is one of this machine."""
    return is_this_machine(urlsplit(url).hostname or "")


def _model(message: str, *actions: FixAction) -> CheckResult:
    return CheckResult(MODEL, ok=False, message=message, actions=actions)


def _reader(
    message: str, details: str, fix: str = "", *, needed: bool, ok: bool = False
) -> CheckResult:
    return CheckResult(READER, ok=ok, message=message, details=details, fix=fix, needed=needed)


def _of_models(
    models: tuple[ModelInfo, ...], wanted: str, api: LlmApi, free_bytes: int
) -> CheckResult:
    server = "Ollama" if api is LlmApi.OLLAMA else Message("The model server")
    running = Message("{server} is running", server=server)
    found = next((m for m in models if not wanted or ModelEntry(m.name).is_named(wanted)), None)
    if found is not None:
        return _fitting(found, running, free_bytes)
    if api is not LlmApi.OLLAMA:
        return _model(Message("{running}, but does not have this model.", running=running))
    if wanted:
        message = Message("{running}, but does not have {model}.", running=running, model=wanted)
        return _without(
            _model(message, FixAction(FixKind.DOWNLOAD_MODEL, Message("Download"), wanted))
        )
    name, size = suggested(free_bytes)
    message = Message(
        "{running}, but has no model yet. {model} fits this computer ({size}).",
        running=running,
        model=name,
        size=size_text(size),
    )
    return _without(_model(message, FixAction(FixKind.DOWNLOAD_MODEL, Message("Download"), name)))


def _fitting(model: ModelInfo, running: str, free_bytes: int) -> CheckResult:
    # A model on another machine takes none of this one's memory.
    if not model.size_bytes or not free_bytes or model.host:
        message = Message("{running}; {model} is there.", running=running, model=model.name)
        return CheckResult(MODEL, ok=True, message=message)
    values = {
        "running": running,
        "model": model.name,
        "size": tr("{n}", n=gigabytes(model.size_bytes)),
        "free": size_text(free_bytes),
    }
    if model.size_bytes > free_bytes:
        message = Message(
            "{running}; {model} is large for this computer ({size} of {free} free).", **values
        )
    else:
        message = Message("{running}; {model} fits your memory ({size} of {free} free).", **values)
    return CheckResult(MODEL, ok=True, message=message)


def _built_in(
    settings: SearchSettings, away: str, actions: tuple[FixAction, ...] = ()
) -> CheckResult:
    message = Message("{away} Public engines are asked directly, as you allowed.", away=away)
    count = len(engines_for(settings))
    return CheckResult(SEARCH, ok=True, message=message, actions=actions, engines=count)


def _not_built_in(
    settings: SearchSettings, message: str, actions: tuple[FixAction, ...] = (), own: str = ""
) -> CheckResult:
    """Offer the search that needs nothing else, and say what leaves this computer with it."""
    label = Message("Use built-in search")
    problem = Message.joined(
        Message("“{label}” needs nothing to be installed.", label=label), explanation(settings)
    )
    # In the order of the buttons: “Start SearXNG” stands first where it can work.
    more = Message.joined(*((own, problem) if actions else (problem, own)), by="\n")
    actions = (*actions, FixAction(FixKind.ALLOW_SEARCH, label))
    count = len(engines_for(settings))
    return CheckResult(SEARCH, ok=False, message=message, actions=actions, more=more, engines=count)


async def _containers(
    survey: Callable[[], Awaitable[Survey]],
) -> tuple[str, AskanceError | None]:
    """Return the name of the engine that could start containers, or why none could."""
    try:
        seen = await survey()
    except AskanceError as exc:
        return "", exc
    return seen.engine.name, seen.lacking


def _why(problem: AskanceError) -> Message:
    """Say why no container can be started, to somebody who may not know what one is."""
    match problem:
        case NoCli():
            return Message("It needs Docker or Podman, and neither is installed.")
        case DaemonDown(denied=True, name=name):
            return Message("{name} is installed, but this user may not use it.", name=name)
        case DaemonDown(name=name):
            return Message("{name} is installed, but not running.", name=name)
        case _:
            return problem.problem


async def _startable(found: CheckResult, survey: Callable[[], Awaitable[Survey]]) -> CheckResult:
    """Return what was found with the way to start it, or with why nothing could."""
    _, problem = await _containers(survey)
    return replace(found, more=_why(problem)) if problem else replace(found, actions=(START,))


def _without(found: CheckResult) -> CheckResult:
    """Say what there is for as long as there is no model."""
    return replace(found, more=Message("Until then you get the best passages, quoted."))


def _online(found: CheckResult, *, online: bool) -> CheckResult:
    """Return what was found without the ways for which something is downloaded."""
    if online or not found.actions:
        return found
    return replace(
        found, actions=(), more=Message("To download it, connect this computer to a network.")
    )


# Model servers as front ends use them: which models are in memory, downloading one, starting
# Ollama.


async def loaded_models(settings: LlmSettings) -> frozenset[str]:
    """Return the models that Ollama holds in memory; none where no server says so."""
    if settings.api is LlmApi.OLLAMA:
        # An older Ollama does not tell.
        with suppress(AskanceError):
            return frozenset(await services.loaded_models(settings.url))
    return frozenset()


async def start_ollama(settings: LlmSettings, environment: Mapping[str, str]) -> None:
    """Start Ollama, and wait until it answers. Raises AskanceError: it cannot be started."""
    executable = find_executable("ollama", environment)
    await ollama.start_ollama(settings, executable, environment)
