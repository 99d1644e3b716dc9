"""Exchanges one below the other: what a run shows at each point, and that the reader's place holds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel
from pytestqt.qtbot import QtBot

from askance.domain.conversation import CHAT, ParsedCommand, QuoteOrigin
from askance.domain.events import ClarifyAsked, Failed, TokenArrived
from askance.domain.messages import Message, Remedy
from askance.ui.design.composing import activate_layouts
from askance.ui.design.labels import RichLabel
from askance.ui.design.popover import Menu
from askance.ui.design.theme import DARK, LIGHT, Look, apply_look, load_fonts
from askance.ui.overlay.answer.copying import CopyKind
from askance.ui.overlay.conversation.conversation_view import ConversationView
from askance.ui.overlay.conversation.exchange import ExchangeAction, ExchangeModel
from askance.ui.overlay.conversation.exchange_actions import (
    ExchangeActions,
    ExchangeServices,
    NextQuestions,
    RewriteActions,
)
from askance.ui.overlay.conversation.exchange_notes import NotesView
from askance.ui.overlay.conversation.exchange_view import ExchangeWidget
from askance.ui.overlay.conversation.sources_strip import SourceStrip
from askance.ui.shell.catalogues import use_language
from ui.overlay_room import answered
from ui.widgets.lighthouse import (
    QUESTION,
    READ,
    SEARCHED,
    WHOLE,
    WRITTEN,
    has_colour,
    picture_of,
    tiles_of,
    view_of,
)

LOOK = Look(LIGHT, moves=False)


class Conversation(ConversationView):
    """Exchanges that a test can wait for."""

    def __init__(self, qtbot: QtBot) -> None:
        super().__init__(LOOK)
        self._bot = qtbot

    @property
    def is_quiet(self) -> bool:
        QApplication.sendPostedEvents()
        return self.is_complete and all(
            e.answer.is_settled and e.height() == e.heightForWidth(e.width())
            for e in self.exchanges
        )

    def settle(self) -> None:
        self._bot.waitUntil(lambda: self.is_quiet)


@pytest.fixture
def conversation(qtbot: QtBot, qapp: QApplication) -> Conversation:
    load_fonts()
    apply_look(qapp, LOOK)
    made = Conversation(qtbot)
    qtbot.addWidget(made)
    made.resize(640, 300)
    made.show()
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    return made


def actions_of(exchange: ExchangeWidget) -> ExchangeActions:
    part = exchange.part(ExchangeActions)
    assert isinstance(part, ExchangeActions)
    return part


def at_bottom(conversation: Conversation) -> bool:
    bar = conversation.verticalScrollBar()
    return bar.maximum() > 0 and bar.value() == bar.maximum()


def test_a_run_shows_its_question_then_what_happens_then_its_answer(
    conversation: Conversation,
) -> None:
    model = ExchangeModel(ParsedCommand("search", QUESTION))
    exchange = conversation.add(model.view)
    seen: list[tuple[str, bool]] = []
    for at_s, event in WHOLE:
        model.apply(event, at_s)
        exchange.show_view(model.view)
        seen.append((exchange.trace.disclosure.accessibleName(), exchange.answer.isVisible()))
    conversation.settle()
    assert ("Read 1 of 2 pages", False) in seen
    # One of them was not read: what a search said of it is no page.
    assert ("Writing from 4 sources", True) in seen
    assert seen[-1] == ("Searched twice, read 4 pages", True)
    assert len(exchange.answer.answer.markers) == 5
    assert exchange.part(SourceStrip) is not None
    assert exchange.part(NotesView) is not None
    assert exchange.trace.disclosure.time == "14 s"
    cost = "4 pages read of 20 found · 3 model calls · 14 s"
    assert cost in exchange.trace.disclosure.toolTip()


def test_while_it_runs_there_is_nothing_below_the_answer(conversation: Conversation) -> None:
    exchange = conversation.add(view_of((*SEARCHED, *READ, *WRITTEN)))
    assert exchange.answer.isVisible()
    assert exchange.part(ExchangeActions) is None


def test_a_run_from_the_history_looks_as_it_did(conversation: Conversation) -> None:
    model = ExchangeModel(ParsedCommand("search", QUESTION))
    live = conversation.add(model.view)
    for at_s, event in WHOLE:
        model.apply(event, at_s)
        live.show_view(model.view)
    conversation.settle()
    seen = picture_of(live)
    again = conversation.add(view_of([w for w in WHOLE if not isinstance(w[1], TokenArrived)]))
    conversation.settle()
    assert picture_of(again) == seen


def test_a_chat_has_no_trace_and_no_command(conversation: Conversation) -> None:
    whole = [w for w in WHOLE if w not in SEARCHED and w not in READ]
    exchange = conversation.add(view_of(whole, command="chat"))
    conversation.settle()
    assert [tag.tag.text for tag in exchange.trace.tags] == ["From memory, not checked"]
    assert exchange.trace.web.isVisible()


def test_the_end_stays_in_sight_until_the_question_is_at_the_top(
    conversation: Conversation,
) -> None:
    conversation.add(view_of(WHOLE))
    model = ExchangeModel(ParsedCommand("search", QUESTION))
    exchange = conversation.add(model.view)
    bar = conversation.verticalScrollBar()
    for n in range(30):
        model.apply(TokenArrived(f"A paragraph, number {n}.\n\n"), 1.0)
        exchange.show_view(model.view)
        conversation.settle()
        assert bar.value() == min(bar.maximum(), exchange.y())
    assert bar.value() == exchange.y() < bar.maximum()
    conversation.resize(500, 400)
    conversation.settle()
    assert bar.value() == exchange.y() < bar.maximum()


def test_what_an_answer_ends_with_does_not_push_its_beginning_away(
    conversation: Conversation,
) -> None:
    conversation.add(view_of(WHOLE))
    exchange = conversation.add(view_of((*SEARCHED, *READ, *WRITTEN)))
    conversation.settle()
    exchange.show_view(view_of(WHOLE))
    conversation.settle()
    bar = conversation.verticalScrollBar()
    assert bar.value() == exchange.y() < bar.maximum()


def test_a_reader_who_went_up_is_left_there(conversation: Conversation) -> None:
    model = ExchangeModel(ParsedCommand("search", QUESTION))
    exchange = conversation.add(view_of(WHOLE))
    exchange = conversation.add(model.view)
    conversation.settle()
    conversation.verticalScrollBar().setValue(20)
    for n in range(20):
        model.apply(TokenArrived(f"A paragraph, number {n}.\n\n"), 1.0)
        exchange.show_view(model.view)
    conversation.settle()
    assert conversation.verticalScrollBar().value() == 20
    conversation.verticalScrollBar().setValue(conversation.verticalScrollBar().maximum())
    model.apply(TokenArrived("And the end.\n\n" * 5), 1.0)
    exchange.show_view(model.view)
    conversation.settle()
    assert at_bottom(conversation)


def test_unfolding_the_steps_does_not_move_them_away(conversation: Conversation) -> None:
    exchange = conversation.add(view_of(WHOLE))
    conversation.settle()
    conversation.verticalScrollBar().setValue(conversation.verticalScrollBar().maximum())
    before = conversation.verticalScrollBar().value()
    exchange.trace.disclosure.click()
    conversation.settle()
    assert conversation.verticalScrollBar().value() == before
    assert conversation.content_height > 300 + before


def test_of_a_long_conversation_the_last_answer_is_there_at_once_and_the_rest_fills_up_above(
    conversation: Conversation,
) -> None:
    conversation.show_all([view_of(WHOLE)] * 12)
    assert len(conversation.exchanges) == 1
    conversation.settle()
    assert len(conversation.exchanges) == 12
    assert conversation.verticalScrollBar().value() == conversation.exchanges[-1].y()
    heights = [exchange.height() for exchange in conversation.exchanges]
    tops = [exchange.y() for exchange in conversation.exchanges]
    assert tops == [sum(heights[:n]) for n in range(12)]
    assert conversation.content_height == sum(heights)


def test_the_widget_that_was_made_ahead_is_the_next_one(
    conversation: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    conversation.prepare()
    made: list[ExchangeWidget] = []

    class Counted(ExchangeWidget):
        def __init__(self, *arguments: Any, **named: Any) -> None:
            super().__init__(*arguments, **named)
            made.append(self)

    monkeypatch.setattr("askance.ui.overlay.conversation.conversation_view.ExchangeWidget", Counted)
    first = conversation.add(view_of(WHOLE))
    assert not made
    assert made == [conversation.add(view_of(WHOLE))]
    conversation.settle()
    assert first.height() == conversation.exchanges[1].height()


def test_what_comes_in_above_does_not_move_the_reader(conversation: Conversation) -> None:
    conversation.show_all([view_of(WHOLE)] * 8)
    bar = conversation.verticalScrollBar()
    bar.setValue(bar.maximum() - 100)
    last = conversation.exchanges[-1]
    seen_at = last.y() - bar.value()
    conversation.settle()
    assert len(conversation.exchanges) == 8
    assert last.y() - bar.value() == seen_at


def test_another_conversation_takes_the_place_of_one_that_still_fills_up(
    conversation: Conversation,
) -> None:
    conversation.show_all([view_of(WHOLE)] * 9)
    conversation.show_all([view_of(WHOLE)])
    conversation.settle()
    assert len(conversation.exchanges) == 1
    conversation.clear()
    assert conversation.content_height == 0


def test_a_narrower_window_breaks_the_lines_anew(conversation: Conversation) -> None:
    conversation.add(view_of(WHOLE))
    conversation.add(view_of(WHOLE))
    conversation.settle()
    before = conversation.content_height
    conversation.resize(360, 300)
    conversation.settle()
    assert conversation.content_height > before
    assert conversation.exchanges[1].y() == conversation.exchanges[0].height()


def test_another_look_reaches_every_part(conversation: Conversation, qapp: QApplication) -> None:
    failed = Failed(
        Message("SearXNG is not running."), Remedy("`{command}` starts it.", command="askance up")
    )
    conversation.add(view_of(WHOLE)).trace.disclosure.click()
    conversation.add(view_of(((0.1, failed),)))
    conversation.add(view_of(((0.5, ClarifyAsked("Which one?")),)))
    # As a public report of another program has it: refactoringhq/tolaria#846.
    code = "```py\n# A comment\nname = 'text' if 1 else None\n```\n\nIt is $x^2$."
    model = ExchangeModel(ParsedCommand("chat", QUESTION))
    model.apply(TokenArrived(code), 1.0)
    conversation.add(model.view)
    conversation.settle()
    conversation.prepare()
    apply_look(qapp, Look(DARK))
    conversation.set_look(Look(DARK))
    conversation.add(view_of(WHOLE))
    conversation.settle()
    for exchange in conversation.exchanges:
        picture = picture_of(exchange)
        assert has_colour(picture, DARK.ink)
        for colour in (
            LIGHT.ink,
            LIGHT.ink_2,
            LIGHT.accent,
            LIGHT.amber,
            LIGHT.amber_soft,
            LIGHT.red,
        ):
            assert not has_colour(picture, colour), colour


@pytest.mark.parametrize(
    ("question", "answer", "named"),
    [
        ("Why?", "It is written in plain letters.", ""),
        ("Why?", "日本語の文章です。", "Chinese, Japanese"),
        ("이것은?", "I do not know.", "Korean"),
    ],
)
def test_boxes_are_explained_below_the_answer(
    qtbot: QtBot, question: str, answer: str, named: str
) -> None:
    load_fonts()
    widget = ExchangeWidget(Look(LIGHT, moves=False))
    qtbot.addWidget(widget)
    model = ExchangeModel(ParsedCommand(CHAT, question))
    widget.show_view(model.view)
    assert widget.part(NotesView) is None
    widget.show()
    widget.show_view(model.take([(1.0, answered(answer))]))
    notes = widget.part(NotesView)
    text = " ".join(label.text() for label in notes.findChildren(QLabel)) if notes else ""
    assert ("no font for" in text, named in text) == (bool(named), True)


def test_no_button_moves_when_an_answer_is_copied(qtbot: QtBot) -> None:
    row = ExchangeActions(Look(LIGHT), ExchangeServices(lambda then: then(("m",))))
    qtbot.addWidget(row)
    row.resize(672, 30)
    row.show_actions(view_of(WHOLE))
    row.show()
    qtbot.waitExposed(row)
    copied: list[CopyKind] = []
    row.copy_wanted.connect(copied.append)
    row.copy_wanted.connect(row.thank)
    parts = [row.copy, row.kinds, *row.buttons.values(), row.more]
    before = [part.geometry() for part in parts]
    place = row.copy.mapTo(row, row.copy.rect().center())
    for x in range(row.copy.x() + 1, row.copy.x() + row.copy.width(), 7):
        copied.clear()
        for _ in range(2):
            under = row.childAt(QPoint(x, place.y()))
            assert isinstance(under, QAbstractButton)
            QTest.mouseClick(under, Qt.MouseButton.LeftButton)
            placing = row.layout()
            assert placing is not None
            placing.activate()
        assert copied == [CopyKind.WITH_SOURCES, CopyKind.WITH_SOURCES]
    assert [part.geometry() for part in parts] == before
    # In a narrow window the rest waits behind the dots.
    row.resize(400, 30)
    assert not row.buttons[ExchangeAction.EDIT].isVisible()
    assert row.more.isVisible()


@pytest.mark.parametrize("language", ["en", "de"])
def test_no_action_is_cut_off_at_any_width(qtbot: QtBot, qapp: QApplication, language: str) -> None:
    use_language(qapp, language)
    row = ExchangeActions(Look(LIGHT), ExchangeServices(lambda then: then(("m",))))
    row.show_actions(view_of(WHOLE))
    use_language(qapp, "en")
    qtbot.addWidget(row)
    row.show()
    hidden: list[int] = []
    for width in range(448, 700, 4):
        row.resize(width, 30)
        activate_layouts(row)
        parts = [part for part in (row.copy, *row.buttons.values()) if part.isVisible()]
        assert all(part.width() >= part.sizeHint().width() for part in parts), width
        hidden += [] if row.buttons[ExchangeAction.EDIT].isVisible() else [width]
    assert hidden, "the narrow ones"
    assert max(hidden) < 600


def test_what_the_window_has_nothing_for_is_not_offered(qtbot: QtBot) -> None:
    row = ExchangeActions(Look(LIGHT), ExchangeServices())
    qtbot.addWidget(row)
    row.resize(672, 30)
    row.show()
    row.show_actions(view_of(WHOLE))
    shown = {action for action, button in row.buttons.items() if button.isVisible()}
    assert shown == {ExchangeAction.RETRY, ExchangeAction.EDIT}


def test_questions_that_go_on_stand_below_the_last_answer_alone(
    conversation: Conversation,
) -> None:
    first = conversation.add(view_of(WHOLE))
    conversation.set_suggestions(("Who paid?", "And then?", "A third?"))
    conversation.settle()
    lines = first.part(NextQuestions)
    assert isinstance(lines, NextQuestions)
    assert lines.questions == ("Who paid?", "And then?")
    asked: list[str] = []
    conversation.requested.connect(lambda _exchange, _action, words: asked.append(words))
    assert conversation.ask_next(1)
    assert not conversation.ask_next(2)
    lines.lines[0].click()
    assert asked == ["And then?", "Who paid?"]
    conversation.add(view_of(WHOLE))
    conversation.settle()
    assert first.part(NextQuestions) is None


def test_the_sources_stand_where_they_stood_and_those_that_are_cited_come_first(
    conversation: Conversation,
) -> None:
    conversation.resize(1200, 300)
    exchange = conversation.add(view_of(SEARCHED))
    conversation.settle()
    strip = exchange.part(SourceStrip)
    assert isinstance(strip, SourceStrip)
    top, signs = strip.y(), [tile.source.sign for tile in tiles_of(strip) if tile.source]
    assert signs == ["L", "H", "V"]
    exchange.show_view(view_of((*SEARCHED, *READ, *WRITTEN)))
    conversation.settle()
    assert [tile.source.sign for tile in tiles_of(strip) if tile.source] == ["1", "2", "3", "4"]
    exchange.show_view(view_of(WHOLE))
    conversation.settle()
    assert strip.y() == top
    strip.more.click()
    conversation.settle()
    assert [row.accessibleName() for row in strip._rows][:1] == [
        "Source 1: The lighthouse that walked, larkmoor-times.example, 12 May 1981"
    ]
    # As it was left, so the next one begins.
    again = conversation.add(view_of(WHOLE)).part(SourceStrip)
    assert isinstance(again, SourceStrip)
    assert again.is_unfolded
    strip.more.click()
    assert strip._rows == []


def test_a_text_for_the_selection_is_put_there_and_its_changes_are_shown(
    conversation: Conversation,
) -> None:
    replaced: list[tuple[str, str]] = []
    conversation.services.put_in_place = lambda *texts: replaced.append(texts)
    model = ExchangeModel(ParsedCommand("refine", "", "It were lit late.", QuoteOrigin.SELECTED))
    view = model.take([(1.0, answered("It was **lit**."))])
    exchange = conversation.add(view)
    conversation.settle()
    row = exchange.part(RewriteActions)
    assert isinstance(row, RewriteActions)
    row.replace.click()
    assert replaced == [("It were lit late.", "It was lit.")]
    row.changes.click()
    conversation.settle()
    assert not exchange.answer.isVisible()
    changes = exchange.findChildren(RichLabel)[-1]
    assert "line-through" in changes.text()
    row.changes.click()
    assert exchange.answer.isVisible()


def test_the_same_is_asked_of_another_model(qtbot: QtBot) -> None:
    wanted: list[Callable[[Sequence[str]], None]] = []
    row = ExchangeActions(LOOK, ExchangeServices(models=wanted.append))
    qtbot.addWidget(row)
    row.resize(672, 30)
    row.show_actions(view_of(WHOLE))
    row.show()
    chosen: list[str] = []
    row.chosen.connect(lambda _action, name: chosen.append(name))
    row.buttons[ExchangeAction.OTHER_MODEL].click()
    assert row.findChild(Menu) is None  # the server is asked first
    wanted[0](("qwen3:8b", "gemma3:4b"))
    menu = row.findChild(Menu)
    assert menu is not None
    menu.actions()[1].trigger()
    menu.close()
    assert chosen == ["gemma3:4b"]
