"""The citation check: every sentence of an answer, with its markers, against the evidence.

Pure: the same answer and extracts give the same result, and checking a checked answer changes nothing.
Text outside of markers and link targets stays as it was, code stays whole.
"""

from __future__ import annotations

import re
from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from askance.citations.check.grading import Match
from askance.citations.check.support import SupportIndex, attribute, is_claim, is_fragment, settle
from askance.citations.markdown.answer_markers import (
    Composed,
    UnmarkedAnswer,
    lift_markers,
    set_markers,
)
from askance.citations.markdown.grammar import LineKind, MarkdownLine, code_spans, lines_of, markers
from askance.citations.markdown.marker_context import BLANKS, marker_runs
from askance.citations.markdown.marker_forms import Span
from askance.citations.markdown.safe_markdown import own_links_only
from askance.domain.evidence import Citation, Extract, Support
from askance.text.languages.recognition import plain_language, recognise, recognise_beside
from askance.text.languages.sentences import sentence_spans
from askance.text.ranking.index_terms import terms

_MARKER = re.compile(r"\[[\d, ]+\]")
_END_MARKS = ".!?…。！？｡"
_INNER_MARKS = ",;:、\uff0c\uff1b\uff1a"
_LIST_MARKS = ",; \t"
_EMPHASIS = str.maketrans("*_~`", '""""')
_ONLY_OPENING = re.compile(r"[\s*_~`\"'“‘«(\[{>|-]*")
# Read from its end: from its beginning, every letter of a long one could be the first.
_DOTTED_BACKWARDS = re.compile(r"\w(?:\.\w)+(?!\w)")
_LONGEST_DOTTED = 12
_LONGEST_TERM = 100
_MIN_CLAUSE_TERMS = 2
_LONGEST_SENTENCE = 2_000
_READINGS = 5
"""After so many readings a tangle of brackets is left as it is."""


@dataclass(frozen=True, slots=True)
class Checked:
    """An answer whose markers have been checked.

    `citations` holds one for each `[n]` in `text`, in order, those of a list of references
    excepted. `added` markers were set by the check, `removed` ones named no source, `moved` ones
    now name the source that carries their sentence. `undecided` are the places in `citations` of those
    that words alone cannot decide (see `SupportIndex.is_open`). `alternatives` are, for such places and others in
    doubt, what a citation would be if it named the source that has more of its sentence, in another language.
    """

    text: str
    citations: tuple[Citation, ...]
    added: int
    removed: int
    moved: int
    undecided: tuple[int, ...] = ()
    alternatives: Mapping[int, Citation] = field(default_factory=dict[int, Citation])


def check_citations(
    answer: str,
    extracts: Sequence[Extract],
    *,
    titles: Mapping[int, str] | None = None,
    urls: Collection[str] = (),
    wordings: Sequence[str] = (),
) -> Checked:
    """Check an answer's markers against the numbered texts that its writer saw.

    `titles` maps source numbers to page titles: a name that only the title has is not missing.
    `urls` are the addresses of the sources: no link leads elsewhere. `wordings` are the question and
    what it was searched as: they tell what the words of one language are in another.

    A marker out of range is removed. One whose source does not carry its sentence moves to a source
    that clearly does; where there is none it stays, graded weak or unsupported. A sentence without
    a marker gets one where its source is clear. Markers end up as `[n]` before the punctuation.
    """
    # Without its links, since it has none when it is checked again: their addresses are of no language.
    answer = own_links_only(answer, urls, calls=True)
    known = frozenset(extract.n for extract in extracts)
    # Without its markers: `[Source 1]` is English in an answer of any language.
    words = _MARKER.sub("", lift_markers(answer, known).text)
    asked = recognise(wordings[0]) if wordings else ""
    spoken = recognise_beside(words, asked) if asked else recognise(words)
    evidence = SupportIndex(extracts, titles or {}, spoken, wordings)
    checked = _check(answer, evidence)
    removed = checked.removed
    # A fixed point, so that to check a checked answer changes nothing.
    for _ in range(_READINGS):
        # Taking a marker out may have joined what was apart.
        if (text := own_links_only(checked.text, urls, calls=True)) == checked.text:
            break
        checked = _check(text, evidence)
        removed += checked.removed
    return replace(checked, removed=removed)


