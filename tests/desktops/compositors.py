"""The desktops on Wayland that the program is walked through, each without a screen.

Each has one screen of 1280 by 800, or two of them, the key F8 bound to its second workspace, and F9 to `askance toggle` in its own
configuration.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from jeepney import DBusErrorResponse
from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, QSizeF
from PySide6.QtGui import QColor, QImage, QPainter
from Xlib import X
from Xlib.display import Display

from desktops.session import Session, until
from desktops.wayland_input import Hands, KwinInput, WaylandConnection, WlrootsInput
from system.x_server import serve_x

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
    """How many screens there are, side by side, and how they are scaled.

    A `last_scale` is that of the last screen alone.
    """

    screens: int = 1
    scale: float = 1.0
    last_scale: float = 0.0

    def scale_of(self, number: int) -> float:
        """Return the scale of a screen; the first has the number 0."""
        is_last = number == self.screens - 1
        return self.last_scale if is_last and self.last_scale else self.scale

    def left_of(self, number: int) -> int:
        """Return where a screen begins, in logical pixels."""
        return number * round(SIZE.width() / self.scale)

    @property
    def size(self) -> QSize:
        """The size of all screens together, in logical pixels."""
        last = self.screens - 1
        width = self.left_of(last) + round(SIZE.width() / self.scale_of(last))
        return QSize(width, round(SIZE.height() / min(self.scale, self.scale_of(last))))


ONE_SCREEN = Layout()


class Compositor(Protocol):
    """A desktop that can be started in a session."""

    name: str
    desktop: str
    """What XDG_CURRENT_DESKTOP says there."""
    packages: Mapping[str, str]
    """Debian's packages by the programs of theirs that are used."""

    def start(self, session: Session, layout: Layout) -> tuple[Hands, Layout]:
        """Start it, and return the hands before it, with the layout that it took."""
        ...

    def picture(self, session: Session) -> QImage:
        """Return what its screens show, in their own pixels."""
        ...

    def set_dark(self, session: Session, *, is_dark: bool) -> None:
        """Let the desktop be dark or light, as its own settings do."""
        ...


def missing(compositor: Compositor) -> str:
    """Return why a desktop cannot be started here, with the packages to install; "" if it can."""
    lacking = sorted(
        {package for program, package in compositor.packages.items() if not shutil.which(program)}
    )
    if not lacking:
        return ""
    return f"{compositor.name} cannot be started: install the packages {', '.join(lacking)}"


_OF_ALL = {"dbus-daemon": "dbus-daemon", "wl-copy": "wl-clipboard"}


class Sway:
    """sway, which tiles."""

    name, desktop = "sway", "sway"
    packages: Mapping[str, str] = _OF_ALL | {"sway": "sway", "swaybg": "swaybg", "grim": "grim"}

    def start(self, session: Session, layout: Layout) -> tuple[Hands, Layout]:
        config = session.folder / "sway.conf"
        outputs = "".join(
            f"output HEADLESS-{number + 1} resolution {SIZE.width()}x{SIZE.height()} "
            f"position {layout.left_of(number)} 0 scale {layout.scale_of(number)}\n"
            for number in range(layout.screens)
        )
        # sway begins with the first workspace that a key is bound to.
        keys = {"F7": "workspace 1", "F8": "workspace 2", "F9": f"exec {TOGGLE}", "Mod1+F4": "kill"}
        rest = "".join(["default_border none\n", *(f"bindsym {k} {v}\n" for k, v in keys.items())])
        config.write_text(outputs + rest, "utf-8")
        # Up to 1.7 it does not start as one who could become root. Later ones do, and a container may not
        # let anybody have other users.
        as_user = ["unshare", "--user", "--map-user=1000", "--map-group=1000"]
        is_refused = is_old_sway(self) and os.getuid() == 0
        command = [*(as_user if is_refused else []), "sway", "--config", str(config)]
        more = _HEADLESS | {"WLR_HEADLESS_OUTPUTS": str(layout.screens)}
        return _wlroots(session, "sway", command, more, layout)

    def picture(self, session: Session) -> QImage:
        return _grim(session)

    def set_dark(self, session: Session, *, is_dark: bool) -> None:
        _set_dark(session, is_dark=is_dark)


@cache
def is_old_sway(compositor: Compositor) -> bool:
    """Whether a desktop is the sway of Debian 12, 1.7, which cannot do all that later ones can."""
    if compositor.name != "sway":
        return False
    said = subprocess.run(["sway", "--version"], capture_output=True, check=True).stdout  # noqa: S607
    return b"version 1.7" in said


