"""The parts of an installation, looked at: one check a part, none an error."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol, runtime_checkable

from askance.adapters.containers.problems import NoCli, NoComposePlugin
from askance.adapters.network.service_status import loaded_context, searxng_vitals
from askance.adapters.reader.workers import WORKERS
from askance.adapters.search.metasearch_engines import engines_for
from askance.app.checks.findings import START, CheckResult
from askance.app.checks.first_steps import ask_for_token, is_here
from askance.app.container import App, Container
from askance.config.choices import Consent, LlmApi
from askance.config.folders import Folders
from askance.config.proxies import SET_PROXY, unused_proxy
from askance.config.settings import LlmSettings, SearchSettings, Settings
from askance.domain.addresses import bare_address
from askance.domain.containers import RUNNING, ServiceState, Survey
from askance.domain.errors import AskanceError
from askance.domain.messages import Remedy
from askance.domain.ports.model import ModelInfo
from askance.domain.ports.web import Sent
from askance.domain.web import PageReason, PageStatus, ResultPage
from askance.extract.sandbox.protections import Protection, Protections
from askance.presentation.i18n import counted
from askance.system.fonts import (
    SCRIPTS,
    HasFont,
    fix_of,
    fonts_of_system,
    problem_of,
    without_font,
)
from askance.system.input_method import input_method
from askance.system.qt_libraries import MissingLibraries, missing_libraries, platforms

# A healthy service answers within a second; a search that asks the web may take several.
LIMIT_S = 20.0
TEST_QUERY = "weather"
CONTAINERS, CONFINEMENT, FONTS = "containers", "confinement", "fonts"
_MIB = 1_048_576
# A sample page is on this machine: where these are the reason, the reader itself is broken.
_BROKEN = frozenset({PageReason.EXTRACTION, PageReason.INTERNAL, PageReason.NO_TEXT})
_REINSTALL = "Reinstall it: `pip install --force-reinstall askance`."


async def settled(
    part: str, check: Coroutine[Any, Any, CheckResult], limit_s: float, *, needed: bool = True
) -> CheckResult:
    """Return what a check found, or what went wrong with it, within the limit."""
    try:
        async with asyncio.timeout(limit_s):
            return await check
    except AskanceError as exc:
        return CheckResult(part, ok=False, message=exc.problem, fix=exc.fix, needed=needed)
    except TimeoutError:
        message = f"It did not answer within {limit_s:g} seconds."
        return CheckResult(part, ok=False, message=message, needed=needed)


async def check_model(parts: App) -> CheckResult:
    """Ask the model's server which model it has, how much context calls really get, and for a token."""
    if parts.model is None:
        return CheckResult(
            "model", ok=False, message="No model server was found.", fix="Set llm.api and llm.url."
        )
    info = await parts.model.info()
    await ask_for_token(parts.model, parts.ledger, "askance doctor")
    settings = parts.settings.llm
    context = f"{counted(info.context_tokens, 'token')} of context"
    name = " ".join(filter(None, (info.server, info.name)))
    message = f"{name} {_whereabouts(settings)}, {context}{await _loaded(settings, info)}."
    return CheckResult("model", ok=True, message=message)


async def check_search(parts: App, folders: Folders, sent: Sent) -> CheckResult:
    """Ask SearXNG how it is, and send one test query through whatever search is in force."""
    settings = parts.settings.search
    name = await _searxng(settings, folders)
    began = time.monotonic()
    page = await parts.search.search(TEST_QUERY, wanted=10, sent=sent)
    took, silent = _since(began), _silence(page)
    if page.fallback:
        name = (
            f"Nothing answers at {bare_address(settings.url)}; this program asks the engines itself"
        )
    if not page.results:
        return CheckResult(
            "search",
            ok=False,
            message=f"{name}, but a test query found nothing.{silent}",
            fix="Wait until its engines answer again, or switch on others in its settings.",
        )
    found = counted(len(page.results), "result")
    return CheckResult("search", ok=True, message=f"{name}: {found} in {took}.{silent}")


async def check_reader(parts: App, url: str, sent: Sent) -> CheckResult:
    """Read a page of the sample web twice: the first time the reader starts, the second it works."""
    began = time.monotonic()
    page = await parts.reader.read(url, sent=sent)
    if page.status is not PageStatus.OK:
        return CheckResult(
            "reader",
            ok=False,
            message=f"The reader could not read a sample page: {page.detail or page.reason}",
            fix=_REINSTALL if page.reason in _BROKEN else "",
        )
    first, began = _since(began), time.monotonic()
    await parts.reader.read(url, sent=sent)
    workers = counted(WORKERS, "worker")
    message = f"In this program, {workers}, started in {first}; a page takes {_since(began)}."
    return CheckResult("reader", ok=True, message=message)


