"""What a test finds around it, on every machine: no desktop, our own fonts, a home of its own.

`take_up` is called before Qt, fontconfig or a bus is loaded; each process of a test run has a home of
its own, and so have the programs that its tests start.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path

import bare_machine

# The desktop at which the tests were started: its screen, buses, look, language and services.
_FOREIGN = (
    "DISPLAY", "WAYLAND_", "DBUS_", "XDG_", "QT_", "QML", "GTK_", "GDK_", "GNOME_", "KDE_", "DESKTOP_",
    "SESSION_MANAGER", "AT_SPI_", "NO_AT_BRIDGE", "XMODIFIERS", "XAUTHORITY", "FONTCONFIG_", "LANG", "LC_",
    "OLLAMA_", "SEARXNG_",
)  # fmt: skip
_FONTS = Path(__file__).with_name("fonts.conf")


def take_up() -> Path:
    """Put the process into the surroundings of the tests. Returns its home, which is new."""
    # Asked for by name: a desktop exports QT_QPA_PLATFORM for all its programs.
    platform = os.environ.get("ASKANCE_TEST_PLATFORM", "offscreen")
    retained = ("DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR")
    for name in list(os.environ):
        if name.startswith(_FOREIGN) and (platform == "offscreen" or name not in retained):
            del os.environ[name]
    home = Path(tempfile.mkdtemp(prefix="askance-test-"))
    if bare_machine.IS_BARE:
        bare_machine.hide(home / "programs")
    # Where the tools that real containers are tested with keep what is theirs.
    os.environ.setdefault("DOCKER_CONFIG", str(Path.home() / ".docker"))
    os.environ |= {
        "QT_QPA_PLATFORM": platform,
        "LC_ALL": "C.UTF-8",
        "FONTCONFIG_FILE": str(_FONTS),
        "HOME": str(home),
        "USERPROFILE": str(home),
    }
    # A container often forbids it. Then each program that a test starts would compile its modules
    # anew, which takes as long as all else in its start, and each process of a run all tests.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    # Neither have people: with it, what a program leaves in its buffers is never seen.
    os.environ.pop("PYTHONUNBUFFERED", None)
    # A program that was started in the background is deaf to Ctrl-C, and so are all that it starts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    return home


def leave(home: Path) -> None:
    """Remove the home of a process that has run its tests."""
    shutil.rmtree(home, ignore_errors=True)
