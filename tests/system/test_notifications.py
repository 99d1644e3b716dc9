"""Notifications over a real message bus: shown, clicked, closed, taken back, or not to be had."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from askance.system.session_bus import notify
from servers.message_bus import needs_bus, serve_bus
from servers.notification_server import NotificationServer, serve_notifications
from waiting import PATIENCE_S

pytestmark = needs_bus


async def told(bus: str, text: str = "Why?") -> str | None:
    environment = {"DBUS_SESSION_BUS_ADDRESS": bus}
    async with asyncio.timeout(PATIENCE_S):
        return await notify(environment, "io.example.Askance", "Answer ready", text, "Show")


@asynccontextmanager
async def notified(bus: str) -> AsyncIterator[tuple[NotificationServer, asyncio.Task[str | None]]]:
    """A notification that is shown, and the task that waits for its click."""
    async with (
        serve_notifications(bus, NotificationServer()) as server,
        asyncio.TaskGroup() as group,
    ):
        reporter = group.create_task(told(bus))
        await server.until("shown", 1)
        yield server, reporter


async def test_a_click_brings_the_token_with_which_a_window_may_come_forward(bus: str) -> None:
    async with notified(bus) as (server, reporter):
        await server.click(8, "another one's")
        await server.click(7, "let me in")
        assert await reporter == "let me in"
    (shown,) = server.shown
    assert shown[0] == "Askance"
    assert shown[3:6] == ("Answer ready", "Why?", ["default", "Show"])
    assert shown[6]["desktop-entry"] == ("s", "io.example.Askance")
    assert server.closed == [7]


async def test_a_desktop_without_tokens_tells_of_the_click_alone(bus: str) -> None:
    async with notified(bus) as (server, reporter):
        await server.click(7)
        assert await reporter == ""


async def test_one_that_is_dismissed_was_not_clicked(bus: str) -> None:
    async with notified(bus) as (server, reporter):
        await server.dismiss(7)
        assert await reporter is None
    assert server.closed == []


async def test_one_that_is_given_up_is_taken_back(bus: str) -> None:
    async with notified(bus) as (server, reporter):
        reporter.cancel()
        async with asyncio.timeout(PATIENCE_S):
            await server.until("closed", 1)
    assert server.closed == [7]


async def test_where_nobody_shows_it_nothing_happens(bus: str) -> None:
    assert await told(bus) is None
    assert await told("unix:path=/nowhere/at/all") is None
    assert await told("carrier pigeon") is None
    async with serve_notifications(bus, NotificationServer(refuses=True)):
        assert await told(bus) is None


async def test_a_bus_that_goes_takes_it_along() -> None:
    with serve_bus() as server:
        async with notified(server.address) as (_, reporter):
            server.stop()
            assert await reporter is None
