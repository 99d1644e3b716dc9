"""What left the machine is counted once, whoever tells of it twice."""

from __future__ import annotations

from askance.domain.events import RequestSent, Sending
from askance.domain.messages import Message
from askance.presentation.steps import Outbound

SEARXNG = "SearXNG at http://127.0.0.1:25017"


def texts_of(*requests: RequestSent) -> list[str]:
    outbound = Outbound()
    for request in requests:
        outbound.add(request)
    return [" · ".join(cell.text for cell in line) for line in outbound.lines]


def query(to: str, words: str, through: str = SEARXNG) -> RequestSent:
    return RequestSent(Sending.QUERY, to, Message.verbatim(through), words)


def test_a_query_whose_engines_are_named_later_is_one_query() -> None:
    assert texts_of(
        query("its engines", "lamp"),
        query("its engines", "keeper"),
        query("curlew, tern", "lamp"),
        query("curlew, tern", "keeper"),
    ) == ["2 queries", f"curlew, tern · through {SEARXNG}"]


def test_a_query_that_nobody_answered_still_went_out() -> None:
    assert texts_of(query("its engines", "lamp"), query("curlew", "keeper")) == [
        "2 queries",
        f"its engines · through {SEARXNG}",
        f"curlew · through {SEARXNG}",
    ]


def test_the_same_words_through_another_carrier_are_another_query() -> None:
    assert texts_of(query("its engines", "lamp"), query("curlew", "lamp", "this program"))[0] == (
        "2 queries"
    )


def test_pages_are_counted_as_often_as_they_are_asked_for() -> None:
    page = RequestSent(Sending.PAGE, "a.example", Message("this program"), "http://a.example/")
    assert texts_of(page, page)[0] == "2 pages asked for at 1 host"
