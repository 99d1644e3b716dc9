"""What sentences state, in a form that can be compared: numbers, stems, names, and what is known
around them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from askance.citations.numbers import Number, find_numbers
from askance.domain.evidence import Extract
from askance.text.languages.language import BIGRAMS, ENGLISH, Capitals, Language, language
from askance.text.languages.names import capitalised
from askance.text.languages.scripts import MARKS
from askance.text.ranking.tokens import fold, sentence_spans, stem, terms

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_DOTTED = re.compile(r"\b(?:[A-Z]\.){2,5}")
_RUN = re.compile(
    r"(?<!\w)[^\W\d_a-zà-ÿ]\w*+(?:[ -](?:of |the |and |for |de )?[^\W\d_a-zà-ÿ][^\W\d_]*+){1,6}"
)
_ACRONYM = re.compile(r"\b[A-Z]{2,6}\b")
_ISO_DATE = re.compile(r"\b[0-9]{4}-(0[1-9]|1[0-2])-[0-3][0-9]\b")
# Pages in English quote others, and what is recognised as no language is treated as English.
_DENIES_IN_ENGLISH = (
    r"\b(?:not|never|cannot|without|neither|nor|nobody|nothing|none|no|nicht|kein\w{0,2}|nie)\b"
    r"|n['’]t\b|不|没|沒|無|无|未|ない|なかった|않|없"
)
_ENDINGS_IN_ENGLISH = "な않없"
_DENIED_STEMS = 3
_DENIED_CHARACTERS = 5
_DENIED_REACH = 60
# "not only X but Y" states both; "no. 5" denies nothing.
_AFFIRMED_IN_ENGLISH = r"\b(?:not|nicht) (?:only|just|nur)\b|\bno\. ?\d"
# So many words may stand before the one that refers back.
_BEFORE_PRONOUN = 3

# Words that open a sentence with a capital and are no names; participles and adverbs are
# recognised by their endings.
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
])  # fmt: skip
_OPENER_ENDINGS = ("ly", "ed", "ing")
_EDGES = " .,;:\"'“”„«»()"


@dataclass(frozen=True, slots=True)
class Facts:
    """What a sentence states.

    `stems` are its content words, without numbers. `names` are the stems of its capitalised
    words, `opener` that of its first word if it may be a name; `nouns` are those of capitalised words that may be
    names in a language whose nouns have capitals. `runs` holds the initials of its
    names of several words with their stems, `acronyms` its words all in capitals. `denied`
    are the stems that follow a negation closely, or stand before one that is an ending;
    `refers_back` says that it opens with a pronoun or the like.
    """

    stems: frozenset[str]
    numbers: tuple[Number, ...]
    names: frozenset[str]
    nouns: frozenset[str]
    opener: str
    runs: tuple[tuple[str, frozenset[str]], ...]
    acronyms: frozenset[str]
    negated: bool
    denied: frozenset[str]
    refers_back: bool


@dataclass(frozen=True, slots=True)
class Background:
    """What is known around the statements of an extract without standing in them.

    `title` holds the stems of the page's title and the heading, `numbers` their numbers, `subject`
    the names of the first statement; `initials` and `acronyms` are those of the whole extract.
    """

    title: frozenset[str]
    numbers: tuple[Number, ...]
    subject: frozenset[str]
    initials: frozenset[str]
    acronyms: frozenset[str]


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of an extract, at `start` to `end` of its text. `extract` is the extract's index."""

    extract: int
    start: int
    end: int
    facts: Facts


