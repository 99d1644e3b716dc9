"""The scripts that texts are written in: their characters, and text without case and accents."""

from __future__ import annotations

import unicodedata
from functools import cache

from askance.domain.patterns import lazy_re

# Scripts written without spaces. Hangul has spaces, but its particles cling to the words, so
# bigrams serve it better than whole words too.
# Thai is among them, since it parts no words either; half-width katakana stand at the end.
CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\u0e00-\u0e7f\uff66-\uff9f"
CJK_RUN = lazy_re(f"[{CJK}]+")
# Accents that stand as characters of their own; PDFs are full of them.
ACCENTS = "\u0300-\u036f"
# The points of Hebrew and Arabic, and the vowel signs of the scripts of India: parts of words that
# `\w` does not know.
VOWEL_SIGNS = (
    "\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u0900-\u0903\u093a-\u093c\u093e-\u094f"
    "\u0951-\u0957\u0962\u0963\u0981-\u0983\u09bc\u09be-\u09cd\u09d7\u09e2\u09e3\u0a01-\u0a03"
    "\u0a3c-\u0a51\u0a70\u0a71\u0a75\u0a81-\u0a83\u0abc\u0abe-\u0acd\u0b01-\u0b03\u0b3c\u0b3e-\u0b57"
    "\u0b82\u0bbe-\u0bcd\u0bd7\u0c00-\u0c04\u0c3c\u0c3e-\u0c56\u0c81-\u0c83\u0cbc\u0cbe-\u0cd6"
    "\u0d00-\u0d03\u0d3b\u0d3c\u0d3e-\u0d4d\u0d57\u0d81-\u0d83\u0dca-\u0ddf"
)
JOINERS = "\u200c\u200d"
# Marks that stand inside a word, or at its end.
MARKS = f"{ACCENTS}{VOWEL_SIGNS}"
# Inside a word of an Indian script joiners shape letters; in Persian they part word and ending.
INDIAN_JOINER = f"(?<=[\u0900-\u0dff])[{JOINERS}]+(?=[\u0900-\u0dff])"

# What stands for the apostrophe within words: typed, typeset, and the modifier letters and signs of Ukrainian, Hawaiian,
# Uzbek, Hebrew, Armenian and of transliterations.
_APOSTROPHES = (
    "\u2019\u2018\u201b\u00b4\u02b9\u02bb\u02bc\u02bd\u02be\u02bf\u05f3\u055a\ua78c\uff07"
)
# Letters that Unicode does not take apart, as those type them who have no key for them; and those that Arabs and
# Persians write differently, or at the ends of words one for the other, without the stroke that stretches.
ONE_FORM = str.maketrans(
    "łøđðħŧıŋə\u0491\u06cc\u0649\u06a9\u0629\u06d5",
    "loddhtine\u0433\u064a\u064a\u0643\u0647\u0647",
    "\u0640",
) | str.maketrans({"œ": "oe", "æ": "ae", "þ": "th"})

GREEK = "\u0370-\u03ff\u1f00-\u1fff"
CYRILLIC = "\u0400-\u052f"
HEBREW = "\u0590-\u05ff"
ARABIC = "\u0600-\u06ff\u0750-\u077f\u08a0-\u08ff\ufb50-\ufdff\ufe70-\ufeff"
DEVANAGARI = "\u0900-\u097f"
THAI = "\u0e00-\u0e7f"
KANA = "\u3040-\u30ff"
HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
HANGUL = "\uac00-\ud7af\u1100-\u11ff"

_FOLDED_AT_ONCE = 256
# A digit of any script but ours.
_DIGIT = lazy_re(r"[^\D0-9]")
_SEPARATORS = str.maketrans("\u066b\u066c", ".,")


def fold(text: str) -> str:
    """Case-fold and strip accents, so that `Café` and `cafe` are one word, and `Łódź` and `lodz`."""
    if text.isascii():
        return text.lower()
    # `casefold` and not `lower`: it makes `ss` of `ß`, and one letter of the two small sigmas.
    folded = text.casefold()
    # Marks are put into an order that nobody sees, in time that grows with the square of their run.
    starts = range(0, len(folded), _FOLDED_AT_ONCE)
    pieces = [unicodedata.normalize("NFKD", folded[i : i + _FOLDED_AT_ONCE]) for i in starts]
    # NFKD has parted letters and accents, ligatures and full-width forms (UAX 15): accents go.
    plain = "".join(c for c in "".join(pieces) if not unicodedata.combining(c))
    return plain.translate(ONE_FORM)


def with_one_apostrophe(text: str) -> str:
    """Write every apostrophe as keyboards do, and whatever stands for one. No character changes its place."""
    if not text.isascii():
        for mark in _APOSTROPHES:
            text = text.replace(mark, "'")
    return text


def plain_digits(text: str) -> str:
    """Write the digits of every script as ASCII does, and Arabic separators as Latin ones.

    No character changes its place.
    """
    if text.isascii():
        return text
    return _DIGIT.sub(lambda m: f"{unicodedata.digit(m[0])}", text.translate(_SEPARATORS))


@cache
def countries_of_ideograph(character: str) -> tuple[bool, bool, bool]:
    """Return whether an ideograph is in common use in Japan, in China, and where Chinese is written traditionally.

    The national character sets tell: each parts common characters (level 1) from rare ones. Japan's has the forms
    of its reform of 1946, as in \u5186, \u6c17 and \u99c5, which the other two lack.
    """
    levels = (("euc_jp", 0xB0, 0xCF), ("gb2312", 0xB0, 0xD7), ("big5", 0xA4, 0xC6))
    rows = ((character.encode(charset, "replace")[0], a, b) for charset, a, b in levels)
    japan, china, taiwan = (first <= row <= last for row, first, last in rows)
    return japan, china, taiwan


def has_case(character: str) -> bool:
    """Say whether a letter is written large or small."""
    return character.isupper() or character.islower() or character.istitle()
