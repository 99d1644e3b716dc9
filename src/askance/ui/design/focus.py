"""The focus as it is drawn, announced and moved: the ring around what has it, buttons that look like words or paint
themselves, the keys of the windows, what a screen reader says at once and takes plain widgets for, and Tab in reading
order, whenever widgets were made.

Qt goes by the order in which widgets were made. An exchange of an old conversation is made after
the newer ones, and the sources of an answer after the bar at the foot of the window.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cmp_to_key
from typing import cast

from PySide6.QtCore import QEvent, QKeyCombination, QObject, QPoint, QRect, QRectF, Qt
from PySide6.QtGui import (
    QAccessible,
    QAccessibleActionInterface,
    QAccessibleAnnouncementEvent,
    QAccessibleInterface,
    QColor,
    QKeyEvent,
    QKeySequence,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QAccessibleWidget,
    QApplication,
    QPushButton,
    QScrollArea,
    QWidget,
)
from shiboken6 import isValid

from askance.presentation.i18n import term
from askance.ui.design.composing import Slot, Styled, style
from askance.ui.design.drawing import antialiased
from askance.ui.design.keys import key_by_place
from askance.ui.design.theme import Look


def announce(widget: QWidget, text: str | Callable[[], str]) -> None:
    """Let a screen reader say a text, if one listens; one that takes time to make is made only then. The focus stays where it is."""
    if text and QAccessible.isActive() and (said := text if isinstance(text, str) else text()):
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(widget, said))


CLOSE = "Ctrl+W"
"""Closes every window, whatever the desktop has Qt do with it."""


class LinkButton(QPushButton):
    """A button without an edge, in line with the words around it."""

    def __init__(
        self, parent: QWidget | None = None, text: str = "", then: Slot | None = None
    ) -> None:
        super().__init__(text, parent)
        if then is not None:
            self.clicked.connect(then)
        self.setProperty("quiet", True)
        self.setAutoDefault(False)
        self.setCursor(Qt.CursorShape.PointingHandCursor)


class PaintedButton(Styled, QAbstractButton):
    """A button that paints itself, with words of a `size` of the tokens. Enter does what Space does."""

    def __init__(self, look: Look, size: float, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        wants_ring(self)
        style(self, look, font=size)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Enter do what Space does."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)


def closes(event: QKeyEvent) -> bool:
    """Return whether a key closes a window."""
    standard = event.matches(QKeySequence.StandardKey.Close)
    key = key_by_place(event) or event.keyCombination().key()
    pressed = QKeySequence(QKeyCombination(event.modifiers(), key))
    return standard or pressed == QKeySequence(CLOSE)


def press_with_enter(window: QWidget, event: QKeyEvent) -> bool:
    """Press the focused button of a window, if the key is Enter; return whether it was pressed."""
    button = window.focusWidget()
    # Outside of dialogs Qt presses buttons with Space alone. A key that is held down presses once.
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
_MOVES = {QEvent.Type.Move, QEvent.Type.Resize, QEvent.Type.Show, QEvent.Type.Hide}


def wants_ring(widget: QWidget, wanted: bool = True) -> None:
    """Mark a widget as one that a ring is to be drawn around."""
    widget.setProperty(_RINGED, wanted)


class FocusRing(Styled, QWidget):
    """Follows the focus through a window, around what has no frame of its own to colour.

    It lies outside of its widget: rows and quiet buttons stand in line with the text around them,
    and have no room for a ring inside.
    """

    def __init__(self, look: Look, window: QWidget) -> None:
        super().__init__(look, window)
        self._window = window
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

    def _restyle(self) -> None:
        self._place()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay around a widget that moves, or in which something grows."""
        if event.type() in _MOVES and watched in self._watched:
            self._place()
        return False

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw it."""
        with antialiased(self) as painter:
            painter.setPen(QPen(QColor(self.look.colours.accent), _WIDTH))
            edge = QRectF(self.rect()).adjusted(_WIDTH / 2, _WIDTH / 2, -_WIDTH / 2, -_WIDTH / 2)
            painter.drawRoundedRect(edge, _RADIUS, _RADIUS)

    def _follow(self, _old: QWidget | None, new: QWidget | None) -> None:
        if not isValid(self._window):
            return  # a window that is destroyed gives up the focus as it goes
        self._leave()
        if new is None or new.window() is not self._window or not new.property(_RINGED):
            return
        # Who presses a part with the pointer knows where it is: the ring is for the keys.
        if QApplication.mouseButtons():
            return
        self._around = new
        # Up to what is scrolled: the ring lies in that, so that it moves along and is cut off where
        # it ends.
        host = new
        while host is not self._window and not _is_scrolled(host):
            # The ring is no child of what it surrounds: only filtering their events shows that one of
            # these has moved.
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
        px = self.look.px
        place = QRect(around.mapTo(host, QPoint()), around.size())
        self.setGeometry(place.adjusted(-px(_ACROSS), -px(_DOWN), px(_ACROSS), px(_DOWN)))
        self.show()
        self.raise_()


def _is_scrolled(widget: QWidget) -> bool:
    """Return whether a widget is what a scroll area scrolls."""
    # Qt puts a viewport between a scroll area and what it scrolls.
    viewport = widget.parentWidget()
    area = viewport.parentWidget() if viewport is not None else None
    return isinstance(area, QScrollArea) and area.widget() is widget


# So much is seen above and below what is scrolled to: its ring, and that there is more.
_BESIDE = 8


def move_focus(window: QWidget, forward: bool) -> bool:
    """Move the focus to what is read next in a window, from its end to its start again.

    For `focusNextPrevChild` of a window. Return False if nothing else in it takes the focus.
    """
    here = window.focusWidget() or window
    there = next(_from(here, window, forward), None) or next(_within(window, forward), None)
    if there is None or there is here:
        return False
    reason = Qt.FocusReason.TabFocusReason if forward else Qt.FocusReason.BacktabFocusReason
    there.setFocus(reason)
    show_all_of(there)
    return True


def reading_order(window: QWidget) -> list[QWidget]:
    """Return all that Tab reaches, in the order in which it does."""
    return list(_within(window, forward=True))


def show_all_of(widget: QWidget) -> None:
    """Scroll what scrolls around a widget until it is seen; of a large one, where its cursor is."""
    above = widget.parentWidget()
    while above is not None:
        if isinstance(above, QScrollArea) and (inside := above.widget()) is not None:
            part = widget.rect()
            if part.height() > above.viewport().height():
                # Of an answer that is higher than the window: the number that has the focus
                # (`AnswerView`).
                part = widget.inputMethodQuery(Qt.InputMethodQuery.ImCursorRectangle)
            middle = widget.mapTo(inside, part.center())
            above.ensureVisible(middle.x(), middle.y(), 0, part.height() // 2 + _BESIDE)
        above = above.parentWidget()


def _from(here: QWidget, window: QWidget, forward: bool) -> Iterator[QWidget]:
    """Yield what takes the focus beyond a widget, the nearest first."""
    if forward:
        yield from _below(here, forward)
    while here is not window:
        parent = here.parentWidget()
        assert parent is not None  # it is in the window
        beside = _ordered(parent, forward)
        # What has just been hidden is not among them, and has its place all the same.
        at = beside.index(here) if here in beside else _place_of(here, beside, forward) - 1
        for widget in beside[at + 1 :]:
            yield from _within(widget, forward)
        here = parent
        if not forward and here is not window and _takes_focus(here):
            yield here


def _within(widget: QWidget, forward: bool) -> Iterator[QWidget]:
    """Yield what takes the focus in a widget; itself comes before what is in it."""
    takes = _takes_focus(widget)
    if takes and forward:
        yield widget
    yield from _below(widget, forward)
    if takes and not forward:
        yield widget


def _below(widget: QWidget, forward: bool) -> Iterator[QWidget]:
    for child in _ordered(widget, forward):
        yield from _within(child, forward)


def _takes_focus(widget: QWidget) -> bool:
    # A widget with a proxy hands the focus on to a part, which is come to by itself.
    by_tab = widget.focusPolicy() & Qt.FocusPolicy.TabFocus
    return bool(by_tab) and widget.focusProxy() is None and widget.isEnabled()


def _ordered(parent: QWidget, forward: bool) -> list[QWidget]:
    """Return the visible children of a widget in the order in which they are read, or backwards."""
    found = [
        child
        for child in parent.children()
        if isinstance(child, QWidget) and not child.isWindow() and not child.isHidden()
    ]
    found.sort(key=cmp_to_key(_compare), reverse=not forward)
    return found


def _place_of(hidden: QWidget, others: Sequence[QWidget], forward: bool) -> int:
    """Return before which of the others a widget would stand."""
    # By counting, since what is hidden is not among them.
    return sum((_compare(other, hidden) < 0) is forward for other in others)


def _compare(one: QWidget, other: QWidget) -> int:
    """Return less than 0 if the first of two siblings is read before the other."""
    a, b = one.geometry(), other.geometry()
    # By the middles: a button beside a text of two lines begins below its first.
    if not _stand_in_a_row(a, b):
        return a.center().y() - b.center().y()
    across = a.center().x() - b.center().x()
    right_to_left = one.layoutDirection() is Qt.LayoutDirection.RightToLeft
    return -across if right_to_left else across


def _stand_in_a_row(one: QRect, other: QRect) -> bool:
    """Return whether two parts lie side by side, over half of the lower one's height at least."""
    shared = min(one.bottom(), other.bottom()) - max(one.top(), other.top()) + 1
    apart = one.right() < other.left() or other.right() < one.left()
    return apart and 2 * shared >= min(one.height(), other.height())


