"""How programs meet the daemon: the bridge of `askance mcp`, and the lock, the socket and the first lines of both.

`askance mcp` is what a program starts to speak MCP over standard streams, and it only copies. It connects to
the daemon, which it starts where none is running, and hands lines to and fro. Where the daemon ends, or is
killed, what was asked of it is answered with an error, and the next call is put to a new one: many programs
start a server once, and give it up for good where it ends. Nothing but protocol is written to the standard
output; sentences go to standard error.

Behind the first line of either side the socket carries what MCP writes to a standard stream, a message a line.
Each program starts a bridge of its own, and ten of them are to weigh nothing: this imports nothing that is heavy.
"""
# ruff: noqa: PTH118, PTH108

from __future__ import annotations

import json
import os
import select
import socket
import sys
from time import monotonic, sleep

from askance import __version__
from askance.config.private_files import NotOurs, claim_folder, open_lock, try_lock
from askance.system.ipc import folder, is_ours
from askance.system.program import detached_child_command, start_detached

# What a type checker takes for true, without importing `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from subprocess import Popen
    from typing import Any, TextIO

    Start = Callable[[Mapping[str, str]], Popen[bytes]]

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
    # The lock and not the socket decides: a socket stays in the folder when its owner is killed.
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
        # Nothing is sent to a socket in a folder that others could have written to.
        claim_folder(folder(environment), make=False)
        daemon.settimeout(limit_s)
        daemon.connect(address(environment))
        # And whoever listens there must be this user's process.
        if not is_ours(daemon):
            raise NotOurs("what listens there belongs to another user")
        daemon.sendall(first + b"\n")
        if line := _line(daemon):
            return daemon, DaemonReply(line)
        # It ended before it answered, or is making room for another one.
        daemon.close()
        return None  # noqa: TRY300
    # A socket that is left over refuses; one of a daemon that is ending breaks off.
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


# `askance mcp`: the bridge.

USAGE = "Usage: askance mcp [--client NAME]\nTry 'askance mcp --help' for help.\n"
DAEMON = "askance.server"
"""The module that is the daemon, for `python -m`."""

# A cold start on a slow disk takes seconds; a daemon that is busy for longer than this is stuck.
START_LIMIT_S = 60.0
ANSWER_LIMIT_S = 60.0
_AGAIN_S = 0.01
_CHUNK = 65_536
# A pipe that polls as writable takes so many bytes without blocking.
_WITHOUT_WAITING = getattr(select, "PIPE_BUF", 512)
_LONGEST_REASON = 2000
# Far above the daemon's own limit (`http.MAX_BODY_BYTES`), which has its own error.
_LONGEST_MESSAGE = 65 * 1_048_576
# The first is what the SDKs of MCP use, the second is JSON-RPC 2.0's.
_CONNECTION_CLOSED, _INVALID_REQUEST = -32000, -32600
_ENDED = "Askance's server ended before it answered. The next call starts it again: ask once more."
_RESUME_ID = "askance-bridge-again"
_INITIALIZED = b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n'


class _Failed(Exception):
    """There is no daemon to speak to. The text says why, in a sentence or two."""


def main(
    arguments: Sequence[str],
    environment: Mapping[str, str] = os.environ,
    *,
    start: Start | None = None,
    stdin: int = 0,
    stdout: int = 1,
    stderr: TextIO = sys.stderr,
) -> int:
    """Run the bridge until the client or the daemon ends; return the exit status.

    `arguments` are those after `mcp`; `stdin` and `stdout` are descriptors.
    """
    client = _client_in(arguments)
    if client is None:
        stderr.write(USAGE)
        return 2
    if not HAS_SOCKETS:
        stderr.write(
            "askance: `askance mcp` cannot be used over standard streams under Windows yet. Use "
            "`askance mcp --http`.\n"
        )
        return 1

    def connect_again() -> socket.socket:
        return _connected(environment, client, start or _start_daemon, of_any_version=True)

    try:
        daemon = _connected(environment, client, start or _start_daemon)
    except _Failed as exc:
        stderr.write(f"askance: {exc}\n")
        return 1
    except NotOurs as exc:
        stderr.write(
            f"askance: {folder(environment)} cannot be used to find the server: {exc}. "
            "Set ASKANCE_HOME or XDG_RUNTIME_DIR to a folder of your own.\n"
        )
        return 1
    except OSError as exc:
        stderr.write(f"askance: The server is running, but does not answer: {exc}. End it.\n")
        return 1
    except KeyboardInterrupt:
        return 130
    try:
        _LineRelay(daemon, connect_again, stdin, stdout, stderr).run()
    except KeyboardInterrupt:
        return 130
    return 0


def _client_in(arguments: Sequence[str]) -> str | None:
    """Return the name behind `--client`, "" without it; None where that is not what was typed."""
    match list(arguments):
        case []:
            return ""
        case ["--client", name] if name:
            return name
        case [one] if one.startswith("--client=") and one != "--client=":
            return one.partition("=")[2]
        case _:
            return None


