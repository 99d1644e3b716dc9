"""Each window read from end to end over the accessibility bus, as a screen reader does, and what it is made to say."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from desktop.display import IS_THERE, Screen, desktop
from desktop.walking import Walker, walking
from desktop.whole_steps import environment, is_here, served_world
from desktops.screen_reader import ScreenReader, screen_reader
from desktops.session import session, until
from servers.world import QUESTION
from ui.whole.neighbours import welcomed

pytestmark = [
    pytest.mark.desktops,
    pytest.mark.skipif(
        not (
            IS_THERE
            and shutil.which("dbus-daemon")
            and Path("/usr/libexec/at-spi-bus-launcher").exists()
        ),
        reason="no desktop: install the packages xvfb, openbox, picom, dbus-daemon and at-spi2-core",
    ),
]
BAR = ["Question", "Ask", "Menu", "Attach", "Web", "Chat", "Model: tiny:latest"]
TOOLS = ["New conversation", "History", "Pin", "Settings"]
TITLE = f"Title: {QUESTION}"
ANSWER = ["Sources", "Answer", "Copy", "Edit question"]
STATES: dict[str, tuple[tuple[str, ...], str, list[str]]] = {
    "history": (("Control_L", "h"), "Search conversations", ["History", "Search conversations", "Past conversations"]),
    "find": (("Control_L", "f"), "Find", [QUESTION, "Answer", "Find", "Before", "Next", "Questions", "Close"]),
    "keys": (("F1",), "Keys and commands", ["Keys and commands", "Ask, Enter", "Settings, Ctrl+,"]),
    "wide": (("Control_L", "b"), "Question", [
        "Menu", "Search conversations", "New conversation", "In this conversation", "Past conversations", TITLE, "Unpin",
        "Settings", QUESTION, "Answer", "Question", "Ask", "Attach", "Sources of this answer", "Open at this sentence",
    ]),
    "settings": (("Control_L", "comma"), "General", [
        "Pages of the settings", "General", "About", "Search settings", "Start at login", "Suggest next questions",
    ]),
}  # fmt: skip
"""By what keys each is opened, what has the focus then, and what is read in it, in this order, among others."""


@contextmanager
def listening(
    folder: Path, home: Path, *, has_server: bool
) -> Iterator[tuple[Walker, ScreenReader]]:
    """Run the program on a screen of its own, with somebody who listens."""
    with session(desktop="openbox") as found, served_world() as around:
        found.start_bus([])

        @contextmanager
        def served(of: Path) -> Iterator[Screen]:
            with desktop(of, size="1366x768") as screen:
                names = ("DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR", "NO_AT_BRIDGE")
                screen.environment |= {name: found.environment[name] for name in names}
                yield screen

        more = environment(home, around, has_server=False)
        if has_server:
            more["ASKANCE_LLM__URL"] = around.model.url
        with (
            screen_reader(found) as reader,
            walking(folder, more, folder / "pictures", served) as walker,
        ):
            yield walker, reader


def read(reader: ScreenReader, focus: str, order: list[str]) -> None:
    """Read all, once the focus is there: nothing lacks a name, and these names come in this order."""

    def has_focus() -> bool:
        return any(part.has_focus and part.name == focus for part in reader.parts("askance"))

    until(has_focus, f"{focus} has not the focus")
    parts = reader.parts("askance")
    assert not [part for part in parts if part.needs_name and not part.name], parts
    names = iter([part.name for part in parts])
    missing = [name for name in order if not any(name == other for other in names)]
    assert not missing, [(part.role, part.name) for part in parts]


def test_every_window_is_read_from_end_to_end_and_the_answer_is_announced(tmp_path: Path) -> None:
    home = welcomed(tmp_path / "home")
    with listening(tmp_path, home, has_server=True) as (walker, reader):
        hands = walker.screen.hands
        walker.until(is_here)
        read(reader, "Question", [*BAR, *TOOLS])
        hands.type(QUESTION)
        hands.press("Return")
        # Stages before it are told where they take a while.
        reader.listen("Answer: The engineer Clara Whitlow was born")
        walker.until(lambda seen: seen["states"] == ["ANSWERED"])
        read(reader, "Question", [*BAR, TITLE, *TOOLS, QUESTION, *ANSWER])
        for state, (keys, focus, order) in STATES.items():
            hands.press(*keys)
            read(reader, focus, order)
            # What is wide stays so, and is unpinned.
            hands.press(*(("Control_L", "Shift_L", "p") if state == "wide" else ("Escape",)))
            walker.until(is_here)


def test_the_first_page_is_read_from_end_to_end(tmp_path: Path) -> None:
    with listening(tmp_path, tmp_path / "home", has_server=False) as (walker, reader):
        hands = walker.screen.hands
        walker.until(lambda seen: any("Choose a model" in text for text, _ in seen["buttons"]))
        hands.press("Alt_L", "Return")
        walker.until(lambda seen: "Download" in seen["focus"])
        main = walker.look()["focus"]
        read(
            reader,
            main,
            ["Askance", "Choose a model to download", main, "Another address…", "Try a demo"],
        )
