"""The program on each desktop that can be started here, with a pointer and a keyboard: `make test-desktops`.

`ASKANCE_TEST_PICTURES` names a folder in which the picture of each step is kept.
"""

from __future__ import annotations

import sys
import time
from math import ceil
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtGui import QColor

from askance.system.desktop_entry import APP_ID
from desktop.browser_window import COLOUR
from desktop.test_walk import FOLLOW_UP, from_sources_or_memory
from desktop.ways import ByKeys
from desktop.whole_steps import go_all_the_way
from desktops import selection_window
from desktops.bus_services import Notifications, Tray, served
from desktops.compositors import (
    BACKGROUND,
    DESKTOPS,
    SIZE,
    Compositor,
    GnomeInput,
    Layout,
    is_old_sway,
    missing,
)
from desktops.screen_reader import screen_reader
from desktops.session import until
from desktops.walker import PICTURES, room
from servers.world import QUESTION, knowing_model
from system.fake_portal import FakePortal
from waiting import PATIENCE_S

GNOME_NOTIFICATIONS = (
    "Main.messageTray.getSources().flatMap(source => source.notifications)"
    ".filter(told => told.title === 'Answer ready')"
)
MODEL = "tiny:latest"
"""What the foot of the window says once it knows the services."""
CLICKS_APART_S = 0.8
"""Twice the 0.4 s in which desktops take two clicks for a double click."""
SELECTED = "A lighthouse on a rock at the mouth of the river"

pytestmark = pytest.mark.desktops

on_each = pytest.mark.parametrize(
    "compositor",
    [
        pytest.param(
            found,
            id=found.name,
            marks=pytest.mark.skipif(bool(why), reason=why or "no desktop: install one"),
        )
        for found, why in ((found, missing(found)) for found in DESKTOPS)
    ],
)


def is_ready(seen: dict[str, Any]) -> bool:
    """Whether the window has the keyboard, and knows the services."""
    return seen["active"] == "Askance" and MODEL in seen["words"]


