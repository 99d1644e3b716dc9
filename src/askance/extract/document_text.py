"""What documents of all formats come to: Markdown of blocks, with a title and a date."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from askance.domain.messages import NOTHING, Message
from askance.domain.web import MOST_PAGE_BLOCKS, PageReason, PageStatus
from askance.extract.archives import Element
from askance.extract.extracted import Extracted, empty
from askance.extract.lines import TITLE_CHARACTERS
from askance.extract.markdown import tidy_text
from askance.extract.text import count_words

_BETWEEN_BLOCKS = re.compile(r"\n\n")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_DEEPEST_HEADING = 6
DEEPEST = 300
"""So many elements within each other are read one by one; what is deeper, as one text."""
_LINES = frozenset({"p", "h", "tab", "br", "tc", "table-cell"})


def outcome(
    blocks: Iterator[str],
    title: str | None,
    date: str | None,
    detail: Message = NOTHING,
    *,
    is_tidy: bool = False,
) -> Extracted:
    """Return the text of a document's blocks, or that it has none; `date` begins with one in ISO 8601.

    Blocks that are tidy keep their white space: that of code, and of lists in lists.
    """
    text = "\n\n".join(block for block in blocks if block.strip())
    text = text if is_tidy else tidy_text(text)
    line = " ".join(tidy_text(str(title or "")).split())[:TITLE_CHARACTERS]
    words = count_words(text)
    if not words:
        why = Message.joined(Message("The file has no text."), detail)
        return empty(PageReason.NO_TEXT, why, title=line)
    day = _DATE.match(date or "")
    published = day.group() if day else None
    return Extracted(
        PageStatus.OK, detail=detail, title=line, markdown=text, words=words, published=published
    )


def markdown_heading(text: str, level: int) -> str:
    """Return a heading on one line, empty if it has no text."""
    line = " ".join(text.split())
    return f"{'#' * min(max(level, 1), _DEEPEST_HEADING)} {line}" if line else ""


def markdown_row(cells: Iterator[str]) -> str:
    """Return a row of a table on one line."""
    return f"| {' | '.join(' '.join(cell.split()) for cell in cells)} |"


def comment_label(author: str) -> str:
    """Return what a comment begins with: it is a quote of who wrote it."""
    name = " ".join(author.split())
    return f"> {name}:" if name else ">"


def put_table(
    out: list[str],
    rows: Iterable[Iterable[Element | None]],
    write: Callable[[Element], bool],
) -> None:
    """Add a table to a text. `write` adds the blocks of a cell, and returns whether there is a table in it.

    None is a place that another cell covers: what stands behind it stays below the head of its column.

    A table of one column, or with tables in it, is made for how a page looks: its cells are text as any other.
    Each block is so written into a row once, however deep it stands.
    """
    start = len(out)
    is_layout = True
    spans: list[list[tuple[int, int]]] = []
    has_tables = False
    for row in rows:
        cells: list[tuple[int, int]] = []
        count = covered = 0
        for cell in row:
            if cell is None:
                covered += count > 0
                continue
            begin = len(out)
            has_tables |= write(cell)
            cells += [(begin, begin)] * covered
            cells.append((begin, len(out)))
            count, covered = count + 1, 0
        is_layout &= count < 2
        spans.append(cells)
    if has_tables or is_layout:
        return
    shown = [cells for cells in spans if any(text.strip() for a, b in cells for text in out[a:b])]
    lines = [markdown_row(" ".join(out[a:b]) for a, b in cells) for cells in shown]
    out[start:] = ["\n".join(lines)]


def flat_text(element: Element) -> str:
    """Return all text within an element of Word or OpenDocument, its lines apart."""
    parts: list[str] = []
    for part in element.iter():
        name = part.tag.rpartition("}")[2]
        if name in _LINES:
            parts.append(" ")
        if name == "t":
            parts.append(part.text or "")
    return " ".join("".join(parts).split())


def drawn_texts(drawing: Element) -> Iterator[str]:
    """Yield the words of a drawing, a diagram or a chart, and the names of a chart's series and categories."""
    for part in drawing.iter():
        name = part.tag.rpartition("}")[2]
        if name == "p":
            yield "".join(t.text or "" for t in part.iter() if t.tag.rpartition("}")[2] == "t")
        elif name == "strCache":
            yield " | ".join(v.text or "" for v in part.iter() if v.tag.rpartition("}")[2] == "v")


def unread_parts(names: Sequence[str]) -> Message:
    """Return that parts of a file could not be read; nothing if there are none."""
    if not names:
        return NOTHING
    return Message("Parts of the file could not be read: {names}.", names=", ".join(names))


def end_of_part(text: str, most: int) -> int:
    """Return where a text is cut so that the first part has so many characters and blocks at the most."""
    end = min(len(text), most)
    if end < len(text) and (between := text.rfind("\n\n", end // 2, end)) > 0:
        end = between
    for blocks, found in enumerate(_BETWEEN_BLOCKS.finditer(text, 0, end), start=1):
        if blocks == MOST_PAGE_BLOCKS - 1:
            return found.start()
    return end
