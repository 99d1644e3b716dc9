"""A connection to the session's D-Bus: calls one after the other, then signals as they come."""

from __future__ import annotations

import asyncio
import socket
from collections import deque
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from itertools import count
from typing import Any

from jeepney import (
    DBusAddress,
    HeaderFields,
    MatchRule,
    Message,
    MessageType,
    Parser,
    message_bus,
    new_method_call,
)
from jeepney.auth import BEGIN, Authenticator
from jeepney.bus import get_connectable_addresses

_BLOCK = 65_536


class CallFailed(Exception):
    """The other side answered with an error: its D-Bus name, and what it says."""

    def __init__(self, name: str, text: str) -> None:
        super().__init__(f"{name}: {text}")
        self.name = name
        self.text = text


class Bus:
    """An open connection. `name` is its own unique name on the bus.

    Its methods raise `OSError` where the bus is gone.
    """

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._parser = Parser()
        self._serials = count(1)
        self._signals: deque[Message] = deque()
        self.name = ""

    async def call(
        self, target: DBusAddress, method: str, signature: str = "", *values: Any
    ) -> tuple[Any, ...]:
        """Call a method and return the values of its reply.

        Raises:
            CallFailed: the reply is an error.
        """
        return await self._ask(new_method_call(target, method, signature or None, values))

    async def subscribe(self, rule: MatchRule) -> None:
        """Have the signals of a rule sent here from now on."""
        await self._ask(message_bus.AddMatch(rule))

    async def signal(self, is_wanted: Callable[[Message], bool]) -> Message:
        """Return the next signal that is wanted; the others before it are dropped."""
        while True:
            message = self._signals.popleft() if self._signals else await self._receive()
            if is_signal(message) and is_wanted(message):
                return message

    @contextmanager
    def hearing(
        self, heard: Callable[[Message], None], lost: Callable[[OSError], None]
    ) -> Generator[None, None, None]:
        """Hand over every signal while the context is open; `lost` is called once, at the end."""
        loop = asyncio.get_running_loop()

        def take() -> None:
            try:
                self._feed(self._socket.recv(_BLOCK))
            except BlockingIOError:
                return
            except OSError as exc:
                loop.remove_reader(self._socket)
                lost(exc)
                return
            hand_over()

        def hand_over() -> None:
            while self._signals:
                heard(self._signals.popleft())
            while (message := self._parser.get_next_message()) is not None:
                if is_signal(message):
                    heard(message)

        loop.add_reader(self._socket, take)
        try:
            hand_over()
            yield
        finally:
            loop.remove_reader(self._socket)

    async def begin(self) -> None:
        """Authenticate, and be given a name."""
        loop = asyncio.get_running_loop()
        proof = Authenticator()
        for line in proof:
            await loop.sock_sendall(self._socket, line)
            proof.feed(await self._more())
        await loop.sock_sendall(self._socket, BEGIN)
        (self.name,) = await self._ask(message_bus.Hello())

    async def _ask(self, message: Message) -> tuple[Any, ...]:
        serial = next(self._serials)
        loop = asyncio.get_running_loop()
        await loop.sock_sendall(self._socket, message.serialise(serial))
        while True:
            reply = await self._receive()
            if is_signal(reply):
                self._signals.append(reply)
            elif reply.header.fields.get(HeaderFields.reply_serial) == serial:
                break
        if reply.header.message_type is MessageType.error:
            text = reply.body[0] if reply.body and isinstance(reply.body[0], str) else ""
            raise CallFailed(reply.header.fields.get(HeaderFields.error_name, ""), text)
        return reply.body

    async def _receive(self) -> Message:
        while (message := self._parser.get_next_message()) is None:
            self._feed(await self._more())
        return message

    async def _more(self) -> bytes:
        return await asyncio.get_running_loop().sock_recv(self._socket, _BLOCK)

    def _feed(self, block: bytes) -> None:
        if not block:
            raise ConnectionResetError("the bus has hung up")
        self._parser.add_data(block)


def is_signal(message: Message) -> bool:
    """Whether a message is a signal."""
    return message.header.message_type is MessageType.signal


@asynccontextmanager
async def open_session_bus(environment: Mapping[str, str]) -> AsyncGenerator[Bus, None]:
    """Connect to the bus that the environment names.

    Raises:
        OSError: there is none, or it does not let us in.
    """
    address = _address(environment)
    with socket.socket(socket.AF_UNIX) as connection:
        connection.setblocking(False)
        await asyncio.get_running_loop().sock_connect(connection, address)
        bus = Bus(connection)
        try:
            await bus.begin()
        except (CallFailed, ValueError) as exc:
            raise ConnectionRefusedError(str(exc)) from exc
        yield bus


def _address(environment: Mapping[str, str]) -> str:
    if named := environment.get("DBUS_SESSION_BUS_ADDRESS"):
        try:
            return next(get_connectable_addresses(named))
        except (RuntimeError, ValueError) as exc:
            raise FileNotFoundError(f"{named} is no address of a bus on this machine") from exc
    if folder := environment.get("XDG_RUNTIME_DIR"):
        return f"{folder}/bus"
    raise FileNotFoundError("no session bus is named")
