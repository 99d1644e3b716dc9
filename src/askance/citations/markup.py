"""The parts of an answer's Markdown: which lines hold sentences, and what is code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from askance.citations.grammar import WrittenLine, outlines
from askance.citations.placing import Span

# What stands before the words of a line and is no syntax there: the number of an item that cannot
# interrupt a paragraph, a round bullet, a task's box.
_MARK = re.compile(r"(?:(?:[-*+•]|[0-9]{1,3}[.)])\s{1,9}+)?(?:\[[ xX]\]\s{1,9}+)?")
_BOLD_LINE = re.compile(r"\s{0,3}(\*\*|__)[^*_\n]{1,120}?(?<![.!?。！？])\1:?\s*")
_RULE = re.compile(r"[\s|:=_*\-]*")
_SOURCES_TITLE = re.compile(
    r"[\s#*_]*(?:sources?|references?|citations?|bibliography|quellen|参考文献|参考资料|出典)[\s:\uff1a*_]*",
    re.IGNORECASE,
)
_REFERENCE = re.compile(r"\W{0,8}(?:https?://|www\.)", re.IGNORECASE)


class LineKind(StrEnum):
    """What a line of Markdown is to the citation check."""

    TEXT = "text"
    HEADING = "heading"
    TABLE = "table"
    REFERENCE = "reference"
    BLANK = "blank"


@dataclass(frozen=True, slots=True)
class Line:
    """A line from `start` to `end`; its text without list and quote marks begins at `body`."""

    start: int
    body: int
    end: int
    kind: LineKind


def code_spans(text: str) -> Sequence[Span]:
    """Return `(start, end)` of blocks of code, open ones included, and of inline code, in order."""
    return outlines(text).code


def lines_of(text: str) -> list[Line]:
    """Return the lines of a text that lie outside of blocks of code."""
    read = outlines(text)
    lines: list[Line] = []
    panels = iter(read.panels)
    panel = next(panels, None)
    among_references = False
    for start, end in line_spans(text):
        while panel is not None and panel[1] < start:
            panel = next(panels, None)
        if panel is not None and panel[0] <= start:
            continue
        written = read.lines.get(start)
        mark = _MARK.match(text, written.body if written else start, end)
        body = mark.end() if mark else start
        kind = _kind(text, start, body, end, written, is_first=not lines)
        if _SOURCES_TITLE.fullmatch(text, body, end) and end > body:
            kind, among_references = LineKind.HEADING, True
        elif kind is LineKind.HEADING:
            among_references = False
        elif among_references and kind is LineKind.TEXT:
            kind = LineKind.REFERENCE
        lines.append(Line(start, body, end, kind))
    return lines


def line_spans(text: str) -> Iterator[Span]:
    """Yield `(start, end)` of each line, without its line break."""
    start = 0
    for line in text.split("\n"):
        yield start, start + len(line)
        start += len(line) + 1


def _kind(
    text: str, start: int, body: int, end: int, written: WrittenLine | None, *, is_first: bool
) -> LineKind:
    if written is None or _RULE.fullmatch(text, start, end):
        return LineKind.BLANK
    if written.type == "heading_open":
        return LineKind.HEADING
    if not is_first and _BOLD_LINE.fullmatch(text, start, end):
        return LineKind.HEADING
    # Rows whose table has no head are no table to a reader; their cells are no sentences either.
    if written.type in ("th_open", "td_open") or text.count("|", body, end) > 1:
        return LineKind.TABLE
    return LineKind.REFERENCE if _REFERENCE.match(text, body, end) else LineKind.TEXT