def read_facts(sentence: str, code: str = "") -> Facts:
    """Read what a sentence states. The text may be of any script.

    It is read in the language that is named, in English if none is: what is compared is read alike.
    """
    reading = _reading(code)
    text = _DOTTED.sub(lambda m: m.group().replace(".", ""), sentence)
    months = {reading.months[int(month) - 1] for month in _ISO_DATE.findall(text)}
    names, opener = _names(text, reading)
    stems = {t for t in terms(text, code) if not t[0].isdecimal() and t not in reading.numbers}
    negations = _negations(text, reading)
    return Facts(
        stems=frozenset(stems | months),
        numbers=tuple(find_numbers(text, code)),
        names=frozenset(names),
        nouns=_nouns(text, reading) - names,
        opener=opener,
        runs=tuple(_runs(text, code)),
        acronyms=frozenset(fold(a) for a in _ACRONYM.findall(text)),
        refers_back=_refers_back(text, reading),
        negated=bool(negations),
        denied=frozenset(stem for span in negations for stem in _denied(text, *span, reading)),
    )


def read_statements(
    extracts: Sequence[Extract], titles: Mapping[int, str], codes: Mapping[int, str]
) -> tuple[list[Statement], list[Background]]:
    """Return the statements of all extracts in order, and the background of each extract.

    `titles` and `codes` are the titles of the sources and the languages that they are read in.
    """
    statements: list[Statement] = []
    backgrounds: list[Background] = []
    for i, extract in enumerate(extracts):
        code = codes.get(extract.n, "")
        own = [
            Statement(i, start, end, read_facts(extract.text[start:end], code))
            for start, end in sentence_spans(extract.text, code)
        ]
        statements += own
        above = f"{titles.get(extract.n, '')}\n{extract.heading}"
        backgrounds.append(_background(above, own, code))
    return statements, backgrounds


def is_common_opener(word: str) -> bool:
    """Say whether a sentence's first word is one that no name begins with."""
    folded = fold(word)
    return folded in _OPENERS or folded.endswith(_OPENER_ENDINGS)


@dataclass(frozen=True, slots=True)
class _LanguageReader:
    """What sentences of a language are read with. `months` and `numbers` are stems.

    `affirmed` finds what only looks like a negation; `endings` are the beginnings of what denies at the end
    of what it denies.
    """

    code: str
    known: Language
    negation: re.Pattern[str]
    affirmed: re.Pattern[str] | None
    endings: str
    months: tuple[str, ...]
    numbers: frozenset[str]

    @property
    def is_english(self) -> bool:
        return self.known.code == ENGLISH


@lru_cache(maxsize=128)
def _reading(code: str) -> _LanguageReader:
    known = language(code or ENGLISH)
    numbers = frozenset(stem(fold(word), code) for word in known.numbers)
    months = tuple(stem(fold(forms[0]), code) for forms in known.months)
    endings = "".join(sorted({ending[0] for ending in known.negating_endings}))
    if known.code == ENGLISH:
        denies, endings = _DENIES_IN_ENGLISH, _ENDINGS_IN_ENGLISH
    elif known.code in BIGRAMS:
        denies = "|".join([*known.negations, *known.negating_endings])
    else:
        whole = "|".join(re.escape(word) for word in known.negations)
        inside = "|".join(known.negating_endings)
        denies = rf"(?<![\w{MARKS}])(?:{whole})(?![\w{MARKS}])"
        denies += rf"|\w{{2,20}}(?:{inside})\b" if inside else ""
    only_looks = "|".join(re.escape(phrase) for phrase in known.affirmed)
    if known.code == ENGLISH:
        only_looks = _AFFIRMED_IN_ENGLISH
    return _LanguageReader(
        code,
        known,
        re.compile(denies, re.IGNORECASE),
        re.compile(only_looks, re.IGNORECASE) if only_looks else None,
        endings,
        months,
        numbers,
    )


def _negations(text: str, reading: _LanguageReader) -> list[tuple[int, int]]:
    """The places of the words that deny something."""
    found = [match.span() for match in reading.negation.finditer(text)]
    if not found or reading.affirmed is None:
        return found
    affirmed = [match.span() for match in reading.affirmed.finditer(text)]
    return [
        (start, end)
        for start, end in found
        if not any(first <= start < last for first, last in affirmed)
    ]


