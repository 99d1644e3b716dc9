"""A browser, as far as a window manager sees one: a plain window in one colour, with the address for a title.

F9 gives it another colour, where it has the keyboard.
"""

from __future__ import annotations

import sys

from PySide6.QtGui import QShortcut
from PySide6.QtWidgets import QApplication, QWidget

COLOUR, PRESSED = "#2277aa", "#aa7722"

if __name__ == "__main__":
    application = QApplication([])
    window = QWidget()
    window.setWindowTitle(sys.argv[1])
    window.setStyleSheet(f"background: {COLOUR}")
    QShortcut("F9", window, lambda: window.setStyleSheet(f"background: {PRESSED}"))
    window.showMaximized()
    sys.exit(application.exec())
