"""One run from its first event to its end, shown by a front end."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from typing import Any, get_args

from askance.cli.render.fronts import Front
from askance.cli.render.output import OutputLost
from askance.domain.errors import AskanceError
from askance.domain.events import Cancelled, Failed, RunEnd, RunEvent
from askance.session.conversing import Emit

Run = Callable[[Emit], Coroutine[Any, Any, RunEnd]]

# Fast enough for a moving sign and for text that flows, slow enough for a terminal over a network.
_TICK_S = 0.08
_ENDS = get_args(RunEnd)


async def follow(front: Front, run: Run) -> RunEnd:
    """Show a run, and return its end. An expected error before its own end becomes that end.

    Raises:
        CancelledError: the run was cancelled; `Cancelled` was shown.
        OutputLost: the output cannot be written. The run was cancelled.
    """
    shown = _Shown(front)
    with contextlib.closing(front):
        async with asyncio.TaskGroup() as group:
            running = group.create_task(_settled(run, shown))
            shown.stop = running.cancel
            ticking = group.create_task(_tick(shown))
            running.add_done_callback(lambda _: ticking.cancel())
        if shown.lost is not None:
            raise shown.lost
        return await running


class _Shown:
    """Hands events to the front end, and stops the run once nobody can see it any more."""

    def __init__(self, front: Front) -> None:
        self._front = front
        self.ended = False
        self.lost: OutputLost | None = None
        self.stop: Callable[[], object] = lambda: None

    def emit(self, event: RunEvent) -> None:
        self.ended = self.ended or isinstance(event, _ENDS)
        self._guarded(lambda: self._front.show(event))

    def tick(self) -> None:
        self._guarded(self._front.tick)

    def _guarded(self, draw: Callable[[], None]) -> None:
        if self.lost is not None:
            return
        try:
            draw()
        except OutputLost as exc:
            self.lost = exc
            self.stop()


async def _settled(run: Run, shown: _Shown) -> RunEnd:
    try:
        return await run(shown.emit)
    except AskanceError as exc:
        end = Failed.of(exc)
        shown.emit(end)
        return end
    except asyncio.CancelledError:
        if not shown.ended:
            shown.emit(Cancelled())
        raise


async def _tick(shown: _Shown) -> None:
    while True:
        shown.tick()
        await asyncio.sleep(_TICK_S)
