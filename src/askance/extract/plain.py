"""Text that needs no taking apart: plain text and Markdown."""

from __future__ import annotations

import re

from askance.domain.messages import Message
from askance.domain.web import PageReason, PageStatus
from askance.extract.decoding import decode_text
from askance.extract.extracted import Extracted, empty
from askance.extract.markdown import tidy_text
from askance.extract.words import count_words

_MARKDOWN_LINK = re.compile(r"(?<!!)\[([^\[\]\n]+)\]\([^()\n]*\)")
_HTML_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_FIRST_HEADING = re.compile(r"^#\s+(.+?)\s*#*$", re.MULTILINE)
TITLE_CHARACTERS = 300


def extract_plain(data: bytes, content_type: str) -> Extracted:
    """Return a plain text as it is; its blank lines part its paragraphs."""
    return _outcome(tidy_text(decode_text(data, content_type)), "")


def extract_markdown(data: bytes, content_type: str) -> Extracted:
    """Return a Markdown text without its images, link targets and comments."""
    text = _HTML_COMMENT.sub("", decode_text(data, content_type))
    tidy = _MARKDOWN_LINK.sub(r"\1", tidy_text(text))
    heading = _FIRST_HEADING.search(tidy)
    return _outcome(tidy, heading[1][:TITLE_CHARACTERS] if heading else "")


def _outcome(text: str, title: str) -> Extracted:
    words = count_words(text)
    if not words:
        return empty(PageReason.NO_TEXT, Message("The page has no text."), title=title)
    return Extracted(PageStatus.OK, title=title, markdown=text, words=words)
