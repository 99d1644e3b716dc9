"""The HTTP endpoint at a real port: who is let in, and that nothing runs for anybody else."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from pathlib import Path

import pytest

from askance.local_service import service_process as local_server
from askance.server import http_server
from server.daemons import Running, running
from server.requests_at import BODY, PATHS, head, refused, replied, served, status
from waiting import patience

PAGE = "http://page.example:3000"

HOSTS = [
    "evil.example",
    "evil.example:25019",
    "127.0.0.1.evil.example",
    "localhost.evil.example",
    "evil.example.localhost.",
    "localhost.",
    "127.0.0.1.",
    "127.1",
    "2130706433",
    "0x7f000001",
    "[::1",
    "[fe80::1]",
    "[::2]:80",
    "127.0.0.1:",
    "127.0.0.1:999999",
    "127.0.0.1:80:80",
    "127.0.0.1@evil.example",
    "evil.example#127.0.0.1",
    "127.0.0.1, evil.example",
    "127.0.0.1/evil",
    "loc\xe4lhost",
    "",
]


@pytest.mark.parametrize("name", HOSTS)
async def test_a_request_under_another_name_is_refused(tmp_path: Path, name: str) -> None:
    async with running(tmp_path, http=True, hosts=("askance.lan",)) as run:
        for path in (*PATHS, "/health"):
            await refused(run, head(run, path, host=name) + BODY, 421, 400)
        await served(run)


OWN = [
    "127.0.0.1",
    "LOCALHOST:25019",
    "[::1]:25019",
    "a.localhost",
    "[::FFFF:127.0.0.1]",
    "ASKANCE.lan",
]


@pytest.mark.parametrize("name", OWN)
async def test_it_is_known_by_the_names_of_this_machine_and_those_it_was_given(
    tmp_path: Path, name: str
) -> None:
    async with running(tmp_path, http=True, hosts=("askance.lan",)) as run:
        assert status(await replied(run, head(run, host=name) + BODY)) == 200


async def test_no_name_or_two_of_them_are_refused(tmp_path: Path) -> None:
    async with running(tmp_path, http=True) as run:
        await refused(run, head(run, host=None) + BODY, 400, 421)
        await refused(run, head(run, "/mcp", "Host: 127.0.0.1") + BODY, 400)
        old = head(run, host=None).replace(b"HTTP/1.1", b"HTTP/1.0")
        await refused(run, old + BODY, 421)


ORIGINS = [
    ("Origin: null",),
    ("Origin: http://evil.example",),
    ("Origin: http://127.0.0.1:25019",),
    ("Origin: http://page.example",),
    ("Origin: http://page.example:3000.evil.example",),
    ("Origin: https://page.example:3000",),
    ("Origin: ",),
    (f"Origin: {PAGE}", "Origin: null"),
    (f"Origin: {PAGE}, null",),
    ("Sec-Fetch-Site: cross-site",),
    ("Sec-Fetch-Site: same-site",),
    ("Sec-Fetch-Site: same-origin",),
    ("Sec-Fetch-Site: none", "Origin: null"),
]


@pytest.mark.parametrize("lines", ORIGINS)
async def test_no_page_may_ask_that_is_not_named(tmp_path: Path, lines: tuple[str, ...]) -> None:
    async with running(tmp_path, http=True, origins=(PAGE,)) as run:
        for path in (*PATHS, "/health"):
            await refused(run, head(run, path, *lines) + BODY, 403)
        preflight = head(run, "/mcp", *lines, content_length="0").replace(b"POST", b"OPTIONS", 1)
        await refused(run, preflight, 403)
        await served(run)


async def test_a_page_that_is_named_needs_a_token_as_everybody_does(tmp_path: Path) -> None:
    async with running(tmp_path, http=True, origins=(PAGE,)) as run:
        lines = (f"Origin: {PAGE.upper()}", "Sec-Fetch-Site: cross-site")
        await refused(run, head(run, "/mcp", *lines, authorization=None) + BODY, 401)
        reply = await replied(run, head(run, "/mcp", *lines) + BODY)
        assert status(reply) == 200
        assert f"access-control-allow-origin: {PAGE}".encode() in reply.lower()


def tokens_that_are_none(token: str) -> list[tuple[str | None, tuple[str, ...]]]:
    right = f"Bearer {token}"
    return [
        (None, ()),
        ("", ()),
        ("Bearer", ()),
        ("Bearer ", ()),
        (f"Bearer {token[:-1]}", ()),
        (f"Bearer {token}x", ()),
        (f"Bearer {token.swapcase()}", ()),
        (f"Bearer {token} {token}", ()),
        (f"Basic {token}", ()),
        (f"Token {token}", ()),
        (token, ()),
        (f"Bearer={token}", ()),
        (f"Bearer {token}, Bearer {token}", ()),
        (right, (f"Authorization: {right}",)),
        (right, ("Authorization: Bearer wrong",)),
        (None, (f"X-Api-Key: {token}", f"Cookie: token={token}", f"Proxy-Authorization: {right}")),
        ("Bearer " + "x" * 4000, ()),
        ("Bearer \xe4\xf6\xfc", ()),
    ]


async def test_no_token_and_a_wrong_one_are_refused(tmp_path: Path) -> None:
    async with running(tmp_path, http=True) as run:
        for authorization, lines in tokens_that_are_none(run.token):
            for path in (*PATHS, f"/mcp?token={run.token}", "/nothing"):
                request = head(run, path, *lines, authorization=authorization) + BODY
                assert status(await replied(run, request)) == 401, (authorization, lines)
        assert run.tools.begun == []
        await served(run)


async def test_a_token_is_worth_nothing_once_its_client_is_gone(tmp_path: Path) -> None:
    async with running(tmp_path, http=True) as run:
        token = run.book.make_token("editor")
        request = head(run, "/v1/echo", authorization=f"Bearer {token}") + BODY
        assert status(await replied(run, request)) == 200
        another = run.book.make_token("editor")
        assert status(await replied(run, request)) == 401
        request = head(run, "/v1/echo", authorization=f"Bearer {another}") + BODY
        assert status(await replied(run, request)) == 200
        run.book.forget("editor")
        assert status(await replied(run, request)) == 401
        assert run.tools.begun == ["editor", "editor"]


# Clients that know OAuth look for a sign-in before they believe that a token is wrong; and the server's own origin.

LOOKED_FOR = [
    "/.well-known/oauth-protected-resource",
    "/.well-known/oauth-protected-resource/mcp",
    "/.well-known/oauth-authorization-server",
    "/.well-known/oauth-authorization-server/mcp",
    "/.well-known/openid-configuration",
    "/register",
    "/authorize",
    "/token",
]


@pytest.mark.parametrize("token", [None, "Bearer wrong"])
async def test_nobody_signs_in_here_and_the_reply_says_what_to_do(
    tmp_path: Path, token: str | None
) -> None:
    async with running(tmp_path, http=True) as run:
        for path in LOOKED_FOR:
            reply = await replied(run, head(run, path, authorization=token) + BODY)
            assert status(reply) == 404, path
            data = json.loads(reply.partition(b"\r\n\r\n")[2])
            assert data["error"] == "not_found"
            assert "askance clients add" in data["error_description"]
        assert run.tools.begun == []


@pytest.mark.parametrize(
    "lines", [("Origin: http://evil.example",), ("Sec-Fetch-Site: cross-site",)]
)
async def test_a_page_sees_nothing_of_it(tmp_path: Path, lines: tuple[str, ...]) -> None:
    async with running(tmp_path, http=True) as run:
        await refused(run, head(run, LOOKED_FOR[0], *lines) + BODY, 403)
        await refused(run, head(run, LOOKED_FOR[0], host="evil.example") + BODY, 421)


async def test_a_wrong_token_is_called_wrong_and_a_missing_one_missing(tmp_path: Path) -> None:
    async with running(tmp_path, http=True) as run:
        for path in ("/mcp", "/v1/echo"):
            wrong = await replied(run, head(run, path, authorization="Bearer wrong") + BODY)
            missing = await replied(run, head(run, path, authorization=None) + BODY)
            assert (status(wrong), status(missing)) == (401, 401)
            assert b'error="invalid_token"' in wrong
            assert b"not one of this server's" in wrong
            assert b"invalid_token" not in missing
            assert b"Authorization: Bearer TOKEN" in missing


async def test_the_servers_own_address_is_an_origin_and_another_is_told_of_the_setting(
    tmp_path: Path,
) -> None:
    async with running(tmp_path, http=True, hosts=("askance.lan",)) as run:
        for name in (f"127.0.0.1:{run.port}", f"localhost:{run.port}", "askance.lan"):
            own = head(run, "/mcp", f"Origin: http://{name}", host=name)
            assert status(await replied(run, own + BODY)) == 200, name
            other = head(run, "/mcp", f"Origin: http://{name}1", host=name)
            reply = await replied(run, other + BODY)
            assert status(reply) == 403
            assert b"server.origins" in reply
        # A token is shown by everybody.
        bare = head(run, "/mcp", f"Origin: http://127.0.0.1:{run.port}", authorization=None)
        assert status(await replied(run, bare + BODY)) == 401


# The HTTP endpoint at a real port: what is too much, too slow, or of another form runs nothing.


def chunked(body: bytes) -> bytes:
    return b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)


FRAMINGS = {
    "a length and chunks": ({"transfer_encoding": "chunked"}, chunked(BODY)),
    "chunks and a length of none": (
        {"transfer_encoding": "chunked", "content_length": "0"},
        chunked(BODY),
    ),
    "two codings": (
        {"transfer_encoding": "gzip, chunked", "content_length": None},
        chunked(BODY),
    ),
    "an unknown coding": ({"transfer_encoding": "xchunked", "content_length": None}, BODY),
    "an odd coding": ({"transfer_encoding": "chunked\x0b", "content_length": None}, chunked(BODY)),
    "a negative length": ({"content_length": "-1"}, BODY),
    "a length with a sign": ({"content_length": f"+{len(BODY)}"}, BODY),
    "two lengths in one": ({"content_length": f"{len(BODY)}, 3"}, BODY),
    "a length of another kind": ({"content_length": "0x10"}, BODY),
    "a length of other digits": ({"content_length": "1\xb2"}, BODY),
    "a chunk of no length": ({"transfer_encoding": "chunked", "content_length": None}, b"zz\r\n"),
    "a chunk of less than nothing": (
        {"transfer_encoding": "chunked", "content_length": None},
        b"-5\r\nhello\r\n0\r\n\r\n",
    ),
    "a chunk of endless length": (
        {"transfer_encoding": "chunked", "content_length": None},
        b"f" * 1000 + b"\r\n",
    ),
}


@pytest.mark.parametrize("name", FRAMINGS)
async def test_a_body_of_doubtful_length_is_refused(tmp_path: Path, name: str) -> None:
    changed, body = FRAMINGS[name]
    async with running(tmp_path, http=True) as run:
        # What a proxy would take for the next request must not become one.
        hidden = head(run, "/v1/echo") + BODY
        for path in PATHS:
            await refused(run, head(run, path, **changed) + body + hidden, 400, 413, 501, 500)
        await served(run)


ODD = {
    "two lengths": lambda run: head(run, "/mcp", "Content-Length: 3") + BODY,
    "a space before the colon": lambda run: head(run, "/mcp", "X-A : b") + BODY,
    "a null": lambda run: head(run, "/mcp", "X-A: b\0c") + BODY,
    "a line alone": lambda run: head(run, "/mcp", "nothing") + BODY,
    "ten thousand lines": lambda run: head(run, "/mcp", *["a: b"] * 10_000) + BODY,
    "a thousand lines": lambda run: head(run, "/mcp", *["a: b"] * 1000) + BODY,
    "a long line": lambda run: head(run, "/mcp", "X-A: " + "b" * 100_000) + BODY,
    "a long target": lambda run: head(run, "/mcp?" + "a" * 100_000) + BODY,
    "no version": lambda run: b"GET /mcp\r\n\r\n",
    "the next version": lambda run: b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "no method": lambda run: head(run).replace(b"POST ", b"", 1) + BODY,
    "a small method": lambda run: head(run).replace(b"POST", b"PO ST", 1) + BODY,
    "chance": lambda run: b"\x16\x03\x01\x02\x00\x01\x00" + bytes(range(256)),
}  # fmt: skip


@pytest.mark.parametrize("name", ODD)
async def test_an_odd_request_is_refused(tmp_path: Path, name: str) -> None:
    async with running(tmp_path, http=True) as run:
        await refused(run, ODD[name](run), 400, 421, 431)
        await served(run)


TARGETS = [
    "http://evil.example/mcp",
    "http://127.0.0.1/mcp",
    "//evil.example/mcp",
    "//mcp",
    "/mcp/",
    "/./mcp",
    "/v1/../mcp",
    "/mcp%00",
    "/MCP",
    "*",
    "127.0.0.1:80",
]


@pytest.mark.parametrize("target", TARGETS)
async def test_a_target_of_another_form_leads_nowhere(tmp_path: Path, target: str) -> None:
    async with running(tmp_path, http=True) as run:
        await refused(run, head(run, target, authorization=None) + BODY, 401)
        await refused(run, head(run, target) + BODY, 404)
        await served(run)


@pytest.mark.parametrize("method", ["CONNECT", "TRACE", "PUT", "PATCH", "HEAD", "BREW"])
async def test_another_method_runs_nothing(tmp_path: Path, method: str) -> None:
    async with running(tmp_path, http=True) as run:
        for path in (*PATHS, "evil.example:443"):
            request = head(run, path).replace(b"POST", method.encode(), 1) + BODY
            reply = await replied(run, request)
            assert status(reply) in {200, 400, 404, 405}, reply
            # A route that takes GET answers HEAD as well, without its body.
            assert set(run.tools.begun) <= ({"default"} if method == "HEAD" else set())
        run.tools.begun.clear()
        await served(run)


async def test_an_upgrade_is_not_taken(tmp_path: Path) -> None:
    async with running(tmp_path, http=True) as run:
        lines = ("Upgrade: websocket", "Sec-WebSocket-Key: x", "Sec-WebSocket-Version: 13")
        request = head(run, "/mcp", *lines, connection="Upgrade", authorization=None) + BODY
        await refused(run, request, 401)


async def test_what_follows_a_request_that_is_refused_is_not_read_as_another(
    tmp_path: Path,
) -> None:
    async with running(tmp_path, http=True) as run:
        first = head(run, authorization=None, connection="keep-alive") + BODY
        await refused(run, first + head(run, "/v1/echo") + BODY, 401)


@pytest.mark.parametrize("path", PATHS)
async def test_a_body_that_is_too_large_is_refused(
    tmp_path: Path, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_server, "MAX_BODY_BYTES", 16_384)
    async with running(tmp_path, http=True) as run:
        large = b"x" * 16_385
        reported = head(run, path, content_length=str(len(large))) + large
        await refused(run, reported, 413)
        pieces = head(run, path, content_length=None, transfer_encoding="chunked") + chunked(large)
        await refused(run, pieces, 413)
        # One that only says so is not waited for.
        await refused(run, head(run, path, content_length="9" * 30) + b"x", 400, 413)
        await served(run)


async def test_a_body_without_an_end_ends_with_its_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_server, "MAX_BODY_BYTES", 16_384)
    monkeypatch.setattr(http_server, "_DRAINED", 1_000_000)
    async with running(tmp_path, http=True) as run:
        reader, writer = await asyncio.open_connection("127.0.0.1", run.port)
        writer.write(head(run, content_length=None, transfer_encoding="chunked"))
        sent = 0
        with suppress(ConnectionError):
            async with patience():
                while True:
                    writer.write(b"1000\r\n" + b"x" * 4096 + b"\r\n")
                    await writer.drain()
                    sent += 4096
        # What lies in the buffers of the system is sent, but not read.
        assert sent < 20_000_000
        with suppress(ConnectionError):
            assert status(await reader.read(100)) == 413
        writer.close()
        await served(run)


async def until_closed(run: Running, *pieces: bytes) -> bytes:
    """Send the beginning of something, and return what comes until the other side closes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", run.port)
    writer.write(pieces[0])
    reply = b""
    for piece in pieces[1:]:
        async with patience():
            reply += await reader.readuntil(b"}")
        writer.write(piece)
    async with patience():
        with suppress(ConnectionError):
            reply += await reader.read()
    writer.close()
    return reply


