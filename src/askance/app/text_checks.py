"""The check of a text: first what would be searched for it, for its user to confirm, then the verdicts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from askance.domain.checked_text import CheckedClaim, CheckedText, ClaimEvidence, TextClaim
from askance.domain.events import Emit, ignore
from askance.domain.messages import Message
from askance.engine.text_check import TextCheck, read_claims

if TYPE_CHECKING:
    from askance.app.container import App


def claims_of(text: str) -> tuple[TextClaim, ...]:
    """Return the sentences of a text, those that can be checked with the query that would be searched.

    Raises:
        InputError: the text is empty, or too long.
    """
    return read_claims(text)


def leaving(claims: Sequence[TextClaim]) -> Iterator[str]:
    """Yield what leaves this machine once claims are confirmed: queries, and addresses of pages that they cite."""
    yield from dict.fromkeys(claim.query for claim in claims if claim.query)
    yield from dict.fromkeys(url for claim in claims if claim.query for url in claim.cited)


async def check_text(
    app: App,
    text: str,
    claims: Sequence[TextClaim],
    *,
    emit: Emit = ignore,
    settled: Callable[[CheckedClaim], object] = ignore,
) -> CheckedText:
    """Search for the claims of a text that were confirmed, and return what the web says to each.

    Raises:
        ServiceError: no search was answered.
    """
    app.prepare()
    return await TextCheck(app.engine).check(text, claims, emit=emit, settled=settled)


def summary(checked: CheckedText) -> Message:
    """Return how many claims have which verdict, in one sentence."""
    counts = checked.counts()
    return Message(
        "{supported} supported, {contradicted} contradicted, {missing} not found, {others} not checkable.",
        supported=counts["supported"],
        contradicted=counts["contradicted"],
        missing=counts["not_found"],
        others=counts["not_checkable"],
    )


def claim_record(checked: CheckedClaim) -> dict[str, Any]:
    """Return a claim and what was found about it as other programs get it."""
    return {
        "text": checked.claim.text,
        "start": checked.claim.start,
        "end": checked.claim.end,
        "verdict": checked.verdict.value,
        "origins": checked.origins,
        "evidence": [evidence_record(each) for each in checked.evidence],
        "cited": [
            {
                "url": page.url,
                "state": page.state.value,
                "quote": page.quote,
                "problem": str(page.problem),
            }
            for page in checked.cited
        ],
    }


def evidence_record(evidence: ClaimEvidence) -> dict[str, Any]:
    """Return what a page says to a claim as other programs get it."""
    return {
        "url": evidence.url,
        "title": evidence.title,
        "date": evidence.published,
        "quote": evidence.quote,
        "contradicts": evidence.contradicts,
    }
