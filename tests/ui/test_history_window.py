"""The history in the window: listed, searched, opened, renamed, exported and forgotten."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from askance.adapters.storage.history import SqliteHistory
from askance.domain.errors import StorageError
from askance.domain.events import Answered
from askance.domain.history import ConversationSummary, TimedEvent, TranscriptFormat
from askance.ui.design.lists import ROW
from askance.ui.design.theme import LIGHT, Look
from askance.ui.history_window import PAGE, HistoryPanel, file_name
from cli.runs import ANSWERED
from ui.settings.room import Room, SignalLog

Key = Qt.Key
QUESTIONS = ("Where does the owl sleep?", "When did the lighthouse move?", "Who bakes?")


class Panel:
    """The panel over conversations, and what it told."""

    def __init__(self, place: Room, qtbot: QtBot, *questions: str) -> None:
        self.history: SqliteHistory = place.parts.history
        assert isinstance(ANSWERED, Answered)
        for question in questions:
            key = self.history.begin_exchange(None, "search", question)
            self.history.finish_exchange(key, (TimedEvent(1.0, ANSWERED),))
        self.asked: list[str] = []
        self.file = place.home / "out.json"
        look = Look(LIGHT, moves=False)
        self.widget = HistoryPanel(look, place.surroundings.bridge, choose=self.choose)
        self.opened, self.deleted = SignalLog(self.widget.opened), SignalLog(self.widget.deleted)
        self.bot = qtbot
        self.widget.resize(600, 400)
        self.widget.show()

    def choose(self, _parent: QWidget, suggested: str, then: Callable[[str], None]) -> None:
        self.asked.append(suggested)
        then(str(self.file))

    @property
    def titles(self) -> list[str]:
        rows = self.widget.rows
        return [rows.index(n).data() for n in range(rows.rowCount())]

    def wait_for(self, *titles: str) -> None:
        self.bot.waitUntil(lambda: self.titles == list(titles))

    def choose_row(self, number: int) -> None:
        self.widget.list.setFocus()
        self.widget.list.setCurrentIndex(self.widget.rows.index(number))

    @property
    def chosen(self) -> str:
        return self.widget.list.currentIndex().data()


def test_conversations_are_listed_last_used_first_and_opened_with_enter(
    place: Room, qtbot: QtBot
) -> None:
    panel = Panel(place, qtbot, *QUESTIONS)
    panel.wait_for(*QUESTIONS[::-1])
    assert not panel.widget.open_it.isEnabled()
    QTest.keyClick(panel.widget.search, Key.Key_Down)
    QTest.keyClick(panel.widget.list, Key.Key_Return)
    panel.choose_row(2)
    panel.widget.open_it.click()
    assert panel.opened.all == [3, 1]


def test_words_are_searched_and_marked_in_their_place(place: Room, qtbot: QtBot) -> None:
    panel = Panel(place, qtbot, *QUESTIONS)
    panel.wait_for(*QUESTIONS[::-1])
    QTest.keyClicks(panel.widget.search, "lighth")
    panel.wait_for(QUESTIONS[1])
    row = panel.widget.rows.index(0).data(ROW)
    assert [row.below[start:end] for start, end in row.marks] == ["lighth"]
    assert not panel.widget.grab().isNull()
    panel.choose_row(0)
    QTest.keyClick(panel.widget.list, Key.Key_Escape)
    panel.wait_for(*QUESTIONS[::-1])
    QTest.keyClicks(panel.widget.search, "zebra")
    panel.wait_for()
    assert panel.widget.state.text() == "No matches."


def test_a_title_is_edited_in_place_and_its_row_stays_chosen(place: Room, qtbot: QtBot) -> None:
    panel = Panel(place, qtbot, *QUESTIONS)
    panel.wait_for(*QUESTIONS[::-1])
    panel.choose_row(1)
    panel.widget.rename.click()
    editor = panel.widget.list.viewport().findChild(QLineEdit)
    assert editor is not None
    assert editor.accessibleName() == "Title of the conversation"
    editor.selectAll()
    QTest.keyClicks(editor, "The  lighthouse")
    QTest.keyClick(editor, Key.Key_Return)
    panel.wait_for(QUESTIONS[2], "The lighthouse", QUESTIONS[0])
    qtbot.waitUntil(lambda: panel.history.conversations(3)[1].title == "The lighthouse")
    qtbot.waitUntil(lambda: panel.chosen == "The lighthouse")


def test_everything_is_deleted_only_when_asked_twice(place: Room, qtbot: QtBot) -> None:
    panel = Panel(place, qtbot, *QUESTIONS)
    panel.wait_for(*QUESTIONS[::-1])
    panel.widget.delete_all.offer.click()
    panel.widget.delete_all.no.click()
    panel.widget.delete_all.offer.click()
    assert len(panel.history.conversations(9)) == 3
    panel.widget.delete_all.yes.click()
    panel.wait_for()
    qtbot.waitUntil(lambda: panel.deleted.all == [0])
    qtbot.waitUntil(lambda: panel.widget.state.text() == "No conversations yet.")


@pytest.mark.parametrize("form", list(TranscriptFormat))
def test_a_conversation_is_exported_to_the_file_that_was_chosen(
    place: Room, qtbot: QtBot, form: TranscriptFormat
) -> None:
    panel = Panel(place, qtbot, QUESTIONS[1])
    panel.wait_for(QUESTIONS[1])
    panel.choose_row(0)
    actions = {action.text(): action for action in panel.widget.export.menu().actions()}
    actions[
        {
            TranscriptFormat.MD: "Markdown",
            TranscriptFormat.HTML: "HTML",
            TranscriptFormat.JSON: "JSON",
        }[form]
    ].trigger()
    qtbot.waitUntil(lambda: "Saved to" in panel.widget.state.text())
    assert panel.asked == [f"When did the lighthouse move.{form.value}"]
    content = panel.file.read_text(encoding="utf-8")
    assert QUESTIONS[1] in content
    assert (form is TranscriptFormat.JSON) == content.startswith("{")
    if form is TranscriptFormat.JSON:
        json.loads(content)


def test_an_export_that_fails_is_told_and_leaves_nothing(place: Room, qtbot: QtBot) -> None:
    panel = Panel(place, qtbot, QUESTIONS[1])
    panel.wait_for(QUESTIONS[1])
    panel.file = place.home / "no" / "out.md"
    panel.choose_row(0)
    panel.widget.export.menu().actions()[0].trigger()
    qtbot.waitUntil(lambda: "cannot be written" in panel.widget.state.text())


def test_more_conversations_come_as_the_list_is_scrolled(place: Room, qtbot: QtBot) -> None:
    questions = [f"Question {number}" for number in range(PAGE + 20)]
    panel = Panel(place, qtbot, *questions)
    qtbot.waitUntil(lambda: panel.widget.rows.rowCount() >= PAGE)
    panel.widget.list.scrollToBottom()
    panel.wait_for(*questions[::-1])


def test_no_history_and_a_broken_one_are_told(place: Room, qtbot: QtBot) -> None:
    history, place.parts.history = place.parts.history, None
    panel = HistoryPanel(Look(LIGHT), place.surroundings.bridge)
    panel.show()
    qtbot.waitUntil(lambda: "not saved" in panel.state.text())
    assert not panel.delete_all.isEnabled()

    class Broken:
        def conversations(self, limit: int, before: ConversationSummary | None = None) -> None:
            raise StorageError("The file is gone.", fix="Look at the disk.")

    place.parts.history = Broken()
    panel.refresh()
    qtbot.waitUntil(lambda: panel.state.text() == "The file is gone. Look at the disk.")
    place.parts.history = history


def test_a_file_is_named_after_the_title_so_that_every_system_takes_it() -> None:
    assert file_name('a/b: "c"?', TranscriptFormat.MD) == "a b c.md"
    assert file_name("???", TranscriptFormat.HTML) == "conversation.html"
    assert len(file_name("x" * 300, TranscriptFormat.JSON)) < 100
