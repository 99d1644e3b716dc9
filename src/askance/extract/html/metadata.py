"""What a page says of itself: its title, who wrote it, and when it was published and updated.

A page says so to programs (meta elements, JSON-LD, microdata) and to people (its tab, headings, lines
around them). Titles and names count only if people see them, and where several agree; days are told apart by
what the page says they are of.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import islice, tee
from urllib.parse import urlsplit

from askance.extract.html.dates import DateKind, Day, days_in, iso_of, kind_of_label
from askance.extract.html.metadata_sources import (
    WORD,
    Claims,
    PageLine,
    claims_of,
    is_of_topic,
    line_in,
    lines_of,
    names_of,
    words_in,
)
from askance.extract.html.tree import Node, text_of
from askance.extract.text.markdown_text import tidy_text

BYLINE_CHARACTERS = 200
# The lines around its heading in which an article says when it was written, and by whom.
_BEFORE, _BEHIND = 6, 14
_LONGEST_NAME = 6
# More headings, lines, elements of names, and elements in one of these no article has at its head.
_MOST_HEADINGS = 200
_MOST_PIECES = 500  # of text in a heading
_MOST_LINES = 20_000
_MOST_NAMES = 100
_MOST_PARTS = 60
# How like the tab's title, or a claim, the heading of an article is at least.
LEAST_LIKENESS = 0.45

_TOKEN = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+"
)
_PARTS = re.compile(r" [|–—·•»«›‹<>:~/-]{1,9} | ?[|｜»«] ?| ?： ?|:\s|\s\(")  # noqa: RUF001
# Headings by their rank, which counts among those that are about as like the tab's title.
_NAMED_TAGS = frozenset({
    "a", "span", "div", "p", "address", "li", "h3", "h4", "h5", "h6", "section", "cite", "strong",
})  # fmt: skip
_HEADINGS = {"h1": 0.3, "h2": 0.05, "h3": 0.0}
_NAME_NAMES = ("byline", "author", "autor", "writer", "contributor", "auteur")
_BY_NAME = re.compile(r"\bby\b")
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


class MetadataReader:
    """Reads what a page says to programs when it is made; afterwards hidden text may be dropped."""

    def __init__(self, tree: Node, url: str) -> None:
        self._tree = tree
        self._url = url
        self._language = tree.get("lang", "").strip()
        self._claims = claims_of(tree, self._language)
        element = next(tree.iter("title"), None)
        self._tab = line_in(text_of(element)) if element is not None else ""

    def read(self, shown: str) -> Metadata:
        """Return what the page says of itself, whose tree holds by now only what is seen: `shown`."""
        seen = cache(lambda: words_in(shown))
        title, heading = self._title(seen)
        # Looked for where the page's claims do not say enough, and as far as that takes.
        some, every = tee(lines_of(self._tree))
        lines = cache(lambda: list(islice(every, _MOST_LINES)))
        near = cache(lambda: _near(some, title if heading is None else heading))
        published, updated = _publication_days(self._claims, self._url, self._language, near, lines)
        return Metadata(title, self._byline(near, seen), published, updated)

    def _title(self, seen: Callable[[], str]) -> tuple[str, Node | None]:
        """Return what most of tab, claims and headings agree on, and the heading that has it."""
        claims = [line for claim in self._claims.titles if (line := line_in(claim))]
        plain = self._without_site(self._tab)
        others = [tokens for text in (plain, self._tab, *claims) if (tokens := _tokens(text))]
        best: tuple[float, str, Node | None] = (0.0, "", None)
        for tag, bonus in _HEADINGS.items():
            for element in islice(self._tree.iter(tag), _MOST_HEADINGS):
                line = line_in(_heading_text(element))
                if not line or self._is_site(line):
                    continue
                tokens = _tokens(line)
                likeness = max((_likeness(tokens, other) for other in others), default=0.0)
                if likeness >= LEAST_LIKENESS and likeness + bonus > best[0]:
                    best = likeness + bonus, line, element
        if best[2] is not None:
            return best[1], best[2]
        for claim in claims:
            title = self._without_site(claim)
            if words_in(title).strip() and words_in(title) in seen() and not self._is_site(title):
                return title, None
        firsts = [e for e in self._tree.iter("h1") if line_in(_heading_text(e))]
        # A lone heading of the article outweighs a tab that says something else.
        if len(firsts) == 1 and (not plain or _is_in_article(firsts[0])):
            return line_in(_heading_text(firsts[0])), firsts[0]
        return plain or (line_in(_heading_text(firsts[0])) if firsts else ""), None

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
        joined = "".join(words_in(text).split())
        if not joined:
            return False
        names = self._site_names
        return joined in names or any(
            joined.removeprefix("the") in {name, name.removeprefix("the")} or joined == name + "com"
            for name in names
        )

    @cached_property
    def _site_names(self) -> set[str]:
        host = (urlsplit(self._url).hostname or "").removeprefix("www.")
        names = {
            "".join(words_in(self._claims.site).split()),
            host.replace(".", "").replace("-", ""),
        }
        names.update(label.replace("-", "") for label in host.split(".")[:-1] if len(label) > 2)
        return names - {""}

    def _byline(self, near: Callable[[], Sequence[PageLine]], seen: Callable[[], str]) -> str:
        for found in self._bylines(near, seen):
            names = [name for name in found if not self._is_owner(name)]
            if names:
                return "; ".join(dict.fromkeys(names))[:BYLINE_CHARACTERS]
        return ""

    def _bylines(
        self, lines_near: Callable[[], Sequence[PageLine]], seen: Callable[[], str]
    ) -> Iterator[list[str]]:
        """Yield the names that may be those of who wrote it, the surest first."""
        yield from self._claimed(self._claims.authors, seen)
        near = lines_near()
        close = {element for line in near for element in line.elements}
        related, named = _name_elements(filter(close.__contains__, self._tree.iter()))
        yield [name for e in related if _is_name(e) for name in names_in(_spaced_text(e))]
        yield from self._claimed(self._claims.named_authors, seen)
        yield from (names_in(_spaced_text(element)) for element in named if _is_name(element))
        yield from (names_in(line.text) for line in near if _BY_WORD.match(line.text))
        related, named = _name_elements(self._tree.iter())
        for element in (*related, *named):
            if _is_name(element):
                yield names_in(_spaced_text(element))

    def _claimed(
        self, claims: Sequence[Sequence[str]], seen: Callable[[], str]
    ) -> Iterator[list[str]]:
        for claim in claims:
            yield [name for raw in claim for name in names_in(raw) if words_in(name) in seen()]

    def _is_owner(self, name: str) -> bool:
        return self._is_site(name) or words_in(name) in self._claims.publishers


def _near(lines: Iterator[PageLine], heading: Node | str) -> list[PageLine]:
    """Return the lines behind and before the heading, the nearest first; the first lines where it is in none."""
    text = words_in(heading) if isinstance(heading, str) else ""
    is_text = bool(text.strip())
    if isinstance(heading, str) and not is_text:
        return list(islice(lines, _BEFORE + _BEHIND))
    passed: list[PageLine] = []
    for line in islice(lines, _MOST_LINES):
        if isinstance(heading, str):
            is_heading = text in words_in(line.text)
        else:
            is_heading = heading in line.elements
        if is_heading:
            behind = [line, *islice(lines, _BEHIND - 1)]
            return [*behind, *reversed(passed[-_BEFORE:])]
        passed.append(line)
    return passed[: _BEFORE + _BEHIND]


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
            if len(name) > 1 and len(name.split()) <= _LONGEST_NAME and WORD.search(name):
                found.append(name)
        if found:
            break  # what follows a sign is a place, a paper or a day
    return list(dict.fromkeys(found))


def _heading_text(element: Node) -> str:
    """Return the text of a heading, cut where it is as long as none: one may hold the next, and so on."""
    return "".join(islice(element.itertext(), _MOST_PIECES))


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
    if one.keys().isdisjoint(other):
        return 0.0
    return 2 * (one & other).total() / (one.total() + other.total())


def _name_elements(elements: Iterable[Node]) -> tuple[list[Node], list[Node]]:
    """Return the elements that are said to be an author's, and those whose names sound like it."""
    related: list[Node] = []
    named: list[Node] = []
    for element in elements:
        get = element.get
        relations, item = get("rel"), get("itemprop", "")
        if (relations and "author" in relations.lower().split()) or item.lower() == "author":
            related.append(element)
        elif element.tag in _NAMED_TAGS and _is_called_name(get("class"), get("id"), item):
            named.append(element)
    return related[:_MOST_NAMES], named[:_MOST_NAMES]


