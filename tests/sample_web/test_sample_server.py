from __future__ import annotations

import http.client
import json
import socket
import struct
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any
from urllib.parse import quote, urlsplit

import pytest

from askance.adapters.search.searxng import parse_reply
from askance.sample_web.sample_pages import Question, QuestionKind, load_library, load_questions
from askance.sample_web.sample_server import (
    ENGINES,
    MARK,
    MAX_CHARS,
    MIN_CHARS,
    PAGE_SIZE,
    SILENCES,
    SampleWeb,
    SearchIndex,
    best_snippet,
    search_reply,
    serve_sample_web,
)
from askance.text.languages.sentences import sentences
from sampled import each_row
from waiting import PATIENCE_S


@pytest.fixture(scope="module")
def web() -> Iterator[SampleWeb]:
    with serve_sample_web() as running:
        yield running


def ask(
    web: SampleWeb,
    target: str,
    *,
    host: str | None = None,
    method: str = "GET",
    body: str | None = None,
    headers: dict[str, str] | None = None,
) -> tuple[int, str, str]:
    """Return status, content type and body."""
    address = urlsplit(web.search_url).netloc
    connection = http.client.HTTPConnection(address, timeout=PATIENCE_S)
    try:
        fields = {"Host": host or address, **(headers or {})}
        connection.request(method, target, body=body, headers=fields)
        reply = connection.getresponse()
        return reply.status, reply.headers["Content-Type"], reply.read().decode()
    finally:
        connection.close()


def search(web: SampleWeb, query: str, more: str = "") -> dict[str, Any]:
    status, kind, body = ask(web, f"/search?q={quote(query)}&format=json{more}")
    assert (status, kind) == (200, "application/json")
    return json.loads(body)


def test_each_host_answers_with_its_own_pages(web: SampleWeb) -> None:
    assert "<h1>Fares and booking</h1>" in ask(web, "/fares", host="ferry.hesperay.example")[2]
    assert "<h1>The mill today</h1>" in ask(web, "/today", host="mill.hesperay.example")[2]
    assert ask(web, "/fares", host="mill.hesperay.example")[0] == 404


@pytest.mark.parametrize("host", ["FERRY.hesperay.example", "ferry.hesperay.example:80"])
@pytest.mark.parametrize("path", ["/fares", "/fares/", "/f%61res", "/fares?utm_source=x"])
def test_spellings_of_an_address_lead_to_one_page(web: SampleWeb, host: str, path: str) -> None:
    status, kind, body = ask(web, path, host=host)
    assert (status, kind) == (200, "text/html; charset=utf-8")
    assert "Fares and booking" in body


def test_the_name_map_covers_every_host_and_points_here(web: SampleWeb) -> None:
    port = urlsplit(web.search_url).port
    assert set(web.names.values()) == {("127.0.0.1", port)}
    assert len(web.names) >= 12
    assert {urlsplit(g.url).hostname for q in web.questions for g in q.gold} <= set(web.names)


@pytest.mark.parametrize("host", ["other.example", "hesperay.example.org", "10.0.0.1"])
def test_an_unknown_host_is_misdirected(web: SampleWeb, host: str) -> None:
    assert ask(web, "/", host=host)[0] == 421


def test_a_host_that_cannot_be_read_is_a_bad_request(web: SampleWeb) -> None:
    assert ask(web, "/", host="[::1")[0] == 400


def test_a_page_that_is_gone_answers_404(web: SampleWeb) -> None:
    assert ask(web, "/new-ferry-plans-2014", host="gazette.hesperay.example")[0] == 404


@pytest.mark.parametrize("path", ["/../server.py", "/%2e%2e/sites.json", "/pages/"])
def test_no_path_leads_out_of_the_library(web: SampleWeb, path: str) -> None:
    assert ask(web, path, host="ferry.hesperay.example")[0] == 404


def test_a_proxys_request_names_its_host_in_the_target(web: SampleWeb) -> None:
    status, _, body = ask(web, "http://oddys.example/")
    assert status == 200
    assert "Wilfred Oddy" in body


def test_head_says_the_same_without_a_body(web: SampleWeb) -> None:
    assert ask(web, "/", host="oddys.example", method="HEAD") == (
        200,
        "text/html; charset=utf-8",
        "",
    )


def test_the_search_speaks_searxng(web: SampleWeb) -> None:
    reply = search(web, "storm petrels of Ord")
    assert set(reply) == {
        "query", "results", "answers", "corrections", "infoboxes", "suggestions",
        "unresponsive_engines",
    }  # fmt: skip
    assert reply["query"] == "storm petrels of Ord"
    assert len(reply["results"]) == 10
    first = reply["results"][0]
    assert first["url"] == "http://birds.hesperay.example/storm-petrels"
    assert first["parsed_url"][:3] == ["http", "birds.hesperay.example", "/storm-petrels"]
    assert first["engine"] in first["engines"]
    assert first["positions"] == [1] * len(first["engines"])
    assert first["publishedDate"] == "2024-02-19T00:00:00"


