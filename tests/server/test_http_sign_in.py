"""Clients that know OAuth look for a sign-in before they believe that a token is wrong; and the server's own origin."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from server.daemons import running
from server.requests_at import BODY, head, refused, replied, status

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
