"""A SOCKS5 proxy (RFC 1928) without authentication, for `servers.tunnels.serve_tunnels`."""

from __future__ import annotations

import asyncio
from ipaddress import IPv4Address, IPv6Address

_BY_NAME = 3
_ADDRESS_BYTES = {1: 4, 4: 16}


async def socks5(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> str:
    """Grant a tunnel. The place is named as the client named it: a host, or a resolved address."""
    version, methods = await reader.readexactly(2)
    assert version == 5
    await reader.readexactly(methods)
    writer.write(b"\x05\x00")
    _version, command, _reserved, kind = await reader.readexactly(4)
    assert command == 1
    if kind == _BY_NAME:
        host = (await reader.readexactly((await reader.readexactly(1))[0])).decode("ascii")
    else:
        raw = await reader.readexactly(_ADDRESS_BYTES[kind])
        host = str(IPv4Address(raw) if len(raw) == 4 else IPv6Address(raw))
    port = int.from_bytes(await reader.readexactly(2), "big")
    writer.write(b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")
    return f"{host}:{port}"