def test_the_products_own_parser_reads_the_search(web: SampleWeb) -> None:
    body = ask(web, "/search?q=tide+mill&format=json")[2].encode()
    page = parse_reply(body, "tide mill", wanted=10)
    assert len(page.results) == 10
    assert all(result.title and result.snippet and result.engines for result in page.results)
    assert any(result.published for result in page.results)


def test_the_second_result_page_has_other_results(web: SampleWeb) -> None:
    first = {r["url"] for r in search(web, "Kelhaven")["results"]}
    second = {r["url"] for r in search(web, "Kelhaven", "&pageno=2")["results"]}
    assert second
    assert not first & second


def test_a_query_may_come_as_a_form(web: SampleWeb) -> None:
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    body = f"q={quote('Käse 灯台')}&format=json"
    status, _, text = ask(web, "/search", method="POST", body=body, headers=form)
    assert status == 200
    assert json.loads(text)["query"] == "Käse 灯台"


@pytest.mark.parametrize(
    ("target", "status"),
    [
        ("/search?q=mill", 403),
        ("/search?q=mill&format=html", 403),
        ("/search?format=json", 400),
        ("/search?q=&format=json", 400),
        ("/search?q=mill&format=json&pageno=0", 400),
        ("/search?q=mill&format=json&pageno=-1", 400),
        ("/search?q=mill&format=json&pageno=two", 400),
        ("/nothing", 404),
        ("/", 404),
    ],
)
def test_what_the_service_cannot_answer_it_refuses(
    web: SampleWeb, target: str, status: int
) -> None:
    assert ask(web, target)[0] == status


@pytest.mark.parametrize("length", ["70000", "-1", "many"])
def test_a_form_of_a_bad_length_is_refused(web: SampleWeb, length: str) -> None:
    headers = {"Content-Length": length}
    assert ask(web, "/search", method="POST", headers=headers)[0] == 400


def test_health_and_configuration(web: SampleWeb) -> None:
    assert ask(web, "/healthz")[::2] == (200, "OK")
    assert [e["name"] for e in json.loads(ask(web, "/config")[2])["engines"]]


def test_many_requests_at_once_are_all_answered(web: SampleWeb) -> None:
    urls = [gold.url for question in web.questions for gold in question.gold]
    with ThreadPoolExecutor(16) as pool:
        found = list(
            pool.map(lambda u: ask(web, urlsplit(u).path, host=urlsplit(u).hostname)[0], urls)
        )
    assert found == [200] * len(urls)


def test_a_client_that_hangs_up_leaves_the_server_quiet_and_alive(
    web: SampleWeb, capfd: pytest.CaptureFixture[str]
) -> None:
    port = urlsplit(web.search_url).port
    for request in (b"", b"GET", b"GET / HTTP/1.1\r\nHost: oddys.example\r\n\r\n", b"\x16\x03\x01"):
        with socket.create_connection(("127.0.0.1", port)) as raw:
            raw.sendall(request)
            raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    assert ask(web, "/healthz")[0] == 200
    assert capfd.readouterr().err == ""


def lasting_threads() -> set[threading.Thread]:
    # A timer of what another test has used, such as a model of languages, may begin anew at any moment.
    return {t for t in threading.enumerate() if not isinstance(t, threading.Timer)}


def test_leaving_closes_the_port_and_ends_every_thread() -> None:
    before = lasting_threads()
    with serve_sample_web() as first, serve_sample_web() as second:
        assert first.search_url != second.search_url
        assert ask(first, "/healthz")[0] == ask(second, "/healthz")[0] == 200
    assert lasting_threads() <= before  # others may have ended meanwhile
    with pytest.raises(ConnectionRefusedError):
        ask(first, "/healthz")


def test_a_client_that_says_nothing_cannot_hold_up_the_end() -> None:
    with serve_sample_web() as web:
        port = urlsplit(web.search_url).port
        silent = socket.create_connection(("127.0.0.1", port))
        # Connections are taken in their order: once this one is answered, the silent one is held.
        assert ask(web, "/healthz")[0] == 200
    with silent:
        assert silent.recv(1) == b""


LIBRARY = load_library()
INDEX = SearchIndex(LIBRARY)
QUESTIONS = load_questions()
ANSWERABLE = [q for q in QUESTIONS if q.kind is not QuestionKind.UNANSWERABLE]


