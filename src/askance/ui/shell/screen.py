"""Whether there is a screen, asked before Qt is: that aborts the process where there is none."""

from __future__ import annotations

import re
import socket
import sys
from collections.abc import Mapping
from pathlib import Path

_PATIENCE_S = 1.0
# `:1`, `:1.0`, `unix:1`: displays of this machine, whose servers listen at a socket.
_LOCAL = re.compile(r"(?:unix)?:(\d+)(?:\.\d+)?")


def has_screen(environment: Mapping[str, str], platform: str = sys.platform) -> bool:
    """Whether a window can be shown: a platform of Qt's is named, or a display server answers.

    The display of another machine is taken to be there.
    """
    if platform in {"win32", "darwin"} or environment.get("QT_QPA_PLATFORM"):
        return True
    if wayland := environment.get("WAYLAND_DISPLAY"):
        # An absolute path replaces the folder.
        socket_ = Path(environment.get("XDG_RUNTIME_DIR", "/"), wayland)
        if _answers(str(socket_)):
            return True
    display = environment.get("DISPLAY", "")
    local = _LOCAL.fullmatch(display)
    if local is None:
        return bool(display)
    place = f"/tmp/.X11-unix/X{local[1]}"  # noqa: S108 - where X servers listen
    return _answers(f"\0{place}") or _answers(place)


def _answers(address: str) -> bool:
    with socket.socket(socket.AF_UNIX) as asked:
        asked.settimeout(_PATIENCE_S)
        try:
            asked.connect(address)
        except OSError:
            return False
        return True
