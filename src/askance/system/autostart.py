"""Whether Askance starts with the desktop: an entry where each system looks for such programs."""

from __future__ import annotations

import contextlib
import plistlib
import subprocess
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from pathlib import Path
from xml.parsers.expat import ExpatError

from askance.domain.errors import StorageError
from askance.domain.messages import Message
from askance.system.desktop_entry import APP_ID, desktop_entry, started_program, write_for_all
from askance.system.program import FLATPAK_INFO, window_command

_RUN = r"Software\Microsoft\Windows\CurrentVersion\Run"
_VALUE = "Askance"
_LARGEST_ENTRY = 100_000


def set_autostart(wanted: bool, environment: Mapping[str, str]) -> None:
    """Let the desktop start Askance, or not. It may ask the user first, inside a Flatpak.

    Raises:
        StorageError: its entry cannot be changed.
        InputError: the desktop does not allow it.
    """
    if Path(FLATPAK_INFO).exists():
        import asyncio  # noqa: PLC0415 - few need it

        from askance.system.session_bus import request_autostart  # noqa: PLC0415

        asyncio.run(request_autostart(environment, wanted, ["askance", "--hidden"]))
        return
    autostart = own_autostart(environment)
    if wanted:
        autostart.turn_on()
    else:
        autostart.turn_off()


def own_autostart(environment: Mapping[str, str]) -> EntryFile | RegistryEntry:
    """Return the autostart of this system for this program."""
    command = [*window_command(environment), "--hidden"]
    home = Path(environment.get("HOME") or Path.home())
    return choose_autostart(sys.platform, environment, home, command)


def choose_autostart(
    platform: str, environment: Mapping[str, str], home: Path, command: Sequence[str]
) -> EntryFile | RegistryEntry:
    """Return the autostart of a platform (`sys.platform`) for the given command."""
    if platform == "win32":
        return RegistryEntry(command)
    if platform == "darwin":
        return launch_agent(home / "Library" / "LaunchAgents", command)
    return desktop_file(config_home(environment, home) / "autostart", command)


def config_home(environment: Mapping[str, str], home: Path) -> Path:
    """Return the folder of settings as the XDG specification has it, which ignores relative paths."""
    config = environment.get("XDG_CONFIG_HOME", "")
    return Path(config) if config.startswith("/") else home / ".config"


class EntryFile:
    """An entry that is a file. What cannot be changed is raised as `StorageError`.

    `read_program` returns what an entry starts, empty where it is damaged or was turned off.
    """

    def __init__(self, file: Path, content: bytes, read_program: Callable[[bytes], str]) -> None:
        self._file, self._content, self._read_program = file, content, read_program

    @property
    def place(self) -> str:
        """Where the entry is."""
        return str(self._file)

    def program(self) -> str:
        """Return what the entry starts; empty where there is none, or it was turned off."""
        try:
            with self._file.open("rb") as stream:
                return self._read_program(stream.read(_LARGEST_ENTRY))
        except OSError:
            return ""

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
    return EntryFile(folder / f"{APP_ID}.desktop", entry.encode(), _desktop_program)


def launch_agent(folder: Path, command: Sequence[str]) -> EntryFile:
    """Return a property list in the folder of launch agents."""
    properties = {
        "Label": APP_ID,
        "ProgramArguments": list(command),
        "RunAtLoad": True,
        "ProcessType": "Interactive",
    }
    return EntryFile(folder / f"{APP_ID}.plist", plistlib.dumps(properties), _agent_program)


def _desktop_program(content: bytes) -> str:
    text = content.decode("utf-8", "replace")
    lines = {line.replace(" ", "").lower() for line in text.splitlines()}
    if lines & {"hidden=true", "x-gnome-autostart-enabled=false"}:
        return ""
    return started_program(text)


def _agent_program(content: bytes) -> str:
    try:
        match plistlib.loads(content):
            case {"RunAtLoad": True, "ProgramArguments": [str(program), *_]}:
                return program
            case _:
                return ""
    except (ValueError, ExpatError, OverflowError):
        return ""


class RegistryEntry:
    """A value under the user's Run key. What cannot be changed is raised as `StorageError`."""

    def __init__(self, command: Sequence[str]) -> None:
        self._line = subprocess.list2cmdline(command)

    @property
    def place(self) -> str:
        """Where the entry is."""
        return f"HKEY_CURRENT_USER\\{_RUN}"

    def program(self) -> str:
        """Return what the entry starts; empty where there is none."""
        assert sys.platform == "win32"
        import winreg  # noqa: PLC0415 - only Windows has it

        try:
            with winreg.OpenKey(winreg.HKEY_CURRENT_USER, _RUN) as key:
                line, _ = winreg.QueryValueEx(key, _VALUE)
        except OSError:
            return ""
        return first_word(str(line))

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


def first_word(line: str) -> str:
    """Return the program of a command line as `list2cmdline` writes it."""
    if line.startswith('"'):
        return line[1:].partition('"')[0]
    return line.partition(" ")[0]


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
