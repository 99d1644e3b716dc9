"""Text out of books in FictionBook (FB2)."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree import ElementTree

from askance.extract.archives import Element
from askance.extract.document_text import markdown_heading, markdown_row, outcome
from askance.extract.extracted import Extracted
from askance.extract.open_packaging import local_name

_LINES = frozenset({"p", "v", "text-author", "date", "image"})
_DEEPEST = 100


def read_fb2(data: bytes) -> Extracted:
    """Return the text of a book with its notes.

    Raises:
        ValueError: it defines entities, or is nested too deep.
    """
    if b"<!ENTITY" in data:
        raise ValueError("it defines entities")
    root = ElementTree.fromstring(data)  # noqa: S314 - in a confined process
    for part in root.iter():
        if local_name(part) == "image":
            part.text = part.get("alt") or part.get("title")
    title = next((part.text for part in root.iter() if local_name(part) == "book-title"), None)
    bodies = [part for part in root if local_name(part) == "body"]
    about = [part for part in root.iter() if local_name(part) == "annotation"][:1]
    blocks = (block for part in (*about, *bodies) for block in _blocks(part, 1))
    return outcome(blocks, title, None)


def _blocks(parent: Element, depth: int) -> Iterator[str]:
    if depth > _DEEPEST:
        raise ValueError("it is nested too deep")
    for part in parent:
        match local_name(part):
            case "title":
                yield markdown_heading(" ".join("".join(line.itertext()) for line in part), depth)
            case "subtitle":
                yield markdown_heading("".join(part.itertext()), depth + 1)
            case name if name in _LINES:
                yield " ".join("".join(part.itertext()).split())
            case "tr":
                yield markdown_row("".join(cell.itertext()) for cell in part)
            case _:
                yield from _blocks(part, depth + 1)
