"""A connection to the session's D-Bus: calls one after the other, then signals as they come.

It is jeepney's plain connection and not its router, whose filters are never told that the bus has
hung up: who waits for a signal would wait for ever. It is opened here, because the library drops its
socket unclosed where the bus does not let it in.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from jeepney import (
    DBusAddress,
    DBusErrorResponse,
    HeaderFields,
    MatchRule,
    Message,
    MessageType,
    message_bus,
    new_method_call,
)
from jeepney.auth import BEGIN, Authenticator
from jeepney.bus import get_connectable_addresses
from jeepney.io.asyncio import DBusConnection
from jeepney.wrappers import unwrap_msg

_BLOCK = 65_536


class Bus:
    """An open connection. Its methods raise `OSError` where the bus is gone."""

    def __init__(self, connection: DBusConnection) -> None:
        self._connection = connection
        self._signals: deque[Message] = deque()

    async def call(
        self, target: DBusAddress, method: str, signature: str = "", *values: Any
    ) -> tuple[Any, ...]:
        """Call a method and return the values of its reply.

        Raises:
            DBusErrorResponse: the reply is an error.
        """
        return await self._ask(new_method_call(target, method, signature or None, values))

    async def subscribe(self, rule: MatchRule) -> None:
        """Have the signals of a rule sent here from now on."""
        await self._ask(message_bus.AddMatch(rule))

    async def signal(self, is_wanted: Callable[[Message], bool] = lambda _: True) -> Message:
        """Return the next signal that is wanted; the others before it are dropped."""
        while True:
            message = self._signals.popleft() if self._signals else await self._receive()
            if message.header.message_type is MessageType.signal and is_wanted(message):
                return message

    async def begin(self) -> None:
        """Authenticate, and be given a name."""
        proof = Authenticator()
        for line in proof:
            self._connection.writer.write(line)
            if not (block := await self._connection.reader.read(_BLOCK)):
                raise ConnectionResetError("the bus has hung up")
            proof.feed(block)
        self._connection.writer.write(BEGIN)
        await self._ask(message_bus.Hello())

    async def _ask(self, message: Message) -> tuple[Any, ...]:
        serial = next(self._connection.outgoing_serial)
        await self._connection.send(message, serial=serial)
        while True:
            reply = await self._receive()
            if reply.header.fields.get(HeaderFields.reply_serial) == serial:
                return unwrap_msg(reply)
            self._signals.append(reply)

    async def _receive(self) -> Message:
        try:
            return await self._connection.receive()
        except EOFError as exc:
            raise ConnectionResetError("the bus has hung up") from exc


@asynccontextmanager
async def open_session_bus(environment: Mapping[str, str]) -> AsyncGenerator[Bus, None]:
    """Connect to the bus that the environment names.

    Raises:
        OSError: there is none, or it does not let us in.
    """
    reader, writer = await asyncio.open_unix_connection(_address(environment))
    try:
        bus = Bus(DBusConnection(reader, writer))
        try:
            await bus.begin()
        except (DBusErrorResponse, ValueError) as exc:
            raise ConnectionRefusedError(str(exc)) from exc
        yield bus
    finally:
        writer.close()


def _address(environment: Mapping[str, str]) -> str:
    if named := environment.get("DBUS_SESSION_BUS_ADDRESS"):
        try:
            return next(get_connectable_addresses(named))
        except (RuntimeError, ValueError) as exc:
            raise FileNotFoundError(f"{named} is no address of a bus on this machine") from exc
    if folder := environment.get("XDG_RUNTIME_DIR"):
        return f"{folder}/bus"
    raise FileNotFoundError("no session bus is named")
