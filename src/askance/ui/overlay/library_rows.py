"""What the windows show of the library, decided without Qt: a piece of a document, rows of files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from askance.domain.characters import clean, one_line
from askance.domain.library import DocumentRecord, FileRecord, FileState, Folder, LibraryHit, tally
from askance.presentation.answers import (
    STATES,
    coverage_text,
    folder_text,
    name_of,
    place_of,
    reason_of,
    tally_text,
)
from askance.presentation.i18n import day_of, plural, tr

_AROUND = 20_000
"""So many characters before and behind a passage are shown: a book would keep the window busy."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A piece of a document around a passage, which stands from `start` to `end` in it."""

    text: str
    start: int
    end: int


def excerpt(text: str, hit: LibraryHit) -> Excerpt:
    """Return a passage in its surroundings, without what hides in them."""
    # The document may have been read again since it was searched, so that the offset is another
    # place's.
    offset = hit.offset if text[hit.offset : hit.offset + len(hit.text)] == hit.text else -1
    if offset < 0:
        offset = max(text.find(hit.text), 0)
    first, last = max(offset - _AROUND, 0), offset + len(hit.text) + _AROUND
    head = "…" if first else ""
    # Cleaned apart: that takes characters away, and the passage's place is counted in what is left.
    before = head + clean(text[first:offset])
    passage = clean(text[offset : offset + len(hit.text)])
    behind = clean(text[offset + len(hit.text) : last]) + ("…" if last < len(text) else "")
    return Excerpt(before + passage + behind, len(before), len(before) + len(passage))


def named_places(places: Sequence[str]) -> str:
    """Return what files, folders and addresses are called in a sentence."""
    if len(places) > 1:
        return plural("{n} item", "{n} items", len(places))
    place = places[0]
    if place.startswith(("http://", "https://")):
        return place_of(place)
    return tr("“{text}”", text=one_line(Path(place).name or place))


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file of a folder, or a document that came from none: its name, its state, and why.

    One that `is_partial` is found, but something of it could not be read; `reason` says what. `document` is what of the library it is, empty where it is not there. `key` is what it is
    filtered by: all words in small letters.
    """

    name: str
    state: str
    reason: str
    is_failed: bool = False
    is_found: bool = False
    path: str = ""
    document: str = ""
    key: str = ""
    is_partial: bool = False

    @property
    def shown_state(self) -> str:
        """What stands beside the name."""
        return tr("in part") if self.is_partial else self.state


def file_row(record: FileRecord) -> FileRow:
    """Return the row of a file, by its path below the folder."""
    path, folder = Path(record.path), Path(record.folder)
    name = one_line(path.name if path == folder else _below(path, folder))
    reason = reason_of(record)
    return FileRow(
        name,
        tr(STATES[record.state]),
        reason,
        record.state is FileState.FAILED,
        record.is_found,
        record.path,
        record.document,
        f"{name} {reason}".casefold(),
        record.is_partial,
    )


def document_row(record: DocumentRecord) -> FileRow:
    """Return the row of a document that came from no folder: a page, or an import."""
    title = one_line(record.title) or name_of(record.url)
    read = tr("read on {day}", day=day_of(record.fetched_at))
    place = place_of(record.url)
    key = f"{title} {place}".casefold()
    return FileRow(title, read, place, path=record.url, document=record.id, key=key)


def fitting(rows: Iterable[FileRow], words: str) -> tuple[FileRow, ...]:
    """Return the rows whose name, reason or state as it is shown hold all words."""
    # In any order and in parts: people type pieces of a path.
    wanted = words.casefold().split()
    return tuple(
        row for row in rows if all(w in f"{row.key} {row.shown_state.casefold()}" for w in wanted)
    )


@dataclass(frozen=True, slots=True)
class FolderRow:
    """A folder and its files as they are shown; without one, the documents that came from none."""

    folder: Folder | None
    title: str
    summary: str
    coverage: str
    files: tuple[FileRow, ...]


def folder_row(folder: Folder, records: Sequence[FileRecord]) -> FolderRow:
    """Return the row of a folder. What failed, or is found in part, comes first: people look for that."""
    # The sort is stable: files of one state stay in the order in which they come.
    rows = sorted(map(file_row, records), key=lambda row: (not row.is_failed, not row.is_partial))
    counts = tally(records)
    summary, coverage = tally_text(counts), coverage_text(counts)
    return FolderRow(folder, folder_text(folder.path), summary, coverage, tuple(rows))


def row_of_others(records: Sequence[DocumentRecord]) -> FolderRow:
    """Return the row of the documents that came from no folder."""
    summary = plural("{n} document", "{n} documents", len(records))
    rows = tuple(map(document_row, records))
    return FolderRow(None, tr("Web pages and imports"), summary, "", rows)


def _below(path: Path, folder: Path) -> str:
    try:
        return str(path.relative_to(folder))
    except ValueError:
        return str(path)
