"""What a screen reader is told that plain widgets are. Qt calls each of them a part of the layout ("filler"), which
readers skip with its name: windows, and the groups that have one, would not be announced."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QAccessibleWidget, QWidget

_LAYOUT = {"QWidget", "QScrollArea"}


class _PlainWidget(QAccessibleWidget):
    """A window, a group if it has a name, or else a part of the layout."""

    def role(self) -> QAccessible.Role:
        # Asked each time: a widget may get its name, or its parent, later.
        widget = self.object()
        if isinstance(widget, QWidget) and widget.isWindow():
            return QAccessible.Role.Window
        if isinstance(widget, QWidget) and widget.accessibleName():
            return QAccessible.Role.Grouping
        return QAccessible.Role.Client


def install_roles() -> None:
    """Let all plain widgets have these roles. There must be an application, whose own roles stand behind these."""
    QAccessible.installFactory(_interface)


def _interface(kind: str, subject: QObject) -> QAccessibleInterface | None:
    # Qt asks by the class of the widget, and then by those that it derives from, until somebody answers.
    if kind in _LAYOUT and isinstance(subject, QWidget):
        return _PlainWidget(subject)
    return None
