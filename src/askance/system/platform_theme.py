"""Which of Qt's platform themes a program asks for: one that follows the desktop between light and dark."""

from __future__ import annotations

import sys
from collections.abc import Generator, Mapping, MutableMapping
from contextlib import contextmanager

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
