"""A question put into the field again, what goes on from an answer, and a text put in the place of a selection."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu

from askance.app.own_files import use_own_files
from askance.config.choices import AskMode
from askance.domain.conversation import ParsedCommand, QuoteOrigin
from askance.domain.events import TokenArrived
from askance.ui.design.toast import Toast
from askance.ui.overlay.conversation.exchange import ExchangeAction, State
from askance.ui.overlay.conversation.exchange_actions import RewriteActions
from askance.ui.overlay.conversation.field import Chip
from askance.ui.overlay.deletions import Deletions
from askance.ui.shell import replacing
from askance.ui.shell.replacing import SelectionReplacer
from ui.overlay_room import Gate, Room, answered

Key = Qt.Key
pytestmark = pytest.mark.usefixtures("summoned")
LETTER = (
    "Dear Mr Osterhagen, your biopsy shows a melanoma, says Dr Wieland of the clinic in the town."
)


@pytest.fixture
def lens(tmp_path: Path) -> Iterator[None]:
    (tmp_path / "own" / "lenses").mkdir(parents=True)
    (tmp_path / "own" / "lenses" / "papers.md").write_text("---\nnever: [news.example]\n---\n")
    use_own_files(tmp_path / "own")
    yield
    use_own_files(Path("no-such-folder"))


def test_a_question_is_edited_in_its_own_mode_with_what_it_was_about(room: Room) -> None:
    """What was asked of the model alone is not searched for because another mode is in front by now."""
    room.bar.switch.set_mode(AskMode.CHAT)
    room.bar.chips.add(Chip(QuoteOrigin.PASTED, LETTER))
    exchange = room.answer("What does it mean?")
    room.bar.switch.set_mode(AskMode.WEB)
    exchange.requested.emit(ExchangeAction.EDIT, "")
    assert room.field.text == "What does it mean?"
    assert room.field.hasFocus()
    assert [chip.text for chip in room.bar.chips.chips] == [LETTER]
    room.type(" For me?")
    room.press(Key.Key_Return)
    room.bot.waitUntil(lambda: len(room.engine.asked) == 2)
    assert [how for how, _ in room.engine.asked] == ["chat", "chat"]
    assert [view.asked.quote for view in room.session.views] == [LETTER]


def deletions_of(room: Room) -> Deletions:
    """What the header of the whole window makes."""
    deletions = Deletions(room.bridge, room.overlay, Toast(room.overlay))
    room.overlay.follow_ups.deleted.connect(deletions.delete_exchange)
    deletions.exchange_undone.connect(room.session.bring_back)
    return deletions


def asked_in(room: Room) -> list[str]:
    return [view.asked.text for view in room.session.views]


def stored_in(room: Room) -> list[str]:
    record = room.history.conversation(room.session.conversation or 0)
    return [exchange.text for exchange in record.exchanges] if record else []


def test_an_edited_question_takes_the_place_of_the_one_before_once_it_is_answered(
    room: Room,
) -> None:
    deletions = deletions_of(room)
    room.answer("Who built it?", answered("Whitlow."))
    room.answer("And whe?", answered("What?"))
    room.press(Key.Key_Up)
    gate = Gate()
    room.engine.scripts = [(gate, answered("In 1871."))]
    room.type("n?")
    room.press(Key.Key_Return)
    room.bot.waitUntil(lambda: len(room.engine.asked) == 3)
    assert asked_in(room) == ["Who built it?", "And whe?n?"]
    assert [
        exchange.view.asked.text for exchange in room.conversation.exchanges if exchange.view
    ] == asked_in(room)
    # What was answered there is no part of the conversation any more.
    assert [turn.answer for turn in room.engine.requests[-1].conversation.turns] == ["Whitlow."]
    gate.open()
    room.until(State.ANSWERED)
    room.bot.waitUntil(lambda: bool(deletions.pending))
    assert stored_in(room) == ["Who built it?", "And whe?", "And whe?n?"]
    deletions.commit()
    room.bot.waitUntil(lambda: stored_in(room) == ["Who built it?", "And whe?n?"])


def test_a_stopped_run_brings_back_what_it_was_to_replace(room: Room) -> None:
    deletions = deletions_of(room)
    room.answer("Who?", answered("Whitlow."))
    room.press(Key.Key_Up)
    room.engine.scripts = [(Gate(),)]
    room.press(Key.Key_Return)
    room.bot.waitUntil(lambda: len(room.engine.asked) == 2)
    room.session.stop()
    room.bot.waitUntil(lambda: len(room.session.views) == 2)
    assert [view.state for view in room.session.views] == [State.ANSWERED, State.STOPPED]
    assert not deletions.pending
    # Nor is the next one an edit.
    room.answer("Why?")
    assert len(room.session.views) == 3


def test_what_waits_is_asked_in_the_order_in_which_it_was_typed_also_after_a_stop(
    room: Room,
) -> None:
    # As a public report of another program has it: anthropics/claude-code#90637.
    room.ask("One?", TokenArrived("Half"), Gate())
    for question in ("Two?", "Three?", "Four?"):
        room.type(question)
        room.press(Key.Key_Return)
    room.session.stop()
    room.until(State.ANSWERED)
    assert [text for _, text in room.engine.asked] == asked_in(room)
    assert asked_in(room) == ["One?", "Two?", "Three?", "Four?"]
    assert [view.state for view in room.session.views] == [State.STOPPED, *[State.ANSWERED] * 3]


def test_an_emptied_field_edits_nothing(room: Room) -> None:
    room.answer("Who?", answered("Whitlow."))
    room.press(Key.Key_Up)
    room.field.selectAll()
    room.press(Key.Key_Delete)
    QApplication.processEvents()
    room.answer("Why?")
    assert asked_in(room) == ["Who?", "Why?"]


def test_one_exchange_is_deleted_and_brought_back(room: Room) -> None:
    deletions = deletions_of(room)
    for question in ("One?", "Two?", "Three?"):
        room.answer(question, answered(question.lower()))
    middle = room.conversation.exchanges[1]
    middle.requested.emit(ExchangeAction.DELETE, "")
    assert asked_in(room) == ["One?", "Three?"]
    room.answer("Four?")
    turns = room.engine.requests[-1].conversation.turns
    assert [turn.answer for turn in turns] == ["one?", "three?"]
    deletions.undo()
    assert asked_in(room) == ["One?", "Two?", "Three?", "Four?"]
    shown = [exchange.view.asked.text for exchange in room.conversation.exchanges if exchange.view]
    assert shown == asked_in(room)
    tops = [exchange.y() for exchange in room.conversation.exchanges]
    assert tops == sorted(set(tops))
    # Deleted for sure once its time is over or the window hides; a conversation without any is no more.
    for exchange in tuple(room.conversation.exchanges)[1:]:
        exchange.requested.emit(ExchangeAction.DELETE, "")
    room.overlay.hide()
    room.bot.waitUntil(lambda: stored_in(room) == ["One?"])
    room.overlay.summon()
    room.conversation.exchanges[0].requested.emit(ExchangeAction.DELETE, "")
    assert not room.conversation.isVisible()
    deletions.commit()
    room.bot.waitUntil(lambda: not room.history.conversations(9))


def test_a_stored_conversation_loses_one_exchange(room: Room) -> None:
    deletions = deletions_of(room)
    for question in ("One?", "Two?"):
        room.answer(question, answered(question.lower()))
    number = room.session.conversation or 0
    room.session.begin_anew()
    record = room.history.conversation(number)
    assert record is not None
    room.session.resume(record)
    room.conversation.exchanges[-1].requested.emit(ExchangeAction.DELETE, "")
    room.answer("Three?")
    assert [turn.answer for turn in room.engine.requests[-1].conversation.turns] == ["one?"]
    deletions.commit()
    room.bot.waitUntil(lambda: stored_in(room) == ["One?", "Three?"])


def test_a_right_click_offers_what_the_row_of_actions_does(room: Room) -> None:
    exchange = room.answer("Who?")
    place = exchange.answer.rect().center()
    click = QContextMenuEvent(
        QContextMenuEvent.Reason.Mouse, place, exchange.answer.mapToGlobal(place)
    )
    QApplication.sendEvent(exchange.answer.viewport(), click)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    names = [action.text() for action in menu.actions()]
    assert names[0] == "Copy"
    assert names[-1] == "Delete"
    assert "Edit question" in names
    menu.close()


@pytest.mark.parametrize(
    ("typed", "again"),
    [("/think Why?", "/think Why?"), ("/chat Why?", "Why?"), ("/refine It were lit", "/refine It were lit")],
)  # fmt: skip
def test_what_is_edited_stands_as_it_would_be_typed(room: Room, typed: str, again: str) -> None:
    room.answer(typed)
    room.press(Key.Key_Up)
    assert room.field.text == again
    before = room.session.views[0].asked.command
    room.press(Key.Key_Return)
    room.bot.waitUntil(lambda: len(room.engine.asked) == 2)
    assert [view.asked.command for view in room.session.views] == [before]


def test_before_the_first_question_an_arrow_brings_back_what_was_asked_elsewhere(
    room: Room,
) -> None:
    room.answer("Why?")
    room.session.begin_anew()
    room.press(Key.Key_Up)
    assert room.field.text == "Why?"


@pytest.mark.usefixtures("lens")
def test_what_goes_on_from_an_answer_keeps_to_the_lens_of_its_question(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def suggest(_turns: object, _app: object) -> tuple[str, ...]:
        return ("Who paid?", "Which lamp?")

    monkeypatch.setattr("askance.app.conversation.ConversationSession.suggest", suggest)
    room.answer("@papers Who built it?")
    room.bot.waitUntil(lambda: bool(room.bar.field.placeholderText().startswith("@papers")))
    assert room.field.placeholderText() == "@papers Who paid?"
    room.conversation.ask_next(0)
    room.bot.waitUntil(lambda: len(room.session.views) == 2)
    room.press(Key.Key_Tab)
    for asked in (room.session.views[1].asked,):
        assert (asked.lens, asked.scope.excluded) == ("papers", ("news.example",))


@pytest.mark.parametrize("is_taken", [True, False])
def test_a_selection_is_replaced_or_the_text_is_copied_and_that_is_said(
    room: Room, monkeypatch: pytest.MonkeyPatch, is_taken: bool
) -> None:
    put: list[tuple[str, str]] = []

    def replace(_environment: object, selected: str, text: str) -> bool:
        put.append((selected, text))
        return is_taken

    monkeypatch.setattr(replacing, "can_replace_selection", lambda _environment: True)
    monkeypatch.setattr(replacing, "replace_selection", replace)
    replacer = SelectionReplacer({}, room.overlay, room.bridge, room.overlay)
    room.session.began.connect(replacer.look)
    services = room.conversation.services
    # Words that were pasted stand nowhere that could be replaced.
    room.engine.scripts = [(answered("It was lit."),)] * 2
    room.session.take(ParsedCommand("refine", "", "It were lit.", QuoteOrigin.PASTED))
    assert services.put_in_place is None
    room.bot.waitUntil(lambda: room.session.views[-1].ended)
    room.session.take(ParsedCommand("refine", "", "It were lit.", QuoteOrigin.SELECTED))
    room.bot.waitUntil(lambda: room.session.views[-1].ended and services.put_in_place is not None)
    room.press(Key.Key_Return, held=Qt.KeyboardModifier.ControlModifier)
    room.bot.waitUntil(lambda: bool(put))
    assert put == [("It were lit.", "It was lit.")]
    pasted = room.conversation.exchanges[0].part(RewriteActions)
    assert isinstance(pasted, RewriteActions)
    assert pasted.replace.isHidden()
    if not is_taken:
        said = "It is no longer selected there. The new text was copied."
        room.bot.waitUntil(lambda: room.bar.inline_message.sentence == said)
        assert QGuiApplication.clipboard().text() == "It was lit."
