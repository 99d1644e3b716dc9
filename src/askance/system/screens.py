"""Whether there is a screen for a window, asked before Qt is: that aborts the process where there is none."""

from __future__ import annotations

import ctypes
import re
import socket
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread

from askance.domain.messages import NOTHING, Message
from askance.system.qt_libraries import plugin_folder

_PLATFORM = "QT_QPA_PLATFORM"
_X11, _WAYLAND = "xcb", "wayland"
_LOCAL_S, _FAR_S = 1.0, 3.0
# `:1`, `:1.0`, `unix:1`: displays of this machine, whose servers listen at a socket.
_LOCAL = re.compile(r"(?:unix)?:(\d{1,5})(?:\.\d{1,3})?")
# `localhost:10.0`, as ssh forwards one.
_FAR = re.compile(r"(?P<host>[^:/\s]{1,253}):(?P<number>\d{1,5})(?:\.\d{1,3})?")
_X11_PORT, _HIGHEST_PORT = 6000, 65_535
_LOOPBACK = frozenset({"localhost", "127.0.0.1"})

NO_SCREEN = (
    "There is no screen here for a window. `askance chat` talks in this terminal,"
    " `askance ask` answers one question."
)

Probe = Callable[[str], int | None]
"""How many bits of colour an X server has for a window: 0 where it lets nobody in, None where that is not
known."""
# With fewer Qt draws nothing, and writes a line about it for each thing that it does not draw.
_LEAST_DEPTH = 15


@dataclass(frozen=True, slots=True)
class DisplayStatus:
    """Whether there is one, and with which variables Qt finds it; else why not, where that is known."""

    is_there: bool
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    problem: Message = NOTHING

    @property
    def why_not(self) -> str:
        """Why there is none, and what can be done without one; "" where there is one."""
        return "" if self.is_there else " ".join(filter(None, (self.problem, NO_SCREEN)))


def find_screen(
    environment: Mapping[str, str],
    platform: str = sys.platform,
    *,
    probe: Probe | None = None,
) -> DisplayStatus:
    """Find what a window can be shown on.

    A platform of Qt's that is named and needs no display server is taken to be there. Where Wayland
    is named and only X11 answers, that is used, and the other way round.
    """
    if platform in {"win32", "darwin"}:
        return DisplayStatus(is_there=True)
    named = [name.partition(":")[0] for name in environment.get(_PLATFORM, "").split(";") if name]
    others = [name for name in named if name != _X11 and not name.startswith(_WAYLAND)]
    if any(_has_plugin(name, plugin_folder()) for name in others):
        return DisplayStatus(is_there=True)
    if others and len(others) == len(named):
        message = Message("Qt knows no {name} (QT_QPA_PLATFORM).", name=", ".join(others))
        return DisplayStatus(is_there=False, problem=message)
    there, problem = _displays(environment, probe or _probe)
    if not there:
        return DisplayStatus(is_there=False, problem=problem)
    wanted = {_WAYLAND if name.startswith(_WAYLAND) else name for name in named}
    is_as_wanted = not wanted or wanted & set(there)
    return DisplayStatus(is_there=True, variables={} if is_as_wanted else {_PLATFORM: there[0]})


def _displays(environment: Mapping[str, str], probe: Probe) -> tuple[list[str], Message]:
    """Return which display servers can be used, by Qt's names, and why one that answers cannot."""
    found: list[str] = []
    wayland = environment.get("WAYLAND_DISPLAY", "")
    # An absolute path replaces the folder.
    if wayland and _answers(str(Path(environment.get("XDG_RUNTIME_DIR", "/"), wayland))):
        found.append(_WAYLAND)
    display = environment.get("DISPLAY", "")
    depth = probe(display) if display and _listens(display) else 0
    if depth is None or depth >= _LEAST_DEPTH:
        found.append(_X11)
    elif depth:
        problem = Message(
            "The display {display} has {n} bits of colour; a window needs {least}.",
            display=display,
            n=depth,
            least=_LEAST_DEPTH,
        )
        return found, problem
    return found, NOTHING


def _listens(display: str) -> bool:
    """Whether something listens where an X server of that display does."""
    if local := _LOCAL.fullmatch(display):
        place = f"/tmp/.X11-unix/X{local[1]}"  # noqa: S108 - where X servers listen
        return _answers(f"\0{place}") or _answers(place)
    far = _FAR.fullmatch(display)
    if far is None:
        return True  # of a form that only X11 itself knows
    limit_s = _LOCAL_S if far["host"] in _LOOPBACK else _FAR_S
    port = _X11_PORT + int(far["number"])
    if port > _HIGHEST_PORT:
        return False
    with suppress(OSError), socket.create_connection((far["host"], port), timeout=limit_s):
        return True
    return False


def _answers(address: str) -> bool:
    if sys.platform == "win32":
        return False
    with socket.socket(socket.AF_UNIX) as asked:
        asked.settimeout(_LOCAL_S)
        try:
            asked.connect(address)
        except OSError:
            return False
        return True


class _XcbScreen(ctypes.Structure):
    """The beginning of `xcb_screen_t`, and of it what is read: the depth of the root window."""

    _fields_ = (("unread", ctypes.c_uint8 * 38), ("root_depth", ctypes.c_uint8))


class _XcbScreens(ctypes.Structure):
    _fields_ = (
        ("screen", ctypes.POINTER(_XcbScreen)),
        ("left", ctypes.c_int),
        ("index", ctypes.c_int),
    )


def _probe(display: str) -> int | None:
    """Connect as Qt does, which aborts where it is refused.

    Without the library nobody knows, nor where a server listens and does not answer.
    """
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return None
    xcb.xcb_connect.restype = ctypes.c_void_p
    xcb.xcb_connect.argtypes = [ctypes.c_char_p, ctypes.POINTER(ctypes.c_int)]
    xcb.xcb_get_setup.restype = ctypes.c_void_p
    xcb.xcb_setup_roots_iterator.argtypes = [ctypes.c_void_p]
    xcb.xcb_setup_roots_iterator.restype = _XcbScreens
    xcb.xcb_screen_next.argtypes = [ctypes.POINTER(_XcbScreens)]
    for call in (xcb.xcb_connection_has_error, xcb.xcb_disconnect, xcb.xcb_get_setup):
        call.argtypes = [ctypes.c_void_p]
    depths: list[int] = []
    done = Event()

    def connect() -> None:
        number = ctypes.c_int(0)
        connection = xcb.xcb_connect(display.encode(), ctypes.byref(number))
        if xcb.xcb_connection_has_error(connection):
            depths.append(0)
        else:
            screens = xcb.xcb_setup_roots_iterator(xcb.xcb_get_setup(connection))
            for _ in range(min(number.value, screens.left - 1)):
                xcb.xcb_screen_next(ctypes.byref(screens))
            depths.append(screens.screen.contents.root_depth)
        xcb.xcb_disconnect(connection)
        done.set()

    # libxcb has no limit of its own; a thread that waits for ever does not keep the process.
    Thread(target=connect, daemon=True).start()
    done.wait(_FAR_S)
    return depths[0] if depths else None


def _has_plugin(name: str, folder: Path | None) -> bool:
    return folder is None or any((folder / "platforms").glob(f"*q{re.escape(name)}*"))
