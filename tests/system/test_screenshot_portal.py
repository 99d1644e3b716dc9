"""A picture of an area by the desktop's portal: drawn, cancelled, denied, unanswered, or not there."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path

import pytest
from jeepney import HeaderFields, Message

from askance.system import screenshot, session_bus
from servers.message_bus import needs_bus
from system.fake_portal import DENIED, FakePortal, serve_portal
from waiting import PATIENCE_S

pytestmark = needs_bus


@dataclass
class ScreenshotPortal(FakePortal):
    """Answers a request for a picture by its address, or refuses it."""

    uri: str = ""
    refuses: bool = False

    async def _answer(self, call: Message) -> None:
        self.client = call.header.fields[HeaderFields.sender]
        self.calls.append((call.header.fields[HeaderFields.member], call.body))
        if self.silent:
            return
        if self.refuses:
            await self._refuse(call, DENIED, "no")
            return
        results = {"uri": ("s", self.uri)} if self.uri else {}
        await self._respond(call, call.body[1]["handle_token"][1], self.answer, results)


async def taken(bus: str, portal: ScreenshotPortal) -> Path | OSError | None:
    async with asyncio.timeout(PATIENCE_S), serve_portal(bus, portal):
        try:
            return await screenshot.take({"DBUS_SESSION_BUS_ADDRESS": bus})
        except OSError as exc:
            return exc


async def test_a_picture_that_was_drawn_is_given_even_if_it_has_gone_meanwhile(
    bus: str, tmp_path: Path
) -> None:
    there = tmp_path / "a picture.png"
    assert await taken(bus, ScreenshotPortal(uri=there.as_uri())) == there


async def test_a_cancelled_one_is_none_and_a_denied_or_unanswered_one_an_error(
    bus: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await taken(bus, ScreenshotPortal(answer=1)) is None
    monkeypatch.setattr(session_bus, "_CALL_S", 0.2)
    for portal in (
        ScreenshotPortal(answer=2),
        ScreenshotPortal(refuses=True),
        ScreenshotPortal(silent=True),
    ):
        assert isinstance(await taken(bus, portal), OSError)
    assert not await screenshot.can_take({"DBUS_SESSION_BUS_ADDRESS": bus})
