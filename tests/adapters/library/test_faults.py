"""A library that cannot be written ends the look at a folder, and keeps what was said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from adapters.library.room import Room, opened
from askance.adapters.library.sqlite.sqlite_library import SqliteFolderIndex, SqliteLibrary
from askance.domain.errors import StorageError
from askance.domain.library import Document, FileState


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    with opened(tmp_path) as room:
        yield room


async def test_a_full_disk_ends_it_and_the_next_look_goes_on(room: Room) -> None:
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

    def killed(self: SqliteLibrary, documents: Sequence[Document]) -> None:
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
