"""`askance mcp`: what a program starts to speak MCP over standard streams, and which only copies.

It connects to the daemon, which it starts where none is running, and hands bytes to and fro. Nothing but
protocol is written to the standard output; sentences go to standard error. It stands beside the command
line, not in it: each program starts one, and ten of them are to weigh nothing.
"""

from __future__ import annotations

import os
import select
import socket
import sys
from time import monotonic, sleep

from askance import __version__
from askance.adapters.desktop.ipc import folder
from askance.adapters.system.program import child_command, start_detached
from askance.config.private_files import NotOurs
from askance.server.ipc import HAS_SOCKETS, RETIRING, Answer, connect

# What a type checker takes for true, without importing `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from subprocess import Popen
    from typing import TextIO

    Start = Callable[[Mapping[str, str]], Popen[bytes]]

USAGE = "Usage: askance mcp [--client NAME]\nTry 'askance mcp --help' for help.\n"
DAEMON = "askance.server"
"""The module that is the daemon, for `python -m`."""

# A cold start on a slow disk takes seconds; a daemon that is busy for longer than this is stuck.
START_LIMIT_S = 60.0
ANSWER_LIMIT_S = 60.0
_AGAIN_S = 0.01
_CHUNK = 65_536
# So much can be written without waiting to a pipe that takes something (POSIX).
_WITHOUT_WAITING = getattr(select, "PIPE_BUF", 512)
_LONGEST_REASON = 2000


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
    with daemon:
        try:
            is_over = _Copying(daemon, stdin, stdout).run()
        except KeyboardInterrupt:
            return 130
    if not is_over:
        stderr.write("askance: The server ended. The next connection starts it again.\n")
        return 1
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


def _connected(environment: Mapping[str, str], client: str, start: Start) -> socket.socket:
    """Connect to the daemon, and start it where there is none."""
    end = monotonic() + START_LIMIT_S
    started: Popen[bytes] | None = None
    while monotonic() < end:
        found = connect(environment, client=client, limit_s=ANSWER_LIMIT_S)
        if found is not None and not _gives_way(environment, *found):
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


def _gives_way(environment: Mapping[str, str], daemon: socket.socket, said: Answer) -> bool:
    """Ask a daemon of another version to make room, and return whether it does."""
    if said.version == __version__:
        return False
    asked = connect(environment, retire=True, limit_s=ANSWER_LIMIT_S)
    if asked is not None:
        asked[0].close()
        if asked[1].state != RETIRING:
            return False
    daemon.close()
    return True


def _start_daemon(environment: Mapping[str, str]) -> Popen[bytes]:
    return start_detached(child_command(DAEMON), environment, hears_errors=True)


def _reason(ended: Popen[bytes]) -> str:
    """Return what a daemon said that did not come up."""
    if ended.stderr is None:
        return ""
    with ended.stderr as said:
        text = said.read(_LONGEST_REASON).decode(errors="replace").strip()
    return text.removeprefix("askance: ")


class _Copying:
    """Copies both ways between the client and the daemon. What comes is read once there is room for it."""

    def __init__(self, daemon: socket.socket, stdin: int, stdout: int) -> None:
        daemon.setblocking(False)
        self._daemon, self._stdin, self._stdout = daemon, stdin, stdout
        self._poll = select.poll()
        self._up, self._down = bytearray(), bytearray()
        self._client_ended = False

    def run(self) -> bool:
        """Copy until one side ends; return whether it was the client's.

        At its end the daemon is told, and what it still says is copied: it cancels what was asked for.
        """
        while True:
            self._watch(self._daemon.fileno(), reads=not self._down, writes=bool(self._up))
            reads = not self._client_ended and not self._up
            self._watch(self._stdin, reads=reads, writes=False)
            self._watch(self._stdout, reads=False, writes=bool(self._down))
            ready = {descriptor for descriptor, _ in self._poll.poll()}
            try:
                if reads and self._stdin in ready:
                    self._hear_client()
                if self._daemon.fileno() in ready and self._daemon_ended():
                    return self._client_ended
            except OSError:  # the daemon is gone in the middle
                return self._client_ended
            if self._down and self._stdout in ready:
                try:
                    del self._down[: os.write(self._stdout, self._down[:_WITHOUT_WAITING])]
                except OSError:  # nobody reads it any more
                    return True

    def _hear_client(self) -> None:
        self._up += os.read(self._stdin, _CHUNK)
        if not self._up:
            self._client_ended = True
            self._daemon.shutdown(socket.SHUT_WR)

    def _daemon_ended(self) -> bool:
        try:
            if self._up:
                del self._up[: self._daemon.send(self._up)]
            if self._down:
                return False
            said = self._daemon.recv(_CHUNK)
        except BlockingIOError:
            return False
        self._down += said
        return not said

    def _watch(self, descriptor: int, *, reads: bool, writes: bool) -> None:
        """Have a descriptor watched for what is wanted of it: not at all, where that is nothing."""
        events = (select.POLLIN if reads else 0) | (select.POLLOUT if writes else 0)
        if events:
            self._poll.register(descriptor, events)
            return
        try:  # noqa: SIM105 - contextlib takes too long to import
            self._poll.unregister(descriptor)
        except KeyError:
            pass
