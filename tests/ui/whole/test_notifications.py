"""What the desktop is told on a panel without icons: over a real message bus, by the whole program."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from typing import Any

import pytest

from askance.ui.shell.tray import Notifications
from servers.message_bus import needs_bus, serve_bus
from servers.model_script import role_of
from servers.notification_server import NotificationServer, serve_notifications
from servers.world import QUESTION
from ui.whole.conftest import Arrive
from ui.whole.neighbours import Neighbours
from ui.whole.person import Person
from waiting import PATIENCE_S

pytestmark = [
    pytest.mark.usefixtures("pages_here"),
    needs_bus,
]


class DesktopService:
    """A notification service in a thread of its own, on a bus of its own."""

    def __init__(self, address: str) -> None:
        self.address, self.server = address, NotificationServer()
        self._loop: asyncio.AbstractEventLoop
        self._ends: asyncio.Event
        self._there = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._live()))
        self._thread.start()
        assert self._there.wait(PATIENCE_S)

    async def _live(self) -> None:
        self._loop, self._ends = asyncio.get_running_loop(), asyncio.Event()
        async with serve_notifications(self.address, self.server):
            self._there.set()
            await self._ends.wait()

    def do(self, deed: Coroutine[Any, Any, None]) -> None:
        asyncio.run_coroutine_threadsafe(deed, self._loop).result(PATIENCE_S)

    def leave(self) -> None:
        self._loop.call_soon_threadsafe(self._ends.set)
        self._thread.join()


@pytest.fixture
def service() -> Iterator[DesktopService]:
    with serve_bus() as bus:
        made = DesktopService(bus.address)
        yield made
        made.leave()


def hide_before_the_answer(person: Person, around: Neighbours) -> None:
    held = around.model.hold(lambda r: r.path == "/api/chat" and role_of(r.json()) == "answer")
    person.ask()
    person.until(held.reached.is_set)
    person.overlay.hide()
    held.let_go()
    person.until_ended()


def test_the_desktop_tells_of_an_answer_and_a_click_shows_it(
    arrive: Arrive, around: Neighbours, service: DesktopService
) -> None:
    person = arrive(DBUS_SESSION_BUS_ADDRESS=service.address)
    hide_before_the_answer(person, around)
    person.until(lambda: service.server.shown)
    (notices,) = person.desktop.tray.findChildren(Notifications)
    assert notices._calls.is_under_way("shown")
    assert service.server.shown[0][3:5] == ("Answer ready", QUESTION)
    service.do(service.server.click(7))
    person.until(person.overlay.isVisible)
    person.until(lambda: service.server.closed == [7])


def test_what_the_user_has_seen_meanwhile_is_taken_back(
    arrive: Arrive, around: Neighbours, service: DesktopService
) -> None:
    person = arrive(DBUS_SESSION_BUS_ADDRESS=service.address)
    hide_before_the_answer(person, around)
    person.until(lambda: service.server.shown)
    person.summon()
    person.until(lambda: service.server.closed == [7])


def test_nothing_is_told_where_the_user_wants_none(
    arrive: Arrive, around: Neighbours, service: DesktopService
) -> None:
    person = arrive(DBUS_SESSION_BUS_ADDRESS=service.address, ASKANCE_WINDOW__NOTIFY="false")
    hide_before_the_answer(person, around)
    (notices,) = person.desktop.tray.findChildren(Notifications)
    assert not notices._calls.is_under_way("shown")
    person.summon()
    assert service.server.shown == []
