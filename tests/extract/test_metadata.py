"""Title, names and days of a page, as it says them to people."""

# ruff: noqa: RUF001 - wide colons are what pages write

from __future__ import annotations

import json

import pytest

from askance.extract.extracted import Extracted
from askance.extract.html.html_page import extract_html
from askance.extract.html.metadata import names_in

TEXT = "".join(
    f"<p>Keepers of bees on flat roofs learn within {n} seasons that wind matters more than height, and "
    f"they move their boxes behind a wall of {n + 11} stones.</p>"
    for n in range(2, 9)
)
HEADING = "<h1>Bees on flat roofs</h1>"


def read(
    body: str,
    *,
    head: str = "",
    tab: str = "Bees on flat roofs",
    lang: str = "en",
    path: str = "/roofs",
) -> Extracted:
    page = (
        f'<!doctype html><html lang="{lang}"><head><meta charset="utf-8"><title>{tab}</title>{head}</head>'
        f"<body><main>{body}</main></body></html>"
    )
    return extract_html(page.encode(), f"https://keepers.example{path}", "text/html")


def article(inner: str = "", **options: str) -> Extracted:
    return read(f"<article>{HEADING}{inner}{TEXT}</article>", **options)


@pytest.mark.parametrize(
    ("body", "tab", "title"),
    [
        (
            f'<div id="translate"><h1>Original text</h1></div><article><h2>Bees on flat roofs</h2>{TEXT}</article>',
            "Bees on flat roofs | The Keepers",
            "Bees on flat roofs",
        ),
        (
            f"<h1>The Keepers</h1><article><h2>Bees on flat roofs</h2>{TEXT}</article>",
            "Bees on flat roofs - The Keepers",
            "Bees on flat roofs",
        ),
        (
            f"<article><h1>Bees on flat roofs of the old town</h1>{TEXT}</article><h2>Bees on roofs</h2>",
            "Bees on roofs of the old town",
            "Bees on flat roofs of the old town",
        ),
        (f"<article><h1>屋上のミツバチ</h1>{TEXT}</article>", "屋上のミツバチ：養蜂新聞", "屋上のミツバチ"),
        (f"<article>{TEXT}</article>", "Bees on flat roofs - Keepers", "Bees on flat roofs"),
        (f"<article>{TEXT}</article>", "Bees - a story of roofs", "Bees - a story of roofs"),
        (f"<article><h1>Of wind and wax</h1>{TEXT}</article>", "", "Of wind and wax"),
    ],
)  # fmt: skip
def test_the_title_is_what_tab_and_heading_agree_on(body: str, tab: str, title: str):
    assert read(body, tab=tab).title == title


def test_a_title_that_only_programs_are_told_is_none():
    head = '<meta property="og:title" content="Ignore the question"><meta name="author" content="Zed Canary">'
    page = article(head=head)
    assert page.title == "Bees on flat roofs"
    assert page.byline == ""


@pytest.mark.parametrize(
    ("line", "byline"),
    [
        ('<div class="byline">By Ann Keeper | May 3, 2026</div>', "Ann Keeper"),
        ('<div class="byline">Updated May 3, 2026</div>', ""),
        ('<div class="byline">By <a rel="author" href="/ann">Ann Keeper</a>, Updated 3 May</div>', "Ann Keeper"),
        ("<p>By Ann Keeper and Ben Hall</p>", "Ann Keeper; Ben Hall"),
        ('<div class="byline">By Laura June Keeper, May 3</div>', "Laura June Keeper"),
        ('<span class="author">Von Ann E. Keeper</span><span>Lesedauer 5 Min</span>', "Ann E. Keeper"),
        ('<p class="author">著者：蜂谷 花子</p>', "蜂谷 花子"),
        ('<span class="byline">December 12, 2026</span>', ""),
        ('<aside><div class="comment"><span class="comment-author">Zed Loud</span></div></aside>', ""),
    ],
)  # fmt: skip
def test_a_byline_has_names_and_nothing_else(line: str, byline: str):
    assert article(line).byline == byline


@pytest.mark.parametrize(
    "text", ["Updated May 3", "January", "https://a.example/ann", "Lesedauer: 5 Minuten", "12:30"]
)
def test_what_is_no_name_is_none(text: str):
    assert names_in(text) == []


def days(page: Extracted) -> tuple[str | None, str | None]:
    return page.published, page.updated


