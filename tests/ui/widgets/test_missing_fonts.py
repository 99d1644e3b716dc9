"""An answer that no font of the system can show says so. Tests run with the program's own fonts alone."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from askance.domain.conversation import CHAT, ParsedCommand
from askance.ui.design.theme import LIGHT, Look, load_fonts
from askance.ui.overlay.conversation.exchange import ExchangeModel
from askance.ui.overlay.conversation.exchange_view import ExchangeWidget, NotesView
from ui.overlay_room import answered


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
