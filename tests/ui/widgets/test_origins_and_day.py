"""Copies, independent sources and the day of an answer, as a person sees and hears them in the window."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QRect
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from askance.domain.events import Answered
from askance.domain.evidence import Source
from askance.ui.design.labels import MarkupLabel, PlainLabel
from askance.ui.design.theme import DARK, LIGHT, Look, apply_look, load_fonts
from askance.ui.overlay.answer.answer_view import QuotePopup
from askance.ui.overlay.answer.citation_links import quote_of
from askance.ui.overlay.answer.copying import CopyKind, copy_of
from askance.ui.overlay.conversation.exchange_actions import ExchangeActions
from askance.ui.overlay.conversation.exchange_view import ExchangeWidget
from askance.ui.overlay.conversation.sources_strip import SourceStrip
from askance.ui.overlay.sources_panel import SourcesPanel
from askance.ui.shell.catalogues import use_language
from ui.accessible import complaints
from ui.widgets.lighthouse import (
    CITATIONS,
    SOURCES,
    WHOLE,
    has_colour,
    picture_of,
    tiles_of,
    unfolded_rows_of,
    view_of,
)

MIRROR = Source(5, "https://mirror.example/m", "A mirror", "mirror.example", None, False, copy_of=1)
COPIED = (replace(SOURCES[0], copies=3), *SOURCES[1:], MIRROR)
AGREED = tuple(replace(c, beside=(3,)) if c.n == 2 else c for c in CITATIONS)
EARLIER, (AT, LAST) = WHOLE[:-3], WHOLE[-1]
assert isinstance(LAST, Answered)
DATED = (
    *EARLIER,
    (AT, replace(LAST, sources=COPIED, citations=AGREED, as_of="2023-04-04")),
)
AS_OF = {
    "en": "As of 4 April 2023, the newest source",
    "de": "Stand 4. April 2023, die neueste Quelle",
}


@pytest.fixture(params=["en", "de"])
def spoken(request: pytest.FixtureRequest, qapp: QApplication) -> Iterator[str]:
    load_fonts()
    use_language(qapp, request.param)
    yield request.param
    use_language(qapp, "en")


def shown(qtbot: QtBot) -> ExchangeWidget:
    load_fonts()
    widget = ExchangeWidget(Look(LIGHT, moves=False))
    qtbot.addWidget(widget)
    widget.resize(720, 700)
    with qtbot.waitExposed(widget):
        widget.show()
    return widget


def day_of(widget: ExchangeWidget) -> PlainLabel | None:
    return widget.part(PlainLabel)


def test_below_a_dated_answer_stands_its_day(qtbot: QtBot, spoken: str) -> None:
    widget = shown(qtbot)
    widget.show_view(view_of(DATED))
    QApplication.processEvents()
    day, actions = day_of(widget), widget.part(ExchangeActions)
    assert day is not None
    assert actions is not None
    assert day.text() == AS_OF[spoken]
    assert widget.answer.geometry().bottom() < day.geometry().top()
    assert day.geometry().bottom() < actions.geometry().top()
    assert complaints(widget) == []


def test_an_answer_for_all_times_has_none(qtbot: QtBot) -> None:
    widget = shown(qtbot)
    widget.show_view(view_of(WHOLE))
    assert day_of(widget) is None
    widget.show_view(view_of(DATED))
    assert day_of(widget) is not None
    widget.show_view(view_of(WHOLE))
    assert day_of(widget) is None


def test_the_day_is_written_in_the_ink_of_the_look(qtbot: QtBot, qapp: QApplication) -> None:
    widget = shown(qtbot)
    widget.show_view(view_of(DATED))
    for colours, other in ((DARK, LIGHT), (LIGHT, DARK)):
        look = Look(colours, moves=False)
        apply_look(qapp, look)
        widget.set_look(look)
        QApplication.processEvents()
        day = day_of(widget)
        assert day is not None
        picture = picture_of(day)
        assert has_colour(picture, colours.ink_3)
        assert not has_colour(picture, other.ink_3)


def test_a_copied_answer_has_its_day(qtbot: QtBot) -> None:
    view = view_of(DATED)
    for text in copy_of(CopyKind.WITH_SOURCES, view.copied, view.pieces):
        assert AS_OF["en"] in text
    assert "newest" not in copy_of(CopyKind.WORDS, view.copied, view.pieces)[0]


def test_the_sources_line_tells_copies_quietly(
    qtbot: QtBot, spoken: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SourceStrip, "is_unfolded_first", False)
    strip = SourceStrip(Look(LIGHT, moves=False))
    qtbot.addWidget(strip)
    strip.resize(900, 200)
    strip.show()
    strip.show_sources(view_of(DATED).source_line)
    said = {"en": "1 origin, 4 copies", "de": "1 Ursprung, 4 Kopien"}[spoken]
    agreed = {"en": "2 independent sources", "de": "2 unabhängige Quellen"}[spoken]
    first, second, *_ = tiles_of(strip)
    assert first.source is not None
    # Nothing is drawn on the line: it is in the tip, and said.
    assert first.source.name == "larkmoor-times.example"
    assert said in first.accessibleName()
    assert said in first.toolTip()
    assert agreed in second.accessibleName()
    strip.more.click()
    assert [said in row.accessibleName() for row in unfolded_rows_of(strip)][:2] == [True, False]


def test_the_quote_card_says_host_day_grade_and_independent_sources(
    qtbot: QtBot, spoken: str
) -> None:
    widget = shown(qtbot)
    dated = [replace(s, published="2022-10-01") for s in COPIED]
    popup = QuotePopup(Look(LIGHT, moves=False), widget)
    weak = quote_of("cite:4/3", dated, AGREED)
    assert weak is not None
    popup.open_at(weak, QRect(40, 40, 12, 16))
    day = {"en": "1 October 2022", "de": "1. Oktober 2022"}[spoken]
    part = {"en": "supports this in part", "de": "stützt das teilweise"}[spoken]
    about = popup.findChildren(MarkupLabel)[-1].text()
    assert f"ferry-gazette.example · {day}" in about
    assert part in about
    assert part in popup.accessibleName()
    agreed = quote_of("cite:2/1", dated, AGREED)
    assert agreed is not None
    popup.open_at(agreed, QRect(40, 40, 12, 16))
    several = {"en": "2 independent sources", "de": "2 unabhängige Quellen"}[spoken]
    assert several in popup.findChildren(MarkupLabel)[-1].text()
    assert several in popup.accessibleName()
    popup.hide()


def test_beside_the_answer_the_sources_say_so_too(qtbot: QtBot) -> None:
    widget = shown(qtbot)
    panel = SourcesPanel(Look(LIGHT, moves=False), widget)
    panel.show_view(view_of(DATED))

    def texts() -> str:
        labels = (label for entry in panel.entries for label in entry.findChildren(QLabel))
        return "\n".join(label.text() for label in labels)

    # One entry is filled in each turn.
    for words in ("1 origin, 4 copies", "2 independent sources", "copy of source 1"):
        qtbot.waitUntil(lambda words=words: words in texts())


def test_an_answer_that_says_nothing_of_copies_looks_as_before() -> None:
    assert all(not row.origins for row in view_of(WHOLE).sources)
    assert all(
        not (q := quote_of(f"cite:{c.n}/{i}", SOURCES, CITATIONS)) or not q.origins
        for i, c in enumerate(CITATIONS)
    )
