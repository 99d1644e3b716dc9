"""The settings, the history and the first page by keys alone."""

from __future__ import annotations

import tomllib

import pytest
from PySide6.QtCore import QPoint, QRect, Qt, QTimer
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QWidget
from pytestqt.qtbot import QtBot

from askance.adapters.storage.history import SqliteHistory
from askance.domain.events import Answered
from askance.domain.history import TimedEvent
from askance.ui.design.focus import KEYS, FocusRing, reading_order
from askance.ui.history_window import HistoryWindow
from askance.ui.settings.first_run import FirstRun
from askance.ui.settings.installation_page import LedgerControl, ServicesControl, StoredDataControl
from askance.ui.settings.models import ModelControl
from askance.ui.settings.page_tables import PAGES, ControlKind
from askance.ui.settings.row_controls import ConsentControl
from askance.ui.settings.window import SettingsWindow
from cli.runs import ANSWERED
from sampled import sampled
from ui.keyboard import LOOK, Hands, Key, label
from ui.settings.room import Room, SignalLog

QUESTIONS = ("Where does the owl sleep?", "When did the lighthouse move?", "Who bakes?")


def at_settings(place: Room, qtbot: QtBot, page: str = "Search") -> tuple[SettingsWindow, Hands]:
    window = place.open_settings(page)
    qtbot.waitUntil(lambda: QApplication.focusWidget() is window.side.list)
    return window, Hands(qtbot)


def at_history(place: Room, qtbot: QtBot) -> tuple[HistoryWindow, Hands]:
    assert isinstance(ANSWERED, Answered)
    history: SqliteHistory = place.parts.history
    for question in QUESTIONS:
        key = history.begin_exchange(None, "search", question)
        history.finish_exchange(key, (TimedEvent(1.0, ANSWERED),))
    window = HistoryWindow(LOOK, place.surroundings.bridge)
    with qtbot.waitExposed(window):
        window.summon()
    qtbot.waitUntil(window.panel.search.hasFocus)
    qtbot.waitUntil(lambda: titles(window) == list(QUESTIONS[::-1]))
    return window, Hands(qtbot)


def titles(window: HistoryWindow) -> list[str]:
    rows = window.panel.rows
    return [rows.index(n).data() for n in range(rows.rowCount())]


@pytest.mark.parametrize("page", sampled([table.title for table in PAGES], every=4))
def test_tab_goes_down_a_page_of_the_settings_and_back_again(
    place: Room, qtbot: QtBot, page: str
) -> None:
    window, hands = at_settings(place, qtbot, page)
    # What is asked of the services comes in, and may bring controls with it.
    qtbot.waitUntil(lambda: "Checking" not in shown_texts(window))
    forth = hands.walk()
    assert forth == reading_order(window)[1:]
    pages = window.page([table.title for table in PAGES].index(page))
    inside = pages.widget()
    assert inside is not None

    def go_down() -> bool:
        tops = [widget.mapTo(inside, widget.rect().bottomLeft()).y() for widget in forth]
        return tops == sorted(tops)

    qtbot.waitUntil(go_down)
    assert hands.walk(back=True) == forth[::-1]


def shown_texts(window: QWidget) -> str:
    return " ".join(str(w.property("text")) for w in window.findChildren(QWidget) if w.isVisible())


def test_what_gets_the_focus_on_a_page_is_scrolled_into_sight(place: Room, qtbot: QtBot) -> None:
    window, hands = at_settings(place, qtbot, "Privacy")
    page = window.page(6)
    assert page.verticalScrollBar().maximum() > 0
    for _ in range(30):
        hands.press(Key.Key_Tab)
        if page.isAncestorOf(hands.focus):
            top = hands.focus.mapTo(page.viewport(), hands.focus.rect().topLeft()).y()
            assert 0 <= top <= page.viewport().height() - hands.focus.height(), label(hands.focus)


