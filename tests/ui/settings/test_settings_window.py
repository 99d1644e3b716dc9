"""The window of settings: every page, what is written, what is refused, and what is told."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLineEdit
from pytestqt.qtbot import QtBot

from askance.config.settings import field_names
from askance.ui.design.labels import StyledLabel
from askance.ui.design.theme import DARK, LIGHT, Look, apply_look
from askance.ui.settings.page_tables import PAGES
from askance.ui.settings.row_controls import ConsentControl, HotkeyControl, LineControl
from askance.ui.settings.window import SettingsWindow
from ui.settings.room import Room, SignalLog, room
from ui.widgets.lighthouse import has_colour, picture_of

Key = Qt.Key


def line(window: SettingsWindow, name: str) -> QLineEdit:
    control = window.field(name).control
    assert isinstance(control, LineControl)
    return control.field


def type_into(field: QLineEdit, text: str) -> None:
    field.selectAll()
    QTest.keyClicks(field, text)


def test_every_row_of_the_tables_is_a_setting_with_help_and_none_stands_twice_on_a_page() -> None:
    for table in PAGES:
        names = [row.name for row in table.rows if row.name]
        assert set(names) <= set(field_names())
        assert len(names) == len(set(names))


def test_choices_offer_only_what_the_setting_may_be(place: Room) -> None:
    source = place.surroundings.source
    offered = [
        (row.name, option[0]) for table in PAGES for row in table.rows for option in row.options
    ]
    assert offered
    assert [pair for pair in offered if source.inline_message(*pair)] == []


def test_a_number_is_written_when_enter_is_pressed_and_comments_stay(place: Room) -> None:
    place.file.parent.mkdir(parents=True)
    place.file.write_text("# mine\n[limits]\nrounds = 2  # few\n", encoding="utf-8")
    window = place.open_settings()
    received = SignalLog(window.changed)
    assert line(window, "limits.rounds").text() == "2"
    type_into(line(window, "limits.rounds"), "5")
    assert received.all == []
    QTest.keyClick(line(window, "limits.rounds"), Key.Key_Return)
    assert place.written == "# mine\n[limits]\nrounds = 5  # few\n"
    assert [settings.limits.rounds for settings in received.all] == [5]


@pytest.mark.parametrize(
    ("name", "typed", "said"),
    [
        ("limits.rounds", "99", "This must be a whole number from 1 to 10."),
        ("limits.rounds", "many", "This must be a whole number from 1 to 10."),
        ("limits.rounds", "", "This must be a whole number from 1 to 10."),
        ("search.proxy", "example.org", "This must begin with http:// or https://."),
    ],
)
def test_what_a_setting_cannot_be_is_said_below_it_and_not_written(
    place: Room, name: str, typed: str, said: str
) -> None:
    window = place.open_settings()
    window.reveal(name)
    received = SignalLog(window.changed)
    field = line(window, name)
    field.selectAll()
    QTest.keyClick(field, Key.Key_Backspace)
    field.setModified(True)
    QTest.keyClicks(field, typed)
    QTest.keyClick(field, Key.Key_Return)
    assert window.field(name).problem.text() == said
    assert window.field(name).problem.isVisible()
    assert said in field.accessibleDescription()
    assert (place.written, received.all) == ("", [])
    type_into(field, "3" if name == "limits.rounds" else "http://127.0.0.1:8118")
    QTest.keyClick(field, Key.Key_Return)
    assert not window.field(name).problem.isVisible()
    assert len(received.all) == 1


def test_escape_takes_back_what_was_typed_and_then_closes(place: Room) -> None:
    window = place.open_settings()
    field = line(window, "limits.rounds")
    type_into(field, "7")
    QTest.keyClick(field, Key.Key_Escape)
    assert (field.text(), window.isVisible()) == ("4", True)
    QTest.keyClick(field, Key.Key_Escape)
    assert not window.isVisible()
    assert place.written == ""


def test_what_was_typed_is_kept_when_the_window_closes(place: Room) -> None:
    window = place.open_settings()
    type_into(line(window, "limits.rounds"), "5")
    window.close()
    assert tomllib.loads(place.written) == {"limits": {"rounds": 5}}


def test_a_variable_that_decides_is_named_and_its_control_rests(
    tmp_path: Path, qtbot: QtBot
) -> None:
    with room(tmp_path, {"ASKANCE_LIMITS__ROUNDS": "6"}) as place:
        window = place.open_settings()
        field = line(window, "limits.rounds")
        assert (field.text(), field.isEnabled()) == ("6", False)
        assert "ASKANCE_LIMITS__ROUNDS" in window.field("limits.rounds").note.text()
        assert "ASKANCE_LIMITS__ROUNDS" in field.accessibleDescription()


def test_switches_and_choices_are_written_at_once(place: Room) -> None:
    window = place.open_settings("General")
    notify = window.field("window.notify").control.main
    assert isinstance(notify, QAbstractButton)
    assert notify.isChecked()
    QTest.keyClick(notify, Key.Key_Space)
    window.show_page("Appearance")
    box = window.field("window.theme").control.main
    assert isinstance(box, QComboBox)
    box.setFocus()
    QTest.keyClicks(box, "l")
    assert tomllib.loads(place.written) == {"window": {"notify": False}}
    QTest.keyClick(box.view(), Key.Key_Return)
    assert tomllib.loads(place.written) == {"window": {"notify": False, "theme": "light"}}


def test_a_value_of_the_file_that_is_no_choice_of_ours_is_shown(place: Room) -> None:
    place.file.parent.mkdir(parents=True)
    place.file.write_text("[window]\ntext_size = 1.37\n", encoding="utf-8")
    window = place.open_settings("Appearance")
    box = window.field("window.text_size").control.main
    assert isinstance(box, QComboBox)
    assert box.currentText() == "1.37"


def test_the_wheel_changes_nothing(place: Room) -> None:
    window = place.open_settings("Appearance")
    box = window.field("window.theme").control.main
    turned = QWheelEvent(
        QPointF(5, 5), QPointF(5, 5), QPoint(), QPoint(0, -120),
        Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(box, turned)
    assert place.written == ""


def test_a_change_that_counts_later_says_so(place: Room) -> None:
    window = place.open_settings("Appearance")
    window.field("window.language").take("de")
    assert window.field("window.language").note.text()
    window.field("window.language").take("")
    assert window.field("window.language").note.text() == ""


def test_direct_search_is_allowed_only_after_what_it_means_was_shown(place: Room) -> None:
    window = place.open_settings()
    control = window.field("search.in_process").control
    assert isinstance(control, ConsentControl)
    control.button.click()
    assert place.written == ""
    assert control.explanation.text().endswith(" brave, duckduckgo, mojeek, startpage, wikipedia.")
    control.allow.click()
    assert tomllib.loads(place.written) == {"search": {"in_process": "given"}}
    both = [
        field.control
        for page in window.pages
        for field in page.fields
        if isinstance(field.control, ConsentControl)
    ]
    assert [c.button.text() for c in both] == ["Allowed. Revoke"] * 2
    control.button.click()
    assert tomllib.loads(place.written) == {"search": {"in_process": "refused"}}


def test_a_hotkey_is_recorded_by_pressing_it(place: Room) -> None:
    window = place.open_settings("General")
    recording, control = SignalLog(window.hotkey_recording), window.field("window.hotkey").control
    assert isinstance(control, HotkeyControl)
    control.keys.click()
    QTest.keyClick(control.keys, Key.Key_A)
    assert window.field("window.hotkey").problem.text()
    QTest.keyClick(
        control.keys,
        Key.Key_K,
        Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier,
    )
    assert tomllib.loads(place.written) == {"window": {"hotkey": "Ctrl+Alt+K"}}
    assert recording.all == [True, False]
    window.show_hotkey("Another program has it. Take another.")
    assert window.field("window.hotkey").problem.text() == "Another program has it. Take another."


def test_a_file_that_is_wrong_is_told_and_can_be_fixed_by_hand(place: Room) -> None:
    place.file.parent.mkdir(parents=True)
    place.file.write_text("[limits\n", encoding="utf-8")
    window = place.open_settings()
    assert "TOML" in window.trouble
    window.field("limits.rounds").take("4")
    assert place.written == "[limits\n"
    place.file.write_text("[limits]\nrounds = 4\n", encoding="utf-8")
    window.refresh()
    assert (window.trouble, line(window, "limits.rounds").text()) == ("", "4")


def test_lines_that_are_not_understood_are_shown_until_they_are_fixed(
    place: Room, qtbot: QtBot
) -> None:
    place.file.parent.mkdir(parents=True)
    odd = "[voice]\nenabled = true\n[history]\ndays = 'nein'\n"
    place.file.write_text(odd, encoding="utf-8")
    window = place.open_settings()
    assert "voice.enabled" in window.trouble
    assert "history.days" in window.trouble
    assert not window.file_trouble.open.isHidden()
    assert window.file_trouble.reset.isHidden()
    assert "not understood" in window.field("history.days").note.text()
    window.field("limits.rounds").take("4")
    assert place.written.startswith(odd)
    assert "voice.enabled" in window.trouble
    window.field("history.days").take("30")
    assert "history.days" not in window.trouble
    assert window.field("history.days").note.text() == ""
    place.file.write_text("[limits]\nrounds = 4\n", encoding="utf-8")
    with qtbot.waitSignal(window.changed):
        QApplication.sendEvent(window, QEvent(QEvent.Type.WindowActivate))
    assert window.trouble == ""
    assert window.file_trouble.isHidden()


def test_a_file_that_is_no_toml_can_be_opened_or_set_aside(place: Room, qtbot: QtBot) -> None:
    place.file.parent.mkdir(parents=True)
    place.file.write_text("[limits\n", encoding="utf-8")
    place.file.with_name("settings.toml.1").write_text("older", encoding="utf-8")
    window = place.open_settings()
    with qtbot.waitSignal(window.file_requested):
        window.file_trouble.open.click()
    window.file_trouble.reset.offer.click()
    with qtbot.waitSignal(window.changed) as changed:
        window.file_trouble.reset.yes.click()
    assert changed.args == [place.surroundings.source.load()]
    assert not place.file.exists()
    assert place.file.with_name("settings.toml.2").read_text(encoding="utf-8") == "[limits\n"
    assert window.trouble == ""


def test_a_file_that_cannot_be_written_is_told(place: Room) -> None:
    place.file.parent.write_text("in the way", encoding="utf-8")
    window = place.open_settings()
    assert str(place.file) in window.trouble


def test_help_is_short_enough_for_two_lines_and_names_how_far_numbers_go(place: Room) -> None:
    for row in {row.name: row for table in PAGES for row in table.rows if row.name}.values():
        # The list of models explains itself.
        if row.kind == "model":
            continue
        allowed = place.surroundings.source.describe(row.name).allowed
        assert 0 < len(row.about) <= (190 if row.kind == "patterns" else 100), row.name
        if row.kind == "number" and row.name != "limits.rounds":
            most = f"{int(float(allowed.split()[-1])):,}"
            assert most in row.about, (row.name, allowed)


def test_a_row_without_help_leaves_no_room_for_it(place: Room) -> None:
    window = place.open_settings("Services")
    texts = [label for label in window.findChildren(StyledLabel) if label.isVisible()]
    assert texts
    assert all(label.text() for label in texts)


def test_the_ring_around_the_chosen_page_waits_for_the_keys(
    place: Room, qtbot: QtBot, qapp: QApplication
) -> None:
    apply_look(qapp, Look(LIGHT, moves=False))
    window = place.open_settings()
    names = window.side.list
    qtbot.waitUntil(lambda: QApplication.focusWidget() is names)
    assert not has_ring(window)
    QTest.keyClick(names, Key.Key_Down)
    assert has_ring(window)
    at = names.visualItemRect(names.item(0)).center()
    QTest.mouseClick(names.viewport(), Qt.MouseButton.LeftButton, pos=at)
    assert not has_ring(window)
    QTest.keyClick(names, Key.Key_Tab)
    QTest.keyClick(window, Key.Key_Tab, Qt.KeyboardModifier.ShiftModifier)
    assert QApplication.focusWidget() is names
    assert has_ring(window)


def test_settings_that_the_keys_opened_show_where_the_focus_is(
    place: Room, qtbot: QtBot, qapp: QApplication
) -> None:
    apply_look(qapp, Look(LIGHT, moves=False))
    field = QLineEdit()
    qtbot.addWidget(field)
    field.show()
    field.activateWindow()
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    window = place.open_settings()
    qtbot.waitUntil(lambda: QApplication.focusWidget() is window.side.list)
    assert has_ring(window)


def has_ring(window: SettingsWindow) -> bool:
    return has_colour(picture_of(window.side.list), LIGHT.accent)


def test_pages_turn_with_the_keyboard(place: Room) -> None:
    window = place.open_settings("General")
    QTest.keyClick(window.side.list, Key.Key_Down)
    assert window.page(1).isVisible()
    QTest.keyClick(window, Key.Key_PageUp, Qt.KeyboardModifier.ControlModifier)
    QTest.keyClick(window, Key.Key_PageUp, Qt.KeyboardModifier.ControlModifier)
    assert window.pages[-1].isVisible()


def test_large_text_makes_no_window_that_the_screen_does_not_hold(place: Room) -> None:
    window = place.open_settings()
    window.set_look(Look(DARK, 2.5, moves=False))
    room_there = window.screen().availableSize()
    assert window.minimumWidth() < room_there.width()
    assert window.minimumHeight() < room_there.height()


def test_a_key_is_written_and_never_shown(place: Room) -> None:
    window = place.open_settings("Model")
    field = line(window, "llm.api_key")
    assert (field.text(), field.placeholderText()) == ("", "Not set")
    type_into(field, "sesame")
    assert "sesame" not in field.displayText()
    QTest.keyClick(field, Key.Key_Return)
    assert tomllib.loads(place.file.read_text("utf-8"))["llm"]["api_key"] == "sesame"
    assert (field.text(), field.placeholderText()) == ("", "Is set")
    window.close()


def test_a_key_that_is_left_alone_stays_and_one_that_is_emptied_goes(place: Room) -> None:
    place.surroundings.source.write("llm.api_key", "sesame")
    window = place.open_settings("Model")
    field = line(window, "llm.api_key")
    field.setFocus()
    QTest.keyClick(field, Key.Key_Return)
    assert place.surroundings.source.load().llm.api_key.get_secret_value() == "sesame"
    QTest.keyClicks(field, "x")
    QTest.keyClick(field, Key.Key_Backspace)
    QTest.keyClick(field, Key.Key_Return)
    assert not place.surroundings.source.load().llm.api_key
    window.close()
