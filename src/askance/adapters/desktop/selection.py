"""Whether the program that holds what is selected on an X server would hand it over.

Asking one that hangs stops the window for many seconds, because Qt waits for each of its answers.
"""

from __future__ import annotations

import select
import time

from Xlib import X, Xatom
from Xlib.display import Display

from askance.adapters.desktop.x_connection import XConnection, shared

# A program that runs answers within a few milliseconds, a busy one within some tens.
LIMIT_S = 0.25


def owner_answers(connection: XConnection = shared, limit_s: float = LIMIT_S) -> bool:
    """Ask the owner of the primary selection in what forms it has it; False if nothing comes.

    Blocks for `limit_s` at the most, and must not be called where the selection is this program's
    own.
    """
    return connection.ask(lambda display: _answers(display, limit_s), otherwise=False)


def _answers(display: Display, limit_s: float) -> bool:
    window = display.screen().root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)
    targets = display.intern_atom("TARGETS")
    window.convert_selection(Xatom.PRIMARY, targets, targets, X.CurrentTime)
    display.flush()
    try:
        return _is_told(display, window.id, time.monotonic() + limit_s)
    finally:
        window.destroy()
        display.flush()


def _is_told(display: Display, window: int, ends_at: float) -> bool:
    while True:
        while display.pending_events():
            said = display.next_event()
            # One that was asked before may answer only now.
            if said.type == X.SelectionNotify and said.requestor.id == window:
                return said.property != X.NONE
        rest = ends_at - time.monotonic()
        if rest <= 0 or not select.select([display.fileno()], [], [], rest)[0]:
            return False
