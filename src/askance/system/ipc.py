"""How another process reaches the window that is running: a socket of the user's own, one line each way.

`askance toggle` is bound to a key, so this imports `socket` and `json` and nothing that is heavier.
"""
# pathlib alone would cost a fifth of the time that a key press may take.
# ruff: noqa: PTH118, PTH120, PTH123

from __future__ import annotations

import json
import os
import socket
import struct
import sys

from askance.config.private_files import NotOurs, claim_folder, runtime_folder, temporary_folder

# What a type checker takes for true, without importing `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST_LINE = 4096
"""Bytes of a line at the most."""

TOGGLE = "toggle"
SHOW = "show"
ASKED = (TOGGLE, SHOW)
"""What can be asked of the window."""

DONE = "done"
_ELSEWHERE = "elsewhere"
_SCREENS = ("WAYLAND_DISPLAY", "DISPLAY")

# Unix sockets have 103 bytes on macOS and 107 on Linux; Qt makes the socket under a name that is
# nine bytes longer, and moves it.
_LONGEST_PATH = 90
_TOKEN = "XDG_ACTIVATION_TOKEN"  # noqa: S105 - the name of a variable
_PIPES = "\\\\.\\pipe\\"
# Who is at the other end: Linux's `struct ucred`, and the beginning of `struct xucred` of the BSDs
# and macOS, whose numbers the module `socket` does not name.
_UCRED = struct.Struct("3i")
_XUCRED = struct.Struct("2I")
_SOL_LOCAL, _LOCAL_PEERCRED = 0, 1


class ShownElsewhere(Exception):
    """The window is on another screen than the process that asked something of it."""

    def __init__(self, screen: str) -> None:
        super().__init__(screen)
        self.screen = screen


def folder(environment: Mapping[str, str]) -> str:
    """Return the folder of the socket and of the lock beside it. It need not exist."""
    chosen = runtime_folder(environment)
    if sys.platform != "win32" and len(os.fsencode(chosen)) > _LONGEST_PATH - len("/window.sock"):
        # Shorter, and derived from the long path, so that all processes find the same one.
        return temporary_folder({}, f"-{_digest(chosen)}")
    return chosen


def address(environment: Mapping[str, str]) -> str:
    """Return the path of the socket; under Windows, the name of the pipe."""
    if sys.platform == "win32":
        return f"askance-{_digest(folder(environment))}"
    return os.path.join(folder(environment), "window.sock")


def lock(environment: Mapping[str, str]) -> str:
    """Return the path of the file that only the running window has locked."""
    return os.path.join(folder(environment), "window.lock")


def ring(environment: Mapping[str, str], asked: str, *, limit_s: float) -> bool:
    """Ask something of the running window. False where none is running, or it ends just now.

    The desktop's permission to come to the front, if this process was given one, goes with it.

    Raises:
        NotOurs: its folder, or what listens there, belongs to another user; nothing was said to it.
        OSError: there is one, but it does not answer within `limit_s`, or not as it should.
        ShownElsewhere: it is on another screen. It has shown itself there if it was asked to, and else done nothing.
    """
    message = {
        "ask": asked,
        "activation": environment.get(_TOKEN, ""),
        "screens": screens(environment),
    }
    line = json.dumps(message).encode() + b"\n"
    try:
        reply = _exchange(address(environment), line, limit_s)
    except (FileNotFoundError, ConnectionRefusedError, ConnectionResetError, BrokenPipeError):
        return False
    if not reply:  # it hung up: a window that is there answers
        return False
    # Without the closing brace, since the object has a field for the screen, too.
    if reply.startswith(json.dumps({"answer": _ELSEWHERE}).encode()[:-1]):
        raise ShownElsewhere(json.loads(reply)["screen"])
    if reply != answer(DONE):
        raise ConnectionError("the window did not understand")
    return True


def is_ours(end: socket.socket) -> bool:
    """Whether the other end of a Unix socket is a process of this user; always so under Windows.

    Raises:
        OSError: the system does not tell.
    """
    if sys.platform == "win32":
        return True
    if sys.platform == "linux":
        credentials = end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _UCRED.size)
        _, user, _ = _UCRED.unpack(credentials)
    else:
        credentials = end.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, _XUCRED.size)
        _, user = _XUCRED.unpack(credentials)
    return user == os.geteuid()


def answer(word: str) -> bytes:
    """Return the line of the window's answer."""
    return json.dumps({"answer": word}).encode() + b"\n"


def read_question(line: bytes) -> tuple[str, str] | None:
    """Return what a line asks for, and the token that came with it; None where it asks nothing."""
    try:
        question = json.loads(line)
        asked, token = question["ask"], question.get("activation", "")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    if asked not in ASKED or not isinstance(token, str):
        return None
    return asked, token


def screens(environment: Mapping[str, str]) -> list[str]:
    """Return the screens on which a process of this environment shows itself, as they are named there."""
    found = [environment.get(name, "") for name in _SCREENS]
    return [screen.removeprefix("unix").removesuffix(".0") for screen in found if screen]


def answer_to(line: bytes, environment: Mapping[str, str]) -> bytes:
    """Return the answer of the window of this environment to a line that asks something.

    A process on another screen is told where the window is.
    """
    question: Mapping[str, list[str]] = json.loads(line)
    ours, theirs = screens(environment), question.get("screens")
    if not isinstance(theirs, list) or not _differ(ours, list(map(str, theirs))):
        return answer(DONE)
    return json.dumps({"answer": _ELSEWHERE, "screen": ours[0]}).encode() + b"\n"


def _differ(ours: list[str], theirs: list[str]) -> bool:
    """Whether two processes are on different screens for sure: one may know only X11's name, and one Wayland's."""
    if set(ours) & set(theirs):
        return False
    # X11's names have a colon, Wayland's none: only names of one kind can be compared.
    return any((":" in one) == (":" in other) for one in ours for other in theirs)


def _exchange(where: str, line: bytes, limit_s: float) -> bytes:
    if sys.platform == "win32":
        with open(_PIPES + where, "r+b", buffering=0) as pipe:
            pipe.write(line)
            return pipe.readline(LONGEST_LINE)
    # Before anything is sent: in another user's folder that user may listen.
    claim_folder(os.path.dirname(where), make=False)
    with socket.socket(socket.AF_UNIX) as window:
        window.settimeout(limit_s)
        window.connect(where)
        if not is_ours(window):
            raise NotOurs("what listens there belongs to another user")
        window.sendall(line)
        with window.makefile("rb") as reply:
            return reply.readline(LONGEST_LINE)


def _digest(text: str) -> str:
    import hashlib  # noqa: PLC0415 - few need it

    return hashlib.sha256(os.fsencode(text)).hexdigest()[:12]