async def test_a_head_that_does_not_come_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_server, "_HEAD_S", 0.05)
    monkeypatch.setattr(local_server, "_STORE_ALIVE_S", 10_000)
    async with running(tmp_path, http=True) as run:
        for begun in (b"", b"P", b"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: "):
            assert await until_closed(run, begun) == b""
        await served(run)


async def test_a_second_head_that_does_not_come_is_not_waited_for_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_server, "_HEAD_S", 0.05)
    monkeypatch.setattr(local_server, "_STORE_ALIVE_S", 10_000)
    async with running(tmp_path, http=True) as run:
        health = f"GET /health HTTP/1.1\r\nHost: 127.0.0.1:{run.port}\r\n\r\n".encode()
        half = b"GET /health HTTP/1.1\r\nHost: 127"
        reply = await until_closed(run, health, health, half)
        assert reply.count(b"200 OK") == 2


async def test_a_head_that_comes_byte_for_byte_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_server, "_HEAD_S", 0.05)
    async with running(tmp_path, http=True) as run:
        reader, writer = await asyncio.open_connection("127.0.0.1", run.port)
        writer.write(b"GET /health HTTP/1.1\r\n")
        async with patience():
            with suppress(ConnectionError):
                while not reader.at_eof():
                    writer.write(b"a")
                    await writer.drain()
                    await asyncio.sleep(0)  # or this loop reads no end while there is room to write
        writer.close()
        await served(run)


