"""What sources disagree in: a table below the answer, whose numbers are used as those of the text are."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from askance.domain.events import Answered, CitationsChecked, RunEvent, SourcesReady
from askance.domain.evidence import Citation, Disagreement, Position, Source, Support
from askance.domain.history import from_record, to_record
from askance.ui.design.focus import install_roles
from askance.ui.design.placement import FramePlacement
from askance.ui.design.theme import DARK, LIGHT, Look
from askance.ui.overlay.answer.answer_view import AnswerView
from askance.ui.overlay.answer.copying import CopyKind, copy_of
from askance.ui.overlay.conversation.disagreements import DisagreementsView, DisagreementTable
from askance.ui.overlay.conversation.exchange_view import ExchangeWidget
from ui.accessible import complaints, interface, name
from ui.keyboard import EXCHANGE, NUMBERS, Desk, Key, label
from ui.test_columns import widen
from ui.widgets.lighthouse import QUESTION, SOURCES, TIMES, WHOLE, view_of

STILL = Look(LIGHT, moves=False)
WHO_1 = "Who says so: larkmoor-times.example, harbour-archive.example ·\u00a0used"
WHO_2 = "Who says so: ferry-gazette.example"
MOVED = Disagreement(
    "when it moved",
    (
        Position("1931", (1, 2), "1981-05-12", 2, is_used=True),
        Position("the winter of 1938", (4,), "", 1),
    ),
)


def disputed(*disagreements: Disagreement) -> tuple[tuple[float, RunEvent], ...]:
    at_s, end = WHOLE[-1]
    assert isinstance(end, Answered)
    return (*WHOLE[:-1], (at_s, replace(end, disagreements=disagreements or (MOVED,))))


def named_in(table: DisagreementTable) -> list[AnswerView]:
    """The cells that name sources, with their numbers."""
    return table.findChildren(AnswerView)


def table_of(exchange: ExchangeWidget) -> DisagreementTable:
    found = exchange.part(DisagreementsView)
    assert found is not None
    (table,) = found.tables
    return table


def test_a_copy_has_the_table_in_the_words_of_the_window() -> None:
    view = view_of(disputed())
    assert view.disagreements == (MOVED,)
    text, page = copy_of(CopyKind.WITH_SOURCES, view.copied, view.pieces)
    assert "**Sources disagree about when it moved**" in text
    assert "| Value | Who says so | Date | Independent sources |" in text
    assert (
        "| 1931 | [1][2] larkmoor-times.example, harbour-archive.example · used | 1981-05-12 | 2 |"
        in text
    )
    assert text.index("| 1931 |") < text.index("\nSources\n")
    assert "<td>the winter of 1938</td>" in page
    bare, _ = copy_of(CopyKind.WORDS, view.copied, view.pieces)
    assert "Independent" not in bare


def test_sources_of_the_table_have_numbers_behind_those_that_the_text_cites() -> None:
    sources = tuple(
        Source(n, f"https://s{n}.example/", f"S{n}", f"s{n}.example", None, snippet_only=False)
        for n in (3, 5, 7, 9)
    )
    text = "It moved in 1931. [7]"
    citations = (Citation(7, "It moved in 1931.", 0, 17, Support.SUPPORTED, "moved in 1931"),)
    end = replace(
        disputed()[-1][1],
        answer=text,
        sources=sources,
        citations=citations,
        disagreements=(
            Disagreement("the year", (Position("1931", (7,)), Position("1938", (5, 9)))),
        ),
    )
    assert isinstance(end, Answered)
    view = view_of(
        (
            (1.0, SourcesReady(sources)),
            (2.0, CitationsChecked(text, citations, 0, 0)),
            (3.0, end),
        )
    )
    assert view.text == "It moved in 1931. [1]"
    named = [position.sources for position in view.disagreements[0].positions]
    assert named == [(1,), (2, 3)]
    # Those that only the table names have their number in the strip, too.
    assert [(line.name, line.n) for line in view.source_line] == [
        ("s7.example", 1), ("s5.example", 2), ("s9.example", 3), ("s3.example", 0),
    ]  # fmt: skip


def test_screen_readers_meet_a_table_with_headers(desk: Desk) -> None:
    install_roles()
    role = QAccessible.Role
    table = table_of(desk.ask(QUESTION, *disputed()))
    assert interface(table).role() is role.Table
    assert name(table) == "Sources disagree about when it moved"
    cells = [
        (interface(w).role(), name(w))
        for w in table.children()
        if isinstance(w, QWidget)
        and w.isVisible()
        and interface(w).role() in (role.ColumnHeader, role.Cell)
    ]
    heads = ["Value", "Who says so", "Date", "Independent sources"]
    assert [n for r, n in cells if r is role.ColumnHeader] == heads
    assert [n for r, n in cells if r is role.Cell] == [
        *("Value: 1931", WHO_1, "Date: 12 May 1981", "Independent sources: 2"),
        *("Value: the winter of 1938", WHO_2, "Date: ", "Independent sources: 1"),
    ]
    assert complaints(desk.overlay) == []


def test_tab_goes_from_the_text_through_the_table_to_the_actions(desk: Desk) -> None:
    desk.ask(QUESTION, *disputed())
    desk.field.setFocus()
    walked = desk.walk()
    at = walked.index(NUMBERS[-1])
    table = [f"{WHO_1} [1]#0", f"{WHO_1} [2]#1", f"{WHO_2} [4]#0"]
    assert walked[at + 1 : at + 4] == table
    assert walked[at + 4] == EXCHANGE[EXCHANGE.index(NUMBERS[-1]) + 1] == "Copy"


def test_keys_that_go_from_number_to_number_go_on_through_the_table(desk: Desk) -> None:
    desk.ask(QUESTION, *disputed())
    desk.keys("Alt+Right")
    assert label(desk.focus) == NUMBERS[0]
    for _ in range(5):
        desk.keys("Alt+Right")
    assert label(desk.focus) == f"{WHO_1} [1]#0"
    desk.keys("Alt+Left")
    assert label(desk.focus) == NUMBERS[-1]
    desk.field.setFocus()
    desk.keys("Alt+Left")
    assert label(desk.focus) == f"{WHO_2} [4]#0"


def test_a_number_shows_the_quote_of_its_value_and_opens_its_page(desk: Desk) -> None:
    end = disputed()[-1][1]
    assert isinstance(end, Answered)
    quoted = replace(end.citations[0], quote="It was moved in 1931, on rails.")
    end = replace(end, citations=(quoted, *end.citations[1:]))
    exchange = desk.ask(QUESTION, *WHOLE[:-1], (14.0, end))
    first, second = named_in(table_of(exchange))
    first.go_to_number(1)
    assert first.popup is not None
    assert "moved in 1931, on rails" in first.popup.accessibleName()
    # What the text cites of the Trust says nothing of the year: no quote stands for it.
    first.go_to_number(1)
    assert "Minutes of the Trust" in first.popup.accessibleName()
    assert "two thirds" not in first.popup.accessibleName()
    second.go_to_number(1)
    assert first.popup is None
    desk.press(Key.Key_Return)
    assert desk.opened.at(0) == [SOURCES[3].url]
    first.go_to_number(1)
    desk.press(Key.Key_Return)
    assert str(desk.opened.at(1)[0]).startswith(TIMES)


@pytest.fixture
def large_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    """The screen of the other tests has room for two columns at most."""
    monkeypatch.setattr(FramePlacement, "_area", property(lambda _: QRect(0, 0, 1920, 1080)))


@pytest.mark.usefixtures("large_screen")
def test_numbers_of_the_table_and_sources_beside_it_light_each_other(desk: Desk) -> None:
    exchange = desk.ask(QUESTION, *disputed())
    widen(desk.overlay, 1180)
    desk.settle()
    panel, (_, second) = desk.overlay.columns.sources, named_in(table_of(exchange))
    second.go_to_number(1)
    assert second.popup is None
    assert [entry.is_lit for entry in panel.entries] == [False, False, False, True]
    desk.field.setFocus()
    panel.entries[3].open_button.setFocus()
    assert second._lit_source == 4


@pytest.mark.usefixtures("large_screen")
@pytest.mark.parametrize(
    "look", [STILL, Look(DARK, 1.5, moves=False), Look(LIGHT, 2.0, moves=False)]
)
@pytest.mark.parametrize("width", [480, 720, 900, 1180, 1700])
def test_all_of_the_table_is_seen_at_every_width_and_size_of_text(
    qtbot: QtBot, look: Look, width: int
) -> None:
    desk = Desk(qtbot, look)
    long = replace(
        MOVED, positions=(*MOVED.positions, replace(MOVED.positions[0], value="a long value " * 6))
    )
    table = table_of(desk.ask(QUESTION, *disputed(long)))
    widen(desk.overlay, width)
    desk.settle()
    # What is resized asks for its place again, in the next turns of the event loop.
    QApplication.processEvents()
    desk.settle()
    shown = [w for w in table.children() if isinstance(w, QWidget) and not w.isHidden()]
    assert all(table.rect().contains(w.geometry()) for w in shown)
    cells = [w for w in shown if w.height() > 1]
    crossing = [
        (label(a), label(b))
        for i, a in enumerate(cells)
        for b in cells[i + 1 :]
        if a.geometry().intersects(b.geometry())
    ]
    assert crossing == []
    for cell in cells:
        if cell.hasHeightForWidth():
            assert cell.height() >= cell.heightForWidth(cell.width()), label(cell)
    assert all(who.document().textWidth() == who.width() for who in named_in(table))
    top = table.mapTo(desk.overlay, QPoint(0, 0))
    left = desk.newest.answer.mapTo(desk.overlay, QPoint(0, 0)).x()
    assert top.x() == left
    dates = [w for w in cells if label(w).startswith("Date: 12")]
    value = next(w for w in cells if label(w) == "Value: 1931")
    is_narrow = table.width() < look.px(512)
    assert (dates[0].y() > value.y()) is is_narrow
    assert ("Date" in [label(w) for w in cells]) is not is_narrow


def test_a_conversation_from_the_history_has_its_table() -> None:
    stored = [to_record(event, at_s) for at_s, event in disputed()]
    again = view_of([(record["at_s"], from_record(record)) for record in stored])
    assert again.disagreements == (MOVED,)
    assert again == view_of(disputed())
