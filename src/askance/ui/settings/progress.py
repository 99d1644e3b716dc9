"""How far a download or a start of the containers is, in words. No Qt in here."""

from __future__ import annotations

from askance.adapters.containers.compose_output import Kind, Progress
from askance.adapters.llm.ollama_pull import PullStep
from askance.presentation.i18n import size_text, tr


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
