"""What of a page is taken for its main text, and what stands around it is left out."""

from __future__ import annotations

import pytest

from askance.extract.html.html_page import extract_html
from sampled import each_row
from servers.site import article, sentence


def read(page: str) -> str:
    return extract_html(page.encode(), "http://lindmouth.example/", "text/html").markdown


LONG = "".join(f"<p>{sentence(n)} {sentence(n + 1)}</p>" for n in range(1, 5))
AROUND = {
    "sidebar": '<aside class="sidebar"><h2>ZX most read</h2><ul><li><a href="/1">ZX one</a></li></ul></aside>',
    "related": '<section class="related-posts"><h3>ZX related</h3><a href="/2">ZX another story of the harbour</a></section>',
    "comments": '<div id="comments" class="comments"><div class="comment"><p>ZX I do not agree at all with this.</p></div></div>',
    "newsletter": '<div class="newsletter-signup"><p>ZX subscribe to our newsletter and read more.</p></div>',
    "footer": '<footer class="site-footer"><p>ZX © 2026 All rights reserved.</p></footer>',
    "navigation": '<nav class="menu"><ul><li><a href="/3">ZX home</a></li><li><a href="/4">ZX about</a></li></ul></nav>',
}  # fmt: skip


@pytest.mark.parametrize("around", AROUND.values(), ids=AROUND)
def test_what_stands_around_an_article_is_left_out(around: str) -> None:
    markdown = read(article(LONG).replace("</body>", f"{around}</body>"))
    assert sentence(1) in markdown
    assert sentence(5) in markdown
    assert "ZX" not in markdown


@each_row(
    "picture",
    [
        '<div id="attachment_12" class="wp-caption alignnone"><img src="a.jpg"><p class="wp-caption-text">{}</p></div>',
        '<figure class="wp-block-image size-large"><img src="a.jpg"><figcaption class="wp-element-caption">{}</figcaption></figure>',
        '<div class="image"><img src="a.jpg"><p class="caption">{}</p></div>',
        '<div class="photo"><img src="a.jpg"><div class="image-caption">{}</div></div>',
        '<figure><img src="a.jpg"><figcaption>{}</figcaption></figure>',
    ],
)
@each_row("paragraphs", [2, 4, 8, 30])
def test_captions_in_an_article_and_at_its_edges_are_read(picture: str, paragraphs: int) -> None:
    text = picture.format("The pier in 1899, before the fire.") + "".join(
        f"<p>{sentence(n % 5)} {sentence(n % 5 + 1)}</p>"
        + (picture.format(f"The pier in {1900 + n}, before the fire.") if n % 2 else "")
        for n in range(paragraphs)
    )
    around = f"{AROUND['navigation']}<main><article class=post><div class=entry-content>{text}</div></article>"
    markdown = read(
        f"<body>{around}{AROUND['comments']}</main>{AROUND['sidebar']}{AROUND['footer']}</body>"
    )
    assert markdown.count("before the fire.") == 1 + paragraphs // 2
    assert markdown.startswith("The pier in 1899")
    assert "ZX" not in markdown


def test_the_heading_above_the_text_is_read_with_it() -> None:
    page = f"<html><body><main><article><header><h1>Bees of Lindmouth</h1></header>{LONG}</article></main></body></html>"
    assert read(page).startswith("# Bees of Lindmouth\n")


def test_pages_of_documentation_keep_their_lists_tables_and_code() -> None:
    parts = (
        "<h2>Options</h2><ul><li>limit: the most frames</li><li>step: how many at once</li></ul>"
        "<table><tr><th>Option</th><th>Default</th></tr><tr><td>limit</td><td>40</td></tr></table>"
        "<pre><code>hive start --port 8080</code></pre>"
    )
    markdown = read(article(f"<p>{sentence(1)} {sentence(2)}</p>{parts}<p>{sentence(3)}</p>"))
    for text in (
        "## Options",
        "- limit: the most frames",
        "| limit | 40 |",
        "hive start --port 8080",
    ):
        assert text in markdown


def test_answers_of_a_forum_are_read() -> None:
    posts = "".join(
        f'<div class="post"><div class="message"><p>{sentence(n)} {sentence(n + 1)}</p></div></div>'
        for n in (0, 2, 4)
    )
    markdown = read(f'<html><body><div class="thread">{posts}</div></body></html>')
    assert all(sentence(n) in markdown for n in range(6))


def test_a_tag_that_no_name_can_be_made_of_costs_nothing() -> None:
    markdown = read(f'<html><body><class="row">{LONG}</class="row"></body></html>')
    assert sentence(3) in markdown


INLINE = (
    "a", "a id=top", "abbr", "b", "bdi", "button", "cite", "code", "data", "dfn", "em", "font", "i", "ins", "kbd", "label",
    "mark", "output", "q", "samp", "small", "span", "strong", "time", "u", "var", "x-note",
)  # fmt: skip


@each_row("start", INLINE)
@each_row("body", ["{}", "{}{paragraphs}", "{paragraphs}{}", "{}<br>{paragraphs}", "<div>{}</div>"])
def test_words_in_an_inline_element_that_stands_in_the_body_itself_are_read(
    start: str, body: str
) -> None:
    loose = f"<{start}>The bridge of Orr is closed on Mondays.</{start.split()[0]}>"
    page = f"<html><body>{body.format(loose, paragraphs=LONG)}</body></html>"
    assert "The bridge of Orr is closed on Mondays." in read(page)
