"""The overlay by keys alone: everything is reached, seen, done and left again."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtGui import QGuiApplication, QKeySequence
from PySide6.QtTest import QSignalSpy, QTest

from askance.domain.events import ClarifyAsked
from askance.domain.history import ConversationRecord, ConversationSummary, Exchange, TimedEvent
from askance.domain.messages import FixKind
from askance.ui.design.focus import FocusRing, reading_order
from askance.ui.design.popover import Menu
from askance.ui.overlay.answer.answer_view import AnswerView
from askance.ui.overlay.bar.tool_row import SendState
from askance.ui.overlay.conversation.exchange import State
from askance.ui.overlay.conversation.exchange_notes import FailureView
from askance.ui.overlay.conversation.exchange_view import ClarifyForm, ExchangeWidget
from askance.ui.overlay.conversation.sources_strip import SourceStrip
from ui.keyboard import (
    AT,
    DOWN,
    EXCHANGE,
    NUMBERS,
    SEARCH,
    SOURCES,
    STATUS,
    TOOLS,
    Desk,
    Key,
    answered,
    called,
    is_seen,
    label,
)
from ui.widgets.lighthouse import ENDED, QUESTION, READ, SEARCHED, TRUST, WHOLE


def test_tab_goes_through_all_of_it_in_reading_order_and_back_again(desk: Desk) -> None:
    desk.ask(SEARCH, *WHOLE)
    forth = desk.walk()
    assert forth == [*TOOLS, *EXCHANGE]
    assert desk.walk(back=True) == forth[::-1]


def test_a_new_exchange_is_reached_after_the_old_one_and_before_the_foot(desk: Desk) -> None:
    desk.ask(SEARCH, *WHOLE)
    desk.ask("/search Again?", (0.1, DOWN))
    assert desk.walk() == [
        *TOOLS, *EXCHANGE, *("No answer", "Start SearXNG", "Search again", "Other model", "Edit question", "More"),
    ]  # fmt: skip


def test_what_came_in_above_is_reached_before_what_was_there(desk: Desk) -> None:
    ended = tuple(TimedEvent(at_s, event) for at_s, event in (*SEARCHED, *READ, *ENDED))
    retained = tuple(Exchange(n, "search", f"Question {n}", "", AT, ended) for n in range(4))
    desk.session.resume(ConversationRecord(ConversationSummary(7, "Lamps", AT, AT, 4), retained))
    desk.settle()
    assert len(desk.conversation.exchanges) == 4
    stops = [w for w in reading_order(desk.overlay) if isinstance(w, AnswerView)]
    assert stops == [exchange.answer for exchange in desk.conversation.exchanges]
    inside = desk.conversation.widget()
    assert inside is not None
    assert [w for w in inside.children() if isinstance(w, ExchangeWidget)] == list(
        desk.conversation.exchanges
    )


def test_the_steps_unfold_and_fold_by_every_key_that_one_tries(desk: Desk) -> None:
    exchange = desk.ask(SEARCH, *WHOLE)
    desk.tab_until(called(STATUS))
    for key, open_ in (
        (Key.Key_Return, True),
        (Key.Key_Space, False),
        (Key.Key_Left, False),
        (Key.Key_Right, True),
        (Key.Key_Right, True),
        (Key.Key_Left, False),
    ):
        desk.press(key)
        assert (exchange.trace.panel is not None) is open_
        assert desk.focus is exchange.trace.disclosure


def test_the_links_of_the_steps_are_walked_and_opened(desk: Desk) -> None:
    desk.ask(SEARCH, *WHOLE)
    desk.tab_until(called(STATUS))
    desk.press(Key.Key_Right)
    desk.settle()
    desk.press(Key.Key_Tab, Key.Key_Return, Key.Key_Tab, Key.Key_Return)
    assert [desk.opened.at(n)[0] for n in range(desk.opened.count())] == [
        "https://larkmoor-times.example/a",
        "https://harbour-archive.example/b",
    ]
    desk.press(Key.Key_Tab)
    assert label(desk.focus) == SOURCES[0]


def test_a_number_shows_its_quote_and_opens_its_source(desk: Desk) -> None:
    exchange = desk.ask(SEARCH, *WHOLE)
    desk.tab_until(called(NUMBERS[2]))
    popup = exchange.answer.popup
    assert popup is not None
    assert "two thirds of the eleven thousand pounds" in popup.accessibleName()
    desk.press(Key.Key_Return)
    assert desk.opened.at(0)[0].startswith(f"{TRUST}#:~:text=")


def test_escape_closes_the_quote_first_and_then_the_window(desk: Desk) -> None:
    exchange = desk.ask(SEARCH, *WHOLE)
    desk.tab_until(called(NUMBERS[1]))
    desk.press(Key.Key_Escape)
    assert exchange.answer.popup is None
    assert desk.overlay.isVisible()
    assert label(desk.focus) == NUMBERS[1]
    # Right after the run an Escape may have been meant for that.
    desk.bot.waitUntil(lambda: desk.bar.send_button.state is SendState.OFF)
    desk.press(Key.Key_Escape)
    assert not desk.overlay.isVisible()


def test_escape_stops_a_run_from_wherever_the_focus_is(desk: Desk) -> None:
    desk.ask(SEARCH, *SEARCHED)
    desk.tab_until(lambda widget: widget is desk.newest.trace.disclosure)
    desk.press(Key.Key_Escape)
    desk.bot.waitUntil(lambda: desk.session.views[0].state is State.STOPPED)
    assert desk.overlay.isVisible()


def test_the_focus_is_scrolled_into_sight(desk: Desk) -> None:
    desk.ask("/search Before?", *WHOLE)
    exchange = desk.ask(SEARCH, *WHOLE)
    view = desk.conversation.viewport()
    for _ in range(40):
        desk.press(Key.Key_Tab)
        focused = desk.focus
        if isinstance(focused, AnswerView) and focused.lit_marker is not None:
            rect = focused.marker_rect(focused.lit_marker)
            top = focused.mapTo(view, rect.topLeft()).y()
            assert 0 <= top <= view.height() - rect.height()
        elif desk.conversation.isAncestorOf(focused):
            assert is_seen(desk, focused), label(focused)
    assert len(exchange.answer.answer.markers) == 5


def test_code_is_copied_by_keys_and_each_button_says_which(desk: Desk) -> None:
    text = "```sh\nmake lamp\n```\n\nOr:\n\n```sh\n\nmake light\n```\n"
    desk.ask(SEARCH, *SEARCHED, answered(text))
    desk.tab_until(called("Copy the code: make lamp"))
    desk.press(Key.Key_Tab)
    assert label(desk.focus) == "Copy the code: make light"
    desk.press(Key.Key_Return)
    assert QGuiApplication.clipboard().text().strip() == "make light"
    assert label(desk.focus) == "Copied"


def test_numbers_and_code_are_reached_as_they_are_read(desk: Desk) -> None:
    text = "First. [1]\n\n```sh\nmake lamp\n```\n\nThen. [2]\n\n```sh\nmake light\n```\n"
    desk.ask("/search How?", *SEARCHED, answered(text))
    desk.press(Key.Key_Tab)
    shown = [
        "Answer [1]#0",
        "Copy the code: make lamp",
        "Answer [2]#1",
        "Copy the code: make light",
    ]
    forth = desk.walk()
    first = forth.index(shown[0])
    assert forth[first : first + 4] == shown
    assert desk.walk(back=True) == forth[::-1]


def test_an_answer_without_numbers_has_a_ring(desk: Desk) -> None:
    exchange = desk.ask("/search How?", *SEARCHED, answered("Nobody knows."))
    ring = desk.overlay.findChild(FocusRing)
    assert ring is not None
    desk.tab_until(lambda widget: widget is exchange.answer)
    assert ring.around is exchange.answer
    desk.press(Key.Key_Tab)
    assert ring.around is desk.focus is not exchange.answer


def test_what_is_pressed_with_the_pointer_has_no_ring(desk: Desk) -> None:
    exchange = desk.ask("/search How?", *SEARCHED, answered("Nobody knows."))
    ring = desk.overlay.findChild(FocusRing)
    assert ring is not None
    desk.bot.mouseClick(exchange.answer.viewport(), Qt.MouseButton.LeftButton)
    assert desk.focus is exchange.answer
    assert ring.around is None
    desk.tab()
    desk.tab(back=True)
    assert ring.around is exchange.answer


def test_sources_are_opened_with_enter_and_space(desk: Desk) -> None:
    desk.ask(SEARCH, *WHOLE)
    desk.tab_until(called(SOURCES[0]))
    desk.press(Key.Key_Return, Key.Key_Tab, Key.Key_Space)
    assert desk.opened.at(0) == ["https://larkmoor-times.example/a"]
    assert desk.opened.at(1)[0].startswith("https://harbour-archive.example/b")
    assert isinstance(desk.newest.part(SourceStrip), SourceStrip)


def test_the_actions_are_done_by_keys_and_lead_back_to_the_field(desk: Desk) -> None:
    desk.ask(SEARCH, *WHOLE)
    QGuiApplication.clipboard().clear()
    desk.tab_until(called("Copy"))
    desk.press(Key.Key_Space)
    desk.bot.waitUntil(lambda: "The lighthouse was moved" in QGuiApplication.clipboard().text())
    desk.press(Key.Key_Tab, Key.Key_Tab, Key.Key_Return)
    assert [view.asked.text for view in desk.session.views] == [QUESTION] * 2
    assert desk.focus is desk.field
    desk.tell(*WHOLE)
    row = desk.tab_until(called("More")).parentWidget()
    desk.press(Key.Key_Return)
    menu = row.findChild(Menu) if row is not None else None
    assert menu is not None
    without = next(a for a in menu.actions() if a.text() == "Answer without searching")
    without.trigger()
    menu.close()
    assert [view.asked.command for view in desk.session.views] == ["search", "search", "chat"]


def test_a_question_asked_back_gets_the_focus_and_gives_it_back(desk: Desk) -> None:
    exchange = desk.ask("/search Which lamp?", (0.5, ClarifyAsked("The old one?")))
    part = exchange.part(ClarifyForm)
    assert isinstance(part, ClarifyForm)
    assert desk.focus is part.field
    desk.type("yes")
    desk.press(Key.Key_Tab)
    assert desk.focus is part.button
    desk.press(Key.Key_Return)
    assert [view.asked.text for view in desk.session.views] == ["Which lamp?", "Which lamp? yes"]
    assert desk.focus is desk.field
    assert not part.button.isVisible()


def test_a_file_that_is_pasted_into_a_reply_is_attached_and_no_path(
    desk: Desk, tmp_path: Path
) -> None:
    exchange = desk.ask("/search Which lamp?", (0.5, ClarifyAsked("The old one?")))
    part = exchange.part(ClarifyForm)
    assert isinstance(part, ClarifyForm)
    (notes := tmp_path / "notes.md").write_text("The tower was finished in 1847.", "utf-8")
    copied = QMimeData()
    copied.setUrls([QUrl.fromLocalFile(str(notes))])
    QGuiApplication.clipboard().setMimeData(copied)
    pasted: list[QMimeData] = []
    desk.field.files_pasted.connect(pasted.append)
    QTest.keySequence(part.field, QKeySequence(QKeySequence.StandardKey.Paste))
    assert part.field.text() == ""
    assert len(pasted) == 1
    QGuiApplication.clipboard().setText("yes")
    QTest.keySequence(part.field, QKeySequence(QKeySequence.StandardKey.Paste))
    assert part.field.text() == "yes"


def test_a_question_asked_back_does_not_take_the_keys_from_who_types(desk: Desk) -> None:
    desk.ask("/search Which lamp?", *SEARCHED)
    desk.type("Never")
    desk.tell((0.5, ClarifyAsked("The old one?")))
    assert desk.focus is desk.field
    assert desk.field.text == "Never"


def test_a_failure_is_mended_by_keys(desk: Desk) -> None:
    exchange = desk.ask(SEARCH, (0.1, DOWN))
    part = exchange.part(FailureView)
    assert isinstance(part, FailureView)
    desk.tab_until(lambda widget: widget is part.button)
    desk.press(Key.Key_Return)
    assert desk.fixes.at(0) == [FixKind.START_SERVICES.value]


def test_the_buttons_of_the_bar_are_pressed_by_keys(desk: Desk) -> None:
    pinned = QSignalSpy(desk.bar.tools.pin_toggled)
    desk.tab_until(called("Pin"))
    desk.press(Key.Key_Return, Key.Key_Space)
    assert [pinned.at(n) for n in range(pinned.count())] == [[True], [False]]


def test_a_question_that_goes_on_is_taken_by_tab_and_others_by_their_keys(desk: Desk) -> None:
    desk.bridge.suggestions = ("Who paid the rest?", "What became of the rails?", "And then?")
    desk.ask(SEARCH, *WHOLE)
    assert desk.field.placeholderText() == "Who paid the rest?"
    desk.field.setFocus()
    desk.keys("Alt+2")
    assert desk.session.views[-1].asked.text == "What became of the rails?"
    # While that is asked nothing is suggested.
    assert desk.field.placeholderText() != "Who paid the rest?"
    assert not desk.conversation.ask_next(0)
    desk.tell(*WHOLE)
    desk.press(Key.Key_Tab)
    assert desk.field.text == "Who paid the rest?"
