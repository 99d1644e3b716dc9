"""A desktop portal for global shortcuts, on a message bus of its own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from jeepney import (
    DBusAddress,
    HeaderFields,
    Message,
    MessageType,
    message_bus,
    new_error,
    new_method_return,
    new_signal,
)
from jeepney.io.asyncio import DBusConnection

from askance.system.hotkey.portal import REGISTRY, REQUEST, SESSION, SHORTCUTS
from askance.system.session_bus import PORTAL_NAME, PORTAL_PATH
from servers.notification_server import served_on_bus

UNKNOWN = "org.freedesktop.DBus.Error.UnknownMethod"
DENIED = "org.freedesktop.portal.Error.NotAllowed"


@dataclass
class FakePortal:
    """What the portal does and has heard."""

    has_registry: bool = True
    has_shortcuts: bool = True
    knows_entry: bool = True
    needs_name: bool = False
    silent: bool = False
    leaves_at_bind: bool = False
    answer: int = 0
    binds: bool = True
    keys: str | None = "Ctrl+Space"
    remembers: bool = False
    """Whether it has bound the shortcut in an earlier session, and lists it."""
    lists: bool = True
    calls: list[tuple[str, tuple[Any, ...]]] = field(default_factory=list)
    session: str = ""
    client: str = ""
    connection: DBusConnection | None = None
    registered: bool = False

    async def press(
        self, shortcut: str = "toggle", session: str = "", activation: str = ""
    ) -> None:
        """Tell that the keys of a shortcut were pressed."""
        record = {"activation_token": ("s", activation)} if activation else {}
        body = (session or self.session, shortcut, 1, record)
        await self._signal(PORTAL_PATH, SHORTCUTS, "Activated", "osta{sv}", body)

    async def close_session(self, session: str = "") -> None:
        """End a session."""
        await self._signal(session or self.session, SESSION, "Closed", "a{sv}", ({},))

    async def leave(self) -> None:
        """Give up the name on the bus."""
        assert self.connection is not None
        await self.connection.send(message_bus.ReleaseName(PORTAL_NAME))

    async def serve(self, connection: DBusConnection) -> None:
        self.connection = connection
        with suppress(EOFError, ConnectionError):  # the bus was stopped
            while True:
                message = await connection.receive()
                if message.header.message_type is MessageType.method_call:
                    await self._answer(message)

    async def _answer(self, call: Message) -> None:
        fields = call.header.fields
        self.client = fields[HeaderFields.sender]
        member = fields[HeaderFields.member]
        interface = fields[HeaderFields.interface]
        self.calls.append((member, call.body))
        if self.silent:
            return
        if interface == REGISTRY:
            await self._register(call)
        elif not self.has_shortcuts:
            await self._refuse(call, UNKNOWN, f"No such interface {SHORTCUTS}")
        elif member == "Get":
            await self._send(new_method_return(call, "v", (("u", 2),)))
        elif self.needs_name and not self.registered:
            await self._refuse(call, DENIED, "An app id is required")
        elif member == "CreateSession":
            await self._create(call)
        elif member == "ListShortcuts":
            await self._list(call)
        elif member == "BindShortcuts":
            await self._bind(call)

    async def _register(self, call: Message) -> None:
        if not self.has_registry:
            await self._refuse(call, UNKNOWN, "No such interface")
        elif not self.knows_entry:
            await self._refuse(call, "org.freedesktop.portal.Error.Failed", "App info not found")
        else:
            self.registered = True
            await self._send(new_method_return(call))

    async def _create(self, call: Message) -> None:
        options = call.body[0]
        self.session = f"{PORTAL_PATH}/session/x/{options['session_handle_token'][1]}"
        results = {"session_handle": ("s", self.session)}
        await self._respond(call, options["handle_token"][1], 0, results)

    async def _list(self, call: Message) -> None:
        token = call.body[1]["handle_token"][1]
        if not self.lists:
            await self._respond(call, token, 2, {})
            return
        bound = [("toggle", self._record)] if self.remembers else []
        await self._respond(call, token, 0, {"shortcuts": ("a(sa{sv})", bound)})

    @property
    def _record(self) -> dict[str, tuple[str, str]]:
        return {} if self.keys is None else {"trigger_description": ("s", self.keys)}

    async def _bind(self, call: Message) -> None:
        token = call.body[3]["handle_token"][1]
        if self.leaves_at_bind:
            await self._send(new_method_return(call, "o", (self._request(token),)))
            await self.leave()
            return
        bound = [("toggle", self._record)] if self.binds else []
        self.remembers = self.binds and self.answer == 0
        results = {"shortcuts": ("a(sa{sv})", bound)} if self.answer == 0 else {}
        await self._respond(call, token, self.answer, results)

    async def _respond(
        self, call: Message, token: str, status: int, results: dict[str, Any]
    ) -> None:
        # The response to somebody else's request comes first.
        await self._signal(f"{PORTAL_PATH}/request/x/other", REQUEST, "Response", "ua{sv}", (2, {}))
        await self._send(new_method_return(call, "o", (self._request(token),)))
        body = (status, results)
        await self._signal(self._request(token), REQUEST, "Response", "ua{sv}", body)

    def _request(self, token: str) -> str:
        return f"{PORTAL_PATH}/request/{self.client[1:].replace('.', '_')}/{token}"

    async def _refuse(self, call: Message, name: str, text: str) -> None:
        await self._send(new_error(call, name, "s", (text,)))

    async def _signal(
        self, path: str, interface: str, member: str, signature: str, body: tuple[Any, ...]
    ) -> None:
        emitter = DBusAddress(path, interface=interface)
        await self._send(new_signal(emitter, member, signature, body))

    async def _send(self, message: Message) -> None:
        assert self.connection is not None
        await self.connection.send(message)


@asynccontextmanager
async def serve_portal(address: str, portal: FakePortal) -> AsyncIterator[FakePortal]:
    """Have a portal on the bus while the context is open."""
    async with served_on_bus(address, PORTAL_NAME, portal.serve):
        yield portal