def _connected(
    environment: Mapping[str, str], client: str, start: Start, *, of_any_version: bool = False
) -> socket.socket:
    """Connect to the daemon, and start it where there is none.

    What runs here may be older than what it starts, where it was installed anew meanwhile.
    """
    end = monotonic() + START_LIMIT_S
    started: Popen[bytes] | None = None
    while monotonic() < end:
        found = connect(environment, client=client, limit_s=ANSWER_LIMIT_S)
        if found is not None and (of_any_version or not _gives_way(environment, *found)):
            return found[0]
        if started is None:
            try:
                started = start(environment)
            except OSError as exc:
                raise _Failed(f"The server cannot be started: {exc}.") from exc
        # One that ended well has found another that came up before it; that may be ending, too.
        elif (status := started.poll()) is not None:
            if status:
                raise _Failed(_reason(started) or f"The server ended at once (status {status}).")
            started = None
        sleep(_AGAIN_S)
    raise _Failed(f"The server did not come up within {START_LIMIT_S:g} s.")


def _gives_way(environment: Mapping[str, str], daemon: socket.socket, reply: DaemonReply) -> bool:
    """Ask a daemon of another version to make room, and return whether it does."""
    if reply.version == __version__:
        return False
    asked = connect(environment, retire=True, limit_s=ANSWER_LIMIT_S)
    if asked is not None:
        asked[0].close()
        if asked[1].state != RETIRING:
            return False
    daemon.close()
    return True


def _start_daemon(environment: Mapping[str, str]) -> Popen[bytes]:
    return start_detached(
        detached_child_command(DAEMON, environment), environment, hears_errors=True
    )


def _reason(ended: Popen[bytes]) -> str:
    """Return what a daemon said that did not come up."""
    if ended.stderr is None:
        return ""
    with ended.stderr as stderr:
        text = stderr.read(_LONGEST_REASON).decode(errors="replace").strip()
    return text.removeprefix("askance: ")


class _OpenRequests:
    """What the client has asked for and was not answered yet, and how it began."""

    def __init__(self) -> None:
        # The client's `initialize` request, in the older revisions of MCP.
        self.hello: dict[str, Any] | None = None
        self._open: dict[str, dict[str, Any]] = {}

    def receive(self, line: bytes) -> str:
        """Take in what the client says, and return what it is known by where it wants an answer, else ""."""
        message = _read(line)
        method = message.get("method")
        if method == "notifications/cancelled":
            params: Any = message.get("params") or {}
            cancelled = params.get("requestId") if hasattr(params, "get") else None
            self._open.pop(json.dumps(cancelled), None)
        if method is None or "id" not in message:
            return ""
        key = json.dumps(message["id"])
        # Of other requests the id is enough.
        self._open[key] = message if method == "initialize" else {}
        return key

    def answered(self, line: bytes) -> None:
        """Take in what the daemon says."""
        message = _read(line)
        if "id" in message and "method" not in message:
            asked = self._open.pop(json.dumps(message["id"]), None)
            if asked and "result" in message:
                self.hello = asked

    def give_up(self, why: str) -> bytes:
        """Return what the client is sent instead of answers."""
        # No call is made again by itself: it may have been done (decision 37).
        errors = b"".join(_error(key, _CONNECTION_CLOSED, why) for key in self._open)
        self._open.clear()
        return errors


