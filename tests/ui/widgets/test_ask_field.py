"""The field grows with its text, tells the keys that do more than edit, and is safe to compose in."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QImage, QInputMethodEvent, QKeyEvent
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from askance.ui.design import composing as composition
from askance.ui.design.theme import LIGHT, Look, load_fonts
from askance.ui.overlay.bar.ask_field import MOST_LINES, AskField

Key, Modifier = Qt.Key, Qt.KeyboardModifier


@pytest.fixture
def field(qtbot: QtBot) -> AskField:
    load_fonts()
    made = AskField(
        Look(LIGHT), is_command=lambda word: word in {"/se", "/search "}, takes_paste=is_short
    )
    qtbot.addWidget(made)
    made.setFixedWidth(400)
    with qtbot.waitExposed(made):
        made.show()
    made.activateWindow()
    made.setFocus()
    qtbot.waitUntil(made.hasFocus)
    return made


def is_short(text: str) -> bool:
    return len(text) < 20


def spy(signal: object) -> QSignalSpy:
    return QSignalSpy(signal)  # pyright: ignore[reportArgumentType]


def mime(text: str) -> QMimeData:
    data = QMimeData()
    data.setText(text)
    return data


def composing(text: str) -> QInputMethodEvent:
    return QInputMethodEvent(text, [])


def committing(text: str) -> QInputMethodEvent:
    made = QInputMethodEvent()
    made.setCommitString(text)
    return made


def held(key: Qt.Key) -> QKeyEvent:
    return QKeyEvent(QKeyEvent.Type.KeyPress, key, Modifier.NoModifier, "", True)


def colours_at(field: AskField, character: int) -> set[str]:
    """The colours within the line of the character at a place, two pixels to each side."""
    cursor = field.textCursor()
    cursor.setPosition(character)
    left = field.cursorRect(cursor)
    cursor.setPosition(character + 1)
    right = field.cursorRect(cursor)
    image = field.grab().toImage()
    return {
        image.pixelColor(x, y).name().upper()
        for x in range(left.left(), right.left())
        for y in range(left.top(), left.bottom())
    }


def test_it_is_as_high_as_its_lines_and_scrolls_after_the_eighth(field: AskField) -> None:
    one = field.height()
    assert one == field.line_height

    field.set_text("\n".join("abc"))
    assert field.height() == 3 * one

    field.set_text("\n".join("abcdefghij"))
    assert field.height() == MOST_LINES * one
    assert field.verticalScrollBar().value() == field.verticalScrollBar().maximum() > 0

    field.set_text("")
    assert field.height() == one


@pytest.mark.parametrize("text", ["word " * 40, "x" * 200])
def test_a_long_line_wraps_and_counts_as_several(field: AskField, text: str) -> None:
    field.set_text(text)

    assert field.height() > 2 * field.line_height


def test_enter_sends_and_shift_enter_begins_a_line(field: AskField, qtbot: QtBot) -> None:
    sent = spy(field.sent)

    qtbot.keyClicks(field, "one")
    qtbot.keyClick(field, Key.Key_Return, Modifier.ShiftModifier)
    qtbot.keyClicks(field, "two")
    assert (sent.count(), field.text) == (0, "one\ntwo")

    qtbot.keyClick(field, Key.Key_Return)
    qtbot.keyClick(field, Key.Key_Enter, Modifier.KeypadModifier)
    assert (sent.count(), field.text) == (2, "one\ntwo")


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("ab", "a"),
        ("a\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7", "a\U0001f1e9\U0001f1ea"),
        ("\U0001f468\u200d\U0001f469\u200d\U0001f467", ""),
        ("\U0001f44d\U0001f3fd", ""),
        ("1\ufe0f\u20e3", ""),
        ("\u2764\ufe0f", ""),
        ("\U0001f3f4\U000e0067\U000e0062\U000e007f", ""),
        ("cafe\u0301", "caf"),
        ("\u0438\u0306", ""),
        ("\u304b\u3099", ""),
        ("\u1112\u1161\u11ab", ""),
        ("\u8fbb\U000e0100", ""),
        ("\U0002000b", ""),
        ("\u0628\u064e", "\u0628"),
        ("\u05e9\u05c1", "\u05e9"),
        ("\u0e01\u0e34", "\u0e01"),
        ("\u0915\u094d\u0937", "\u0915\u094d"),
    ],
)
def test_backspace_deletes_a_character_as_it_is_perceived_or_the_last_sign_of_a_syllable(
    field: AskField, qtbot: QtBot, text: str, left: str
) -> None:
    field.set_text(text)
    qtbot.keyClick(field, Key.Key_Backspace)
    assert ascii(field.text) == ascii(left)
    field.undo()
    assert ascii(field.text) == ascii(text)


def test_a_held_enter_sends_once(field: AskField, qtbot: QtBot) -> None:
    sent = spy(field.sent)

    qtbot.keyClick(field, Key.Key_Return)
    for _ in range(5):
        field.keyPressEvent(held(Key.Key_Return))

    assert sent.count() == 1


@pytest.mark.parametrize("key", [Key.Key_Return, Key.Key_Escape, Key.Key_Tab])
def test_keys_that_an_input_method_lets_through_do_nothing_while_it_composes(
    field: AskField, qtbot: QtBot, key: Qt.Key
) -> None:
    sent, escaped, completed = spy(field.sent), spy(field.escaped), spy(field.completed)
    field.is_completing = True
    field.inputMethodEvent(composing("にほん"))

    qtbot.keyClick(field, key)
    assert (sent.count(), escaped.count(), completed.count()) == (0, 0, 0)
    assert field.text == ""
    assert field.hasFocus()

    field.inputMethodEvent(committing("日本"))
    qtbot.keyRelease(field, Key.Key_Space)
    qtbot.keyClick(field, Key.Key_Return)
    assert (sent.count(), field.text) == (1, "日本")


@pytest.fixture
def slow_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what belongs to one press of a key take as long as it likes."""
    monkeypatch.setattr(composition, "SAME_PRESS_MS", 1_000_000)


