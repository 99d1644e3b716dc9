"""`/library` in the window: what is found is shown, opened, read and asked about."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from askance.app.commands import LONGEST_SEARCHED_ABOUT
from askance.config.choices import AskMode
from askance.config.folders import Folders
from askance.domain.library import Document, LibraryMatches, Origin, SearchMode
from askance.domain.messages import Message
from askance.ui.overlay.conversation import field
from askance.ui.overlay.conversation.exchange import State
from askance.ui.overlay.conversation.field import Chip
from askance.ui.overlay.library_view import LibraryView
from askance.ui.settings.library_page import LibraryControl
from askance.ui.shell.desktop import Desktop
from ui.accessible import complaints
from ui.overlay_room import running
from ui.shelves import MILL, PAGE, dragged, drop, fill

Key = Qt.Key


class Person:
    """Somebody before the window, and what the desktop opened for them."""

    def __init__(self, desktop: Desktop, opened: list[str], qtbot: QtBot) -> None:
        self.desktop, self.opened, self.bot = desktop, opened, qtbot
        desktop.obey("show")
        qtbot.waitUntil(desktop.overlay.isActiveWindow)

    @property
    def view(self) -> LibraryView:
        return self.desktop.overlay.library

    def search(self, words: str) -> None:
        self.desktop.session.submit(f"/library {words}")
        # The first search may wait for the engine's thread, and says so until then.
        self.bot.waitUntil(
            lambda: self.view.is_open and self.view.head.text() != "Searching the library"
        )

    def press(self, key: Qt.Key) -> None:
        focused = QApplication.focusWidget()
        assert focused is not None
        QTest.keyClick(focused, key)

    @property
    def titles(self) -> list[str]:
        rows = self.view.list.rows
        return [str(rows.data(rows.index(n))) for n in range(rows.rowCount())]

    def choose(self, title: str) -> None:
        self.view.list.setCurrentIndex(self.view.list.rows.index(self.titles.index(title)))


@pytest.fixture
def person(qtbot: QtBot, environment: dict[str, str]) -> Iterator[Person]:
    opened: list[str] = []

    def open_address(url: str) -> bool:
        opened.append(url)
        return True

    still = environment | {"ASKANCE_WINDOW__ANIMATIONS": "false"}
    with running(still, open_address=open_address) as desktop:
        yield Person(desktop, opened, qtbot)


@pytest.mark.usefixtures("notes")
def test_what_is_found_stands_below_the_question_and_the_keys_go_there(person: Person) -> None:
    person.search("tide mill")
    assert set(person.titles) == {"The mill", "How a tide mill works", "flow.py"}
    assert person.view.head.text() == "3 passages in the library on “tide mill”"
    assert person.view.list.hasFocus()
    assert person.desktop.overlay.ask_bar.field.text == ""
    assert complaints(person.desktop.overlay) == []


@pytest.mark.usefixtures("notes")
def test_a_page_opens_in_the_browser_at_the_words(person: Person) -> None:
    person.search("tide mill driven")
    person.choose(PAGE.title)
    person.press(Key.Key_Return)
    (url,) = person.opened
    assert url.startswith(f"{PAGE.url}#:~:text=tide%20mill")
    assert not person.desktop.overlay.isVisible()


@pytest.mark.usefixtures("notes")
def test_a_file_is_read_here_at_its_passage_and_escape_leads_back_step_by_step(
    person: Person,
) -> None:
    person.search("tide mill barley")
    person.choose("The mill")
    person.press(Key.Key_Return)
    reading = person.view.reading
    person.bot.waitUntil(reading.isVisible)
    person.bot.waitUntil(reading.text.hasFocus)
    (lit,) = reading.text.extraSelections()
    assert MILL in lit.cursor.selectedText()
    # It is far down, and is seen all the same.
    person.bot.waitUntil(
        lambda: reading.text.viewport().rect().contains(reading.text.cursorRect().center())
    )
    assert reading.text.verticalScrollBar().value() > 0
    assert complaints(person.desktop.overlay) == []
    assert person.opened == []
    person.press(Key.Key_Escape)
    assert person.view.list.hasFocus()
    person.press(Key.Key_Escape)
    assert not person.view.is_open
    assert person.desktop.overlay.ask_bar.field.hasFocus()
    person.press(Key.Key_Escape)
    assert not person.desktop.overlay.isVisible()


def test_a_file_opens_in_its_program_and_source_code_is_shown_in_its_folder(
    person: Person, notes: Path
) -> None:
    person.search("tide mill")
    person.choose("The mill")
    person.view.open_it.click()
    person.bot.waitUntil(lambda: len(person.opened) == 1)
    person.desktop.obey("show")
    person.choose("flow.py")
    person.view.open_it.click()
    person.bot.waitUntil(lambda: len(person.opened) == 2)
    assert [QUrl(url).toLocalFile() for url in person.opened] == [
        str(notes / "mill.md"), str(notes),
    ]  # fmt: skip


def test_a_link_opens_only_a_file_that_was_read_into_the_library(
    person: Person, notes: Path, folders: Folders, tmp_path: Path
) -> None:
    (secret := tmp_path / "secret.txt").write_text("A secret.", "utf-8")
    fill(folders, pages=(Document(secret.as_uri(), "Secret", "Imported.", Origin.IMPORT),))
    complaint = person.desktop.overlay.ask_bar.inline_message
    person.desktop.overlay.link_activated.emit(secret.as_uri())
    person.bot.waitUntil(lambda: "secret.txt" in complaint.sentence)
    person.desktop.overlay.link_activated.emit("file:///etc/passwd")
    person.bot.waitUntil(lambda: "passwd" in complaint.sentence)
    assert person.opened == []
    person.desktop.overlay.link_activated.emit((notes / "mill.md").as_uri())
    person.bot.waitUntil(lambda: bool(person.opened))
    assert QUrl(person.opened[0]).toLocalFile() == str(notes / "mill.md")


def test_a_file_that_is_gone_is_said_to_be(
    person: Person, folders: Folders, tmp_path: Path
) -> None:
    gone = tmp_path / "gone.md"
    fill(folders, pages=(Document(gone.as_uri(), "Gone", "It was here.", Origin.FILE),))
    person.desktop.overlay.link_activated.emit(gone.as_uri())
    complaint = person.desktop.overlay.ask_bar.inline_message
    person.bot.waitUntil(lambda: complaint.sentence == "gone.md is not there any more.")
    assert person.opened == []


@pytest.mark.usefixtures("notes")
def test_passages_that_are_picked_are_what_the_next_question_is_about(person: Person) -> None:
    person.search("tide mill")
    bar = person.desktop.overlay.ask_bar
    assert person.view.ask.text() == "Ask about all 3"
    person.choose(PAGE.title)
    person.press(Key.Key_Space)
    assert person.view.ask.text() == "Ask about 1 passage"
    person.view.ask.click()
    (chip,) = bar.chips.chips
    assert chip.text.startswith(f"{PAGE.title}: ")
    assert "barley" not in chip.text
    assert bar.field.hasFocus()
    assert person.view.is_open
    bar.field.set_text("What drives it?")
    person.press(Key.Key_Return)
    person.bot.waitUntil(lambda: person.desktop.session.views[0].state is State.ANSWERED)
    assert not person.view.is_open
    view = person.desktop.session.views[0]
    assert view.asked.quote == chip.text
    assert {source.url for source in view.known_sources} == {PAGE.url}, "and nothing else"


@pytest.mark.usefixtures("notes")
def test_a_question_is_about_what_is_picked_without_a_click(person: Person) -> None:
    person.search("tide mill")
    person.choose(PAGE.title)
    person.press(Key.Key_Space)
    bar = person.desktop.overlay.ask_bar
    bar.setFocus()
    bar.field.set_text("What drives it?")
    person.press(Key.Key_Return)
    person.bot.waitUntil(lambda: person.desktop.session.views[0].state is State.ANSWERED)
    view = person.desktop.session.views[0]
    assert view.asked.text == "What drives it?"
    assert {source.url for source in view.known_sources} == {PAGE.url}
    assert bar.is_empty
    assert not person.view.is_open


@pytest.mark.usefixtures("notes")
def test_passages_and_another_text_are_not_asked_about_at_once(person: Person) -> None:
    person.search("tide mill")
    bar = person.desktop.overlay.ask_bar
    person.view.ask.click()
    bar.chips.add(Chip(field.QuoteOrigin.PASTED, "A letter about another mill."))
    bar.field.set_text("What drives it?")
    person.press(Key.Key_Return)
    assert person.desktop.session.views == []
    assert bar.field.text == "What drives it?"
    assert bar.inline_message.isVisibleTo(bar)


@pytest.mark.usefixtures("notes")
def test_a_question_that_is_typed_is_asked_at_once_and_searched_with_what_fits(
    person: Person,
) -> None:
    person.search("tide mill")
    bar = person.desktop.overlay.ask_bar
    bar.switch.set_search_missing("")
    bar.switch.set_mode(AskMode.WEB)
    person.press(Key.Key_W)
    assert bar.field.hasFocus()
    assert bar.field.text == "w"
    bar.field.set_text("What drives the wheel?")
    person.view.ask.click()
    (view,) = person.desktop.session.views
    assert (view.asked.text, view.asked.command) == ("What drives the wheel?", "search")
    assert 0 < len(view.asked.quote) <= LONGEST_SEARCHED_ABOUT
    person.bot.waitUntil(lambda: not person.desktop.session.is_running)


@pytest.mark.usefixtures("notes")
def test_arrows_lead_from_the_field_into_the_list_and_back(person: Person) -> None:
    person.search("tide mill")
    person.view.list.setCurrentIndex(person.view.list.rows.index(0))
    person.press(Key.Key_Up)
    assert person.desktop.overlay.ask_bar.field.hasFocus()
    person.press(Key.Key_Down)
    assert person.view.list.hasFocus()


def test_an_empty_library_says_how_it_is_filled(person: Person) -> None:
    person.search("tide mill")
    assert person.view.empty.title.text() == "Your library is empty"
    assert person.view.list.isHidden()
    assert complaints(person.desktop.overlay) == []
    person.view.empty.button.click()
    settings = person.desktop.windows.settings
    assert settings is not None
    assert settings.side.list.currentItem().text() == "Library"


@pytest.mark.usefixtures("notes")
def test_where_nothing_is_found_the_web_is_offered(person: Person) -> None:
    person.search("zeppelin")
    assert "zeppelin" in person.view.empty.title.text()
    assert person.view.empty.sentence.text() == "2 of 3 files are searchable."
    person.view.empty.button.click()
    assert person.desktop.session.views[0].asked.text == "zeppelin"
    assert not person.view.is_open
    person.bot.waitUntil(lambda: not person.desktop.session.is_running)


@pytest.mark.usefixtures("notes")
def test_what_did_not_work_is_said_above_what_was_found(person: Person) -> None:
    person.search("tide mill")
    note = Message("Searched by keywords alone: the model of meanings is not there.")
    person.view.show_found("tide", LibraryMatches(person.view._hits, SearchMode.KEYWORDS, (note,)))
    assert person.view.notes.text() == note
    assert person.view.notes.isVisible()


def test_a_library_that_cannot_be_read_says_why(person: Person, folders: Folders) -> None:
    folders.library.mkdir(parents=True)
    person.search("tide mill")
    assert str(folders.library) in person.view.head.text()


@pytest.mark.usefixtures("notes")
def test_a_new_conversation_puts_the_library_away(person: Person) -> None:
    person.search("tide mill")
    person.desktop.session.begin_anew()
    assert not person.view.is_open


def test_without_words_the_page_of_the_library_comes_up(person: Person) -> None:
    person.desktop.session.submit("/library")
    settings = person.desktop.windows.settings
    assert settings is not None
    assert settings.side.list.currentItem().text() == "Library"


def test_what_is_dropped_with_shift_is_added(person: Person, tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "wheel.txt").write_text("A wheel of oak.", "utf-8")
    shift = Qt.KeyboardModifier.ShiftModifier
    assert not list(person.desktop.windows)
    assert drop(person.desktop.overlay, dragged(tmp_path / "more"), shift)
    settings = person.desktop.windows.settings
    assert settings is not None
    (control,) = settings.findChildren(LibraryControl)
    person.bot.waitUntil(lambda: not control.is_working)
    person.search("wheel oak")
    assert person.titles == ["wheel.txt"]


def test_a_page_that_is_dropped_is_added_once_that_was_agreed_to(person: Person) -> None:
    bar = person.desktop.overlay.ask_bar
    assert drop(bar, dragged("https://a.example/x"))
    assert bar.inline_message.sentence == "Add a.example to the library?"
