"""A pointer and a keyboard under Wayland: a small client that says to the compositor what a hand does.

wlroots takes virtual devices, KWin a fake one; both are protocols of a few requests, which are written
here as bytes (Wayland's wire format: object, size and opcode, then arguments of 32 bits).
"""

from __future__ import annotations

import array
import os
import socket
import struct
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QPoint, QSize

_DISPLAY = 1
_PACE_S = 0.1
_KEYMAP = """xkb_keymap {
xkb_keycodes { include "evdev+aliases(qwerty)" };
xkb_types { include "complete" };
xkb_compat { include "complete" };
xkb_symbols { include "pc+us+inet(evdev)" };
};
\0"""
_LEFT, _PRESSED, _RELEASED = 0x110, 1, 0
_MASKS = {"Shift_L": 1, "Control_L": 4, "Alt_L": 8, "Super_L": 64}
# Codes of the kernel (linux/input-event-codes.h), on a keyboard of the United States.
_CODES: Mapping[str, int] = {
    "Escape": 1, "BackSpace": 14, "Tab": 15, "Return": 28, "Control_L": 29, "Shift_L": 42, "Alt_L": 56,
    "space": 57, "F1": 59, "F4": 62, "F8": 66, "F9": 67, "F10": 68, "F12": 88, "Super_L": 125,
    "Up": 103, "Left": 105, "Right": 106, "Down": 108, "Delete": 111,
    **{key: code for code, key in enumerate("1234567890-=", 2)},
    **{key: code for code, key in enumerate("qwertyuiop[]", 16)},
    **{key: code for code, key in enumerate("asdfghjkl;'`", 30)},
    **{key: code for code, key in enumerate("\\zxcvbnm,./", 43)},
}  # fmt: skip
_SHIFTED = dict(zip('!@#$%^&*()_+{}:"~|<>?', "1234567890-=[];'`\\,./", strict=True))


class WaylandConnection:
    """A connection to a compositor, with the globals that it offers."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(str(path))
        self._last = _DISPLAY
        self._globals: dict[str, tuple[int, int]] = {}
        self._registry = self.new_id()
        self.send(_DISPLAY, 1, struct.pack("=I", self._registry))
        self.wait()

    def close(self) -> None:
        self._socket.close()

    def new_id(self) -> int:
        self._last += 1
        return self._last

    def bind(self, interface: str, most: int) -> int:
        """Bind a global, in that version at most, and return its object."""
        assert interface in self._globals, f"the compositor has no {interface}"
        name, version = self._globals[interface]
        found = self.new_id()
        words = interface.encode() + b"\0"
        padded = words + b"\0" * (-len(words) % 4)
        body = struct.pack("=II", name, len(words)) + padded
        self.send(self._registry, 0, body + struct.pack("=II", min(version, most), found))
        return found

    def send(self, target: int, opcode: int, body: bytes = b"", descriptor: int = -1) -> None:
        """Send a request."""
        packet = struct.pack("=II", target, (8 + len(body)) << 16 | opcode) + body
        if descriptor < 0:
            self._socket.sendall(packet)
            return
        rights = array.array("i", [descriptor])
        self._socket.sendmsg([packet], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])

    def wait(self) -> None:
        """Wait until the compositor has taken all that was sent."""
        callback = self.new_id()
        self.send(_DISPLAY, 0, struct.pack("=I", callback))
        while self._event() != callback:
            pass

    def _event(self) -> int:
        head = self._read(8)
        target, word = struct.unpack("=II", head)
        size, opcode = word >> 16, word & 0xFFFF
        body = self._read(size - 8)
        if target == _DISPLAY and opcode == 0:
            raise AssertionError(f"the compositor refuses: {body!r}")
        if target == self._registry and opcode == 0:
            name, length = struct.unpack_from("=II", body)
            interface = body[8 : 8 + length - 1].decode()
            (version,) = struct.unpack_from("=I", body, len(body) - 4)
            self._globals[interface] = (name, version)
        return target

    def _read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            more = self._socket.recv(size - len(data))
            assert more, "the compositor has hung up"
            data += more
        return data


class WlrootsInput:
    """The virtual pointer and keyboard of wlroots. `size` is that of all screens together."""

    def __init__(self, connection: WaylandConnection, size: QSize) -> None:
        self._connection, self.size = connection, size
        seat = connection.bind("wl_seat", 1)
        pointers = connection.bind("zwlr_virtual_pointer_manager_v1", 1)
        keyboards = connection.bind("zwp_virtual_keyboard_manager_v1", 1)
        self._pointer, self._keyboard = connection.new_id(), connection.new_id()
        connection.send(pointers, 0, struct.pack("=II", seat, self._pointer))
        connection.send(keyboards, 0, struct.pack("=II", seat, self._keyboard))
        text = _KEYMAP.encode()
        file = os.memfd_create("keymap")
        os.write(file, text)
        connection.send(self._keyboard, 0, struct.pack("=II", 1, len(text)), file)
        connection.wait()
        os.close(file)

    def move(self, to: QPoint) -> None:
        body = struct.pack("=IIIII", _now(), to.x(), to.y(), self.size.width(), self.size.height())
        self._connection.send(self._pointer, 1, body)
        self._connection.send(self._pointer, 4)
        self._connection.wait()

    def button(self, *, is_pressed: bool) -> None:
        state = _PRESSED if is_pressed else _RELEASED
        self._connection.send(self._pointer, 2, struct.pack("=III", _now(), _LEFT, state))
        self._connection.send(self._pointer, 4)
        self._connection.wait()

    def key(self, code: int, held: Iterable[str], *, is_pressed: bool) -> None:
        state = _PRESSED if is_pressed else _RELEASED
        self._connection.send(self._keyboard, 1, struct.pack("=III", _now(), code, state))
        mask = sum(_MASKS[name] for name in held)
        self._connection.send(self._keyboard, 2, struct.pack("=IIII", mask, 0, 0, 0))
        self._connection.wait()


class KwinInput:
    """KWin's fake input."""

    def __init__(self, connection: WaylandConnection) -> None:
        self._connection = connection
        self._device = connection.bind("org_kde_kwin_fake_input", 4)
        words = struct.pack("=I8sI8s", 8, b"askance\0", 7, b"a test\0\0")
        connection.send(self._device, 0, words)
        connection.wait()

    def move(self, to: QPoint) -> None:
        self._connection.send(self._device, 9, struct.pack("=ii", to.x() * 256, to.y() * 256))
        self._connection.wait()

    def button(self, *, is_pressed: bool) -> None:
        self._connection.send(self._device, 2, struct.pack("=II", _LEFT, is_pressed))
        self._connection.wait()

    def key(self, code: int, held: Iterable[str], *, is_pressed: bool) -> None:
        self._connection.send(self._device, 10, struct.pack("=II", code, is_pressed))
        self._connection.wait()


