"""What comes out of a page's bytes. Standard library only, so that no caller pays for the parsers."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import Any

from askance.domain.messages import NOTHING, Message
from askance.domain.web import (
    LONGEST_PAGE_CHARACTERS,
    MOST_PAGE_BLOCKS,
    PageReason,
    PageStatus,
)
from askance.extract.words import count_words

# A page that is cut is cut between two blocks, if one ends this close to where it must be cut.
_LAST_BLOCK_CHARACTERS = 10_000
# Bytes of JSON: what a detail was made from is not much longer than itself.
LARGEST_RECORD = 4096
LONGEST_DETAIL = 500
LONGEST_LINE = 300
_BETWEEN_BLOCKS = re.compile(r"\n\n")


@dataclass(frozen=True, slots=True)
class Extracted:
    """The text of one page, or why there is none. `markdown` is empty unless `status` is `ok`.

    `published` is an ISO date, `language` a two-letter code as the page declares it,
    `byline` who wrote it.
    """

    status: PageStatus
    reason: PageReason = PageReason.NONE
    detail: Message = NOTHING
    title: str = ""
    markdown: str = ""
    words: int = 0
    published: str | None = None
    language: str | None = None
    byline: str = ""


def empty(reason: PageReason, detail: Message, *, title: str = "") -> Extracted:
    """Return the outcome of a page that came and held nothing worth reading."""
    return Extracted(PageStatus.EMPTY, reason, detail, title)


def failed(reason: PageReason, detail: Message) -> Extracted:
    """Return the outcome of a page whose bytes cannot be read."""
    return Extracted(PageStatus.FAILED, reason, detail)


def shortened(detail: Message) -> Message:
    """Return a detail that is no longer than one may be: it may quote what is foreign."""
    return detail if len(detail) <= LONGEST_DETAIL else Message.verbatim(detail[:LONGEST_DETAIL])


def small_record(record: dict[str, Any]) -> dict[str, Any]:
    """Return what a message was made from, if it is no larger than one may be.

    Raises:
        ValueError: it is.
    """
    if len(json.dumps(record)) > LARGEST_RECORD:
        raise ValueError("no message")
    return record


def bounded(extracted: Extracted) -> Extracted:
    """Return an outcome no part of which is longer than a reader's process should have to look at.

    Of a text that is cut, `detail` says so.
    """
    extracted = replace(
        extracted,
        detail=shortened(extracted.detail),
        title=extracted.title[:LONGEST_LINE],
        byline=extracted.byline[:LONGEST_LINE],
        published=extracted.published and extracted.published[:LONGEST_LINE],
        language=extracted.language and extracted.language[:LONGEST_LINE],
    )
    text = extracted.markdown
    end = _end_of(text)
    if end == len(text):
        return extracted
    kept = text[:end].rstrip()
    detail = Message(
        "Only the first {n} of the {available} characters of the page are used.",
        n=len(kept),
        available=len(text),
    )
    return replace(extracted, markdown=kept, words=count_words(kept), detail=detail)


def _end_of(text: str) -> int:
    """Return where a text has to be cut, its length where it has not."""
    end = len(text)
    if end > LONGEST_PAGE_CHARACTERS:
        end = LONGEST_PAGE_CHARACTERS
        between = text.rfind("\n\n", end - _LAST_BLOCK_CHARACTERS, end)
        end = between if between > 0 else end
    for blocks, between in enumerate(_BETWEEN_BLOCKS.finditer(text, 0, end), start=1):
        if blocks == MOST_PAGE_BLOCKS:
            return between.start()
    return end
