"""The parts of an installation, looked at: one check a part, none an error."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol, runtime_checkable

from askance.adapters.containers.problems import NoCli, NoComposePlugin
from askance.adapters.containers.state import RUNNING, ServiceState, Survey
from askance.adapters.desktop.fonts import (
    SCRIPTS,
    HasFont,
    fix_of,
    fonts_of_system,
    problem_of,
    without_font,
)
from askance.adapters.desktop.input_method import input_method
from askance.adapters.desktop.qt_libraries import MissingLibraries, missing_libraries, platforms
from askance.adapters.network.service_status import loaded_context, searxng_vitals
from askance.adapters.search.metasearch_engines import engines_for
from askance.config.choices import Consent, LlmApi
from askance.config.folders import Folders
from askance.config.proxies import SET_PROXY, unused_proxy
from askance.config.settings import LlmSettings, SearchSettings, Settings
from askance.domain.addresses import bare_address
from askance.domain.errors import AskanceError
from askance.domain.messages import Remedy
from askance.domain.web import PageReason, PageStatus, ResultPage
from askance.extract.sandbox.protections import Protection, Protections
from askance.health.findings import START, Finding, Parts
from askance.health.first_steps import ask_for_token, is_here
from askance.ports.model import ModelInfo
from askance.ports.web import Sent
from askance.presentation.i18n import counted
from askance.stores import open_ledger, open_page_cache

# A healthy service answers within a second; a search that asks the web may take several.
LIMIT_S = 20.0
TEST_QUERY = "weather"
CONTAINERS, CONFINEMENT, FONTS = "containers", "confinement", "fonts"
_MIB = 1_048_576
# A sample page is on this machine: where these are the reason, the reader itself is broken.
_BROKEN = frozenset({PageReason.EXTRACTION, PageReason.INTERNAL, PageReason.NO_TEXT})
_REINSTALL = "Reinstall it: `pip install --force-reinstall askance`."


async def settled(
    part: str, check: Coroutine[Any, Any, Finding], limit_s: float, *, needed: bool = True
) -> Finding:
    """Return what a check found, or what went wrong with it, within the limit."""
    try:
        async with asyncio.timeout(limit_s):
            return await check
    except AskanceError as exc:
        return Finding(part, ok=False, says=exc.problem, fix=exc.fix, needed=needed)
    except TimeoutError:
        says = f"It did not answer within {limit_s:g} seconds."
        return Finding(part, ok=False, says=says, needed=needed)


async def check_model(parts: Parts) -> Finding:
    """Ask the model's server which model it has, how much context calls really get, and for a token."""
    if parts.model is None:
        return Finding(
            "model", ok=False, says="No model server was found.", fix="Set llm.api and llm.url."
        )
    info = await parts.model.info()
    await ask_for_token(parts.model, parts.ledger, "askance doctor")
    settings = parts.settings.llm
    context = f"{counted(info.context_tokens, 'token')} of context"
    name = " ".join(filter(None, (info.server, info.name)))
    says = f"{name} {_whereabouts(settings)}, {context}{await _loaded(settings, info)}."
    return Finding("model", ok=True, says=says)


async def check_search(parts: Parts, folders: Folders, sent: Sent) -> Finding:
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
        return Finding(
            "search",
            ok=False,
            says=f"{name}, but a test query found nothing.{silent}",
            fix="Wait until its engines answer again, or switch on others in its settings.",
        )
    found = counted(len(page.results), "result")
    return Finding("search", ok=True, says=f"{name}: {found} in {took}.{silent}")


async def check_reader(parts: Parts, url: str, sent: Sent) -> Finding:
    """Read a page of the sample web twice: the first time the reader starts, the second it works."""
    began = time.monotonic()
    page = await parts.reader.read(url, sent=sent)
    if page.status is not PageStatus.OK:
        return Finding(
            "reader",
            ok=False,
            says=f"The reader could not read a sample page: {page.detail or page.reason}",
            fix=_REINSTALL if page.reason in _BROKEN else "",
        )
    first, began = _since(began), time.monotonic()
    await parts.reader.read(url, sent=sent)
    workers = counted(parts.settings.reader.workers, "worker")
    says = f"In this program, {workers}, started in {first}; a page takes {_since(began)}."
    return Finding("reader", ok=True, says=says)


