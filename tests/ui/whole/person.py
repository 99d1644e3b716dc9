"""Somebody before the overlay, who has nothing but a keyboard and what is to be seen."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextDocumentFragment
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QLabel,
    QPlainTextEdit,
    QTextEdit,
    QWidget,
)
from pytestqt.exceptions import TimeoutError as WaitedInVain
from pytestqt.qtbot import QtBot

from askance.ui.design.labels import ElidedLabel
from askance.ui.overlay.conversation.exchange import ExchangeView, State
from askance.ui.overlay.conversation.exchange_view import ExchangeWidget
from askance.ui.overlay.overlay import Overlay
from askance.ui.shell.desktop import Desktop
from askance.ui.shell.tray import TrayState
from servers.world import QUESTION
from waiting import PATIENCE_MS


class Person:
    """The keyboard, and the eyes. All keys go where the focus is."""

    def __init__(self, desktop: Desktop, qtbot: QtBot) -> None:
        self.desktop = desktop
        self._bot = qtbot

    @property
    def overlay(self) -> Overlay:
        return self.desktop.overlay

    def summon(self) -> None:
        """Bring the window up, as the hotkey does."""
        with self._bot.waitExposed(self.overlay):
            self.desktop.obey("show")
        # Without a window manager, a window that was hidden is not given the keyboard again.
        assert self.overlay.focusWidget() is self.overlay.ask_bar.field

    def press(self, key: Qt.Key) -> None:
        focused = QApplication.focusWidget()
        assert focused is not None
        self._bot.keyClick(focused, key)

    def ask(self, text: str = f"/search {QUESTION}") -> None:
        """Type a question, and send it."""
        field = QApplication.focusWidget()
        assert field is self.overlay.ask_bar.field
        self._bot.keyClicks(field, text)
        self.press(Qt.Key.Key_Return)

    def until(self, true: Callable[[], object], within_ms: int = PATIENCE_MS) -> None:
        self._bot.waitUntil(lambda: bool(true()), timeout=within_ms)

    def until_ended(
        self, state: State = State.ANSWERED, within_ms: int = PATIENCE_MS
    ) -> ExchangeView:
        """Wait for the end of the newest exchange, which is to be this one."""
        self.until(lambda: self.newest.ended, within_ms)
        assert self.newest.state is state, (self.newest.state, self.newest.failure, self.seen)
        self.until(lambda: not self.answer_is_set or self.answer_is_set())
        return self.newest

    def answer_is_set(self) -> bool:
        """Whether the whole answer stands in the window."""
        widgets = self.overlay.conversation.exchanges
        return not widgets or widgets[-1].answer.answer.is_done

    @property
    def newest(self) -> ExchangeView:
        return self.desktop.session.views[-1]

    @property
    def exchange(self) -> ExchangeWidget:
        return self.overlay.conversation.exchanges[-1]

    @property
    def tray(self) -> TrayState:
        return self.desktop.tray.state

    @property
    def seen(self) -> str:
        """All words that the window shows now: cut where they are cut."""
        return seen_in(self.overlay)

    def sees(self, *words: str) -> bool:
        """Wait until all of these are to be seen."""
        with suppress(WaitedInVain):
            self.until(lambda: all(word in self.seen for word in words), PATIENCE_MS)
        missing = [word for word in words if word not in self.seen]
        assert not missing, f"{missing} not in:\n{self.seen}"
        return True

    def offers(self, words: str) -> bool:
        """Whether a button with these words can be pressed."""
        return bool(self._buttons(words))

    def click(self, words: str) -> None:
        """Press the last button with these words, by its key."""
        button = self._buttons(words)[-1]
        button.setFocus()
        self._bot.keyClick(button, Qt.Key.Key_Space)

    def _buttons(self, words: str) -> list[QAbstractButton]:
        return [
            button
            for button in self.overlay.findChildren(QAbstractButton)
            if button.text() == words and button.isVisibleTo(self.overlay) and button.isEnabled()
        ]


def seen_in(window: QWidget) -> str:
    """All words that a window shows now: cut where they are cut."""
    return "\n".join(
        filter(None, (_seen(w) for w in window.findChildren(QWidget) if w.isVisibleTo(window)))
    )


def _seen(widget: QWidget) -> str:
    match widget:
        case ElidedLabel():
            metrics = widget.fontMetrics()
            return metrics.elidedText(widget.text(), Qt.TextElideMode.ElideRight, widget.width())
        case QLabel():
            text = widget.text()
            if widget.textFormat() is not Qt.TextFormat.PlainText:
                text = QTextDocumentFragment.fromHtml(text).toPlainText()
            return text.replace("\u200b", "")  # where a path may be broken
        case QAbstractButton():
            return widget.text() or widget.accessibleName()
        case QTextEdit() | QPlainTextEdit():
            return widget.toPlainText()
        case _:
            return ""
