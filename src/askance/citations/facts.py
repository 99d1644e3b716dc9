"""What a sentence states, in a form that can be compared: stems, numbers, names, negation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from askance.citations.numbers import NUMBER_WORDS, Number, find_numbers
from askance.ranking.tokens import fold, stem, terms

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_DOTTED = re.compile(r"\b(?:[A-Z]\.){2,5}")
_RUN = re.compile(
    r"(?<!\w)[^\W\d_a-zà-ÿ]\w*+(?:[ -](?:of |the |and |for |de )?[^\W\d_a-zà-ÿ][^\W\d_]*+){1,6}"
)
_ACRONYM = re.compile(r"\b[A-Z]{2,6}\b")
_ISO_DATE = re.compile(r"\b[0-9]{4}-(0[1-9]|1[0-2])-[0-3][0-9]\b")
# fmt: off
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)
# fmt: on
_NEGATION = re.compile(
    r"\b(?:not|never|cannot|without|neither|nor|nobody|nothing|none|no|nicht|kein\w{0,2}|nie)\b"
    r"|n['’]t\b|不|没|沒|無|无|未|ない|なかった|않|없",
    re.IGNORECASE,
)
_NEGATING_ENDINGS = "な않없"
_DENIED_STEMS = 3
_DENIED_CHARACTERS = 5
# "not only X but Y" states both.
_NOT_NEGATING = re.compile(r"\b(?:not|nicht) (?:only|just|nur)\b|\bno\. ?\d", re.IGNORECASE)

_REFERS_BACK = re.compile(
    r"\W{0,3}(?:[\w,]+ ){0,3}(?:he|she|it|they|his|her|its|their|this|these|that|those)\b",
    re.IGNORECASE,
)

# Words that open a sentence with a capital and are no names; participles and adverbs are
# recognised by their endings.
# fmt: off
_OPENERS = frozenset([
    "according", "although", "among", "another", "around", "based", "both", "compared",
    "consequently", "despite", "due", "early", "either", "even", "every", "finally", "first",
    "following", "further", "furthermore", "given", "hence", "however", "including", "instead",
    "known", "last", "late", "later", "least", "like", "many", "meanwhile", "moreover", "much",
    "near", "nearly", "nevertheless", "new", "next", "note", "one", "often", "overall", "part",
    "people", "perhaps", "rather", "second", "several", "similarly", "since", "sometimes", "soon",
    "still", "third", "though", "thus", "today", "together", "total", "unlike", "upon", "usually",
    "whereas", "whether", "within", "without", "yes", "yet", "born", "made", "built", "found",
    "held", "set", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "per",
    "via", "amid", "across", "along", "throughout", "toward", "towards", "beyond", "besides",
    "except", "answer", "example", "summary", "short", "brief", "addition", "contrast", "result",
    "fact", "source", "sources", "text",
])
# fmt: on
_OPENER_ENDINGS = ("ly", "ed", "ing")


@dataclass(frozen=True, slots=True)
class Facts:
    """What a sentence states.

    `stems` are its content words, without numbers. `names` are the stems of its capitalised
    words, `opener` that of its first word if it may be a name. `runs` holds the initials of its
    names of several words with their stems, `acronyms` its words all in capitals. `denied`
    are the stems that follow a negation closely, or stand before one that is an ending;
    `refers_back` says that it opens with a pronoun or the like.
    """

    stems: frozenset[str]
    numbers: tuple[Number, ...]
    names: frozenset[str]
    opener: str
    runs: tuple[tuple[str, frozenset[str]], ...]
    acronyms: frozenset[str]
    negated: bool
    denied: frozenset[str]
    refers_back: bool


def read_facts(sentence: str) -> Facts:
    """Read what a sentence states. The text may be of any script."""
    text = _DOTTED.sub(lambda m: m.group().replace(".", ""), sentence)
    months = {stem(_MONTHS[int(month) - 1]) for month in _ISO_DATE.findall(text)}
    names, opener = _names(text)
    stems = {t for t in terms(text) if not t[0].isdecimal() and t not in _NUMBER_STEMS} | months
    negations = [match.span() for match in _NEGATION.finditer(text)]
    negations = [span for span in negations if not _NOT_NEGATING.match(text, span[0])]
    return Facts(
        stems=frozenset(stems),
        numbers=tuple(find_numbers(text)),
        names=frozenset(names),
        opener=opener,
        runs=tuple(_runs(text)),
        acronyms=frozenset(fold(a) for a in _ACRONYM.findall(text)),
        refers_back=_REFERS_BACK.match(text) is not None,
        negated=bool(negations),
        denied=frozenset(stem for span in negations for stem in _denied(text, *span)),
    )


_NUMBER_STEMS = frozenset(stem(word) for word in NUMBER_WORDS)


def is_common_opener(word: str) -> bool:
    """Say whether a sentence's first word is one that no name begins with."""
    folded = fold(word)
    return folded in _OPENERS or folded.endswith(_OPENER_ENDINGS)


def _denied(text: str, start: int, end: int) -> list[str]:
    if text[start] in _NEGATING_ENDINGS:
        return terms(text[max(0, start - _DENIED_CHARACTERS) : start])
    return terms(text[end : end + 60])[:_DENIED_STEMS]


def _names(text: str) -> tuple[set[str], str]:
    names: set[str] = set()
    opener = ""
    found = list(_WORD.finditer(text))
    for i, match in enumerate(found):
        word = match.group()
        if not word[0].isupper() or fold(word) in NUMBER_WORDS:
            continue
        stems = [s for s in terms(word) if s not in _NUMBER_STEMS]
        if i == 0 and not _opens_a_run(text, found):
            opener = stems[0] if stems and not is_common_opener(word) else ""
            continue
        names.update(stems)
    return names, opener


def _opens_a_run(text: str, found: list[re.Match[str]]) -> bool:
    """Say whether the first word is the first of a name of several words, or an acronym."""
    word = found[0].group()
    if len(word) > 1 and word.isupper():
        return True
    if len(found) == 1 or is_common_opener(word):
        return False
    gap = text[found[0].end() : found[1].start()]
    return gap in {" ", "-"} and found[1].group()[0].isupper()


def _runs(text: str) -> Iterator[tuple[str, frozenset[str]]]:
    for match in _RUN.finditer(text):
        capitals = [w for w in re.split(r"[ -]", match.group()) if w and w[0].isupper()]
        if len(capitals) > 1:
            yield (
                fold("".join(w[0] for w in capitals)),
                frozenset(terms(match.group())),
            )
