"""What a page says of itself: its title, who wrote it, and when it was published and updated.

A page says so to programs (meta elements, JSON-LD, microdata) and to people (its tab, headings, lines
around them). Titles and names count only if people see them, and where several agree; days are told apart by
what the page says they are of.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, cast
from urllib.parse import urlsplit

from askance.extract.dates import Kind, days_in, iso_of, kind_of_label
from askance.extract.markdown import tidy_text
from askance.extract.tree import Node, text_of

# A title is a line; longer ones are texts that someone put there.
TITLE_CHARACTERS = 300
BYLINE_CHARACTERS = 200
MOST_JSON_CHARACTERS = 500_000
MOST_JSON_NODES = 20_000
# The lines around its heading in which an article says when it was written, and by whom.
_BEFORE, _BEHIND = 6, 14
# A line with more words beside a day tells of something.
_MOST_BESIDE_DAY = 25
_LONGEST_NAME = 6
_MOST_BESIDE_UNNAMED = 8
_NEAR_LEVELS = 5
# More headings, elements of names, and elements in one of these no article has at its head.
_MOST_HEADINGS = 200
_MOST_NAMES = 100
_MOST_PARTS = 60
_LONGEST_LABEL = 40  # characters
# How like the tab's title, or a claim, the heading of an article is at least.
LEAST_LIKENESS = 0.45

_WORD = re.compile(r"\w+")
_TOKEN = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+"
)
_PARTS = re.compile(r" [|–—·•»«›‹<>:~/-]{1,9} | ?[|｜»«] ?| ?： ?|:\s|\s\(")  # noqa: RUF001
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
_URL_DAY = re.compile(r"/((?:19|20)\d\d)[/-](0?[1-9]|1[0-2])[/-](0?[1-9]|[12]\d|3[01])(?=[/_.-]|$)")
_URL_COMPACT_DAY = re.compile(r"(?<!\d)((?:19|20)\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?!\d)")

_BLOCKS = frozenset({
    "address", "article", "aside", "blockquote", "body", "br", "dd", "details", "div", "dl", "dt", "fieldset",
    "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main",
    "nav", "ol", "p", "pre", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr", "ul",
})  # fmt: skip
_UNREAD = frozenset({"script", "style", "title", "template", "noscript"})
# Headings by their rank, which counts among those that are about as like the tab's title.
_NAMED_TAGS = frozenset({
    "a", "span", "div", "p", "address", "li", "h3", "h4", "h5", "h6", "section", "cite", "strong",
})  # fmt: skip
_HEADINGS = {"h1": 0.3, "h2": 0.05, "h3": 0.0}
# Data of the thing that the page is about, and what leads to other pages.
_TOPICS = re.compile(
    r"infobox|vcard|vevent|bday|dtstart|factbox|(?:^|[\s_-])(?:sidebar|related|widget|comments?|calendar)(?:$|[\s_-])",
    re.IGNORECASE,
)
_DATE_NAMES = re.compile(
    r"date|time|publish|posted|entry-meta|byline|datum|fecha|timestamp|日付", re.IGNORECASE
)
_NAME_NAMES = re.compile(r"byline|author|autor|writer|contributor|auteur|\bby\b", re.IGNORECASE)
_NO_NAME_NAMES = re.compile(
    r"comment|bio\b|biography|avatar|image|photo|related|social|share|follow|desc|date|time|count|list|box|links?$",
    re.IGNORECASE,
)

_BY = re.compile(
    r"^\W*(?:written\s+by|posted\s+by|published\s+by|story\s+by|words\s+by|reported\s+by|article\s+by|review\s+by|by"
    r"|von|par|por|di|door|av|af|autore?|autora?|auteur|authors?|text|texte?|przez|автор|written|名前|著者|筆者|作者|记者|記者|文"
    r"|執筆|寄稿|取材|撰文|글|기자)(?:\s*[:：]\s*|\s+|$|(?-i:(?<=By)(?=[A-Z])))",  # noqa: RUF001
    re.IGNORECASE,
)
_BY_WORD = re.compile(
    r"^\W*(?:written\s+by|posted\s+by|story\s+by|by|von|par|por)\s+(?=[^\W\d_])", re.IGNORECASE
)
_LABELS = re.compile(
    r"updat|publish|posted|modified|last|edited|reading|min(?:ute)?s?\s+read|lesedauer|aktualisiert|veröffentlicht|stand"
    r"|publié|mis à jour|actualiza|atualiza|pubblicat|follow|view|get author|more (?:stories|from|by)|archive|rss|share"
    r"|comments?|photograph|illustration|image|更新|公開|subscribe|contact|email|see all|read more|bio\b|profile",
    re.IGNORECASE,
)
# A day ends a name; a month alone may be one ("Laura June Topolsky"), unless nothing follows it.
_MONTHS_OR_DAYS = re.compile(
    r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|okt|nov|dec|dez|january|february|march|april|june|july|august"
    r"|september|october|november|december|januar|februar|märz|mai|juni|juli|oktober|dezember|janvier|février|mars|avril"
    r"|juin|juillet|août|septembre|octobre|novembre|décembre|enero|febrero|marzo|abril|mayo|junio|julio|agosto"
    r"|septiembre|octubre|noviembre|diciembre)\b\.?\s*(?=\d|$)"
    r"|\b(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|today|yesterday)\b|\d",
    re.IGNORECASE,
)
_NAME_ENDS = re.compile(r" ?(?:[|·•—–/]|\s-\s|\s@|\n|\() ?")
_BETWEEN_NAMES = re.compile(r" ?[;,、&\n] ?|\s(?:and|AND|und|et|y|e|og|och|en|i)\s")
_PLACES = re.compile(r"\s(?:in|on|at|for|with|from|is|was)(?:\s|$)")
_BEHIND_NAMES = (_LABELS, _MONTHS_OR_DAYS, _PLACES)
_GLUED = re.compile(r"(?<=[^\W\d_])\0(?=[A-Z][^\W\d_])")
_SIGNS = " .,:;-|*\"'()\u2013\u2014\xb7"
_NO_NAME = re.compile(
    r"https?://|www\.|[@#{}<>=\u201c\u201d]|\.com\b|\b(?:null|undefined|none|xxx)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Metadata:
    """Title and names as people see them, days as ISO dates; empty where the page does not say for sure."""

    title: str = ""
    byline: str = ""
    published: str = ""
    updated: str = ""


@dataclass
class _Claims:
    """What a page says to programs, the more reliable first."""

    titles: list[str] = field(default_factory=list[str])
    authors: list[list[str]] = field(default_factory=list[list[str]])
    named_authors: list[list[str]] = field(default_factory=list[list[str]])
    """Those of meta elements, where the owner of a site stands as often."""
    publishers: set[str] = field(default_factory=set[str])
    published: list[str] = field(default_factory=list[str])
    updated: list[str] = field(default_factory=list[str])
    site: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A line as it is seen, and the elements that it is made of."""

    text: str
    elements: tuple[Node, ...]


