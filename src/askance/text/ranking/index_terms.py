"""From text to sentences and index terms: case, accents, stop words, stems, bigrams; and what a model would count."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable
from functools import cache
from typing import cast

from askance.domain.patterns import lazy_re
from askance.text.caches import text_cache
from askance.text.languages.language import AS_ENGLISH, ENGLISH, is_vietnamese, language, read_table
from askance.text.languages.recognition import language_of
from askance.text.languages.scripts import (
    ARABIC,
    CJK,
    CJK_RUN,
    CYRILLIC,
    DEVANAGARI,
    GREEK,
    HAN,
    HANGUL,
    HEBREW,
    INDIAN_JOINER,
    JOINERS,
    KANA,
    MARKS,
    THAI,
    fold,
    with_one_apostrophe,
)
from askance.text.languages.sentences import ENDS, sentence_spans
from askance.text.languages.units import money_before, unit_behind

# A raised digit is a power or the sign of a note, and no part of the number or word that it stands at. Documents and
# pages that say so by their formatting are read "10^5" as well.
_RAISED = "\u00b2\u00b3\u00b9\u2070\u2074-\u2079"
_LETTERS = rf"[^\W_{CJK}{_RAISED}]+"
_WORD = lazy_re(
    rf"{_LETTERS}(?:(?:'|[{MARKS}]+(?:{INDIAN_JOINER})?|{INDIAN_JOINER}){_LETTERS})*[{MARKS}]*"
    rf"|[{CJK}]+|[{_RAISED}]+"
)
# Words of ASCII are found without `_WORD`, in a fifth of the time: capitals made small, all else a space, but for an apostrophe
# between two letters or digits.
_ASCII_WORDS = {n: chr(n).lower() if chr(n).isalnum() or chr(n) == "'" else " " for n in range(128)}
_LONE_APOSTROPHE = lazy_re("'(?:(?![A-Za-z0-9])|(?<![A-Za-z0-9]'))")
_SHORT = 10_000
# `Askance's`, and the apostrophe alone behind a plural: `engines'`.
_POSSESSIVE = lazy_re(r"'s?$")
# What an apostrophe ties to a number is an ending in every language: `2012'de`, `80's`.
_NUMBER_WITH_ENDING = lazy_re(r"(\d+)'[^\W\d].*")
# Katakana of half the width, and ideographs that have a place of their own beside the usual one.
_OTHER_FORMS = lazy_re("[\uf900-\ufaff\uff66-\uff9f]")
_NUMBER = lazy_re(r"\d+(?:[.,]\d+)*")
_NO_JOINERS = str.maketrans("", "", JOINERS)
# How Danes, Norwegians, Swedes and Croats write their letters where there is no key for them.
_TWO_LETTERS = str.maketrans({"ø": "oe", "å": "aa", "đ": "dj"})
VIETNAMESE = "vi"
"""Not one of the known languages (`language.CODES`), but its marks tell its words apart: they stay (docs/bench/questions.md)."""

# Function words of English only: those of other languages are rare in English pages, and a term
# that is common in a collection has little weight in BM25 anyway.
STOP_WORDS = language(ENGLISH).stop_words


def words(text: str, code: str = "") -> list[str]:
    """Return the words of a text in order: case-folded, without accents; CJK runs as bigrams.

    In a language that is named, what an apostrophe ties to a word is taken off: `eau` of `l'eau`.
    """
    if code not in AS_ENGLISH:
        return [word if CJK_RUN.match(word) else fold(word) for word in _bare(text, code)]
    if text.isascii():  # most text is, and most of the time goes here
        return [_untied(w) if "'" in w else w for w in _ascii_words(text)]
    return [word for run in _runs(text) for word in _words_of(run)]


def _ascii_words(text: str) -> list[str]:
    if "'" in text:
        text = _LONE_APOSTROPHE.sub(" ", text)
    return text.translate(_ASCII_WORDS).split()


def count_words(text: str) -> int:
    """Count words. Two characters of a script without spaces count as one word."""
    if len(text) <= _SHORT and text.isascii():
        return len(_ascii_words(text))
    # By lines: one search of a whole book would hold up every other thread for as long as it takes.
    return sum(map(_words_in_line, text.split("\n")))


def _words_in_line(text: str) -> int:
    if text.isascii():
        return len(_ascii_words(text))
    runs = _runs(text)
    # Asked once for the text, and not once for each word of it.
    if not CJK_RUN.search(text):
        return len(runs)
    return sum((len(run) + 1) // 2 if CJK_RUN.fullmatch(run) else 1 for run in runs)


def terms(text: str, code: str = "") -> list[str]:
    """Return the index terms of a text in order: words without stop words, stemmed.

    What is compared is compared in one language: name the same `code` for both sides. Without one all
    words are treated as English.
    """
    if code in AS_ENGLISH:
        return [_english_term(word) for word in words(text) if word not in STOP_WORDS]
    return [found for word in _bare(text, code) if (found := term(word, code))]


def index_terms(text: str, code: str = "") -> list[str]:
    """Return the terms by which a text is found: its own, and behind them each that it has without marks.

    A stemmer may cut a word differently where its marks were not typed, or `ø` was typed as `oe`.
    """
    found = terms(text, code)
    if text.isascii():
        return found
    runs = dict.fromkeys(run for run in _runs(text) if not run.isascii())
    unmarked = dict.fromkeys(known for run in runs for known in _unmarked_terms(run, code))
    own = set(found)
    return [*found, *(known for known in unmarked if known not in own)]


@text_cache(1_024)
def query_terms(text: str, code: str = "") -> tuple[str, ...]:
    """Return the terms of a query, and behind them the other forms of the units in it: `m` and `47m` for `47 metres`."""
    more: list[str] = []
    for number in _NUMBER.finditer(text):
        money = money_before(text, *number.span(), code)
        read = money[1] if money else unit_behind(text, number.end(), code)
        if read:
            forms = read.units[0].forms
            more += terms(f"{' '.join(forms)} {number.group()}{forms[-1]}", code)
    return tuple(dict.fromkeys([*terms(text, code), *more])) if more else tuple(terms(text, code))


@text_cache(65_536)
def stem(word: str, code: str = "") -> str:
    """Return the stem of a word in a language, folded. In English it is folded already."""
    return language(code).stem(word)


@text_cache(65_536)
def _english_term(word: str) -> str:
    return american(language(ENGLISH).stem(word))


@text_cache(65_536)
def term(word: str, code: str) -> str:
    """Return the index term of a word as it stands in a text; empty for a stop word."""
    if CJK_RUN.match(word):
        return word
    if code == VIETNAMESE:
        return unicodedata.normalize("NFC", word.lower())
    known = language(code)
    return "" if fold(word) in known.stop_words else known.stem(word)


def compared_in(question: str, texts: Iterable[str]) -> str:
    """Return the language in which a question and some texts are compared; empty if it is not recognised."""
    return VIETNAMESE if is_vietnamese(question) else language_of(texts)


def term_spans(text: str, code: str = "") -> list[tuple[str, int, int]]:
    """Return the terms of `index_terms` with their places, `(term, start, end)`, in order of these."""
    found: list[tuple[str, int, int]] = []
    for run in _WORD.finditer(with_one_apostrophe(text)):
        start, word = run.start(), run.group()
        if CJK_RUN.match(word):
            pairs = _bigrams(word)
            # Half-width signs become full ones before they are paired, which may leave fewer than
            # there were.
            end = run.end()
            found += [
                (pair, min(start + i, end - 1), min(start + i + len(pair), end))
                for i, pair in enumerate(pairs)
            ]
        else:
            every = (*_terms_of(word, code), *_unmarked_terms(word, code))
            found += [(known, start, run.end()) for known in every]
    return found


def merged(spans: Iterable[tuple[int, int]], *, overlap: int = 0) -> list[tuple[int, int]]:
    """Return spans that are sorted by their beginnings, those that meet as one.

    With an `overlap` they are one only where they share so many characters.
    """
    apart: list[tuple[int, int]] = []
    for start, end in spans:
        if apart and start + overlap <= apart[-1][1]:
            apart[-1] = apart[-1][0], max(apart[-1][1], end)
        else:
            apart.append((start, end))
    return apart


@text_cache(65_536)
def _terms_of(word: str, code: str) -> tuple[str, ...]:
    return tuple(terms(word, code))


@text_cache(65_536)
def _unmarked_terms(word: str, code: str) -> tuple[str, ...]:
    """Return the terms that a word has without its marks, but for those that it has with them."""
    if word.isascii() or CJK_RUN.match(word):
        return ()
    plain = fold(word)
    # A capital I is another letter in Turkish.
    spellings = plain, plain.capitalize(), fold(word.lower().translate(_TWO_LETTERS))
    own = _terms_of(word, code)
    found = (known for spelling in dict.fromkeys(spellings) for known in _terms_of(spelling, code))
    return tuple(dict.fromkeys(known for known in found if known not in own))


def whole_sentences(text: str) -> str:
    """Cut a broken-off text at its last whole sentence, if it has one."""
    spans = sentence_spans(text)
    if spans and text[: spans[-1][1]].rstrip()[-1:] not in ENDS:
        spans.pop()
    return text[: spans[-1][1]] if spans else text


def _runs(text: str) -> list[str]:
    return _WORD.findall(with_one_apostrophe(text))


def _bare(text: str, code: str) -> list[str]:
    """Return the words of a text in a language, with case and accents; bigrams of CJK runs."""
    known = language(code)
    found: list[str] = []
    for run in _runs(text):
        if CJK_RUN.fullmatch(run):
            found += _bigrams(run)
        else:
            found.append(known.bare(_untied(run).translate(_NO_JOINERS)))
    return found


def _untied(word: str) -> str:
    """Return a word without a possessive ending, a number without any."""
    number = _NUMBER_WITH_ENDING.fullmatch(word)
    return number[1] if number else _POSSESSIVE.sub("", word)


def _words_of(run: str) -> list[str]:
    if run.isascii():
        lowered = run.lower()
        return [_untied(lowered) if "'" in lowered else lowered]
    if CJK_RUN.match(run):
        return _bigrams(run)
    return [fold(_untied(run).translate(_NO_JOINERS))]


def _bigrams(run: str) -> list[str]:
    if _OTHER_FORMS.search(run):
        run = unicodedata.normalize("NFKC", run)
    # No spaces, so no words: pairs of characters are looked for instead; one alone stands for
    # itself.
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


# One spelling of English words that Britain and America spell differently, told by lists of words, never by endings.

_VOWELS_OF_ENGLISH = "aeiouy"


def american(stem: str) -> str:
    """Return the stem of an English word as that of its American spelling; any other stem as it is."""
    return _americans().get(stem, stem)


@cache
def _americans() -> dict[str, str]:
    table = read_table("spellings.json")
    found: dict[str, str] = {}
    stem = language(ENGLISH).stem
    for british, other, suffixes, listed in cast("list[list[str]]", table["endings"]):
        for word in listed.split():
            before, _, behind = word.rpartition(british)
            for suffix in ("", *suffixes.split()):
                # The first form of a stem decides: it is that of the word itself.
                here = stem(_inflected(word, suffix))
                found.setdefault(here, stem(_inflected(f"{before}{other}{behind}", suffix)))
    for pair in cast("str", table["pairs"]).split("|"):
        word, other = pair.split()
        found.setdefault(stem(word), stem(other))
    return {word: other for word, other in found.items() if word != other}


def _inflected(word: str, suffix: str) -> str:
    return (
        word.removesuffix("e") + suffix
        if suffix[:1] in _VOWELS_OF_ENGLISH and suffix
        else word + suffix
    )


# How many tokens a text has, as common vocabularies cut it.


# What is one token in common vocabularies, more or less: a word of up to eight letters, four more of
# a longer one, a name's first five, a digit and the space before it, a few signs, a line break. Next
# to counts of five vocabularies this errs by 3 to 6 % of a page, and characters alone by 7 to 8 %.
_SMALL, _CAPITAL = "[a-z\u00df-\u00f6\u00f8-\u02af]", "[A-Z\u00c0-\u00d6\u00d8-\u00de]"
_TOKEN = lazy_re(
    rf"{_CAPITAL}{{1,2}}{_SMALL}{{0,4}}|(?<!{_SMALL}){_SMALL}{{1,8}}|{_SMALL}{{1,4}}|\d| (?=\d)"
    r"|[!-/:-@\[-`{-\u00bf\u00d7\u00f7\u2010-\u206f]{1,3}|[^\S ]{1,4}| {2,16}"
)
# Characters a token of other scripts, as the usual vocabularies have them; what the server counts
# corrects it.
CHARS_PER_TOKEN_OF = (
    (lazy_re(f"[{CYRILLIC}]"), 3.0),
    (lazy_re(f"[{ARABIC}]"), 2.5),
    (lazy_re(f"[{GREEK}{HEBREW}{DEVANAGARI}{THAI}]"), 2.0),
    (lazy_re(f"[{KANA}{HAN}{HANGUL}]"), 1.5),
)
# Pictures, and scripts that vocabularies hardly know.
_RARE = lazy_re(r"[^\x00-\u02af\s\d\u2010-\u206f]")
RARE_CHARS_PER_TOKEN = 1.6
# Of a longer text than any prompt is, only stretches are looked at: nobody is to wait for that.
LONG_CHARS = 64_000
STRETCH_CHARS = 1_000


def estimated_tokens(text: str) -> float:
    """Return about how many tokens a text has, before what a server counts corrects that."""
    # From all over the text: a beginning may be a table of contents, and its end code.
    if len(text) > LONG_CHARS:
        step = STRETCH_CHARS * math.ceil(len(text) / LONG_CHARS)
        stretches = [text[i : i + STRETCH_CHARS] for i in range(0, len(text), step)]
        return len(text) / sum(map(len, stretches)) * estimated_tokens("".join(stretches))
    cost = float(len(_TOKEN.findall(text)))
    if text.isascii():
        return cost
    # Taken away as they are counted, so that `_RARE` is left with what no script above has.
    for letters, chars_per_token in CHARS_PER_TOKEN_OF:
        rest = letters.sub("", text)
        cost += (len(text) - len(rest)) / chars_per_token
        text = rest
    return cost + len(_RARE.findall(text)) / RARE_CHARS_PER_TOKEN
