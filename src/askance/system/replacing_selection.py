"""Putting a text in the place of one that is selected in another program.

Only X11 lets a program do that: it says whose the selection is, and takes keys for another window. Under Wayland a
portal would have to be asked each time, and macOS and Windows want rights that this program does not ask for.
"""

# ruff: noqa: PLC0415 - Xlib is on Linux only

from __future__ import annotations

import sys
from collections.abc import Mapping


def can_replace_selection(environment: Mapping[str, str]) -> bool:
    """Return whether what is selected now, in another program, can be replaced. It asks an X server: some milliseconds."""
    if not _is_x11(environment):
        return False
    from askance.system.x11_selection import is_replaceable

    return is_replaceable(environment["DISPLAY"])


def replace_selection(environment: Mapping[str, str], selected: str, text: str) -> bool:
    """Put a text in the place of `selected`, if that is still selected; the clipboard is afterwards what it was.

    The other program gets the keyboard. Return whether it took the text; where not, nothing was changed. It blocks for
    some seconds at the most: not for the window's thread, whose clipboard it may have to read.
    """
    if not _is_x11(environment):
        return False
    from askance.system.x11_selection import replace

    return replace(environment["DISPLAY"], selected, text)


def _is_x11(environment: Mapping[str, str]) -> bool:
    # In a Wayland session the selection may be of a window that no X server knows.
    is_wayland = (
        environment.get("WAYLAND_DISPLAY") or environment.get("XDG_SESSION_TYPE") == "wayland"
    )
    return sys.platform == "linux" and bool(environment.get("DISPLAY")) and not is_wayland
