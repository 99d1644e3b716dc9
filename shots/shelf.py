"""What is in the library when its pictures are taken."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from askance.app.container import Container
from askance.config.folders import Folders
from askance.config.settings import Settings
from askance.domain.library import Document, DocumentKind, FileRecord, FileState, Folder, Origin
from askance.domain.messages import Message

WORDS = "tide mill wheel"
_READ = "2026-05-12T09:10:00Z"
_NOTES = Path.home() / "Documents" / "Hesperay"
# Name, kind, title, tags, text.
_FILES = (
    (
        "mills.md",
        DocumentKind.MARKDOWN,
        "The mills of Skarne",
        ("mills", "history"),
        "# The mills of Skarne\n\n## The tide mill\n\nThe tide mill stands where the sound narrows. Its "
        "pond fills with the flood, and at ebb the water runs out below a wheel of oak four metres across. "
        "It ground barley for the whole of the north shore until the causeway cut off the pond in 1931.",
    ),
    (
        "walks/Lighthouse Round.txt",
        DocumentKind.TEXT,
        "Lighthouse Round.txt",
        (),
        "Past the old tide mill the path leaves the shore. The keeper of the museum shows the wheel, and how "
        "the gates were closed by hand at high water.",
    ),
    (
        "flow.py",
        DocumentKind.CODE,
        "flow.py",
        (),
        "def power(head_m, flow):\n    # Of the water below a tide mill a wheel takes a third.\n"
        "    return 9.81 * head_m * flow / 3\n",
    ),
)
_PAGES = (
    Document(
        "https://www.tidemills.example/how-they-work",
        "How a tide mill works: gates, ponds and wheels",
        "A tide mill is driven by the rise and fall of the tide. A dam with a sluice closes an inlet; as the "
        "tide comes in it enters the pond through a gate, and as it falls it leaves over the wheel.",
        Origin.WEB,
        DocumentKind.PAGE,
        tags=("reference",),
        published="2023-11-02",
        fetched_at=_READ,
    ),
)
_OTHERS = (
    ("letters/2019.docx", FileState.FAILED, Message("It holds no readable text.")),
    ("pictures/mill.jpg", FileState.EXCLUDED, Message("Files of this kind are not read.")),
)


def stock(folders: Folders) -> None:
    """Put a few files and a page into the library of these folders.

    Raises:
        StorageError: it cannot be written.
    """
    with closing(Container(Settings(), folders).library) as library:
        book = library.book
        book.store_folder(Folder(str(_NOTES), exclude=("/drafts",)))
        records: list[FileRecord] = []
        for name, kind, title, tags, text in _FILES:
            path = _NOTES / name
            document = Document(
                path.as_uri(), title, text, Origin.FILE, kind, tags=tags, fetched_at=_READ
            )
            (added,) = library.add([document])
            records.append(FileRecord(str(path), str(_NOTES), FileState.INDEXED, document=added.id))
        for name, state, why in _OTHERS:
            records.append(FileRecord(str(_NOTES / name), str(_NOTES), state, why))
        drafts = Message("{rule} excludes it.", rule="/drafts")
        records.append(
            FileRecord(str(_NOTES / "drafts"), str(_NOTES), FileState.EXCLUDED, drafts, "/drafts")
        )
        book.note(records)
        library.add(_PAGES)


def write_files(folder: Path) -> tuple[Path, ...]:
    """Write what is attached to a question, and return where: a text, a folder and an archive."""
    dues = "A berth of 9 m costs 14.20 a night, and 18.60 in July and August.\n\n"
    contracts = folder / "Contracts"
    contracts.mkdir(parents=True)
    for year in range(2019, 2026):
        (contracts / f"Berth {year}.md").write_text(f"# {year}\n\n{dues}", "utf-8")
    text, archive = folder / "Harbour dues 2026.md", folder / "backup.tar.gz"
    text.write_text(f"# Harbour dues\n\n{40 * dues}", "utf-8")
    archive.write_bytes(b"\x1f\x8b")
    return text, contracts, archive
