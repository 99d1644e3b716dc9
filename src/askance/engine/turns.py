"""A run's turn at the model's server."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from askance.domain.events import Dequeued, Queued
from askance.engine.outbound import Emit
from askance.ports.queue import ModelQueue


@asynccontextmanager
async def turn(queue: ModelQueue | None, emit: Emit) -> AsyncGenerator[None]:
    """Wait for the turn of a run, and tell of it if that takes time; without a queue it has it."""
    if queue is None:
        yield
        return
    clock = asyncio.get_running_loop().time
    began, waited = clock(), False

    def tell(ahead: int) -> None:
        nonlocal waited
        waited = True
        emit(Queued(ahead))

    async with queue.turn(tell):
        if waited:
            emit(Dequeued(round(1000 * (clock() - began))))
        yield
