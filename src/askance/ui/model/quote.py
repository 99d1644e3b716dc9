"""What stands over a marker: the quote that carries the sentence, its words lit that the sentence has too. And an answer
for the clipboard, with its sources, its doubts and its notes, as words and as HTML.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from askance.domain.characters import one_line
from askance.domain.conversation import Outcome, Usage
from askance.domain.events import Answered
from askance.domain.evidence import Citation, Source, Support
from askance.presentation.answers import (
    LANGUAGES,
    SourceRow,
    badge_of,
    foreign_language,
    host_of_source,
    is_local_file,
    is_right_to_left,
    listed,
    opened_by,
    place_of,
    source_rows,
    support_word,
)
from askance.presentation.i18n import tr
from askance.text.languages.recognition import language_of
from askance.text.ranking.tokens import terms
from askance.ui.model.markup import target_of, web_address

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


_SYNTAX = re.compile(r"[\\`\[\]<>!]")


@dataclass(frozen=True, slots=True)
class AnswerText:
    """What is copied of a finished answer."""

    text: str
    sources: tuple[Source, ...] = ()
    citations: tuple[Citation, ...] = ()
    notes: tuple[str, ...] = ()


def with_sources(answer: AnswerText) -> str:
    """Return an answer as it was written, the sources that it cites below; all if it cites none.

    What is not carried by its source says so: a copy must not look surer than the window does.
    Nothing is spelled out with backslashes, for this is read as it stands; only where a viewer of
    Markdown would load or run something, or follow a title, it is: the window does not either.
    """
    # Imported here: markdown-it takes its time, and the window is to be there within a blink.
    from askance.citations.safe_markdown import is_active, leads_away, own_links_only, safe_markdown  # noqa: PLC0415

    rows, below = _cited(answer), _below(answer)
    urls = [source.url for source in answer.sources]

    def as_text(spell_out: bool) -> str:
        def words(text: str) -> str:
            if urls:  # kept before the check did this
                text = own_links_only(text, urls)
            return safe_markdown(text, urls or None) if spell_out or is_active(text) else text

        def about(row: SourceRow) -> str:
            label = row.label
            return _literal(label) if spell_out or leads_away(label) else label

        parts = [words(answer.text).strip()]
        if rows:
            listed = [_listed(row, about(row)) for row in rows]
            parts.append("\n".join([tr("Sources"), "", *listed]))
        parts += [f"> {words(quote)}" for quote in below]
        return "\n\n".join(parts) + "\n"

    copied = as_text(spell_out=False)
    # Two harmless parts can make one that is not.
    return as_text(spell_out=True) if is_active(copied) else copied


def as_page(answer: AnswerText) -> str:
    """Return the same as HTML, for programs that take formatted text. Nothing in it loads or runs."""
    from askance.presentation.transcripts.html import answer_html  # noqa: PLC0415

    end = Answered(answer.text, answer.sources, answer.citations, Outcome.WEB, 0, Usage(), (), 0)
    parts = [answer_html(end, "", in_brackets=True)]
    if rows := _cited(answer):
        parts.append(f"<p>{escape(tr('Sources'))}</p>\n<ul>")
        parts += [f"<li>{_linked(row)}</li>" for row in rows]
        parts.append("</ul>")
    parts += [f"<blockquote><p>{escape(quote)}</p></blockquote>" for quote in _below(answer)]
    return "\n".join(parts)


def _cited(answer: AnswerText) -> tuple[SourceRow, ...]:
    return listed(source_rows(answer.sources, answer.citations))


def _below(answer: AnswerText) -> list[str]:
    notes = (tr("Note: {text}", text=plain(note)) for note in answer.notes)
    return [*_doubts(answer.citations), *notes]


def _listed(row: SourceRow, about: str) -> str:
    url = web_address(row.url)
    return f"- [{row.n}] {about}" + (f"\n  {url}" if url else "")


def _linked(row: SourceRow) -> str:
    about, url = escape(row.label), web_address(row.url)
    if not url:
        return f"[{row.n}] {about}"
    return f'[{row.n}] <a href="{escape(url)}" rel="noreferrer noopener">{about}</a>'


def _literal(text: str) -> str:
    """Return words that no viewer makes a link or a picture of."""
    return _SYNTAX.sub(r"\\\g<0>", text)


def _doubts(citations: Sequence[Citation]) -> list[str]:
    doubts = [
        tr("“{sentence}” is {support}", sentence=plain(c.sentence), support=support_word(c.support))
        for c in citations
        if c.support is not Support.SUPPORTED
    ]
    return list(dict.fromkeys(doubts))
