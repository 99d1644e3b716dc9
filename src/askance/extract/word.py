"""Text out of what Word writes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from askance.extract.archives import Archive, Element
from askance.extract.document_text import markdown_heading, markdown_row, outcome
from askance.extract.extracted import Extracted

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_DC = "{http://purl.org/dc/elements/1.1/}"
_TERMS = "{http://purl.org/dc/terms/}"
_DOCX_WRAPPERS = frozenset({"sdt", "sdtContent", "ins", "smartTag", "customXml"})
_HEADING = re.compile(r"heading ?([1-6])", re.IGNORECASE)


def read_docx(archive: Archive) -> Extracted:
    """Return the text of a Word file."""
    body = archive.xml("word/document.xml").find(f"{_W}body")
    blocks = _docx_blocks(body) if body is not None else iter(())
    core = archive.xml("docProps/core.xml")
    return outcome(blocks, core.findtext(f"{_DC}title"), core.findtext(f"{_TERMS}modified"))


def _docx_blocks(parent: Element) -> Iterator[str]:
    for child in parent:
        match child.tag.removeprefix(_W):
            case "p":
                yield _docx_paragraph(child)
            case "tbl":
                yield "\n".join(
                    markdown_row(" ".join(_docx_blocks(cell)) for cell in _docx_parts(row, "tc"))
                    for row in _docx_parts(child, "tr")
                )
            case tag if tag in _DOCX_WRAPPERS:
                yield from _docx_blocks(child)
            case _:
                pass


def _docx_parts(parent: Element, name: str) -> Iterator[Element]:
    """Yield the rows of a table or the cells of a row, and not those of tables within them."""
    for child in parent:
        tag = child.tag.removeprefix(_W)
        if tag == name:
            yield child
        elif tag in _DOCX_WRAPPERS:
            yield from _docx_parts(child, name)


def _docx_paragraph(paragraph: Element) -> str:
    parts: list[str] = []
    for run in paragraph.iter(f"{_W}r"):
        if run.find(f"{_W}rPr/{_W}vanish") is not None:
            continue
        for piece in run:
            match piece.tag.removeprefix(_W):
                case "t":
                    parts.append(piece.text or "")
                case "tab":
                    parts.append(" ")
                case "br" | "cr":
                    parts.append("\n")
                case _:
                    pass
    text = "".join(parts)
    style = paragraph.find(f"{_W}pPr/{_W}pStyle")
    named = style.get(f"{_W}val", "") if style is not None else ""
    if level := _HEADING.match(named):
        return markdown_heading(text, int(level[1]))
    is_item = paragraph.find(f"{_W}pPr/{_W}numPr") is not None
    return f"- {text}" if is_item and text.strip() else text
