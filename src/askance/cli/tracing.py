"""Keeping the trace of a run while it is shown."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import contextmanager

from askance.adapters.traces import TraceStore
from askance.cli.endings import say
from askance.cli.parts import Emit
from askance.cli.shell import Shell
from askance.config.settings import TraceSettings
from askance.domain.events import RunEvent


@contextmanager
def traced(shell: Shell, settings: TraceSettings, question: str, emit: Emit) -> Generator[Emit]:
    """Give an `emit` that keeps each event as well. A trace that cannot be kept is only told of."""
    if not settings.enabled:
        yield emit
        return
    troubles: list[str] = []
    store = TraceStore(shell.folders.traces, settings.keep, troubles.append)
    began = time.monotonic()
    with store.begin(question) as writer:

        def both(event: RunEvent) -> None:
            writer.add(event, time.monotonic() - began)
            emit(event)

        yield both
    # Told behind the run, when nothing is drawn over any more.
    for trouble in troubles:
        say(shell.stderr, f"askance: {trouble}")
