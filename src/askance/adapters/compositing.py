"""Whether an X server has a compositor, without which no window can be seen through."""

from __future__ import annotations

from contextlib import closing

from Xlib import X, error
from Xlib.display import Display

_NO_ANSWER = (error.DisplayError, error.XauthError, error.ConnectionClosedError, OSError)


def has_compositor(display_name: str | None = None) -> bool:
    """Ask the server who owns the selection of its screen's compositor (EWMH, `_NET_WM_CM_Sn`).

    Without a name it is the display of the environment. Takes two milliseconds. A server that cannot be asked is taken to have one, as most do.
    """
    try:
        with closing(Display(display_name)) as display:
            name = f"_NET_WM_CM_S{display.get_default_screen()}"
            return display.get_selection_owner(display.intern_atom(name)) != X.NONE
    except _NO_ANSWER:
        return True
