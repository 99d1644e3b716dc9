"""A pool of child processes that take pages apart, each of which can be ended at any moment."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from askance.domain.errors import ServiceDown
from askance.domain.messages import Message, Remedy
from askance.domain.web_pages import PageReason
from askance.extract import extracted
from askance.extract.extracted import Extracted, failed
from askance.extract.sandbox import Protections
from askance.system.children import end_child, kill_child, start_child
from askance.system.program import NO_WINDOW, child_command

WORKERS = 2
"""Child processes that take pages and files apart."""
# 192 MiB is the least with which one can run (docs/decisions/0014-confined-parsers.md).
WORKER_MEMORY_MB = 768
"""Memory of one of them; one that needs more is ended."""
# No file takes a tenth of it; callers have their own time limits, which end it earlier.
PAGE_CPU_S = 150.0
# Added to the niceness of processes that work in the background, for nobody who waits.
_BACKGROUND_NICE = 5
# What a Python needs of the environment to start; tokens, proxies and folders stay outside.
_PASSED_ON = frozenset({"LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "TZ", "LD_LIBRARY_PATH",
                        "SYSTEMROOT"})  # fmt: skip
_PASSED_ON_PREFIXES = ("PYTHON", "DYLD_", "_PYI_")

_LONG_BYTES, _IN_HALVES = 2_000_000, "application/pdf; first="
# A process that has closed its pipe is gone within milliseconds.
_ENDING_S = 1.0


@dataclass(frozen=True, slots=True)
class _Job:
    data: bytes
    url: str
    content_type: str
    reply: asyncio.Future[Extracted]


class _Idle(Exception):
    """A process has had nothing to do for long enough."""


class WorkerPool:
    """`async with WorkerPool(...) as pool`: entering starts the processes and does not wait for them.

    Each process imports its parsers while the program goes on; a page that comes earlier waits.
    A process is ended when the page it works on is cancelled, and replaced when it ends.
    Without `eager` there is none until `start` is called, or pages come: one for each of them, up to `count`.
    A process that has had no page for `idle_s` seconds is ended, until `start` is called again; 0 keeps them.

    Where no process can be started, what needs one raises ServiceDown.

    A page may take `page_cpu_s` seconds of processor time; waiting for a processor does not count.
    With `background`, processes that have started let all others of this machine go first. `command`
    starts another worker than that of this program; it is given memory, time and niceness.
    """

    def __init__(
        self,
        count: int,
        memory_mb: int,
        *,
        eager: bool = True,
        idle_s: float = 0.0,
        page_cpu_s: float = PAGE_CPU_S,
        background: bool = False,
        command: Sequence[str] = (),
    ) -> None:
        self._count = count
        self._memory_mb = memory_mb
        self._page_cpu_s = page_cpu_s
        nice = _BACKGROUND_NICE if background else 0
        self._limits = (str(memory_mb), str(page_cpu_s), str(nice))
        self._command = tuple(command)
        self._protections: Protections | None = None
        self._eager = eager
        self._idle_s = idle_s or None
        self._jobs: asyncio.Queue[_Job] = asyncio.Queue()
        self._tasks = asyncio.TaskGroup()
        self._slots: set[asyncio.Task[None]] = set()
        self._workers: set[_Worker] = set()
        self._waited_for = 0
        self._ready = False

    async def __aenter__(self) -> WorkerPool:
        await self._tasks.__aenter__()
        if self._eager:
            self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        for slot in self._slots:
            slot.cancel()
        try:
            # The body's error is kept from the group: it would wrap it in a group of its own.
            await self._tasks.__aexit__(None, None, None)
        finally:
            while not self._jobs.empty():
                # No worker is left, so the caller would wait for ever.
                self._jobs.get_nowait().reply.cancel()

    @property
    def pids(self) -> list[int]:
        """The processes that are there now."""
        return [worker.pid for worker in self._workers]

    @property
    def ready(self) -> bool:
        """Whether the process that was started last has come up."""
        return self._ready

    def start(self, pages: int | None = None) -> None:
        """Start the processes that are not there, no more than so many `pages` need, and do not wait for them."""
        count = self._count if pages is None else min(pages, self._count)
        while len(self._slots) < count:
            self._slots.add(self._tasks.create_task(self._slot()))

    async def extract(self, data: bytes, url: str, content_type: str) -> Extracted:
        """Take a page apart in one of the processes. Cancelling ends that process."""
        self._waited_for += 1
        try:
            # All but the first part of a long PDF file are read two at a time.
            is_long = len(data) > _LONG_BYTES and content_type.startswith(_IN_HALVES)
            self.start(None if is_long else self._waited_for)
            reply = asyncio.get_running_loop().create_future()
            self._jobs.put_nowait(_Job(data, url, content_type, reply))
            return await reply
        finally:
            self._waited_for -= 1

    async def protections(self) -> Protections:
        """Return what holds for the process that came up last; start one where there is none."""
        if self._protections is None:
            await self.extract(b"", "", "text/plain")
        assert self._protections is not None, "a process that has read a page has reported them"
        return self._protections

    async def _slot(self) -> None:
        """Keep one process for as long as the pool is open, or until it has nothing to do."""
        while True:
            worker = await _Worker.started(
                (*(self._command or child_command("askance.extract.worker")), *self._limits)
            )
            try:
                if isinstance(worker, OSError):
                    self._ready = False
                    # One failed start for each job, so that starting is not tried in a loop.
                    (await self._next_job()).reply.set_exception(_not_there(worker))
                else:
                    self._workers.add(worker)
                    await self._serve(worker)
            except _Idle:
                return
            finally:
                if isinstance(worker, _Worker):
                    await self._end(worker)

    async def _end(self, worker: _Worker) -> None:
        try:
            await worker.end()
        finally:
            self._workers.discard(worker)

    async def _serve(self, worker: _Worker) -> None:
        """Hand jobs to a process until it is lost."""
        protections = await worker.ready()
        self._ready = protections is not None
        self._protections = protections or self._protections
        if not self._ready:
            (await self._next_job()).reply.set_exception(_not_there(None))
            return
        while True:
            job = await self._next_job()
            # It ended while it was idle: the job was not begun, and goes to another process.
            if worker.lost:
                self._jobs.put_nowait(job)
                return
            if not await self._do(job, worker):
                return

    async def _do(self, job: _Job, worker: _Worker) -> bool:
        """Do one job. False means that the process is not to be used again."""
        job.reply.add_done_callback(worker.kill_if_cancelled)
        try:
            try:
                reply = await worker.ask(job.data, job.url, job.content_type)
            except (asyncio.IncompleteReadError, ConnectionError):
                status = await worker.end()
                if not job.reply.done():
                    job.reply.set_result(self._outcome_of_loss(status))
                return False
        # The pool is closing: whoever waits is told so, and not left waiting.
        except asyncio.CancelledError:
            job.reply.cancel()
            raise
        if job.reply.done():
            return False  # it was cancelled this instant, and the kill is on its way
        job.reply.set_result(reply)
        return True

    async def _next_job(self) -> _Job:
        """Wait for a page.

        Raises:
            _Idle: none came. The slot is given up in that moment, so that `start` makes another.
        """
        while True:
            try:
                async with asyncio.timeout(self._idle_s):
                    job = await self._jobs.get()
            except TimeoutError:
                if self._jobs.empty():  # else one came in this very moment
                    slot = asyncio.current_task()
                    assert slot is not None
                    self._slots.discard(slot)
                    raise _Idle from None
            else:
                if not job.reply.done():
                    return job

    def _outcome_of_loss(self, status: int) -> Extracted:
        if sys.platform != "win32" and status == -signal.SIGPROF:  # cage.limit_computing
            detail = Message("The page took longer than {n} seconds.", n=self._page_cpu_s)
            return replace(failed(PageReason.TIMED_OUT, detail), computed_s=self._page_cpu_s)
        if status == extracted.OUT_OF_MEMORY:
            detail = Message("Parsing the page needs more memory than {n} MiB.", n=self._memory_mb)
        elif sys.platform != "win32" and status == -signal.SIGSYS:
            detail = Message(
                "The process that parsed the page tried what it may not do, and was ended."
            )
        else:
            detail = Message("The process that parsed the page ended.")
        return failed(PageReason.EXTRACTION, detail)


class _Worker:
    """One child process and the pipes to it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self._requests, self._replies = process.stdin, process.stdout
        self.pid = process.pid
        self._part_of: bytes | None = None

    @classmethod
    async def started(cls, command: Sequence[str]) -> _Worker | OSError:
        """Start a process, or return why there is none: an error would end the whole pool."""
        try:
            process = await start_child(
                *command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
                env=_environment(),
                creationflags=NO_WINDOW,
            )
        except OSError as exc:
            return exc
        return cls(process)

    @property
    def lost(self) -> bool:
        return self._process.returncode is not None or self._replies.at_eof()

    async def ready(self) -> Protections | None:
        """Wait until the process has come up. None means that it did not."""
        try:
            return extracted.unpack_ready(await self._frame(extracted.LONGEST_READY))
        except (asyncio.IncompleteReadError, ConnectionError, ValueError):
            return None

    async def ask(self, data: bytes, url: str, content_type: str) -> Extracted:
        """Send a request and return its reply.

        Raises:
            asyncio.IncompleteReadError, ConnectionError: the process is gone, or talks nonsense.
        """
        again = data is self._part_of
        self._requests.write(extracted.pack_request(data, url, content_type, again=again))
        # Of a file that is asked for part by part.
        self._part_of = data if "; first=" in content_type else None
        await self._requests.drain()
        try:
            return extracted.unpack_reply(await self._frame(extracted.LONGEST_REPLY))
        except ValueError as exc:
            raise ConnectionError("no reply") from exc

    async def _frame(self, longest: int) -> bytes:
        (size,) = extracted.LENGTH.unpack(await self._replies.readexactly(extracted.LENGTH.size))
        # A process that a page took over may send any length, which would be read into memory.
        if size > longest:
            raise ConnectionError(size)
        return await self._replies.readexactly(size)

    def kill_if_cancelled(self, reply: asyncio.Future[Extracted]) -> None:
        if reply.cancelled():
            kill_child(self._process)

    async def end(self) -> int:
        """End the process, wait until it is gone, and return its status."""
        try:
            if self._replies.at_eof():
                # It is ending by itself, with a status that says why.
                with suppress(TimeoutError):
                    async with asyncio.timeout(_ENDING_S):
                        await self._process.wait()
        finally:
            status = await end_child(self._process)
        return status


def _environment() -> dict[str, str]:
    return {
        name: value
        for name, value in os.environ.items()
        if name.upper() in _PASSED_ON or name.upper().startswith(_PASSED_ON_PREFIXES)
    }


def _not_there(cause: OSError | None) -> ServiceDown:
    down = ServiceDown(
        "page reader",
        Message("this machine"),
        Message("The processes that parse pages do not start."),
        fix=Remedy("`askance doctor` shows what is missing.", command="askance doctor"),
    )
    down.__cause__ = cause
    return down
