"""A library that cannot be written ends the look at a folder, and keeps what was said."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.library.room import Room, opened
from askance.cli.exits import expected_in
from askance.domain.errors import StoreUnusable
from askance.domain.library import FileState


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
    assert isinstance(expected_in(raised.value), StoreUnusable)
    assert room.library.check() == ()
    said = {r.path for r in room.library.book.files() if r.document}
    assert 1 <= len(said) < 151
    assert len(room.library.documents()) == len(said)
    room.library.close()
    await room.look()
    assert len(room.urls()) == 151
    assert len(room.in_state(FileState.UNCHANGED)) == len(said)