@pytest.fixture
def pictures(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    compositor = request.getfixturevalue("compositor")
    walk = request.node.originalname.removeprefix("test_")[:40]
    return Path(PICTURES or tmp_path / "pictures").absolute() / compositor.name / walk


def test_a_desktop_can_be_started_here() -> None:
    problems = [missing(compositor) for compositor in DESKTOPS]
    assert not all(problems), "\n".join(problems)


@on_each
def test_from_a_key_to_an_answer_and_its_source(compositor: Compositor, pictures: Path) -> None:
    script = knowing_model(answer=[from_sources_or_memory])
    with room(compositor, pictures, script=script) as found, found.program() as walker:
        hands, session = walker.hands, found.session
        seen = walker.until(is_ready)
        assert seen["icon"] == APP_ID, "the desktop is not told the icon of the program's entry"
        paper = walker.paper()
        walker.keep("started")
        assert found.screen.layout.size.width() // 2 in range(paper.left(), paper.right())

        # Its shadow is there, and darkens what is behind it.
        beside = QPoint(paper.left() - 6, paper.center().y())
        assert 0 < found.screen.colour(beside).blue() < QColor(BACKGROUND).blue()

        seen = walker.ask(QUESTION)
        assert seen["states"][-1] == "ANSWERED", seen["words"]
        assert seen["markers"], "Enter did not search"
        walker.until_still()
        walker.keep("answered")

        walker.click_button("^Copy")
        walker.until(lambda seen: "Clara Whitlow" in seen["clipboard"])
        assert "Clara Whitlow" in session.run(["wl-paste", "--no-newline"])

        seen = walker.look()
        marker = walker.at(seen["markers"][0])
        # Where the popup comes up, and neither the pointer nor the caret is.
        below = QRect(marker + QPoint(-40, 34), QSize(80, 24))
        bare = found.screen.picture().copy(below)
        hands.move(marker)
        walker.until(lambda seen: seen["popup"])
        walker.until_shown(lambda: found.screen.picture().copy(below) != bare)
        walker.keep("hovered")
        hands.click(marker)
        browser = QColor(COLOUR)
        # Not where the pointer is, which is in the picture.
        beside = paper.topLeft() + QPoint(40, 40)
        walker.until_shown(lambda: found.screen.colour(beside) == browser)
        walker.until_gone()
        walker.keep("source-in-front")

        hands.press("F9")
        walker.until(lambda seen: seen["active"] == "Askance")
        seen = walker.ask(FOLLOW_UP)
        assert seen["states"] == ["ANSWERED", "ANSWERED"]
        walker.keep("back-and-followed-up")

        # sway 1.7 gives a click within the box of a floating window to that window, whatever takes input.
        if not is_old_sway(compositor):
            paper = walker.paper()
            hands.click(QPoint(paper.left() - 15, paper.center().y()))
            walker.until(lambda seen: not seen["active"])
            hands.press("F9")
            walker.until(lambda seen: seen["active"] == "Askance")
        hands.press("F9")
        walker.until_gone()


@on_each
def test_the_keyboard_is_enough_from_no_model_to_all_that_is_done_with_an_answer(
    compositor: Compositor, pictures: Path
) -> None:
    with (
        room(compositor, pictures, has_portal=False, is_bare=True) as found,
        found.program() as walker,
    ):
        way = ByKeys(walker)
        go_all_the_way(way, found.around, found.session.folder, has_server=False)


@on_each
def test_the_hotkey_of_the_portal_is_bound_once_and_its_keys_are_shown(
    compositor: Compositor, pictures: Path
) -> None:
    portal = FakePortal(keys="Meta+A")
    with (
        room(compositor, pictures, has_portal=False) as found,
        served(found.session, portal) as beside,
    ):
        for start in range(2):
            with found.program({"ASKANCE_WINDOW__HOTKEY": "Ctrl+Alt+A"}) as walker:
                walker.until(lambda seen: seen["active"] == "Askance")
                walker.until(lambda seen: "Meta+A" in seen["hotkey"])
                walker.hands.press("Escape")
                walker.until_gone()
                beside.run(portal.press())
                walker.until(lambda seen: seen["active"] == "Askance")
                if not start:
                    walker.paper()  # before it is seen, no key is for it
                    walker.hands.press("Control_L", ",")
                    walker.until(lambda seen: seen["active"] == "Settings")
                    walker.hands.type("h")
                    walker.until(lambda seen: "Meta+A" in seen["words"])
                    walker.keep("settings")
        names = [name for name, _ in portal.calls]
        assert names.index("Register") < names.index("CreateSession")
        binds = 2 if compositor.name == "gnome" else 1
        assert names.count("BindShortcuts") == binds


@on_each
def test_a_desktop_without_a_portal_says_once_how_a_key_is_bound(
    compositor: Compositor, pictures: Path
) -> None:
    hotkey = {"ASKANCE_WINDOW__HOTKEY": "Ctrl+Alt+A"}
    with room(compositor, pictures, has_portal=False) as found:
        with found.program(hotkey) as walker:
            seen = walker.until(
                lambda seen: "askance toggle" in seen["problem"] and MODEL in seen["words"]
            )
            walker.keep("how-to-bind")
            if compositor.name == "sway":
                assert "bindsym Ctrl+Mod1+a exec askance toggle" in seen["problem"]
            walker.click_button("^Copy")
            walker.until(lambda seen: "toggle" in seen["clipboard"])
        with found.program(hotkey) as walker:
            walker.until(lambda seen: "askance toggle" in seen["hotkey"])
            assert "toggle" not in walker.look()["problem"]


@on_each
def test_the_icon_in_the_tray_shows_and_hides_the_window(
    compositor: Compositor, pictures: Path
) -> None:
    tray = Tray()
    with (
        room(compositor, pictures, has_portal=False) as found,
        served(found.session, tray) as beside,
        found.program(None, "--hidden") as walker,
    ):
        walker.until(lambda seen: seen["tray"] and tray.icon)
        icon = tray.icon
        assert icon is not None
        assert not walker.look()["paper"]
        for is_shown in (True, False, True):
            time.sleep(CLICKS_APART_S)  # two clicks, and not one double click
            beside.run(tray.call(icon, "Activate", "ii", 0, 0))
            walker.until(lambda seen, is_shown=is_shown: bool(seen["active"]) is is_shown)
        walker.keep("from-the-tray")


@on_each
@pytest.mark.parametrize("host", ["shows-nothing", "none"])
def test_the_window_is_within_reach_without_an_icon(
    compositor: Compositor, pictures: Path, host: str
) -> None:
    tray = [Tray()] if host == "shows-nothing" else []
    with (
        room(compositor, pictures, has_portal=False) as found,
        served(found.session, *tray),
        found.program(None, "--hidden") as walker,
    ):
        if host == "none":
            walker.until(lambda seen: seen["paper"])
            walker.keep("shown-at-once")
            walker.hands.press("Escape")
        walker.until_gone()
        # The entry in the menu starts the program once more, which shows the window of the first.
        found.session.run([sys.executable, "-m", "askance"])
        walker.until(lambda seen: seen["paper"])
        walker.keep(f"{host}-started-again")
        walker.hands.press("F9")
        walker.until(lambda seen: not seen["paper"] or seen["active"] == "Askance")


@on_each
def test_what_is_selected_elsewhere_becomes_a_quote(compositor: Compositor, pictures: Path) -> None:
    with room(compositor, pictures, has_portal=False) as found:
        screen, paper = found.screen, QColor(selection_window.COLOUR)
        found.session.start("selection", [sys.executable, selection_window.__file__, SELECTED])
        middle = QPoint(SIZE.width() // 2, SIZE.height() // 2)
        until(lambda: screen.colour(middle) == paper, "there is no other window")
        selection_window.select_all(screen.hands, middle)
        with found.program() as walker:
            walker.until(lambda seen: seen["offer"] == SELECTED and MODEL in seen["words"])
            walker.keep("offered")
            walker.hands.press("Tab")
            walker.until(lambda seen: seen["chips"] == [SELECTED])
            walker.keep("taken")


@on_each
def test_a_notification_brings_the_window_back(compositor: Compositor, pictures: Path) -> None:
    service = Notifications()
    with (
        room(compositor, pictures, has_portal=False) as found,
        served(found.session, service) as beside,
        found.program() as walker,
    ):
        held = found.around.model.hold()
        walker.until(lambda seen: seen["active"] == "Askance")
        walker.hands.type(f"/search {QUESTION}")
        walker.hands.press("Return")
        assert held.reached.wait(PATIENCE_S)
        walker.hands.press("F9")
        walker.until_gone()
        held.let_go()
        found.around.model.mend()
        if compositor.name == "gnome":  # its shell shows them itself
            shell, mine = GnomeInput(found.session), GNOME_NOTIFICATIONS
            until(lambda: shell.run(f"{mine}.length") == "1", "nothing was told")
            shell.run(f"{mine}[0].activate(); 0")
        else:
            until(lambda: service.asked("Notify"), "nothing was told")
            told = service.asked("Notify")[-1].body
            assert told[3] == "Answer ready"
            assert "default" in told[5]
            beside.run(service.press("a-token"))
        walker.until(lambda seen: seen["paper"] and seen["states"] == ["ANSWERED"])
        walker.keep("back")


def skip_whole_scales(taken: float) -> None:
    if taken == round(taken):
        pytest.skip("GNOME 43 has whole scales alone: install a later one")


# GNOME takes the nearest scale at which its screen has whole pixels: 1.4917 for 1.5.
NEAR = 0.02


@on_each
@pytest.mark.parametrize("scale", [1.25, 1.5])
def test_scales_between_whole_numbers(compositor: Compositor, pictures: Path, scale: float) -> None:
    with (
        room(compositor, pictures, layout=Layout(scale=scale), has_portal=False) as found,
        found.program() as walker,
    ):
        walker.until(is_ready)
        # Compositors that know no other scale have the window drawn too large, and make it smaller.
        taken = found.screen.layout.scale
        skip_whole_scales(taken)
        assert abs(taken - scale) < NEAR
        exactly = pytest.approx(taken, abs=1 / 120)  # the unit in which Wayland says a scale
        walker.until(lambda seen: seen["ratio"] == exactly or seen["ratio"] == ceil(taken))
        walker.paper()
        walker.keep(f"scale-{scale}")


@on_each
def test_two_screens_of_different_scales(compositor: Compositor, pictures: Path) -> None:
    layout = Layout(screens=2, last_scale=1.25)
    with (
        room(compositor, pictures, layout=layout, has_portal=False) as found,
        found.program() as walker,
    ):
        skip_whole_scales(found.screen.layout.last_scale)
        walker.until(lambda seen: seen["active"] == "Askance")
        for number in (1, 0, 1):
            walker.hands.press("Escape")
            walker.until_gone()
            left, scale = layout.left_of(number), layout.scale_of(number)
            middle = QPoint(
                left + round(SIZE.width() / scale / 2), round(SIZE.height() / scale / 2)
            )
            walker.hands.move(middle)
            walker.hands.press("F9")
            walker.until(lambda seen: seen["active"] == "Askance")
            # sway 1.7 tells no scale, and Qt takes that of the screen on which the window was first.
            if not is_old_sway(compositor):
                walker.until(lambda seen, scale=scale: seen["ratio"] in {scale, ceil(scale)})
            paper = walker.paper()
            walker.keep(f"scale-{scale:g}")
            assert left <= paper.left() < paper.right() <= left + round(SIZE.width() / scale)


@on_each
def test_the_window_comes_up_on_the_screen_of_the_pointer(
    compositor: Compositor, pictures: Path
) -> None:
    with (
        room(compositor, pictures, layout=Layout(screens=2), has_portal=False) as found,
        found.program() as walker,
    ):
        walker.until(lambda seen: seen["active"] == "Askance")
        walker.hands.press("Escape")
        for left in (SIZE.width(), 0):
            walker.until_gone()
            walker.hands.move(QPoint(left + SIZE.width() // 2, SIZE.height() // 2))
            walker.hands.press("F9")
            walker.until(lambda seen: seen["active"] == "Askance")
            paper = walker.paper()
            walker.keep(f"at-{left}")
            assert left <= paper.left() < paper.right() <= left + SIZE.width()
            walker.hands.press("Escape")


@on_each
def test_one_press_brings_the_window_to_the_workspace_where_its_user_is(
    compositor: Compositor, pictures: Path
) -> None:
    with room(compositor, pictures, has_portal=False) as found, found.program() as walker:
        seen = walker.until(lambda seen: seen["active"] == "Askance")
        before, hands = walker.paper(), walker.hands
        middle, paper = before.topLeft() + QPoint(200, 6), QColor(seen["paper_colour"])
        assert found.screen.colour(middle) == paper
        hands.press("F8")
        walker.until(lambda seen: not seen["active"])
        walker.until_shown(lambda: found.screen.colour(middle) != paper)
        hands.press("F9")
        walker.until(lambda seen: seen["active"] == "Askance")
        walker.paper()
        hands.type("here")
        walker.until(lambda seen: seen["typed"] == "here")
        walker.keep("brought")
        hands.press("F9")
        walker.until_gone()


@on_each
def test_dark_mode_follows_the_settings_of_the_desktop(
    compositor: Compositor, pictures: Path
) -> None:
    with room(compositor, pictures) as found, found.program() as walker:
        walker.until(lambda seen: seen["active"] == "Askance" and not seen["dark"])
        for is_dark in (True, False):
            compositor.set_dark(found.session, is_dark=is_dark)
            walker.until(lambda seen, is_dark=is_dark: seen["dark"] is is_dark)
            walker.paper()
            walker.keep("dark" if is_dark else "light")


@on_each
def test_a_screen_reader_finds_names_for_all_that_is_shown(
    compositor: Compositor, pictures: Path
) -> None:
    with (
        room(compositor, pictures, has_portal=False) as found,
        screen_reader(found.session) as reader,
        found.program() as walker,
    ):
        walker.until(lambda seen: seen["active"] == "Askance")
        until(
            lambda: {"Web", "Chat"} <= {part.name for part in reader.parts("askance")},
            "nothing is found",
        )
        parts = reader.parts("askance")
        assert not [part for part in parts if part.needs_name and not part.name], parts
        assert ("text", "Question") in {(part.role, part.name) for part in parts}
        assert {part.name for part in parts if part.role in {"frame", "window"}} == {"Askance"}
        # What readers skip has no name that would be missed.
        assert {part.name for part in parts if part.role == "filler"} == {""}
        walker.keep("shown")
