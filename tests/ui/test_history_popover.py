"""Past conversations above the window: listed by days, searched, opened, renamed, deleted and brought back."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit

from askance.adapters.storage.history import SqliteHistory
from askance.app.past_conversations import delete, file_name
from askance.domain.errors import StorageError
from askance.domain.events import Failed, TokenArrived
from askance.domain.history import ConversationSummary, TimedEvent
from askance.domain.messages import Message
from askance.ui.design import composing
from askance.ui.overlay.conversation.exchange import State
from askance.ui.overlay.header import ConversationHeader
from askance.ui.overlay.history_popover import FEW, HistoryPopover, rows_of
from askance.ui.overlay.stored import DraftFile, StoredConversations, StoredDrafts
from cli.runs import ANSWERED
from ui.overlay_room import Gate, Room, answered
from ui.whole.person import seen_in

Key, Modifier = Qt.Key, Qt.KeyboardModifier
QUESTIONS = ("Where does the owl sleep?", "When did the lighthouse move?", "Who bakes?")
pytestmark = pytest.mark.usefixtures("summoned")


class Past:
    """The history of a room, and somebody who goes through it."""

    def __init__(self, room: Room, file: Path) -> None:
        self.room, self.history = room, room.history
        drafts = StoredDrafts(DraftFile(file), room.session, room.overlay)
        stored = StoredConversations(room.bridge, room.session, room.overlay)
        self.header = ConversationHeader(room.bridge, room.session, room.overlay, stored, drafts)

    def keep(self, *questions: str) -> list[int]:
        numbers: list[int] = []
        for question in questions:
            key = self.history.begin_exchange(None, "search", question)
            self.history.finish_exchange(key, (TimedEvent(1.0, ANSWERED),))
            numbers.append(key.conversation)
        return numbers

    def open(self, words: str = "") -> HistoryPopover:
        self.popover = self.header.show_history(words)
        return self.popover

    @property
    def shown(self) -> list[str]:
        return [row.spoken for row in self.popover.rows.shown]

    @property
    def titles(self) -> list[str]:
        return [row.title for row in self.popover.rows.shown if row.number]

    def until(self, *titles: str) -> None:
        self.room.bot.waitUntil(lambda: self.titles == list(titles))

    def press(self, key: Qt.Key, held: Qt.KeyboardModifier = Modifier.NoModifier) -> None:
        QTest.keyClick(self.popover.search, key, held)

    @property
    def chosen(self) -> str:
        return self.popover.rows.shown[self.popover.list.row].title

    @property
    def left(self) -> list[str]:
        return [summary.title for summary in self.history.conversations(10)]


@pytest.fixture
def past(room: Room, tmp_path: Path) -> Iterator[Past]:
    made = Past(room, tmp_path / "drafts.json")
    yield made
    if made.header.history is not None:
        made.header.history.close()


def test_rows_stand_under_days_weeks_and_months() -> None:
    today = datetime(2026, 3, 12, 12).astimezone()

    def at(number: int, **ago: float) -> ConversationSummary:
        stamp = (today - timedelta(**ago)).isoformat()
        return ConversationSummary(number, f"No. {number}", stamp, stamp, number)

    old = [at(5, days=400), at(1), at(2, days=1), at(3, days=4), at(4, days=12), at(6, hours=-30)]
    rows = rows_of(old, today.date())

    assert [row.title for row in rows] == [
        *("Today", "No. 6", "No. 1", "Yesterday", "No. 2", "Last week", "No. 3"),
        *("February 2026", "No. 4", "February 2025", "No. 5"),
    ]
    assert rows[2].spoken == "No. 1, 1 question, 12:00"
    assert rows[4].when == "12:00"
    assert rows[6].when == "8 March 2026"


def test_the_last_used_come_first_and_enter_opens_one(past: Past) -> None:
    past.keep(*QUESTIONS)
    past.open()
    past.until(*reversed(QUESTIONS))
    assert past.chosen == QUESTIONS[2]
    past.press(Key.Key_Down)
    past.press(Key.Key_Down)
    past.press(Key.Key_Down)
    assert past.chosen == QUESTIONS[0]
    past.press(Key.Key_Up)
    past.press(Key.Key_Return)

    assert not past.popover.isVisible()
    past.room.bot.waitUntil(lambda: bool(past.room.session.views))
    assert past.room.session.title == QUESTIONS[1]


def test_parts_of_words_are_found_and_marked(past: Past) -> None:
    past.keep(*QUESTIONS)
    past.open()
    past.until(*reversed(QUESTIONS))
    QTest.keyClicks(past.popover.search, "ighth")
    past.until(QUESTIONS[1])
    row = past.popover.rows.shown[1]
    assert [row.title[start:end] for start, end in row.marks] == ["ighth"]

    QTest.keyClicks(past.popover.search, "zebra")
    past.room.bot.waitUntil(lambda: past.popover.state.text() == "Nothing matches")
    past.press(Key.Key_Escape)
    past.until(*reversed(QUESTIONS))
    past.press(Key.Key_Escape)
    assert not past.popover.isVisible()


def test_what_is_found_in_a_conversation_is_read_where_it_stands(past: Past) -> None:
    # As public reports of chat programs have it: CherryHQ/cherry-studio#12641, simplex-chat/simplex-chat#1683.
    long = "A long story of the sea.\n\n" * 30
    number = None
    for n in range(12):
        key = past.history.begin_exchange(number, "search", f"What of part {n}?")
        number = key.conversation
        text = f"{long}It has a {'granite' if n == 3 else 'wooden'} stair."
        past.history.finish_exchange(key, (TimedEvent(1.0, answered(text)),))
    view, session = past.room.conversation, past.room.session

    def go(words: str) -> None:
        rows = past.open(words).rows
        # The list has what it had until the history has answered.
        past.room.bot.waitUntil(
            lambda: rows.rowCount() > 1 and bool(rows.shown[1].exchange) is (words == "granite")
        )
        past.press(Key.Key_Return)
        past.room.bot.waitUntil(lambda: len(session.views) == 12 and view.is_complete)
        past.room.settle()

    go("granite")
    assert view.read_exchange is view.exchanges[3]
    assert view.verticalScrollBar().value() == view.exchanges[3].y()
    # What only the title holds is gone on with at its end.
    session.begin_anew()
    go("what of part 0")
    assert view.read_exchange is view.exchanges[-1]
    # The conversation may be in the window already.
    go("granite")
    assert view.read_exchange is view.exchanges[3]


def test_a_title_is_edited_in_its_row(past: Past) -> None:
    (number,) = past.keep(QUESTIONS[0])
    past.open()
    past.until(QUESTIONS[0])
    past.press(Key.Key_F2)
    editor = past.popover.list.findChild(QLineEdit)
    assert editor is not None
    assert editor.selectedText() == QUESTIONS[0]
    QTest.keyClicks(editor, "Owls")
    QTest.keyClick(editor, Key.Key_Return)

    past.room.bot.waitUntil(lambda: past.left == ["Owls"])
    assert past.popover.isVisible()
    past.room.bot.waitUntil(past.popover.search.hasFocus)
    assert past.history.conversation(number) is not None


def test_what_looks_like_markup_in_a_question_is_read_wherever_it_stands(past: Past) -> None:
    # As public reports of other programs have it: omnigent-ai/omnigent#7485, open-webui/open-webui#12861.
    question = 'Keep <exact lines> & <div class="a">this</div> &amp; <b>that</b>'
    past.room.answer(question, answered("Use <exact lines> and <div>it</div>."))
    past.room.bot.waitUntil(lambda: past.room.session.conversation is not None)
    past.room.settle()
    seen = seen_in(past.room.overlay).splitlines()
    assert question in seen
    assert "Use <exact lines> and <div>it</div>." in seen
    past.open()
    past.until(question)
    assert past.left == [past.room.session.title] == [question]


@pytest.mark.parametrize("is_searched", [True, False])
def test_enter_that_belongs_to_an_input_method_neither_opens_nor_renames(
    past: Past, monkeypatch: pytest.MonkeyPatch, is_searched: bool
) -> None:
    # As a public report of another program has it: mostlygeek/llama-swap#1044.
    monkeypatch.setattr(composing, "SAME_PRESS_MS", 1_000_000)
    past.keep(QUESTIONS[0])
    past.open()
    past.until(QUESTIONS[0])
    field: QLineEdit | None = past.popover.search
    if not is_searched:
        past.press(Key.Key_F2)
        field = past.popover.list.findChild(QLineEdit)
        assert field is not None
        field.clear()
    QApplication.sendEvent(field, QInputMethodEvent("글", []))
    QTest.keyPress(field, Key.Key_Return)
    committed = QInputMethodEvent()
    committed.setCommitString("글")
    QApplication.sendEvent(field, committed)
    assert (field.text(), field.isVisible()) == ("글", True)
    assert past.popover.isVisible()
    assert past.left == [QUESTIONS[0]]
    QTest.keyRelease(field, Key.Key_Return)
    QTest.keyClick(field, Key.Key_Return)
    if not is_searched:
        past.room.bot.waitUntil(lambda: past.left == ["글"])


def test_what_is_deleted_can_be_brought_back_and_is_only_then_gone(past: Past) -> None:
    past.keep(*QUESTIONS)
    past.open()
    past.until(*reversed(QUESTIONS))
    past.press(Key.Key_Delete)
    assert past.shown[1] == "“Who bakes?” deleted, Undo Ctrl+Z"
    past.press(Key.Key_Z, Modifier.ControlModifier)
    assert past.shown[1].startswith("Who bakes?")
    past.press(Key.Key_Delete)
    past.press(Key.Key_Return)
    assert past.shown[1].startswith("Who bakes?")
    past.press(Key.Key_Delete)
    # A crash now would have lost nothing.
    assert len(past.left) == 3

    past.room.overlay.hide()
    past.room.bot.waitUntil(lambda: past.left == [QUESTIONS[1], QUESTIONS[0]])
    data = b"".join(path.read_bytes() for path in past.history._file.parent.glob("history*"))
    assert b"bakes" not in data


def test_a_deletion_is_done_when_its_time_is_over(
    past: Past, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("askance.ui.overlay.deletions.UNDO_MS", 1)
    past.keep(*QUESTIONS[:2])
    past.open()
    past.until(QUESTIONS[1], QUESTIONS[0])
    past.press(Key.Key_Delete)
    past.until(QUESTIONS[0])
    assert past.left == [QUESTIONS[0]]


def test_a_program_that_ends_deletes_what_was_meant_to_go(past: Past) -> None:
    past.keep(*QUESTIONS[:2])
    past.open()
    past.until(QUESTIONS[1], QUESTIONS[0])
    past.press(Key.Key_Delete)
    past.header.deletions.commit()
    assert past.room.bridge.close()
    assert past.left == [QUESTIONS[0]]


def test_the_open_conversation_is_deleted_with_a_line_that_brings_it_back(past: Past) -> None:
    past.room.answer("Why is it so?", answered("Because."))
    past.room.bot.waitUntil(lambda: past.room.session.conversation is not None)
    past.header.delete()
    assert past.room.session.views == []
    assert past.header.toast.text == "“Why is it so?” deleted"
    past.room.press(Key.Key_Z, held=Modifier.ControlModifier)
    past.room.bot.waitUntil(lambda: bool(past.room.session.views))
    assert past.header.toast.text == ""

    past.header.delete()
    # What was typed since is what the key takes back.
    past.room.type("x")
    past.room.press(Key.Key_Z, held=Modifier.ControlModifier)
    assert past.room.field.text == ""
    assert past.header.deletions.pending


def test_the_open_conversation_is_left_when_its_row_is_deleted(past: Past) -> None:
    past.room.answer("Why is it so?", answered("Because."))
    past.room.bot.waitUntil(lambda: past.room.session.conversation is not None)
    past.open()
    past.until("Why is it so?")
    past.press(Key.Key_Delete)
    # What is asked now is not deleted along.
    assert past.room.session.views == []
    assert past.popover.isVisible()
    past.press(Key.Key_Z, Modifier.ControlModifier)
    past.room.bot.waitUntil(lambda: bool(past.room.session.views))


def test_what_was_left_is_marked_until_it_is_returned_to(past: Past) -> None:
    gate = Gate()
    past.room.ask("Why?", TokenArrived("Half"), gate, answered("Because."))
    past.room.session.begin_anew()
    past.room.ask("And?", Failed(Message("It broke.")))
    past.room.until(State.FAILED)
    gate.open()
    past.room.bot.waitUntil(lambda: past.room.session.has_unseen)
    past.open()
    past.until("And?", "Why?")
    assert past.shown[2].startswith("Why?, ready, not seen, 1 question")
    past.press(Key.Key_Down)
    past.press(Key.Key_Return)

    assert [view.text for view in past.room.session.views] == ["Because."]
    assert not past.room.session.has_unseen


def test_few_are_shown_until_all_are_asked_for(past: Past) -> None:
    past.keep(*(f"Question {n}" for n in range(FEW + 3)))
    past.open()
    past.room.bot.waitUntil(lambda: len(past.titles) == FEW)
    assert past.popover.all_of_them.text() == f"Show all {FEW + 3}"
    low = past.popover.paper.height()
    past.press(Key.Key_H, Modifier.ControlModifier | Modifier.ShiftModifier)
    assert len(past.titles) == FEW + 3
    assert not past.popover.all_of_them.isVisible()
    assert past.popover.paper.height() > low


def test_no_history_and_a_broken_one_are_named(past: Past, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_self: object, _limit: int) -> None:
        raise StorageError(Message("The history is broken."))

    state = past.open().state
    past.room.bot.waitUntil(lambda: state.text() == "No conversations yet.")
    monkeypatch.setattr(SqliteHistory, "conversations", broken)
    past.popover.refresh()
    past.room.bot.waitUntil(lambda: state.text() == "The history is broken.")
    past.room.app.history = None
    past.popover.refresh()
    past.room.bot.waitUntil(lambda: state.text().startswith("Conversations about the sample web"))


def test_a_right_click_offers_the_same(past: Past) -> None:
    past.keep(QUESTIONS[0])
    past.open()
    past.until(QUESTIONS[0])
    at = past.popover.list.visualRect(past.popover.rows.index(1)).center()
    past.popover.list.customContextMenuRequested.emit(QPoint(at))
    (menu,) = (m for m in QApplication.topLevelWidgets() if m.inherits("QMenu") and m.isVisible())
    names = [action.text() for action in menu.actions() if action.text()]
    menu.close()
    assert names == ["Open", "Rename", "Copy the conversation", "Export…", "Delete"]


async def test_a_deletion_is_waited_for_by_whoever_cancels_it() -> None:
    gone: list[int] = []
    began = asyncio.Event()
    loop = asyncio.get_running_loop()

    class Slow:
        def delete(self, number: int) -> bool:
            loop.call_soon_threadsafe(began.set)
            asyncio.run(asyncio.sleep(0))
            gone.append(number)
            return True

    async with asyncio.TaskGroup() as group:
        task = group.create_task(delete(Slow(), 7))  # type: ignore[arg-type]
        await began.wait()
        task.cancel()
    assert gone == [7]


def test_a_file_is_named_after_the_title_so_that_every_system_takes_it() -> None:
    assert file_name("What is / was?  C:\\x") == "What is was C x.md"
    assert file_name("???") == "conversation.md"
