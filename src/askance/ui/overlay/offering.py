"""A text that is selected or was copied in another program, found when the window comes up.

It is looked at here and offered; it goes nowhere and is not kept unless the user takes it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QMimeData, QObject, QTimer, Signal
from PySide6.QtGui import QClipboard, QGuiApplication

from askance.ui.model.chips import Chip, Origin, chip_from_elsewhere

# How password managers mark what they put there: on KDE and elsewhere, on Windows, on macOS.
_SECRET = (
    "x-kde-passwordManagerHint",
    "ExcludeClipboardContentFromMonitorProcessing",
    "org.nspasteboard.ConcealedType",
)
# Of so many texts it is known that they were offered; only their hashes are held.
_REMEMBERED = 50


class Clipboard(Protocol):
    """What is asked of `QClipboard`."""

    def supportsSelection(self) -> bool:
        """Whether what is selected can be read without being copied."""
        ...

    def ownsSelection(self) -> bool:
        """Whether the selection is in a window of ours."""
        ...

    def ownsClipboard(self) -> bool:
        """Whether what was copied comes from a window of ours."""
        ...

    def mimeData(self, mode: QClipboard.Mode, /) -> QMimeData | None:
        """Return what is there; None where that cannot be told."""
        ...


class Offering(QObject):
    """Looks at what is selected, or copied where selections cannot be read."""

    found = Signal(object)
    """A `Chip` that was not offered since the window came up."""

    def __init__(
        self,
        clipboard: Clipboard,
        parent: QObject,
        *,
        owner_answers: Callable[[], bool] | None = None,
    ) -> None:
        super().__init__(parent)
        self._owner_answers = owner_answers or _owner_answers
        self.is_wanted = True
        """Whether anything may be looked at."""
        self._clipboard = clipboard
        self._offered: deque[int] = deque(maxlen=_REMEMBERED)
        self._soon = QTimer(self, singleShot=True)
        self._soon.timeout.connect(self._look)

    def look_soon(self) -> None:
        """Look once the window is there: a program that hangs may take long to hand over its text."""
        if self.is_wanted:
            self._soon.start(0)

    def forget(self) -> None:
        """Offer everything anew when the window comes up the next time."""
        self._offered.clear()

    def _look(self) -> None:
        chip = self._chip() if self.is_wanted else None
        if chip is None or hash(chip.text) in self._offered:
            return
        self._offered.append(hash(chip.text))
        self.found.emit(chip)

    def _chip(self) -> Chip | None:
        board = self._clipboard
        if board.supportsSelection():
            is_ours, mode = board.ownsSelection(), QClipboard.Mode.Selection
            origin = Origin.SELECTED
        else:
            is_ours, mode = board.ownsClipboard(), QClipboard.Mode.Clipboard
            origin = Origin.COPIED
        if is_ours or not self._owner_answers():
            return None
        data = board.mimeData(mode)
        if data is None:
            return None
        # Each question goes to the other program: its forms are asked for once.
        forms = data.formats()
        is_secret = any(mark in form for form in forms for mark in _SECRET)
        if "text/plain" not in forms or "text/uri-list" in forms or is_secret:
            return None
        return chip_from_elsewhere(data.text(), origin)


def _owner_answers() -> bool:
    """Return whether the text would be handed over soon; under X11 that can be asked beforehand."""
    if QGuiApplication.platformName() != "xcb":
        return True
    from askance.adapters.desktop.selection import owner_answers  # noqa: PLC0415 - Xlib is on Linux only

    return owner_answers()
