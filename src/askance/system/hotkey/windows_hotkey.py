"""The hotkey under Windows: registered in a thread of its own, which waits for its messages."""

from __future__ import annotations

import asyncio
import ctypes
import sys
import threading
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from string import ascii_uppercase, digits
from typing import Protocol

from askance.domain.messages import NOTHING, Message
from askance.domain.ports.hotkey import FUNCTION_KEYS, Combination, Modifier, Pressed
from askance.system.hotkey import check_registered

ALREADY_REGISTERED = 1409
"""The error of Windows where another program has the combination."""

# MOD_ALT, MOD_CONTROL, MOD_SHIFT, MOD_WIN and MOD_NOREPEAT of winuser.h.
MODIFIERS = {Modifier.ALT: 1, Modifier.CTRL: 2, Modifier.SHIFT: 4, Modifier.SUPER: 8}
_NO_REPEAT = 0x4000

VIRTUAL_KEYS = {
    **{key: ord(key) for key in ascii_uppercase + digits},
    **{key: 0x70 + index for index, key in enumerate(FUNCTION_KEYS)},
    "Backspace": 0x08,
    "Tab": 0x09,
    "Return": 0x0D,
    "Pause": 0x13,
    "Space": 0x20,
    "PageUp": 0x21,
    "PageDown": 0x22,
    "End": 0x23,
    "Home": 0x24,
    "Left": 0x25,
    "Up": 0x26,
    "Right": 0x27,
    "Down": 0x28,
    "Print": 0x2C,
    "Insert": 0x2D,
    "Delete": 0x2E,
    "Semicolon": 0xBA,
    "Equal": 0xBB,
    "Comma": 0xBC,
    "Minus": 0xBD,
    "Period": 0xBE,
    "Slash": 0xBF,
    "Backquote": 0xC0,
    "BracketLeft": 0xDB,
    "Backslash": 0xDC,
    "BracketRight": 0xDD,
    "Quote": 0xDE,
}
"""The virtual key code of each key; those of signs are where a US keyboard has them."""

_BY_HAND = Message(
    "Choose another combination in the settings. A Windows shortcut with the command "
    "`askance toggle` works in any case."
)
# How long to wait before a thread that has no message queue yet is told again to end.
_AGAIN_S = 0.01

_NUMBER = 1
# WM_HOTKEY and WM_QUIT.
_PRESS = 0x0312
_QUIT = 0x0012


class WindowsKeys(Protocol):
    """What is needed of Windows. All but `quit` belong to the thread that calls `register`."""

    def register(self, modifiers: int, key: int) -> int:
        """Register a combination for this thread; return 0, or the error of Windows."""
        ...

    def unregister(self) -> None:
        """Give it back."""
        ...

    def wait(self) -> bool:
        """Wait for the next message to this thread: True for a press, False for the end."""
        ...

    def quit(self, thread: int) -> bool:
        """Send a thread the message that ends it. False where it cannot get any yet."""
        ...


class WindowsHotkey:
    """Registers a combination with Windows."""

    def __init__(self, keys: WindowsKeys) -> None:
        self._keys = keys

    @asynccontextmanager
    async def listening(
        self, combination: Combination, pressed: Pressed
    ) -> AsyncGenerator[Message]:
        """Listen; see `Hotkey.listening`."""
        loop = asyncio.get_running_loop()
        registered: asyncio.Future[int] = loop.create_future()

        def report(status: int) -> None:
            if not registered.done():
                registered.set_result(status)

        def serve() -> None:
            modifiers = sum(MODIFIERS[modifier] for modifier in combination.modifiers)
            key = VIRTUAL_KEYS[combination.key]
            # A key that is held down must not show and hide the window in turns.
            status = self._keys.register(modifiers | _NO_REPEAT, key)
            # A loop that has ended wants to hear nothing; the thread then ends by its message.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(report, status)
            if status:
                return
            while self._keys.wait():
                with suppress(RuntimeError):
                    loop.call_soon_threadsafe(pressed, "")
            self._keys.unregister()

        # Windows sends a press to the thread that has registered, and to no other.
        thread = threading.Thread(target=serve, name="hotkey")
        thread.start()
        try:
            check_registered(
                await registered,
                ALREADY_REGISTERED,
                combination,
                system="Windows",
                by_hand=_BY_HAND,
            )
            yield NOTHING
        finally:
            self._end(thread)

    def _end(self, thread: threading.Thread) -> None:
        assert thread.native_id is not None
        while thread.is_alive() and not self._keys.quit(thread.native_id):
            thread.join(_AGAIN_S)
        thread.join()


class User32Keys:
    """The real `WindowsKeys`, by way of the system's own library. Only Windows can run it."""

    def __init__(self) -> None:
        assert sys.platform == "win32"
        from ctypes import wintypes  # noqa: PLC0415 - other systems lack what it is made of

        self._message = wintypes.MSG
        self._user32 = ctypes.WinDLL("user32", use_last_error=True)
        self._user32.RegisterHotKey.argtypes = (
            wintypes.HWND,
            ctypes.c_int,
            wintypes.UINT,
            wintypes.UINT,
        )
        self._user32.UnregisterHotKey.argtypes = (wintypes.HWND, ctypes.c_int)
        self._user32.GetMessageW.argtypes = (
            ctypes.POINTER(wintypes.MSG),
            wintypes.HWND,
            wintypes.UINT,
            wintypes.UINT,
        )
        self._user32.PostThreadMessageW.argtypes = (
            wintypes.DWORD,
            wintypes.UINT,
            wintypes.WPARAM,
            wintypes.LPARAM,
        )

    def register(self, modifiers: int, key: int) -> int:
        """See `WindowsKeys.register`."""
        assert sys.platform == "win32"
        if self._user32.RegisterHotKey(None, _NUMBER, modifiers, key):
            return 0
        return ctypes.get_last_error()

    def unregister(self) -> None:
        """See `WindowsKeys.unregister`."""
        assert sys.platform == "win32"
        self._user32.UnregisterHotKey(None, _NUMBER)

    def wait(self) -> bool:
        """See `WindowsKeys.wait`."""
        assert sys.platform == "win32"
        message = self._message()
        while True:
            # 0 is the end, -1 a failure, after which nothing would come either.
            if self._user32.GetMessageW(ctypes.byref(message), None, 0, 0) <= 0:
                return False
            if message.message == _PRESS:
                return True

    def quit(self, thread: int) -> bool:
        """See `WindowsKeys.quit`."""
        assert sys.platform == "win32"
        return bool(self._user32.PostThreadMessageW(thread, _QUIT, 0, 0))
