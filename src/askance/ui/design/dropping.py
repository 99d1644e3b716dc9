"""Files, folders and web pages that are dropped on a widget, and that the library reads."""

from __future__ import annotations

from abc import abstractmethod
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject, Qt, QUrl, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QWidget

from askance.domain.file_formats import is_read


class DropTarget(QObject):
    """Makes a widget take what is dropped on it, and its children what they take themselves."""

    def __init__(self, widget: QWidget, parent: QObject) -> None:
        super().__init__(parent)
        widget.setAcceptDrops(True)
        widget.installEventFilter(self)

    @abstractmethod
    def takes(self, data: QMimeData) -> bool:
        """Return whether what is held over the widget may be dropped."""

    @abstractmethod
    def take(self, data: QMimeData) -> None:
        """Take what was dropped."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: ARG002 - Qt's interface
        """Say what may be dropped, and take it."""
        if isinstance(event, QDropEvent) and event.type() is QEvent.Type.Drop:
            # Never a move: what is dropped stays where it comes from.
            event.setDropAction(Qt.DropAction.CopyAction)
            event.accept()
            self.take(event.mimeData())
            return True
        if isinstance(event, QDragEnterEvent):
            event.setAccepted(self.takes(event.mimeData()))
            return True
        return False


class PlaceTarget(DropTarget):
    """Takes files, folders and pages, and nothing else."""

    dropped = Signal(object)
    """Their paths and addresses, a tuple."""

    def takes(self, data: QMimeData) -> bool:
        """Take what the library reads."""
        return bool(places_of_drop(data))

    def take(self, data: QMimeData) -> None:
        """Tell of it."""
        if places := places_of_drop(data):
            self.dropped.emit(places)


def places_of_drop(data: QMimeData) -> tuple[str, ...]:
    """Return the folders, web pages and files of kinds that are read in what was dropped."""
    found = (_place(url) for url in data.urls()) if data.hasUrls() else ()
    return tuple(dict.fromkeys(filter(None, found)))


def _place(url: QUrl) -> str:
    if url.isLocalFile():
        path = Path(url.toLocalFile())
        return str(path) if path.is_dir() or is_read(path) else ""
    web = url.scheme() in {"http", "https"} and bool(url.host())
    return url.toString(QUrl.ComponentFormattingOption.FullyEncoded) if web else ""
