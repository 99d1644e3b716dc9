"""What the markers of an answer stand for: the citation of each, the words before it that its source leaves in doubt,
and the quote that is shown over it, the words lit that carry the sentence.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from askance.citations.check.carrying import carrying_words
from askance.citations.markdown.answer_markers import REACH, distance
from askance.citations.markdown.grammar import Marker
from askance.domain.characters import one_line
from askance.domain.evidence import Citation, Source, Support
from askance.presentation.answers import (
    LANGUAGES,
    badge_of,
    foreign_language,
    host_of_source,
    is_local_file,
    is_right_to_left,
    opened_by,
    origins_of_claim,
    place_of,
    support_word,
)
from askance.presentation.i18n import day_of, plural, term, tr
from askance.text.languages.recognition import language_of

SCHEME = "cite:"
# Accepts `cite:3` and `cite:3/12`: a source, and behind the slash the index of its citation.
_TARGET = re.compile(rf"{SCHEME}([0-9]{{1,3}})(?:/([0-9]{{1,6}}))?")
BETWEEN = " ,;\t"
"""What may stand between markers that stand together."""
_EMPHASIS = "*_~"
_MISSING = term("nothing was found about this")
_DENIED = term("a source says otherwise")
MOST_CHARACTERS = 320
"""Of a longer quote only a part is shown, at most so much of it before the first word that is lit:"""
_LEAD_CHARACTERS = 80
# With bounds, so that brackets which never close cost no more than that (decision 13).
_PICTURE_OR_LINK = re.compile(r"!?\[([^\[\]]{0,500})\]\([^()\s]{0,2000}\)")
# At the start of a line marks of headings, quotations and items; anywhere those of emphasis and
# code. An underscore within a word, as in `snake_case`, is none.
_MARKS = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+)|\*{1,3}|~~|`+|(?<!\w)_{1,3}|_{1,3}(?!\w)",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class MarkerTarget:
    """What a marker's link names: a source, and a citation by its index if one was checked."""

    n: int
    citation: int | None = None


@dataclass(frozen=True, slots=True)
class Doubt:
    """Words of the answer, from `start` to `end`, whose source carries them in part or not at all.

    `says` is what there is to say of a text that was checked; empty for an answer.
    """

    start: int
    end: int
    support: Support
    remark: str = ""

    @property
    def word(self) -> str:
        """What a tooltip and a screen reader say of it."""
        return tr(self.remark) if self.remark else support_word(self.support)


@dataclass(frozen=True, slots=True)
class QuoteSegment:
    """Words of a quote; `is_lit` where they are what the sentence says."""

    text: str
    is_lit: bool = False


@dataclass(frozen=True, slots=True)
class QuoteView:
    """The card of a marker. `quote` is empty where no words of the source carry the sentence.

    `about` names its language where that is not the answer's. `support` says how well it carries the
    sentence, by its `grade`; `url` is what a click opens, empty if nothing may be opened.
    """

    n: int
    quote: tuple[QuoteSegment, ...]
    title: str
    about: str
    support: str
    url: str
    is_right_to_left: bool = False
    grade: Support = Support.SUPPORTED
    origins: str = ""
    """How many independent sources carry the words that it is cited for, where that says something."""

    @property
    def spoken(self) -> str:
        """The pop-up as a screen reader says it."""
        text = "".join(stretch.text for stretch in self.quote)
        about = " · ".join(filter(None, (self.title, self.about)))
        return ". ".join(filter(None, (text, about, self.support, self.origins, self.opens)))

    @property
    def opens(self) -> str:
        """What a click does; empty where it does nothing."""
        if not self.url:
            return ""
        if is_local_file(self.url):
            return tr("opens the file")
        return tr("opens at this sentence") if self.quote else tr("opens the page")


@dataclass(frozen=True, slots=True)
class QuoteLanguage:
    """In which language a quote is compared with its sentence, and its own where that is not the answer's."""

    compared: str
    foreign: str = ""


def link_to(n: int, citation: int | None) -> str:
    """Return the link that stands behind the marker of a source, and of its citation if one was checked."""
    return f"{SCHEME}{n}" + ("" if citation is None else f"/{citation}")


