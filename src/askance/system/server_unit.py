"""`askance serve` as a service of the user's systemd: it starts at login, and again where it fails.

The unit names no address: the server reads its settings itself.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from askance.domain.errors import InputError, StorageError
from askance.domain.messages import Message
from askance.system.autostart import config_home
from askance.system.desktop_entry import first_quoted, write_for_all

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


class ServerUnit:
    """The unit file below the user's settings. `systemctl` takes note of it, where there is one."""

    def __init__(self, environment: Mapping[str, str], home: Path, command: Sequence[str]) -> None:
        self._environment = environment
        self._file = config_home(environment, home) / "systemd" / "user" / UNIT
        self._text = unit_text([*command, "serve"])

    @property
    def place(self) -> str:
        """Where the unit is."""
        return str(self._file)

    def program(self) -> str:
        """Return what the unit starts; empty where there is none."""
        try:
            lines = self._file.read_text("utf-8", "replace").splitlines()
        except OSError:
            return ""
        line = next((line for line in lines if line.startswith(_EXEC)), "")
        return first_quoted(line.removeprefix(_EXEC)).replace("%%", "%")

    def write(self) -> None:
        """Write the unit. Raises StorageError: it cannot be written."""
        try:
            write_for_all(self._file, self._text.encode())
        except OSError as exc:
            raise self._unchangeable(exc) from exc

    def turn_on(self) -> None:
        """Start the server now and at each login.

        Raises:
            StorageError: the unit cannot be written.
            InputError: systemd does not take it; then there is none.
        """
        self.write()
        try:
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
            # Where there is no systemd any more, what is left are files.
            with suppress(InputError):
                self._systemctl("disable", "--now", UNIT)
            self._remove()
            with suppress(InputError):
                self._systemctl("daemon-reload")

    def _remove(self) -> None:
        try:
            (self._file.parent / "default.target.wants" / UNIT).unlink(missing_ok=True)
            self._file.unlink(missing_ok=True)
        except OSError as exc:
            raise self._unchangeable(exc) from exc

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

    def _unchangeable(self, error: OSError) -> StorageError:
        return StorageError(
            Message(
                "The unit {file} cannot be changed: {problem}.", file=self._file, problem=error
            ),
            fix=Message("Check its owner and permissions."),
        )


def unit_text(command: Sequence[str]) -> str:
    """Return the unit that runs a command."""
    return _UNIT.format(exec=_EXEC, command=" ".join(map(_quoted, command)))


def _quoted(part: str) -> str:
    """Return an argument as systemd.service(5) takes it."""
    text = part.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{text}"'
