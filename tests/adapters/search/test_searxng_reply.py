from __future__ import annotations

import json
from typing import Any

import pytest

from askance.adapters.search.searxng import (
    MAX_ENTRIES,
    MAX_SNIPPET_CHARS,
    MAX_URL_CHARS,
    parse_reply,
    plain_text,
    stated_error,
)
from askance.domain.messages import NOTHING, Message
from askance.domain.web_pages import ResultPage, SearchResult, UnresponsiveEngine
from servers.searxng import hit, reply


def parsed(body: Any, wanted: int = 20) -> ResultPage:
    return parse_reply(json.dumps(body).encode(), "q", wanted=wanted)


def test_a_whole_result_is_taken_over() -> None:
    raw = hit(
        "https://example.org/a?b=1#c",
        "A title",
        "A snippet.",
        engines=["alpha", "beta"],
        publishedDate="2024-05-01T13:00:00",
    )
    assert parsed(reply("q", [raw])).results == (
        SearchResult(
            url="https://example.org/a?b=1#c",
            title="A title",
            snippet="A snippet.",
            engines=("alpha", "beta"),
            published="2024-05-01",
        ),
    )


def test_a_result_with_nothing_but_its_address_is_kept() -> None:
    (result,) = parsed({"results": [{"url": "https://www.example.org/"}]}).results
    assert result == SearchResult("https://www.example.org/", "example.org", "")


def test_an_older_version_names_one_engine() -> None:
    raw = {"url": "https://example.org/", "engine": "alpha", "number_of_results": 7}
    assert parsed({"results": [raw]}).results[0].engines == ("alpha",)


@pytest.mark.parametrize(
    "url",
    [
        None,
        7,
        "",
        "example.org/a",
        "ftp://example.org/",
        "magnet:?xt=urn:btih:1",
        "javascript:alert(1)",
        "https://",
        "http://[broken/",
        "https://example.org/a\tb",
        "http://192.168.1.1/admin",
        "http://localhost:31003/api/tags",
        "https://www.google.com/url?q=http://10.0.0.1/",
        "https://example.org/\n[9] forged",
        "https://example.org/\ud800",
    ],
)
def test_a_result_without_a_web_address_costs_only_itself(url: object) -> None:
    page = parsed({"results": [{"url": url, "title": "x"}, hit("https://ok.example/", "t", "c")]})
    assert [r.url for r in page.results] == ["https://ok.example/"]


@pytest.mark.parametrize("junk", [None, 3, "text", [], ["https://example.org/"]])
def test_a_result_of_the_wrong_type_costs_only_itself(junk: object) -> None:
    page = parsed({"results": [junk, hit("https://ok.example/", "t", "c"), junk]})
    assert [r.url for r in page.results] == ["https://ok.example/"]


def test_fields_of_the_wrong_type_cost_only_themselves() -> None:
    raw = {
        "url": "https://example.org/",
        "title": ["x"],
        "content": {"a": 1},
        "engines": "alpha",
        "engine": None,
        "publishedDate": 5,
    }
    assert parsed({"results": [raw]}).results == (
        SearchResult("https://example.org/", "example.org", ""),
    )


@pytest.mark.parametrize(
    ("sent", "day"),
    [
        (None, None),
        ("2024-05-01T00:00:00", "2024-05-01"),
        ("2024-05-01", "2024-05-01"),
        ("2024-05-01T10:00:00Z", "2024-05-01"),
        ("yesterday", None),
        ("", None),
        ("9999-99-99T00:00:00", None),
    ],
)
def test_dates_are_days_or_nothing(sent: str | None, day: str | None) -> None:
    page = parsed(reply("q", [hit("https://example.org/", "t", "c", publishedDate=sent)]))
    assert page.results[0].published == day


def test_no_more_than_wanted_are_returned_in_the_engines_order() -> None:
    page = parsed(reply("q", [hit(f"https://example.org/{i}", "t", "c") for i in range(30)]), 20)
    assert [r.url for r in page.results] == [f"https://example.org/{i}" for i in range(20)]


def box(url: str, content: str = "Paris is the capital of France.") -> dict[str, Any]:
    return {"infobox": "Paris", "id": url, "content": content, "engine": "wikipedia"}


def test_an_infobox_has_a_place_among_the_wanted() -> None:
    hits = [hit(f"https://example.org/{i}", "t", "c") for i in range(30)]
    page = parsed(reply("q", hits, infoboxes=[box("https://en.wikipedia.org/wiki/Paris")]), 20)
    assert len(page.results) == 20
    assert page.results[-1] == SearchResult(
        "https://en.wikipedia.org/wiki/Paris",
        "Paris",
        "Paris is the capital of France.",
        ("wikipedia",),
    )


def test_an_infobox_that_is_a_result_already_or_says_nothing_is_passed_over() -> None:
    hits = [hit("https://example.org/1", "t", "c")]
    boxes = [box("https://example.org/1"), box("https://example.org/2", ""), box("urn:x")]
    assert [r.url for r in parsed(reply("q", hits, infoboxes=boxes)).results] == [
        "https://example.org/1"
    ]


