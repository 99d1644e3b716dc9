"""Another program: a window that is full of one text, to be selected by hand."""

from __future__ import annotations

import sys
import time
from typing import Any

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication, QPlainTextEdit

COLOUR = "#e4d8b4"
# So long a hand takes from the mouse to the keyboard.
_PACE_S = 0.3


def select_all(hands: Any, at: QPoint) -> None:
    """Click into the window, and select its text.

    Qt sets a selection twice where both come at once, and GNOME 43 takes the second for gone with the first.
    """
    hands.click(at)
    time.sleep(_PACE_S)
    hands.press("Control_L", "a")


if __name__ == "__main__":
    application = QApplication([])
    window = QPlainTextEdit(sys.argv[1])
    window.setWindowTitle("Another program")
    window.setStyleSheet(f"background: {COLOUR}")
    window.showMaximized()
    sys.exit(application.exec())
