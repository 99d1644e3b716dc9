"""What the tests of the search without SearXNG share."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from askance.adapters.search.metasearch import InProcessSearch
from askance.config.settings import SearchSettings
from servers.engines import Engines, EngineWeb, Hits, engine_web
from servers.loopback import Handler
from servers.tunnels import Greeting, connect

A = ("https://a.example/cats", "Cats", "All about cats.")
B = ("https://b.example/cats", "More cats", "More about cats.")


@asynccontextmanager
async def searching(
    folder: Path,
    hits: dict[str, Hits] | None = None,
    *,
    breaks: Mapping[str, Handler] | None = None,
    greet: Greeting = connect,
    scheme: str = "http",
    login: str = "",
    stragglers_s: float = 20.0,
    **more: str | float,
) -> AsyncIterator[tuple[InProcessSearch, EngineWeb]]:
    async with engine_web(Engines(hits or {}, breaks or {}), folder, greet=greet) as web:
        proxy = f"{scheme}://{login}127.0.0.1:{web.tunnels.port}"
        limit = {"timeout_s": more.pop("timeout_s", SearchSettings.timeout_s)}
        settings = SearchSettings.model_validate({"proxy": proxy, **more}).model_copy(update=limit)
        yield InProcessSearch(settings, stragglers_s=stragglers_s), web


def speaking(folder: Path, text: str) -> Path:
    """A program that says a few words in place of the worker's, once it was asked."""
    program = folder / "python"
    program.write_text(f"#!/bin/sh\nread request\nprintf '{text}'\n", encoding="utf-8")
    program.chmod(0o700)
    return program
