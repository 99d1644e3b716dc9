"""The HTTP endpoint at a real port: who is let in, and that nothing runs for anybody else."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.daemons import running
from server.requests_at import BODY, PATHS, head, refused, replied, served, status

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
