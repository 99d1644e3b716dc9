"""Starting with the desktop inside a Flatpak: the portal for background programs writes the entry, outside."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Mapping, Sequence

from jeepney import DBusAddress, DBusErrorResponse, HeaderFields, MatchRule
from jeepney import Message as Packet

from askance.domain.errors import InputError
from askance.domain.messages import Message
from askance.system.session_bus import open_session_bus

NAME = "org.freedesktop.portal.Desktop"
PATH = "/org/freedesktop/portal/desktop"
BACKGROUND = "org.freedesktop.portal.Background"
_REQUEST = "org.freedesktop.portal.Request"
_PORTAL = DBusAddress(PATH, NAME, BACKGROUND)
# The desktop may ask the user.
_LIMIT_S = 120.0


async def request_autostart(
    environment: Mapping[str, str], wanted: bool, command: Sequence[str]
) -> None:
    """Have the portal start a command of ours at login, or no longer.

    Raises:
        InputError: there is no such portal, or the user or the desktop says no.
    """
    try:
        async with asyncio.timeout(_LIMIT_S):
            granted = await _request(environment, wanted, command)
    except (OSError, DBusErrorResponse, TimeoutError) as exc:
        raise InputError(
            Message("The desktop's portal does not let Askance start at login.")
        ) from exc
    if granted is not wanted:
        raise InputError(
            Message("The desktop does not let Askance start at login."),
            fix=Message(
                "Allow it there: the settings of the desktop list what runs in the background."
            ),
        )


async def _request(
    environment: Mapping[str, str], wanted: bool, command: Sequence[str]
) -> bool | None:
    """Return whether it is started at login now; None where the user ended the request."""
    options = {
        "handle_token": ("s", f"askance_{secrets.token_hex(8)}"),
        "reason": ("s", str(Message("Askance waits for its hotkey."))),
        "autostart": ("b", wanted),
        "commandline": ("as", list(command)),
    }
    async with open_session_bus(environment) as bus:
        await bus.subscribe(MatchRule(type="signal", sender=NAME, interface=_REQUEST))
        (path,) = await bus.call(_PORTAL, "RequestBackground", "sa{sv}", "", options)

        def is_response(message: Packet) -> bool:
            fields = message.header.fields
            named = fields.get(HeaderFields.path), fields.get(HeaderFields.member)
            return named == (path, "Response")

        status, results = (await bus.signal(is_response)).body
    if status:
        # Turning it off needs nobody's leave.
        return None if wanted else False
    return bool(results.get("autostart", ("b", wanted))[1])
