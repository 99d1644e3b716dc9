"""Files that are not what they seem, or go away: each is named, and the rest goes on."""

from __future__ import annotations

import os
import random
import socket
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.library.room import Here, Room, confined, posix_only
from askance.adapters.library.files import collected, walking
from askance.adapters.library.files.adding import FolderReader
from askance.adapters.library.files.opening import Listed
from askance.adapters.library.files.walking import SPECIAL
from askance.adapters.library.sqlite_library import SqliteFolderIndex, SqliteLibrary
from askance.config.settings import LibrarySettings
from askance.domain.errors import InputError, StorageError
from askance.domain.library import Document, FileState
from servers.office import bookmarks, docx, epub, mail, mailbox, odt
from servers.site import pdf

FERRY = "The ferry leaves Kelhaven at nine in the morning, and comes back at ten."
GIB = 2**30


def cut(data: bytes) -> bytes:
    return data[: len(data) // 2]


def flipped(data: bytes) -> bytes:
    chance = random.Random(1)  # noqa: S311
    return bytes(byte ^ (chance.randrange(256) if i % 7 == 0 else 0) for i, byte in enumerate(data))


async def test_a_corrupt_file_of_each_format_is_named_or_read_in_part(room: Room) -> None:
    whole = {
        "pdf": pdf(FERRY),
        "docx": docx(FERRY),
        "odt": odt(FERRY),
        "epub": epub(FERRY),
        "eml": mail(FERRY),
        "mbox": mailbox(mail(FERRY)),
        "html": bookmarks(),
        "jsonl": b'{"url": "https://a.example/", "text": "The ferry."}\n',
        "md": FERRY.encode(),
    }
    room = replace(room, extractor=confined)
    archives = {"docx", "odt", "epub"}
    for suffix, data in whole.items():
        room.put(f"cut.{suffix}", cut(data))
        room.put(f"flipped.{suffix}", flipped(data))
        room.put(f"noise.{suffix}", random.Random(2).randbytes(20_000))  # noqa: S311
    room.put("good.txt", FERRY)
    await room.look()
    failed = room.in_state(FileState.FAILED)
    assert "good.txt" in room.in_state(FileState.INDEXED)
    assert {f"{how}.{suffix}" for how in ("cut", "flipped") for suffix in archives} <= failed
    binary = {f"noise.{suffix}" for suffix in whole if suffix != "eml"}
    assert binary <= failed
    assert all(room.told[name].detail for name in failed)
    stored = {r.path: r for r in room.library.book.files()}
    assert all(stored[str(room.root / name)].detail for name in failed)


@posix_only
async def test_a_text_of_two_gigabytes_is_not_read(room: Room) -> None:
    for name in ("huge.txt", "huge.md", "huge.html"):
        os.truncate(room.put(name, "a"), 2 * GIB)
    room.put("good.md", FERRY)
    await room.look()
    assert room.in_state(FileState.INDEXED) == {"good.md"}
    texts = {r.detail.values.get("n") for r in room.told.values() if r.state is FileState.FAILED}
    assert texts == {LibrarySettings().max_file_mb}


@posix_only
@pytest.mark.exhaustive
async def test_lines_and_messages_of_half_a_gigabyte_are_read_in_pieces(room: Room) -> None:
    line = b'{"url": "https://a.example/", "text": "The ferry."}\n'
    for name, data in (("huge.jsonl", line), ("huge.mbox", mailbox(mail(FERRY), mail("x")))):
        with room.put(name, data).open("ab") as stream:
            # Written and not left out: a hole, which is kept in a few blocks, is not read.
            for _ in range(GIB // 2 // 2**20):
                stream.write(bytes(2**20))
    await room.look()
    assert set(room.states().values()) == {"indexed"}
    assert room.told["huge.jsonl"].detail.values == {"n": 1, "available": 2, "number": 2}
    assert room.told["huge.mbox"].detail.values == {"n": 1, "available": 2, "number": 2}


async def test_a_file_that_may_not_be_read_is_named(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = room.put("ferry.md", FERRY)
    room.put("mill.md", "The mill burned down.")
    really = os.open

    def refused(file, *arguments, **more):
        # Root may read everything, and tests are run by root in containers.
        if Path(os.fsdecode(file)).name == path.name:
            raise PermissionError(13, os.strerror(13), str(path))
        return really(file, *arguments, **more)

    monkeypatch.setattr(os, "open", refused)
    await room.look()
    assert room.states() == {"ferry.md": "failed", "mill.md": "indexed"}
    assert "Permission denied" in room.told["ferry.md"].detail
    monkeypatch.undo()
    await room.look()
    assert set(room.states().values()) == {"indexed", "unchanged"}


async def test_a_folder_that_may_not_be_read_keeps_what_it_held(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    room.put("inner/ferry.md", FERRY)
    room.put("mill.md", "The mill burned down.")
    await room.look()
    really = walking.list_folder

    def refused(root: Path, folder: Path) -> list[Listed]:
        if folder.name == "inner":
            raise PermissionError(13, os.strerror(13), str(folder))
        return really(root, folder)

    monkeypatch.setattr(walking, "list_folder", refused)
    await room.look_only()
    assert room.states() == {"inner": "failed", "mill.md": "unchanged"}
    assert room.urls() == {"inner/ferry.md", "mill.md"}


@pytest.mark.skipif(sys.platform != "linux", reason="names are text there: run it on Linux")
async def test_a_name_that_is_no_text_is_named(room: Room) -> None:
    for name in (b"/caf\xe9.md", b"/f\xff/ferry.md", b"/skip\xe9.log"):
        room.put(os.fsdecode(name[1:]), FERRY)
    room.put("good.md", FERRY)
    for _ in range(2):
        await room.look(exclude=("*.log",))
        assert room.in_state(FileState.FAILED) == {"caf\\xe9.md", "f\\xff"}
        assert room.rules() == {"skip\\xe9.log": "*.log"}
        assert room.urls() == {"good.md"}


@posix_only
async def test_what_is_no_file_is_named_and_not_opened(room: Room, tmp_path: Path) -> None:
    os.mkfifo(room.root / "pipe.md")
    place = tmp_path / "s"
    with closing(socket.socket(socket.AF_UNIX)) as server:
        server.bind(str(place))
        place.rename(room.root / "socket.md")
    wanted = {"pipe.md", "socket.md"}
    try:
        os.mknod(room.root / "device.md", 0o600 | 0o020000, os.makedev(1, 3))
        wanted.add("device.md")
    except PermissionError:
        pass  # only root may
    room.put("good.md", FERRY)
    await room.look()
    assert room.rules() == dict.fromkeys(wanted, SPECIAL)
    assert room.urls() == {"good.md"}


async def test_a_mailbox_that_grows_while_it_is_read_keeps_what_it_had(room: Room) -> None:
    path = room.put("in.mbox", mailbox(mail("The first.", "One")))

    class Delivering(Here):
        async def extract(self, data, url, content_type):
            with path.open("ab") as stream:
                stream.write(mailbox(mail("The second.", "Two")))
            return await super().extract(data, url, content_type)

    delivering = Delivering()
    reading = FolderReader(room.library, room.library.book, room.settings, delivering, 1)
    folder = room.folder()
    reports = []
    await reading.look(folder, reports.append, lambda _n: None)
    assert [r.state for r in reports] == [FileState.FAILED]
    await room.look()
    assert room.states() == {"in.mbox": "indexed"}
    assert {r.title for r in room.library.documents()} == {"One", "Two"}


def mounted(place: Path) -> None:
    done = subprocess.run(  # noqa: S603
        ["mount", "-t", "tmpfs", "-o", "size=1m", "askance-test", str(place)],  # noqa: S607
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        pytest.skip("a disk cannot be mounted here: run it as root on Linux")


def unmounted(place: Path) -> None:
    subprocess.run(["umount", str(place)], check=True)  # noqa: S603, S607


@pytest.mark.skipif(sys.platform != "linux", reason="a disk cannot be mounted here: run it as root on Linux")  # fmt: skip
async def test_a_disk_that_is_away_takes_nothing_with_it(room: Room) -> None:
    inner = room.root / "stick"
    inner.mkdir()
    room.put("mill.md", "The mill burned down.")
    mounted(inner)
    try:
        room.put("stick/deep/ferry.md", FERRY)
        await room.look()
    finally:
        unmounted(inner)
    await room.look_only()
    assert room.states() == {"mill.md": "unchanged", "stick": "failed"}
    assert room.urls() == {"mill.md", "stick/deep/ferry.md"}
    await room.look_only()
    assert room.urls() == {"mill.md", "stick/deep/ferry.md"}


@pytest.mark.parametrize("is_whole", [True, False])
async def test_an_empty_place_of_another_disk_is_told_from_one_that_was_emptied(
    room: Room, is_whole: bool
) -> None:
    path = room.put("stick/ferry.md", FERRY)
    await room.look(below="stick")
    if is_whole:  # as where the disk that the files were on is not there
        known = room.library.book.files()
        room.library.book.note([replace(r, identity="1234567:1") for r in known])
    path.unlink()
    if not is_whole:
        await room.look(below="stick")
        assert room.urls() == set()
        return
    with pytest.raises(InputError):
        await room.look(below="stick")
    assert room.urls() == {"stick/ferry.md"}


async def test_a_full_disk_ends_it_and_the_next_look_goes_on(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(collected, "BATCH_DOCUMENTS", 64)
    for i in range(150):
        room.put(f"{i:03}.md", f"The ferry number {i} leaves. " * 60)
    room.put("0.md", "The first.")
    await room.look(include=("0.md",))
    database = room.library.database
    pages = database.read(lambda c: c.execute("PRAGMA page_count").fetchone()[0])
    database.read(lambda c: c.execute(f"PRAGMA max_page_count = {pages + 60}").fetchone())
    with pytest.raises(BaseExceptionGroup) as raised:
        await room.look()
    _, bugs = raised.value.split(StorageError)
    assert bugs is None
    assert room.library.check() == ()
    texts = {r.path for r in room.library.book.files() if r.document}
    assert 1 <= len(texts) < 151
    assert len(room.library.documents()) == len(texts)
    room.library.close()
    await room.look()
    assert len(room.urls()) == 151
    assert len(room.in_state(FileState.UNCHANGED)) == len(texts)


async def test_a_kill_between_a_document_and_its_note_leaves_none_behind(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = room.put("ferry.md", "The ferry leaves.")
    room.put("mill.md", "The mill burned down.")
    really = SqliteLibrary.add

    def killed(self: SqliteLibrary, documents: Sequence[Document], _: object) -> None:
        really(self, documents)
        raise StorageError("The program was killed.")

    monkeypatch.setattr(SqliteLibrary, "add", killed)
    with pytest.raises(StorageError):
        await room.look()
    monkeypatch.undo()
    assert {r.state for r in room.library.book.files()} == {FileState.FAILED}
    assert len(room.library.documents()) == 2
    path.unlink()
    await room.look()
    assert room.urls() == {"mill.md"}


async def test_a_kill_behind_an_exclusion_leaves_nothing_to_be_found(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    room.put("private/diary.md", "The ferry leaves.")
    await room.look()

    def killed(*_: object) -> None:
        raise StorageError("The disk is full.")

    monkeypatch.setattr(SqliteFolderIndex, "note", killed)
    with pytest.raises(StorageError):
        await room.look(exclude=("private",))
    monkeypatch.undo()
    assert room.urls() == set()
    await room.look(exclude=("private",))
    assert room.rules() == {"private": "private"}