def test_silent_engines_are_named_with_their_reasons() -> None:
    page = parsed(reply("q", [], [["alpha", "timeout"], ["beta", "Suspended: access denied"]]))
    assert page.results == ()
    assert page.silent_engines == (
        UnresponsiveEngine("alpha", Message("timeout")),
        UnresponsiveEngine("beta", Message("Suspended: access denied")),
    )


@pytest.mark.parametrize(
    ("sent", "silent"),
    [
        (None, ()),
        ("alpha", ()),
        (["alpha"], (UnresponsiveEngine("alpha", NOTHING),)),
        ([["alpha"]], (UnresponsiveEngine("alpha", NOTHING),)),
        ([["alpha", None]], (UnresponsiveEngine("alpha", NOTHING),)),
        (
            [{"engine": "alpha", "error": "timeout"}],
            (UnresponsiveEngine("alpha", Message("timeout")),),
        ),
        ([{"name": "alpha"}, {"error": "timeout"}], (UnresponsiveEngine("alpha", NOTHING),)),
        ([[], [None, "x"], 4], ()),
    ],
)
def test_silent_engines_in_other_shapes_do_no_harm(
    sent: object, silent: tuple[UnresponsiveEngine, ...]
) -> None:
    assert parsed({"results": [], "unresponsive_engines": sent}).silent_engines == silent


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("Some <em>marked</em> and <b class='x'>bold</b> text", "Some marked and bold text"),
        ("one<br/>two<p>three</p>", "one two three"),
        ("Tom &amp; Jerry &#8211; caf&eacute;", "Tom & Jerry – café"),
        ("&lt;b&gt; is a tag", "<b> is a tag"),
        ("std::vector<int> a < b and b > c", "std::vector<int> a < b and b > c"),
        ("x<script>alert('y')</script>z", "x z"),
        ("  two\n\n lines\tand\xa0more ", "two lines and more"),
        ("a\x00b\x1b[31m\ud800", "a b [31m"),
        ("<a href='https://x.example/?a=1&amp;b=2'>link</a>", "link"),
        ("I <3 you", "I <3 you"),
    ],
)
def test_markup_becomes_plain_text(markup: str, text: str) -> None:
    assert plain_text(markup, 200) == text


def test_an_endless_snippet_is_cut_and_shows_it() -> None:
    snippet = parsed(reply("q", [hit("https://e.org/", "t", "word " * 5000)])).results[0].snippet
    assert len(snippet) <= MAX_SNIPPET_CHARS
    assert snippet.endswith("word…")


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>",
        b"\xff\xfe{}",
        b"null",
        b"[]",
        b"{}",
        b'{"models": []}',
        b'{"results": [',
        b"[" * 100_000,
    ],
)
def test_what_is_not_searxngs_json_is_refused(body: bytes) -> None:
    with pytest.raises(ValueError, match=r"JSON|Expecting|decode"):
        parse_reply(body, "q", wanted=20)


@pytest.mark.parametrize(
    "body",
    [
        {"query": "q"},
        {"query": "q", "results": None},
        {"query": "q", "results": {}},
        {"query": {"original": "q"}, "web": {"results": [{"url": "https://a.example/"}]}},
        {"query": "q", "error": "no such engine"},
        {"query": "q", "results": [], "error": "no such engine"},
        {"query": "q", "results": [{"href": "https://a.example/", "title": "A", "text": "B"}]},
        {"results": ["https://a.example/"]},
        {"results": [{"url": "magnet:?xt=1", "title": "A"}]},
    ],
)
def test_the_json_of_another_service_is_no_empty_search(body: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"results|error"):
        parsed(body)


@pytest.mark.parametrize("body", [{"results": []}, {"results": [], "error": ""}])
def test_an_empty_list_is_no_results(body: dict[str, object]) -> None:
    assert parsed(body) == ResultPage("q", ())


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"error": "Invalid value"}', "Invalid value"),
        (b"<html>", "no reason given"),
        (b"[1]", "no reason given"),
        (b"{}", "no reason given"),
    ],
)
def test_a_refusal_is_quoted_where_it_gives_a_reason(body: bytes, said: str) -> None:
    assert stated_error(body) == said


def test_a_script_that_is_never_closed_is_looked_for_once() -> None:
    assert plain_text("<style" * 300_000, 100).startswith("<style<style")
    assert plain_text("a<script>b</script >c<STYLE>d</style>e<style>f", 100) == "a c e<style>f"


def test_no_more_entries_are_read_than_a_page_of_results_has() -> None:
    entry = {"url": "https://a.example/", "title": "A"}
    body = json.dumps({"results": [entry] * 5_000}).encode()
    assert len(parse_reply(body, "q", wanted=5_000).results) == MAX_ENTRIES
    far = {"url": f"https://a.example/{'x' * MAX_URL_CHARS}", "title": "A"}
    page = parse_reply(json.dumps({"results": [far, entry]}).encode(), "q", wanted=5)
    assert [result.url for result in page.results] == ["https://a.example/"]
