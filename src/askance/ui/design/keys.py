"""Keys of windows, found by their place where a keyboard has no Latin letters.

Qt goes by the letter, which is right wherever there is one: Ctrl+Z of a German keyboard is where its Z is. Of a keyboard
that is Russian alone it gets a Cyrillic letter, and nothing matches that: there the key counts that is in the same
place on an American keyboard.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable

from PySide6.QtCore import QCoreApplication, QEvent, QKeyCombination, QObject, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

Binding = tuple[QKeySequence.StandardKey | str, Callable[[], object]]
"""Keys as `QKeySequence` reads them, or by their platform's name, and what they do."""

# By the codes of Linux, which are those of the first keyboards for IBM's PC, and so of Windows.
_ROWS = ((2, "1234567890-="), (16, "QWERTYUIOP[]"), (30, "ASDFGHJKL;'`"), (43, "\\ZXCVBNM,./"))
_KEYS = {first + n: Qt.Key(ord(key)) for first, row in _ROWS for n, key in enumerate(row)}
# X servers, and Wayland's keymaps with them, count from there.
_FROM_X = 8 if sys.platform == "linux" else 0
# Letters from Greek on: scripts before it are Latin, and keys that write nothing lie behind all letters.
_FOREIGN = range(0x0370, 0x0100_0000)
_SHORTCUTS = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.MetaModifier


def bind_keys(window: QWidget, bindings: Iterable[Binding]) -> None:
    """Let a window, and all that lies in it, do something at keys. Call it as often as there are more of them."""
    for keys, then in bindings:
        QShortcut(QKeySequence(keys), window, then)
    if window.findChild(_PlaceKeys, options=Qt.FindChildOption.FindDirectChildrenOnly) is None:
        _PlaceKeys(window)


def key_by_place(event: QKeyEvent) -> Qt.Key | None:
    """Return the key at the place of one that was pressed for a shortcut; None where its own letter counts."""
    is_shortcut = bool(event.modifiers() & _SHORTCUTS)
    if not is_shortcut or event.key() not in _FOREIGN or sys.platform == "darwin":
        return None
    return _KEYS.get(event.nativeScanCode() - _FROM_X)


class _PlaceKeys(QObject):
    """Lies in a window, to which all keys come that nobody in it wants, and sends them anew as what they are by place."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: ARG002 - Qt's interface
        """Press a shortcut of the window, or else the key in the widget that has the focus, as for Copy."""
        if event.type() is not QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        key = key_by_place(event)
        if key is None:
            return False
        keys = QKeySequence(QKeyCombination(event.modifiers(), key))
        for shortcut in self._window.findChildren(QShortcut):
            # An object of Qt's, no mapping.
            if shortcut.isEnabled() and keys in shortcut.keys():  # noqa: SIM118
                shortcut.activated.emit()
                return True
        focused = self._window.focusWidget() or self._window
        meant = QKeyEvent(event.type(), key, event.modifiers(), "", event.isAutoRepeat())
        QCoreApplication.sendEvent(focused, meant)
        return True
