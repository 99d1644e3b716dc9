"""Replies that no honest server sends, thousands of kinds of them, from a seed."""

from __future__ import annotations

import asyncio
import gzip
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

from servers.closing import close_server
from servers.loopback import Handler, Request, Wire

Garbling = Callable[[bytes], bytes]

_SCHEMES = ("http:", "https:", "HTTP:", "mailto:", "javascript:", "data:", "file:", "ftp:", "about:",
            "ws:", "blob:", "h\u0442tp:", "-:", ":", "", "1:", "view-source:", "tel:")  # fmt: skip
_SLASHES = ("//", "", "/", "///", "\\\\", "//\t", "%2f%2f")
_USERS = ("", "", "", "a@", "a:b@", "@", "a%40b@", "\u00e9@")
_HOSTS = ("site.example", "xn--a", "xn--", "xn--zzzzzzzzzz99999", "xn--\u00e9", "a..b", ".", "..", "-", "_", "[", "]",
          "[]", "[::1]", "[::", "[v1.x]", "[::ffff:1.2.3.4%25eth0]", "127.0.0.1", "0x7f.1", "2130706433", "1.2.3.4.5",
          "999999999999", "\u2460.\u2461.example", "b\u00fccher.example", "\u0660.example", "\u00ad.example", "\u200d.example",
          "a" * 64 + ".example", "a." * 130 + "example", "*", "a b", "%zz", "%00", "localhost", "\uff0e", "\U0001f4a9.example",
          "site.example.", "SITE.EXAMPLE", "\u3002", "", "http", "a,b", "a;b", "<a>", "{a}", "`", "^", "|")  # fmt: skip
_PORTS = (
    "",
    "",
    "",
    ":",
    ":80",
    ":443",
    ":0",
    ":65536",
    ":-1",
    ":x",
    ":80:80",
    ":" + "9" * 5000,
    ":\u0668\u0660",
)
_PATHS = ("", "/", "opaque", "/%", "/%zz", "/" + "../" * 300, "/\u00e9", "/ ", "/\t", "?", "?q=\u20ac", "#", "#\u00e9", "/[", "/]",
          "/\\", "//", "/;a=b", "/\x80", "/" + "a" * 9000, "/?" + "a&" * 4000, "/\ud7ff", "/\u2028", "/%c0%af", "/.", "/..")  # fmt: skip
_OWN = ("mailto:a@b", "javascript:alert(1)", "http:opaque", "http://xn--a", "http://[", "//[::", "?", "#", "\xff\xfe",
        "http://a:99999/", "http://\u00a0/", "http:///", "https:", "//", "///x", "..//..", "http://h\u2100.example/")  # fmt: skip


def seeded(seed: int) -> random.Random:
    """Chance that is the same in every run."""
    return random.Random(seed)  # noqa: S311 - nothing is kept secret by it


def location(chance: random.Random) -> bytes:
    """Where a redirect might lead, as the bytes of a header."""
    kind = chance.random()
    if kind < 0.1:
        return chance.choice(_OWN).encode()
    if kind < 0.25:
        return chance.randbytes(chance.randrange(1, 60)).replace(b"\n", b"")
    parts = (_SCHEMES, _SLASHES, _USERS, _HOSTS, _PORTS, _PATHS)
    written = "".join(chance.choice(part) for part in parts)
    encoded = written.encode(chance.choice(("utf-8", "utf-8", "utf-16", "latin-1")), "replace")
    return _flipped(chance, encoded) if kind > 0.85 else encoded


def redirecting(locations: list[bytes]) -> Handler:
    """Answer `/n` with a redirect to the n-th of them, and nothing else with a page."""

    async def handle(request: Request, wire: Wire) -> None:
        number = request.path[1:]
        if not number.isdecimal() or int(number) >= len(locations):
            await wire.send("no", 404)
            return
        status = (301, 302, 303, 307, 308)[int(number) % 5]
        twice = b"Location: /0\r\n" if int(number) % 50 == 49 else b""
        head = b"HTTP/1.1 %d Away\r\nLocation: %b\r\n%bContent-Length: 0\r\n\r\n"
        await wire.raw(head % (status, locations[int(number)], twice))

    return handle


_BODY = b"The harbour of Lindmouth was dredged in 1871.\n" * 40
_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
_LINES = (b"Content-Length: 5\r\n", b"Content-Length: -5\r\n", b"Content-Length: 99999999999999999999999\r\n",
          b"Content-Length: 5, 6\r\n", b"Content-Length: \xb2\r\n", b"Transfer-Encoding: chunked\r\n",
          b"Transfer-Encoding: gzip, chunked\r\n", b"Transfer-Encoding: \x00\r\n", b"Content-Encoding: gzip\r\n",
          b"Content-Encoding: gzip, gzip, gzip, gzip\r\n", b"Content-Encoding: deflate\r\n", b"Content-Encoding: \xff\r\n",
          b"Content-Encoding: br\r\n", b"Content-Type: \xff\xfe\r\n", b"Content-Type: text/html; charset=\x80\r\n",
          b"Set-Cookie: a=b; Expires=Wed, 99 Foo 99999 99:99:99 GMT; Domain=\xff\r\n", b"Connection: upgrade\r\nUpgrade: x\r\n",
          b"Connection: close, keep-alive, \xff\r\n", b"ETag: \xff\"\r\n", b"Retry-After: " + b"9" * 5000 + b"\r\n",
          b": no name\r\n", b"no colon\r\n", b" folded\r\n", b"N\x00L: x\r\n", b"Nul: \x00\r\n", b"X: " + b"x" * 40_000 + b"\r\n",
          b"a:\r\n" * 9000, b"\r\n", b"\r", b"\n", b"Location: \xff\r\n", b"Cache-Control: \xff\r\n", b"Host: x\r\n")  # fmt: skip
