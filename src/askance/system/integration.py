"""What this program has put into the desktop and the system, and whether it still leads here.

An entry of an AppImage, a folder or an environment that has moved starts nothing any more. It is written again when the
window starts next from where it is now; one that starts another installation, which is there, is left alone.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from askance.domain.errors import AskanceError
from askance.system.autostart import own_autostart
from askance.system.desktop_entry import (
    entry_file,
    install_entry,
    link_command,
    remove_entry,
    remove_link,
    started_program,
)
from askance.system.program import FLATPAK_INFO, is_packaged, own_command
from askance.system.server_unit import ServerUnit


@dataclass(frozen=True, slots=True)
class SystemEntry:
    """Something of this program that the system starts it by.

    `program` is what it starts, empty where the entry is not there. The two functions raise AskanceError.
    """

    name: str
    place: str
    program: str
    write: Callable[[], object]
    remove: Callable[[], object]

    @property
    def is_there(self) -> bool:
        """Whether there is such an entry."""
        return bool(self.program)

    @property
    def is_broken(self) -> bool:
        """Whether the entry starts something that is not there any more."""
        return self.is_there and shutil.which(self.program) is None


MENU, AUTOSTART, SERVER = "menu", "start at login", "server at login"


def system_entries(environment: Mapping[str, str]) -> list[SystemEntry]:
    """Return what this program may have put into this system. Inside a Flatpak that is the portal's."""
    if Path(FLATPAK_INFO).exists():
        return []
    home = Path(environment.get("HOME") or Path.home())
    autostart = own_autostart(environment)
    entries = [
        SystemEntry(
            AUTOSTART,
            autostart.place,
            autostart.program(),
            autostart.turn_on,
            autostart.turn_off,
        )
    ]
    if sys.platform == "linux":
        unit = ServerUnit(environment, home, own_command(environment))
        entries += [
            _menu(environment, home),
            SystemEntry(SERVER, unit.place, unit.program(), unit.write, unit.turn_off),
        ]
    return entries


def _menu(environment: Mapping[str, str], home: Path) -> SystemEntry:
    file, command = entry_file(environment, home), own_command(environment)
    try:
        program = started_program(file.read_text("utf-8", "replace"))
    except OSError:
        program = ""

    def write() -> None:
        install_entry(environment, home, command)
        if is_packaged():
            link_command(home, command[0])

    def remove() -> None:
        remove_entry(environment, home)
        if is_packaged():
            remove_link(home)

    return SystemEntry(MENU, str(file), program, write, remove)


def repair_entries(environment: Mapping[str, str]) -> list[SystemEntry]:
    """Write those entries again that start something that is gone, and return them."""
    broken = [entry for entry in system_entries(environment) if entry.is_broken]
    for entry in broken:
        with suppress(AskanceError):  # `askance doctor` says that it is broken
            entry.write()
    return broken