@dataclass(slots=True)
class CitedSentence:
    """A sentence at `start` to `end` of a draft, with the sources it cites by place.

    `matches` are its markers after the check; `added` says that the check set them.
    """

    start: int
    end: int
    kind: LineKind
    cited: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    matches: dict[int, tuple[Match, ...]] = field(default_factory=dict[int, tuple[Match, ...]])
    added: bool = False
    _places: list[int] = field(default_factory=list[int])

    @property
    def numbers(self) -> set[int]:
        """The sources that it names after the check."""
        return {match.n for matches in self.matches.values() for match in matches}

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
    """The sentences of an answer. `removed` counts markers of no source, and those that stood by no sentence."""

    text: str
    sentences: tuple[CitedSentence, ...]
    removed: int

    def claim(self, sentence: CitedSentence) -> str:
        """Return the text of a sentence."""
        return self.text[sentence.start : sentence.end]

    def composed(self) -> Composed:
        """Return the text with the markers that the check leaves."""
        return set_markers(self.text, self.placed())

    def placed(self) -> dict[int, list[int]]:
        """Return the sources that the markers name after the check, by place."""
        return {
            place: [match.n for match in matches]
            for sentence in self.sentences
            for place, matches in sentence.matches.items()
        }


def read_outline(draft: UnmarkedAnswer) -> Outline:
    """Find the sentences of a draft and give each marker to the one it belongs to.

    A marker behind a full stop belongs to the sentence before it, one that opens a line or stands
    alone on it to the nearest sentence. Its place becomes the one before the punctuation.
    """
    code = code_spans(draft.text)
    lines = lines_of(draft.text)
    spoken = plain_language(draft.text)
    by_line = [list(_sentences(draft.text, line, code, spoken)) for line in lines]
    removed = draft.removed
    for anchor in draft.anchors:
        # A marker that stood inside of code belongs behind it: code stays whole.
        at = next((end for start, end in code if start < anchor.at < end), anchor.at)
        found = _place(draft.text, at, lines, by_line)
        if found is None:
            removed += len(anchor.numbers)
        else:
            sentence, place = found
            sentence.cite(draft.text, place, anchor.numbers)
    return Outline(draft.text, tuple(s for group in by_line for s in group), removed)


def marker_place(text: str, sentence: CitedSentence, at: int) -> int:
    """Return the place of a marker that was set at `at`: before the punctuation that ends there."""
    if not text[at : sentence.end].strip(_INNER_MARKS + _END_MARKS + BLANKS):
        at = max(at, sentence.end)
    place = at
    # Inside a sentence a point is an abbreviation's, or one of a number's.
    marks = _INNER_MARKS + _END_MARKS if at >= sentence.end else _INNER_MARKS
    while place > sentence.start and text[place - 1] in marks:
        place -= 1
    # The point of an abbreviation is a part of its word: the marker stands behind it.
    if at >= sentence.end and text[place:at] == "." and _is_dotted(text, place):
        return at
    while place > sentence.start and text[place - 1] in BLANKS:
        place -= 1
    return place if place > sentence.start else at


def clauses(text: str, sentence: CitedSentence) -> list[tuple[int, str]]:
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
        # Two markers side by side leave the second one nothing: it stands for the whole sentence
        # then.
        if len(terms(clause)) < _MIN_CLAUSE_TERMS:
            clause = _around(text, sentence, place)
        found.append((place, clause))
        begin = place
    return found


