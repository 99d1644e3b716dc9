"""What model servers say when they refuse, in whichever of their wrappings."""

from __future__ import annotations

import json
import re
from typing import Any, cast

from askance.domain.errors import PromptTooLong
from askance.domain.messages import Message

_LONGEST = 300
# So much is looked through for the one sentence that it holds.
_LONGEST_READ = 10_000
_DEEPEST = 6
_KEYS = ("error", "message", "detail")
_OVERFLOW = re.compile(
    r"exceed[a-z_ ]{0,40}(context|n_ctx)|maximum context length|context[a-z ]{0,40}overflow|"
    r"context_length_exceeded|context length of only",
    re.IGNORECASE,
)
_NEEDED = (
    re.compile(r'n_prompt_tokens\\{0,8}"?:\s{0,8}(\d+)'),
    re.compile(r"(?:request \(|requested |contains )(?:about )?(\d+) (?:input )?tokens"),
)
_AVAILABLE = (
    re.compile(r'n_ctx\\{0,8}"?:\s{0,8}(\d+)'),
    re.compile(r"(?:context (?:size|length)[a-z ]{0,40})\(?(\d+)"),
)


def message_of(body: str) -> str:
    """Return the message in an error body: `{"error": "…"}`, `{"error": {"message": "…"}}`, nested or not."""
    said: str | dict[str, Any] = body[:_LONGEST_READ]
    for _ in range(_DEEPEST):
        if isinstance(said, str):
            said = _parsed(said)
        inner = _inner(said) if isinstance(said, dict) else None
        if inner is None:
            break
        said = inner
    text = said if isinstance(said, str) else json.dumps(said)
    return " ".join(text.split())[:_LONGEST]


def overflow_of(body: str, model: str, context_tokens: int) -> PromptTooLong | None:
    """Return the error to raise if the body says that a prompt did not fit, else None."""
    body = body[:_LONGEST_READ]
    if not _OVERFLOW.search(body):
        return None
    needed = _first_number(_NEEDED, body)
    available = _first_number(_AVAILABLE, body) or context_tokens
    problem = (
        Message(
            "The prompt has {needed} tokens; the context of {model} holds {available}.",
            needed=needed,
            model=model,
            available=available,
        )
        if needed
        else Message(
            "The prompt is too long; the context of {model} holds {available}.",
            model=model,
            available=available,
        )
    )
    return PromptTooLong(
        problem,
        fix=Message(
            "Raise llm.context_tokens, or lower evidence.first_round_tokens and evidence.later_round_tokens."
        ),
        needed=needed,
        available=available,
    )


def _first_number(patterns: tuple[re.Pattern[str], ...], body: str) -> int:
    for pattern in patterns:
        if match := pattern.search(body):
            return int(match[1])
    return 0


def _parsed(text: str) -> str | dict[str, Any]:
    """Return an object that a text holds as JSON, or the text."""
    try:
        value: Any = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return cast("dict[str, Any]", value) if isinstance(value, dict) else text


def _inner(fields: dict[str, Any]) -> str | dict[str, Any] | None:
    """Return what is wrapped in an error's object, if anything is."""
    for key in _KEYS:
        value = fields.get(key)
        if value and isinstance(value, str | dict):
            return cast("str | dict[str, Any]", value)
    return None
