"""The forms in which models write citations, found in a text wherever they stand.

Whether one of them is a citation is decided by `marker_context`; here is what it would name. What
stands in a bracket is read token by token: a label (`Source`, `来源`, `S`), numbers with what joins
them, and a page or a title behind. Read are `[1]`, `[1, 2]`, `[1-3]`, `[[1]]`, `\\[1\\]`, `【1†x】`,
`[^1]`, `[S1]`, `[cite: 1]`, `[1, p. 3]`, `[1: Title]`, `(see source 1)`, `¹`,
`<sup>1</sup>`, `<cite>1</cite>`, `\\cite{1}`, `$^{1}$`, `^1^`, and links with such a text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from askance.text.languages.language import read_table

Span = tuple[int, int]


# In small letters, and of all languages at once: a model labels in its own, in the question's or in
# English.
_WORDS: dict[str, frozenset[str]] = {
    name: frozenset(" ".join(lines).split())
    for name, lines in read_table("marker_words.json").items()
}
LABELS = _WORDS["labels"]
"""What a source is called before its number."""

LABEL_LETTERS = frozenset("sdrw")
"""Letters that a source's number may have right before it: `[S1]`."""

SEE = _WORDS["see"]

AND = _WORDS["and"]
TO = _WORDS["to"]
PAGES = _WORDS["pages"]

INSTRUCTIONS = _WORDS["instructions"]
"""Words that begin a step of instructions: a number in brackets before one counts it."""

SERIES = _WORDS["series"]
"""Nouns that a list of numbers in brackets stands behind as what it is."""

PLACES = _WORDS["places"]
"""Nouns that a number in brackets counts."""

OPERATIONS = _WORDS["operations"]
"""Words that need what follows them, so that a list in brackets is no citation there."""

EQUALS = _WORDS["equals"]
"""Of these, what a single number in brackets stands behind as a value, in the midst of a sentence."""

UNITS = _WORDS["units"]
"""Words behind which a raised number is a power."""

CODE_NAMES = _WORDS["code_names"]
"""Names that a place in brackets follows in programs, and seldom a citation."""

WIDE_SERIES = tuple(sorted(_WORDS["wide_series"]))
"""The same in scripts that part no words."""

_WORD_SIGNS = {"#", "\u2116", ":", ".", "-", "_", "=", "|", "@", "^", "\u00b0"}
LABEL_SIGNS = frozenset(_WORD_SIGNS)
"""What may stand between a source's label and its number."""


MOST_NUMBER = 999
# `[2019]` is an editor's year, and nobody has a thousand sources.
_MOST_DIGITS = 3
# Bounded, since any open bracket of a text without closing ones would be followed to the end
# (decision 13).
_LONGEST_CONTENT = 120
_MOST_NUMBERS = 24
_MOST_BACKSLASHES = 20
_LONGEST_WORD = 40
_SIGNS = " \t:.#-_"
_LONGEST_LABEL = 4
"""Tokens of a label, its signs included."""

_OPEN = re.compile(
    r"\[|[【\uff3b〔⟦〖(\uff08]|<(?=[a-z])|\\(?=[a-z])|\^|\$(?=\^)|[¹²³⁴-⁹⁽①-⑳]", re.IGNORECASE
)
_CLOSERS = {
    "[": "]", "【": "】", "\uff3b": "\uff3d", "〔": "〕", "⟦": "⟧", "〖": "〗", "(": ")", "\uff08": "\uff09",
}  # fmt: skip
_ROUND = frozenset("(\uff08")
# An address behind a bracket, which makes it a link: `[1](https://…)`, `[1](#ref)`, `[1](<a b>)`.
_TARGET = re.compile(
    r"\((?:<[^<>\n]{0,1500}>|(?=\)|[a-z][a-z0-9+.\-]{0,30}:|/|#|\?|&|\\|www\.|[\w\-]{1,60}\.[a-z]|\s)"
    r"[^()\s]{0,1500})(?:[ \t]+\"[^\"\n]{0,200}\")?\)",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"[^\W\d_]+|\d+|\S")
_TAG = re.compile(
    r"<(?P<name>sup|cite|citation|ref|reference|source|footnote)>(?P<list>[^<>\n]{1,80})</(?P=name)>",
    re.IGNORECASE,
)
# `\cite{1}`, `\citep{1, 2}`, `\autocite{3}`, `\textsuperscript{1}`.
_COMMAND = re.compile(
    r"\\(?:cite[a-z]{0,8}|(?:auto|paren|text|foot)cite|textsuperscript)\{(?P<list>[^{}\n]{1,80})\}"
)
# Pandoc's superscript: `^1^`, `^[1]^`, `^1, 2^`.
_CARETS = re.compile(r"\^(?:\[(?P<inner>\d{1,3})\]|(?P<list>\d{1,3}(?:,[ ]?\d{1,3}){0,8}))\^")
_RAISED_MATH = re.compile(r"\$\^(?:\{\[?(?P<list>\d{1,3}(?:,[ ]?\d{1,3}){0,8})\]?\}|(?P<one>\d))\$")
_RAISED = re.compile(r"⁽?[¹²³⁴-⁹⁰]{1,3}(?:[,\u02d2 ][¹²³⁴-⁹][¹²³⁴-⁹⁰]{0,2}){0,8}⁾?|[①-⑳]{1,8}")


