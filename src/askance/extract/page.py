"""Text out of whatever a page turned out to be."""

from __future__ import annotations

from askance.domain.messages import Message
from askance.domain.web import PageReason
from askance.extract.extracted import Extracted, bounded, failed
from askance.extract.html import extract_html
from askance.extract.pdf import extract_pdf
from askance.extract.plain import extract_markdown, extract_plain
from askance.extract.sniffing import Kind, kind_of


def extract_page(data: bytes, url: str, content_type: str) -> Extracted:
    """Return the text of a page as Markdown, or why it has none. What the bytes are decides."""
    return bounded(_extracted(data, url, content_type))


def _extracted(data: bytes, url: str, content_type: str) -> Extracted:
    match kind_of(data, content_type):
        case Kind.HTML:
            return extract_html(data, url, content_type)
        case Kind.PDF:
            return extract_pdf(data)
        case Kind.MARKDOWN:
            return extract_markdown(data, content_type)
        case Kind.PLAIN:
            return extract_plain(data, content_type)
        case Kind.BINARY:
            return failed(
                PageReason.NOT_TEXT, Message("The page is a file that holds no readable text.")
            )
