"""Finding a setting, what is folded away, the list of a choice, and what somebody else writes into the file."""

from __future__ import annotations

import tomllib

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from askance.config.editing import set_value
from askance.presentation.i18n import tr
from askance.ui.design.lists import Combo
from askance.ui.settings.page_tables import PAGES, hits
from askance.ui.settings.settings_jobs import ListPage
from askance.ui.settings.source import SettingsWatcher
from askance.ui.settings.window import SettingsWindow
from ui.settings.room import Room, SignalLog

Key = Qt.Key


def shown(window: SettingsWindow) -> list[str]:
    """The labels of all rows that are seen."""
    return [
        tr(field.row.label)
        for page in window.pages
        for field in page.fields
        if field.isVisibleTo(window)
    ]


def counts(window: SettingsWindow) -> dict[str, str]:
    rows = [window.side.list.item(n) for n in range(window.side.list.count())]
    return {
        item.text(): item.data(Qt.ItemDataRole.AccessibleTextRole).rpartition(", ")[2]
        for item in rows
        if item.flags() & Qt.ItemFlag.ItemIsEnabled
    }


def combo(window: SettingsWindow, name: str) -> Combo:
    box = window.field(name).control.main
    assert isinstance(box, Combo)
    return box


def test_a_search_shows_the_rows_of_all_pages_and_how_many_each_has(
    place: Room, qtbot: QtBot
) -> None:
    window = place.open_settings("General")
    qtbot.waitUntil(lambda: QApplication.focusWidget() is window.side.list)
    QTest.keySequence(window, "Ctrl+F")
    assert window.side.search.hasFocus()
    QTest.keyClicks(window.side.search, "hide")
    assert shown(window) == [
        "Key that shows and hides",
        "Hide when another window is used",
        "Hide adult content",
    ]
    assert counts(window) == {"General": "2", "Search": "1"}
    label = window.field("search.safesearch").findChildren(QWidget)[0]
    assert '<span style="font-weight:600">Hide</span> adult content' in label.property("text")
    main = window.field("search.safesearch").control.main
    assert main.accessibleName() == "Hide adult content"
    QTest.keyClick(window.side.search, Key.Key_Escape)
    assert window.isVisible()
    assert window.side.search.text() == ""
    assert "Start at login" in shown(window)
    assert "Hide adult content" not in shown(window)


def test_what_is_folded_away_is_found_too_and_by_the_name_in_the_file(place: Room) -> None:
    window = place.open_settings("General")
    window.side.search.setText("reader.proxy")
    assert shown(window) == ["Proxy for pages"]
    window.side.search.setText("CÂCHE “size")
    assert shown(window) == []
    window.side.search.setText("CÂCHE size")
    assert shown(window) == ["Size of the page cache"]
    window.show_page("Privacy")
    assert window.side.search.text() == ""
    assert "Proxy for pages" not in shown(window)


def test_nothing_that_matches_is_one_line_and_signs_are_no_markup(place: Room) -> None:
    window = place.open_settings("General")
    for words in ("zeppelin", "<b>", "((("):
        window.side.search.setText(words)
        assert window.nothing.isVisibleTo(window)
        assert shown(window) == []
    window.side.search.setText("hide font")  # a word of the markup around the words before
    assert shown(window) == []
    window.side.search.clear()
    assert window.nothing.isHidden()


def test_a_page_that_is_chosen_in_a_search_is_scrolled_to(place: Room, qtbot: QtBot) -> None:
    window = place.open_settings("General")
    window.side.search.setText("e")
    bar = window.area.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0)
    last = window.pages[-1]
    window.side.choose(len(PAGES) - 1)
    assert bar.value() == min(last.y() - 18, bar.maximum())


