"""Why a page gave nothing, in words."""

from __future__ import annotations

from askance.domain.events import PageRead
from askance.domain.web import PageReason
from askance.telling.words import term, tr, translated

_REASONS = {
    PageReason.NONE: term("no reason given"),
    PageReason.SCRIPT_ONLY: term("shows nothing without its scripts"),
    PageReason.CONSENT_WALL: term("shows only a consent or login wall"),
    PageReason.NO_TEXT: term("holds no text worth reading"),
    PageReason.REFUSED_ADDRESS: term("its address is not read from here"),
    PageReason.HTTP_STATUS: term("its server refused"),
    PageReason.REDIRECTS: term("it redirects too often"),
    PageReason.TOO_LARGE: term("it is too large"),
    PageReason.NOT_TEXT: term("it is no text"),
    PageReason.TIMED_OUT: term("it took too long"),
    PageReason.NETWORK: term("its server could not be reached"),
    PageReason.EXTRACTION: term("its text could not be taken out"),
    PageReason.INTERNAL: term("the reader failed over it"),
}


def why_unread(page: PageRead) -> str:
    """Say why a page gave nothing: in the reader's own words where it had some."""
    return translated(page.detail) or tr(_REASONS[page.reason])
