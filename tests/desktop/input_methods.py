"""A desktop with fcitx5, on a message bus of its own."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from desktop.display import IS_THERE as HAS_DESKTOP
from desktop.display import Screen, desktop
from waiting import PATIENCE_S

METHODS = ("pinyin", "hangul", "unikey")
_FCITX, _REMOTE, _BUS = map(shutil.which, ("fcitx5", "fcitx5-remote", "dbus-daemon"))
_KNOWN = Path("/usr/share/fcitx5/inputmethod")
IS_THERE = bool(
    HAS_DESKTOP
    and _FCITX
    and _REMOTE
    and _BUS
    and all((_KNOWN / f"{name}.conf").exists() for name in METHODS)
)
_PROFILE = "[Groups/0]\nName=Default\nDefault Layout=us\nDefaultIM=pinyin\n"
_ITEM = "[Groups/0/Items/{n}]\nName={name}\nLayout=\n"
_LOOK_S = 0.1


@contextmanager
def desktop_with_fcitx(home: Path) -> Iterator[Screen]:
    """Run a screen on which fcitx5 waits to be switched on, set up as its guides say."""
    with ExitStack() as leaving:
        screen = leaving.enter_context(desktop(home))
        # Short: a socket's path has 107 characters at most. Programs that the bus has started write into
        # it until they see that the bus has gone.
        made = tempfile.TemporaryDirectory(prefix="fcitx-", ignore_cleanup_errors=True)
        folder = Path(leaving.enter_context(made))
        config = folder / "config" / "fcitx5"
        config.mkdir(parents=True)
        items = [_ITEM.format(n=n, name=name) for n, name in enumerate(("keyboard-us", *METHODS))]
        order = "[GroupOrder]\n0=Default\n"
        (config / "profile").write_text(_PROFILE + "".join(items) + order, "utf-8")
        bus = f"unix:path={folder / 'bus'}"
        around = {
            **screen.environment,
            "PATH": "/usr/bin:/bin",
            "HOME": str(folder),
            "LC_ALL": "C.UTF-8",
            "XDG_CONFIG_HOME": str(folder / "config"),
            "DBUS_SESSION_BUS_ADDRESS": bus,
        }
        for command in (
            [_BUS, "--session", "--nofork", f"--address={bus}"],
            [_FCITX, "--disable", "wayland,waylandim"],
        ):
            process = subprocess.Popen(  # noqa: S603
                [part for part in command if part],
                env=around,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            leaving.callback(process.wait, PATIENCE_S)
            leaving.callback(process.terminate)
            if command[0] == _BUS:
                _until((folder / "bus").exists)
        _until(lambda: remote(around).isdigit())
        found = {**around, "QT_IM_MODULE": "fcitx", "XMODIFIERS": "@im=fcitx"}
        del found["PATH"], found["HOME"]
        yield replace(screen, environment=found)


def remote(environment: dict[str, str], *arguments: str) -> str:
    """Ask something of fcitx5, and return what it says."""
    assert _REMOTE is not None
    asked = subprocess.run(  # noqa: S603
        [_REMOTE, *arguments],
        env={**environment, "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    return asked.stdout.strip() if asked.returncode == 0 else ""


def switch_to(environment: dict[str, str], method: str) -> None:
    """Switch an input method on, once a window has the keyboard."""

    def is_on() -> bool:
        remote(environment, "-s", method)
        return remote(environment, "-n") == method

    _until(is_on)


def _until(is_so: Callable[[], object]) -> None:
    ends = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < ends, "fcitx5 did not come up"
        time.sleep(_LOOK_S)  # another program: nothing else tells
