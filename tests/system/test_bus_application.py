"""The program's own name on a real bus: called, started by the bus, and let go again."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from jeepney import DBusAddress, DBusErrorResponse, MatchRule, message_bus

from askance.system.desktop_entry import APP_ID, dbus_service
from askance.system.session_bus import APPLICATION, PATH, Bus, open_session_bus, serve_application
from servers.message_bus import needs_bus, serve_bus
from waiting import PATIENCE_S

pytestmark = needs_bus
WINDOW = DBusAddress(PATH, APP_ID, APPLICATION)
PEER = DBusAddress("/", APP_ID, "org.freedesktop.DBus.Peer")
INTROSPECTABLE = DBusAddress(PATH, APP_ID, "org.freedesktop.DBus.Introspectable")


@pytest.fixture
def environment() -> Iterator[dict[str, str]]:
    with serve_bus() as server:
        yield {"DBUS_SESSION_BUS_ADDRESS": server.address}


async def until_owned(bus: Bus) -> None:
    """Wait until the program has its name: the bus tells of each new owner."""
    rule = MatchRule(type="signal", interface="org.freedesktop.DBus", member="NameOwnerChanged")
    await bus.subscribe(rule)
    if not (await bus.ask(message_bus.NameHasOwner(APP_ID)))[0]:
        await bus.signal(lambda message: message.body[:1] == (APP_ID,))


@asynccontextmanager
async def served(environment: dict[str, str]) -> AsyncIterator[tuple[Bus, list[Any]]]:
    """Have the application on the bus, and a connection of somebody else."""
    calls: list[Any] = []
    async with (
        asyncio.timeout(PATIENCE_S),
        open_session_bus(environment) as bus,
        asyncio.TaskGroup() as group,
    ):
        serving = group.create_task(serve_application(environment, calls.append))
        await until_owned(bus)
        yield bus, calls
        serving.cancel()


async def test_what_a_desktop_calls_is_handed_on_with_its_token(
    environment: dict[str, str],
) -> None:
    async with served(environment) as (bus, calls):
        await bus.call(WINDOW, "Activate", "a{sv}", {"desktop-startup-id": ("s", "old")})
        both = {"desktop-startup-id": ("s", "old"), "activation-token": ("s", "new")}
        await bus.call(WINDOW, "Activate", "a{sv}", both)
        await bus.call(WINDOW, "Open", "asa{sv}", ["file:///etc/hosts"], {})
        await bus.call(WINDOW, "ActivateAction", "sava{sv}", "toggle", [], {})
        await bus.call(WINDOW, "Activate", "a{sv}", {"activation-token": ("u", 7)})
    assert calls == [("", "old"), ("", "new"), ("", ""), ("toggle", ""), ("", "")]


async def test_it_says_what_it_can_and_refuses_all_else(environment: dict[str, str]) -> None:
    async with served(environment) as (bus, calls):
        (description,) = await bus.call(INTROSPECTABLE, "Introspect")
        assert APPLICATION in description
        await bus.call(PEER, "Ping")
        for target, method, signature, values in (
            (WINDOW, "Nonsense", "", ()),
            (WINDOW, "Activate", "s", ("x",)),
            (WINDOW, "ActivateAction", "s", ("toggle",)),
            (DBusAddress("/elsewhere", APP_ID, APPLICATION), "Activate", "a{sv}", ({},)),
        ):
            with pytest.raises(DBusErrorResponse, match="UnknownMethod"):
                await bus.call(target, method, signature, *values)
    assert calls == []


async def test_the_second_one_leaves_the_name_to_the_first(environment: dict[str, str]) -> None:
    async with served(environment) as (bus, calls):
        await serve_application(environment, calls.append)
        await bus.call(WINDOW, "Activate", "a{sv}", {})
    assert calls == [("", "")]


async def test_without_a_bus_nothing_happens(tmp_path: Path) -> None:
    nowhere = {"DBUS_SESSION_BUS_ADDRESS": f"unix:path={tmp_path}/bus"}
    await serve_application(nowhere, lambda _: None)
    await serve_application({}, lambda _: None)


async def test_it_ends_with_the_bus() -> None:
    with serve_bus() as server:
        environment = {"DBUS_SESSION_BUS_ADDRESS": server.address}
        async with asyncio.timeout(PATIENCE_S), open_session_bus(environment) as bus:
            serving = asyncio.Task(serve_application(environment, lambda _: None))
            await until_owned(bus)
            server.stop()
            await serving


_STARTED = """\
import asyncio, os, sys
from askance.system.session_bus import serve_application

def told(activation):
    with open(sys.argv[1], "w") as file:
        file.write(repr((activation, sys.argv[2:])))
    os._exit(0)

asyncio.run(serve_application(os.environ, told))
"""


async def test_the_bus_starts_what_its_file_names_whatever_is_in_the_path(tmp_path: Path) -> None:
    services = tmp_path / "services"
    services.mkdir()
    script = tmp_path / 'it\'s a "program" \\ of $HOME 100%.py'
    script.write_text(_STARTED)
    command = [sys.executable, str(script), str(tmp_path / "told")]
    (services / f"{APP_ID}.service").write_text(dbus_service(command))
    with serve_bus(services) as server:
        environment = {"DBUS_SESSION_BUS_ADDRESS": server.address}
        async with asyncio.timeout(PATIENCE_S), open_session_bus(environment) as bus:
            # It ends before it answers.
            with pytest.raises(DBusErrorResponse):
                await bus.call(WINDOW, "Activate", "a{sv}", {"activation-token": ("s", "x")})
    assert (tmp_path / "told").read_text() == repr((("", "x"), ["--hidden"]))
