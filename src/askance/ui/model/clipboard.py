"""An answer for the clipboard, with its sources, its doubts and its notes, as words and as HTML."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from askance.domain.conversation import Outcome, Usage
from askance.domain.events import Answered
from askance.domain.evidence import Citation, Source, Support
from askance.presentation.answers import SourceRow, listed, source_rows, support_word
from askance.presentation.i18n import tr
from askance.ui.model.markers import plain
from askance.ui.model.markup import web_address

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
    from askance.presentation.transcripts.documents import answer_html  # noqa: PLC0415

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
