"""Citation markers as models write them, lifted out of an answer, set again in one form, and numbered from 1 for a reader.

The forms are those of `marker_forms`, and citations only where they stand as such (`marker_context`):
`x[0]`, `[0, 1]`, JSON and LaTeX are text, as are `(1)`, an enumeration, and `[2019]`, an editor's
year. Pages have lost all that an answer's reader would take for a marker before a model reads them
(`foreign_markers`).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from askance.citations.markdown.grammar import code_spans, markers
from askance.citations.markdown.marker_context import (
    BLANKS,
    MarkerRun,
    blanks_before,
    is_wide,
    marker_runs,
)
from askance.citations.markdown.marker_forms import LABELS, Span, forms
from askance.domain.evidence import Citation, Source


@dataclass(frozen=True, slots=True)
class NumberedAnswer:
    """An answer in its own numbers; `numbers` maps those of the evidence to them."""

    text: str
    sources: tuple[Source, ...]
    citations: tuple[Citation, ...]
    numbers: Mapping[int, int]


def numbers_from_one(cited: Iterable[int], known: Collection[int]) -> dict[int, int]:
    """Return the new numbers: those that are cited in order, the others behind them in theirs."""
    first = [n for n in dict.fromkeys(cited) if n in known]
    return {n: i for i, n in enumerate(dict.fromkeys([*first, *sorted(known)]), 1)}


def renumbered(sources: Iterable[Source], numbers: Mapping[int, int]) -> tuple[Source, ...]:
    """Return sources under their new numbers, in their order. What is a copy is one of the first of them that has its text."""
    moved = [(s.copy_of or s.n, replace(s, n=numbers.get(s.n, s.n))) for s in sources]
    moved.sort(key=lambda pair: pair[1].n)
    first: dict[int, int] = {}
    for origin, source in moved:
        first.setdefault(origin, source.n)
    return tuple(
        replace(source, copy_of=0 if first[origin] == source.n else first[origin])
        for origin, source in moved
    )


# Numbers of sources in a sentence about them, as in "[2] says 1863".
_IN_SENTENCE = re.compile(r"\[([0-9]{1,3})\]")


def numbers_in(sentence: str, numbers: Mapping[int, int]) -> str:
    """Return a sentence about an answer's sources in their new numbers."""
    return _IN_SENTENCE.sub(lambda m: f"[{numbers.get(int(m[1]), int(m[1]))}]", sentence)


def numbered_from_one(
    text: str,
    sources: Sequence[Source],
    citations: Sequence[Citation],
    beside: Iterable[int] = (),
) -> NumberedAnswer:
    """Return an answer whose sources are numbered from 1, its citations at their new places.

    `beside` are those that are named beside the text, in their order: they follow those that it cites.
    """
    known = {source.n for source in sources}
    found = markers(text, known)
    numbers = numbers_from_one((*(marker.n for marker in found), *beside), known)
    same = NumberedAnswer(text, tuple(sources), tuple(citations), {n: n for n in known})
    if all(n == new for n, new in numbers.items()):
        return same
    parts: list[str] = []
    # Where the markers end, and how far what stands behind each has moved.
    ends, moves, done = [0], [0], 0
    for marker in found:
        new = f"[{numbers[marker.n]}]"
        parts += [text[done : marker.start], new]
        done = marker.end
        ends.append(done)
        moves.append(moves[-1] + len(new) - (marker.end - marker.start))
    written = "".join([*parts, text[done:]])
    # A bracket that named no source may name one now: such an answer keeps the numbers that it has.
    if [marker.n for marker in markers(written, set(numbers.values()))] != [
        numbers[marker.n] for marker in found
    ]:
        return same

    def moved(at: int) -> int:
        return at + moves[bisect_right(ends, at) - 1]

    def cited(old: Citation) -> Citation:
        start, end = moved(old.start), moved(old.end)
        # What the check took for the sentence may have lost its marks: then it stays as it was.
        is_verbatim = old.sentence == text[old.start : old.end]
        sentence = written[start:end] if is_verbatim else old.sentence
        beside = tuple(sorted(numbers.get(n, n) for n in old.beside))
        n = numbers.get(old.n, old.n)
        return replace(old, n=n, sentence=sentence, start=start, end=end, beside=beside)

    return NumberedAnswer(
        written, renumbered(sources, numbers), tuple(map(cited, citations)), numbers
    )


_OPENERS = "*_([{\"'“‘«"

REACH = 8
"""A marker may stand just behind the sentence it belongs to; further away it belongs to none."""

