"""What the desktop asks over the bus, and what its own settings say of autostart, reaches the window."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from askance.config.folders import find_folders
from askance.config.sources import load_settings
from askance.system.desktop_entry import APP_ID
from askance.system.integration import own_autostart
from askance.system.session_bus import APPLICATION, PATH, open_session_bus
from servers.message_bus import needs_bus, serve_bus
from ui.overlay_room import running
from waiting import patience

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the session bus: run it on Linux")


def call(address: str, method: str, signature: str, *values: object) -> None:
    """Call the program as a desktop does, once it is on the bus."""
    from jeepney import DBusAddress, message_bus  # noqa: PLC0415 - only Linux has it

    async def run() -> None:
        environment = {"DBUS_SESSION_BUS_ADDRESS": address}
        async with patience(), open_session_bus(environment) as bus:
            assert (await bus.ask(message_bus.NameHasOwner(APP_ID)))[0]
            await bus.call(DBusAddress(PATH, APP_ID, APPLICATION), method, signature, *values)

    asyncio.run(run())


@needs_bus
def test_the_window_comes_up_when_its_name_is_called(
    environment: dict[str, str], qtbot: QtBot
) -> None:
    from jeepney import message_bus  # noqa: PLC0415 - only Linux has it

    with serve_bus() as server:
        environment["DBUS_SESSION_BUS_ADDRESS"] = server.address

        def is_owned() -> bool:
            async def ask() -> bool:
                async with open_session_bus(environment) as bus:
                    return (await bus.ask(message_bus.NameHasOwner(APP_ID)))[0]

            return asyncio.run(ask())

        with running(environment) as desktop:
            qtbot.waitUntil(is_owned)
            desktop.welcomed_once()
            desktop.overlay.hide()
            token = {"activation-token": ("s", "let me in")}
            call(server.address, "Activate", "a{sv}", token)
            qtbot.waitUntil(desktop.overlay.isVisible)
            assert os.environ.pop("XDG_ACTIVATION_TOKEN") == "let me in"
            call(server.address, "ActivateAction", "sava{sv}", "toggle", [], {})
            qtbot.waitUntil(lambda: not desktop.overlay.isVisible())
        qtbot.waitUntil(lambda: not is_owned())


def test_who_is_new_is_welcomed_by_the_first_call(
    environment: dict[str, str], qtbot: QtBot
) -> None:
    with running(environment) as desktop:
        desktop.activate("")
        assert desktop.windows.first_run is not None
        assert desktop.windows.first_run.isVisible()
        assert not desktop.overlay.isVisible()


def test_the_call_that_started_it_never_hides_it(environment: dict[str, str], qtbot: QtBot) -> None:
    with running(environment) as desktop:
        desktop.welcomed_once()
        desktop.is_unasked = True  # and, without a tray, up already
        desktop.activate("toggle")
        qtbot.waitUntil(desktop.overlay.isActiveWindow)
        desktop.activate("toggle")
        assert not desktop.overlay.isVisible()


def test_what_the_desktop_or_an_installer_made_of_it_stands_in_the_settings_too(
    environment: dict[str, str], qtbot: QtBot
) -> None:
    file = find_folders(environment).settings_file
    file.parent.mkdir(parents=True)
    file.write_text("[window]\nautostart = true\n")
    autostart = own_autostart(environment)
    autostart.turn_on()
    with running(environment) as desktop:
        qtbot.waitUntil(lambda: not desktop._upkeep._calls._under_way)
    assert load_settings(file, environment).window.autostart
    Path(autostart.place).unlink()
    with running(environment):
        qtbot.waitUntil(lambda: not load_settings(file, environment).window.autostart)
    # As an installer does that offers it.
    autostart.turn_on()
    with running(environment):
        qtbot.waitUntil(lambda: load_settings(file, environment).window.autostart)


def test_the_switch_of_the_settings_writes_the_entry(
    environment: dict[str, str], qtbot: QtBot
) -> None:
    autostart = own_autostart(environment)
    with running(environment) as desktop:
        window = desktop.windows.show_settings("General")
        window.field("window.autostart").take("true")
        qtbot.waitUntil(lambda: bool(autostart.program()))
        window.field("window.autostart").take("false")
        qtbot.waitUntil(lambda: not autostart.program())


def test_a_new_version_is_told_of_below_the_field(
    environment: dict[str, str], qtbot: QtBot
) -> None:
    with running(environment) as desktop:
        desktop.obey("show")
        desktop._upkeep.update_found.emit("99.0")
        message = desktop.overlay.ask_bar.inline_message
        assert "99" in message._sentence.text()
        message._button.click()
        assert desktop.windows.settings is not None
        assert desktop.windows.settings.isVisible()