_STATUS = (b"HTTP/1.1 200 OK", b"HTTP/1.0 200 OK", b"HTTP/2 200", b"HTTP/0.9 200 OK", b"HTTP/1.1 2000 OK", b"HTTP/1.1 099 X",
           b"HTTP/1.1 -20 X", b"HTTP/1.1 200 \xff\xfe", b"HTTP/1.1  200 OK", b"HTTP/1.1", b"", b"ICY 200 OK", b"SSH-2.0-x",
           b"HTTP/1.1 101 Switch", b"HTTP/1.1 100 C\r\n\r\n" * 4000 + b"HTTP/1.1 200 OK", b"HTTP/1.1 304 N", b"HTTP/1.1 204 N",
           b"HTTP/1.1 206 P", b"HTTP/1.1 302 F", b"HTTP/1.1 999 X", b"\x15\x03\x01\x00\x02\x02\x46", b"HTTP/1.1 200",
           b"http/1.1 200 OK", b"HTTP/1.1 200 OK" + b"K" * 40_000, b"HTTP/1.1 103 E\r\nLink: <a>\r\n\r\nHTTP/1.1 200 OK")  # fmt: skip
_CHUNKS = (b"5\r\nhello\r\n", b"0\r\n\r\n", b"-1\r\n", b"g\r\n", b"5\r\nhel", b"5\r\nhello", b"5\r\nhelloX\r\n", b"\r\n", b"5;" + b"e" * 9000 + b"\r\nhello\r\n",
           b"fffffffffffffffff\r\n", b"1\r\nx\r\n" * 9000, b"0\r\nTrailer: x\r\n\r\n", b"0\r\n" + b"t:\r\n" * 9000 + b"\r\n", b"0x5\r\nhello\r\n",
           b"00000000000000000000005\r\nhello\r\n", b"5 \r\nhello\r\n", b"\x00\r\n", b"5\nhello\n")  # fmt: skip


def reply(chance: random.Random) -> bytes:
    """A reply that is broken, or only strange."""
    kind = chance.random()
    if kind < 0.25:
        some = b"".join(chance.choices(_LINES, k=chance.randrange(1, 4)))
        return (
            _HEAD
            + some
            + b"\r\n"
            + chance.choice((_BODY, gzip.compress(_BODY), b"", b"5\r\nhello\r\n0\r\n\r\n"))
        )
    if kind < 0.45:
        return chance.choice(_STATUS) + b"\r\n" + chance.choice(_LINES) + b"\r\n" + _BODY
    if kind < 0.7:
        chunks = b"".join(chance.choices(_CHUNKS, k=chance.randrange(1, 6)))
        return _HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + chunks
    if kind < 0.8:
        return chance.randbytes(chance.randrange(0, 3000))
    packed = gzip.compress(gzip.compress(_BODY) if kind > 0.95 else _BODY)
    whole = _HEAD + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed) + packed
    return garbling(chance)(whole)


def garbling(chance: random.Random, *, after: int = 0) -> Garbling:
    """A way to damage bytes: cut, flip, doubled, left out or put in, at a place behind `after`."""
    kind, where, noise = (
        chance.randrange(5),
        chance.random(),
        chance.randbytes(chance.randrange(1, 40)),
    )

    def garbled(data: bytes) -> bytes:
        at = min(after, len(data)) + int(where * max(0, len(data) - after))
        match kind:
            case 0:
                return data[:at]
            case 1:
                return data[:at] + bytes(byte ^ 0x55 for byte in data[at : at + 1]) + data[at + 1 :]
            case 2:
                return data[:at] + data[max(0, at - 50) :]
            case 3:
                return data[:at] + data[at + len(noise) :]
            case _:
                return data[:at] + noise + data[at:]

    return garbled


def _flipped(chance: random.Random, data: bytes) -> bytes:
    at = chance.randrange(len(data) + 1)
    return data[:at] + chance.randbytes(1).replace(b"\n", b"-") + data[at + 1 :]


@asynccontextmanager
async def damaging_relay(port: int, garblings: list[Garbling], head: int) -> AsyncIterator[int]:
    """A relay to a server on loopback, whose n-th connection damages what the server says behind
    its first `head` bytes. Yields the relay's own port.
    """
    count = 0
    ends: list[asyncio.StreamWriter] = []
    idle = asyncio.Semaphore(len(garblings))

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal count
        garbled = garblings[count % len(garblings)]
        count += 1
        async with idle:
            await relayed(reader, writer, garbled)

    async def relayed(
        reader: asyncio.StreamReader, writer: asyncio.StreamWriter, garbled: Garbling
    ) -> None:
        onward_reader, onward_writer = await asyncio.open_connection("127.0.0.1", port)
        ends.extend((onward_writer, writer))
        with suppress(ConnectionError):
            async with asyncio.TaskGroup() as group:
                group.create_task(_pass_on(reader, onward_writer))
                group.create_task(_damage(onward_reader, writer, garbled, head))
        for end in (onward_writer, writer):
            end.transport.abort()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        await close_server(server)
        for end in ends:
            end.transport.abort()
        for _ in garblings:
            await idle.acquire()


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError):
        while data := await reader.read(65_536):
            writer.write(data)


async def _damage(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, garbled: Garbling, head: int
) -> None:
    with suppress(ConnectionError):
        passed = 0
        while passed < head and (data := await reader.read(head - passed)):
            passed += len(data)
            writer.write(data)
        writer.write(garbled(await reader.read()))
        await writer.drain()
        writer.write_eof()
