"""Which address opens a source."""

from __future__ import annotations

from askance.citations.links import fragment_url
from askance.domain.evidence import Source


def link_of(source: Source, quote: str) -> str:
    """Return the address that opens the page at the quote; empty unless it is a web address."""
    if not source.url.startswith(("http://", "https://")) or " " in source.url:
        return ""
    return fragment_url(source.url, quote) if quote else source.url