def test_arrows_turn_the_pages_and_lead_into_them(place: Room, qtbot: QtBot) -> None:
    window, hands = at_settings(place, qtbot, "Model")
    for page in window.pages[1:]:
        hands.press(Key.Key_Down)
        assert page.isVisible()
    hands.press(Key.Key_Home, Key.Key_Down, Key.Key_Right)
    assert hands.focus is window.field("limits.rounds").control.main
    hands.tab(back=True)
    assert hands.focus is window.side.list
    hands.press(Key.Key_Return)
    assert hands.focus is window.field("limits.rounds").control.main


def test_every_kind_of_control_is_changed_by_keys(place: Room, qtbot: QtBot) -> None:
    window, hands = at_settings(place, qtbot, "Search")
    hands.press(Key.Key_Right)
    hands.type("7")  # Tab selects what stands there
    hands.press(Key.Key_Tab)
    hands.tab_until(lambda w: w is window.field("search.safesearch").control.main)
    hands.press(Key.Key_Down)
    window.show_page("Hotkey")
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
    control = window.control(ControlKind.MODEL, ModelControl)
    qtbot.waitUntil(lambda: control.list.count() == 3)
    hands.tab_until(lambda w: w is control.list)
    hands.press(Key.Key_Down)
    qtbot.waitUntil(lambda: tomllib.loads(place.written) == {"llm": {"model": "wren:8b"}})


def test_the_focus_follows_the_services_from_start_to_end(place: Room, qtbot: QtBot) -> None:
    place.services.hangs = True
    window, hands = at_settings(place, qtbot, "Services")
    control = next(
        f.control for f in window.page(7).fields if isinstance(f.control, ServicesControl)
    )
    qtbot.waitUntil(lambda: bool(control.status_lines))
    hands.tab_until(lambda w: w is control.up)
    hands.press(Key.Key_Return)
    qtbot.waitUntil(lambda: place.services.done == ["begun"])
    assert hands.focus is control.stop
    hands.press(Key.Key_Return)
    assert hands.focus is control.up


