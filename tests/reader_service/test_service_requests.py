"""What the service answers to requests that are not for a page, or not for everybody."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from askance.adapters.reader.reader_protocol import (
    LONGEST_REQUEST,
    STATUS_OF,
    ErrorReply,
    Refusal,
    VersionReply,
)
from askance.local_service import service_process as server
from askance.local_service.credentials import PROOF_LENGTH, RequestProof, Token
from askance.services import reader as app
from fakes.reader import ScriptedReader
from reader_service.served_reader import (
    KNOWN,
    TOKEN,
    asking,
    authorization,
    page_of,
    raw,
    serving,
)
from waiting import until

URL = "http://private.example/hidden-plan"
JSON = {"Content-Type": "application/json"}


async def test_every_wrong_request_gets_its_own_code():
    async with serving(ScriptedReader({URL: "Words."})) as service:
        send = service.client.request
        wrong = {
            "no token": (await send("POST", "/read", json={"url": URL}), "unauthorized", 401),
            "nor here": (await send("GET", "/nothing"), "unauthorized", 401),
            "unknown": (await send("GET", "/nothing", auth=KNOWN), "not_found", 404),
            "slash": (await send("GET", "/healthz/", auth=KNOWN), "not_found", 404),
            "get": (await send("GET", "/read", auth=KNOWN), "method_not_allowed", 405),
            "post": (await send("POST", "/healthz"), "method_not_allowed", 405),
            "form": (
                await send("POST", "/read", data={"url": URL}, auth=KNOWN),
                "unsupported_media_type",
                415,
            ),
            "no type": (
                await send("POST", "/read", content=b"{}", auth=KNOWN),
                "unsupported_media_type",
                415,
            ),
            "long": (
                await send("POST", "/read", json={"url": "x" * LONGEST_REQUEST}, auth=KNOWN),
                "too_large",
                413,
            ),
        }
        for body in (b"", b"{", b"[]", b'"x"', b"{}", b'{"url": 1}', b'{"url": null}', b"\xff\xfe",
                     b'{"url": "\\ud800"}', b'{"url": "http://a.example/", "shell": "rm"}',
                     b'{"url": "http://a.example/", "etag": "a\\r\\nHost: b"}',
                     b'{"url": "http://a.example/", "last_modified": "caf\xc3\xa9"}',
                     b'{"url": "http://a.example/", "etag": "' + b"x" * 501 + b'"}',
                     b"[" * 10_000):  # fmt: skip
            reply = await send("POST", "/read", content=body, headers=JSON, auth=KNOWN)
            wrong[repr(body[:60])] = reply, "bad_request", 400
    for name, (reply, code, status) in wrong.items():
        error = ErrorReply.model_validate_json(reply.content).error
        assert (name, error.code, reply.status_code) == (name, code, status)
        assert error.message.endswith(".")
        assert reply.headers["Content-Type"] == "application/json"
        assert reply.headers["Cache-Control"] == "no-store"
        assert not any(header.startswith("access-control") for header in reply.headers)
        assert "server" not in reply.headers
    assert wrong["get"][0].headers["Allow"] == "POST"


async def test_a_request_is_served_up_to_the_last_byte_that_is_allowed():
    async with serving(ScriptedReader()) as service:
        for size, status in ((LONGEST_REQUEST, 200), (LONGEST_REQUEST + 1, 413)):
            body = b'{"url": "x"}'.ljust(size)
            reply = await service.client.post("/read", content=body, headers=JSON, auth=KNOWN)
            assert reply.status_code == status


async def test_a_body_without_a_length_is_bounded_too():
    async def pieces(count: int):
        for _ in range(count):
            yield b" " * 4096

    async with serving(ScriptedReader()) as service:
        for count in (5, 200):
            reply = await service.client.post(
                "/read", content=pieces(count), headers=JSON, auth=KNOWN
            )
            assert reply.status_code == 413


async def test_a_body_that_never_ends_is_cut_off():
    async with serving(ScriptedReader()) as service:
        reader, writer = await asyncio.open_connection("127.0.0.1", service.port)
        writer.write(raw("POST /read HTTP/1.1", "Host: localhost", f"Authorization: {authorization()}",
                         "Content-Type: application/json", "Transfer-Encoding: chunked"))  # fmt: skip
        with pytest.raises(ConnectionError):
            await _send_for_ever(writer)
        writer.close()
        assert (await service.client.get("/healthz")).status_code == 200
    assert reader.at_eof() or reader.exception() is not None


async def _send_for_ever(writer: asyncio.StreamWriter) -> None:
    while True:
        writer.write(b"1000\r\n" + b" " * 0x1000 + b"\r\n")
        await writer.drain()


async def test_a_body_that_does_not_come_is_given_up(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(app, "_BODY_S", 0.1)
    head = ("POST /read HTTP/1.1", "Host: localhost", f"Authorization: {authorization()}",
            "Content-Type: application/json", "Content-Length: 10", "Connection: close")  # fmt: skip
    async with serving(ScriptedReader()) as service:
        status, body = await service.say(raw(*head, body=b"{"))
    assert status.startswith("HTTP/1.1 400 ")
    text = body[:-PROOF_LENGTH]
    assert ErrorReply.model_validate_json(text).error.code == "bad_request"


async def test_a_client_that_leaves_in_its_request_costs_nothing():
    async with serving(ScriptedReader()) as service:
        _, writer = await asyncio.open_connection("127.0.0.1", service.port)
        writer.write(raw("POST /read HTTP/1.1", "Host: localhost", f"Authorization: {authorization()}",
                         "Content-Type: application/json", "Content-Length: 10", body=b"{"))  # fmt: skip
        await writer.drain()
        await until(lambda: service.server.server_state.tasks)
        writer.close()
        assert (await service.client.get("/healthz")).status_code == 200
        await until(lambda: not service.server.server_state.tasks)
    assert service.limiter.outcomes["bad_request"] == 1
    assert service.limiter.outcomes["internal"] == 0


async def test_a_connection_without_a_request_is_closed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(server, "_HEAD_S", 0.1)
    async with serving(ScriptedReader()) as service:
        assert await service.say(b"") == ("", "")
        assert await service.say(b"GET /healthz HTTP/1.1\r\nHost: loc") == ("", "")
        assert (await service.client.get("/healthz")).status_code == 200


NO_REQUESTS = (
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(40),
    b"HELO mail.example\r\n\r\n",
    raw("GET /healthz HTTP/1.1", "Host: localhost", "Host: evil.example"),
    raw("GET /healthz HTTP/1.1"),
    b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 20_000,
    raw("GET /healthz HTTP/1.1", "Host: localhost", "Content-Length: -1"),
    raw("GET /healthz HTTP/1.1", "Host : localhost"),
)


async def test_what_is_no_request_is_turned_away(caplog: pytest.LogCaptureFixture):
    async with serving(ScriptedReader()) as service:
        for request in NO_REQUESTS:
            head, _ = await service.say(request)
            assert (request[:40], head[:13]) == (request[:40], "HTTP/1.1 400 ")
        assert (await service.client.get("/healthz")).status_code == 200
    assert caplog.records == []


ASKED = b'{"url": "%s"}' % URL.encode()
OTHER = Token("another-token-of-the-tests")
RIGHT = authorization(ASKED)
WRONG_PROOFS = ("", "Bearer", f"Bearer {TOKEN}", TOKEN, RIGHT[:-1], f"{RIGHT}0", RIGHT.upper(), f"{RIGHT}, {RIGHT}",
                RIGHT.replace(" ", "  "), RIGHT[:-64] + "0" * 64, RequestProof.fresh(OTHER, "POST", "/read", ASKED).header(),
                authorization(ASKED, "GET"), "Bearer é")  # fmt: skip


async def test_what_does_not_prove_the_token_opens_nothing():
    reader = ScriptedReader({URL: "Words."})
    async with serving(reader) as service:
        for given in WRONG_PROOFS:
            refused, _ = await service.say(asking(URL, given))
            assert (given, refused[:13]) == (given, "HTTP/1.1 401 ")
            assert "www-authenticate: Askance-HMAC-SHA256" in refused
            # Who asks without a proof learns nothing that could be one.
            assert "authentication-info" not in refused
        assert reader.requested == []
        served, _ = await service.say(asking(URL, RIGHT))
        assert served.startswith("HTTP/1.1 200 ")


async def test_a_request_that_was_recorded_serves_nothing_twice():
    reader = ScriptedReader({URL: "Words."})
    async with serving(reader) as service:
        statuses = [(await service.say(asking(URL, RIGHT)))[0][9:12] for _ in range(3)]
    assert statuses == ["200", "401", "401"]
    assert reader.requested == [URL]


async def test_a_proof_does_not_cover_another_body():
    reader = ScriptedReader({URL: "Words."})
    other = authorization(b'{"url": "http://a.example/"}')
    async with serving(reader) as service:
        refused, _ = await service.say(asking(URL, other))
    assert refused.startswith("HTTP/1.1 400 ")
    assert reader.requested == []


async def test_the_service_is_known_by_the_names_of_this_machine():
    async with serving(ScriptedReader()) as service:
        for host in ("127.0.0.1:25018", "localhost", "LOCALHOST:1", "[::1]:25018", "127.9.9.9"):
            reply = await service.client.get("/healthz", headers={"Host": host})
            assert (host, reply.status_code) == (host, 200)


BENT_NAMES = ("evil.example", "evil.example:25018", "127.0.0.1.evil.example", "192.168.1.5", "127.0.0.1@evil.example",
              "evil.example#127.0.0.1", "", "[::1", "[::2]:1", "localhost:x", "localhost, evil.example",
              "2130706433", "localhost.evil.example")  # fmt: skip


async def test_a_name_that_was_bent_to_this_machine_is_refused():
    reader = ScriptedReader({URL: "Words."})
    async with serving(reader) as service:
        for host in BENT_NAMES:
            headers = {"Host": host, "Authorization": authorization(ASKED), **JSON}
            for reply in (
                await service.client.post("/read", content=ASKED, headers=headers),
                await service.client.get("/healthz", headers={"Host": host}),
            ):
                assert (host, reply.status_code) == (host, 421)
                assert ErrorReply.model_validate_json(reply.content).error.code == "forbidden_host"
        no_host, _ = await service.say(raw("GET /healthz HTTP/1.0"))
        assert no_host.startswith("HTTP/1.1 421 ")
    assert reader.requested == []


BROWSERS = ({"Origin": "https://evil.example"}, {"Origin": "null"}, {"Origin": ""},
            {"Origin": "http://127.0.0.1:25018"}, {"Sec-Fetch-Site": "cross-site"},
            {"Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "same-site"})  # fmt: skip


async def test_no_page_in_a_browser_is_answered():
    reader = ScriptedReader({URL: "Words."})
    async with serving(reader) as service:
        for headers in BROWSERS:
            full, preflight = (
                {"Authorization": authorization(ASKED), **JSON, **headers},
                {**headers, "Access-Control-Request-Method": "POST"},
            )
            for reply in (
                await service.client.post("/read", content=ASKED, headers=full),
                await service.client.get("/healthz", headers=headers),
                await service.client.get("/version", headers=headers),
                await service.client.options("/read", headers=preflight),
            ):
                assert (headers, reply.status_code) == (headers, 403)
                code = ErrorReply.model_validate_json(reply.content).error.code
                assert code == "forbidden_origin"
                assert not any(name.startswith("access-control") for name in reply.headers)
    assert reader.requested == []


async def test_an_address_that_a_person_typed_is_answered():
    async with serving(ScriptedReader()) as service:
        reply = await service.client.get("/healthz", headers={"Sec-Fetch-Site": "none"})
        assert (reply.status_code, reply.json()) == (200, {"status": "ok"})


async def test_the_version_tells_what_both_sides_must_agree_on():
    async with serving(ScriptedReader()) as service:
        reported = VersionReply.model_validate_json((await service.client.get("/version")).content)
    assert reported.protocol == 2
    assert reported.askance
    assert reported.trafilatura.startswith("2.")


async def test_health_follows_the_child_processes():
    up = False
    async with serving(ScriptedReader(), ready=lambda: up) as service:
        down = await service.client.get("/healthz")
        assert (down.status_code, down.headers["Retry-After"]) == (503, "1")
        assert ErrorReply.model_validate_json(down.content).error.code == "starting"
        up = True
        assert (await service.client.get("/healthz")).status_code == 200


async def test_beyond_the_bound_the_service_is_busy_and_then_free_again():
    hold = asyncio.Event()
    reader = ScriptedReader({URL: "Words."}, holds={URL: hold})
    async with serving(reader, at_once=2) as service:
        async with asyncio.TaskGroup() as tasks:
            held = [tasks.create_task(service.read(URL)) for _ in range(2)]
            await until(lambda: len(reader.requested) == 2)
            busy = await service.read(URL)
            assert (busy.status_code, busy.headers["Retry-After"]) == (503, "1")
            assert ErrorReply.model_validate_json(busy.content).error.code == "busy"
            assert (await service.client.get("/healthz")).status_code == 200
            hold.set()
        assert [task.result().status_code for task in held] == [200, 200]
        assert (await service.read(URL)).status_code == 200
    assert service.limiter.outcomes == {"ok": 3, "busy": 1}


NO_PROXY, TOR, OTHER = "", "http://127.0.0.1:8118", "http://127.0.0.1:8119"


@pytest.mark.parametrize(
    ("own", "served", "refused"),
    [
        (NO_PROXY, (None, NO_PROXY), (TOR, "nonsense")),
        (TOR, (None, TOR), (NO_PROXY, OTHER)),
        ("http://me:pass@127.0.0.1:8118", (None, TOR), (NO_PROXY, OTHER)),
    ],
)
async def test_pages_never_go_another_way_than_the_client_believes(
    own: str, served: Sequence[str | None], refused: Sequence[str | None]
):
    reader = ScriptedReader({URL: "Words."})
    async with serving(reader, proxy=own) as service:
        for theirs in refused:
            reply = await service.read(URL, proxy=theirs)
            assert (theirs, reply.status_code) == (theirs, 409)
            assert ErrorReply.model_validate_json(reply.content).error.code == "proxy_mismatch"
            assert "pass" not in reply.text
        assert reader.requested == []
        for theirs in served:
            assert (await service.read(URL, proxy=theirs)).status_code == 200


async def test_a_client_that_goes_takes_its_reading_with_it():
    reader = ScriptedReader({URL: "Words."}, holds={URL: asyncio.Event()})
    async with serving(reader, at_once=1) as service:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.2):
                await service.read(URL)
        await until(lambda: reader.tally.cancelled)
        reader.holds.clear()
        assert (await service.read(URL)).status_code == 200


async def test_a_client_of_another_protocol_is_told_that_it_is_not_understood():
    async with serving(ScriptedReader({URL: "Words."})) as service:
        for protocol in (1, 3, "2", None):
            reply = await service.read(URL, protocol=protocol)
            assert (protocol, reply.status_code) == (protocol, 400)
            error = ErrorReply.model_validate_json(reply.content).error
            assert (error.code, error.message) == (
                "bad_request",
                "The request is not understood: protocol.",
            )
        assert page_of(await service.read(URL, protocol=2)).status == "ok"


def test_every_refusal_has_a_status():
    assert set(STATUS_OF) == set(Refusal)
    assert all(status >= 400 for status in STATUS_OF.values())
