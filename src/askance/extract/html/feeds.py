"""Text out of feeds: RSS 0.9 to 2.0 (https://www.rssboard.org/rss-specification), RSS 1.0 and Atom (RFC 4287)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from itertools import islice
from typing import Any, cast

from lxml import etree  # pyright: ignore[reportMissingTypeStubs, reportAttributeAccessIssue, reportUnknownVariableType]

from askance.domain.messages import NOTHING, Message
from askance.extract.extracted import Extracted, markdown_heading, outcome
from askance.extract.html.html_page import extract_html
from askance.extract.html.tree import parse_loosely
from askance.extract.text.decoding import decode_text
from askance.extract.text.markdown_text import tidy_line, tidy_text

_BEGINNING = 4096  # bytes in which the first element begins
_ROOT = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*+(?:(?:<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^<>\[]*>)\s*|)*+<(?:\w+:)?(rss|feed|RDF)\b([^<>]*)",
    re.DOTALL,
)
_NAMESPACES = {b"rss": (b"",), b"feed": (b"/atom",), b"RDF": (b"/rss/1.0", b"netscape")}
_TEXTS = frozenset({"encoded", "content", "summary", "description", "abstract"})
_DAYS = ("published", "pubDate", "date", "issued", "updated", "modified")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_MOST_ENTRIES = 1000
_MOST_TEXTS = 4  # of an entry
_WORD = re.compile(r"\w+")
_CUT = ("...", "\u2026")
_MARKUP = re.compile(
    r"</?(?:a|abbr|b|br|cite|code|em|i|p|q|s|small|span|strong|sub|sup|u)\b[^<>]*>|&#?\w+;",
    re.IGNORECASE,
)
_ATOM = "{http://www.w3.org/2005/Atom}"
_ESCAPED_SECTION = re.compile(r"\s*<!\[CDATA\[(.*)\]\]>\s*", re.DOTALL)
_etree = cast("Any", etree)


def is_feed(data: bytes) -> bool:
    """Whether a page is a feed, by its first element and what that is declared to be."""
    root = _ROOT.match(data[:_BEGINNING])
    return root is not None and any(name in root[2].lower() for name in _NAMESPACES[root[1]])


def extract_feed(data: bytes, url: str, content_type: str) -> Extracted:
    """Return the entries of a feed as Markdown, each below its title with its day and its author.

    A summary is left out where the content of the entry holds it. What is no XML at all is read as HTML.
    """
    root = parse_loosely(decode_text(data, content_type))
    if root is None:
        return extract_html(data, url, content_type)
    channel = _child(root, "channel")
    channel = root if channel is None else channel
    title = _line_of(_child(channel, "title"))
    blocks = [markdown_heading(title, 1), _page_text(_child(channel, "description", "subtitle"))]
    days = [_day_of(channel, "lastBuildDate", *_DAYS)]
    holders = (root,) if channel is root else (channel, root)
    entries = [e for holder in holders for e in holder if _name(e) in {"item", "entry"}]
    for entry in entries[:_MOST_ENTRIES]:
        blocks += _entry_blocks(entry)
        days.append(_day_of(entry, *_DAYS))
    detail = NOTHING
    if len(entries) > _MOST_ENTRIES:
        detail = Message(
            "Only the first {n} of the {available} entries are read.",
            n=_MOST_ENTRIES,
            available=len(entries),
        )
    # Days in ISO 8601 compare as texts, and an empty one is before all.
    return outcome(blocks, title, max(days), detail, is_tidy=True)


def _entry_blocks(entry: Any) -> Iterator[str]:
    yield markdown_heading(_line_of(_child(entry, "title")), 2)
    author = _child(entry, "creator", "author")
    if author is not None and len(author):
        author = _child(author, "name")
    yield ", ".join(filter(None, (_day_of(entry, *_DAYS), _line_of(author))))
    group = _child(entry, "group")  # where sites of videos keep what they say
    places = [*entry, *(group if group is not None else ())]
    texts = [_page_text(e) for e in islice((e for e in places if _name(e) in _TEXTS), _MOST_TEXTS)]
    longer: list[str] = []
    for text in sorted(texts, key=len, reverse=True):
        words = _WORD.findall(text)
        # A summary may be cut in the middle of a word.
        begin = " ".join(words[:-1] if text.rstrip(" )]").endswith(_CUT) else words)
        if not any(begin in other for other in longer):
            longer.append(" ".join(words))
            yield text


def _child(element: Any, *names: str) -> Any:
    """Return the first child of the first of these names, whatever its namespace."""
    return next((e for name in names for e in element if _name(e) == name), None)


def _name(element: Any) -> str:
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def _page_text(element: Any) -> str:
    """Return what an element says, in HTML as a text or as elements, or in plain text."""
    if element is None:
        return ""
    for child in element.iterdescendants("*"):
        # XHTML within Atom has a namespace, and the reader of pages knows none.
        child.tag = _name(child)
    children = [_etree.tostring(child, encoding="unicode") for child in element]
    text = element.text or ""
    if children and text.isspace():
        text = ""
    if section := _ESCAPED_SECTION.fullmatch(text):
        text = section[1]
    # Texts of Atom are plain unless they say else (RFC 4287, 3.1.1); RSS has HTML in all of them.
    is_plain = element.tag.startswith(_ATOM) and element.get("type", "text") == "text"
    if not children and (is_plain or ("<" not in text and "&" not in text)):
        return tidy_text(text)
    html = "".join((text, *children)).encode("utf-8", "replace")
    return extract_html(html, "file:", "text/html; charset=utf-8").markdown


def _line_of(element: Any) -> str:
    """Return a title or a name, in which a sign as of HTML may be none: `Vec<T>`."""
    if element is None:
        return ""
    is_page = len(element) or element.get("type") == "html" or _MARKUP.search(element.text or "")
    return tidy_line(_page_text(element) if is_page else element.text or "")


def _day_of(element: Any, *names: str) -> str:
    """Return the day that an element gives, in ISO 8601; empty where it gives none that can be read."""
    child = _child(element, *names)
    written = (child.text or "").strip() if child is not None else ""
    if day := _DAY.match(written):
        return day[0]
    try:
        return parsedate_to_datetime(written).date().isoformat()
    except (ValueError, TypeError, IndexError):
        return ""
