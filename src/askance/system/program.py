"""How this program is started once more: by the desktop, by `askance toggle`, and as its children."""
# `askance toggle` is bound to a key, so this imports nothing that is heavy, such as pathlib.
# ruff: noqa: PTH111, PTH118, PTH120

from __future__ import annotations

import os
import sys

# What a type checker takes for true, without importing `typing`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from subprocess import Popen


# CREATE_NO_WINDOW: `subprocess`, which has it under Windows alone, takes a while to import.
NO_WINDOW = 0x0800_0000 if sys.platform == "win32" else 0
"""With this a child opens no console."""

FLATPAK_INFO = "/.flatpak-info"
"""The file by which a program finds that it runs inside a Flatpak."""

CHILD = "--child"
"""What the executable of a package takes, before a module of ours, for `python -m`."""


def is_packaged() -> bool:
    """Whether this is the executable of a package, which brings its Python along."""
    return bool(getattr(sys, "frozen", False))


def _with_streams() -> str:
    """Return the executable of the package; under Windows that which is made for a console."""
    if sys.platform != "win32":
        return sys.executable
    return os.path.join(os.path.dirname(sys.executable), "askance.exe")


def child_command(module: str) -> list[str]:
    """Return the command that runs a module of this program as a process of its own.

    A package knows only those that `packaging/entry.py` lists.
    """
    if is_packaged():
        return [_with_streams(), CHILD, module]
    # A file in the current folder must not stand in for a module.
    return [sys.executable, "-P", "-m", module]


def detached_child_command(module: str, environment: Mapping[str, str]) -> list[str]:
    """Return `child_command` for a child that outlives this process.

    An AppImage is mounted for as long as the process that it started: such a child needs a mount of its own.
    """
    if image := app_image(environment):
        # The AppImage's own file: it mounts itself again.
        return [image, CHILD, module]
    return child_command(module)


def app_image(environment: Mapping[str, str]) -> str:
    """Return the file that this program was started from as an AppImage; empty where it is none.

    Its variables are inherited: a terminal or an editor that is an AppImage has set them, too.
    """
    mounted = environment.get("APPDIR")
    is_inside = bool(mounted) and sys.executable.startswith(f"{mounted}/")
    return environment.get("APPIMAGE", "") if is_inside else ""


def own_command(environment: Mapping[str, str]) -> list[str]:
    """Return the command that starts this program, as it was installed."""
    if image := app_image(environment):
        return [image]
    # Under Windows a package has two executables, of which this one has a console.
    if is_packaged() and sys.platform != "win32":
        return [sys.executable]
    if script := _beside_python("askance.exe" if sys.platform == "win32" else "askance"):
        return [script]
    return [sys.executable, *([] if is_packaged() else ["-m", "askance"])]


def window_command(environment: Mapping[str, str]) -> list[str]:
    """Return the command that opens the window, without a console behind it."""
    if sys.platform != "win32":
        return own_command(environment)
    if windowed := _beside_python("askance-window.exe"):
        return [windowed]
    if is_packaged():
        return [sys.executable]
    # Its twin opens no console.
    return [_beside_python("pythonw.exe") or sys.executable, "-m", "askance"]


def _beside_python(name: str) -> str:
    """Return the path of an executable in the folder of the interpreter; empty if there is none."""
    script = os.path.join(os.path.dirname(sys.executable), name)
    return script if os.access(script, os.X_OK) else ""


def start_detached(
    command: list[str], environment: Mapping[str, str], *, hears_errors: bool = False
) -> Popen[bytes]:
    """Start a command that outlives this process and its terminal.

    With `hears_errors` its standard error is a pipe that leads here, which it leaves once it is up.

    Raises:
        OSError: it cannot be started.
    """
    import subprocess  # noqa: PLC0415 - few need it

    flags = 0
    if sys.platform == "win32":
        flags = subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP
    return subprocess.Popen(  # noqa: S603 - it is our own
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE if hears_errors else subprocess.DEVNULL,
        # A process keeps the file system of its current folder from being unmounted.
        cwd=os.path.expanduser("~"),
        env=dict(environment),
        # Closing the terminal ends what belongs to its session.
        start_new_session=True,
        creationflags=flags,
        close_fds=True,
    )