def _check(answer: str, evidence: SupportIndex) -> Checked:
    outline = _outline(answer, evidence.numbers)
    moved = _settle_cited(evidence, outline)
    removed = outline.removed + _remove_copied(evidence, outline)
    added = _add_missing(evidence, outline)
    composed = outline.composed()
    # The check writes no marker that it would not read: it would be text to every reader behind it.
    if unread := _unread(composed, outline.placed(), evidence.numbers):
        for sentence in outline.sentences:
            for place in unread.intersection(sentence.matches):
                added -= sentence.added
                del sentence.matches[place]
        composed = outline.composed()
    cited = [
        (citation, match, outline.claim(sentence))
        for sentence in outline.sentences
        for citation, match in _citations(sentence, composed)
    ]
    others = (evidence.alternative(sentence, match) for _, match, sentence in cited)
    return Checked(
        text=composed.text,
        citations=tuple(citation for citation, _, _ in cited),
        added=added,
        removed=removed,
        moved=moved,
        undecided=tuple(
            i for i, (_, match, claim) in enumerate(cited) if evidence.is_open(claim, match)
        ),
        alternatives={
            i: _naming(cited[i][0], other) for i, other in enumerate(others) if other is not None
        },
    )


def _unread(
    composed: Composed, placed: Mapping[int, Sequence[int]], known: frozenset[int]
) -> set[int]:
    """Return the places at which markers that are set would be none: in mathematics, in a record."""
    runs = marker_runs(composed.text, known, code_spans(composed.text))
    begins = sorted(form.start for run in runs for form in run.forms)
    return {
        place
        for place, numbers in placed.items()
        if bisect_left(begins, composed.place(place))
        - bisect_left(begins, composed.place(place, with_marker=True))
        < len(numbers)
    }


def _outline(answer: str, known: frozenset[int]) -> Outline:
    """Read an answer until its markers stay where they are set, and count those removed.

    Once is enough for what models write. In a tangle of brackets a marker that was set can read as
    part of another construct, and then it is read again.
    """
    outline = read_outline(lift_markers(answer, known))
    removed = outline.removed
    for _ in range(_READINGS):
        cited = {at: ns for sentence in outline.sentences for at, ns in sentence.cited.items()}
        composed = set_markers(outline.text, cited)
        unread = _unread(composed, cited, known)
        for sentence in outline.sentences if unread else ():
            for place in unread.intersection(sentence.cited):
                removed += len(sentence.cited.pop(place))
        if unread:
            readable = {at: ns for at, ns in cited.items() if at not in unread}
            composed = set_markers(outline.text, readable)
        if composed.text == answer:
            break
        answer = composed.text
        outline = read_outline(lift_markers(answer, known))
        removed += outline.removed
    return replace(outline, removed=removed)


def _settle_cited(evidence: SupportIndex, outline: Outline) -> int:
    moved = 0
    before: set[int] = set()
    for sentence in outline.sentences:
        # A list of sources states nothing that could be carried.
        if sentence.kind is LineKind.REFERENCE:
            for place, cited in sentence.cited.items():
                sentence.matches[place] = tuple(Match.none(n) for n in cited)
            continue
        for place, claim in clauses(outline.text, sentence):
            settled = settle(evidence, claim, sentence.cited[place], before)
            sentence.matches[place] = settled.matches
            moved += settled.moved
        # A sentence without a marker goes on with the sources of the last one that has some.
        before = sentence.numbers or before
    return moved


def _remove_copied(evidence: SupportIndex, outline: Outline) -> int:
    """Remove markers that were copied from a page with its sentence: `[Note 3]` is the page's third note."""
    removed = 0
    for sentence in outline.sentences if len(evidence.numbers) > 1 else ():
        # A copied sentence has a marker of its own beside the page's: the places of those, by their quotes.
        carrying = defaultdict[str, set[int]](set)
        for place, matches in sentence.matches.items():
            for match in matches:
                if match.support is Support.SUPPORTED:
                    carrying[match.quote].add(place)
        copied = defaultdict[tuple[str, int], set[int]](set)
        for quote, places in carrying.items():
            draft = lift_markers(quote, evidence.numbers)
            for anchor in draft.anchors:
                for n in anchor.numbers:
                    copied[_last_term(draft.text, anchor.at), n] |= places
        for place, cited in sentence.cited.items() if copied else ():
            before = _last_term(outline.text, place)
            if all(copied.get((before, n), set[int]()) - {place} for n in cited):
                removed += len(sentence.matches.pop(place))
    return removed


