"""Everything that `askance doctor` looks at: one check a part, none an error, all of them at once.

A new check is a function here and a line in `Examiner.examine`.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager, AsyncExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol, runtime_checkable

from askance.adapters.containers.problems import NoCli, NoComposePlugin
from askance.adapters.llm.model_queue import SpeedFile
from askance.adapters.network.own_services import loaded_context, searxng_vitals
from askance.adapters.reader.workers import WORKERS
from askance.adapters.search.metasearch import engines_for
from askance.adapters.web_choice import TOO_BUSY
from askance.app.checks.first_steps import (
    MODEL,
    READER,
    SEARCH,
    START,
    CheckResult,
    ask_for_token,
    command_of,
    is_here,
    look_at_model,
    look_at_reader,
    look_at_search,
)
from askance.app.checks.installation_check import (
    UpdateChecker,
    check_installation,
    check_updates,
)
from askance.app.container import App, Container, ledger_recorder, without_model
from askance.config.choices import Consent, LlmApi
from askance.config.folders import Folders
from askance.config.settings import LlmSettings, SearchSettings, Settings
from askance.config.sources import SET_PROXY, unused_proxy
from askance.domain.addresses import bare_address
from askance.domain.characters import one_line
from askance.domain.errors import AskanceError
from askance.domain.events import ignore
from askance.domain.messages import NOTHING, Message, Remedy
from askance.domain.ports.containers import RUNNING, Services, ServiceState, Survey
from askance.domain.ports.model import Entailment, ModelInfo, Speed, Speeds
from askance.domain.ports.web import Sent
from askance.domain.web_pages import PageReason, PageStatus, ResultPage
from askance.extract.sandbox import Protection, Protections
from askance.sample_web.sample_server import SampleWeb
from askance.system.qt_environment import (
    SCRIPTS,
    HasFont,
    MissingLibraries,
    font_fix,
    font_problem,
    fonts_of_system,
    input_method,
    missing_libraries,
    platforms,
    without_font,
)

# A healthy service answers within a second; a search that asks the web may take several.
LIMIT_S = 20.0
TEST_QUERY = "weather"
CONFINEMENT = "confinement"
ENTAILMENT = "entailment"
_MIB = 1_048_576
# A sample page is on this machine: where these are the reason, the reader itself is broken.
_BROKEN = frozenset({PageReason.EXTRACTION, PageReason.INTERNAL, PageReason.NO_TEXT})
_REINSTALL = Message("Reinstall it: `pip install --force-reinstall askance`.")


async def settled(
    part: str, check: Coroutine[Any, Any, CheckResult], limit_s: float, *, needed: bool = True
) -> CheckResult:
    """Return what a check found, or what went wrong with it, within the limit."""
    try:
        async with asyncio.timeout(limit_s):
            found = await check
            return found if found.part else replace(found, part=part, needed=needed)
    except AskanceError as exc:
        return CheckResult(part, ok=False, message=exc.problem, fix=exc.fix, needed=needed)
    except TimeoutError:
        message = Message("It did not answer within {limit} seconds.", limit=f"{limit_s:g}")
        return CheckResult(part, ok=False, message=message, needed=needed)


async def check_model(parts: App, speeds: Speeds | None = None) -> CheckResult:
    """Ask the model's server which model it has, how much context calls really get, and for a token.

    `speeds` tell what was seen of it in past runs.
    """
    if parts.model is None:
        problem, fix = Message("No model server was found."), Message("Set llm.api and llm.url.")
        return CheckResult(ok=False, message=problem, fix=fix)
    info = await parts.model.info()
    await ask_for_token(parts.model, parts.ledger, "askance doctor")
    settings = parts.settings.llm
    message = Message(
        "{model} {place}, {n} tokens of context{loaded}.",
        model=" ".join(filter(None, (info.server, info.name))),
        place=_whereabouts(settings),
        n=info.context_tokens,
        loaded=await _loaded(settings, info),
    )
    seen = await speeds.known(settings.server, info.name) if speeds is not None else Speed()
    return CheckResult(message=Message.joined(message, _savings(seen.saved_share)))


async def check_entailment(model: Entailment) -> CheckResult:
    """Load the model that decides whether a source states a sentence, and count what it gets right.

    Raises:
        ServiceError, SettingsError: it cannot be used.
    """
    # Only where such a model is set: it brings the whole evaluation.
    from askance.app.evaluation.records import VERIFICATION_USABLE  # noqa: PLC0415
    from askance.app.evaluation.running import rightly_decided  # noqa: PLC0415

    right = await rightly_decided(model)
    message = Message(
        "Loaded; it is right about {n} of {of} test sentences.", n=right.count, of=right.of
    )
    if right.count >= VERIFICATION_USABLE * right.of:
        return CheckResult(message=message)
    fix = Message("Set answer.entailment to another model, or to nothing.")
    return CheckResult(ok=False, message=message, fix=fix)


async def check_search(parts: App, folders: Folders, sent: Sent) -> CheckResult:
    """Ask SearXNG how it is, and send one test query through whatever search is in force."""
    settings = parts.settings.search
    name = await _searxng(settings, folders)
    began = time.monotonic()
    # A real query: SearXNG answers `/healthz` even where all of its engines are blocked.
    page = await parts.search.search(TEST_QUERY, wanted=10, sent=sent)
    took, silent = _since(began), _silence(page)
    if page.fallback:
        name = Message(
            "Nothing answers at {address}; this program asks the engines itself",
            address=bare_address(settings.url),
        )
    if not page.results:
        return CheckResult(
            ok=False,
            message=Message.joined(
                Message("{search}, but a test query found nothing.", search=name), silent
            ),
            fix=Message(
                "Wait until its engines answer again, or switch on others in its settings."
            ),
        )
    found = Message("{search}: {found}", search=name, found=_found(page, took))
    return CheckResult(message=Message.joined(found, silent))


async def check_reader(parts: App, url: str, sent: Sent) -> CheckResult:
    """Read a page of the sample web twice: the first time the reader starts, the second it works."""
    began = time.monotonic()
    page = await parts.reader.read(url, sent=sent)
    if page.status is not PageStatus.OK:
        return CheckResult(
            ok=False,
            message=Message(
                "The reader could not read a sample page: {problem}",
                problem=page.detail or page.reason,
            ),
            fix=_REINSTALL
            if page.reason in _BROKEN
            else TOO_BUSY
            if page.reason is PageReason.TIMED_OUT
            else "",
        )
    first, began = _since(began), time.monotonic()
    await parts.reader.read(url, sent=sent)
    message = Message(
        "In this program, {n} workers, started in {first} ms; a page takes {ms} ms.",
        n=WORKERS,
        first=first,
        ms=_since(began),
    )
    return CheckResult(message=message)


async def check_sample_web(parts: App, query: str, sent: Sent) -> CheckResult:
    """Search the sample web, which the demo shows."""
    began = time.monotonic()
    page = await parts.search.search(query, wanted=10, sent=sent)
    message = _found(page, _since(began))
    return CheckResult(ok=bool(page.results), message=message)


def _found(page: ResultPage, ms: int) -> Message:
    if (n := len(page.results)) == 1:
        return Message("1 result in {ms} ms.", ms=ms)
    return Message("{n} results in {ms} ms.", n=n, ms=ms)


def _whereabouts(settings: LlmSettings) -> Message:
    if settings.api is LlmApi.EMBEDDED:
        return Message("inside this program")
    if is_here(settings.url):
        return Message("at {address}, on this machine", address=settings.server)
    return Message("at {address}, on another machine", address=settings.server)


async def _loaded(settings: LlmSettings, info: ModelInfo) -> str:
    """Say with how much context Ollama holds the model in memory now; other servers do not tell."""
    if settings.api is not LlmApi.OLLAMA:
        return ""
    try:
        tokens = await loaded_context(settings.url, info.name)
    except AskanceError:
        return ""
    # None: it is not in memory. 0: it is, and this Ollama does not report its context.
    if not tokens:
        return Message(", not loaded now") if tokens is None else Message(", loaded now")
    if tokens == info.context_tokens:
        return Message(", loaded with all of it")
    return Message(", loaded with {n} until the next call", n=tokens)


def _savings(share: float | None) -> Message:
    """Say how much of prompts that go on from the last one a server need not take in again."""
    if share is None:
        return NOTHING
    return Message("It keeps {n} % of the prompts that it is sent.", n=round(100 * share))


async def _searxng(settings: SearchSettings, folders: Folders) -> str:
    """Name the search engine, with its version and round trip where it tells them."""
    address = bare_address(settings.url)
    try:
        status = await searxng_vitals(settings.url, folders.search_token(settings.url))
    except AskanceError:
        return Message("SearXNG at {address}", address=address)
    return Message(
        "SearXNG {version} at {address} ({ms} ms)",
        version=status.version,
        address=address,
        ms=round(status.ms),
    )


def _silence(page: ResultPage) -> str:
    engines = ", ".join(f"{engine.name} ({engine.reason})" for engine in page.silent_engines)
    return Message("Engines that did not answer: {engines}.", engines=engines) if engines else ""


def _since(began: float) -> int:
    return round((time.monotonic() - began) * 1000)


async def check_containers(survey: Callable[[], Awaitable[Survey]]) -> CheckResult:
    """Look at the containers of `askance up`, where there is a tool for them."""
    try:
        seen = await survey()
    except (NoCli, NoComposePlugin) as exc:
        message = Message.joined(exc.problem, Message("`askance up` needs one."))
        return CheckResult(ok=False, message=message, fix=exc.fix)
    engine = f"{seen.engine.name} {seen.engine.version}"
    if not seen.begun:
        if (lacking := seen.lacking) is not None:
            message = Message(
                "{engine}; nothing is started, nor can it be: {problem}",
                engine=engine,
                problem=lacking.problem,
            )
            return CheckResult(ok=False, message=message, fix=lacking.fix)
        message = Message("{engine}; nothing is started.", engine=engine)
        return CheckResult(message=message)
    states = ", ".join(_state(seen, state) for state in seen.services)
    message = Message("{engine}: {states}.", engine=engine, states=states)
    ill = next((state.name for state in seen.services if not state.ok), "")
    # A container can be healthy and still not be reachable at its published port.
    ill = ill or next((trip.service for trip in seen.round_trips if trip.problem), "")
    if not ill:
        return CheckResult(message=message)
    fix = Message(
        "`askance up` starts what is missing; `askance logs {service}` says what is wrong with it.",
        service=ill,
    )
    return CheckResult(ok=False, message=message, fix=fix, actions=(START,))


async def check_consent(settings: SearchSettings) -> CheckResult:
    """Say what happens where SearXNG does not answer."""
    engines = ", ".join(engines_for(settings)) or Message("no engine that the settings allow")
    match settings.in_process:
        case Consent.GIVEN:
            message = Message(
                "Without SearXNG this program asks {engines} itself, as you agreed.",
                engines=engines,
            )
        case Consent.REFUSED:
            message = Message(
                "Without SearXNG there is no search, as you chose (search.in_process)."
            )
        case Consent.UNASKED:
            message = Message("Without SearXNG there is no search; you were not asked yet.")
    return CheckResult(message=message)


async def check_proxies(settings: Settings, environment: Mapping[str, str]) -> CheckResult:
    """Say through what queries and pages leave, and that a proxy of the environment is not used."""
    variable, address = unused_proxy(settings, environment)
    if variable:
        message = Message(
            "{variable} names {address}, which is not used: queries and pages go out directly.",
            variable=variable,
            address=bare_address(address),
        )
        # A password is not written out: the shell puts it in from the variable.
        shown = address if bare_address(address) == address else f'"${variable}"'
        fix = Remedy("Use it: `{command}`", command=f"{SET_PROXY} {shown}", setting="search.proxy")
        return CheckResult(ok=False, message=message, fix=fix)
    search, pages = bare_address(settings.search.proxy), bare_address(settings.page_reader.proxy)
    if search == pages:
        message = Message("Queries and pages go {way}.", way=_way(search))
    else:
        message = Message("Queries go {way}, pages {other}.", way=_way(search), other=_way(pages))
    if search or pages:
        message = Message.joined(
            message, Message("The containers take that over with `askance up`.")
        )
    return CheckResult(message=message)


async def check_window(
    environment: Mapping[str, str],
    look: Callable[[Mapping[str, str]], MissingLibraries | None] = missing_libraries,
) -> CheckResult:
    """Say whether Qt can show the window here: where a library is missing, it aborts the process."""
    if (missing := look(environment)) is not None:
        return CheckResult(ok=False, message=missing.problem, fix=missing.fix)
    tried = platforms(environment)
    message = (
        Message("What Qt needs for {platform} is there.", platform=tried[0])
        if tried
        else Message("There is no display to look at.")
    )
    return CheckResult(message=message)


async def check_input_method(environment: Mapping[str, str]) -> CheckResult:
    """Say with what other scripts are typed in the window."""
    found = input_method(environment)
    message = (
        Message("Other scripts are typed with {method}.", method=found.used)
        if found.used
        else Message("None is asked for.")
    )
    if found.used != found.asked:
        spoken = Message(
            "{asked} is asked for: fcitx5 is spoken to as {used}.",
            asked=found.asked,
            used=found.used,
        )
        message = Message.joined(message, spoken)
    return CheckResult(message=message)


async def check_fonts(
    look: Callable[[], HasFont | None] = fonts_of_system,
) -> CheckResult:
    """Say for which scripts there is no font: answers in them would be boxes."""
    has_font = look()
    if has_font is None:
        message = Message("Nobody knows which there are: there is no fc-list to ask.")
        return CheckResult(message=message)
    # The look-up waits for an `fc-list` process, which takes a while on a slow disk.
    lacking = await asyncio.to_thread(without_font, SCRIPTS, has_font)
    if lacking:
        fix = font_fix(lacking)
        return CheckResult(ok=False, message=font_problem(lacking), fix=fix)
    names = Message.joined(*(script.name for script in SCRIPTS), by=", ")
    message = Message("There are some for {names}.", names=names)
    return CheckResult(message=message)


async def check_cache(settings: Settings, folders: Folders) -> CheckResult:
    """Count the pages that are stored. Raises StorageError: the file cannot be used."""
    if not settings.cache.size_mb:
        return CheckResult(message=Message("Switched off."))
    troubles: list[str] = []
    with Container(settings, folders, troubles.append) as parts:
        contents = parts.page_cache.contents()
    if troubles:
        return _begun_anew("page cache", troubles)
    message = Message(
        "{n} pages, {used} of {limit} MiB.",
        n=contents.pages,
        used=f"{contents.bytes / _MIB:,.1f}",
        limit=settings.cache.size_mb,
    )
    return CheckResult(message=message)


async def check_ledger(settings: Settings, folders: Folders) -> CheckResult:
    """Count the entries of the ledger. Raises StorageError: the file cannot be used, so nothing is sent."""
    days = settings.ledger.keep_days
    troubles: list[str] = []
    with Container(settings, folders, troubles.append) as parts:
        parts.ledger.check()
        entries = parts.ledger.entries(datetime.now(UTC) - timedelta(days=days))
    if troubles:
        return _begun_anew("ledger", troubles)
    message = Message(
        "{n} entries of the last {days} days; `askance ledger` shows them.",
        n=len(entries),
        days=days,
    )
    return CheckResult(message=message)


def _begun_anew(part: str, troubles: Sequence[str]) -> CheckResult:
    """Say that a file of ours was damaged. Looking at it has put an empty one in its place."""
    return CheckResult(part, ok=False, message=Message.joined(*troubles), needed=False)


def _state(seen: Survey, state: ServiceState) -> str:
    trip = seen.round_trip(state.name)
    if trip is not None:
        return f"{state.name} {trip.problem or f'{state.health} ({trip.ms:,.0f} ms)'}"
    return f"{state.name} {state.health if state.state == RUNNING else state.state}"


def _way(proxy: str) -> Message:
    return Message("through {proxy}", proxy=proxy) if proxy else Message("out directly")


@runtime_checkable
class ConfinedReader(Protocol):
    """A reader that takes pages apart in child processes of this program."""

    async def protections(self) -> Protections:
        """Return which protections hold for them. Raises ServiceDown: they cannot be started."""
        ...


async def check_confinement(reader: ConfinedReader) -> CheckResult:
    """Say which protections hold for the processes that take pages apart, and why others do not.

    Raises:
        ServiceDown: the processes cannot be started.
    """
    found = await reader.protections()
    held = ", ".join(_named(protection, found) for protection in found.held) or Message("nothing")
    message = Message("What takes pages apart is held by: {names}.", names=held)
    if found.missing:
        lacking = "; ".join(f"{name}: {why}" for name, why in found.missing.items())
        message = Message.joined(message, Message("Not here: {names}.", names=lacking))
    # The filter of system calls refuses the network, files and processes by itself.
    if {Protection.SECCOMP, Protection.MEMORY} <= set(found.held):
        return CheckResult(message=message)
    fix = Message(
        "A page that takes the process over could reach files or the network of this machine."
    )
    return CheckResult(ok=False, message=message, fix=fix)


def _named(protection: Protection, found: Protections) -> str:
    return f"Landlock {found.landlock}" if protection is Protection.LANDLOCK else protection


Checks = dict[str, Callable[[], Coroutine[Any, Any, CheckResult]]]
HasNetwork = Callable[[SearchSettings], bool]

_READS = "reader"
# Nothing is sent that the ledger cannot take.
_NEEDED = frozenset({MODEL, SEARCH, _READS, "ledger"})
# These start child processes, or load a model, which takes so many times as long on a busy machine.
_STARTING = frozenset({MODEL, ENTAILMENT, _READS, CONFINEMENT})
_BUSY_MACHINE = 3


@dataclass(frozen=True, slots=True)
class Examination:
    """What was found of each part, and the command that leads on, where one is known."""

    results: list[CheckResult]
    command: str = ""


@dataclass(frozen=True, slots=True)
class Examiner:
    """Looks at every part."""

    settings: Settings
    folders: Folders
    environment: Mapping[str, str]
    open_app: Callable[..., AbstractAsyncContextManager[App]]
    serve_sample_web: Callable[[], AbstractContextManager[SampleWeb]]
    services: Services
    is_online: HasNetwork
    limit_s: float

    async def examine(self) -> Examination:
        """Look at everything. Parts that cannot be opened are a finding; the others are looked at."""
        settings, folders, survey = self.settings, self.folders, self.services.survey
        # The order of `checks` is that of the report.
        looks, checks, unopened = Checks(), Checks(), list[CheckResult]()
        async with AsyncExitStack() as stack:
            web = stack.enter_context(self.serve_sample_web())
            question = web.questions[0]
            try:
                # Only the sample's page is read, by the parts that are opened below.
                app = await stack.enter_async_context(self.open_app(settings, folders))
            except AskanceError as exc:
                unopened.append(CheckResult("start", ok=False, message=exc.problem, fix=exc.fix))
            else:
                sent = ledger_recorder(app.ledger, "askance doctor")
                looks = self._first_looks(app)
                checks[MODEL] = lambda: check_model(app, SpeedFile(folders.speeds))
                if (entailment := app.engine.entailment) is not None:
                    checks[ENTAILMENT] = lambda: check_entailment(entailment)
                checks[SEARCH] = lambda: check_search(app, folders, sent)
            try:
                sample = await stack.enter_async_context(
                    self.open_app(without_model(settings), folders, sample_web=web)
                )
            except AskanceError as exc:
                unopened.append(CheckResult(_READS, ok=False, message=exc.problem, fix=exc.fix))
                sample = None
            else:
                url = question.gold[0].url
                checks[_READS] = lambda: check_reader(sample, url, ignore)
                confined = sample.reader
                if isinstance(confined, ConfinedReader):
                    checks[CONFINEMENT] = lambda: check_confinement(confined)
            checks |= {
                READER: lambda: look_at_reader(settings, folders, survey),
                "containers": lambda: check_containers(survey),
                "fallback": lambda: check_consent(settings.search),
                "proxies": lambda: check_proxies(settings, self.environment),
                "window": lambda: check_window(self.environment),
                "input method": lambda: check_input_method(self.environment),
                "fonts": check_fonts,
                "page cache": lambda: check_cache(settings, folders),
                "ledger": lambda: check_ledger(settings, folders),
                "installation": lambda: check_installation(self.environment),
                "updates": lambda: check_updates(
                    UpdateChecker(settings, folders, self.is_online), self.environment
                ),
            }
            if sample is not None:
                checks["sample web"] = lambda: check_sample_web(sample, question.question, ignore)
            async with asyncio.TaskGroup() as group:
                looking = [
                    group.create_task(_within(self.limit_s, look())) for look in looks.values()
                ]
                found = await _all(checks, self.limit_s)
            first = {look.part: look for task in looking if (look := task.result())}
            results = [*unopened, *(_with_ways(result, first) for result in found)]
            return Examination(results, _command(first, found))

    def _first_looks(self, app: App) -> Checks:
        """What the first page looks at: what can be done where the checks find something wrong."""
        online, survey = self.is_online(app.settings.search), self.services.survey
        return {
            MODEL: lambda: look_at_model(app, self.environment, online=online, asks=False),
            SEARCH: lambda: look_at_search(app.settings, self.folders, survey, online=online),
        }


def _with_ways(result: CheckResult, first: Mapping[str, CheckResult]) -> CheckResult:
    look = first.get(result.part)
    return result if result.ok or look is None else replace(result, actions=look.actions)


def _command(first: Mapping[str, CheckResult], found: Sequence[CheckResult]) -> str:
    """Return what to do next; nothing if that is not known."""
    model = next((result for result in found if result.part == MODEL and not result.ok), None)
    fix = model.fix if model is not None else ""
    has_command = (isinstance(fix, Remedy) and bool(fix.command)) or (
        MODEL in first and bool(first[MODEL].actions)
    )
    if fix and not has_command and {MODEL, SEARCH} <= first.keys():
        return one_line(fix)
    return command_of(first[MODEL], first[SEARCH]) if {MODEL, SEARCH} <= first.keys() else ""


async def _within(limit_s: float, look: Coroutine[Any, Any, CheckResult]) -> CheckResult | None:
    try:
        async with asyncio.timeout(limit_s):
            return await look
    except TimeoutError:
        return None


async def _all(checks: Checks, limit_s: float) -> list[CheckResult]:
    async with asyncio.TaskGroup() as group:
        looking = [
            group.create_task(
                settled(
                    part,
                    check(),
                    limit_s * (_BUSY_MACHINE if part in _STARTING else 1),
                    needed=part in _NEEDED,
                )
            )
            for part, check in checks.items()
        ]
    return [task.result() for task in looking]
