"""Windows as a screen reader meets them: names, roles and states of all that is in them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QCheckBox,
    QComboBox,
    QLabel,
    QLineEdit,
    QListView,
    QPlainTextEdit,
    QPushButton,
    QRadioButton,
    QTextBrowser,
    QTextEdit,
    QWidget,
)

Role = QAccessible.Role
# The first kind that a widget is of counts.
ROLES: tuple[tuple[type[QWidget], tuple[QAccessible.Role, ...]], ...] = (
    (QRadioButton, (Role.RadioButton,)),
    (QCheckBox, (Role.CheckBox,)),
    (QPushButton, (Role.Button, Role.ButtonMenu)),
    # Sources are rows of a list that open their pages.
    (QAbstractButton, (Role.Button, Role.ListItem)),
    (QComboBox, (Role.ComboBox,)),
    (QLineEdit, (Role.EditableText,)),
    (QListView, (Role.List,)),
    (QTextBrowser, (Role.StaticText, Role.EditableText, Role.Cell)),
    (QTextEdit, (Role.EditableText,)),
    (QPlainTextEdit, (Role.EditableText,)),
    (QLabel, (Role.StaticText, Role.Heading, Role.ColumnHeader, Role.Cell)),
)


def interface(widget: QWidget) -> QAccessibleInterface:
    found = QAccessible.queryAccessibleInterface(widget)
    assert found is not None
    return found


def name(widget: QWidget) -> str:
    if isinstance(widget, QComboBox):
        # Where Qt gives the choice itself as the name, readers go by the label beside it.
        return widget.accessibleName()
    return interface(widget).text(QAccessible.Text.Name)


def about(widget: QWidget) -> str:
    return interface(widget).text(QAccessible.Text.Description)


def seen(window: QWidget) -> list[QWidget]:
    """All that is visible in a window, but for what Qt builds its own controls of."""
    return list(_seen(window))


def _seen(widget: QWidget) -> Iterator[QWidget]:
    for child in widget.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
        if child.isVisible() and not child.isWindow():
            yield child
            if not isinstance(child, (QLineEdit, QComboBox)):
                yield from _seen(child)


def reachable(window: QWidget) -> list[QWidget]:
    """What takes the focus."""
    return [w for w in seen(window) if w.focusPolicy() & Qt.FocusPolicy.TabFocus and w.isEnabled()]


def telling(window: QWidget) -> list[QWidget]:
    """What has something to say or to do: no mere container."""
    return [
        w
        for w in seen(window)
        if isinstance(w, (QLabel, QAbstractButton, QLineEdit, QComboBox, QListView))
        or w.focusPolicy() & Qt.FocusPolicy.TabFocus
    ]


def complaints(window: QWidget) -> list[str]:
    """What is wrong with a window for those who hear it; nothing is."""
    found = [f"{_kind(w)} has no name" for w in telling(window) if not _is_empty(w) and not name(w)]
    for widget in telling(window):
        roles = next((roles for kind, roles in ROLES if isinstance(widget, kind)), None)
        if roles is not None and interface(widget).role() not in roles:
            found.append(f"{_kind(widget)} {name(widget)!r} is a {interface(widget).role()}")
    for widget in reachable(window):
        state = interface(widget).state()
        if not state.focusable or state.invisible or state.disabled:
            found.append(f"{_kind(widget)} {name(widget)!r} is not to be focused")
    # Qt builds a field's own buttons, and gives them no names.
    found += [
        f"a button in {name(field)!r} has no name"
        for field in seen(window)
        if isinstance(field, QLineEdit)
        for button in field.findChildren(QAbstractButton)
        if button.isVisible() and not name(button)
    ]
    found += [f"two are called {called!r}" for called in _twice(window)]
    found += [
        f"{_kind(w)} {name(w)!r} is only {w.width()}x{w.height()}"
        for w in seen(window)
        if isinstance(w, (QAbstractButton, QComboBox, QLineEdit))
        and min(w.width(), w.height()) < 24
    ]
    return found


def _twice(window: QWidget) -> list[str]:
    """Names that two controls of one window have, in the same part of it or not."""
    called: dict[tuple[str, str], int] = defaultdict(int)
    for widget in reachable(window):
        group = _group_of(widget, window)
        called[group, name(widget)] += 1
    return [shown for (_, shown), count in called.items() if count > 1]


def _group_of(widget: QWidget, window: QWidget) -> str:
    """The nearest part around a widget that has a name of its own."""
    parent = widget.parentWidget()
    while parent is not None and parent is not window:
        if parent.accessibleName() and not isinstance(parent, QAbstractScrollArea):
            return f"{parent.accessibleName()} {id(parent)}"
        parent = parent.parentWidget()
    return ""


def _is_empty(widget: QWidget) -> bool:
    return isinstance(widget, QLabel) and not widget.text()


def _kind(widget: QWidget) -> str:
    parent = widget.parentWidget()
    return f"{type(widget).__name__} of {type(parent).__name__}"
