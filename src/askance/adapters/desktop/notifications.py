"""Notifications through the desktop's own service: for desktops whose panel takes no icon.

The interface is `org.freedesktop.Notifications` of the Desktop Notifications Specification 1.2.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from jeepney import DBusAddress, DBusErrorResponse, HeaderFields, MatchRule

from askance.adapters.desktop.session_bus import Bus, open_session_bus

_NAME = "org.freedesktop.Notifications"
SERVICE = DBusAddress("/org/freedesktop/Notifications", bus_name=_NAME, interface=_NAME)
# The name of the action that a click on the notification itself stands for.
_CLICK = "default"
_AS_LONG_AS_USUAL = -1


async def notify(
    environment: Mapping[str, str], app_id: str, title: str, text: str, press: str
) -> str | None:
    """Show a notification, and wait for what becomes of it; cancelled, it is taken back.

    `press` names what a click does, for desktops that show it. Returns None where the notification
    was not shown or was closed, and once it is clicked the token with which the desktop lets a
    window come to the front; it is empty on desktops that have none.
    """
    try:
        async with open_session_bus(environment) as bus:
            return await _shown(bus, app_id, title, text, press)
    except (OSError, DBusErrorResponse):
        return None


async def _shown(bus: Bus, app_id: str, title: str, text: str, press: str) -> str | None:
    # The signals come from whoever holds the name now: another program may not send them.
    await bus.subscribe(MatchRule(type="signal", sender=_NAME, interface=_NAME))
    hints = {"desktop-entry": ("s", app_id)}
    values = ("Askance", 0, app_id, title, text, [_CLICK, press], hints, _AS_LONG_AS_USUAL)
    async with asyncio.TaskGroup() as group:
        showing = group.create_task(_number_of_shown(bus, values))
        try:
            # Only the reply tells by which number it can be taken back.
            number = await asyncio.shield(showing)
            return None if number is None else await _token_of_click(bus, number)
        except OSError:
            return None
        except asyncio.CancelledError:
            if (number := await showing) is not None:
                await _take_back(bus, number)
            raise


async def _number_of_shown(bus: Bus, values: tuple[Any, ...]) -> int | None:
    """Show a notification, and return its number; None where the desktop refuses it."""
    try:
        (number,) = await bus.call(SERVICE, "Notify", "susssasa{sv}i", *values)
    except (OSError, DBusErrorResponse):
        return None
    return number


async def _token_of_click(bus: Bus, number: int) -> str | None:
    token = ""
    while True:
        signal = await bus.signal(lambda message: message.body[:1] == (number,))
        match signal.header.fields.get(HeaderFields.member), signal.body:
            case "ActivationToken", (_, str(token)):
                pass
            case "ActionInvoked", _:
                # Some desktops leave it standing.
                await _take_back(bus, number)
                return token
            case "NotificationClosed", _:
                return None
            case _:
                pass


async def _take_back(bus: Bus, number: int) -> None:
    with suppress(OSError, DBusErrorResponse):
        await bus.call(SERVICE, "CloseNotification", "u", number)