class MetadataReader:
    """Reads what a page says to programs when it is made; afterwards hidden text may be dropped."""

    def __init__(self, tree: Node, url: str) -> None:
        self._tree = tree
        self._url = url
        self._language = tree.attrib.get("lang", "").strip()
        self._claims = _claims_of(tree, self._language)
        element = next(tree.iter("title"), None)
        self._tab = _line(text_of(element)) if element is not None else ""

    def read(self, shown: str) -> Metadata:
        """Return what the page says of itself, whose tree holds by now only what is seen: `shown`."""
        lines = lines_of(self._tree)
        title, heading = self._title(shown)
        near = self._near(lines, title if heading is None else heading)
        published, updated = self._days(near, lines)
        return Metadata(title, self._byline(near, shown), published, updated)

    def _title(self, shown: str) -> tuple[str, Node | None]:
        """Return what most of tab, claims and headings agree on, and the heading that has it."""
        seen = _words(shown)
        claims = [line for claim in self._claims.titles if (line := _line(claim))]
        plain = self._without_site(self._tab)
        others = [tokens for text in (plain, self._tab, *claims) if (tokens := _tokens(text))]
        best: tuple[float, str, Node | None] = (0.0, "", None)
        for tag, bonus in _HEADINGS.items():
            for element in islice(self._tree.iter(tag), _MOST_HEADINGS):
                line = _line(text_of(element))
                if not line or self._is_site(line):
                    continue
                likeness = max((_likeness(_tokens(line), other) for other in others), default=0.0)
                if likeness >= LEAST_LIKENESS and likeness + bonus > best[0]:
                    best = likeness + bonus, line, element
        if best[2] is not None:
            return best[1], best[2]
        for claim in claims:
            title = self._without_site(claim)
            if _words(title).strip() and _words(title) in seen and not self._is_site(title):
                return title, None
        firsts = [e for e in self._tree.iter("h1") if _line(text_of(e))]
        # A lone heading of the article outweighs a tab that says something else.
        if len(firsts) == 1 and (not plain or _is_in_article(firsts[0])):
            return _line(text_of(firsts[0])), firsts[0]
        return plain or (_line(text_of(firsts[0])) if firsts else ""), None

    def _without_site(self, title: str) -> str:
        """Return a title without the site's name before or behind it."""
        pieces = [(match.start(), match.end()) for match in _PARTS.finditer(title)]
        if not pieces:
            return title
        first, last = title[: pieces[0][0]].strip(), title[pieces[-1][1] :].strip()
        if self._is_site(last):
            return title[: pieces[-1][0]].strip()
        if self._is_site(first):
            return title[pieces[0][1] :].strip()
        return title

    def _is_site(self, text: str) -> bool:
        said = "".join(_words(text).split())
        if not said:
            return False
        host = (urlsplit(self._url).hostname or "").removeprefix("www.")
        names = {"".join(_words(self._claims.site).split()), host.replace(".", "").replace("-", "")}
        names.update(label.replace("-", "") for label in host.split(".")[:-1] if len(label) > 2)
        names.discard("")
        return said in names or any(
            said.removeprefix("the") in {name, name.removeprefix("the")} or said == name + "com"
            for name in names
        )

    def _near(self, lines: Sequence[Line], heading: Node | str) -> list[Line]:
        """Return the lines behind and before the heading, the nearest first."""
        place = -1
        if isinstance(heading, str):
            said = _words(heading)
            place = next(
                (i for i, line in enumerate(lines) if said.strip() and said in _words(line.text)),
                -1,
            )
        else:
            place = next((i for i, line in enumerate(lines) if heading in line.elements), -1)
        if place < 0:
            return list(lines[: _BEFORE + _BEHIND])
        behind = lines[place : place + _BEHIND]
        before = lines[max(0, place - _BEFORE) : place]
        return [*behind, *reversed(before)]

    def _days(self, near: Sequence[Line], lines: Sequence[Line]) -> tuple[str, str]:
        claims = self._claims
        published = list(claims.published)
        updated = list(claims.updated)
        unsaid: list[str] = []
        for line in near:
            self._sort_days(line, published, updated, unsaid)
        by_url = _day_in_url(self._url)
        if not published and not by_url and not unsaid:
            # The ends of an article and of a page say when they were made, if they say so at all.
            for line in lines:
                self._sort_days(line, published, updated, [])
            # The only day of a page, in a line of its own, is the page's.
            alone = {
                day.iso
                for line in lines
                for day in days_in(line.text, self._language)
                if day.kind is Kind.UNSAID
            }
            if len(alone) == 1 and not published and not updated:
                unsaid = [day for line in lines if (day := _lone_day(line, self._language))]
        found = next(iter([*published, *filter(None, [by_url]), *unsaid]), "")
        return found, next((day for day in updated if day >= found), "")

    def _sort_days(
        self, line: Line, published: list[str], updated: list[str], unsaid: list[str]
    ) -> None:
        if any(_is_of_topic(element) for element in line.elements[:1]):
            return
        days = list(days_in(line.text, self._language))
        said = days[0].kind if days else kind_of_label(line.text[:_LONGEST_LABEL])
        beside = len(_WORD.findall(line.text)) - 4 * len(days)
        stamps = {
            iso: kind
            for element in line.elements
            if (iso := iso_of(element.attrib.get("datetime", "")))
            and (kind := _kind_of(element, said))
        }
        is_short = beside <= _MOST_BESIDE_DAY
        for day in days:
            kind = stamps.get(day.iso, day.kind)
            if kind is Kind.UNSAID:
                kind = _kind_in_row(line)
            if kind is Kind.PUBLISHED and is_short:
                published.append(day.iso)
            elif kind is Kind.UPDATED:
                updated.append(day.iso)
            elif kind is Kind.UNSAID and is_short and _is_dateline(line, beside, day.start):
                unsaid.append(day.iso)
        if not days:
            for iso, kind in stamps.items():
                {Kind.PUBLISHED: published, Kind.UPDATED: updated}.get(kind, unsaid).append(iso)

    def _byline(self, near: Sequence[Line], shown: str) -> str:
        seen = _words(shown)
        close = {element for line in near for element in line.elements}
        related, named = _name_elements(self._tree)
        groups = (
            self._claimed(self._claims.authors, seen),
            ([name for e in related if e in close for name in names_in(_spaced_text(e))],),
            self._claimed(self._claims.named_authors, seen),
            (names_in(_spaced_text(element)) for element in named if element in close),
            (names_in(line.text) for line in near if _BY_WORD.match(line.text)),
            (names_in(_spaced_text(element)) for element in (*related, *named)),
        )
        for group in groups:
            for found in group:
                names = [name for name in found if not self._is_owner(name)]
                if names:
                    return "; ".join(dict.fromkeys(names))[:BYLINE_CHARACTERS]
        return ""

    def _claimed(self, claims: Sequence[Sequence[str]], seen: str) -> Iterator[list[str]]:
        for claim in claims:
            yield [name for raw in claim for name in names_in(raw) if _words(name) in seen]

    def _is_owner(self, name: str) -> bool:
        return self._is_site(name) or _words(name) in self._claims.publishers


