"""Which language a text is written in: by its script, then by its function words and letters."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache

from askance.languages import scripts
from askance.languages.language import ENGLISH, language, languages

# The beginning of a text is enough, and no text takes longer than it.
SAMPLE_CHARACTERS = 3_000
# Function words, of one letter or of more: one that few languages share says more.
_LETTER_WEIGHT = 0.3
# A letter that few languages have says less than a word: names bring it into foreign texts.
_SIGN_WEIGHT = 0.8
# So may an ending.
_TAIL_WEIGHT = 0.25
_LEAST_SCORE = 1.0
# So many words make a question or a sentence of what may be a name.
_LEAST_WORDS = 4
# One function word may be a name's, or of two languages ("per", "car"): so many are sure, or one letter.
_SURE_WORDS = 2
# The language must be better than the next by this.
_MARGIN = 1.12
# Danish and Norwegian share most of their words: there a little more of one is enough.
_NEIGHBOURS, _NEIGHBOURS_MARGIN = {"da", "nb"}, 1.01
# A character of a script without spaces is about half a word, a Latin letter a fifth.
_HAN_WEIGHT = 2.5
# Latin names stand in texts of all scripts, other letters seldom in Latin ones.
_FOREIGN_SHARE = 0.3

_LATIN = (
    "en", "de", "fr", "es", "it", "pt", "nl", "pl", "cs", "sv", "da", "nb", "fi", "ro", "hu", "tr",
)  # fmt: skip
_CYRILLIC = ("ru", "uk")
_OTHER_CYRILLIC = frozenset("ўјљњђћџѓќѕңғқөүұһәҷӯ")
_ONLY_RUSSIAN = frozenset("ыэё")
_ONLY_UKRAINIAN = frozenset("іїєґ")
# So many letters without one that Russian cannot do without are another language, Bulgarian say.
_LONG_CYRILLIC = 120
_ONLY_PERSIAN = frozenset("پچژگکی")
_ONLY_ARABIC = frozenset("كيةىأإؤئ")
_ONLY_URDU = frozenset("ٹڈڑںے\u06be\u06c1")

_TOKEN = re.compile(r"[^\W\d_]+")
_SCRIPTS = (
    ("latin", "A-Za-z\u00aa-\u024f\u1e00-\u1eff"),
    ("cyrillic", scripts.CYRILLIC),
    ("greek", scripts.GREEK),
    ("arabic", scripts.ARABIC),
    ("he", scripts.HEBREW),
    ("hi", scripts.DEVANAGARI),
    ("th", scripts.THAI),
    ("kana", scripts.KANA),
    ("han", scripts.HAN),
    ("ko", scripts.HANGUL),
)


def recognise(text: str) -> str:
    """Return the language of a text as a code of ISO 639-1; empty if it cannot be told.

    A question is enough, a name is not. Where it cannot be told, the text is mostly names, too short,
    or of a language that is not among those known (`language.CODES`).
    """
    return _recognised(text[:SAMPLE_CHARACTERS])


def surely(text: str) -> str:
    """Return the language of a text that says enough to be believed; empty otherwise.

    A few words in Latin letters are a name as likely: "Los Angeles Lakers" is no Spanish. Nor is one
    word enough: "minimum wage Chile per hour" is no Italian.
    """
    code, sample = recognise(text), text[:SAMPLE_CHARACTERS].casefold()
    if code not in _LATIN:
        return code
    found = _TOKEN.findall(sample)
    if len(found) < _LEAST_WORDS:
        return ""
    known = language(code)
    is_sure = (
        code == ENGLISH
        or len({*found}.intersection(known.words)) >= _SURE_WORDS
        or not {*sample}.isdisjoint(known.letters)
    )
    return code if is_sure else ""


def language_of(texts: Iterable[str]) -> str:
    """Return the language that most of some texts is written in; empty if it cannot be told.

    What is compared is compared in one language: a name has one stem then.
    """
    lengths: defaultdict[str, int] = defaultdict(int)
    for text in texts:
        lengths[recognise(text)] += min(len(text), SAMPLE_CHARACTERS)
    known = {code: n for code, n in lengths.items() if code}
    return max(known, key=lambda code: (known[code], code == ENGLISH, code), default="")


def recognise_beside(text: str, expected: str) -> str:
    """Return the language of a text among others, most of which are of the `expected` one; that if in doubt.

    A list of Spanish names does not make an English passage Spanish: of two languages that share a script,
    the text is of the one that it has more different function words of.
    """
    own = recognise(text)
    if not own or own == expected or not {own, expected} <= set(_LATIN):
        return own or expected
    words = set(_TOKEN.findall(text[:SAMPLE_CHARACTERS].casefold()))
    ours, theirs = ({*found.words} for found in languages((own, expected)))
    return own if len(words & (ours - theirs)) > len(words & (theirs - ours)) else expected


def scripts_of(text: str) -> frozenset[str]:
    """Return the scripts that letters of a text are of, by names of this module's own."""
    return frozenset(script for script, letters in _letters().items() if letters.search(text))


