"""Names that settings had before: which are read under another name, and which are passed over."""

from __future__ import annotations

from collections.abc import Callable

from askance.domain.messages import Message

Note = Callable[[Message], None]
"""Called with one sentence for a name that a setting has no more."""

RENAMED = {
    "llm.num_ctx": "llm.context_tokens",
    "llm.at_once": "llm.concurrency",
    "search.kept": "search.max_results",
    "evidence.passages": "evidence.max_passages",
    "evidence.per_host": "evidence.max_passages_per_host",
    "evidence.first_tokens": "evidence.first_round_tokens",
    "limits.wall_clock_s": "limits.run_timeout_s",
    "limits.pages_per_round": "limits.first_round_pages",
    "limits.later_pages_per_round": "limits.later_round_pages",
    "limits.model_tokens": "limits.max_model_tokens",
    "services.cli": "services.runtime",
    "window.motion": "window.animations",
}

REMOVED = frozenset({
    "embeddings.batch_size", "embeddings.min_similarity", "embeddings.query_timeout_s",
    "embeddings.timeout_s",
    "evidence.always_judge_snippets", "evidence.later_round_tokens", "evidence.later_tokens", "evidence.near_copy",
    "evidence.passage_words", "evidence.per_page",
    "library.file_timeout_s", "library.unanswered_minutes",
    "limits.answer_reserve_s", "limits.enough_pages", "limits.plan_s", "limits.plan_timeout_s",
    "limits.read_ahead",
    "llm.connect_timeout_s", "llm.longest_ctx", "llm.max_context_tokens",
    "ranking.b", "ranking.k1", "ranking.rrf_k", "ranking.title_weight",
    "reader.at_once", "reader.batch_timeout_s", "reader.concurrency", "reader.max_bytes",
    "reader.max_redirects", "reader.max_urls_per_round", "reader.retry_after_s",
    "reader.selective", "reader.url_score_threshold", "reader.worker_memory_mb", "reader.workers",
    "search.asked", "search.at_once", "search.categories", "search.concurrency",
    "search.hints", "search.results_per_query",
    "server.max_body_kb", "server.max_requests", "server.max_waiting",
    "services.start_limit_s", "services.startup_timeout_s",
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