@pytest.mark.usefixtures("slow_machine")
@pytest.mark.parametrize("key", [Key.Key_Return, Key.Key_Escape, Key.Key_Tab])
def test_the_key_that_ends_a_composition_does_nothing_and_the_next_press_of_it_does(
    field: AskField, qtbot: QtBot, key: Qt.Key
) -> None:
    reports = [spy(field.sent), spy(field.escaped), spy(field.completed)]
    field.is_completing = True
    field.inputMethodEvent(composing("글"))
    # As ibus does with Hangul: the syllable is committed, and then the key is let through.
    field.inputMethodEvent(committing("글"))
    qtbot.keyClick(field, key)
    assert [spied.count() for spied in reports] == [0, 0, 0]

    qtbot.keyClick(field, key)
    assert sum(spied.count() for spied in reports) == 1
    assert field.text == "글"


@pytest.mark.usefixtures("slow_machine")
def test_a_key_that_comes_before_the_words_that_it_commits_stands_behind_them(
    field: AskField, qtbot: QtBot
) -> None:
    field.inputMethodEvent(composing("글"))
    # As fcitx5 does: the key is let through, and then the syllable is committed.
    qtbot.keyClicks(field, " a")
    assert field.text == ""
    field.inputMethodEvent(committing("글"))
    assert field.text == "글 a"


def test_a_key_that_commits_nothing_is_not_lost(field: AskField, qtbot: QtBot) -> None:
    field.inputMethodEvent(composing("글"))
    qtbot.keyClicks(field, "x")
    qtbot.waitUntil(lambda: field.text == "x")


def test_a_composition_that_ends_with_the_focus_does_not_lock_the_keys(
    field: AskField, qtbot: QtBot
) -> None:
    sent = spy(field.sent)
    field.inputMethodEvent(composing("に"))
    field.clearFocus()
    field.setFocus()

    qtbot.keyClick(field, Key.Key_Return)

    assert sent.count() == 1


