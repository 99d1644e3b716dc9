"""The window at its widths: what stands where, what is read stays, and numbers and sources light each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QEnterEvent, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from askance.domain.conversation import ParsedCommand
from askance.ui.design.focus import reading_order
from askance.ui.design.placement import FramePlacement
from askance.ui.design.theme import LIGHT, Look
from askance.ui.overlay.conversation.exchange import ExchangeView
from askance.ui.overlay.conversation.session import _Exchange
from askance.ui.overlay.header import ConversationHeader
from askance.ui.overlay.history_popover import HistoryList
from askance.ui.overlay.overlay import Overlay
from askance.ui.overlay.stored import DraftFile, StoredConversations, StoredDrafts
from ui.accessible import complaints, name
from ui.keyboard import CTRL, Desk, Key, label
from ui.overlay_room import Room
from ui.overlay_room import answered as answer_of
from ui.widgets.lighthouse import QUESTION, WHOLE, view_of

STILL = Look(LIGHT, moves=False)
LONG = "A sentence that takes up some room, so that it is broken elsewhere at each width. " * 9


@pytest.fixture(autouse=True)
def large_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The screen of the other tests has room for two columns at most."""
    monkeypatch.setattr(FramePlacement, "_area", property(lambda _: QRect(0, 0, 1920, 1080)))


def widen(overlay: Overlay, width: int, height: int = 720) -> None:
    """Resize the window as its user does at an edge."""
    placing = overlay._placing
    here = placing._stored.screens.setdefault(placing._window.screen().name(), {})
    here |= {"width": width, "height": height}
    placing._decide_kind()
    placing._move_to_place()
    placing.resized.emit()
    QApplication.processEvents()
    QApplication.sendPostedEvents()
    overlay._fit()
    QApplication.processEvents()


@dataclass(frozen=True, slots=True)
class AtWidth:
    width: int
    is_wide: bool
    has_questions: bool = False
    has_pin: bool = True


ORDINARY = (
    AtWidth(480, is_wide=False, has_pin=False),
    AtWidth(559, is_wide=False, has_pin=False),
    AtWidth(560, is_wide=False),
    AtWidth(759, is_wide=False),
    AtWidth(760, is_wide=True),
    AtWidth(999, is_wide=True),
    AtWidth(1000, is_wide=True, has_questions=True),
    AtWidth(1700, is_wide=True, has_questions=True),
)
# 720 looks as 480 does.
LARGE = (
    AtWidth(720, is_wide=False, has_pin=False),
    AtWidth(1139, is_wide=False),
    AtWidth(1140, is_wide=True),
    AtWidth(1500, is_wide=True, has_questions=True),
)


@pytest.mark.parametrize(("scale", "cases"), [(1.0, ORDINARY), (1.5, LARGE)])
def test_columns_come_with_the_width_that_text_of_this_size_needs(
    qtbot: QtBot, scale: float, cases: tuple[AtWidth, ...]
) -> None:
    desk = Desk(qtbot, replace(STILL, scale=scale))
    desk.ask(QUESTION, *WHOLE)
    desk.overlay.set_title("The lighthouse that walked")
    for case in cases:
        widen(desk.overlay, case.width)
        desk.settle()
        check(desk, case)


def check(desk: Desk, case: AtWidth) -> None:
    columns, tools, look = desk.overlay.columns, desk.bar.tools, desk.overlay.look
    assert desk.overlay.paper.width() == case.width
    is_wide = case.is_wide
    assert columns.is_wide is columns.is_at_foot is columns.head.isVisible() is is_wide, case
    assert columns.sources.isVisible() is is_wide, case
    assert columns.questions.isVisible() is case.has_questions, case
    assert tools.pin_button.isVisible() is case.has_pin, case
    assert tools.title_button.isVisible() is case.has_pin, case
    field, shown = _on(desk.overlay, desk.field), _on(desk.overlay, desk.conversation)
    assert (field.top() > shown.bottom()) is is_wide, case
    for part in (tools.menu_button, tools.new_button, tools.history_button, tools.settings_button):
        assert part.isVisible(), case
        assert desk.overlay.paper.contains(_on(desk.overlay, part)), case
    # Lines in a wide window are not longer than the eye can follow, and begin where those in the field do.
    answer = desk.newest.answer
    assert answer.width() <= look.px(680 if is_wide else 712), case
    left = _on(desk.overlay, answer).left()
    assert left == _on(desk.overlay, tools).left() + look.px(24), case