class Labwc:
    """labwc, which stacks windows."""

    name, desktop = "labwc", "labwc:wlroots"
    packages: Mapping[str, str] = _OF_ALL | {
        "labwc": "labwc", "wlr-randr": "wlr-randr", "swaybg": "swaybg", "grim": "grim",
    }  # fmt: skip

    def start(self, session: Session, layout: Layout) -> tuple[Hands, Layout]:
        folder = session.home / ".config" / "labwc"
        folder.mkdir(parents=True)
        (folder / "rc.xml").write_text(
            f"""<labwc_config><keyboard>
            <keybind key="F9"><action name="Execute" command="{TOGGLE}"/></keybind>
            <keybind key="F8"><action name="GoToDesktop" to="2"/></keybind>
            <keybind key="A-F4"><action name="Close"/></keybind>
            </keyboard><desktops number="2"/></labwc_config>""",
            "utf-8",
        )
        more = _HEADLESS | {"WLR_HEADLESS_OUTPUTS": str(layout.screens)}
        return _wlroots(session, "labwc", ["labwc"], more, layout)

    def picture(self, session: Session) -> QImage:
        return _grim(session)

    def set_dark(self, session: Session, *, is_dark: bool) -> None:
        _set_dark(session, is_dark=is_dark)


def _wlroots(
    session: Session, name: str, command: list[str], more: dict[str, str], layout: Layout
) -> tuple[Hands, Layout]:
    process = session.start(name, command, more)
    path = wayland_socket(session, process.poll)
    session.environment["WAYLAND_DISPLAY"] = path.name
    if name == "labwc":
        for number in range(layout.screens):
            session.run(
                [
                    "wlr-randr", "--output", f"HEADLESS-{number + 1}",
                    "--custom-mode", f"{SIZE.width()}x{SIZE.height()}",
                    "--pos", f"{layout.left_of(number)},0",
                    "--scale", str(layout.scale_of(number)),
                ]
            )  # fmt: skip
    _paint_background(session)
    connection = WaylandConnection(path)
    session.leaving.callback(connection.close)
    return Hands(WlrootsInput(connection, layout.size)), layout


def _paint_background(session: Session) -> None:
    # By a picture: of a colour swaybg gives a single pixel, which wlroots stretches to a gradient.
    file = session.folder / "background.png"
    picture = QImage(SIZE, QImage.Format.Format_RGB32)
    picture.fill(QColor(BACKGROUND))
    assert picture.save(str(file))
    session.start("swaybg", ["swaybg", "--mode", "fill", "--image", str(file)])


def wayland_socket(session: Session, poll: Callable[[], int | None]) -> Path:
    """Wait for a compositor's socket, and return its path."""

    def sockets() -> list[Path]:
        assert poll() is None, "the compositor has ended"
        return list(session.runtime.glob("wayland-?"))

    until(sockets, "the compositor did not come up")
    return sockets()[0]


def _set_dark(session: Session, *, is_dark: bool) -> None:
    scheme = "prefer-dark" if is_dark else "default"
    session.run(["gsettings", "set", "org.gnome.desktop.interface", "color-scheme", scheme])


def _grim(session: Session) -> QImage:
    file = session.folder / "screen.png"
    session.run(["grim", str(file)])
    return QImage(str(file)).convertToFormat(QImage.Format.Format_RGB32)


