"""Which language a text is written in: by its script, by py3langid, and by its function words and letters."""

from __future__ import annotations

import math
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache

from askance.text.languages import language_model, scripts
from askance.text.languages.language import CODES, ENGLISH, languages
from askance.text.languages.neighbours import foreign_to, reweighed
from askance.text.languages.word_frequencies import norwegian_by_pairs, reapportioned

# The beginning of a text is enough, and no text takes longer than it.
SAMPLE_CHARACTERS = 3_000

# What `bench/questions.py` chose on one half of its sentences and questions; the other half is in
# docs/bench/questions.md.
# A language is named where the model gives it so much, and no unknown language more,
_LIKELY = 0.25
# or less, but its own words and letters say so too, by so much and clearly more than for any other.
_POSSIBLE = 0.1
_LEAST_EVIDENCE = 0.6
_MARGIN = 1.12
# Danish and Norwegian share most of their words: what the model gives the other one says that it is one of
# them. Of a text that is as likely in both neither is named. In questions pairs of words help, so they may be closer;
# what is right in both of them is Norwegian more often (natural logarithms).
_NEIGHBOURS = {"da", "nb"}
_CLOSE, _CLOSE_QUESTION = 0.33, 0.2
_NORWEGIAN_QUESTION = 0.15
# Below this the model does not hear a language at all.
_RECEIVED = 0.003
# Where the model knows nothing, as of "Is radon radioactive?", words alone can do it.
_NO_IDEA = 0.15
# So much of its own evidence counts between two languages that the model holds likely.
_MOST_EVIDENCE = 3.0
# A few words without an end mark are a name as likely: "FC Bayern", "El Nino".
_LIKELY_NAME = 0.6
_FEW_WORDS = 3
_END_MARKS = tuple(".!?\u2026\u3002\uff1f\uff01\u061f;\u037e\u0964")
# What a wrong language would be heard of (`surely`): so likely, or so many of its function words.
_SURE = 0.5
_SURE_OF_FEW = 0.75
_SURE_WORDS = 2
# So many function words, so large a part of all, and so much better than the next: no model is asked.
_PLAIN_WORDS, _PLAIN_SHARE, _PLAIN_MARGIN = 3, 0.3, 1.5

# A letter that few languages have says less than a word: names bring it into foreign texts.
_SIGN_WEIGHT = 0.8
# Function words of one letter or of more: one that few languages share says more.
_LETTER_WEIGHT = 0.3
# So may an ending.
_TAIL_WEIGHT = 0.25
# Nobody but Spaniards, and their neighbours, opens a question with a mark.
_OPENING_MARKS = "\u00bf\u00a1"
# A character of a script without spaces is about half a word, a Latin letter a fifth.
_HAN_WEIGHT = 2.5
# Latin names stand in texts of all scripts, other letters seldom in Latin ones.
_FOREIGN_SHARE = 0.3

# What has no script of its own, so that words and letters must tell it from others.
_BY_WORDS = (
    "en", "de", "fr", "es", "it", "pt", "nl", "pl", "cs", "sv", "da", "nb", "fi", "ro", "hu", "tr",
    "ru", "uk", "ar", "fa",
)  # fmt: skip
_LATIN = frozenset(_BY_WORDS[:16])
# Ligatures, and points that stand in Yiddish where nothing else is pointed: of its a, o and f, and of its ay.
_ONLY_YIDDISH = frozenset("\u05f0\u05f1\u05f2\ufb1d\ufb1f\ufb2e\ufb2f\ufb4e\u05bf")
_YIDDISH_VOWEL = re.compile("\u05d0[\u05b7\u05b8]")
_HEBREW_POINT = re.compile("[\u05b0-\u05bc\u05c1\u05c2]")
# Of so many words of a Yiddish text one is no Hebrew word at the least.
_YIDDISH_ONE_IN = 8
# A vocalised Hebrew text has a point on two of three letters.
_POINTED_SHARE = 0.3

