"""An answer for the clipboard: Markdown, with its sources, its doubts and its notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from askance.domain.evidence import Citation, Source, Support
from askance.telling.words import tr
from askance.ui.model.doubts import support_word
from askance.ui.model.inline import escaped, web_address
from askance.ui.model.quote import plain
from askance.ui.model.sources import SourceRow, source_rows


@dataclass(frozen=True, slots=True)
class AnswerText:
    """What is copied of a finished answer."""

    text: str
    sources: tuple[Source, ...] = ()
    citations: tuple[Citation, ...] = ()
    notes: tuple[str, ...] = ()


def with_sources(answer: AnswerText) -> str:
    """Return an answer as Markdown, the sources that it cites below; all of them if it cites none.

    What is not carried by its source says so: a copy must not look surer than the window does.
    """
    rows = source_rows(answer.sources, answer.citations)
    cited = [row for row in rows if row.cited] or list(rows)
    parts = [answer.text.strip()]
    if cited:
        parts.append("\n".join([tr("Sources"), "", *map(_listed, cited)]))
    parts += [f"> {doubt}" for doubt in _doubts(answer.citations)]
    parts += [f"> {tr('Note: {text}', text=plain(note))}" for note in answer.notes]
    return "\n\n".join(parts) + "\n"


def _listed(row: SourceRow) -> str:
    title = escaped(row.title)
    url = web_address(row.url)
    named = f"[{title}]({url})" if url else title
    return "- " + ", ".join(filter(None, (rf"\[{row.n}\] {named}", row.host, row.date, row.badge)))


def _doubts(citations: Sequence[Citation]) -> list[str]:
    told = [
        tr("“{sentence}” is {support}", sentence=plain(c.sentence), support=support_word(c.support))
        for c in citations
        if c.support is not Support.SUPPORTED
    ]
    return list(dict.fromkeys(told))
