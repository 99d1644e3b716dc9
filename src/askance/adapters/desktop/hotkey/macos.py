"""The hotkey under macOS: registered with Carbon, which asks for no permission."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Protocol

from askance.adapters.desktop.hotkey.by_hand import check_registered
from askance.domain.combination import Combination, Modifier
from askance.domain.messages import Message
from askance.ports.hotkey import HotkeyUnavailable, Pressed

ALREADY_EXISTS = -9878
"""The status of Carbon where another program has the combination."""

MODIFIERS = {
    Modifier.SUPER: 0x0100,
    Modifier.SHIFT: 0x0200,
    Modifier.ALT: 0x0800,
    Modifier.CTRL: 0x1000,
}

# In the order of their codes, "-" where a code is none of our keys.
_FROM_0 = """
    A S D F H G Z X C V - B Q W E R Y T 1 2 3 4 6 5 Equal 9 7 Minus 8 0 BracketRight O U BracketLeft
    I P Return L J Quote K Semicolon Backslash Comma Slash N M Period Tab Space Backquote Backspace
"""
_FROM_96 = """
    F5 F6 F7 F3 F8 F9 - F11 - F13 F16 F14 - F10 - F12 - F15 Insert Home PageUp Delete F4 End F2
    PageDown F1 Left Right Down Up
"""

KEY_CODES = {
    **{key: code for code, key in enumerate(_FROM_0.split()) if key != "-"},
    **{key: code for code, key in enumerate(_FROM_96.split(), start=96) if key != "-"},
    "F17": 64,
    "F18": 79,
    "F19": 80,
    "F20": 90,
}
"""The virtual key code of each key that a Mac has, where a US keyboard has it."""

_BY_HAND = Message(
    "Choose another combination in the settings. A shortcut of the Shortcuts app that "
    "runs `askance toggle` works in any case."
)


class MacKeys(Protocol):
    """What is needed of macOS."""

    def on_main(self, work: Callable[[], None]) -> None:
        """Have the main thread do something when it gets to it. Does not wait for it."""
        ...

    def register(
        self, code: int, modifiers: int, pressed: Callable[[], None]
    ) -> tuple[int, Callable[[], None]]:
        """Register a combination, on the main thread: the status, and what gives it back there.

        `pressed` is called on the main thread.
        """
        ...


class MacHotkey:
    """Registers a combination with Carbon. The main thread must be running the window's loop."""

    def __init__(self, keys: MacKeys) -> None:
        self._keys = keys

    @asynccontextmanager
    async def listening(self, combination: Combination, pressed: Pressed) -> AsyncGenerator[None]:
        """Listen; see `Hotkey.listening`."""
        if combination.key not in KEY_CODES:
            raise HotkeyUnavailable(
                Message("A Mac has no key {name}.", name=combination.key), fix=_BY_HAND
            )
        code = KEY_CODES[combination.key]
        modifiers = sum(MODIFIERS[modifier] for modifier in combination.modifiers)
        loop = asyncio.get_running_loop()
        registered: asyncio.Future[int] = loop.create_future()
        releases: list[Callable[[], None]] = []

        def hear() -> None:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(pressed, "")

        def tell(status: int) -> None:
            if not registered.done():
                registered.set_result(status)

        def register() -> None:
            status, release = self._keys.register(code, modifiers, hear)
            if status == 0:
                releases.append(release)
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(tell, status)

        def release_all() -> None:
            while releases:
                releases.pop()()

        self._keys.on_main(register)
        try:
            check_registered(
                await registered, ALREADY_EXISTS, combination, system="macOS", by_hand=_BY_HAND
            )
            yield
        finally:
            # Not waited for: when the program ends, the main thread is waiting for this one.
            self._keys.on_main(release_all)
