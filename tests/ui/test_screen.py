"""A screen is looked for before Qt is started, which would abort the process."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from askance.ui.shell.app import has_screen


@pytest.mark.parametrize(
    ("environment", "platform", "there"),
    [
        ({}, "linux", False),
        ({"DISPLAY": ""}, "linux", False),
        ({"DISPLAY": ":9873"}, "linux", False),
        ({"DISPLAY": "unix:9873.0"}, "linux", False),
        ({"DISPLAY": "far.example:0"}, "linux", True),
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
        assert has_screen({"DISPLAY": ":9874.0"}, "linux")


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
