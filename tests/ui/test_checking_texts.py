"""The check of a text in the window: what would be searched is shown first, then the text with its verdicts."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from askance.config.settings import Settings
from askance.domain.conversation import QuoteOrigin
from askance.domain.errors import ServiceDown
from askance.domain.events import CitationsChecked
from askance.domain.messages import Message
from askance.domain.web_pages import Page, ResultPage
from askance.engine.context import EngineParts
from askance.engine.prompts import load_prompts
from askance.presentation.transcripts import as_markdown
from askance.ui.design.focus import install_roles
from askance.ui.design.theme import DARK, LIGHT, Look
from askance.ui.overlay.answer.copying import CopyKind
from askance.ui.overlay.conversation.exchange import ExchangeAction, State
from askance.ui.overlay.conversation.exchange_view import ConfirmForm, ExchangeWidget
from askance.ui.overlay.conversation.field import Chip
from bench import web
from ui.accessible import about, complaints, name
from ui.overlay_room import Furnish, Gate, Key, Room

PAGE = "http://light.hesperay.example/history"
BORN, HIGH = (
    "Abel Moss was born in Strandmouth in 1819",
    "The tower of Skarne Light is 43 metres high",
)
PORTUGAL, MARRIN = (
    "Hector Pym later opened a bakery in Portugal",
    "Sela Marrin was born at Wick of Ord",
)
TEXT = (
    f"{BORN}. I think he must have been a lonely man. {HIGH}.\n\n"
    f"{PORTUGAL}. My neighbour Zelda Quint owes me 400 pounds. {MARRIN} [1].\n\n[1] The history {PAGE}\n"
)
SUMS = "2 supported, 1 contradicted, 1 not found, 2 not checkable."


@dataclass
class ListedSearch(web.SampleSearch):
    """The search of the sample web, which lists what it was asked; it waits at a query that it is told."""

    asked: list[str] = field(default_factory=list[str])
    held: dict[str, Gate] = field(default_factory=dict[str, Gate])
    is_down: bool = False

    async def search(self, query: str, **more: Any) -> ResultPage:
        self.asked.append(query)
        if self.is_down:
            raise ServiceDown("SearXNG", "x", Message("SearXNG is not running."))
        if gate := self.held.get(query):
            await gate.passed()
        return await super().search(query, **more)


@dataclass
class ListedReader(web.SampleReader):
    """Its reader, which lists the pages that it was asked for."""

    asked: list[str] = field(default_factory=list[str])

    async def read(self, url: str, **more: Any) -> Page:
        self.asked.append(url)
        return await super().read(url, **more)


@dataclass
class Checking:
    """A window over the sample web."""

    room: Room
    search: ListedSearch
    reader: ListedReader

    def propose(self, text: str = TEXT, origin: QuoteOrigin = QuoteOrigin.PASTED) -> ConfirmForm:
        """Ask for the check of a quoted text, and wait until what would be searched is shown."""
        self.room.bar.chips.add(Chip(origin, text))
        return self.ask("/check")

    def ask(self, typed: str) -> ConfirmForm:
        self.room.type(typed)
        self.room.press(Key.Key_Return)
        self.room.bot.waitUntil(lambda: self.view is not None and self.view.proposal is not None)
        self.room.settle()
        form = self.newest.part(ConfirmForm)
        assert form is not None
        return form

    def check(self, text: str = TEXT) -> ExchangeWidget:
        """Check a text, and wait until that is done."""
        self.propose(text).first.click()
        self.room.until(State.ANSWERED)
        self.room.settle()
        return self.newest

    @property
    def view(self) -> Any:
        return self.room.session.views[-1] if self.room.session.views else None

    @property
    def newest(self) -> ExchangeWidget:
        return self.room.conversation.exchanges[-1]

    @property
    def sent(self) -> str:
        """All that left this computer."""
        return " ".join((*self.search.asked, *self.reader.asked))


def opened(room: Room) -> Checking:
    install_roles()
    search, reader = ListedSearch(is_quick=True), ListedReader(is_quick=True)
    parts = EngineParts(None, search, reader, load_prompts(), Settings(), lambda: date(2026, 3, 2))
    room.app.engine = parts  # type: ignore[assignment]
    room.summon()
    return Checking(room, search, reader)


@pytest.fixture
def checking(room: Room) -> Checking:
    return opened(room)


def test_nothing_leaves_before_it_was_seen_and_confirmed_and_nothing_else_behind_it(
    checking: Checking,
) -> None:
    form = checking.propose()
    assert checking.sent == ""
    assert checking.room.history.search("Zelda", 5) == ()
    assert form.first.text() == "Search 4 claims"
    shown = form._list.accessibleName().splitlines()
    assert shown == [BORN, HIGH, PORTUGAL, MARRIN, PAGE]
    assert form.first.hasFocus()
    QTest.keyClick(form.first, Key.Key_Return)
    checking.room.until(State.ANSWERED)
    assert checking.search.asked == shown[:4]
    assert PAGE in checking.reader.asked
    assert not {"Zelda", "Quint", "neighbour", "lonely"} & set(checking.sent.split())


@pytest.mark.parametrize("way", ["key", "button"])
def test_who_leaves_has_the_text_back_and_nothing_was_sent(checking: Checking, way: str) -> None:
    form, room = checking.propose(), checking.room
    if way == "key":
        QTest.keyClick(form.first, Key.Key_Escape)
    else:
        QTest.mouseClick(form.discard, Qt.MouseButton.LeftButton)
    assert room.session.views == []
    assert room.bar.draft.text == "/check"
    assert [chip.text for chip in room.bar.draft.quotes] == [TEXT]
    assert checking.sent == ""
    assert room.overlay.isVisible()
    room.settle()
    # The list of commands is not open over what was given back: the next Escape hides the window.
    QTest.keyClick(room.field, Key.Key_Escape)
    assert not room.overlay.isVisible()


def test_the_text_stands_there_with_the_marks_and_numbers_of_an_answer(checking: Checking) -> None:
    exchange = checking.check()
    view, answer = checking.view, exchange.answer
    assert view.text.startswith(
        f"{SUMS}\n\n{BORN}. [1] I think he must have been a lonely man. {HIGH}. [2]"
    )
    (row,) = checking.room.overlay.columns.questions.rows.shown
    assert row.title.startswith(BORN)
    # Its own numbers are no markers of ours.
    assert f"{MARRIN} (1). [3]" in view.text
    doubts = {found.words: found.doubt.word for _, found in answer.answer.doubts}
    assert doubts == {
        f"{HIGH}.": "a source says otherwise",
        f"{PORTUGAL}.": "nothing was found about this",
    }
    for words, why in doubts.items():
        assert f"{words}: {why}" in about(answer)
    # What it cites itself and does not say so is a note.
    assert view.notes == (f"light.hesperay.example, which is cited, does not say: {MARRIN}.",)
    cards = [answer._quotes(marker.link) for _, marker in answer.answer.markers]
    first, second, third = (card for card in cards[:3] if card is not None)
    assert "born in Strandmouth in 1819" in "".join(part.text for part in first.quote)
    assert first.about.endswith("1 independent source")
    assert "snippet only" not in first.about
    assert first.url.startswith("http://light.hesperay.example/")
    assert second.support == "says otherwise"
    assert third.about.endswith("2 independent sources")
    assert complaints(checking.room.overlay) == []


def test_verdicts_are_seen_as_they_are_settled_and_escape_stops(checking: Checking) -> None:
    checking.search.held[PORTUGAL] = Gate()
    form, room = checking.propose(), checking.room
    form.first.click()
    room.bot.waitUntil(lambda: "[2]" in checking.view.text)
    assert checking.view.state is State.RUNNING
    assert f"{HIGH}. [2]" in checking.view.text
    assert f"{MARRIN} (1)." in checking.view.text
    assert checking.view.text.startswith(
        "1 supported, 1 contradicted, 0 not found, 1 not checkable."
    )
    assert checking.view.status.text == "Checked 2 claims"
    assert newest_form(checking) is None
    QTest.keyClick(room.field, Key.Key_Escape)
    room.until(State.STOPPED)
    assert f"{HIGH}. [2]" in checking.view.text
    assert room.overlay.isVisible()
    actions = checking.view.actions
    assert ExchangeAction.RETRY in actions
    assert ExchangeAction.OTHER_MODEL not in actions


def newest_form(checking: Checking) -> ConfirmForm | None:
    return checking.newest.part(ConfirmForm)


def test_a_text_behind_the_command_a_selection_and_a_file_are_checked_alike(
    checking: Checking, tmp_path: Path
) -> None:
    room = checking.room
    assert name(checking.ask(f"/check {BORN}.").first) == "Search 1 claim"
    QTest.keyClick(checking.newest.part(ConfirmForm).first, Key.Key_Escape)  # type: ignore[union-attr]
    assert room.field.text == f"/check {BORN}."
    room.field.set_text("")
    checking.propose(f"{HIGH}.", QuoteOrigin.SELECTED).first.click()
    room.until(State.ANSWERED)
    assert [tag.text for tag in checking.view.tags] == ["Selected text, 9 words"]
    (path := tmp_path / "draft.txt").write_text(f"{MARRIN}.\n\nMy aunt Orla is ill.\n")
    room.session.files.add_paths((path,))
    room.bot.waitUntil(lambda: bool(room.session.files.attachments))
    room.bot.waitUntil(lambda: room.session.files.is_settled)
    room.bot.waitUntil(lambda: room.bar.switch.has_files)
    form = checking.ask("/check")
    assert form._list.accessibleName() == MARRIN
    form.first.click()
    room.until(State.ANSWERED)
    assert checking.view.text.startswith(
        "1 supported, 0 contradicted, 0 not found, 1 not checkable."
    )
    assert "Orla" in checking.view.text
    assert "Orla" not in checking.sent


def test_a_text_of_which_nothing_can_be_checked_needs_no_confirmation(checking: Checking) -> None:
    checking.room.bar.chips.add(Chip(QuoteOrigin.PASTED, "I think it is lovely. What a day!"))
    checking.room.type("/check")
    checking.room.press(Key.Key_Return)
    checking.room.until(State.ANSWERED)
    assert checking.view.text.startswith(
        "0 supported, 0 contradicted, 0 not found, 2 not checkable."
    )
    assert checking.sent == ""


def test_what_cannot_be_searched_says_why_and_is_tried_again_without_a_second_question(
    checking: Checking,
) -> None:
    checking.search.is_down = True
    checking.propose().first.click()
    checking.room.until(State.FAILED)
    assert checking.view.failure is not None
    checking.search.is_down = False
    checking.room.session.retry(0)
    checking.room.until(State.ANSWERED)
    assert checking.view.text.startswith(SUMS)


def test_lines_of_a_text_stay_apart(checking: Checking) -> None:
    exchange = checking.check(f"{BORN}.\n{HIGH}.\n\n- {MARRIN}.\n- My aunt is ill.\n")
    shown = exchange.answer.toPlainText().replace("\N{LINE SEPARATOR}", "\n").splitlines()
    begun = [line[:10] for line in shown if line.strip()]
    assert begun == [SUMS[:10], BORN[:10], HIGH[:10], MARRIN[:10], "My aunt is"]


def test_too_long_a_text_is_refused_in_its_place(checking: Checking) -> None:
    checking.room.bar.chips.add(Chip(QuoteOrigin.PASTED, "A sentence of words. " * 3000))
    checking.room.type("/check")
    checking.room.press(Key.Key_Return)
    checking.room.until(State.FAILED)
    assert checking.view.failure.problem.startswith("The text is longer than 60,000 characters")
    assert checking.sent == ""


def test_it_is_stored_copied_and_exported_as_an_answer_is(checking: Checking) -> None:
    exchange, room = checking.check(), checking.room
    before = checking.view
    number = room.session.conversation
    assert number is not None
    record = room.history.conversation(number)
    assert record is not None
    events = [timed.event for timed in record.exchanges[0].events]
    # The verdicts on the way were shown, and are not stored: the end has all of them.
    assert not [event for event in events if isinstance(event, CitationsChecked)]
    document = as_markdown(record)
    assert SUMS in document
    assert "Zelda Quint owes me" in document
    exchange.copy_as(CopyKind.WITH_SOURCES)
    room.bot.waitUntil(lambda: SUMS in QGuiApplication.clipboard().text())
    assert "born in Strandmouth" in QGuiApplication.clipboard().text()
    room.session.begin_anew()
    room.session.resume(record)
    room.bot.waitUntil(lambda: room.conversation.is_complete)
    again = room.session.views[0]
    assert (again.answer, again.text, again.notes) == (before.answer, before.text, before.notes)
    # What was confirmed is not stored: another time it is shown again first.
    asked = len(checking.search.asked)
    room.session.retry(0)
    room.bot.waitUntil(lambda: checking.view.proposal is not None)
    assert len(checking.search.asked) == asked


def test_an_edited_text_takes_the_place_of_the_one_before_once_it_is_confirmed(
    checking: Checking,
) -> None:
    exchange, room = checking.check(f"{BORN}."), checking.room
    exchange.requested.emit(ExchangeAction.EDIT, "")
    assert [chip.text for chip in room.bar.draft.quotes] == [f"{BORN}."]
    room.bar.chips.clear()
    room.field.set_text("")
    form = checking.ask(f"/check {HIGH}.")
    assert len(room.session.views) == 2
    form.first.click()
    room.bot.waitUntil(lambda: len(room.session.views) == 1)
    room.until(State.ANSWERED)
    room.settle()
    assert HIGH in checking.newest.answer.toPlainText()
    assert len(room.conversation.exchanges) == 1


def test_a_check_waits_for_the_run_before_it_once_it_is_confirmed(checking: Checking) -> None:
    checking.search.held[PORTUGAL] = Gate()
    checking.propose().first.click()
    room = checking.room
    room.bot.waitUntil(lambda: PORTUGAL in checking.search.asked)
    checking.propose(f"{MARRIN}.").first.click()
    assert checking.view.state is State.WAITING
    assert checking.view.actions == (ExchangeAction.ASK_NOW, ExchangeAction.DROP)
    # Escape leaves a third, and does not stop the first.
    third = checking.propose(f"{BORN}.")
    QTest.keyClick(third.first, Key.Key_Escape)
    assert [view.state for view in room.session.views] == [State.RUNNING, State.WAITING]
    checking.search.held[PORTUGAL].open()
    room.until(State.ANSWERED)
    assert checking.search.asked.count(MARRIN) == 2


def test_what_would_be_searched_is_read_out_with_the_button(checking: Checking) -> None:
    form = checking.propose()
    assert name(form.first) == "Search 4 claims"
    said = about(form.first)
    assert said.startswith("This would be searched, and opened where the text cites it:")
    assert all(words in said for words in (BORN, HIGH, PORTUGAL, MARRIN, PAGE))
    assert checking.view.status.text == "Nothing has left this computer yet"
    assert complaints(checking.room.overlay) == []


@pytest.mark.parametrize("look", [Look(DARK, moves=False), Look(LIGHT, 2.0, moves=False)])
def test_all_that_would_be_searched_is_seen_in_every_look(furnish: Furnish, look: Look) -> None:
    checking = opened(furnish(look))
    form = checking.propose(f"{BORN}, and this is a sentence that goes on {'and on ' * 20}in 1819.")
    QApplication.processEvents()
    for part in (form.first, form.discard, form._about, form._list):
        assert form.rect().contains(part.geometry())
    assert form._list.height() >= form._list.heightForWidth(form._list.width())