@lru_cache(maxsize=256)
def _recognised(sample: str) -> str:
    if sample.isascii():
        return _by_words(sample, _LATIN)
    counts = {script: len(found.findall(sample)) for script, found in _letters().items()}
    latin = counts.pop("latin")
    kana, han = counts.pop("kana"), counts.pop("han")
    counts["ja" if kana * 10 >= han and kana else "zh"] = round(_HAN_WEIGHT * (kana + han))
    counts["ko"] = round(_HAN_WEIGHT * counts["ko"])
    script, most = max(counts.items(), key=lambda item: item[1])
    if most <= _FOREIGN_SHARE * latin:
        return _by_words(sample, _LATIN)
    if most < latin and (found := _by_words(sample, _LATIN)):
        return found
    match script:
        case "cyrillic":
            return _cyrillic(sample)
        case "arabic":
            return _arabic(sample)
        case "greek":
            return "el"
        case _:
            return script


@lru_cache(maxsize=1)
def _letters() -> dict[str, re.Pattern[str]]:
    """Return what finds the letters of a script. Not made before it is needed: it takes a while."""
    return {script: re.compile(f"[{characters}]") for script, characters in _SCRIPTS}


def _cyrillic(sample: str) -> str:
    letters = set(sample.casefold())
    if letters & _OTHER_CYRILLIC:
        return ""
    russian, ukrainian = bool(letters & _ONLY_RUSSIAN), bool(letters & _ONLY_UKRAINIAN)
    if russian != ukrainian:
        return "ru" if russian else "uk"
    is_long = len(_letters()["cyrillic"].findall(sample)) > _LONG_CYRILLIC
    if not russian and (is_long or "ъ" in letters):
        return ""
    return _by_words(sample, _CYRILLIC) or "ru"


def _arabic(sample: str) -> str:
    if _ONLY_URDU & set(sample):
        return ""
    persian, arabic = (sum(c in own for c in sample) for own in (_ONLY_PERSIAN, _ONLY_ARABIC))
    if persian != arabic:
        return "fa" if persian > arabic else "ar"
    return _by_words(sample, ("ar", "fa"))


def _by_words(sample: str, codes: tuple[str, ...]) -> str:
    words, signs, tails = _telling(codes)
    scores: defaultdict[str, float] = defaultdict(float)
    for token in _TOKEN.findall(sample.casefold()):
        for code, weight in words.get(token, ()):
            scores[code] += weight
        if token not in words:
            for length in (3, 4, 5):
                for code, weight in tails.get(token[-length:], ()) if len(token) > length else ():
                    scores[code] += weight
        if not token.isascii():
            for sign in set(token) & signs.keys():
                for code, weight in signs[sign]:
                    scores[code] += weight
    ranked = sorted(((score, code) for code, score in scores.items()), reverse=True)
    ranked.append((0.0, ""))
    if len(ranked) < 2 or ranked[0][0] < _LEAST_SCORE:
        return ""
    (best, code), (next_best, other) = ranked[:2]
    margin = _NEIGHBOURS_MARGIN if {code, other} == _NEIGHBOURS else _MARGIN
    return code if best >= margin * next_best else ""


_Weights = dict[str, list[tuple[str, float]]]


@lru_cache(maxsize=4)
def _telling(codes: tuple[str, ...]) -> tuple[_Weights, _Weights, _Weights]:
    """Return what words, letters and endings say for which language."""
    known = languages(codes)
    words = _weighed({own.code: own.words for own in known}, 1.0)
    for word, entries in words.items():
        if len(word) == 1:
            words[word] = [(code, weight * _LETTER_WEIGHT) for code, weight in entries]
    signs = _weighed({own.code: own.letters for own in known}, _SIGN_WEIGHT)
    tails = _weighed({own.code: own.tails for own in known}, _TAIL_WEIGHT)
    return words, signs, tails


def _weighed(sets: dict[str, Iterable[str]], weight: float) -> _Weights:
    having: defaultdict[str, list[str]] = defaultdict(list)
    for code, members in sets.items():
        for member in dict.fromkeys(members):
            having[member].append(code)
    most = len(sets)
    return {
        member: [
            (code, weight * math.log(1 + most / len(found)) / math.log(1 + most)) for code in found
        ]
        for member, found in having.items()
    }
