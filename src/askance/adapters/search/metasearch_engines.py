"""Which public search engines this program asks itself, and how our settings read to them."""

from __future__ import annotations

import re

from askance.config.settings import SearchSettings
from askance.domain.web import WHOLE_WEB, Recency, SearchScope

# Bing's index by way of DuckDuckGo and Google's by way of Startpage, Brave's and Mojeek's own, and
# the encyclopedia article that is named like the query.
STANDARD = ("brave", "duckduckgo", "mojeek", "startpage", "wikipedia")
# A second way to Bing, and an encyclopedia written by a machine: only for who names them.
_ON_REQUEST = ("grokipedia", "yahoo")
# ddgs does not pass `safesearch` on to the others, and answer a strict search like any other.
_FILTERING = frozenset({"brave", "mojeek", "startpage"})
_STRICT = 2
# ddgs does not pass the age of pages on to the others.
_DATING = frozenset({"brave", "duckduckgo", "startpage", "yahoo"})
# They look a title up, and know no operators.
_ENCYCLOPEDIAS = frozenset({"grokipedia", "wikipedia"})

_LANGUAGE = re.compile(r"([a-z]{2})(?:[-_]([a-z]{2}))?", re.IGNORECASE)
_ANYWHERE = "us-en"
# Languages whose country is not called like them.
_COUNTRIES = {
    "ar": "xa",
    "cs": "cz",
    "da": "dk",
    "el": "gr",
    "en": "us",
    "et": "ee",
    "he": "il",
    "ja": "jp",
    "ko": "kr",
    "sl": "si",
    "sv": "se",
    "uk": "ua",
    "vi": "vn",
    "zh": "cn",
}


def engines_for(settings: SearchSettings, narrowing: SearchScope = WHOLE_WEB) -> tuple[str, ...]:
    """Return the engines that the settings allow and that can narrow a search so.

    None where `search.engines` names no known one.
    """
    named = [name.strip().lower() for name in settings.engines.split(",") if name.strip()]
    allowed = [e for e in (*STANDARD, *_ON_REQUEST) if e in named] if named else STANDARD
    if settings.safesearch >= _STRICT:
        allowed = [e for e in allowed if e in _FILTERING]
    if narrowing.recency:
        allowed = [e for e in allowed if e in _DATING]
    return tuple(e for e in allowed if not narrowing.domains or e not in _ENCYCLOPEDIAS)


def region_of(language: str) -> str:
    """Return a language of SearXNG's (`de`, `de-CH`, `auto`, `all`) as `country-language`."""
    if not (match := _LANGUAGE.fullmatch(language.strip())):
        return _ANYWHERE
    tongue, country = match[1].lower(), (match[2] or "").lower()
    return f"{country or _COUNTRIES.get(tongue, tongue)}-{tongue}"


def time_limit_of(recency: Recency) -> str | None:
    """Return how new results are to be, as ddgs calls it."""
    return recency[:1] or None


def filter_of(safesearch: int) -> str:
    """Return the filter's name for `search.safesearch`."""
    return ("off", "moderate", "on")[safesearch]
