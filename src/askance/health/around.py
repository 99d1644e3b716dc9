"""What stands around the parts: containers, consent, proxies, what is kept."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta

from askance.adapters.containers.problems import NoCli, NoComposePlugin
from askance.adapters.containers.state import RUNNING, ServiceState, Survey
from askance.adapters.search.metasearch_engines import engines_for
from askance.config.choices import Consent
from askance.config.folders import Folders
from askance.config.settings import SearchSettings, Settings
from askance.domain.errors import AskanceError
from askance.domain.web import bare_proxy
from askance.health.findings import START, Finding
from askance.presentation.i18n import counted
from askance.stores import open_ledger, open_page_cache

CONTAINERS = "containers"
_MIB = 1_048_576


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


async def check_proxies(settings: Settings) -> Finding:
    """Say through what queries and pages leave."""
    search, pages = bare_proxy(settings.search.proxy), bare_proxy(settings.page_reader.proxy)
    if search == pages:
        says = f"Queries and pages go {_way(search)}."
    else:
        says = f"Queries go {_way(search)}, pages {_way(pages)}."
    if search or pages:
        says += " The containers take that over with `askance up`."
    return Finding("proxies", ok=True, says=says, needed=False)


async def check_cache(settings: Settings, folders: Folders) -> Finding:
    """Count the pages that are kept. Raises StoreUnusable: the file cannot be used."""
    if not settings.cache.enabled:
        return Finding("page cache", ok=True, says="Switched off.", needed=False)
    with closing(open_page_cache(settings, folders)) as cache:
        kept = cache.contents()
    room = f"{kept.bytes / _MIB:,.1f} of {settings.cache.size_mb:,} MiB"
    return Finding("page cache", ok=True, says=f"{counted(kept.pages, 'page')}, {room}.")


async def check_ledger(settings: Settings, folders: Folders) -> Finding:
    """Count the entries of the ledger. Raises StoreUnusable: the file cannot be used."""
    days = settings.ledger.keep_days
    with closing(open_ledger(settings, folders)) as ledger:
        entries = ledger.entries(datetime.now(UTC) - timedelta(days=days))
    number = f"{len(entries):,} {'entry' if len(entries) == 1 else 'entries'}"
    says = f"{number} of the last {counted(days, 'day')}; `askance ledger` shows them."
    return Finding("ledger", ok=True, says=says, needed=False)


def _state(seen: Survey, state: ServiceState) -> str:
    trip = seen.round_trip(state.name)
    if trip is not None:
        return f"{state.name} {trip.problem or f'{state.health} ({trip.ms:,.0f} ms)'}"
    return f"{state.name} {state.health if state.state == RUNNING else state.state}"


def _way(proxy: str) -> str:
    return f"through {proxy}" if proxy else "out directly"
