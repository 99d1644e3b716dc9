"""Which desktop this is, the window rules for its compositor that keep the window above others, and whether
`xdg-open` would find a web browser there.

Under Wayland no program can ask to stay above itself; `xdg-open` ends too late, and too quietly, to be asked.
"""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from askance.domain.messages import NOTHING, Message, Remedy

_SWAY = (
    'for_window [app_id="{app_id}" title="^Askance"] floating enable, sticky enable, border none'
)
# The first two lines are read by Hyprland up to 0.52, the others by later versions.
_HYPRLAND = """\
windowrule = float, class:^({app_id})$
windowrule = pin, class:^({app_id})$
# From 0.53 on:
# windowrule = float on, pin on, match:class ^({app_id})$"""
# `aboverule=2` is "force", whatever the window asks for; `wmclassmatch=1` is an exact match.
_KWIN = """\
[Askance]
Description=Askance
above=true
aboverule=2
wmclass={app_id}
wmclassmatch=1"""


def desktops_of(environment: Mapping[str, str]) -> list[str]:
    """Return the names of the desktop, in small letters: its own, and those of what it is derived from."""
    # Such as `ubuntu:GNOME`, the most specific name first.
    return environment.get("XDG_CURRENT_DESKTOP", "").lower().split(":")


def window_rule(environment: Mapping[str, str], app_id: str) -> Message:
    """Return what to do so that the window stays above others, with the rule as its command.

    Nothing where the program says so itself, as on X11, or where the desktop has no rules.
    """
    if not environment.get("WAYLAND_DISPLAY"):
        return NOTHING
    desktops = desktops_of(environment)
    if "sway" in desktops:
        return Remedy(
            "sway decides where this window lies. With a rule in its configuration it floats and is on"
            " every workspace.",
            command=_SWAY.format(app_id=app_id),
        )
    if "hyprland" in desktops:
        return Remedy(
            "Hyprland decides where this window lies. With a rule in hyprland.conf it floats above"
            " others.",
            command=_HYPRLAND.format(app_id=app_id),
        )
    if "kde" in desktops:
        return Remedy(
            "KDE decides where this window lies. With a rule it stays above others: save it as a file"
            " and import that in System Settings, Window Rules.",
            command=_KWIN.format(app_id=app_id),
        )
    return NOTHING


# Those that `xdg-open` (xdg-utils 1.1.3 and 1.2.1) starts by name.
_NAMES = (
    "x-www-browser",
    "www-browser",
    "firefox",
    "iceweasel",
    "seamonkey",
    "mozilla",
    "epiphany",
    "konqueror",
    "chromium",
    "chromium-browser",
    "google-chrome",
)
_SCHEMES = ("x-scheme-handler/http", "x-scheme-handler/https")
# Stands in the script of xdg-utils: any other `xdg-open` may know of browsers that we cannot see.
_SCRIPT_MARK = b"xdg-utils"


def has_browser(environment: Mapping[str, str], platform: str = sys.platform) -> bool:
    """Return whether a web page can be opened; True where that cannot be known.

    Only the script of xdg-utils is known to report nothing, and only on a desktop of its own: in
    Flatpak and Snap a portal opens pages, and other systems always have a browser.
    """
    if platform in {"win32", "darwin"} or {"FLATPAK_ID", "SNAP"} & set(environment):
        return True
    path = environment.get("PATH", "")
    opener = shutil.which("xdg-open", path=path)
    if opener is None or not _is_of_xdg_utils(Path(opener)):
        return True
    # `xdg-open` tries the commands in it one after the other.
    chosen = environment.get("BROWSER", "").split(":")
    programs = (*map(_program_of, chosen), *_NAMES)
    if any(name and shutil.which(name, path=path) for name in programs):
        return True
    return any(map(_opens_pages, _desktop_entries(environment)))


def _is_of_xdg_utils(opener: Path) -> bool:
    try:
        return _SCRIPT_MARK in opener.read_bytes()
    except OSError:
        return False


def _program_of(command: str) -> str:
    """Return the program of a command line such as `firefox --new-tab %s`."""
    try:
        return next(iter(shlex.split(command)), "")
    except ValueError:  # a quotation without an end
        return command


def _desktop_entries(environment: Mapping[str, str]) -> Iterator[Path]:
    home = environment.get("HOME") or str(Path.home())
    own = environment.get("XDG_DATA_HOME") or f"{home}/.local/share"
    shared = environment.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    for folder in (own, *shared.split(":")):
        # Paths that are not absolute are to be ignored.
        if folder.startswith("/"):
            # In subfolders, too, such as `kde4/konqueror.desktop`.
            yield from Path(folder, "applications").glob("**/*.desktop")


def _opens_pages(entry: Path) -> bool:
    try:
        text = entry.read_text("utf-8", errors="replace")
    except OSError:
        return False
    types = [line for line in text.splitlines() if line.startswith("MimeType")]
    return any(scheme in line for line in types for scheme in _SCHEMES)
