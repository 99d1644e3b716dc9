"""Which theme Qt is asked for, so that the window follows the desktop between light and dark."""

from __future__ import annotations

import pytest

from askance.system.qt_environment import asked_for, platform_theme


@pytest.mark.parametrize(
    ("environment", "platform", "theme"),
    [
        ({"XDG_CURRENT_DESKTOP": "sway"}, "linux", "gnome"),
        ({"XDG_CURRENT_DESKTOP": "labwc:wlroots"}, "linux", "gnome"),
        ({"XDG_CURRENT_DESKTOP": "Hyprland"}, "linux", "gnome"),
        ({}, "linux", "gnome"),
        ({"XDG_CURRENT_DESKTOP": "ubuntu:GNOME"}, "linux", ""),
        ({"XDG_CURRENT_DESKTOP": "KDE"}, "linux", ""),
        ({"XDG_CURRENT_DESKTOP": "sway", "QT_QPA_PLATFORMTHEME": "qt6ct"}, "linux", ""),
        ({}, "win32", ""),
        ({}, "darwin", ""),
    ],
)
def test_a_theme_is_asked_for_only_where_qt_has_none_that_follows_the_desktop(
    environment: dict[str, str], platform: str, theme: str
) -> None:
    assert platform_theme(environment, platform) == theme


@pytest.mark.parametrize("theme", ["gnome", ""])
def test_the_theme_is_named_only_while_qt_starts(theme: str) -> None:
    environment = {"HOME": "/nowhere"}
    with asked_for(theme, environment):
        assert environment.get("QT_QPA_PLATFORMTHEME", "") == theme
    assert environment == {"HOME": "/nowhere"}