async def test_a_body_that_does_not_come_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_server, "_BODY_S", 0.05)
    monkeypatch.setattr(http_server, "_DRAIN_S", 0.05)
    async with running(tmp_path, http=True) as run:
        for path in PATHS:
            await refused(run, head(run, path) + BODY[:-1], 408)
            # Whoever shows no token is not waited for at all.
            await refused(run, head(run, path, authorization=None) + BODY[:-1], 401)
        await served(run)


async def test_others_are_served_while_many_send_slowly(tmp_path: Path) -> None:
    async with running(tmp_path, http=True) as run:
        slow = [await asyncio.open_connection("127.0.0.1", run.port) for _ in range(100)]
        for number, (_, writer) in enumerate(slow):
            writer.write(head(run)[:-1][: 10 * number])
        await served(run)
        for _, writer in slow:
            writer.close()


NESTED = [
    b"[" * 100_000,
    b'{"a":' * 100_000,
    BODY[:-1] + b',"x":' + b"[" * 100_000,
    b"\xff\xfe",
    b"",
]


@pytest.mark.parametrize("body", NESTED, ids=["lists", "objects", "inside", "no text", "nothing"])
async def test_a_body_that_is_no_message_runs_nothing(tmp_path: Path, body: bytes) -> None:
    async with running(tmp_path, http=True) as run:
        await refused(run, head(run, content_length=str(len(body))) + body, 400)
        line = "Mcp-Session-Id: none"
        await refused(run, head(run, "/mcp", line, content_length=str(len(body))) + body, 400, 404)
        await served(run)