# On a Mac, Command and H hide a program.
HISTORY = "Ctrl+Y" if sys.platform == "darwin" else "Ctrl+H"
ALLOW_WORDS = "Ctrl+Shift+A"
PIN = "Ctrl+Shift+P"

KeyRow = tuple[tuple[str, ...], str]
KEY_GROUPS: tuple[tuple[str, tuple[KeyRow, ...]], ...] = (
    (
        term("Ask"),
        (
            (("Enter",), term("Ask")),
            (("Ctrl+Enter",), term("With the other of Web and Chat")),
            (("Shift+Enter",), term("New line")),
            (("Tab",), term("Take the grey question, or a command")),
            (("Up",), term("Edit the last question")),
            (("Alt+2", "Alt+3"), term("Ask a suggested question")),
            (("Alt+Enter",), term("Press the main button")),
            (("Esc",), term("Stop, then hide")),
        ),
    ),
    (
        term("In this conversation"),
        (
            (("Alt+Right", "Alt+Left"), term("Next number, number before")),
            (("Alt+Down", "Alt+Up"), term("Next question, question before")),
            (("PgUp", "PgDown"), term("Scroll the conversation")),
            (("Ctrl+F",), term("Find")),
            (("Ctrl+C",), term("Copy the answer")),
            (("Ctrl+B",), term("Sources beside the text")),
            (("F6",), term("Next column")),
            (("Ctrl++", "Ctrl+-", "Ctrl+0"), term("Larger, smaller, as set")),
            ((ALLOW_WORDS,), term("Search held-back words too")),
        ),
    ),
    (
        term("Bring in"),
        (
            (("Ctrl+U",), term("Files")),
            (("Ctrl+Shift+S",), term("Screenshot of an area")),
            (("Ctrl+L",), term("From the library")),
            (("Ctrl+V",), term("From the clipboard")),
            (("Ctrl+Shift+V",), term("Paste as text")),
        ),
    ),
    (
        term("Go"),
        (
            (("Ctrl+N",), term("New conversation")),
            ((HISTORY, "Ctrl+Shift+H"), term("History, all of it")),
            (("F2",), term("Rename")),
            (("Ctrl+Shift+C",), term("Copy the conversation")),
            (("Ctrl+S", "Ctrl+P"), term("Export, print")),
            (("Ctrl+Z",), term("Bring back what was deleted")),
            (("Ctrl+M",), term("Model")),
            (("Ctrl+,",), term("Settings")),
            ((PIN,), term("Pin")),
            (("Ctrl+W",), term("Hide the window")),
            (("F1",), term("Keys and commands")),
        ),
    ),
)
"""The keys by what they are for, as `QKeySequence` reads them, and what they do."""
KEYS: tuple[KeyRow, ...] = tuple(row for _, rows in KEY_GROUPS for row in rows)


