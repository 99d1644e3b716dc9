"""Citation markers as models write them, lifted out of an answer and set again in one form.

A marker is a bracket that holds source numbers of up to three digits, alone or as a list or range.
These are what models write, and all that is taken for one: `[1]`, `[ 1 ]`, `[1, 2]`, `[1 and 2]`,
`[1-3]`, `[^1]`, `[Source 1]`, `[[1]]`, `\\[1\\]`, `【1】`, `【1†source】`, `\uff3b1\uff3d`, `([1])`,
`**[1]**`, `(Source 1)`, `<sup>1</sup>`, and a link with such a text. Text are `(1)`, an enumeration,
`[2019]`, an editor's year, and a power, `m<sup>2</sup>`. Pages have lost all of them before a model
reads them (`round_foreign_markers`).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from askance.citations.grammar import code_spans
from askance.citations.placing import Span
from askance.domain.evidence import Citation

_NUMBER = r"[0-9\uff10-\uff19]{1,3}"
LABEL = (
    r"(?:sources?|srcs?|refs?|references?|citations?|quellen?|文献|来源)[ \t]{0,2}[:#]?[ \t]{0,2}"
)
_LIST = (
    rf"(?:{LABEL}|\^)?{_NUMBER}"
    rf"(?:[ \t]{{0,2}}(?:[,;\uff0c、&–—-]|and\b|und\b)[ \t]{{0,2}}(?:{LABEL}|\^)?{_NUMBER}){{0,20}}"
)
_TARGET = r"\((?:<[^<>\n]{0,1500}>|[^()\s]{0,1500})(?:[ \t]+\"[^\"\n]{0,200}\")?\)"
_CORE = (
    rf"(?:\[\[{_LIST}\]\]|\\?\[[ \t]?{_LIST}(?:†[^\]\n]{{0,60}})?[ \t]?\\?\]"
    rf"|【[ \t]?{_LIST}(?:[:†][^】\n]{{0,60}})?】|\uff3b{_LIST}\uff3d|\({LABEL}{_LIST}\)"
    rf"|(?<![0-9])(?<!\b\w)(?<!\b\w\w)<sup>{_LIST}</sup>)(?:{_TARGET})?"
)
_MARKER = re.compile(_CORE, re.IGNORECASE)
_MARKERS = re.compile(rf"{_CORE}(?:[ \t]{{0,2}}[,;]?[ \t]{{0,2}}{_CORE}){{0,20}}", re.IGNORECASE)
_NUMBERS = re.compile(rf"({_NUMBER})(?:[ \t]{{0,2}}[–—-][ \t]{{0,2}}({_NUMBER}))?")
_OUTSIDE_LIST = re.compile(rf"{_TARGET}$|(?<=[0-9])[:†].*", re.DOTALL)
_WRAPPERS = (("**", "**"), ("__", "__"), ("*", "*"), ("(", ")"), ("<sup>", "</sup>"), ("^", "^"))
_OPENERS = "*_([{\"'“‘«"
_BLANKS = " \t\u00a0\u2009\u202f"

REACH = 8
"""A marker may stand just behind the sentence it belongs to; further away it belongs to none."""
_NUMBERS_IN = re.compile(_NUMBER)

_DIGITS = (
    "[0-9\u00b2\u00b3\u00b9\u0660-\u0669\u2070-\u2079\u2080-\u2089\u2460-\u2473\uff10-\uff19"
    "\U0001d7ce-\U0001d7ff]{1,3}+"
)
# A line's end, or any of the wide spaces, becomes a space where a writer tidies up.
_BLANK = r"\s{0,2}"
# Emphasis, code and tags go then, too.
_AROUND = r"(?:[*_`~\\]{1,3}|</?(?:b|i|u|em|strong|a|span)>)?"
_MARK = rf"(?:[^\W\d_]{{1,12}}+\.?{_BLANK}[:#\u2116\uff1a]?{_BLANK}|[\^#*\u2116]{{1,2}}+{_BLANK})?"
_NOTE_LIST = rf"{_MARK}{_DIGITS}(?:{_BLANK}(?:[,;/\uff0c\u3001&–—-]|and\b|und\b){_BLANK}{_MARK}{_DIGITS}){{0,20}}"
_OPEN = (
    r"(?:\\?[\[\uff3b\u3014\u3010\u27e6\u301a]{1,2}|&(?:#0{0,5}91|#[xX]0{0,5}5[bB]|lbrack|lsqb);?)"
)
_SHUT = (
    r"(?:\\?[\]\uff3d\u3015\u3011\u27e7\u301b]|&(?:#0{0,5}93|#[xX]0{0,5}5[dD]|rbrack|rsqb);?){1,2}"
)
_BRACKET = re.compile(
    rf"{_OPEN}{_BLANK}{_AROUND}(?P<list>{_NOTE_LIST})[*^]{{0,2}}{_AROUND}(?:(?::\d{{1,3}})?†[^\]】\n]{{0,60}})?{_BLANK}{_SHUT}",
    re.IGNORECASE,
)
_RAISED = re.compile(rf"<sup>{_BLANK}(?P<list>{_NOTE_LIST}){_BLANK}</sup>", re.IGNORECASE)
_LABELLED = re.compile(rf"(?:{LABEL}|\^)(?=\d)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Anchor:
    """A place in a text and the sources that a marker there names."""

    at: int
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer without its markers, and where they stood. `removed` counts those out of range."""

    text: str
    anchors: tuple[Anchor, ...]
    removed: int