_MOST_LIFTS = 8
"""What is left after so many readings is a tangle of brackets."""
_LONGEST_LABEL = 60
_ENDS = '.!?…。！？"”»)'
_SOURCES_BEFORE = re.compile(
    r"(?<!\w)(?P<label>[^\W\d_]{1,30}+)[*_]{0,3}[ \t]?[:\uff1a][*_]{0,3}[ \t]{0,3}$"
)
_LISTED = re.compile(r"[(\[][^\W\d_]{2,30}+[:\uff1a]")
_LINE_REST = re.compile(r"[ \t.)*_。]{0,6}(?=\n|\Z)")


@dataclass(frozen=True, slots=True)
class Anchor:
    """A place in a text and the sources that a marker there names."""

    at: int
    numbers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class UnmarkedAnswer:
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


def lift_markers(
    answer: str, known: Collection[int], *, before: str = "", behind: str = ""
) -> UnmarkedAnswer:
    """Take all markers out of an answer. Code, mathematics and data are left alone.

    Of an answer that is still being written, what stands `before` and `behind` the part tells what is
    one in it.
    """
    if next(forms(answer), None) is None:
        return UnmarkedAnswer(answer, (), 0)
    text, anchors, removed = before + answer + behind, list[Anchor](), 0
    first, rest = len(before), len(behind)
    # What a marker stood in may be one without it, as in `[[1] 2]`: the text is read again until it
    # is clean.
    for _ in range(_MOST_LIFTS):
        runs = marker_runs(text, known, code_spans(text))
        inside = [run for run in runs if run.start >= first and run.end <= len(text) - rest]
        cuts = [_cut(text, run, first, len(text) - rest) for run in inside]
        if not cuts:
            break
        cuts = _leading(text, cuts)
        # A list of sources at the end gives its markers only to an answer that has no others.
        cited = {n for anchor in anchors for n in anchor.numbers}
        cited |= {n for cut in cuts if not cut.is_list for n in cut.numbers}
        for cut in cuts:
            removed += cut.unknown
            if cut.numbers and not (cut.is_list and cited):
                anchors.append(Anchor(cut.place, cut.numbers))
        text, anchors = _without(text, cuts, anchors)
    anchors = [replace(anchor, at=anchor.at - first) for anchor in anchors]
    anchors.sort(key=lambda anchor: anchor.at)
    return UnmarkedAnswer(text[first : len(text) - rest], tuple(anchors), removed)


def reset_markers(text: str, known: Collection[int]) -> str:
    """Return a text, as it is being written, with its markers in the form that they will have."""
    draft = lift_markers(text, known)
    places: dict[int, list[int]] = {}
    for anchor in draft.anchors:
        places.setdefault(anchor.at, []).extend(anchor.numbers)
    return set_markers(draft.text, places).text


def set_markers(text: str, numbers: Mapping[int, Sequence[int]]) -> Composed:
    """Set `[n]` at the given places: after a space, or none where a script has no spaces."""
    pieces: list[str] = []
    places = sorted(numbers)
    shifts = [0]
    done = 0
    for at in places:
        marker = "".join(f"[{n}]" for n in numbers[at])
        # Chinese and Japanese set no blank before a marker; after one a `(` would make a link of
        # it.
        before, after = text[at - 1 : at], text[at : at + 1]
        if not before.strip():
            marker += " " if after.strip() else ""
        else:
            marker = ("" if is_wide(before) else " ") + marker
            marker += " " if after in ("(", "[") or _grows_together(before, after) else ""
        pieces += [text[done:at], marker]
        shifts.append(shifts[-1] + len(marker))
        done = at
    pieces.append(text[done:])
    return Composed("".join(pieces), tuple(places), tuple(shifts))


def distance(citation: Citation, at: int) -> int:
    """Return how many characters lie between a citation's sentence and a place."""
    return max(citation.start - at, at - citation.end, 0)


def citation_at(citations: Sequence[Citation], n: int, at: int) -> Citation | None:
    """Return the citation of source `n` whose sentence is nearest to a place, if one is near."""
    near = [c for c in citations if c.n == n and distance(c, at) <= REACH]
    return min(near, key=lambda citation: distance(citation, at), default=None)


@dataclass(frozen=True, slots=True)
class _Cut:
    """What to cut, the place that remains of it, and what it named.

    `filler` takes its place where the words on both sides must not grow together. `is_list` says that
    it was a line that lists the sources of all that is above.
    """

    start: int
    end: int
    place: int
    numbers: tuple[int, ...]
    unknown: int
    filler: str = ""
    is_list: bool = False


