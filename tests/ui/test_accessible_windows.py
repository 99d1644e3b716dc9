"""Every window in every state as those meet it who hear it, or who see and aim less well."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QWidget
from pytestqt.qtbot import QtBot

from askance.adapters.storage.history import SqliteHistory
from askance.domain.conversation import QuoteOrigin
from askance.domain.downloads import FoundServer
from askance.domain.errors import ServiceDown
from askance.domain.events import Answered, ClarifyAsked
from askance.domain.evidence import Support
from askance.domain.history import TimedEvent
from askance.presentation.answers import support_word
from askance.ui.design.focus import install_roles
from askance.ui.design.lists import LineList, ListLine
from askance.ui.design.theme import DARK, LIGHT, Look, Palette
from askance.ui.design.toast import Toast
from askance.ui.overlay.conversation.exchange_notes import NotesView
from askance.ui.overlay.conversation.field import Chip
from askance.ui.overlay.conversation.session import Session
from askance.ui.overlay.conversation.sources_strip import SourceStrip
from askance.ui.overlay.deletions import Deletions
from askance.ui.overlay.history_popover import HistoryList, HistoryPopover
from askance.ui.overlay.overlay import Overlay
from askance.ui.settings.first_run import FirstRun
from askance.ui.settings.page_tables import PAGES
from cli.runs import ANSWERED
from sampled import sampled
from ui.accessible import Role, about, complaints, interface, name, seen
from ui.keyboard import DOWN, LOOK, Desk, Key, label
from ui.settings.room import FakeModel, Room
from ui.test_look import contrast
from ui.widgets.lighthouse import SEARCHED, WHOLE, has_colour, picture_of, unfolded_rows_of


def idle(desk: Desk) -> None:
    desk.settle()


def quoting(desk: Desk) -> None:
    desk.bar.chips.add(Chip(QuoteOrigin.PASTED, "some words"))
    desk.settle()


def completing(desk: Desk) -> None:
    desk.type("/")


def complaining(desk: Desk) -> None:
    desk.type("/serch x")
    desk.press(Key.Key_Return)
    desk.settle()


def running(desk: Desk) -> None:
    desk.ask("/search When?", *SEARCHED)


def ended(desk: Desk) -> None:
    desk.ask("/search When?", *WHOLE).trace.disclosure.click()
    desk.settle()


def with_code(desk: Desk) -> None:
    text = "Run it.\n\n```sh\nmake lamp\n```\n\nOr:\n\n```sh\nmake light\n```\n"
    last = WHOLE[-1][1]
    assert isinstance(last, Answered)
    desk.ask("/search How?", *SEARCHED, (9.0, replace(last, answer=text, citations=())))


def failed(desk: Desk) -> None:
    desk.ask("/search When?", (0.1, DOWN))


def asking_back(desk: Desk) -> None:
    desk.ask("/search Which?", (0.1, ClarifyAsked("The old one?")))


def asked_twice_the_same(desk: Desk) -> None:
    for _ in range(2):
        desk.ask("/search When?", *WHOLE)


STATES = (
    idle, quoting, completing, complaining, running, ended, with_code, failed, asking_back,
    asked_twice_the_same,
)  # fmt: skip


@pytest.mark.parametrize("state", STATES)
def test_all_of_the_overlay_has_a_name_a_role_and_room_to_be_hit(
    desk: Desk, state: Callable[[Desk], None]
) -> None:
    state(desk)
    assert complaints(desk.overlay) == []


@pytest.mark.parametrize("page", sampled(range(len(PAGES)), every=2))
def test_all_of_the_settings_has_a_name_a_role_and_room_to_be_hit(
    place: Room, qtbot: QtBot, page: int
) -> None:
    window = place.open_settings()
    window.side.choose(page)
    qtbot.waitUntil(
        lambda: not any(isinstance(w, QLabel) and w.text() == "Checking" for w in seen(window))
    )

    def has_nothing_to_complain_of() -> None:
        assert complaints(window) == []

    qtbot.waitUntil(has_nothing_to_complain_of)
    for box in window.page(page).findChildren(QComboBox):
        [(beside, relation)] = interface(box).relations(QAccessible.RelationFlag.Label)
        assert relation == QAccessible.RelationFlag.Label
        assert beside.text(QAccessible.Text.Name) == box.accessibleName()


def test_all_of_the_history_has_a_name_a_role_and_room_to_be_hit(place: Room, qtbot: QtBot) -> None:
    fill(place.parts.history)
    session = Session(place.surroundings.bridge)
    overlay = Overlay(LOOK, session)
    qtbot.addWidget(overlay)
    overlay.summon()
    install_roles()
    deletions = Deletions(place.surroundings.bridge, overlay, Toast(overlay))
    past = HistoryList(LOOK, deletions, dict, set)
    window = HistoryPopover(overlay, place.surroundings.bridge, deletions, past)
    window.open_history(overlay.ask_bar)
    qtbot.waitUntil(lambda: window.rows.rowCount() == 2)
    assert complaints(window) == []
    assert interface(window).role() == Role.Dialog
    rows = interface(window.list)
    assert rows.role() == Role.List
    assert rows.child(1).text(QAccessible.Text.Name).startswith("Who bakes?, ")
    QTest.keyClick(window.search, Qt.Key.Key_Delete)
    # The rows were made anew.
    said = interface(window.list).child(1).text(QAccessible.Text.Name)
    assert said == "“Who bakes?” deleted, Undo Ctrl+Z"
    window.close()


def fill(history: SqliteHistory) -> None:
    assert isinstance(ANSWERED, Answered)
    key = history.begin_exchange(None, "search", "Who bakes?")
    history.finish_exchange(key, (TimedEvent(1.0, ANSWERED),))


def test_all_of_the_first_page_has_a_name_a_role_and_room_to_be_hit(
    place: Room, qtbot: QtBot
) -> None:
    place.parts.model = FakeModel(ServiceDown("Ollama", "http://x", "Ollama does not answer."))
    place.environment.pop("ASKANCE_LLM__URL")
    place.services.servers = (FoundServer("Jan", "openai", "http://127.0.0.1:1337", "wren", 9.0),)
    page = FirstRun(LOOK, place.surroundings, lambda _: "")
    page.show()
    qtbot.waitUntil(lambda: len(page.choice.cards) == 4)
    page.choice.address_link.click()
    page.rows["search"].ways.click()
    qtbot.waitUntil(lambda: complaints(page) == [])  # the two buttons are laid out a turn later
    server, small, *_ = page.choice.cards
    assert interface(server).role() == Role.RadioButton
    assert name(server) == "Jan wren"
    assert name(small) == "Small, Qwen3 1.7B, 1.1 GB"
    assert about(small) == "Short answers, quick on any laptop. Qwen3 1.7B · needs 2 GB"


def test_what_a_source_does_not_carry_is_said_in_words(desk: Desk) -> None:
    exchange = desk.ask("/search When?", *WHOLE)
    word = support_word(Support.WEAK)
    assert about(exchange.answer) == f"A ferry company may have lent the rails: {word}"
    desk.tab_until(lambda widget: label(widget).startswith("Answer [4]"))
    popup = exchange.answer.popup
    assert popup is not None
    assert "supports this in part" in popup.accessibleName()
    assert interface(exchange.answer).role() == Role.StaticText
    assert interface(exchange.answer).textInterface().text(0, 14) == "The lighthouse"


def test_what_colour_says_is_said_in_words_too(desk: Desk) -> None:
    exchange = desk.ask("/search When?", *WHOLE)
    sources, notes = exchange.part(SourceStrip), exchange.part(NotesView)
    assert isinstance(sources, SourceStrip)
    sources.more.click()
    assert [name(row).endswith("snippet only") for row in unfolded_rows_of(sources)[:4]] == [
        False, False, False, True,
    ]  # fmt: skip
    sources.more.click()
    assert notes is not None
    assert [name(w) for w in seen(notes)] == ["Note: Sources disagree on the date."]
    model = desk.bar.tools.model_button
    assert (name(model), about(model)) == ("Model: wren:8b", "The model is there")


def test_each_exchange_is_a_group_named_after_its_question(desk: Desk) -> None:
    for question in ("First?", "Second?"):
        desk.ask(f"/search {question}", *SEARCHED)
    assert [name(e) for e in desk.conversation.exchanges] == ["First?", "Second?"]


def test_the_steps_say_whether_they_are_shown(desk: Desk) -> None:
    line = desk.ask("/search When?", *WHOLE).trace.disclosure
    assert about(line) == "Search steps are hidden"
    line.click()
    assert about(line) == "Search steps are shown below"


def test_a_screen_reader_finds_the_parts_of_an_exchange_in_reading_order(desk: Desk) -> None:
    desk.ask("/search When?", *WHOLE)
    exchange = interface(desk.newest)
    tops = [exchange.child(n).rect().top() for n in range(exchange.childCount())]
    assert tops == sorted(tops)
    assert len(tops) == 6


@pytest.mark.parametrize("colours", [LIGHT, DARK])
def test_the_focus_stands_out_from_all_that_it_is_drawn_on(colours: Palette) -> None:
    grounds = (colours.paper, colours.raised, colours.line, colours.accent_soft)
    assert all(contrast(colours.accent, ground) >= 3 for ground in grounds)
    assert contrast(colours.ink, colours.accent) >= 1.5  # the ring of a filled button


@pytest.mark.parametrize("colours", [LIGHT, DARK])
def test_what_is_quiet_elsewhere_can_be_read_on_a_chosen_row(
    qtbot: QtBot, colours: Palette
) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    view = LineList(Look(colours, moves=False), 3, window)
    view.show_lines([ListLine("Who bakes?", "1 question", "12:00")])
    window.show()
    assert has_colour(picture_of(view.viewport()), colours.ink_3)
    view.choose(0)
    assert not has_colour(picture_of(view.viewport()), colours.ink_3)


def test_windows_and_named_groups_are_no_mere_layout(desk: Desk) -> None:
    install_roles()
    exchange = desk.ask("/search When?", *WHOLE)
    assert interface(desk.overlay).role() == Role.Window
    assert interface(exchange).role() == Role.Grouping
    assert interface(desk.conversation).role() == Role.Grouping
    group = QWidget(desk.overlay)
    assert interface(group).role() == Role.Client
    group.setAccessibleName("Some")
    assert interface(group).role() == Role.Grouping