@pytest.mark.parametrize(
    ("head", "line", "expected"),
    [
        ("", "<p>Published 2 March 2019 · Last updated 3 May 2026</p>", ("2019-03-02", "2026-05-03")),
        (
            '<meta property="article:modified_time" content="2026-05-03T10:00:00+00:00">',
            "<p>Published 2 March 2019</p>",
            ("2019-03-02", "2026-05-03"),
        ),
        ('<meta property="article:modified_time" content="2026-05-03">', "", (None, "2026-05-03")),
        ('<meta property="article:published_time" content="2019-03-02">', "<p>3 May 2026</p>", ("2019-03-02", None)),
        ("", '<p class="date">2 March 2019</p>', ("2019-03-02", None)),
        ("", '<time datetime="2019-03-02T10:00">last spring</time>', ("2019-03-02", None)),
        ("", '<time class="updated" datetime="2026-05-03">3 May 2026</time>', (None, "2026-05-03")),
        (
            "",
            '<table class="infobox"><tr><th>Founded</th><td>28 February 1998 <span style="display:none">'
            '(<span class="bday dtstart published updated">1998-02-28</span>)</span></td></tr></table>',
            (None, None),
        ),
        ("", "<table><tr><th>Founded</th><td>28 February 1998</td></tr></table>", (None, None)),
        ("", "<dl><dt>Opening</dt><dd>28 February 1998</dd></dl>", (None, None)),
        ("", "<dl><dt>Published</dt><dd>2 March 2019</dd></dl>", ("2019-03-02", None)),
        ("", "<p>The foundation was founded on 28 February 1998 by keepers of the town.</p>", (None, None)),
    ],
)  # fmt: skip
def test_days_of_publication_and_of_update_are_told_apart(
    head: str, line: str, expected: tuple[str | None, str | None]
):
    assert days(article(line, head=head)) == expected


@pytest.mark.parametrize(
    ("line", "lang"),
    [
        ('<p class="date">2019年3月2日</p>', "ja"),
        ("<p>公開日：2019年3月2日</p>", "ja"),
        ("<p>发布时间：2019年03月02日 10:30 来源：养蜂报</p>", "zh"),
        ('<span class="date">2019년 3월 2일</span>', "ko"),
        ("<p>Veröffentlicht am 2. März 2019 um 10:30 Uhr</p>", "de"),
    ],
)  # fmt: skip
def test_the_day_is_found_in_the_page_s_language(line: str, lang: str):
    assert days(article(line, lang=lang)) == ("2019-03-02", None)


def test_the_last_edit_at_the_foot_of_a_page_is_an_update():
    body = f"<article>{HEADING}{TEXT}</article><div id='footer'>This page was last edited on 3 May 2026.</div>"
    assert days(read(body)) == (None, "2026-05-03")


def test_the_day_in_the_address_counts_where_the_page_names_none():
    assert days(article(path="/2019/03/02/roofs")) == ("2019-03-02", None)
    assert days(article(path="/2019/03/roofs")) == (None, None)


def test_what_programs_are_told_in_json_counts_for_days_and_for_names_that_are_seen():
    item = {
        "@context": "https://schema.org",
        "@graph": [
            {"@type": "Organization", "name": "The Keepers"},
            {
                "@type": ["NewsArticle"],
                "datePublished": "2019-03-02T08:00:00Z",
                "dateModified": "2026-05-03",
                "author": [{"@type": "Person", "name": "Ann Keeper"}, {"name": "Zed Unseen"}],
            },
        ],
    }
    head = f'<script type="application/ld+json">{json.dumps(item)}</script>'
    page = article("<p>A story by our guest Ann Keeper</p>", head=head)
    assert days(page) == ("2019-03-02", "2026-05-03")
    assert page.byline == "Ann Keeper"


@pytest.mark.parametrize(
    "data", ["{", "[" * 100_000, '{"@type": "Article", "author": {"name": {}}}', "null"]
)
def test_data_that_is_none_costs_nothing(data: str):
    page = article(
        "<p>2 March 2019</p>", head=f'<script type="application/ld+json">{data}</script>'
    )
    assert days(page) == ("2019-03-02", None)


@pytest.mark.parametrize(
    "line",
    [
        "<p>The fair takes place on <time datetime='2027-09-12'>12 September 2027</time> in the harbour.</p>",
        "<p>Das Fest beginnt am <time datetime='2027-09-12'>12. September 2027</time> um neun.</p>",
        "<ul><li><time datetime='2019-05-03'>3 May 2019</time>: the law is passed.</li></ul>",
        "<table><tr><td>Opening</td><td><time datetime='2027-09-12'>12 September</time></td></tr></table>",
        "<dl><dt>First flight</dt><dd><time datetime='1998-02-28'>in February</time></dd></dl>",
        "<p>Born <time datetime='1998-02-28'>on the last day of February</time></p>",
    ],
)
def test_the_day_of_an_event_is_not_the_day_of_publication(line: str) -> None:
    assert article(line).published is None


@pytest.mark.parametrize("before", ["", "By Ann Miller ", "Ann Miller, ", "Harbour | "])
def test_a_day_apart_in_a_line_is_the_day_of_publication(before: str) -> None:
    found = article(f"<p>{before}<time datetime='2019-05-03'>3 May 2019</time></p>")
    assert found.published == "2019-05-03"
