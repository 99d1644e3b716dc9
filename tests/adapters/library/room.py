"""A folder of files, a library that reads it, and what was told of each file."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from adapters.storage.shelf import library
from askance.adapters.library.files.adding import FolderReader, ScanResult
from askance.adapters.library.files.parsing import Extractor
from askance.adapters.library.sqlite_library import SqliteLibrary
from askance.adapters.reader.workers import WorkerPool
from askance.config.settings import LibrarySettings
from askance.domain.library import FileRecord, FileState, Folder
from askance.extract.extracted import Extracted
from askance.extract.page import extract_page

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="Windows has none: run it on Linux")


class Here:
    """Takes files apart as the confined processes do, in this one: those take a while to start."""

    async def extract(self, data: bytes, url: str, content_type: str) -> Extracted:
        return extract_page(data, url, content_type)


class PoolHere(Here):
    """Stands where the confined processes stand, which take a while to start."""

    def __init__(self, *_: object, **__: object) -> None:
        pass

    async def __aenter__(self) -> PoolHere:
        return self

    async def __aexit__(self, *_: object) -> None:
        pass


@asynccontextmanager
async def here() -> AsyncIterator[Extractor]:
    yield Here()


@asynccontextmanager
async def confined() -> AsyncIterator[Extractor]:
    # One takes as long to start as to read all the files of a test.
    async with WorkerPool(1, 768) as pool:
        yield pool


@dataclass
class Room:
    """`root` is the folder, `told` what was said at the last look, by the path below it."""

    root: Path
    library: SqliteLibrary
    settings: LibrarySettings = field(default_factory=LibrarySettings)
    told: dict[str, FileRecord] = field(default_factory=dict)
    extractor: Callable[[], AbstractAsyncContextManager[Extractor]] = here

    def put(self, name: str, text: str | bytes) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    async def look(
        self, *, include: tuple[str, ...] = (), exclude: tuple[str, ...] = (), again: bool = False,
        below: str = "",
    ) -> ScanResult:  # fmt: skip
        folder = self.folder(below, include, exclude)
        looked = await self._look(folder, again=again)
        stored = {r.path: r for r in self.library.book.files(folder.path)}
        assert stored == {r.path: r for r in self.told.values()}
        return looked

    async def look_only(self) -> ScanResult:
        """Look, where something is kept that is not there now."""
        return await self._look(self.folder(), again=False)

    def folder(
        self, below: str = "", include: tuple[str, ...] = (), exclude: tuple[str, ...] = ()
    ) -> Folder:
        return Folder(str((self.root / below).resolve()), include, exclude)

    async def _look(self, folder: Folder, *, again: bool) -> ScanResult:
        records: list[FileRecord] = []
        counts: list[int] = []
        async with self.extractor() as extractor:
            reader = FolderReader(self.library, self.library.book, self.settings, extractor, 2)
            looked = await reader.look(folder, records.append, counts.append, again=again)
        assert counts == [len(records)]
        assert len({r.path for r in records}) == len(records)
        self.told = {Path(r.path).relative_to(self.root).as_posix(): r for r in records}
        assert self.library.check() == ()
        return looked

    def states(self) -> dict[str, str]:
        return {name: record.state.value for name, record in self.told.items()}

    def in_state(self, state: FileState) -> set[str]:
        return {name for name, record in self.told.items() if record.state is state}

    def rules(self) -> dict[str, str]:
        return {name: r.rule for name, r in self.told.items() if r.state is FileState.EXCLUDED}

    def urls(self, words: str = "") -> set[str]:
        """The files that the library holds, or finds, by the path below the folder."""
        root = self.root.as_uri() + "/"
        found = self.library.search(words, 100) if words else self.library.documents()
        return {hit.url.removeprefix(root) for hit in found}

    def excluding(self, *patterns: str) -> Room:
        return replace(self, settings=LibrarySettings(exclude=patterns))


@contextmanager
def opened(folder: Path, **settings: object) -> Iterator[Room]:
    root = folder.resolve() / "notes"
    root.mkdir()
    stored = library(folder / "data")
    try:
        yield Room(root, stored, LibrarySettings(**settings))  # type: ignore[arg-type]
    finally:
        stored.close()
