"""Folders and files that are replaced by links between two looks at them: nothing from outside comes in."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from adapters.library.room import Room, opened
from askance.adapters.library.files import opening, walking
from askance.adapters.library.files.adding import FolderReader
from askance.adapters.library.files.opening import FoundFile, Listed, read_file
from askance.adapters.library.files.walking import DEEPEST, Rules, Walk
from askance.domain.errors import InputError
from askance.domain.library import FileState
from servers.office import mail, mailbox

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="links need a right there: run it on Linux"
)
OUTSIDE = "The secret harbour lies behind the mill."
NAMES = ("a/b/one.md", "a/b/two.jsonl", "a/b/three.mbox", "a/b/four.html", "a/b/five.txt")


@pytest.fixture(params=[True, False], ids=["by_descriptor", "by_path"])
def room(
    tmp_path: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Room]:
    monkeypatch.setattr(opening, "_HAS_DIR_FD", request.param)
    with opened(tmp_path) as room:
        yield room


def content(name: str, text: str) -> bytes:
    if name.endswith("jsonl"):
        return f'{{"title": "Note", "text": "{text}"}}\n'.encode()
    return mailbox(mail(text, "Note")) if name.endswith("mbox") else f"<p>{text}".encode()


@pytest.fixture
def outside(room: Room, tmp_path: Path) -> Path:
    """The same names outside of the folder, with other contents."""
    for name in NAMES:
        room.put(name, content(name, "The ferry leaves at nine."))
        place = tmp_path / "outside" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content(name, OUTSIDE))
    return tmp_path / "outside"


def swapped(room: Room, outside: Path, name: str) -> None:
    """Put a link to its counterpart outside in the place of a folder or a file."""
    place = room.root / name
    place.rename(room.root.parent / "aside")
    place.symlink_to(outside / name)


def swapping_before_reading(monkeypatch: pytest.MonkeyPatch, swap: Callable[[], None]) -> None:
    really = FolderReader._read_all

    async def swapping(self, *arguments):
        swap()
        await really(self, *arguments)

    monkeypatch.setattr(FolderReader, "_read_all", swapping)


@pytest.mark.parametrize("name", ["a", "a/b", "a/b/one.md"])
async def test_what_becomes_a_link_after_it_was_listed_is_not_followed(
    room: Room, outside: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    swapping_before_reading(monkeypatch, lambda: swapped(room, outside, name))
    await room.look()
    assert room.library.search("secret harbour", 10) == ()
    below = {known for known in NAMES if known.startswith(name)}
    assert room.in_state(FileState.FAILED) == below


@pytest.mark.parametrize("name", ["a", "a/b"])
async def test_a_folder_that_becomes_a_link_before_it_is_listed_is_not_listed(
    room: Room, outside: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    really = walking.list_folder

    def swapping(root: Path, folder: Path) -> list[Listed]:
        if folder == room.root / name:
            swapped(room, outside, name)
        return really(root, folder)

    monkeypatch.setattr(walking, "list_folder", swapping)
    await room.look()
    assert room.states() == {name: "failed"}
    assert room.urls() == set()


async def test_the_added_folder_itself_is_not_followed_once_it_is_a_link(
    room: Room, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await room.look()
    held = room.urls()
    assert len(held) == len(NAMES)
    folder = room.folder()
    room.root.rename(room.root.parent / "aside")
    room.root.symlink_to(outside)
    with pytest.raises(InputError):
        await room._look(folder, again=True)
    assert room.library.search("secret harbour", 10) == ()
    room.root.unlink()
    (room.root.parent / "aside").rename(room.root)
    await room.look()
    assert room.urls() == held

    def swap() -> None:
        room.root.rename(room.root.parent / "aside")
        room.root.symlink_to(outside)

    swapping_before_reading(monkeypatch, swap)
    await room._look(folder, again=True)
    assert room.library.search("secret harbour", 10) == ()


async def test_another_folder_in_the_place_of_one_that_was_listed_is_read_the_next_time(
    room: Room, outside: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may be what was just moved in; what was asked about it was asked about the other one."""

    def swap() -> None:
        (room.root / "a").rename(room.root.parent / "aside")
        (outside / "a").rename(room.root / "a")

    with monkeypatch.context() as patched:
        swapping_before_reading(patched, swap)
        await room.look()
    assert set(room.states().values()) == {"failed"}
    assert room.urls() == set()
    await room.look()
    assert set(room.states().values()) == {"indexed"}


async def test_a_pipe_in_the_place_of_a_file_is_not_opened(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = room.put("ferry.md", "The ferry leaves at nine.")
    (found,) = Walk(Rules(room.root)).entries()
    assert isinstance(found, FoundFile)
    path.unlink()
    os.mkfifo(path)
    opens: list[object] = []
    really = os.open

    def noted(file, *arguments, **more):
        opens.append(Path(os.fsdecode(file)).name)
        return really(file, *arguments, **more)

    monkeypatch.setattr(os, "open", noted)
    with pytest.raises(OSError, match="regular"):
        read_file(found, 100)
    assert "ferry.md" not in opens


async def test_a_file_that_grows_while_it_is_read_has_an_end(room: Room) -> None:
    path = room.put("ferry.jsonl", '{"title": "Ferry"}\n')
    (found,) = Walk(Rules(room.root)).entries()
    assert isinstance(found, FoundFile)
    read: list[bytes] = []

    def read_growing() -> None:
        with opening.opened_file(found) as stream:
            while line := stream.readline(1_000):
                read.append(line)
                with path.open("ab") as more:
                    more.write(line)

    with pytest.raises(opening.FileChanged):
        read_growing()
    assert len(read) == 1


async def test_folders_within_folders_are_read_to_a_depth_and_named_below(room: Room) -> None:
    deep = "/".join(["d"] * DEEPEST)
    room.put(f"{deep}/ferry.md", "The ferry leaves at nine.")
    room.put(f"{deep}/d/mill.md", "The mill burned down.")
    await room.look()
    assert room.states() == {f"{deep}/ferry.md": "indexed", f"{deep}/d": "failed"}
    assert room.told[f"{deep}/d"].detail.values == {"n": DEEPEST}


async def test_a_folder_that_goes_while_its_disk_is_looked_for_ends_nothing(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    room.put("a/ferry.md", "The ferry leaves at nine.")
    room.put("mill.md", "The mill burned down.")
    await room.look()
    (room.root / "a" / "ferry.md").unlink()
    really = Path.iterdir

    def gone(self: Path) -> Iterator[Path]:
        if self == room.root / "a":
            raise FileNotFoundError(2, "gone", str(self))
        return really(self)

    monkeypatch.setattr(Path, "iterdir", gone)
    await room.look()
    assert room.urls() == {"mill.md"}
