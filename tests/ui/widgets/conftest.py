"""An ask bar with somebody at its keys, and an answer that is read."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from askance.ui.design.theme import LIGHT, Look, apply_look, load_fonts
from askance.ui.overlay.answer.answer_view import AnswerView
from askance.ui.overlay.answer.citation_links import quote_of
from askance.ui.overlay.bar.ask_bar import AskBar
from askance.ui.overlay.conversation.field import QuestionRecall
from ui.widgets.lighthouse import CITATIONS, SOURCES, TEXT, rendered
from ui.widgets.typist import Start, Typist


@pytest.fixture
def start(qtbot: QtBot) -> Start:
    load_fonts()

    def begin(recall: QuestionRecall | None = None) -> Typist:
        bar = AskBar(Look(LIGHT), recall=recall)
        qtbot.addWidget(bar)
        bar.resize(720, 94)
        with qtbot.waitExposed(bar):
            bar.show()
        bar.activateWindow()
        bar.setFocus()
        qtbot.waitUntil(bar.field.hasFocus)
        return Typist(bar, qtbot)

    return begin


@pytest.fixture
def typist(start: Start) -> Typist:
    return start()


@pytest.fixture
def view(qtbot: QtBot, qapp: QApplication) -> AnswerView:
    load_fonts()
    look = Look(LIGHT, moves=False)
    apply_look(qapp, look)
    made = AnswerView(look)
    qtbot.addWidget(made)
    made.resize(600, 400)
    made.set_quotes(lambda link: quote_of(link, SOURCES, CITATIONS))
    made.show()
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    return made


@pytest.fixture
def lighthouse(view: AnswerView) -> AnswerView:
    view.show_pieces(rendered(TEXT, CITATIONS).pieces)
    view.finish()
    view.resize(600, view.heightForWidth(600))
    return view
