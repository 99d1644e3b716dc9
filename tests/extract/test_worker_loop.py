"""The worker's own loop, over pipes in memory."""

from __future__ import annotations

import io

from askance.domain.web import PageReason, PageStatus
from askance.extract import wire
from askance.extract.extracted import Extracted
from askance.extract.worker import serve
from servers.site import article, sentence


def answers(*requests: bytes) -> list[Extracted]:
    replies = io.BytesIO()
    serve(io.BytesIO(b"".join(requests)), replies)
    data = replies.getvalue()
    assert data.startswith(wire.READY)
    position, found = len(wire.READY), list[Extracted]()
    while position < len(data):
        (size,) = wire.LENGTH.unpack_from(data, position)
        position += wire.LENGTH.size
        found.append(wire.unpack_reply(data[position : position + size]))
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


def test_a_request_that_is_cut_off_ends_the_loop_quietly():
    whole = wire.pack_request(b"some words", "http://a.example/", "text/plain")
    assert len(answers(whole, whole[:-3])) == 1


def test_a_reply_survives_the_wire_with_every_field():
    extracted = Extracted(
        PageStatus.OK, PageReason.NONE, "d", "t", "m \u2028 語", 3, "2024-01-02", "de"
    )
    packed = wire.pack_reply(extracted)
    assert wire.unpack_reply(packed[wire.LENGTH.size :]) == extracted