async def check_sample_web(parts: Parts, query: str, sent: Sent) -> Finding:
    """Search the sample web, which the demo shows."""
    began = time.monotonic()
    page = await parts.search.search(query, wanted=10, sent=sent)
    says = f"{counted(len(page.results), 'result')} in {_since(began)}."
    return Finding("sample web", ok=bool(page.results), says=says, needed=False)


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
        vitals = await searxng_vitals(url, folders.search_token(url, settings.token_file))
    except AskanceError:
        return f"SearXNG at {bare_address(url)}"
    return f"SearXNG {vitals.version} at {bare_address(url)} ({vitals.ms:,.0f} ms)"


def _silence(page: ResultPage) -> str:
    engines = ", ".join(f"{engine.name} ({engine.reason})" for engine in page.silent_engines)
    return f" Engines that did not answer: {engines}." if engines else ""


def _since(began: float) -> str:
    return f"{(time.monotonic() - began) * 1000:,.0f} ms"


async def check_containers(survey: Callable[[], Awaitable[Survey]]) -> Finding:
    """Look at the containers of `askance up`, where there is a tool for them."""
    try:
        seen = await survey()
    except (NoCli, NoComposePlugin) as exc:
        says = f"{exc.problem} `askance up` needs one."
        return Finding(CONTAINERS, ok=False, says=says, fix=exc.fix, needed=False)
    except AskanceError as exc:
        return Finding(CONTAINERS, ok=False, says=exc.problem, fix=exc.fix, needed=False)
    engine = f"{seen.engine.name} {seen.engine.version}"
    if not seen.begun:
        if (lacking := seen.lacking) is not None:
            says = f"{engine}; nothing is started, nor can it be: {lacking.problem}"
            return Finding(CONTAINERS, ok=False, says=says, fix=lacking.fix, needed=False)
        says = f"{engine}; nothing is started."
        return Finding(CONTAINERS, ok=True, says=says, needed=False)
    says = f"{engine}: {', '.join(_state(seen, state) for state in seen.services)}."
    ill = next((state.name for state in seen.services if not state.ok), "")
    ill = ill or next((trip.service for trip in seen.round_trips if trip.problem), "")
    if not ill:
        return Finding(CONTAINERS, ok=True, says=says, needed=False)
    fix = f"`askance up` starts what is missing; `askance logs {ill}` says what is wrong with it."
    return Finding(CONTAINERS, ok=False, says=says, fix=fix, needed=False, ways=(START,))


async def check_consent(settings: SearchSettings) -> Finding:
    """Say what happens where SearXNG does not answer."""
    engines = ", ".join(engines_for(settings)) or "no engine that the settings allow"
    match settings.in_process:
        case Consent.GIVEN:
            says = f"Without SearXNG this program asks {engines} itself, as you agreed."
        case Consent.REFUSED:
            says = "Without SearXNG there is no search, as you chose (search.in_process)."
        case Consent.UNASKED:
            says = "Without SearXNG there is no search; you were not asked yet."
    return Finding("fallback", ok=True, says=says, needed=False)


async def check_proxies(settings: Settings, environment: Mapping[str, str]) -> Finding:
    """Say through what queries and pages leave, and that a proxy of the environment is not used."""
    variable, address = unused_proxy(settings, environment)
    if variable:
        says = f"{variable} names {bare_address(address)}, which is not used: queries and pages go"
        shown = address if bare_address(address) == address else f'"${variable}"'
        fix = Remedy("Use it: `{command}`", command=f"{SET_PROXY} {shown}", setting="search.proxy")
        return Finding("proxies", ok=False, says=f"{says} out directly.", fix=fix, needed=False)
    search, pages = bare_address(settings.search.proxy), bare_address(settings.page_reader.proxy)
    if search == pages:
        says = f"Queries and pages go {_way(search)}."
    else:
        says = f"Queries go {_way(search)}, pages {_way(pages)}."
    if search or pages:
        says += " The containers take that over with `askance up`."
    return Finding("proxies", ok=True, says=says, needed=False)


