"""Another program: a window that is full of one text, to be selected by hand."""

from __future__ import annotations

import sys

from PySide6.QtWidgets import QApplication, QPlainTextEdit

COLOUR = "#e4d8b4"

if __name__ == "__main__":
    application = QApplication([])
    window = QPlainTextEdit(sys.argv[1])
    window.setWindowTitle("Another program")
    window.setStyleSheet(f"background: {COLOUR}")
    window.showMaximized()
    sys.exit(application.exec())
