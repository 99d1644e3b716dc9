"""Where the window stands and how large it is, once its user has moved, resized or pinned it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QSize, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from askance.ui.design.frame import EdgeGrips
from askance.ui.design.placement import FramePlacement
from askance.ui.design.theme import LIGHT, Look
from ui.overlay_room import Furnish, Modifier, Room, answered

LONG = "\n\n".join(["A sentence that takes up some room in the window. " * 12] * 12)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "kept" / "window.json"


@pytest.fixture
def room(furnish: Furnish, file: Path) -> Room:
    return summoned(furnish, file)


def summoned(furnish: Furnish, file: Path) -> Room:
    """Start the program anew, and have it at rest on the screen."""
    room = furnish(Look(LIGHT, moves=False))
    room.overlay.store_places_in(file)
    room.summon()
    room.settle()
    room.bot.waitUntil(lambda: room.overlay._placing._is_at_rest)
    return room


def paper(room: Room) -> QRect:
    return room.overlay.paper.translated(room.overlay.pos())


def area(room: Room) -> QRect:
    return room.overlay.screen().availableGeometry()


def move(room: Room, corner: QPoint) -> None:
    """Move the paper there, as a hand does, and let it rest."""
    room.overlay.move(corner - room.overlay.paper.topLeft())
    until_stored(room)


def until_stored(room: Room) -> None:
    room.bot.waitUntil(lambda: not room.overlay._placing._settling.isActive())
    room.settle()


def again(room: Room) -> None:
    """Hide it, and have it back."""
    room.leave()
    room.summon()
    room.settle()


def pull(room: Room, start: QPoint, way: QPoint) -> None:
    """Drag an edge, in the window's coordinates."""
    grips = room.overlay.findChild(EdgeGrips)
    assert isinstance(grips, EdgeGrips)
    left, none = Qt.MouseButton.LeftButton, Modifier.NoModifier
    QTest.mousePress(grips, left, pos=start)
    on_screen = QPointF(grips.mapToGlobal(start) + way)
    at = QPointF(start + way)
    moved = QMouseEvent(QEvent.Type.MouseMove, at, on_screen, left, left, none)
    QApplication.sendEvent(grips, moved)
    QTest.mouseRelease(grips, left, pos=at.toPoint())
    until_stored(room)


def test_it_comes_back_where_it_was_put_also_after_a_restart(
    room: Room, furnish: Furnish, file: Path
) -> None:
    first = paper(room).topLeft()
    move(room, QPoint(30, 40))
    again(room)
    assert paper(room).topLeft() == QPoint(30, 40)
    room.leave()
    later = summoned(furnish, file)
    assert paper(later).topLeft() == QPoint(30, 40)
    move(later, first + QPoint(5, 6))
    assert paper(later).topLeft() == first
    assert "left" not in file.read_text("utf-8")


def test_near_the_foot_of_the_screen_its_lower_edge_stays(room: Room) -> None:
    end = area(room).bottom() - 20
    move(room, QPoint(30, end - paper(room).height() + 1))
    room.answer("Why?", answered(LONG))
    room.settle()
    assert paper(room).bottom() == end
    assert paper(room).height() > 300
    again(room)
    assert paper(room).bottom() == end
    room.session.begin_anew()
    room.settle()
    assert paper(room).height() < 200
    assert paper(room).bottom() == end


def test_an_edge_is_pulled_and_the_width_is_kept(room: Room, furnish: Furnish, file: Path) -> None:
    before, inside = paper(room), room.overlay.paper
    pull(room, QPoint(inside.right() + 3, inside.center().y()), QPoint(-100, 0))
    assert paper(room) == before.adjusted(0, 0, -100, 0)
    again(room)
    assert paper(room).width() == before.width() - 100
    inside = room.overlay.paper
    pull(room, QPoint(inside.left() - 3, inside.center().y()), QPoint(600, 0))
    assert paper(room).width() == 480
    room.leave()
    assert paper(summoned(furnish, file)).width() == 480


def test_the_height_that_it_was_given_is_the_most(room: Room) -> None:
    room.answer("Why?", answered(LONG))
    room.settle()
    before, inside = paper(room), room.overlay.paper
    pull(room, QPoint(inside.center().x(), inside.bottom() + 3), QPoint(0, -200))
    assert paper(room) == before.adjusted(0, 0, 0, -200)
    room.session.begin_anew()
    room.settle()
    assert paper(room).height() < before.height() - 200
    room.answer("Why?", answered(LONG))
    room.settle()
    assert paper(room).height() == before.height() - 200