def _on(window: QWidget, part: QWidget) -> QRect:
    return QRect(part.mapTo(window, QPoint(0, 0)), part.size())


def test_all_of_it_goes_back_to_its_place_when_it_is_narrow_again(desk: Desk) -> None:
    before = [label(stop) for stop in reading_order(desk.overlay)]
    for width in (1180, 800, 1180, 720):
        widen(desk.overlay, width)
    assert [label(stop) for stop in reading_order(desk.overlay)] == before
    assert desk.bar.line.parent() is desk.bar


def test_the_field_moves_only_while_nothing_is_typed(desk: Desk) -> None:
    desk.ask(QUESTION, *WHOLE)
    desk.field.setFocus()
    desk.type("And wh")
    widen(desk.overlay, 900)
    columns = desk.overlay.columns
    assert columns.is_wide
    assert not columns.is_at_foot
    assert desk.field.hasFocus()
    desk.type("y?")
    assert not columns.is_at_foot
    desk.press(Key.Key_Return)
    desk.bot.waitUntil(lambda: columns.is_at_foot)
    assert desk.field.hasFocus()
    desk.type("Mo")
    widen(desk.overlay, 720)
    assert columns.is_at_foot
    desk.press(Key.Key_Backspace, Key.Key_Backspace)
    desk.bot.waitUntil(lambda: not columns.is_at_foot)


def test_what_opens_beside_the_field_stands_above_it_at_the_foot(desk: Desk) -> None:
    widen(desk.overlay, 900)
    top = _on(desk.overlay, desk.field).top()
    desk.type("/")
    desk.settle()
    completion = _on(desk.overlay, desk.bar.completion)
    assert completion.bottom() < _on(desk.overlay, desk.field).top()
    assert _on(desk.overlay, desk.field).top() == top


def many(desk: Desk, count: int) -> None:
    """Show a conversation of so many questions."""
    base = view_of((*WHOLE[:-1], (14.0, replace(WHOLE[-1][1], answer=LONG, citations=()))))
    views = [
        replace(base, asked=ParsedCommand("search", f"Question {i}, which is somewhat long?"))
        for i in range(count)
    ]
    desk.session._here.exchanges = [_Exchange(view) for view in views]
    desk.session.resumed.emit()
    desk.bot.waitUntil(lambda: desk.conversation.is_complete)
    desk.settle()


def top_words(desk: Desk) -> tuple[str, str]:
    """The question that is read at the top, and the first whole words of its answer there."""
    bar, stack = desk.conversation.verticalScrollBar(), desk.conversation._stack
    place = stack.place_at(bar.value())
    assert place is not None
    assert place.exchange.view is not None
    text = place.exchange.answer.toPlainText()
    return place.exchange.view.asked.text, text[max(0, place.position) :][:20]


