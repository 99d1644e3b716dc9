"""What stands over a marker, and an answer for the clipboard."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from askance.domain.conversation import Outcome, Usage
from askance.domain.events import Answered
from askance.domain.evidence import Citation, Source, Support
from askance.presentation.answers import SourceRow, link_of, listed, source_rows, support_word
from askance.presentation.i18n import tr
from askance.presentation.sanitizing import one_line
from askance.ranking.tokens import STOP_WORDS, stem, words
from askance.ui.model.inline import web_address
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
class Stretch:
    """Words of a quote; `is_lit` where they are what the sentence says."""

    text: str
    is_lit: bool = False


@dataclass(frozen=True, slots=True)
class QuoteView:
    """The pop-up over a marker. `quote` is empty where no words of the source carry the sentence.

    `url` is what a click opens, empty if nothing may be opened.
    """

    n: int
    quote: tuple[Stretch, ...]
    about: str
    support: str
    url: str

    @property
    def spoken(self) -> str:
        """The pop-up as a screen reader says it."""
        said = "".join(stretch.text for stretch in self.quote)
        return ". ".join(filter(None, (said, self.about, self.support)))


def quote_of(
    link: str, sources: Sequence[Source], citations: Sequence[Citation]
) -> QuoteView | None:
    """Return what to show over a link of the answer; None if it is no marker of a known source."""
    target = target_of(link)
    source = next((s for s in sources if target and s.n == target.n), None)
    if target is None or source is None:
        return None
    citation = None
    if target.citation is not None and target.citation < len(citations):
        citation = citations[target.citation]
    quote = citation.quote if citation else ""
    url = link_of(source, quote)
    opens = tr("opens at this sentence") if quote else tr("opens the page")
    badge = tr("snippet only") if source.snippet_only else ""
    about = (one_line(source.title), source.host, badge, opens if url else "")
    return QuoteView(
        source.n,
        lit(quote, citation.sentence) if citation and quote else (),
        " · ".join(filter(None, about)),
        support_word(citation.support) if citation else "",
        url,
    )


def lit(quote: str, sentence: str) -> tuple[Stretch, ...]:
    """Return a quote in quotation marks, the words lit that the sentence has too.

    Of a long quote the part around them is shown.
    """
    text = plain(quote)
    spans = _lit_spans(text, _stems(plain(sentence)))
    start, end = _window(text, spans)
    pieces = [Stretch("“" + ("…" if start else ""))]
    done = start
    for first, last in spans:
        if first >= end or last <= start:
            continue
        first, last = max(first, start), min(last, end)
        pieces += [Stretch(text[done:first]), Stretch(text[first:last], is_lit=True)]
        done = last
    pieces += [Stretch(text[done:end]), Stretch(("…" if end < len(text) else "") + "”")]
    return tuple(_merged(pieces))


def plain(markdown: str) -> str:
    """Return a piece of Markdown as the words that a person reads, on one line."""
    return one_line(_MARKS.sub("", _PICTURE_OR_LINK.sub(r"\1", markdown)))


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in words(text) if word not in STOP_WORDS)


def _lit_spans(text: str, wanted: frozenset[str]) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    passed = 0
    for found in _WORD.finditer(text):
        if not wanted & _stems(found.group()):
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


def _merged(pieces: Sequence[Stretch]) -> list[Stretch]:
    merged: list[Stretch] = []
    for piece in pieces:
        if merged and merged[-1].is_lit == piece.is_lit:
            merged[-1] = Stretch(merged[-1].text + piece.text, piece.is_lit)
        elif piece.text:
            merged.append(piece)
    return merged


# An answer for the clipboard, with its sources, its doubts and its notes: as words and as HTML.

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
    from askance.transcripts.markdown import harmless, is_harmful, leads_away  # noqa: PLC0415

    rows, below = _cited(answer), _below(answer)

    def told(spell_out: bool) -> str:
        def words(text: str) -> str:
            return harmless(text) if spell_out or is_harmful(text) else text

        def about(row: SourceRow) -> str:
            said = row.told
            return _literal(said) if spell_out or leads_away(said) else said

        parts = [words(answer.text).strip()]
        if rows:
            listed = [_listed(row, about(row)) for row in rows]
            parts.append("\n".join([tr("Sources"), "", *listed]))
        parts += [f"> {words(said)}" for said in below]
        return "\n\n".join(parts) + "\n"

    copied = told(spell_out=False)
    # Two harmless parts can make one that is not.
    return told(spell_out=True) if is_harmful(copied) else copied


def as_page(answer: AnswerText) -> str:
    """Return the same as HTML, for programs that take formatted text. Nothing in it loads or runs."""
    from askance.transcripts.html import answer_html  # noqa: PLC0415

    end = Answered(answer.text, answer.sources, answer.citations, Outcome.WEB, 0, Usage(), (), 0)
    parts = [answer_html(end, "", in_brackets=True)]
    if rows := _cited(answer):
        parts.append(f"<p>{escape(tr('Sources'))}</p>\n<ul>")
        parts += [f"<li>{_linked(row)}</li>" for row in rows]
        parts.append("</ul>")
    parts += [f"<blockquote><p>{escape(said)}</p></blockquote>" for said in _below(answer)]
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
    about, url = escape(row.told), web_address(row.url)
    if not url:
        return f"[{row.n}] {about}"
    return f'[{row.n}] <a href="{escape(url)}" rel="noreferrer noopener">{about}</a>'


def _literal(text: str) -> str:
    """Return words that no viewer makes a link or a picture of."""
    return _SYNTAX.sub(r"\\\g<0>", text)


def _doubts(citations: Sequence[Citation]) -> list[str]:
    told = [
        tr("“{sentence}” is {support}", sentence=plain(c.sentence), support=support_word(c.support))
        for c in citations
        if c.support is not Support.SUPPORTED
    ]
    return list(dict.fromkeys(told))
