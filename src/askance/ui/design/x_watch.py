"""What happens on an X server beside our windows, as signals: a compositor that comes or goes, and uses of other windows."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSocketNotifier, Signal
from PySide6.QtGui import QGuiApplication

if TYPE_CHECKING:
    from askance.system.x11_watch import XWatch


class DesktopWatch(QObject):
    """Reads what the server tells, whenever it tells something."""

    compositor_changed = Signal()
    used = Signal()
    """Something was clicked, or a key was pressed that writes or moves, wherever that was; while it is listened for."""

    def __init__(self, watch: XWatch, parent: QObject) -> None:
        super().__init__(parent)
        self._watch = watch
        self._notifier = QSocketNotifier(watch.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._read)

    def listen(self, wanted: bool) -> bool:
        """Listen for clicks and keys from now on, or no more; return whether the server reports them."""
        return self._watch.listen(wanted)

    def _read(self) -> None:
        from askance.system.x11_watch import News  # noqa: PLC0415 - Xlib is on X only

        news = self._watch.read()
        if news is None:
            # The server is gone: its socket would be ready for ever.
            self._notifier.setEnabled(False)
            return
        if News.COMPOSITOR in news:
            self.compositor_changed.emit()
        if News.USE in news:
            self.used.emit()


@cache
def x_watch() -> DesktopWatch | None:
    """Return the one of this program; None where its windows are on no X server, or that has not what it takes."""
    application = QGuiApplication.instance()
    if application is None or QGuiApplication.platformName() != "xcb":
        return None
    from askance.system.x11_watch import open_watch  # noqa: PLC0415 - Xlib is on X only

    watch = open_watch()
    return DesktopWatch(watch, application) if watch is not None else None
