"""A process of its own that writes, in JSON, in which typeface each kind of widget is set.

First as the program starts, then after the desktop has changed its theme.
"""

from __future__ import annotations

import ctypes
import json
import sys

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QLineEdit,
    QListView,
    QMenu,
    QPushButton,
    QRadioButton,
    QToolButton,
    QToolTip,
    QWidget,
)

from askance.ui.design.frame import Frame
from askance.ui.design.labels import MarkupLabel, PlainLabel, StyledLabel, TextStyle
from askance.ui.design.theme import LIGHT, Look, apply_look, load_fonts

_SETTLED_MS = 100


def main(needed: str) -> None:
    """Write null where the library of the desktop's theme is missing."""
    try:
        ctypes.CDLL(needed or None)
    except OSError:
        sys.stdout.write("null")
        return
    application = QApplication([])
    load_fonts()
    look = Look(LIGHT, moves=False)
    apply_look(application, look)
    window = Frame(look)
    kinds = (PlainLabel, MarkupLabel, QPushButton, QCheckBox, QRadioButton, QToolButton)
    widgets = [kind() for kind in (*kinds, QLineEdit, QComboBox, QListView)]
    menu = QMenu()
    for widget in (*widgets, StyledLabel(look, TextStyle.LEAD, "text")):
        widget.setParent(window)
    window.resize(400, 300)
    window.show()

    def families() -> dict[str, str]:
        shown = {type(w).__name__: w for w in window.findChildren(QWidget)} | {"QMenu": menu}
        for widget in shown.values():
            widget.ensurePolished()
        fonts = {name: w.font() for name, w in shown.items()} | {"QToolTip": QToolTip.font()}
        # What is asked for: the tests have no other typeface that could be seen.
        return {name: font.families()[0] for name, font in fonts.items()}

    def end() -> None:
        json.dump([before, families()], sys.stdout)
        application.quit()

    before = families()
    hints = application.styleHints()
    is_dark = hints.colorScheme() is Qt.ColorScheme.Dark
    hints.setColorScheme(Qt.ColorScheme.Light if is_dark else Qt.ColorScheme.Dark)
    QTimer.singleShot(_SETTLED_MS, end)
    application.exec()


if __name__ == "__main__":
    main(sys.argv[1])
