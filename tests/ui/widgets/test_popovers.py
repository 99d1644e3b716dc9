"""Popovers, menus and buttons with glyphs: where they open, how they close, what a screen reader calls them."""

from __future__ import annotations

from importlib.resources import files

import pytest
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from askance.ui.design.drawing import pixmap
from askance.ui.design.glyphs import ActionButton, GlyphButton
from askance.ui.design.popover import Menu, Popover, place_beside
from askance.ui.design.theme import LIGHT, Look
from ui.widgets.lighthouse import has_colour

LOOK = Look(LIGHT, moves=False)
BOUNDS = QRect(100, 0, 400, 600)


@pytest.fixture
def window(qtbot) -> QWidget:
    window = QWidget()
    qtbot.addWidget(window)
    window.setGeometry(100, 100, 500, 200)
    return window


@pytest.mark.parametrize(
    ("at", "at_right", "expected"),
    [
        ((150, 100), False, QPoint(150, 132)),
        ((150, 100), True, QPoint(100, 132)),  # its left edge stays inside
        ((470, 100), False, QPoint(300, 132)),  # and so does its right one
        ((470, 100), True, QPoint(298, 132)),
        ((150, 560), False, QPoint(150, 456)),  # above, where there is no room below
    ],
)
def test_it_opens_beside_its_anchor_and_within_the_window(qtbot, at, at_right, expected) -> None:
    anchor = QWidget()
    qtbot.addWidget(anchor)
    anchor.setGeometry(QRect(QPoint(*at), QSize(28, 28)))

    place = place_beside(anchor, QRect(0, 0, 200, 100), BOUNDS, LOOK, at_right)

    assert place.topLeft() == expected


def test_a_popover_takes_the_keyboard_and_escape_closes_it(qtbot, window) -> None:
    button = GlyphButton(LOOK, "history", "History", parent=window)
    window.show()
    popover = Popover(LOOK, window, 200)
    inside = ActionButton(LOOK, "Row")
    popover.contents.addWidget(inside)
    popover.setFocusProxy(inside)
    popover.open_below(button)
    assert popover.isVisible()
    assert popover.paper.width() == 200

    with qtbot.waitSignal(popover.closed):
        QTest.keyClick(popover, Qt.Key.Key_Escape)

    assert not popover.isVisible()


def test_a_menu_calls_what_its_row_says_and_shows_keys_without_taking_them(window) -> None:
    done = []
    menu = Menu(LOOK, window)
    row = menu.add("Rename", lambda: done.append("rename"), glyph="edit", keys="F2")

    row.trigger()

    assert done == ["rename"]
    assert row.shortcutContext() is Qt.ShortcutContext.WidgetShortcut
    assert not row.icon().isNull()
    menu.open_at(QPoint(0, 0))
    place = menu.actionGeometry(row)
    cap = QRect(place.right() - 40, place.top(), 40, place.height())
    assert has_colour(menu.grab(cap).toImage(), LIGHT.line_2)
    menu.close()


def test_a_glyph_is_named_and_says_its_keys(qtbot) -> None:
    button = GlyphButton(LOOK, "new", "New conversation", "Ctrl+N")
    qtbot.addWidget(button)

    assert button.accessibleName() == "New conversation"
    assert button.accessibleDescription() == "Ctrl+N"


def test_an_action_keeps_its_width_when_its_glyph_changes(qtbot) -> None:
    action = ActionButton(LOOK, "Copy", "copy", opens_list=True)
    qtbot.addWidget(action)
    before = action.sizeHint()

    action.set_glyph("check", "accent")

    assert action.sizeHint() == before


def test_each_icon_is_drawn(qapp) -> None:
    names = [file.name for file in files("askance.ui.design").joinpath("icons").iterdir()]

    for name in names:
        image = pixmap(name.removesuffix(".svg"), "#000000", 24).toImage()
        drawn = [image.pixelColor(x, y).alpha() for x in range(24) for y in range(24)]
        assert max(drawn) > 100, name
