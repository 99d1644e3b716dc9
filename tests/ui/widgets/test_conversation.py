"""Exchanges one below the other: what a run shows at each point, and that the reader's place holds."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from askance.domain.conversation import ParsedCommand
from askance.domain.events import Cancelled, ClarifyAsked, Failed, TokenArrived
from askance.domain.messages import FixKind, Message, Remedy
from askance.ui.design.theme import DARK, LIGHT, Look, apply_look, load_fonts
from askance.ui.overlay.answer.markup import as_page, with_sources
from askance.ui.overlay.conversation.conversation_view import ConversationView
from askance.ui.overlay.conversation.exchange import ExchangeAction, ExchangeModel
from askance.ui.overlay.conversation.exchange_view import (
    ClarifyForm,
    ExchangeActions,
    ExchangeWidget,
    FailureView,
    NotesView,
)
from askance.ui.overlay.conversation.run_details import SourcesView
from ui.widgets.lighthouse import (
    QUESTION,
    READ,
    SEARCHED,
    TEXT,
    WHOLE,
    WRITTEN,
    has_colour,
    picture_of,
    view_of,
)

LOOK = Look(LIGHT, moves=False)


@pytest.fixture
def conversation(qtbot: QtBot, qapp: QApplication) -> ConversationView:
    load_fonts()
    apply_look(qapp, LOOK)
    made = ConversationView(LOOK)
    qtbot.addWidget(made)
    made.resize(640, 300)
    made.show()
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    return made


def settle(conversation: ConversationView, qtbot: QtBot) -> None:
    def is_quiet() -> bool:
        QApplication.sendPostedEvents()
        exchanges = conversation.exchanges
        return conversation.is_complete and all(
            e.answer.is_settled and e.height() == e.heightForWidth(e.width()) for e in exchanges
        )

    qtbot.waitUntil(is_quiet)


def actions_of(exchange: ExchangeWidget) -> ExchangeActions:
    part = exchange.part(ExchangeActions)
    assert isinstance(part, ExchangeActions)
    return part


def at_bottom(conversation: ConversationView) -> bool:
    bar = conversation.verticalScrollBar()
    return bar.maximum() > 0 and bar.value() == bar.maximum()


def test_a_run_shows_its_question_then_what_happens_then_its_answer(
    conversation: ConversationView, qtbot: QtBot
) -> None:
    model = ExchangeModel(ParsedCommand("search", QUESTION))
    exchange = conversation.add(model.view)
    seen: list[tuple[str, bool]] = []
    for at_s, event in WHOLE:
        model.apply(event, at_s)
        exchange.show_view(model.view)
        seen.append((exchange.trace.disclosure.accessibleName(), exchange.answer.isVisible()))
    settle(conversation, qtbot)
    assert ("Reading 2 of 2 pages harbour-archive.example", False) in seen
    assert ("Writing from 4 sources", True) in seen
    assert seen[-1] == ("Searched twice, read 4 pages", True)
    assert len(exchange.answer.answer.markers) == 5
    assert exchange.part(SourcesView) is not None
    assert exchange.part(NotesView) is not None
    assert actions_of(exchange).figures == "4 pages read of 20 found · 3 model calls · 14 s"


def test_while_it_runs_there_is_nothing_below_the_answer(conversation: ConversationView) -> None:
    exchange = conversation.add(view_of((*SEARCHED, *READ, *WRITTEN)))
    assert exchange.answer.isVisible()
    assert exchange.part(SourcesView) is None
    assert exchange.part(ExchangeActions) is None


def test_a_run_from_the_history_looks_as_it_did(
    conversation: ConversationView, qtbot: QtBot
) -> None:
    model = ExchangeModel(ParsedCommand("search", QUESTION))
    live = conversation.add(model.view)
    for at_s, event in WHOLE:
        model.apply(event, at_s)
        live.show_view(model.view)
    settle(conversation, qtbot)
    seen = picture_of(live)
    again = conversation.add(view_of([w for w in WHOLE if not isinstance(w[1], TokenArrived)]))
    settle(conversation, qtbot)
    assert picture_of(again) == seen


def test_copy_takes_the_answer_with_its_sources(
    conversation: ConversationView, qtbot: QtBot
) -> None:
    view = view_of(WHOLE)
    exchange = conversation.add(view)
    settle(conversation, qtbot)
    button = actions_of(exchange).buttons[ExchangeAction.COPY]
    qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: button.text() == "Copied")
    copied = QGuiApplication.clipboard().text()
    assert copied == with_sources(view.copied)
    assert QGuiApplication.clipboard().mimeData().html() == as_page(view.copied)
    assert copied.startswith(TEXT)
    assert "https://harbour-archive.example/b" in copied


def test_retry_and_without_the_web_name_their_exchange(
    conversation: ConversationView, qtbot: QtBot
) -> None:
    first = conversation.add(view_of(WHOLE))
    second = conversation.add(view_of((*SEARCHED, (2.0, Cancelled()))))
    settle(conversation, qtbot)
    requested = QSignalSpy(conversation.requested)
    actions_of(second).buttons[ExchangeAction.RETRY].click()
    actions_of(first).buttons[ExchangeAction.WITHOUT_WEB].setFocus()
    qtbot.keyClick(actions_of(first).buttons[ExchangeAction.WITHOUT_WEB], Qt.Key.Key_Return)
    assert [requested.at(n) for n in range(requested.count())] == [
        [second, ExchangeAction.RETRY],
        [first, ExchangeAction.WITHOUT_WEB],
    ]
    assert not actions_of(second).buttons[ExchangeAction.COPY].isVisible()


def test_a_failure_shows_its_remedy_and_passes_it_on(
    conversation: ConversationView, qtbot: QtBot
) -> None:
    failed = Failed(
        Message("SearXNG is not running."),
        Remedy("`{command}` starts it.", command="askance up"),
        "SearXNG",
        "x",
    )
    exchange = conversation.add(view_of(((0.1, failed),)))
    part = exchange.part(FailureView)
    assert isinstance(part, FailureView)
    settle(conversation, qtbot)
    assert has_colour(picture_of(part), LIGHT.raised)  # the button
    asked = QSignalSpy(conversation.fix_requested)
    part.button.click()
    assert asked.count() == 1
    assert asked.at(0) == [FixKind.START_SERVICES.value]


def test_a_question_asked_back_is_answered_in_place(
    conversation: ConversationView, qtbot: QtBot
) -> None:
    exchange = conversation.add(view_of(((0.5, ClarifyAsked("Which lighthouse?")),)))
    part = exchange.part(ClarifyForm)
    assert isinstance(part, ClarifyForm)
    replies = QSignalSpy(conversation.replied)
    qtbot.keyClicks(part.field, "Larkmoor")
    qtbot.keyClick(part.field, Qt.Key.Key_Return)
    assert replies.count() == 1
    assert replies.at(0) == [exchange, "Larkmoor"]


def test_a_chat_has_no_trace_and_no_command(conversation: ConversationView, qtbot: QtBot) -> None:
    whole = [w for w in WHOLE if w not in SEARCHED and w not in READ]
    exchange = conversation.add(view_of(whole, command="chat"))
    settle(conversation, qtbot)
    assert not exchange.trace.isVisible()
    assert not actions_of(exchange).buttons[ExchangeAction.WITHOUT_WEB].isVisible()


def test_the_end_stays_in_sight_until_the_question_is_at_the_top(
    conversation: ConversationView, qtbot: QtBot
) -> None:
    conversation.add(view_of(WHOLE))
    model = ExchangeModel(ParsedCommand("search", QUESTION))
    exchange = conversation.add(model.view)
    bar = conversation.verticalScrollBar()
    for n in range(30):
        model.apply(TokenArrived(f"A paragraph, number {n}.\n\n"), 1.0)
        exchange.show_view(model.view)
        settle(conversation, qtbot)
        assert bar.value() == min(bar.maximum(), exchange.y())
    assert bar.value() == exchange.y() < bar.maximum()
    conversation.resize(500, 400)
    settle(conversation, qtbot)
    assert bar.value() == exchange.y() < bar.maximum()


def test_what_an_answer_ends_with_does_not_push_its_beginning_away(
    conversation: ConversationView, qtbot: QtBot
) -> None:
    conversation.add(view_of(WHOLE))
    exchange = conversation.add(view_of((*SEARCHED, *READ, *WRITTEN)))
    settle(conversation, qtbot)
    exchange.show_view(view_of(WHOLE))
    settle(conversation, qtbot)
    bar = conversation.verticalScrollBar()
    assert bar.value() == exchange.y() < bar.maximum()


def test_a_reader_who_went_up_is_left_there(conversation: ConversationView, qtbot: QtBot) -> None:
    model = ExchangeModel(ParsedCommand("search", QUESTION))
    exchange = conversation.add(view_of(WHOLE))
    exchange = conversation.add(model.view)
    settle(conversation, qtbot)
    conversation.verticalScrollBar().setValue(20)
    for n in range(20):
        model.apply(TokenArrived(f"A paragraph, number {n}.\n\n"), 1.0)
        exchange.show_view(model.view)
    settle(conversation, qtbot)
    assert conversation.verticalScrollBar().value() == 20
    conversation.verticalScrollBar().setValue(conversation.verticalScrollBar().maximum())
    model.apply(TokenArrived("And the end.\n\n" * 5), 1.0)
    exchange.show_view(model.view)
    settle(conversation, qtbot)
    assert at_bottom(conversation)


def test_unfolding_the_steps_does_not_move_them_away(
    conversation: ConversationView, qtbot: QtBot
) -> None:
    exchange = conversation.add(view_of(WHOLE))
    settle(conversation, qtbot)
    conversation.verticalScrollBar().setValue(conversation.verticalScrollBar().maximum())
    before = conversation.verticalScrollBar().value()
    exchange.trace.disclosure.click()
    settle(conversation, qtbot)
    assert conversation.verticalScrollBar().value() == before
    assert conversation.content_height > 300 + before


def test_of_a_long_conversation_the_last_answer_is_there_at_once_and_the_rest_fills_up_above(
    conversation: ConversationView, qtbot: QtBot
) -> None:
    conversation.show_all([view_of(WHOLE)] * 12)
    assert len(conversation.exchanges) == 1
    settle(conversation, qtbot)
    assert len(conversation.exchanges) == 12
    assert conversation.verticalScrollBar().value() == conversation.exchanges[-1].y()
    heights = [exchange.height() for exchange in conversation.exchanges]
    tops = [exchange.y() for exchange in conversation.exchanges]
    assert tops == [sum(heights[:n]) for n in range(12)]
    assert conversation.content_height == sum(heights)


def test_what_comes_in_above_does_not_move_the_reader(
    conversation: ConversationView, qtbot: QtBot
) -> None:
    conversation.show_all([view_of(WHOLE)] * 8)
    bar = conversation.verticalScrollBar()
    bar.setValue(bar.maximum() - 100)
    last = conversation.exchanges[-1]
    seen_at = last.y() - bar.value()
    settle(conversation, qtbot)
    assert len(conversation.exchanges) == 8
    assert last.y() - bar.value() == seen_at


def test_another_conversation_takes_the_place_of_one_that_still_fills_up(
    conversation: ConversationView, qtbot: QtBot
) -> None:
    conversation.show_all([view_of(WHOLE)] * 9)
    conversation.show_all([view_of(WHOLE)])
    settle(conversation, qtbot)
    assert len(conversation.exchanges) == 1
    conversation.clear()
    assert conversation.content_height == 0


def test_a_narrower_window_breaks_the_lines_anew(
    conversation: ConversationView, qtbot: QtBot
) -> None:
    conversation.add(view_of(WHOLE))
    conversation.add(view_of(WHOLE))
    settle(conversation, qtbot)
    before = conversation.content_height
    conversation.resize(360, 300)
    settle(conversation, qtbot)
    assert conversation.content_height > before
    assert conversation.exchanges[1].y() == conversation.exchanges[0].height()


def test_another_look_reaches_every_part(conversation: ConversationView, qtbot: QtBot) -> None:
    failed = Failed(
        Message("SearXNG is not running."), Remedy("`{command}` starts it.", command="askance up")
    )
    conversation.add(view_of(WHOLE)).trace.disclosure.click()
    conversation.add(view_of(((0.1, failed),)))
    conversation.add(view_of(((0.5, ClarifyAsked("Which one?")),)))
    settle(conversation, qtbot)
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    apply_look(application, Look(DARK))
    conversation.set_look(Look(DARK))
    settle(conversation, qtbot)
    for exchange in conversation.exchanges:
        picture = picture_of(exchange)
        assert has_colour(picture, DARK.ink)
        for colour in (LIGHT.ink, LIGHT.ink_2, LIGHT.accent, LIGHT.amber_soft, LIGHT.red):
            assert not has_colour(picture, colour), colour


def test_every_control_can_be_reached_and_has_a_name(
    conversation: ConversationView, qtbot: QtBot
) -> None:
    exchange = conversation.add(view_of(WHOLE))
    settle(conversation, qtbot)
    exchange.trace.disclosure.setFocus(Qt.FocusReason.TabFocusReason)
    names: list[str] = []
    for _ in range(14):
        focused = QApplication.focusWidget()
        assert focused is not None
        name = getattr(focused, "text", str)() or ""
        names.append(focused.accessibleName() or name)
        qtbot.keyClick(focused, Qt.Key.Key_Tab)
    assert names[0] == "Searched twice, read 4 pages"
    assert names[1:6] == ["Answer"] * 5  # one for each number
    assert [name.split(":")[0] for name in names[6:10]] == [f"Source {n}" for n in range(1, 5)]
    assert names[10:13] == ["Copy with sources", "Retry", "Without the web"]
