"""What Qt finds in the environment, looked at before it starts: a screen, an input method, a platform theme."""

from __future__ import annotations

import ctypes
import re
import socket
import sys
from collections.abc import Callable, Generator, Mapping, MutableMapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread

from askance.config.sources import QT_VARIABLES, X11_VARIABLE
from askance.domain.messages import NOTHING, Message
from askance.system.desktops import desktops_of
from askance.system.qt_requirements import plugin_folder

# Whether there is a screen for a window: Qt aborts the process where there is none.

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
    """Whether there is a display, and with which variables Qt finds it; else why not, where that is known."""

    is_there: bool
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    problem: Message = NOTHING

    @property
    def why_not(self) -> str:
        """Why there is no display, and what can be done without one; "" where there is one."""
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
    folder = plugin_folder()
    if any(
        folder is None or any(folder.glob(f"platforms/*q{re.escape(name)}*")) for name in others
    ):
        return DisplayStatus(is_there=True)
    if others and len(others) == len(named):
        message = Message("Qt knows no {name} (QT_QPA_PLATFORM).", name=", ".join(others))
        return DisplayStatus(is_there=False, problem=message)
    there, problem = _displays(environment, probe or _probe)
    if not there:
        return DisplayStatus(is_there=False, problem=problem)
    wanted = {_WAYLAND if name.startswith(_WAYLAND) else name for name in named}
    is_as_wanted = not wanted or wanted & set(there)
    # Qt tries the named platform alone, and aborts where that is not there.
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
        # On Linux X servers listen in the abstract namespace, too, which a sandbox with a /tmp of
        # its own can still reach.
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

    # xproto.h has six numbers of 32 bits before the depth, six of 16, and two bytes.
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
            # The screen that the display's name ends with, as `1` of `:0.1`.
            for _ in range(min(number.value, screens.left - 1)):
                xcb.xcb_screen_next(ctypes.byref(screens))
            depths.append(screens.screen.contents.root_depth)
        xcb.xcb_disconnect(connection)
        done.set()

    # libxcb has no limit of its own; a thread that waits for ever does not keep the process.
    Thread(target=connect, daemon=True).start()
    done.wait(_FAR_S)
    return depths[0] if depths else None


# Through which plugin Qt speaks to the input method: fcitx5 has none in this program, and speaks
# as ibus.

_FCITX, _IBUS = "fcitx", "ibus"
_FOLDER = "platforminputcontexts"


@dataclass(frozen=True, slots=True)
class InputMethod:
    """What the environment asks of Qt, what is used, and the variables that let Qt use it."""

    asked: str
    used: str
    variables: Mapping[str, str]


def input_method(
    environment: Mapping[str, str],
    plugins: Path | None = None,
    system: str = sys.platform,
) -> InputMethod:
    """Return what Qt is to use. `plugins` is the folder of Qt's plugins.

    Where fcitx is asked for and Qt has no plugin for it, ibus takes its place, which fcitx5 speaks
    too. Without a word to Qt, what X11 programs are told counts under X11.
    """
    variable = next((name for name in QT_VARIABLES if environment.get(name)), "")
    if variable:
        asked = environment[variable]
    elif system.startswith("linux") and not environment.get("WAYLAND_DISPLAY"):
        variable = QT_VARIABLES[-1]
        # Such as `@im=fcitx`.
        asked = environment.get(X11_VARIABLE, "").rpartition("@im=")[2]
        asked = asked if asked.lower().startswith((_FCITX, _IBUS)) else ""
    else:
        asked = ""
    folders = [plugins or plugin_folder()]
    folders += [Path(path) for path in environment.get("QT_PLUGIN_PATH", "").split(":") if path]
    names = [name.strip() for name in asked.split(";") if name.strip()]
    used = [_plugin_of(name, [folder for folder in folders if folder]) for name in names]
    wanted = ";".join(dict.fromkeys(used))
    changed = wanted and environment.get(variable) != wanted
    return InputMethod(asked, wanted, {variable: wanted} if changed else {})


def _plugin_of(name: str, folders: list[Path]) -> str:
    if not name.lower().startswith(_FCITX):
        return name
    has_plugin = any(any(folder.glob(f"{_FOLDER}/lib*{_FCITX}*.so")) for folder in folders)
    return name if has_plugin else _IBUS


# Which of Qt's platform themes a program asks for: one that follows the desktop between light and dark.

_VARIABLE = "QT_QPA_PLATFORMTHEME"
# Desktops for which Qt has a theme of its own.
_KNOWN = frozenset({"kde", "gnome", "x-gnome", "unity", "mate", "cinnamon", "xfce", "lxde", "lxqt"})
# Its theme for GNOME listens to the settings portal. So does `xdgdesktopportal`, but that one waits for
# the portal, up to 25 s, before there is a window.
_THEME = "gnome"


def platform_theme(environment: Mapping[str, str], platform: str = sys.platform) -> str:
    """Return the name of the theme to ask for, "" where Qt chooses well by itself.

    Of the generic one, which Qt takes elsewhere (sway, labwc, Hyprland, i3), nobody hears whether the
    desktop is dark.
    """
    is_unix = platform not in {"win32", "darwin"}
    if not is_unix or environment.get(_VARIABLE) or _KNOWN.intersection(desktops_of(environment)):
        return ""
    return _THEME


def misses_changes(environment: Mapping[str, str]) -> bool:
    """Whether Qt misses that the desktop becomes light again, which the settings portal says.

    Its theme for KDE (6.11) reads the colors anew when the portal says that `ColorScheme` changed. For KDE's default
    scheme that entry is removed, of which the portal says nothing.
    """
    return "kde" in desktops_of(environment)


@contextmanager
def asked_for(theme: str, environment: MutableMapping[str, str]) -> Generator[None]:
    """Name the theme in the environment while Qt starts; what the program starts is not to hear of it."""
    if theme:
        environment[_VARIABLE] = theme
    try:
        yield
    finally:
        if theme:
            del environment[_VARIABLE]
