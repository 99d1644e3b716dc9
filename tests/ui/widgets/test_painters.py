"""A painter ends with the event that it draws, whoever holds on to the function's frame: a debugger, a traceback."""

from __future__ import annotations

import ast
import sys
from types import FrameType
from typing import Any

from pytestqt.qtbot import QtBot

from askance.ui.design.controls import ProgressLine
from askance.ui.design.drawing import IconLabel
from askance.ui.design.labels import Hairline
from askance.ui.design.theme import LIGHT, Look
from askance.ui.overlay.conversation.exchange import OriginTag
from askance.ui.overlay.conversation.exchange_actions import NextLine
from askance.ui.overlay.conversation.exchange_notes import NotesView
from askance.ui.overlay.conversation.run_details import TagLabel
from askance.ui.settings.row_controls import Switch
from repository.places import SOURCES, python_files

LOOK = Look(LIGHT, moves=False)


def test_no_painter_is_active_once_its_widget_is_drawn(qtbot: QtBot) -> None:
    made = (Hairline(LOOK), Switch(LOOK), NextLine(LOOK, "Why?", "Alt+2"), NotesView(LOOK))
    widgets = (
        *made,
        TagLabel(LOOK, OriginTag("From memory")),
        ProgressLine(LOOK),
        IconLabel(LOOK, 16, "check", "accent"),
    )
    frames = list[FrameType]()

    def profile(frame: FrameType, event: str, _argument: Any) -> None:
        if event == "return" and "painter" in frame.f_locals:
            frames.append(frame)

    sys.setprofile(profile)
    try:
        for widget in widgets:
            qtbot.addWidget(widget)
            widget.show()
            widget.grab()
    finally:
        sys.setprofile(None)
    assert {type(frame.f_locals["self"]) for frame in frames if "self" in frame.f_locals} >= {
        type(widget) for widget in widgets
    }
    assert not any(frame.f_locals["painter"].isActive() for frame in frames)


def test_every_painter_on_a_widget_is_used_as_a_context() -> None:
    found = list[str]()
    for path in python_files(SOURCES / "ui"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        contexts = {
            id(item.context_expr)
            for n in ast.walk(tree)
            if isinstance(n, ast.With)
            for item in n.items
        }
        calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
        for call in calls:
            written = ast.unparse(call)
            if written.startswith(("QPainter(self", "antialiased(")) and id(call) not in contexts:
                found.append(f"{path.name}:{call.lineno} {written}")
    assert found == []
