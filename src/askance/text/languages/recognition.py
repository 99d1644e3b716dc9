"""Which language a text is written in: by its script, by py3langid, and by its words and letters."""

from __future__ import annotations

import math
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from askance.domain.patterns import lazy_re
from askance.text.caches import text_cache
from askance.text.languages import scripts
from askance.text.languages.language import CODES, ENGLISH, language, languages
from askance.text.languages.language_model import (
    foreign_to,
    likelihoods,
    norwegian_by_pairs,
    reapportioned,
    reweighed,
)
from askance.text.languages.scripts import countries_of_ideograph

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
# Others have neighbours that share their function words: Asturian would be Spanish, Macedonian Russian.
_PLAIN = (ENGLISH, "de")
_ENGLISH_ASKING = {"what", "who", "whose", "whom", "which", "where", "when", "why", "how"}

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
# Of so many different ideographs of a Japanese text one is in no other language.
_MANY_IDEOGRAPHS = 30
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
_YIDDISH_VOWEL = lazy_re("\u05d0[\u05b7\u05b8]")
_HEBREW_POINT = lazy_re("[\u05b0-\u05bc\u05c1\u05c2]")
# Of so many words of a Yiddish text one is no Hebrew word at the least.
_YIDDISH_ONE_IN = 8
# A vocalised Hebrew text has a point on two of three letters.
_POINTED_SHARE = 0.3

_TOKEN = lazy_re(r"[^\W\d_]+")
_TO_TOKENS = {n: chr(n).lower() if chr(n).isalpha() else " " for n in range(128)}
_NO_ASCII = dict.fromkeys(range(128))
_ASCII_LETTER = lazy_re("[A-Za-z]")
_HEBREW_WORD = lazy_re("[\u05b0-\u05ea]+")
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


def plain_language(text: str) -> str:
    """Return the language of a text where its script or its function words tell it at once; empty otherwise.

    It needs no model: where a wrong language does little harm this is enough.
    """
    return _recognised(text[:SAMPLE_CHARACTERS], needs_no_model=True)[0]


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
    likely = likelihoods(sample)
    return max((p for code, p in likely.items() if code not in CODES), default=0.0) >= _SURE


def language_of(texts: Iterable[str]) -> str:
    """Return the language that most of some texts is written in; empty if it cannot be told.

    What is compared is compared in one language: a name has one stem then.
    """
    samples = [text[:SAMPLE_CHARACTERS] for text in texts]
    # No model is loaded for the rest where most is told without it.
    plain = _votes(samples, needs_no_model=True)
    if plain:
        most = max(plain, key=plain.__getitem__)
        has_most = 2 * plain[most] > sum(map(len, samples))
        if has_most or all(recognise_beside(sample, most) == most for sample in samples):
            return most
    known = _votes(samples)
    # A tie goes to English, then by the code, never by order.
    return max(known, key=lambda code: (known[code], code == ENGLISH, code), default="")


def _votes(samples: Iterable[str], *, needs_no_model: bool = False) -> dict[str, int]:
    """Return the characters of the texts in each language. Texts of no known language have no vote."""
    lengths: defaultdict[str, int] = defaultdict(int)
    for sample in samples:
        if code := _recognised(sample, needs_no_model=needs_no_model)[0]:
            lengths[code] += len(sample)
    return lengths


def recognise_beside(text: str, expected: str) -> str:
    """Return the language of a text among others, most of which are of the `expected` one; that if in doubt.

    A list of Spanish names does not make an English passage Spanish: of two languages that share a script,
    the text is of the one that it has more different function words of.
    """
    words = set(_TOKEN.findall(text[:SAMPLE_CHARACTERS].casefold()))

    def has_more_of(code: str) -> bool:
        own, theirs = _words_of(code), _words_of(expected)
        return len(words & (own - theirs)) > len(words & (theirs - own))

    # Mostly it has more of no other language: no model is loaded to say which it might be.
    is_latin = expected in _LATIN and scripts_of(text[:SAMPLE_CHARACTERS]) <= {"latin"}
    if is_latin and not any(map(has_more_of, _LATIN)):
        return expected
    own = recognise(text)
    if not own or own == expected or not {own, expected} <= _LATIN:
        return own or expected
    return own if has_more_of(own) else expected


def scripts_of(text: str) -> frozenset[str]:
    """Return the scripts that letters of a text are of, by names of this module's own."""
    return frozenset(script for script, letters in _letters().items() if letters.search(text))