async def check_sample_web(parts: App, query: str, sent: Sent) -> CheckResult:
    """Search the sample web, which the demo shows."""
    began = time.monotonic()
    page = await parts.search.search(query, wanted=10, sent=sent)
    message = f"{counted(len(page.results), 'result')} in {_since(began)}."
    return CheckResult("sample web", ok=bool(page.results), message=message, needed=False)


def _whereabouts(settings: LlmSettings) -> str:
    if settings.api is LlmApi.EMBEDDED:
        return "inside this program"
    return f"at {settings.server}, on {'this' if is_here(settings.url) else 'another'} machine"


async def _loaded(settings: LlmSettings, info: ModelInfo) -> str:
    """Say with how much context Ollama holds the model in memory now; other servers do not tell."""
    if settings.api is not LlmApi.OLLAMA:
        return ""
    try:
        tokens = await loaded_context(settings.url, info.name)
    except AskanceError:
        return ""
    if not tokens:
        return ", not loaded now" if tokens is None else ", loaded now"
    if tokens == info.context_tokens:
        return ", loaded with all of it"
    return f", loaded with {tokens:,} until the next call"


async def _searxng(settings: SearchSettings, folders: Folders) -> str:
    """Name the search engine, with its version and round trip where it tells them."""
    url = settings.url
    try:
        status = await searxng_vitals(url, folders.search_token(url, settings.token_file))
    except AskanceError:
        return f"SearXNG at {bare_address(url)}"
    return f"SearXNG {status.version} at {bare_address(url)} ({status.ms:,.0f} ms)"


def _silence(page: ResultPage) -> str:
    engines = ", ".join(f"{engine.name} ({engine.reason})" for engine in page.silent_engines)
    return f" Engines that did not answer: {engines}." if engines else ""


def _since(began: float) -> str:
    return f"{(time.monotonic() - began) * 1000:,.0f} ms"


async def check_containers(survey: Callable[[], Awaitable[Survey]]) -> CheckResult:
    """Look at the containers of `askance up`, where there is a tool for them."""
    try:
        seen = await survey()
    except (NoCli, NoComposePlugin) as exc:
        message = f"{exc.problem} `askance up` needs one."
        return CheckResult(CONTAINERS, ok=False, message=message, fix=exc.fix, needed=False)
    except AskanceError as exc:
        return CheckResult(CONTAINERS, ok=False, message=exc.problem, fix=exc.fix, needed=False)
    engine = f"{seen.engine.name} {seen.engine.version}"
    if not seen.begun:
        if (lacking := seen.lacking) is not None:
            message = f"{engine}; nothing is started, nor can it be: {lacking.problem}"
            return CheckResult(CONTAINERS, ok=False, message=message, fix=lacking.fix, needed=False)
        message = f"{engine}; nothing is started."
        return CheckResult(CONTAINERS, ok=True, message=message, needed=False)
    message = f"{engine}: {', '.join(_state(seen, state) for state in seen.services)}."
    ill = next((state.name for state in seen.services if not state.ok), "")
    ill = ill or next((trip.service for trip in seen.round_trips if trip.problem), "")
    if not ill:
        return CheckResult(CONTAINERS, ok=True, message=message, needed=False)
    fix = f"`askance up` starts what is missing; `askance logs {ill}` says what is wrong with it."
    return CheckResult(
        CONTAINERS, ok=False, message=message, fix=fix, needed=False, actions=(START,)
    )


async def check_consent(settings: SearchSettings) -> CheckResult:
    """Say what happens where SearXNG does not answer."""
    engines = ", ".join(engines_for(settings)) or "no engine that the settings allow"
    match settings.in_process:
        case Consent.GIVEN:
            message = f"Without SearXNG this program asks {engines} itself, as you agreed."
        case Consent.REFUSED:
            message = "Without SearXNG there is no search, as you chose (search.in_process)."
        case Consent.UNASKED:
            message = "Without SearXNG there is no search; you were not asked yet."
    return CheckResult("fallback", ok=True, message=message, needed=False)


async def check_proxies(settings: Settings, environment: Mapping[str, str]) -> CheckResult:
    """Say through what queries and pages leave, and that a proxy of the environment is not used."""
    variable, address = unused_proxy(settings, environment)
    if variable:
        message = (
            f"{variable} names {bare_address(address)}, which is not used: queries and pages go"
        )
        shown = address if bare_address(address) == address else f'"${variable}"'
        fix = Remedy("Use it: `{command}`", command=f"{SET_PROXY} {shown}", setting="search.proxy")
        return CheckResult(
            "proxies", ok=False, message=f"{message} out directly.", fix=fix, needed=False
        )
    search, pages = bare_address(settings.search.proxy), bare_address(settings.page_reader.proxy)
    if search == pages:
        message = f"Queries and pages go {_way(search)}."
    else:
        message = f"Queries go {_way(search)}, pages {_way(pages)}."
    if search or pages:
        message += " The containers take that over with `askance up`."
    return CheckResult("proxies", ok=True, message=message, needed=False)


