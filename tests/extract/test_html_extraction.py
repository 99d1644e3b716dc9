"""Text out of HTML pages: structure, outcomes, and what no page may do."""

from __future__ import annotations

import time

import pytest

from askance.domain.web_pages import PageReason, PageStatus
from askance.extract.html.html_page import extract_html
from servers.site import article, sentence

URL = "http://lindmouth.example/harbour"


def read(page: str | bytes, content_type: str = "text/html"):
    data = page.encode() if isinstance(page, str) else page
    return extract_html(data, URL, content_type)


def test_each_paragraph_is_a_block_of_its_own():
    blocks = read(article()).markdown.split("\n\n")
    assert blocks[-6:] == [sentence(n) for n in range(6)]


PIECES = {
    "heading": ("<h2>The <i>great</i> storm</h2><p>It was cold.</p>", ["## The great storm"], ""),
    "list": ("<ul><li>First stones<ul><li>a small piece</li></ul></li><li>Second</li></ul>",
             ["- First stones", "  - a small piece", "- Second"], ""),
    "table": ("<table><tr><th>Year</th><th>Ships</th></tr><tr><td>1871</td><td>212</td></tr></table>",
              ["| Year | Ships |", "| 1871 | 212 |"], ""),
    "code": ("<pre><code>def dredge(depth):\n    return depth * 2</code></pre>",
             ["```", "def dredge(depth):", "    return depth * 2", "```"], ""),
    "breaks": ("<p>It was of slate.<br><br>It was of granite.</p>", ["It was of slate.", "", "It was of granite."], ""),
    "link": ('<p>It lies in the <a href="https://zx.example/x">archive</a>.</p>', ["It lies in the archive."], "zx.example"),
    "image": ('<p>From above: <img src="/a.png" alt="zx.example"> ![spy](http://zx.example/p.png).</p>',
              ["From above: spy."], "zx.example"),
}  # fmt: skip


@pytest.mark.parametrize(("piece", "lines", "left_out"), PIECES.values(), ids=PIECES)
def test_a_piece_of_an_article_has_lines_of_its_own(piece: str, lines: list[str], left_out: str):
    text = read(article(f"<p>{sentence(1)}</p>{piece}<p>{sentence(3)}</p>")).markdown
    assert "\n".join(["", *lines, ""]) in text
    assert not left_out or left_out not in text


def test_texts_of_neighbouring_boxes_do_not_run_together():
    boxes = "".join(f"<div>{sentence(n)}<div>{sentence(n + 1)}</div></div>" for n in (0, 2, 4))
    text = read(f"<html><head><title>T</title></head><body>{boxes}</body></html>").markdown
    assert "mouth." in text
    assert ".Its" not in text
    assert ".A storm" not in text


@pytest.mark.parametrize(
    "said",
    ["Copyright 2008–2019 Example Press", "Снимок от 25 сентября 2018", "Foto del 25 sept. 2018"],
)
def test_what_is_no_date_of_the_page_is_not_taken_for_one(said: str):
    assert read(article(f"<p>{sentence(1)}</p><div>{said}</div>")).published is None


def test_title_language_and_date_come_from_the_page():
    head = '<meta property="article:published_time" content="2024-05-06T10:00:00Z">'
    page = read(article(head=head))
    assert page.status is PageStatus.OK
    assert page.title == "The harbour of Lindmouth"
    assert page.language == "en"
    assert page.published == "2024-05-06"
    assert page.words > 90


def test_navigation_and_footer_are_left_out():
    text = read(article()).markdown
    assert "About" not in text
    assert "All rights reserved" not in text


def test_a_short_page_is_still_a_page():
    page = read(
        "<html><head><title>Orr</title></head><body><p>Orr is the capital of Lind.</p></body></html>"
    )
    assert page.status is PageStatus.OK
    assert "Orr is the capital of Lind." in page.markdown


@pytest.mark.parametrize("data", [b"", b"   \n", b"<html></html>", b"<!doctype html><body></body>"])
def test_a_page_without_text_is_empty(data: bytes):
    page = read(data)
    assert (page.status, page.reason) == (PageStatus.EMPTY, PageReason.NO_TEXT)
    assert page.detail
    assert not page.markdown


@pytest.mark.parametrize(
    "body",
    [
        '<div id="root"></div><noscript>You need to enable JavaScript to run this app.</noscript>'
        '<script src="/app.js"></script>',
        "<p>Please enable JavaScript in your browser to see this page.</p>",
        '<div id="app">Loading…</div><script src="/app.js"></script>',
    ],
)
def test_a_shell_that_waits_for_its_script_is_named_as_one(body: str):
    page = read(f"<html><head><title>App</title></head><body>{body}</body></html>")
    assert (page.status, page.reason) == (PageStatus.EMPTY, PageReason.SCRIPT_ONLY)
    assert page.title in {"App", "Just a moment..."}


def test_text_that_only_programs_read_is_not_the_pages_text():
    hidden = '<script type="application/ld+json">{"@type": "Article", "articleBody": "SECRET %s"}</script>'
    page = read(f"<html><body><div id=root></div>{hidden % ('word ' * 200)}</body></html>")
    assert page.status is PageStatus.EMPTY
    assert "SECRET" not in page.markdown


def test_fifty_thousand_nested_boxes_neither_crash_nor_take_long():
    started = time.process_time()
    page = read(b"<html><body>" + b"<div>" * 50_000 + b"deep" + b"</div>" * 50_000)
    assert page.markdown == "deep"
    assert time.process_time() - started < 2


def test_an_encoding_declaration_in_the_page_is_no_error():
    assert read('<?xml version="1.0" encoding="iso-8859-1"?>' + article()).status is PageStatus.OK


def test_a_nul_byte_and_a_broken_tag_cost_nothing():
    text = read(article("<p>Mended\0 words follow <b <i>here.</p>")).markdown
    assert sentence(0) in text
    assert "\0" not in text


def test_code_that_is_coloured_word_by_word_keeps_its_lines():
    coloured = (
        '<pre class="highlight"><span></span><span class="k">for</span> i <span>in</span> x:\n'
        '<span class="w">    </span><span>print</span>(<b>i</b>)<br>    done()</pre>'
    )
    page = extract_html(article(f"<p>{sentence(1)}</p>{coloured}").encode(), URL, "text/html")
    assert "```\nfor i in x:\n    print(i)\n    done()\n```" in page.markdown


@pytest.mark.parametrize(
    ("sheet", "piece", "said"),
    [
        (".old{text-decoration:line-through}", "<span class=old>18</span>", "~~18~~"),
        ("@media screen{.now, .was{text-decoration:line-through red}}", "<b class='was big'>18</b>", "~~18~~"),
        (".was:hover{text-decoration:line-through}", "<span class=was>18</span>", "18"),
        (".was{text-decoration:none}.x{text-decoration:line-through}", "<span class=was>18</span>", "18"),
    ],
)  # fmt: skip
def test_what_a_class_strikes_through_is_marked(sheet: str, piece: str, said: str):
    page = article(
        f"<p class=now>The jar costs {piece} 12 crowns in all the shops of the town.</p>"
    )
    page = page.replace("</head>", f"<style>{sheet}</style></head>")
    assert f"The jar costs {said} 12 crowns" in read(page).markdown
