"""Which engines may be asked, and how our settings read to them."""

from __future__ import annotations

import pytest

from askance.adapters.search.metasearch import (
    STANDARD,
    engines_for,
    region_of,
)
from askance.config.settings import SearchSettings
from askance.domain.web_pages import Recency, SearchScope


@pytest.mark.parametrize(
    ("engines", "safesearch", "allowed"),
    [
        ("", 0, STANDARD),
        ("", 1, STANDARD),
        ("", 2, ("brave", "mojeek", "startpage")),
        ("Mojeek, wikipedia,arxiv", 0, ("mojeek", "wikipedia")),
        ("yahoo", 0, ("yahoo",)),
        ("duckduckgo,wikipedia", 2, ()),
        ("arxiv", 0, ()),
        (" , ", 0, STANDARD),
    ],
)
def test_the_settings_decide_which_engines_are_asked(
    engines: str, safesearch: int, allowed: tuple[str, ...]
) -> None:
    assert engines_for(SearchSettings(engines=engines, safesearch=safesearch)) == allowed


@pytest.mark.parametrize(
    ("engines", "narrowing", "allowed"),
    [
        ("", SearchScope(("python.org",)), ("brave", "duckduckgo", "mojeek", "startpage")),
        ("", SearchScope(recency=Recency.WEEK), ("brave", "duckduckgo", "startpage")),
        ("mojeek,wikipedia", SearchScope(("python.org",), Recency.DAY), ()),
    ],
)
def test_a_narrowed_search_asks_the_engines_that_can_narrow_it(
    engines: str, narrowing: SearchScope, allowed: tuple[str, ...]
) -> None:
    assert engines_for(SearchSettings(engines=engines), narrowing) == allowed


@pytest.mark.parametrize(
    ("language", "region"),
    [
        ("auto", "us-en"),
        ("all", "us-en"),
        ("de", "de-de"),
        ("de-CH", "ch-de"),
        ("pt_BR", "br-pt"),
        ("en", "us-en"),
        ("ja", "jp-ja"),
        ("evil.example/?", "us-en"),
        ("", "us-en"),
    ],
)
def test_a_language_becomes_a_region(language: str, region: str) -> None:
    assert region_of(language) == region


def test_every_engine_is_one_that_ddgs_has() -> None:
    from ddgs.engines import ENGINES  # noqa: PLC0415

    named = engines_for(SearchSettings(engines=",".join(ENGINES["text"])))
    assert set(named) <= ENGINES["text"].keys()
    assert set(STANDARD) <= set(named)
