"""Keeping the trace of a run while it is shown."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from askance.adapters.storage.trace_keeping import trace_kept
from askance.cli.endings import say
from askance.cli.shell import Shell
from askance.config.settings import TraceSettings
from askance.session.conversing import Emit


@contextmanager
def traced(shell: Shell, settings: TraceSettings, question: str, emit: Emit) -> Generator[Emit]:
    """Give an `emit` that keeps each event as well. A trace that cannot be kept is only told of."""
    troubles: list[str] = []
    with trace_kept(shell.folders, settings, question, emit, troubles.append) as keeping:
        yield keeping
    # Told behind the run, when nothing is drawn over any more.
    for trouble in troubles:
        say(shell.stderr, f"askance: {trouble}")
