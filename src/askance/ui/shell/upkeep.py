"""What the window does for its own installation and process: entries that moved, autostart, new versions, garbage."""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from time import monotonic
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractEventDispatcher, QObject, Signal

from askance.config.folders import Folders
from askance.config.settings import Settings
from askance.domain.errors import AskanceError
from askance.system.integration import AUTOSTART, repair_entries, set_autostart, system_entries
from askance.system.machine import give_back_memory
from askance.ui.bridge import Bridge, PendingCalls
from askance.ui.design.composing import single_shot_timer

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


class GarbageCollector(QObject):
    """Collects garbage in the window's thread alone, in place of Python itself, for as long as it lives: young garbage
    whenever the event loop has done all there was to do, old garbage once nothing happens any more. Then
    the memory that this has freed is given back, too.

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
        self._dispatcher = QAbstractEventDispatcher.instance()
        # The loop has nothing to do then: nobody waits for this.
        self._dispatcher.aboutToBlock.connect(self.collect)

    def stop(self) -> None:
        """Let Python collect again; call it once no other thread runs."""
        self._dispatcher.aboutToBlock.disconnect(self.collect)
        self._calm.stop()
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
        gc.collect()
        if not self._is_started:
            # What is left after the start stays as well: what the engine has imported above all.
            gc.freeze()
            self._is_started = True
        # The C library keeps for later what was freed.
        give_back_memory()
