"""Autostart entries, the systemd unit of `askance serve`, and whether these and the menu entry still start this program.

The text of the menu entry is in `desktop_entry`. An entry of an AppImage, a folder or an environment that has moved
starts nothing any more: it is written again, with the new place, at the next start of the window. One that starts
another installation, which is there, is left alone.
"""

from __future__ import annotations

import contextlib
import plistlib
import shutil
import subprocess
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from xml.parsers.expat import ExpatError

from askance.domain.errors import AskanceError, InputError, StorageError
from askance.domain.messages import Message
from askance.system.desktop_entry import (
    APP_ID,
    desktop_entry,
    entry_file,
    first_quoted,
    install_entry,
    link_command,
    remove_entry,
    remove_link,
    started_program,
    write_for_all,
)
from askance.system.program import FLATPAK_INFO, is_packaged, own_command, window_command

_RUN = r"Software\Microsoft\Windows\CurrentVersion\Run"
_VALUE = "Askance"
# Anybody may have put another file there: an entry has some hundred bytes.
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
        self.place = str(file)
        """Where the entry is."""

    def program(self) -> str:
        """Return what the entry starts; empty where there is none, or it was turned off."""
        return self._read_program(_content(self._file))

    def write(self) -> None:
        """Make the entry, or bring it up to date."""
        with _storage_errors(self._unchangeable):
            write_for_all(self._file, self._content)

    def turn_on(self) -> None:
        """Let it start the program: the desktop looks for it by itself."""
        self.write()

    def turn_off(self) -> None:
        """Remove the entry, if there is one."""
        with _storage_errors(self._unchangeable):
            self._file.unlink(missing_ok=True)

    def _unchangeable(self, problem: OSError) -> Message:
        return _unstartable(self._file, problem)


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
        # launchd gives all other kinds less of the processor (launchd.plist(5)).
        "ProcessType": "Interactive",
    }
    return EntryFile(folder / f"{APP_ID}.plist", plistlib.dumps(properties), _agent_program)


def _content(file: Path) -> bytes:
    """Return what stands in an entry, nothing where there is none that can be read."""
    try:
        with file.open("rb") as stream:
            return stream.read(_LARGEST_ENTRY)
    except OSError:
        return b""


def _desktop_program(content: bytes) -> str:
    text = content.decode("utf-8", "replace")
    lines = {line.replace(" ", "").lower() for line in text.splitlines()}
    # How desktops' own settings switch an entry off without deleting it (Desktop Application
    # Autostart).
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
        self.place = f"HKEY_CURRENT_USER\\{_RUN}"
        """Where the entry is."""

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

        with (
            _storage_errors(self._unchangeable),
            winreg.CreateKey(winreg.HKEY_CURRENT_USER, _RUN) as key,
        ):
            winreg.SetValueEx(key, _VALUE, 0, winreg.REG_SZ, self._line)

    def turn_off(self) -> None:
        """Remove the entry, if there is one."""
        assert sys.platform == "win32"
        import winreg  # noqa: PLC0415 - only Windows has it

        right = winreg.KEY_SET_VALUE
        with (
            _storage_errors(self._unchangeable),
            contextlib.suppress(FileNotFoundError),
            winreg.OpenKey(winreg.HKEY_CURRENT_USER, _RUN, access=right) as key,
        ):
            winreg.DeleteValue(key, _VALUE)

    def _unchangeable(self, problem: OSError) -> Message:
        return _unstartable(_RUN, problem)


def first_word(line: str) -> str:
    """Return the program of a command line as `list2cmdline` writes it."""
    if line.startswith('"'):
        return line[1:].partition('"')[0]
    return line.partition(" ")[0]


def _unstartable(place: Path | str, problem: OSError) -> Message:
    return Message(
        "Starting with the desktop cannot be changed in {file}: {problem}.",
        file=place,
        problem=problem,
    )


@contextlib.contextmanager
def _storage_errors(message: Callable[[OSError], Message]) -> Generator[None, None, None]:
    try:
        yield
    except OSError as exc:
        raise StorageError(message(exc), fix=Message("Check its owner and permissions.")) from exc


