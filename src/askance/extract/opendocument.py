"""Text out of OpenDocument texts."""

from __future__ import annotations

from collections.abc import Iterator

from askance.extract.archives import Archive, Element
from askance.extract.document_text import markdown_heading, markdown_row, outcome
from askance.extract.extracted import Extracted

_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_DC = "{http://purl.org/dc/elements/1.1/}"


def read_odt(archive: Archive) -> Extracted:
    """Return the text of an OpenDocument text."""
    body = archive.xml("content.xml").find(f"{_OFFICE}body/{_OFFICE}text")
    blocks = _odt_blocks(body) if body is not None else iter(())
    meta = archive.xml("meta.xml").find(f"{_OFFICE}meta")
    told = meta if meta is not None else Element("nothing")
    return outcome(blocks, told.findtext(f"{_DC}title"), told.findtext(f"{_DC}date"))


def _odt_blocks(parent: Element) -> Iterator[str]:
    for child in parent:
        if child.tag == f"{_TEXT}h":
            yield markdown_heading(_odt_text(child), int(child.get(f"{_TEXT}outline-level", "2")))
        elif child.tag == f"{_TEXT}p":
            yield _odt_text(child)
        elif child.tag == f"{_TEXT}list-item":
            yield "\n".join(f"- {text}" for text in _odt_blocks(child))
        elif child.tag == f"{_TABLE}table-row":
            yield markdown_row(" ".join(_odt_blocks(cell)) for cell in child)
        elif child.tag != f"{_TEXT}tracked-changes":
            yield from _odt_blocks(child)


def _odt_text(element: Element) -> str:
    parts = [element.text or ""]
    for child in element:
        if child.tag == f"{_TEXT}line-break":
            parts.append("\n")
        elif child.tag in {f"{_TEXT}s", f"{_TEXT}tab"}:
            parts.append(" ")
        elif child.tag != f"{_OFFICE}annotation":
            parts.append(_odt_text(child))
        parts.append(child.tail or "")
    return "".join(parts)
