"""Light and dark as the settings portal says it, on a real bus."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from jeepney import DBusAddress, message_bus, new_signal

from askance.system.qt_environment import misses_changes
from askance.system.session_bus import (
    PORTAL_NAME,
    PORTAL_PATH,
    SETTINGS,
    Bus,
    follow_color_scheme,
    open_session_bus,
)
from servers.message_bus import needs_bus, serve_bus
from waiting import PATIENCE_S

pytestmark = needs_bus
_PORTAL = DBusAddress(PORTAL_PATH, interface=SETTINGS)
APPEARANCE = "org.freedesktop.appearance"


@pytest.fixture
def environment() -> Iterator[dict[str, str]]:
    with serve_bus() as server:
        yield {"DBUS_SESSION_BUS_ADDRESS": server.address}


async def say(bus: Bus, value: tuple[str, object], key: str = "color-scheme") -> None:
    await bus.send(new_signal(_PORTAL, "SettingChanged", "ssv", (APPEARANCE, key, value)))


async def test_each_change_of_the_portal_is_reported(environment: dict[str, str]) -> None:
    seen = asyncio.Queue[str]()
    async with (
        asyncio.timeout(PATIENCE_S),
        open_session_bus(environment) as portal,
        open_session_bus(environment) as stranger,
        asyncio.TaskGroup() as group,
    ):
        await portal.ask(message_bus.RequestName(PORTAL_NAME))
        following = group.create_task(follow_color_scheme(environment, seen.put_nowait))
        while seen.empty():  # until it listens
            await say(portal, ("u", 1))
            await asyncio.sleep(0)
        assert await seen.get() == "dark"
        await say(stranger, ("u", 0))
        await stranger.ask(
            message_bus.NameHasOwner(PORTAL_NAME)
        )  # the bus has passed on what it sent before
        await say(portal, ("(ddd)", (0.1, 0.2, 0.3)), key="accent-color")
        await say(portal, ("s", "dark"))
        await say(portal, ("u", 2))
        while (change := await seen.get()) == "dark":
            pass
        assert change == "light"
        await say(portal, ("u", 0))
        assert await seen.get() == ""
        following.cancel()


async def test_it_ends_where_there_is_no_bus() -> None:
    await follow_color_scheme({"DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere/bus"}, print)


def test_only_kde_needs_it() -> None:
    assert misses_changes({"XDG_CURRENT_DESKTOP": "KDE"})
    assert not misses_changes({"XDG_CURRENT_DESKTOP": "GNOME"})
    assert not misses_changes({})
