"""Somebody who types into the ask bar."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QMimeData, Qt
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from askance.domain.conversation import ParsedCommand
from askance.ui.overlay.bar.ask_bar import AskBar

Key, Modifier = Qt.Key, Qt.KeyboardModifier
LONG = "a long text that is quoted " * 30


class Typist:
    """The bar with the keyboard before it, and what it told."""

    def __init__(self, bar: AskBar, qtbot: QtBot) -> None:
        self.bar = bar
        self._bot = qtbot
        self.submitted = QSignalSpy(bar.submitted)
        self.stops = QSignalSpy(bar.stop_requested)
        self.dismissals = QSignalSpy(bar.dismissed)
        self.edits = QSignalSpy(bar.text_edited)

    def type(self, text: str) -> None:
        self._bot.keyClicks(self.bar.field, text)

    def press(self, *keys: Qt.Key, on: QWidget | None = None) -> None:
        for key in keys:
            self._bot.keyClick(on or self.bar.field, key)

    def paste(self, text: str) -> None:
        data = QMimeData()
        data.setText(text)
        self.bar.field.insertFromMimeData(data)

    @property
    def sent(self) -> list[list[str]]:
        return [[sent.command, sent.text, sent.quote] for sent in self.submissions]

    @property
    def submissions(self) -> list[ParsedCommand]:
        return [self.submitted.at(n)[0] for n in range(self.submitted.count())]

    @property
    def offered(self) -> list[str]:
        model = self.bar.completion.model()
        if not self.bar.completion.is_open:
            return []
        return [model.index(row, 0).data() for row in range(model.rowCount())]

    @property
    def selected(self) -> str:
        current = self.bar.completion.current
        return current.command.name if current else ""


Start = Callable[..., Typist]