@dataclass(frozen=True, slots=True)
class Composed:
    """A text with its markers set."""

    text: str
    _places: tuple[int, ...]
    _shifts: tuple[int, ...]

    def place(self, at: int, *, with_marker: bool = False) -> int:
        """Return where the place `at` of the draft is now: behind a marker set there, or before."""
        find = bisect_left if with_marker else bisect_right
        return at + self._shifts[find(self._places, at)]


def lift_markers(answer: str, known: frozenset[int]) -> Draft:
    """Take all markers out of an answer. Code is left alone."""
    text, anchors, removed = answer, list[Anchor](), 0
    while cuts := list(_cuts(text)):
        for cut in cuts:
            numbers, unknown = _read_numbers(cut.marker, known)
            removed += unknown
            if numbers:
                anchors.append(Anchor(cut.place, numbers))
        text, anchors = _without(text, cuts, anchors)
    anchors.sort(key=lambda anchor: anchor.at)
    return Draft(text, tuple(anchors), removed)


def set_markers(text: str, numbers: Mapping[int, Sequence[int]]) -> Composed:
    """Set `[n]` at the given places: after a space, or none where a script has no spaces."""
    pieces: list[str] = []
    places = sorted(numbers)
    shifts = [0]
    done = 0
    for at in places:
        marker = "".join(f"[{n}]" for n in numbers[at])
        before, after = text[at - 1 : at], text[at : at + 1]
        if not before.strip():
            marker += " " if after.strip() else ""
        else:
            marker = ("" if _is_wide(before) else " ") + marker
            marker += " " if after == "(" or _grows_together(before, after) else ""
        pieces += [text[done:at], marker]
        shifts.append(shifts[-1] + len(marker))
        done = at
    pieces.append(text[done:])
    return Composed("".join(pieces), tuple(places), tuple(shifts))


def round_foreign_markers(text: str) -> str:
    """Return a page's text without anything that an answer's reader would take for a marker.

    Its markers name that page's own notes, and in an answer would name our sources. Every bracket
    that holds nothing but small numbers, with or without a label, becomes round: `(3)` means nothing
    to the citation check. That is more than the check takes for a marker, because a writer may tidy
    up what it copies.
    """
    text = _BRACKET.sub(lambda match: f"({_LABELLED.sub('', match['list'])})", text)
    text = _RAISED.sub(lambda match: f"^{match['list']}", text)
    return without_brackets(text)


def without_brackets(text: str) -> str:
    """Return a text that is no answer, its markers as numbers in round brackets, which are text."""
    return _MARKER.sub(lambda match: f"({', '.join(_NUMBERS_IN.findall(match.group()))})", text)


def distance(citation: Citation, at: int) -> int:
    """Return how many characters lie between a citation's sentence and a place."""
    return max(citation.start - at, at - citation.end, 0)


def citation_at(citations: Sequence[Citation], n: int, at: int) -> Citation | None:
    """Return the citation of source `n` whose sentence is nearest to a place, if one is near."""
    near = [c for c in citations if c.n == n and distance(c, at) <= REACH]
    return min(near, key=lambda citation: distance(citation, at), default=None)


