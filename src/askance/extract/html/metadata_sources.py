"""What a page says of itself: to programs in its markup, and to people in the lines around its heading."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

from askance.extract.extracted import TITLE_CHARACTERS
from askance.extract.html.dates import iso_of
from askance.extract.html.tree import Node, text_of
from askance.extract.text.markdown_text import tidy_line

MOST_JSON_CHARACTERS = 500_000
MOST_JSON_NODES = 20_000
_ARTICLES = re.compile(
    r"article|posting|report|recipe|review|howto|qapage|question|webpage|videoobject|product|book|dataset|thesis|course|event",
    re.IGNORECASE,
)
_MAIN_ARTICLES = re.compile(r"article|posting|report|review|recipe|howto", re.IGNORECASE)
_TITLES = ("og:title", "twitter:title", "dc.title", "dcterms.title", "citation_title", "sailthru.title",
           "parsely-title", "headline")  # fmt: skip
_AUTHORS = ("author", "article:author", "article:author_name", "byl", "citation_author", "dc.creator",
            "dcterms.creator", "parsely-author", "sailthru.author", "og:author", "creator", "authors",
            "shareaholic:article_author_name", "twitter:creator:name", "cxenseparse:author")  # fmt: skip
_PUBLISHED = ("article:published_time", "article:published", "og:published_time", "og:article:published_time",
              "datepublished", "date_published", "published", "pub_date", "publishdate", "publish_date", "publish-date", "published-date",
              "published_time", "published_date", "pubdate", "publication_date", "article:publication_date",
              "parsely-pub-date", "sailthru.date", "article_date_original", "article.published",
              "originalpublicationdate", "citation_publication_date", "citation_online_date", "citation_date",
              "dc.date.issued", "dcterms.issued", "dcterms.created", "dc.date.created", "dc.created", "dc.date",
              "dcterms.date", "cxenseparse:recs:publishtime", "bt:pubdate", "displaydate", "rbpubdate", "ptime",
              "pdate", "date", "created", "date_created", "og:pubdate", "gentime", "doc_date",
              "shareaholic:article_published_time", "video:release_date")  # fmt: skip
_UPDATED = ("article:modified_time", "article:modified", "og:updated_time", "og:modified_time", "datemodified",
            "dcterms.modified", "dc.date.modified", "modified", "last-modified", "lastmod", "lastmodified", "revision_date",
            "modified_time", "updated_time", "bt:moddate", "utime")  # fmt: skip


@dataclass
class Claims:
    """What a page says to programs, the more reliable first."""

    titles: list[str] = field(default_factory=list[str])
    authors: list[list[str]] = field(default_factory=list[list[str]])
    named_authors: list[list[str]] = field(default_factory=list[list[str]])
    """Those of meta elements, where the owner of a site stands as often."""
    publishers: set[str] = field(default_factory=set[str])
    published: list[str] = field(default_factory=list[str])
    updated: list[str] = field(default_factory=list[str])
    site: str = ""


def claims_of(tree: Node, language: str) -> Claims:
    """Return what a page claims. `language` is the tag that it declares, which settles the order of `3/2/2019`."""
    claims = Claims()
    named: dict[str, list[str]] = {}
    for element in tree.iter("meta"):
        # Pages, and programs that keep them, mistake the one attribute for the other.
        content = (element.get("content") or element.get("value") or "").strip()
        name = element.get("property") or element.get("name") or element.get("itemprop") or ""
        if content:
            named.setdefault(name.strip().lower(), []).append(content)
    main, others = Claims(), Claims()
    for item in _json_items(tree):
        kind = str(item.get("@type", ""))
        if _ARTICLES.search(kind):
            _take_item(item, main if _MAIN_ARTICLES.search(kind) else others, language)
    claims.site = next(iter(named.get("og:site_name", [])), "") or next(
        iter(named.get("application-name", [])), ""
    )
    claims.titles = [title for name in _TITLES for title in named.get(name, [])[:1]]
    claims.titles += [*main.titles, *others.titles]
    claims.authors = main.authors
    claims.named_authors = [named[name] for name in _AUTHORS if name in named] + others.authors
    claims.publishers = main.publishers | others.publishers
    claims.published = [*main.published, *_named_days(named, _PUBLISHED, language)]
    claims.updated = [*main.updated, *_named_days(named, _UPDATED, language), *others.updated]
    for element in _dated(tree):
        item = element.get("itemprop", "").lower()
        if item in {"datepublished", "datemodified"} and not is_of_topic(element):
            raw = element.get("content") or element.get("datetime") or text_of(element)
            if iso := iso_of(raw, language):
                (claims.published if item == "datepublished" else claims.updated).append(iso)
        elif element.tag == "time" and "pubdate" in element.attrib:
            claims.published += filter(None, [iso_of(element.get("datetime", ""), language)])
    claims.published += others.published
    return claims


def _dated(tree: Node) -> list[Node]:
    """Return the elements that may say of what a day is. XPath takes three times as long."""
    return [
        element
        for element in tree.iter()
        if element.get("itemprop") is not None or element.get("pubdate") is not None
    ]


def _named_days(named: dict[str, list[str]], names: Sequence[str], language: str) -> Iterator[str]:
    for name in names:
        for content in named.get(name, []):
            if iso := iso_of(content, language):
                yield iso


def _take_item(item: dict[str, Any], claims: Claims, language: str) -> None:
    for name, days in (("datePublished", claims.published), ("uploadDate", claims.published),
                       ("dateModified", claims.updated)):  # fmt: skip
        if iso := iso_of(str(item.get(name) or ""), language):
            days.append(iso)
    for name in ("headline", "name"):
        if isinstance(title := item.get(name), str):
            claims.titles.append(title)
    claims.publishers.update(map(words_in, _names_of(item.get("publisher"))))
    if names := list(_names_of(item.get("author") or item.get("creator"))):
        claims.authors.append(names)


def _names_of(author: object) -> Iterator[str]:
    for one in cast("list[object]", author) if isinstance(author, list) else [author]:
        if isinstance(one, str):
            yield one
        elif isinstance(one, dict):
            name = cast("dict[str, object]", one).get("name")
            for part in cast("list[object]", name) if isinstance(name, list) else [name]:
                if isinstance(part, str):
                    yield part


def _json_items(tree: Node) -> Iterator[dict[str, Any]]:
    """Yield all objects of the page's JSON-LD, the outer ones first."""
    left = MOST_JSON_NODES
    room = MOST_JSON_CHARACTERS
    for script in tree.iter("script"):
        if "ld+json" not in script.get("type", "").lower():
            continue
        text = (
            # Generators of XHTML wrap their scripts so.
            (script.text or "").strip().removeprefix("<![CDATA[").removesuffix("]]>").rstrip(" ;")
        )
        room -= len(text)
        if room < 0:
            return
        try:
            # Without `strict` a line may break within a string, as sites write them.
            pile: list[object] = [json.loads(text, strict=False)]
        except (ValueError, RecursionError):
            continue
        while pile and left:
            left -= 1
            node = pile.pop(0)
            if isinstance(node, list):
                # Bounded before it is put on the pile: a list may have a million objects.
                pile = [*cast("list[object]", node)[:left], *pile]
            elif isinstance(node, dict):
                item = cast("dict[str, Any]", node)
                yield item
                pile.extend(
                    value
                    for name, value in item.items()
                    if name in {"@graph", "mainEntity", "mainEntityOfPage"}
                )


