"""The line at the foot that goes by itself: where it stands, how it ends, what it offers."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QEnterEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget

from askance.ui.design import theme, toast
from askance.ui.design.frame import Frame
from askance.ui.design.theme import LIGHT, Look
from askance.ui.design.toast import Toast

LOOK = Look(LIGHT, moves=False)


@pytest.fixture
def window(qtbot) -> Frame:
    window = Frame(LOOK)
    qtbot.addWidget(window)
    window.resize(760, 300)
    window.show()
    return window


def test_it_stands_at_the_right_of_the_foot_and_stays_there(window) -> None:
    line = Toast(window)
    line.show_text("Text 110 %")

    assert line.text == "Text 110 %"
    assert line.geometry().right() == window.paper.right() - theme.SPACE_XL
    assert line.geometry().bottom() < window.paper.bottom()

    window.resize(760, 420)
    QApplication.processEvents()

    assert window.paper.bottom() - 20 < line.geometry().bottom() < window.paper.bottom()


def test_it_goes_by_itself_and_with_its_window(qtbot, window, monkeypatch) -> None:
    monkeypatch.setattr(toast, "SHORT_MS", 1)
    line = Toast(window)
    line.show_text("Text 110 %")
    qtbot.waitUntil(lambda: not line.isVisible())

    line.show_text("“A” deleted", undo="Undo", then=list)
    window.hide()
    window.show()

    assert line.text == ""


def test_its_button_undoes_once_and_takes_it_away(window) -> None:
    undone: list[str] = []
    line = Toast(window)
    line.show_text("“A” deleted", undo="Undo", keys="Ctrl+Z", then=lambda: undone.append("A"))
    line.show_text("“B” deleted", undo="Undo", keys="Ctrl+Z", then=lambda: undone.append("B"))
    button = line.findChild(QPushButton)
    assert button is not None
    assert button.accessibleName() == "Undo"
    assert button.accessibleDescription() == "Ctrl+Z"

    QTest.mouseClick(button, Qt.MouseButton.LeftButton)

    assert undone == ["B"]
    assert not line.isVisible()


def test_it_stays_while_the_pointer_is_on_it(qtbot, window) -> None:
    line = Toast(window)
    line.show_text("“A” deleted", undo="Undo", then=list)
    at = QPointF(QPoint(2, 2))
    QApplication.sendEvent(line, QEnterEvent(at, at, at))
    assert not line._ends.isActive()
    assert line.isVisible()

    line._ends.setInterval(1)
    QApplication.sendEvent(line, QEvent(QEvent.Type.Leave))

    qtbot.waitUntil(lambda: not line.isVisible())


def test_where_little_is_below_the_tools_it_stands_above_them(window: Frame) -> None:
    tools = QWidget(window)
    tools.setGeometry(window.paper.left(), window.paper.top() + 60, window.paper.width(), 38)
    line = Toast(window, tools)
    line.show_text("“Ferry” deleted", undo="Undo")
    # In a window with an answer it lies on the foot of that.
    assert line.geometry().top() > tools.geometry().bottom()
    window.resize(window.width(), window.height() - window.paper.height() + 60 + 38 + 58)
    QApplication.processEvents()
    assert line.geometry().bottom() < tools.geometry().top()
    assert line.geometry().right() < window.paper.right() - 24 - 34
