"""How far a download, a start of the containers or a reading into the library is, in words. No Qt in here."""

from __future__ import annotations

from askance.adapters.containers.compose_output import Kind, Progress
from askance.adapters.llm.ollama_pull import PullStep
from askance.domain.library import LibraryStats
from askance.presentation.i18n import plural, size_text, tr
from askance.presentation.library import place_of, reason_of
from askance.session.library import Reading
from askance.session.library import Step as ReadingStep

# In whole megabytes less than this is told too coarsely; in tenths of them, less than that.
_SMALL, _LEAST = 10_000_000, 100_000


def pull_text(step: PullStep) -> str:
    """Say how far a model is."""
    if not step.total_bytes:
        return tr("Connecting")
    if step.done_bytes >= step.total_bytes:
        return tr("Verifying")
    return tr(
        "{done} of {total}", done=size_text(step.done_bytes), total=size_text(step.total_bytes)
    )


def start_text(step: Progress) -> str:
    """Say what the containers are doing."""
    if step.kind is Kind.BUILD:
        return tr("Building the reader")
    if step.kind is Kind.IMAGE:
        name = step.name.rpartition("/")[2].partition(":")[0]
        if not step.total_bytes:
            return tr("Downloading {name}", name=name)
        done, total = size_text(step.current_bytes), size_text(step.total_bytes)
        return tr("Downloading {name}: {done} of {total}", name=name, done=done, total=total)
    return tr("Starting {name}", name=step.name)


def reading_text(step: ReadingStep) -> str:
    """Say how far the reading of a folder or of pages is."""
    if not step.of:
        return tr("Reading")
    name = place_of(step.name) if "://" in step.name else step.name
    said = tr("Reading {n} of {of}", n=min(step.done + 1, step.of), of=step.of)
    return " · ".join(filter(None, (said, name)))


def outcome_text(read: Reading) -> str:
    """Say what came of reading."""
    new = plural(
        "{n} document is new or changed.", "{n} documents are new or changed.", read.documents
    )
    said = [new]
    if read.gone:
        said.append(plural("{n} is gone.", "{n} are gone.", read.gone))
    if failed := read.failed:
        n = len(failed)
        said.append(plural("{n} could not be read.", "{n} could not be read.", n))
        said.append(reason_of(failed[0]) if n == 1 else "")
    return " ".join(filter(None, said))


def library_text(stats: LibraryStats) -> str:
    """Say how much the library holds, and how much room that takes."""
    if not stats.documents:
        return tr("The library is empty.")
    size, least = stats.bytes, max(stats.bytes, _LEAST)
    told = size_text(size) if size >= _SMALL else tr("{n} MB", n=least / 1_000_000)
    parts = [
        plural("{n} document", "{n} documents", stats.documents),
        plural("{n} passage", "{n} passages", stats.passages),
    ]
    if size:  # a server does not say what room it takes
        parts.append(tr("{size} on disk", size=told))
    return " · ".join(parts)