def test_the_words_that_are_read_stay_at_the_top_at_every_width(desk: Desk) -> None:
    widen(desk.overlay, 700, 500)
    many(desk, 30)
    exchange = desk.conversation.exchanges[14]
    answer, view = exchange.answer, desk.conversation
    cursor = answer.textCursor()
    cursor.setPosition(len(LONG) // 2)
    y = answer.viewport().mapTo(view._stack, answer.cursorRect(cursor).topLeft()).y()
    view.verticalScrollBar().setValue(y)
    question, words = top_words(desk)
    # The first word of the line at the top.
    place = view._stack.place_at(view.verticalScrollBar().value())
    assert place is not None
    position = place.position
    for width in (690, 620, 500, 560, 755, 765, 940, 1003, 1180, 1500, 1010, 700):
        widen(desk.overlay, width, 500)
        cursor.setPosition(position)
        line = answer.cursorRect(cursor)
        top = answer.viewport().mapTo(view.viewport(), line.topLeft()).y()
        # The line that holds the word is the first that is seen.
        assert abs(top) <= line.height(), width
    assert top_words(desk) == (question, words)
    desk.bot.waitUntil(lambda: not view._stack.stale)
    assert top_words(desk) == (question, words)
    heights = [e.height() - e.heightForWidth(e.width()) for e in view.exchanges]
    assert not any(heights)


def test_only_what_is_seen_is_laid_out_while_the_width_changes(desk: Desk) -> None:
    widen(desk.overlay, 700, 500)
    many(desk, 60)
    desk.bot.waitUntil(lambda: not desk.conversation._stack.stale)
    measured: list[QWidget] = []
    stack = desk.conversation._stack
    lay_out = stack.lay_out
    stack.lay_out = lambda e: (measured.append(e), lay_out(e))[1]  # type: ignore[method-assign]
    desk.conversation.resize(500, 400)
    desk.conversation.viewport().repaint()
    assert 0 < len(set(measured)) < 8
    assert len(stack.stale) > 50
    # Whoever scrolls to one sees it as it is.
    desk.conversation.verticalScrollBar().setValue(0)
    seen = [e for e in desk.conversation.exchanges if e.y() < 400]
    assert not set(seen) & set(stack.stale)


def test_the_end_of_the_conversation_stays_in_sight(desk: Desk) -> None:
    widen(desk.overlay, 700, 500)
    many(desk, 12)
    bar = desk.conversation.verticalScrollBar()
    bar.setValue(bar.maximum())
    for width in (500, 1180, 800):
        widen(desk.overlay, width, 500)
        assert bar.value() == bar.maximum()


def hover(part: QWidget, *, leaves: bool = False) -> None:
    at = QPointF(part.rect().center())
    event = QEvent(QEvent.Type.Leave) if leaves else QEnterEvent(at, at, part.mapToGlobal(at))
    QApplication.sendEvent(part, event)


def test_a_number_and_its_source_light_each_other(desk: Desk) -> None:
    exchange = desk.ask(QUESTION, *WHOLE)
    widen(desk.overlay, 1180)
    desk.settle()
    panel, answer = desk.overlay.columns.sources, exchange.answer
    desk.bot.waitUntil(lambda: len(panel.entries) == 4)
    assert panel.counts.text() == "3 read, 4 cited"
    assert [entry.number for entry in panel.entries] == [1, 2, 3, 4]
    quote = "“the Trust meeting two thirds of the eleven thousand pounds”"
    assert panel.entries[1].words == quote
    # The strip, which says the same, gives way; so do the cards of the numbers.
    assert exchange.part(type(exchange._sources())) is None
    answer.setFocus()
    answer._go_to(1)
    assert [entry.is_lit for entry in panel.entries] == [False, True, False, False]
    assert answer.popup is None
    answer._go_to(3)
    assert [entry.is_lit for entry in panel.entries] == [False, False, True, False]
    desk.field.setFocus()
    assert not any(entry.is_lit for entry in panel.entries)
    # From the other side: by the pointer, and by the keys.
    hover(panel.entries[1])
    assert answer._lit_source == 2
    hover(panel.entries[1], leaves=True)
    assert answer._lit_source == 0
    panel.entries[3].open_button.setFocus()
    assert answer._lit_source == 4
    desk.press(Key.Key_Return)
    assert desk.opened.count() == 1
    widen(desk.overlay, 720)
    desk.settle()
    assert exchange.part(type(exchange._sources())) is not None
    assert answer._lit_source == 0 or not panel.isVisible()


def test_sources_come_one_in_each_turn_of_the_event_loop(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel, more = desk.overlay.columns.sources, list[int]()
    have = panel._have

    def note(count: int) -> None:
        more.append(count - len(panel.entries))
        have(count)

    monkeypatch.setattr(panel, "_have", note)
    desk.ask(QUESTION, *WHOLE)
    widen(desk.overlay, 900)
    desk.bot.waitUntil(lambda: len(panel.entries) == 4)
    assert max(more) == 1
    assert [entry.number for entry in panel.entries] == [1, 2, 3, 4]


def test_the_panel_and_the_mark_follow_what_is_read(desk: Desk) -> None:
    widen(desk.overlay, 1180, 500)
    many(desk, 8)
    columns, view = desk.overlay.columns, desk.conversation
    rows = columns.questions.rows.shown
    assert [row.title for row in rows] == [v.asked.text for v in desk.session.views]
    assert columns.questions.list.row == 7
    view.verticalScrollBar().setValue(view.exchanges[3].y())
    assert columns.questions.list.row == 3
    assert columns.sources._view is view.exchanges[3].view
    # A click goes there, and so do the arrow keys of the list and Alt with them.
    columns.questions.list.setFocus()
    desk.press(Key.Key_Down)
    assert view.read_exchange is view.exchanges[4]
    desk.field.setFocus()
    QTest.keyClick(desk.field, Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert columns.questions.list.row == 3
    QTest.mouseClick(
        columns.questions.list.viewport(),
        Qt.MouseButton.LeftButton,
        pos=columns.questions.list.visualRect(columns.questions.rows.index(1)).center(),
    )
    assert view.read_exchange is view.exchanges[1]
    half = columns.questions.height() // 2
    assert columns.questions.list.geometry().bottom() <= half + desk.overlay.look.px(46)


def test_what_waits_is_listed_as_next_and_not_read(desk: Desk) -> None:
    widen(desk.overlay, 1180)
    desk.ask(QUESTION, *WHOLE[:3])
    desk.ask("And then?")
    questions = desk.overlay.columns.questions
    assert [row.spoken for row in questions.rows.shown] == [QUESTION, "And then?, next"]
    assert questions.list.row == 0
    desk.tell(*WHOLE[3:])
    desk.bot.waitUntil(lambda: questions.rows.shown[1].spoken == "And then?")


def test_keys_fold_and_unfold_columns(desk: Desk) -> None:
    columns = desk.overlay.columns
    wanted: list[object] = []
    desk.bar.tools.history_requested.connect(lambda: wanted.append(True))
    widen(desk.overlay, 1180)
    desk.keys("Ctrl+H")
    assert not columns.questions.isVisible()
    assert desk.bar.tools.new_button.parent() is columns.head
    desk.keys("Ctrl+H")
    assert columns.questions.isVisible()
    assert not wanted
    desk.overlay.toggle_sources()
    assert not columns.sources.isVisible()
    columns.head.side_button.click()
    assert columns.sources.isVisible()
    widen(desk.overlay, 800)
    desk.keys("Ctrl+H")
    assert wanted == [True]
    widen(desk.overlay, 720)
    desk.overlay.toggle_sources()
    QApplication.processEvents()
    assert columns.is_wide
    assert columns.sources.isVisible()


def test_a_window_that_was_narrow_for_a_while_is_as_it_was(desk: Desk) -> None:
    # As public reports of chat programs have it: element-web#23087, owncast#3615, dify#2691.
    widen(desk.overlay, 1180)
    desk.keys("Ctrl+H")
    desk.settle()
    field = _on(desk.overlay, desk.field)
    desk.type("A draft")
    for width in (480, 1180):
        widen(desk.overlay, width)
    assert not desk.overlay.columns.questions.isVisible()
    assert desk.field.text == "A draft"
    assert desk.field.hasFocus()
    desk.settle()
    assert _on(desk.overlay, desk.field).width() == field.width()


def test_the_keyboard_goes_through_all_columns_in_the_order_of_reading(desk: Desk) -> None:
    desk.ask(QUESTION, *WHOLE)
    desk.overlay.set_title("The lighthouse that walked")
    widen(desk.overlay, 1180)
    desk.settle()
    columns = desk.overlay.columns
    parts = (columns.questions, columns.head, desk.conversation, desk.bar, columns.sources)
    order = [next(p for p in parts if p.isAncestorOf(s)) for s in reading_order(desk.overlay)]
    assert list(dict.fromkeys(order)) == list(parts)
    # A screen reader gets them in the same order.
    children = [c for c in columns.children() if c in parts]
    assert children == list(parts)
    desk.field.setFocus()
    desk.press(Key.Key_F6)
    assert columns.sources.isAncestorOf(desk.focus)
    desk.press(Key.Key_F6)
    assert columns.questions.isAncestorOf(desk.focus)
    desk.press(Key.Key_F6)
    assert desk.field.hasFocus()
    assert not complaints(desk.overlay)
    assert name(columns.sources._list) == "Sources of this answer"
    assert name(columns.questions.list) == "In this conversation"
    second = columns.sources.entries[1]
    assert name(second) == "Source 2: Minutes of the Trust, harbour-archive.example"


def double_click(overlay: Overlay, at: QPoint) -> None:
    event = QMouseEvent(
        QEvent.Type.MouseButtonDblClick,
        QPointF(at),
        QPointF(overlay.mapToGlobal(at)),
        Qt.MouseButton.LeftButton,
        Qt.MouseButton.LeftButton,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(overlay, event)
    QApplication.processEvents()


def test_a_double_click_beside_the_title_makes_it_wide_as_last_time_and_narrow(
    desk: Desk,
) -> None:
    overlay, tools = desk.overlay, desk.bar.tools
    middle = _on(overlay, tools.middle)
    double_click(overlay, middle.center())
    assert overlay.paper.width() == 1180
    widen(overlay, 1033)
    head = _on(overlay, overlay.columns.head)
    double_click(overlay, head.center())
    assert overlay.paper.width() == 720
    double_click(overlay, _on(overlay, tools.middle).center())
    assert overlay.paper.width() == 1033
    # However long a title is, there is room beside it.
    overlay.set_title("A title that is as long as a question may be " * 9)
    for row in (overlay.columns.head, tools):
        title = _on(overlay, tools.title_button)
        double_click(overlay, QPoint(title.right() - 4, title.center().y()))
        assert (overlay.paper.width() == 720) is (row is overlay.columns.head)
    # What is pressed with one click is not pressed by two.
    double_click(overlay, _on(overlay, tools.settings_button).center())
    assert overlay.paper.width() == 1033


def test_columns_that_are_folded_stay_so_through_a_restart(
    desk: Desk, qtbot: QtBot, tmp_path: Path
) -> None:
    file = tmp_path / "places.json"
    desk.overlay.store_places_in(file)
    widen(desk.overlay, 1180)
    desk.overlay.toggle_sources()
    assert desk.overlay.columns.fold_questions()
    later = Desk(qtbot)
    later.overlay.store_places_in(file)
    widen(later.overlay, 1180)
    columns = later.overlay.columns
    assert not columns.sources.isVisible()
    assert not columns.questions.isVisible()
    later.overlay.toggle_sources()
    assert columns.sources.isVisible()
    desk.overlay.store_places_in(file)
    assert desk.overlay.columns.sources.isVisible()


def test_unpinning_a_wide_window_makes_it_narrow(desk: Desk) -> None:
    widen(desk.overlay, 1180)
    assert name(desk.bar.tools.pin_button) == "Unpin"
    desk.bar.tools.pin_button.click()
    QApplication.processEvents()
    assert desk.overlay.paper.width() == 720
    assert name(desk.bar.tools.pin_button) == "Pin"


@pytest.fixture
def header(room: Room, tmp_path: Path) -> ConversationHeader:
    drafts = StoredDrafts(DraftFile(tmp_path / "drafts.json"), room.session, room.overlay)
    stored = StoredConversations(room.bridge, room.session, room.overlay)
    return ConversationHeader(room.bridge, room.session, room.overlay, stored, drafts)


@pytest.mark.usefixtures("summoned")
def test_past_conversations_stand_below_the_questions(
    room: Room, header: ConversationHeader
) -> None:
    room.answer("Why is it so?", answer_of("Because."))
    room.bot.waitUntil(lambda: room.session.conversation is not None)
    room.session.begin_anew()
    room.answer("And who paid?", answer_of("They did."))
    widen(room.overlay, 1180)
    questions = room.overlay.columns.questions

    def past() -> HistoryList:
        (found,) = questions.findChildren(HistoryList)
        return found

    titles: Callable[[], list[str]] = lambda: [r.title for r in past().rows.shown if r.number]  # noqa: E731
    room.bot.waitUntil(lambda: titles() == ["And who paid?", "Why is it so?"])
    assert past().rows.shown[past().row].title == "And who paid?"
    assert past().geometry().top() > questions.list.geometry().bottom()
    # By the keys: there, open, back again, deleted and brought back.
    past().setFocus()
    QTest.keyClick(past(), Key.Key_Down)
    QTest.keyClick(past(), Key.Key_Return)
    room.bot.waitUntil(lambda: room.session.title == "Why is it so?")
    past().setFocus()
    past().setCurrentIndex(past().rows.index(1))
    QTest.keyClick(past(), Key.Key_Delete)
    assert past().rows.shown[1].is_deleted
    QTest.mouseClick(
        past().viewport(),
        Qt.MouseButton.LeftButton,
        pos=past().visualRect(past().rows.index(1)).center(),
    )
    assert not past().rows.shown[1].is_deleted
    assert not header.deletions.pending
    QTest.keyClick(room.field, Key.Key_N, CTRL)
    room.answer("A third one?", answer_of("Yes."))
    room.bot.waitUntil(lambda: titles()[:1] == ["A third one?"])


def test_a_view_without_an_exchange_shows_no_sources(desk: Desk) -> None:
    widen(desk.overlay, 1180)
    panel = desk.overlay.columns.sources
    assert panel.title.text() == panel.counts.text() == ""
    desk.ask(QUESTION, *WHOLE)
    view: ExchangeView | None = desk.newest.view
    assert panel._view is view
    desk.session.begin_anew()
    assert not panel.entries
