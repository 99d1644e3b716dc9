"""Text out of books in EPUB."""

from __future__ import annotations

import posixpath
from urllib.parse import unquote

from askance.domain.messages import Message
from askance.domain.web import PageStatus
from askance.extract.archives import Archive
from askance.extract.document_text import outcome
from askance.extract.extracted import Extracted
from askance.extract.html import extract_html

# A book is read in parts that fit into a page.
_PART_CHARACTERS = 300_000
_OPF = "{http://www.idpf.org/2007/opf}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_CONTAINER = "{urn:oasis:names:tc:opendocument:xmlns:container}"


def read_epub(archive: Archive, first: int) -> Extracted:
    """Return the text of a book's chapters behind the `first`, as many as fit into a page.

    Where some are left, `detail` says how many are read by then.
    """
    root = archive.xml("META-INF/container.xml").find(f".//{_CONTAINER}rootfile")
    place = root.get("full-path", "") if root is not None else ""
    package = archive.xml(place)
    files = {
        item.get("id", ""): posixpath.join(posixpath.dirname(place), unquote(item.get("href", "")))
        for item in package.iter(f"{_OPF}item")
    }
    chapters = [files.get(ref.get("idref", ""), "") for ref in package.iter(f"{_OPF}itemref")]
    texts: list[str] = []
    done = first
    for name in chapters[first:]:
        read = extract_html(archive.read(posixpath.normpath(name)), "", "application/xhtml+xml")
        texts += [read.markdown] if read.status is PageStatus.OK else []
        done += 1
        if sum(map(len, texts)) > _PART_CHARACTERS:
            break
    title, date = (package.findtext(f".//{_DC}{name}") for name in ("title", "date"))
    found = outcome(iter(texts), title, date)
    if found.status is not PageStatus.OK or done == len(chapters):
        return found
    left = Message(
        "Only the first {pages} of the {available} chapters are read.",
        pages=done,
        available=len(chapters),
    )
    return outcome(iter(texts), title, date, left)
