"""What Qt finds in the environment, looked at before it starts: a screen, an input method, a platform theme; and what it
needs of the system: libraries, and fonts for scripts, which of them are missing, and what installs them.

Where a library of its platform plugin is missing, Qt aborts the process with advice that names another. So the
plugin is loaded with dlopen before Qt does it. Without a font for a script, Qt draws boxes and says nothing:
`fc-list` is asked where Qt is not there to be asked. Only systems with fontconfig lack such fonts.
"""

from __future__ import annotations

import ctypes
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable, Collection, Generator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import Event, Thread

from askance.config.sources import QT_VARIABLES, X11_VARIABLE
from askance.domain.messages import NOTHING, Message
from askance.system.desktops import desktops_of
from askance.text.languages.scripts import ARABIC, DEVANAGARI, HAN, HANGUL, HEBREW, KANA, THAI

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

Probe = Callable[[str], bool]
"""Whether an X server lets us in, as far as is known."""


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
    there = _displays(environment, probe or _probe)
    if not there:
        return DisplayStatus(is_there=False)
    wanted = {_WAYLAND if name.startswith(_WAYLAND) else name for name in named}
    is_as_wanted = not wanted or wanted & set(there)
    # Qt tries the named platform alone, and aborts where that is not there.
    return DisplayStatus(is_there=True, variables={} if is_as_wanted else {_PLATFORM: there[0]})


def _displays(environment: Mapping[str, str], probe: Probe) -> list[str]:
    """Return which display servers can be used, by Qt's names."""
    found: list[str] = []
    wayland = environment.get("WAYLAND_DISPLAY", "")
    # An absolute path replaces the folder.
    if wayland and _answers(str(Path(environment.get("XDG_RUNTIME_DIR", "/"), wayland))):
        found.append(_WAYLAND)
    display = environment.get("DISPLAY", "")
    if display and _listens(display) and probe(display):
        found.append(_X11)
    return found


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


def _probe(display: str) -> bool:
    """Connect as Qt does, which aborts where it is refused.

    True where nobody knows: without the library, or where a server listens and does not answer.
    """
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return True
    xcb.xcb_connect.restype = ctypes.c_void_p
    xcb.xcb_connect.argtypes = [ctypes.c_char_p, ctypes.POINTER(ctypes.c_int)]
    for call in (xcb.xcb_connection_has_error, xcb.xcb_disconnect):
        call.argtypes = [ctypes.c_void_p]
    refused = Event()
    done = Event()

    def connect() -> None:
        connection = xcb.xcb_connect(display.encode(), None)
        if xcb.xcb_connection_has_error(connection):
            refused.set()
        xcb.xcb_disconnect(connection)
        done.set()

    # libxcb has no limit of its own; a thread that waits for ever does not keep the process.
    Thread(target=connect, daemon=True).start()
    done.wait(_FAR_S)
    return not refused.is_set()


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


# Which libraries of the system Qt lacks, and which fonts for scripts.

Load = Callable[[str], object]
"""Loads a library by its path or name. Raises OSError as dlopen fails."""
Which = Callable[[str], str | None]

_PLUGINS = {_X11: "libqxcb.so", _WAYLAND: "libqwayland.so"}
# `libEGL.so.1: cannot open shared object file`, sometimes with the folder before it.
_NAMED = re.compile(
    r"(?:^|[\s/])(?P<library>[\w+-]+(?:\.\d+)*\.so[\w.]*): "
    r"(?:cannot open shared object file|file too short|invalid ELF|wrong ELF)"
)

