"""What is done for the library while a session lasts, beside what is asked: it is embedded, its folders are followed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from askance.config.diagnostics import report
from askance.domain.errors import AskanceError
from askance.domain.library import Listeners
from askance.domain.messages import Message
from askance.domain.ports.model import EmbeddingProgress, ModelQueue, Unembedded
from askance.domain.ports.web import OutboundLedger
from askance.engine.library_router import ContextLines, LibraryEmbedding, Line, Semantic
from askance.engine.run_progress import turn

if TYPE_CHECKING:
    from askance.adapters.library.files.watching import FolderWatch

OnError = Callable[[str], None]
"""Called with one sentence for each file of ours that is damaged or out of reach."""
AGAIN_S = 60.0
"""So long after a failure the folders are followed anew."""


def once(on_error: OnError) -> OnError:
    """Return what tells each trouble one time only: what fails in the background does so every minute."""
    reported = set[str]()

    def report(text: str) -> None:
        if text not in reported:
            reported.add(text)
            on_error(text)

    return report


@asynccontextmanager
async def run_in_background(
    work: Callable[[], Awaitable[None]], on_error: OnError
) -> AsyncGenerator[None]:
    """Do something beside what happens inside, and end it with that; its failure is reported and ends nothing."""
    failure: Exception | None = None
    async with asyncio.TaskGroup() as group:
        task = group.create_task(_guarded(work, on_error))
        try:
            yield
        except Exception as exc:  # noqa: BLE001 - which a group would wrap
            failure = exc
        finally:
            task.cancel()
    if failure is not None:
        raise failure


async def _guarded(work: Callable[[], Awaitable[None]], on_error: OnError) -> None:
    try:
        await work()
    except AskanceError as exc:
        on_error(exc.message)
    except Exception as exc:  # noqa: BLE001 - what nobody waits for must not end what somebody does
        report(exc)
        on_error(Message("Askance failed: {problem}.", problem=repr(exc)))


def make_embedder(
    semantic: Semantic,
    *,
    on_error: OnError,
    line: Line | None,
    ledger: OutboundLedger | None,
) -> LibraryEmbedding:
    """Return what embeds the library with the model that it is searched with: it is loaded once."""
    report_once = once(on_error)

    def on_progress(state: EmbeddingProgress) -> None:
        if state.problem:
            report_once(state.problem)

    return LibraryEmbedding(
        semantic.vectors,
        semantic.embedder,
        on_progress=on_progress,
        line=line,
        ledger=ledger,
    )


def queued(lines: ContextLines, queue: ModelQueue) -> Line:
    """Return what asks for the line of a passage only where no run has the model: a run waits for one at most."""

    async def line(passage: Unembedded) -> str:
        # Its place in the queue is shown nowhere: no run waits for this line.
        async with turn(queue, lambda _event: None):
            return await lines(passage)

    return line


def _call(loop: asyncio.AbstractEventLoop, step: Callable[[], None]) -> None:
    loop.call_soon_threadsafe(step)


@asynccontextmanager
async def following(
    watch: Callable[[Listeners], FolderWatch], noticed: Callable[[], None], on_error: OnError
) -> AsyncGenerator[None]:
    """Follow the folders that were added; `noticed` is called after each change.

    `watch` returns what follows them, and is called in the task that does so.
    """
    loop, report = asyncio.get_running_loop(), once(on_error)
    listeners = Listeners(
        watching=lambda _folders: None,
        # Told of in threads.
        followed=lambda _change: _call(loop, noticed),
        caught_up=lambda: None,
        trouble=report,
    )

    async def follow() -> None:
        while True:
            try:
                await watch(listeners).run()
            except AskanceError as exc:
                report(exc.message)
            # The failure may be gone by then: a disk is mounted again, a server is up.
            await asyncio.sleep(AGAIN_S)

    async with run_in_background(follow, report):
        yield
