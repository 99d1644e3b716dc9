"""The desktop program: one process for each user, with a tray icon and a window that is hidden."""

from __future__ import annotations

import gc
import os
import re
import signal
import socket
import sys
from collections.abc import Mapping
from pathlib import Path

from PySide6.QtCore import QObject, QSocketNotifier, Signal
from PySide6.QtWidgets import QApplication

from askance import __version__
from askance.adapters.desktop.desktop_entry import APP_ID
from askance.adapters.desktop.input_method import input_method
from askance.adapters.desktop.qt_libraries import missing_libraries
from askance.config.folders import Folders, find_folders
from askance.diagnostics.crash_reports import logged, reporting
from askance.domain.errors import AskanceError
from askance.ui.design.theme import load_fonts
from askance.ui.shell.desktop import Desktop
from askance.ui.shell.single_instance import Instance

# Whether there is a screen, asked before Qt is: that aborts the process where there is none.

_PATIENCE_S = 1.0
# `:1`, `:1.0`, `unix:1`: displays of this machine, whose servers listen at a socket.
_LOCAL = re.compile(r"(?:unix)?:(\d+)(?:\.\d+)?")


def has_screen(environment: Mapping[str, str], platform: str = sys.platform) -> bool:
    """Whether a window can be shown: a platform of Qt's is named, or a display server answers.

    The display of another machine is taken to be there.
    """
    if platform in {"win32", "darwin"} or environment.get("QT_QPA_PLATFORM"):
        return True
    if wayland := environment.get("WAYLAND_DISPLAY"):
        # An absolute path replaces the folder.
        socket_ = Path(environment.get("XDG_RUNTIME_DIR", "/"), wayland)
        if _answers(str(socket_)):
            return True
    display = environment.get("DISPLAY", "")
    local = _LOCAL.fullmatch(display)
    if local is None:
        return bool(display)
    place = f"/tmp/.X11-unix/X{local[1]}"  # noqa: S108 - where X servers listen
    return _answers(f"\0{place}") or _answers(place)


def _answers(address: str) -> bool:
    with socket.socket(socket.AF_UNIX) as asked:
        asked.settimeout(_PATIENCE_S)
        try:
            asked.connect(address)
        except OSError:
            return False
        return True


# Signals of the system wake the event loop; nothing has to look for them.

_BYTES = 64


class Signals(QObject):
    """Tells of signals in the window's thread, which must be the main one.

    Python takes note of a signal at once, but calls what is to be done only when it runs; a waiting
    Qt does not let it. So each signal is written into a socket that Qt waits for.
    """

    came = Signal(int)
    """The number of a signal."""

    def __init__(self, numbers: tuple[int, ...], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._numbers = numbers
        self._told, tell = socket.socketpair()
        self._tell = tell
        for end in (self._told, tell):
            end.setblocking(False)
        signal.set_wakeup_fd(tell.fileno(), warn_on_full_buffer=False)
        for number in numbers:
            signal.signal(number, _leave_to_the_socket)
        self._notifier = QSocketNotifier(self._told.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._read)

    def close(self) -> None:
        """Tell of nothing more."""
        signal.set_wakeup_fd(-1)
        for number in self._numbers:
            signal.signal(number, signal.SIG_DFL)  # whatever still takes its time can be ended
        self._notifier.setEnabled(False)
        for end in (self._told, self._tell):
            end.close()

    def _read(self) -> None:
        for number in self._told.recv(_BYTES):
            self.came.emit(number)


def _leave_to_the_socket(_number: int, _frame: object) -> None:
    pass


NO_SCREEN = (
    "There is no screen here for a window. `askance chat` talks in this terminal,"
    " `askance ask` answers one question."
)
# How long the engine's thread may go on computing while the window's waits for its turn to run
# Python. A step of the window waits as often as it calls Qt: with Python's 5 ms it stutters.
_TURN_S = 0.0005
# A terminal that is closed ends what it began.
_ENDS = (signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else []))


def run(environment: Mapping[str, str], *, hidden: bool = False) -> int:
    """Run the program until it is quit, and return its exit status.

    A second process only shows the window of the first.
    """
    if not has_screen(environment):
        sys.stderr.write(f"askance: {NO_SCREEN}\n")
        return 1
    if (missing := missing_libraries(environment)) is not None:
        sys.stderr.write(f"askance: {missing}\n")
        return 1
    folders = find_folders(environment)
    with logged(folders, "window"), reporting(folders):
        return _run(environment, folders, hidden=hidden)


def _run(environment: Mapping[str, str], folders: Folders, *, hidden: bool) -> int:
    sys.setswitchinterval(_TURN_S)
    os.environ.update(input_method(environment).variables)
    application = QApplication(["askance"])  # by which X11 knows the window's class
    application.setApplicationName("askance")
    application.setApplicationDisplayName("Askance")
    application.setApplicationVersion(__version__)
    application.setDesktopFileName(APP_ID)
    application.setQuitOnLastWindowClosed(False)
    instance = Instance(environment, application)
    try:
        if not instance.claim():
            return 0
    except AskanceError as exc:
        sys.stderr.write(f"askance: {exc}\n")
        return 1
    load_fonts()
    desktop = Desktop(application, environment, folders)
    instance.asked.connect(desktop.obey)
    signals = Signals(_ENDS, application)
    signals.came.connect(desktop.quit)
    if desktop.is_new and not hidden:
        desktop.windows.welcome()
    elif not hidden or not desktop.tray.is_reachable:
        desktop.overlay.summon()
    status = application.exec()
    signals.close()
    instance.release()
    # At its end Python looks through all there is once more: 0.35 s in which nobody is served.
    gc.freeze()
    return status
