"""The citation check: every sentence of an answer against the evidence it cites.

Pure: the same answer and extracts give the same result, and checking a checked answer changes
nothing. Text outside of markers and link targets stays as it was, code stays whole.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from askance.citations.addresses import own_links_only
from askance.citations.attribution import attribute, is_claim, is_fragment, settle
from askance.citations.grading import Match
from askance.citations.markers import Composed, lift_markers, set_markers
from askance.citations.markup import LineKind
from askance.citations.outline import Outline, Sentence, clauses, marker_place, read_outline
from askance.citations.witnesses import Evidence
from askance.domain.evidence import Citation, Extract

_READINGS = 5
"""After so many readings a tangle of brackets is left as it is."""


@dataclass(frozen=True, slots=True)
class Checked:
    """An answer whose markers have been checked.

    `citations` holds one for each `[n]` in `text`, in order, those of a list of references
    excepted. `added` markers were set by the check, `removed` ones named no source, `moved` ones
    now name the source that carries their sentence.
    """

    text: str
    citations: tuple[Citation, ...]
    added: int
    removed: int
    moved: int


@dataclass(slots=True)
class _Marks:
    """The markers of one sentence after the check, by place."""

    sentence: Sentence
    matches: dict[int, tuple[Match, ...]] = field(default_factory=dict[int, tuple[Match, ...]])
    added: bool = False

    @property
    def numbers(self) -> set[int]:
        return {match.n for matches in self.matches.values() for match in matches}


def check_citations(
    answer: str,
    extracts: Sequence[Extract],
    *,
    titles: Mapping[int, str] | None = None,
    urls: Collection[str] = (),
) -> Checked:
    """Check an answer's markers against the numbered texts that its writer saw.

    `titles` maps source numbers to page titles: a name that only the title has is not missing.
    `urls` are the addresses of the sources: no link leads elsewhere. A marker out of range is removed. One whose source does not carry its sentence moves to a source
    that clearly does; where there is none it stays, graded weak or unsupported. A sentence without
    a marker gets one where its source is clear. Markers end up as `[n]` before the punctuation.
    """
    evidence = Evidence(extracts, titles or {})
    checked = _check(own_links_only(answer, urls), evidence)
    removed = checked.removed
    for _ in range(_READINGS):
        # Taking a marker out may have joined what was apart.
        if (text := own_links_only(checked.text, urls)) == checked.text:
            break
        checked = _check(text, evidence)
        removed += checked.removed
    return replace(checked, removed=removed)


def _check(answer: str, evidence: Evidence) -> Checked:
    outline, removed = _outline(answer, evidence.numbers)
    marks = [_Marks(sentence) for sentence in outline.sentences]
    moved = _settle_cited(evidence, outline, marks)
    added = _add_missing(evidence, outline, marks)
    placed = {
        place: [match.n for match in matches]
        for mark in marks
        for place, matches in mark.matches.items()
    }
    composed = set_markers(outline.text, placed)
    return Checked(
        text=composed.text,
        citations=tuple(c for mark in marks for c in _citations(mark, composed)),
        added=added,
        removed=removed,
        moved=moved,
    )


def _outline(answer: str, known: frozenset[int]) -> tuple[Outline, int]:
    """Read an answer until its markers stay where they are set, and count those removed.

    Once is enough for what models write. In a tangle of brackets a marker that was set can read as
    part of another construct, and then it is read again.
    """
    outline, removed = _read(answer, known)
    for _ in range(_READINGS):
        cited = {at: ns for sentence in outline.sentences for at, ns in sentence.cited.items()}
        text = set_markers(outline.text, cited).text
        if text == answer:
            break
        answer = text
        outline, more = _read(answer, known)
        removed += more
    return outline, removed


def _read(answer: str, known: frozenset[int]) -> tuple[Outline, int]:
    draft = lift_markers(answer, known)
    outline = read_outline(draft)
    return outline, draft.removed + outline.removed


def _settle_cited(evidence: Evidence, outline: Outline, marks: Sequence[_Marks]) -> int:
    moved = 0
    before: set[int] = set()
    for mark in marks:
        if mark.sentence.kind is LineKind.REFERENCE:
            for place, cited in mark.sentence.cited.items():
                mark.matches[place] = tuple(Match.none(n) for n in cited)
            continue
        for place, claim in clauses(outline.text, mark.sentence):
            settled = settle(evidence, claim, mark.sentence.cited[place], before)
            mark.matches[place] = settled.matches
            moved += settled.moved
        before = mark.numbers or before
    return moved


def _add_missing(evidence: Evidence, outline: Outline, marks: Sequence[_Marks]) -> int:
    """Cite the clear source of sentences without a marker, fragments last: they lean on the rest."""
    added = 0
    fragments: list[int] = []
    for i, mark in enumerate(marks):
        claim = outline.text[mark.sentence.start : mark.sentence.end]
        if mark.matches or mark.sentence.kind is not LineKind.TEXT or not is_claim(claim):
            continue
        if is_fragment(evidence.read(claim)):
            fragments.append(i)
        else:
            added += _add(evidence, outline, marks, i)
    leaning = set(fragments)
    anchored = [set[int]() if i in leaning else mark.numbers for i, mark in enumerate(marks)]
    for i in fragments:
        nearby = set[int]().union(*anchored[max(0, i - 1) : i + 2])
        added += _add(evidence, outline, marks, i, nearby)
    return added


def _add(
    evidence: Evidence,
    outline: Outline,
    marks: Sequence[_Marks],
    i: int,
    nearby: set[int] | None = None,
) -> bool:
    sentence = marks[i].sentence
    if nearby is None:
        nearby = set[int]().union(*(mark.numbers for mark in marks[max(0, i - 1) : i + 2]))
    match = attribute(evidence, outline.text[sentence.start : sentence.end], nearby)
    if match is None:
        return False
    place = marker_place(outline.text, sentence, sentence.end)
    marks[i].matches[place] = (match,)
    marks[i].added = True
    return True


def _citations(mark: _Marks, composed: Composed) -> list[Citation]:
    if mark.sentence.kind is LineKind.REFERENCE:
        return []
    opens = mark.sentence.start in mark.matches
    start = composed.place(mark.sentence.start, with_marker=opens)
    end = composed.place(mark.sentence.end)
    return [
        Citation(
            n=match.n,
            sentence=composed.text[start:end],
            start=start,
            end=end,
            support=match.support,
            quote=match.quote,
            quote_offset=match.quote_offset,
            added=mark.added,
        )
        for place in sorted(mark.matches)
        for match in mark.matches[place]
    ]