@lru_cache(maxsize=4096)
def _is_called_name(*names_of_element: str | None) -> bool:
    names = " ".join(name or "" for name in names_of_element).lower()
    is_name = any(name in names for name in _NAME_NAMES) or (
        "by" in names and _BY_NAME.search(names) is not None
    )
    return is_name and _NO_NAME_NAMES.search(names) is None


def _is_name(element: Node) -> bool:
    """Whether an element may hold nothing but names."""
    return len(list(islice(element.iter(), _MOST_PARTS))) < _MOST_PARTS and not is_of_topic(element)


def _spaced_text(element: Node) -> str:
    """Return the text of an element, a line for each of its blocks, and for what is not even set apart."""
    texts = "\n".join(line.text for line in lines_of(element) if line.text)
    return (
        texts
        if "\n" in texts
        else _GLUED.sub("\n", "\0".join(element.itertext())).replace("\0", "")
    )


# When a page was published and updated: days told apart by what the page says they are of.

# A line with more words beside a day tells of something.
_MOST_BESIDE_DAY = 25
_MOST_BESIDE_UNNAMED = 8
_FEWEST_IN_SENTENCE = 3  # words
_LONGEST_LABEL = 40  # characters
_URL_DAY = re.compile(r"/((?:19|20)\d\d)[/-](0?[1-9]|1[0-2])[/-](0?[1-9]|[12]\d|3[01])(?=[/_.-]|$)")
_URL_COMPACT_DAY = re.compile(r"(?<!\d)((?:19|20)\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])(?!\d)")