# The unit names no address, since the server reads its settings itself.
UNIT = "askance.service"
_SYSTEMCTL_S = 60.0
_EXEC = "ExecStart="
# Exit status 2 is wrong usage or settings, which trying again does not change. What needs a mount namespace
# (ProtectSystem, PrivateTmp) is left out: without privileges systemd gets one only by PrivateUsers, which
# hides who a file belongs to, and this program checks that. Pages are confined by the program itself.
_UNIT = """\
[Unit]
Description=Askance for other programs (MCP and OpenAI's API)

[Service]
Type=exec
{exec}{command}
Restart=on-failure
RestartSec=5
RestartPreventExitStatus=2
UMask=0077
NoNewPrivileges=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
SystemCallArchitectures=native

[Install]
WantedBy=default.target
"""


class ServerUnit(EntryFile):
    """The unit file below the user's settings. `systemctl` takes note of it, where there is one."""

    def __init__(self, environment: Mapping[str, str], home: Path, command: Sequence[str]) -> None:
        file = config_home(environment, home) / "systemd" / "user" / UNIT
        super().__init__(file, unit_text([*command, "serve"]).encode(), _unit_program)
        self._environment = environment

    def turn_on(self) -> None:
        """Start the server now and at each login.

        Raises:
            StorageError: the unit cannot be written.
            InputError: systemd does not take it; then there is none.
        """
        self.write()
        try:
            # systemd reads units once; without this it enables the one that it knew before.
            self._systemctl("daemon-reload")
            self._systemctl("enable", "--now", UNIT)
        except InputError:
            self._remove()
            raise

    def turn_off(self) -> None:
        """Stop the server, and remove the unit; nothing where there is none.

        Raises:
            StorageError: the unit cannot be removed.
        """
        if self._file.is_file():
            # Without systemd there is nothing to stop; the files are removed all the same.
            with suppress(InputError):
                self._systemctl("disable", "--now", UNIT)
            self._remove()
            with suppress(InputError):
                self._systemctl("daemon-reload")

    def _remove(self) -> None:
        with _storage_errors(self._unchangeable):
            # The link that `systemctl enable` made stays where systemd does not answer.
            (self._file.parent / "default.target.wants" / UNIT).unlink(missing_ok=True)
            self._file.unlink(missing_ok=True)

    def _systemctl(self, *arguments: str) -> None:
        program = shutil.which("systemctl", path=self._environment.get("PATH"))
        by_hand = Message("`askance serve` starts the server without it.")
        if program is None:
            raise InputError(Message("This system has no systemd."), fix=by_hand)
        try:
            done = subprocess.run(  # noqa: S603 - the system's own
                [program, "--user", *arguments],
                env=dict(self._environment),
                capture_output=True,
                timeout=_SYSTEMCTL_S,
                check=False,
            )
        except (OSError, subprocess.SubprocessError) as exc:
            problem = Message("systemd does not answer: {problem}.", problem=exc)
            raise InputError(problem, fix=by_hand) from exc
        if done.returncode:
            error = done.stderr.decode("utf-8", "replace").strip().rstrip(".")
            problem = Message("systemd refuses the unit: {problem}.", problem=error)
            raise InputError(problem, fix=by_hand)

    def _unchangeable(self, problem: OSError) -> Message:
        return Message(
            "The unit {file} cannot be changed: {problem}.", file=self._file, problem=problem
        )


def _unit_program(content: bytes) -> str:
    lines = content.decode("utf-8", "replace").splitlines()
    line = next((line for line in lines if line.startswith(_EXEC)), "")
    return first_quoted(line.removeprefix(_EXEC)).replace("%%", "%")


def unit_text(command: Sequence[str]) -> str:
    """Return the unit that runs a command."""
    return _UNIT.format(exec=_EXEC, command=" ".join(map(_quoted, command)))


def _quoted(part: str) -> str:
    """Return an argument as systemd.service(5) takes it."""
    text = part.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{text}"'


@dataclass(frozen=True, slots=True)
class SystemEntry:
    """An entry by which the system starts this program: autostart, the systemd unit, or the menu.

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
            AUTOSTART, autostart.place, autostart.program(), autostart.turn_on, autostart.turn_off
        )
    ]
    if sys.platform == "linux":
        unit = ServerUnit(environment, home, own_command(environment))
        entries += [
            menu_entry(environment, home),
            SystemEntry(SERVER, unit.place, unit.program(), unit.write, unit.turn_off),
        ]
    return entries


def menu_entry(environment: Mapping[str, str], home: Path) -> SystemEntry:
    """Return the entry in the menu of the desktop; that of a package is a command, too."""
    file, command = entry_file(environment, home), own_command(environment)
    program = started_program(_content(file).decode("utf-8", "replace"))

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
