"""One quiet line that says what is happening now."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from askance.domain.events import (
    Answered,
    Cancelled,
    CitationsChecked,
    ClarifyAsked,
    Dequeued,
    Failed,
    GapFound,
    Judged,
    Judging,
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
from askance.domain.verdict import Sufficiency
from askance.domain.web import PageStatus, host_of
from askance.presentation.progress import Stage, Stages
from askance.presentation.steps import why_unread
from askance.presentation.words import counted

STARTING = "Starting"
WRITING = "Writing"

_VERDICTS = {
    Sufficiency.SUFFICIENT: "they are enough",
    Sufficiency.PARTIAL: "they are not enough yet",
    Sufficiency.INSUFFICIENT: "they do not answer it",
}


def status_text(event: RunEvent) -> str | None:  # noqa: C901 - one row an event
    """Return what goes on now that this event has come, or None where the line stays as it is."""
    match event:
        case Queued(ahead=ahead):
            return waiting_text(ahead)
        case Dequeued():
            return STARTING
        case Planned(queries=()):
            return None
        case Planned(queries=queries):
            return f"Planned to search for {quoted(queries)}"
        case LibraryRecalled(passages=passages):
            return f"Found {counted(passages, 'passage')} in the library"
        case SearchStarted(queries=queries):
            return f"Searching for {quoted(queries)}"
        case ResultsFound(query=query, error=error) if error:
            return f"The search for {quoted((query,))} failed"
        case ResultsFound(query=query, results=results):
            return f"Found {counted(results, 'result')} for {quoted((query,))}"
        case ResultsRanked(urls=urls):
            return f"Looking at the best {counted(len(urls), 'result')}"
        case Judged(judging=judging, sufficiency=sufficiency):
            looked_at = "snippets" if judging is Judging.SNIPPETS else "passages"
            return f"Judged the {looked_at}: {_VERDICTS[sufficiency]}"
        case PageRequested(url=url):
            return f"Reading {host_of(url)}"
        case PageRead():
            return page_outcome(event)
        case PassagesSelected(passages=passages, pages=pages):
            return f"Judging {counted(passages, 'passage')} of {counted(pages, 'page')}"
        case GapFound(queries=queries):
            return f"Something is missing: {quoted(queries)}"
        case SourcesReady(sources=sources):
            return f"Writing from {counted(len(sources), 'source')}"
        case CitationsChecked(citations=citations):
            return f"Checked {counted(len(citations), 'citation')}"
        case (
            RequestSent()
            | TimeExpected()
            | TokenArrived()
            | Warned()
            | ClarifyAsked()
            | Answered()
            | Failed()
            | Cancelled()
        ):
            return None
        case _:
            assert_never(event)


def waiting_text(ahead: int) -> str:
    """Say that the model's server is busy with other questions."""
    return f"Waiting for {'another question' if ahead == 1 else f'{ahead} other questions'}"


def waits_text(stages: Stages) -> str:
    """Return what a run waits for, for the line after a silence."""
    if stages.awaits_model:
        return "Waiting for the model"
    if stages.stage is Stage.PAGES and stages.open_hosts:
        return f"Waiting for {stages.open_hosts[0]}"
    return "Waiting for the search"


def page_outcome(page: PageRead) -> str:
    """Say how reading a page ended."""
    host = host_of(page.url)
    if page.status is PageStatus.OK:
        cut = f". {page.detail.removesuffix('.')}" if page.detail else ""
        return f"Read {host} ({counted(page.words, 'word')}){cut}"
    nothing = "Nothing on" if page.status is PageStatus.EMPTY else "No page from"
    return f"{nothing} {host}: {why_unread(page)}"


def quoted(queries: Sequence[str]) -> str:
    """Return queries in quotation marks, separated by commas."""
    return ", ".join(f"“{query}”" for query in queries)
