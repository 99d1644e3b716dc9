"""The desktop program: one process for each user, with a tray icon and a window that is hidden."""

from __future__ import annotations

import gc
import signal
import sys
from collections.abc import Mapping

from PySide6.QtWidgets import QApplication

from askance import __version__
from askance.adapters.desktop.desktop_entry import APP_ID
from askance.config.folders import Folders, find_folders
from askance.diagnostics.watching import logged, reporting
from askance.domain.errors import AskanceError
from askance.ui.design.fonts import load_fonts
from askance.ui.shell.desktop import Desktop
from askance.ui.shell.instance import Instance
from askance.ui.shell.screen import has_screen
from askance.ui.shell.signals import Signals

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
    folders = find_folders(environment)
    with logged(folders, "window"), reporting(folders):
        return _run(environment, folders, hidden=hidden)


def _run(environment: Mapping[str, str], folders: Folders, *, hidden: bool) -> int:
    sys.setswitchinterval(_TURN_S)
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
