"""Small files are read together, and what is stored beside a text is computed in another process: nothing else changes."""

# ruff: noqa: RUF001 - letters of many alphabets are what is read

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from adapters.library.room import Here, Room
from adapters.storage.shelf import library
from askance.adapters.library.files.adding import FolderReader
from askance.adapters.library.files.file_process import FileCalls, FileProcesses
from askance.adapters.library.files.opening import read_file, read_files
from askance.adapters.library.prepared import prepare_all
from askance.adapters.library.sqlite_library import SqliteLibrary
from askance.domain.library import FileRecord

TEXTS = {
    "english.md": "---\ntags: [sea]\n---\n# Ferry\n\nThe ferry to Hesperay leaves at nine. It is full.\n\n```python\nopenFile()\n```",
    "german.txt": "Die Fähre fährt am 3. Mai um neun Uhr nach Hesperay, usw. Die Überfahrt dauert nicht lange.",
    "greek.txt": "Το πλοίο για το νησί φεύγει στις εννέα το πρωί και δεν επιστρέφει πριν από το βράδυ.",
    "japanese.txt": "港は一八七一年に浚渫された。「船は来る」と彼は言った。",
    "page.html": "<html lang='fr'><body><article><p>Le bateau part à neuf heures du matin.</p></article></body></html>",
    "code.py": "import os\n\n\ndef open_file(name):\n    return os.open(name)\n",
    "copy.txt": "Die Fähre fährt am 3. Mai um neun Uhr nach Hesperay, usw. Die Überfahrt dauert nicht lange.",
    "half.md": "Half of a pair: \udc80 stands here.".encode("utf-8", "surrogatepass"),
    "large.txt": "The keeper of the lighthouse writes down each ship. " * 3_000,
}


def stored(kept: SqliteLibrary) -> list[Any]:
    """Return all that a library holds of its texts, whatever the order in which they came."""
    texts = (
        "SELECT place, title, hash, language, is_code, content.words, is_indexed, text FROM document "
        "JOIN content ON content.id = document.content ORDER BY place"
    )
    passages = (
        "SELECT hash, number, start, stop, heading, syntaxes, title, words.content, tags FROM passage "
        "JOIN content ON content.id = passage.content JOIN words ON words.rowid = passage.id "
        "ORDER BY hash, number"
    )
    return [kept.database.rows(q) for q in (texts, passages, "SELECT * FROM total ORDER BY 1")]


async def look(room: Room, files: FileCalls, kept: SqliteLibrary) -> dict[str, FileRecord]:
    records: list[FileRecord] = []
    reader = FolderReader(kept, kept.book, room.settings, Here(), 2, files)
    await reader.look(room.folder(), records.append, lambda _: None)
    return {Path(r.path).relative_to(room.root).as_posix(): r for r in records}


class Calls(FileCalls):
    """Counts the calls of each function, and lets `before` have its way first."""

    def __init__(self, before: Callable[[Callable[..., Any]], None] = lambda _: None) -> None:
        self.made: list[Callable[..., Any]] = []
        self._before = before

    def parts(
        self,
        place: str,
        function: Callable[..., Any],
        *arguments: Any,
        answer_s: float | None = None,
    ) -> Iterator[Any]:
        self.made.append(function)
        self._before(function)
        return super().parts(place, function, *arguments, answer_s=answer_s)


@pytest.fixture
def other(tmp_path: Path) -> Iterator[SqliteLibrary]:
    (tmp_path / "other").mkdir()
    kept = library(tmp_path / "other")
    yield kept
    kept.close()


async def test_another_process_computes_what_this_one_would(
    room: Room, other: SqliteLibrary
) -> None:
    for name, text in TEXTS.items():
        room.put(name, text)
    files = FileProcesses()
    try:
        records = await look(room, files, other)
    finally:
        files.close()
    assert {r.state.value for r in records.values()} == {"indexed"}
    await room.look()
    assert stored(other) == stored(room.library)
    assert len(stored(other)[0]) == len(TEXTS)


async def test_where_that_process_ends_it_is_computed_here(
    room: Room, other: SqliteLibrary
) -> None:
    for name, text in TEXTS.items():
        room.put(name, text)

    def ends(function: Callable[..., Any]) -> None:
        if function is prepare_all:
            raise OSError("the process has ended")

    calls = Calls(ends)
    await look(room, calls, other)
    assert prepare_all in calls.made
    await room.look()
    assert stored(other) == stored(room.library)


async def test_small_files_are_read_together_and_large_ones_alone(room: Room) -> None:
    for n in range(40):
        room.put(f"{n:02}.md", f"Note {n} on the heron.")
    room.put("large.txt", TEXTS["large.txt"])
    calls = Calls()
    await look(room, calls, room.library)
    assert len(room.urls()) == 41
    assert calls.made.count(read_files) == 2
    assert calls.made.count(read_file) == 1


async def test_of_files_that_are_read_together_each_fails_for_itself(room: Room) -> None:
    for name in ("a.md", "gone.md", "grown.md", "swapped.md", "z.md"):
        room.put(name, f"A note on the heron in {name}.")

    def changes(function: Callable[..., Any]) -> None:
        if function is read_files:
            (room.root / "gone.md").unlink()
            room.put("grown.md", "A note on the heron. " * 10_000)
            room.put("new.md", "Another one.").replace(room.root / "swapped.md")

    calls = Calls(changes)
    records = await look(room, calls, room.library)
    states = {name: record.state.value for name, record in records.items()}
    good = dict.fromkeys(("a.md", "grown.md", "z.md"), "indexed")
    assert states == good | dict.fromkeys(("gone.md", "swapped.md"), "failed")
    assert room.urls() == set(good)
    assert calls.made.count(read_file) == 1