def native_keys(keys: str) -> str:
    """Return keys as the desktop and the language of the window write them."""
    return QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText)


# Qt calls each plain widget a part of the layout ("filler"), which screen readers skip with its name: windows, and the
# groups that have one, would not be announced.

# These two classes alone: all others have roles of their own, which Qt knows better.
_LAYOUT = {"QWidget", "QScrollArea"}


class _PlainWidget(QAccessibleWidget):
    """A window, a group if it has a name, or else a part of the layout. What is open above a window is a part of it."""

    def role(self) -> QAccessible.Role:
        # Asked each time: a widget may get its name, or its parent, later.
        widget = self.object()
        if isinstance(widget, QWidget) and widget.isWindow():
            is_popup = widget.windowType() is Qt.WindowType.Popup
            return QAccessible.Role.Dialog if is_popup else QAccessible.Role.Window
        if isinstance(widget, QWidget) and widget.accessibleName():
            return QAccessible.Role.Grouping
        return QAccessible.Role.Client

    def childCount(self) -> int:
        return super().childCount() + len(self._above)

    def child(self, index: int) -> QAccessibleInterface:
        count = super().childCount()
        if index < count:
            return super().child(index)
        above = self._above[index - count : index - count + 1]
        found = QAccessible.queryAccessibleInterface(above[0]) if above else None
        return cast("QAccessibleInterface", found)  # Qt takes None, its types do not

    def indexOfChild(self, child: QAccessibleInterface) -> int:
        subject = child.object()
        if subject in (above := self._above):
            return super().childCount() + above.index(subject)
        return super().indexOfChild(child)

    @property
    def _above(self) -> list[QObject]:
        """Menus and popovers, which Qt shows to nobody who reads a window from end to end."""
        window = self.object()
        if not isinstance(window, QWidget) or not window.isWindow():
            return []
        return [
            widget
            for widget in QApplication.topLevelWidgets()
            if widget.parent() is window
            and widget.isVisible()
            and widget.windowType() is Qt.WindowType.Popup
        ]


