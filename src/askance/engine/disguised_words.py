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
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from anyascii import anyascii

from askance.text.caches import text_cache
from askance.text.languages.scripts import CJK_RUN, ONE_FORM, THAI
from askance.text.ranking.index_terms import STOP_WORDS, stem, words

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
_APOSTROPHE = re.compile("['’]")
# Stands between the words of a pair: no word has it.
_PAIRED = " "

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


@text_cache(16_384)
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


@text_cache(16_384)
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


@text_cache(16_384)
def _forms_of(entry: str, codes: tuple[str, ...]) -> _Forms:
    """Return what to look for, for an entry of `DisguisedWords`: a pair and a run as a whole."""
    whole = letters_of(entry)
    if _PAIRED in entry or CJK_RUN.match(entry):
        return _written(entry, len(whole))
    if len(whole) < SHORTEST:
        return _Forms((whole, 0))
    # The shorter of both: a stemmer may take off more than three tenths of a word.
    common = max(SHORTEST, math.ceil(_STEM_SHARE * len(whole)))
    stems = (letters_of(stem(entry, code)) for code in ("", *codes))
    ends = (len(s) for s in stems if len(s) >= SHORTEST and whole.startswith(s))
    return _written(entry, min([common, *ends]))


def _written(entry: str, common: int) -> _Forms:
    letters = letters_of(entry)
    roman = _roman(entry, letters)
    return _Forms(
        (letters, common),
        (_one_stroke(letters), common),
        (roman, max(_KEY, math.ceil(len(roman) * common / len(letters)))),
    )


def _one_stroke(letters: str) -> str:
    return letters.replace("l", "i")


def _roman(entry: str, letters: str) -> str:
    return "" if letters.isascii() else _spelled(entry, _romanised).letters


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
    """Entries to be looked for, in the order of the letters that they begin with.

    A sorted list and no index by beginnings: of megabytes of text nearly all entries are never asked for.
    """

    def __init__(self, key: int) -> None:
        self._key = key
        self._lines: list[str] = []

    def add(self, entries: Iterable[tuple[str, str]]) -> None:
        """Add entries, each behind its letters."""
        self._lines += [f"{_one_stroke(letters)}\n{entry}" for letters, entry in entries if letters]
        # What was there is in order already: linear but for the new ones.
        self._lines.sort()

    def found(
        self, letters: str, form_of: Callable[[str], tuple[str, int]]
    ) -> Iterator[tuple[int, int]]:
        """Yield where one of them stands, as far as it does; `form_of` says how an entry is written there."""
        key = self._key
        if not self._lines:
            return
        # By their first five letters: one look-up a place, however many words are private.
        for i in range(len(letters) - key + 1):
            for entry in self._beginning_with(_one_stroke(letters[i : i + key])):
                word, common = form_of(entry)
                if key <= common <= len(word) and letters.startswith(word[:common], i):
                    end = common
                    while end < len(word) and letters.startswith(word[end], i + end):
                        end += 1
                    yield i, i + end

    def _beginning_with(self, start: str) -> Iterator[str]:
        for line in beginning_with(self._lines, start):
            yield line.partition("\n")[2]


def beginning_with(ordered: Sequence[str], start: str) -> Iterator[str]:
    """Yield the strings of a sorted list that begin so."""
    for i in range(bisect_left(ordered, start), len(ordered)):
        if not ordered[i].startswith(start):
            return
        yield ordered[i]


class DisguisedWords:
    """Finds the private words of some texts in others.

    `codes` are the languages that the words may be of. `is_private` is asked of each word that was found, in
    the form in which it was added: what is public may have grown since. An entry is a word, a pair of
    short words, or a run of a script without spaces.
    """

    def __init__(self, codes: Sequence[str], is_private: Callable[[str], bool]) -> None:
        self._codes, self._is_private = tuple(codes), is_private
        self._entries: set[str] = set()
        self._words, self._romanised = _Needles(_KEY), _Needles(_KEY)
        self._runs = _Needles(_RUN)

    def add(self, text: str, idle: frozenset[str]) -> None:
        """Look for the words of a text from now on, but for those that say nothing."""
        found, before = set[str](), ""
        for word in words(text):
            if word in STOP_WORDS or word in idle or CJK_RUN.match(word):
                before = ""
                continue
            found.update((word, *_APOSTROPHE.split(word)) if "'" in word else (word,))
            if (
                before
                and len(before) < SHORTEST > len(word)
                and len(before + word) >= SHORTEST_PAIR
            ):
                found.add(before + _PAIRED + word)
            before = word
        found -= self._entries
        runs = {*_windows(text)} - self._entries
        self._entries |= found | runs
        spelled = [(letters_of(entry), entry) for entry in found]
        self._words.add(each for each in spelled if len(each[0]) >= SHORTEST)
        self._romanised.add((_roman(entry, letters), entry) for letters, entry in spelled)
        self._runs.add((letters_of(run), run) for run in runs if len(run) == _RUN)
        self._romanised.add((_roman(run, run), run) for run in runs if len(run) > _RUN)

    def _form(self, entry: str) -> _Forms:
        parts = words(entry) if CJK_RUN.match(entry) else entry.split(_PAIRED)
        is_private = all(map(self._is_private, parts))
        return _forms_of(entry, self._codes) if is_private else _Forms(("", 0))

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
            places = self._words.found(leet.letters, lambda entry: self._form(entry)[1])
            found |= {*_spans(places, leet, borders)}
        return sorted(found | {*self._encoded(text, borders)})

    def _plainly(
        self, text: str, borders: _Borders, *, is_mirrored: bool = False
    ) -> Iterator[tuple[int, int]]:
        spelled = _spelled(text)
        for letters in (spelled, spelled.once()):
            yield from self._found_runs(text, letters, _THAI_ROW if is_mirrored else 0)
            places = self._words.found(letters.letters, lambda entry: self._form(entry)[0])
            yield from _spans(places, letters, borders)
        roman = _spelled(text, _romanised)
        places = self._romanised.found(roman.letters, lambda entry: self._form(entry)[2])
        yield from _spans(places, roman, borders)

    def _found_runs(self, text: str, spelled: _Spelled, least: int) -> Iterator[tuple[int, int]]:
        """Yield where a text has private runs; of Thai so many letters in a row at least, and whole syllables."""
        rows: list[list[tuple[int, int]]] = []
        for found in self._runs.found(spelled.letters, lambda run: self._form(run)[0]):
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


def _spans(
    places: Iterable[tuple[int, int]], spelled: _Spelled, borders: _Borders
) -> Iterator[tuple[int, int]]:
    """Yield the words in which something is found. Across a blank it must be long, or begin or end with a word."""
    starts, last = borders.starts, len(spelled.letters)
    for start, end in places:
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


def _windows(text: str) -> Iterator[str]:
    """Yield what is compared of scripts without spaces: some characters in a row, and as many as romanise to a word."""
    for run in CJK_RUN.findall(text):
        yield from (run[i : i + _RUN] for i in range(len(run) - _RUN + 1))
        for i in range(len(run)):
            for size in range(_RUN + 1, min(_LONGEST_ROMANISED, len(run) - i) + 1):
                piece = run[i : i + size]
                if sum(len(_romanised(c)) for c in piece) >= _SHORTEST_ROMANISED:
                    yield piece
                    break