class FormKind(Enum):
    """What a form is made of."""

    BRACKET = auto()
    ROUND = auto()
    """A label in parentheses."""
    RAISED = auto()
    COMMAND = auto()
    """A tag or a command that is for nothing but citations."""


@dataclass(frozen=True, slots=True)
class MarkerForm:
    """What would be a marker at `start` to `end`, with the ranges of numbers that it names."""

    start: int
    end: int
    kind: FormKind
    ranges: tuple[tuple[int, int], ...]
    has_label: bool = False
    is_double: bool = False
    """Whether it is `[[1]]`: a list in a list, or a link of a wiki, as well as a citation."""

    @property
    def is_series(self) -> bool:
        """Whether it is a list or a range, which may as well be one of numbers."""
        return (
            self.is_double or len(self.ranges) > 1 or any(low != high for low, high in self.ranges)
        )

    @property
    def numbers(self) -> tuple[int, ...]:
        """All numbers that it names."""
        return tuple(
            n
            for low, high in self.ranges
            for n in (range(low, high + 1) if low <= high else (low, high))
        )


def forms(text: str) -> Iterator[MarkerForm]:
    """Yield all that has the form of a marker, from left to right; none lies in another."""
    done = 0
    for found in _OPEN.finditer(text):
        at = found.start()
        if at < done:
            continue
        form = _form(text, at)
        if form is not None and form.start >= done:
            yield form
            done = form.end


def _form(text: str, at: int) -> MarkerForm | None:
    char = text[at]
    if char in _CLOSERS:
        return _bracket(text, at)
    if char == "<":
        return _matched(_TAG.match(text, at))
    if char == "\\":
        return _matched(_COMMAND.match(text, at))
    if char == "^":
        return _matched(_CARETS.match(text, at))
    if char == "$":
        return _matched(_RAISED_MATH.match(text, at))
    return _raised(text, at)


def _matched(found: re.Match[str] | None) -> MarkerForm | None:
    if found is None:
        return None
    groups = found.groupdict()
    content = groups.get("list") or groups.get("inner") or groups.get("one") or ""
    read = read_numbers(content.strip().removeprefix("[").removesuffix("]"))
    if read is None:
        return None
    is_raised = found.group()[0] in "$^" or (groups.get("name") or "").lower() == "sup"
    is_raised = is_raised and not content.startswith("[")
    kind = FormKind.RAISED if is_raised else FormKind.COMMAND
    return MarkerForm(*found.span(), kind, read[0], read[1])


def _raised(text: str, at: int) -> MarkerForm | None:
    found = _RAISED.match(text, at)
    if found is None:
        return None
    written = found.group().strip("⁽⁾").replace("\u02d2", ",").replace(" ", ",")
    if written[0] >= "①":
        written = ",".join(written)
    read = read_numbers(written)
    return MarkerForm(*found.span(), FormKind.RAISED, read[0]) if read else None


def _bracket(text: str, at: int) -> MarkerForm | None:
    """Read what stands in brackets, the second pair of `[[1]]` and a link's address included."""
    opening = text[at]
    start, first = at, at + 1
    is_double = text.startswith("[[", at)
    if is_double:
        first += 1
    # `\[1\]`: a backslash of its own belongs to the bracket, one of a pair does not.
    if opening == "[" and start and not _is_even(text, start):
        start -= 1
    closing = _CLOSERS[opening]
    end = text.find(closing, first, first + _LONGEST_CONTENT)
    # `(1)` is an enumeration, and how a page's own markers are written in a prompt: only a label
    # makes one of it.
    if opening in _ROUND and end >= 0:
        return _labelled_round(text, start, end, first)
    if end < 0:
        return None
    content = text[first:end].removesuffix("\\")
    if "\n" in content or (opening == "[" and "[" in content):
        return None
    read = read_numbers(content)
    if read is None:
        return None
    end += 1
    if is_double:
        if not text.startswith("]", end):
            return None
        end += 1
    has_label = read[1] or opening == "【"
    if opening == "[" and (target := _TARGET.match(text, end)):
        end, has_label = target.end(), True
    return MarkerForm(start, end, FormKind.BRACKET, read[0], has_label, is_double)