_PRESS = QAccessibleActionInterface.pressAction()


class _OwnRole(QAccessibleWidget):
    """A widget with the role of its class (`accessible_role`); a button can be pressed in any role."""

    def role(self) -> QAccessible.Role:
        role: QAccessible.Role = getattr(self.object(), "accessible_role", QAccessible.Role.Client)
        return role

    def actionNames(self) -> list[str]:
        names = list(super().actionNames())
        return [_PRESS, *names] if hasattr(self.object(), "click") else names

    def doAction(self, name: str) -> None:
        press: Callable[[], None] | None = getattr(self.object(), "click", None)
        if name == _PRESS and press is not None:
            press()
        else:
            super().doAction(name)


def install_roles() -> None:
    """Let all plain widgets have these roles. There must be an application, whose own roles stand behind these."""
    QAccessible.installFactory(_interface)


def _interface(kind: str, subject: QObject) -> QAccessibleInterface | None:
    # Qt asks by the class of the widget, and then by those that it derives from, until somebody answers.
    # A glyph in a field is a button for Qt, one that can be pressed has a name.
    if not isinstance(subject, QWidget):
        return None
    is_glyph = kind == "QLineEditIconButton" and not subject.accessibleName()
    if kind in _LAYOUT or is_glyph:
        return _PlainWidget(subject)
    # A class of ours that says what it is, whatever Qt takes it for.
    return _OwnRole(subject) if hasattr(subject, "accessible_role") else None
