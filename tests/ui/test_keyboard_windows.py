"""The settings and the first page by keys alone."""

from __future__ import annotations

import tomllib

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from askance.ui.design.focus import FocusRing, reading_order
from askance.ui.design.lists import Combo
from askance.ui.settings.first_run import FirstRun
from askance.ui.settings.installation_page import LedgerControl, ServicesControl, StoredDataControl
from askance.ui.settings.models import ModelControl
from askance.ui.settings.page_tables import PAGES
from askance.ui.settings.row_controls import ConsentControl
from askance.ui.settings.setting_rows import SettingsPage
from askance.ui.settings.window import SettingsWindow
from sampled import sampled
from ui.keyboard import LOOK, Hands, Key, label
from ui.settings.room import Room, SignalLog, status_lines


def at_settings(place: Room, qtbot: QtBot, page: str = "Search") -> tuple[SettingsWindow, Hands]:
    window = place.open_settings(page)
    qtbot.waitUntil(lambda: QApplication.focusWidget() is window.side.list)
    return window, Hands(qtbot)


def page_of(window: SettingsWindow, title: str) -> SettingsPage:
    return window.page([table.title for table in PAGES].index(title))


@pytest.mark.parametrize("page", sampled([table.title for table in PAGES], every=4))
def test_tab_goes_down_a_page_of_the_settings_and_back_again(
    place: Room, qtbot: QtBot, page: str
) -> None:
    window, hands = at_settings(place, qtbot, page)
    # What is asked of the services comes in, and may bring controls with it.
    qtbot.waitUntil(lambda: "Checking" not in shown_texts(window))
    forth = hands.walk()
    search, pages, *rest = reading_order(window)
    assert (search, pages) == (window.side.search, window.side.list)
    assert forth == [*rest, search]
    forth, inside = rest, window.area.widget()
    assert inside is not None

    def go_down() -> bool:
        tops = [widget.mapTo(inside, widget.rect().bottomLeft()).y() for widget in forth]
        return tops == sorted(tops)

    qtbot.waitUntil(go_down)
    assert hands.walk(back=True) == [search, *forth[::-1]]


def shown_texts(window: QWidget) -> str:
    return " ".join(str(w.property("text")) for w in window.findChildren(QWidget) if w.isVisible())


def test_what_gets_the_focus_on_a_page_is_scrolled_into_sight(place: Room, qtbot: QtBot) -> None:
    window, hands = at_settings(place, qtbot, "Privacy")
    area = window.area
    qtbot.waitUntil(lambda: area.verticalScrollBar().maximum() > 0)
    for _ in range(30):
        hands.press(Key.Key_Tab)
        if area.isAncestorOf(hands.focus):
            top = hands.focus.mapTo(area.viewport(), hands.focus.rect().topLeft()).y()
            assert 0 <= top <= area.viewport().height() - hands.focus.height(), label(hands.focus)


def test_arrows_turn_the_pages_and_lead_into_them(place: Room, qtbot: QtBot) -> None:
    window, hands = at_settings(place, qtbot, "General")
    for page in window.pages[1:]:
        hands.press(Key.Key_Down)
        assert page.isVisible()
    hands.press(Key.Key_Home, Key.Key_Down, Key.Key_Right)
    assert hands.focus is window.field("llm.api").control.main
    hands.tab(back=True)
    assert hands.focus is window.side.list
    hands.press(Key.Key_Return)
    assert hands.focus is window.field("llm.api").control.main


def test_every_kind_of_control_is_changed_by_keys(place: Room, qtbot: QtBot) -> None:
    window, hands = at_settings(place, qtbot, "Search")
    hands.tab_until(lambda w: w is window.field("limits.rounds").control.main)
    hands.type("7")  # Tab selects what stands there
    hands.press(Key.Key_Tab)
    combo = hands.tab_until(lambda w: w is window.field("search.safesearch").control.main)
    assert isinstance(combo, Combo)
    hands.press(Key.Key_Down)
    QTest.keyClick(combo.view(), Key.Key_Down)
    QTest.keyClick(combo.view(), Key.Key_Return)
    window.show_page("General")
    window.side.setFocus()
    hands.tab_until(lambda w: w is window.field("window.notify").control.main)
    hands.press(Key.Key_Space)
    window.side.setFocus()
    hands.tab_until(lambda w: w is window.field("window.hotkey").control.main)
    hands.press(Key.Key_Return)
    hands.keys("Ctrl+Alt+K")
    assert tomllib.loads(place.written) == {
        "limits": {"rounds": 7},
        "search": {"safesearch": 1},
        "window": {"notify": False, "hotkey": "Ctrl+Alt+K"},
    }
    hands.press(Key.Key_Tab)
    assert hands.focus is window.field("window.autostart").control.main


def test_consent_is_read_and_given_by_keys(place: Room, qtbot: QtBot) -> None:
    window, hands = at_settings(place, qtbot, "Search")
    control = window.field("search.in_process").control
    assert isinstance(control, ConsentControl)
    hands.tab_until(lambda w: w is control.button)
    hands.press(Key.Key_Return)
    assert hands.focus is control.allow
    hands.press(Key.Key_Tab)
    assert hands.focus is control.refuse
    hands.tab(back=True)
    hands.press(Key.Key_Return)
    assert tomllib.loads(place.written) == {"search": {"in_process": "given"}}
    assert hands.focus is control.button


