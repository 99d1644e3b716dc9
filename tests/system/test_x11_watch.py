"""What an X server tells of clicks, keys and compositors: that they were, and not which."""

from __future__ import annotations

import select
from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QPoint
from Xlib import X, Xatom
from Xlib.display import Display
from Xlib.ext import xtest
from Xlib.protocol import request

from askance.system import x11
from askance.system.x11_watch import News, XWatch, open_watch
from desktop.display import Hands
from system.x_server import XServer, needs_x, serve_x
from waiting import PATIENCE_S

pytestmark = needs_x


@pytest.fixture(scope="module")
def server() -> Iterator[XServer]:
    with serve_x() as served:
        yield served


@pytest.fixture
def hands(server: XServer) -> Iterator[Hands]:
    display = Display(server.name)
    yield Hands(display)
    display.close()


@pytest.fixture
def watch(server: XServer) -> Iterator[XWatch]:
    made = open_watch(server.name)
    assert made is not None
    yield made
    made.close()


def told(watch: XWatch, hands: Hands) -> set[News]:
    """Return what it tells, up to a compositor that comes after all that was done."""
    selection = hands.display.intern_atom("_NET_WM_CM_S0")
    window = hands.display.screen().root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)
    window.set_selection_owner(selection, X.CurrentTime)
    hands.display.sync()
    news: set[News] = set()
    while News.COMPOSITOR not in news:
        assert select.select([watch], [], [], PATIENCE_S)[0]
        found = watch.read()
        assert found is not None
        news |= found
    return news - {News.COMPOSITOR}


@pytest.mark.parametrize(
    "keys",
    [
        ("a",),
        ("Shift_L", "a"),
        ("1",),
        ("Return",),
        ("BackSpace",),
        ("Left",),
        ("Delete",),
        ("Alt_L", "Tab"),
    ],
)
def test_a_key_that_writes_or_moves_is_a_use_and_the_end_of_alt_and_tab(
    watch: XWatch, hands: Hands, keys: tuple[str, ...]
) -> None:
    assert watch.listen(True)
    hands.press(*keys)
    assert told(watch, hands) == {News.USE}


@pytest.mark.parametrize(
    "keys",
    [("Shift_L",), ("Control_L", "c"), ("Super_L", "F2"), ("F5",), ("Print",)],
)
def test_a_shortcut_and_a_key_of_the_desktop_are_none(
    watch: XWatch, hands: Hands, keys: tuple[str, ...]
) -> None:
    assert watch.listen(True)
    hands.press(*keys)
    assert told(watch, hands) == set()


def test_a_click_is_a_use_and_a_drag_is_none(watch: XWatch, hands: Hands) -> None:
    assert watch.listen(True)
    hands.click(QPoint(50, 60))
    assert told(watch, hands) == {News.USE}
    display = hands.display
    xtest.fake_input(display, X.ButtonPress, 1)
    display.sync()
    # Read while the button is down, as a hand leaves time for it.
    assert told(watch, hands) == set()
    hands.move(QPoint(200, 60))
    xtest.fake_input(display, X.ButtonRelease, 1)
    assert told(watch, hands) == set()


def test_nothing_is_told_unasked(watch: XWatch, hands: Hands) -> None:
    hands.type("a")
    assert told(watch, hands) == set()
    assert watch.listen(True)
    assert watch.listen(False)
    hands.type("a")
    assert told(watch, hands) == set()


def test_a_server_that_is_gone_tells_nothing() -> None:
    with serve_x() as ended:
        watch = open_watch(ended.name)
        assert watch is not None
        ended.stop()
        assert watch.read() is None
        watch.close()


def test_the_time_of_a_request_is_that_of_the_server_now(server: XServer) -> None:
    display = Display(server.name)
    x11._server_time(display)
    # The clock goes on: as long as the server tells another time by itself.
    window = display.screen().root.create_window(
        0, 0, 1, 1, 0, X.CopyFromParent, event_mask=X.PropertyChangeMask
    )
    start = _changed_at(display, window)
    while (now := _changed_at(display, window)) == start:
        pass
    assert x11._server_time(display) >= now
    display.close()


def _changed_at(display: Display, window: object) -> int:
    atom = display.intern_atom("ANY")
    window.change_property(atom, atom, 8, b"")  # type: ignore[attr-defined]
    changed = x11.event_of(display, lambda found: found.type == X.PropertyNotify, PATIENCE_S)
    assert changed is not None
    return changed.time


def test_the_number_of_a_name_is_asked_once_for_each_connection(
    server: XServer, hands: Hands, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = x11.XConnection(server.name)
    monkeypatch.setattr(x11, "shared", connection)
    asked: list[str] = []
    intern = request.InternAtom

    def counted(*things: Any, name: str, **named: Any) -> object:
        asked.append(name)
        return intern(*things, name=name, **named)

    monkeypatch.setattr(request, "InternAtom", counted)
    window = hands.display.screen().root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)
    hands.display.sync()
    try:
        for sides in ((1, 1, 1, 1), (2, 3, 4, 5)):
            x11.declare_frame(window.id, sides)
            x11.leave_lists(window.id, wanted=True, is_shown=False)
    finally:
        connection.close()
    assert len(asked) == len(set(asked)) > 1
    found = window.get_full_property(hands.display.get_atom("_GTK_FRAME_EXTENTS"), Xatom.CARDINAL)
    assert found is not None
    assert list(found.value) == [2, 3, 4, 5]
