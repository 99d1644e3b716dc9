"""Folders that are followed: what changes in them is read as `library add` reads it.

Each change leads to a look at its whole folder, so that no rule is written twice. What the system does
not tell of, as on network drives, is found by a look from time to time.
"""

from __future__ import annotations

import asyncio
import os
import stat
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, aclosing, suppress
from pathlib import Path

from askance.adapters.library.files.adding import FolderReader
from askance.adapters.library.files.file_process import HERE, FileCalls, is_stuck
from askance.adapters.library.files.walking import Rules, rules_of
from askance.config.settings import LibrarySettings
from askance.domain.errors import InputError
from askance.domain.library import Became, FileRecord, FileState, Folder, Followed, Listeners
from askance.domain.messages import Message
from askance.domain.ports.storage import FolderIndex

# A file that is written in pieces is read once no piece has come for the shorter time, or after the longer.
_QUIET_MS = 200
_LONGEST_QUIET_MS = 1600
TICK_S = 2.0
"""So often it is looked whether folders came, went, or were added; and at files that were added alone."""
AGAIN_S = 600.0
"""So often all folders are looked at, changes or none; and where the system tells of none, ten times as often."""
_OFTENER = 10
# Walking takes a fifth of the time at most, however large a folder is and however often it changes.
_PAUSE = 4
# What a folder is known by: device and number. A file has its size and time beside them.
_FOLDER_PARTS = 2


class _NotWatched(Exception):
    """The system does not say what changes: it would take more watches than it has, as a rule."""


class FolderWatch:
    """Follows all folders that were added, until it is stopped or cancelled.

    `reader` opens what reads folders, for as long as there is something to read. What is below
    `apart`, the files of this program, is no change.
    """

    def __init__(
        self,
        reader: Callable[[], AbstractAsyncContextManager[FolderReader]],
        book: FolderIndex,
        settings: LibrarySettings,
        listeners: Listeners,
        apart: Path,
        files: FileCalls = HERE,
    ) -> None:
        self._files = files
        self._reader = reader
        self._book = book
        self._settings = settings
        self._listeners = listeners
        self._apart = apart
        self._stopped = asyncio.Event()
        self._is_caught_up = False
        self._away = set[str]()
        self._rules: dict[str, Rules] = {}
        self._due = dict[str, float]()
        self._pauses = dict[str, float]()

    def stop(self) -> None:
        """End `run`, from its own loop."""
        self._stopped.set()

    async def run(self) -> None:
        """Catch up with what has changed, and then follow what changes.

        Raises:
            StorageError: the library cannot be read or written.
            ServiceDown: the processes that take files apart do not start.
        """
        try:
            await self._run()
        finally:
            self._files.close()

    async def _run(self) -> None:
        reported: tuple[Folder, ...] = ()
        while not self._stopped.is_set():
            folders = await asyncio.to_thread(self._book.folders)
            if folders != reported:
                self._listeners.watching(folders)
                reported = folders
            self._rules = {folder.path: rules_of(folder, self._settings) for folder in folders}
            await self._look_at(folders)
            if not self._is_caught_up:
                self._is_caught_up = True
                self._listeners.caught_up()
            await self._follow(folders)

    async def _follow(self, folders: tuple[Folder, ...]) -> None:
        """Follow changes until the folders, or the places that they stand for, are others."""
        places, away = await self._places(folders), frozenset(self._away)
        begun = time.monotonic()
        # What changed before the watch was set up.
        self._due = {folder.path: begun for folder in folders}
        try:
            async with aclosing(self._changes(_roots(places))) as changes:
                async for roots in changes:
                    now = time.monotonic()
                    for root in roots:
                        self._due.setdefault(root, now)
                    await self._look_at([f for f in folders if self._is_due(f)])
                    current = await asyncio.to_thread(self._book.folders)
                    if (
                        now - begun > AGAIN_S
                        or current != folders
                        # Its watch is gone with it, and it may be back already, at the same place.
                        or not self._away <= away
                        or await self._places(current) != places
                    ):
                        return
        except _NotWatched as exc:
            if await self._places(folders) == places:  # no root that went just now
                n = int(AGAIN_S / _OFTENER)
                trouble = Message(
                    "The system does not tell of all changes: {problem}. Askance looks every {n} s instead.",
                    problem=exc,
                    n=n,
                )
                self._listeners.trouble(trouble)
                await self._wait(n)

    async def _changes(self, roots: list[str]) -> AsyncGenerator[set[str]]:
        """Yield the folders in which something has changed, none of them after a while without.

        Raises:
            _NotWatched: the system does not say what changes.
        """
        if not roots:
            await self._wait(TICK_S)
            yield set()
            return
        # 40 ms, and nobody but this waits for changes.
        from watchfiles import awatch  # noqa: PLC0415

        watch = awatch(
            *roots,
            watch_filter=self._matters,
            debounce=_LONGEST_QUIET_MS,
            step=_QUIET_MS,
            stop_event=self._stopped,
            rust_timeout=int(TICK_S * 1000),
            # Wakes the loop without a change, to look which folders were added or have gone.
            yield_on_timeout=True,
            # Otherwise one folder that may not be read ends the whole watch.
            ignore_permission_denied=True,
        )
        async with aclosing(watch):
            while True:
                try:
                    some = await anext(watch)
                except StopAsyncIteration:
                    return
                # OSError: too many folders for the system's watches, or a root that has just gone.
                # RuntimeError: errors that watchfiles does not know.
                except (OSError, RuntimeError) as exc:
                    raise _NotWatched(exc) from exc
                yield {self._root_of(path) for _, path in some}

    async def _places(self, folders: Sequence[Folder]) -> dict[str, tuple[int, ...]]:
        return await asyncio.to_thread(_places, folders, self._files)

    async def _wait(self, seconds: float) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stopped.wait()

    def _is_due(self, folder: Folder) -> bool:
        since = self._due.get(folder.path)
        return since is not None and time.monotonic() >= self._pauses.get(folder.path, 0.0)

    def _matters(self, _change: object, path: str) -> bool:
        return self._root_of(path) != ""

    def _root_of(self, path: str) -> str:
        """Return the innermost folder to which a change belongs; none for what no look would read."""
        place = Path(path)
        if place.is_relative_to(self._apart):
            return ""
        above = [root for root in self._rules if place.is_relative_to(root)]
        if not above:
            return ""
        # A folder in another one that was added has rules of its own.
        root = max(above, key=len)
        is_out = path != root and bool(self._rules[root].excluding(place))
        return "" if is_out else root

    async def _look_at(self, folders: Sequence[Folder]) -> None:
        if not folders:
            return
        async with self._reader() as reader:
            for folder in folders:
                if self._stopped.is_set():
                    return
                # Before the look: a change during it makes the folder due again.
                self._due.pop(folder.path, None)
                walked = await self._look(reader, folder)
                # Four times as long as the walk: a large folder that changes all the time takes
                # at most a fifth of a core.
                self._pauses[folder.path] = time.monotonic() + _PAUSE * walked

    async def _look(self, reader: FolderReader, folder: Folder) -> float:
        """Look at a folder, and return the seconds that it took to see what is there."""
        records = await asyncio.to_thread(self._book.files)
        before = {record.path: record for record in records}
        owners = {record.document: record.path for record in records if record.document}

        def report(record: FileRecord) -> None:
            if followed := _followed(record, before, owners):
                self._listeners.followed(followed)

        walked = 0.0

        def counted(_n: int) -> None:
            nonlocal walked
            walked = time.monotonic() - begun

        begun = time.monotonic()
        try:
            looked = await reader.look(folder, report, counted)
        except InputError as exc:
            if folder.path not in self._away:
                self._away.add(folder.path)
                self._listeners.followed(Followed(folder.path, Became.AWAY, exc.message))
            return walked
        if folder.path in self._away:
            self._away.discard(folder.path)
            self._listeners.followed(Followed(folder.path, Became.BACK))
        for path in looked.gone:
            self._listeners.followed(Followed(path, Became.DELETED))
        return walked