def _denied(text: str, start: int, end: int, reading: _LanguageReader) -> list[str]:
    """The stems that a negation denies: those behind it, or before it where it is an ending."""
    if text[start] in reading.endings:
        return terms(text[max(0, start - _DENIED_CHARACTERS) : start], reading.code)
    if reading.is_english:
        return terms(text[end : end + _DENIED_REACH], reading.code)[:_DENIED_STEMS]
    own = terms(text[start:end], reading.code)
    behind = terms(text[end : end + _DENIED_REACH], reading.code)[:_DENIED_STEMS]
    before = terms(text[max(0, start - _DENIED_REACH) : start], reading.code)[-_DENIED_STEMS:]
    return own + (behind or before)


def _refers_back(text: str, reading: _LanguageReader) -> bool:
    if reading.known.code in BIGRAMS:
        return text.lstrip().startswith(tuple(reading.known.pronouns))
    first = text[:_DENIED_REACH].split()[: _BEFORE_PRONOUN + 1]
    return any(fold(word.strip(_EDGES)) in reading.known.pronouns for word in first)


def _names(text: str, reading: _LanguageReader) -> tuple[set[str], str]:
    """Return the stems of a sentence's names, and of its first word if that may be one."""
    if not reading.is_english:
        return _names_elsewhere(text, reading)
    names: set[str] = set()
    opener = ""
    found = list(_WORD.finditer(text))
    for i, match in enumerate(found):
        word = match.group()
        if not word[0].isupper() or fold(word) in reading.known.numbers:
            continue
        stems = [s for s in terms(word) if s not in reading.numbers]
        if i == 0 and not _opens_a_run(text, found):
            opener = stems[0] if stems and not is_common_opener(word) else ""
            continue
        names.update(stems)
    return names, opener


def _names_elsewhere(text: str, reading: _LanguageReader) -> tuple[set[str], str]:
    code = reading.code
    names = {s for name in capitalised(text, code) for s in terms(name, code)} - reading.numbers
    names = {name for name in names if not name[0].isdecimal()}
    first = _WORD.search(text)
    # A noun's capital says nothing; a name that stands there alone is known by what else has it.
    if first is None or not first[0][0].isupper() or fold(first[0]) in reading.known.numbers:
        return names, ""
    stems = terms(first[0], code)
    return names, stems[0] if stems and stems[0] not in names else ""


def _nouns(text: str, reading: _LanguageReader) -> frozenset[str]:
    if reading.known.capitals is not Capitals.NOUNS:
        return frozenset()
    found = (match[0] for match in _WORD.finditer(text) if match[0][0].isupper() and match.start())
    stems = {stem for word in found for stem in terms(word, reading.code)}
    return frozenset(stems - reading.numbers)


def _opens_a_run(text: str, found: list[re.Match[str]]) -> bool:
    """Say whether the first word is the first of a name of several words, or an acronym."""
    word = found[0].group()
    if len(word) > 1 and word.isupper():
        return True
    if len(found) == 1 or is_common_opener(word):
        return False
    gap = text[found[0].end() : found[1].start()]
    return gap in {" ", "-"} and found[1].group()[0].isupper()


def _runs(text: str, code: str) -> Iterator[tuple[str, frozenset[str]]]:
    for match in _RUN.finditer(text):
        capitals = [w for w in re.split(r"[ -]", match.group()) if w and w[0].isupper()]
        if len(capitals) > 1:
            yield (
                fold("".join(w[0] for w in capitals)),
                frozenset(terms(match.group(), code)),
            )


def _background(above: str, statements: Sequence[Statement], code: str) -> Background:
    subject: frozenset[str] = frozenset()
    if statements:
        subject = statements[0].facts.names | {statements[0].facts.opener}
    runs = [run for s in statements for run in s.facts.runs] + list(read_facts(above, code).runs)
    return Background(
        title=frozenset(terms(above, code)),
        numbers=tuple(find_numbers(above, code)),
        subject=subject,
        initials=frozenset(initials for initials, _ in runs),
        acronyms=frozenset[str]().union(*(s.facts.acronyms for s in statements)),
    )
