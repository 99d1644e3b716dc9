"""The whole trace of a run in words, a few lines an event."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, repeat
from typing import assert_never

from askance.cli.render.status import page_outcome, quoted, waiting_text
from askance.domain.events import (
    Answered,
    Cancelled,
    CitationsChecked,
    ClarifyAsked,
    Dequeued,
    Failed,
    GapFound,
    Judged,
    LibraryRecalled,
    PageRead,
    PageRequested,
    PassagesSelected,
    Planned,
    Queued,
    RequestSent,
    ResultsFound,
    ResultsRanked,
    RunEvent,
    SearchStarted,
    SourcesReady,
    TimeExpected,
    TokenArrived,
    Warned,
)
from askance.domain.evidence import Citation, Support
from askance.presentation.cleaning import one_line
from askance.presentation.words import counted

INDENT = " " * 9


def narrate(event: RunEvent, at_s: float) -> list[str]:
    """Return the lines of one event: the second of the run, what was found, and why."""
    heads = chain([f"{at_s:6.1f} s "], repeat(INDENT))
    return [head + one_line(line) for head, line in zip(heads, _told(event), strict=False)]


def _told(event: RunEvent) -> list[str]:  # noqa: C901 - one row an event
    match event:
        case Queued(ahead=ahead):
            return [waiting_text(ahead)]
        case Dequeued(waited_ms=ms):
            return [f"The model is free ({ms} ms waited)"]
        case Planned():
            return _plan(event)
        case TimeExpected(seconds=seconds):
            return [f"Runs with this model take about {seconds} s here"]
        case LibraryRecalled(passages=passages, sufficiency=sufficiency, elapsed_ms=ms):
            return [f"Library: {counted(passages, 'passage')}, {sufficiency} ({ms} ms)"]
        case RequestSent():
            return [f"Sent to {event.to} through {event.through}: {event.content}"]
        case SearchStarted(queries=queries, round=round_):
            return [f"Round {round_}: searching for {quoted(queries)}"]
        case ResultsFound():
            return _results(event)
        case ResultsRanked(urls=urls, titles=titles, copies=copies):
            ranked = zip(titles, urls, strict=False)
            return [
                f"Best results ({copies} near-copies set aside):",
                *(f"{i}. {title} <{url}>" for i, (title, url) in enumerate(ranked, 1)),
            ]
        case Judged():
            return _verdict(event)
        case PageRequested(url=url):
            return [f"Reading {url}"]
        case PageRead():
            by = f" by {event.served_by}" if event.served_by else ""
            return [f"{page_outcome(event)}{by} ({event.elapsed_ms} ms)"]
        case PassagesSelected():
            return [
                f"Evidence: {counted(event.passages, 'passage')} of {counted(event.pages, 'page')}, "
                f"{counted(event.tokens, 'token')}; {event.dropped} dropped for want of room, "
                f"{event.copies} near-copies removed"
            ]
        case GapFound(queries=queries):
            return [f"Missing, so next: {quoted(queries)}"]
        case SourcesReady(sources=sources):
            return ["Sources:", *(f"[{s.n}] {s.title} <{s.url}>" for s in sources)]
        case CitationsChecked():
            return _citations(event)
        case Warned(code=code, message=message):
            return [f"Note ({code}): {message}"]
        case TokenArrived():
            return []
        case ClarifyAsked(question=question):
            return [f"Asked back: {question}"]
        case Answered():
            return _answered(event)
        case Failed(problem=problem, fix=fix):
            return [f"Failed: {problem}", *([fix] if fix else [])]
        case Cancelled():
            return ["Stopped."]
        case _:
            assert_never(event)


def _plan(event: Planned) -> list[str]:
    lines = [f"Plan: {event.action}; the history is {event.history_sufficiency}"]
    if event.fallback:
        lines[0] = "Plan: none that could be used; the question is searched as it is"
    lines[0] += f" ({event.elapsed_ms} ms)"
    return [*lines, *_listed("Also search for", event.queries)]


def _results(event: ResultsFound) -> list[str]:
    query = quoted((event.query,))
    if event.error:
        return [f"{query} failed: {event.error} ({event.elapsed_ms} ms)"]
    found = f"{counted(event.results, 'result')}, {event.new} new ({event.elapsed_ms} ms)"
    silent = [f"{engine.name} ({engine.reason})" for engine in event.silent_engines]
    return [f"{query}: {found}", *_listed("Engines that did not answer", silent)]


def _verdict(event: Judged) -> list[str]:
    return [
        f"Verdict on the {event.judging}: {event.sufficiency} ({event.elapsed_ms} ms)",
        *([event.reasoning] if event.reasoning else []),
        *([f"Not taken at its word: {event.doubt}"] if event.doubt else []),
        *_listed("It misses", event.gap_queries),
    ]


def _citations(event: CitationsChecked) -> list[str]:
    counts = dict.fromkeys(Support, 0)
    for citation in event.citations:
        counts[citation.support] += 1
    tally = ", ".join(f"{count} {support}" for support, count in counts.items())
    return [
        f"Citations: {tally}; {event.added} added, {event.removed} removed",
        *(_carried(citation) for citation in event.citations),
    ]


def _carried(citation: Citation) -> str:
    by = f" by “{citation.quote}”" if citation.quote else ""
    return f"[{citation.n}] {citation.support}: {citation.sentence}{by}"


def _answered(event: Answered) -> list[str]:
    used = event.usage
    return [
        f"Answered from: {event.outcome}, {counted(event.rounds, 'round')} ({event.elapsed_ms} ms)",
        f"{counted(used.model_calls, 'model call')}, {counted(used.prompt_tokens, 'token')} read, "
        f"{used.output_tokens:,} written; {used.searches} searched, "
        f"{used.pages_read} of {counted(used.pages_offered, 'page')} read",
    ]


def _listed(label: str, items: Sequence[str]) -> list[str]:
    return [f"{label}: {', '.join(items)}"] if items else []
