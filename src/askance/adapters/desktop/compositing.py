"""Whether an X server has a compositor, without which no window can be seen through."""

from __future__ import annotations

from Xlib import X
from Xlib.display import Display

from askance.adapters.desktop.x_connection import XConnection, shared


def has_compositor(connection: XConnection = shared) -> bool:
    """Ask the server who owns the selection of its screen's compositor (EWMH, `_NET_WM_CM_Sn`).

    A server that cannot be asked is taken to have one, as most do.
    """
    return connection.ask(_is_owned, otherwise=True)


def _is_owned(display: Display) -> bool:
    name = f"_NET_WM_CM_S{display.get_default_screen()}"
    return display.get_selection_owner(display.intern_atom(name)) != X.NONE