_DATE_NAMES = re.compile(
    r"date|time|publish|posted|entry-meta|byline|datum|fecha|timestamp|日付", re.IGNORECASE
)


def _publication_days(
    claims: Claims,
    url: str,
    language: str,
    lines_near: Callable[[], Sequence[PageLine]],
    all_lines: Callable[[], Sequence[PageLine]],
) -> tuple[str, str]:
    """Return the days of publication and of the update, empty where the page does not say them for sure.

    `lines_near` returns the lines around the heading of the article, the nearest first.
    """
    if claims.published and (later := [d for d in claims.updated if d >= claims.published[0]]):
        return claims.published[0], later[0]
    published, updated = list(claims.published), list(claims.updated)
    found = {DateKind.PUBLISHED: published, DateKind.UPDATED: updated, DateKind.UNSAID: list[str]()}
    for line in lines_near():
        _sort_days(line, list(days_in(line.text, language)), found)
    by_url, unsaid = _day_in_url(url), found[DateKind.UNSAID]
    if not published and not by_url and not unsaid:
        # The ends of an article and of a page say when they were made, if they say so at all.
        found[DateKind.UNSAID] = []
        dated = [(line, list(days_in(line.text, language))) for line in all_lines()]
        for line, days in dated:
            _sort_days(line, days, found)
        # The only day of a page, in a line of its own, is the page's.
        alone = {day.iso for _, days in dated for day in days if day.kind is DateKind.UNSAID}
        if len(alone) == 1 and not published and not updated:
            unsaid = [day for line, days in dated if (day := _lone_day(line, days))]
    day = next(iter([*published, *filter(None, [by_url]), *unsaid]), "")
    return day, next((later for later in updated if later >= day), "")