async def check_window(
    environment: Mapping[str, str],
    look: Callable[[Mapping[str, str]], MissingLibraries | None] = missing_libraries,
) -> CheckResult:
    """Say whether Qt can show the window here: where a library is missing, it aborts the process."""
    if (missing := look(environment)) is not None:
        return CheckResult(
            "window", ok=False, message=missing.problem, fix=missing.fix, needed=False
        )
    tried = platforms(environment)
    message = (
        f"What Qt needs for {tried[0]} is there." if tried else "There is no display to look at."
    )
    return CheckResult("window", ok=True, message=message, needed=False)


async def check_input_method(environment: Mapping[str, str]) -> CheckResult:
    """Say with what other scripts are typed in the window."""
    found = input_method(environment)
    message = f"Other scripts are typed with {found.used}." if found.used else "None is asked for."
    if found.used != found.asked:
        message += f" {found.asked} is asked for: fcitx5 is spoken to as {found.used}."
    return CheckResult("input method", ok=True, message=message, needed=False)


async def check_fonts(
    look: Callable[[], HasFont | None] = fonts_of_system,
) -> CheckResult:
    """Say for which scripts there is no font: answers in them would be boxes."""
    has_font = look()
    if has_font is None:
        message = "Nobody knows which there are: there is no fc-list to ask."
        return CheckResult(FONTS, ok=True, message=message, needed=False)
    lacking = await asyncio.to_thread(without_font, SCRIPTS, has_font)
    if lacking:
        fix = fix_of(lacking)
        return CheckResult(FONTS, ok=False, message=problem_of(lacking), fix=fix, needed=False)
    names = ", ".join(script.name for script in SCRIPTS)
    return CheckResult(FONTS, ok=True, message=f"There are some for {names}.", needed=False)


async def check_cache(settings: Settings, folders: Folders) -> CheckResult:
    """Count the pages that are kept. Raises StorageError: the file cannot be used."""
    if not settings.cache.enabled:
        return CheckResult("page cache", ok=True, message="Switched off.", needed=False)
    troubles: list[str] = []
    with Container(settings, folders, troubles.append) as parts:
        contents = parts.page_cache.contents()
    if troubles:
        return _begun_anew("page cache", troubles)
    room = f"{contents.bytes / _MIB:,.1f} of {settings.cache.size_mb:,} MiB"
    return CheckResult("page cache", ok=True, message=f"{counted(contents.pages, 'page')}, {room}.")


async def check_ledger(settings: Settings, folders: Folders) -> CheckResult:
    """Count the entries of the ledger. Raises StorageError: the file cannot be used."""
    days = settings.ledger.keep_days
    troubles: list[str] = []
    with Container(settings, folders, troubles.append) as parts:
        entries = parts.ledger.entries(datetime.now(UTC) - timedelta(days=days))
    if troubles:
        return _begun_anew("ledger", troubles)
    number = f"{len(entries):,} {'entry' if len(entries) == 1 else 'entries'}"
    message = f"{number} of the last {counted(days, 'day')}; `askance ledger` shows them."
    return CheckResult("ledger", ok=True, message=message, needed=False)


def _begun_anew(part: str, troubles: Sequence[str]) -> CheckResult:
    """Say that a file of ours was damaged. Looking at it has put an empty one in its place."""
    return CheckResult(part, ok=False, message=" ".join(troubles), needed=False)


def _state(seen: Survey, state: ServiceState) -> str:
    trip = seen.round_trip(state.name)
    if trip is not None:
        return f"{state.name} {trip.problem or f'{state.health} ({trip.ms:,.0f} ms)'}"
    return f"{state.name} {state.health if state.state == RUNNING else state.state}"


def _way(proxy: str) -> str:
    return f"through {proxy}" if proxy else "out directly"


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
    held = ", ".join(_named(protection, found) for protection in found.held) or "nothing"
    message = f"What takes pages apart is held by: {held}."
    if found.missing:
        lacking = "; ".join(f"{name}: {why}" for name, why in found.missing.items())
        message += f" Not here: {lacking}."
    # The filter of system calls refuses the network, files and processes by itself.
    if {Protection.SECCOMP, Protection.MEMORY} <= set(found.held):
        return CheckResult(CONFINEMENT, ok=True, message=message, needed=False)
    fix = "A page that takes the process over could reach files or the network of this machine."
    return CheckResult(CONFINEMENT, ok=False, message=message, fix=fix, needed=False)


def _named(protection: Protection, found: Protections) -> str:
    return f"Landlock {found.landlock}" if protection is Protection.LANDLOCK else protection
