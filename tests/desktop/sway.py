"""A desktop on Wayland: sway in a window that is all of an X server without a screen.

So what is pressed and seen goes through that server, as on a desktop on X.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from Xlib.display import Display

from desktop.display import Hands, Screen, whole
from system.x_server import XVFB, serve_x
from waiting import PATIENCE_S

SWAY = shutil.which("sway")
IS_THERE = bool(XVFB and SWAY and shutil.which("swaymsg"))
_CONFIG = """
output X11-1 resolution {width}x{height} position 0 0 background #335577 solid_color
default_border none
bindsym Mod1+F4 kill
"""
_NOBODY = 65534
_LOOK_S = 0.1


@contextmanager
def sway(_home: Path) -> Iterator[Screen]:
    """Run a screen with sway on it."""
    assert SWAY is not None
    with ExitStack() as leaving:
        server = leaving.enter_context(serve_x())
        display = Display(server.name)
        leaving.callback(display.close)
        area = whole(display)
        # Of its own, and short: a socket's path has 107 characters at most.
        folder = Path(leaving.enter_context(tempfile.TemporaryDirectory(prefix="sway-")))
        config = folder / "config"
        words = _CONFIG.format(width=area.width(), height=area.height())
        config.write_text(words, "utf-8")
        is_root = os.getuid() == 0  # as whom sway does not start
        if is_root:
            os.chown(folder, _NOBODY, _NOBODY)
            config.chmod(0o644)
        around = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "DISPLAY": server.name,
            "XDG_RUNTIME_DIR": str(folder),
            "WLR_BACKENDS": "x11",
            "WLR_RENDERER": "pixman",
        }
        process = subprocess.Popen(  # noqa: S603
            [SWAY, "--config", str(config)],
            env=around,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            user=_NOBODY if is_root else None,
            group=_NOBODY if is_root else None,
            extra_groups=[] if is_root else None,
        )
        leaving.callback(process.wait, PATIENCE_S)
        leaving.callback(process.terminate)
        found = {
            "WAYLAND_DISPLAY": str(_made(folder, "wayland-?", process)),
            "SWAYSOCK": str(_made(folder, "sway-ipc.*.sock", process)),
            "XDG_RUNTIME_DIR": str(folder),
            "QT_QPA_PLATFORM": "wayland",
        }
        yield Screen(display, Hands(display), found, area)


def _made(folder: Path, pattern: str, process: subprocess.Popen[bytes]) -> Path:
    """Wait for a socket of the compositor, which tells nobody when it is there."""
    ends = time.monotonic() + PATIENCE_S
    while not (sockets := list(folder.glob(pattern))):
        assert process.poll() is None, "sway has ended"
        assert time.monotonic() < ends, "sway did not come up"
        time.sleep(_LOOK_S)
    return sockets[0]
