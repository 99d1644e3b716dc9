"""An answer as sentences with the markers that belong to them."""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from askance.citations.markers import Draft
from askance.citations.markup import Line, LineKind, code_spans, lines_of
from askance.citations.placing import Span
from askance.ranking.sentences import sentence_spans
from askance.ranking.tokens import terms

_END_MARKS = ".!?…。！？｡"
_INNER_MARKS = ",;:、\uff0c\uff1b\uff1a"
_LIST_MARKS = ",; \t"
_BLANKS = " \t\u00a0\u2009\u202f"
_EMPHASIS = str.maketrans("*_~`", '""""')
_ONLY_OPENING = re.compile(r"[\s*_~`\"'“‘«(\[{>|-]*")
# Read from its end: from its beginning, every letter of a long one could be the first.
_DOTTED_BACKWARDS = re.compile(r"\w(?:\.\w)+(?!\w)")
_LONGEST_DOTTED = 12
_MIN_CLAUSE_TERMS = 2
_LONGEST_SENTENCE = 2_000


@dataclass(slots=True)
class Sentence:
    """A sentence at `start` to `end` of a draft, with the sources it cites by place."""

    start: int
    end: int
    kind: LineKind
    cited: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    _places: list[int] = field(default_factory=list[int])

    def cite(self, text: str, at: int, numbers: Sequence[int]) -> None:
        """Add the sources of a marker, each once a place.

        A place that only a comma parts from another one is the same: `[1], [2]` is one marker.
        """
        i = bisect_left(self._places, at)
        # Of all places, only the nearest can be parted from this one by nothing else.
        for place in self._places[max(0, i - 1) : i + 1]:
            if not text[min(place, at) : max(place, at)].strip(_LIST_MARKS):
                at = place
                break
        if at not in self.cited:
            insort(self._places, at)
        known = self.cited.setdefault(at, [])
        known += [n for n in numbers if n not in known]


@dataclass(frozen=True, slots=True)
class Outline:
    """The sentences of an answer. `removed` counts markers that stood by no sentence."""

    text: str
    sentences: tuple[Sentence, ...]
    removed: int


def read_outline(draft: Draft) -> Outline:
    """Find the sentences of a draft and give each marker to the one it belongs to.

    A marker behind a full stop belongs to the sentence before it, one that opens a line or stands
    alone on it to the nearest sentence. Its place becomes the one before the punctuation.
    """
    code = code_spans(draft.text)
    lines = lines_of(draft.text)
    by_line = [list(_sentences(draft.text, line, code)) for line in lines]
    removed = 0
    for anchor in draft.anchors:
        at = next((end for start, end in code if start < anchor.at < end), anchor.at)
        found = _place(draft.text, at, lines, by_line)
        if found is None:
            removed += len(anchor.numbers)
        else:
            sentence, place = found
            sentence.cite(draft.text, place, anchor.numbers)
    return Outline(draft.text, tuple(s for group in by_line for s in group), removed)


def marker_place(text: str, sentence: Sentence, at: int) -> int:
    """Return the place of a marker that was set at `at`: before the punctuation that ends there."""
    if not text[at : sentence.end].strip(_INNER_MARKS + _END_MARKS + _BLANKS):
        at = max(at, sentence.end)
    place = at
    marks = _INNER_MARKS + _END_MARKS if at >= sentence.end else _INNER_MARKS
    while place > sentence.start and text[place - 1] in marks:
        place -= 1
    if at >= sentence.end and text[place:at] == "." and _is_dotted(text, place):
        return at
    while place > sentence.start and text[place - 1] in _BLANKS:
        place -= 1
    return place if place > sentence.start else at


def clauses(text: str, sentence: Sentence) -> list[tuple[int, str]]:
    """Return the text that each marker of a sentence answers for, by its place, in order.

    A marker inside a sentence answers for what stands between the one before and itself, the last
    one also for what follows; one with too little of its own answers for the whole sentence.
    """
    places = sorted(sentence.cited)
    found: list[tuple[int, str]] = []
    begin = sentence.start
    for place in places:
        end = sentence.end if place == places[-1] else place
        clause = text[begin:end]
        if len(terms(clause)) < _MIN_CLAUSE_TERMS:
            clause = _around(text, sentence, place)
        found.append((place, clause))
        begin = place
    return found


def _around(text: str, sentence: Sentence, place: int) -> str:
    """Return the whole sentence; of one that is no sentence any more, the stretch of the place."""
    if sentence.end - sentence.start <= _LONGEST_SENTENCE:
        return text[sentence.start : sentence.end]
    begin = place - (place - sentence.start) % _LONGEST_SENTENCE
    return text[begin : min(begin + _LONGEST_SENTENCE, sentence.end)]


def _sentences(text: str, line: Line, code: Sequence[Span]) -> Iterator[Sentence]:
    if line.kind is LineKind.BLANK:
        return
    body = text[line.body : line.end]
    if line.kind is not LineKind.TEXT:
        if body.strip():
            begin = line.body + len(body) - len(body.lstrip())
            yield Sentence(begin, line.body + len(body.rstrip()), line.kind)
        return
    masked = body.translate(_EMPHASIS)
    for i in range(bisect_left(code, (line.body, 0)), len(code)):
        start, end = code[i]
        if start >= line.end:
            break
        if end <= line.end:
            here = slice(start - line.body, end - line.body)
            masked = masked[: here.start] + "x" * (end - start) + masked[here.stop :]
    for start, end in sentence_spans(masked):
        if any(char.isalnum() for char in masked[start:end]):
            yield Sentence(line.body + start, line.body + end, line.kind)


def _place(
    text: str, at: int, lines: Sequence[Line], by_line: Sequence[Sequence[Sentence]]
) -> tuple[Sentence, int] | None:
    index = bisect_left(lines, at, key=lambda line: line.end)
    here = by_line[index] if index < len(lines) and lines[index].start <= at else ()
    if not here:
        before = [group for group in by_line[:index] if group]
        if not before:
            return None
        return before[-1][-1], marker_place(text, before[-1][-1], before[-1][-1].end)
    for i in range(bisect_left(here, at, key=lambda s: s.start) - 1, -1, -1):
        if not _ONLY_OPENING.fullmatch(text, here[i].start, at):
            return here[i], marker_place(text, here[i], min(at, here[i].end))
    if here[0].kind is LineKind.REFERENCE:
        return here[0], here[0].start
    if here[0].kind is LineKind.TABLE:
        return here[0], min(max(at, here[0].start), here[0].end)
    return here[0], marker_place(text, here[0], here[0].end)


def _is_dotted(text: str, end: int) -> bool:
    """Say whether the word that ends at `end` is an abbreviation with a point inside: `U.S`."""
    return _DOTTED_BACKWARDS.match(text[max(0, end - _LONGEST_DOTTED) : end][::-1]) is not None
