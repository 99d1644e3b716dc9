"""What the library finds and holds, as rows and in words, for every front end."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from askance.citations.links import fragment_url
from askance.domain.addresses import path_of
from askance.domain.library import FileRecord, FileState, LibraryHit, Origin, Range, Tally
from askance.domain.web import host_of
from askance.presentation.i18n import day_of, plural, spoken, term, tr, translated
from askance.presentation.sanitizing import clean, one_line

STATES = {
    FileState.INDEXED: term("indexed"),
    FileState.UNCHANGED: term("unchanged"),
    FileState.EXCLUDED: term("excluded"),
    FileState.FAILED: term("failed"),
}


@dataclass(frozen=True, slots=True)
class FoundRow:
    """A passage that was found, as it is shown.

    `place` says where it stands: a host and a heading, or a file and its folder, and the page in it. `marks` are the
    `(start, end)` of the words of the query in `snippet`.
    """

    title: str
    place: str
    date: str
    tags: tuple[str, ...]
    snippet: str
    marks: tuple[Range, ...]

    @property
    def spoken(self) -> str:
        """The row as a screen reader says it."""
        return ", ".join(
            filter(None, (self.title, self.place, self.date, *self.tags, self.snippet))
        )


def found_row(hit: LibraryHit) -> FoundRow:
    """Return the row of a passage."""
    text, marks = _cleaned(hit.snippet, hit.marks)
    title, heading = one_line(hit.title) or name_of(hit.url), one_line(hit.heading)
    place = place_of(hit.url, title, hit.origin)
    page = tr("page {number}", number=str(hit.page)) if hit.page else ""
    return FoundRow(
        title,
        " · ".join(filter(None, (place, heading if heading != title else "", page))),
        day_of(hit.published or hit.fetched_at),
        tuple(one_line(tag) for tag in hit.tags),
        text,
        marks,
    )


def page_at(hit: LibraryHit) -> str:
    """Return the address that opens a web page at what was found; empty for anything else."""
    if not hit.url.startswith(("http://", "https://")) or " " in hit.url:
        return ""
    start = hit.marks[0][0] if hit.marks else 0
    return fragment_url(hit.url, " ".join(hit.snippet[start:].split()[:_WORDS_OF_LINK]).strip("…"))


# So many words behind the first that was found stand in the link: fewer may stand elsewhere, too.
_WORDS_OF_LINK = 8


def is_local_file(url: str) -> bool:
    """Whether an address is that of a file on this machine."""
    return bool(path_of(url))


def place_of(url: str, title: str = "", origin: Origin = Origin.WEB) -> str:
    """Return where a document is: the host of a page, the name and the folder of a file.

    A file that is called by its name already has its folder alone. What was not read from a page itself says so.
    """
    if not (path := path_of(url)):
        host = host_of(url)
        return imported_from(host) if host and origin is not Origin.WEB else host or one_line(url)
    file = Path(path)
    folder = folder_text(str(file.parent))
    return folder if title == one_line(file.name) else one_line(f"{file.name} · {folder}")


def imported_from(host: str) -> str:
    """Return what stands in the place of a host where its text was imported, and not read from there."""
    return tr("imported: {host}", host=host)


def name_of(url: str) -> str:
    """Return what a document without a title is called: its file's name, or its address."""
    path = path_of(url)
    return one_line(Path(path).name if path else url)


def folder_text(path: str) -> str:
    """Return a folder as people write it: what is at home begins with `~`."""
    home = str(Path.home())
    if path == home or path.startswith(home.rstrip(os.sep) + os.sep):
        path = "~" + path[len(home) :]
    return one_line(path)


def tally_text(counts: Tally) -> str:
    """Say what became of the files of a folder: how many are in which state."""
    found = counts.indexed + counts.unchanged
    parts = [plural("{n} file found", "{n} files found", found)]
    if counts.partial:
        parts.append(tr("{n} of them in part", n=counts.partial))
    if counts.excluded:
        parts.append(tr("{n} excluded", n=counts.excluded))
    if counts.failed:
        parts.append(tr("{n} failed", n=counts.failed))
    return " · ".join(parts)


def coverage_text(counts: Tally) -> str:
    """Say which share is found of the files that no rule excludes; nothing where there are none."""
    if not counts.indexed + counts.unchanged + counts.failed:
        return ""
    return tr("coverage {share}", share=share_text(counts.coverage))


def share_text(share: float) -> str:
    """Return a share as a percentage, never as 100 % where something is missing."""
    tenths = int(share * 1000)
    return f"{spoken().number(tenths / 10, 0 if tenths == 1000 else 1)} %"


def reason_of(record: FileRecord) -> str:
    """Say why a file is not found, or what of it is left out; nothing where there is nothing to say."""
    return one_line(translated(record.detail)) if record.detail else ""


def _cleaned(text: str, marks: tuple[Range, ...]) -> tuple[str, tuple[Range, ...]]:
    """Return a text on one line without what hides in it, and its ranges moved along."""

    def upto(end: int) -> int:
        return len(clean(text[:end]))

    moved = tuple((upto(start), upto(end)) for start, end in marks)
    return clean(text).replace("\n", " ").replace("\t", " "), moved
