"""What comes out of a page's bytes. Standard library only, so that no caller pays for the parsers."""

from __future__ import annotations

from dataclasses import dataclass

from askance.domain.web import PageReason, PageStatus


@dataclass(frozen=True, slots=True)
class Extracted:
    """The text of one page, or why there is none. `markdown` is empty unless `status` is `ok`.

    `published` is an ISO date, `language` a two-letter code as the page declares it,
    `byline` who wrote it.
    """

    status: PageStatus
    reason: PageReason = PageReason.NONE
    detail: str = ""
    title: str = ""
    markdown: str = ""
    words: int = 0
    published: str | None = None
    language: str | None = None
    byline: str = ""


def empty(reason: PageReason, detail: str, *, title: str = "") -> Extracted:
    """Return the outcome of a page that came and held nothing worth reading."""
    return Extracted(PageStatus.EMPTY, reason, detail, title)


def failed(reason: PageReason, detail: str) -> Extracted:
    """Return the outcome of a page whose bytes cannot be read."""
    return Extracted(PageStatus.FAILED, reason, detail)
