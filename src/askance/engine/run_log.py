"""What the log keeps of a run: how it ended, how long it took, and counts. Never a word of it."""

from __future__ import annotations

import logging
from collections.abc import Collection
from typing import Any

from askance.domain.conversation import Usage
from askance.domain.errors import AskanceError, ServiceError
from askance.domain.events import Answered, Cancelled, ClarifyAsked, Failed, RunEnd, WarningCode

_log = logging.getLogger(__name__)


def log_end(end: RunEnd, elapsed_ms: int, warned: Collection[WarningCode], kind: str) -> None:
    """Log the end of a run. `kind` says whether it searched; `warned` are codes of its warnings."""
    told: dict[str, Any] = {"kind": kind, "seconds": round(elapsed_ms / 1000, 1)}
    if warned:
        told["warned"] = sorted(warned)
    match end:
        case Answered(outcome=outcome, rounds=rounds, usage=usage):
            told |= {"outcome": outcome, "rounds": rounds, "sources": len(end.sources)}
            told |= {"citations": len(end.citations)} | _counts(usage)
        case ClarifyAsked(usage=usage):
            told |= {"outcome": "clarify"} | _counts(usage)
        case Failed():
            told["outcome"] = "failed"
        case Cancelled():
            told["outcome"] = "cancelled"
    _log.info("Run ended.", extra=told)


def log_error(error: AskanceError) -> None:
    """Log what a part failed with: the service and the kind of error. Its text has names in it."""
    told = {"error": type(error).__name__}
    if isinstance(error, ServiceError):
        told["service"] = error.service
    _log.info("A part failed.", extra=told)


def _counts(usage: Usage) -> dict[str, int]:
    return {
        "model_calls": usage.model_calls,
        "prompt_tokens": usage.prompt_tokens,
        "output_tokens": usage.output_tokens,
        "searches": usage.searches,
        "pages_read": usage.pages_read,
    }
