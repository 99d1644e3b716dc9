"""What the window does for its own installation and process: entries that moved, autostart, new versions, garbage. And
what it says of them once: that the program crashed, and what a desktop cannot do.
"""

from __future__ import annotations

import gc
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractEventDispatcher, QObject, QUrl, Signal

from askance.config.diagnostics import mark_reported, new_reports
from askance.config.folders import Folders
from askance.config.private_files import make_folder, replace_file
from askance.config.settings import Settings
from askance.domain.errors import AskanceError
from askance.domain.messages import Message, Remedy
from askance.presentation.i18n import tr
from askance.system.integration import AUTOSTART, repair_entries, set_autostart, system_entries
from askance.system.machine import give_back_memory
from askance.ui.bridge import Bridge, PendingCalls
from askance.ui.design.composing import single_shot_timer
from askance.ui.overlay.bar.status import MessageAction
from askance.ui.overlay.overlay import Overlay

if TYPE_CHECKING:
    from askance.app.checks.installation_check import OpenUpdates


_ENTRIES, _AUTOSTART, _UPDATES = "entries", "autostart", "updates"
# So long after a look nobody looks again whether a week has passed.
_LOOK_S = 3600.0


class Upkeep(QObject):
    """Does its work beside the window. `settings` returns those in force."""

    autostart_changed = Signal(bool)
    """Whether it starts at login, which the settings do not say: the desktop or an installer changed it."""
    failed = Signal(str)
    """Autostart could not be changed: why."""
    update_found = Signal(str)
    """A version that the user was not told of yet."""

    def __init__(
        self,
        environment: Mapping[str, str],
        folders: Folders,
        settings: Callable[[], Settings],
        chores: Bridge,
        parent: QObject,
        open_updates: OpenUpdates,
    ) -> None:
        super().__init__(parent)
        self._environment, self._folders, self._settings = environment, folders, settings
        self._open_updates = open_updates
        self._calls = PendingCalls(chores, self)
        self._looked: float | None = None

    def repair(self) -> None:
        """Write entries again that start something that has moved, and see whether autostart is as it is set.

        Inside a Flatpak only the portal knows.
        """

        def work() -> bool | None:
            repair_entries(self._environment)
            entries = system_entries(self._environment)
            return next((entry.is_there for entry in entries if entry.name == AUTOSTART), None)

        # What is set while this looks is not what the entry was made for.
        was_wanted = self._settings().window.autostart

        def then(is_there: bool | AskanceError | None) -> None:
            if isinstance(is_there, bool) and is_there is not was_wanted:
                self.autostart_changed.emit(is_there)

        self._calls.in_thread(_ENTRIES, work, then)

    def set_autostart(self, *, wanted: bool) -> None:
        """Have the desktop start the program at login, or no longer. It may ask the user."""

        def then(result: Any) -> None:
            if isinstance(result, AskanceError):
                self.failed.emit(result.message)

        self._calls.in_thread(_AUTOSTART, lambda: set_autostart(wanted, self._environment), then)

    def look_for_updates(self) -> None:
        """Ask for new versions if the user allows it and a week has passed; tell of one that is new."""
        if not self._settings().updates.weekly:
            return
        now = monotonic()
        if self._looked is not None and now - self._looked < _LOOK_S:
            return
        # Also where it fails: a server that is down is not asked with every summons.
        self._looked = now
        checker = self._open_updates(self._settings(), self._folders)

        async def work(_parts: object) -> str:
            await checker.weekly()
            return checker.announce()

        def then(version: str | AskanceError) -> None:
            if isinstance(version, str) and version:
                self.update_found.emit(version)

        self._calls.ask(_UPDATES, work, then)


# Looking through all there is may take 80 ms, more than anybody may wait for.
_CALM_MS = 3_000
# Later than what the engine lets go of when it is idle: the language model after 45 s, connections, processes.
_IDLE_MS = 60_000