@dataclass(frozen=True, slots=True, order=True)
class _Cut:
    """What to cut, the place that remains of it, and the marker's text if it is one.

    `filler` takes its place where the words on both sides must not grow together.
    """

    start: int
    end: int
    place: int
    marker: str = ""
    filler: str = ""


def _cuts(text: str) -> Iterator[_Cut]:
    code = code_spans(text)
    found = [
        _marker_cut(text, match)
        for match in _MARKERS.finditer(text)
        if not _touches(code, match.span())
    ]
    end = 0
    for cut in sorted(found):
        if cut.start >= end:
            yield cut
            end = cut.end


def _marker_cut(text: str, match: re.Match[str]) -> _Cut:
    start, end = _unwrapped(text, *match.span())
    marker = match.group()
    left = start
    while left and text[left - 1] in _BLANKS:
        left -= 1
    opens_line = left == 0 or text[left - 1] == "\n"
    right = end + 1 if opens_line and text.startswith(":", end) else end
    while right < len(text) and text[right] in _BLANKS:
        right += 1
    if opens_line:
        return _Cut(left, right, left, marker)
    if left == start and _is_opened(text, start):
        return _Cut(start, right, start, marker)
    if end == right and _grows_together(text[left - 1], text[end : end + 1], apart=left < start):
        return _Cut(left, end, left, marker, " ")
    return _Cut(left, end, left, marker)


def _unwrapped(text: str, start: int, end: int) -> Span:
    """Return a marker's span with the brackets or emphasis right around it."""
    for _ in range(len(_WRAPPERS)):
        for opening, closing in _WRAPPERS:
            if text.endswith(opening, 0, start) and text.startswith(closing, end):
                start, end = start - len(opening), end + len(closing)
    return start, end


def _is_opened(text: str, at: int) -> bool:
    """Say whether an opening quote, bracket or emphasis stands right before a place."""
    before = at
    while before and text[before - 1] in _OPENERS:
        before -= 1
    return before < at and (before == 0 or text[before - 1].isspace())


def _read_numbers(marker: str, known: frozenset[int]) -> tuple[tuple[int, ...], int]:
    """Return the known numbers of a marker in order, and how many others it names."""
    numbers: dict[int, None] = {}
    unknown = 0
    for match in _MARKER.finditer(marker):
        for first, last in _NUMBERS.findall(_OUTSIDE_LIST.sub("", match.group())):
            low, high = int(first), int(last or first)
            named = range(low, high + 1) if low <= high else (low, high)
            valid = [n for n in named if n in known]
            unknown += len(valid) < len(named)
            numbers |= dict.fromkeys(valid)
    return tuple(numbers), unknown


def _without(
    text: str, cuts: Sequence[_Cut], anchors: Sequence[Anchor]
) -> tuple[str, list[Anchor]]:
    """Return a text after cutting, and its anchors where they are then."""
    pieces: list[str] = []
    shifts = [0]
    done = 0
    for cut in cuts:
        pieces += [text[done : cut.start], cut.filler]
        shifts.append(shifts[-1] + cut.end - cut.start - len(cut.filler))
        done = cut.end
    pieces.append(text[done:])
    starts = [cut.start for cut in cuts]
    moved: list[Anchor] = []
    for anchor in anchors:
        i = bisect_right(starts, anchor.at)
        if i and anchor.at < cuts[i - 1].end:
            moved.append(Anchor(cuts[i - 1].start - shifts[i - 1], anchor.numbers))
        else:
            moved.append(Anchor(anchor.at - shifts[i], anchor.numbers))
    return "".join(pieces), moved


def _touches(spans: Sequence[Span], span: Span) -> bool:
    i = bisect_right(spans, (span[1],))
    return any(start < span[1] and span[0] < end for start, end in spans[max(0, i - 1) : i + 1])


def _grows_together(before: str, after: str, *, apart: bool = False) -> bool:
    """Say whether a space must stay between two characters, `apart` if there was one."""
    return after.isalnum() and not _is_wide(after) and (apart or not _is_wide(before))


def _is_wide(char: str) -> bool:
    return "\u2e80" <= char <= "\ud7ff" or "\uf900" <= char <= "\ufaff" or char >= "\uff00"