@text_cache(256)
def _recognised(sample: str, *, needs_no_model: bool = False) -> tuple[str, float]:
    """Return the language of a text, empty if it cannot be told (or not without the model), and how likely it is."""
    if sample.isascii():
        return _decided(sample, needs_no_model=needs_no_model)
    # Without what is ASCII: each search goes over what is left.
    others = sample.translate(_NO_ASCII)
    counts = {script: len(found.findall(others)) for script, found in _letters().items()}
    if sum(counts.values()) == counts["latin"]:  # quotes and dashes alone, as in most texts
        return _decided(sample, needs_no_model=needs_no_model)
    latin = counts.pop("latin") + len(_ASCII_LETTER.findall(sample))
    kana, han = counts.pop("kana"), counts.pop("han")
    # Japanese writes its endings in kana: fewer than one for ten ideographs are a name in Chinese.
    is_japanese = kana * 10 >= han and kana
    counts["ja" if is_japanese else "han"] = round(_HAN_WEIGHT * (kana + han))
    counts["ko"] = round(_HAN_WEIGHT * counts["ko"])
    script, most = max(counts.items(), key=lambda item: item[1])
    if most <= _FOREIGN_SHARE * latin:
        return _decided(sample, needs_no_model=needs_no_model)
    # More Latin letters, but too many others for names alone: if the Latin words are of a language,
    # the text is of that.
    if most < latin:
        found = _decided(sample, needs_no_model=needs_no_model)
        if found[0] or needs_no_model:
            return found
    match script:
        case "cyrillic" | "arabic" | "devanagari":
            return _decided(sample, needs_no_model=needs_no_model)
        case "greek":
            return "el", 1.0
        case "he" if _is_yiddish(sample):
            return "", 0.0
        case "han":
            return _of_ideographs(sample)
        case _:
            return script, 1.0


@lru_cache(maxsize=1)
def _letters() -> dict[str, re.Pattern[str]]:
    """Return what finds the letters of a script. Not made before it is needed: it takes a while."""
    return {script: re.compile(f"[{characters}]") for script, characters in _SCRIPTS}


def _of_ideographs(sample: str) -> tuple[str, float]:
    """Return whether a text of ideographs is Japanese or Chinese; no language where it may be either: `\u5bcc\u58eb\u5c71`."""
    found = [
        countries_of_ideograph(character)
        for character in {*sample}
        if _letters()["han"].match(character)
    ]
    japanese = sum(japan and not (china or taiwan) for japan, china, taiwan in found)
    chinese = sum(not japan and (china or taiwan) for japan, china, taiwan in found)
    japan, china, taiwan = (all(column) for column in zip(*found, strict=True))
    # "\u6d88\u8cbb\u7a0e" has a traditional form and a simplified one, side by side: so writes Japan alone.
    japanese += japan and not (china or taiwan)
    if japanese == chinese:
        words = {code: frozenset(language(code).words) for code in ("ja", "zh")}
        japanese += _has_word(sample, words["ja"] - words["zh"])
        chinese += _has_word(sample, words["zh"] - words["ja"])
    if japanese == chinese:
        return ("zh", 1.0) if len(found) >= _MANY_IDEOGRAPHS else ("", 0.0)
    return ("ja" if japanese > chinese else "zh"), 1.0


def _has_word(sample: str, words: frozenset[str]) -> bool:
    """Say whether a text without spaces has a word; one of a single character is a part of others."""
    return any(len(word) > 1 and word in sample for word in words)


def _is_yiddish(sample: str) -> bool:
    """Say whether a text in Hebrew letters is Yiddish."""
    if not _ONLY_YIDDISH.isdisjoint(sample):
        return True
    # A vocalised Hebrew text has these points as well: then they tell nothing.
    few_points = len(_HEBREW_POINT.findall(sample)) < _POINTED_SHARE * sum(map(str.isalpha, sample))
    if few_points and _YIDDISH_VOWEL.search(sample):
        return True
    found = frozenset(_HEBREW_WORD.findall(sample))
    foreign = foreign_to(frozenset(), found, ["he"]).get("he", 0)
    return _YIDDISH_ONE_IN * foreign >= len(found) and foreign > 0