def test_arrows_are_told_only_at_the_first_and_the_last_line(field: AskField, qtbot: QtBot) -> None:
    stepped = spy(field.stepped)
    field.set_text("one\ntwo\nthree", cursor=5)

    qtbot.keyClick(field, Key.Key_Up)
    assert stepped.count() == 0
    qtbot.keyClick(field, Key.Key_Up)
    assert stepped.at(0) == [-1]

    qtbot.keyClick(field, Key.Key_Down)
    qtbot.keyClick(field, Key.Key_Down)
    assert stepped.count() == 1
    qtbot.keyClick(field, Key.Key_Down)
    assert stepped.at(1) == [1]


def test_a_wrapped_line_is_moved_through_before_an_arrow_is_told(
    field: AskField, qtbot: QtBot
) -> None:
    stepped = spy(field.stepped)
    field.set_text("word " * 30)

    qtbot.keyClick(field, Key.Key_Up)

    assert stepped.count() == 0


def test_arrows_go_on_from_a_recalled_text_of_several_lines(field: AskField, qtbot: QtBot) -> None:
    stepped = spy(field.stepped)
    field.recall("one\ntwo")

    qtbot.keyClick(field, Key.Key_Up)
    assert stepped.count() == 1

    qtbot.keyClicks(field, "!")
    qtbot.keyClick(field, Key.Key_Up)
    assert stepped.count() == 1


def test_an_arrow_with_shift_selects(field: AskField, qtbot: QtBot) -> None:
    stepped = spy(field.stepped)
    field.set_text("one\ntwo")

    qtbot.keyClick(field, Key.Key_Up, Modifier.ShiftModifier)

    assert stepped.count() == 0
    assert field.textCursor().hasSelection()


def test_tab_leaves_the_field_unless_something_is_being_completed(
    field: AskField, qtbot: QtBot
) -> None:
    completed = spy(field.completed)
    field.is_completing = True
    qtbot.keyClick(field, Key.Key_Tab)
    assert completed.count() == 1

    field.is_completing = False
    qtbot.keyClick(field, Key.Key_Tab)
    assert completed.count() == 1
    assert field.text == ""


def test_backspace_is_told_at_the_start_but_not_while_held(field: AskField, qtbot: QtBot) -> None:
    backed = spy(field.backed)
    field.set_text("ab", cursor=1)

    qtbot.keyClick(field, Key.Key_Backspace)
    field.keyPressEvent(held(Key.Key_Backspace))
    assert (backed.count(), field.text) == (0, "b")

    qtbot.keyClick(field, Key.Key_Backspace)
    assert (backed.count(), field.text) == (1, "b")


def test_backspace_takes_a_selection_away_rather_than_being_told(
    field: AskField, qtbot: QtBot
) -> None:
    backed = spy(field.backed)
    field.set_text("abc")
    qtbot.keyClick(field, Key.Key_Home, Modifier.ShiftModifier)
    assert field.cursor_at == 0

    qtbot.keyClick(field, Key.Key_Backspace)

    assert (backed.count(), field.text) == (0, "")


def test_a_short_paste_goes_in_as_plain_text_and_a_long_one_is_told(field: AskField) -> None:
    pasted = spy(field.pasted)
    data = mime("a\r\nb\u2028c\x1b\u202e")
    data.setHtml("<b>a</b><img src='http://127.0.0.1/x.png'>")

    field.insertFromMimeData(data)
    field.insertFromMimeData(mime("long " * 20))

    assert field.text == "a\nb\nc"
    assert [pasted.at(n) for n in range(pasted.count())] == [["long " * 20]]


def test_a_paste_keeps_its_direction_marks_and_loses_what_overrides_letters(
    field: AskField,
) -> None:
    shortened = "\u05d0\u200f! \u2067\u05d1\u2069\u200e \u2066c\u2069\u2068d\u2069\u061c"
    field.insertFromMimeData(mime(f"{shortened}\u202e\u200b\u00ad"))
    assert ascii(field.text) == ascii(shortened)


def test_a_picture_is_not_pasted(field: AskField) -> None:
    data = QMimeData()
    data.setImageData(QImage(4, 4, QImage.Format.Format_RGB32))
    files: list[QMimeData] = []
    field.files_pasted.connect(files.append)

    field.insertFromMimeData(data)

    assert field.canInsertFromMimeData(data)  # or its menu would not offer what is answered
    assert (field.text, len(files)) == ("", 1)


