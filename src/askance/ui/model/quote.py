"""What stands over a marker: the quote that carries the sentence, its words lit that the sentence has too."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from askance.domain.evidence import Citation, Source
from askance.presentation.answers import (
    LANGUAGES,
    badge_of,
    foreign_language,
    host_of_source,
    is_local_file,
    is_right_to_left,
    opened_by,
    place_of,
    support_word,
)
from askance.presentation.i18n import tr
from askance.presentation.sanitizing import one_line
from askance.text.languages.recognition import language_of
from askance.text.ranking.tokens import terms
from askance.ui.model.markup import target_of

MOST_CHARACTERS = 320
_LEAD_CHARACTERS = 80
# So many words without a match between two matches are lit with them.
_BRIDGED = 2
_WORD = re.compile(r"\w+(?:['’.,]\w+)*")
_PICTURE_OR_LINK = re.compile(r"!?\[([^\[\]]{0,500})\]\([^()\s]{0,2000}\)")
_MARKS = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+)|\*{1,3}|~~|`+|(?<!\w)_{1,3}|_{1,3}(?!\w)",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class QuoteSegment:
    """Words of a quote; `is_lit` where they are what the sentence says."""

    text: str
    is_lit: bool = False


@dataclass(frozen=True, slots=True)
class QuoteView:
    """The pop-up over a marker. `quote` is empty where no words of the source carry the sentence.

    `about` names its language where that is not the answer's. `url` is what a click opens, empty if nothing
    may be opened.
    """

    n: int
    quote: tuple[QuoteSegment, ...]
    about: str
    support: str
    url: str
    is_right_to_left: bool = False

    @property
    def spoken(self) -> str:
        """The pop-up as a screen reader says it."""
        text = "".join(stretch.text for stretch in self.quote)
        return ". ".join(filter(None, (text, self.about, self.support)))


@dataclass(frozen=True, slots=True)
class QuoteLanguage:
    """In which language a quote is compared with its sentence, and its own where that is not the answer's."""

    compared: str
    foreign: str = ""


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
    opens = _opening(url, quote)
    badge = badge_of(source)
    tongue = tr(LANGUAGES[spoken.foreign]) if spoken.foreign else ""
    host = host_of_source(source) or place_of(source.url)
    about = (one_line(source.title), host, tongue, badge, opens if url else "")
    return QuoteView(
        source.n,
        lit(quote, citation.sentence, spoken.compared) if citation and quote else (),
        " · ".join(filter(None, about)),
        support_word(citation.support) if citation else "",
        url,
        is_right_to_left(quote),
    )


def _opening(url: str, quote: str) -> str:
    if is_local_file(url):
        return tr("opens the file")
    return tr("opens at this sentence") if quote else tr("opens the page")


def lit(quote: str, sentence: str, code: str) -> tuple[QuoteSegment, ...]:
    """Return a quote in quotation marks, the words lit that the sentence has too: they are compared in a language.

    Of a long quote the part around them is shown.
    """
    text = plain(quote)
    words = plain(sentence)
    spans = _lit_spans(text, frozenset(terms(words, code)), code)
    start, end = _window(text, spans)
    pieces = [QuoteSegment("“" + ("…" if start else ""))]
    done = start
    for first, last in spans:
        if first >= end or last <= start:
            continue
        first, last = max(first, start), min(last, end)
        pieces += [QuoteSegment(text[done:first]), QuoteSegment(text[first:last], is_lit=True)]
        done = last
    pieces += [QuoteSegment(text[done:end]), QuoteSegment(("…" if end < len(text) else "") + "”")]
    return tuple(_merged(pieces))


def plain(markdown: str) -> str:
    """Return a piece of Markdown as the words that a person reads, on one line."""
    return one_line(_MARKS.sub("", _PICTURE_OR_LINK.sub(r"\1", markdown)))


def _lit_spans(text: str, wanted: frozenset[str], code: str) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    passed = 0
    for found in _WORD.finditer(text):
        if wanted.isdisjoint(terms(found.group(), code)):
            passed += 1
            continue
        if spans and passed <= _BRIDGED:
            spans[-1] = (spans[-1][0], found.end())
        else:
            spans.append(found.span())
        passed = 0
    return spans


def _window(text: str, spans: Sequence[tuple[int, int]]) -> tuple[int, int]:
    if len(text) <= MOST_CHARACTERS:
        return 0, len(text)
    first = spans[0][0] if spans else 0
    start = max(0, min(first - _LEAD_CHARACTERS, len(text) - MOST_CHARACTERS))
    end = start + MOST_CHARACTERS
    if start:
        start = text.find(" ", start, first) + 1 or start
    if end < len(text):
        end = max(text.rfind(" ", start + 1, end), start) or end
    return (start, end) if end > start else (start, start + MOST_CHARACTERS)


def _merged(pieces: Sequence[QuoteSegment]) -> list[QuoteSegment]:
    merged: list[QuoteSegment] = []
    for piece in pieces:
        if merged and merged[-1].is_lit == piece.is_lit:
            merged[-1] = QuoteSegment(merged[-1].text + piece.text, piece.is_lit)
        elif piece.text:
            merged.append(piece)
    return merged
