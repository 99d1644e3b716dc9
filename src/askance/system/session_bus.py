"""The session's D-Bus: calls, signals, and the desktop's notifications."""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
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
_NAME = "org.freedesktop.Notifications"
SERVICE = DBusAddress("/org/freedesktop/Notifications", bus_name=_NAME, interface=_NAME)
_BUS = DBusAddress("/org/freedesktop/DBus", "org.freedesktop.DBus", "org.freedesktop.DBus")
# The name of the action that a click on the notification itself stands for.
_CLICK = "default"
_AS_LONG_AS_USUAL = -1


class Bus:
    """An open connection. Its methods raise `OSError` where the bus is gone.

    It is jeepney's plain connection and not its router, whose filters are never told that the bus
    has hung up: who waits for a signal would wait for ever.
    """

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
        return await self.ask(new_method_call(target, method, signature or None, values))

    async def subscribe(self, rule: MatchRule) -> None:
        """Have the signals of a rule sent here from now on."""
        await self.ask(message_bus.AddMatch(rule))

    async def signal(self, is_wanted: Callable[[Message], bool] = lambda _: True) -> Message:
        """Return the next signal that is wanted; the others before it are dropped."""
        while True:
            message = self._signals.popleft() if self._signals else await self._receive()
            if message.header.message_type is MessageType.signal and is_wanted(message):
                return message

    async def next_call(self) -> Message:
        """Return the next call of a method of ours; all that comes in between is dropped."""
        while True:
            message = self._signals.popleft() if self._signals else await self._receive()
            if message.header.message_type is MessageType.method_call:
                return message

    async def send(self, message: Message) -> None:
        """Send something that is not answered, such as a reply."""
        await self._connection.send(message)

    async def begin(self) -> None:
        """Authenticate, and be given a name."""
        proof = Authenticator()
        for line in proof:
            self._connection.writer.write(line)
            if not (block := await self._connection.reader.read(_BLOCK)):
                raise ConnectionResetError("the bus has hung up")
            proof.feed(block)
        self._connection.writer.write(BEGIN)
        await self.ask(message_bus.Hello())

    async def ask(self, message: Message) -> tuple[Any, ...]:
        """Send a call and return the values of its reply. Raises DBusErrorResponse: it is an error."""
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

    Not by the library, which drops its socket unclosed where the bus does not let it in.

    Raises:
        OSError: there is none, or it does not let us in.
    """
    if sys.platform == "win32":
        raise ConnectionRefusedError("Windows has no session bus")
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


async def reload_services(environment: Mapping[str, str]) -> None:
    """Have the bus read its folders of services anew. Nothing happens where there is no bus."""
    with suppress(OSError, DBusErrorResponse):
        async with open_session_bus(environment) as bus:
            await bus.call(_BUS, "ReloadConfig")


async def notify(
    environment: Mapping[str, str], app_id: str, title: str, text: str, press: str
) -> str | None:
    """Show a notification, and wait for what becomes of it; cancelled, it is taken back.

    It goes to the desktop's own service (Desktop Notifications Specification 1.2), for desktops
    whose panel takes no icon.

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


def _address(environment: Mapping[str, str]) -> str:
    if named := environment.get("DBUS_SESSION_BUS_ADDRESS"):
        try:
            return next(get_connectable_addresses(named))
        except (RuntimeError, ValueError) as exc:
            raise FileNotFoundError(f"{named} is no address of a bus on this machine") from exc
    if folder := environment.get("XDG_RUNTIME_DIR"):
        return f"{folder}/bus"
    raise FileNotFoundError("no session bus is named")
