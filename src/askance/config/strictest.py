"""What counts for a setting that the file sets in a way that is not understood: the strictest value.

Strict is what lets less leave this machine, keeps less on it, and opens less to others. A setting whose
default is its strictest value needs no row here. Where no value is strict, as of a proxy, what it guards
is barred altogether. Nothing that was stored is deleted for a line that is not understood: where a limit of
days or of number is unclear, nothing new is stored, and all that is there stays.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from pydantic import BaseModel, ValidationError

from askance.config.choices import AskMode, Consent, LibraryLookup, Preload, ReaderMode
from askance.config.schema import field_names
from askance.config.settings import Bar, Settings
from askance.config.values import ALL_DAYS

# How alike two names must be for one to be a slip of the other, from 0 to 1.
_ALIKE = 0.7
# Fields that a section of a newer version may well have, too, and mean something else by it.
_COMMON = frozenset({"llm.url", "search.url", "reader.url", "ledger.keep_days"})


def _differs(value: Any, default: Any) -> bool:
    return value != default


def _less(value: Any, default: Any) -> bool:
    return value < default


def _more(value: Any, default: Any) -> bool:
    return value > default


@dataclass(frozen=True, slots=True)
class Strict:
    """What counts instead: `values` by the names of settings, and what is barred.

    `is_stricter` tells whether a value is stricter than the default.
    """

    values: Mapping[str, Any]
    is_stricter: Callable[[Any, Any], bool] = _differs
    bars: Bar | None = None
    is_free_text: bool = field(default=False)
    """Any text or address is a value of it: a line of another name is not taken for one of it."""


_NO_WEB = Strict({"search.enabled": False}, bars=Bar.WEB, is_free_text=True)


STRICTEST: Mapping[str, Strict] = {
    "ask.mode": Strict({"ask.mode": AskMode.CHAT.value}),
    # Not what `OLLAMA_HOST` says, which may be another machine.
    "llm.url": Strict({"llm.url": Settings().llm.url}),
    "llm.preload": Strict(
        {"llm.preload": Preload.NEVER.value}, lambda value, _: value is Preload.NEVER
    ),
    "search.enabled": Strict({"search.enabled": False}),
    "search.url": _NO_WEB,
    "search.queries": Strict({"search.queries": 1}, _less),
    "search.engines": _NO_WEB,
    "search.safesearch": Strict({"search.safesearch": 2}, _more),
    "search.proxy": _NO_WEB,
    "search.in_process": Strict(
        {"search.in_process": Consent.REFUSED.value}, lambda value, _: value is Consent.REFUSED
    ),
    "reader.mode": Strict(
        {"reader.mode": ReaderMode.CONTAINER_ONLY.value},
        lambda value, _: value in {ReaderMode.CONTAINER, ReaderMode.CONTAINER_ONLY},
    ),
    "reader.url": _NO_WEB,
    "reader.proxy": _NO_WEB,
    "limits.rounds": Strict({"limits.rounds": 1}, _less),
    "limits.first_round_pages": Strict({"limits.first_round_pages": 0}, _less),
    "limits.later_round_pages": Strict({"limits.later_round_pages": 0}, _less),
    "trace.keep": Strict({"trace.keep": 0}, _less),
    "cache.size_mb": Strict({"cache.size_mb": 0}, _less),
    # What leaves is recorded: so nothing does.
    "ledger.keep_days": Strict(
        {"ledger.keep_days": ALL_DAYS, "search.enabled": False}, _less, Bar.WEB
    ),
    "history.days": Strict({"history.days": 0}, _less),
    "library.exclude": Strict({"library.watch": False}, bars=Bar.FILES, is_free_text=True),
    "library.recall": Strict(
        {"library.recall": LibraryLookup.ONLY.value}, lambda value, _: value is LibraryLookup.ONLY
    ),
    "library.keep_pages": Strict({"library.keep_pages": False}),
    "library.pages_days": Strict({"library.keep_pages": False, "library.pages_days": 0}, _less),
    "window.hotkey": Strict({"window.hotkey": ""}, is_free_text=True),
    "window.offer_quotes": Strict({"window.offer_quotes": False}),
    "window.notify": Strict({"window.notify": False}),
}

HAS_NO_STRICT_SIDE = frozenset({
    "llm.api", "llm.api_key", "llm.model", "llm.gguf", "llm.context_tokens", "llm.temperature",
    "llm.keep_alive", "llm.idle_timeout_s", "llm.load_timeout_s", "llm.concurrency", "llm.think",
    "search.token_file", "search.timeout_s", "search.max_results",
    "search.language",
    "reader.token_file", "reader.page_timeout_s", "reader.extra_ports",
    "evidence.max_passages", "evidence.first_portion_tokens",
    "evidence.first_round_tokens", "evidence.max_passages_per_host",
    "limits.run_timeout_s",
    "answer.length", "answer.language", "answer.max_tokens", "answer.verify",
    "cache.fresh_minutes",
    "library.max_file_mb", "library.completeness_threshold", "library.completeness",
    "library.recall_days", "library.watch", "library.share_with_remote_model",
    "library.versions_days", "library.qdrant_url", "library.qdrant_key",
    "embeddings.api", "embeddings.url", "embeddings.api_key", "embeddings.model", "embeddings.path",
    "embeddings.context_lines", "embeddings.reranker",
    "server.http", "server.host", "server.port", "server.hosts", "server.origins",
    "server.idle_minutes",
    "services.runtime",
    "window.theme", "window.text_size", "window.system_font", "window.animations",
    "window.autostart", "window.language",
    "updates.weekly",
})  # fmt: skip
"""Settings whose default is their strictest value, or that decide how, and not what, leaves or is stored."""


def accepted(name: str, value: Any) -> tuple[bool, Any]:
    """Return whether a setting may be this, and the value as it is in force then."""
    section, _, field_name = name.partition(".")
    try:
        made = Settings.model_validate({section: {field_name: value}})
    except ValidationError:
        return False, None
    return True, getattr(getattr(made, section), field_name)


def meant(name: str, value: Any, given: Iterable[str]) -> list[str]:
    """Return which settings of this table a name that nobody knows may stand for.

    Not those that are `given` elsewhere. A name that is like another may be a slip of it: then it
    stands for that whatever its value is, unless that is as loose as the default. Under another
    heading, or in another line of its section, a value must be a stricter one of the setting. So it is
    for a line of a known name with a value that it may not have: its heading may be lost.
    """
    return [
        known
        for known, strict in STRICTEST.items()
        if known not in given and _may_stand_for(name, value, known, strict)
    ]


def _may_stand_for(name: str, value: Any, known: str, strict: Strict) -> bool:
    is_value, read = accepted(known, value)
    is_stricter = is_value and strict.is_stricter(read, _default(known))
    is_known = name in field_names()
    name = name.casefold()
    section, dot, field_name = name.rpartition(".")
    section = section if dot else name
    of_section, _, of_field = known.partition(".")
    if is_known:
        return is_stricter and field_name == of_field and known not in _COMMON
    is_slip = _is_like(name, known) if name.count(".") != 1 else _is_slip(name, known)
    if is_slip:
        return is_stricter or not is_value
    if field_name == of_field:
        return is_stricter and known not in _COMMON
    return is_stricter and section == of_section and not strict.is_free_text


def _is_slip(name: str, known: str) -> bool:
    section, _, field_name = name.partition(".")
    of_section, _, of_field = known.partition(".")
    return _is_like(section, of_section) and _is_like(field_name, of_field)


def _is_like(name: str, known: str) -> bool:
    return difflib.SequenceMatcher(None, name, known).ratio() >= _ALIKE


def _default(name: str) -> Any:
    section, _, field_name = name.partition(".")
    of_section = cast("type[BaseModel]", Settings.model_fields[section].annotation)
    return of_section.model_fields[field_name].default
