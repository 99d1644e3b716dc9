"""How the bridge, the daemon and a second daemon meet: a lock, a socket of the user's own, one line each way.

Behind these two lines the socket carries what MCP writes to a standard stream, a message a line. The
bridge of `askance mcp` is started anew by each program, so this imports nothing that is heavy.
"""
# ruff: noqa: PTH118, PTH108

from __future__ import annotations

import json
import os
import socket
import sys

from askance import __version__
from askance.config.private_files import NotOurs, claim_folder, open_lock, try_lock
from askance.system.ipc import folder, is_ours

# What a type checker takes for true, without importing `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST_LINE = 4096
"""Bytes of one of the first lines at the most."""
SERVING, RETIRING, STAYS = "serving", "retiring", "stays"
"""What the daemon does after the first line: it serves; it makes room, since it was asked to or is of
another version; it does not make room, since a person has started it."""
HAS_SOCKETS = sys.platform != "win32"
"""Whether there are sockets in the file system; Python has none under Windows."""

_BACKLOG = 128


class DaemonReply:
    """What the daemon says first."""

    def __init__(self, line: bytes) -> None:
        """Raises ConnectionError: it is no such line."""
        try:
            fields = json.loads(line)
            self.version, self.state = str(fields["askance"]), str(fields["state"])
            self.process, self.url = int(fields["process"]), str(fields["url"])
        except (ValueError, TypeError, KeyError, RecursionError) as exc:
            raise ConnectionError("it did not understand") from exc


class DaemonLock:
    """The place of the one daemon of a user: whoever has the lock, and listens on the socket.

    A socket that is left over by one that was killed is taken away. `listener` is None under Windows.
    """

    def __init__(self, lock: int, where: str) -> None:
        self._lock: int | None = lock
        self._where = where
        self.listener: socket.socket | None = None
        if HAS_SOCKETS:
            assert sys.platform != "win32"
            _remove(self._where)
            listener = socket.socket(socket.AF_UNIX)
            try:
                listener.bind(self._where)
                listener.listen(_BACKLOG)
            except OSError:
                listener.close()
                raise
            self.listener = listener

    def give_up(self) -> None:
        """Let another daemon have the place. What is connected stays so."""
        if self._lock is None:
            return
        if self.listener is not None:
            self.listener.close()
            _remove(self._where)
        os.close(self._lock)
        self._lock = None


def acquire_lock(environment: Mapping[str, str]) -> DaemonLock | None:
    """Take the place of the daemon; None where another process has it.

    Raises:
        NotOurs: the folder of the socket belongs to another user.
        OSError: the folder, the lock or the socket cannot be made.
    """
    claim_folder(folder(environment))
    handle = open_lock(os.path.join(folder(environment), "server.lock"))
    try:
        if not try_lock(handle):
            os.close(handle)
            return None
        return DaemonLock(handle, address(environment))
    except OSError:
        os.close(handle)
        raise


def address(environment: Mapping[str, str]) -> str:
    """Return the path of the socket."""
    return os.path.join(folder(environment), "server.sock")


def connect(
    environment: Mapping[str, str], *, client: str = "", retire: bool = False, limit_s: float
) -> tuple[socket.socket, DaemonReply] | None:
    """Connect to the daemon, and return the socket with its first line; None where none is running.

    With `retire` it is asked to make room, and the socket is of no further use.

    Raises:
        NotOurs: its folder, or what listens there, belongs to another user; nothing was said to it.
        OSError: there is one, but it does not answer within `limit_s`, or not as it should.
    """
    if sys.platform == "win32":
        return None
    first = json.dumps({"askance": __version__, "client": client, "retire": retire}).encode()
    daemon = socket.socket(socket.AF_UNIX)
    try:
        claim_folder(folder(environment), make=False)
        daemon.settimeout(limit_s)
        daemon.connect(address(environment))
        if not is_ours(daemon):
            raise NotOurs("what listens there belongs to another user")
        daemon.sendall(first + b"\n")
        if line := _line(daemon):
            return daemon, DaemonReply(line)
        # It ended in the middle, or makes room for another one.
        daemon.close()
        return None  # noqa: TRY300
    except (FileNotFoundError, ConnectionRefusedError, ConnectionResetError, BrokenPipeError):
        daemon.close()
        return None
    except OSError:
        daemon.close()
        raise


def read_first_line(line: bytes) -> tuple[str, str, bool] | None:
    """Return the version, the client's name and whether to make room; None where it says nothing of it."""
    try:
        fields = json.loads(line)
        version, client, retire = fields["askance"], fields["client"], fields.get("retire", False)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    if not isinstance(version, str) or not isinstance(client, str):
        return None
    return version, client, retire is True


def answer(state: str, url: str) -> bytes:
    """Return the daemon's first line."""
    fields = {"askance": __version__, "state": state, "process": os.getpid(), "url": url}
    return json.dumps(fields).encode() + b"\n"


def _line(end: socket.socket) -> bytes:
    """Read one line, byte by byte: what comes behind it is not ours to read."""
    line = b""
    while not line.endswith(b"\n") and len(line) < LONGEST_LINE:
        byte = end.recv(1)
        if not byte:
            return b""
        line += byte
    return line


def _remove(file: str) -> None:
    try:  # noqa: SIM105 - contextlib takes too long to import
        os.unlink(file)
    except FileNotFoundError:
        pass