# What installs packages, and the packages of Debian and Ubuntu, Fedora, Arch.
_INSTALLERS = (
    ("apt", "sudo apt install"),
    ("dnf", "sudo dnf install"),
    ("pacman", "sudo pacman -S"),
)
_QT = {
    "libEGL.so.1": ("libegl1", "libglvnd-egl", "libglvnd"),
    "libGL.so.1": ("libgl1", "libglvnd-glx", "libglvnd"),
    "libX11.so.6": ("libx11-6", "libX11", "libx11"),
    "libbrotlicommon.so.1": ("libbrotli1", "libbrotli", "brotli"),
    "libbrotlidec.so.1": ("libbrotli1", "libbrotli", "brotli"),
    "libdbus-1.so.3": ("libdbus-1-3", "dbus-libs", "dbus"),
    "libfontconfig.so.1": ("libfontconfig1", "fontconfig", "fontconfig"),
    "libfreetype.so.6": ("libfreetype6", "freetype", "freetype2"),
    "libglib-2.0.so.0": ("libglib2.0-0", "glib2", "glib2"),
    "libgssapi_krb5.so.2": ("libgssapi-krb5-2", "krb5-libs", "krb5"),
    "libgthread-2.0.so.0": ("libglib2.0-0", "glib2", "glib2"),
    "libxkbcommon.so.0": ("libxkbcommon0", "libxkbcommon", "libxkbcommon"),
    "libz.so.1": ("zlib1g", "zlib", "zlib"),
    "libzstd.so.1": ("libzstd1", "libzstd", "zstd"),
}
_PACKAGES: dict[str, dict[str, tuple[str, str, str]]] = {
    _X11: {
        **_QT,
        "libX11-xcb.so.1": ("libx11-xcb1", "libX11-xcb", "libx11"),
        "libxcb-cursor.so.0": ("libxcb-cursor0", "xcb-util-cursor", "xcb-util-cursor"),
        "libxcb-icccm.so.4": ("libxcb-icccm4", "xcb-util-wm", "xcb-util-wm"),
        "libxcb-image.so.0": ("libxcb-image0", "xcb-util-image", "xcb-util-image"),
        "libxcb-keysyms.so.1": ("libxcb-keysyms1", "xcb-util-keysyms", "xcb-util-keysyms"),
        "libxcb-randr.so.0": ("libxcb-randr0", "libxcb", "libxcb"),
        "libxcb-render-util.so.0": (
            "libxcb-render-util0",
            "xcb-util-renderutil",
            "xcb-util-renderutil",
        ),
        "libxcb-render.so.0": ("libxcb-render0", "libxcb", "libxcb"),
        "libxcb-shape.so.0": ("libxcb-shape0", "libxcb", "libxcb"),
        "libxcb-shm.so.0": ("libxcb-shm0", "libxcb", "libxcb"),
        "libxcb-sync.so.1": ("libxcb-sync1", "libxcb", "libxcb"),
        "libxcb-util.so.1": ("libxcb-util1", "xcb-util", "xcb-util"),
        "libxcb-xfixes.so.0": ("libxcb-xfixes0", "libxcb", "libxcb"),
        "libxcb-xkb.so.1": ("libxcb-xkb1", "libxcb", "libxcb"),
        "libxcb.so.1": ("libxcb1", "libxcb", "libxcb"),
        "libxkbcommon-x11.so.0": ("libxkbcommon-x11-0", "libxkbcommon-x11", "libxkbcommon-x11"),
    },
    _WAYLAND: {
        **_QT,
        "libwayland-client.so.0": ("libwayland-client0", "libwayland-client", "wayland"),
        "libwayland-cursor.so.0": ("libwayland-cursor0", "libwayland-cursor", "wayland"),
    },
}


@dataclass(frozen=True, slots=True)
class MissingLibraries:
    """Libraries by the names that the loader knows, and the command that installs them, if known."""

    names: tuple[str, ...]
    command: str = ""

    @property
    def problem(self) -> Message:
        """What is missing."""
        lacking = Message.joined(*self.names, by=", ")
        return Message("The window needs what this system lacks: {lacking}.", lacking=lacking)

    @property
    def fix(self) -> Message:
        """What to type; nothing where the packages are not known."""
        return Message("Install it: `{command}`", command=self.command) if self.command else NOTHING

    def __str__(self) -> str:
        """Return it as one sentence, and what to type on a line of its own."""
        return "\n".join(filter(None, (self.problem, self.fix)))