_TOKEN = re.compile(r"[^\W\d_]+")
_HEBREW_WORD = re.compile("[\u05b0-\u05ea]+")
_SCRIPTS = (
    ("latin", "A-Za-z\u00aa-\u024f\u1e00-\u1eff"),
    ("cyrillic", scripts.CYRILLIC),
    ("greek", scripts.GREEK),
    ("arabic", scripts.ARABIC),
    ("he", scripts.HEBREW),
    ("devanagari", scripts.DEVANAGARI),
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
    return _recognised(text[:SAMPLE_CHARACTERS])[0]


def language_of_document(declared: str, text: str) -> str:
    """Return the language that a document says it is in, where that is known here, else the one recognised.

    English where neither is.
    """
    code = declared[:2].lower()
    return code if code in CODES else recognise(text) or ENGLISH


def surely(text: str) -> str:
    """Return the language of a text that says enough to be believed; empty otherwise.

    A few words in Latin letters are a name as likely: "Los Angeles Lakers" is no Spanish.
    """
    sample = text[:SAMPLE_CHARACTERS]
    code, likelihood = _recognised(sample)
    if code not in _LATIN:
        return code
    found = _TOKEN.findall(sample.casefold())
    if _may_be_name(sample, found):
        return code if likelihood >= _SURE_OF_FEW else ""
    own = _words_of(code)
    is_sure = likelihood >= _SURE or sum(token in own for token in {*found}) >= _SURE_WORDS
    return code if is_sure else ""


def is_unknown(text: str) -> bool:
    """Say whether a text is, more likely than not, in a language that is not among those known."""
    sample = text[:SAMPLE_CHARACTERS]
    if _recognised(sample)[0]:
        return False
    likely = language_model.likelihoods(sample)
    return max((p for code, p in likely.items() if code not in CODES), default=0.0) >= _SURE


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
    if not own or own == expected or not {own, expected} <= _LATIN:
        return own or expected
    words = set(_TOKEN.findall(text[:SAMPLE_CHARACTERS].casefold()))
    ours, theirs = (_words_of(code) for code in (own, expected))
    return own if len(words & (ours - theirs)) > len(words & (theirs - ours)) else expected


def scripts_of(text: str) -> frozenset[str]:
    """Return the scripts that letters of a text are of, by names of this module's own."""
    return frozenset(script for script, letters in _letters().items() if letters.search(text))


@lru_cache(maxsize=256)
def _recognised(sample: str) -> tuple[str, float]:
    """Return the language of a text, empty if it cannot be told, and how likely it is."""
    if sample.isascii():
        return _decided(sample)
    counts = {script: len(found.findall(sample)) for script, found in _letters().items()}
    latin = counts.pop("latin")
    kana, han = counts.pop("kana"), counts.pop("han")
    counts["ja" if kana * 10 >= han and kana else "zh"] = round(_HAN_WEIGHT * (kana + han))
    counts["ko"] = round(_HAN_WEIGHT * counts["ko"])
    script, most = max(counts.items(), key=lambda item: item[1])
    if most <= _FOREIGN_SHARE * latin:
        return _decided(sample)
    if most < latin and (found := _decided(sample))[0]:
        return found
    match script:
        case "cyrillic" | "arabic" | "devanagari":
            return _decided(sample)
        case "greek":
            return "el", 1.0
        case "he" if _is_yiddish(sample):
            return "", 0.0
        case _:
            return script, 1.0


@lru_cache(maxsize=1)
def _letters() -> dict[str, re.Pattern[str]]:
    """Return what finds the letters of a script. Not made before it is needed: it takes a while."""
    return {script: re.compile(f"[{characters}]") for script, characters in _SCRIPTS}


def _is_yiddish(sample: str) -> bool:
    """Say whether a text in Hebrew letters is Yiddish."""
    if not _ONLY_YIDDISH.isdisjoint(sample):
        return True
    few_points = len(_HEBREW_POINT.findall(sample)) < _POINTED_SHARE * sum(map(str.isalpha, sample))
    if few_points and _YIDDISH_VOWEL.search(sample):
        return True
    found = frozenset(_HEBREW_WORD.findall(sample))
    foreign = foreign_to(frozenset(), found, ["he"]).get("he", 0)
    return _YIDDISH_ONE_IN * foreign >= len(found) and foreign > 0


def _decided(sample: str) -> tuple[str, float]:
    found = _TOKEN.findall(sample.casefold())
    evidence = _evidence(sample, found)
    if _is_plainly_english(evidence, found):
        return ENGLISH, 1.0
    received = language_model.likelihoods(sample)
    codes = [code for code, likelihood in received.items() if likelihood >= _RECEIVED]
    foreign = foreign_to(frozenset(sample.casefold()), frozenset(found), codes)
    likely = reapportioned(received, reweighed(received, foreign), found, foreign)
    for code, count in foreign.items():
        evidence[code] = evidence.get(code, 0.0) - count
    unknown = max((p for code, p in likely.items() if code not in CODES), default=0.0)
    weighed = {
        code: likely.get(code, 0.0) * math.exp(min(evidence.get(code, 0.0), _MOST_EVIDENCE))
        for code in CODES
    }
    code = max(weighed, key=lambda code: weighed[code])
    own = likely.get(code, 0.0)
    if code in _NEIGHBOURS:
        (other,) = _NEIGHBOURS - {code}
        own += likely.get(other, 0.0)
        code = _danish_or_norwegian(weighed, found, is_question=_is_question(sample))
        if not code:
            return "", 0.0
    needed = _LIKELY_NAME if _may_be_name(sample, found) else _LIKELY
    if own >= max(needed, unknown):
        return code, own
    if (code in foreign and code not in _NEIGHBOURS) or not _leads(evidence, code):
        return "", 0.0
    knows_nothing = needed == _LIKELY and max(likely.values(), default=0.0) < _NO_IDEA
    return (code, own) if own >= max(_POSSIBLE, unknown) or knows_nothing else ("", 0.0)


def _danish_or_norwegian(
    weighed: Mapping[str, float], found: list[str], *, is_question: bool
) -> str:
    """Return which of the two a text is in; empty if it may be either."""
    least = sys.float_info.min
    norwegian = math.log(max(weighed["nb"], least) / max(weighed["da"], least))
    if is_question:
        norwegian += norwegian_by_pairs(found) + _NORWEGIAN_QUESTION
    if abs(norwegian) < (_CLOSE_QUESTION if is_question else _CLOSE):
        return ""
    return "nb" if norwegian > 0 else "da"


def _leads(evidence: dict[str, float], code: str) -> bool:
    """Say whether words and letters are for a language, and clearly more than for any that is no neighbour."""
    apart = (
        score
        for other, score in evidence.items()
        if other != code and not {other, code} <= _NEIGHBOURS
    )
    others = max(apart, default=0.0)
    own = evidence.get(code, 0.0)
    return own >= _LEAST_EVIDENCE and own >= others * (1.0 if code == ENGLISH else _MARGIN)


def _is_question(sample: str) -> bool:
    return sample.rstrip().endswith("?")


def _may_be_name(sample: str, found: list[str]) -> bool:
    return len(found) <= _FEW_WORDS and not sample.rstrip(" \"'\u201d\u00bb").endswith(_END_MARKS)


def _is_plainly_english(evidence: dict[str, float], found: list[str]) -> bool:
    """Say whether the function words are so English that no model need be loaded: it takes half a second."""
    others = max((score for code, score in evidence.items() if code != ENGLISH), default=0.0)
    own = _words_of(ENGLISH)
    count = sum(token in own for token in found)
    return (
        count >= max(_PLAIN_WORDS, _PLAIN_SHARE * len(found))
        and evidence.get(ENGLISH, 0.0) >= _PLAIN_MARGIN * others
    )


def _evidence(sample: str, found: list[str]) -> dict[str, float]:
    """Return what words, endings and letters of a text say for each language."""
    words, signs, tails = _distinctive()
    scores: defaultdict[str, float] = defaultdict(float)
    for token in found:
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
    if any(mark in sample for mark in _OPENING_MARKS):
        scores["es"] += 1.0
    return scores


@lru_cache(maxsize=128)
def _words_of(code: str) -> frozenset[str]:
    return frozenset(next(iter(languages((code,)))).words)


_Weights = dict[str, list[tuple[str, float]]]


@lru_cache(maxsize=1)
def _distinctive() -> tuple[_Weights, _Weights, _Weights]:
    """Return what words, letters and endings say for which language."""
    known = languages(_BY_WORDS)
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
