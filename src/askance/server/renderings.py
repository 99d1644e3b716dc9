"""What came of a run, a page, a search of the library, as a result of a tool: cut to what was asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from mcp_types import CallToolResult

from askance.domain.events import (
    Answered,
    ClarifyAsked,
    GapFound,
    Judged,
    Judging,
    LibraryRecalled,
    PageRead,
    ResultsRanked,
    RunEvent,
    SearchStarted,
)
from askance.domain.evidence import Citation, Extract, Source
from askance.domain.library import Found
from askance.domain.phases import Sufficiency
from askance.domain.web import Page, PageStatus, host_of
from askance.engine.library_relevance import completeness
from askance.presentation.answers import link_of
from askance.server.runs import Run
from askance.server.tool_results import (
    LONGEST_QUOTE,
    AgenticOut,
    CitationOut,
    FoundOut,
    HitOut,
    Iteration,
    LibraryOut,
    PageOut,
    SearchOut,
    SourceOut,
    address,
    cut_to,
    fenced,
    fitted,
    passages_out,
    plain,
    source_out,
    tokens_of,
    written,
)

_ANSWER_SHARE, _WARNINGS_SHARE = 0.6, 0.15
_MOST_WARNINGS, _LONGEST_WARNING = 6, 300
_HISTORY_TOKENS = 700
_Item = TypeVar("_Item")
Resource = Callable[[Source], str]
"""Returns the URI under which a client can read the whole text of a source; empty of none."""


# Answers


def search_result(run: Run, resource_of: Resource, max_tokens: int) -> CallToolResult:
    """Return how a run ended; of one that is under way, what there is so far."""
    match run.end:
        case Answered() as end:
            return fitted(lambda room: _answered(run, end, resource_of, room), max_tokens)
        case ClarifyAsked(question=question):
            asked = written(question)
            out = SearchOut(
                outcome="clarify", clarifying_question=asked, elapsed_s=round(run.elapsed_s, 1)
            )
            text = f"The question is not clear yet. Ask the user, then search again: {asked}"
            return fitted(lambda _room: (out, text), max_tokens)
        case _:
            return fitted(lambda room: _running(run, resource_of, room), max_tokens)


def _answered(run: Run, end: Answered, resource_of: Resource, room: int) -> tuple[SearchOut, str]:
    whole = written(f"{end.opening}\n\n{end.answer}".strip() if end.opening else end.answer)
    warnings = warnings_of(end.warnings, int(room * _WARNINGS_SHARE))
    answer = cut_to(whole, int(room * _ANSWER_SHARE))
    left = room - tokens_of(answer) - sum(map(tokens_of, warnings))
    by_number = {source.n: source for source in end.sources}
    cited = [c for c in end.citations if c.n in by_number]
    numbers = dict.fromkeys([c.n for c in cited] + list(by_number))
    sources, left = _within(
        [source_out(by_number[n], resource_of(by_number[n])) for n in numbers], _source_line, left
    )
    shown = {source.n for source in sources}
    wanted = [_citation_out(c, by_number[c.n]) for c in cited if c.n in shown]
    citations, left = _within(wanted, _citation_line, left)
    cut: list[str] = []
    if len(answer) < len(whole):
        cut.append("the end of the answer")
    if (n := len(by_number) - len(sources)) > 0:
        cut.append(f"{n} sources")
    if (n := len(cited) - len(citations)) > 0:
        cut.append(f"{n} citations")
    told = ""
    if cut:
        told = (
            f"Left out for length: {', '.join(cut)}. Call continue_search with run_id {run.id} and a"
            " larger max_tokens to get more."
        )
    out = SearchOut(
        outcome=end.outcome.value,
        answer=answer,
        citations=citations,
        sources=sorted(sources, key=lambda source: source.n),
        run_id=run.id if cut else "",
        warnings=warnings,
        cut=told,
        elapsed_s=round(end.elapsed_ms / 1000, 1),
    )
    return out, _answer_text(out)


def _answer_text(out: SearchOut) -> str:
    parts = [out.answer]
    if out.sources:
        parts.append("Sources:\n" + "\n".join(map(_source_line, out.sources)))
    if out.citations:
        parts.append("Citations:\n" + "\n".join(map(_citation_line, out.citations)))
    if out.warnings:
        parts.append("Warnings:\n" + "\n".join(f"- {said}" for said in out.warnings))
    return "\n\n".join(filter(None, [*parts, out.cut, out.notice]))


def _running(run: Run, resource_of: Resource, room: int) -> tuple[SearchOut, str]:
    status = run.progress.status
    doing = plain(" · ".join(filter(None, (status.text, status.detail))))
    next_step = f"The search goes on. Call continue_search with run_id {run.id} for its answer."
    listed, left = _within(
        [source_out(source, resource_of(source)) for source in run.sources],
        _source_line,
        room // 3,
    )
    passages, more = passages_out(run.extracts, max(0, room * 2 // 3 + left - 150))
    out = SearchOut(
        outcome="running",
        sources=listed,
        passages=passages,
        doing=doing,
        run_id=run.id,
        cut=f"{more} passages more: the answer will rest on all of them." if more else "",
        elapsed_s=round(run.elapsed_s, 1),
    )
    parts = [f"No answer yet after {run.elapsed_s:.0f} s ({doing}). {next_step}"]
    if listed:
        parts.append("Sources so far:\n" + "\n".join(map(_source_line, listed)))
    parts += [f"[{passage.n}]\n{passage.text}" for passage in passages]
    return out, "\n\n".join(filter(None, [*parts, out.cut, out.notice]))


def warnings_of(said: Sequence[str], tokens: int) -> list[str]:
    """Return warnings as clients see them, in so many tokens; what pages put into them is cleaned, too."""
    few = said[:_MOST_WARNINGS]
    return [cut_to(plain(text, _LONGEST_WARNING), tokens // len(few)) for text in few]


def _within(
    items: Sequence[_Item], line: Callable[[_Item], str], tokens: int
) -> tuple[list[_Item], int]:
    """Return as many items as fit by their lines, and what is left."""
    kept: list[_Item] = []
    for item in items:
        cost = tokens_of(line(item)) + 1
        if cost > tokens:
            break
        tokens -= cost
        kept.append(item)
    return kept, tokens


def _source_line(source: SourceOut) -> str:
    about = ", ".join(filter(None, (source.date, "" if source.read else "snippet only")))
    resource = f" {source.resource}" if source.resource else ""
    return f"[{source.n}] {source.title}{f' ({about})' if about else ''} {source.url}{resource}"


def _citation_out(citation: Citation, source: Source) -> CitationOut:
    link = link_of(source, citation.quote)
    return CitationOut(
        n=citation.n,
        support=citation.support.value,
        quote=plain(citation.quote, LONGEST_QUOTE),
        link=address(link),
    )


def _citation_line(citation: CitationOut) -> str:
    return f'[{citation.n}] {citation.support}: "{citation.quote}" {citation.link}'.rstrip()


# Pages


def page_result(page: Page, start: int, max_tokens: int) -> CallToolResult:
    """Return a page's text from a character on."""
    text, whole = page.markdown[start:], len(page.markdown)
    url = address(page.final_url or page.url)

    def make(room: int) -> tuple[PageOut, str]:
        shown = cut_to(text, max(1, room - 120))
        end = start + len(shown)
        out = PageOut(
            url=url,
            title=plain(page.title),
            date=plain((page.published or "")[:10], 10),
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


# The library


def library_result(found: Found, max_tokens: int) -> CallToolResult:
    """Return what a search of the library has found."""

    def make(room: int) -> tuple[LibraryOut, str]:
        hits = [
            HitOut(
                title=plain(hit.title) or plain(host_of(hit.url)),
                url=address(hit.url),
                origin=hit.origin.value,
                date=plain((hit.published or hit.fetched_at)[:10], 10),
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
            cut=f"{more} passages more: ask for something narrower, or read their resources."
            if more
            else "",
        )
        head = "Nothing was found in the library." if not hits else "From the library:"
        parts = [head, *map(_hit_lines, shown), *out.notes, out.cut, out.notice]
        return out, "\n\n".join(filter(None, parts))

    return fitted(make, max_tokens)


def _hit_lines(hit: HitOut) -> str:
    date = f" ({hit.date})" if hit.date else ""
    return f"{hit.title}{date} {hit.url} ({hit.origin}) {hit.resource}\n{hit.text}"


# Agentic searches


def agentic_result(run: Run, threshold: float, max_tokens: int) -> CallToolResult:
    """Return what an agentic search has found, round by round."""
    history = history_of([event for _, event in run.events])
    sufficiency = _last_verdict(run)
    told = completeness(run.question, sufficiency, run.extracts) if run.extracts else 0.0
    reached = max([told, *(i.completeness for i in history[-1:])])
    if history:
        history[-1].completeness = round(reached, 2)
    end = run.end
    answer = written(end.answer) if isinstance(end, Answered) else ""
    complete = end is not None and reached >= threshold

    def make(room: int) -> tuple[AgenticOut, str]:
        shown = cut_to(answer, room // 3)
        results = [_found_out(source, run.extracts) for source in run.sources]
        kept, _ = _within(results, _found_lines, room - tokens_of(shown) - _HISTORY_TOKENS)
        more = len(results) - len(kept)
        out = AgenticOut(
            success=bool(results),
            status="running"
            if end is None
            else "complete"
            if complete
            else "max_iterations_reached",
            iterations=len(history),
            completeness=round(reached, 2),
            answer=shown,
            results=kept,
            search_history=history,
            run_id=run.id if end is None or more else "",
            warnings=warnings_of(end.warnings, int(room * _WARNINGS_SHARE))
            if isinstance(end, Answered)
            else [],
            cut=f"{more} results more: call continue_search with run_id {run.id}." if more else "",
        )
        head = (
            f"{out.status}: completeness {out.completeness} after {out.iterations} iterations."
            + (f" Call continue_search with run_id {run.id} for the rest." if out.run_id else "")
        )
        parts = [head, out.answer, *map(_found_lines, kept), *map(_iteration_line, history)]
        return out, "\n\n".join(filter(None, [*parts, *out.warnings, out.cut, out.notice]))

    return fitted(make, max_tokens)


def history_of(events: Sequence[RunEvent]) -> list[Iteration]:
    """Return the rounds of a run as its events tell them; what the library had comes first."""
    rounds: dict[int, Iteration] = {}

    def of(number: int) -> Iteration:
        source = "web" if number else "library"
        return rounds.setdefault(number, Iteration(iteration=number, source=source))

    for event in events:
        match event:
            case LibraryRecalled(completeness=told, documents=n):
                of(0).completeness, of(0).urls_read = told, n
            case SearchStarted(queries=queries, round=number):
                of(number).queries += [
                    plain(q) for q in queries if plain(q) not in of(number).queries
                ]
            case ResultsRanked(urls=urls, round=number):
                of(number).urls_offered = max(of(number).urls_offered, len(urls))
            case PageRead(status=PageStatus.OK):
                of(max(rounds, default=1) or 1).urls_read += 1
            case Judged(judging=Judging.PASSAGES, round=number) as judged:
                of(number).gaps = [plain(query) for query in judged.gap_queries]
            case GapFound(queries=queries, round=number) if number - 1 in rounds:
                of(number - 1).gaps = [plain(query) for query in queries]
            case _:
                pass
    ordered = [rounds[number] for number in sorted(rounds)]
    for place, iteration in enumerate(ordered, 1):
        iteration.iteration = place
    return ordered


def _last_verdict(run: Run) -> Sufficiency:
    verdicts = [e.sufficiency for _, e in run.events if isinstance(e, Judged)]
    return verdicts[-1] if verdicts else Sufficiency.INSUFFICIENT


def _found_out(source: Source, extracts: Sequence[Extract]) -> FoundOut:
    texts = [extract.text for extract in extracts if extract.n == source.n]
    return FoundOut(
        n=source.n,
        title=plain(source.title),
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
