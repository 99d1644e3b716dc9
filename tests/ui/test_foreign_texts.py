"""Whatever a page, a server or a selection calls itself is shown as it is, and opens no file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, Qt
from PySide6.QtGui import QColor, QHelpEvent, QImage, QTextDocumentFragment
from PySide6.QtWidgets import QApplication, QLabel, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from askance.domain.conversation import QuoteOrigin
from askance.domain.events import (
    Answered,
    CitationsChecked,
    ClarifyAsked,
    Failed,
    GapFound,
    PageRead,
    PageRequested,
    Planned,
    RequestSent,
    ResultsFound,
    RunEvent,
    SearchStarted,
    Sending,
    SourcesReady,
    Warned,
    WarningCode,
)
from askance.domain.evidence import Citation, Source, Support
from askance.domain.messages import Message
from askance.domain.phases import Action, Sufficiency
from askance.domain.ports.containers import EngineInfo
from askance.domain.ports.model import ModelInfo
from askance.domain.web_pages import PageReason, PageStatus, UnresponsiveEngine
from askance.presentation.steps import Tone
from askance.ui.design.labels import MOST_CHARACTERS, as_tip
from askance.ui.design.toast import Toast
from askance.ui.overlay.bar.status import StatusIndicator
from askance.ui.overlay.conversation.field import Chip
from askance.ui.overlay.conversation.session import Session
from askance.ui.overlay.deletions import Deletions
from askance.ui.overlay.history_popover import HistoryList, HistoryPopover
from askance.ui.overlay.overlay import Overlay
from askance.ui.settings.first_run import FirstRun
from askance.ui.settings.page_tables import PAGES
from sampled import sampled
from ui.keyboard import LOOK, Desk, Key
from ui.opened_files import OpenedFiles, only_linux, opened_files
from ui.settings.room import Room
from ui.widgets.lighthouse import USAGE

pytestmark = only_linux
SHAPES = (
    '<img src="{file}">',
    '<img\u00a0src="{file}">',
    '<table background="{file}"><tr><td>x',
    "<style>p {{ background-image: url({file}) }}</style><p>x",
    '<a href="{file}"><img src="{file}"></a>',
    '</p></qt><img src="{file}">',
    "![x]({file})",
    '&lt;b&gt;<qt><img src="{file}">',
)


@dataclass
class Trap:
    """A picture that nobody is to open, and texts that name it."""

    opened: OpenedFiles
    texts: list[str]


@pytest.fixture
def trap(tmp_path: Path) -> Iterator[Trap]:
    folder = tmp_path / "trap"
    folder.mkdir()
    picture = QImage(300, 300, QImage.Format.Format_RGB32)
    picture.fill(QColor("red"))
    assert picture.save(str(folder / "x.png"))
    with opened_files(folder) as opened:
        yield Trap(opened, [shape.format(file=(folder / "x.png").as_uri()) for shape in SHAPES])


@pytest.fixture(params=sampled(range(len(SHAPES)), every=3))
def text(request: pytest.FixtureRequest, trap: Trap) -> str:
    return trap.texts[request.param]


def run(text: str) -> tuple[tuple[float, RunEvent], ...]:
    """A run in which all that is foreign is this text."""
    # HTML takes a stroke inside of a tag for a blank, which no address has.
    url = f"https://page.example/{'/'.join(text.split())}"
    answer = f"It moved {text} in 1931. [1]\n\n{text}\n\n> {text}\n\n| a | b |\n|---|---|\n| {text} | [1] |\n"
    source = Source(1, url, text, text, text, True)
    words = "It moved"
    cited = (Citation(1, words, 0, len(words), Support.WEAK, text),)
    return (
        (0.0, SearchStarted((text,), 1)),
        (0.1, RequestSent(Sending.QUERY, text, Message.verbatim(text), text)),
        (
            0.9,
            ResultsFound(
                text,
                20,
                20,
                (UnresponsiveEngine(text, Message.verbatim(text)),),
                Message.verbatim(text),
                900,
            ),
        ),
        (1.1, Planned(Action.PROCEED, Sufficiency.INSUFFICIENT, (text,), False, 1100)),
        (3.1, PageRequested(url, 1)),
        (
            4.0,
            PageRead(
                url, PageStatus.FAILED, PageReason.NETWORK, Message.verbatim(text), text, 0, 400
            ),
        ),
        (5.0, GapFound((text,), 2)),
        (8.0, SourcesReady((source,))),
        (13.0, CitationsChecked(answer, cited, 0, 0)),
        (13.0, Warned(WarningCode.WEAK_SOURCES, Message.verbatim(text))),
        (14.0, Answered(answer, (source,), cited, "web", 2, USAGE, (), 14_000)),  # type: ignore[arg-type]
    )


def tips_of(window: QWidget) -> list[str]:
    """Hold the pointer over everything that has a tooltip; return what is read there."""
    read: list[str] = []
    for widget in [window, *window.findChildren(QWidget)]:
        if not widget.toolTip():
            continue
        at = widget.mapToGlobal(QPoint(1, 1))
        QApplication.sendEvent(widget, QHelpEvent(QEvent.Type.ToolTip, QPoint(1, 1), at))
        read.append(plain(QToolTip.text()))
        QApplication.processEvents()
    return read


def plain(markup: str) -> str:
    return QTextDocumentFragment.fromHtml(markup).toPlainText()


def without_spaces(text: str) -> str:
    return "".join(text.replace("/", " ").split())


def guessing(window: QWidget) -> list[str]:
    """The labels that would guess whether their text is markup; that of tooltips always does."""
    return [
        label.text()
        for label in window.findChildren(QLabel)
        if label.textFormat() == Qt.TextFormat.AutoText
        and label.metaObject().className() != "QTipLabel"
    ]


def draw(window: QWidget) -> None:
    window.grab()
    QApplication.processEvents()


def test_the_trap_closes_where_a_tooltip_is_left_to_guess(trap: Trap, qtbot: QtBot) -> None:
    widget = QWidget()
    qtbot.addWidget(widget)
    widget.show()
    widget.setToolTip(trap.texts[0])
    tips_of(widget)
    assert trap.opened.any


def test_a_whole_conversation_opens_no_file(text: str, trap: Trap, qtbot: QtBot) -> None:
    desk = Desk(qtbot)
    lights = [
        StatusIndicator(text, tone, text, action)
        for tone, action in ((Tone.GOOD, "model"), (Tone.AMBER, ""))
    ]
    desk.overlay.set_lights(lights)
    desk.bar.chips.add(Chip(QuoteOrigin.PASTED, text))
    exchange = desk.ask("/search When?", *run(text))
    exchange.trace.disclosure.click()
    desk.settle()
    draw(desk.overlay)
    tips = tips_of(desk.overlay)
    # The model and what stands in the middle, the quote in the field, and the address of the source.
    assert sum(without_spaces(text) in without_spaces(tip) for tip in tips) >= 3
    assert any("https://page.example/" in tip for tip in tips) or " " in text
    desk.tab_until(lambda widget: exchange.answer.popup is not None)
    popup = exchange.answer.popup
    assert popup is not None
    draw(popup)
    assert guessing(desk.overlay) == []
    assert not trap.opened.any


@pytest.mark.parametrize("end", ["failed", "asks back"])
def test_a_run_that_ends_badly_opens_no_file(text: str, end: str, trap: Trap, qtbot: QtBot) -> None:
    desk = Desk(qtbot)
    last = (
        Failed(Message.verbatim(text), Message.verbatim(text), text, text)
        if end == "failed"
        else ClarifyAsked(text)
    )
    exchange = desk.ask("/search When?", (0.1, last))
    # The words of a failure stand in its steps; above them it is said in the window's own.
    if end == "failed":
        exchange.trace.disclosure.click()
        desk.settle()
    draw(desk.overlay)
    tips_of(desk.overlay)
    shown = [label.text() for label in desk.newest.findChildren(QLabel)]
    assert any(without_spaces(text) in without_spaces(plain(words)) for words in shown)
    assert guessing(desk.overlay) == []
    assert not trap.opened.any


def test_what_is_pasted_as_html_comes_as_text(text: str, trap: Trap, qtbot: QtBot) -> None:
    desk = Desk(qtbot)
    data = QMimeData()
    data.setHtml(text)
    data.setText(text)
    desk.field.insertFromMimeData(data)
    draw(desk.overlay)
    tips_of(desk.overlay)
    assert without_spaces(desk.field.text) == without_spaces(text)
    desk.press(Key.Key_Return)
    assert not trap.opened.any
    data = QMimeData()
    data.setHtml(text)
    data.setImageData(QImage(3, 3, QImage.Format.Format_RGB32))
    desk.field.insertFromMimeData(data)
    assert not trap.opened.any


def test_no_page_of_the_settings_opens_a_file(trap: Trap, place: Room, qtbot: QtBot) -> None:
    text = trap.texts[0]
    place.parts.model.has = (ModelInfo(text, 8192, text, 5),)
    place.services.seen = replace(place.services.seen, engine=EngineInfo(text, text, text, text))  # type: ignore[type-var]
    window = place.open_settings()
    for page in range(len(PAGES)):
        window.side.choose(page)
        qtbot.waitUntil(
            lambda: "Checking" not in [label.text() for label in window.findChildren(QLabel)]
        )
        draw(window)
        tips_of(window)
        assert guessing(window) == []
    assert not trap.opened.any


def test_the_history_and_the_first_page_open_no_file(trap: Trap, place: Room, qtbot: QtBot) -> None:
    place.parts.model.has = (ModelInfo(trap.texts[0], 8192, trap.texts[0], 5),)
    for text in trap.texts:
        place.parts.history.begin_exchange(None, "search", text, text)
    overlay = Overlay(LOOK, Session(place.surroundings.bridge))
    qtbot.addWidget(overlay)
    overlay.summon()
    deletions = Deletions(place.surroundings.bridge, overlay, Toast(overlay))
    past = HistoryList(LOOK, deletions, dict, set)
    parts = (overlay, place.surroundings.bridge, deletions, past)
    for window in (HistoryPopover(*parts), FirstRun(LOOK, place.surroundings, lambda _: "")):
        if isinstance(window, HistoryPopover):
            window.open_history(overlay.ask_bar, all_of_them=True)
            # All of them were asked today: one heading is above them.
            qtbot.waitUntil(lambda w=window: w.rows.rowCount() == len(trap.texts) + 1)
        else:
            window.show()
            qtbot.waitUntil(window.rows["search"].button.isVisible)
        draw(window)
        tips_of(window)
        assert guessing(window) == []
    assert not trap.opened.any


def test_a_tip_is_read_as_it_is_written(text: str) -> None:
    assert without_spaces(plain(as_tip(text))) == without_spaces(text)
    assert as_tip("") == ""
    assert plain(as_tip("a\nb")) == "a\nb"


def test_a_tip_has_an_end_and_nothing_hidden_in_it() -> None:
    assert len(as_tip("x" * 1_000_000)) < 2 * MOST_CHARACTERS
    assert as_tip("a\u202eb\x00c") == as_tip("abc")


def test_no_letter_of_a_foreign_name_becomes_a_shortcut(qtbot: QtBot) -> None:
    desk = Desk(qtbot)
    desk.overlay.set_lights([StatusIndicator("a&b", Tone.GOOD, "here", "model")])
    desk.overlay.set_title("a&b")
    for button in (desk.bar.tools.model_button, desk.bar.tools.title_button):
        assert button.shortcut().isEmpty()
