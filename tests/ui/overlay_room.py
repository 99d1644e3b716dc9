"""The overlay over a real bridge: only the engine behind it plays what the test wants."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PySide6.QtCore import QAbstractAnimation, QMimeData, QPoint, Qt
from PySide6.QtGui import QClipboard
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from askance.adapters.storage.history import SqliteHistory
from askance.config.folders import Folders, find_folders
from askance.config.settings import Settings
from askance.domain.conversation import Outcome, RunRequest, Usage
from askance.domain.events import Answered, RunEvent
from askance.ui.bridge import Bridge, Emit
from askance.ui.design.theme import LIGHT, Look, apply_look, load_fonts
from askance.ui.overlay.conversation.exchange import State
from askance.ui.overlay.conversation.exchange_view import ExchangeWidget
from askance.ui.overlay.conversation.session import Session
from askance.ui.overlay.overlay import Overlay
from askance.ui.shell.desktop import Desktop

Key, Modifier = Qt.Key, Qt.KeyboardModifier
STILL = Look(LIGHT, moves=False)


class Gate:
    """A place in a run where it waits for the test."""

    async def passed(self) -> None:
        self._loop, self._event = asyncio.get_running_loop(), asyncio.Event()
        await self._event.wait()

    def open(self) -> None:
        self._loop.call_soon_threadsafe(self._event.set)


Step = RunEvent | Gate


def answered(text: str) -> Answered:
    return Answered(text, (), (), Outcome.HISTORY, 0, Usage(), (), 5)


@dataclass
class PlayedEngine:
    """Plays one script after another, whatever is asked."""

    scripts: list[Sequence[Step]] = field(default_factory=list)
    asked: list[tuple[str, str]] = field(default_factory=list)
    requests: list[RunRequest] = field(default_factory=list)
    attached: Any = None
    forgotten: int = 0

    def forget_conversation(self) -> None:
        self.forgotten += 1

    async def run(self, request: RunRequest, *, emit: Emit, **_: object) -> Any:
        self.requests.append(request)
        return await self._play("run", request.question, emit)

    async def chat(self, request: RunRequest, *, emit: Emit) -> Any:
        return await self._play("chat", f"{request.question}\n\n{request.about}".strip(), emit)

    async def rework(self, task: str, text: str, wish: str, *, emit: Emit) -> Any:
        return await self._play(str(task), f"{text}|{wish}", emit)

    async def _play(self, how: str, text: str, emit: Emit) -> Any:
        self.asked.append((how, text))
        end = None
        for step in self.scripts.pop(0) if self.scripts else (answered("Yes."),):
            if isinstance(step, Gate):
                await step.passed()
            else:
                emit(step)
                end = step
        return end


@dataclass
class PlayedApp:
    """The parts that a session asks for."""

    engine: PlayedEngine
    folders: Folders
    history: SqliteHistory | None
    settings: Settings = field(default_factory=Settings)
    model: None = None
    suggesting: set[Any] = field(default_factory=set[Any])
    prepared: int = 0
    preloaded: int = 0

    def prepare(self) -> None:
        self.prepared += 1

    async def preload(self) -> None:
        self.preloaded += 1


class OthersClipboard:
    """What another program has selected or copied."""

    def __init__(self) -> None:
        self.has_selection, self.is_ours = True, False
        self.data: QMimeData | None = QMimeData()
        self.asked: list[QClipboard.Mode] = []

    def put(self, text: str, **more: bytes) -> None:
        self.data = QMimeData()
        self.data.setText(text)
        for form, value in more.items():
            self.data.setData(form, value)

    def supportsSelection(self) -> bool:  # noqa: N802 - Qt's name
        return self.has_selection

    def ownsSelection(self) -> bool:  # noqa: N802 - Qt's name
        return self.is_ours

    def ownsClipboard(self) -> bool:  # noqa: N802 - Qt's name
        return self.is_ours

    def mimeData(self, mode: QClipboard.Mode, /) -> QMimeData | None:  # noqa: N802 - Qt's name
        self.asked.append(mode)
        return self.data


class Room:
    """The window, somebody before it, and all that is around it."""

    def __init__(self, qtbot: QtBot, home: Path, look: Look) -> None:
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        load_fonts()
        apply_look(application, look)
        self.bot = qtbot
        self.engine = PlayedEngine()
        folders = find_folders({"ASKANCE_HOME": str(home)})
        self.history = SqliteHistory(folders.history, _fail)
        self.app = PlayedApp(self.engine, folders, self.history)
        self.bridge = Bridge(self._opened)
        self.bridge.start()
        self.clipboard = OthersClipboard()
        self.session = Session(self.bridge, self.bridge)
        self.overlay = Overlay(look, self.session, clipboard=self.clipboard)
        qtbot.addWidget(self.overlay)
        self.elsewhere = QWidget()
        qtbot.addWidget(self.elsewhere)
        self.bar, self.conversation = self.overlay.ask_bar, self.overlay.conversation
        self.field = self.bar.field
        self.links = QSignalSpy(self.overlay.link_activated)
        self.wanted = QSignalSpy(self.session.wanted)
        self.lights = QSignalSpy(self.bar.tools.model_requested)

    @asynccontextmanager
    async def _opened(self) -> AsyncIterator[PlayedApp]:
        yield self.app

    def summon(self) -> None:
        self.overlay.summon()
        self.bot.waitUntil(self.field.hasFocus)

    def leave(self) -> None:
        """Hide the window, and go to another one, as the desktop does by itself."""
        self.overlay.toggle()
        assert not self.overlay.isVisible()
        self.go_elsewhere()

    def go_elsewhere(self) -> None:
        """Let another window have the focus."""
        self.elsewhere.show()
        self.elsewhere.activateWindow()
        self.bot.waitUntil(self.elsewhere.isActiveWindow)

    def type(self, text: str) -> None:
        QTest.keyClicks(self.field, text)

    def press(self, *keys: Qt.Key, held: Qt.KeyboardModifier = Modifier.NoModifier) -> None:
        for key in keys:
            QTest.keyClick(self.field, key, held)

    def ask(self, text: str, *script: Step) -> ExchangeWidget:
        """Ask by typing; the run plays a script, and has begun when this returns."""
        self.engine.scripts = [script] if script else []
        before, shown = len(self.engine.asked), len(self.session.views)
        self.type(text)
        self.press(Key.Key_Return)
        self.bot.waitUntil(lambda: len(self.session.views) > shown)
        self.bot.waitUntil(lambda: len(self.engine.asked) > before)
        return self.conversation.exchanges[-1]

    def answer(self, text: str, *script: Step) -> ExchangeWidget:
        """Ask, and wait for the answer."""
        exchange = self.ask(text, *script)
        self.until(State.ANSWERED)
        return exchange

    def until(self, state: State) -> None:
        self.bot.waitUntil(lambda: self.session.views[-1].state is state)

    def settle(self) -> None:
        """Wait until nothing grows any more."""

        def is_settled() -> bool:
            return all(
                e.answer.is_settled and e.height() == e.heightForWidth(e.width())
                for e in self.conversation.exchanges
            ) and not (self.overlay._fitting.isActive() or is_growing(self.overlay))

        QApplication.processEvents()
        self.bot.waitUntil(is_settled)
        QApplication.processEvents()

    @property
    def paper(self) -> tuple[int, int]:
        """The width and the height of the paper."""
        return self.overlay.paper.width(), self.overlay.paper.height()

    @property
    def offered(self) -> str:
        """What is offered as a quote."""
        return "" if self.bar.offer.isHidden() else self.bar.offer.button.accessibleName()

    def until_looked(self) -> None:
        """Wait until the window has looked for something to quote."""
        self.bot.waitUntil(lambda: not self.overlay.offering._soon.isActive())

    def close(self) -> None:
        self.overlay.hide()
        assert self.bridge.close()
        self.history.close()


def _fail(trouble: str) -> None:
    raise AssertionError(trouble)


Furnish = Callable[..., Room]


@contextmanager
def rooms(qtbot: QtBot, home: Path) -> Iterator[Furnish]:
    """Give what makes rooms over a home, and close them all."""
    made: list[Room] = []

    def furnish(look: Look = STILL) -> Room:
        room = Room(qtbot, home, look)
        made.append(room)
        return room

    try:
        yield furnish
    finally:
        for room in made:
            room.close()


@contextmanager
def running(environment: dict[str, str], **more: Any) -> Iterator[Desktop]:
    """Run the windows of the program, and close them in the end."""
    application = QApplication.instance()
    assert isinstance(application, QApplication)
    made = Desktop(application, environment, find_folders(environment), **more)
    try:
        yield made
    finally:
        made.quit()
        for window in (made.overlay, *made.windows):
            window.deleteLater()


def centre(widget: Any) -> QPoint:
    """The middle of a widget, in its own coordinates."""
    return widget.rect().center()


def is_growing(overlay: Overlay) -> bool:
    """Return whether a movement of the window is under way."""
    return overlay._placing.growth.state() is QAbstractAnimation.State.Running
