"""Text out of PDF files."""

from __future__ import annotations

import io
import logging
import re

from pypdf import PdfReader
from pypdf.errors import DependencyError, FileNotDecryptedError, PyPdfError

from askance.domain.messages import Message
from askance.domain.web import PageReason, PageStatus
from askance.extract.extracted import Extracted, empty, failed
from askance.extract.markdown import tidy_text
from askance.extract.words import count_words

# Damage is an outcome here, and reported as one.
logging.getLogger("pypdf").setLevel(logging.CRITICAL)

TITLE_CHARACTERS = 300
# Reading goes on at some 20 pages a second; a page's ten seconds must hold the download too.
MOST_PAGES = 80
# A scanned page may carry a stamp or a number as text; a page of text has more.
WORDS_PER_PAGE = 5

_HYPHENATED = re.compile(r"(?<=[a-zà-ÿ])[-\u00ad]\n(?=[a-zà-ÿ])")
# A line that does not end a sentence goes on in the next one.
_WRAPPED = re.compile(r"(?<=[\w,;–—)])\n(?=[\w(“\"'])")
_DATE = re.compile(r"D:(\d{4})(\d{2})(\d{2})")


def extract_pdf(data: bytes) -> Extracted:
    """Return the text of a PDF file, its pages parted by blank lines, at most `MOST_PAGES` of them.

    An encrypted, damaged or scanned file is an outcome, not an error.
    """
    try:
        reader = PdfReader(io.BytesIO(data), strict=False)
        if reader.is_encrypted and not reader.decrypt(""):
            return empty(PageReason.NO_TEXT, Message("The PDF file is encrypted."))
        pages = [_page_text(page.extract_text()) for page in reader.pages[:MOST_PAGES]]
        title, published = _title(reader), _published(reader)
    except (FileNotDecryptedError, DependencyError):
        return empty(PageReason.NO_TEXT, Message("The PDF file is encrypted."))
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, OSError,
            RecursionError, AssertionError, ZeroDivisionError, NotImplementedError) as exc:  # fmt: skip
        # A damaged file can break the parser at any point of its object tree.
        return failed(
            PageReason.EXTRACTION, Message("The PDF file is damaged: {problem}.", problem=exc)
        )
    text = "\n\n".join(page for page in pages if page)
    words = count_words(text)
    if words < WORDS_PER_PAGE * len(pages) or not words:
        return empty(
            PageReason.NO_TEXT, Message("The PDF file holds images and no text."), title=title
        )
    return Extracted(PageStatus.OK, title=title, markdown=text, words=words, published=published)


def _page_text(raw: str) -> str:
    return _WRAPPED.sub(" ", _HYPHENATED.sub("", tidy_text(raw)))


def _title(reader: PdfReader) -> str:
    title = reader.metadata.title if reader.metadata else None
    return tidy_text(str(title or "")).replace("\n", " ")[:TITLE_CHARACTERS]


def _published(reader: PdfReader) -> str | None:
    raw = reader.metadata.get("/CreationDate") if reader.metadata else None
    date = _DATE.match(str(raw or ""))
    return "-".join(date.groups()) if date else None
