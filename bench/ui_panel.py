"""A panel that takes tray icons, as far as a program needs one to show its icon (XEmbed, X11)."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import contextmanager
from queue import SimpleQueue
from time import monotonic
from typing import Any

_DOCK = 0


class Panel:
    """Takes every icon in. `docked` gets the second at which one asked for its place."""

    def __init__(self, display: Any) -> None:
        from Xlib import X  # noqa: PLC0415 - only where there is a screen

        self.docked: SimpleQueue[float] = SimpleQueue()
        self._display = display
        root = display.screen().root
        self._window = root.create_window(0, 0, 24, 24, 0, X.CopyFromParent)
        self._window.map()
        selection = display.intern_atom(f"_NET_SYSTEM_TRAY_S{display.get_default_screen()}")
        self._opcode = display.intern_atom("_NET_SYSTEM_TRAY_OPCODE")
        self._window.set_selection_owner(selection, X.CurrentTime)
        display.sync()

    def serve(self) -> None:
        """Take icons in until the connection is closed."""
        from Xlib import X  # noqa: PLC0415

        while True:
            try:
                event = self._display.next_event()
            except Exception:  # noqa: BLE001 - however the connection ends, that is the end
                return
            if event.type != X.ClientMessage or event.client_type != self._opcode:
                continue
            if event.data[1][1] == _DOCK:
                self.docked.put(monotonic())
                icon = self._display.create_resource_object("window", event.data[1][2])
                icon.reparent(self._window, 0, 0)
                icon.map()
                self._display.flush()


@contextmanager
def panel(screen: str) -> Generator[Panel]:
    """Have a panel on a screen for as long as the context lasts."""
    from Xlib.display import Display  # noqa: PLC0415

    display = Display(screen)
    made = Panel(display)
    thread = threading.Thread(target=made.serve, daemon=True)
    thread.start()
    try:
        yield made
    finally:
        display.close()
        thread.join(1.0)
