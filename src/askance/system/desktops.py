"""Which desktop this is, and the window rules for its compositor that keep the window above others.

Under Wayland no program can ask for that itself.
"""

from __future__ import annotations

from collections.abc import Mapping

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
