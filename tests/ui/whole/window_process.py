"""The real program in a process of its own, with a keyboard and eyes at its pipes.

Each line that comes in is typed into the window and sent; what becomes of the questions goes out,
a line for each change. `!slot` lets a slot fail, `!fault` crashes the process below Python,
`!windows` shows every other window, each page of it, and says `windows`. `!held` says `held`, waits for the
next line without an event loop, and shows the settings, which `!lost` does not; from then on C's `exit` crashes, as it does where another
thread is in a library. `READERS_IDLE_S` takes the
place of the time after which the processes that take pages apart are let go.
"""

from __future__ import annotations

import ctypes
import faulthandler
import os
import sys

from PySide6.QtCore import QObject, QSocketNotifier, Qt
from PySide6.QtTest import QTest

from askance.ui.overlay.conversation.exchange import ExchangeView
from askance.ui.settings.page_tables import PAGES
from askance.ui.shell import desktop_app as app
from askance.ui.shell.desktop import Desktop


class Puppeteer(QObject):
    """Types what is asked for, and tells what is seen."""

    def __init__(self, desktop: Desktop) -> None:
        super().__init__(desktop)
        self._desktop = desktop
        self._begun = ""
        desktop.session.changed.connect(self._tell)
        self._notifier = QSocketNotifier(sys.stdin.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._read)
        tell("ready")

    def _read(self) -> None:
        text = os.read(sys.stdin.fileno(), 65_536)
        self._notifier.setEnabled(bool(text))
        *lines, self._begun = (self._begun + text.decode()).split("\n")
        for line in lines:
            if line == "!slot":
                raise LookupError(line * 2)
            if line == "!fault":
                faulthandler._sigsegv()  # type: ignore[attr-defined]
            if line == "!windows":
                show_all(self._desktop)
                tell("windows")
                continue
            if line in {"!held", "!lost"}:
                crash_at_exit()
                tell("held")
                os.read(sys.stdin.fileno(), 1)
                if line == "!held":
                    self._desktop.windows.show_settings()
                continue
            field = self._desktop.overlay.ask_bar.field
            QTest.keyClicks(field, line)
            QTest.keyClick(field, Qt.Key.Key_Return)

    def _tell(self, index: int, view: ExchangeView) -> None:
        written = view.draft is not None and bool(view.draft.pieces or view.draft.tail)
        tell(f"{index} {'writing' if written and not view.ended else view.state}")


def crash_at_exit() -> None:
    library = ctypes.CDLL(None)
    library.__cxa_atexit(library.abort, None, None)


def show_all(desktop: Desktop) -> None:
    """Show each window beside the overlay, and draw each of its pages once."""
    windows = desktop.windows
    windows.welcome()
    desktop.header.show_history().close()
    settings = windows.show_settings()
    for table in PAGES:
        settings.show_page(table.title)
        settings.grab()
    for window in windows:
        window.grab()
    for window in windows:
        window.hide()
    desktop.overlay.summon()
    desktop.overlay.grab()


class PuppetDesktop(Desktop):
    """A desktop that is played."""

    def __init__(self, *parts: object) -> None:
        super().__init__(*parts)  # type: ignore[arg-type]
        Puppeteer(self)


def tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    if idle_s := os.environ.get("READERS_IDLE_S"):
        from askance.adapters import web_choice as chosen

        chosen.READERS_IDLE_S = float(idle_s)
    app.Desktop = PuppetDesktop
    sys.exit(app.run(dict(os.environ)))