async def check_window(
    environment: Mapping[str, str],
    look: Callable[[Mapping[str, str]], MissingLibraries | None] = missing_libraries,
) -> Finding:
    """Say whether Qt can show the window here: where a library is missing, it aborts the process."""
    if (missing := look(environment)) is not None:
        return Finding("window", ok=False, says=missing.problem, fix=missing.fix, needed=False)
    tried = platforms(environment)
    says = f"What Qt needs for {tried[0]} is there." if tried else "There is no display to look at."
    return Finding("window", ok=True, says=says, needed=False)


async def check_input_method(environment: Mapping[str, str]) -> Finding:
    """Say with what other scripts are typed in the window."""
    found = input_method(environment)
    says = f"Other scripts are typed with {found.used}." if found.used else "None is asked for."
    if found.used != found.asked:
        says += f" {found.asked} is asked for: fcitx5 is spoken to as {found.used}."
    return Finding("input method", ok=True, says=says, needed=False)


async def check_fonts(
    look: Callable[[], HasFont | None] = fonts_of_system,
) -> Finding:
    """Say for which scripts there is no font: answers in them would be boxes."""
    has_font = look()
    if has_font is None:
        says = "Nobody knows which there are: there is no fc-list to ask."
        return Finding(FONTS, ok=True, says=says, needed=False)
    lacking = await asyncio.to_thread(without_font, SCRIPTS, has_font)
    if lacking:
        fix = fix_of(lacking)
        return Finding(FONTS, ok=False, says=problem_of(lacking), fix=fix, needed=False)
    names = ", ".join(script.name for script in SCRIPTS)
    return Finding(FONTS, ok=True, says=f"There are some for {names}.", needed=False)


async def check_cache(settings: Settings, folders: Folders) -> Finding:
    """Count the pages that are kept. Raises StoreUnusable: the file cannot be used."""
    if not settings.cache.enabled:
        return Finding("page cache", ok=True, says="Switched off.", needed=False)
    troubles: list[str] = []
    with closing(open_page_cache(settings, folders, troubles.append)) as cache:
        kept = cache.contents()
    if troubles:
        return _begun_anew("page cache", troubles)
    room = f"{kept.bytes / _MIB:,.1f} of {settings.cache.size_mb:,} MiB"
    return Finding("page cache", ok=True, says=f"{counted(kept.pages, 'page')}, {room}.")


async def check_ledger(settings: Settings, folders: Folders) -> Finding:
    """Count the entries of the ledger. Raises StoreUnusable: the file cannot be used."""
    days = settings.ledger.keep_days
    troubles: list[str] = []
    with closing(open_ledger(settings, folders, troubles.append)) as ledger:
        entries = ledger.entries(datetime.now(UTC) - timedelta(days=days))
    if troubles:
        return _begun_anew("ledger", troubles)
    number = f"{len(entries):,} {'entry' if len(entries) == 1 else 'entries'}"
    says = f"{number} of the last {counted(days, 'day')}; `askance ledger` shows them."
    return Finding("ledger", ok=True, says=says, needed=False)


def _begun_anew(part: str, troubles: Sequence[str]) -> Finding:
    """Say that a file of ours was damaged. Looking at it has put an empty one in its place."""
    return Finding(part, ok=False, says=" ".join(troubles), needed=False)


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


async def check_confinement(reader: ConfinedReader) -> Finding:
    """Say which protections hold for the processes that take pages apart, and why others do not.

    Raises:
        ServiceDown: the processes cannot be started.
    """
    found = await reader.protections()
    held = ", ".join(_named(protection, found) for protection in found.held) or "nothing"
    says = f"What takes pages apart is held by: {held}."
    if found.missing:
        lacking = "; ".join(f"{name}: {why}" for name, why in found.missing.items())
        says += f" Not here: {lacking}."
    # The filter of system calls refuses the network, files and processes by itself.
    if {Protection.SECCOMP, Protection.MEMORY} <= set(found.held):
        return Finding(CONFINEMENT, ok=True, says=says, needed=False)
    fix = "A page that takes the process over could reach files or the network of this machine."
    return Finding(CONFINEMENT, ok=False, says=says, fix=fix, needed=False)


def _named(protection: Protection, found: Protections) -> str:
    return f"Landlock {found.landlock}" if protection is Protection.LANDLOCK else protection
