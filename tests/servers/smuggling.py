"""Heads of requests that one server ends elsewhere than another does, and what a whole server makes of them."""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress

from waiting import patience

_BODY, _CHUNKED = "hello", "5\r\nhello\r\n0\r\n\r\n"


def _with(*lines: str, body: str = _BODY, version: str = "HTTP/1.1") -> str:
    head = [f"GET TARGET {version}", "Host: HOST", *lines, "", ""]
    return "\r\n".join(head) + body


SHAPES: dict[str, str] = {
    "a list of one length": _with("Content-Length: 5,5"),
    "a list with a space": _with("Content-Length: 5, 5"),
    "a list of two lengths": _with("Content-Length: 5, 0"),
    "an empty place in a list": _with("Content-Length: 5,"),
    "the same length twice": _with("Content-Length: 5", "Content-Length: 5"),
    "two lengths": _with("Content-Length: 5", "Content-Length: 0"),
    "two lengths in two spellings": _with("Content-Length: 5", "content-length: 05"),
    "a plus": _with("Content-Length: +5"),
    "a minus": _with("Content-Length: -5"),
    "hexadecimal": _with("Content-Length: 0x5"),
    "a zero in front": _with("Content-Length: 05"),
    "a fraction": _with("Content-Length: 5.0"),
    "an exponent": _with("Content-Length: 5e0"),
    "an underscore": _with("Content-Length: 0_5"),
    "two numbers": _with("Content-Length: 5 5"),
    "a space more in front": _with("Content-Length:  5"),
    "a space behind": _with("Content-Length: 5 "),
    "a tab": _with("Content-Length:\t5"),
    "no number": _with("Content-Length: "),
    "quotes": _with('Content-Length: "5"'),
    "other digits": _with("Content-Length: \xb2"),
    "more than there is": _with(f"Content-Length: {'9' * 30}"),
    "a space before the colon": _with("Content-Length : 5"),
    "a tab before the colon": _with("Content-Length\t: 5"),
    "a first line with a space": _with().replace("Host:", " Content-Length: 5\r\nHost:", 1),
    "a folded length": _with("Content-Length:", " 5"),
    "a length folded into another field": _with("X-A: b", "\tContent-Length: 5"),
    "a length under another name": _with("Content_Length: 5"),
    "a length and chunks": _with("Content-Length: 5", "Transfer-Encoding: chunked", body=_CHUNKED),
    "chunks and a length": _with("Transfer-Encoding: chunked", "Content-Length: 5", body=_CHUNKED),
    "chunks and no length": _with("Transfer-Encoding: chunked", "Content-Length: 0", body=_CHUNKED),
    "chunks twice": _with("Transfer-Encoding: chunked, chunked", body=_CHUNKED),
    "two codings": _with("Transfer-Encoding: gzip, chunked", body=_CHUNKED),
    "two lines of codings": _with(
        "Transfer-Encoding: chunked", "Transfer-Encoding: chunked", body=_CHUNKED
    ),
    "a coding that is none": _with("Transfer-Encoding: identity"),
    "a coding like chunks": _with("Transfer-Encoding: xchunked"),
    "a coding with a parameter": _with("Transfer-Encoding: chunked;a=b", body=_CHUNKED),
    "a coding behind a control character": _with("Transfer-Encoding: \x0bchunked", body=_CHUNKED),
    "a coding with a null": _with("Transfer-Encoding: chunked\x00", body=_CHUNKED),
    "a folded coding": _with("Transfer-Encoding:", " chunked", body=_CHUNKED),
    "a coding before a space": _with("Transfer-Encoding : chunked", body=_CHUNKED),
    "a coding under another name": _with("Transfer_Encoding: chunked", body=_CHUNKED),
    "chunks in HTTP/1.0": _with("Transfer-Encoding: chunked", body=_CHUNKED, version="HTTP/1.0"),
    "line feeds alone": _with("Content-Length: 5").replace("\r\n", "\n"),
    "one line feed alone": _with("X-A: b\nContent-Length: 5"),
    "an end of two line feeds": _with("Content-Length: 5").replace("\r\n\r\n", "\n\n"),
    "a carriage return alone": _with("X-A: b\rContent-Length: 5"),
    "two carriage returns": _with("X-A: b\r", "Content-Length: 5"),
    "a null in a field": _with("X-A: b\x00c"),
    "no colon": _with("Content-Length 5"),
    "no name": _with(": 5"),
    "two hosts": _with("Host: other.example"),
    "a version to come": _with(version="HTTP/1.2"),
    "a version of two": _with(version="HTTP/2.0"),
    "a small version": _with(version="http/1.1"),
    "two spaces": _with(version=" HTTP/1.1"),
    "a tab in the first line": _with().replace("GET TARGET", "GET\tTARGET", 1),
}
"""By what is odd about them; TARGET and HOST stand for what a server serves, and what it is called."""


async def told(port: int, shape: str, target: str) -> bytes:
    """Send an odd request, and one behind it that would be served; return all that comes until the server closes."""
    host = f"127.0.0.1:{port}"
    hidden = f"GET {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    request = shape.replace("TARGET", target).replace("HOST", host) + hidden
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    reply = b""
    try:
        with suppress(ConnectionError):
            writer.write(request.encode("latin-1"))
            async with patience():
                while piece := await reader.read(65_536):
                    reply += piece
        return reply
    finally:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()


async def wrongly_told(port: int, target: str) -> dict[str, bytes]:
    """Return what came of the shapes that were not refused with one reply 400 and a closed connection."""
    replies = {name: await told(port, shape, target) for name, shape in SHAPES.items()}
    return {name: reply for name, reply in replies.items() if not _is_refused(reply)}


async def serves(port: int, target: str) -> bool:
    """Whether requests that are not odd are served, and end where they say."""
    shapes = [
        _with("Connection: close", body=""),
        _with("Connection: close", "Content-Length: 5"),
        _with("Connection: close", "transfer-encoding:Chunked ", body=_CHUNKED),
    ]
    replies = [await told(port, shape, target) for shape in shapes]
    return all(re.match(rb"HTTP/1\.[01] 200 ", reply) for reply in replies)


def _is_refused(reply: bytes) -> bool:
    return reply.count(b"HTTP/1.") == 1 and re.match(rb"HTTP/1\.[01] 400 ", reply) is not None
