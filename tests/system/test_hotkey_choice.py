"""Which hotkey a desktop has, and what to bind by hand where it has none."""

from __future__ import annotations

import pytest

from askance.domain.ports.hotkey import HotkeyUnavailable, parse_combination
from askance.system.hotkey import bind_by_hand, choose_hotkey


@pytest.mark.parametrize(
    ("environment", "kind"),
    [
        ({"DISPLAY": ":0"}, "X11Hotkey"),
        ({"DISPLAY": ":0", "XDG_SESSION_TYPE": "x11"}, "X11Hotkey"),
        ({"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0"}, "PortalHotkey"),
        ({"DISPLAY": ":0", "XDG_SESSION_TYPE": "wayland"}, "PortalHotkey"),
    ],
)
def test_the_desktop_decides(environment: dict[str, str], kind: str) -> None:
    assert type(choose_hotkey("linux", environment, "io.example.App")).__name__ == kind


def test_without_a_desktop_there_is_no_hotkey() -> None:
    with pytest.raises(HotkeyUnavailable, match="`askance toggle`"):
        choose_hotkey("linux", {"XDG_SESSION_TYPE": "tty"}, "io.example.App")


@pytest.mark.parametrize(
    ("desktop", "written", "line"),
    [
        ("sway", "Super+Alt+PageUp", "bindsym Mod1+Mod4+Prior exec askance toggle"),
        ("i3", "Ctrl+Space", "configuration of i3: bindsym Ctrl+space exec askance toggle"),
        ("Hyprland", "Ctrl+Super+A", "hyprland.conf: bind = CTRL SUPER, a, exec, askance toggle"),
        ("ubuntu:GNOME", "Ctrl+Space", "Custom Shortcuts, add Ctrl+Space with the command"),
        ("KDE", "Ctrl+Space", "System Settings, Shortcuts, add the command `askance toggle`"),
        ("", "Ctrl+Space", "bind Ctrl+Space to the command `askance toggle`"),
    ],
)
def test_the_line_to_bind_is_in_the_desktops_own_words(
    desktop: str, written: str, line: str
) -> None:
    text = bind_by_hand(parse_combination(written), {"XDG_CURRENT_DESKTOP": desktop})
    assert line in text
