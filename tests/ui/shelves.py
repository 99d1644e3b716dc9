"""A library with a few real files and pages in it, for tests of the windows that show it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from shutil import copyfile

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget

from askance.app.container import Container
from askance.app.library import folders_of, read_folders
from askance.config.folders import Folders, find_folders
from askance.config.private_files import make_folder
from askance.config.settings import Settings
from askance.domain.library import Document, DocumentKind, Origin

MILL = "The tide mill stands where the sound narrows, and ground barley until 1931."
PAGE = Document(
    "https://www.mills.example/tide",
    "How a tide mill works",
    "A tide mill is driven by the rise and the fall of the tide.",
    Origin.WEB,
    DocumentKind.PAGE,
    tags=("reference",),
    published="2023-11-02",
)


def notes_in(folder: Path) -> Path:
    """Write a folder of notes: two that are found, one that fails, one that is excluded."""
    notes = folder / "notes"
    notes.mkdir()
    # Far enough down that it must be scrolled to.
    before = "\n\n".join(f"Paragraph {n} on the weather of Skarne." for n in range(400))
    (notes / "mill.md").write_text(f"# The mill\n\n{before}\n\n## The works\n\n{MILL}\n", "utf-8")
    (notes / "flow.py").write_text('"""How much water a tide mill needs."""\n', "utf-8")
    (notes / "broken.pdf").write_text("no pdf", "utf-8")
    (notes / "picture.png").write_text("no picture", "utf-8")
    return notes


def fill(folders: Folders, *paths: Path, pages: tuple[Document, ...] = (PAGE,)) -> None:
    """Add folders and pages to the library."""
    with Container(Settings(), folders) as parts:
        if paths:
            wanted = folders_of(map(str, paths), parts.library.book.folders())
            asyncio.run(read_folders(parts, wanted, lambda _: None))
        parts.library.add(pages)


def stocked(folder: Path) -> tuple[Path, Path]:
    """Return a folder of notes and a file of the library that has read it; both are to be left as they are.

    Reading starts processes: a module does so once, and `lend` gives each test the library.
    """
    notes, folders = notes_in(folder), find_folders({"ASKANCE_HOME": str(folder / "home")})
    fill(folders, notes)
    return notes, folders.library


def lend(library: Path, folders: Folders) -> None:
    """Put a copy of a library into a home."""
    make_folder(folders.library.parent)
    copyfile(library, folders.library)


def dragged(*places: Path | str) -> QMimeData:
    """Return files, folders and addresses as they are dragged."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(p)) if isinstance(p, Path) else QUrl(p) for p in places])
    return data


def drop(
    widget: QWidget,
    data: QMimeData,
    held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier,
) -> bool:
    """Drop something on a widget; return whether it was taken when it came in."""
    at, over = QPoint(20, 10), Qt.DropAction.CopyAction | Qt.DropAction.MoveAction
    left = Qt.MouseButton.LeftButton
    entering = QDragEnterEvent(at, over, data, left, held)
    QApplication.sendEvent(widget, entering)
    if entering.isAccepted():
        dropped = QDropEvent(QPointF(at), over, data, left, held)
        QApplication.sendEvent(widget, dropped)
        assert dropped.dropAction() is Qt.DropAction.CopyAction
    return entering.isAccepted()
