"""The focus as it is seen and heard: the ring around what has it, keys that hold in every window, and
what a screen reader says at once."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QColor,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QAbstractButton, QApplication, QPushButton, QScrollArea, QWidget
from shiboken6 import isValid

from askance.ui.design.theme import Look


def announce(widget: QWidget, text: str) -> None:
    """Let a screen reader say a text, if one listens. The focus stays where it is."""
    if text and QAccessible.isActive():
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, text))


CLOSE = "Ctrl+W"
"""Closes every window, whatever the desktop has Qt do with it."""


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


_RINGED = "ringed"
_ACROSS, _DOWN, _WIDTH, _RADIUS = 6, 1, 2.0, 5
_MOVES = {
    QEvent.Type.Move,
    QEvent.Type.Resize,
    QEvent.Type.Show,
    QEvent.Type.Hide,
}


def wants_ring(widget: QWidget, wanted: bool = True) -> None:
    """Mark a widget as one that a ring is to be drawn around."""
    widget.setProperty(_RINGED, wanted)


class FocusRing(QWidget):
    """Follows the focus through a window, around what has no frame of its own to colour.

    It lies outside of its widget: rows and quiet buttons stand in line with the text around them,
    and have no room for a ring inside.
    """

    def __init__(self, look: Look, window: QWidget) -> None:
        super().__init__(window)
        self._window, self._look = window, look
        self._around: QWidget | None = None
        self._watched: list[QWidget] = []
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._follow)

    @property
    def around(self) -> QWidget | None:
        """What it is drawn around now."""
        return self._around if self.isVisible() else None

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        self._look = look
        self._place()
        self.update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay around a widget that moves, or in which something grows."""
        if event.type() in _MOVES and watched in self._watched:
            self._place()
        return False

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw it."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self._look.colours.accent), _WIDTH))
        edge = QRectF(self.rect()).adjusted(_WIDTH / 2, _WIDTH / 2, -_WIDTH / 2, -_WIDTH / 2)
        painter.drawRoundedRect(edge, _RADIUS, _RADIUS)
        painter.end()

    def _follow(self, _old: QWidget | None, new: QWidget | None) -> None:
        if not isValid(self._window):
            return  # a window that is destroyed gives up the focus as it goes
        self._leave()
        if new is None or new.window() is not self._window or not new.property(_RINGED):
            return
        self._around = new
        host = new
        while host is not self._window and not _is_scrolled(host):
            self._watched.append(host)
            host.installEventFilter(self)
            parent = host.parentWidget()
            assert parent is not None  # it is in the window
            host = parent
        self.setParent(host)
        self._place()

    def _leave(self) -> None:
        for widget in filter(isValid, self._watched):
            widget.removeEventFilter(self)
        self._watched, self._around = [], None
        self.hide()
        # What it lay on may be deleted before the window is.
        self.setParent(self._window)

    def _place(self) -> None:
        around, host = self._around, self.parentWidget()
        if around is None or host is None or not around.isVisible():
            self.hide()
            return
        px = self._look.px
        place = QRect(around.mapTo(host, QPoint()), around.size())
        self.setGeometry(place.adjusted(-px(_ACROSS), -px(_DOWN), px(_ACROSS), px(_DOWN)))
        self.show()
        self.raise_()


def _is_scrolled(widget: QWidget) -> bool:
    """Return whether a widget is what a scroll area scrolls."""
    viewport = widget.parentWidget()
    area = viewport.parentWidget() if viewport is not None else None
    return isinstance(area, QScrollArea) and area.widget() is widget
