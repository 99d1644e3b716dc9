"""Somebody at the keys of a window, and the overlay with runs that go as the test wants."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from askance.domain.events import Answered, Cancelled, Failed, RunEvent
from askance.domain.messages import Message, Remedy
from askance.presentation.steps import Tone
from askance.ui.bridge import Fold
from askance.ui.design.theme import LIGHT, Look, apply_look, load_fonts
from askance.ui.overlay.answer.answer_view import AnswerView
from askance.ui.overlay.bar.status import StatusIndicator
from askance.ui.overlay.conversation.exchange_view import ExchangeWidget
from askance.ui.overlay.conversation.session import Session
from askance.ui.overlay.overlay import Overlay
from ui.widgets.lighthouse import ENDED, QUESTION

Key, Modifier = Qt.Key, Qt.KeyboardModifier
CTRL, SHIFT = Modifier.ControlModifier, Modifier.ShiftModifier
LOOK = Look(LIGHT, moves=False)
INDICATORS = (
    StatusIndicator("wren:8b", Tone.GOOD, "The model is there", "model"),
    StatusIndicator("SearXNG", Tone.BAD, "It does not answer", "services"),
)


SEARCH = f"/search {QUESTION}"
FIELD = "Question"
TOOLS = [
    *("Ask", "Menu", "Attach", "Web", "Model: wren:8b"),
    *("New conversation", "History", "Pin", "Settings"),
]
NUMBERS = [f"Answer [{n}]#{i}" for i, n in enumerate((1, 2, 2, 3, 4))]
STATUS = "Searched twice, read 4 pages"
SOURCES = [
    "Source 1: The lighthouse that walked, larkmoor-times.example, 12 May 1981",
    "Source 2: Minutes of the Trust, harbour-archive.example",
    "Source 3: The 1928 fund, island-history.example, 2014",
    "Source 4: Letters, ferry-gazette.example, snippet only",
]
ACTIONS = ["Copy", "Other ways to copy", "Search again", "Other model", "Edit question", "More"]
# As many as there is room for; the others stand in the list that the last stop unfolds.
STRIP = [*SOURCES[:3], "1 more source"]
EXCHANGE = [STATUS, *STRIP, *NUMBERS, *ACTIONS]
AT = "2026-03-02T10:00:00+00:00"
DOWN = Failed(
    Message("SearXNG is not running."),
    Remedy("`{command}` starts it.", command="askance up"),
    "SearXNG",
    "x",
)


class ScriptedBridge(QObject):
    """A bridge whose runs say what the test tells them to."""

    happened = Signal(int, object)

    def __init__(self) -> None:
        super().__init__()
        self.runs = 0
        self.suggestions: tuple[str, ...] = ()
        self._folds: dict[int, Fold] = {}

    def run(self, _work: object, fold: Fold) -> int:
        self.runs += 1
        self._folds[self.runs] = fold
        return self.runs

    def call(self, _work: object, then: Callable[[object], None]) -> None:
        """Answer what is asked beside the runs: which questions may follow."""
        if self.suggestions:
            then(self.suggestions)

    def stop(self, number: int) -> None:
        self.happened.emit(number, self._folds[number](((1.0, Cancelled()),)))

    def tell(self, *events: tuple[float, RunEvent]) -> None:
        """Let the last run say something."""
        self.happened.emit(self.runs, self._folds[self.runs](events))


class Hands:
    """Somebody at the keys of a window."""

    def __init__(self, qtbot: QtBot) -> None:
        self.bot = qtbot

    @property
    def focus(self) -> QWidget:
        focused = QApplication.focusWidget()
        assert focused is not None, "nothing has the focus"
        return focused

    @property
    def stop(self) -> Any:
        """What has the focus, as a walk tells one stop from another."""
        return self.focus

    def press(self, *keys: Qt.Key, held: Qt.KeyboardModifier = Modifier.NoModifier) -> None:
        for key in keys:
            QTest.keyClick(self.focus, key, held)

    def keys(self, written: str) -> None:
        """Press keys that are written as in a menu, such as `Ctrl+N`."""
        QTest.keySequence(self.focus, QKeySequence(written))

    def type(self, text: str) -> None:
        QTest.keyClicks(self.focus, text)

    def tab(self, *, back: bool = False) -> None:
        self.press(Key.Key_Tab) if not back else self.press(Key.Key_Backtab, held=SHIFT)

    def tab_until(self, found: Callable[[QWidget], bool]) -> QWidget:
        """Press Tab until the focus is where it is wanted."""
        for _ in range(80):
            self.tab()
            if found(self.focus):
                return self.focus
        raise AssertionError("Tab does not get there")

    def walk(self, *, back: bool = False) -> list[Any]:
        """Press Tab until the focus is where it began; return the stops between."""
        began, passed = self.stop, list[Any]()
        for _ in range(120):
            self.tab(back=back)
            if self.stop == began:
                return passed
            passed.append(self.stop)
        raise AssertionError(f"a trap: {passed}")


class Desk(Hands):
    """The window, and what it asked for."""

    def __init__(self, qtbot: QtBot, look: Look = LOOK) -> None:
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        load_fonts()
        apply_look(application, look)
        super().__init__(qtbot)
        self.bridge = ScriptedBridge()
        self.session = Session(self.bridge)  # type: ignore[arg-type]
        self.overlay = Overlay(look, self.session)
        qtbot.addWidget(self.overlay)
        self.bar, self.conversation = self.overlay.ask_bar, self.overlay.conversation
        self.field = self.bar.field
        self.overlay.set_lights(INDICATORS)
        self.opened = QSignalSpy(self.overlay.link_activated)
        self.wanted = QSignalSpy(self.session.wanted)
        self.lit = QSignalSpy(self.bar.tools.model_requested)
        self.fixes = QSignalSpy(self.overlay.fix_requested)
        with qtbot.waitExposed(self.overlay):
            self.overlay.summon()
        qtbot.waitUntil(self.field.hasFocus)

    def ask(self, text: str, *events: tuple[float, RunEvent]) -> ExchangeWidget:
        """Ask by typing, and let the run say these events."""
        before = len(self.session.views)
        self.field.setFocus()
        self.type(text)
        self.press(Key.Key_Return)
        self.bot.waitUntil(lambda: len(self.session.views) > before)
        self.tell(*events)
        return self.newest

    def tell(self, *events: tuple[float, RunEvent]) -> None:
        self.bridge.tell(*events)
        self.settle()

    def settle(self) -> None:
        """Wait until nothing comes any more, and nothing grows that is seen."""

        def is_quiet() -> bool:
            QApplication.sendPostedEvents()
            # What is hidden is given its height when it is summoned.
            return self.conversation.is_complete and all(
                e.answer.is_settled
                and not (e.isVisible() and e.height() != e.heightForWidth(e.width()))
                for e in self.conversation.exchanges
            )

        QApplication.processEvents()
        self.bot.waitUntil(is_quiet)
        QApplication.processEvents()

    @property
    def newest(self) -> ExchangeWidget:
        return self.conversation.exchanges[-1]

    @property
    def stop(self) -> str:
        return label(self.focus)


def label(widget: QWidget) -> str:
    """What a widget calls itself, and of an answer the number that has the focus."""
    name = widget.accessibleName() or str(widget.property("text") or "")
    if isinstance(widget, AnswerView) and widget.lit_marker is not None:
        return f"{name} [{widget.answer.markers[widget.lit_marker][1].n}]#{widget.lit_marker}"
    return name


def called(name: str) -> Callable[[QWidget], bool]:
    return lambda widget: label(widget) == name


def scrolled(desk: Desk) -> int:
    return desk.conversation.verticalScrollBar().value()


def is_seen(desk: Desk, widget: QWidget) -> bool:
    view = desk.conversation.viewport()
    top = widget.mapTo(view, widget.rect().topLeft()).y()
    return top >= 0 and top + widget.height() <= view.height()


def answered(text: str) -> tuple[float, Answered]:
    end = ENDED[-1][1]
    assert isinstance(end, Answered)
    return 14.0, replace(end, answer=text, citations=())