class Gnome:
    """GNOME's shell, which takes commands from the bus in its unsafe mode."""

    name, desktop = "gnome", "GNOME"
    packages: Mapping[str, str] = _OF_ALL | {
        "gnome-shell": "gnome-shell", "gjs": "gjs", "gsettings": "libglib2.0-bin",
    }  # fmt: skip

    def start(self, session: Session, layout: Layout) -> tuple[Hands, Layout]:
        session.environment["WAYLAND_DISPLAY"] = "wayland-1"
        keys = "org.gnome.settings-daemon.plugins.media-keys"
        place = "/org/gnome/settings-daemon/plugins/media-keys/custom-keybindings/askance/"
        for schema, key, value in (
            ("org.gnome.shell", "welcome-dialog-last-shown-version", "'9999'"),
            ("org.gnome.desktop.interface", "enable-animations", "false"),
            # It warns those who are root, in front of all windows.
            ("org.gnome.desktop.notifications", "show-banners", "false"),
            ("org.gnome.desktop.background", "picture-options", "'none'"),
            ("org.gnome.desktop.background", "primary-color", f"'{BACKGROUND}'"),
            ("org.gnome.desktop.background", "secondary-color", f"'{BACKGROUND}'"),
            (keys, "custom-keybindings", f"['{place}']"),
            (f"{keys}.custom-keybinding:{place}", "name", "'Askance'"),
            (f"{keys}.custom-keybinding:{place}", "command", f"'{TOGGLE}'"),
            (f"{keys}.custom-keybinding:{place}", "binding", "'F9'"),
            ("org.gnome.mutter", "dynamic-workspaces", "false"),
            ("org.gnome.desktop.wm.preferences", "num-workspaces", "2"),
            ("org.gnome.desktop.wm.keybindings", "switch-to-workspace-2", "['F8']"),
        ):
            session.run(["gsettings", "set", schema, key, value])
        size = f"{SIZE.width()}x{SIZE.height()}"
        screens = [part for _ in range(layout.screens) for part in ("--virtual-monitor", size)]
        command = ["gnome-shell", "--headless", "--unsafe-mode", "--no-x11", *screens]
        command += ["--wayland-display", "wayland-1"]
        device = GnomeInput(session)
        process = session.start("gnome-shell", command)
        try:
            until(device.is_ready, "GNOME's shell did not come up", process)
        except AssertionError:
            if process.poll() is not None:
                raise
            # One of 230 starts of 48.7 hung, before any window: none of its calls on the bus got an answer.
            process.kill()
            process.wait()
            process = session.start("gnome-shell", command)
            until(device.is_ready, "GNOME's shell did not come up twice", process)
        session.start("media-keys", ["/usr/libexec/gsd-media-keys"])
        until(lambda: session.has_name("org.gnome.SettingsDaemon.MediaKeys"), "no media keys")
        if layout.scale != 1 or layout.last_scale:
            layout = _scale_gnome(session, layout)
        device.prepare()
        return Hands(device), layout

    def picture(self, session: Session) -> QImage:
        file = session.folder / "screen.png"
        name, path = "org.gnome.Shell.Screenshot", "/org/gnome/Shell/Screenshot"
        session.call(name, path, name, "Screenshot", "bbs", False, False, str(file))
        return QImage(str(file)).convertToFormat(QImage.Format.Format_RGB32)

    def set_dark(self, session: Session, *, is_dark: bool) -> None:
        _set_dark(session, is_dark=is_dark)


