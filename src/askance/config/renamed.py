"""Names that settings had before: which are read under another name, and which are passed over."""

from __future__ import annotations

from collections.abc import Callable

from askance.domain.messages import Message

Note = Callable[[Message], None]
"""Is told, in one sentence, of a name that a setting has no more."""

RENAMED = {
    "llm.num_ctx": "llm.context_tokens",
    "llm.longest_ctx": "llm.max_context_tokens",
    "llm.at_once": "llm.concurrency",
    "search.at_once": "search.concurrency",
    "search.asked": "search.results_per_query",
    "search.kept": "search.max_results",
    "reader.at_once": "reader.concurrency",
    "evidence.passages": "evidence.max_passages",
    "evidence.per_host": "evidence.max_passages_per_host",
    "evidence.first_tokens": "evidence.first_round_tokens",
    "evidence.later_tokens": "evidence.later_round_tokens",
    "limits.wall_clock_s": "limits.run_timeout_s",
    "limits.plan_s": "limits.plan_timeout_s",
    "limits.pages_per_round": "limits.first_round_pages",
    "limits.later_pages_per_round": "limits.later_round_pages",
    "limits.model_tokens": "limits.max_model_tokens",
    "services.cli": "services.runtime",
    "services.start_limit_s": "services.startup_timeout_s",
    "window.motion": "window.animations",
}

REMOVED = frozenset({
    "llm.connect_timeout_s",
    "reader.batch_timeout_s", "reader.retry_after_s", "reader.max_redirects",
    "ranking.title_weight", "ranking.k1", "ranking.b", "ranking.rrf_k",
    "evidence.passage_words", "evidence.per_page", "evidence.near_copy",
    "limits.enough_pages", "limits.read_ahead",
    "library.unanswered_minutes",
    "search.hints",
    "reader.selective", "reader.url_score_threshold", "reader.max_urls_per_round",
})  # fmt: skip
"""Settings that are gone, most of them constants beside the code that uses them now."""


def ignore(_: Message) -> None:
    """Take a note, and tell nobody."""


def current_name(name: str) -> str:
    """Return what a setting is called now; any other name as it is."""
    return RENAMED.get(name, name)


def former_name(name: str) -> str:
    """Return what a setting was called before, or nothing."""
    return next((old for old, new in RENAMED.items() if new == name), "")


def renaming(name: str) -> Message:
    """Say under which name a setting goes that has another one now."""
    return Message("{old} is called {new} now.", old=name, new=RENAMED[name])


def passing_over(name: str) -> Message:
    """Say that a setting is none any more."""
    return Message("{name} is no setting any more; it is passed over.", name=name)