def _sort_days(line: PageLine, days: list[Day], found: dict[DateKind, list[str]]) -> None:
    """Add the days of a line to those that are found, by what they are of."""
    times = [time for element in line.elements if (time := element.get("datetime"))]
    if not (days or times) or any(is_of_topic(element) for element in line.elements[:1]):
        return
    line_kind = days[0].kind if days else kind_of_label(line.text[:_LONGEST_LABEL])
    beside = len(WORD.findall(line.text)) - 4 * len(days)
    stamps = {
        iso: kind
        for element in line.elements
        if times
        and (iso := iso_of(element.get("datetime", "")))
        and (kind := _kind_of(element, line_kind, line))
    }
    is_short = beside <= _MOST_BESIDE_DAY
    for day in days:
        kind = stamps.get(day.iso, day.kind)
        if kind is DateKind.UNSAID:
            kind = _kind_in_row(line)
        if (
            kind is DateKind.UPDATED
            or (kind is DateKind.PUBLISHED and is_short)
            or (kind is DateKind.UNSAID and is_short and _is_dateline(line, beside, day))
        ):
            found[kind].append(day.iso)
    if not days:
        for iso, kind in stamps.items():
            found.get(kind, []).append(iso)


def _kind_of(element: Node, line_kind: DateKind, line: PageLine) -> DateKind:
    """Return what the names of a time's element, or else the words of its line or row, say it is of."""
    kind = kind_of_label(names_of(element))
    if kind in {DateKind.PUBLISHED, DateKind.UPDATED}:
        return kind
    return _kind_in_row(line) if line_kind is DateKind.UNSAID else line_kind


def _kind_in_row(line: PageLine) -> DateKind:
    """Return what the cell or the term before a line says its day is of; a fact of the topic, mostly."""
    cell = line.elements[0] if line.elements else None
    before = cell.getprevious() if cell is not None and cell.tag in {"td", "dd"} else None
    label = line_in(text_of(before)) if before is not None else ""
    if not label or len(label) > _LONGEST_LABEL:
        return DateKind.UNSAID
    kind = kind_of_label(label)
    return DateKind.OTHER if kind is DateKind.UNSAID else kind


def _is_dateline(line: PageLine, beside: int, day: Day) -> bool:
    """Whether a line is there to say a day: by its element's name, or since the day stands apart in it."""
    if any(_DATE_NAMES.search(names_of(e)) for e in line.elements):
        return True
    before = line.text[: day.start].rstrip(" ")
    if any(e.tag == "time" for e in line.elements):
        return not _is_in_sentence(before, line.text[day.end :], beside)
    return beside <= _MOST_BESIDE_UNNAMED and (not before or before[-1] in _SIGNS)


def _is_in_sentence(before: str, behind: str, beside: int) -> bool:
    """Whether a day is the day of an event: a sentence goes on to it, or says what happened on it."""
    if behind.lstrip().startswith(":"):
        return True
    last = before.rpartition(" ")[2]
    return beside >= _FEWEST_IN_SENTENCE and last.isalpha() and last.islower()


def _lone_day(line: PageLine, days: list[Day]) -> str:
    if line.elements and (
        is_of_topic(line.elements[0]) or _kind_in_row(line) is not DateKind.UNSAID
    ):
        return ""
    is_alone = len(days) == 1 and not line.text[: days[0].start].strip(_SIGNS)
    return days[0].iso if is_alone and not line.text[days[0].end :].strip(_SIGNS) else ""


def _day_in_url(url: str) -> str:
    path = urlsplit(url).path
    for pattern in (_URL_DAY, _URL_COMPACT_DAY):
        if match := pattern.search(path):
            return iso_of(f"{match[1]}-{match[2]}-{match[3]}")
    return ""
