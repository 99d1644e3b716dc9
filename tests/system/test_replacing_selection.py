"""A selection in another program is replaced, and the clipboard is what it was."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from Xlib import X, Xatom
from Xlib.display import Display

from askance.system.replacing_selection import can_replace_selection, replace_selection
from askance.system.x11 import event_of, hidden_window
from askance.system.x11_selection import LONGEST_BYTES
from system.text_field import SELECTED, TEXT
from system.x_server import Typist, XServer, needs_x, serve_x
from waiting import PATIENCE_S

OPENBOX = Path("/usr/bin/openbox")
pytestmark = [
    needs_x,
    pytest.mark.skipif(not OPENBOX.exists(), reason="openbox is not installed: install it"),
]
NEW = "new — “wörter”\nin two lines"


@dataclass
class Field:
    """The other program."""

    process: subprocess.Popen[str]

    def next(self, key: str) -> Any:
        """Return what it says next of this kind."""
        assert self.process.stdout
        for line in self.process.stdout:
            if key in (said := json.loads(line)):
                return said[key]
        raise AssertionError("it has ended")


@pytest.fixture(scope="module")
def server() -> Iterator[XServer]:
    with serve_x() as running:
        manager = subprocess.Popen([OPENBOX, "--sm-disable"], env=surroundings(running))  # noqa: S603
        yield running
        manager.kill()
        manager.wait()


def surroundings(server: XServer) -> dict[str, str]:
    plain = {
        k: v for k, v in os.environ.items() if k not in {"WAYLAND_DISPLAY", "XDG_SESSION_TYPE"}
    }
    return {**plain, "DISPLAY": server.name, "QT_QPA_PLATFORM": "xcb"}


@contextmanager
def field(server: XServer, *arguments: str) -> Iterator[Field]:
    command = [sys.executable, "-m", "system.text_field", *arguments]
    process = subprocess.Popen(  # noqa: S603
        command,
        env={**surroundings(server), "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield Field(process)
    finally:
        process.kill()
        process.communicate()


@contextmanager
def copied(server: XServer, texts: dict[str, bytes]) -> Iterator[None]:
    """A third program, whose clipboard holds these forms until another one copies."""
    display = Display(server.name)
    clipboard = display.intern_atom("CLIPBOARD")
    with hidden_window(display) as window:
        window.set_selection_owner(clipboard, X.CurrentTime)
        display.sync()
        forms = {display.intern_atom(name): text for name, text in texts.items()}
        serving = threading.Thread(target=_serve, args=(display, forms))
        serving.start()
        try:
            yield
        finally:
            taking = Display(server.name)
            with hidden_window(taking) as other:
                other.set_selection_owner(clipboard, X.CurrentTime)
                taking.sync()
                serving.join()
            taking.close()
    display.close()


def _serve(display: Display, forms: dict[int, bytes]) -> None:
    from askance.system.x11_selection import _offer  # noqa: PLC0415

    kinds = {form: (display.intern_atom("UTF8_STRING"), 8, text) for form, text in forms.items()}
    _offer(display, kinds, None)


def clipboard_of(server: XServer, form: str = "UTF8_STRING") -> bytes:
    """Return what a program gets that pastes; nothing where there is nothing."""
    display = Display(server.name)
    try:
        with hidden_window(display) as window:
            target, place = display.intern_atom(form), display.intern_atom("TEST")
            window.convert_selection(display.intern_atom("CLIPBOARD"), target, place, X.CurrentTime)
            answer = event_of(display, lambda e: e.type == X.SelectionNotify, PATIENCE_S)
            assert answer is not None
            found = window.get_full_property(place, X.AnyPropertyType)
            return bytes(found.value) if answer.property and found else b""
    finally:
        display.close()


def test_a_selection_is_replaced_and_the_clipboard_is_what_it_was(server: XServer) -> None:
    environment = surroundings(server)
    forms = {"UTF8_STRING": "früher".encode(), "text/html": b"<b>before</b>"}
    with field(server) as other, copied(server, forms):
        other.next("ready")
        assert can_replace_selection(environment)
        assert replace_selection(environment, f" {SELECTED}\n", NEW)
        assert other.next("text") == TEXT.replace(SELECTED, NEW)
        assert clipboard_of(server) == "früher".encode()
        assert clipboard_of(server, "text/html") == b"<b>before</b>"
        assert clipboard_of(server, "text/html") == b"<b>before</b>"


def test_an_empty_clipboard_is_empty_again(server: XServer) -> None:
    with field(server) as other:
        other.next("ready")
        assert replace_selection(surroundings(server), SELECTED, NEW)
        assert other.next("text") == TEXT.replace(SELECTED, NEW)
    assert clipboard_of(server) == b""


def test_what_cannot_be_written_to_takes_nothing(server: XServer) -> None:
    with field(server, "read-only") as other, copied(server, {"UTF8_STRING": b"before"}):
        other.next("ready")
        assert not replace_selection(surroundings(server), SELECTED, NEW)
        assert clipboard_of(server) == b"before"


@pytest.mark.parametrize("selected", ["other words", ""])
def test_nothing_is_pasted_over_another_selection(server: XServer, selected: str) -> None:
    with field(server) as other, copied(server, {"UTF8_STRING": b"before"}):
        other.next("ready")
        assert not replace_selection(surroundings(server), selected, NEW)
        assert not replace_selection(surroundings(server), SELECTED, "x" * (LONGEST_BYTES + 1))
        assert clipboard_of(server) == b"before"


def test_no_key_is_pressed_while_another_one_is_held(server: XServer) -> None:
    typist = Typist(server)
    with field(server) as other:
        other.next("ready")
        typist.hold("Shift_L")
        assert not replace_selection(surroundings(server), SELECTED, NEW)
        typist.press("Shift_L")
    typist.close()


def test_a_clipboard_that_cannot_be_read_is_left_alone(server: XServer) -> None:
    display = Display(server.name)
    with field(server) as other, hidden_window(display) as window:
        other.next("ready")
        window.set_selection_owner(display.intern_atom("CLIPBOARD"), X.CurrentTime)
        display.sync()
        assert not replace_selection(surroundings(server), SELECTED, NEW)
        owner: Any = display.get_selection_owner(display.intern_atom("CLIPBOARD"))
        assert owner.id == window.id
    display.close()


def test_where_nothing_is_selected_or_nobody_is_there_it_says_so(
    server: XServer, tmp_path: Path
) -> None:
    environment = surroundings(server)
    display = Display(server.name)
    with hidden_window(display) as window:
        window.set_selection_owner(Xatom.PRIMARY, X.CurrentTime)
    display.sync()
    display.close()
    for nowhere in (
        environment,
        {},
        {**environment, "WAYLAND_DISPLAY": "wayland-0"},
        {**environment, "XDG_SESSION_TYPE": "wayland"},
        {**environment, "DISPLAY": f"unix:{tmp_path}"},
    ):
        assert not can_replace_selection(nowhere)
        assert not replace_selection(nowhere, SELECTED, NEW)
