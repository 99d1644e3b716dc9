"""The parts that a search needs, tried: one check a part, each bounded in time, none an error."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from typing import Any

from askance.adapters.network.service_status import loaded_context, searxng_vitals
from askance.config.choices import LlmApi
from askance.config.folders import Folders
from askance.config.settings import LlmSettings, SearchSettings
from askance.domain.errors import AskanceError
from askance.domain.web import PageReason, PageStatus, ResultPage
from askance.health.findings import Finding, Parts
from askance.health.first_steps import is_here
from askance.ports.model import ModelInfo
from askance.ports.web import Sent
from askance.presentation.i18n import counted

# A healthy service answers within a second; a search that asks the web, or child processes that
# start on a busy machine, may take several.
LIMIT_S = 20.0
TEST_QUERY = "weather"
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
    """Ask the model's server which model it has, and how much context calls really get."""
    if parts.model is None:
        return Finding(
            "model", ok=False, says="No model server was found.", fix="Set llm.api and llm.url."
        )
    info = await parts.model.info()
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
        name = f"Nothing answers at {settings.url}; this program asks the engines itself"
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
    return f"at {settings.url}, on {'this' if is_here(settings.url) else 'another'} machine"


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
        return f"SearXNG at {url}"
    return f"SearXNG {vitals.version} at {url} ({vitals.ms:,.0f} ms)"


def _silence(page: ResultPage) -> str:
    engines = ", ".join(f"{engine.name} ({engine.reason})" for engine in page.silent_engines)
    return f" Engines that did not answer: {engines}." if engines else ""


def _since(began: float) -> str:
    return f"{(time.monotonic() - began) * 1000:,.0f} ms"
