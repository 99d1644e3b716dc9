"""What two languages have in common: numbers, names by their sound, words that both have, and the question."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

from anyascii import anyascii

from askance.citations.check.facts import (
    Background,
    Facts,
    Number,
    Statement,
    carries,
    spelled_values,
)
from askance.citations.check.grading import Claim, CrossLanguageScore
from askance.domain.evidence import Extract
from askance.text.caches import text_cache
from askance.text.languages.language import language
from askance.text.languages.names import capitalised
from askance.text.languages.scripts import ARABIC, CJK_RUN, HAN, HEBREW, MARKS, fold
from askance.text.ranking.index_terms import terms

# How words sound, written in any script, and whether two of them are one word.

_UNVOWELLED = re.compile(f"[{ARABIC}{HEBREW}]")
_HAN = re.compile(f"[{HAN}]")
_SYLLABLE = re.compile(r"[A-Z][a-z]*")
_VOWELS = re.compile("[aeiouyh'’-]")
_TWICE = re.compile(r"(.)\1+")
_SEMIVOWELS = re.compile("[wy]")

# Letters that one language writes where another writes the other.
_ONE_SOUND = str.maketrans("bdgqcvwzj", "ptkkkffss")
# The longest first: `tsch` holds `sch`, which holds `ch`.
_HISSES = (
    ("tsch", "s"), ("dsch", "s"), ("sch", "s"), ("tch", "s"), ("dzh", "s"), ("sh", "s"), ("ch", "s"),
    ("zh", "s"),
)  # fmt: skip
_READ_ALIKE = (
    ("ph", "f"), ("th", "t"), ("gh", "k"), ("kh", "k"), ("ck", "k"), ("ce", "s"), ("ci", "s"),
    ("cy", "s"), ("ge", "s"), ("gi", "s"), ("x", "ks"),
)  # fmt: skip
_HARD = (("ph", "f"), ("x", "ks"), ("ch", "k"))
_ARABIC_SOFT = (("sh", "s"), ("kh", "k"), ("th", "t"), ("gh", "k"))
_ARABIC_HARD = (("j", "g"), ("th", "s"), ("sh", "s"))
_PINYIN = (("zh", "s"), ("ch", "s"), ("sh", "s"), ("x", "s"), ("q", "s"), ("j", "s"), ("r", "l"))
_SHORTEST = 2
_SEMIVOWELS_OR_V = re.compile("[wyv]")


class SoundScript(StrEnum):
    """What a word's letters tell of its sound."""

    LATIN = "latin"
    UNVOWELLED = "unvowelled"
    HAN = "han"
    OTHER = "other"


def script_of(word: str) -> SoundScript:
    """Return what kind of script a word is written in."""
    if word.isascii():
        return SoundScript.LATIN
    if _UNVOWELLED.search(word):
        return SoundScript.UNVOWELLED
    if _HAN.search(word):
        return SoundScript.HAN
    return (
        SoundScript.LATIN
        if any("a" <= c <= "z" or "\u00c0" <= c <= "\u024f" for c in word)
        else SoundScript.OTHER
    )


@text_cache(65_536)
def romanised(word: str) -> str:
    """Return a word in small Latin letters."""
    return word if word.isascii() else anyascii(word).lower()


def syllables(run: str) -> list[str]:
    """Return the syllables of Chinese characters, in small Latin letters."""
    return [syllable.lower() for syllable in _SYLLABLE.findall(anyascii(run))]


@text_cache(65_536)
def sounds(roman: str, script: SoundScript) -> frozenset[str]:
    """Return the consonants of a word as they may sound, in one way or in two.

    `roman` are its Latin letters (`romanised`), `script` is the one that it was written in.
    """
    match script:
        case SoundScript.LATIN:
            ways = [_replaced(roman, _HISSES + _READ_ALIKE), _replaced(roman, _HARD)]
        case SoundScript.UNVOWELLED:
            # A waw that begins a word is a consonant; elsewhere it and yod may be vowels.
            first = roman[:1] if roman[:1] == "w" else ""
            rest = first + _SEMIVOWELS.sub("", roman[len(first) :])
            bare = first + _SEMIVOWELS_OR_V.sub("", roman[len(first) :])
            ways = [_replaced(rest, _ARABIC_SOFT), _replaced(rest, _ARABIC_HARD), bare]
        case SoundScript.HAN:
            # Pinyin spells sounds its own way: `x`, `q` and `zh` are hisses, and foreign `r` is
            # written by `l`.
            syllables = _replaced(roman, _PINYIN)
            ways = [syllables, syllables.replace("ng", "n")]
        case SoundScript.OTHER:
            ways = [_replaced(roman, _HISSES + _READ_ALIKE[:3])]
    keys = (_TWICE.sub(r"\1", _VOWELS.sub("", way.translate(_ONE_SOUND))) for way in ways)
    return frozenset(sound for sound in keys if len(sound) >= _SHORTEST)


@text_cache(65_536)
def phonetic_key(roman: str) -> str:
    """Return a word's Latin letters without differences of spelling alone: `moskof` of `moscow`."""
    return roman.translate(_ONE_SOUND).replace("y", "i")


def _replaced(word: str, pairs: tuple[tuple[str, str], ...]) -> str:
    for found, instead in pairs:
        word = word.replace(found, instead)
    return word