@cache
def replies() -> dict[str, dict[str, Any]]:
    return {q.question: search_reply(INDEX, q.question, page=1) for q in QUESTIONS}


def urls(query: str, *, count: int = PAGE_SIZE) -> list[str]:
    return [hit.document.url for hit in INDEX.search(query, first=1, count=count)]


@each_row("question", ANSWERABLE)
def test_a_question_finds_its_gold_pages_among_the_first_ten(question: Question) -> None:
    found = urls(question.question)
    # The second page of two hops is what the first one is read for.
    wanted = question.gold[:1] if question.kind is QuestionKind.TWO_HOP else question.gold
    assert [gold.url for gold in wanted if gold.url not in found] == []


def test_some_second_hops_cannot_be_found_with_the_question_alone() -> None:
    hops = [q for q in ANSWERABLE if q.kind is QuestionKind.TWO_HOP]
    assert any(q.gold[1].url not in urls(q.question) for q in hops)


@pytest.mark.parametrize("name", ["Sela Marrin", "Hector Pym", "Callum Reeve", "Deepak Rane"])
def test_a_name_finds_the_page_about_its_bearer(name: str) -> None:
    assert name in INDEX.search(name, first=1, count=1)[0].document.text


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("Welche Bäckereien haben auf der Insel ein schweres Brot?", "inselblick.example"),
        ("Wie verlässt man Strandmouth mit der frühesten Fähre?", "inselblick.example"),
        ("島の人口は何人ですか", "shima-tayori.example"),
    ],
)
def test_a_query_is_looked_up_in_its_own_language(query: str, first: str) -> None:
    (hit,) = INDEX.search(query, first=1, count=1)
    assert hit.document.host == first


def test_little_words_of_another_language_find_nothing() -> None:
    assert not urls("wie ist das und warum sind die nicht da")


def test_snippets_keep_their_bounds_and_the_words_of_their_page() -> None:
    for reply in replies().values():
        for result in reply["results"]:
            assert MIN_CHARS <= len(result["content"]) <= MAX_CHARS
            page = " ".join(sentences(LIBRARY.documents[result["url"]].text))
            assert result["content"].strip(MARK) in page


def test_a_snippet_shows_the_place_that_the_query_means() -> None:
    filler = "Nothing of note is said in this sentence at all. " * 12
    text = f"{filler}\n\nThe gannet weighs three kilograms. {filler}"
    snippet = best_snippet(text, ["gannet"], lambda _: 1.0)
    assert snippet.startswith("The gannet weighs three kilograms.")
    assert snippet.endswith(MARK)


@pytest.mark.parametrize("text", ["", "Short.", "word " * 400, "x" * 1000, "字" * 1000])
def test_a_snippet_of_an_odd_text_stays_in_bounds(text: str) -> None:
    assert len(best_snippet(text, ["word"], lambda _: 1.0)) <= MAX_CHARS


def test_the_end_of_a_text_gives_a_full_snippet() -> None:
    text = "Nothing of note is said here, " * 20 + "and so it ends. The gannet sleeps."
    snippet = best_snippet(text, ["gannet"], lambda _: 1.0)
    assert snippet.startswith(MARK)
    assert snippet.endswith("The gannet sleeps.")
    assert len(snippet) >= MIN_CHARS


def test_result_pages_follow_each_other_without_a_gap() -> None:
    first = INDEX.search("Hesperay island", first=1, count=20)
    pages = [search_reply(INDEX, "Hesperay island", page=page)["results"] for page in (1, 2)]
    assert [r["url"] for page in pages for r in page] == [h.document.url for h in first]
    assert len(pages[0]) == PAGE_SIZE
    assert search_reply(INDEX, "Hesperay island", page=99)["results"] == []


def test_scores_fall_from_result_to_result() -> None:
    for reply in replies().values():
        scores = [result["score"] for result in reply["results"]]
        assert scores
        assert scores == sorted(scores, reverse=True)


def test_now_and_then_an_engine_is_silent_and_always_for_the_same_query() -> None:
    silent = {q: r for q, r in replies().items() if r["unresponsive_engines"]}
    assert 0.1 < len(silent) / len(replies()) < 0.5
    for reply in silent.values():
        ((engine, reason),) = reply["unresponsive_engines"]
        assert engine in ENGINES
        assert reason in SILENCES
        assert all(engine not in result["engines"] for result in reply["results"])
    query, reply = next(iter(silent.items()))
    assert search_reply(SearchIndex(LIBRARY), query, page=1) == reply


@pytest.mark.parametrize("query", ["   ", "the of and", "xyzzyplugh", "\ud800", "!!", "?" * 5000])
def test_a_query_without_words_of_the_island_finds_nothing(query: str) -> None:
    assert search_reply(INDEX, query, page=1)["results"] == []
