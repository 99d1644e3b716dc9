"""Where the overlay comes up: on several screens, on tiny ones, and without a compositor."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMargins
from pytestqt.qtbot import QtBot
from Xlib import X
from Xlib.display import Display

from askance.system.x11 import XConnection, has_compositor
from askance.ui.design.frame import Frame, can_be_seen_through
from askance.ui.design.theme import LIGHT, Look
from system.x_server import XServer, needs_x, serve_x
from waiting import PATIENCE_S

LEFT, RIGHT = (0, 0, 1280, 800), (1280, 0, 1920, 1080)


def screens(folder: Path, *areas: tuple[int, int, int, int]) -> dict[str, str]:
    """Write down screens for Qt's platform without one, and return what chooses them."""
    reports = [
        {"name": f"screen {n}", "x": x, "y": y, "width": width, "height": height, "dpr": 1}
        | {"logicalDpi": 96, "logicalBaseDpi": 96}
        for n, (x, y, width, height) in enumerate(areas)
    ]
    file = folder / "screens.json"
    file.write_text(json.dumps({"screens": reports}))
    return {"QT_QPA_PLATFORM": f"offscreen:configfile={file}"}


def summoned(environment: Mapping[str, str], **wanted: Any) -> dict[str, Any]:
    """Summon the overlay in a process of its own, and return what that tells."""
    child = subprocess.run(  # noqa: S603
        [sys.executable, str(Path(__file__).with_name("overlay_child.py"))],
        input=json.dumps(wanted),
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
        timeout=PATIENCE_S,
    )
    return json.loads(child.stdout)


@pytest.mark.parametrize(
    ("pointer", "screen", "area"),
    [((300, 300), "screen 0", LEFT), ((2000, 300), "screen 1", RIGHT)],
)
def test_it_comes_up_on_the_screen_that_holds_the_pointer(
    tmp_path: Path, pointer: tuple[int, int], screen: str, area: tuple[int, int, int, int]
) -> None:
    reported = summoned(screens(tmp_path, LEFT, RIGHT), pointer=pointer)
    x, y, width, _ = reported["place"]
    assert reported["screen"] == screen
    assert abs(2 * x + width - (2 * area[0] + area[2])) <= 1
    assert y == area[1] + int(area[3] * 0.22)


@pytest.mark.parametrize("scale", [1.0, 2.5])
def test_on_a_tiny_screen_nothing_of_it_is_outside(tmp_path: Path, scale: float) -> None:
    reported = summoned(screens(tmp_path, (0, 0, 800, 480)), scale=scale, text="/")
    x, y, width, height = reported["place"]
    assert x >= 0
    assert x + width <= 800
    assert y >= 0
    assert y + height <= 480
    assert reported["rows"] > 0


@needs_x
def test_without_a_compositor_there_is_a_plain_edge_and_nothing_black() -> None:
    with serve_x() as server:
        reported = summoned({"QT_QPA_PLATFORM": "xcb", "DISPLAY": server.name})
        assert reported["window"][2] - reported["place"][2] == 2
        assert reported["edge"] == LIGHT.line_2
        assert reported["corner"] == reported["inside"] == LIGHT.paper


@needs_x
def test_a_compositor_is_known_by_its_selection() -> None:
    with serve_x() as server:
        connection = XConnection(server.name)
        assert not has_compositor(connection)
        with a_compositor(server):
            assert has_compositor(connection)
        assert not has_compositor(connection)
        connection.close()
        assert not has_compositor(connection)
        connection.close()


def test_a_server_that_cannot_be_asked_is_taken_to_have_one(tmp_path: Path) -> None:
    assert has_compositor(XConnection(f"unix:{tmp_path}"))


class a_compositor:  # noqa: N801 - it reads as what it is
    """Somebody who owns the selection by which compositors are known."""

    def __init__(self, server: XServer) -> None:
        self._display = Display(server.name)

    def __enter__(self) -> None:
        screen = self._display.screen()
        self._window = screen.root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)
        self._window.set_selection_owner(self._display.intern_atom("_NET_WM_CM_S0"), X.CurrentTime)
        self._display.sync()

    def __exit__(self, *_: object) -> None:
        # A connection's end alone is noticed by the server some time later.
        self._window.destroy()
        self._display.sync()
        self._display.close()


def test_elsewhere_every_window_has_its_shadow(qtbot: QtBot) -> None:
    assert can_be_seen_through()
    frame = Frame(Look(LIGHT))
    qtbot.addWidget(frame)
    assert frame.shadow_margins.left() > 20


def test_a_compositor_that_ends_takes_the_shadow_along(qtbot: QtBot) -> None:
    frame = Frame(Look(LIGHT))
    qtbot.addWidget(frame)
    frame.resize(300, 200)
    frame.set_plain(True)
    assert frame.shadow_margins == frame.contents.contentsMargins() == QMargins(1, 1, 1, 1)
    picture = frame.grab().toImage()
    assert picture.pixelColor(0, 0).name().upper() == LIGHT.line_2
    assert picture.pixelColor(1, 1).name().upper() == LIGHT.paper
    frame.set_plain(False)
    assert frame.grab().toImage().pixelColor(0, 0).alpha() < 20
