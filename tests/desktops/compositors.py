"""The desktops on Wayland that the program is walked through, each without a screen.

Each has one screen of 1280 by 800, or two of them, and the key F9 bound to `askance toggle` in its own
configuration.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QSize
from PySide6.QtGui import QImage

from desktops.session import Session, until
from desktops.wayland_input import Hands, WaylandConnection, WlrootsInput

SIZE = QSize(1280, 800)
BACKGROUND = "#335577"
TOGGLE = f"{Path(sys.executable).parent / 'askance'} toggle"
_HEADLESS = {
    "WLR_BACKENDS": "headless",
    "WLR_RENDERER": "pixman",
    "WLR_LIBINPUT_NO_DEVICES": "1",
}


@dataclass(frozen=True)
class Layout:
    """How many screens there are, side by side, and how they are scaled."""

    screens: int = 1
    scale: float = 1.0

    @property
    def size(self) -> QSize:
        """The size of all screens together, in logical pixels."""
        width, height = int(SIZE.width() / self.scale), int(SIZE.height() / self.scale)
        return QSize(self.screens * width, height)


class Compositor(Protocol):
    """A desktop that can be started in a session."""

    name: str
    desktop: str
    """What XDG_CURRENT_DESKTOP says there."""
    packages: dict[str, str]
    """Debian's packages by the programs of theirs that are used."""

    def start(self, session: Session, layout: Layout) -> Hands:
        """Start it, and return the hands before it."""
        ...

    def picture(self, session: Session) -> QImage:
        """Return what its screens show, in their own pixels."""
        ...


def missing(compositor: Compositor) -> str:
    """Return why a desktop cannot be started here, with the packages to install; "" if it can."""
    lacking = sorted(
        {package for program, package in compositor.packages.items() if not shutil.which(program)}
    )
    if not lacking:
        return ""
    return f"{compositor.name} cannot be started: install the packages {', '.join(lacking)}"


class Sway:
    """sway, which tiles."""

    name, desktop = "sway", "sway"
    packages = {
        "sway": "sway", "swaybg": "swaybg", "grim": "grim", "dbus-daemon": "dbus-daemon",
        "gdbus": "libglib2.0-bin", "wl-copy": "wl-clipboard",
    }  # fmt: skip

    def start(self, session: Session, layout: Layout) -> Hands:
        config = session.folder / "sway.conf"
        outputs = "".join(
            f"output HEADLESS-{number + 1} resolution {SIZE.width()}x{SIZE.height()} "
            f"position {number * int(SIZE.width() / layout.scale)} 0 scale {layout.scale} "
            f"bg {BACKGROUND} solid_color\n"
            for number in range(layout.screens)
        )
        rest = f"default_border none\nbindsym Mod1+F4 kill\nbindsym F9 exec {TOGGLE}\n"
        config.write_text(outputs + rest, "utf-8")
        # Up to 1.7 it does not start as one who could become root.
        as_user = ["unshare", "--user", "--map-user=1000", "--map-group=1000"]
        command = [*(as_user if os.getuid() == 0 else []), "sway", "--config", str(config)]
        more = _HEADLESS | {"WLR_HEADLESS_OUTPUTS": str(layout.screens)}
        return _wlroots(session, "sway", command, more, layout)

    def picture(self, session: Session) -> QImage:
        return _grim(session)


class Labwc:
    """labwc, which stacks windows."""

    name, desktop = "labwc", "labwc:wlroots"
    packages = {**Sway.packages, "labwc": "labwc", "wlr-randr": "wlr-randr"}
    del packages["sway"]

    def start(self, session: Session, layout: Layout) -> Hands:
        folder = session.home / ".config" / "labwc"
        folder.mkdir(parents=True)
        (folder / "rc.xml").write_text(
            f"""<labwc_config><keyboard>
            <keybind key="F9"><action name="Execute" command="{TOGGLE}"/></keybind>
            <keybind key="A-F4"><action name="Close"/></keybind>
            </keyboard></labwc_config>""",
            "utf-8",
        )
        more = _HEADLESS | {"WLR_HEADLESS_OUTPUTS": str(layout.screens)}
        return _wlroots(session, "labwc", ["labwc"], more, layout)

    def picture(self, session: Session) -> QImage:
        return _grim(session)


def _wlroots(
    session: Session, name: str, command: list[str], more: dict[str, str], layout: Layout
) -> Hands:
    process = session.start(name, command, more)
    path = wayland_socket(session, process.poll)
    session.environment["WAYLAND_DISPLAY"] = path.name
    if name == "labwc":
        for number in range(layout.screens):
            at = f"{number * int(SIZE.width() / layout.scale)},0"
            session.run(
                [
                    "wlr-randr", "--output", f"HEADLESS-{number + 1}",
                    "--custom-mode", f"{SIZE.width()}x{SIZE.height()}",
                    "--pos", at, "--scale", str(layout.scale),
                ]
            )  # fmt: skip
        session.start("swaybg", ["swaybg", "--color", BACKGROUND])
    connection = WaylandConnection(path)
    session.leaving.callback(connection.close)
    return Hands(WlrootsInput(connection, layout.size))


def wayland_socket(session: Session, poll: Callable[[], int | None]) -> Path:
    """Wait for a compositor's socket, and return its path."""

    def sockets() -> list[Path]:
        assert poll() is None, "the compositor has ended"
        return list(session.runtime.glob("wayland-?"))

    until(sockets, "the compositor did not come up")
    return sockets()[0]


def _grim(session: Session) -> QImage:
    file = session.folder / "screen.png"
    session.run(["grim", str(file)])
    return QImage(str(file)).convertToFormat(QImage.Format.Format_RGB32)


DESKTOPS: tuple[Compositor, ...] = (Sway(), Labwc())
