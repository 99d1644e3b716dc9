"""What is told of a call while it goes on: in plain words, as it changes."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from typing import Any, TypeVar

from mcp.server.mcpserver import Context

from askance.domain.conversation import SEARCH
from askance.domain.errors import AskanceError
from askance.domain.events import RunEvent, Warned, WarningCode
from askance.domain.messages import Message
from askance.presentation.progress import RunProgress
from askance.server.tool_results import plain

T = TypeVar("T")
_PROGRESS_S = 0.3


class Doing:
    """What goes on, as its events tell. Without `model` it is a search alone."""

    def __init__(self, *, model: bool = True) -> None:
        self.progress = RunProgress(SEARCH)
        self.changed = asyncio.Event()
        if not model:
            none = Message("No language model is set up.")
            self.progress.apply(Warned(WarningCode.MODEL_UNAVAILABLE, none))

    def hear(self, event: RunEvent) -> None:
        """Take in one event."""
        self.progress.apply(event)
        self.changed.set()


async def told(
    ctx: Context[Any, Any], progress: RunProgress, changed: asyncio.Event, work: Awaitable[T]
) -> T:
    """Return what work returns, and tell its caller meanwhile how far it is. Raises as it does."""
    failure: AskanceError | None = None
    done: list[T] = []
    async with asyncio.TaskGroup() as group:
        telling = group.create_task(_tell(ctx, progress, changed))
        try:
            done.append(await work)
        except AskanceError as exc:  # which a group would wrap
            failure = exc
        finally:
            telling.cancel()
    if failure is not None:
        raise failure
    return done[0]


async def _tell(ctx: Context[Any, Any], progress: RunProgress, changed: asyncio.Event) -> None:
    said, number = "", 0
    # Whoever hears no progress gets the result.
    with suppress(Exception):
        while True:
            changed.clear()
            text = plain(" · ".join(filter(None, (progress.status.text, progress.status.detail))))
            if text != said:
                said, number = text, number + 1
                await ctx.report_progress(number, message=text)
                await asyncio.sleep(_PROGRESS_S)
            await changed.wait()
