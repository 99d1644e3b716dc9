"""Folders that are followed while they change, with the rules of any look at them."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from adapters.library.room import Here, Room, opened
from adapters.library.test_file_faults import mounted, unmounted
from askance.adapters.library.files import watching
from askance.adapters.library.files.adding import FolderReader
from askance.adapters.library.files.watching import FolderWatch
from askance.domain.library import Became, Folder, Followed, Listeners
from askance.domain.messages import Message
from waiting import patience

FERRY = "The ferry leaves Kelhaven at nine."
MILL = "The mill burned down in 1899."


@dataclass
class Watched:
    """A watch of the room's folders, and what it has told."""

    room: Room
    told: list[Followed] = field(default_factory=list)
    watching: list[list[str]] = field(default_factory=list)
    troubles: list[Message] = field(default_factory=list)
    caught_up: int = 0
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        loop = asyncio.get_running_loop()

        def report(store: Callable[..., object]) -> Callable[..., None]:
            def notify(*text: object) -> None:
                store(*text)
                loop.call_soon_threadsafe(self.news.set)

            return notify

        listeners = Listeners(
            report(lambda folders: self.watching.append([f.path for f in folders])),
            report(self.told.append),
            report(lambda: setattr(self, "caught_up", self.caught_up + 1)),
            report(self.troubles.append),
        )
        room = self.room

        @asynccontextmanager
        async def reader() -> AsyncIterator[FolderReader]:
            yield FolderReader(room.library, room.library.book, room.settings, Here(), 1)

        apart = room.root.parent / "data"
        self.watch = FolderWatch(reader, room.library.book, room.settings, listeners, apart)

    async def until(self, *wanted: tuple[str, Became]) -> None:
        """Wait until just these were told of, in any order, by the path below the room's folder."""
        async with patience():
            while not set(wanted) <= self.said():
                self.news.clear()
                await self.news.wait()

    def said(self) -> set[tuple[str, Became]]:
        root = self.room.root
        return {(Path(f.path).relative_to(root).as_posix(), f.became) for f in self.told}


@asynccontextmanager
async def watched(room: Room, *folders: Folder) -> AsyncIterator[Watched]:
    for folder in folders or (room.folder(),):
        room.library.book.store_folder(folder)
    watched = Watched(room)
    async with asyncio.TaskGroup() as group:
        running = group.create_task(watched.watch.run())
        try:
            async with patience():
                while not watched.caught_up:
                    watched.news.clear()
                    await watched.news.wait()
            yield watched
        finally:
            watched.watch.stop()
            async with patience():
                await running


@pytest.fixture
def room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Room]:
    monkeypatch.setattr(watching, "TICK_S", 0.2)
    with opened(tmp_path) as room:
        yield room


async def test_it_catches_up_and_then_follows(room: Room) -> None:
    room.put("ferry.md", FERRY)
    room.put("gone.md", "Gone.")
    await room.look()
    (room.root / "gone.md").unlink()
    room.put("mill.md", MILL)
    async with watched(room) as it:
        assert it.watching == [[str(room.root)]]
        assert it.said() == {("mill.md", Became.NEW), ("gone.md", Became.DELETED)}
        room.put("deep/er/boat.md", "A boat.")
        room.put("ferry.md", FERRY + " It comes back.")
        await it.until(("deep/er/boat.md", Became.NEW), ("ferry.md", Became.CHANGED))
        (room.root / "mill.md").rename(room.root / "deep" / "old mill.md")
        await it.until(("deep/old mill.md", Became.MOVED))
        (moved,) = [f for f in it.told if f.became is Became.MOVED]
        assert moved.moved_from == str(room.root / "mill.md")
        (room.root / "ferry.md").unlink()
        await it.until(("ferry.md", Became.DELETED))
        assert room.urls() == {"deep/er/boat.md", "deep/old%20mill.md"}
    assert it.troubles == []
    assert it.caught_up == 1


async def test_exclusions_hold_for_what_is_renamed_linked_and_nested(room: Room) -> None:
    room.put("private/diary.md", FERRY)
    room.put("open/plan.md", "A plan.")
    folder = room.folder(exclude=("private",))
    async with watched(room, folder) as it:
        (room.root / "private").rename(room.root / "holiday")
        await it.until(("holiday", Became.EXCLUDED))
        (room.root / "open").rename(room.root / "Private")
        await it.until(("open/plan.md", Became.DELETED))
        room.put("deep/private/inner/secret.md", "Secret.")
        if sys.platform != "win32":
            (room.root / "link.md").symlink_to(room.root / "holiday" / "diary.md")
            await it.until(("link.md", Became.EXCLUDED))
        room.put("holiday/more.md", MILL)
        room.put("end.md", "The end.")
        await it.until(("end.md", Became.NEW))
        assert room.urls() == {"end.md"}


