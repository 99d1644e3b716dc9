"""What the hotkey needs of Windows, by way of its own libraries. Only Windows can run it."""

from __future__ import annotations

import ctypes
import sys

_NUMBER = 1
_PRESS = 0x0312
_QUIT = 0x0012


class User32Keys:
    """The real `WindowsKeys`."""

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
