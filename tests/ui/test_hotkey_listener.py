"""The hotkey beside the window: presses, refusals and losses come as signals, old ones do not."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from askance.domain.messages import NOTHING, Message
from askance.domain.ports.hotkey import Combination, Hotkey, HotkeyTaken, HotkeyUnavailable, Pressed
from askance.system.hotkey import Loss, choose_hotkey
from askance.ui.bridge import Bridge, open_chores
from askance.ui.shell.activation import HotkeyListener
from system.x_server import Typist, needs_x, serve_x


class FakeHotkey:
    """A desktop whose keys are pressed by the test."""

    def __init__(self) -> None:
        self.log: list[str] = []
        self.taken: set[str] = set()
        self.pressed: Pressed | None = None
        self.lose: Callable[[], None] | None = None

    @asynccontextmanager
    async def listening(self, combination: Combination, pressed: Pressed) -> AsyncIterator[Message]:
        assert threading.current_thread() is not threading.main_thread()
        if str(combination) in self.taken:
            raise HotkeyTaken(f"Another program has taken {combination}.", fix="Take another.")
        self.log.append(f"took {combination}")
        self.pressed = pressed
        loss = Loss()
        try:
            async with loss.ends_body():
                loop = asyncio.get_running_loop()
                gone = HotkeyUnavailable("It is gone.", fix="Bind it by hand.")
                self.lose = lambda: loop.call_soon_threadsafe(loss.report, gone) and None
                yield NOTHING
        finally:
            self.log.append(f"gave back {combination}")


class SignalLog(QObject):
    """What the window heard, in order."""

    def __init__(self, summons: HotkeyListener) -> None:
        super().__init__(summons)
        self.all: list[tuple[str, ...]] = []
        summons.summoned.connect(self.take_summons)
        summons.ready.connect(self.take_ready)
        summons.failed.connect(self.take_failure)

    def take_summons(self, token: str) -> None:
        assert threading.current_thread() is threading.main_thread()
        self.all.append(("summoned", token))

    def take_ready(self, written: str) -> None:
        self.all.append(("ready", written))

    def take_failure(self, message: Message) -> None:
        self.all.append(("failed", message))


@pytest.fixture
def desktop() -> FakeHotkey:
    return FakeHotkey()


@pytest.fixture
def chores(qtbot: QtBot) -> Iterator[Bridge]:
    parent = QObject()
    made = open_chores(parent)
    yield made
    assert made.close()


@pytest.fixture
def summons(chores: Bridge, desktop: FakeHotkey) -> HotkeyListener:
    return HotkeyListener(lambda: desktop, chores, chores)


def test_presses_come_with_their_tokens(
    summons: HotkeyListener, desktop: FakeHotkey, qtbot: QtBot
) -> None:
    received = SignalLog(summons)
    summons.listen("ctrl+space")
    qtbot.waitUntil(lambda: received.all == [("ready", "Ctrl+Space")])
    assert desktop.pressed is not None
    desktop.pressed("let me in")
    desktop.pressed("")
    qtbot.waitUntil(lambda: received.all[1:] == [("summoned", "let me in"), ("summoned", "")])


def test_another_combination_takes_the_place_of_the_first(
    summons: HotkeyListener, desktop: FakeHotkey, qtbot: QtBot
) -> None:
    received = SignalLog(summons)
    for written in ("F9", "F10"):
        summons.listen(written)
        qtbot.waitUntil(lambda written=written: received.all[-1:] == [("ready", written)])
    stale = desktop.pressed
    summons.listen("")
    assert stale is not None
    stale("too late")
    qtbot.waitUntil(lambda: received.all[-1] == ("ready", ""))
    whole = ["took F9", "gave back F9", "took F10", "gave back F10"]
    qtbot.waitUntil(lambda: desktop.log == whole)
    assert all(what[0] == "ready" for what in received.all)


def test_a_refusal_is_told_and_another_combination_can_be_tried(
    summons: HotkeyListener, desktop: FakeHotkey, qtbot: QtBot
) -> None:
    desktop.taken = {"F9"}
    received = SignalLog(summons)
    summons.listen("F9")
    reports = ("failed", "Another program has taken F9. Take another.")
    qtbot.waitUntil(lambda: received.all == [reports])
    summons.listen("F10")
    qtbot.waitUntil(lambda: received.all[1:] == [("ready", "F10")])


def test_a_loss_is_told_when_it_happens(
    summons: HotkeyListener, desktop: FakeHotkey, qtbot: QtBot
) -> None:
    received = SignalLog(summons)
    summons.listen("F9")
    qtbot.waitUntil(lambda: received.all == [("ready", "F9")])
    assert desktop.lose is not None
    desktop.lose()
    qtbot.waitUntil(lambda: received.all[1:] == [("failed", "It is gone. Bind it by hand.")])


def test_what_is_no_combination_and_a_desktop_without_hotkeys_are_told(chores: Bridge) -> None:
    def no_desktop() -> Hotkey:
        return choose_hotkey("linux", {}, "io.example.App")

    summons = HotkeyListener(no_desktop, chores, chores)
    received = SignalLog(summons)
    summons.listen("Ctrl+Blue")
    summons.listen("F9")
    wrong, none = [what[1] for what in received.all]
    assert ": blue." in wrong
    assert "`askance toggle`" in none


def test_closing_at_once_leaves_nothing(
    summons: HotkeyListener, desktop: FakeHotkey, chores: Bridge
) -> None:
    for _ in range(20):
        summons.listen("F9")
    assert chores.close()
    assert desktop.log.count("took F9") == desktop.log.count("gave back F9")


@needs_x
def test_a_real_press_on_a_real_server_summons(chores: Bridge, qtbot: QtBot) -> None:
    with serve_x() as server:
        shown = {"DISPLAY": server.name}
        summons = HotkeyListener(lambda: choose_hotkey("linux", shown, "x.y"), chores, chores)
        received = SignalLog(summons)
        summons.listen("Ctrl+Space")
        qtbot.waitUntil(lambda: received.all == [("ready", "Ctrl+Space")])
        typist = Typist(server)
        typist.press("Control_L", "space")
        qtbot.waitUntil(lambda: received.all[1:] == [("summoned", "")])
        typist.close()
        assert chores.close()
