"""What goes over the wire is what was put on it."""

from __future__ import annotations

import string

from hypothesis import given
from hypothesis import strategies as st

from askance.adapters.reader.reader_protocol import (
    OutgoingRequest,
    ReadReply,
    ReadRequest,
    ReplyLine,
)
from askance.domain.messages import Message
from askance.domain.web_pages import Page, PageReason, PageStatus, Validators

WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
HEADER = st.text(string.ascii_letters + ' "/;,:=-', max_size=40)
VALIDATORS = st.builds(Validators, HEADER, HEADER)
PAGES = st.builds(
    Page,
    url=WORDS,
    status=st.sampled_from(PageStatus),
    reason=st.sampled_from(PageReason),
    detail=WORDS.map(Message.verbatim)
    | WORDS.map(lambda text: Message("It said {said}.", said=text)),
    final_url=WORDS,
    title=WORDS,
    markdown=WORDS.filter(bool),
    words=st.integers(0, 10**6),
    published=st.none() | WORDS,
    updated=st.none() | WORDS,
    language=st.none() | WORDS,
    elapsed_ms=st.integers(0, 10**6),
    byline=WORDS,
    fetched_at=WORDS,
    content_hash=WORDS,
    validators=VALIDATORS,
    storable=st.booleans(),
    served_by=st.just("the reader"),
)
LINE = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=40)
ASKED = st.builds(OutgoingRequest, to=LINE, url=LINE)


@given(PAGES)
def test_a_page_comes_back_as_it_was(page: Page):
    sent = ReplyLine(page=ReadReply.of(page)).encoded()
    assert sent.endswith(b"\n")
    assert sent.count(b"\n") == 1
    came = ReplyLine.model_validate_json(sent).page
    assert came is not None
    assert came.page(known=None, served_by=Message("the reader")) == page


@given(ASKED)
def test_a_host_that_is_asked_comes_as_it_was(asked: OutgoingRequest):
    came = ReplyLine.model_validate_json(ReplyLine(asked=asked).encoded()).asked
    assert came == asked
    entry = asked.sending(Message("the reader"))
    assert (entry.to, entry.content, entry.through) == (asked.to, asked.url, "the reader")


@given(WORDS, PAGES, WORDS)
def test_what_is_known_arrives_as_far_as_a_reader_needs_it(url: str, known: Page, proxy: str):
    came = ReadRequest.model_validate_json(ReadRequest.of(url, known, proxy).model_dump_json())
    assert (came.url, came.proxy) == (url, proxy)
    if known.validators == Validators():
        assert came.known is None
    else:
        assert came.known is not None
        assert came.known.validators == known.validators
        assert came.known.final_url == known.final_url
        assert came.known.markdown == ""


def test_a_reply_may_know_more_than_its_reader():
    assert ReadReply.model_validate({"url": "u", "status": "ok", "mood": "good"}).url == "u"
