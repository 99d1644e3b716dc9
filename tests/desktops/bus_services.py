"""What desktops lend to programs over the session's bus, played where a desktop has none of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from jeepney import (
    DBusAddress,
    HeaderFields,
    Message,
    MessageType,
    message_bus,
    new_error,
    new_method_call,
    new_method_return,
    new_signal,
)
from jeepney.io.asyncio import DBusConnection, open_dbus_connection

from desktops.session import Session
from system.fake_portal import UNKNOWN, FakePortal
from ui.whole.neighbours import loop_beside

PROPERTIES = "org.freedesktop.DBus.Properties"
WATCHER = "org.kde.StatusNotifierWatcher"
ITEM = "org.kde.StatusNotifierItem"
NOTIFICATIONS = "org.freedesktop.Notifications"
_PORTAL = "org.freedesktop.portal.Desktop"

Reply = tuple[str, tuple[Any, ...]]


@dataclass
class Service:
    """A service under one name: what it answers to each method, and what it was asked."""

    name: str
    answers: Mapping[str, Callable[[Message], Reply]]
    calls: list[Message] = field(default_factory=list[Message])
    connection: DBusConnection | None = None

    async def serve(self, connection: DBusConnection) -> None:
        self.connection = connection
        with suppress(EOFError, ConnectionError):
            while True:
                message = await connection.receive()
                if message.header.message_type is MessageType.method_call:
                    await connection.send(self._reply(message))

    async def call(self, address: DBusAddress, method: str, signature: str, *values: Any) -> None:
        """Call a method of somebody else, and wait for nothing."""
        assert self.connection is not None
        await self.connection.send(new_method_call(address, method, signature, values))

    async def emit(self, path: str, member: str, signature: str, *values: Any) -> None:
        """Send a signal of the interface that has the service's name."""
        assert self.connection is not None
        emitter = DBusAddress(path, interface=self.name)
        await self.connection.send(new_signal(emitter, member, signature, values))

    def asked(self, member: str) -> list[Message]:
        """Return the calls of a method."""
        return [call for call in self.calls if call.header.fields[HeaderFields.member] == member]

    def _reply(self, call: Message) -> Message:
        self.calls.append(call)
        answer = self.answers.get(call.header.fields[HeaderFields.member])
        if answer is None:
            return new_error(call, UNKNOWN, "s", ("There is no such method here",))
        return new_method_return(call, *answer(call))


class Tray(Service):
    """A watcher of tray icons. With `has_host` it says that a panel shows them."""

    def __init__(self, *, has_host: bool = True) -> None:
        values = {
            "IsStatusNotifierHostRegistered": ("b", has_host),
            "RegisteredStatusNotifierItems": ("as", []),
            "ProtocolVersion": ("i", 0),
        }
        super().__init__(
            WATCHER,
            {
                "RegisterStatusNotifierItem": lambda _: ("", ()),
                "Get": lambda call: ("v", (values[call.body[1]],)),
                "GetAll": lambda _: ("a{sv}", (values,)),
            },
        )

    @property
    def icon(self) -> DBusAddress | None:
        """The icon that was registered last."""
        asked = self.asked("RegisterStatusNotifierItem")
        if not asked:
            return None
        return DBusAddress(
            "/StatusNotifierItem", asked[-1].header.fields[HeaderFields.sender], ITEM
        )


class Notifications(Service):
    """A service that shows notifications with buttons."""

    def __init__(self) -> None:
        super().__init__(
            NOTIFICATIONS,
            {
                "Notify": lambda _: ("u", (7,)),
                "CloseNotification": lambda _: ("", ()),
                "GetCapabilities": lambda _: ("as", (["body", "actions"],)),
                "GetServerInformation": lambda _: ("ssss", ("fake", "askance", "1", "1.2")),
            },
        )

    async def press(self, token: str) -> None:
        """Press the last notification, with what lets a window come to the front."""
        path = "/org/freedesktop/Notifications"
        await self.emit(path, "ActivationToken", "us", 7, token)
        await self.emit(path, "ActionInvoked", "us", 7, "default")


class Beside:
    """The services, in a loop of their own."""

    def __init__(self, run: Callable[[Any], Any]) -> None:
        self.run = run


@contextmanager
def served(session: Session, *services: Service | FakePortal) -> Iterator[Beside]:
    """Have services on the session's bus."""
    with loop_beside() as run:
        tasks = [run(_begin(session.environment["DBUS_SESSION_BUS_ADDRESS"], s)) for s in services]
        try:
            yield Beside(run)
        finally:
            for task, connection in tasks:
                run(_end(task, connection))


async def _begin(
    address: str, service: Service | FakePortal
) -> tuple[asyncio.Task[None], DBusConnection]:
    connection = await open_dbus_connection(address)
    name = service.name if isinstance(service, Service) else _PORTAL
    await connection.send(message_bus.RequestName(name))
    await connection.receive()  # that the name is ours
    loop = asyncio.get_running_loop()
    return loop.create_task(service.serve(connection)), connection


async def _end(task: asyncio.Task[None], connection: DBusConnection) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    with suppress(ConnectionError):
        await connection.close()
