"""An ask bar, and somebody at its keys."""

from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from askance.ui.look.fonts import load_fonts
from askance.ui.look.theme import Look
from askance.ui.look.tokens import LIGHT
from askance.ui.model.recall import Recall
from askance.ui.widgets.ask_bar import AskBar
from ui.widgets.typist import Start, Typist


@pytest.fixture
def start(qtbot: QtBot) -> Start:
    load_fonts()

    def begin(recall: Recall | None = None) -> Typist:
        bar = AskBar(Look(LIGHT), recall=recall)
        qtbot.addWidget(bar)
        bar.resize(720, 56)
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
