"""Keeping the trace of a run while it happens."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from askance.adapters.storage.traces import TraceStore
from askance.config.folders import Folders
from askance.config.settings import TraceSettings
from askance.domain.events import RunEvent

Emit = Callable[[RunEvent], None]


@contextmanager
def trace_kept(
    folders: Folders,
    settings: TraceSettings,
    question: str,
    emit: Emit,
    trouble: Callable[[str], None],
) -> Generator[Emit]:
    """Give an `emit` that keeps each event as well, where the settings say so.

    A trace that cannot be kept costs the run nothing: `trouble` is called with one sentence.
    """
    if not settings.enabled:
        yield emit
        return
    store = TraceStore(folders.traces, settings.keep, trouble)
    began = time.monotonic()
    with store.begin(question) as writer:

        def both(event: RunEvent) -> None:
            writer.add(event, time.monotonic() - began)
            emit(event)

        yield both
