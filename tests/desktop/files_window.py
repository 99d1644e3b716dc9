"""Another program, such as a file manager: a file is copied in it with Ctrl+C, and one dragged out of its window."""

from __future__ import annotations

import sys

from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QDrag, QKeyEvent, QKeySequence, QMouseEvent
from PySide6.QtWidgets import QApplication, QWidget

COLOUR = "#c9d8e4"
BESIDE = "--beside"
"""Small, so that the desktop puts it where no other window is."""
FILES = [argument for argument in sys.argv[1:] if argument != BESIDE]


class FilesWindow(QWidget):
    """A window in which each press begins to drag the last file, and the first one is copied."""

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's interface
        """Copy it: under Wayland only a program that was given a key may."""
        if event.matches(QKeySequence.StandardKey.Copy):
            QApplication.clipboard().setMimeData(places(FILES[:1]))

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802 - Qt's interface
        """Drag it until the button is let go."""
        drag = QDrag(self)
        drag.setMimeData(places(FILES[-1:]))
        drag.exec(Qt.DropAction.CopyAction)


def places(files: list[str]) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(file) for file in files])
    return data


if __name__ == "__main__":
    application = QApplication([])
    window = FilesWindow()
    window.setWindowTitle("Files")
    window.setStyleSheet(f"background: {COLOUR}")
    if BESIDE in sys.argv:
        window.resize(180, 120)
        window.show()
    else:
        window.showMaximized()
    sys.exit(application.exec())
