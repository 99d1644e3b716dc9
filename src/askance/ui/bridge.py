"""Between the window and the engine: one queued signal carries across what the runs tell.

The window never waits for the engine, and the engine never touches a widget. Events are folded
beside the window; what becomes of them crosses with the number of their run, so that what a stopped
run still says can be told apart. `PendingCalls` are a widget's own calls over the bridge. At the end: the parts that
the engine's thread opens.
"""

from __future__ import annotations

import asyncio
import threading
import traceback
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol, get_args

from PySide6.QtCore import QObject, Qt, Signal
from shiboken6 import isValid

from askance.config.diagnostics import report
from askance.config.folders import Folders
from askance.config.settings import Bar, Settings
from askance.domain.errors import AskanceError
from askance.domain.events import Cancelled, Failed, RunEnd, RunEvent, TokenArrived
from askance.domain.messages import Message

if TYPE_CHECKING:
    from askance.app.container import App


Opener = Callable[[], AbstractAsyncContextManager[Any]]
OnProgress = Callable[[Any], None]
Then = Callable[[Any], None]
"""Gets the result of a call, or its `AskanceError`."""
Job = Callable[[Any], Coroutine[Any, Any, Any]]
LongJob = Callable[[Any, OnProgress], Coroutine[Any, Any, Any]]
Done = Callable[[asyncio.Task[Any]], None]
# Tokens are handed over in bundles: often enough to flow, seldom enough to leave the window idle.
BUNDLE_S = 0.04
# The thread may be in the middle of opening its parts, on a machine that is busy with other things.
# A process that ends before its threads gets errors from them.
CLOSING_S = 5.0


class EngineThread:
    """A thread that runs coroutines over the open parts in a loop of its own. All methods may be called from any thread.

    `opener` returns the context in which the parts are open; it is entered and left in the thread.
    Parts that cannot be opened fail the work that wants them, until `reopen` brings others.
    """

    def __init__(self, opener: Opener) -> None:
        self._opener = opener
        self._thread = threading.Thread(target=self._serve, name="engine")
        self._started = threading.Event()
        self._loop: asyncio.AbstractEventLoop
        self._opened: asyncio.Future[Any]
        self._opening: asyncio.Future[Any] | None = None
        self._changed: asyncio.Event
        self._waiting: set[asyncio.Task[Any]] = set()
        self._running: set[asyncio.Task[Any]] = set()
        self._closing = False

    @property
    def is_idle(self) -> bool:
        """Whether all work that was begun has ended, down to what it does behind its result."""
        return not self._waiting

    def start(self) -> None:
        """Start the thread, and begin to open the parts."""
        self._thread.start()
        # Until there is a loop: `submit` uses it from the first call on.
        self._started.wait()

    def submit(self, work: Job, done: Done) -> Callable[[], object]:
        """Begin work on the parts once they are open; return what cancels it.

        `done` is called in the thread with the ended task, which failed with the `AskanceError` of
        the parts where these cannot be opened. After `close` nothing is begun.
        """
        # A place for the task, which is made later, in the thread.
        task: list[asyncio.Task[Any]] = []

        def begin() -> None:
            if self._closing:
                return  # its parts are closed, or about to be
            task.append(self._loop.create_task(self._through(work)))
            self._waiting.add(task[0])
            task[0].add_done_callback(self._note_end)
            task[0].add_done_callback(done)

        def cancel() -> None:
            # Called later than `begin`, so the task is there; a loop that is closed has ended it.
            self._call(lambda: [t.cancel() for t in task])

        self._call(begin)

        return cancel

    def reopen(self, opener: Opener) -> None:
        """Open other parts for all later work, once the work on these has ended."""
        self._call(lambda: self._exchange(opener))

    def close(self, within_s: float) -> bool:
        """Stop all work, close the parts and end the thread. False if that takes longer."""
        if self._thread.is_alive():
            # A loop is touched in its own thread alone.
            self._loop.call_soon_threadsafe(self._end)
            self._thread.join(within_s)
        return not self._thread.is_alive()

    def _note_end(self, task: asyncio.Task[Any]) -> None:
        """Note an end. A failure is `done`'s to tell: a window that is gone by then tells nobody."""
        self._waiting.discard(task)
        if not task.cancelled():
            task.exception()

    def _call(self, step: Callable[[], object]) -> None:
        """Do something in the thread, unless its loop is closed."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(step)

    def _serve(self) -> None:
        # It cancels what is left, and closes generators and the loop.
        with asyncio.Runner() as runner:
            self._loop = runner.get_loop()
            self._loop.set_exception_handler(_report)
            self._opened = self._loop.create_future()
            self._changed = asyncio.Event()
            self._started.set()
            runner.run(self._live())

    async def _live(self) -> None:
        while not self._closing:
            await self._live_once(self._opened)

    async def _live_once(self, opened: asyncio.Future[Any]) -> None:
        """Keep one set of parts open until others are wanted, or none."""
        self._changed.clear()
        self._opening = opened
        try:
            async with self._opener() as parts:
                opened.set_result(parts)
                await self._changed.wait()
                await self._settle()
        except AskanceError as exc:
            if not opened.done():
                opened.set_exception(exc)
                opened.exception()  # it need not be anybody's: work that wants the parts gets it
                await self._changed.wait()
                await self._settle()

    async def _settle(self) -> None:
        """Wait for the work on these parts; where the thread ends, stop it."""
        if self._closing:
            for task in self._waiting:
                task.cancel()
        if running := self._waiting if self._closing else self._running:
            # A copy: tasks take themselves out as they end.
            await asyncio.wait(set(running))

    def _exchange(self, opener: Opener) -> None:
        waited_for, self._opened = self._opened, self._loop.create_future()
        self._opener = opener
        if waited_for is not self._opening:
            waited_for.set_result(None)  # nobody will open it: those who wait look for the next
        self._changed.set()

    def _end(self) -> None:
        self._closing = True
        self._changed.set()

    async def _through(self, work: Job) -> Any:
        parts = await self._parts()
        task = asyncio.current_task()
        assert task is not None
        self._running.add(task)
        try:
            return await work(parts)
        finally:
            self._running.discard(task)

    async def _parts(self) -> Any:
        """Return the open parts. Those that were exchanged while this waited are closed by now."""
        while True:
            opened = self._opened
            # Shielded: work that is given up must not cancel what others wait for.
            parts = await asyncio.shield(opened)
            if opened is self._opened:
                return parts


def _report(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Take note of what went wrong in a callback, or in a task whose end nobody looks at."""
    if isinstance(error := context.get("exception"), BaseException):
        report(error)
    loop.default_exception_handler(context)


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
        # Emitted in the engine's thread; queued, it arrives in the window's.
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
        # Never used again, so that what a stopped run still sends is not taken for a later one's.
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

    def call(self, work: Job, then: Then) -> Callable[[], object]:
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


