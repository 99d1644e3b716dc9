"""What a run did, and what its answer stands on, as a person sees, hears and opens it."""

from __future__ import annotations

from typing import TypeVar

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from askance.presentation.progress import Status
from askance.presentation.steps import Cell, Tone, TraceRow
from askance.ui.design.labels import MarkupLabel
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
from askance.ui.overlay.conversation.exchange import Failure
from askance.ui.overlay.conversation.exchange_view import ClarifyForm, FailureView, NotesView
from askance.ui.overlay.conversation.run_details import SourcesView, TraceView
from ui.widgets.lighthouse import WHOLE, has_colour, picture_of, view_of

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


def test_the_line_unfolds_into_the_steps(qtbot: QtBot) -> None:
    view = shown(qtbot, TraceView(LOOK))
    view.show_trace(Status("Searched once, read 1 page"), ROWS)
    assert view.panel is None
    assert view.disclosure.accessibleName() == "Searched once, read 1 page"
    qtbot.mouseClick(view.disclosure, Qt.MouseButton.LeftButton)
    assert view.panel is not None
    assert view.panel.spoken == (
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
    assert len(view.panel.spoken) == 2
    view.show_trace(Status("Reading"), ROWS[1:])
    assert view.panel.spoken == ("Read, 1,204 words, a.example; empty, b.example, 1.8 s",)


def test_what_pages_call_themselves_is_never_markup(qtbot: QtBot) -> None:
    hostile = '<img src="https://tracker.example/p.png"><b>x</b>&amp;'
    view = shown(qtbot, TraceView(LOOK))
    view.show_trace(Status(hostile), (TraceRow("Read", ((Cell(hostile),),)),))
    view.disclosure.click()
    settle()
    assert view.panel is not None
    assert view.panel.spoken == (f"Read, {hostile}",)
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


def test_only_a_page_that_was_not_read_has_the_amber_pill(qtbot: QtBot) -> None:
    view = shown(qtbot, SourcesView(LOOK))
    view.show_sources(view_of(WHOLE).sources)
    settle()
    amber = [has_colour(picture_of(button), LIGHT.amber_soft) for button in view.buttons]
    assert amber == [False, False, False, True]


def test_fewer_sources_leave_no_row_behind(qtbot: QtBot) -> None:
    view = shown(qtbot, SourcesView(LOOK))
    rows = view_of(WHOLE).sources
    view.show_sources(rows)
    settle()
    high = view.sizeHint().height()
    view.show_sources(rows[:1])
    settle()
    assert len(view.buttons) == 1
    assert view.sizeHint().height() < high


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
