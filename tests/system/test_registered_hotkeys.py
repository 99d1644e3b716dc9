"""The hotkeys of Windows and macOS, as far as they can be tried elsewhere: over feigned systems."""

from __future__ import annotations

import asyncio
import queue
import re
import threading
from collections.abc import Callable, Iterator

import pytest

from askance.domain.ports.hotkey import (
    KEYS,
    Hotkey,
    HotkeyTaken,
    HotkeyUnavailable,
    parse_combination,
)
from askance.system.hotkey.macos import ALREADY_EXISTS, KEY_CODES, MacHotkey
from askance.system.hotkey.windows_hotkey import ALREADY_REGISTERED, VIRTUAL_KEYS, WindowsHotkey
from waiting import PATIENCE_S

SOON_S = PATIENCE_S
CTRL_SPACE = parse_combination("Ctrl+Space")


class FakeWindows:
    """Windows with one message queue, which it makes at the first registration."""

    def __init__(self, status: int = 0) -> None:
        self.status = status
        self.messages: queue.Queue[bool] = queue.Queue()
        self.registered: list[tuple[int, int]] = []
        self.log: list[str] = []
        self.owner = 0

    def register(self, modifiers: int, key: int) -> int:
        self.owner = threading.get_native_id()
        self.registered.append((modifiers, key))
        return self.status

    def unregister(self) -> None:
        assert threading.get_native_id() == self.owner
        self.log.append("given back")

    def wait(self) -> bool:
        assert threading.get_native_id() == self.owner
        return self.messages.get(timeout=SOON_S)

    def quit(self, thread: int) -> bool:
        if thread != self.owner:
            return False
        self.messages.put(False)
        return True


class FakeMac:
    """macOS with a main thread."""

    def __init__(self, status: int = 0) -> None:
        self.status = status
        self.work: queue.Queue[Callable[[], None] | None] = queue.Queue()
        self.main = threading.Thread(target=self._run)
        self.registered: list[tuple[int, int]] = []
        self.pressed: list[Callable[[], None]] = []
        self.released = threading.Event()

    def on_main(self, work: Callable[[], None]) -> None:
        self.work.put(work)

    def register(
        self, code: int, modifiers: int, pressed: Callable[[], None]
    ) -> tuple[int, Callable[[], None]]:
        assert threading.current_thread() is self.main
        self.registered.append((code, modifiers))
        self.pressed.append(pressed)
        return self.status, self.released.set

    def _run(self) -> None:
        while (work := self.work.get(timeout=SOON_S)) is not None:
            work()


@pytest.fixture
def mac() -> Iterator[FakeMac]:
    made = FakeMac()
    made.main.start()
    yield made
    made.work.put(None)
    made.main.join()


async def problem_of(hotkey: Hotkey, written: str = "Ctrl+Space") -> str:
    with pytest.raises((HotkeyTaken, HotkeyUnavailable)) as caught:
        async with hotkey.listening(parse_combination(written), pytest.fail):
            pytest.fail("there is nothing to listen to")
    assert "`askance toggle`" in caught.value.fix
    return f"{type(caught.value).__name__}: {caught.value.problem}"


async def test_a_press_under_windows_is_heard_and_the_thread_ends() -> None:
    windows = FakeWindows()
    tokens: asyncio.Queue[str] = asyncio.Queue()
    hotkey = WindowsHotkey(windows)
    async with asyncio.timeout(SOON_S), hotkey.listening(CTRL_SPACE, tokens.put_nowait):
        for _ in range(2):
            windows.messages.put(True)
            assert await tokens.get() == ""
    assert windows.registered == [(2 | 0x4000, 0x20)]
    assert windows.log == ["given back"]
    assert all(thread.name != "hotkey" for thread in threading.enumerate())


async def test_a_refusal_of_windows_is_told_with_its_remedy() -> None:
    taken = WindowsHotkey(FakeWindows(ALREADY_REGISTERED))
    assert (await problem_of(taken)).startswith("HotkeyTaken: ")
    refused = await problem_of(WindowsHotkey(FakeWindows(5)), "F12")
    assert re.fullmatch(r"HotkeyUnavailable: .* F12 .*\(error 5\)\.", refused)
    assert all(thread.name != "hotkey" for thread in threading.enumerate())


async def test_cancelling_before_windows_has_answered_ends_the_thread() -> None:
    windows = FakeWindows()
    hotkey = WindowsHotkey(windows)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0), hotkey.listening(CTRL_SPACE, pytest.fail):
            pytest.fail("too late")
    assert all(thread.name != "hotkey" for thread in threading.enumerate())


async def test_a_press_under_macos_is_heard_and_given_back_on_the_main_thread(
    mac: FakeMac,
) -> None:
    tokens: asyncio.Queue[str] = asyncio.Queue()
    combination = parse_combination("Super+Shift+K")
    async with asyncio.timeout(SOON_S), MacHotkey(mac).listening(combination, tokens.put_nowait):
        mac.on_main(mac.pressed[0])
        assert await tokens.get() == ""
        assert not mac.released.is_set()
    assert mac.released.wait(SOON_S)
    assert mac.registered == [(40, 0x0100 | 0x0200)]


async def test_a_refusal_of_macos_is_told_with_its_remedy(mac: FakeMac) -> None:
    mac.status = ALREADY_EXISTS
    assert (await problem_of(MacHotkey(mac))).startswith("HotkeyTaken: ")
    mac.status = -50
    refused = "HotkeyUnavailable: macOS does not allow Ctrl+Space as a hotkey (error -50)."
    assert await problem_of(MacHotkey(mac)) == refused
    missing = "HotkeyUnavailable: A Mac has no key F24."
    assert await problem_of(MacHotkey(mac), "Ctrl+F24") == missing
    assert not mac.released.is_set()


async def test_cancelling_before_macos_has_answered_gives_back_what_comes_later() -> None:
    mac = FakeMac()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01), MacHotkey(mac).listening(CTRL_SPACE, pytest.fail):
            pytest.fail("too late")
    mac.main.start()
    assert mac.released.wait(SOON_S)
    mac.work.put(None)
    mac.main.join()


def test_every_key_has_a_code_of_its_own() -> None:
    assert set(VIRTUAL_KEYS) == KEYS
    assert len(set(VIRTUAL_KEYS.values())) == len(KEYS)
    assert KEYS - set(KEY_CODES) == {"F21", "F22", "F23", "F24", "Pause", "Print"}
    assert len(set(KEY_CODES.values())) == len(KEY_CODES)
    assert (KEY_CODES["Space"], KEY_CODES["5"], KEY_CODES["F1"]) == (49, 23, 122)
    assert (VIRTUAL_KEYS["Space"], VIRTUAL_KEYS["A"], VIRTUAL_KEYS["F24"]) == (0x20, 0x41, 0x87)
