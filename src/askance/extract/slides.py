"""Text out of presentations of PowerPoint: the slides in their order, with titles, tables and notes."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from askance.domain.messages import Message
from askance.extract.archives import Archive, Element
from askance.extract.document_text import markdown_heading, markdown_row, outcome
from askance.extract.extracted import Extracted

MOST_SLIDES = 2_000
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_STRICT_RELATION = "{http://purl.oclc.org/ooxml/officeDocument/relationships}id"
_TITLES = frozenset({"title", "ctrTitle"})
# What stands on every slide of a presentation, and no part of its text.
_FURNITURE = frozenset({"sldNum", "sldImg"})


def read_pptx(archive: Archive) -> Extracted:
    """Return the text of a presentation; what is said of a hidden slide is that it is one."""
    root = archive.xml("ppt/presentation.xml")
    parts = related(archive, "ppt/presentation.xml")
    listed = [part for part in root.iter() if local(part) == "sldId"]
    slides = [parts.get(relation_of(part), "") for part in listed]
    core = archive.xml("docProps/core.xml")
    fields = {local(field): field.text or "" for field in core}
    blocks = (block for name in slides[:MOST_SLIDES] if name for block in _slide(archive, name))
    found = outcome(blocks, fields.get("title"), fields.get("modified"))
    if len(slides) <= MOST_SLIDES:
        return found
    return outcome(
        iter((found.markdown,)),
        fields.get("title"),
        fields.get("modified"),
        Message("Only the first {n} slides are read.", n=MOST_SLIDES),
    )


def local(element: Element) -> str:
    """Return the name of an element without its namespace, of which there are two of each."""
    return element.tag.rpartition("}")[2]


def relation_of(element: Element) -> str:
    """Return by what number an element names another part of its file."""
    return element.get(_RELATION) or element.get(_STRICT_RELATION) or ""


def related(archive: Archive, name: str) -> dict[str, str]:
    """Return the parts that a part of a file names, by their numbers."""
    folder, _, file = name.rpartition("/")
    return {
        one.get("Id", ""): posixpath.normpath(posixpath.join("/", folder, one.get("Target", ""))).lstrip("/")
        for one in archive.xml(f"{folder}/_rels/{file}.rels")
        if one.get("TargetMode") != "External"
    }  # fmt: skip


def _slide(archive: Archive, name: str) -> Iterator[str]:
    root = archive.xml(name)
    is_hidden = root.get("show") in {"0", "false"}
    for number, (is_title, text) in enumerate(_blocks(root)):
        hidden = " (hidden)" if is_hidden and not number else ""
        yield markdown_heading(text, 2) + hidden if is_title else text + hidden
    for part in related(archive, name).values():
        if "notesSlides/" in part:
            yield from (text for _, text in _blocks(archive.xml(part)))
        elif "/comments/" in part or "/diagrams/data" in part:
            texts = [t.text or "" for t in archive.xml(part).iter() if local(t) in {"t", "text"}]
            yield "\n".join(texts)


def _blocks(root: Element) -> Iterator[tuple[bool, str]]:
    """Yield the texts of a slide, and whether each is its title."""
    for shape in root.iter():
        match local(shape):
            case "sp":
                kinds = {part.get("type", "") for part in shape.iter() if local(part) == "ph"}
                text = "\n".join(_paragraphs(shape))
                if text.strip() and kinds.isdisjoint(_FURNITURE):
                    yield not kinds.isdisjoint(_TITLES), text
            case "tbl":
                rows = [row for row in shape if local(row) == "tr"]
                yield (
                    False,
                    "\n".join(
                        markdown_row(" ".join(_paragraphs(c)) for c in row if local(c) == "tc")
                        for row in rows
                    ),
                )
            case _:
                pass


def _paragraphs(parent: Element) -> Iterator[str]:
    for paragraph in parent.iter():
        if local(paragraph) != "p":
            continue
        parts: list[str] = []
        for piece in paragraph.iter():
            if (name := local(piece)) == "t":
                parts.append(piece.text or "")
            elif name in {"br", "tab"}:
                parts.append(" ")
        if text := "".join(parts).strip():
            yield text