def test_pinned_it_is_an_ordinary_window_until_it_is_pinned_no_more(
    room: Room, furnish: Furnish, file: Path
) -> None:
    above = Qt.WindowType.WindowStaysOnTopHint
    told: list[bool] = []
    room.overlay.pinned_changed.connect(told.append)
    assert room.overlay.windowFlags() & above
    room.press(Qt.Key.Key_P, held=Modifier.ControlModifier | Modifier.ShiftModifier)
    handle = room.overlay.windowHandle()
    assert room.overlay.is_pinned
    assert told == [True]
    assert room.overlay.isVisible()
    assert not room.overlay.windowFlags() & above
    assert not handle.flags() & above
    # It takes what the desktop gives it, as half of the screen.
    room.settle()
    room.overlay.resize(QSize(850, 500))
    room.answer("Why?", answered("Because."))
    room.settle()
    assert room.overlay.size() == QSize(850, 500)
    room.leave()
    later = summoned(furnish, file)
    assert later.overlay.is_pinned
    assert not later.overlay.windowFlags() & above
    later.overlay.set_pinned(False)
    later.settle()
    assert later.overlay.windowFlags() & above
    assert later.overlay.minimumSize() == later.overlay.maximumSize()


def test_wide_it_is_an_ordinary_window_too(room: Room) -> None:
    narrow = paper(room).width()
    room.overlay._placing._stored.screens.clear()
    room.overlay.toggle_wide()
    room.settle()
    # The screen of these tests is 800 wide.
    is_wide = paper(room).width() >= 760
    assert is_wide
    assert not room.overlay.windowFlags() & Qt.WindowType.WindowStaysOnTopHint
    room.overlay.toggle_wide()
    room.settle()
    assert paper(room).width() == narrow
    assert room.overlay.windowFlags() & Qt.WindowType.WindowStaysOnTopHint


@pytest.mark.parametrize(
    "written",
    [
        "",
        "no JSON",
        pytest.param("[" * 100_000, id="deep"),
        "[1]",
        '{"pinned": 1, "screens": []}',
        '{"screens": {"": {"left": "far", "top": null, "width": true, "height": [1]}}}',
        '{"screens": {"": 7}, "pinned": "yes"}',
    ],
)
def test_a_file_of_something_else_keeps_nothing(furnish: Furnish, file: Path, written: str) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_text(written, "utf-8")
    room = summoned(furnish, file)
    assert not room.overlay.is_pinned
    assert abs(paper(room).center().x() - area(room).center().x()) <= 1
    room.leave()


@pytest.mark.parametrize(
    "kept",
    [
        '{"left": -4000, "top": -4000}',
        '{"right": 90000, "bottom": 90000}',
        '{"left": 700, "width": 100000, "height": 100000}',
        '{"width": 1, "height": 1}',
    ],
)
def test_nothing_that_was_kept_brings_it_out_of_its_screen(
    furnish: Furnish, file: Path, kept: str
) -> None:
    file.parent.mkdir(exist_ok=True)
    name = QApplication.primaryScreen().name()
    file.write_text(f'{{"screens": {{"{name}": {kept}}}}}', "utf-8")
    room = summoned(furnish, file)
    assert area(room).contains(paper(room))
    assert paper(room).width() >= 480
    room.leave()


def test_the_focus_changes_how_it_looks_and_nothing_else(room: Room) -> None:
    told: list[bool] = []
    room.overlay.active_changed.connect(told.append)
    inside, lit = room.overlay.paper, room.overlay.grab().toImage()
    below = QPoint(inside.center().x(), inside.bottom() + 20)
    room.go_elsewhere()
    assert told == [False]
    assert room.overlay.paper == inside
    resting = room.overlay.grab().toImage()
    assert resting.pixelColor(below).alpha() == 0 < lit.pixelColor(below).alpha()
    room.summon()
    assert told == [False, True]


def test_large_text_makes_a_screen_low(room: Room, furnish: Furnish, file: Path) -> None:
    share = room.overlay._placing.most_height / area(room).height()
    large = FramePlacement(furnish(Look(LIGHT, 1.5)).overlay).most_height / area(room).height()
    # 800 by 800 is the screen of these tests: low at 150 %, and not at 100 %.
    assert (round(share, 2), round(large, 2)) == (0.7, 0.85)
