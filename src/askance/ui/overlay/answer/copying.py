"""What the clipboard gets of an answer: with its sources, its doubts and its notes, as bare words, as HTML, its list of
sources alone, and the cells of a table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from html import escape
from itertools import groupby

from askance.citations.markdown.grammar import grammar
from askance.citations.markdown.safe_markdown import (
    is_active,
    leads_away,
    own_links_only,
    safe_markdown,
)
from askance.domain.conversation import Outcome, Usage
from askance.domain.events import Answered
from askance.domain.evidence import Citation, Disagreement, Source, Support
from askance.presentation.answers import SourceRow, listed, source_rows, support_word
from askance.presentation.i18n import term, tr
from askance.ui.overlay.answer.citation_links import plain
from askance.ui.overlay.answer.markdown_blocks import MarkdownBlockKind
from askance.ui.overlay.answer.markup import MarkupParagraph, Piece, web_address

# With these signs links, pictures, code and tags begin or end.
_SYNTAX = re.compile(r"[\\`\[\]<>!]")


@dataclass(frozen=True, slots=True)
class AnswerText:
    """What is copied of a finished answer."""

    text: str
    sources: tuple[Source, ...] = ()
    citations: tuple[Citation, ...] = ()
    notes: tuple[str, ...] = ()
    disagreements: tuple[Disagreement, ...] = ()
    as_of: str = ""


def with_sources(answer: AnswerText) -> str:
    """Return an answer as it was written, the sources that it cites below; all if it cites none.

    What is not carried by its source says so: a copy must not look surer than the window does.
    Nothing is spelled out with backslashes, for this is read as it stands; only where a viewer of
    Markdown would load or run something, or follow a title, it is: the window does not either.
    """
    rows, below = _cited(answer), _below(answer)
    urls = [source.url for source in answer.sources]

    def as_text(spell_out: bool) -> str:
        def words(text: str) -> str:
            if urls:  # whatever else is copied with the answer
                text = own_links_only(text, urls)
            return safe_markdown(text, urls or None) if spell_out or is_active(text) else text

        parts = [words(answer.text).strip(), *_tables(answer)]
        if rows:
            listed = [_listed(row, _label(row, spell_out=spell_out)) for row in rows]
            parts.append("\n".join([tr("Sources"), "", *listed]))
        parts += [f"> {words(quote)}" for quote in below]
        return "\n\n".join(parts) + "\n"

    copied = as_text(spell_out=False)
    # Two harmless parts can make one that is not.
    return as_text(spell_out=True) if is_active(copied) else copied


def as_page(answer: AnswerText) -> str:
    """Return the same as HTML, for programs that take formatted text. Nothing in it loads or runs."""
    # Imported here: of what the window does, copying alone needs it.
    from askance.presentation.transcripts import answer_html  # noqa: PLC0415

    # What writes documents takes the end of a run. Of this one only text, sources and citations are
    # looked at.
    end = Answered(answer.text, answer.sources, answer.citations, Outcome.WEB, 0, Usage(), (), 0)
    parts = [answer_html(end, "", in_brackets=True)]
    parts.append(grammar().render("\n\n".join(_tables(answer))))
    if rows := _cited(answer):
        parts.append(f"<p>{escape(tr('Sources'))}</p>\n<ul>")
        parts += [f"<li>{_linked(row)}</li>" for row in rows]
        parts.append("</ul>")
    parts += [f"<blockquote><p>{escape(quote)}</p></blockquote>" for quote in _below(answer)]
    return "\n".join(parts)


class CopyKind(StrEnum):
    """What can be copied of an answer."""

    WITH_SOURCES = "with_sources"
    WORDS = "words"
    HTML = "html"
    CITATIONS = "citations"


COPY_LABELS = {
    CopyKind.WITH_SOURCES: term("Text with sources"),
    CopyKind.WORDS: term("Text only"),
    CopyKind.HTML: term("HTML"),
    CopyKind.CITATIONS: term("Citation list"),
}


def copy_of(kind: CopyKind, answer: AnswerText, pieces: Sequence[Piece]) -> tuple[str, str]:
    """Return what is copied, as words and as HTML; the second is empty where words are all that is wanted."""
    match kind:
        case CopyKind.WITH_SOURCES:
            return with_sources(answer), as_page(answer)
        case CopyKind.WORDS:
            return bare_words(pieces), ""
        case CopyKind.HTML:
            # To be pasted where HTML is typed, too: there its words are its source.
            page = as_page(answer)
            return page, page
        case CopyKind.CITATIONS:
            rows = _cited(answer)
            items = "".join(f"<li>{_linked(row)}</li>" for row in rows)
            return "".join(f"{_listed(row, _label(row))}\n" for row in rows), f"<ul>{items}</ul>"


def bare_words(pieces: Sequence[Piece]) -> str:
    """Return the words of an answer without numbers and without any sign of Markdown."""
    text = ""
    for before, piece in zip((None, *pieces), pieces, strict=False):
        # Items of a tight list stand close to each other, as they do in the window.
        is_next = before is not None and before.kind is piece.kind is MarkdownBlockKind.LIST
        gap = "\n" if is_next and before is not None and before.is_tight else "\n\n"
        if words := _bare(piece):
            text += f"{gap}{words}" if text else words
    return text + "\n"


def _bare(piece: Piece) -> str:
    if piece.code is not None:
        return piece.code.text
    if piece.kind is MarkdownBlockKind.TABLE:
        return table_cells(piece)[0].rstrip("\n")
    lines = (
        "  " * max(0, paragraph.depth - 1) + paragraph.sign + _words_of(paragraph)
        for paragraph in piece.paragraphs
    )
    return "\n".join(lines)


def _words_of(paragraph: MarkupParagraph) -> str:
    words = ""
    for run in paragraph.runs:
        # The blank before a number goes with it.
        words = words.rstrip(" ") if run.n else words + run.text
    return words.strip()


def table_cells(piece: Piece) -> tuple[str, str]:
    """Return the cells of a table with tabs between them, and as HTML for spreadsheets."""
    rows = [
        [_words_of(cell) for cell in row]
        for _, row in groupby(piece.paragraphs, key=lambda p: (p.cell or (0, 0))[0])
    ]
    text = "".join("\t".join(cell.replace("\t", " ") for cell in row) + "\n" for row in rows)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return text, f"<table>{body}</table>"


def _cited(answer: AnswerText) -> tuple[SourceRow, ...]:
    return listed(source_rows(answer.sources, answer.citations))


def _tables(answer: AnswerText) -> Iterator[str]:
    # Imported here as above.
    from askance.presentation.transcripts import disagreement_tables  # noqa: PLC0415

    return disagreement_tables(answer.disagreements, answer.sources, tr)


def _below(answer: AnswerText) -> list[str]:
    notes = (tr("Note: {text}", text=plain(note)) for note in answer.notes)
    return [*filter(None, [answer.as_of]), *_doubts(answer.citations), *notes]


def _label(row: SourceRow, *, spell_out: bool = False) -> str:
    # Escaped, so that no viewer makes a link or a picture of it.
    label = row.label
    return _SYNTAX.sub(r"\\\g<0>", label) if spell_out or leads_away(label) else label


def _listed(row: SourceRow, about: str) -> str:
    url = web_address(row.url)
    return f"- [{row.n}] {about}" + (f"\n  {url}" if url else "")


def _linked(row: SourceRow) -> str:
    about, url = escape(row.label), web_address(row.url)
    if not url:
        return f"[{row.n}] {about}"
    # Pasted into a page that others see, the link neither names that page to the site nor hands it
    # over (`Referer`, `window.opener`).
    return f'[{row.n}] <a href="{escape(url)}" rel="noreferrer noopener">{about}</a>'


def _doubts(citations: Sequence[Citation]) -> list[str]:
    doubts = [
        tr("“{sentence}” is {support}", sentence=plain(c.sentence), support=support_word(c.support))
        for c in citations
        if c.support is not Support.SUPPORTED
    ]
    # A sentence with several sources has a citation for each, and one doubt.
    return list(dict.fromkeys(doubts))