def test_a_model_is_chosen_with_the_arrows(place: Room, qtbot: QtBot) -> None:
    window, hands = at_settings(place, qtbot, "Model")
    control = window.control("model", ModelControl)
    qtbot.waitUntil(lambda: len(control.list.lines) == 3)
    hands.tab_until(lambda w: w is control.list)
    hands.press(Key.Key_Down)
    qtbot.waitUntil(lambda: tomllib.loads(place.written) == {"llm": {"model": "wren:8b"}})


def test_the_focus_follows_the_services_from_start_to_end(place: Room, qtbot: QtBot) -> None:
    place.services.hangs = True
    window, hands = at_settings(place, qtbot, "Services")
    control = next(
        f.control
        for f in page_of(window, "Services").fields
        if isinstance(f.control, ServicesControl)
    )
    qtbot.waitUntil(lambda: bool(status_lines(control)))
    hands.tab_until(lambda w: w is control.up)
    hands.press(Key.Key_Return)
    qtbot.waitUntil(lambda: place.services.done == ["begun"])
    assert hands.focus is control.stop
    hands.press(Key.Key_Return)
    assert hands.focus is control.up


def test_forgetting_is_asked_twice_and_the_focus_comes_back(place: Room, qtbot: QtBot) -> None:
    window, hands = at_settings(place, qtbot, "Privacy")
    control = next(
        f.control
        for f in page_of(window, "Privacy").fields
        if isinstance(f.control, StoredDataControl)
    )
    hands.tab_until(lambda w: w is control.forget.offer)
    hands.press(Key.Key_Return)
    assert hands.focus is control.forget.no
    hands.press(Key.Key_Escape)
    assert hands.focus is control.forget.offer
    assert window.isVisible()
    hands.press(Key.Key_Space)
    hands.tab(back=True)
    assert hands.focus is control.forget.yes


@pytest.mark.parametrize("keys", ["Ctrl+W", "Esc"])
def test_the_settings_close_from_wherever_the_focus_is(
    place: Room, qtbot: QtBot, keys: str
) -> None:
    window, hands = at_settings(place, qtbot)
    for number in range(4):
        window.show()
        window.activateWindow()
        qtbot.waitUntil(lambda: QApplication.focusWidget() is window.side.list)
        hands.press(*[Key.Key_Tab] * number)
        hands.keys(keys)
        assert not window.isVisible()


def test_rows_without_a_frame_get_a_ring(place: Room, qtbot: QtBot) -> None:
    window, hands = at_settings(place, qtbot, "About")
    ring = window.findChild(FocusRing)
    assert ring is not None
    assert ring.around is None
    hands.press(Key.Key_Tab)
    assert ring.around is hands.focus
    hands.press(Key.Key_Tab)
    assert ring.around is hands.focus
    around = QRect(ring.mapTo(window, QPoint()), ring.size())
    assert around.contains(QRect(hands.focus.mapTo(window, QPoint()), hands.focus.size()))
    window.side.setFocus()
    assert ring.around is None


def test_the_first_page_is_walked_and_done_by_keys(place: Room, qtbot: QtBot) -> None:
    page = FirstRun(LOOK, place.surroundings, lambda _: "")
    sample, later = SignalLog(page.sample_requested), SignalLog(page.dismissed)
    services = SignalLog(page.services_wanted)
    with qtbot.waitExposed(page):
        page.show()
    page.activateWindow()
    hands = Hands(qtbot)
    row = page.rows["search"]
    # The main button has it, and gives it to the next main button once its work is done.
    qtbot.waitUntil(row.button.hasFocus)
    stops = [page.keys, page.sample, page.later, row.ways]
    assert hands.walk() == stops
    assert hands.walk(back=True) == stops[::-1]
    hands.tab_until(lambda w: w is page.sample)
    hands.press(Key.Key_Return)
    hands.keys("Ctrl+W")
    assert (len(sample.all), len(later.all)) == (1, 1)
    hands.tab_until(lambda w: w is row.ways)
    hands.press(Key.Key_Return)
    assert row.more.isVisible()
    hands.tab_until(lambda w: w is row.other)
    hands.press(Key.Key_Return)
    assert len(services.all) == 1
    # Whoever has moved it keeps it, whatever is found.
    hands.tab_until(lambda w: w is page.sample)
    before = row.finding
    page.refresh()
    qtbot.waitUntil(lambda: row.finding is not before)
    assert hands.focus is page.sample


def test_the_record_of_what_left_is_no_trap(place: Room, qtbot: QtBot) -> None:
    window, hands = at_settings(place, qtbot, "Privacy")
    control = page_of(window, "Privacy").fields[0].control
    assert isinstance(control, LedgerControl)
    hands.tab_until(lambda w: w is control.show_it)
    hands.press(Key.Key_Return)
    hands.tab_until(lambda w: w is control.view)
    hands.press(Key.Key_Tab)
    assert hands.focus is window.field("search.enabled").control.main
