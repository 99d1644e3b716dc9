"""What the tools give back: typed, measured, and with every word of a page marked as data.

A client may show its model the text of a result, or the structured content, or both. So each says everything, and
both together stay below `MOST_TOKENS` by the project's own estimate.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar
from urllib.parse import quote as percent_encode

from mcp_types import CallToolResult, TextContent
from pydantic import BaseModel

from askance.app.client_runs import ClientRun
from askance.app.text_checks import summary
from askance.citations.markdown.foreign_markers import clean_text, new_nonce
from askance.citations.markdown.safe_markdown import safe_line, safe_markdown
from askance.domain.characters import one_line
from askance.domain.checked_text import CheckedClaim, CheckedText
from askance.domain.events import (
    Answered,
    ClarifyAsked,
    GapFound,
    Judged,
    Judging,
    LibraryRecalled,
    PageRead,
    PageRequested,
    ResultsRanked,
    RunEvent,
    SearchStarted,
)
from askance.domain.evidence import (
    Citation,
    Disagreement,
    Evidence,
    Extract,
    Source,
    independent,
)
from askance.domain.library import LibraryMatches
from askance.domain.web_pages import Page, PageStatus, host_of, is_web_address
from askance.extract.text.characters import break_control_tokens, strip_invisible
from askance.presentation.answers import link_of
from askance.server.result_forms import (
    AgenticOut,
    CheckOut,
    CitationOut,
    CitedOut,
    ClaimEvidenceOut,
    ClaimOut,
    DisagreementOut,
    EvidenceOut,
    FoundOut,
    HitOut,
    Iteration,
    LibraryOut,
    PageOut,
    PassageOut,
    PositionOut,
    SearchOut,
    SourceOut,
)
from askance.text.ranking.index_terms import estimated_tokens

MOST_TOKENS = 8_000
MOST_TEXT_TOKENS = 3_500
"""Of text that a caller may ask for: it stands in the result twice."""
LONGEST_TITLE, LONGEST_QUOTE, LONGEST_URL = 200, 600, 800
_SHRINKS = 0.85
# All that may stand in an address, but for what would begin or end something around it.
_IN_ADDRESS = ":/?#@$&'*+,;=%-._~[]"
# A date or its beginning at the start of what a page states: 2026, 2026-01-31T08:00.
_DATE = re.compile(r"[0-9]{4}(?:-[0-9]{2}){0,2}(?![0-9])")
_Model = TypeVar("_Model", bound=BaseModel)

# Foreign text, made harmless: inert as Markdown, without control tokens, between fences.


def plain(text: str, most: int = LONGEST_TITLE) -> str:
    """Return a text of others as a line that hides nothing, ends no prompt and is inert as Markdown,
    cut where it is long."""
    line = clean_text(one_line(text)).replace("\n", " ")
    return safe_line(line if len(line) <= most else f"{line[: most - 1].rstrip()}…")


def written(text: str, urls: Collection[str] = (), *, addresses: bool = False) -> str:
    """Return Markdown of others, inert but for links to `urls`, without what is not seen or ends a prompt."""
    return safe_markdown(break_control_tokens(strip_invisible(text)), urls, addresses=addresses)


def address(url: str) -> str:
    """Return an address of the web with nothing in it but what an address may hold, so that it can
    stand outside of fences; empty where it is none, or too long to be one."""
    if not is_web_address(url) or len(url) > LONGEST_URL:
        return ""
    # An address may contain control tokens such as `[INST]`: then brackets are encoded.
    pattern = _IN_ADDRESS if break_control_tokens(url) == url else _IN_ADDRESS.replace("[]", "")
    return percent_encode(url.encode("utf-8", "replace"), safe=pattern)


def date(published: str | None) -> str:
    """Return the day that a page was published on; empty where what it says is none."""
    found = _DATE.match(published or "")
    return found.group() if found else ""


def data_nonce() -> str:
    """Return what no page can know. It begins with a digit: with a letter, a viewer of HTML could take
    the fence for a tag, and all that stands behind it for its attributes."""
    return new_nonce()[::-1]


def fenced(text: str) -> str:
    """Return a text of others, its layout as it is, between fences that it cannot know."""
    nonce = data_nonce()
    # Read with the line above it: what is code at the begin of a text may be none below a line.
    body = written(f"data\n{text.strip()}", addresses=True).removeprefix("data").strip("\n")
    return f"<<<data {nonce}\n{body}\ndata {nonce}>>>"


def fenced_line(text: str, most: int = LONGEST_TITLE) -> str:
    """Return a line of others between fences that it cannot know; empty of nothing."""
    line, nonce = plain(text, most), data_nonce()
    return f"<<<data {nonce} {line} data {nonce}>>>" if line else ""


def tokens_of(text: str) -> int:
    """Estimate the tokens of a text."""
    return round(estimated_tokens(text))


def cut_to(text: str, tokens: int) -> str:
    """Return the beginning of a text that has no more than so many tokens, at a paragraph or a word."""
    if tokens_of(text) <= tokens:
        return text
    end = len(text)
    while end and tokens_of(text[:end]) > tokens:
        share = tokens / max(1, tokens_of(text[:end]))
        # At least 2 % a step: tokens are unevenly spread, and it could take hundreds of steps.
        end = min(end - 1, int(end * min(share, 0.98)))
    # A break before two thirds would waste too much of the room.
    least = end * 2 // 3
    for mark in ("\n\n", "\n", ". ", " "):
        if (place := text.rfind(mark, least, end)) > 0:
            return text[: place + len(mark)]
    return text[:end]


def result(model: BaseModel, text: str) -> CallToolResult:
    """Return a result that says the same as text and as structured content."""
    structured = model.model_dump(mode="json")
    return CallToolResult(
        content=[TextContent(type="text", text=text)], structured_content=structured
    )


def failure(text: str) -> CallToolResult:
    """Return a result that says what is wrong and what to do about it."""
    return CallToolResult(
        content=[TextContent(type="text", text=written(cut_to(text, MOST_TEXT_TOKENS)))],
        is_error=True,
    )


def fitted(make: Callable[[int], tuple[_Model, str]], wanted: int) -> CallToolResult:
    """Return the largest result that `make` makes of an allowance of tokens and that stays within bounds.

    `make` takes how many tokens of text it may show; what it leaves out it says itself.
    """
    allowance = wanted
    while True:
        model, text = make(allowance)
        made = result(model, text)
        # As a client sees it at the most: text and structured content, in JSON, in which each quotation
        # mark of the text is two signs.
        size = tokens_of(made.model_dump_json(by_alias=True, exclude_none=True))
        # At an allowance of 0 the result cannot get any smaller.
        if allowance < 1 or (size <= MOST_TOKENS and tokens_of(text) <= max(wanted, allowance)):
            return made
        allowance = int(allowance * _SHRINKS)


def _source_out(
    n: int, title: str, url: str, published: str | None, resource: str = "", *, read: bool = True
) -> SourceOut:
    day = date(published)
    return SourceOut(
        n=n, title=fenced_line(title), url=address(url), date=day, read=read, resource=resource
    )


def evidence_result(found: Evidence) -> CallToolResult:
    """Return a prompt of evidence, and where its blocks are from."""
    sources = [_source_out(b.n, b.title, b.url, b.date) for b in found.blocks]
    out = EvidenceOut(
        outcome=found.outcome,
        prompt=found.prompt,
        tokens=found.tokens,
        sources=sources,
        warnings=[plain(warning) for warning in found.warnings[:5]],
    )
    return result(out, out.prompt)


def check_result(
    searched: Sequence[str], found: CheckedText | None, max_tokens: int
) -> CallToolResult:
    """Return the verdicts on the claims of a text; of one that was not confirmed yet what would be searched."""
    sent = [plain(each, LONGEST_QUOTE) for each in searched]
    if found is None:
        out = CheckOut(is_confirmed=False, searched=sent)
        lines = "\n".join(f"- {each}" for each in sent)
        text = "Nothing was searched yet. Show the user what would leave this machine, and call again with confirmed=true:"
        return result(out, f"{text}\n{lines}")
    claims = [_claim_out(claim) for claim in found.claims]

    def make(room: int) -> tuple[CheckOut, str]:
        lines, shown = [str(summary(found))], 0
        for line in map(_claim_line, claims):
            if tokens_of("\n".join([*lines, line])) > room:
                break
            lines.append(line)
            shown += 1
        out = CheckOut(
            is_confirmed=True,
            searched=[],
            counts=found.counts(),
            claims=claims[:shown],
            left_out=len(claims) - shown,
            warnings=[plain(warning) for warning in found.warnings[:5]],
        )
        rest = [f"{out.left_out} more claims: ask for more tokens."] if out.left_out else []
        return out, "\n".join([*lines, *rest])

    return fitted(make, max_tokens)


def _claim_out(checked: CheckedClaim) -> ClaimOut:
    return ClaimOut(
        text=plain(checked.claim.text, LONGEST_QUOTE),
        verdict=checked.verdict,
        origins=checked.origins,
        evidence=[
            ClaimEvidenceOut(
                url=address(each.url),
                title=plain(each.title),
                date=each.published,
                quote=plain(each.quote, LONGEST_QUOTE),
                contradicts=each.contradicts,
            )
            for each in checked.evidence
        ],
        cited=[CitedOut(url=address(page.url), state=page.state) for page in checked.cited],
    )


def _claim_line(claim: ClaimOut) -> str:
    lines = [f"{claim.verdict.value}: {claim.text}"]
    lines += [f"  {each.quote} ({each.title}, {each.url})" for each in claim.evidence]
    lines += [f"  cites {page.url}: {page.state.value}" for page in claim.cited]
    return "\n".join(lines)


# What came of a run, a page, a search of the library: cut to what was asked for.

_ANSWER_SHARE, _WARNINGS_SHARE = 0.6, 0.15
_MOST_WARNINGS, _LONGEST_WARNING = 6, 300
_HISTORY_TOKENS = 700
_NARROWER = "ask for something narrower, or read their resources."
_FENCE_TOKENS = 30
_Item = TypeVar("_Item")
_Out = TypeVar("_Out", SourceOut, CitationOut)
Resource = Callable[[Source], str]
"""Returns the URI under which a client can read the whole text of a source; empty of none."""


def search_result(run: ClientRun, resource_of: Resource, max_tokens: int) -> CallToolResult:
    """Return how a run ended; of one that is under way, what there is so far."""
    match run.end:
        case Answered() as end:
            urls = [source.url for source in end.sources]
            opened = f"{end.opening}\n\n{end.answer}".strip() if end.opening else end.answer
            whole = written(opened, urls)
            return fitted(lambda room: _answered(run, end, whole, resource_of, room), max_tokens)
        case ClarifyAsked(question=question):
            asked = written(question)
            out = SearchOut(
                outcome="clarify", clarifying_question=asked, elapsed_s=round(run.elapsed_s, 1)
            )
            text = f"The question is not clear yet. Ask the user, then search again:\n\n{asked}"
            return fitted(lambda _room: (out, text), max_tokens)
        case _:
            return fitted(lambda room: _running(run, resource_of, room), max_tokens)


def _answered(
    run: ClientRun, end: Answered, whole: str, resource_of: Resource, room: int
) -> tuple[SearchOut, str]:
    urls = [source.url for source in end.sources]
    # Warnings have a share of their own, so that a long answer does not displace them.
    warnings = warnings_of(end.warnings, int(room * _WARNINGS_SHARE))
    # Code that was cut in two would be no code any more.
    answer = written(cut_to(whole, int(room * _ANSWER_SHARE)), urls)
    disagreements = [_disagreement_out(each) for each in end.disagreements]
    listing = "\n\n".join(map(_disagreement_text, disagreements))
    # Whole or not at all: of two positions one alone would be none.
    if tokens_of(listing) > room * _WARNINGS_SHARE:
        disagreements, listing = [], ""
    left = room - tokens_of(answer) - tokens_of(listing) - sum(map(tokens_of, warnings))
    by_number = {source.n: source for source in end.sources}
    cited = [c for c in end.citations if c.n in by_number]
    # Cited ones first, so that the uncited ones are cut for length.
    numbers = dict.fromkeys([c.n for c in cited] + list(by_number))
    rows = [_source_row(by_number[n], resource_of(by_number[n])) for n in numbers]
    rows, left = _within(rows, _row_text, left - _FENCE_TOKENS)
    shown = {row.out.n for row in rows}
    # Without citations of sources that were cut.
    wanted = [_citation_row(c, by_number) for c in cited if c.n in shown]
    cited_rows, left = _within(wanted, _row_text, left)
    cut = ["the end of the answer"] if len(answer) < len(whole) else []
    lacking = {
        "sources": len(by_number) - len(rows),
        "citations": len(cited) - len(cited_rows),
        "disagreements": len(end.disagreements) - len(disagreements),
    }
    cut += [f"{n} {what}" for what, n in lacking.items() if n > 0]
    note = (
        f"Left out for length: {', '.join(cut)}. Call continue_search with run_id {run.id} and a"
        " larger max_tokens to get more."
    )
    out = SearchOut(
        outcome=end.outcome.value,
        answer=answer,
        as_of=end.as_of,
        citations=[row.out for row in cited_rows],
        sources=sorted((row.out for row in rows), key=lambda source: source.n),
        disagreements=disagreements,
        # `continue_search` is of use only where something was cut.
        run_id=run.id if cut else "",
        warnings=warnings,
        cut=note if cut else "",
        elapsed_s=round(end.elapsed_ms / 1000, 1),
    )
    return out, _answer_text(out, rows, cited_rows)


def _answer_text(
    out: SearchOut, sources: Sequence[_Row[SourceOut]], citations: Sequence[_Row[CitationOut]]
) -> str:
    as_of = f"As of {out.as_of}, the newest source." if out.as_of else ""
    tables = map(_disagreement_text, out.disagreements)
    listed = (_listed("Sources:", sources), _listed("Citations:", citations))
    parts = [out.answer, *tables, as_of, *listed]
    if inside := [row.inside for row in (*sources, *citations)]:
        parts.append(fenced("\n".join(inside)))
    if out.warnings:
        parts.append("Warnings:\n" + "\n".join(f"- {warning}" for warning in out.warnings))
    return "\n\n".join(filter(None, [*parts, out.cut, out.notice]))


def _disagreement_out(found: Disagreement) -> DisagreementOut:
    positions = [
        PositionOut(
            value=fenced_line(p.value),
            sources=list(p.sources),
            date=date(p.date),
            origins=p.origins,
            used=p.is_used,
        )
        for p in found.positions
    ]
    return DisagreementOut(about=plain(found.subject), positions=positions)


def _disagreement_text(found: DisagreementOut) -> str:
    lines = [f"Sources disagree about {found.about}:"]
    for p in found.positions:
        known = (
            p.date,
            f"independent sources: {p.origins}",
            "used in the answer" if p.used else "",
        )
        lines.append(f"- {p.sources} {p.value} ({', '.join(filter(None, known))})")
    return "\n".join(lines)


def _running(run: ClientRun, resource_of: Resource, room: int) -> tuple[SearchOut, str]:
    status = run.progress.status
    doing = plain(" · ".join(filter(None, (status.text, status.detail))))
    next_step = f"The search goes on. Call continue_search with run_id {run.id} for its answer."
    rows, left = _within(
        [_source_row(source, resource_of(source)) for source in run.sources], _row_text, room // 3
    )
    fenced_passages = (
        PassageOut(n=extract.n, text=fenced(clean_text(extract.text))) for extract in run.extracts
    )
    # Counted with their fences.
    passages, _ = _within(fenced_passages, lambda p: p.text, room * 2 // 3 + left - 150)
    more = len(run.extracts) - len(passages)
    out = SearchOut(
        outcome="running",
        sources=[row.out for row in rows],
        passages=passages,
        doing=doing,
        run_id=run.id,
        cut=f"{more} passages more: the answer will rest on all of them." if more else "",
        elapsed_s=round(run.elapsed_s, 1),
    )
    parts = [f"No answer yet after {run.elapsed_s:.0f} s ({doing}). {next_step}"]
    if rows:
        parts += [_listed("Sources so far:", rows), fenced("\n".join(row.inside for row in rows))]
    parts += [f"[{passage.n}]\n{passage.text}" for passage in passages]
    return out, "\n\n".join(filter(None, [*parts, out.cut, out.notice]))


def warnings_of(warnings: Sequence[str], tokens: int) -> list[str]:
    """Return warnings as clients see them, in so many tokens; what pages put into them is cleaned, too."""
    few = warnings[:_MOST_WARNINGS]
    # Cut first: code that was cut in two would be no code any more.
    return [plain(cut_to(text, tokens // len(few)), _LONGEST_WARNING) for text in few]


def _within(
    items: Iterable[_Item], line: Callable[[_Item], str], tokens: int
) -> tuple[list[_Item], int]:
    """Return as many items as fit by their lines, and what is left."""
    retained: list[_Item] = []
    for item in items:
        cost = tokens_of(line(item)) + 1
        # Ends here, though a later one might fit: they are in order of relevance.
        if cost > tokens:
            break
        tokens -= cost
        retained.append(item)
    return retained, tokens


@dataclass(frozen=True, slots=True)
class _Row(Generic[_Out]):
    """A line of a result: what of it is ours, and what its page says, which stands between fences."""

    out: _Out
    outside: str
    inside: str


def _source_row(source: Source, resource: str) -> _Row[SourceOut]:
    read = not source.snippet_only
    out = _source_out(source.n, source.title, source.url, source.published, resource, read=read)
    out.copy_of, out.copies = source.copy_of, source.copies
    known = "" if out.read else "(snippet only)"
    copied = f"(copy of [{out.copy_of}])" if out.copy_of else ""
    copied = f"(copies left out: {out.copies})" if out.copies else copied
    outside = " ".join(filter(None, (f"[{out.n}]", out.date, known, copied, out.url, resource)))
    return _Row(out, outside, f"[{out.n}] {plain(source.title)}")


def _citation_row(citation: Citation, sources: Mapping[int, Source]) -> _Row[CitationOut]:
    link = address(link_of(sources[citation.n], citation.quote))
    cited = [sources[n] for n in (citation.n, *citation.beside) if n in sources]
    support, alone = citation.support.value, independent(cited)
    quote = plain(citation.quote, LONGEST_QUOTE)
    fenced_quote = fenced_line(citation.quote, LONGEST_QUOTE)
    out = CitationOut(
        n=citation.n, support=support, quote=fenced_quote, link=link, independent=alone
    )
    beside = f" ({alone} independent sources)" if alone > 1 else ""
    return _Row(out, f"[{out.n}] {support}{beside} {link}".rstrip(), f'[{out.n}] "{quote}"')


def _row_text(row: _Row[_Out]) -> str:
    return f"{row.outside}\n{row.inside}"


def _listed(head: str, rows: Sequence[_Row[_Out]]) -> str:
    return "\n".join([head, *(row.outside for row in rows)]) if rows else ""


def page_result(page: Page, start: int, max_tokens: int) -> CallToolResult:
    """Return a page's text from a character on."""
    text, whole = page.markdown[start:], len(page.markdown)
    url = address(page.final_url or page.url)

    def make(room: int) -> tuple[PageOut, str]:
        shown = cut_to(text, max(1, room - 120))
        end = start + len(shown)
        out = PageOut(
            url=url,
            title=fenced_line(page.title),
            date=date(page.published),
            text=fenced(shown),
            start=start,
            characters=whole,
            next_start=end if end < whole else None,
        )
        head = f"{out.title} {out.url}".strip()
        rest = f"Characters {start} to {end} of {whole}."
        if out.next_start is not None:
            rest += f" Call read_page with start={end} for what follows."
        return out, "\n\n".join([head, out.notice, out.text, rest])

    return fitted(make, max_tokens)


