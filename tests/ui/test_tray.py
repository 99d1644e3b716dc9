"""The icon in the panel: three states that are told apart, and a menu that says what was chosen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QObject, SignalInstance
from PySide6.QtGui import QColor, QIcon, QImage, QPainter, QPixmap
from PySide6.QtWidgets import QApplication, QSystemTrayIcon
from pytestqt.qtbot import QtBot

from askance.ui.design.theme import DARK, LIGHT, Look
from askance.ui.shell.tray import (
    AMBER,
    INK,
    RIGHT,
    WORKING,
    Tray,
    TrayState,
    draw,
    tray_icon,
)
from ui.test_look import contrast

STILL = Look(LIGHT, moves=False)
MOVING = Look(LIGHT)
# Graphics need 3:1 (WCAG 2.2, 1.4.11); a softened edge of a thin stroke has less than its colour.
LEGIBLE = 3.0


class Chosen(QObject):
    """Counts how often a signal came."""

    def __init__(self, signal: SignalInstance, parent: QObject) -> None:
        super().__init__(parent)
        self.times = 0
        signal.connect(self.take)

    def take(self) -> None:
        self.times += 1


@pytest.fixture
def tray(qtbot: QtBot) -> Iterator[Tray]:
    made = Tray(STILL, is_available=lambda: True)
    yield made
    made.hide()


def icon_of(tray: Tray) -> QSystemTrayIcon:
    (icon,) = tray.findChildren(QSystemTrayIcon)
    return icon


def pixels(icon: QIcon | QPixmap) -> QImage:
    picture = icon if isinstance(icon, QPixmap) else icon.pixmap(16, 16)
    return picture.toImage().convertToFormat(QImage.Format.Format_ARGB32)


def test_a_notification_holds_no_markup(tray: Tray, monkeypatch: pytest.MonkeyPatch) -> None:
    reports: list[tuple[str, str]] = []
    icon = icon_of(tray)
    monkeypatch.setattr(icon, "isVisible", lambda: True)
    monkeypatch.setattr(icon, "supportsMessages", lambda: True)
    monkeypatch.setattr(icon, "showMessage", lambda title, text, _: reports.append((title, text)))
    assert tray.notify("Answer ready", "Is <img src=x> & a tag?")
    assert reports == [("Answer ready", "Is \u2039img src=x\u203a \uff06 a tag?")]


def on_panel(picture: QPixmap, panel: str) -> QImage:
    under = QPixmap(picture.size())
    under.fill(QColor(panel))
    painter = QPainter(under)
    painter.drawPixmap(0, 0, picture)
    painter.end()
    return pixels(under)


@pytest.mark.parametrize("panel", ["#FFFFFF", LIGHT.paper, DARK.paper, "#000000"])
def test_the_icon_is_legible_at_16_pixels_on_light_and_dark_panels(
    qtbot: QtBot, panel: str
) -> None:
    for colour in (INK, AMBER):
        assert contrast(colour, panel) >= LEGIBLE
    for picture in (draw(16), draw(16, min(WORKING)), draw(16, dot=True)):
        image = on_panel(picture, panel)
        ratios = [
            contrast(image.pixelColor(x, y).name(), panel) for x in range(16) for y in range(16)
        ]
        assert sum(ratio >= LEGIBLE for ratio in ratios) >= 20


def test_the_three_states_and_every_frame_look_different(qtbot: QtBot) -> None:
    for size in (16, 22, 44):
        pictures = [draw(size, dot=True), *(draw(size, x) for x in sorted(set(WORKING)))]
        images = [pixels(picture) for picture in pictures]
        assert all(a != b for i, a in enumerate(images) for b in images[:i])
    assert WORKING[0] == RIGHT
    assert pixels(draw(16)) == pixels(draw(16, RIGHT))


def test_a_mask_is_one_colour_in_which_the_dot_is_told_by_its_shape(qtbot: QtBot) -> None:
    icon = tray_icon(dot=True, as_mask=True)
    assert icon.isMask()
    image = pixels(icon)
    opaque = [image.pixelColor(x, y) for x in range(16) for y in range(16)]
    assert {colour.rgb() for colour in opaque if colour.alpha() == 255} == {QColor("black").rgb()}
    assert image != pixels(tray_icon(as_mask=True))


def test_the_icon_and_its_words_follow_the_state(tray: Tray) -> None:
    seen: list[QImage] = []
    words: list[str] = []
    for state in (TrayState.IDLE, TrayState.WORKING, TrayState.ATTENTION):
        tray.set_state(state)
        assert tray.state is state
        seen.append(pixels(icon_of(tray).icon()))
        words.append(icon_of(tray).toolTip())
    assert words == [
        "Askance",
        "Askance is searching",
        "Askance needs your attention",
    ]
    assert seen[0] != seen[1] != seen[2] != seen[0]
    tray.set_state(TrayState.IDLE)
    assert pixels(icon_of(tray).icon()) == seen[0]


def test_the_pupil_moves_while_working_and_rests_where_nothing_may_move(
    tray: Tray, qtbot: QtBot
) -> None:
    tray.set_look(MOVING)
    tray.set_state(TrayState.WORKING)
    first = pixels(icon_of(tray).icon())
    qtbot.waitUntil(lambda: pixels(icon_of(tray).icon()) != first)
    assert tray._frames.isActive()
    tray.set_look(replace(MOVING, moves=False))
    assert not tray._frames.isActive()
    assert pixels(icon_of(tray).icon()) == pixels(draw(16, min(WORKING)))
    tray.set_look(MOVING)
    tray.set_state(TrayState.IDLE)
    assert not tray._frames.isActive()


def test_every_entry_of_the_menu_says_that_it_was_chosen(tray: Tray) -> None:
    entries = {
        "Show Askance": tray.show_requested,
        "New conversation": tray.new_requested,
        "History": tray.history_requested,
        "Settings": tray.settings_requested,
        "Quit": tray.quit_requested,
    }
    menu = icon_of(tray).contextMenu()
    actions = {action.text(): action for action in menu.actions() if not action.isSeparator()}
    assert list(actions) == list(entries)
    for text, signal in entries.items():
        chosen = Chosen(signal, tray)
        actions[text].trigger()
        assert chosen.times == 1
    assert menu.accessibleName() == "Askance"


def test_a_double_click_is_one_click(tray: Tray, qapp: QApplication, qtbot: QtBot) -> None:
    chosen = Chosen(tray.toggle_requested, tray)
    click = QSystemTrayIcon.ActivationReason.Trigger
    before = qapp.doubleClickInterval()
    for _ in range(2):
        icon_of(tray).activated.emit(click)
    assert chosen.times == 1
    # As if the time between them had passed.
    qapp.setDoubleClickInterval(0)

    def clicked_again() -> bool:
        icon_of(tray).activated.emit(click)
        return chosen.times > 1

    qtbot.waitUntil(clicked_again)
    qapp.setDoubleClickInterval(before)


def test_a_click_asks_to_toggle_and_a_right_click_only_opens_the_menu(tray: Tray) -> None:
    chosen = Chosen(tray.toggle_requested, tray)
    reasons = QSystemTrayIcon.ActivationReason
    for reason in (reasons.Context, reasons.Trigger, reasons.DoubleClick):
        icon_of(tray).activated.emit(reason)
    assert chosen.times == 1


# Offscreen, Qt looks for the tray of X11 and says that it has none.
@pytest.mark.qt_log_ignore("systemTrayWindowChanged", extend=True)
def test_the_tray_knows_whether_the_user_can_see_it(qtbot: QtBot) -> None:
    there = [False]
    tray = Tray(STILL, is_available=lambda: there[0])
    tray.show()
    assert not tray.is_reachable
    there[0] = True
    assert tray.is_reachable
    tray.hide()
    assert not tray.is_reachable
