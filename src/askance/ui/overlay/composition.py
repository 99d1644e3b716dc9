"""An input method that composes in a field, and the keys that are not the field's meanwhile.

A key that an input method has no use for ends the composition, and is let through. ibus commits first
and lets the key through within a millisecond; fcitx5, which is spoken to as ibus, does both the other way
round (measured with fcitx5 5.0.21 and ibus 1.5.27). Either way the words come before what is typed behind
them, and the key that ends a composition sends nothing and closes nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QElapsedTimer, QObject, Qt
from PySide6.QtGui import QInputMethodEvent, QKeyEvent

from askance.ui.design.timers import single_shot_timer

SAME_PRESS_MS = 50
"""What belongs to one press of a key comes within this time; nobody presses two keys so close together."""
# Whatever they would do, they end or leave a composition, whether the input method swallows them or not.
_ENDING = {Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape, Qt.Key.Key_Tab}


class Composition(QObject):
    """Follows the composition in a field. `edit` lets the field edit with a key."""

    def __init__(self, edit: Callable[[QKeyEvent], None], parent: QObject) -> None:
        super().__init__(parent)
        self.is_on = False
        self._edit = edit
        self._ended = QElapsedTimer()
        self._held: list[QKeyEvent] = []
        self._waiting = single_shot_timer(self)
        self._waiting.timeout.connect(self._let_go)

    def follow(self, event: QInputMethodEvent) -> None:
        """Note what an event did, once the field has taken it."""
        was_on, self.is_on = self.is_on, bool(event.preeditString())
        if was_on and not self.is_on:
            self._ended.start()
            self._let_go()

    def takes(self, event: QKeyEvent) -> bool:
        """Return whether a key that was pressed is nothing to the field, or not yet."""
        if event.key() in _ENDING:
            return self.is_on or self._has_just_ended
        if not event.text() or not (self.is_on or self._held):
            return False
        self._held.append(event.clone())
        self._waiting.start(SAME_PRESS_MS)
        return True

    def release(self) -> None:
        """Note that a key was released: the next press is another one."""
        self._ended.invalidate()

    def leave(self) -> None:
        """Note that the focus is gone, and the composition with it."""
        self.is_on = False
        self._ended.invalidate()
        self._let_go()

    @property
    def _has_just_ended(self) -> bool:
        return self._ended.isValid() and not self._ended.hasExpired(SAME_PRESS_MS)

    def _let_go(self) -> None:
        self._waiting.stop()
        held, self._held = self._held, []
        for event in held:
            self._edit(event)