def library_result(found: LibraryMatches, max_tokens: int) -> CallToolResult:
    """Return what a search of the library has found."""

    def make(room: int) -> tuple[LibraryOut, str]:
        hits = [
            HitOut(
                title=fenced_line(hit.title or host_of(hit.url)),
                # A file's path is foreign text as well: it is fenced.
                url=address(hit.url) or fenced_line(hit.url, LONGEST_URL),
                origin=hit.origin.value,
                date=date(hit.published) or date(hit.fetched_at),
                score=round(hit.score, 3),
                text=fenced(hit.text),
                resource=f"askance://source/{hit.document}",
            )
            for hit in found.hits
        ]
        shown, _ = _within(hits, _hit_lines, room)
        more = len(hits) - len(shown)
        out = LibraryOut(
            hits=shown,
            mode=found.mode.value,
            notes=warnings_of(found.notes, int(room * _WARNINGS_SHARE)),
            cut=f"{more} passages more: {_NARROWER}" if more else "",
        )
        head = "Nothing was found in the library." if not hits else "From the library:"
        parts = [head, *map(_hit_lines, shown), *out.notes, out.cut, out.notice]
        return out, "\n\n".join(filter(None, parts))

    return fitted(make, max_tokens)


def _hit_lines(hit: HitOut) -> str:
    date = f" ({hit.date})" if hit.date else ""
    return f"{hit.title}{date} {hit.url} ({hit.origin}) {hit.resource}\n{hit.text}"


