"""What a widget has under way beside the window, and what of it still concerns the widget."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal
from shiboken6 import isValid

from askance.ui.engine.bridge import Bridge

OnProgress = Callable[[Any], None]


class PendingCalls(QObject):
    """Calls through a bridge for one widget, its parent. They end with it.

    Each has a name; another of the same name takes its place, so that an answer to what was asked
    before never overwrites that to what was asked last.
    """

    _progressed = Signal(object, object)

    def __init__(self, bridge: Bridge, parent: QObject) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._under_way: dict[str, tuple[object, Callable[[], object]]] = {}
        self._progressed.connect(_deliver, Qt.ConnectionType.QueuedConnection)

    def ask(
        self,
        name: str,
        work: Callable[[Any], Coroutine[Any, Any, Any]],
        then: Callable[[Any], None],
    ) -> None:
        """Do something with the open parts; `then` gets the result here, or its `AskanceError`."""
        self.give_up(name)
        ticket = object()

        def arrived(result: Any) -> None:
            if isValid(self) and self._is_awaited(name, ticket):
                del self._under_way[name]
                then(result)

        self._under_way[name] = ticket, self._bridge.call(work, arrived)

    def in_thread(self, name: str, work: Callable[[], Any], then: Callable[[Any], None]) -> None:
        """Do something that blocks and needs no open parts, in a thread of its own; as `ask` else."""

        async def beside(_parts: object) -> Any:
            return await asyncio.to_thread(work)

        self.ask(name, beside, then)

    def follow(
        self,
        name: str,
        work: Callable[[Any, OnProgress], Coroutine[Any, Any, Any]],
        on_progress: Callable[[Any], None],
        then: Callable[[Any], None],
    ) -> None:
        """Do something that tells how far it is: `on_progress` gets each word of that here."""

        def deliver(progress: Any) -> None:
            if self.is_under_way(name):
                on_progress(progress)

        def report(progress: Any) -> None:
            with suppress(RuntimeError):  # the widget went meanwhile
                self._progressed.emit(deliver, progress)

        self.ask(name, lambda parts: work(parts, report), then)

    def is_under_way(self, name: str) -> bool:
        """Whether a call of that name has not ended."""
        return name in self._under_way

    def give_up(self, name: str) -> None:
        """Stop a call; its `then` is not called. Nothing happens where there is none."""
        if entry := self._under_way.pop(name, None):
            entry[1]()

    def _is_awaited(self, name: str, ticket: object) -> bool:
        return self._under_way.get(name, (None,))[0] is ticket


def open_chores(parent: QObject) -> Bridge:
    """Return a bridge, started, for work that needs no open parts: containers, downloads, files.

    Such work takes minutes, and those who change settings must not wait for it. Close it.
    """
    bridge = Bridge(_nothing, parent)
    bridge.start()
    return bridge


def _deliver(receiver: Callable[[Any], None], value: Any) -> None:
    receiver(value)


@asynccontextmanager
async def _nothing() -> AsyncGenerator[None]:
    yield None
