"""Words found in the conversation: counted, marked, gone through, listed by their questions."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest

from askance.domain.conversation import ParsedCommand
from askance.domain.events import Planned, TokenArrived
from askance.domain.phases import Action, Sufficiency
from askance.ui.design.labels import RichLabel
from askance.ui.overlay.conversation.exchange import ExchangeModel
from askance.ui.overlay.conversation.session import _Exchange
from askance.ui.overlay.find_bar import FindBar
from ui.overlay_room import STILL, Gate, Room, answered

Key, Modifier = Qt.Key, Qt.KeyboardModifier
LONG = "A long story of the sea.\n\n" * 20
pytestmark = pytest.mark.usefixtures("summoned")


@pytest.fixture
def bar(room: Room) -> FindBar:
    room.answer("Who built it?", answered("Abel Moss built it. MOSS was an engineer."))
    room.answer("What did the moss do?", answered(f"{LONG}It grew, as moss does."))
    room.answer("Anything else?", answered(f"{LONG}No."))
    room.settle()
    made = FindBar(STILL, room.overlay, room.session)
    made.open_bar()
    return made


def grounds(room: Room, exchange: int) -> list[str]:
    """The marked words of an answer; the current ones in capitals of the amber ground."""
    amber = QColor(STILL.colours.amber)
    return [
        ("> " if mark.format.background().color() == amber else "") + mark.cursor.selectedText()
        for mark in room.conversation.exchanges[exchange].answer.extraSelections()
    ]


def test_hits_are_counted_marked_and_gone_through_in_circles(room: Room, bar: FindBar) -> None:
    room.conversation.verticalScrollBar().setValue(0)
    before = room.conversation.exchanges[0].answer.document().toHtml()
    QTest.keyClicks(bar.field, "moss")
    assert bar.count.text() == "1 of 4"
    assert grounds(room, 0) == ["> Moss", "MOSS"]
    assert grounds(room, 1) == ["moss"]

    QTest.keyClick(bar.field, Key.Key_Return)
    QTest.keyClick(bar.field, Key.Key_Return)
    assert bar.count.text() == "3 of 4"
    question = room.conversation.exchanges[1].part(RichLabel)
    assert isinstance(question, RichLabel)
    assert question.selectedText() == "moss"
    QTest.keyClick(bar.field, Key.Key_Return)
    assert grounds(room, 1) == ["> moss"]
    answer = room.conversation.exchanges[1].answer
    hit = bar.hits[3].cursor
    assert hit is not None
    assert not answer.visibleRegion().isEmpty()
    assert answer.visibleRegion().contains(answer.cursorRect(hit).center())
    QTest.keyClick(bar.field, Key.Key_Return)
    QTest.keyClick(bar.field, Key.Key_Return, Modifier.ShiftModifier)
    assert bar.count.text() == "4 of 4"
    assert room.conversation.exchanges[0].answer.document().toHtml() == before


def test_escape_closes_it_and_keeps_the_place(room: Room, bar: FindBar) -> None:
    QTest.keyClicks(bar.field, "engineer")
    place = room.conversation.verticalScrollBar().value()
    QTest.keyClick(bar.field, Key.Key_Escape)

    assert not bar.isVisible()
    assert grounds(room, 0) == []
    assert room.conversation.verticalScrollBar().value() == place
    assert room.field.hasFocus()
    bar.open_bar()
    room.field.setFocus()
    room.press(Key.Key_Escape)
    assert not bar.isVisible()
    assert room.overlay.isVisible()


def test_an_empty_find_shows_all_questions_and_goes_to_them(room: Room, bar: FindBar) -> None:
    def listed() -> list[tuple[str, str]]:
        return [(line.title, line.state) for line in bar.questions.lines]

    assert bar.questions.isVisible()
    assert [title for title, _ in listed()] == [
        "Who built it?",
        "What did the moss do?",
        "Anything else?",
    ]
    QTest.keyClick(bar.field, Key.Key_Down)
    QTest.keyClick(bar.field, Key.Key_Down)
    top = room.conversation.exchanges[1].y()
    assert room.conversation.verticalScrollBar().value() == top

    QTest.keyClicks(bar.field, "moss")
    assert not bar.questions.isVisible()
    bar.list_button.click()
    assert listed() == [("Who built it?", "2"), ("What did the moss do?", "2")]
    QTest.keyClicks(bar.field, "zebra")
    assert bar.count.text() == "Nothing"
    assert not bar.questions.isVisible()


def test_what_is_written_meanwhile_is_found_too(room: Room, bar: FindBar) -> None:
    QTest.keyClicks(bar.field, "granite")
    gate = Gate()
    room.engine.scripts = [(TokenArrived("Of granite"), gate, answered("Of granite, granite."))]
    room.session.submit("And of what?")
    room.bot.waitUntil(lambda: len(room.engine.asked) == 4)
    room.bot.waitUntil(lambda: len(bar.hits) == 1)
    gate.open()
    room.bot.waitUntil(lambda: len(bar.hits) == 2)


def test_what_is_far_up_is_found_before_anybody_scrolls_there(room: Room) -> None:
    # As public reports of a chat program have it: CherryHQ/cherry-studio#7808 and #17506.
    asked = [ParsedCommand("search", f"Question {n}?") for n in range(30)]
    views = [
        ExchangeModel(one).take([(1.0, answered(f"{LONG}It is {'granite' if not n else 'oak'}."))])
        for n, one in enumerate(asked)
    ]
    room.session._here.exchanges = [_Exchange(view) for view in views]
    room.session.resumed.emit()
    bar = FindBar(STILL, room.overlay, room.session)
    bar.open_bar()
    assert not room.conversation.is_complete
    QTest.keyClicks(bar.field, "granite")
    assert bar.count.text() == "Nothing"
    # As after a while, with nothing found in what is there by then.
    bar._again.timeout.emit()
    assert bar.count.text() == "Nothing"
    room.bot.waitUntil(lambda: bar.count.text() == "1 of 1")
    QTest.keyClick(bar.field, Key.Key_Return)
    assert not room.conversation.exchanges[0].answer.visibleRegion().isEmpty()


def test_what_is_selected_in_an_answer_is_looked_for(room: Room, bar: FindBar) -> None:
    bar.close_bar()
    answer = room.conversation.exchanges[0].answer
    cursor = answer.document().find("engineer")
    answer.setTextCursor(cursor)
    bar.open_bar()
    assert (bar.field.text(), bar.count.text()) == ("engineer", "1 of 1")
    assert bar.field.selectedText() == "engineer"
    answer.selectAll()
    bar.open_bar()
    assert bar.field.text() == "Abel Moss built it. MOSS was an engineer."


def test_it_goes_with_its_conversation(room: Room, bar: FindBar) -> None:
    QTest.keyClicks(bar.field, "moss")
    room.session.begin_anew()

    assert not bar.isVisible()
    assert bar.hits == []


def test_accents_case_and_typography_are_ignored_and_the_marks_stand_right(room: Room) -> None:
    room.answer("Is it the CAFÉ?", answered("🚢 A cafe\u0301, and “Straße” — the Große ﬁnds it."))
    room.settle()
    bar = FindBar(STILL, room.overlay, room.session)
    bar.open_bar()
    for words, found in (
        ("cafe", ["cafe\u0301"]),
        ("STRASSE", ["Straße"]),
        ('"strasse" -', ["“Straße” —"]),
        ("finds", ["ﬁnds"]),
        ("ship", []),
    ):
        bar.field.setText(words)
        assert [mark.removeprefix("> ") for mark in grounds(room, 0)] == found
    bar.field.setText("cafe")
    question = room.conversation.exchanges[0].part(RichLabel)
    assert isinstance(question, RichLabel)
    assert question.selectedText() == "CAFÉ"


def test_the_steps_of_a_run_are_found_and_unfolded_for_who_comes_to_them(room: Room) -> None:
    planned = Planned(Action.PROCEED, Sufficiency.INSUFFICIENT, ("granite towers",), False, 5)
    room.answer("Who built it?", planned, answered("Abel Moss, of granite."))
    room.settle()
    trace = room.conversation.exchanges[0].trace
    bar = FindBar(STILL, room.overlay, room.session)
    bar.open_bar()
    bar.field.setText("granite")
    assert (bar.count.text(), grounds(room, 0)) == ("2 of 2", ["> granite"])
    assert not trace.disclosure.is_unfolded
    bar.step(1)
    assert bar.count.text() == "1 of 2"
    assert trace.disclosure.is_unfolded
    room.bot.waitUntil(lambda: (label := trace.label_of(0)) is not None and label.hasSelectedText())
    # Who folds them again has them folded.
    trace.disclosure.click()
    bar._look_again()
    assert not trace.disclosure.is_unfolded
    trace.disclosure.click()
    bar.close_bar()
    label = trace.label_of(0)
    assert label is not None
    assert not label.hasSelectedText()
