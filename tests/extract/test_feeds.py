"""Feeds: each entry below its title, its words as a reader of feeds shows them, and nothing hidden."""

from __future__ import annotations

import time

import pytest

from askance.domain.web_pages import PageStatus
from askance.extract.extracted import Extracted
from askance.extract.page import extract_page

URL = "http://lindmouth.example/feed"


def read(feed: str, content_type: str = "application/rss+xml") -> Extracted:
    return extract_page(feed.encode(), URL, content_type)


def rss(*entries: str) -> str:
    items = "".join(f"<item>{entry}</item>" for entry in entries)
    return (
        '<?xml version="1.0"?><!-- made --><rss version="2.0" '
        'xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:media="http://search.yahoo.com/mrss/">'
        f"<channel><title>Harbour</title><description>News of it</description>{items}</channel></rss>"
    )


def atom(*entries: str) -> str:
    items = "".join(f"<entry>{entry}</entry>" for entry in entries)
    return f'<feed xmlns="http://www.w3.org/2005/Atom"><title>Harbour</title><subtitle>News of it</subtitle>{items}</feed>'


@pytest.mark.parametrize(
    "content_type", ["application/rss+xml", "text/xml", "application/xml", "text/html", ""]
)
def test_each_entry_stands_below_its_title_with_its_day_and_its_author(content_type: str) -> None:
    entry = (
        "<title>The light</title><link>http://lindmouth.example/1</link><author>Orr</author>"
        "<pubDate>Mon, 02 Nov 2026 10:00:00 GMT</pubDate><description>It burns.</description>"
    )
    page = read(rss(entry, "<title>The pier</title>"), content_type)
    said = "# Harbour\n\nNews of it\n\n## The light\n\n2026-11-02, Orr\n\nIt burns.\n\n## The pier"
    assert (page.markdown, page.title, page.published) == (said, "Harbour", "2026-11-02")


ENTRIES = {
    rss("<description>&lt;p&gt;One &lt;b&gt;two&lt;/b&gt;.&lt;/p&gt;&lt;p&gt;Three&lt;/p&gt;</description>"): "One two.\n\nThree",
    rss("<description><![CDATA[<pre>a = 1\n  b</pre>]]></description>"): "```\na = 1\n  b\n```",
    rss("<description>The keep [&amp;hellip;]</description><content:encoded>The keeper came.</content:encoded>"): "The keeper came.",
    rss("<description>In short.</description><content:encoded>The keeper came.</content:encoded>"): "The keeper came.\n\nIn short.",
    rss("<media:group><media:description>A film.</media:description></media:group>"): "A film.",
    rss("<description>3 &lt; 4 &amp; 5</description>"): "3 < 4 & 5",
    rss("<title>Vec&lt;T&gt; of C &amp; D</title>"): "## Vec<T> of C & D",
    rss("<title>&lt;i&gt;Gull&lt;/i&gt; &amp;amp; tern</title>"): "## Gull & tern",
    rss("<description>&lt;![CDATA[One <b>two</b>]]&gt;</description>".replace("<b>", "&lt;b&gt;").replace("</b>", "&lt;/b&gt;")): "One two",
    rss("<title>AT&T & co, for <a-1.2</title><description>one & two&nbsp;three &foo; &copy; 4 < 5</description>"): "## AT&T & co, for <a-1.2\n\none & two three &foo; \u00a9 4 < 5",
    rss("<title>a\x1fb</title><description><![CDATA[<code>&lt;system&gt;</code> & c]]></description>"): "## ab\n\n<system> & c",
    rss("<title>&lt;p&gt;A guide&lt;/p&gt;</title>"): "## A guide",
    rss("<title>a</title><pubDate>soon</pubDate>"): "## a",
    rss("<title>a</title><description>&lt;!-- </description>", "<title>b</title>"): "## a\n\n## b",
    atom("<updated>2026-11-02T10:00:00Z</updated><author><name>Orr</name></author><summary>It burns.</summary>"): "2026-11-02, Orr\n\nIt burns.",
    atom("<title>A tag</title><summary>Write &lt;b> for bold.</summary>"): "## A tag\n\nWrite <b> for bold.",
    atom('<content type="html">&lt;p>One&lt;/p>&lt;p>two&lt;/p></content>'): "One\n\ntwo",
    atom('<content type="xhtml"><x:div xmlns:x="http://www.w3.org/1999/xhtml"><x:p>One</x:p><x:p>two</x:p></x:div></content>'): "One\n\ntwo",
}  # fmt: skip


@pytest.mark.parametrize(("feed", "said"), ENTRIES.items())
def test_what_an_entry_says_is_read_as_it_is_shown(feed: str, said: str) -> None:
    assert read(feed).markdown == f"# Harbour\n\nNews of it\n\n{said}"


def test_content_of_atom_of_before_2005_is_html_where_it_says_escaped() -> None:
    content = '<content mode="escaped"><![CDATA[This is <b>one</b>.]]></content>'
    feed = f'<feed version="0.3" xmlns="http://purl.org/atom/ns#"><title>H</title><entry>{content}</entry></feed>'
    assert read(feed).markdown == "# H\n\nThis is one."


def test_entries_beside_the_channel_are_read_too() -> None:
    feed = (
        '<?xml version="1.0" encoding="iso-8859-1"?><rdf:RDF xmlns="http://purl.org/rss/1.0/" '
        'xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        "<channel><title>Café</title></channel>"
        "<item><title>Gull</title><dc:date>2026-01-02T00:00:00Z</dc:date><dc:creator>Ann</dc:creator></item></rdf:RDF>"
    )
    page = extract_page(feed.encode("iso-8859-1"), URL, "application/rdf+xml")
    assert page.markdown == "# Café\n\n## Gull\n\n2026-01-02, Ann"


def test_nothing_hidden_is_read() -> None:
    hidden = (
        "&lt;p style='display:none'&gt;CANARY&lt;/p&gt;&lt;script&gt;CANARY&lt;/script&gt;Seen."
    )
    assert read(rss(f"<description>{hidden}</description>")).markdown.endswith("\n\nSeen.")


@pytest.mark.parametrize("feed", ["<rss><channel><title>Gull", "<rss>Gull</rss>", "<rss"])
def test_a_broken_feed_costs_no_more_than_what_is_broken(feed: str) -> None:
    page = read(feed)
    assert (page.status is PageStatus.OK) == ("Gull" in feed and "title" in feed), page


def test_no_entity_is_resolved() -> None:
    feed = rss("<title>a &secret; b</title>").replace(
        "<rss", '<!DOCTYPE rss SYSTEM "file:///etc/hostname"><rss', 1
    )
    assert "## a &secret; b" in read(feed).markdown


@pytest.mark.parametrize(
    "piece", ["<item><description>&lt;b></description></item>", "<description>&lt;b></description>", "<item><description>"]
)  # fmt: skip
def test_the_time_is_bounded(piece: str) -> None:
    feed = f"<rss><channel><title>a</title>{piece * (1_000_000 // len(piece))}"
    begun = time.process_time()
    read(feed)
    assert time.process_time() - begun < 8  # 0.3 s measured


def test_a_page_that_speaks_of_feeds_is_none() -> None:
    page = "<!doctype html><html><head><link type=application/rss+xml></head><body><p>A feed <code>&lt;rss&gt;</code>.</p></body></html>"
    assert "A feed" in read(page, "text/html").markdown
    assert "#" not in read(page, "text/html").markdown
