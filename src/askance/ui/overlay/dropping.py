"""What is dropped on the window: a text, or the text of a file, becomes a quote. Nothing else does."""

from __future__ import annotations

import codecs
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject, Qt, QUrl, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QWidget

from askance.ui.model.chips import MOST_CHARACTERS, Chip, Origin, chip_from_elsewhere

KINDS = (".txt", ".md")
# A character takes four bytes at the most; one more shows that there is more.
_MOST_BYTES = 4 * (MOST_CHARACTERS + 1)
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class DropTarget(QObject):
    """Makes a widget take what can be quoted, and its children what they take themselves."""

    dropped = Signal(object)
    """A `Chip`; one signal for each of the files."""
    refused = Signal()
    """Nothing in it was a text."""

    def __init__(self, widget: QWidget) -> None:
        super().__init__(widget)
        widget.setAcceptDrops(True)
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: ARG002 - Qt's interface
        """Say what may be dropped, and take it."""
        if isinstance(event, QDropEvent) and event.type() is QEvent.Type.Drop:
            self._take(event)
            return True
        if isinstance(event, QDragEnterEvent):
            event.setAccepted(is_quotable(event.mimeData()))
            return True
        return False

    def _take(self, event: QDropEvent) -> None:
        # Never a move: what is dropped stays where it comes from.
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
        chips = chips_of_drop(event.mimeData())
        for chip in chips:
            self.dropped.emit(chip)
        if not chips:
            self.refused.emit()


def is_quotable(data: QMimeData) -> bool:
    """Return whether what is held over the window may become a quote."""
    if data.hasUrls():
        return any(_file(url) is not None for url in data.urls())
    return data.hasText()


def chips_of_drop(data: QMimeData) -> tuple[Chip, ...]:
    """Return the quotes that what was dropped becomes; none where it holds no text."""
    if data.hasUrls():
        files = [file for url in data.urls() if (file := _file(url)) is not None]
        chips = [_chip_of_file(file) for file in files]
    else:
        chips = [chip_from_elsewhere(data.text(), Origin.PASTED)]
    return tuple(chip for chip in chips if chip is not None)


def _file(url: QUrl) -> Path | None:
    file = Path(url.toLocalFile())
    return file if url.isLocalFile() and file.suffix.casefold() in KINDS else None


def _chip_of_file(file: Path) -> Chip | None:
    try:
        # A pipe or a device has no end.
        if not file.is_file():
            return None
        with file.open("rb") as opened:
            beginning = opened.read(_MOST_BYTES)
    except OSError:
        return None
    text = _decoded(beginning)
    return None if "\0" in text else chip_from_elsewhere(text, Origin.FILE, file.name)


def _decoded(data: bytes) -> str:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return data.decode(encoding, errors="ignore")
    try:
        # What was read may end within a character.
        return codecs.getincrementaldecoder("utf-8")().decode(data)
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")