def agentic_result(run: ClientRun, threshold: float, max_tokens: int) -> CallToolResult:
    """Return what an agentic search has found, round by round."""
    history = history_of([event for _, event in run.events])
    # The last round has the completeness that the run reached, also where only the library was read.
    reached = max([run.completeness, *(i.completeness for i in history[-1:])])
    if history:
        history[-1].completeness = round(reached, 2)
    end = run.end
    urls = [source.url for source in run.sources]
    answer = written(end.answer, urls) if isinstance(end, Answered) else ""
    over = "complete" if reached >= threshold else "max_iterations_reached"
    warned = end.warnings if isinstance(end, Answered) else ()

    def make(room: int) -> tuple[AgenticOut, str]:
        shown = written(cut_to(answer, room // 3), urls)
        results = [_found_out(source, run.extracts) for source in run.sources]
        shown_results, _ = _within(results, _found_lines, room - tokens_of(shown) - _HISTORY_TOKENS)
        more = len(results) - len(shown_results)
        out = AgenticOut(
            success=bool(results),
            status="running" if end is None else over,
            iterations=len(history),
            completeness=round(reached, 2),
            answer=shown,
            results=shown_results,
            search_history=history,
            run_id=run.id if end is None or more else "",
            warnings=warnings_of(warned, int(room * _WARNINGS_SHARE)),
            cut=f"{more} results more: call continue_search with run_id {run.id}." if more else "",
        )
        rest = f" Call continue_search with run_id {run.id} for the rest." if out.run_id else ""
        head = f"{out.status}: completeness {out.completeness} after {out.iterations} iterations."
        found, rounds = map(_found_lines, shown_results), map(_iteration_line, history)
        parts = [head + rest, out.answer, *found, *rounds]
        return out, "\n\n".join(filter(None, [*parts, *out.warnings, out.cut, out.notice]))

    return fitted(make, max_tokens)


def history_of(events: Sequence[RunEvent]) -> list[Iteration]:
    """Return the rounds of a run as its events tell them; what the library had comes first."""
    rounds: dict[int, Iteration] = {}
    requested = {event.url: event.round for event in events if isinstance(event, PageRequested)}

    def of(number: int) -> Iteration:
        source = "web" if number else "library"
        return rounds.setdefault(number, Iteration(iteration=number, source=source))

    for event in events:
        match event:
            case LibraryRecalled(completeness=completeness, documents=n):
                of(0).completeness, of(0).urls_read = completeness, n
            case SearchStarted(queries=queries, round=number):
                asked = (*of(number).queries, *map(plain, queries))
                of(number).queries = list(dict.fromkeys(asked))
            case ResultsRanked(urls=urls, round=number):
                of(number).urls_offered = max(of(number).urls_offered, len(urls))
            case PageRead(url=url, status=PageStatus.OK):
                # One that was redirected belongs to the latest round, and never to round 0, the library.
                of(requested.get(url) or max(rounds, default=1) or 1).urls_read += 1
            case Judged(judging=Judging.PASSAGES, round=number) as judged:
                of(number).gaps = [plain(query) for query in judged.gap_queries]
            # `GapFound` opens a round: its queries are the gaps of the round before.
            case GapFound(queries=queries, round=number) if number - 1 in rounds:
                of(number - 1).gaps = [plain(query) for query in queries]
            case _:
                pass
    ordered = [rounds[number] for number in sorted(rounds)]
    for place, iteration in enumerate(ordered, 1):
        iteration.iteration = place
    return ordered


def _found_out(source: Source, extracts: Sequence[Extract]) -> FoundOut:
    texts = [extract.text for extract in extracts if extract.n == source.n]
    return FoundOut(
        n=source.n,
        title=fenced_line(source.title),
        url=address(source.url),
        origin="library" if source.kept else "web",
        text=fenced("\n...\n".join(texts)),
    )


def _found_lines(found: FoundOut) -> str:
    return f"[{found.n}] {found.title} {found.url}\n{found.text}"


def _iteration_line(iteration: Iteration) -> str:
    gaps = f"; missing: {', '.join(iteration.gaps)}" if iteration.gaps else ""
    asked = f" for {', '.join(iteration.queries)}" if iteration.queries else ""
    return (
        f"Iteration {iteration.iteration} ({iteration.source}){asked}: {iteration.urls_read} of"
        f" {iteration.urls_offered} read, completeness {iteration.completeness}{gaps}."
    )