def _followed(
    record: FileRecord, before: Mapping[str, FileRecord], owners: Mapping[str, str]
) -> Followed | None:
    """Return what is new about a file; None where nothing is."""
    known = before.get(record.path)
    if record.state is FileState.INDEXED:
        if known is not None and known.document == record.document:
            return Followed(record.path, Became.CHANGED, record.detail)
        owner = owners.get(record.document, "")
        became = Became.MOVED if owner else Became.NEW
        return Followed(record.path, became, record.detail, moved_from=owner)
    state = (record.state, record.rule, record.detail)
    if record.state is FileState.UNCHANGED or (
        known is not None and state == (known.state, known.rule, known.detail)
    ):
        return None
    became = Became.EXCLUDED if record.state is FileState.EXCLUDED else Became.FAILED
    return Followed(record.path, became, record.detail, record.rule)


def _roots(places: Mapping[str, tuple[int, ...]]) -> list[str]:
    """Return the folders that are there. Setting up the watch of one that does not answer would not end."""
    return [
        path for path, place in places.items() if len(place) == _FOLDER_PARTS and not is_stuck(path)
    ]


def _places(folders: Sequence[Folder], files: FileCalls) -> dict[str, tuple[int, ...]]:
    """Return what the paths of folders stand for just now: another disk there is another place."""
    places: dict[str, tuple[int, ...]] = {}
    for folder in folders:
        try:
            status = files.call(folder.path, os.stat, folder.path)
        except OSError:
            places[folder.path] = ()
            continue
        stamp = () if stat.S_ISDIR(status.st_mode) else (status.st_size, status.st_mtime_ns)
        places[folder.path] = (status.st_dev, status.st_ino, *stamp)
    return places
