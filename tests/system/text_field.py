"""Another program with a text field, of which a stretch is selected: it writes what stands in it, line by line, as JSON."""

from __future__ import annotations

import json
import sys

from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtWidgets import QApplication, QPlainTextEdit

TEXT = "Dear Sir, the old words stand here."
SELECTED = "old words"


def main() -> None:
    application = QApplication(sys.argv)
    edit = QPlainTextEdit(TEXT)
    edit.setReadOnly("read-only" in sys.argv)

    def tell(**what: object) -> None:
        sys.stdout.write(f"{json.dumps(what)}\n")
        sys.stdout.flush()

    def select() -> None:
        cursor = edit.textCursor()
        start = TEXT.index(SELECTED)
        cursor.setPosition(start)
        cursor.setPosition(start + len(SELECTED), QTextCursor.MoveMode.KeepAnchor)
        edit.setTextCursor(cursor)
        # As a hand that lets go of the button does.
        QGuiApplication.clipboard().setText(SELECTED, QGuiApplication.clipboard().Mode.Selection)
        tell(ready=int(edit.winId()))

    edit.textChanged.connect(lambda: tell(text=edit.toPlainText()))
    application.focusWindowChanged.connect(lambda window: window and select())
    edit.show()
    application.exec()


if __name__ == "__main__":
    main()