def _last_term(text: str, end: int) -> str:
    return next(reversed(terms(text[max(0, end - _LONGEST_TERM) : end])), "")


def _add_missing(evidence: SupportIndex, outline: Outline) -> int:
    """Cite the clear source of sentences without a marker, fragments last: they lean on the rest."""
    added = 0
    fragments: list[int] = []
    for i, sentence in enumerate(outline.sentences):
        claim = outline.claim(sentence)
        if sentence.matches or sentence.kind is not LineKind.TEXT or not is_claim(claim):
            continue
        if is_fragment(evidence.read(claim)):
            fragments.append(i)
        else:
            around = outline.sentences[max(0, i - 1) : i + 2]
            added += _add(evidence, outline, sentence, [each.numbers for each in around])
    # By the marks before any fragment got one: otherwise the first would draw the others after it.
    leaning = set(fragments)
    anchored = [
        set[int]() if i in leaning else sentence.numbers
        for i, sentence in enumerate(outline.sentences)
    ]
    for i in fragments:
        added += _add(evidence, outline, outline.sentences[i], anchored[max(0, i - 1) : i + 2])
    return added


def _add(
    evidence: SupportIndex,
    outline: Outline,
    sentence: CitedSentence,
    around: Sequence[set[int]],
) -> bool:
    match = attribute(evidence, outline.claim(sentence), set[int]().union(*around))
    if match is None:
        return False
    place = marker_place(outline.text, sentence, sentence.end)
    sentence.matches[place] = (match,)
    sentence.added = True
    return True


def _citations(sentence: CitedSentence, composed: Composed) -> list[tuple[Citation, Match]]:
    if sentence.kind is LineKind.REFERENCE:
        return []
    # A marker may stand where its sentence begins: the sentence then begins behind it.
    start = composed.place(sentence.start, with_marker=sentence.start in sentence.matches)
    end = composed.place(sentence.end)
    text = composed.text[start:end]
    # All but what the match says is the same for each of its markers.
    citation = Citation(0, text, start, end, Support.UNSUPPORTED, added=sentence.added)
    found: list[tuple[Citation, Match]] = []
    for place in sorted(sentence.matches):
        matches = sentence.matches[place]
        alone = {m.n for m in matches if m.support is Support.SUPPORTED and not m.is_joint}
        for match in matches:
            beside = tuple(sorted(alone - {match.n})) if match.n in alone else ()
            found.append((replace(_naming(citation, match), beside=beside), match))
    return found


def _naming(citation: Citation, match: Match) -> Citation:
    return replace(
        citation,
        n=match.n,
        support=match.support,
        quote=match.quote,
        quote_offset=match.quote_offset,
    )


def _around(text: str, sentence: CitedSentence, place: int) -> str:
    """Return the whole sentence; of one that is no sentence any more, the stretch of the place."""
    if sentence.end - sentence.start <= _LONGEST_SENTENCE:
        return text[sentence.start : sentence.end]
    begin = place - (place - sentence.start) % _LONGEST_SENTENCE
    return text[begin : min(begin + _LONGEST_SENTENCE, sentence.end)]


def _sentences(
    text: str, line: MarkdownLine, code: Sequence[Span], spoken: str
) -> Iterator[CitedSentence]:
    if line.kind is LineKind.BLANK:
        return
    body = text[line.body : line.end]
    if line.kind is not LineKind.TEXT:
        if body.strip():
            begin = line.body + len(body) - len(body.lstrip())
            yield CitedSentence(begin, line.body + len(body.rstrip()), line.kind)
        return
    # One character for one, so that places stay: a quotation mark may close a sentence, as emphasis
    # does.
    masked = body.translate(_EMPHASIS)
    # Code counts as one word: a point in it ends no sentence.
    for i in range(bisect_left(code, (line.body, 0)), len(code)):
        start, end = code[i]
        if start >= line.end:
            break
        if end <= line.end:
            here = slice(start - line.body, end - line.body)
            masked = masked[: here.start] + "x" * (end - start) + masked[here.stop :]
    for start, end in sentence_spans(masked, spoken):
        if any(char.isalnum() for char in masked[start:end]):
            yield CitedSentence(line.body + start, line.body + end, line.kind)