def target_of(link: str) -> MarkerTarget | None:
    """Return what a link of the answer names, or None if it leads to the web."""
    found = _TARGET.fullmatch(link)
    if found is None:
        return None
    return MarkerTarget(int(found[1]), int(found[2]) if found[2] else None)


def assign(markers: Sequence[Marker], citations: Sequence[Citation]) -> list[int | None]:
    """Return for each marker the index of its citation, or None where there is none near.

    Where a sentence cites a source twice, its citations go to its markers in order.
    """
    spans = {n: _Spans(n, citations) for n in {citation.n for citation in citations}}
    used: set[int] = set()
    assigned: list[int | None] = []
    for marker in markers:
        found = spans[marker.n].near(marker.start) if marker.n in spans else ()
        # One that no marker has yet comes first, then the nearest, then the first.
        near = [(i in used, distance(citations[i], marker.start), i) for i in found]
        index = min(near)[2] if near else None
        assigned.append(index)
        if index is not None:
            used.add(index)
    return assigned


def doubts_of(
    text: str,
    markers: Sequence[Marker],
    assigned: Sequence[int | None],
    citations: Sequence[Citation],
) -> tuple[Doubt, ...]:
    """Return the words before each marker whose sources leave a doubt, in order, never overlapping.

    Markers that stand together answer for the same words; one that carries them is enough.
    """
    missing = (c for c in citations if not c.n)
    found = ((c, *_trimmed(text, c.start, c.end)) for c in missing)
    doubts = [Doubt(start, end, c.support, _MISSING) for c, start, end in found if start < end]
    behind = 0
    for group in _groups(text, markers):
        cited = [citations[i] for k in group if (i := assigned[k]) is not None]
        first, last = markers[group[0]], markers[group[-1]]
        doubt = _doubt(text, cited, first.start, last.end, behind) if cited else None
        if doubt is not None:
            doubts.append(doubt)
        # Words before an earlier marker are that one's: none are in doubt twice.
        behind = max(last.end, doubt.end if doubt else 0)
    return tuple(sorted(doubts, key=lambda doubt: doubt.start))


class _Spans:
    """Where the sentences stand that cite one source. An answer may have hundreds of them."""

    def __init__(self, n: int, citations: Sequence[Citation]) -> None:
        self._order = [i for i, citation in enumerate(citations) if citation.n == n]
        self._order.sort(key=lambda i: citations[i].start)
        self._starts = [citations[i].start for i in self._order]
        # The furthest end so far never decreases, as the ends themselves may: a search can stop at
        # the first that is out of reach.
        self._furthest = list(accumulate((citations[i].end for i in self._order), max))
        self._citations = citations

    def near(self, at: int) -> Iterator[int]:
        """Return the indices of those that are within reach of a place."""
        k = bisect_right(self._starts, at + REACH)
        while k and self._furthest[k - 1] >= at - REACH:
            k -= 1
            if distance(self._citations[self._order[k]], at) <= REACH:
                yield self._order[k]


def _groups(text: str, markers: Sequence[Marker]) -> list[list[int]]:
    groups: list[list[int]] = []
    for k, marker in enumerate(markers):
        if groups and not text[markers[k - 1].end : marker.start].strip(BETWEEN):
            groups[-1].append(k)
        else:
            groups.append([k])
    return groups


def _doubt(
    text: str, cited: Sequence[Citation], begins: int, ends: int, behind: int
) -> Doubt | None:
    supports, sentence = {citation.support for citation in cited}, cited[0]
    # The first is on the side of the verdict on a text that was checked.
    remark = _DENIED if sentence.contradicts else ""
    if Support.SUPPORTED in supports and not remark:
        return None
    is_weak = Support.WEAK in supports and not remark
    support = Support.WEAK if is_weak else Support.UNSUPPORTED
    start, end = _trimmed(text, max(sentence.start, behind), begins)
    if start >= end:  # it opens the sentence
        start, end = _trimmed(text, ends, sentence.end)
    return Doubt(start, end, support, remark) if start < end else None


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the words within a span: one cell of one line, emphasis around them included."""
    # What counts as a sentence in a table reaches over cells and rows: the words in doubt are those
    # of the marker's own cell.
    start = max(start, text.rfind("|", start, max(end, start)) + 1)
    start = max(start, text.rfind("\n", start, max(end, start)) + 1)
    while start < end and (text[start].isspace() or text[start] in ",;:."):
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start >= end or not any(c.isalnum() for c in text[start:end]):
        return start, start
    while start and text[start - 1] in _EMPHASIS:
        start -= 1
    while end < len(text) and text[end] in _EMPHASIS:
        end += 1
    return start, end


def language_of_quote(citation: Citation) -> QuoteLanguage:
    """Return the languages of a citation. The first call loads a model, for half a second: not in the window's thread."""
    if not citation.quote:
        return QuoteLanguage("")
    texts = plain(citation.quote), plain(citation.sentence)
    return QuoteLanguage(language_of(texts), foreign_language(citation.quote, citation.sentence))