def test_forgetting_is_asked_twice_and_the_focus_comes_back(place: Room, qtbot: QtBot) -> None:
    window, hands = at_settings(place, qtbot, "Privacy")
    control = next(
        f.control for f in window.page(6).fields if isinstance(f.control, StoredDataControl)
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


def test_tab_goes_through_the_history_in_reading_order(place: Room, qtbot: QtBot) -> None:
    window, hands = at_history(place, qtbot)
    panel = window.panel
    hands.press(Key.Key_Down)
    assert hands.focus is panel.list
    assert [index.row() for index in panel.list.selectedIndexes()] == [0]
    assert hands.walk() == [
        panel.open_it, panel.rename, panel.export, panel.delete.offer, panel.delete_all.offer,
        panel.search,
    ]  # fmt: skip


def test_a_conversation_is_renamed_with_f2(place: Room, qtbot: QtBot) -> None:
    window, hands = at_history(place, qtbot)
    hands.press(Key.Key_Down, Key.Key_F2)
    assert isinstance(hands.focus, QLineEdit)
    assert label(hands.focus) == "Title of the conversation"
    hands.keys("Ctrl+A")
    hands.type("Bread")
    hands.press(Key.Key_Return)
    qtbot.waitUntil(lambda: place.parts.history.conversations(1)[0].title == "Bread")
    qtbot.waitUntil(lambda: hands.focus is window.panel.list)


def test_a_conversation_is_deleted_by_keys_and_the_list_has_the_focus_again(
    place: Room, qtbot: QtBot
) -> None:
    window, hands = at_history(place, qtbot)
    panel = window.panel
    hands.press(Key.Key_Down, Key.Key_Down, Key.Key_Delete)
    assert hands.focus is panel.delete.no
    hands.press(Key.Key_Escape)
    assert hands.focus is panel.list
    assert window.isVisible()
    hands.press(Key.Key_Delete)
    hands.tab(back=True)
    assert hands.focus is panel.delete.yes
    hands.press(Key.Key_Return)
    qtbot.waitUntil(lambda: titles(window) == [QUESTIONS[2], QUESTIONS[0]])
    assert hands.focus is panel.list
    assert panel.list.currentIndex().data() == QUESTIONS[0]


def test_an_export_is_chosen_from_its_menu_by_keys(place: Room, qtbot: QtBot) -> None:
    window, hands = at_history(place, qtbot)
    asked: list[str] = []
    window.panel._choose = lambda _parent, suggested, _then: asked.append(suggested)
    hands.press(Key.Key_Down)
    hands.tab_until(lambda w: w is window.panel.export)
    # The menu has an event loop of its own for as long as it is open.
    press_in_menu(qtbot, Key.Key_Down, Key.Key_Down, Key.Key_Return)
    hands.press(Key.Key_Return)
    qtbot.waitUntil(lambda: asked == ["Who bakes.html"])


def press_in_menu(qtbot: QtBot, *keys: Qt.Key) -> None:
    def press() -> None:
        menu = QApplication.activePopupWidget()
        assert isinstance(menu, QMenu)
        for key in keys:
            QTest.keyClick(menu, key)

    QTimer.singleShot(0, press)


def test_the_search_is_a_key_away_and_control_w_closes_the_history(
    place: Room, qtbot: QtBot
) -> None:
    window, hands = at_history(place, qtbot)
    hands.type("owl")
    qtbot.waitUntil(lambda: titles(window) == [QUESTIONS[0]])
    hands.press(Key.Key_Down)
    hands.keys("Ctrl+F")
    assert hands.focus is window.panel.search
    assert window.panel.search.selectedText() == "owl"
    hands.keys("Ctrl+W")
    assert not window.isVisible()


def test_the_first_page_is_walked_and_done_by_keys(place: Room, qtbot: QtBot) -> None:
    page = FirstRun(LOOK, place.surroundings, lambda _: "")
    sample, later = SignalLog(page.sample_requested), SignalLog(page.dismissed)
    with qtbot.waitExposed(page):
        page.show()
    page.activateWindow()
    hands = Hands(qtbot)
    button, other = page.rows["search"].button, page.rows["search"].other
    qtbot.waitUntil(lambda: button.text() == "Start it")
    # The main button has it, and gives it to the next main button once its work is done.
    qtbot.waitUntil(button.hasFocus)
    stops = [other, page.keys, page.updates.switch, page.sample, page.again, page.later]
    assert hands.walk() == stops
    assert hands.walk(back=True) == stops[::-1]
    hands.tab_until(lambda w: w is page.sample)
    hands.press(Key.Key_Return, Key.Key_Tab, Key.Key_Tab, Key.Key_Return)
    hands.keys("Ctrl+W")
    assert (len(sample.all), len(later.all)) == (1, 2)
    hands.press(Key.Key_Tab)
    assert hands.focus is button
    hands.press(Key.Key_Return)
    qtbot.waitUntil(lambda: "up" in place.services.done)
    assert hands.focus is button
    qtbot.waitUntil(other.isEnabled)
    hands.press(Key.Key_Tab)
    assert hands.focus is other
    hands.press(Key.Key_Return)
    qtbot.waitUntil(lambda: bool(other.isHidden()))
    assert hands.focus is page.later
    # Whoever has moved it keeps it, whatever is found.
    hands.tab_until(lambda w: w is page.again)
    before = page.rows["search"].finding
    page.refresh()
    qtbot.waitUntil(lambda: page.rows["search"].finding is not before)
    assert hands.focus is page.again


def test_the_record_of_what_left_is_no_trap(place: Room, qtbot: QtBot) -> None:
    window, hands = at_settings(place, qtbot, "Privacy")
    control = window.page(6).fields[0].control
    assert isinstance(control, LedgerControl)
    hands.tab_until(lambda w: w is control.show_it)
    hands.press(Key.Key_Return)
    hands.tab_until(lambda w: w is control.view)
    hands.press(Key.Key_Tab)
    assert hands.focus is window.field("search.enabled").control.main


def test_the_keys_of_the_window_are_listed_and_can_be_heard(place: Room, qtbot: QtBot) -> None:
    window, hands = at_settings(place, qtbot, "Hotkey")
    listed = hands.tab_until(lambda w: label(w) == "Keys in the window")
    assert "Ctrl+N: New conversation" in listed.accessibleDescription().splitlines()
    assert all(QKeySequence(key).toString() for keys, _ in KEYS for key in keys)
    ring = window.findChild(FocusRing)
    assert ring is not None
    assert ring.around is listed
