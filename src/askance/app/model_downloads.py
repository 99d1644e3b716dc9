"""The one list of downloads of models: from a hub, or by Ollama's own pull. Every place that tells of one reads it.

Work runs where `start` begins it, such as beside the window; methods are called from one thread, and what
the list says may be read from any. Nothing begins without a call: parts of an earlier run are listed as paused.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from askance.adapters.llm.model_hub import (
    HubClient,
    PartFile,
    WantedModel,
    note_partial,
    partial_models,
    remove_partial,
)
from askance.adapters.llm.ollama import pull_model
from askance.app.container import Container, ledger_recorder, without_model
from askance.config.folders import Folders
from askance.config.settings import Bar, Settings
from askance.domain.downloads import (
    DownloadPhase,
    ModelDownload,
    ModelTier,
    NoRoomLeft,
    WrongFile,
)
from askance.domain.errors import AskanceError, ServiceDown, ServiceError
from askance.domain.events import ignore
from askance.domain.messages import NOTHING
from askance.domain.ports.model import PullStep

Work = Callable[[Any], Coroutine[Any, Any, None]]
Start = Callable[[Work, Callable[[Any], None]], Callable[[], object]]
"""Begins work in a loop elsewhere; returns what cancels it."""

WAITS_S = (1.0, 2.0, 5.0, 10.0, 20.0)
"""Before each further try; the last one counts from then on."""
# A server that is there and fails again and again, with nothing coming in between, is given up.
MOST_REFUSALS = 5
# A hub may ask for patience, and no longer than somebody looks at a row that does not move.
LONGEST_WAIT_S = 300.0
# The pace is that of the last seconds; a row that is drawn more often cannot be read.
_PACE_S, _EACH_S = 5.0, 0.25
OCCASION = "model download"


@dataclass
class _Job:
    """A download, as the list has it; without a repository Ollama has the model.

    `run` counts how often it was begun: an earlier run says nothing any more.
    """

    state: ModelDownload
    repository: str = ""
    run: int = 0
    cancel: Callable[[], object] = ignore
    wake: Callable[[], object] = ignore
    samples: deque[tuple[float, int]] = field(default_factory=deque[tuple[float, int]])

    @property
    def wanted(self) -> WantedModel:
        """What it is a part of, as it is noted on the disk."""
        s = self.state
        name, done = s.name, s.done_bytes
        return WantedModel(s.key, self.repository, s.total_bytes, name=name, done_bytes=done)


class ModelDownloads:
    """What is downloaded, was paused or has failed. `on_change` is called from any thread after each change.

    `adopt` is called in another thread with the key of a model that is whole and where its file is, before it counts
    as done; what that raises has failed the download, and is tried again with it.
    """

    def __init__(
        self,
        folders: Folders,
        settings: Callable[[], Settings],
        start: Start,
        on_change: Callable[[], None] = ignore,
        *,
        adopt: Callable[[str, str], object] = ignore,
        waits_s: Sequence[float] = WAITS_S,
    ) -> None:
        self._folders, self._settings, self._start = folders, settings, start
        self._on_change, self._adopt, self._waits_s = on_change, adopt, waits_s
        self._jobs: dict[str, _Job] = {}
        self._lock = threading.Lock()
        # One at a time: two would share the line, and the first model would come later.
        self._turn = asyncio.Lock()
        self._shown_at = 0.0
        for part in partial_models(folders.models):
            self._list(part)

    def entries(self) -> tuple[ModelDownload, ...]:
        """Return all downloads as they stand, the first begun first."""
        with self._lock:
            return tuple(job.state for job in self._jobs.values())

    def download(self, tier: ModelTier) -> None:
        """Begin to download a file from the hub, by which it is called from then on, or go on with it."""
        self._begin(WantedModel(tier.file, tier.repository, tier.bytes, name=tier.name))

    def pull(self, model: str, name: str = "", size: int = 0) -> None:
        """Have Ollama download a model, of which `name` is shown."""
        self._begin(WantedModel(model, bytes=size, name=name or model))

    def resume(self, key: str) -> None:
        """Go on with what was paused or has failed, and do not wait any longer with what waits."""
        with self._lock:
            if (job := self._jobs.get(key)) is None:
                return
            if job.state.is_active:
                job.wake()
                return
            job.run += 1
            job.samples.clear()
            phase, run = DownloadPhase.QUEUED, job.run
            job.state = replace(job.state, phase=phase, problem=NOTHING, bytes_per_s=0.0, path="")
        self._on_change()
        job.cancel = self._start(lambda _parts: self._work(job, run), ignore)

    def pause(self, key: str) -> None:
        """Stop a download; what has come is kept."""
        with self._lock:
            if (job := self._jobs.get(key)) is None or not job.state.is_active:
                return
            job.run += 1
            job.state = replace(job.state, phase=DownloadPhase.PAUSED, bytes_per_s=0.0)
        job.cancel()
        self._on_change()

    def cancel(self, key: str) -> None:
        """Stop a download and delete what has come."""
        self.pause(key)
        if (job := self.forget(key)) is not None:
            # Behind the end of its run, which holds the file.
            self._start(lambda _parts: self._remove(job), ignore)

    def forget(self, key: str) -> _Job | None:
        """Take one that has ended out of the list, and return it."""
        with self._lock:
            job = self._jobs.get(key)
            if job is None or job.state.is_active:
                return None
            del self._jobs[key]
        self._on_change()
        return job

    def _list(self, wanted: WantedModel) -> None:
        paused, done = DownloadPhase.PAUSED, wanted.done_bytes
        state = ModelDownload(wanted.file, wanted.name, paused, done, wanted.bytes)
        self._jobs[wanted.file] = _Job(state, wanted.repository)

    def _begin(self, wanted: WantedModel) -> None:
        with self._lock:
            known = self._jobs.get(wanted.file)
            if known is None or known.state.phase is DownloadPhase.DONE:
                self._list(wanted)
        self.resume(wanted.file)

    async def _remove(self, job: _Job) -> None:
        async with self._turn:
            if job.state.key not in self._jobs:  # else begun anew meanwhile
                await asyncio.to_thread(remove_partial, self._folders.models, job.wanted)

    async def _work(self, job: _Job, run: int) -> None:
        """See a download through to its end, whatever that is."""
        async with self._turn:
            if job.run != run:
                return
            self._show(job, run, phase=DownloadPhase.CONNECTING)
            fetch = self._fetched if job.repository else self._pulled
            try:
                settings = self._settings()
                settings.refuse_if_barred(Bar.WEB)
                path = await fetch(job, run, settings)
                await asyncio.to_thread(self._adopt, job.state.key, path)
            except AskanceError as exc:
                self._show(job, run, **_failure(exc))
            else:
                self._show(job, run, phase=DownloadPhase.DONE, path=path)

    async def _pulled(self, job: _Job, run: int, settings: Settings) -> str:
        """Have Ollama bring a model. It has its own parts, and forgets whose they are: that is noted here."""
        folder, is_whole = self._folders.models, False
        with suppress(OSError):
            note_partial(folder, job.wanted)
        try:
            await pull_model(settings.llm, job.state.key, partial(self._report, job, run))
            is_whole = True
        finally:
            if is_whole or not job.state.done_bytes:
                remove_partial(folder, job.wanted)
            else:
                with suppress(OSError):
                    note_partial(folder, job.wanted)
        return ""

    async def _fetched(self, job: _Job, run: int, settings: Settings) -> str:
        """Try until the file is whole; return where it is."""
        proxy, refusals, tries = settings.page_reader.proxy, 0, 0
        with Container(without_model(settings), self._folders) as parts:
            sent = ledger_recorder(parts.ledger, OCCASION)
            async with HubClient(settings.llm.hub, proxy, sent) as hub:
                while True:
                    before = job.state.done_bytes
                    try:
                        return str(await self._attempt(job, run, hub))
                    except ServiceError as exc:
                        came = job.state.done_bytes > before
                        tries = 0 if came else tries + 1
                        refusals = 0 if came or isinstance(exc, ServiceDown) else refusals + 1
                        # A server that asks for patience says how long it wants.
                        may_pass = isinstance(exc, ServiceDown) or exc.retry_s is not None
                        if not may_pass or refusals > MOST_REFUSALS:
                            raise
                        await self._rest(job, run, exc, tries)

    async def _attempt(self, job: _Job, run: int, hub: HubClient) -> Path:
        described = await hub.describe(job.repository, job.state.key)
        with PartFile(self._folders.models, replace(described, name=job.state.name)) as part:
            self._show(job, run, phase=DownloadPhase.CHECKING, total_bytes=described.bytes)
            if (present := await part.open()) is not None:
                return present
            self._show(job, run, phase=DownloadPhase.RUNNING, done_bytes=part.done)
            if part.done < described.bytes:
                await hub.fetch(part, partial(self._report, job, run))
            self._show(job, run, phase=DownloadPhase.CHECKING)
            return await part.finish()

    async def _rest(self, job: _Job, run: int, exc: ServiceError, tries: int) -> None:
        """Wait before the next try, as long as the server says, or until somebody wants it now."""
        woken, loop = asyncio.Event(), asyncio.get_running_loop()
        job.wake = lambda: loop.call_soon_threadsafe(woken.set)
        offline = isinstance(exc, ServiceDown)
        phase = DownloadPhase.OFFLINE if offline else DownloadPhase.BUSY
        wait_s = self._waits_s[min(tries, len(self._waits_s) - 1)]
        self._show(job, run, phase=phase, problem=exc.problem, bytes_per_s=0.0)
        try:
            async with asyncio.timeout(max(wait_s, min(exc.retry_s or 0.0, LONGEST_WAIT_S))):
                await woken.wait()
        except TimeoutError:
            pass
        finally:
            job.wake = ignore
        self._show(job, run, phase=DownloadPhase.CONNECTING, problem=NOTHING)

    def _report(self, job: _Job, run: int, step: PullStep) -> None:
        """Take a step of a download; often enough for somebody who reads it, it is shown."""
        now, done = time.monotonic(), step.done_bytes
        total, phase = step.total_bytes or job.state.total_bytes, job.state.phase
        if not job.repository and step.total_bytes:
            phase = DownloadPhase.CHECKING if done >= total else DownloadPhase.RUNNING
        samples = job.samples
        samples.append((now, done))
        while now - samples[0][0] > _PACE_S:
            samples.popleft()
        began, before = samples[0]
        pace = (done - before) / (now - began) if now > began and done > before else 0.0
        is_soon = now - self._shown_at < _EACH_S and phase is job.state.phase
        if not is_soon:
            self._shown_at = now
        values = {"done_bytes": done, "total_bytes": total, "bytes_per_s": pace}
        self._show(job, run, is_quiet=is_soon, phase=phase, **values)

    def _show(self, job: _Job, run: int, *, is_quiet: bool = False, **values: Any) -> None:
        with self._lock:
            # Paused or cancelled meanwhile: what the earlier run still says is not shown.
            if job.run != run:
                return
            job.state = replace(job.state, **values)
        if not is_quiet:
            self._on_change()


def _failure(exc: AskanceError) -> dict[str, Any]:
    """Return how a download stands that has ended with an error."""
    values: dict[str, Any] = {"problem": exc.message, "bytes_per_s": 0.0}
    match exc:
        case NoRoomLeft(free=free):
            return {**values, "phase": DownloadPhase.DISK_FULL, "free_bytes": free}
        case WrongFile():
            return {**values, "phase": DownloadPhase.DAMAGED, "done_bytes": 0}
        case _:
            return {**values, "phase": DownloadPhase.FAILED}
