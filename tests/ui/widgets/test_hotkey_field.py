"""Recording a combination: pressed, not typed; left alone by Esc; refused in words."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from askance.domain.ports.hotkey import KEYS
from askance.ui.design.controls import _MODIFIERS, HotkeyField, _name
from askance.ui.design.theme import LIGHT, Look
from ui.settings.room import SignalLog

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
ALT = Qt.KeyboardModifier.AltModifier
META = Qt.KeyboardModifier.MetaModifier
NONE = Qt.KeyboardModifier.NoModifier


@pytest.fixture
def field(qtbot: QtBot) -> HotkeyField:
    made = HotkeyField(Look(LIGHT))
    made.set_combination("Ctrl+Space")
    qtbot.addWidget(made)
    made.show()
    made.setFocus()
    return made


@pytest.mark.parametrize(
    ("key", "held", "written"),
    [
        (Qt.Key.Key_K, CTRL | ALT, "Ctrl+Alt+K"),
        (Qt.Key.Key_Space, META, "Super+Space"),
        (Qt.Key.Key_F9, NONE, "F9"),
        (Qt.Key.Key_Slash, CTRL, "Ctrl+Slash"),
        (Qt.Key.Key_Backtab, CTRL | SHIFT, "Ctrl+Shift+Tab"),
        (Qt.Key.Key_Enter, CTRL, "Ctrl+Return"),
        (Qt.Key.Key_Backspace, CTRL, "Ctrl+Backspace"),
    ],
)
def test_what_is_pressed_is_chosen(
    field: HotkeyField,
    qtbot: QtBot,
    key: Qt.Key,
    held: Qt.KeyboardModifier,
    written: str,
) -> None:
    chosen, listening = SignalLog(field.chosen), SignalLog(field.listening)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    assert field.text() == "Press the keys"
    qtbot.keyPress(field, Qt.Key.Key_Control, CTRL)
    qtbot.keyClick(field, key, held)
    assert chosen.all == [written]
    assert listening.all == [True, False]
    assert field.text() == written
    assert field.accessibleName() == f"Hotkey: {written}"


def test_escape_and_going_elsewhere_leave_it_as_it_was(field: HotkeyField, qtbot: QtBot) -> None:
    chosen, listening = SignalLog(field.chosen), SignalLog(field.listening)
    qtbot.mouseClick(field, Qt.MouseButton.LeftButton)
    qtbot.keyClick(field, Qt.Key.Key_Escape)
    qtbot.mouseClick(field, Qt.MouseButton.LeftButton)
    field.clearFocus()
    assert field.text() == "Ctrl+Space"
    assert listening.all == [True, False, True, False]
    qtbot.keyClick(field, Qt.Key.Key_K, CTRL)
    assert chosen.all == []


def test_backspace_alone_asks_for_no_hotkey(field: HotkeyField, qtbot: QtBot) -> None:
    chosen = SignalLog(field.chosen)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.keyClick(field, Qt.Key.Key_Backspace)
    assert chosen.all == [""]
    assert field.text() == "None"


@pytest.mark.parametrize(
    ("key", "held", "reason"),
    [
        (Qt.Key.Key_K, NONE, "needs Ctrl, Alt or Super"),
        (Qt.Key.Key_K, SHIFT, "needs Ctrl, Alt or Super"),
        (Qt.Key.Key_Adiaeresis, CTRL, "there is no key named"),
    ],
)
def test_what_cannot_be_a_hotkey_is_refused_in_words_and_it_listens_on(
    field: HotkeyField, qtbot: QtBot, key: Qt.Key, held: Qt.KeyboardModifier, reason: str
) -> None:
    refused, chosen = SignalLog(field.refused), SignalLog(field.chosen)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.keyClick(field, key, held)
    (reported,) = refused.all
    assert reason in str(reported)
    qtbot.keyClick(field, Qt.Key.Key_J, CTRL)
    assert chosen.all == ["Ctrl+J"]


def test_tab_and_the_windows_own_shortcuts_wait_while_it_listens(qtbot: QtBot) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    layout = QVBoxLayout(window)
    field, other = HotkeyField(Look(LIGHT)), QLineEdit()
    layout.addWidget(field)
    layout.addWidget(other)
    fired = SignalLog(QShortcut(QKeySequence("Ctrl+J"), window).activated)
    chosen = SignalLog(field.chosen)
    window.show()
    window.activateWindow()
    field.setFocus()
    qtbot.waitUntil(field.hasFocus)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.keyClick(field, Qt.Key.Key_Tab, CTRL)
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.keyClick(field, Qt.Key.Key_J, CTRL)
    assert chosen.all == ["Ctrl+Tab", "Ctrl+J"]
    assert fired.all == []
    assert field.hasFocus()
    qtbot.keyClick(field, Qt.Key.Key_Tab)
    assert other.hasFocus()
    qtbot.keyClick(other, Qt.Key.Key_J, CTRL)
    assert fired.all == [()]


def test_every_key_that_a_combination_may_have_can_be_recorded() -> None:
    assert {_name(key) for key in Qt.Key} - {""} == KEYS
    assert len(set(_MODIFIERS.values())) == 4