async def test_a_folder_within_keeps_rules_of_its_own(room: Room) -> None:
    room.put("inner/ferry.md", FERRY)
    inner = room.folder("inner", exclude=("secret*",))
    async with watched(room, room.folder(), inner) as it:
        room.put("inner/secret.md", "Secret.")
        room.put("inner/mill.md", MILL)
        room.put("secret.md", "None.")
        await it.until(("inner/mill.md", Became.NEW), ("secret.md", Became.NEW))
        assert room.urls() == {"inner/ferry.md", "inner/mill.md", "secret.md"}


async def test_a_folder_that_goes_away_and_comes_back_loses_nothing(room: Room) -> None:
    room.put("stick/ferry.md", FERRY)
    await room.look(below="stick")
    stick, away = room.root / "stick", room.root / "away"
    async with watched(room, room.folder("stick")) as it:
        stick.rename(away)
        await it.until(("stick", Became.AWAY))
        assert room.urls() == {"stick/ferry.md"}
        (away / "mill.md").write_text(MILL, encoding="utf-8")
        away.rename(stick)
        await it.until(("stick", Became.BACK), ("stick/mill.md", Became.NEW))
        room.put("stick/boat.md", "A boat.")
        await it.until(("stick/boat.md", Became.NEW))
        assert room.urls() == {"stick/ferry.md", "stick/mill.md", "stick/boat.md"}
    assert Became.DELETED not in {f.became for f in it.told}


@pytest.mark.skipif(sys.platform != "linux", reason="a disk cannot be mounted here: run it as root on Linux")  # fmt: skip
async def test_a_disk_that_is_taken_out_and_put_in_again_loses_nothing(room: Room) -> None:
    stick = room.root / "stick"
    stick.mkdir()
    mounted(stick)
    is_in = True
    try:
        room.put("stick/ferry.md", FERRY)
        await room.look(below="stick")
        unmounted(stick)
        is_in = False
        async with watched(room, room.folder("stick")) as it:
            assert it.said() == {("stick", Became.AWAY)}
            assert room.urls() == {"stick/ferry.md"}
            mounted(stick)
            is_in = True
            room.put("stick/ferry.md", FERRY)
            await it.until(("stick", Became.BACK))
            room.put("stick/mill.md", MILL)
            await it.until(("stick/mill.md", Became.NEW))
            assert room.urls() == {"stick/ferry.md", "stick/mill.md"}
    finally:
        if is_in:
            unmounted(stick)


async def test_a_file_that_was_added_alone_is_followed(room: Room) -> None:
    path = room.put("ferry.md", FERRY)
    async with watched(room, Folder(str(path))) as it:
        fresh = room.put("fresh", MILL)
        fresh.replace(path)
        await it.until(("ferry.md", Became.CHANGED))
        assert room.urls("mill") == {"ferry.md"}
        assert {f.path for f in it.told} == {str(path)}


async def test_a_folder_that_is_added_meanwhile_is_watched_too(room: Room) -> None:
    room.put("one/ferry.md", FERRY)
    room.put("two/mill.md", MILL)
    async with watched(room, room.folder("one")) as it:
        room.library.book.store_folder(room.folder("two"))
        await it.until(("two/mill.md", Became.NEW))
        assert it.watching[-1] == [str(room.root / "one"), str(room.root / "two")]
        room.put("two/boat.md", "A boat.")
        await it.until(("two/boat.md", Became.NEW))


async def test_a_file_that_fails_is_told_of_with_its_reason_and_once(room: Room) -> None:
    async with watched(room) as it:
        room.put("bad.pdf", b"%PDF-1.4 nonsense")
        await it.until(("bad.pdf", Became.FAILED))
        room.put("good.md", FERRY)
        await it.until(("good.md", Became.NEW))
        (failed,) = [f for f in it.told if f.became is Became.FAILED]
        assert failed.detail


async def test_where_the_system_watches_nothing_the_folders_are_looked_at_all_the_same(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "AGAIN_S", 1.0)

    async def refused(*_paths: object, **_options: object) -> AsyncIterator[set]:
        raise OSError(28, "OS file watch limit reached")
        yield set()

    monkeypatch.setattr("watchfiles.awatch", refused)
    async with watched(room) as it:
        room.put("ferry.md", FERRY)
        await it.until(("ferry.md", Became.NEW))
    assert it.troubles
