"""What two languages have in common: numbers, names by their sound, words that both have, and the question.

A sentence is compared with a source of another language by what can be compared at all. The rest of its
words says nothing for it and nothing against it.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from askance.citations.facts import Background, Facts, Number, Statement, carries, spelled_values
from askance.citations.grading import Claim, CrossLanguageScore
from askance.domain.evidence import Extract
from askance.text.languages.language import language
from askance.text.languages.names import capitalised
from askance.text.languages.phonetics import (
    COGNATE,
    SAME,
    KnownWord,
    SoundScript,
    han_likeness,
    likeness,
    near,
    romanised,
    script_of,
    sounds,
    spelling,
    syllables,
)
from askance.text.languages.scripts import CJK_RUN, MARKS, fold
from askance.text.ranking.tokens import terms

MOST_STRANGE = 1
"""A sentence may have so many more names that sound like nothing in the evidence than names that do."""
_STRANGE_NAME = 0.6
"""What a name costs that sounds like nothing in the quote: many are translated."""
_QUESTION_POINTS = 3.0
"""What a sentence is worth that says all of the question, in a quote that does."""
_MUCH_OF_QUESTION = 0.4
"""A statement that says so much of the question may well answer it."""
_ASKED = 0.2
"""From so much of the question on it counts as something that both have."""
_SMALL_NUMBER, _SMALL_NUMBER_SHARE = 13, 0.6
"""Numbers below this stand in every other sentence."""
_ELSEWHERE_SHARE = 0.5
"""What a name is worth that stands in the title alone."""

_FEWEST_STATEMENTS = 24
"""Which words are rare is not known from fewer."""
_LONGEST_WORD = 40
_SYLLABLES = (2, 6)

_POSSESSIVE = re.compile(r"['’]s?$")
_WORD = re.compile(rf"[^\W\d_](?:[^\W\d_]|[{MARKS}'’])*")


@dataclass(frozen=True, slots=True)
class Wording:
    """What the question was called in one language."""

    code: str
    stems: frozenset[str]

    @classmethod
    def of(cls, text: str, code: str) -> Wording:
        """Read a wording in its language."""
        idle = {s for word in language(code).question_words for s in terms(word, code)}
        return cls(code, frozenset(terms(text, code)) - idle)


@dataclass(frozen=True, slots=True)
class _Anchor:
    """Something of a sentence that another language would have too, and where it is: points by statement.

    `in_title` are the extracts whose title or heading has it. A name without any place is strange.
    """

    places: Mapping[int, float]
    in_title: Mapping[int, float]
    name: str = ""


@dataclass(frozen=True, slots=True)
class _SentenceFeatures:
    """A sentence as it is compared with one of another language."""

    facts: Facts
    numbers: tuple[Number, ...]
    anchors: tuple[_Anchor, ...]
    strange: int
    question: float


class CrossLanguageMatcher:
    """The statements of one language, ready to be compared with sentences of others.

    `extracts` are those of that language by their index, None for others; `titles` stand over them.
    """

    def __init__(
        self,
        code: str,
        extracts: Sequence[Extract | None],
        titles: Sequence[str],
        statements: Sequence[Statement],
        backgrounds: Sequence[Background],
        wordings: Sequence[Wording],
    ) -> None:
        self._code = code
        self._extracts = extracts
        self._statements = statements
        self._backgrounds = backgrounds
        self._wordings = wordings
        self._words: dict[str, KnownWord] = {}
        self._by_sound: dict[str, set[str]] = defaultdict(set)
        self._values: dict[float, set[int]] = defaultdict(set)
        self._spelled: dict[int, frozenset[float]] = {}
        self._frequency: dict[str, int] = defaultdict(int)
        for i, statement in enumerate(statements):
            if extract := extracts[statement.extract]:
                self._index(i, extract.text[statement.start : statement.end])
        for i, title in enumerate(titles):
            if extracts[i]:
                self._learn(title, i, in_title=True)

    def analyse(self, claim: Claim) -> _SentenceFeatures:
        """Read a sentence of another language."""
        text, code = claim.text, claim.code
        digits = _in_digits(claim)
        anchors = [self._anchor_of(number.readings) for number in digits]
        anchors += [self._anchor_of({value}) for value in sorted(spelled_values(text, code))]
        named = {word for name in capitalised(text, code) for word in _words(name, code)}
        strange = 0
        for word, stem in sorted(set(_words(text, code))):
            anchor = self._listen(word, stem, is_name=(word, stem) in named)
            anchors += [anchor] if anchor else []
            strange += (word, stem) in named and anchor is None
        anchors += self._han_names(text)
        asked = self._of_question(claim.facts, code)
        return _SentenceFeatures(claim.facts, digits, tuple(anchors), strange, asked)

    def has_numbers(self, claim: Claim, n: int) -> bool:
        """Say whether a source has all numbers that a sentence writes in digits."""
        places = [i for i in self._spelled if self._source(i) == n]
        numbers = [
            number
            for i in places
            for number in (
                *self._statements[i].facts.numbers,
                *self._backgrounds[self._statements[i].extract].numbers,
            )
        ]
        spelled = frozenset[float]().union(*(self._spelled[i] for i in places))
        return all(
            carries(numbers, number) or not spelled.isdisjoint(number.readings)
            for number in _in_digits(claim)
        )

    def grade(
        self, features: _SentenceFeatures, window: Sequence[int], core: int, around: Sequence[int]
    ) -> CrossLanguageScore:
        """Say what statements hold of a sentence.

        `core` is the one that they were found by, `around` are they and those beside them.
        """
        extract = self._statements[window[0]].extract
        own, lacking, names, known, count = 0.0, 0.0, list[str](), 0, 0
        for anchor in features.anchors:
            points = max((anchor.places.get(i, 0.0) for i in window), default=0.0)
            points = points or anchor.in_title.get(extract, 0.0)
            own += points
            count += bool(points)
            known += bool(anchor.name and points)
            if not points and anchor.name and not any(i in anchor.places for i in around):
                names.append(anchor.name)
                lacking += _STRANGE_NAME
        lacking += _STRANGE_NAME * features.strange
        asked = features.question * self._share_of_question(window)
        points = own + _QUESTION_POINTS * asked
        return CrossLanguageScore(
            points=points,
            own=own,
            count=count + (asked >= _ASKED),
            share=points / (points + lacking) if points else 0.0,
            numbers=tuple(n for n in features.numbers if not self._has(n, window, extract)),
            names=tuple(names),
            strange=features.strange > known + MOST_STRANGE,
            denied=features.facts.negated != self._statements[core].facts.negated,
        )

    def answering(self) -> list[int]:
        """Return the statements that say much of the question, the one that says most first."""
        shares = sorted((-self._share_of_question((i,)), i) for i in self._spelled)
        return [i for share, i in shares if -share >= _MUCH_OF_QUESTION]

    def share_covered(self, n: int) -> float:
        """Return the share of the question that one statement of a source says, 0 to 1."""
        shares = (self._share_of_question((i,)) for i in self._spelled if self._source(i) == n)
        return max(shares, default=0.0)

    def candidates(self, features: _SentenceFeatures) -> dict[int, float]:
        """Return the statements that have something of a sentence, with the points of each."""
        found: dict[int, float] = defaultdict(float)
        for anchor in features.anchors:
            for i, points in anchor.places.items():
                found[i] += points
        if features.question:
            for i in self._spelled:
                if share := self._share_of_question((i,)):
                    found[i] += _QUESTION_POINTS * features.question * share
        return found

    def _index(self, i: int, text: str) -> None:
        facts = self._statements[i].facts
        self._learn(text, i, in_title=False)
        self._spelled[i] = spelled_values(text, self._code)
        for value in self._spelled[i].union(*(number.readings for number in facts.numbers)):
            self._values[value].add(i)
        for stem in facts.stems:
            self._frequency[stem] += 1

    def _source(self, i: int) -> int:
        extract = self._extracts[self._statements[i].extract]
        return extract.n if extract else 0

    def _learn(self, text: str, place: int, *, in_title: bool) -> None:
        for match in _WORD.finditer(text):
            written = _POSSESSIVE.sub("", match[0])
            word = fold(language(self._code).bare(written).strip("'’"))
            if not _is_significant(word, written, language(self._code).stop_words):
                continue
            known = self._words.get(word)
            if known is None:
                known = KnownWord(romanised(word), script_of(word), set(), set())
                self._words[word] = known
                self._by_sound[spelling(known.roman)].add(word)
                for sound in sounds(known.roman, known.script):
                    for key in near(sound):
                        self._by_sound[key].add(word)
            (known.titles if in_title else known.places).add(place)
            # The first word of a sentence has its capital in any case.
            is_large = written[0].isupper() and (in_title or match.start() > 0)
            known.is_name = known.is_name or is_large or known.script is not SoundScript.LATIN

    def _listen(self, word: str, stem: str, *, is_name: bool) -> _Anchor | None:
        """Find what of the sources sounds like a word or its stem; None if nothing does."""
        script = script_of(word)
        found: dict[str, float] = {word: SAME} if word in self._words else {}
        for roman in {romanised(word), romanised(stem)}:
            own = sounds(roman, script)
            for key in {spelling(roman)}.union(*(near(sound) for sound in own)):
                for other in self._by_sound.get(key, ()):
                    sure = likeness(roman, script, own, self._words[other])
                    found[other] = max(found.get(other, 0.0), sure)
        return self._anchor_at(found, word if is_name else "")

    def _han_names(self, text: str) -> Iterator[_Anchor]:
        """Find names of the sources in the syllables of Chinese text."""
        found: dict[str, float] = {}
        shortest, longest = _SYLLABLES
        for run in CJK_RUN.findall(text):
            pinyin = syllables(run)
            for i in range(len(pinyin)):
                for end in range(i + shortest, min(i + longest, len(pinyin)) + 1):
                    roman = "".join(pinyin[i:end])
                    for sound in sounds(roman, SoundScript.HAN):
                        for other in self._by_sound.get(sound, ()):
                            sure = han_likeness(roman, sound, self._words[other])
                            found[other] = max(found.get(other, 0.0), sure)
        for other, sure in sorted(found.items()):
            anchor = self._anchor_at({other: sure}, "")
            if anchor:
                yield anchor

    def _anchor_at(self, found: Mapping[str, float], name: str) -> _Anchor | None:
        places: dict[int, float] = {}
        titles: dict[int, float] = {}
        by_sound = False
        weights = {word: sure for word, sure in found.items() if sure}
        # Forms of one word are as common as all of them together.
        everywhere = set[int]().union(*(self._words[word].places for word in weights))
        weight = self._weigh(len(everywhere))
        for word, sure in weights.items():
            known = self._words[word]
            points = sure * weight
            by_sound = by_sound or sure > COGNATE
            for i in known.places:
                places[i] = max(places.get(i, 0.0), points)
            for extract in known.titles:
                titles[extract] = max(titles.get(extract, 0.0), _ELSEWHERE_SHARE * points)
        if not places and not titles:
            return None
        return _Anchor(places, titles, name if by_sound else "")

    def _anchor_of(self, readings: Iterable[float]) -> _Anchor:
        places: dict[int, float] = {}
        for value in readings:
            share = _SMALL_NUMBER_SHARE if value < _SMALL_NUMBER else 1.0
            at = self._values.get(value, ())
            for i in at:
                places[i] = max(places.get(i, 0.0), share * self._weigh(len(at)))
        return _Anchor(places, {})

    def _has(self, number: Number, window: Sequence[int], extract: int) -> bool:
        facts = (self._statements[i].facts for i in window)
        known = [n for f in facts for n in f.numbers]
        if carries([*known, *self._backgrounds[extract].numbers], number):
            return True
        return any(not self._spelled[i].isdisjoint(number.readings) for i in window)

    def _of_question(self, facts: Facts, code: str) -> float:
        """The share of the question that a sentence says, 0 to 1."""
        own = [w.stems for w in self._wordings if w.code == code and w.stems]
        return max((len(facts.stems & stems) / len(stems) for stems in own), default=0.0)

    def _share_of_question(self, window: Sequence[int]) -> float:
        """The share of the question, in the language of the statements, that they say, 0 to 1."""
        stems = frozenset[str]().union(*(self._statements[i].facts.stems for i in window))
        shares = [0.0]
        for wording in self._wordings:
            if wording.code == self._code and wording.stems:
                weights = {stem: self._weigh(self._frequency[stem]) for stem in wording.stems}
                covered = math.fsum(weights[stem] for stem in wording.stems & stems)
                shares.append(covered / math.fsum(weights.values()))
        return max(shares)

    def _weigh(self, count: int) -> float:
        """Return how much a word or a number tells that stands in so many statements."""
        statements = max(len(self._spelled), _FEWEST_STATEMENTS)
        return 0.3 + math.log(1 + statements / (count + 0.5))


def _in_digits(claim: Claim) -> tuple[Number, ...]:
    return tuple(
        number
        for number in claim.facts.numbers
        if any(c.isdecimal() for c in claim.text[number.start : number.end])
    )


def _words(text: str, code: str) -> list[tuple[str, str]]:
    """The words of a text and their stems, without those that every sentence has; no Chinese ones."""
    known = language(code)
    found: list[tuple[str, str]] = []
    for match in _WORD.finditer(text):
        bare = known.bare(_POSSESSIVE.sub("", match[0])).strip("'’")
        word = fold(bare)
        if _is_significant(word, match[0], known.stop_words):
            found.append((word, fold(known.stem(bare))))
    return found


def _is_significant(word: str, written: str, stop_words: frozenset[str]) -> bool:
    is_word = 1 < len(word) <= _LONGEST_WORD and not CJK_RUN.match(written)
    return is_word and word not in stop_words
