"""The desktop program: one process for each user, with a tray icon and a window that is hidden."""

from __future__ import annotations

import gc
import os
import signal
import socket
import sys
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, contextmanager
from typing import NoReturn

from PySide6.QtCore import (
    QMessageLogContext,
    QObject,
    QSocketNotifier,
    QtMsgType,
    Signal,
    qFormatLogMessage,
    qInstallMessageHandler,
)
from PySide6.QtWidgets import QApplication

from askance import __version__
from askance.config.diagnostics import logged, reporting
from askance.config.folders import Folders, find_folders
from askance.domain.errors import AskanceError
from askance.domain.events import ignore
from askance.system.desktop_entry import APP_ID
from askance.system.machine import use_one_arena
from askance.system.qt_environment import (
    asked_for,
    find_screen,
    input_method,
    missing_libraries,
    platform_theme,
)
from askance.ui.bridge import Bridge
from askance.ui.design.focus import install_roles
from askance.ui.design.theme import load_fonts
from askance.ui.shell.activation import Instance
from askance.ui.shell.desktop import Desktop

# A byte is one signal; more of them than this are read in the next turn.
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
        self._reader, writer = socket.socketpair()
        self._writer = writer
        for end in (self._reader, writer):
            end.setblocking(False)
        # A full socket wakes the loop as well as one more byte would.
        signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
        for number in numbers:
            # Python writes into the socket only for signals that have a handler.
            signal.signal(number, ignore)
        self._notifier = QSocketNotifier(self._reader.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._read)

    def close(self) -> None:
        """Tell of nothing more."""
        signal.set_wakeup_fd(-1)
        for number in self._numbers:
            signal.signal(number, signal.SIG_DFL)  # whatever still takes its time can be ended
        self._notifier.setEnabled(False)
        for end in (self._reader, self._writer):
            end.close()

    def _read(self) -> None:
        for number in self._reader.recv(_BYTES):
            self.came.emit(number)


# How long the engine's thread may go on computing while the window's waits for its turn to run
# Python. A step of the window waits as often as it calls Qt: with Python's 5 ms it stutters.
_TURN_S = 0.0005
# A terminal that is closed ends what it began.
_ENDS = (
    (signal.SIGINT, signal.SIGTERM)
    if sys.platform == "win32"
    else (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
)


def run(environment: Mapping[str, str], *, hidden: bool = False) -> int:
    """Run the program until it is quit, and return its exit status.

    A second process only shows the window of the first.
    """
    screen = find_screen(environment)
    if not screen.is_there:
        sys.stderr.write(f"askance: {screen.why_not}\n")
        return 1
    # Qt reads the variables of the process, and so do the children that it starts.
    os.environ.update(screen.variables)
    environment = {**environment, **screen.variables}
    # Qt would abort the process, with a text about another library than the one that is missing.
    if (missing := missing_libraries(environment)) is not None:
        sys.stderr.write(f"askance: {missing}\n")
        return 1
    folders = find_folders(environment)
    with logged(folders, "window"), reporting(folders):
        return _run(environment, folders, hidden=hidden)


@contextmanager
def _lost_display(clean_up: Callable[[], None]) -> Generator[None]:
    """Clean up and exit with status 1 where Xlib or Qt finds that the X server is gone: both would call C's `exit`."""
    from askance.system.x11 import lost_server  # noqa: PLC0415 - Xlib is on Linux only

    def leave() -> NoReturn:
        clean_up()
        os._exit(1)

    def pass_on(kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
        sys.stderr.write(f"{qFormatLogMessage(kind, context, text)}\n")
        # Qt leaves no other place for this: behind this message it exits.
        if text.startswith("The X11 connection broke"):
            leave()

    qInstallMessageHandler(pass_on)
    try:
        with lost_server(leave):
            yield
    finally:
        qInstallMessageHandler(None)


def _run(environment: Mapping[str, str], folders: Folders, *, hidden: bool) -> int:
    use_one_arena()
    sys.setswitchinterval(_TURN_S)
    os.environ.update(input_method(environment).variables)
    # Before there is one: Qt tells the portals this name as soon as it has a bus, and only once.
    QApplication.setDesktopFileName(APP_ID)
    with asked_for(platform_theme(environment), os.environ):
        application = QApplication(["askance"])  # by which X11 knows the window's class
    # Before the first widget: Qt keeps the accessible object that it has made for one.
    install_roles()
    application.setApplicationName("askance")
    application.setApplicationDisplayName("Askance")
    application.setApplicationVersion(__version__)
    # The window is hidden most of the time, and the program waits in the tray.
    application.setQuitOnLastWindowClosed(False)
    # Before settings, drafts and history are touched: a second process leaves them to the first.
    instance = Instance(environment, application)
    try:
        if not instance.claim():
            return 0
    except AskanceError as exc:
        sys.stderr.write(f"askance: {exc}\n")
        return 1
    load_fonts()
    try:
        desktop = Desktop(application, environment, folders)
    except BaseException:
        # The threads that it has started by then would keep the process for ever.
        for bridge in application.findChildren(Bridge):
            bridge.close()
        raise
    desktop.is_unasked = hidden
    instance.asked.connect(desktop.obey)
    signals = Signals(_ENDS, application)
    signals.came.connect(desktop.quit)
    with ExitStack() as leaving:
        if QApplication.platformName() == "xcb":
            leaving.enter_context(_lost_display(desktop.close))
        # Started at login it shows nothing, unless there is no icon by which it could be reached.
        if desktop.is_new and not hidden:
            desktop.windows.welcome()
        elif not hidden or not desktop.tray.is_reachable:
            desktop.overlay.summon()
        status = application.exec()
        # Where its display is gone Qt ends by itself, and the engine's thread would keep the process.
        desktop.quit()
    signals.close()
    instance.release()
    # At its end Python looks through all there is once more: 0.35 s in which nobody is served.
    gc.freeze()
    return status