class GnomeInput:
    """Virtual devices of Clutter, within the shell."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def run(self, script: str) -> str:
        """Run a line of JavaScript in the shell, and return what it gives, as JSON."""
        is_done, said = self._session.call(
            "org.gnome.Shell", "/org/gnome/Shell", "org.gnome.Shell", "Eval", "s", script
        )
        assert is_done, said
        return said

    def is_ready(self) -> bool:
        if not self._session.has_name("org.gnome.Shell"):
            return False
        with suppress(DBusErrorResponse, AssertionError):
            return self.run("Main.layoutManager._startingUp === false") == "true"
        return False

    def prepare(self) -> None:
        """Leave the overview, with which a session begins, and make the devices."""
        kinds = "Clutter.InputDeviceType"
        self.run(
            "const Clutter = imports.gi.Clutter;"
            "const seat = Clutter.get_default_backend().get_default_seat();"
            f"global.hand = seat.create_virtual_device({kinds}.POINTER_DEVICE);"
            f"global.keys = seat.create_virtual_device({kinds}.KEYBOARD_DEVICE);"
            "Main.overview.hide(); 0"
        )
        until(lambda: self.run("Main.overview.visible") == "false", "the overview stays")

    def move(self, to: QPoint) -> None:
        self.run(f"global.hand.notify_absolute_motion({_MICROSECONDS}, {to.x()}, {to.y()}); 0")

    def button(self, *, is_pressed: bool) -> None:
        self.run(f"global.hand.notify_button({_MICROSECONDS}, 1, {int(is_pressed)}); 0")

    def key(self, code: int, held: Iterable[str], *, is_pressed: bool) -> None:
        del held
        self.run(f"global.keys.notify_key({_MICROSECONDS}, {code}, {int(is_pressed)}); 0")


_MICROSECONDS = "imports.gi.GLib.get_monotonic_time()"


def _scale_gnome(session: Session, layout: Layout) -> Layout:
    """Scale all screens of GNOME, as its settings do, and return the layout that came of it.

    It offers scales at which a screen has whole logical pixels: for 1.5 it is 1.4917 here.
    """
    place = (
        "org.gnome.Mutter.DisplayConfig",
        "/org/gnome/Mutter/DisplayConfig",
        "org.gnome.Mutter.DisplayConfig",
    )
    serial, monitors, _, _ = session.call(*place, "GetCurrentState")
    offered: list[float] = monitors[0][1][0][5]

    def nearest(wanted: float) -> float:
        return min(offered, key=lambda scale: abs(scale - wanted)) if wanted else wanted

    taken = replace(layout, scale=nearest(layout.scale), last_scale=nearest(layout.last_scale))
    placed: list[Any] = []
    for number, (monitor, modes, _) in enumerate(monitors):
        of_monitor = [(monitor[0], modes[0][0], {})]
        left, scale = taken.left_of(number), taken.scale_of(number)
        placed.append((left, 0, scale, 0, number == 0, of_monitor))
    session.call(*place, "ApplyMonitorsConfig", "uua(iiduba(ssa{sv}))a{sv}", serial, 1, placed, {})
    return taken


class Kde:
    """KWin in windows that are all of an X server: without a graphics card it tells nobody what its own
    virtual screens show."""

    name, desktop = "kde", "KDE"
    packages: Mapping[str, str] = _OF_ALL | {"kwin_wayland": "kwin-wayland", "Xvfb": "xvfb", "swaybg": "swaybg",
        "kscreen-doctor": "libkscreen-bin (Debian 12: libkf5screen-bin and qtwayland5)", "plasma-apply-colorscheme": "plasma-workspace",
    }  # fmt: skip

    def __init__(self) -> None:
        self._displays: dict[str, tuple[Display, Layout]] = {}

    def start(self, session: Session, layout: Layout) -> tuple[Hands, Layout]:
        size = QSize(layout.screens * SIZE.width(), SIZE.height())
        server = session.leaving.enter_context(
            serve_x("-screen", "0", f"{size.width()}x{size.height()}x24")
        )
        entry = (
            f"[Desktop Entry]\nType=Application\nName=Toggle Askance\nExec={TOGGLE}\n"
            "X-KDE-Shortcuts=F9\n"
        )
        name = "askance-toggle.desktop"
        for folder in ("applications", "kglobalaccel"):
            place = session.home / ".local" / "share" / folder
            place.mkdir(parents=True, exist_ok=True)
            (place / name).write_text(entry, "utf-8")
        config = session.home / ".config"
        config.mkdir(exist_ok=True)
        (config / "kglobalshortcutsrc").write_text(
            f"[services][{name}]\n_launch=F9\n[kwin]\nSwitch to Desktop 2=F8,none,Switch to Desktop 2\n",
            "utf-8",
        )
        (config / "kwinrc").write_text("[Desktops]\nNumber=2\n", "utf-8")
        # By the version Qt knows the desktop.
        session.environment |= {
            "WAYLAND_DISPLAY": "wayland-1", "KDE_FULL_SESSION": "true", "KDE_SESSION_VERSION": "6",
        }  # fmt: skip
        session.tell_bus(["WAYLAND_DISPLAY", "XDG_CURRENT_DESKTOP", "XDG_RUNTIME_DIR"])
        # A copy has no capability for real-time, which a container may lack: there the file does not start.
        program = session.folder / "kwin_wayland"
        shutil.copy(shutil.which("kwin_wayland") or "", program)
        command = [
            str(program), "--x11-display", server.name, "--socket", "wayland-1",
            "--no-lockscreen", "--output-count", str(layout.screens),
            "--width", str(SIZE.width()), "--height", str(SIZE.height()),
        ]  # fmt: skip
        more = {"KWIN_WAYLAND_NO_PERMISSION_CHECKS": "1", "KWIN_COMPOSE": "Q"}
        process = session.start("kwin", command, more)
        path = wayland_socket(session, process.poll)
        until(lambda: session.has_name("org.kde.KWin"), "KWin did not come up", process)
        for number in range(layout.screens):
            if (scale := layout.scale_of(number)) != 1:
                session.run(["kscreen-doctor", f"output.X11-{number}.scale.{scale}"])
        display = Display(server.name)
        session.leaving.callback(display.close)
        self._displays[session.mark] = display, layout
        windows = [
            w for w in display.screen().root.query_tree().children if w.get_geometry().width > 1
        ]
        for number, window in enumerate(windows):
            window.configure(x=number * SIZE.width(), y=0)
        display.sync()
        _paint_background(session)
        connection = WaylandConnection(path)
        session.leaving.callback(connection.close)
        return Hands(KwinInput(connection)), layout

    def picture(self, session: Session) -> QImage:
        display, layout = self._displays[session.mark]
        root = display.screen().root
        # As others draw screens of different scales: all of them in the largest one.
        ratio = max(layout.scale, layout.last_scale)
        picture = QImage(layout.size * ratio, QImage.Format.Format_RGB32)
        picture.fill(0)
        with QPainter(picture) as painter:
            for number in range(layout.screens):
                left = number * SIZE.width()
                raw = root.get_image(left, 0, *SIZE.toTuple(), X.ZPixmap, 0xFFFFFFFF)
                screen = QImage(raw.data, *SIZE.toTuple(), QImage.Format.Format_RGB32)
                place = QRectF(
                    QPointF(layout.left_of(number), 0) * ratio,
                    QSizeF(SIZE) * ratio / layout.scale_of(number),
                )
                painter.drawImage(place, screen)
        return picture

    def set_dark(self, session: Session, *, is_dark: bool) -> None:
        session.run(["plasma-apply-colorscheme", "BreezeDark" if is_dark else "BreezeLight"])


DESKTOPS: tuple[Compositor, ...] = (Sway(), Labwc(), Gnome(), Kde())
