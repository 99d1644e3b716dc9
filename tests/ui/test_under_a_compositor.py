"""The pointer over our window where a shadow is a shadow: what it hovers, clicks and drags."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from desktop.display import IS_THERE
from ui.composited import Desk, middle, serve_desk

pytestmark = [
    pytest.mark.skipif(
        not IS_THERE,
        reason="Xvfb, openbox or picom is not installed: install the packages xvfb, openbox and picom",
    ),
    pytest.mark.timeout(300),
]
# Well inside of what the shadow reaches.
INTO_SHADOW = 12


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """One for all tests: each asks first where the window is."""
    with serve_desk(tmp_path_factory.mktemp("home")) as served:
        yield served


def test_a_quote_stays_for_as_long_as_the_pointer_is_over_its_number(desk: Desk) -> None:
    x, y = desk.hover()
    # Asked late enough for a quote that goes by itself to be gone, or to have come again.
    assert desk.ask("quoted")
    for step in (1, -1, 0):
        desk.point(x + step, y)
    assert desk.ask("quoted")
    desk.point(x, y - 60)
    assert desk.until("quote") is False
    assert not desk.ask("quoted")


def test_a_click_on_a_number_under_its_quote_opens_the_source(desk: Desk) -> None:
    x, y = desk.hover()
    desk.click(x, y)
    assert desk.until("opened").startswith("https://harbour-archive.example/b#:~:text=")


@pytest.mark.parametrize("side", ["left", "right", "above", "below"])
def test_a_click_on_the_shadow_is_for_the_window_behind(desk: Desk, side: str) -> None:
    x, y, width, height = desk.ask("place")
    across, down = middle([x, y, width, height])
    beside = {
        "left": (x - INTO_SHADOW, down),
        "right": (x + width + INTO_SHADOW, down),
        "above": (across, y - INTO_SHADOW),
        "below": (across, y + height + INTO_SHADOW),
    }[side]
    desk.click(*beside)
    assert desk.until("behind") == list(beside)


def test_a_click_moves_nothing(desk: Desk) -> None:
    place = desk.ask("place")
    x, y = place[0] + place[2] // 2, place[1] + 3
    desk.click(x, y)
    desk.ask("place")
    desk.point(x + 90, y + 60)
    # A window manager tells where it moved a window once the button is let go.
    desk.press()
    desk.release()
    assert desk.ask("place") == place


def test_a_drag_moves_the_window_until_the_button_is_let_go(desk: Desk) -> None:
    place = desk.ask("place")
    x, y = place[0] + place[2] // 2, place[1] + 3
    desk.point(x, y)
    desk.press()
    for way in range(0, 31, 3):
        desk.point(x + way, y + way)
    desk.ask("place")
    desk.point(x + 80, y + 80)
    desk.release()
    moved = desk.ask("place")
    assert 0 < moved[0] - place[0] <= 80
    assert 0 < moved[1] - place[1] <= 80
    desk.point(x + 200, y + 10)
    desk.press()
    desk.release()
    assert desk.ask("place") == moved
