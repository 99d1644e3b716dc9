"""`askance trace`: past runs, told and shown again."""

from __future__ import annotations

import asyncio

from askance.adapters.storage.traces import Trace, TraceSummary
from askance.cli.exits import Exit, told_end
from askance.cli.render.views import Front, follow, trace_lines
from askance.cli.shell import Shell
from askance.domain.errors import InputError
from askance.domain.events import RunEnd
from askance.presentation.sanitizing import one_line
from askance.session.conversation import Emit
from askance.stores import trace_store


def list_all(shell: Shell) -> Exit:
    """List the traces, newest first."""
    summaries = trace_store(shell.settings(), shell.folders, shell.complain).summaries()
    for summary in summaries:
        shell.stdout.line(row(summary))
    if not summaries:
        shell.stdout.line("There is no trace yet; every `askance ask` leaves one.")
    return Exit.DONE


def row(summary: TraceSummary) -> str:
    """Return one trace on one line: id, start, outcome, seconds, question."""
    started = one_line(summary.started[:16].replace("T", " "))
    if summary.damage:
        return f"{summary.id}  {started:<16}  damaged: {one_line(summary.damage)}"
    took = f"{summary.seconds:6.1f} s"
    head = f"{summary.id}  {started:<16}  {summary.outcome:<13}  {took}"
    return f"{head}  {one_line(summary.question)}"


def tell(shell: Shell, prefix: str) -> Exit:
    """Tell a whole trace in words; the last one if none is named."""
    store = trace_store(shell.settings(), shell.folders, shell.complain)
    trace = store.read(prefix) if prefix else store.last()
    started, question = one_line(trace.started), one_line(trace.question)
    shell.stdout.line(f"{trace.id}  {started}  {question}")
    for line in trace_lines(trace.events):
        shell.stdout.line(line)
    return Exit.DONE


def replay(shell: Shell, prefix: str, speed: float, *, verbose: bool = False) -> Exit:
    """Show a run again through the front end of `ask`, `speed` times as fast; 0 does not wait."""
    trace = trace_store(shell.settings(), shell.folders, shell.complain).read(prefix)

    async def titled() -> RunEnd:
        # Inside the loop: Ctrl-C while a loop is being made leaves half of one behind.
        shell.stdout.line(one_line(f"> {trace.question}"))
        return await replayed(trace, shell.front(verbose=verbose), speed)

    told_end(asyncio.run(titled()), shell.stderr)
    return Exit.DONE


async def replayed(trace: Trace, front: Front, speed: float) -> RunEnd:
    """Give the events of a trace to a front end at their old pace.

    Raises:
        InputError: the trace holds no event.
    """

    async def run(emit: Emit) -> RunEnd:
        last_s, end = 0.0, None
        for at_s, event in trace.events:
            if speed > 0:
                await asyncio.sleep(max(at_s - last_s, 0.0) / speed)
            last_s = at_s
            emit(event)
            end = event
        if isinstance(end, RunEnd):
            return end
        raise InputError(f"The trace {trace.id} has no end.")

    return await follow(front, run)