def _deliver(then: Then, done: asyncio.Task[Any]) -> None:
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
            message = Message("Askance failed: {problem}.", problem=repr(problem))
            self.emit(
                Failed(message, Message("The report has the details: see Settings, Privacy."))
            )

    def emit(self, event: RunEvent, at_s: float | None = None) -> None:
        if self._ended:
            return
        self._bundle.append((monotonic() - self._began if at_s is None else at_s, event))
        # What is no token is rare, and is to be seen at once, behind the tokens before it.
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
        self._progressed.connect(_call_with, Qt.ConnectionType.QueuedConnection)

    def ask(self, name: str, work: Job, then: Then) -> None:
        """Do something with the open parts; `then` gets the result here, or its `AskanceError`."""
        self.give_up(name)
        # The result of a call that was given up may be queued already: it must not be taken for this one's.
        ticket = object()

        def arrived(result: Any) -> None:
            if isValid(self) and self._under_way.get(name, (None,))[0] is ticket:
                del self._under_way[name]
                then(result)

        self._under_way[name] = ticket, self._bridge.call(work, arrived)

    def in_thread(self, name: str, work: Callable[[], Any], then: Then) -> None:
        """Do something that blocks and needs no open parts, in a thread of its own; as `ask` else."""

        async def beside(_parts: object) -> Any:
            return await asyncio.to_thread(work)

        self.ask(name, beside, then)

    def follow(self, name: str, work: LongJob, on_progress: OnProgress, then: Then) -> None:
        """Do something that tells how far it is: `on_progress` gets each word of that here."""

        def deliver(progress: Any) -> None:
            if self.is_under_way(name):
                on_progress(progress)

        def report(progress: Any) -> None:
            # Queued: `report` is called in the bridge's thread, and widgets belong to the window's.
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


def open_chores(parent: QObject) -> Bridge:
    """Return a bridge, started, for work that needs no open parts: containers, downloads, files.

    Such work takes minutes, and those who change settings must not wait for it. Close it.
    """
    bridge = Bridge(_nothing, parent)
    bridge.start()
    return bridge


def _call_with(take: OnProgress, step: Any) -> None:
    take(step)


@asynccontextmanager
async def _nothing() -> AsyncGenerator[None]:
    yield None


# What is asked of the sample web. Without a model its passages are shown as they stand, and one of
# them must be the answer.
COMPARISON = "/search Which village is higher above the sea, Skarne or Kelhaven?"
ONE_PASSAGE = "/search What is the strongest gust of wind ever measured on Hesperay?"
OnError = Callable[[str], None]


@asynccontextmanager
async def real_parts(
    settings: Settings, folders: Folders, on_error: OnError
) -> AsyncGenerator[App]:
    """Open the parts of the program as the settings have them."""
    # Nothing is opened, stored or sent while the settings cannot be read.
    settings.refuse_if_barred(Bar.ALL)
    # Here and not above: the window is there before httpx and pydantic are.
    from askance.app.container import Stay, open_app  # noqa: PLC0415

    stay = Stay.WINDOW
    async with open_app(settings, folders, on_error=on_error, stay=stay) as app:
        yield app


@asynccontextmanager
async def sample_parts(
    settings: Settings, folders: Folders, on_error: OnError
) -> AsyncGenerator[App]:
    """Open the parts over the sample web, which is on this machine."""
    settings.refuse_if_barred(Bar.ALL)
    from askance.app.container import open_app  # noqa: PLC0415
    from askance.sample_web.sample_server import serve_sample_web  # noqa: PLC0415

    with serve_sample_web() as web:
        async with open_app(settings, folders, sample_web=web, on_error=on_error) as app:
            yield app


async def sample_question(app: App) -> str:
    """Return what to ask of the sample web: something to compare where there is a model to do it."""
    try:
        # A model that does not answer counts as none: the question must then be one that a passage
        # answers.
        if app.model is not None:
            await app.model.info()
            return COMPARISON
    except AskanceError:
        pass
    return ONE_PASSAGE