def test_advanced_settings_are_counted_and_one_goes_back_to_what_was_delivered(place: Room) -> None:
    window = place.open_settings("Search")
    page = window.page(2)
    assert page.fold.accessibleName() == "Advanced: 3 settings, all as delivered"
    assert not window.field("limits.run_timeout_s").isVisible()
    QTest.keyClick(page.fold, Key.Key_Return)
    field = window.field("limits.run_timeout_s")
    assert field.isVisible()
    assert not field.as_delivered.isVisible()
    field.take("60")
    assert page.fold.accessibleName() == "Advanced: 3 settings, 1 changed"
    assert tomllib.loads(place.written) == {"limits": {"run_timeout_s": 60.0}}
    assert field.as_delivered.accessibleName() == "Time limit: As delivered"
    field.as_delivered.click()
    # Out of the file: a default that stands there would win over what is measured.
    assert tomllib.loads(place.written) == {"limits": {}}
    assert page.fold.accessibleName() == "Advanced: 3 settings, all as delivered"


def test_a_choice_is_taken_from_its_list_by_keys_and_escape_leaves_it(place: Room) -> None:
    window = place.open_settings("Appearance")
    box = combo(window, "window.theme")
    box.setFocus()
    for key in (Key.Key_Down, Key.Key_Return, Key.Key_Home):
        QTest.keyClick(box, key)
        assert box.view().isVisible()
        QTest.keyClick(box.view(), Key.Key_Down)
        QTest.keyClick(box.view(), Key.Key_Escape)
        assert (box.currentText(), place.written) == ("Same as system", "")
    QTest.keyClicks(box, "da")
    assert place.written == ""
    QTest.keyClick(box.view(), Key.Key_Return)
    assert tomllib.loads(place.written) == {"window": {"theme": "dark"}}
    QTest.keyClick(box, Key.Key_End)
    QTest.keyClick(box.view(), Key.Key_End)
    QTest.keyClick(box.view(), Key.Key_Home)
    QTest.keyClick(box.view(), Key.Key_Return)
    assert tomllib.loads(place.written) == {"window": {"theme": "system"}}


def test_a_list_is_as_wide_as_its_field_and_all_fields_are_alike(place: Room) -> None:
    window = place.open_settings("Appearance")
    boxes = [b for b in window.page(4).findChildren(Combo) if b.isVisible()]
    assert len({(box.width(), box.x(), box.height()) for box in boxes}) == 1
    boxes[0].showPopup()
    assert boxes[0].view().window().width() == boxes[0].width()
    boxes[0].hidePopup()


def test_what_somebody_else_writes_is_noticed_however_it_is_written(
    place: Room, qtbot: QtBot
) -> None:
    watcher = SettingsWatcher(place.file, place.surroundings.bridge)
    received = SignalLog(watcher.changed)
    for n, theme in enumerate(("dark", "light"), start=1):
        set_value("window.theme", theme, place.file)
        qtbot.waitUntil(lambda n=n: len(received.all) == n)
    place.file.write_text("[window]\ntheme = 'system'\n", encoding="utf-8")
    qtbot.waitUntil(lambda: len(received.all) == 3)
    place.file.unlink()
    qtbot.waitUntil(lambda: len(received.all) == 4)


def test_it_comes_up_in_the_middle_of_the_screen_of_its_window_each_time(
    place: Room, qtbot: QtBot
) -> None:
    over = QWidget()
    qtbot.addWidget(over)
    over.show()
    window = SettingsWindow(place.open_settings().look, place.surroundings)
    places = set[tuple[int, int]]()
    for _ in range(3):
        window.stand_before(over)
        window.show()
        places.add((window.pos() + window.rect().center()).toTuple())
        window.move(QPoint(3, 4))
        window.hide()
    assert places == {over.screen().availableGeometry().center().toTuple()}
    parent = window.windowHandle().transientParent()
    assert parent is over.windowHandle()
    assert window.windowType() is Qt.WindowType.Dialog


def test_every_row_can_be_found_by_its_label_and_no_page_is_lost(place: Room) -> None:
    window = place.open_settings()
    for table in PAGES:
        for row in table.rows:
            window.side.search.setText(row.label)
            assert tr(row.label) in shown(window)
            assert hits(row, table.title, row.label.upper())
            assert hits(row, table.title, table.title)
    assert not [page for page in window.findChildren(ListPage) if page.isWindow()]
    assert QApplication.activePopupWidget() is None
