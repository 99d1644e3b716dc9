"""Starting at login inside a Flatpak: the portal is asked, and may say no."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest
from jeepney import HeaderFields, Message

from askance.domain.errors import InputError
from askance.system.session_bus import request_autostart
from servers.message_bus import needs_bus
from system.fake_portal import FakePortal, serve_portal
from waiting import PATIENCE_S

pytestmark = needs_bus
COMMAND = ["askance", "--hidden"]


@dataclass
class BackgroundPortal(FakePortal):
    """Answers a request for the background."""

    autostart: bool | None = True
    is_there: bool = True

    async def _answer(self, call: Message) -> None:
        self.client = call.header.fields[HeaderFields.sender]
        self.calls.append((call.header.fields[HeaderFields.member], call.body))
        if not self.is_there:
            await self._refuse(call, "org.freedesktop.DBus.Error.UnknownMethod", "no")
            return
        found: dict[str, Any] = {"background": ("b", True)}
        if self.autostart is not None:
            found["autostart"] = ("b", self.autostart)
        await self._respond(call, call.body[1]["handle_token"][1], self.answer, found)


async def ask(bus: str, portal: BackgroundPortal, *, wanted: bool) -> InputError | None:
    """Return what was told, or nothing where all is well."""
    async with asyncio.timeout(PATIENCE_S), serve_portal(bus, portal):
        try:
            await request_autostart({"DBUS_SESSION_BUS_ADDRESS": bus}, wanted, COMMAND)
        except InputError as exc:
            return exc
    return None


@pytest.mark.parametrize("wanted", [True, False])
async def test_the_portal_is_asked_for_just_that(bus: str, wanted: bool) -> None:
    portal = BackgroundPortal(autostart=wanted)
    assert await ask(bus, portal, wanted=wanted) is None
    ((method, (_, options)),) = portal.calls
    assert method == "RequestBackground"
    assert options["autostart"] == ("b", wanted)
    assert options["commandline"] == ("as", COMMAND)


@pytest.mark.parametrize(
    "portal",
    [
        BackgroundPortal(answer=1),
        BackgroundPortal(answer=2),
        BackgroundPortal(autostart=False),
        BackgroundPortal(is_there=False),
    ],
    ids=["declined", "failed", "not granted", "absent"],
)
async def test_a_no_is_told(bus: str, portal: BackgroundPortal) -> None:
    assert isinstance(await ask(bus, portal, wanted=True), InputError)


async def test_turning_it_off_needs_no_leave(bus: str) -> None:
    portal = BackgroundPortal(answer=1, autostart=None)
    assert await ask(bus, portal, wanted=False) is None


async def test_without_a_bus_it_is_told() -> None:
    with pytest.raises(InputError):
        await request_autostart({}, True, COMMAND)
