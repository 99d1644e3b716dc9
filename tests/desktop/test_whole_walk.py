"""From a machine with nothing to all that is done with an answer, once by the pointer and once by the keyboard alone.

`ASKANCE_TEST_PICTURES` names a folder in which the picture of each step is kept.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from desktop.display import HAS_I3, HAS_MONITORS, IS_THERE, desktop, tiling_desktop, two_monitors
from desktop.test_walk import pictures
from desktop.walking import walking
from desktop.ways import ByKeys, ByPointer
from desktop.whole_steps import environment, go_all_the_way, served_world

GERMAN = {
    "ASKANCE_WINDOW__LANGUAGE": "de",
    "ASKANCE_WINDOW__THEME": "dark",
    "ASKANCE_WINDOW__TEXT_SIZE": "1.5",
}


needs_openbox = pytest.mark.skipif(
    not IS_THERE, reason="no desktop: install the packages xvfb, openbox and picom"
)
needs_i3 = pytest.mark.skipif(
    not HAS_I3, reason="no tiling desktop: install the packages xvfb, i3-wm and picom"
)
needs_monitors = pytest.mark.skipif(
    not HAS_MONITORS, reason="no xrandr: install the package x11-xserver-utils"
)


@pytest.mark.parametrize(
    ("served", "size", "means", "has_server", "more"),
    [
        pytest.param(
            *(desktop, "1920x1080", ByPointer, False, {}),
            id="openbox-pointer",
            marks=needs_openbox,
        ),
        pytest.param(
            *(desktop, "1366x768", ByKeys, True, GERMAN),
            id="openbox-keys",
            marks=[needs_openbox, pytest.mark.exhaustive],
        ),
        pytest.param(
            *(tiling_desktop, "1920x1080", ByKeys, False, {}),
            id="i3-keys",
            marks=[needs_i3, pytest.mark.exhaustive],
        ),
        pytest.param(
            *(two_monitors, "2720x768", ByPointer, True, {}),
            id="two-monitors-pointer",
            marks=[needs_monitors, pytest.mark.exhaustive],
        ),
    ],
)
def test_one_means_is_enough_for_all(
    tmp_path: Path,
    request: pytest.FixtureRequest,
    served: Any,
    size: str,
    means: type[ByPointer | ByKeys],
    has_server: bool,
    more: dict[str, str],
) -> None:
    home = tmp_path / "home"
    with (
        served_world() as around,
        walking(
            tmp_path,
            environment(home, around, has_server=has_server) | more,
            pictures(tmp_path, f"whole-{request.node.callspec.id}"),
            partial(served, size=size),
        ) as walker,
    ):
        go_all_the_way(means(walker), around, tmp_path, has_server=has_server)
