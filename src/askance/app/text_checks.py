"""The check of a text: first what would be searched for it, for its user to confirm, then the verdicts."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from time import monotonic
from typing import TYPE_CHECKING, Any

from askance.citations.markdown.grammar import markers
from askance.domain.characters import clean
from askance.domain.checked_text import (
    CheckedClaim,
    CheckedText,
    CheckProposal,
    CitedState,
    ClaimEvidence,
    ClaimVerdict,
    TextClaim,
)
from askance.domain.conversation import Outcome, TurnInput, Usage
from askance.domain.errors import AskanceError
from askance.domain.events import (
    Answered,
    CitationsChecked,
    Emit,
    Failed,
    PageRead,
    RunEvent,
    SearchStarted,
    SourcesReady,
    ignore,
)
from askance.domain.evidence import Citation, Source, Support
from askance.domain.messages import Message
from askance.domain.web_pages import host_of
from askance.engine.text_check import TextCheck, read_claims
from askance.presentation.answers import in_own_words

if TYPE_CHECKING:
    from askance.app.container import App

# The end of a line within a paragraph, which Markdown would take for a blank. Two blanks keep it.
_LINE_END = re.compile(r"(?<!\n)\n(?!\n)")
SHOW_S = 0.5
"""To set a long text anew takes a tenth of a second: what is settled meanwhile is shown together."""


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


def propose(text: str) -> CheckProposal:
    """Return the claims of a text and what would leave this machine for them, for the user to confirm.

    Raises:
        InputError: the text is empty, or too long.
    """
    text = clean(text)
    claims = claims_of(text)
    return CheckProposal(text, claims, tuple(leaving(claims)))


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


async def run_check(
    app: App, text: str, claims: Sequence[TextClaim], *, emit: Emit, show: Emit
) -> Answered | Failed:
    """Check a text as a run: its end is the text with an answer's markers, its sources the pages that were found.

    `show` gets the text with the verdicts so far, `SHOW_S` after a claim is settled: it need not be stored. What nobody
    has confirmed is not searched.
    """
    began, rounds, read = monotonic(), list[SearchStarted](), list[PageRead]()
    settled: list[CheckedClaim] = []
    timers: list[asyncio.TimerHandle] = []

    def count(event: RunEvent) -> None:
        match event:
            case SearchStarted():
                rounds.append(event)
            case PageRead(words=words) if words:
                read.append(event)
            case _:
                pass
        emit(event)

    def show_settled() -> None:
        timers.clear()
        so_far = answer_of(CheckedText(text, tuple(settled)))
        show(SourcesReady(so_far.sources))
        show(CitationsChecked(*in_own_words(so_far), added=0, removed=0))

    def settle(claim: CheckedClaim) -> None:
        settled.append(claim)
        if not timers:
            timers.append(asyncio.get_running_loop().call_later(SHOW_S, show_settled))

    try:
        checked = await check_text(app, text, claims, emit=count, settled=settle)
    except AskanceError as exc:
        end = Failed.of(exc)
    else:
        queries = [query for started in rounds for query in started.queries]
        end = replace(
            answer_of(checked),
            rounds=len(rounds),
            usage=Usage(searches=len(queries), pages_read=len(read)),
            elapsed_ms=round(1000 * (monotonic() - began)),
            # What was searched is no secret any more, and nothing else of the text.
            asked="\n".join(queries),
        )
        emit(SourcesReady(end.sources))
    finally:
        for timer in timers:
            timer.cancel()
    emit(end)
    return end


def answer_of(checked: CheckedText) -> Answered:
    """Return a text that was checked as an answer: behind each claim the numbers of the pages that speak of it.

    What was not found has a citation of no source; what cannot be checked has none.
    """
    sources: dict[str, Source] = {}
    citations: list[Citation] = []
    ours: set[int] = set()
    sums = summary(checked)
    text, written, done = _without_markers(checked.text), f"{sums}\n\n", 0
    for found in checked.claims:
        before = _LINE_END.sub("  \n", text[done : found.claim.start])
        words = _LINE_END.sub("  \n", text[found.claim.start : found.claim.end])
        written, done = f"{written}{before}{words}", found.claim.end
        place = words, len(written) - len(words), len(written)
        written += " " * bool(found.evidence)
        for evidence in found.evidence:
            source = sources.setdefault(evidence.url, _source(len(sources) + 1, evidence))
            citations.append(_citation(source.n, place, found, evidence))
            ours.update(range(len(written), len(written := f"{written}[{source.n}]")))
        # What follows a marker at once may make something else of it, such as a link.
        written += " " * bool(found.evidence and text[done : done + 1].strip())
        if found.verdict is ClaimVerdict.NOT_FOUND and not found.evidence:
            citations.append(Citation(0, *place, Support.WEAK))
    # Beside what was written behind claims a number may be a marker that was none before.
    known = {source.n for source in sources.values()}
    answer = _without_markers(written + _LINE_END.sub("  \n", text[done:]), known, ours)
    return Answered(
        answer,
        tuple(sources.values()),
        tuple(replace(c, sentence=answer[c.start : c.end]) for c in citations),
        Outcome.WEB,
        rounds=0,
        usage=Usage(),
        warnings=(*checked.warnings, *_on_citations(checked)),
        elapsed_ms=0,
        opening=sums,
        inputs=(TurnInput.TEXT, TurnInput.WEB),
    )


def _without_markers(
    text: str, known: Collection[int] | None = None, ours: Collection[int] = ()
) -> str:
    """Return a text of the same length in which numbers in brackets are no markers, but `ours`: they stand in round ones.

    `known` are the numbers that a marker may have, None for all; `ours` the places of letters.
    """
    letters = list(text)
    for marker in markers(text, known):
        if marker.start not in ours:
            letters[marker.start], letters[marker.end - 1] = "()"
    return "".join(letters)


def _source(n: int, evidence: ClaimEvidence) -> Source:
    url = evidence.url
    date = evidence.published or None
    return Source(n, url, evidence.title, host_of(url), date, snippet_only=evidence.snippet_only)


def _citation(
    n: int, place: tuple[str, int, int], found: CheckedClaim, evidence: ClaimEvidence
) -> Citation:
    is_found = found.verdict is not ClaimVerdict.NOT_FOUND
    support = Support.SUPPORTED if is_found else Support.WEAK
    decides = evidence.contradicts is (found.verdict is ClaimVerdict.CONTRADICTED)
    return Citation(
        n,
        *place,
        Support.UNSUPPORTED if evidence.contradicts else support,
        evidence.quote,
        contradicts=evidence.contradicts,
        origins=found.origins if is_found and decides else 0,
    )


def _on_citations(checked: CheckedText) -> Iterator[Message]:
    """Yield a sentence for each page that the text cites and that does not carry its claim."""
    for claim, page in ((f.claim.text, page) for f in checked.claims for page in f.cited):
        host = host_of(page.url)
        match page.state:
            case CitedState.STATES_IT:
                pass
            case CitedState.DOES_NOT_STATE_IT:
                yield Message(
                    "{host}, which is cited, does not say: {claim}", host=host, claim=claim
                )
            case CitedState.CONTRADICTS_IT:
                yield Message(
                    "{host}, which is cited, says otherwise: {claim}", host=host, claim=claim
                )
            case CitedState.UNREADABLE:
                yield Message(
                    "{host} cannot be read ({problem}), and is cited for: {claim}",
                    host=host,
                    problem=page.problem.clause(),
                    claim=claim,
                )
