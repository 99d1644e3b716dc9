"""A window that is hidden and comes back before its desktop took the keyboard from it."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from askance.ui.design.frame import bring_up


def test_a_window_that_has_the_focus_but_is_not_known_as_active_becomes_active(
    qtbot: QtBot,
) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    with qtbot.waitActive(window):
        bring_up(window)
    # As under sway: the keyboard never left the window, but Qt took a hidden one for inactive.
    QApplication.setActiveWindow(None)  # pyright: ignore[reportArgumentType]
    assert QGuiApplication.focusWindow() is window.windowHandle()
    assert QApplication.activeWindow() is None
    bring_up(window)
    assert QApplication.activeWindow() is window