def test_replacing_the_text_can_be_undone(field: AskField, qtbot: QtBot) -> None:
    qtbot.keyClicks(field, "mine")
    field.set_text("recalled")

    field.undo()

    assert field.text == "mine"


@pytest.mark.parametrize("cursor", [-3, 0, 2, 99])
def test_a_cursor_outside_the_text_is_put_at_its_end_or_start(field: AskField, cursor: int) -> None:
    field.set_text("abc", cursor)

    assert field.cursor_at == max(0, min(cursor, 3))


@pytest.mark.parametrize(
    ("text", "is_accented"), [("/se", True), ("/search now", True), ("/etc", False), ("se", False)]
)
def test_only_a_command_at_the_start_is_drawn_in_the_accent(
    field: AskField, text: str, is_accented: bool
) -> None:
    field.set_text(text)
    field.clearFocus()

    assert (LIGHT.accent in colours_at(field, 1)) is is_accented
    assert (LIGHT.ink in colours_at(field, 1)) is not is_accented


def test_a_command_on_a_second_line_is_plain_text(field: AskField) -> None:
    field.set_text("one\n/se")
    field.clearFocus()

    assert LIGHT.accent not in colours_at(field, 5)


def test_the_caret_is_the_accent_and_is_gone_with_the_focus(field: AskField) -> None:
    field.set_text("word")
    caret = field.cursorRect()

    def colour() -> str:
        return field.grab().toImage().pixelColor(caret.left(), caret.center().y()).name().upper()

    assert colour() == LIGHT.accent
    field.clearFocus()
    assert colour() != LIGHT.accent


def test_the_placeholder_is_seen_while_nothing_is_there(field: AskField) -> None:
    field.clearFocus()
    field.setPlaceholderText("Ask")

    def seen() -> set[int]:
        image = field.grab().toImage()
        return {image.pixel(x, field.height() // 2) for x in range(30)}

    assert len(seen()) > 1
    field.inputMethodEvent(composing("."))
    assert len(seen()) == 1


def test_what_was_pasted_is_known_from_what_was_typed(field: AskField, qtbot: QtBot) -> None:
    qtbot.keyClicks(field, "why does ")
    field.insertFromMimeData(mime("x = 1\ny = 2"))
    qtbot.keyClicks(field, " fail?")
    assert field.text == "why does x = 1\ny = 2 fail?"
    assert field.pasted_stretches == ("x = 1\ny = 2",)


def test_what_is_typed_into_a_paste_is_typed(field: AskField, qtbot: QtBot) -> None:
    field.insertFromMimeData(mime("abcdef"))
    for _ in range(3):
        qtbot.keyClick(field, Key.Key_Left)
    qtbot.keyClicks(field, "xyz")
    assert (field.text, field.pasted_stretches) == ("abcxyzdef", ("abc", "def"))


def test_what_is_left_of_a_paste_and_what_comes_back_of_it_was_pasted(
    field: AskField, qtbot: QtBot
) -> None:
    field.insertFromMimeData(mime("abcdef"))
    qtbot.keyClick(field, Key.Key_Backspace)
    assert field.pasted_stretches == ("abcde",)
    field.undo()
    assert field.pasted_stretches == ("abcdef",)
    field.undo()
    assert field.pasted_stretches == ()


def test_what_was_composed_or_completed_was_typed(field: AskField, qtbot: QtBot) -> None:
    field.set_text("/search ")
    QApplication.sendEvent(field, committing("天気"))
    assert (field.text, field.pasted_stretches) == ("/search 天気", ())


def test_of_a_text_that_was_put_there_nobody_knows_who_typed_it(
    field: AskField, qtbot: QtBot
) -> None:
    field.recall("what was asked before")
    assert field.pasted_stretches is None
    field.selectAll()
    qtbot.keyClick(field, Key.Key_Delete)
    qtbot.keyClicks(field, "anew")
    assert field.pasted_stretches == ()
