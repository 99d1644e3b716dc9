"""Asking who holds the selection: answered soon, or not at all."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from Xlib import X, Xatom
from Xlib.display import Display
from Xlib.protocol import event

from askance.system.x11 import XConnection, owner_answers
from system.x_server import XServer, needs_x, serve_x
from waiting import PATIENCE_S, stretched

pytestmark = needs_x


@pytest.fixture
def server() -> Iterator[XServer]:
    with serve_x() as running:
        yield running


@pytest.fixture
def connection(server: XServer) -> Iterator[XConnection]:
    made = XConnection(server.name)
    yield made
    made.close()


@contextmanager
def owned(server: XServer) -> Iterator[Display]:
    """Select something; nobody is told what until `tell` is called."""
    display = Display(server.name)
    window = display.screen().root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)
    window.set_selection_owner(Xatom.PRIMARY, X.CurrentTime)
    display.sync()
    try:
        yield display
    finally:
        display.close()


def tell(display: Display) -> None:
    """Answer one question, as a program does that runs."""
    while (asked := display.next_event()).type != X.SelectionRequest:
        pass
    asked.requestor.change_property(asked.property, Xatom.ATOM, 32, [Xatom.STRING])
    asked.requestor.send_event(
        event.SelectionNotify(
            time=asked.time,
            requestor=asked.requestor,
            selection=asked.selection,
            target=asked.target,
            property=asked.property,
        )
    )
    display.flush()


def test_a_program_that_runs_answers(server: XServer, connection: XConnection) -> None:
    with owned(server) as display:
        answering = threading.Thread(target=tell, args=(display,))
        answering.start()
        assert owner_answers(connection, limit_s=PATIENCE_S)
        answering.join()


def test_one_that_hangs_is_waited_for_only_so_long(
    server: XServer, connection: XConnection
) -> None:
    with owned(server):
        began = time.monotonic()
        assert not owner_answers(connection, limit_s=0.1)
        assert 0.1 <= time.monotonic() - began < stretched(2)


def test_where_nothing_is_selected_nobody_is_waited_for(connection: XConnection) -> None:
    began = time.monotonic()
    assert not owner_answers(connection, limit_s=PATIENCE_S)
    assert time.monotonic() - began < PATIENCE_S / 2


def test_without_a_server_nothing_is_selected(tmp_path: Path) -> None:
    assert not owner_answers(XConnection(f"unix:{tmp_path}"))


def test_one_that_hung_is_asked_again_on_the_same_connection(
    server: XServer, connection: XConnection
) -> None:
    with owned(server) as display:
        assert not owner_answers(connection, limit_s=0.1)
        answering = threading.Thread(target=lambda: (tell(display), tell(display)))
        answering.start()
        assert owner_answers(connection, limit_s=PATIENCE_S)
        answering.join()


def test_where_the_server_is_gone_nothing_is_selected(connection: XConnection) -> None:
    with serve_x() as other:
        lost = XConnection(other.name)
        assert not owner_answers(lost, limit_s=10)
    assert not owner_answers(lost, limit_s=10)
    assert not owner_answers(connection, limit_s=10)