# How sure it is that two words are one: the same letters, a name's sound, a name's short sound, a cognate.
SAME, _NAME, _SHORT_NAME, COGNATE = 1.0, 0.9, 0.6, 0.5
_HAN_SHARE = 0.7
"""Chinese syllables fit many names."""
# How alike two words must be, letter by letter, whose consonants agree (difflib's ratio).
_ALIKE_LATIN, _ALIKE_FOREIGN, _ALIKE_COGNATES, _ALIKE_HAN = 0.8, 0.7, 0.75, 0.6
_SHORTEST_SOUND, _SHORTEST_COGNATE = 3, 4
_SHORTEST_UNVOWELLED, _SHORTEST_NEAR_UNVOWELLED = 4, 6


@dataclass(slots=True)
class KnownWord:
    """A word of the sources: where it stands, and whether it may be a name."""

    roman: str
    script: SoundScript
    places: set[int]
    titles: set[int]
    is_name: bool = False


def likeness(roman: str, script: SoundScript, own: Iterable[str], other: KnownWord) -> float:
    """Return how sure it is that two words are one, 0 to 1. Their consonants agree, up to one."""
    theirs = sounds(other.roman, other.script)
    agreeing = max((len(sound) for sound in own if sound in theirs), default=0)
    longest = max((len(sound) for sound in theirs), default=0)
    # Without vowels short words of one sound are many: more consonants have to agree, and letters
    # cannot.
    if SoundScript.UNVOWELLED in {script, other.script}:
        is_one = agreeing >= _SHORTEST_UNVOWELLED or longest >= _SHORTEST_NEAR_UNVOWELLED
        return _NAME if other.is_name and is_one else 0.0
    is_latin = script is SoundScript.LATIN and other.script is SoundScript.LATIN
    alike = _ratio(roman, other.roman)
    if not is_latin:
        alike = max(alike, _ratio(phonetic_key(roman), phonetic_key(other.roman)))
    if other.is_name and spelling(roman) == spelling(other.roman):
        return _NAME
    enough = _ALIKE_LATIN if is_latin else _ALIKE_FOREIGN
    if other.is_name and longest >= _SHORTEST_SOUND and alike >= enough:
        return _NAME if longest > _SHORTEST_SOUND else _SHORT_NAME
    is_cognate = agreeing >= _SHORTEST_COGNATE and alike >= _ALIKE_COGNATES
    return COGNATE if is_cognate else 0.0


def han_likeness(roman: str, sound: str, other: KnownWord) -> float:
    """Return how sure it is that Chinese syllables are a name of the sources, 0 to 1."""
    if not other.is_name or sound not in sounds(other.roman, other.script):
        return 0.0
    if len(sound) > _SHORTEST_SOUND:
        return _HAN_SHARE * _NAME
    is_one = len(sound) == _SHORTEST_SOUND and _ratio(roman, other.roman) >= _ALIKE_HAN
    return _HAN_SHARE * _SHORT_NAME if is_one else 0.0


@text_cache(65_536)
def _ratio(one: str, other: str) -> float:
    # `autojunk` looks for noise in long texts, and is of no use in words.
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


def spelling(roman: str) -> str:
    """Return what words have in common that are spelled alike in two scripts, however short they are."""
    return "=" + _TWICE.sub(r"\1", roman)


def near(sound: str) -> set[str]:
    """A sound, and those that it is without one of its consonants, if it is long enough to spare one."""
    if len(sound) < _SHORTEST_SOUND:
        return set()
    if len(sound) == _SHORTEST_SOUND:
        return {sound}
    # Both sides leave one out, so that two keys meet where the sounds differ in one consonant: a
    # look-up instead of comparing all pairs.
    return {sound, *(sound[:i] + sound[i + 1 :] for i in range(len(sound)))}


# Statements of one language, compared with sentences of others.

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
        # A source that answers does not say "who" or "when".
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
        # Filled once for all statements: each word of an answer is then a look-up, and not a pass
        # over the evidence.
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
        return all(self._has(number, places) for number in _in_digits(claim))

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
            # What a statement says of the question is one more thing that both have.
            count=count + (asked >= _ASKED),
            share=points / (points + lacking) if points else 0.0,
            numbers=tuple(n for n in features.numbers if not self._has(n, window)),
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
            # Of other scripts than Latin any word may be one: most of them have no capitals.
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
        # Foreign names are written by sound there: each stretch of two to six syllables may be one.
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

    def _has(self, number: Number, places: Sequence[int]) -> bool:
        """Say whether statements, or what stands over them, have a number, in figures or in words."""
        found = [self._statements[i] for i in places]
        known = [n for s in found for n in s.facts.numbers]
        known += [n for i in {s.extract for s in found} for n in self._backgrounds[i].numbers]
        if carries(known, number):
            return True
        return any(not self._spelled[i].isdisjoint(number.readings) for i in places)

    def _of_question(self, facts: Facts, code: str) -> float:
        """The share of the question that a sentence says, 0 to 1."""
        own = [w.stems for w in self._wordings if w.code == code and w.stems]
        return max((len(facts.stems & stems) / len(stems) for stems in own), default=0.0)

    def _share_of_question(self, window: Sequence[int]) -> float:
        """The share of the question, in the language of the statements, that they say, 0 to 1."""
        stems = frozenset[str]().union(*(self._statements[i].facts.stems for i in window))
        # Weighed by the statements: an idle word of the question stands in all of them, and counts
        # little.
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
        # An inverse document frequency over statements; 0.3 leaves something to what stands in all
        # of them.
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
