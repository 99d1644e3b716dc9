"""A desktop's notification service on a message bus, scripted from a test."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
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
from jeepney.io.asyncio import DBusConnection, open_dbus_connection

NAME = "org.freedesktop.Notifications"
_EMITTER = DBusAddress("/org/freedesktop/Notifications", interface=NAME)


class NotificationServer:
    """What it was asked, and what its user does. Its first notification has the number 7."""

    def __init__(self, *, refuses: bool = False) -> None:
        self.shown: list[tuple[Any, ...]] = []
        self.closed: list[int] = []
        self.changed = asyncio.Event()
        self._refuses = refuses
        self._connection: DBusConnection

    async def until(self, what: str, count: int) -> None:
        """Wait until so many were `shown`, or `closed`."""
        while len(getattr(self, what)) < count:
            self.changed.clear()
            await self.changed.wait()

    async def click(self, number: int, token: str = "") -> None:
        """Click a notification."""
        if token:
            await self._signal("ActivationToken", "us", (number, token))
        await self._signal("ActionInvoked", "us", (number, "default"))

    async def dismiss(self, number: int) -> None:
        """Close a notification as its user does."""
        await self._signal("NotificationClosed", "uu", (number, 2))

    async def serve(self, connection: DBusConnection) -> None:
        """Answer what comes."""
        self._connection = connection
        with suppress(EOFError, ConnectionError):
            while True:
                message = await connection.receive()
                if message.header.message_type is MessageType.method_call:
                    await self._answer(message)
                    self.changed.set()

    async def _answer(self, call: Message) -> None:
        if self._refuses:
            await self._connection.send(new_error(call, f"{NAME}.Error", "s", ("too many",)))
        elif call.header.fields[HeaderFields.member] == "Notify":
            self.shown.append(call.body)
            await self._connection.send(new_method_return(call, "u", (6 + len(self.shown),)))
        else:
            self.closed.append(call.body[0])
            await self._connection.send(new_method_return(call))

    async def _signal(self, member: str, signature: str, body: tuple[Any, ...]) -> None:
        await self._connection.send(new_signal(_EMITTER, member, signature, body))


@asynccontextmanager
async def served_on_bus(
    address: str, name: str, serve: Callable[[DBusConnection], Coroutine[Any, Any, None]]
) -> AsyncIterator[None]:
    """Have a service on a bus, under its name, while the context is open."""
    connection = await open_dbus_connection(address)
    await connection.send(message_bus.RequestName(name))
    await connection.receive()  # NameAcquired
    async with asyncio.TaskGroup() as group:
        serving = group.create_task(serve(connection))
        yield
        serving.cancel()
    with suppress(ConnectionError):
        await connection.close()


@asynccontextmanager
async def serve_notifications(
    address: str, server: NotificationServer
) -> AsyncIterator[NotificationServer]:
    """Have the service on the bus while the context is open."""
    async with served_on_bus(address, NAME, server.serve):
        yield server
