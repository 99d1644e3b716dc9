"""A browser, as far as a window manager sees one: a plain window in one colour, with the address for a title."""

from __future__ import annotations

import sys

from PySide6.QtWidgets import QApplication, QWidget

COLOUR = "#2277aa"

if __name__ == "__main__":
    application = QApplication([])
    window = QWidget()
    window.setWindowTitle(sys.argv[1])
    window.setStyleSheet(f"background: {COLOUR}")
    window.showMaximized()
    sys.exit(application.exec())
