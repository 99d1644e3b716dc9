"""Somebody who walks through the program on one of the desktops, and keeps a picture of each step."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QColor, QImage

from desktop.display import middle, place_of_colour
from desktop.walking import BROWSER, PROGRAM, TESTS, Walker
from desktop.whole_steps import environment, served_world
from desktops.compositors import BACKGROUND, ONE_SCREEN, SIZE, Compositor, Layout
from desktops.session import Session, session, until
from desktops.wayland_input import Hands
from ui.whole.neighbours import Neighbours, neighbours, welcomed
from waiting import PATIENCE_S

PICTURES = os.environ.get("ASKANCE_TEST_PICTURES", "")
_PORTAL = "org.freedesktop.portal.Desktop"
# Where no window comes up.
_FREE = QPoint(20, 400)


@dataclass
class WaylandScreen:
    """What is to be seen on a desktop, and the hands before it."""

    compositor: Compositor
    session: Session
    layout: Layout
    hands: Hands

    @property
    def environment(self) -> dict[str, str]:
        return self.session.environment

    @property
    def corner(self) -> QPoint:
        """Where only windows are that fill the first screen."""
        return QPoint(20, SIZE.height() - 20)

    def picture(self) -> QImage:
        return self.compositor.picture(self.session)

    def colour(self, at: QPoint) -> QColor:
        picture = self.picture()
        return picture.pixelColor(at * (picture.width() / self.layout.size.width()))


class DesktopWalker(Walker):
    """The eyes and the hands. The program is not told where its window is: the picture shows it."""

    screen: WaylandScreen
    hotkey = ("F9",)

    @property
    def session(self) -> Session:
        return self.screen.session

    @property
    def hands(self) -> Hands:
        return self.screen.hands

    def paper(self) -> QRect:
        """Return where the paper of the overlay is, in logical pixels of all screens together."""
        found: list[QRect] = []

        def is_found() -> bool:
            seen = self.look()
            if not seen["paper"]:
                return False
            picture = self.screen.picture()
            place = place_of_colour(picture, QColor(seen["paper_colour"]))
            ratio = picture.width() / self.screen.layout.size.width()
            found[:] = [QRect(place.topLeft() / ratio, place.size() / ratio)]
            _, _, width, height = seen["paper"]
            # Within the hairline, and without the part of a pixel that a scale leaves.
            return abs(found[0].width() - width) <= 4 and abs(found[0].height() - height) <= 4

        self.until_shown(is_found)
        return found[0]

    def until_gone(self) -> None:
        """Wait until the overlay is seen no more, as whoever brings it back does.

        Within the frame in which it goes, GNOME 43 shows nothing of a window that comes again.
        """
        colour = QColor(self.until(lambda seen: not seen["paper"])["paper_colour"])
        self.until_shown(lambda: place_of_colour(self.screen.picture(), colour).isEmpty())

    def at(self, place: list[int]) -> QPoint:
        """Return the middle of a part of the overlay, whose place in the window was seen, on the screen."""
        corner = QPoint(*self.look()["paper"][:2])
        return middle(place) - corner + self.paper().topLeft()

    def ask(self, text: str) -> dict[str, Any]:
        """Type a question where the focus is, press Enter and read the answer."""
        before = self.until(lambda seen: seen["field"] and seen["active"])
        self.hands.type(text)
        self.until(lambda seen: seen["typed"] == text)
        self.hands.press("Return")
        count = len(before["states"]) + 1
        return self.until(
            lambda seen: len(seen["states"]) == count and seen["states"][-1] != "RUNNING"
        )


@dataclass
class Room:
    """A desktop with the services that the program speaks to; the program is started on it."""

    screen: WaylandScreen
    around: Neighbours
    pictures: Path

    @property
    def session(self) -> Session:
        return self.screen.session

    @contextmanager
    def program(
        self, more: Mapping[str, str] | None = None, *arguments: str
    ) -> Iterator[DesktopWalker]:
        """Run the program."""
        environment = self.session.environment | dict(more or {})
        with (self.session.log / "program.log").open("ab") as log:
            process = subprocess.Popen(  # noqa: S603 - this Python
                [sys.executable, str(PROGRAM), *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=environment,
                start_new_session=True,
            )
            try:
                yield DesktopWalker(self.screen, process, environment, self.pictures)  # type: ignore[arg-type]
            finally:
                process.terminate()
                process.wait(PATIENCE_S)
                for pipe in (process.stdin, process.stdout):
                    if pipe is not None:
                        pipe.close()


@contextmanager
def room(
    compositor: Compositor,
    pictures: Path,
    *,
    layout: Layout = ONE_SCREEN,
    has_portal: bool = True,
    script: Any = None,
    is_bare: bool = False,
) -> Iterator[Room]:
    """Have a desktop whose user has been welcomed, with the entry of the program in its menu.

    With `is_bare` there is no model yet, but a hub (`served_world`).
    """
    world = served_world() if is_bare else neighbours(script)
    with world as around, session(desktop=compositor.desktop) as found:
        home = found.home / "askance"
        own = {"PYTHONPATH": str(TESTS)}
        if is_bare:
            own = environment(home, around, has_server=False) | {"ASKANCE_WINDOW__HOTKEY": ""}
        else:
            own |= around.environment(welcomed(home))
        programs = found.folder / "programs"
        programs.mkdir()
        opener = programs / "xdg-open"
        words = f'#!/bin/sh\nexec "{sys.executable}" "{BROWSER}" "$1" >/dev/null 2>&1\n'
        opener.write_text(words, "utf-8")
        opener.chmod(0o755)
        path = f"{programs}{os.pathsep}{found.environment['PATH']}"
        found.environment |= own | {"PATH": path}
        found.run([sys.executable, "-m", "askance", "menu"])
        # A portal that is called before the desktop is there finds no screen, and is of no use after it.
        found.start_bus([_PORTAL])
        hands, layout = compositor.start(found, layout)
        found.tell_bus(["WAYLAND_DISPLAY", "XDG_CURRENT_DESKTOP", "XDG_RUNTIME_DIR"])
        if has_portal:
            found.admit(_PORTAL)
            settings = "org.freedesktop.portal.Settings"
            path = "/org/freedesktop/portal/desktop"
            found.call(_PORTAL, path, settings, "ReadAll", "as", ["org.freedesktop.appearance"])
        screen = WaylandScreen(compositor, found, layout, hands)
        until(lambda: screen.colour(_FREE) == QColor(BACKGROUND), "the background is not there")
        yield Room(screen, around, pictures)