class Device(Protocol):
    """What a desktop takes for a pointer and a keyboard."""

    def move(self, to: QPoint) -> None:
        """Move the pointer there, in logical pixels of all screens together."""
        ...

    def button(self, *, is_pressed: bool) -> None:
        """Press or let go of the left button."""
        ...

    def key(self, code: int, held: Iterable[str], *, is_pressed: bool) -> None:
        """Press or let go of a key, while these keys that change others are held."""
        ...


class Hands:
    """A pointer and a keyboard, pressed as a person's are."""

    def __init__(self, device: Device) -> None:
        self.device = device

    def move(self, to: QPoint) -> None:
        """Move the pointer there, and the last bit of the way as a hand does."""
        for at in (to - QPoint(3, 2), to):
            self.device.move(QPoint(max(0, at.x()), max(0, at.y())))

    def click(self, at: QPoint) -> None:
        self.move(at)
        self.device.button(is_pressed=True)
        self.device.button(is_pressed=False)

    def drag(self, start: QPoint, to: QPoint) -> None:
        """Drag what is at a place to another one, with a rest above it."""
        self.move(start)
        self.device.button(is_pressed=True)
        for step in (*range(1, 11), 10, 10):
            time.sleep(
                _PACE_S
            )  # as a hand takes: a program begins a drag only once it was told of the press
            self.device.move(start + (to - start) * step / 10)
        time.sleep(_PACE_S)
        self.device.button(is_pressed=False)

    def press(self, *names: str) -> None:
        """Press keys together, by the names of their keysyms."""
        for number, name in enumerate(names, 1):
            held = [other for other in names[:number] if other in _MASKS]
            self.device.key(_CODES[name], held, is_pressed=True)
        for number, name in reversed(list(enumerate(names))):
            held = [other for other in names[:number] if other in _MASKS]
            self.device.key(_CODES[name], held, is_pressed=False)

    def type(self, text: str) -> None:
        """Type a text of Latin letters."""
        for char in text:
            if char == " ":
                self.press("space")
            elif char in _CODES:
                self.press(char)
            else:
                self.press("Shift_L", _SHIFTED.get(char, char.lower()))


def _now() -> int:
    return int(time.monotonic() * 1000) & 0xFFFFFFFF
