"""Rules to copy, for compositors that alone decide which window lies above which."""

from __future__ import annotations

import configparser

import pytest

from askance.domain.messages import Remedy
from askance.system.desktops import window_rule

APP_ID = "io.example.Askance"


def rule(desktop: str) -> Remedy:
    found = window_rule({"WAYLAND_DISPLAY": "wayland-1", "XDG_CURRENT_DESKTOP": desktop}, APP_ID)
    assert isinstance(found, Remedy)
    return found


@pytest.mark.parametrize("desktop", ["sway", "Hyprland", "KDE", "sway:wlroots"])
def test_compositors_with_rules_get_one_that_names_the_window(desktop: str) -> None:
    found = rule(desktop)
    assert APP_ID in found.command
    assert "{" not in found.command
    assert found.command not in found


def test_the_rule_of_kwin_is_a_file_that_can_be_imported() -> None:
    parser = configparser.ConfigParser()
    parser.read_string(rule("KDE").command)
    assert parser["Askance"]["wmclass"] == APP_ID
    assert parser["Askance"]["above"] == "true"


@pytest.mark.parametrize(
    "environment",
    [
        {"XDG_CURRENT_DESKTOP": "KDE", "DISPLAY": ":0"},
        {"XDG_CURRENT_DESKTOP": "GNOME", "WAYLAND_DISPLAY": "wayland-0"},
        {"WAYLAND_DISPLAY": "wayland-0"},
    ],
)
def test_nothing_is_said_where_the_program_decides_or_nobody_has_rules(
    environment: dict[str, str],
) -> None:
    assert window_rule(environment, APP_ID) == ""
