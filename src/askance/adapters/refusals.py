"""What model servers say when they refuse, in whichever of their wrappings."""

from __future__ import annotations

import json
import re
from typing import Any, cast

from askance.domain.errors import PromptTooLong

_LONGEST = 300
_OVERFLOW = re.compile(
    r"exceed[a-z_ ]*(context|n_ctx)|maximum context length|context[a-z ]*overflow|"
    r"context_length_exceeded|context length of only",
    re.IGNORECASE,
)
_NEEDED = (
    re.compile(r'n_prompt_tokens\\*"?:\s*(\d+)'),
    re.compile(r"(?:request \(|requested |contains )(?:about )?(\d+) (?:input )?tokens"),
)
_AVAILABLE = (
    re.compile(r'n_ctx\\*"?:\s*(\d+)'),
    re.compile(r"(?:context (?:size|length)[a-z ]*)\(?(\d+)"),
)


def message_of(body: str) -> str:
    """Return the message in an error body: `{"error": "…"}`, `{"error": {"message": "…"}}`, nested or not."""
    try:
        value: Any = json.loads(body)
    except ValueError:
        return " ".join(body.split())[:_LONGEST]
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        for key in ("error", "message", "detail"):
            inner = fields.get(key)
            if isinstance(inner, str) and inner:
                return message_of(inner)
            if isinstance(inner, dict):
                return message_of(json.dumps(inner))
    return " ".join(body.split())[:_LONGEST]


def overflow_of(body: str, model: str, context_tokens: int) -> PromptTooLong | None:
    """Return the error to raise if the body says that a prompt did not fit, else None."""
    if not _OVERFLOW.search(body):
        return None
    needed = _first_number(_NEEDED, body)
    available = _first_number(_AVAILABLE, body) or context_tokens
    size = f"The prompt has {needed} tokens" if needed else "The prompt is too long"
    return PromptTooLong(
        f"{size}; the context of {model} holds {available}.",
        fix="Raise llm.num_ctx, or lower evidence.first_tokens and evidence.later_tokens.",
        needed=needed,
        available=available,
    )


def _first_number(patterns: tuple[re.Pattern[str], ...], body: str) -> int:
    for pattern in patterns:
        if match := pattern.search(body):
            return int(match[1])
    return 0
