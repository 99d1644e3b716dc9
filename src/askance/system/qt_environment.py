"""Through which plugin Qt speaks to the input method: fcitx5 has none in this program, and speaks as ibus."""

from __future__ import annotations

import sys
from collections.abc import Generator, Mapping, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from askance.config.sources import QT_VARIABLES, X11_VARIABLE
from askance.system.qt_libraries import plugin_folder

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
    if not is_unix or environment.get(_VARIABLE) or _KNOWN.intersection(_desktops(environment)):
        return ""
    return _THEME


def misses_changes(environment: Mapping[str, str]) -> bool:
    """Whether Qt misses that the desktop becomes light again, which the settings portal says.

    Its theme for KDE (6.11) reads the colors anew when the portal says that `ColorScheme` changed. For KDE's default
    scheme that entry is removed, of which the portal says nothing.
    """
    return "kde" in _desktops(environment)


def _desktops(environment: Mapping[str, str]) -> list[str]:
    return environment.get("XDG_CURRENT_DESKTOP", "").lower().split(":")


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
