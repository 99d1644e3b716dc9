"""What Qt needs of the system: libraries, and fonts for scripts; which are missing, and what installs them.

Where a library of its platform plugin is missing, Qt aborts the process with advice that names another. So the
plugin is loaded with dlopen before Qt does it. Without a font for a script, Qt draws boxes and says nothing:
`fc-list` is asked where Qt is not there to be asked. Only systems with fontconfig lack such fonts.
"""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from askance.domain.messages import NOTHING, Message
from askance.text.languages.scripts import ARABIC, DEVANAGARI, HAN, HANGUL, HEBREW, KANA, THAI

Load = Callable[[str], object]
"""Loads a library by its path or name. Raises OSError as dlopen fails."""
Which = Callable[[str], str | None]

_X11, _WAYLAND = "xcb", "wayland"
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
