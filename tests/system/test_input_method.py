"""What Chinese and Japanese are typed with is found however the desktop is set up for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from askance.app.checks.parts import check_input_method
from askance.config.settings import Settings
from askance.config.sources import BESIDE_INPUT_METHOD, load, load_settings
from askance.system.qt_environment import input_method


@pytest.mark.parametrize(
    ("environment", "used", "variables"),
    [
        ({"QT_IM_MODULE": "fcitx"}, "ibus", {"QT_IM_MODULE": "ibus"}),
        ({"QT_IM_MODULE": "fcitx5"}, "ibus", {"QT_IM_MODULE": "ibus"}),
        ({"QT_IM_MODULE": "ibus"}, "ibus", {}),
        ({"QT_IM_MODULE": "compose"}, "compose", {}),
        (
            {"QT_IM_MODULES": "wayland;fcitx;ibus", "QT_IM_MODULE": "fcitx"},
            "wayland;ibus",
            {"QT_IM_MODULES": "wayland;ibus"},
        ),
        ({"XMODIFIERS": "@im=fcitx"}, "ibus", {"QT_IM_MODULE": "ibus"}),
        ({"XMODIFIERS": "@im=ibus"}, "ibus", {"QT_IM_MODULE": "ibus"}),
        ({"XMODIFIERS": "@im=none"}, "", {}),
        ({"XMODIFIERS": "@im=fcitx", "WAYLAND_DISPLAY": "wayland-0"}, "", {}),
        ({}, "", {}),
    ],
)
def test_fcitx_is_spoken_to_as_ibus(
    environment: dict[str, str], used: str, variables: dict[str, str], tmp_path: Path
) -> None:
    found = input_method(environment, tmp_path, "linux")
    assert (found.used, found.variables) == (used, variables)


def test_where_qt_has_a_plugin_for_fcitx_that_is_used(tmp_path: Path) -> None:
    folder = tmp_path / "theirs" / "platforminputcontexts"
    folder.mkdir(parents=True)
    (folder / "libfcitx5platforminputcontextplugin.so").touch()
    environment = {"QT_IM_MODULE": "fcitx", "QT_PLUGIN_PATH": f"/nowhere:{folder.parent}"}
    assert input_method(environment, tmp_path, "linux").variables == {}
    assert input_method(environment, folder.parent, "linux").used == "fcitx"


async def test_it_is_told_which_one_is_used() -> None:
    finding = await check_input_method({"QT_IM_MODULE": "fcitx"})
    assert "typed with ibus" in finding.message
    assert "fcitx is asked for" in finding.message
    assert "None" in (await check_input_method({})).message


@pytest.mark.parametrize(
    "environment",
    [
        {"QT_IM_MODULE": "fcitx"},
        {"QT_IM_MODULES": "wayland;ibus"},
        {"GTK_IM_MODULE": "ibus"},
        {"XMODIFIERS": "@im=fcitx"},
    ],
)
def test_the_key_that_switches_an_input_method_on_is_left_to_it(
    environment: dict[str, str], tmp_path: Path
) -> None:
    loaded = load(None, environment)
    settings, origins = loaded.settings, loaded.origins
    assert settings.window.hotkey == BESIDE_INPUT_METHOD != Settings().window.hotkey
    assert origins["window.hotkey"] in environment
    file = tmp_path / "settings.toml"
    file.write_text("[window]\nhotkey = 'Ctrl+Space'\n", encoding="utf-8")
    assert load_settings(file, environment).window.hotkey == "Ctrl+Space"
    variable = {"ASKANCE_WINDOW__HOTKEY": ""}
    assert load_settings(None, environment | variable).window.hotkey == ""
