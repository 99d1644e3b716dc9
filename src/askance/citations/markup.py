"""The parts of an answer's Markdown: which lines hold sentences, and what is code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

Span = tuple[int, int]

_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_INLINE_CODE = re.compile(r"(?<!`)(`{1,2})(?!`)[^\n]{1,400}?(?<!`)\1(?!`)")
_PREFIX = re.compile(
    r"\s{0,20}(?:>\s?){0,8}(?:[-*+•]\s+|[0-9]{1,3}[.)]\s+)?(?:\[[ xX]\]\s+)?(?:>\s?){0,8}"
)
_HEADING = re.compile(r"\s{0,3}#{1,6}(?:\s|$)")
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


def code_spans(text: str) -> list[Span]:
    """Return `(start, end)` of fenced blocks, open ones included, and of inline code, in order."""
    spans: list[Span] = []
    fence, opened = "", 0
    for start, end in line_spans(text):
        match = _FENCE.match(text, start, end)
        if fence:
            if match and match[1].startswith(fence) and not text[match.end() : end].strip():
                spans.append((opened, end))
                fence = ""
        elif match and "`" not in text[match.end() : end]:
            fence, opened = match[1], start
        else:
            spans += [found.span() for found in _INLINE_CODE.finditer(text, start, end)]
    if fence:
        spans.append((opened, len(text)))
    return spans


def lines_of(text: str, code: Sequence[Span]) -> list[Line]:
    """Return the lines of a text that lie outside of fenced blocks."""
    lines: list[Line] = []
    fenced = [span for span in code if _FENCE.match(text, span[0]) and _opens_line(text, span[0])]
    among_references = False
    for start, end in line_spans(text):
        while fenced and fenced[0][1] < start:
            del fenced[0]
        if fenced and fenced[0][0] <= start <= fenced[0][1]:
            continue
        prefix = _PREFIX.match(text, start, end)
        body = prefix.end() if prefix else start
        kind = _kind(text, start, body, end, is_first=not lines)
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
    while True:
        end = text.find("\n", start)
        if end < 0:
            yield start, len(text)
            return
        yield start, end
        start = end + 1


def _opens_line(text: str, start: int) -> bool:
    return start == 0 or text[start - 1] == "\n"


def _kind(text: str, start: int, body: int, end: int, *, is_first: bool) -> LineKind:
    if _RULE.fullmatch(text, start, end):
        return LineKind.BLANK
    if _HEADING.match(text, start, end):
        return LineKind.HEADING
    if not is_first and _BOLD_LINE.fullmatch(text, start, end):
        return LineKind.HEADING
    if text.startswith("|", body, end) or text.count("|", body, end) > 1:
        return LineKind.TABLE
    return LineKind.REFERENCE if _REFERENCE.match(text, body, end) else LineKind.TEXT
