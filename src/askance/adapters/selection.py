"""Whether the program that holds what is selected on an X server would hand it over.

Asking one that hangs stops the window for many seconds, because Qt waits for each of its answers.
"""

from __future__ import annotations

import select
import time
from contextlib import closing

from Xlib import X, Xatom, error
from Xlib.display import Display

# A program that runs answers within a few milliseconds, a busy one within some tens.
LIMIT_S = 0.25
_GONE = (error.DisplayError, error.XauthError, error.ConnectionClosedError, OSError)


def owner_answers(display_name: str | None = None, limit_s: float = LIMIT_S) -> bool:
    """Ask the owner of the primary selection in what forms it has it; False if nothing comes.

    Without a name it is the display of the environment. Blocks for `limit_s` at the most, and must
    not be called where the selection is this program's own.
    """
    try:
        with closing(Display(display_name)) as display:
            return _answers(display, limit_s)
    except _GONE:
        return False


def _answers(display: Display, limit_s: float) -> bool:
    window = display.screen().root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)
    targets = display.intern_atom("TARGETS")
    window.convert_selection(Xatom.PRIMARY, targets, targets, X.CurrentTime)
    display.flush()
    ends_at = time.monotonic() + limit_s
    while True:
        while display.pending_events():
            said = display.next_event()
            if said.type == X.SelectionNotify:
                return said.property != X.NONE
        rest = ends_at - time.monotonic()
        if rest <= 0 or not select.select([display.fileno()], [], [], rest)[0]:
            return False
