"""Somebody at the keys of any window."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

Key, SHIFT = Qt.Key, Qt.KeyboardModifier.ShiftModifier


class Hands:
    """Somebody at the keys of a window."""

    def __init__(self, window: QWidget, qtbot: QtBot) -> None:
        self.window, self.bot = window, qtbot

    @property
    def focus(self) -> QWidget:
        focused = QApplication.focusWidget()
        assert focused is not None, "nothing has the focus"
        return focused

    def press(self, *keys: Qt.Key) -> None:
        for key in keys:
            QTest.keyClick(self.focus, key)

    def keys(self, written: str) -> None:
        QTest.keySequence(self.focus, QKeySequence(written))

    def type(self, text: str) -> None:
        QTest.keyClicks(self.focus, text)

    def tab_until(self, found: Callable[[QWidget], bool]) -> QWidget:
        for _ in range(60):
            self.press(Key.Key_Tab)
            if found(self.focus):
                return self.focus
        raise AssertionError("Tab does not get there")

    def walk(self, *, back: bool = False) -> list[QWidget]:
        """Press Tab until the focus is where it began, and return all that had it."""
        began, passed = self.focus, list[QWidget]()
        for _ in range(60):
            if back:
                QTest.keyClick(self.focus, Key.Key_Backtab, SHIFT)
            else:
                self.press(Key.Key_Tab)
            if self.focus is began:
                return passed
            passed.append(self.focus)
        raise AssertionError(f"a trap: {passed}")
