"""Whether Askance starts with the desktop: an entry where each system looks for such programs."""

from __future__ import annotations

import contextlib
import plistlib
import subprocess
import sys
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path

from askance.domain.errors import StorageError
from askance.domain.messages import Message
from askance.system.desktop_entry import APP_ID, desktop_entry, write_for_all
from askance.system.program import own_command

_RUN = r"Software\Microsoft\Windows\CurrentVersion\Run"
_VALUE = "Askance"


def set_autostart(wanted: bool, environment: Mapping[str, str]) -> None:
    """Let the desktop start Askance, or not. Raises StorageError: its entry cannot be changed."""
    command = [*own_command(environment), "--hidden"]
    autostart = choose_autostart(sys.platform, environment, Path.home(), command)
    if wanted:
        autostart.turn_on()
    else:
        autostart.turn_off()


def choose_autostart(
    platform: str, environment: Mapping[str, str], home: Path, command: Sequence[str]
) -> EntryFile | RegistryEntry:
    """Return the autostart of a platform (`sys.platform`) for the given command."""
    if platform == "win32":
        return RegistryEntry(command)
    if platform == "darwin":
        return launch_agent(home / "Library" / "LaunchAgents", command)
    config = environment.get("XDG_CONFIG_HOME", "")
    # The specification has relative paths ignored.
    root = Path(config) if config.startswith("/") else home / ".config"
    return desktop_file(root / "autostart", command)


class EntryFile:
    """An entry that is a file. What cannot be changed is raised as `StorageError`."""

    def __init__(self, file: Path, content: bytes) -> None:
        self._file, self._content = file, content

    def turn_on(self) -> None:
        """Make the entry, or bring it up to date."""
        with _storage_errors(self._file):
            write_for_all(self._file, self._content)

    def turn_off(self) -> None:
        """Remove the entry, if there is one."""
        with _storage_errors(self._file):
            self._file.unlink(missing_ok=True)


def desktop_file(folder: Path, command: Sequence[str]) -> EntryFile:
    """Return a file in the XDG autostart folder."""
    entry = desktop_entry(command, ("X-GNOME-Autostart-enabled=true",))
    return EntryFile(folder / f"{APP_ID}.desktop", entry.encode())


def launch_agent(folder: Path, command: Sequence[str]) -> EntryFile:
    """Return a property list in the folder of launch agents."""
    properties = {
        "Label": APP_ID,
        "ProgramArguments": list(command),
        "RunAtLoad": True,
        "ProcessType": "Interactive",
    }
    return EntryFile(folder / f"{APP_ID}.plist", plistlib.dumps(properties))


class RegistryEntry:
    """A value under the user's Run key. What cannot be changed is raised as `StorageError`."""

    def __init__(self, command: Sequence[str]) -> None:
        self._line = subprocess.list2cmdline(command)

    def turn_on(self) -> None:
        """Make the entry, or bring it up to date."""
        assert sys.platform == "win32"
        import winreg  # noqa: PLC0415 - only Windows has it

        with _storage_errors(_RUN), winreg.CreateKey(winreg.HKEY_CURRENT_USER, _RUN) as key:
            winreg.SetValueEx(key, _VALUE, 0, winreg.REG_SZ, self._line)

    def turn_off(self) -> None:
        """Remove the entry, if there is one."""
        assert sys.platform == "win32"
        import winreg  # noqa: PLC0415 - only Windows has it

        right = winreg.KEY_SET_VALUE
        with (
            _storage_errors(_RUN),
            contextlib.suppress(FileNotFoundError),
            winreg.OpenKey(winreg.HKEY_CURRENT_USER, _RUN, access=right) as key,
        ):
            winreg.DeleteValue(key, _VALUE)


@contextlib.contextmanager
def _storage_errors(place: Path | str) -> Generator[None, None, None]:
    try:
        yield
    except OSError as exc:
        raise StorageError(
            Message(
                "Starting with the desktop cannot be changed in {file}: {problem}.",
                file=place,
                problem=exc,
            ),
            fix=Message("Check its owner and permissions."),
        ) from exc
