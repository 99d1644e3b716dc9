"""The worker's own loop, over pipes in memory."""

from __future__ import annotations

import io
import json

import pytest

from askance.domain.messages import Message
from askance.domain.web_pages import PageReason, PageStatus
from askance.extract import extracted as wire
from askance.extract.extracted import Extracted, failed
from askance.extract.sandbox import NONE, Protection, Protections, confine
from askance.extract.worker import MAIL_CPU_S, serve
from servers.pdf_files import Page, pdf_file
from servers.site import article, sentence


def answers(*requests: bytes) -> list[Extracted]:
    replies = io.BytesIO()
    serve(io.BytesIO(b"".join(requests)), replies)
    ready, *outcomes = frames(replies.getvalue())
    assert wire.unpack_ready(ready) == NONE
    return [wire.unpack_reply(outcome) for outcome in outcomes]


def frames(data: bytes) -> list[bytes]:
    position, found = 0, list[bytes]()
    while position < len(data):
        (size,) = wire.LENGTH.unpack_from(data, position)
        position += wire.LENGTH.size
        found.append(data[position : position + size])
        position += size
    return found


def test_each_request_gets_its_own_reply_in_order():
    first, second, third = answers(
        wire.pack_request(article().encode(), "http://a.example/", "text/html"),
        wire.pack_request(b"\x89PNG\r\n", "http://a.example/p", "text/html"),
        wire.pack_request(b"some words", "http://a.example/t", "text/plain"),
    )
    assert sentence(0) in first.markdown
    assert second.reason is PageReason.NOT_TEXT
    assert third == Extracted(PageStatus.OK, markdown="some words", words=2)


def test_what_is_asked_for_part_by_part_is_sent_once():
    pages = pdf_file(
        *(Page(f"BT /F 12 Tf 72 700 Td (Berth number {n} was built.) Tj ET") for n in range(3))
    )
    whole = wire.pack_request(pages, "file:///a.pdf", "application/pdf; first=0; before=1")
    rest = [
        wire.pack_request(
            pages, "file:///a.pdf", f"application/pdf; before={n + 1}; first={n}", again=True
        )
        for n in (1, 2)
    ]
    assert all(len(request) < 200 for request in rest)
    other = wire.pack_request(b"some words", "http://a.example/t", "text/plain")
    *found, words = answers(whole, *rest, other)
    texts = [part.markdown for part in found]
    assert texts == [f"Berth number {n} was built." for n in range(3)]
    assert words.markdown == "some words"


@pytest.mark.parametrize("error", [MemoryError, SystemError])
def test_a_page_that_is_refused_memory_ends_the_process(error: type[Exception]):
    def refused(*_: object) -> Extracted:
        raise error

    request = wire.pack_request(b"some words", "http://a.example/", "text/plain")
    with pytest.raises(MemoryError):
        serve(io.BytesIO(request), io.BytesIO(), extract=refused)


def test_a_request_that_is_cut_off_ends_the_loop_quietly():
    whole = wire.pack_request(b"some words", "http://a.example/", "text/plain")
    assert len(answers(whole, whole[:-3])) == 1


def test_a_reply_survives_the_wire_with_every_field():
    extracted = Extracted(
        PageStatus.OK, PageReason.NONE, Message("d"), "t", "m \u2028 語", 3, "2024-01-02", "de"
    )
    packed = wire.pack_reply(extracted)
    assert wire.unpack_reply(packed[wire.LENGTH.size :]) == extracted


def test_a_text_that_is_too_long_is_told_and_not_sent():
    longest = Extracted(PageStatus.OK, markdown="\u8a9e" * (wire.LONGEST_REPLY // 6), words=1)
    packed = wire.pack_reply(longest)
    assert len(packed) < 1000
    outcome = wire.unpack_reply(packed[wire.LENGTH.size :])
    assert (outcome.reason, outcome.detail) == (
        PageReason.EXTRACTION,
        "The text of the page takes more than 16 MiB.",
    )


def test_what_holds_survives_the_wire():
    protections = Protections({Protection.SECCOMP: "the kernel has none"}, landlock=7)
    packed = wire.pack_ready(protections)
    assert len(packed) < wire.LONGEST_READY
    assert wire.unpack_ready(packed[wire.LENGTH.size :]) == protections


@pytest.mark.parametrize(
    "ready",
    [b"", b"{}", b"[]", b"\xff", b'{"missing": [], "landlock": 1}',
     b'{"missing": {"a wall": ""}, "landlock": 1}', b'{"missing": {}, "landlock": "7"}'],
)  # fmt: skip
def test_a_worker_that_says_something_else_is_none(ready: bytes):
    with pytest.raises(ValueError):  # noqa: PT011 - any of them will do
        wire.unpack_ready(ready)


OUTCOME = {"status": "ok", "reason": "", "detail": "", "title": "", "markdown": "wren", "words": 1,
           "published": None, "updated": None, "language": None, "byline": "", "computed_s": 0.5, "made_from": {}}  # fmt: skip


def test_what_a_detail_was_made_from_comes_along_in_bounds():
    detail = Message("The page is larger than {n} bytes.", n=7)
    reported = wire.unpack_reply(wire.pack_reply(failed(PageReason.TOO_LARGE, detail))[4:]).detail
    assert (reported, reported.template, reported.values) == (
        detail,
        detail.template,
        detail.values,
    )
    much = {"template": "{n}", "values": {"n": "x" * 5_000}}
    with pytest.raises(ValueError, match="no message"):
        wire.unpack_reply(json.dumps(OUTCOME | {"made_from": much}).encode())


def test_an_outcome_is_taken_as_it_is():
    reported = wire.unpack_reply(json.dumps(OUTCOME).encode())
    assert reported == Extracted(PageStatus.OK, markdown="wren", words=1)
    assert reported.computed_s == 0.5


@pytest.mark.parametrize(
    "reply",
    ["", "null", "[1]", "[" * 200_000, "9" * 5_000, "{}", '{"status": "ok"}',
     *(json.dumps(OUTCOME | change) for change in (
         {"status": "fine"}, {"reason": 1}, {"markdown": 7}, {"words": "1"}, {"language": []},
         {"title": None}, {"more": ""}, {"computed_s": -1.0},
         {"computed_s": float("nan")}, {"computed_s": float("inf")}, {"computed_s": "1"}))],
)  # fmt: skip
def test_a_reply_that_is_something_else_is_none(reply: str):
    with pytest.raises(ValueError):  # noqa: PT011 - any of them will do
        wire.unpack_reply(reply.encode())


@pytest.mark.parametrize(
    ("kind", "given", "limit"),
    [
        ("message/rfc822", 150.0, MAIL_CPU_S),
        ("text/html", 150.0, 150.0),
        ("message/rfc822", 0.0, 0.0),
    ],
)
def test_a_message_has_less_processor_time_than_a_page(
    monkeypatch: pytest.MonkeyPatch, kind: str, given: float, limit: float
) -> None:
    limits: list[float] = []
    monkeypatch.setattr(confine, "limit_computing", limits.append)
    request = wire.pack_request(b"some words", "file:///in.mbox", kind)
    serve(io.BytesIO(request), io.BytesIO(), page_cpu_s=given)
    assert limits == [limit, 0]
