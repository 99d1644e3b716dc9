"""When the overlay goes by itself: once another window is used. And what sort of window it is for the desktop."""

from __future__ import annotations

import os

from PySide6.QtCore import QElapsedTimer, QEvent, QObject, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget

from askance.ui.design.composing import single_shot_timer
from askance.ui.design.frame import is_x11
from askance.ui.design.x_watch import x_watch

_IGNORED_AFTER_SUMMONS_MS = 300
# A click on the icon in the panel has hidden the window by the time that it asks for it: it was meant to hide it.
_JUST_HIDDEN_MS = 300
# The desktop gives the keyboard to the window that was clicked, and Qt says so, within this time. A hotkey that brings
# the window comes within it, too.
_FOLLOWED_MS = 120
# The keyboard follows the pointer where both leave the window at once.
_TOGETHER_MS = 80
_PASSING = (Qt.WindowType.ToolTip, Qt.WindowType.SplashScreen)


class BlurWatcher(QObject):
    """Hides a window that had the keyboard, once another program's window gets a click or a key.

    On an X server that is known, also where the keyboard follows the pointer. Elsewhere the loss of the keyboard counts,
    unless the pointer has left the window in the same moment.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        self.is_wanted = False
        """Whether it is to go at all."""
        self.is_ordinary = self.is_held = False
        """Whether it stays, as ordinary windows do; and whether it stays for now, as while something that it waits for
        is open in another program."""
        self._had_keyboard = self._is_dragged_over = False
        self._summoned, self._left, self._hidden = QElapsedTimer(), QElapsedTimer(), QElapsedTimer()
        self._looking = single_shot_timer(self, self._look, _FOLLOWED_MS)
        # Windows of Wayland's own report nothing to an X server.
        watch = None if os.environ.get("WAYLAND_DISPLAY") else x_watch()
        self._watch = watch
        if watch is not None:
            watch.used.connect(self._looking.start)
        window.installEventFilter(self)

    @property
    def has_just_hidden(self) -> bool:
        """Whether the window was hidden from here a moment ago."""
        return self._hidden.isValid() and not self._hidden.hasExpired(_JUST_HIDDEN_MS)

    def note_summons(self) -> None:
        """Do not take for a loss of the keyboard what happens until the desktop has given it to the window."""
        self._looking.stop()
        self._summoned.start()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: ARG002 - Qt's interface
        """Notice what the window gets and loses."""
        match event.type():
            case QEvent.Type.Show:
                self._listen(wanted=self.is_wanted)
                self._had_keyboard = self._window.isActiveWindow()
            case QEvent.Type.Hide:
                self._listen(wanted=False)
                self._is_dragged_over = False
            case QEvent.Type.WindowActivate:
                self._had_keyboard = True
                self._looking.stop()
            case QEvent.Type.WindowDeactivate if self._watch is None:
                self._looking.start()
            case QEvent.Type.Leave:
                self._left.start()
            case QEvent.Type.DragEnter:
                self._is_dragged_over = True
            case QEvent.Type.DragLeave | QEvent.Type.Drop:
                self._is_dragged_over = False
            case _:
                pass
        return False

    def _listen(self, *, wanted: bool) -> None:
        if self._watch is not None and not self._watch.listen(wanted):
            self._watch = None

    def _look(self) -> None:
        if self._is_new and self._watch is not None:
            # Another window was used, and the desktop may still be on its way with the keyboard.
            self._looking.start(_IGNORED_AFTER_SUMMONS_MS)
        elif self._is_left and not self._stays:
            self._hidden.start()
            self._window.hide()

    @property
    def _is_left(self) -> bool:
        """Whether another program has the keyboard, which this window had."""
        if not self._window.isVisible() or QGuiApplication.focusWindow():
            return False
        if self._watch is not None:
            return self._had_keyboard
        follows_pointer = (
            self._left.isValid() and self._left.elapsed() < _FOLLOWED_MS + _TOGETHER_MS
        )
        return self._had_keyboard and not follows_pointer

    @property
    def _is_new(self) -> bool:
        is_summoned = self._summoned.isValid()
        return is_summoned and not self._summoned.hasExpired(_IGNORED_AFTER_SUMMONS_MS)

    @property
    def _stays(self) -> bool:
        is_busy = self.is_ordinary or self.is_held or self._is_dragged_over or self._is_new
        return not self.is_wanted or is_busy or self._has_company

    @property
    def _has_company(self) -> bool:
        """Whether a menu, a dialog or another window of ours is open."""
        return any(
            other is not self._window and other.isVisible() and other.windowType() not in _PASSING
            for other in QApplication.topLevelWidgets()
        )


def be_ordinary(window: QWidget, is_ordinary: bool) -> None:
    """Let a window be one as all others, or lie above them and be in none of their lists, as far as the desktop can."""
    flags = window.windowFlags()
    above = Qt.WindowType.WindowStaysOnTopHint
    wanted = flags & ~above if is_ordinary else flags | above
    if wanted != flags:
        # Not `setWindowFlags`, which hides the window.
        window.overrideWindowFlags(wanted)
        if handle := window.windowHandle():
            handle.setFlags(wanted)
    if is_x11():
        from askance.system.x11 import leave_lists  # noqa: PLC0415 - Xlib is on X only

        # Each time it is shown: the window manager forgets it with the window.
        number = int(handle.winId() if (handle := window.windowHandle()) else window.winId())
        leave_lists(number, wanted=not is_ordinary, is_shown=window.isVisible())