def quote_of(
    link: str,
    sources: Sequence[Source],
    citations: Sequence[Citation],
    languages: Sequence[QuoteLanguage] = (),
) -> QuoteView | None:
    """Return what to show over a link of the answer; None if it is no marker of a known source.

    `languages` are those of the citations (`language_of_quote`), where they are known.
    """
    target = target_of(link)
    source = next((s for s in sources if target and s.n == target.n), None)
    if target is None or source is None:
        return None
    citation, spoken = None, QuoteLanguage("")
    if target.citation is not None and target.citation < len(citations):
        citation = citations[target.citation]
        is_known = target.citation < len(languages)
        spoken = languages[target.citation] if is_known else language_of_quote(citation)
    quote = citation.quote if citation else ""
    url = opened_by(source, quote)
    badge = badge_of(source)
    tongue = tr(LANGUAGES[spoken.foreign]) if spoken.foreign else ""
    host = host_of_source(source) or place_of(source.url)
    n = citation.origins if citation else 0
    origins = plural("{n} independent source", "{n} independent sources", n) if n else ""
    about = (host, day_of(source.published), tongue, badge, origins)
    grade = citation.support if citation else Support.SUPPORTED
    return QuoteView(
        source.n,
        lit(quote, citation.sentence, spoken.compared) if citation and quote else (),
        one_line(source.title),
        " · ".join(filter(None, about)),
        _grade_text(citation),
        url,
        is_right_to_left(quote),
        grade,
        origins_of_claim(citation, sources) if citation else "",
    )


def _grade_text(citation: Citation | None) -> str:
    if citation is None:
        return ""
    if citation.contradicts:
        return tr("says otherwise")
    if citation.support is Support.WEAK:
        return tr("supports this in part")
    return support_word(citation.support)


def lit(quote: str, sentence: str, code: str) -> tuple[QuoteSegment, ...]:
    """Return a quote in quotation marks, the words lit that carry the sentence: they are compared in a language.

    Of a long quote the part around them is shown.
    """
    text = plain(quote)
    first, last = carrying_words(text, plain(sentence), code) or (0, 0)
    start, end = _window(text, first)
    opening, closing = "“" + ("…" if start else ""), ("…" if end < len(text) else "") + "”"
    if last <= first:
        return (QuoteSegment(f"{opening}{text[start:end]}{closing}"),)
    last = min(last, end)
    return (
        QuoteSegment(f"{opening}{text[start:first]}"),
        QuoteSegment(text[first:last], is_lit=True),
        QuoteSegment(f"{text[last:end]}{closing}"),
    )


def plain(markdown: str) -> str:
    """Return a piece of Markdown as the words that a person reads, on one line."""
    return one_line(_MARKS.sub("", _PICTURE_OR_LINK.sub(r"\1", markdown)))


def _window(text: str, first: int) -> tuple[int, int]:
    if len(text) <= MOST_CHARACTERS:
        return 0, len(text)
    start = max(0, min(first - _LEAD_CHARACTERS, len(text) - MOST_CHARACTERS))
    end = start + MOST_CHARACTERS
    # A window into a long quote begins and ends with a whole word, where the script has spaces.
    if start:
        start = text.find(" ", start, first) + 1 or start
    if end < len(text):
        end = max(text.rfind(" ", start + 1, end), start) or end
    return (start, end) if end > start else (start, start + MOST_CHARACTERS)