# The lines of a page as they are seen, with the elements that each is made of.

WORD = re.compile(r"\w+")
_NEAR_LEVELS = 5
_BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "br", "dd", "details", "div", "dl", "dt", "fieldset",
    "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main",
    "nav", "ol", "p", "pre", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
})  # fmt: skip
_UNREAD = frozenset({"script", "style", "title", "template", "noscript"})
# Data of the thing that the page is about, and what leads to other pages.
_TOPICS = re.compile(
    r"infobox|vcard|vevent|bday|dtstart|factbox|(?:^|[\s_-])(?:sidebar|related|widget|comments?|calendar)(?:$|[\s_-])",
    re.IGNORECASE,
)


class PageLine(NamedTuple):
    """A line as it is seen, and the elements that it is made of."""

    text: str
    elements: tuple[Node, ...]


def lines_of(tree: Node) -> Iterator[PageLine]:
    """Yield the lines that a page shows, with the inline elements of each, and the block around it first."""
    parts: list[str] = []
    elements: list[Node] = []
    # Elements, in a tuple the blocks that end there, and the texts behind elements.
    pile: list[Node | tuple[Node] | str] = [tree]
    while pile:
        at = pile.pop()
        if isinstance(at, str):
            if parts or not at.isspace():
                parts.append(at)
            continue
        if isinstance(at, tuple):
            yield from _line(parts, elements)
            around = at[0].getparent()
            parts, elements = [], [] if around is None else [around]
            continue
        if tail := at.tail:
            pile.append(tail)
        if not isinstance(tag := at.tag, str) or tag in _UNREAD:
            continue
        if tag in _BLOCKS:
            yield from _line(parts, elements)
            parts, elements = [], []
            pile.append((at,))
        elements.append(at)
        if (text := at.text) and (parts or not text.isspace()):
            parts.append(text)
        if len(at):
            pile += at[::-1]
    yield from _line(parts, elements)


def _line(parts: Sequence[str], elements: Sequence[Node]) -> Iterator[PageLine]:
    """Yield a line, if it says something."""
    text = " ".join("".join(parts).split()) if parts else ""
    if text or any(element.get("datetime") is not None for element in elements):
        yield PageLine(text, tuple(elements))


def names_of(element: Node) -> str:
    """Return the classes, the id and the item property of an element."""
    get = element.get
    return f"{get('class', '')} {get('id', '')} {get('itemprop', '')}"


def is_of_topic(element: Node) -> bool:
    """Whether an element stands in a table of facts, or in what leads to other pages."""
    inner: Node | None = element
    for _ in range(_NEAR_LEVELS):
        if inner is None or inner.tag in {"body", "main", "article"}:
            return False
        if _TOPICS.search(names_of(inner)) or inner.tag == "nav":
            return True
        inner = inner.getparent()
    return False


def line_in(text: str | None) -> str:
    """Return a text as one line, of a title's length at most."""
    return tidy_line(text or "")[:TITLE_CHARACTERS]


def words_in(text: str) -> str:
    """Return the words of a text between single spaces, without regard to case."""
    return f" {' '.join(WORD.findall(text.casefold()))} "
