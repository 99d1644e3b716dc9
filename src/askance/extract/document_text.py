"""What documents of all formats come to: Markdown of blocks, with a title and a date."""

from __future__ import annotations

import re
from collections.abc import Iterator

from askance.domain.messages import NOTHING, Message
from askance.domain.web import PageReason, PageStatus
from askance.extract.extracted import Extracted, empty
from askance.extract.markdown import tidy_text
from askance.extract.metadata import TITLE_CHARACTERS
from askance.extract.text import count_words

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_DEEPEST_HEADING = 6


def outcome(
    blocks: Iterator[str], title: str | None, date: str | None, detail: Message = NOTHING
) -> Extracted:
    """Return the text of a document's blocks, or that it has none; `date` begins with one in ISO 8601."""
    text = tidy_text("\n\n".join(block for block in blocks if block.strip()))
    line = " ".join(tidy_text(str(title or "")).split())[:TITLE_CHARACTERS]
    words = count_words(text)
    if not words:
        return empty(PageReason.NO_TEXT, Message("The file has no text."), title=line)
    day = _DATE.match(date or "")
    published = day.group() if day else None
    return Extracted(
        PageStatus.OK, detail=detail, title=line, markdown=text, words=words, published=published
    )


def markdown_heading(text: str, level: int) -> str:
    """Return a heading on one line, empty if it has no text."""
    line = " ".join(text.split())
    return f"{'#' * min(max(level, 1), _DEEPEST_HEADING)} {line}" if line else ""


def markdown_row(cells: Iterator[str]) -> str:
    """Return a row of a table on one line."""
    return f"| {' | '.join(' '.join(cell.split()).replace('|', '/') for cell in cells)} |"
