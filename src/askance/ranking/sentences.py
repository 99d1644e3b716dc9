"""Sentence boundaries, by rule: a full sentence splitter costs a second for each 15 KB of text."""

from __future__ import annotations

import re

# A boundary is an end mark, perhaps with closing quotes or citation markers, then white space and
# something that can begin a sentence; or the end mark of a script without spaces; or a line break.
_BOUNDARY = re.compile(
    r"""(?<=[.!?…])(?P<tail>["'”’»)\]]*(?:\s?\[\d+\])*)\s+(?=["'“‘«(\[*_]*[A-Z0-9À-ÖØ-ÞА-Я])"""
    r"""|(?<=[。！？])["'”’」』]*(?:\[\d+\])*"""
    r"""|\n+"""
)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[\"'“])(?:[A-Z]|[A-Z]\.[A-Z]|mr|mrs|ms|dr|prof|sr|jr|st|mt|ft|vs|etc|e\.g|i\.e|cf|ca|al|no|nos|vol|"
    r"fig|figs|inc|ltd|co|corp|dept|gen|col|lt|sgt|capt|rev|hon|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|"
    r"approx|est|b|d|c|p|pp|ed|eds|art|sec|ch|u\.s|u\.k)\.$",
    re.IGNORECASE,
)


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return `(start, end)` of each sentence, without the white space around it."""
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _BOUNDARY.finditer(text):
        tail = match.group("tail") or ""
        head = text[max(start, match.start() - 12) : match.start()]
        if not tail and "\n" not in match.group() and _ABBREVIATION.search(head):
            continue
        _add(spans, text, start, match.start() + len(match.group().rstrip()))
        start = match.end()
    _add(spans, text, start, len(text))
    return spans


def sentences(text: str) -> list[str]:
    """Return the sentences of a text in order."""
    return [text[start:end] for start, end in sentence_spans(text)]


def whole_sentences(text: str) -> str:
    """Cut a broken-off text at its last whole sentence, if it has one."""
    spans = sentence_spans(text)
    if spans and text[: spans[-1][1]].rstrip()[-1:] not in '.!?…"”]。！？':
        spans.pop()
    return text[: spans[-1][1]] if spans else text


def _add(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    if stripped := piece.strip():
        begin = start + len(piece) - len(piece.lstrip())
        spans.append((begin, begin + len(stripped)))
