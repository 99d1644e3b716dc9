"""From host names to the addresses behind them."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Protocol

from askance.adapters.reader.networks import Address


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a connection may go. A `trusted` one was named by the user and is not judged."""

    address: Address
    port: int
    trusted: bool = False


class Resolver(Protocol):
    """Finds the addresses of a name."""

    async def resolve(self, host: str, port: int) -> Sequence[Endpoint]:
        """Return all addresses of a name, best first.

        Raises:
            OSError: the name is not known, or nobody could be asked.
        """
        ...


class SystemResolver:
    """Asks the operating system."""

    async def resolve(self, host: str, port: int) -> Sequence[Endpoint]:
        """Return what `getaddrinfo` says, in its order, each address once."""
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses = dict.fromkeys(str(row[4][0]) for row in found)
        return [Endpoint(ip_address(address), port) for address in addresses]


class MappedResolver:
    """Sends exact names to exact places; every other name goes to another resolver.

    The sample web of the demo lives on loopback ports under names of its own. Only these names
    lead there: a literal address, or a redirect to one, is judged like any other.
    """

    def __init__(self, names: Mapping[str, tuple[str, int]], then: Resolver) -> None:
        self._names = {
            name.lower(): Endpoint(ip_address(address), port, trusted=True)
            for name, (address, port) in names.items()
        }
        self._then = then

    async def resolve(self, host: str, port: int) -> Sequence[Endpoint]:
        """Return the place that the name is mapped to, or what the other resolver says."""
        mapped = self._names.get(host.lower())
        return [mapped] if mapped else await self._then.resolve(host, port)
