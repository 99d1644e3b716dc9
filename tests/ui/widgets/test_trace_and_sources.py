"""What a run did, and what its answer stands on, as a person sees, hears and opens it."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from askance.presentation.progress import Status
from askance.presentation.steps import Cell, Tone, TraceRow
from askance.ui.design.labels import MarkupLabel, RichLabel
from askance.ui.design.theme import (
    CODE_FAMILY,
    LIGHT,
    SMALL_LINE,
    SPACE_XL,
    WINDOW_WIDTH,
    Look,
    apply_look,
    load_fonts,
)
from askance.ui.overlay.conversation.exchange import Failure, OriginTag
from askance.ui.overlay.conversation.exchange_notes import FailureView, NotesView
from askance.ui.overlay.conversation.exchange_view import ClarifyForm
from askance.ui.overlay.conversation.run_details import TracePanel, TraceView
from askance.ui.overlay.conversation.sources_strip import SourceStrip
from ui.widgets.lighthouse import WHOLE, has_colour, picture_of, tiles_of, view_of

LOOK = Look(LIGHT, moves=False)
ROWS = (
    TraceRow("Plan", ((Cell("“larkmoor”"),),), "1.1 s"),
    TraceRow(
        "Read",
        (
            (Cell("1,204 words", Tone.GOOD), Cell("a.example", Tone.QUIET, "https://a.example/")),
            (Cell("empty", Tone.AMBER), Cell("b.example")),
        ),
        "1.8 s",
        1,
        is_tabular=True,
    ),
)


@pytest.fixture(autouse=True)
def dressed(qapp: QApplication) -> None:
    load_fonts()
    apply_look(qapp, LOOK)


W = TypeVar("W", bound=QWidget)


def shown(qtbot: QtBot, widget: W) -> W:
    qtbot.addWidget(widget)
    widget.resize(600, 300)
    widget.show()
    widget.activateWindow()
    qtbot.waitUntil(widget.isActiveWindow)
    return widget


def settle() -> None:
    """Let what was put into a layout be shown and have its place."""
    QApplication.processEvents()
    QApplication.processEvents()


def spoken(panel: TracePanel) -> tuple[str, ...]:
    """Return the steps as a screen reader says them."""
    labels = (row.findChildren(RichLabel) for row in panel._views)
    return tuple(", ".join(filter(None, (one.accessibleName() for one in row))) for row in labels)


def test_the_line_unfolds_into_the_steps(qtbot: QtBot) -> None:
    view = shown(qtbot, TraceView(LOOK))
    view.show_trace(Status("Searched once, read 1 page"), ROWS)
    assert view.panel is None
    assert view.disclosure.accessibleName() == "Searched once, read 1 page"
    qtbot.mouseClick(view.disclosure, Qt.MouseButton.LeftButton)
    assert view.panel is not None
    assert spoken(view.panel) == (
        "Plan, “larkmoor”, 1.1 s",
        "Read, 1,204 words, a.example; empty, b.example, 1.8 s",
    )


def test_a_run_without_steps_has_nothing_to_unfold(qtbot: QtBot) -> None:
    view = shown(qtbot, TraceView(LOOK))
    view.show_trace(Status("Writing"), ())
    qtbot.mouseClick(view.disclosure, Qt.MouseButton.LeftButton)
    assert view.panel is None


def test_steps_that_come_while_it_is_open_are_shown_and_others_go(qtbot: QtBot) -> None:
    view = shown(qtbot, TraceView(LOOK))
    view.show_trace(Status("Searching"), ROWS[:1])
    view.disclosure.click()
    settle()
    view.show_trace(Status("Reading"), ROWS)
    assert view.panel is not None
    assert len(spoken(view.panel)) == 2
    view.show_trace(Status("Reading"), ROWS[1:])
    assert spoken(view.panel) == ("Read, 1,204 words, a.example; empty, b.example, 1.8 s",)


def test_what_pages_call_themselves_is_never_markup(qtbot: QtBot) -> None:
    hostile = '<img src="https://tracker.example/p.png"><b>x</b>&amp;'
    view = shown(qtbot, TraceView(LOOK))
    view.show_trace(Status(hostile), (TraceRow("Read", ((Cell(hostile),),)),))
    view.disclosure.click()
    settle()
    assert view.panel is not None
    assert spoken(view.panel) == (f"Read, {hostile}",)
    labels = [label.text() for label in view.panel.findChildren(QLabel)]
    assert any("&lt;img" in text for text in labels)
    assert not any("<img" in text or "<b>" in text for text in labels)


def test_an_address_in_the_trace_opens_only_on_the_web(qtbot: QtBot) -> None:
    view = shown(qtbot, TraceView(LOOK))
    rows = (
        TraceRow("Read", ((Cell("a", url="https://a.example/x"), Cell("b", url="file:///etc")),)),
    )
    view.show_trace(Status("Read"), rows)
    view.disclosure.click()
    settle()
    opened = QSignalSpy(view.link_activated)
    assert view.panel is not None
    labels = view.panel.findChildren(QLabel)
    body = next(label for label in labels if label.accessibleName() == "a, b")
    assert "file:" not in body.text()
    body.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.keyClick(body, Qt.Key.Key_Return)
    assert opened.count() == 1
    assert opened.at(0) == ["https://a.example/x"]


def test_tags_say_where_an_answer_comes_from_and_are_no_warning(qtbot: QtBot) -> None:
    view = shown(qtbot, TraceView(LOOK))
    view.show_trace(Status(""), (), "3 s")
    view.show_tags((OriginTag("From memory, not checked"),), offers_web=True)
    settle()
    wanted = QSignalSpy(view.web_requested)
    view.web.click()
    assert wanted.count() == 1
    picture = picture_of(view)
    assert not has_colour(picture, LIGHT.amber)
    assert not has_colour(picture, LIGHT.amber_soft)
    view.show_tags((OriginTag("From your library", is_own=True),))
    settle()
    assert [tag.accessibleName() for tag in view.tags] == ["From your library"]
    assert has_colour(picture_of(view.tags[0]), LIGHT.accent)
    assert not view.web.isVisible()


def test_tags_that_have_no_room_beside_one_another_are_still_read_whole(qtbot: QtBot) -> None:
    view = shown(qtbot, TraceView(LOOK))
    view.show_trace(Status("Answered"), (), "3 s")
    tags = (OriginTag("From memory, not checked"), OriginTag("From your library", is_own=True))
    view.show_tags(tags, offers_web=True)
    for width, is_one_row in ((700, True), (320, False)):
        view.resize(width, 300)
        settle()
        parts = (*view.tags, view.web)
        assert all(part.width() >= part.sizeHint().width() for part in parts)
        assert (len({part.geometry().center().y() for part in parts}) == 1) is is_one_row


def test_fewer_sources_leave_no_tile_and_no_row_behind(qtbot: QtBot) -> None:
    view = shown(qtbot, SourceStrip(LOOK))
    line = view_of(WHOLE).source_line
    view.show_sources(line)
    view.more.click()
    settle()
    high = view.sizeHint().height()
    view.show_sources(line[:1])
    settle()
    assert (len(tiles_of(view)), len(view._rows)) == (1, 1)
    assert view.sizeHint().height() < high
    view.more.click()


def test_a_strip_without_room_says_how_many_more_there_are(qtbot: QtBot) -> None:
    view = shown(qtbot, SourceStrip(LOOK))
    view.resize(300, 40)
    view.show_sources(view_of(WHOLE).source_line)
    settle()
    seen, whole = len(tiles_of(view)), len(view_of(WHOLE).source_line)
    assert 0 < seen < whole
    assert view.more.text() == f"+{whole - seen}"
    assert view.more.accessibleName() == f"{whole - seen} more sources"
    opened = QSignalSpy(view.link_activated)
    tiles_of(view)[0].click()
    assert opened.count() == 1


def test_the_title_of_a_page_keeps_its_backticks_in_the_tip_of_its_tile(qtbot: QtBot) -> None:
    view = shown(qtbot, SourceStrip(LOOK))
    line = view_of(WHOLE).source_line
    view.show_sources((replace(line[0], title="Why `git rebase`?"), *line[1:]))
    tip = tiles_of(view)[0].accessibleDescription()
    assert tip.startswith("Why `git rebase`?\nhttps://")
    assert "`git rebase`" in tiles_of(view)[0].toolTip()


def test_notes_are_amber_and_escaped(qtbot: QtBot) -> None:
    view = shown(qtbot, NotesView(LOOK))
    view.show_notes(["Two rounds were not enough.", "<b>Beware</b>"])
    assert has_colour(picture_of(view), LIGHT.amber_soft)
    words = view.findChildren(QLabel)[0]
    assert words.accessibleName() == "Note: Two rounds were not enough.\nNote: <b>Beware</b>"
    assert "<b>" not in words.text()


def test_a_note_shows_the_commands_that_it_names_as_code(qtbot: QtBot) -> None:
    view = shown(qtbot, NotesView(LOOK))
    view.show_notes(["`askance up` starts it."])
    words = view.findChildren(QLabel)[0]
    assert words.accessibleName() == "Note: askance up starts it."
    assert "`" not in words.text()
    assert CODE_FAMILY in words.text()


def test_a_failure_that_no_click_can_mend_has_none(qtbot: QtBot) -> None:
    view = shown(qtbot, FailureView(LOOK))
    view.show_failure(Failure("There is no question.", "Type a question."))
    assert not view.button.isVisible()


def test_a_question_is_answered_in_place_and_only_once(qtbot: QtBot) -> None:
    view = shown(qtbot, ClarifyForm(LOOK))
    view.show_question("Which lighthouse?")
    replies = QSignalSpy(view.replied)
    assert view.field.accessibleName() == "Which lighthouse?"
    qtbot.keyClick(view.field, Qt.Key.Key_Return)
    assert not view.button.isEnabled()
    qtbot.keyClicks(view.field, "  the one at Larkmoor ")
    qtbot.mouseClick(view.button, Qt.MouseButton.LeftButton, pos=QPoint(5, 5))
    qtbot.keyClick(view.field, Qt.Key.Key_Return)
    assert replies.count() == 1
    assert replies.at(0) == ["the one at Larkmoor"]


def test_a_step_is_laid_out_at_one_width_whatever_stands_in_the_others(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: set[tuple[str, int]] = set()
    lay_out = MarkupLabel.heightForWidth

    def counted(label: MarkupLabel, width: int) -> int:
        if label.wordWrap() and label.accessibleName():
            asked.add((label.accessibleName(), width))
        return lay_out(label, width)

    monkeypatch.setattr(MarkupLabel, "heightForWidth", counted)
    steps = tuple(TraceRow(f"Step {n}", ((Cell(f"{n} {'![[(' * 60}"),),)) for n in range(3))
    view = TraceView(LOOK)
    qtbot.addWidget(view)
    view.resize(LOOK.px(WINDOW_WIDTH - 2 * SPACE_XL), LOOK.px(600))
    view.show_trace(Status("Done"), steps)
    view.show()
    qtbot.waitExposed(view)
    view.disclosure.click()
    qtbot.waitUntil(lambda: view.panel is not None and view.panel.is_settled)
    qtbot.waitUntil(lambda: len(asked) >= len(steps))
    assert len(asked) == len(steps)


def test_a_step_that_changes_is_laid_out_anew(qtbot: QtBot) -> None:
    view = TraceView(LOOK)
    qtbot.addWidget(view)
    view.resize(500, 600)
    view.show_trace(Status("Done"), (TraceRow("Read", ((Cell("one line"),),)),))
    view.show()
    view.disclosure.click()
    before = view.heightForWidth(500)
    view.show_trace(Status("Done"), (TraceRow("Read", ((Cell("lighthouse " * 60),),)),))
    qtbot.waitUntil(lambda: view.heightForWidth(500) > before + 3 * LOOK.px(SMALL_LINE))


def test_cells_are_columns_where_there_is_room_and_else_follow_one_another(qtbot: QtBot) -> None:
    cells = (Cell("306 words"), Cell("light.hesperay.example"), Cell("this program"))
    view = TraceView(LOOK)
    qtbot.addWidget(view)
    view.resize(LOOK.px(432), LOOK.px(600))
    view.show_trace(Status("Done"), (TraceRow("Read", (cells, cells), is_tabular=True),))
    view.show()
    view.disclosure.click()
    panel = view.panel
    assert panel is not None
    body = panel.label_of(0)
    assert body is not None
    qtbot.waitUntil(lambda: "<table" not in body.text())
    qtbot.waitUntil(lambda: body.height() >= body.heightForWidth(body.width()))
    view.resize(LOOK.px(WINDOW_WIDTH - 2 * SPACE_XL), LOOK.px(600))
    qtbot.waitUntil(lambda: "<table" in body.text())