class GarbageCollector(QObject):
    """Collects garbage in the window's thread alone, in place of Python itself, for as long as it lives: young garbage
    whenever the event loop has done all there was to do, old garbage once nothing happens any more. Then
    the memory that this has freed is given back, too, and once more when the program has been idle.

    Python collects in whichever thread happens to allocate. A widget in a cycle that is found by the
    engine's thread is destroyed there, and Qt takes the process down with it.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        # What was imported stays, and is not looked through with the first young garbage.
        gc.freeze()
        self._is_started = False
        self._calm = single_shot_timer(self, self._collect_all, _CALM_MS)
        self._idle = single_shot_timer(self, self._give_back, _IDLE_MS)
        self._dispatcher = QAbstractEventDispatcher.instance()
        # The loop has nothing to do then: nobody waits for this.
        self._dispatcher.aboutToBlock.connect(self.collect)

    def stop(self) -> None:
        """Let Python collect again; call it once no other thread runs."""
        self._dispatcher.aboutToBlock.disconnect(self.collect)
        self._calm.stop()
        self._idle.stop()
        gc.unfreeze()
        gc.enable()

    def collect(self) -> None:
        """Collect the youngest garbage if there is much."""
        # The bound of Python's own collector, which counts on while it is switched off.
        if gc.get_count()[0] < gc.get_threshold()[0]:
            return
        # Not all of it: old garbage waits for calm.
        gc.collect(1)
        # Each collection puts it off: calm is when no garbage has come for so long.
        self._calm.start()

    def _collect_all(self) -> None:
        if self._is_started:
            gc.collect()
        else:
            # What the start has left stays as well, what the engine has imported above all: looking through it would
            # take longer than anybody waits, and its garbage went while it was young.
            gc.freeze()
            self._is_started = True
        # The C library keeps for later what was freed.
        give_back_memory()
        self._idle.start()

    def _give_back(self) -> None:
        # But for what is frozen: to look through that has ended the program by a segmentation fault.
        gc.collect()
        give_back_memory()


def offer_report(overlay: Overlay, folders: Folders, open_address: Callable[[str], bool]) -> None:
    """Offer to show the newest report that was not shown yet, if there is one.

    `open_address` opens it where text files are read, and returns whether it could; where it could
    not, its path is said.
    """
    found = new_reports(folders)
    if not found:
        return
    # First: a report that cannot be shown must not be offered at every start.
    mark_reported(folders, found)
    newest = found[-1]

    def show() -> None:
        if not open_address(QUrl.fromLocalFile(str(newest)).toString()):
            overlay.complain(tr("The report is {path}.", path=str(newest)))

    text = tr("Askance crashed. A report was saved on this computer; nothing was sent.")
    overlay.complain(text, MessageAction(tr("Show report"), show))


class Notices(QObject):
    """Says each notice once, whichever start it is, one at each summons; `file` holds those that were said, a line each.

    `copy` takes what is to be copied: the command or the lines of a remedy.
    """

    def __init__(self, file: Path, overlay: Overlay, copy: Callable[[str], object]) -> None:
        super().__init__(overlay)
        self._file, self._overlay, self._copy = file, overlay, copy
        self._waiting = deque[Message]()
        overlay.summoned.connect(self._show_next)

    def add(self, notice: Message) -> None:
        """Say it now if the window is seen, else once it is; nothing if it was said before."""
        if notice in self._waiting or _line(notice) in self._shown_before():
            return
        self._waiting.append(notice)
        # Not beside something else that is said: two at once are not read.
        if self._overlay.isVisible() and not self._overlay.ask_bar.inline_message.sentence:
            self._show_next()

    def _show_next(self) -> None:
        if not self._waiting:
            return
        notice = self._waiting.popleft()
        step = None
        if isinstance(notice, Remedy) and notice.command:
            step = MessageAction(tr("Copy"), lambda text=notice.command: self._copy(text))
        self._overlay.complain(notice, step)
        with suppress(OSError):  # then it is said once more
            make_folder(self._file.parent)
            lines = [*self._shown_before(), _line(notice)]
            replace_file(self._file, "".join(f"{line}\n" for line in lines).encode())

    def _shown_before(self) -> list[str]:
        try:
            return self._file.read_text("utf-8").splitlines()
        # No file, or one that is no UTF-8: then a notice is said once more.
        except (OSError, ValueError):
            return []


def _line(notice: Message) -> str:
    """Return a notice as it is kept: in English, on one line."""
    # In English whatever the language is: another one must not bring all of them back.
    return " ".join(notice.split())