def _place(
    text: str, at: int, lines: Sequence[MarkdownLine], by_line: Sequence[Sequence[CitedSentence]]
) -> tuple[CitedSentence, int] | None:
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
    # A slice, reversed: what precedes it is never read, however long the line is.
    return _DOTTED_BACKWARDS.match(text[max(0, end - _LONGEST_DOTTED) : end][::-1]) is not None


# What verification by meaning is asked about a checked answer, and what its reply changes.


@dataclass(frozen=True, slots=True)
class DoubtfulSentence:
    """A sentence of which words cannot decide whether a source states it.

    `place` is that of its marker in the citations. `citation` is that one, or what it would be if the
    marker named another source, which words hold more of the sentence.
    """

    place: int
    citation: Citation


def doubts(checked: Checked) -> list[DoubtfulSentence]:
    """Return what is in doubt, in the order of the answer: the cited source first, then the other one.

    Of a sentence that two sources of another language seem to state alike, words do not tell which does.
    """
    found: list[DoubtfulSentence] = []
    for place, citation in enumerate(checked.citations):
        is_even = place in checked.alternatives and citation.support is Support.SUPPORTED
        if place in checked.undecided or is_even:
            found.append(DoubtfulSentence(place, citation))
        if place in checked.alternatives:
            found.append(DoubtfulSentence(place, checked.alternatives[place]))
    return found


def settled(checked: Checked, stated: Collection[DoubtfulSentence]) -> Checked:
    """Return an answer after its doubts were looked into. `stated` are those that turned out to be stated.

    Their citations are supported; no other is lowered. A marker moves to the other source where the cited one
    does not state its sentence.
    """
    changed: dict[int, Citation] = {}
    for doubt in stated:
        # The cited source comes first: if both state the sentence, its marker stays.
        changed.setdefault(doubt.place, replace(doubt.citation, support=Support.SUPPORTED))
    moved = sum(changed[i].n != checked.citations[i].n for i in changed)
    text, citations = _renumbered(checked, changed)
    return replace(
        checked,
        text=text,
        citations=citations,
        moved=checked.moved + moved,
        undecided=(),
        alternatives={},
    )


def _renumbered(
    checked: Checked, changed: Mapping[int, Citation]
) -> tuple[str, tuple[Citation, ...]]:
    """Write the changed numbers into the text, and shift what stands behind them."""
    pieces: list[str] = []
    shifts: list[tuple[int, int]] = []
    done = 0
    for place, (start, end) in _markers(checked):
        number = f"[{changed[place].n}]" if place in changed else checked.text[start:end]
        pieces += [checked.text[done:start], number]
        shifts.append((end, len(number) - (end - start)))
        done = end
    text = "".join([*pieces, checked.text[done:]])

    def shifted(at: int) -> int:
        return at + sum(by for end, by in shifts if end <= at)

    citations: list[Citation] = []
    for place, citation in enumerate(checked.citations):
        start, end = shifted(citation.start), shifted(citation.end)
        new = changed.get(place, citation)
        citations.append(replace(new, start=start, end=end, sentence=text[start:end]))
    return text, tuple(citations)


def _markers(checked: Checked) -> Iterator[tuple[int, tuple[int, int]]]:
    """Find the markers of the citations in the text, each with its place among them."""
    # One iterator for all: markers and citations stand in one order, so each is looked at once.
    found = iter(markers(checked.text, {citation.n for citation in checked.citations}))
    for place, citation in enumerate(checked.citations):
        for marker in found:
            if marker.n == citation.n and citation.start <= marker.start < citation.end:
                yield place, (marker.start, marker.end)
                break
