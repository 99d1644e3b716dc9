"""The hotkey under macOS: registered with Carbon, which asks for no permission."""

from __future__ import annotations

import asyncio
import ctypes
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, Protocol

from askance.domain.messages import NOTHING, Message
from askance.domain.ports.hotkey import Combination, HotkeyUnavailable, Modifier, Pressed
from askance.system.hotkey import check_registered

ALREADY_EXISTS = -9878
"""The status of Carbon where another program has the combination."""

# cmdKey, shiftKey, optionKey and controlKey of Carbon's Events.h.
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

# kEventClassKeyboard, kEventHotKeyPressed, and a signature of our own, which macOS wants to have.
_KEYBOARD = int.from_bytes(b"keyb", "big")
_PRESSED = 5
_OURS = int.from_bytes(b"Askn", "big")
_HANDLER = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_WORK = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


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
    async def listening(
        self, combination: Combination, pressed: Pressed
    ) -> AsyncGenerator[Message]:
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

        def listen() -> None:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(pressed, "")

        def report(status: int) -> None:
            if not registered.done():
                registered.set_result(status)

        def register() -> None:
            status, release = self._keys.register(code, modifiers, listen)
            if status == 0:
                releases.append(release)
            # The loop may have ended while the main thread was busy.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(report, status)

        def release_all() -> None:
            while releases:
                releases.pop()()

        self._keys.on_main(register)
        try:
            check_registered(
                await registered, ALREADY_EXISTS, combination, system="macOS", by_hand=_BY_HAND
            )
            yield NOTHING
        finally:
            # Not waited for: when the program ends, the main thread is waiting for this one.
            self._keys.on_main(release_all)


class _EventType(ctypes.Structure):
    _fields_ = (("event_class", ctypes.c_uint32), ("kind", ctypes.c_uint32))


class _HotKeyId(ctypes.Structure):
    _fields_ = (("signature", ctypes.c_uint32), ("number", ctypes.c_uint32))


class CarbonKeys:
    """The real `MacKeys`, by way of the system's own libraries. Only macOS can run it."""

    def __init__(self) -> None:
        system = ctypes.CDLL("/usr/lib/libSystem.B.dylib")
        self._main_queue = ctypes.addressof(ctypes.c_void_p.in_dll(system, "_dispatch_main_q"))
        self._dispatch = system.dispatch_async_f
        self._dispatch.argtypes = (ctypes.c_void_p, ctypes.c_void_p, _WORK)
        self._dispatch.restype = None
        carbon = ctypes.CDLL("/System/Library/Frameworks/Carbon.framework/Carbon")
        carbon.GetApplicationEventTarget.restype = ctypes.c_void_p
        carbon.InstallEventHandler.argtypes = (
            ctypes.c_void_p,
            _HANDLER,
            ctypes.c_ulong,
            ctypes.POINTER(_EventType),
            ctypes.c_void_p,
            ctypes.POINTER(ctypes.c_void_p),
        )
        carbon.RegisterEventHotKey.argtypes = (
            ctypes.c_uint32,
            ctypes.c_uint32,
            _HotKeyId,
            ctypes.c_void_p,
            ctypes.c_uint32,
            ctypes.POINTER(ctypes.c_void_p),
        )
        carbon.UnregisterEventHotKey.argtypes = (ctypes.c_void_p,)
        carbon.RemoveEventHandler.argtypes = (ctypes.c_void_p,)
        self._carbon = carbon
        # What macOS is still going to call must not be collected before.
        self._called: set[Any] = set()

    def on_main(self, work: Callable[[], None]) -> None:
        """See `MacKeys.on_main`."""

        def do(_context: object) -> None:
            self._called.discard(wrapped)
            work()

        wrapped = _WORK(do)
        self._called.add(wrapped)
        # Carbon's functions are for the main thread alone.
        self._dispatch(self._main_queue, None, wrapped)

    def register(
        self, code: int, modifiers: int, pressed: Callable[[], None]
    ) -> tuple[int, Callable[[], None]]:
        """See `MacKeys.register`."""

        def on_event(_caller: object, _event: object, _data: object) -> int:
            pressed()
            return 0

        target = self._carbon.GetApplicationEventTarget()
        handler, installed, key = _HANDLER(on_event), ctypes.c_void_p(), ctypes.c_void_p()
        self._called.add(handler)

        def release() -> None:
            if key:
                self._carbon.UnregisterEventHotKey(key)
            if installed:
                self._carbon.RemoveEventHandler(installed)
            self._called.discard(handler)

        kinds = (_EventType * 1)(_EventType(_KEYBOARD, _PRESSED))
        status = self._carbon.InstallEventHandler(
            target, handler, 1, kinds, None, ctypes.byref(installed)
        )
        if status == 0:
            status = self._carbon.RegisterEventHotKey(
                code, modifiers, _HotKeyId(_OURS, 1), target, 0, ctypes.byref(key)
            )
        if status:
            release()
        return status, release
