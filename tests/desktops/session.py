"""A session of its own: home, runtime folder, message bus, and every process that was started in it.

A mark in the environment is inherited by all that a session starts, by its bus and by its compositor
too. So nothing outlives it, not even what has a new process group.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from jeepney import DBusAddress, new_method_call
from jeepney.io.blocking import DBusConnection, open_dbus_connection
from jeepney.wrappers import unwrap_msg

from waiting import PATIENCE_S

_MARK = "DESKTOP_TEST_SESSION"
_LOOK_S = 0.05
_TAIL = 2000
_FONTS = Path(__file__).parents[1] / "fonts.conf"
_KEPT = ("PATH", "LD_LIBRARY_PATH")
# The services of this machine's desktops, which the bus starts when they are called.
_BUS = """\
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path={socket}</listen>
  <auth>EXTERNAL</auth>
  {services}
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"""
_BUS_ITSELF = ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")
_SERVICE = "[D-BUS Service]\nName={name}\nExec=/bin/false\n"


class Session:
    """The surroundings of one desktop. `environment` is that of all programs in it."""

    def __init__(self, folder: Path, *, desktop: str) -> None:
        self.folder = folder
        self.home, self.runtime, self.log = folder / "home", folder / "run", folder / "log"
        for place in (self.home, self.runtime, self.log):
            place.mkdir(mode=0o700)
        self.mark = secrets.token_hex(8)
        self.leaving = ExitStack()
        """What is closed when the session ends, before its processes are ended."""
        self._bus: DBusConnection | None = None
        self._children: list[subprocess.Popen[bytes]] = []
        self.environment = {name: os.environ[name] for name in _KEPT if name in os.environ} | {
            _MARK: self.mark,
            "HOME": str(self.home),
            "USER": "askance",
            "XDG_RUNTIME_DIR": str(self.runtime),
            "XDG_CURRENT_DESKTOP": desktop,
            "XDG_SESSION_DESKTOP": desktop.lower(),
            "XDG_SESSION_TYPE": "wayland",
            "DBUS_SESSION_BUS_ADDRESS": f"unix:path={self.runtime}/bus",
            "DBUS_SYSTEM_BUS_ADDRESS": f"unix:path={self.runtime}/system-bus",
            "LC_ALL": "C.UTF-8",
            "FONTCONFIG_FILE": str(_FONTS),
            "LIBGL_ALWAYS_SOFTWARE": "1",
            "NO_AT_BRIDGE": "0",
        }

    def start(
        self, name: str, command: Sequence[str], more: Mapping[str, str] | None = None
    ) -> subprocess.Popen[bytes]:
        """Start a program in the session. What it writes is kept in `log`, in a file of that name."""
        with (self.log / f"{name}.log").open("ab") as log:
            process = subprocess.Popen(  # noqa: S603
                list(command),
                env=self.environment | dict(more or {}),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self._children.append(process)
        return process

    def run(self, command: Sequence[str], *, may_fail: bool = False) -> str:
        """Run a program to its end, and return what it wrote."""
        done = subprocess.run(  # noqa: S603
            list(command),
            env=self.environment,
            capture_output=True,
            timeout=PATIENCE_S,
            check=False,
        )
        problem = done.stderr.decode(errors="replace")
        assert may_fail or done.returncode == 0, (command, problem)
        return done.stdout.decode()

    def start_bus(self, absent: Sequence[str]) -> None:
        """Start the session's bus. It starts what is installed when it is called, but for the names that
        are to be absent."""
        folder = self.folder / "services"
        folder.mkdir()
        for name in absent:
            (folder / f"{name}.service").write_text(_SERVICE.format(name=name), "utf-8")
        # The first that is found counts.
        written = f"<servicedir>{folder}</servicedir><standard_session_servicedirs/>"
        self._serve_bus("bus", written)
        # The machine's own would be asked for its power, its network and its users.
        self._serve_bus("system-bus", "")

    def _serve_bus(self, name: str, services: str) -> None:
        config, socket = self.folder / f"{name}.conf", self.runtime / name
        config.write_text(_BUS.format(socket=socket, services=services), "utf-8")
        daemon = shutil.which("dbus-daemon")
        assert daemon is not None
        process = self.start(name, [daemon, f"--config-file={config}", "--nofork"])
        until(socket.exists, "the bus did not come up", process)

    def call(
        self, name: str, path: str, interface: str, method: str, signature: str = "", *values: Any
    ) -> tuple[Any, ...]:
        """Call a method on the session's bus, and return the values of its reply."""
        if self._bus is None:
            self._bus = open_dbus_connection(self.environment["DBUS_SESSION_BUS_ADDRESS"])
            self.leaving.callback(self._bus.close)
        address = DBusAddress(path, name, interface)
        call = new_method_call(address, method, signature or None, values)
        return unwrap_msg(self._bus.send_and_get_reply(call, timeout=PATIENCE_S))

    def admit(self, name: str) -> None:
        """Let the bus start from now on what was absent."""
        (self.folder / "services" / f"{name}.service").unlink()
        self.call(*_BUS_ITSELF, "ReloadConfig")

    def tell_bus(self, names: Sequence[str]) -> None:
        """Give what the bus starts from now on these variables of the environment, too."""
        chosen = {name: self.environment[name] for name in names}
        self.call(*_BUS_ITSELF, "UpdateActivationEnvironment", "a{ss}", chosen)

    def has_name(self, name: str) -> bool:
        """Whether somebody on the bus has a name."""
        return bool(self.call(*_BUS_ITSELF, "NameHasOwner", "s", name)[0])

    def print_logs(self) -> None:
        """Print the end of what each program of the session wrote."""
        for file in sorted(self.log.iterdir()):
            print(f"--- {file.name}\n{file.read_text('utf-8', 'replace')[-_TAIL:]}")  # noqa: T201

    def processes(self) -> set[int]:
        """Return all processes that were started in the session and have not ended."""
        found: set[int] = set()
        entry = f"{_MARK}={self.mark}".encode()
        for file in Path("/proc").glob("[0-9]*/environ"):
            with suppress(OSError):
                if entry in file.read_bytes().split(b"\0"):
                    found.add(int(file.parent.name))
        return found

    def end(self) -> None:
        """End every process of the session: first asked, then by force."""
        try:
            self.leaving.close()
        finally:  # a server that has gone may not leave the others behind
            self._end_processes()

    def _end_processes(self) -> None:
        ends = time.monotonic() + PATIENCE_S / 20
        number = signal.SIGTERM
        while left := self.processes():
            for process in left:
                with suppress(ProcessLookupError):
                    os.kill(process, number)
            for child in self._children:
                child.poll()
            if time.monotonic() > ends:
                number = signal.SIGKILL
            time.sleep(_LOOK_S)
        for child in self._children:
            child.wait(PATIENCE_S)


@contextmanager
def session(*, desktop: str) -> Iterator[Session]:
    """Have a session. Its folder has a short name: a socket's path has 107 characters at most."""
    folder = Path(tempfile.mkdtemp(prefix="ad-"))
    found = Session(folder, desktop=desktop)
    # Who ends the tests ends them so, too: without a handler nothing here would be left.
    before = signal.signal(signal.SIGTERM, lambda *_: sys.exit("the tests were ended"))
    try:
        yield found
    except BaseException:
        found.print_logs()
        raise
    finally:
        found.end()
        signal.signal(signal.SIGTERM, before)
        if not os.environ.get("DESKTOP_TEST_KEEP"):
            shutil.rmtree(folder, ignore_errors=True)


def until(
    is_so: Callable[[], object], problem: str, process: subprocess.Popen[bytes] | None = None
) -> None:
    """Wait until something is so that nothing tells of; `process` must live meanwhile."""
    ends = time.monotonic() + PATIENCE_S
    while not is_so():
        assert process is None or process.poll() is None, f"{problem}: its process has ended"
        assert time.monotonic() < ends, problem
        time.sleep(_LOOK_S)