def platforms(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return which of its platform plugins Qt tries on a desktop of Linux, in order.

    Those that need no display server are left out: they are wanted by name, and need nothing.
    """
    # Such as `wayland;xcb`, or `wayland-egl:option`: names with semicolons between, an option
    # behind a colon.
    if wanted := environment.get("QT_QPA_PLATFORM"):
        named = (one.partition(":")[0] for one in wanted.split(";"))
        found = [_WAYLAND if name.startswith(_WAYLAND) else name for name in named]
        return tuple(dict.fromkeys(found)) if set(found) <= _PLUGINS.keys() else ()
    displays = ((_WAYLAND, "WAYLAND_DISPLAY"), (_X11, "DISPLAY"))
    return tuple(name for name, variable in displays if environment.get(variable))


def missing_libraries(
    environment: Mapping[str, str],
    *,
    load: Load = ctypes.CDLL,
    which: Which = shutil.which,
    plugins: Path | None = None,
    system: str = sys.platform,
) -> MissingLibraries | None:
    """Return what must be installed before Qt can show a window; None if it can, or if nobody knows.

    It is enough that one of the plugins can be loaded that Qt tries. `plugins` is their folder.
    """
    folder = plugins or _folder()
    tried = platforms(environment) if system.startswith("linux") else ()
    lacking: list[str] = []
    for platform in tried:
        file = folder / _PLUGINS[platform] if folder else None
        if file is None or not file.is_file():
            return None
        named = _lacking(load, str(file))
        if not named:
            return None
        if not lacking:
            # The loader names one library and stops there: all others are tried, so that one
            # command is enough.
            known = (name for name in _PACKAGES[platform] if _lacking(load, name))
            lacking = sorted({named, *known})
    return _to_install(lacking, which) if lacking else None


def missing_from(error: ImportError, environment: Mapping[str, str]) -> MissingLibraries | None:
    """Return what must be installed before Qt can be imported; None if no library is the reason."""
    found = _NAMED.search(str(error))
    if found is None:
        return None
    others = missing_libraries(environment)
    names = {found["library"], *(others.names if others else ())}
    return _to_install(sorted(names), shutil.which)


def plugin_folder() -> Path | None:
    """Return the folder of the plugins that come with PySide6, which is not imported."""
    spec = find_spec("PySide6")
    places = (spec.submodule_search_locations if spec else None) or []
    return next((Path(place, "Qt", "plugins") for place in places), None)


def _folder() -> Path | None:
    folder = plugin_folder()
    return folder / "platforms" if folder else None


def _lacking(load: Load, library: str) -> str:
    """Return what must be there for a library to be loaded, itself or another one; "" if nothing."""
    try:
        load(library)
    except OSError as exc:
        # No package is known for other errors, such as a missing symbol or version.
        found = _NAMED.search(str(exc))
        return found["library"] if found else ""
    return ""


def _to_install(names: Sequence[str], which: Which) -> MissingLibraries:
    packages = {**_PACKAGES[_X11], **_PACKAGES[_WAYLAND]}
    known = [packages[name] for name in names if name in packages]
    return MissingLibraries(tuple(names), _command_for(known, which))


def _command_for(packages: Sequence[tuple[str, str, str]], which: Which) -> str:
    """Return the command that installs packages here, "" where there are none or nothing does."""
    for column, (program, command) in enumerate(_INSTALLERS):
        if packages and which(program):
            return f"{command} {' '.join(sorted({row[column] for row in packages}))}"
    return ""


_LIMIT_S = 5.0
# The packages of Debian and Ubuntu, Fedora, Arch.
_CJK = ("fonts-noto-cjk", "google-noto-sans-cjk-vf-fonts", "noto-fonts-cjk")
_OTHER = ("fonts-noto-core", "google-noto-sans-vf-fonts", "noto-fonts")


@dataclass(frozen=True, slots=True)
class FontScript:
    """A script: a language that is written in it, as in `presentation.answers.LANGUAGES`, and its characters.

    `codes` are the languages by which fontconfig knows its fonts: one is enough.
    """

    name: Message
    characters: re.Pattern[str]
    codes: tuple[str, ...]
    packages: tuple[str, str, str] = _OTHER


# Fonts for Japanese have most of these characters, too: in other shapes, but no boxes.
CHINESE = FontScript(Message("Chinese"), re.compile(f"[{HAN}]"), ("zh-cn", "zh-tw", "ja"), _CJK)
JAPANESE = FontScript(Message("Japanese"), re.compile(f"[{KANA}]"), ("ja",), _CJK)
KOREAN = FontScript(Message("Korean"), re.compile(f"[{HANGUL}]"), ("ko",), _CJK)
SCRIPTS = (
    CHINESE,
    JAPANESE,
    KOREAN,
    FontScript(Message("Arabic"), re.compile(f"[{ARABIC}]"), ("ar",)),
    FontScript(Message("Hebrew"), re.compile(f"[{HEBREW}]"), ("he",)),
    FontScript(Message("Hindi"), re.compile(f"[{DEVANAGARI}]"), ("hi",)),
    FontScript(Message("Thai"), re.compile(f"[{THAI}]"), ("th",)),
)

HasFont = Callable[[str], bool]
"""Whether there is a font for a language, by its code."""


def scripts_in(text: str) -> list[FontScript]:
    """Return the scripts of which a text has any character."""
    return [script for script in SCRIPTS if script.characters.search(text)]


def without_font(scripts: Sequence[FontScript], has_font: HasFont) -> list[FontScript]:
    """Return those scripts that no font of this system has."""
    return [script for script in scripts if not any(map(has_font, script.codes))]


def font_problem(lacking: Collection[FontScript]) -> Message:
    """Say what this system has no font for."""
    names = Message.joined(*(script.name for script in lacking), by=", ")
    return Message("This system has no font for {names}, and shows boxes instead.", names=names)


def font_fix(
    lacking: Sequence[FontScript], which: Which = shutil.which, platform: str = sys.platform
) -> Message:
    """Say what installs such fonts; nothing where that is not known."""
    if not platform.startswith("linux"):
        return NOTHING
    command = _command_for([script.packages for script in lacking], which)
    return Message("Install it: `{command}`", command=command) if command else NOTHING


def fonts_of_system() -> HasFont | None:
    """Return what fontconfig knows of fonts; None where it cannot be asked."""
    program = shutil.which("fc-list")
    if program is None:
        return None

    @cache
    def languages() -> frozenset[str] | None:
        asked = [program, "--format", "%{lang}|"]
        try:
            listed = subprocess.run(asked, capture_output=True, timeout=_LIMIT_S, check=True)  # noqa: S603
        except (OSError, subprocess.SubprocessError):
            return None  # nobody knows
        return frozenset(listed.stdout.decode(errors="replace").split("|"))

    def has_font(code: str) -> bool:
        known = languages()
        return known is None or code in known

    return has_font
