"""Between the window and the engine: one queued signal carries across what the runs tell.

The window never waits for the engine, and the engine never touches a widget. Events are folded
beside the window; what becomes of them crosses with the number of their run, so that what a stopped
run still says can be told apart.
"""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable, Coroutine
from time import monotonic
from typing import Any, Protocol, get_args

from PySide6.QtCore import QObject, Qt, Signal

from askance.diagnostics.watching import report
from askance.domain.errors import AskanceError
from askance.domain.events import Cancelled, Failed, RunEnd, RunEvent, TokenArrived
from askance.domain.messages import Message
from askance.ui.talk.engine_thread import EngineThread, Opener

# Tokens are handed over in bundles: often enough to flow, seldom enough to leave the window idle.
BUNDLE_S = 0.04
# The thread may be in the middle of opening its parts, on a machine that is busy with other things.
# A process that ends before its threads gets errors from them.
CLOSING_S = 5.0

Timed = tuple[float, RunEvent]


class Emit(Protocol):
    """Hands an event of a run over."""

    def __call__(self, event: RunEvent, at_s: float | None = None) -> None:
        """`at_s` is the second of the run at which it came; now, if it is not given."""
        ...


Work = Callable[[Any, Emit], Coroutine[Any, Any, object]]
"""What a run does with the parts. It emits its own end, or raises an `AskanceError`."""

Fold = Callable[[tuple[Timed, ...]], Any]
"""What becomes of the next events of a run before they cross. It is called in the engine's thread."""


class Bridge(QObject):
    """Runs work beside the window. Its methods belong to the window's thread."""

    happened = Signal(int, object)
    """A run's number, and what its fold made of the next events."""

    _settled = Signal(object, object)

    def __init__(self, opener: Opener, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._settled.connect(_deliver, Qt.ConnectionType.QueuedConnection)
        self._thread = EngineThread(opener)
        self._runs = 0
        self._stops: dict[int, Callable[[], object]] = {}

    @property
    def is_idle(self) -> bool:
        """Whether nothing is under way beside the window: a run goes on a little behind its end."""
        return self._thread.is_idle

    def start(self) -> None:
        """Start the thread. It begins to open the parts; work waits for them."""
        self._thread.start()

    def run(self, work: Work, fold: Fold) -> int:
        """Begin a run and return its number. It ends with exactly one end of a run."""
        self._runs += 1
        number = self._runs
        run = _Run(lambda bundle: self.happened.emit(number, fold(bundle)))

        def ended(done: asyncio.Task[Any]) -> None:
            self._stops.pop(number, None)
            run.conclude(done)

        self._stops[number] = self._thread.submit(lambda parts: run.through(work, parts), ended)
        return number

    def stop(self, number: int) -> None:
        """Stop a run. It ends with `Cancelled` unless it has ended already."""
        if stop := self._stops.pop(number, None):
            stop()

    def call(
        self, work: Callable[[Any], Coroutine[Any, Any, Any]], then: Callable[[Any], None]
    ) -> Callable[[], object]:
        """Do something beside the window; `then` gets its result here, or its `AskanceError`.

        Returns what gives it up; `then` is not called after that.
        """
        return self._thread.submit(
            work, lambda done: None if done.cancelled() else self._settled.emit(then, done)
        )

    def reopen(self, opener: Opener) -> None:
        """Take other parts for all later work, such as after a change of settings."""
        self._thread.reopen(opener)

    def close(self, within_s: float = CLOSING_S) -> bool:
        """Stop everything and end the thread. False if that takes longer."""
        self._stops.clear()
        return self._thread.close(within_s)


def _deliver(then: Callable[[Any], None], done: asyncio.Task[Any]) -> None:
    try:
        result = done.result()
    except AskanceError as exc:
        result = exc
    then(result)


class _Run:
    """Bundles the events of one run, and sees to it that it ends once."""

    def __init__(self, hand_over: Callable[[tuple[Timed, ...]], None]) -> None:
        self._hand_over = hand_over
        self._began = monotonic()
        self._bundle: list[Timed] = []
        self._timer: asyncio.TimerHandle | None = None
        self._ended = False

    async def through(self, work: Work, parts: Any) -> None:
        try:
            await work(parts, self.emit)
        finally:
            self._flush()

    def conclude(self, done: asyncio.Task[Any]) -> None:
        """Tell an end that the work did not tell itself."""
        if done.cancelled():
            self.emit(Cancelled())
        elif isinstance(problem := done.exception(), AskanceError):
            self.emit(Failed.of(problem))
        elif problem is not None:
            traceback.print_exception(problem)  # a desktop keeps that in its journal
            report(problem)
            said = Message("Askance failed: {problem}.", problem=repr(problem))
            self.emit(Failed(said, Message("The report has the details: see Settings, Privacy.")))

    def emit(self, event: RunEvent, at_s: float | None = None) -> None:
        if self._ended:
            return
        self._bundle.append((monotonic() - self._began if at_s is None else at_s, event))
        if not isinstance(event, TokenArrived):
            self._flush()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(BUNDLE_S, self._flush)
        # Behind the fold: an end that could not be shown is none, and `conclude` tells another.
        self._ended = isinstance(event, get_args(RunEnd))

    def _flush(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._bundle:
            bundle, self._bundle = tuple(self._bundle), []
            self._hand_over(bundle)
