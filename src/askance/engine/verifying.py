"""Verification by meaning: the model is asked for what the citation check cannot decide.

One call once the answer stands, about all such sentences, behind the prompt that the server has in its cache.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, cast

from askance.citations.checking import Checked
from askance.citations.verified import doubts, settled
from askance.domain.errors import UNUSABLE_MODEL, PromptTooLong
from askance.domain.events import CitationsVerified
from askance.domain.evidence import Citation, Support
from askance.engine.context import RunContext
from askance.engine.model_session import Fields, MalformedReply, ModelSession
from askance.engine.progress import log_error
from askance.engine.prompts import Prompts

MAX_TOKENS = 60
MOST_SENTENCES = 12
LONGEST_SENTENCE = 300
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "supported": {"type": "array", "items": {"type": "integer"}, "maxItems": MOST_SENTENCES}
    },
    "required": ["supported"],
}


async def verify(run: RunContext, calls: ModelSession, checked: Checked, evidence: str) -> Checked:
    """Return the answer with the grades of what the model finds supported raised.

    Only what the check left open is asked and can be raised: a number or a denial that differs never
    is. Where another source holds more of a sentence it is asked about, too, and the marker moves to
    it if the model finds the sentence there alone. Without time, or without a reply that can be read, all
    stays as it is.
    """
    progress, prompts = run.progress, run.prompts
    asked = doubts(checked)[:MOST_SENTENCES]
    if not asked:
        return checked
    named = [doubt.citation for doubt in asked]
    started, written = asyncio.get_running_loop().time(), progress.output_tokens
    fresh = calls.fresh_tokens(evidence, _task(named, prompts))
    if not run.time_budget.has_time_to_write(fresh):
        return checked
    try:
        async with asyncio.timeout_at(progress.ends_at):
            numbers = await ask_which_are_stated(named, evidence, calls, prompts)
    except TimeoutError:
        return checked
    except (MalformedReply, PromptTooLong, *UNUSABLE_MODEL) as exc:
        log_error(exc)
        return checked
    answer = settled(checked, [doubt for n, doubt in enumerate(asked, 1) if n in numbers])
    raised = _supported(answer) - _supported(checked)
    cost = fresh + progress.output_tokens - written
    sentences = len({doubt.place for doubt in asked})
    progress.emit(CitationsVerified(sentences, raised, progress.ms_since(started), cost))
    return answer


def _supported(checked: Checked) -> int:
    return sum(citation.support is Support.SUPPORTED for citation in checked.citations)


async def ask_which_are_stated(
    asked: Sequence[Citation], evidence: str, calls: ModelSession, prompts: Prompts
) -> frozenset[int]:
    """Return which of these sentences, counted from 1, the model says that their sources state.

    Raises:
        MalformedReply, ServiceError, InputError: there is no reply that can be read.
    """
    fields = await calls.ask(
        evidence,
        _task(asked, prompts),
        SCHEMA,
        max_tokens=MAX_TOKENS,
        decided=lambda f: "supported" in f,
    )
    return _read(fields)


def _task(asked: Sequence[Citation], prompts: Prompts) -> str:
    return prompts.render("verify", sentences=_listed(asked))


def _listed(citations: Sequence[Citation]) -> str:
    """The sentences, each on a line with its number and that of its source."""
    return "\n".join(
        f"S{n} [{c.n}]: {' '.join(c.sentence.split())[:LONGEST_SENTENCE]}"
        for n, c in enumerate(citations, 1)
    )


def _read(fields: Fields) -> frozenset[int]:
    listed = fields.get("supported")
    numbers = cast("list[object]", listed) if isinstance(listed, list) else []
    return frozenset(n for n in numbers if type(n) is int)
