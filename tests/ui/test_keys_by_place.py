"""Keys of the window on a keyboard without Latin letters: by their place; on all others by their letter."""
# The letters of other scripts are what is tried.
# ruff: noqa: RUF001

from __future__ import annotations

import sys

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QApplication

from askance.app.commands import WindowCommand
from askance.ui.design.keys import bind_keys, key_by_place
from sampled import each_row
from ui.overlay_room import Modifier, Room

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="other codes of keys: run it under Linux"
)
CTRL, SHIFT = Modifier.ControlModifier, Modifier.ShiftModifier
# The codes of an X server for the places of keys of an American keyboard.
PLACES = {"H": 43, ",": 59, "W": 25, "N": 57, "J": 44, "P": 33, "V": 55, "A": 38, "=": 21, "0": 19}


def pressed(letter: str, place: str, held: Qt.KeyboardModifier = CTRL) -> QKeyEvent:
    """A key with the letter that its layout has on it, as an X server and Qt tell of it."""
    code = PLACES[place]
    return QKeyEvent(QEvent.Type.KeyPress, ord(letter), held, code, 0, 0, "")


@each_row(
    ("letter", "place", "held", "meant"),
    [
        ("Р", "H", CTRL, "H"),
        ("Б", ",", CTRL, ","),
        ("Ц", "W", CTRL, "W"),
        ("З", "P", CTRL | SHIFT, "P"),
        ("Η", "H", CTRL, "H"),
        ("י", "H", CTRL, "H"),
        ("ه", "A", CTRL, "A"),
        # By its letter: Dvorak, AZERTY, a Czech or a German one.
        ("D", "H", CTRL, ""),
        ("Z", "W", CTRL, ""),
        ("É", "0", CTRL, ""),
        ("Ě", "0", CTRL, ""),
        # It writes.
        ("Р", "H", Modifier.NoModifier, ""),
        ("Р", "H", SHIFT, ""),
    ],
)
def test_a_place_counts_where_there_is_no_latin_letter(
    letter: str, place: str, held: Qt.KeyboardModifier, meant: str
) -> None:
    key = key_by_place(pressed(letter, place, held))
    assert (chr(key) if key else "") == meant


def send(room: Room, letter: str, place: str, held: Qt.KeyboardModifier = CTRL) -> None:
    QApplication.sendEvent(room.field, pressed(letter, place, held))


@pytest.mark.usefixtures("summoned")
def test_the_keys_of_the_window_and_of_its_field_hold_on_a_russian_keyboard(room: Room) -> None:
    send(room, "Р", "H")
    send(room, "Б", ",")
    assert [told[0] for told in (room.wanted.at(n) for n in range(room.wanted.count()))] == [
        WindowCommand.HISTORY,
        WindowCommand.SETTINGS,
    ]
    send(room, "З", "P", CTRL | SHIFT)
    assert room.overlay.is_pinned
    QGuiApplication.clipboard().setText("borrowed")
    send(room, "М", "V")
    assert room.field.text == "borrowed"
    send(room, "Ц", "W")
    assert not room.overlay.isVisible()


@pytest.mark.usefixtures("summoned")
def test_text_becomes_larger_whether_plus_is_a_key_of_its_own_or_not(room: Room) -> None:
    # As public reports of other programs have it: element-hq/element-web#21199, julian-alarcon/prospect-mail#178.
    spy = QSignalSpy(room.bar.tools.text_size_requested)
    pad = Modifier.KeypadModifier
    for key, held, step in (
        (Qt.Key.Key_Plus, CTRL, 1),
        (Qt.Key.Key_Plus, CTRL | pad, 1),
        (Qt.Key.Key_Equal, CTRL, 1),
        (Qt.Key.Key_Minus, CTRL, -1),
        (Qt.Key.Key_Minus, CTRL | pad, -1),
        (Qt.Key.Key_0, CTRL, 0),
    ):
        room.press(key, held=held)
        assert spy.at(spy.count() - 1) == [step]
    assert spy.count() == 6


@pytest.mark.usefixtures("summoned")
def test_more_keys_can_be_bound(room: Room) -> None:
    done: list[str] = []
    bind_keys(
        room.overlay, [("Ctrl+J", lambda: done.append("J")), ("Ctrl+9", lambda: done.append("9"))]
    )
    send(room, "О", "J")
    room.press(Qt.Key.Key_9, held=CTRL)
    assert done == ["J", "9"]