def _cut(text: str, run: MarkerRun, first: int, last: int) -> _Cut:
    """Return what to cut of a marker and the blanks around it, not before `first` nor behind `last`."""
    start, end = run.start, run.end
    named = run.numbers, run.unknown
    if (listed := _source_line(text, start, end)) is not None:
        begin, behind = max(listed[0], first), min(listed[1], last)
        return _Cut(begin, behind, begin, *named, is_list=True)
    left = max(blanks_before(text, start), first)
    opens_line = left == 0 or text[left - 1] == "\n"
    # `[1]: Title` in a list of sources leaves no colon behind.
    right = end + 1 if opens_line and text.startswith(":", end) else end
    while right < last and text[right] in BLANKS:
        right += 1
    # Behind an opening quote or bracket only the blank after the marker goes.
    if opens_line or (left == start and _is_opened(text, start)):
        return _Cut(left, right, left, *named)
    is_one_word = end == right and _grows_together(
        text[left - 1], text[end : end + 1], apart=left < start
    )
    return _Cut(left, end, left, *named, " " if is_one_word else "")


def _leading(text: str, cuts: Sequence[_Cut]) -> list[_Cut]:
    """Have markers that stand before the sentences of a line belong to those: `[1] So. [2] And so.`"""
    moved: list[_Cut] = []
    first = 0
    while first < len(cuts):
        end = text.find("\n", cuts[first].end)
        end = end if end >= 0 else len(text)
        last = first + 1
        while last < len(cuts) and cuts[last].start < end:
            last += 1
        line = cuts[first:last]
        # One marker alone at a line's begin cites the line; several in one lead a sentence each.
        if len(line) > 1 and _opens_line(text, line[0]) and all(_leads(text, cut) for cut in line):
            places = [*(cut.start for cut in line[1:]), end]
            line = [replace(cut, place=at) for cut, at in zip(line, places, strict=True)]
        moved += line
        first = last
    return moved


def _opens_line(text: str, cut: _Cut) -> bool:
    begin = text.rfind("\n", 0, cut.start) + 1
    return not text[begin : cut.start].strip(" \t>*+-")


def _leads(text: str, cut: _Cut) -> bool:
    """Say whether a sentence begins behind a marker, and none is unfinished before it."""
    before, behind = text[cut.start - 1 : cut.start], text[cut.end : cut.end + 2].lstrip(BLANKS)[:1]
    is_apart = cut.start == 0 or before in _ENDS + "\n" + BLANKS + "*+->"
    return is_apart and bool(behind) and (behind.isupper() or is_wide(behind))


def _source_line(text: str, start: int, end: int) -> Span | None:
    """Return the span of a line, or of a sentence at its end, that only names sources: `Sources: [1], [2]`."""
    behind = _LINE_REST.match(text, end)
    found = _SOURCES_BEFORE.search(text, max(0, start - _LONGEST_LABEL), start)
    if behind is None:
        return None
    if found is not None and found["label"].casefold() in LABELS:
        begin = found.start("label")
    elif _LISTED.match(text, start, end) and text[start - 1 : start] == "\n":
        begin = start
    else:
        return None
    while begin and text[begin - 1] in " \t*_-–—>#(":
        begin -= 1
    above = text[:begin].rstrip() if begin else ""
    # Without anything above it the line is the answer itself.
    if not above or (text[begin - 1] != "\n" and above[-1] not in _ENDS):
        return None
    return len(above), behind.end()


def _is_opened(text: str, at: int) -> bool:
    """Say whether an opening quote, bracket or emphasis stands right before a place."""
    before = at
    while before and text[before - 1] in _OPENERS:
        before -= 1
    return before < at and (before == 0 or text[before - 1].isspace())


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
        # Cuts are in order, so each anchor moves by the sum of the cuts before it.
        i = bisect_right(starts, anchor.at)
        if i and anchor.at < cuts[i - 1].end:
            moved.append(Anchor(cuts[i - 1].start - shifts[i - 1], anchor.numbers))
        else:
            moved.append(Anchor(anchor.at - shifts[i], anchor.numbers))
    return "".join(pieces), moved


def _grows_together(before: str, after: str, *, apart: bool = False) -> bool:
    """Say whether a space must stay between two characters, `apart` if there was one."""
    return after.isalnum() and not is_wide(after) and (apart or not is_wide(before))