def _labelled_round(text: str, start: int, end: int, first: int) -> MarkerForm | None:
    content = text[first:end]
    if "\n" in content:
        return None
    bare = content.replace("[", "").replace("]", "")
    read = read_numbers(bare)
    if read is None or not read[1]:
        return None
    # A letter or "see" alone is no label in parentheses: `(s 1)`, `(see 3)`.
    is_named = any(_is_label(token.casefold()) for token in _TOKEN.findall(bare))
    if not is_named and bare == content:
        return None
    return MarkerForm(start, end + 1, FormKind.ROUND, *read)


Ranges = tuple[tuple[int, int], ...]


def read_numbers(content: str) -> tuple[Ranges, bool] | None:
    """Return the ranges of numbers that the content of a bracket names, and whether it has a label.

    None where it is anything else.
    """
    # Full-width digits and brackets, circled and raised digits become plain ones.
    content = unicodedata.normalize("NFKC", content).strip(" \t~\u00a0")
    digit = next((i for i, char in enumerate(content[:_LONGEST_WORD]) if char.isdecimal()), 0)
    is_named = _is_label(content[:digit].strip(_SIGNS).casefold())
    tokens = _TOKEN.findall(content[digit:] if is_named else content)
    at, has_label = _skip_label(content, tokens, 0)
    has_label = has_label or is_named
    ranges: list[tuple[int, int]] = []
    joiner = ","
    while at < len(tokens) and len(ranges) < _MOST_NUMBERS:
        # One word that is neither label nor joiner, and all of it is text: `[see the 3 rules]`.
        if not tokens[at].isdecimal() or len(tokens[at]) > _MOST_DIGITS:
            return None
        n = int(tokens[at])
        if joiner == "-":
            ranges[-1] = (ranges[-1][0], n)
        else:
            ranges.append((n, n))
        at += 1
        if at < len(tokens) and tokens[at] == "^":
            at += 1
        if at == len(tokens):
            return tuple(ranges), has_label
        if _is_tail(content, tokens, at, ranges):
            return tuple(ranges), True
        joiner = _joiner(tokens[at], joiner)
        at += 1
        if joiner == "," and at < len(tokens) and tokens[at].casefold() in AND:
            at += 1
        if not joiner:
            return None
        at, again = _skip_label(content, tokens, at)
        has_label = has_label or again
    return None


def _is_label(words: str) -> bool:
    """Say whether words name a source, in scripts without spaces also with `see` before it."""
    return words in LABELS or any(
        words[:length] in SEE and words[length:] in LABELS for length in (1, 2, 3)
    )


def _skip_label(content: str, tokens: Sequence[str], at: int) -> tuple[int, bool]:
    """Return where the number begins behind a label, and whether that is a word."""
    first = at
    has_word = False
    while at < len(tokens) and at - first <= _LONGEST_LABEL:
        token = tokens[at].casefold()
        is_word = token in LABELS or token in SEE
        is_letter = (
            at == first
            and token in LABEL_LETTERS
            and at + 1 < len(tokens)
            and f"{tokens[at]}{tokens[at + 1]}" in content
        )
        if is_word or (has_word and token in {"no", "nr"}):
            has_word = True
        elif is_letter:
            return at + 1, False
        elif not (token in LABEL_SIGNS and (has_word or token in "#^@" or at > first)) and not (
            at == first and token in {"no", "nr"}
        ):
            break
        at += 1
    return at, has_word


def _joiner(token: str, before: str) -> str:
    """Return `,` for what joins two numbers, `-` for what spans a range, and nothing for all else."""
    word = token.casefold()
    if word in {",", ";", "、", "&"} or word in AND:
        return ","
    if before != "-" and (word in {"-", "–", "—", "~", "〜"} or word in TO):
        return "-"
    return ""


def _is_tail(
    content: str, tokens: Sequence[str], at: int, ranges: Sequence[tuple[int, int]]
) -> bool:
    """Say whether a page, a title or a search engine's mark is all that follows a number."""
    rest = tokens[at + 1 :]
    if tokens[at] == "†" or (tokens[at] == ":" and len(rest) > 1 and rest[1] == "†"):
        return True
    if len(ranges) != 1 or ranges[0][0] != ranges[0][1] or not rest:
        return False
    if tokens[at] == ",":
        is_letter = rest[1:] and rest[1].isdecimal() and "".join(rest[:2]) in content
        return rest[0].casefold() in PAGES and len(rest) > 1 and not is_letter
    if tokens[at] not in {":", "-", "–", "—", "|"} or not rest[0][0].isalpha():
        return False
    # `[1: Title]` has a blank behind its colon; `[1:x]` is a slice or a record.
    is_apart = f"{tokens[at]} " in content
    is_record = any(token in ':="' for token in rest)
    return is_apart and not is_record and len(rest[0]) > 1


def _is_even(text: str, at: int) -> bool:
    """Say whether the backslashes before a place escape one another."""
    before = text[max(0, at - _MOST_BACKSLASHES) : at]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 0
