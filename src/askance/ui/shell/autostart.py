"""Whether Askance starts with the desktop: an entry where each system looks for such programs."""

from __future__ import annotations

import contextlib
import plistlib
import subprocess
import sys
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, cast
from xml.parsers.expat import ExpatError

from askance.adapters.desktop.desktop_entry import APP_ID, desktop_entry, write_for_all
from askance.adapters.system.program import own_command
from askance.domain.errors import StoreUnusable
from askance.domain.messages import Message

_RUN = r"Software\Microsoft\Windows\CurrentVersion\Run"
_VALUE = "Askance"


class Autostart(Protocol):
    """The entry of one system."""

    def is_on(self) -> bool:
        """Whether the desktop will start Askance."""
        ...

    def turn_on(self) -> None:
        """Make the entry, or bring it up to date.

        Raises:
            StoreUnusable: it cannot be written.
        """
        ...

    def turn_off(self) -> None:
        """Remove the entry, if there is one.

        Raises:
            StoreUnusable: it cannot be removed.
        """
        ...


def set_autostart(wanted: bool, environment: Mapping[str, str]) -> None:
    """Let the desktop start Askance, or not.

    Raises:
        StoreUnusable: its entry cannot be changed.
    """
    command = [*own_command(environment), "--hidden"]
    autostart = choose_autostart(sys.platform, environment, Path.home(), command)
    if wanted:
        autostart.turn_on()
    else:
        autostart.turn_off()


def choose_autostart(
    platform: str, environment: Mapping[str, str], home: Path, command: Sequence[str]
) -> Autostart:
    """Return the autostart of a platform (`sys.platform`) for the given command."""
    if platform == "win32":
        return RegistryEntry(command)
    if platform == "darwin":
        return LaunchAgent(home / "Library" / "LaunchAgents", command)
    config = environment.get("XDG_CONFIG_HOME", "")
    # The specification has relative paths ignored.
    root = Path(config) if config.startswith("/") else home / ".config"
    return DesktopEntry(root / "autostart", command)


class DesktopEntry:
    """A file in the XDG autostart folder."""

    def __init__(self, folder: Path, command: Sequence[str]) -> None:
        self._file = folder / f"{APP_ID}.desktop"
        self._command = command

    def is_on(self) -> bool:
        """See `Autostart.is_on`. Desktops have switches of their own in the same file."""
        try:
            lines = self._file.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return False
        told = {line.replace(" ", "").lower() for line in lines}
        return told.isdisjoint({"hidden=true", "x-gnome-autostart-enabled=false"})

    def turn_on(self) -> None:
        """See `Autostart.turn_on`."""
        entry = desktop_entry(self._command, ("X-GNOME-Autostart-enabled=true",))
        with _told(self._file):
            write_for_all(self._file, entry.encode())

    def turn_off(self) -> None:
        """See `Autostart.turn_off`."""
        with _told(self._file):
            self._file.unlink(missing_ok=True)


class LaunchAgent:
    """A property list in the folder of launch agents."""

    def __init__(self, folder: Path, command: Sequence[str]) -> None:
        self._file = folder / f"{APP_ID}.plist"
        self._command = command

    def is_on(self) -> bool:
        """See `Autostart.is_on`."""
        try:
            told = plistlib.loads(self._file.read_bytes())
        except (OSError, plistlib.InvalidFileException, ExpatError, ValueError):
            return False
        return isinstance(told, dict) and cast("dict[str, Any]", told).get("RunAtLoad") is True

    def turn_on(self) -> None:
        """See `Autostart.turn_on`."""
        told = {
            "Label": APP_ID,
            "ProgramArguments": list(self._command),
            "RunAtLoad": True,
            "ProcessType": "Interactive",
        }
        with _told(self._file):
            write_for_all(self._file, plistlib.dumps(told))

    def turn_off(self) -> None:
        """See `Autostart.turn_off`."""
        with _told(self._file):
            self._file.unlink(missing_ok=True)


class RegistryEntry:
    """A value under the user's Run key."""

    def __init__(self, command: Sequence[str]) -> None:
        self._line = subprocess.list2cmdline(command)

    def is_on(self) -> bool:
        """See `Autostart.is_on`."""
        assert sys.platform == "win32"
        import winreg  # noqa: PLC0415 - only Windows has it

        try:
            with winreg.OpenKey(winreg.HKEY_CURRENT_USER, _RUN) as key:
                winreg.QueryValueEx(key, _VALUE)
        except OSError:
            return False
        return True

    def turn_on(self) -> None:
        """See `Autostart.turn_on`."""
        assert sys.platform == "win32"
        import winreg  # noqa: PLC0415 - only Windows has it

        with _told(_RUN), winreg.CreateKey(winreg.HKEY_CURRENT_USER, _RUN) as key:
            winreg.SetValueEx(key, _VALUE, 0, winreg.REG_SZ, self._line)

    def turn_off(self) -> None:
        """See `Autostart.turn_off`."""
        assert sys.platform == "win32"
        import winreg  # noqa: PLC0415 - only Windows has it

        right = winreg.KEY_SET_VALUE
        with (
            _told(_RUN),
            contextlib.suppress(FileNotFoundError),
            winreg.OpenKey(winreg.HKEY_CURRENT_USER, _RUN, access=right) as key,
        ):
            winreg.DeleteValue(key, _VALUE)


@contextlib.contextmanager
def _told(place: Path | str) -> Generator[None, None, None]:
    try:
        yield
    except OSError as exc:
        raise StoreUnusable(
            Message(
                "Starting with the desktop cannot be changed in {file}: {problem}.",
                file=place,
                problem=exc,
            ),
            fix=Message("Check its owner and permissions."),
        ) from exc