def _decided(sample: str, *, needs_no_model: bool) -> tuple[str, float]:
    # The same for ASCII, in a third of the time.
    is_ascii = sample.isascii()
    found = sample.translate(_TO_TOKENS).split() if is_ascii else _TOKEN.findall(sample.casefold())
    evidence = _evidence(sample, found)
    for plain in _PLAIN:
        if _is_plainly(plain, sample, evidence, found):
            return plain, 1.0
    if needs_no_model:
        return "", 0.0
    received = likelihoods(sample)
    codes = [code for code, likelihood in received.items() if likelihood >= _RECEIVED]
    foreign = foreign_to(frozenset(sample.casefold()), frozenset(found), codes)
    likely = reapportioned(received, reweighed(received, foreign), found, foreign)
    # A language cannot lead by its own words where others of the text are foreign to it.
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
        # The model tells Danish and Norwegian from all others well, but not from each other.
        own += likely.get(other, 0.0)
        code = _danish_or_norwegian(weighed, found, is_question=_is_question(sample))
        if not code:
            return "", 0.0
    needed = _LIKELY_NAME if _may_be_name(sample, found) else _LIKELY
    if own >= max(needed, unknown):
        return code, own
    # From here on the model is unsure, and words alone must do: they must all be of the language.
    if (code in foreign and code not in _NEIGHBOURS) or not _leads(evidence, code):
        return "", 0.0
    knows_nothing = needed == _LIKELY and max(likely.values(), default=0.0) < _NO_IDEA
    return (code, own) if own >= max(_POSSIBLE, unknown) or knows_nothing else ("", 0.0)


def _danish_or_norwegian(
    weighed: Mapping[str, float], found: list[str], *, is_question: bool
) -> str:
    """Return which of the two a text is in; empty if it may be either."""
    # A likelihood may be 0, which has no logarithm.
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
    # English needs no margin: what is not told is treated as English anyway.
    return own >= _LEAST_EVIDENCE and own >= others * (1.0 if code == ENGLISH else _MARGIN)


def _is_question(sample: str) -> bool:
    return sample.rstrip().endswith("?")


def _may_be_name(sample: str, found: list[str]) -> bool:
    return len(found) <= _FEW_WORDS and not sample.rstrip(" \"'\u201d\u00bb").endswith(_END_MARKS)


def _is_plainly(
    code: str, sample: str, evidence: Mapping[str, float], found: Sequence[str]
) -> bool:
    """Say whether the function words are so clearly of a language that no model need be loaded: it takes half a second."""
    others = max((score for other, score in evidence.items() if other != code), default=0.0)
    if evidence.get(code, 0.0) < _PLAIN_MARGIN * others:
        return False
    # Whatever else a question is made of: no other language asks so.
    if code == ENGLISH and found and found[0] in _ENGLISH_ASKING and _is_question(sample):
        return True
    own = _words_of(code)
    count = sum(map(own.__contains__, found))
    return count >= max(_PLAIN_WORDS, _PLAIN_SHARE * len(found))


def _evidence(sample: str, found: list[str]) -> dict[str, float]:
    """Return what words, endings and letters of a text say for each language."""
    scores: defaultdict[str, float] = defaultdict(float)
    # Each word once, with its number: half of the words of a page are others again.
    for token, count in Counter(found).items():
        for code, weight in _weights_of(token):
            scores[code] += count * weight
    if any(mark in sample for mark in _OPENING_MARKS):
        scores["es"] += 1.0
    return scores


@text_cache(16_384)
def _weights_of(token: str) -> tuple[tuple[str, float], ...]:
    """Return what a word, its endings and its letters say for languages."""
    words, signs, tails = _distinctive()
    found = list(words.get(token, ()))
    if token not in words:
        # Endings speak for words that no list has; the others have had their say.
        for length in (3, 4, 5):
            found += tails.get(token[-length:], ()) if len(token) > length else ()
    if not token.isascii():
        found += (weight for sign in set(token) & signs.keys() for weight in signs[sign])
    return tuple(found)


@lru_cache(maxsize=128)
def _words_of(code: str) -> frozenset[str]:
    return frozenset(language(code).words)


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
    # An inverse document frequency with languages as the documents (Spärck Jones 1972),
    # scaled so that a member of one language alone counts its full weight.
    shares = [
        weight * math.log(1 + len(sets) / n) / math.log(1 + len(sets))
        for n in range(1, len(sets) + 1)
    ]
    return {
        member: [(code, shares[len(found) - 1]) for code in found]
        for member, found in having.items()
    }
