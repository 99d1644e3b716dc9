"""A screen is looked for before Qt is started, which would abort the process."""

from __future__ import annotations

import socket
import sys
from pathlib import Path
from threading import Thread

import pytest

from askance.cli.command_tree import unreadable_argument
from askance.config.sources import load_settings
from askance.domain.errors import SettingsError
from askance.system.qt_environment import find_screen
from system.x_server import needs_x, serve_x


def has_screen(environment: dict[str, str], platform: str) -> bool:
    return find_screen(environment, platform, probe=lambda _: True).is_there


@pytest.mark.parametrize(
    ("environment", "platform", "there"),
    [
        ({}, "linux", False),
        ({"DISPLAY": ""}, "linux", False),
        ({"DISPLAY": ":9873"}, "linux", False),
        ({"DISPLAY": "unix:9873.0"}, "linux", False),
        ({"DISPLAY": "localhost:3999.0"}, "linux", False),
        ({"DISPLAY": "localhost:99999"}, "linux", False),
        ({"QT_QPA_PLATFORM": "banana"}, "linux", False),
        ({"QT_QPA_PLATFORM": "wayland"}, "linux", False),
        ({"QT_QPA_PLATFORM": "xcb", "DISPLAY": ":9873"}, "linux", False),
        ({"QT_QPA_PLATFORM": "offscreen"}, "linux", True),
        ({"WAYLAND_DISPLAY": "/nowhere/wayland-0"}, "linux", False),
        ({}, "darwin", True),
        ({}, "win32", True),
    ],
)
def test_what_the_environment_names_must_be_there(
    environment: dict[str, str], platform: str, there: bool
) -> None:
    assert has_screen(environment, platform) is there


@pytest.mark.skipif(sys.platform != "linux", reason="abstract sockets are Linux's: run it on Linux")
def test_a_display_that_answers_is_a_screen() -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("\0/tmp/.X11-unix/X9874")
        server.listen()
        shown = {"DISPLAY": ":9874.0"}
        assert has_screen(shown, "linux")
        refusing = find_screen(shown, "linux", probe=lambda _: False)
        assert not refusing.is_there
        wayland = shown | {"QT_QPA_PLATFORM": "wayland-egl;wayland"}
        found = find_screen(wayland, "linux", probe=lambda _: True)
        assert found.variables == {"QT_QPA_PLATFORM": "xcb"}
        both = shown | {"QT_QPA_PLATFORM": "wayland;xcb"}
        assert find_screen(both, "linux", probe=lambda _: True).variables == {}


def test_what_answers_as_a_display_and_is_none_lets_nobody_in() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        number = server.getsockname()[1] - 6000
        accepting = Thread(target=lambda: [server.accept()[0].close() for _ in range(2)])
        accepting.start()
        assert not find_screen({"DISPLAY": f"127.0.0.1:{number}"}, "linux").is_there
        accepting.join()


@needs_x
def test_a_display_that_lets_us_in_is_a_screen() -> None:
    with serve_x("-screen", "0", "320x200x24") as server:
        assert find_screen({"DISPLAY": server.name}, "linux").is_there


def test_a_platform_that_qt_does_not_know_is_named() -> None:
    assert "banana" in find_screen({"QT_QPA_PLATFORM": "banana"}, "linux").problem


def test_what_is_no_utf_8_is_named_where_it_comes_in(tmp_path: Path) -> None:
    assert unreadable_argument(["ask", "caf\u00e9", "\N{OWL}"]) is None
    file = tmp_path / "caf\udce9.txt"
    assert (
        unreadable_argument(["library", "add", str(file)])
        == f"{tmp_path}/caf\\udce9.txt is not UTF-8."
    )
    file.touch()
    assert "Give it another name" in (unreadable_argument([str(file)]) or "")
    with pytest.raises(SettingsError, match="ASKANCE_LLM__MODEL is not UTF-8"):
        load_settings(None, {"ASKANCE_LLM__MODEL": "m\udcfc"})


def test_a_compositor_that_answers_is_a_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # a socket's path must be short
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("wayland-7")
        server.listen()
        named = {"XDG_RUNTIME_DIR": ".", "WAYLAND_DISPLAY": "wayland-7"}
        assert has_screen(named, "linux")
        assert has_screen(named | {"DISPLAY": ":9873"}, "linux")
    assert not has_screen(named, "linux")