def names_in(text: str) -> list[str]:
    """Return the names in a byline, without what stands before and behind them."""
    text = tidy_text(text).strip()
    if not text or len(text) > 2 * BYLINE_CHARACTERS or _NO_NAME.search(text):
        return []
    found: list[str] = []
    for piece in _NAME_ENDS.split(text):
        plain = _BY.sub("", piece.strip(), count=1)
        ends = (match.start() for pattern in _BEHIND_NAMES if (match := pattern.search(plain)))
        for part in _BETWEEN_NAMES.split(plain[: min(ends, default=len(plain))]):
            name = _BY.sub("", part.strip(), count=1).strip(_SIGNS)
            if len(name) > 1 and len(name.split()) <= _LONGEST_NAME and _WORD.search(name):
                found.append(name)
        if found:
            break  # what follows a sign is a place, a paper or a day
    return list(dict.fromkeys(found))


def _line(text: str | None) -> str:
    return " ".join(tidy_text(text or "").split())[:TITLE_CHARACTERS]


def _words(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def _is_in_article(element: Node) -> bool:
    above = element.getparent()
    while above is not None and above.tag not in {"article", "main"}:
        above = above.getparent()
    return above is not None


def _tokens(text: str) -> Counter[str]:
    """Count the words of a text, or its characters where it is written without spaces."""
    return Counter(_TOKEN.findall(text.casefold()))


def _likeness(one: Counter[str], other: Counter[str]) -> float:
    """Return how much two texts have of each other's words, from 0 to 1."""
    common = (one & other).total()
    return 2 * common / (one.total() + other.total()) if common else 0.0


def _claims_of(tree: Node, language: str) -> _Claims:
    claims = _Claims()
    named: dict[str, list[str]] = {}
    for element in tree.iter("meta"):
        attributes = element.attrib
        # Pages, and programs that keep them, mistake the one attribute for the other.
        content = (attributes.get("content") or attributes.get("value") or "").strip()
        name = (
            attributes.get("property") or attributes.get("name") or attributes.get("itemprop") or ""
        )
        if content:
            named.setdefault(name.strip().lower(), []).append(content)
    main, others = _Claims(), _Claims()
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
    for element in tree.iter():
        item = element.attrib.get("itemprop", "").lower()
        if item in {"datepublished", "datemodified"} and not _is_of_topic(element):
            raw = (
                element.attrib.get("content") or element.attrib.get("datetime") or text_of(element)
            )
            if iso := iso_of(raw, language):
                (claims.published if item == "datepublished" else claims.updated).append(iso)
        elif element.tag == "time" and "pubdate" in element.attrib:
            claims.published += filter(None, [iso_of(element.attrib.get("datetime", ""), language)])
    claims.published += others.published
    return claims


def _named_days(named: dict[str, list[str]], names: Sequence[str], language: str) -> Iterator[str]:
    for name in names:
        for content in named.get(name, []):
            if iso := iso_of(content, language):
                yield iso


def _take_item(item: dict[str, Any], claims: _Claims, language: str) -> None:
    for name, days in (("datePublished", claims.published), ("uploadDate", claims.published),
                       ("dateModified", claims.updated)):  # fmt: skip
        if iso := iso_of(str(item.get(name) or ""), language):
            days.append(iso)
    for name in ("headline", "name"):
        if isinstance(title := item.get(name), str):
            claims.titles.append(title)
    claims.publishers.update(map(_words, _names_of(item.get("publisher"))))
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
        if "ld+json" not in script.attrib.get("type", "").lower():
            continue
        text = (
            (script.text or "").strip().removeprefix("<![CDATA[").removesuffix("]]>").rstrip(" ;")
        )
        room -= len(text)
        if room < 0:
            return
        try:
            pile: list[object] = [json.loads(text, strict=False)]
        except (ValueError, RecursionError):
            continue
        while pile and left:
            left -= 1
            node = pile.pop(0)
            if isinstance(node, list):
                pile = [*cast("list[object]", node)[:left], *pile]
            elif isinstance(node, dict):
                item = cast("dict[str, Any]", node)
                yield item
                pile.extend(
                    value
                    for name, value in item.items()
                    if name in {"@graph", "mainEntity", "mainEntityOfPage"}
                )


def lines_of(tree: Node) -> list[Line]:
    """Return the lines that a page shows, with the inline elements of each, and the block around it first."""
    lines: list[Line] = []
    parts: list[str] = []
    elements: list[Node] = []
    pile: list[tuple[Node, bool]] = [(tree, False)]

    def end(block: Node | None) -> None:
        text = " ".join("".join(parts).split())
        if text or any("datetime" in element.attrib for element in elements):
            lines.append(Line(text, tuple(elements)))
        parts.clear()
        elements.clear()
        if block is not None:
            elements.append(block)

    while pile:
        node, is_end = pile.pop()
        if not isinstance(node.tag, str):
            continue
        is_block = node.tag in _BLOCKS
        if is_end:
            if is_block:
                end(node.getparent())
            parts.append(node.tail or "")
            continue
        if node.tag in _UNREAD:
            parts.append(node.tail or "")
            continue
        if is_block:
            end(node)
        else:
            elements.append(node)
        parts.append(node.text or "")
        pile.append((node, True))
        pile.extend((child, False) for child in reversed(list(node)))
    end(None)
    return lines


def _names(element: Node) -> str:
    attributes = element.attrib
    return (
        f"{attributes.get('class', '')} {attributes.get('id', '')} {attributes.get('itemprop', '')}"
    )


def _is_of_topic(element: Node) -> bool:
    """Whether an element stands in a table of facts, or in what leads to other pages."""
    inner: Node | None = element
    for _ in range(_NEAR_LEVELS):
        if inner is None or inner.tag in {"body", "main", "article"}:
            return False
        if _TOPICS.search(_names(inner)) or inner.tag == "nav":
            return True
        inner = inner.getparent()
    return False


def _kind_of(element: Node, line_says: Kind) -> Kind:
    """Return what the names of a time's element, or else the words of its line, say it is of."""
    said = kind_of_label(_names(element))
    return said if said in {Kind.PUBLISHED, Kind.UPDATED} else line_says


def _kind_in_row(line: Line) -> Kind:
    """Return what the cell or the term before a line says its day is of; a fact of the topic, mostly."""
    cell = line.elements[0] if line.elements else None
    before = cell.getprevious() if cell is not None and cell.tag in {"td", "dd"} else None
    label = _line(text_of(before)) if before is not None else ""
    if not label or len(label) > _LONGEST_LABEL:
        return Kind.UNSAID
    said = kind_of_label(label)
    return Kind.OTHER if said is Kind.UNSAID else said


def _is_dateline(line: Line, beside: int, start: int) -> bool:
    """Whether a line is there to say a day: by its element's name, or since the day stands apart in it."""
    if any(e.tag == "time" or _DATE_NAMES.search(_names(e)) for e in line.elements):
        return True
    before = line.text[:start].rstrip(" ")
    return beside <= _MOST_BESIDE_UNNAMED and (not before or before[-1] in _SIGNS)


def _lone_day(line: Line, language: str) -> str:
    days = list(days_in(line.text, language))
    if line.elements and (_is_of_topic(line.elements[0]) or _kind_in_row(line) is not Kind.UNSAID):
        return ""
    is_alone = len(days) == 1 and not line.text[: days[0].start].strip(_SIGNS)
    return days[0].iso if is_alone and not line.text[days[0].end :].strip(_SIGNS) else ""


def _day_in_url(url: str) -> str:
    path = urlsplit(url).path
    for pattern in (_URL_DAY, _URL_COMPACT_DAY):
        if match := pattern.search(path):
            return iso_of(f"{match[1]}-{match[2]}-{match[3]}")
    return ""


def _name_elements(tree: Node) -> tuple[list[Node], list[Node]]:
    """Return the elements that are said to be an author's, and those whose names sound like it."""
    related: list[Node] = []
    named: list[Node] = []
    for element in tree.iter():
        attributes = element.attrib
        relations = attributes.get("rel", "").lower().split()
        if "author" in relations or attributes.get("itemprop", "").lower() == "author":
            related.append(element)
        elif element.tag in _NAMED_TAGS:
            names = _names(element)
            if _NAME_NAMES.search(names) and not _NO_NAME_NAMES.search(names):
                named.append(element)
    return _small_ones(related), _small_ones(named)


def _small_ones(elements: Sequence[Node]) -> list[Node]:
    return [
        element
        for element in elements[:_MOST_NAMES]
        if sum(1 for _ in islice(element.iter(), _MOST_PARTS)) < _MOST_PARTS
        and not _is_of_topic(element)
    ]


def _spaced_text(element: Node) -> str:
    """Return the text of an element, a line for each of its blocks, and for what is not even set apart."""
    texts = "\n".join(line.text for line in lines_of(element) if line.text)
    return (
        texts
        if "\n" in texts
        else _GLUED.sub("\n", "\0".join(element.itertext())).replace("\0", "")
    )
