"""What the hotkey needs of macOS, by way of its own libraries. Only macOS can run it."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

_KEYBOARD = int.from_bytes(b"keyb", "big")
_PRESSED = 5
_OURS = int.from_bytes(b"Askn", "big")

_HANDLER = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)
_WORK = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _EventType(ctypes.Structure):
    _fields_ = (("event_class", ctypes.c_uint32), ("kind", ctypes.c_uint32))


class _HotKeyId(ctypes.Structure):
    _fields_ = (("signature", ctypes.c_uint32), ("number", ctypes.c_uint32))


class CarbonKeys:
    """The real `MacKeys`."""

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
        self._dispatch(self._main_queue, None, wrapped)

    def register(
        self, code: int, modifiers: int, pressed: Callable[[], None]
    ) -> tuple[int, Callable[[], None]]:
        """See `MacKeys.register`."""

        def hear(_caller: object, _event: object, _data: object) -> int:
            pressed()
            return 0

        target = self._carbon.GetApplicationEventTarget()
        handler, installed, key = _HANDLER(hear), ctypes.c_void_p(), ctypes.c_void_p()
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
