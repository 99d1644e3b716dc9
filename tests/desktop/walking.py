"""Somebody who walks through the program on a desktop, looking and pressing, and keeps a picture of each step."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint
from PySide6.QtGui import QImage

from desktop.display import Screen, desktop, middle
from waiting import PATIENCE_S

Serve = Callable[[Path], AbstractContextManager[Screen]]
PROGRAM = Path(__file__).with_name("seen_program.py")
BROWSER = Path(__file__).with_name("browser_window.py")
TESTS = Path(__file__).parents[1]
# Between two looks: each of them is answered by the program itself, between two of its events.
_LOOK_S = 0.1
# A caret blinks no faster than that.
_STILL_LOOKS = 4
_QUALITY = 85


class Walker:
    """The eyes and the hands."""

    hotkey: tuple[str, ...] = ("Control_L", "Alt_L", "a")
    """With what the window comes and goes."""

    def __init__(
        self,
        screen: Screen,
        process: subprocess.Popen[str],
        environment: Mapping[str, str],
        folder: Path,
    ) -> None:
        self.screen = screen
        self.environment = environment
        self._process = process
        self._folder = folder
        self._steps = 0

    def look(self) -> dict[str, Any]:
        """Return what is to be seen now."""
        return self._ask("look")

    def listen(self) -> list[list[Any]]:
        """Return role and name of all that a screen reader meets, in its order, and whether the keyboard can go there."""
        return self._ask("listen")

    def _ask(self, what: str) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{what}\n")
        self._process.stdin.flush()
        text = self._process.stdout.readline()
        assert text, "the program has ended"
        return json.loads(text)

    def until(self, is_so: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
        """Look until something is so, and return what is seen then."""
        ends = time.monotonic() + PATIENCE_S
        while not is_so(seen := self.look()):
            assert time.monotonic() < ends, seen
            time.sleep(_LOOK_S)  # the program is another one: nothing else tells
        return seen

    def until_shown(self, is_so: Callable[[], object]) -> None:
        """Look at the screen until something is so."""
        ends = time.monotonic() + PATIENCE_S
        while not is_so():
            assert time.monotonic() < ends, "the screen does not show it"
            time.sleep(_LOOK_S)

    def until_still(self) -> dict[str, Any]:
        """Look until nothing changes any more, and return what is seen then."""
        looks = [self.look()]

        def stands(seen: dict[str, Any]) -> bool:
            looks.append(seen)
            return len(looks) > _STILL_LOOKS and all(
                look["paper"] == seen["paper"] for look in looks[-_STILL_LOOKS:]
            )

        return self.until(stands)

    def keep(self, name: str) -> None:
        """Keep a picture of this step, once three in a row are the same: on a busy machine two were taken
        before a desktop had drawn what the program had."""
        self._steps += 1
        pictures: list[QImage] = []

        def stands() -> bool:
            pictures[:] = [*pictures[-2:], self.screen.picture()]
            return len(pictures) == 3 and pictures[0] == pictures[1] == pictures[2]

        self.until_shown(stands)
        self._folder.mkdir(parents=True, exist_ok=True)
        # Compressed little: a picture takes a tenth of a second else.
        path = self._folder / f"{self._steps:02}-{name}.png"
        assert pictures[0].save(str(path), quality=_QUALITY)

    def toggle(self) -> None:
        """Toggle the window by the command, as a key of the desktop does."""
        toggle = [sys.executable, "-m", "askance", "toggle"]
        subprocess.run(toggle, env=self.environment, check=True, timeout=PATIENCE_S)  # noqa: S603

    def click_button(self, words: str) -> None:
        """Click the button whose words match, once it is there and was at the same place in two looks."""
        before: list[int] = []

        def is_still(seen: dict[str, Any]) -> bool:
            nonlocal before
            places = [at for text, at in seen["buttons"] if re.search(words, text)]
            last, before = before, places[-1] if places else []
            return bool(before) and before == last

        self.until(is_still)
        self.click_in(before)

    def click_in(self, place: list[int]) -> None:
        """Click in the middle of what was seen at a place."""
        self.screen.hands.click(self.at(place))

    def at(self, place: list[int]) -> QPoint:
        """Return the middle of what was seen at a place, on the screen."""
        return middle(place)

    def ask(self, text: str) -> dict[str, Any]:
        """Click into the field, type a question in plain words, press Enter and read the answer."""
        before = self.until(lambda seen: seen["field"])
        self.screen.hands.click(middle(before["field"]))
        self.until(lambda seen: seen["active"] == "Askance" and seen["field_focused"])
        self.screen.hands.type(text)
        self.until(lambda seen: seen["typed"] == text)
        self.screen.hands.press("Return")
        count = len(before["states"]) + 1
        return self.until(
            lambda seen: len(seen["states"]) == count and seen["states"][-1] != "RUNNING"
        )


@contextmanager
def walking(
    folder: Path, environment: Mapping[str, str], pictures: Path, served: Serve = desktop
) -> Iterator[Walker]:
    """Start the program on a desktop of its own, with a browser that is only a window."""
    programs = folder / "programs"
    programs.mkdir()
    opener = programs / "xdg-open"
    opener.write_text(
        f'#!/bin/sh\nexec "{sys.executable}" "{BROWSER}" "$1" >/dev/null 2>&1\n', "utf-8"
    )
    opener.chmod(0o755)
    with served(folder) as screen:
        around = {
            **os.environ,
            **screen.environment,
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": os.pathsep.join(
                [str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])]
            ),
            **environment,
        }
        with (folder / "program.log").open("wb") as log:
            process = subprocess.Popen(  # noqa: S603 - this Python
                [sys.executable, str(PROGRAM)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=around,
                start_new_session=True,
            )
            try:
                yield Walker(screen, process, around, pictures)
            finally:
                process.terminate()
                # Not for the end of its output, which a browser that it has opened holds open too.
                process.wait(PATIENCE_S)
                for pipe in (process.stdin, process.stdout):
                    if pipe is not None:
                        pipe.close()
