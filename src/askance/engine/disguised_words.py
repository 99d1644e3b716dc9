"""Finds words in a text that are written there so that a comparison word by word passes over them.

Words are compared by their letters alone, without borders: joined to other letters, parted by blanks, signs or
invisible characters, in look-alikes of another script, doubled, backwards, in Latin letters, and in the
encodings that models know by heart. Every step is linear in the text.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from anyascii import anyascii

from askance.text.languages.scripts import CJK_RUN, ONE_FORM, THAI
from askance.text.ranking.index_terms import stem

# A word is looked for inside of others from so many letters on: shorter ones stand in ordinary words.
SHORTEST = 6
# Two short words in a row, a first name and a surname, count as one of so many letters.
SHORTEST_PAIR = 7
# This share of a word is what its forms have in common; what a language's stemmer leaves counts too.
_STEM_SHARE = 0.7
# Letters that stand across a blank are a coincidence more often: with none of its ends at the border of a
# word, and with one.
_LEAST_ACROSS, _LEAST_FROM_BORDER = 8, 7
# Characters in a row of a script without spaces.
_RUN = 3
# Three letters of Thai are a coincidence where a text is read backwards.
_THAI_ROW = 5
# Vowels that are written before the consonant that they are spoken behind, and behind it.
_THAI_VOWELS_BEFORE, _THAI_VOWELS_BEHIND = (
    (*"\u0e40\u0e41\u0e42\u0e43\u0e44",),
    (*"\u0e30\u0e32\u0e33\u0e45",),
)
_LONGEST_ROMANISED, _SHORTEST_ROMANISED = 8, 8
_KEY = 5
# Possessive: a token without end is read once. Eight signs of Base64 are six letters.
_ENCODED = re.compile(r"[A-Za-z0-9+/_-]{8,}+")
_HEXADECIMAL = re.compile(r"[0-9a-f]{12,}+")
_TOKEN = re.compile(r"\S++")

_TURNED_BY_13 = str.maketrans(
    {c: codecs.encode(c, "rot13") for c in map(chr, range(128)) if c.isalpha()}
)
_LEET_SIGNS = "0134578@$!|€"
# `l` is read as `i` beside this (`_with_one_stroke`): 1, ! and | stand for either.
_LEET = str.maketrans(_LEET_SIGNS, "oieastbasiie")
_IS_THAI = re.compile(f"[{THAI}]")
_HAS_LEET = re.compile(f"[{re.escape(_LEET_SIGNS)}]")
_LOOK_ALIKE = str.maketrans(
    "\u0430\u0432\u0435\u043a\u043c\u043d\u043e\u0440\u0441\u0442\u0443\u0445\u0456\u0458\u0455\u0501\u04bb\u051b\u051d\u03b1\u03b2\u03b5\u03b7\u03b9\u03ba\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7\u03c9\u03b3",
    "abekmhopctyxijsdhqwabenikvoptuxwy",
)


@lru_cache(maxsize=16_384)
def _letters(character: str) -> str:
    """Return what a character counts as: letters and digits without case, accents and script; or nothing."""
    plain = "".join(
        _plain(c)
        for c in unicodedata.normalize("NFKD", character).casefold().translate(ONE_FORM)
        if c.isalnum()
    )
    # 🅰 and 🇦 are symbols to Unicode, and letters to who reads them.
    if not plain and unicodedata.category(character) == "So":
        # Letters in boxes and flags.
        spelled = anyascii(character).lower()
        return spelled if len(spelled) == 1 and spelled.isalpha() else ""
    return plain.translate(_LOOK_ALIKE)


def _plain(character: str) -> str:
    if character.isascii():
        return character
    if unicodedata.category(character) == "Nd":
        return str(unicodedata.digit(character))
    if unicodedata.name(character, "").startswith("LATIN"):
        return anyascii(character).lower()
    return character


@dataclass(frozen=True, slots=True)
class _Spelled:
    """The letters of a text, and the place of the character that each comes from."""

    letters: str
    places: Sequence[int]

    def only(self, retained: Sequence[int]) -> _Spelled:
        """Return some of the letters."""
        return _Spelled(
            "".join(self.letters[i] for i in retained), [self.places[i] for i in retained]
        )

    def once(self) -> _Spelled:
        """Read each letter once that stands twice or more in a row, and leave out all others."""
        letters, padded = self.letters, f" {self.letters} "
        return self.only(
            [i for i, c in enumerate(letters) if padded[i] != c and padded[i + 2] == c]
        )


def _spelled(text: str, letters_of: Callable[[str], str] = _letters) -> _Spelled:
    letters: list[str] = []
    places: list[int] = []
    for i, character in enumerate(text):
        for letter in letters_of(character):
            letters.append(letter)
            places.append(i)
    return _Spelled("".join(letters), places)


def _with_one_stroke(character: str) -> str:
    """Read `l` and `i` as one letter: `1` stands for both."""
    return _letters(character).replace("l", "i")


@lru_cache(maxsize=16_384)
def _romanised(character: str) -> str:
    return "".join(c for c in anyascii(character).lower() if c.isalnum())


def letters_of(text: str) -> str:
    """Return the letters of a text, as they are compared."""
    if text.isascii():  # most words of a long conversation: nothing to be decomposed
        return "".join(filter(str.isalnum, text.lower()))
    return _spelled(text).letters


class _Forms(NamedTuple):
    """A word as it is looked for: its letters, and how many of them its forms begin with. 0 is never found."""

    letters: tuple[str, int]
    with_one_stroke: tuple[str, int] = ("", 0)
    romanised: tuple[str, int] = ("", 0)


@lru_cache(maxsize=16_384)
def _forms_of(word: str, codes: tuple[str, ...]) -> _Forms:
    """Return what to look for, for a word that may be of these languages; a short one is not."""
    whole = letters_of(word)
    if len(whole) < SHORTEST:
        return _Forms((whole, 0))
    # The shorter of both: a stemmer may take off more than three tenths of a word.
    common = max(SHORTEST, math.ceil(_STEM_SHARE * len(whole)))
    stems = (letters_of(stem(word, code)) for code in ("", *codes))
    ends = (len(s) for s in stems if len(s) >= SHORTEST and whole.startswith(s))
    return _written(word, min([common, *ends]))


def _written(word: str, common: int) -> _Forms:
    letters = letters_of(word)
    stroke = letters.replace("l", "i")
    roman = "" if letters.isascii() else _spelled(word, _romanised).letters
    return _Forms(
        (letters, common),
        (stroke, common),
        (roman, max(_KEY, math.ceil(len(roman) * common / len(letters)))),
    )


class _Borders:
    """Where the word of each character of a text begins and ends, parted by blanks."""

    def __init__(self, text: str) -> None:
        self.starts = list(range(len(text)))
        self.ends = list(range(1, len(text) + 1))
        for match in _TOKEN.finditer(text):
            start, end = match.span()
            self.starts[start:end] = [start] * (end - start)
            self.ends[start:end] = [end] * (end - start)


class _Needles:
    """Words to be looked for, each by so many of its first letters as its forms share."""

    def __init__(self, key: int) -> None:
        self._key = key
        self._by_start: dict[str, dict[str, int]] = {}

    def add(self, word: str, common: int) -> None:
        if self._key <= common <= len(word):
            known = self._by_start.setdefault(word[: self._key], {})
            # Several words may have the same letters: the shortest beginning finds the forms of
            # all.
            known[word] = min(common, known.get(word, common))

    def found(self, letters: str) -> Iterator[tuple[int, int]]:
        """Yield where one of them stands, as far as it does."""
        key = self._key
        if not self._by_start:
            return
        # By their first five letters: one look-up a place, however many words are private.
        for i in range(len(letters) - key + 1):
            for word, common in self._by_start.get(letters[i : i + key], {}).items():
                if letters.startswith(word[:common], i):
                    end = common
                    while end < len(word) and letters.startswith(word[end], i + end):
                        end += 1
                    yield i, i + end


class DisguisedWords:
    """Finds words of a text in others. `words` and `pairs` of them are folded; `runs` are of scripts without spaces.

    `codes` are the languages that the words may be of.
    """

    def __init__(
        self,
        words: Iterable[str],
        pairs: Iterable[tuple[str, str]],
        runs: Iterable[str],
        codes: Sequence[str],
    ) -> None:
        self._words, self._romanised = _Needles(_KEY), _Needles(_KEY)
        self._leet, self._runs = _Needles(_KEY), _Needles(_RUN)
        for word in words:
            self._add(_forms_of(word, tuple(codes)))
        for one, other in pairs:
            if len(one) + len(other) >= SHORTEST_PAIR:
                self._add(_written(one + other, len(letters_of(one + other))))
        for run in runs:
            if len(run) == _RUN:
                letters = letters_of(run)
                self._runs.add(letters, len(letters))
            else:
                roman = _spelled(run, _romanised).letters
                self._romanised.add(roman, len(roman))

    def _add(self, forms: _Forms) -> None:
        self._words.add(*forms.letters)
        self._leet.add(*forms.with_one_stroke)
        self._romanised.add(*forms.romanised)

    def find(self, text: str) -> list[tuple[int, int]]:
        """Return the `(start, end)` of what holds one of the words: whole words, of CJK the characters."""
        borders, last = _Borders(text), len(text)
        found = {*self._plainly(text, borders)}
        # Models can be told to write a name backwards; ROT13 and Base64 they know by heart as well.
        mirrored = text[::-1]
        backwards = self._plainly(mirrored, _Borders(mirrored), is_mirrored=True)
        found |= {(last - end, last - start) for start, end in backwards}
        found |= {*self._plainly(text.translate(_TURNED_BY_13), borders)}
        if _HAS_LEET.search(text):
            leet = _spelled(text.translate(_LEET), _with_one_stroke)
            found |= {*_spans(self._leet, leet, borders)}
        return sorted(found | {*self._encoded(text, borders)})

    def _plainly(
        self, text: str, borders: _Borders, *, is_mirrored: bool = False
    ) -> Iterator[tuple[int, int]]:
        spelled = _spelled(text)
        yield from _spans(self._words, spelled, borders)
        for of_runs in (spelled, spelled.once()):
            yield from self._found_runs(text, of_runs, _THAI_ROW if is_mirrored else 0)
        yield from _spans(self._words, spelled.once(), borders)
        yield from _spans(self._romanised, _spelled(text, _romanised), borders)

    def _found_runs(self, text: str, spelled: _Spelled, least: int) -> Iterator[tuple[int, int]]:
        """Yield where a text has private runs; of Thai so many letters in a row at least, and whole syllables."""
        rows: list[list[tuple[int, int]]] = []
        for found in self._runs.found(spelled.letters):
            if rows and found[0] < rows[-1][-1][1]:
                rows[-1].append(found)
            else:
                rows.append([found])
        for row in rows:
            is_long = row[-1][1] - row[0][0] >= least
            for first, behind in row:
                start = spelled.places[first]
                end = _with_marks(text, spelled.places[behind - 1] + 1)
                is_thai = _IS_THAI.search(text, start, end) is not None
                if not is_thai or (is_long and not _cuts_syllables(text, start, end)):
                    yield start, end

    def _encoded(self, text: str, borders: _Borders) -> Iterator[tuple[int, int]]:
        """Yield what is one of the words in Base64 or hexadecimal digits."""
        for match in _ENCODED.finditer(text):
            token = match.group().translate(str.maketrans("-_", "+/"))
            if any(self._holds(decoded) for decoded in _from_base64(token)):
                yield match.span()
        spelled = [(i, c.lower()) for i, c in enumerate(text) if c.isalnum()]
        digits = "".join(c if c.isascii() else " " for _, c in spelled)
        for match in _HEXADECIMAL.finditer(digits):
            if any(self._holds(decoded) for decoded in _from_hexadecimal(match.group())):
                first, last = spelled[match.start()][0], spelled[match.end() - 1][0]
                yield borders.starts[first], borders.ends[last]

    def _holds(self, decoded: bytes) -> bool:
        text = decoded.decode("utf-8", "ignore")
        return any(True for _ in self._plainly(text, _Borders(text)))


def _spans(needles: _Needles, spelled: _Spelled, borders: _Borders) -> Iterator[tuple[int, int]]:
    """Yield the words in which one is found. Across a blank it must be long, or begin or end with a word."""
    starts, last = borders.starts, len(spelled.letters)
    for start, end in needles.found(spelled.letters):
        first, behind = starts[spelled.places[start]], starts[spelled.places[end - 1]]
        if first != behind:
            begins = start == 0 or starts[spelled.places[start - 1]] != first
            ends = end == last or starts[spelled.places[end]] != behind
            length = end - start + (_LEAST_ACROSS - _LEAST_FROM_BORDER) * ends
            # "Van Gend" and "gen de": letters across a blank meet by chance
            # (docs/bench/private-words.md).
            if not begins and length < _LEAST_ACROSS:
                continue
        yield first, borders.ends[spelled.places[end - 1]]


def _with_marks(text: str, end: int) -> int:
    """Return where the marks end that stand behind a character, and the same character once more."""
    end += text[end - 1 : end] == text[end : end + 1]
    while end < len(text) and unicodedata.category(text[end])[0] == "M":
        end += 1
    return end


def _cuts_syllables(text: str, start: int, end: int) -> bool:
    """Say whether a stretch of Thai begins or ends within a syllable: its three letters are a coincidence there."""
    return (
        text[start] in _THAI_VOWELS_BEHIND
        or text[start - 1 : start] in _THAI_VOWELS_BEFORE
        or text[end - 1] in _THAI_VOWELS_BEFORE
        or text[end : end + 1] in _THAI_VOWELS_BEHIND
    )


def _from_base64(token: str) -> Iterator[bytes]:
    # The page may have put up to three signs before the word: then the groups of four begin
    # elsewhere.
    for skipped in range(4):
        whole = token[skipped:]
        whole = whole[: len(whole) - (len(whole) % 4 == 1)]
        try:
            yield base64.b64decode(whole + "=" * (-len(whole) % 4))
        except (binascii.Error, ValueError):
            continue


def _from_hexadecimal(digits: str) -> Iterator[bytes]:
    # A digit before the word shifts all pairs by one.
    for skipped in range(2):
        even = digits[skipped:]
        yield bytes.fromhex(even[: len(even) - len(even) % 2])


def windows(text: str) -> Iterator[str]:
    """Yield what is compared of scripts without spaces: some characters in a row, and as many as romanise to a word."""
    for run in CJK_RUN.findall(text):
        yield from (run[i : i + _RUN] for i in range(len(run) - _RUN + 1))
        for i in range(len(run)):
            for size in range(_RUN + 1, min(_LONGEST_ROMANISED, len(run) - i) + 1):
                piece = run[i : i + size]
                if sum(len(_romanised(c)) for c in piece) >= _SHORTEST_ROMANISED:
                    yield piece
                    break
