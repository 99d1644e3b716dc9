"""What `askance doctor` looks at: one check a part, each bounded in time, none of them an error."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from askance.cli.parts import App
from askance.cli.status import counted
from askance.config.settings import LlmApi, LlmSettings, ReaderMode
from askance.domain.errors import AskanceError
from askance.domain.web import PageStatus, ResultPage
from askance.ports.outbound import Sent

# A healthy service answers within a second; a search that asks the web, or child processes that
# start on a busy machine, may take several.
LIMIT_S = 20.0
TEST_QUERY = "weather"
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found of one part. `fix` mends it where it is not `ok`.

    `needed` says that without it no search can be answered in full.
    """

    part: str
    ok: bool
    says: str
    fix: str = ""
    needed: bool = True


async def settled(part: str, check: Coroutine[Any, Any, Finding], limit_s: float) -> Finding:
    """Return what a check found, or what went wrong with it, within the limit."""
    try:
        async with asyncio.timeout(limit_s):
            return await check
    except AskanceError as exc:
        return Finding(part, ok=False, says=exc.problem, fix=exc.fix)
    except TimeoutError:
        return Finding(part, ok=False, says=f"It did not answer within {limit_s:g} seconds.")


async def check_model(app: App) -> Finding:
    """Ask the model's server which model it has, and how much context calls really get."""
    if app.model is None:
        return Finding(
            "model", ok=False, says="No model server was found.", fix="Start it: `ollama serve`."
        )
    info = await app.model.info()
    where = _whereabouts(app.settings.llm)
    context = f"{counted(info.context_tokens, 'token')} of context"
    name = " ".join(filter(None, (info.server, info.name)))
    return Finding("model", ok=True, says=f"{name} {where}, {context}.")


async def check_search(app: App, sent: Sent) -> Finding:
    """Send one test query through the search engine."""
    began = time.monotonic()
    page = await app.search.search(TEST_QUERY, wanted=10, sent=sent)
    url = app.settings.search.url
    silent = _silence(page)
    if not page.results:
        return Finding(
            "search",
            ok=False,
            says=f"SearXNG answers at {url}, but found nothing for a test query.{silent}",
            fix="Wait until its engines answer again, or switch on others in its settings.",
        )
    found = counted(len(page.results), "result")
    return Finding("search", ok=True, says=f"SearXNG at {url}: {found} in {_since(began)}.{silent}")


async def check_reader(app: App, url: str, sent: Sent) -> Finding:
    """Read a page of the sample web twice: the first time the reader starts, the second it works."""
    began = time.monotonic()
    page = await app.reader.read(url, sent=sent)
    if page.status is not PageStatus.OK:
        return Finding(
            "reader",
            ok=False,
            says=f"The reader could not read a sample page: {page.detail or page.reason}",
            fix="Install it anew: `pip install --force-reinstall askance`.",
        )
    first, began = _since(began), time.monotonic()
    await app.reader.read(url, sent=sent)
    settings = app.settings.reader
    where = (
        f"container at {settings.url}"
        if settings.mode is ReaderMode.CONTAINER
        else f"in process, {counted(settings.workers, 'worker')}"
    )
    return Finding(
        "reader", ok=True, says=f"{where}, started in {first}; a page takes {_since(began)}."
    )


async def check_sample_web(app: App, query: str, sent: Sent) -> Finding:
    """Search the sample web, which the demo shows."""
    began = time.monotonic()
    page = await app.search.search(query, wanted=10, sent=sent)
    says = f"{counted(len(page.results), 'result')} in {_since(began)}."
    return Finding("sample web", ok=bool(page.results), says=says, needed=False)


def _whereabouts(settings: LlmSettings) -> str:
    host = urlsplit(settings.url).hostname or ""
    if settings.api is LlmApi.EMBEDDED:
        return "inside this program"
    return f"at {settings.url}, on {'this' if host in _LOOPBACK else 'another'} machine"


def _silence(page: ResultPage) -> str:
    engines = ", ".join(f"{engine.name} ({engine.reason})" for engine in page.silent_engines)
    return f" Engines that did not answer: {engines}." if engines else ""


def _since(began: float) -> str:
    return f"{(time.monotonic() - began) * 1000:,.0f} ms"
