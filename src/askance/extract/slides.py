"""Text out of presentations of PowerPoint: the slides in their order, with titles, tables and notes."""

from __future__ import annotations

from collections.abc import Iterator

from askance.domain.messages import NOTHING, Message
from askance.extract.archives import Archive, Element
from askance.extract.document_text import (
    drawn_texts,
    markdown_heading,
    markdown_row,
    outcome,
    unread_parts,
)
from askance.extract.extracted import Extracted
from askance.extract.open_packaging import attribute, local_name, relations_of, target_of

MOST_SLIDES = 2_000
_TITLES = frozenset({"title", "ctrTitle"})
# What stands on every slide of a presentation, and no part of its text.
_FURNITURE = frozenset({"sldNum", "sldImg"})


def read_pptx(archive: Archive) -> Extracted:
    """Return the text of a presentation; what is said of a hidden slide is that it is one."""
    main = target_of(relations_of(archive, ""), "officeDocument", "ppt/presentation.xml")
    parts = relations_of(archive, main)
    listed = [part for part in archive.xml(main).iter() if local_name(part) == "sldId"]
    # The number of a slide has a name without a namespace, the one of its part has the same in one.
    numbers = [next((v for k, v in part.items() if k.endswith("}id")), "") for part in listed]
    slides = [parts[number].target for number in numbers if number in parts]
    core = {local_name(field): field.text or "" for field in archive.part("docProps/core.xml")}
    blocks = [block for name in slides[:MOST_SLIDES] for block in _slide(archive, name)]
    left = Message("Only the first {n} slides are read.", n=MOST_SLIDES)
    details = Message.joined(
        unread_parts(archive.unread), left if len(slides) > MOST_SLIDES else NOTHING
    )
    return outcome(iter(blocks), core.get("title"), core.get("modified"), details)


def _slide(archive: Archive, name: str) -> Iterator[str]:
    root = archive.part(name)
    is_hidden = attribute(root, "show") in {"0", "false"}
    for number, (is_title, text) in enumerate(_blocks(root)):
        hidden = " (hidden)" if is_hidden and not number else ""
        yield markdown_heading(text, 2) + hidden if is_title else text + hidden
    for relation in relations_of(archive, name).values():
        part = relation.target
        if "notesSlides/" in part:
            yield from (text for _, text in _blocks(archive.part(part)))
        elif "/comments/" in part:
            texts = [
                t.text or "" for t in archive.part(part).iter() if local_name(t) in {"t", "text"}
            ]
            yield "\n".join(texts)
        elif "/diagrams/data" in part or "/charts/chart" in part:
            yield "\n".join(filter(None, drawn_texts(archive.part(part))))


def _blocks(root: Element) -> Iterator[tuple[bool, str]]:
    """Yield the texts of a slide, and whether each is its title."""
    for both in [part for part in root.iter() if local_name(part) == "AlternateContent"]:
        if len(both) > 1 and any(_paragraphs(both[0])):  # the others show the same
            both[1:] = []
    for shape in root.iter():
        match local_name(shape):
            case "sp":
                kinds = {part.get("type", "") for part in shape.iter() if local_name(part) == "ph"}
                text = "\n".join(_paragraphs(shape))
                if text.strip() and kinds.isdisjoint(_FURNITURE):
                    yield not kinds.isdisjoint(_TITLES), text
            case "tbl":
                rows = [[c for c in row if local_name(c) == "tc"] for row in shape
                        if local_name(row) == "tr"]  # fmt: skip
                texts = [markdown_row(" ".join(_paragraphs(cell)) for cell in row) for row in rows]
                yield False, "\n".join(texts)
            case _:
                pass


def _paragraphs(parent: Element) -> Iterator[str]:
    for paragraph in parent.iter():
        if local_name(paragraph) != "p":
            continue
        parts: list[str] = []
        for piece in paragraph.iter():
            if (name := local_name(piece)) == "t":
                parts.append(piece.text or "")
            elif name in {"br", "tab"}:
                parts.append(" ")
        if text := "".join(parts).strip():
            yield text