class _LineRelay:
    """Copies lines between the client and the daemon. What comes is read once there is room for it."""

    def __init__(
        self,
        daemon: socket.socket,
        connect_again: Callable[[], socket.socket],
        stdin: int,
        stdout: int,
        stderr: TextIO,
    ) -> None:
        daemon.setblocking(False)
        self._daemon: socket.socket | None = daemon
        self._connect_again = connect_again
        self._stdin, self._stdout, self._stderr = stdin, stdout, stderr
        self._asked = _OpenRequests()
        # Whole lines that are to be written, and the beginnings of others.
        self._up, self._down = bytearray(), bytearray()
        self._client_line, self._daemon_line = bytearray(), bytearray()
        self._is_too_long = self._client_ended = False

    def run(self) -> None:
        """Copy until the client ends. The daemon sees the end of the stream and cancels; what it still writes is copied."""
        try:
            while self._daemon is not None or not self._client_ended or self._down:
                self._step()
        # The client has closed its end.
        except BrokenPipeError:
            pass
        finally:
            if self._daemon is not None:
                self._daemon.close()

    def _step(self) -> None:
        assert sys.platform != "win32"
        daemon = self._daemon
        reads = not self._client_ended and not self._up
        watched = [(self._stdin, reads, False), (self._stdout, False, bool(self._down))]
        if daemon is not None:
            # Read only once what came before is passed on: a slow side slows the other down.
            watched.append((daemon.fileno(), not self._down, bool(self._up)))
        poll = select.poll()
        for descriptor, is_read, is_written in watched:
            # What nothing is wanted of is not watched at all: its end would be reported for ever.
            if events := is_read * select.POLLIN | is_written * select.POLLOUT:
                poll.register(descriptor, events)
        ready = {descriptor for descriptor, _ in poll.poll()}
        if daemon is not None and daemon.fileno() in ready and self._daemon_ended(daemon):
            self._lose(daemon)
        if reads and self._stdin in ready:
            self._receive_client()
        if self._down and self._stdout in ready:
            try:
                del self._down[: os.write(self._stdout, self._down[:_WITHOUT_WAITING])]
            except OSError as exc:
                raise BrokenPipeError from exc

    def _receive_client(self) -> None:
        chunk = os.read(self._stdin, _CHUNK)
        self._client_line += chunk
        if not chunk:
            self._client_ended = True
            if self._client_line:
                self._pass_on(bytes(self._client_line))
            if self._daemon is not None and not self._up:
                self._daemon.shutdown(socket.SHUT_WR)
            return
        for line in _lines_off(self._client_line):
            # The end of a line that was too long.
            if self._is_too_long:
                self._is_too_long = False
            else:
                self._pass_on(line)
        # The rest of the line is skipped, up to the beginning of the next message.
        if len(self._client_line) > _LONGEST_MESSAGE:
            self._client_line.clear()
            if not self._is_too_long:
                self._down += _error("null", _INVALID_REQUEST, "The message is too long.")
            self._is_too_long = True

    def _pass_on(self, line: bytes) -> None:
        """Have a line written to the daemon; where there is none any more, a request brings another up."""
        asked = self._asked.receive(line)
        if self._daemon is None and asked:
            try:
                self._daemon = self._again()
            except (_Failed, NotOurs, OSError) as exc:
                self._down += self._asked.give_up(f"Askance's server cannot be reached: {exc}")
        # Without a daemon, notifications are dropped.
        if self._daemon is not None:
            self._up += line

    def _again(self) -> socket.socket:
        """Connect to a new daemon, and begin with it as the client has begun with the one before.

        Raises:
            _Failed: it does not come up, or does not take the conversation up.
            NotOurs: its folder belongs to another user.
            OSError: it does not answer.
        """
        daemon = self._connect_again()
        try:
            # In revisions with `initialize` the server keeps what was negotiated.
            if self._asked.hello is not None:
                # With an id of ours: the client has its answer already, and must not get another one.
                hello = {**self._asked.hello, "id": _RESUME_ID}
                daemon.sendall(json.dumps(hello).encode() + b"\n")
                _take_up(daemon)
                daemon.sendall(_INITIALIZED)
            daemon.setblocking(False)
        except (_Failed, OSError):
            daemon.close()
            raise
        return daemon

    def _daemon_ended(self, daemon: socket.socket) -> bool:
        try:
            if self._up:
                del self._up[: daemon.send(self._up)]
                # Only when all is sent: a closed sending side tells the daemon to cancel.
                if self._client_ended and not self._up:
                    daemon.shutdown(socket.SHUT_WR)
        except BlockingIOError:
            pass
        # It has ended; what it sent before can still be read.
        except OSError:
            self._up.clear()
        if self._down:
            return False
        try:
            chunk = daemon.recv(_CHUNK)
        except BlockingIOError:
            return False
        except OSError:
            return True
        self._daemon_line += chunk
        for line in _lines_off(self._daemon_line):
            self._asked.answered(line)
            self._down += line
        return not chunk

    def _lose(self, daemon: socket.socket) -> None:
        """Go on without a daemon: what it was asked will not be answered."""
        daemon.close()
        self._daemon = None
        self._up.clear()
        self._daemon_line.clear()
        if not self._client_ended:
            self._down += self._asked.give_up(_ENDED)
            self._stderr.write("askance: The server ended. The next call starts it again.\n")


def _take_up(daemon: socket.socket) -> None:
    """Wait for the answer to what the conversation is begun with again."""
    received = bytearray()
    while chunk := daemon.recv(_CHUNK):
        received += chunk
        for line in _lines_off(received):
            message = _read(line)
            if message.get("id") == _RESUME_ID:
                if "result" in message:
                    return
                raise _Failed("It does not take the conversation up again.")
    raise _Failed("It ended at once.")


def _lines_off(gathered: bytearray) -> list[bytes]:
    """Take the whole lines off the front of what was gathered."""
    end = gathered.rfind(b"\n") + 1
    lines = bytes(gathered[:end]).split(b"\n")[:-1]
    del gathered[:end]
    return [line + b"\n" for line in lines]


def _read(line: bytes) -> dict[str, Any]:
    """Return a message; {} of what is none that can be parsed."""
    try:
        message: dict[str, Any] = json.loads(line)
        return message if hasattr(message, "keys") else {}
    except (ValueError, RecursionError):
        return {}


def _error(key: str, code: int, why: str) -> bytes:
    error = json.dumps({"code": code, "message": why})
    return f'{{"jsonrpc": "2.0", "id": {key}, "error": {error}}}\n'.encode()
