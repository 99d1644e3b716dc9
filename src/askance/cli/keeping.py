"""What a command takes down while it works: the trace of a run, and what leaves this machine."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from askance.adapters.storage.trace_keeping import trace_kept
from askance.cli.parts import App
from askance.cli.render.output import say
from askance.cli.shell import Shell
from askance.config.settings import TraceSettings
from askance.engine.outbound import recorded
from askance.ports.outbound import Sent
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


def noting(shell: Shell, app: App, occasion: str) -> Sent:
    """Return what takes note of a command's own requests. A note that cannot be kept is told once."""
    troubles: set[str] = set()

    def warn(_code: object, message: str) -> None:
        if message not in troubles:
            troubles.add(message)
            say(shell.stderr, f"askance: {message}")

    return recorded(app.ledger, occasion, lambda _event: None, warn)
