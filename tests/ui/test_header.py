"""The header of the conversation: its title edited in place, the menu below it, the dot on the clock."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu

from askance.domain.events import TokenArrived
from askance.presentation.source_line import LineSource, SourceState
from askance.ui.overlay.header import ConversationHeader, TitleField
from askance.ui.overlay.stored import DraftFile, StoredConversations, StoredDrafts
from ui.accessible import complaints
from ui.overlay_room import Gate, Room, answered

Key = Qt.Key
pytestmark = pytest.mark.usefixtures("summoned")


@pytest.fixture
def header(room: Room, tmp_path: Path) -> Iterator[ConversationHeader]:
    drafts = StoredDrafts(DraftFile(tmp_path / "drafts.json"), room.session, room.overlay)
    stored = StoredConversations(room.bridge, room.session, room.overlay)
    made = ConversationHeader(room.bridge, room.session, room.overlay, stored, drafts)
    room.answer("Why is it so?", answered("Because."))
    room.bot.waitUntil(lambda: room.session.conversation is not None)
    yield made
    for window in QApplication.topLevelWidgets():
        if isinstance(window, QMenu):
            window.close()


class OnePage:
    """A cache that holds one page."""

    def find(self, url: str) -> SimpleNamespace | None:
        text = f"# Minutes\n\n{'Filler. ' * 900}\n\nIt was **the Trust’s café** \u202ethat paid."
        return SimpleNamespace(markdown=text) if url == "https://a.example/minutes" else None


def test_a_source_is_read_beside_the_answer_at_its_sentence_until_another_is_read(
    room: Room, header: ConversationHeader
) -> None:
    room.app.page_cache = OnePage()  # type: ignore[attr-defined]
    panel = room.overlay.columns.sources
    room.overlay.toggle_sources()
    room.bot.waitUntil(panel.isVisible)
    here = LineSource("a.example", "Minutes", SourceState.READ, "https://a.example/minutes")
    panel.read_requested.emit(here, "“the Trust's cafe”")
    room.bot.waitUntil(panel.reading.isVisible)
    shown = panel.reading.text
    assert shown.toPlainText()[slice(*panel.reading._lit)] == "the Trust’s café"
    assert "\u202e" not in shown.toPlainText()
    assert shown.verticalScrollBar().value() > 0
    assert shown.hasFocus()
    assert complaints(panel) == []
    QTest.keyClick(shown, Key.Key_Escape)
    assert panel.scrolled.isVisible()
    assert room.overlay.isVisible()

    panel.read_requested.emit(here, "gone from it")
    room.bot.waitUntil(panel.reading.isVisible)
    room.answer("And then?", answered("So."))
    room.bot.waitUntil(panel.scrolled.isVisible)
    panel.read_requested.emit(replace(here, url="https://b.example/"), "")
    room.bot.waitUntil(lambda: "not stored any more" in header.toast.text)
    assert panel.scrolled.isVisible()


def field_of(room: Room) -> TitleField:
    (field,) = (f for f in room.overlay.findChildren(TitleField) if f.isVisible())
    return field


def test_the_title_is_shown_and_edited_in_its_place(room: Room, header: ConversationHeader) -> None:
    tools = room.bar.tools
    assert tools.title_button.title == "Why is it so?"
    QTest.keyClick(room.field, Key.Key_F2)
    field = field_of(room)
    assert field.hasFocus()
    assert room.overlay.paper.contains(field.geometry())
    QTest.keyClicks(field, "Reasons")
    QTest.keyClick(field, Key.Key_Return)

    assert tools.title_button.title == "Reasons"
    room.bot.waitUntil(lambda: room.history.conversations(1)[0].title == "Reasons")
    room.bot.waitUntil(room.field.hasFocus)
    # A title that somebody has given stays, whatever is asked next.
    room.answer("And?", answered("So."))
    assert room.history.conversations(1)[0].title == room.session.title == "Reasons"


def test_escape_leaves_the_title_as_it_was_and_leaving_it_does_not(
    room: Room, header: ConversationHeader
) -> None:
    header.rename()
    QTest.keyClicks(field_of(room), "Nothing")
    QTest.keyClick(field_of(room), Key.Key_Escape)
    assert room.session.title == "Why is it so?"

    header.rename()
    QTest.keyClicks(field_of(room), "Reasons")
    room.field.setFocus()
    assert room.session.title == "Reasons"


def test_the_menu_has_what_can_be_done_with_the_conversation(
    room: Room, header: ConversationHeader
) -> None:
    room.bar.tools.title_button.click()
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    rows = [action.text() for action in menu.actions() if action.text()]
    assert rows == [
        *("Rename", "Copy the conversation", "Export…", "Print…"),
        *("Sources beside the text", "Find", "Delete"),
    ]
    menu.actions()[-1].trigger()
    assert room.session.views == []
    assert room.bar.tools.title_button.title == ""


def test_the_clock_has_a_dot_while_an_answer_was_not_seen(
    room: Room, header: ConversationHeader
) -> None:
    clock, gate = room.bar.tools.history_button, Gate()
    room.ask("And?", TokenArrived("Half"), gate, answered("So."))
    number = room.session.conversation or 0
    room.session.begin_anew()
    assert not clock._has_news
    gate.open()
    room.bot.waitUntil(lambda: clock._has_news)
    header.show_history().close()
    assert clock._has_news
    assert room.session.return_to(number)
    assert not clock._has_news
