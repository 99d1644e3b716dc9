"""Keys that do the same in every window, whatever the desktop has Qt do with them."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractButton, QApplication, QPushButton, QWidget

CLOSE = "Ctrl+W"


class QuietPush(QPushButton):
    """A button without an edge, in line with the words around it."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("quiet", True)
        self.setAutoDefault(False)
        self.setCursor(Qt.CursorShape.PointingHandCursor)


class PaintedButton(QAbstractButton):
    """A button that paints itself. Enter does what Space does."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Enter do what Space does."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)


def closes(event: QKeyEvent) -> bool:
    """Return whether a key closes a window."""
    standard = event.matches(QKeySequence.StandardKey.Close)
    return standard or QKeySequence(event.keyCombination()) == QKeySequence(CLOSE)


def press_with_enter(window: QWidget, event: QKeyEvent) -> bool:
    """Press the focused button of a window, if the key is Enter; return whether it was pressed."""
    button = window.focusWidget()
    if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter) or event.isAutoRepeat():
        return False
    if not isinstance(button, QPushButton) or not button.isEnabled():
        return False
    if button.menu():
        button.showMenu()
    else:
        button.click()
    return True


def came_by_pointer() -> bool:
    """Whether what happens now was asked for with the pointer: on a button of ours, or elsewhere."""
    focused = QApplication.focusWidget()
    return focused is None or (isinstance(focused, QAbstractButton) and focused.underMouse())
