"""Which forms of markers are citations: whether one can stand where it does, and which stand together as one.

Answers and pages hold more brackets than citations: places of arrays, intervals, lists, JSON, LaTeX,
regular expressions. Only what stands where a citation can stand is one; in doubt it is text. All that
is looked at stands in the same paragraph, so that a part of an answer reads as it does in the whole.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, groupby

from askance.citations.markdown.marker_forms import (
    CITING,
    CODE_CONTEXT,
    CODE_NAMES,
    EQUALS,
    INSTRUCTIONS,
    LABELS,
    MOST_NUMBER,
    OPERATIONS,
    PLACES,
    SEE,
    SERIES,
    UNITS,
    WIDE_SERIES,
    FormKind,
    MarkerForm,
    Span,
    forms,
)
from askance.domain.patterns import lazy_re

BLANKS = " \t\u00a0\u2009\u202f"
_EMPHASIS = "*_~"
_STOPS = ".!?…。！？｡।؟;,:、\uff0c\uff1b\uff1a"
_ENDS = ".!?…。！？｡।؟"
_CLOSING = "\"'”’»)\uff09]}」』】*_~"
_OPENING_QUOTES = "\"'“‘«「『„"
# Behind one of these a bracket is a part of a formula or of code, before one as well.
_OPERATORS = frozenset("=<>+/\\^&@#${%×→∈∪∩⊂⊆≤≥≈−·∘!:")
_LOOSE = frozenset("\\^@#${")
"""Behind these and a space nothing is meant by it."""
_OPERATORS_BEHIND = frozenset("=<>+×→∈∪∩⊂⊆≤≥≈·∘{^@#$&/\\%`")
_GLUED_BEHIND = _OPERATORS_BEHIND | frozenset("([]'-*_|")
# Characters that are looked at on one side: a sentence or two, whatever the length of the text, so that the time
# stays linear in it.
_LOOKED_BACK = 240
_WORD = lazy_re(r"[^\W\d_]+")
_LAST_WORD = lazy_re(r"(?<![^\W\d_])[^\W\d_]{1,40}$")
# What may stand before the words of a line: marks of quotations, items, headings, tables.
_LINE_MARKS = " \t>*+-#|_.)0123456789"
# `itemList[1]`: a name of a program, whatever the sentence around it says.
_CAMEL = lazy_re(r"[a-z0-9][A-Z]")
# A raised number behind a shorter word is that of a unit or a variable: `x²`, `cm³`.
_SHORTEST_RAISED = 3
_LEAST_WORDS = 2
_YEAR_DIGITS = 4

# TeX in its delimiters. A raised number alone, `$^{1}$`, is a form of marker, and matched only to be left out.
# `$$ … $$`, `\( … \)`, `\[ … \]`, `\begin{align}` and `$x[1]$`. Bounded: a lone dollar is a
# price, and the text behind it is not looked through to its end.
_MATH = lazy_re(
    r"(?P<raised>\$\^\{?\d{1,3}[^$\n]{0,20}\$)"
    r"|\$\$(?:[^$\n]|\n(?!\s*\n)){1,2000}?\$\$"
    r"|(?<!\\)\\\((?:[^\\\n]|\\[^()\n]){1,600}\\\)"
    r"|(?<!\\)\\\[(?:[^\\\n]|\n(?!\s*\n)|\\[^\[\]\n]){1,2000}\\\]"
    r"|\\begin\{(?P<name>[a-z]{1,20}\*?)\}"
    r"|(?<![\\$\w])\$(?![\s$])(?:[^$\n\\]|\\.){0,300}(?<![\s\\])\$(?![\d$])",
)
# A command, an index or a power; and what stands in a sentence.
_TEX = lazy_re(r"\\[a-zA-Z{}|,;!\\]|[\w)}\]][_^][\w{\\]|\$[_^]\{")
_PROSE = lazy_re(r"(?<!\\)[^\W\d_]{3,}|\b(?:or|to|is|of|at|by|in)\b|\A\\\[\w{1,3}\\\]")
_ONLY_NUMBERS = lazy_re(r"[\s\d,;&\\\[\]^–-]*")
_LABELLED_COLON = lazy_re(r"(?P<label>[^\W\d_]{1,30}+)[*_]{0,3}\s?[:\uff1a][*_]{0,3}\s{0,3}$")
_IN_TUPLE = lazy_re(r"\([\d.,; \t-]{0,40}[,;][ \t]?")
_GROUPS = lazy_re(r"[\[\]{}\n]")
# Thai, Lao, Burmese and Khmer.
_UNSPACED = lazy_re("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
_BEING = frozenset(
    {
        "is",
        "are",
        "was",
        "were",
        "ist",
        "sind",
        "es",
        "est",
        "sont",
        "è",
        "sono",
        "é",
        "jest",
        "это",
    }
)
_JOINERS = frozenset(
    ["and", "or", "to", "und", "oder", "bis", "et", "ou", "y", "o", "e", "и", "i", "a"]
)
_NAMING_SOURCES = LABELS | SEE
_LITERAL_BEGINS = frozenset("[{\"'(-0123456789.")
_ODD_BRACKET = lazy_re(
    r"[\[(][−-]?\d{1,9}[.,]\s?[−-]?\d{0,9}[)]|\[[−-]?\d{0,9}\.\d|\[[−-]\d|\[[a-z],\s?[a-z]\]",
    re.IGNORECASE,
)
"""A bracket of numbers that is none of sources: an open interval, a negative number."""
_SHARE = lazy_re(r"\d[ \u00a0\u202f]?%\Z")
_VALUES_BEHIND = lazy_re(
    rf"[^\n.!?]{{0,{_LOOKED_BACK}}}?(?:\[0[,;] ?\d|{_ODD_BRACKET.pattern})", re.IGNORECASE
)
_REGEX_SIGNS = lazy_re(r"\\[dwsbDWSB]|\(\?|\[\^?[a-zA-Z]-[a-zA-Z]|\[0-9\]")


class MarkerContext:
    """Reads what stands around the forms of markers in one text. `code` are its spans of code."""

    def __init__(self, text: str, code: Sequence[Span]) -> None:
        self._text = text
        literals = sorted([*code, *formulas(text), *_groups(text)])
        # The furthest end so far, since stretches may overlap: one look-up tells whether a place is
        # in any.
        self._ends = list(accumulate((end for _, end in literals), max, initial=0))
        self._starts = [start for start, _ in literals]
        self._refused: set[int] = set()
        """Where brackets end that are text: what is joined to one is text, too."""
        self._last_refused = -1

    def is_literal(self, at: int) -> bool:
        """Say whether a place is in code, mathematics or data."""
        return at < self._ends[bisect_right(self._starts, at)]

    def refuse(self, form: MarkerForm) -> None:
        """Take note that a bracket is text."""
        self._refused.add(form.end)
        self._last_refused = max(self._last_refused, form.end)

    def ends_clause(self, first: MarkerForm, last: MarkerForm) -> bool:
        """Say whether two forms with a word between them stand behind a clause, which ends there."""
        words = _WORD.findall(self._text, max(0, first.start - _LOOKED_BACK), first.start)
        return (
            self._ends_here(last.end)
            and len(words) >= _LEAST_WORDS
            and words[-1].casefold() not in OPERATIONS | SEE | LABELS | PLACES | SERIES
        )

    def can_cite(self, run: Sequence[MarkerForm], span: Span, *, is_known: bool) -> bool:
        """Say whether forms that stand together are citations. `span` is that of all with what is around them.

        Where not all of their numbers `is_known`, less is.
        """
        start, end = span
        if self.is_literal(start) or self.is_literal(end - 1):
            return False
        # `![1](address)` is a picture.
        if self._text.startswith("!", start - 1) and start and self._text[end - 1] == ")":
            return False
        if run[0].kind is FormKind.COMMAND:
            return True
        # Only its line: a part of a streamed answer then reads as it does in the whole.
        line = self._text.rfind("\n", max(0, start - _LOOKED_BACK), start) + 1
        before = self._text[max(line, start - _LOOKED_BACK) : start]
        if not self._can_follow(end, before) or self._is_call(run, start, before):
            return False
        if run[0].kind is FormKind.RAISED:
            return self._can_be_raised(before, end)
        # A label says what it is: it need not stand behind a sentence.
        if all(form.has_label for form in run):
            return before.rstrip(BLANKS)[-1:] not in _OPERATORS - {":", "!", "%"}
        is_series = any(form.is_series for form in run)
        if not before.strip(_LINE_MARKS):
            can_open = self._can_open(start, end, before, is_series=is_series)
            return can_open and not self._is_step(end)
        if line - 1 <= self._last_refused <= start and self._is_step(end):
            return False
        return self._can_stand(before, start, end, is_series=is_series, is_known=is_known)

    def _can_follow(self, end: int, before: str) -> bool:
        """Say whether what stands behind leaves it possible that a citation has ended."""
        behind = self._text[end : end + 2]
        char = behind[:1]
        if char in "*_" and char:
            return char in before
        if char == "-":
            return not behind[1:].isalnum()
        # `[1]'s` is a possessive of a place in an array.
        if char == "'":
            return not behind[1:].isalpha()
        if char == "|":
            return True
        if char in _GLUED_BEHIND and char:
            return False
        if char.isalnum() and not is_wide(char):
            is_begin = not before.strip(_LINE_MARKS) or before.rstrip(BLANKS)[-1:] in _ENDS
            return is_begin and char.isupper()
        # `list[1].name` is code; `[1].The` is a full stop without its blank.
        if char == "." and behind[1:].isalnum() and not is_wide(behind[1:]):
            return behind[1:].isupper()
        following = self._text[end : end + 4].lstrip(BLANKS)[:1]
        return not following or following not in _OPERATORS_BEHIND

    def _is_call(self, run: Sequence[MarkerForm], start: int, before: str) -> bool:
        """Say whether the parentheses around it are those of a call or a tuple: `print([1])`, `(A1:B9, [1])`, `(1, [2])`."""
        is_round = self._text[start] == "(" and run[0].kind is not FormKind.ROUND
        opened = len(before) if is_round else before.rfind("(")
        if opened < before.rfind(")"):
            return False
        name = before[opened - 1 : opened] if opened > 0 else ""
        is_tuple = not is_round and opened >= 0 and bool(_IN_TUPLE.fullmatch(before, opened))
        return is_tuple or (name.isalnum() and not _is_unspaced(name))

    def _can_be_raised(self, before: str, end: int) -> bool:
        behind = self._text[end : end + 1]
        if before[-1:] in BLANKS and before.strip():
            before = before.rstrip(BLANKS)
            if not self._ends_here(end):
                return False
        if behind.isalnum() and not is_wide(behind):
            return False
        last = before[-1:]
        if last in _ENDS + '"”’»,;:*' and last:
            return len(before) > 1 and not before[-2].isspace()
        if not last.isalpha():  # `in 1969²` cites, `10²` does not
            year = before[-_YEAR_DIGITS:]
            is_year = len(year) == _YEAR_DIGITS and year.isdecimal()
            is_alone = not before[-_YEAR_DIGITS - 1 : -_YEAR_DIGITS].strip(BLANKS + "(")
            return is_year and is_alone and self._ends_here(end)
        if _is_unspaced(last):
            return True
        word = _LAST_WORD.search(before)
        return (
            word is not None
            and len(word.group()) >= _SHORTEST_RAISED
            and word.group().casefold() not in UNITS
            and not before[: word.start()][-1:].strip(BLANKS + "(\"“*_«„'’-/")
        )

    def _can_open(self, start: int, end: int, before: str, *, is_series: bool) -> bool:
        """Say whether a line can begin with it."""
        text = self._text
        if before.endswith("|"):
            return self._can_fill_cell(start, end, is_series=is_series)
        line_end = text.find("\n", end)
        rest = text[end : line_end if line_end >= 0 else len(text)].strip(BLANKS)
        words = rest.lstrip(":.-–— \t*_\"“«'„(")
        if not rest.strip(_STOPS):
            gap = text[max(0, start - len(before) - _LOOKED_BACK) : start - len(before)]
            above = gap.rstrip()
            is_near = gap[len(above) :].count("\n") < _LEAST_WORDS
            return (
                bool(above)
                and above[-1] not in ":\uff1a,=`|"
                and (not is_series or (is_near and above[-1] in _ENDS + '"”»)*_'))
            )
        if rest.startswith("|"):
            return self._can_fill_cell(start, end, is_series=is_series)
        if not words or words[0].islower() or words[0].isdecimal():
            return (
                bool(words) and words[0].isdecimal() and bool(_WORD.search(words)) and not is_series
            )
        return words[0].isalpha()

    def _is_step(self, end: int) -> bool:
        """Say whether what follows tells the reader to do something: the number is that of a step."""
        words = _WORD.findall(self._text[end : end + _LOOKED_BACK])
        return bool(words) and words[0].casefold() in INSTRUCTIONS

    def _can_fill_cell(self, start: int, end: int, *, is_series: bool) -> bool:
        """Say whether a cell that holds nothing else, or begins so, cites."""
        text = self._text
        behind = text[end : end + 3].lstrip(BLANKS)[:1]
        if behind and behind not in "|\n":
            return not is_series
        head = text.rfind("\n\n", 0, start) + 2 if "\n\n" in text[:start] else 0
        title = text[head : text.find("\n", head)] if "\n" in text[head:] else ""
        return any(word.casefold() in LABELS for word in _WORD.findall(title))

    def _can_stand(
        self, before: str, start: int, end: int, *, is_series: bool, is_known: bool
    ) -> bool:
        """Say whether it can stand behind words."""
        last = before[-1]
        is_apart = last in BLANKS
        bare = before.rstrip(BLANKS)
        is_end = self._ends_here(end)
        # A cell that begins with one number and goes on may cite; a list in it is a value.
        if bare.endswith("|"):
            return False if is_series else self._text[end : end + 3].lstrip(BLANKS)[:1] not in "|\n"
        # `x[0][1]`: what stands right behind a bracket of a program is of that program.
        if start - (len(before) - len(bare)) in self._refused and not is_apart:
            return False
        bare = bare.rstrip(_EMPHASIS) if not is_apart or is_end else bare
        if not bare.strip(_LINE_MARKS):
            return not is_series and is_end
        if bare[-1] in ":\uff1a":
            return self._is_labelled(before)
        if bare[-1] in _OPENING_QUOTES and not is_apart and self._text[end : end + 1] in _CLOSING:
            return bare[-1] in "\"'”’»" and is_end and not bare[-2:-1].isspace() and len(bare) > 1
        is_loose = is_apart and bare[-1] in _LOOSE
        is_of_prose = bare[-1] == "!" or (not is_apart and bare[-1] in "%$")  # `12%[1]`
        is_of_prose = is_of_prose or (is_end and bool(_SHARE.search(bare)))
        if bare[-1] in _OPERATORS and not is_loose and not is_of_prose:
            return False
        if bare[-1] in "-–—":
            return is_apart and not is_series
        sentence = bare[_sentence_start(bare) :]
        if not is_apart:
            return self._can_be_glued(bare, sentence, end, is_series=is_series, is_known=is_known)
        return self._can_be_apart(
            bare, sentence, start, end, is_series=is_series, is_known=is_known
        )

    def _can_be_glued(
        self, bare: str, sentence: str, end: int, *, is_series: bool, is_known: bool
    ) -> bool:
        """Say whether it can belong to a word that it stands right behind."""
        last = bare[-1]
        if last in "([{":
            return last == "(" and bare[-2:-1] in ("", *BLANKS) and not is_series
        if last in "\"'`":
            return is_known and self._ends_here(end)
        if last in _STOPS + "”’»*_":
            # `vec![1]` is a macro, `![1]` a picture.
            name = _LAST_WORD.search(bare.rstrip("!"))
            is_macro = last == "!" and (name is None or name.group() in CODE_NAMES)
            return not is_macro and (is_known or last in _ENDS)
        # `f(x)[1]` is a call; an aside in parentheses has a blank before it and a few letters in
        # it.
        if last in ")]}":
            opened = bare.rfind("(")
            inside = bare[opened + 1 : -1]
            is_aside = last == ")" and opened > 0 and bare[opened - 1] in BLANKS and len(inside) > 2
            return is_aside and is_known and self._ends_here(end)
        if _is_unspaced(last):
            return not (bare.endswith(WIDE_SERIES) and (is_series or not self._ends_here(end)))
        token = bare[max(bare.rfind(" "), bare.rfind("\t"), bare.rfind("\u00a0")) + 1 :]
        token = token.lstrip(_OPENING_QUOTES + "([*_")
        if last.isdecimal() or last == "%":
            digits = token.replace(",", "").replace(".", "").rstrip("%")
            # Behind a short plain number brackets are a unit's or a power's; behind a year or 1,462
            # they cite.
            is_number = digits.isdecimal() and (len(digits) >= _YEAR_DIGITS or token != digits)
            return is_number and is_known and self._ends_here(end)
        is_word = is_known and self._is_word_of_prose(token, sentence, end)
        return is_word and (not is_series or self._ends_here(end))

    def _is_word_of_prose(self, token: str, sentence: str, end: int) -> bool:
        """Say whether what stands right before is a word, and no name of a program."""
        letters = "".join(char for char in token if not unicodedata.combining(char))
        is_word = all(part.isalpha() for part in re.split(r"[-'’]", letters) if part)
        if not is_word or len(token) < 2 or token.casefold() in CODE_NAMES:
            return False
        if _CAMEL.search(token) or (token.isupper() and not self._ends_here(end)):
            return False
        if self._text[end : end + 1] == ";" and self._text[end + 1 : end + 2] in ("", "\n"):
            return False
        words = {word.casefold() for word in _WORD.findall(sentence)}
        return not words & CODE_CONTEXT and not self._is_indexed_again(token, end)

    def _is_indexed_again(self, token: str, end: int) -> bool:
        """Say whether the same word has another number in brackets, as the name of an array has."""
        near = self._text[max(0, end - _LOOKED_BACK) : end + _LOOKED_BACK]
        # No source has the number 0, so it is an array, and so is the same word with another
        # number.
        if f"{token}[0]" in near:
            return True
        return near.count(f"{token}[") > 1 and not self._ends_here(end)

    def _can_be_apart(
        self, bare: str, sentence: str, start: int, end: int, *, is_series: bool, is_known: bool
    ) -> bool:
        """Say whether it can stand behind a word and a space."""
        if self._is_joined(bare, sentence, start):
            return False
        found = _LAST_WORD.search(bare)
        word = found.group().casefold() if found else ""
        if is_series:
            is_clear = is_known or self._ends_here(end) or self._goes_on(end)
            return is_clear and self._can_be_series(bare, sentence, start, end, word)
        if self._ends_here(end):
            # `return [1]` is all of a line of code.
            is_alone = sentence.strip().casefold() == word
            return (is_known and not is_alone) or word not in PLACES | SERIES | EQUALS
        if word in PLACES | SERIES | EQUALS - _BEING or (word in _BEING and self._goes_on(end)):
            return False
        return self._goes_on(end) if not is_known else not _REGEX_SIGNS.search(sentence)

    def _is_joined(self, bare: str, sentence: str, start: int) -> bool:
        """Say whether an `and` or a comma joins it to a bracket that is text."""
        found = _LAST_WORD.search(bare)
        if bare[-1] in ",;":
            joined = bare[:-1]
        elif found and found.group().casefold() in _JOINERS:
            joined = bare[: found.start()].rstrip()
        else:
            return False
        begin = start - len(sentence) - 1
        place = blanks_before(self._text, start) - (len(bare) - len(joined))
        return place in self._refused or self._last_refused > begin

    def _can_be_series(self, bare: str, sentence: str, start: int, end: int, word: str) -> bool:
        """Say whether a list or a range cites behind a word, and is not what that speaks of."""
        if _is_unspaced(bare[-1]):
            return not bare.endswith(WIDE_SERIES)
        if word in SERIES or word in PLACES or self._is_beside_values(sentence, start, end):
            return False
        words = [w.casefold() for w in _WORD.findall(sentence)]
        if word in OPERATIONS:
            return bool({*words[-3:-1]} & CITING)
        if word in _NAMING_SOURCES:
            return True
        if bare[-1] in _ENDS and self._text[end : end + 3].lstrip(BLANKS)[:1].islower():
            return False
        if len(words) < _LEAST_WORDS or bare[-1] == "(":
            return bare[-1] == "(" and len(words) >= _LEAST_WORDS
        return not _REGEX_SIGNS.search(sentence)

    def _is_beside_values(self, sentence: str, start: int, end: int) -> bool:
        """Say whether a sentence has another bracket that is none of sources: `[0, 1]`, `(0, 1]`."""
        if self._last_refused > start - len(sentence) - 1 or _ODD_BRACKET.search(sentence):
            return True
        return _VALUES_BEHIND.match(self._text, end) is not None

    def _goes_on(self, end: int) -> bool:
        """Say whether another clause follows, and not what the bracket would be an attribute of."""
        found = _WORD.match(self._text, end + 1) if self._text[end : end + 1] in BLANKS else None
        return found is not None and found.group().casefold() in {
            "and", "or", "but", "while", "und", "oder", "aber", "et", "mais", "y", "pero", "e", "ma", "mas", "и", "но",
        }  # fmt: skip

    def _ends_here(self, end: int) -> bool:
        """Say whether a sentence, a clause, a cell or the line ends behind it."""
        # Twelve characters: closing quotes and emphasis, and what stands behind them.
        rest = self._text[end : end + 12].lstrip(_CLOSING)
        if not rest or rest[0] in "\n" + _STOPS:
            return True
        rest = rest.lstrip(BLANKS)
        return not rest or rest[0] in "\n|–—"

    def _is_labelled(self, before: str) -> bool:
        found = _LABELLED_COLON.search(before)
        return found is not None and found["label"].casefold() in _NAMING_SOURCES


def formulas(text: str, *, is_sure: bool = False) -> list[Span]:
    """Return the stretches of mathematics. `is_sure` leaves out what may be prices, or words in brackets."""
    spans: list[Span] = []
    for found in _MATH.finditer(text):
        if found["raised"]:
            continue
        if found["name"]:
            end = text.find(f"\\end{{{found['name']}}}", found.end(), found.end() + 4000)
            spans.append((found.start(), end if end >= 0 else found.end()))
        elif not (found.group().startswith("\\[") and _ONLY_NUMBERS.fullmatch(found.group())):
            spans.append(found.span())
    return [(a, b) for a, b in spans if not is_sure or _is_tex(text[a:b])]


def _is_tex(text: str) -> bool:
    return "`" not in text and bool(_TEX.search(text) or not _PROSE.search(text))


def _groups(text: str) -> list[Span]:
    """Return the records in braces and the lists of literals in brackets."""
    spans: list[Span] = []
    opened: list[int] = []
    # A stack, for records nest. A blank line ends them: one that is open counts up to there.
    for found in _GROUPS.finditer(text):
        at, sign = found.start(), found.group()
        if sign == "\n":
            if text.startswith("\n", at + 1):
                spans += _unclosed(text, opened, at)
                opened.clear()
        elif sign in "[{":
            opened.append(at)
        elif opened and {"]": "[", "}": "{"}[sign] == text[opened[-1]]:
            begin = opened.pop()
            is_record = sign == "}" and not _is_command(text, begin)
            if is_record or (sign == "]" and _is_nested(text, begin, at)):
                spans.append((begin, at + 1))
    spans += _unclosed(text, opened, len(text))
    return spans


def _unclosed(text: str, opened: Sequence[int], end: int) -> list[Span]:
    """Return the record that is open at the end of a paragraph, as one that is still being written."""
    for at in opened:
        if text[at] == "{" and text[at + 1 :].lstrip()[:1] in "\"'[{" and text[at + 1 : at + 2]:
            return [(at, end)]
    return []


def _is_command(text: str, at: int) -> bool:
    """Say whether braces hold what a command or a caret cites: `\\\\cite{1}`."""
    begin = at
    while begin and at - begin < 20 and text[begin - 1].isalpha():
        begin -= 1
    return (begin < at and text[begin - 1 : begin] == "\\") or text[at - 1 : at] == "^"


def _is_nested(text: str, begin: int, end: int) -> bool:
    """Say whether brackets hold brackets as data does, and not as the two pairs of `[[1]]`."""
    # Bounded: brackets that nest deeply would each be read to their end.
    inner = text[begin + 1 : min(end, begin + 2000)]
    if not any(sign in inner for sign in "[{\"'"):
        return False
    is_double = inner.startswith("[") and inner.find("]") == len(inner) - 1
    return inner.lstrip()[:1] in _LITERAL_BEGINS and not is_double


def _sentence_start(bare: str) -> int:
    """Return where the sentence begins that a text ends in."""
    body = bare.rstrip(_STOPS + '"”’»*_ ')
    return max(
        (body.rfind(stop) + len(stop) for stop in (". ", "! ", "? ", "。", "\n") if stop in body),
        default=0,
    )


def _is_unspaced(char: str) -> bool:
    """Say whether a letter is of a script that parts no words, or sets markers without a space."""
    return is_wide(char) or _UNSPACED.match(char) is not None


def is_wide(char: str) -> bool:
    """Say whether a letter is of East Asia: markers stand behind it without a space."""
    return "\u2e80" <= char <= "\ud7ff" or "\uf900" <= char <= "\ufaff" or char >= "\uff00"


def blanks_before(text: str, at: int) -> int:
    """Return where the blanks begin that end at a place."""
    # A loop, and no slice that is stripped: this is asked for each marker of a long text.
    while at and text[at - 1] in BLANKS:
        at -= 1
    return at


ANY_NUMBER = frozenset(range(1, MOST_NUMBER + 1))
_MOST_INVENTED = 99
"""No model invents a source of a higher number; `[404]` is something else."""
# What a model sets around a whole citation goes with it.
_WRAPPERS = (
    ("**", "**"), ("__", "__"), ("*", "*"), ("_", "_"), ("(", ")"), ("\uff08", "\uff09"), ("<sup>", "</sup>"),
    ("<cite>", "</cite>"), ("^", "^"),
)  # fmt: skip
# Between two forms of one run; in a range over two brackets, `[1]–[3]`; in `[1] and [2]`.
_GAP = lazy_re(r"[ \t]{0,2}[,;、]?[ \t]{0,2}")
_SPAN_GAP = lazy_re(r"[ \t]?[–—~-][ \t]?|[ \t](?:to|through|bis)[ \t]")
_AND_GAP = lazy_re(r"[ \t](?:and|und|et|y|e|и|og|och|en|i)[ \t]")


@dataclass(frozen=True, slots=True)
class MarkerRun:
    """Citations that stand together from `start` to `end`, with what is around them.

    `numbers` are the known sources in order, `unknown` counts the numbers and ranges that name others.
    """

    start: int
    end: int
    numbers: tuple[int, ...]
    unknown: int
    forms: tuple[MarkerForm, ...]


def marker_runs(
    text: str, known: Collection[int] | None, code: Sequence[Span]
) -> Iterator[MarkerRun]:
    """Yield the citations of a text in order; `known` are the numbers of the sources, any if None."""
    found = list(forms(text))
    if not found:
        return
    numbers = ANY_NUMBER if known is None else known
    around = MarkerContext(text, code)
    run: list[MarkerForm] = []
    for form in found:
        is_literal = around.is_literal(form.start)
        if is_literal or not _may_cite(form, numbers):
            yield from _settled(text, run, numbers, around)
            if not is_literal:
                around.refuse(form)
            run = []
            continue
        if run and not _belongs(text, run[-1], form, numbers, around):
            yield from _settled(text, run, numbers, around)
            run = []
        run.append(form)
    yield from _settled(text, run, numbers, around)


def _settled(
    text: str, run: Sequence[MarkerForm], known: Collection[int], around: MarkerContext
) -> Iterator[MarkerRun]:
    if not run:
        return
    start, end = _unwrapped(text, run[0].start, run[-1].end)
    ranges = _ranges(text, run)
    named = [n for low, high in ranges for n in range(low, high + 1)]
    is_known = all(n in known for n in named)
    if not around.can_cite(run, (start, end), is_known=is_known):
        # A power or a formula beside a citation is none, and takes nothing from it: `40 m² [1]`.
        kinds = [list(alike) for _, alike in groupby(run, key=lambda form: form.kind)]
        for alike in kinds if len(kinds) > 1 else ():
            yield from _settled(text, alike, known, around)
        for form in run if len(kinds) == 1 else ():
            around.refuse(form)
        return
    numbers = dict.fromkeys(n for n in named if n in known)
    unknown = sum(any(n not in known for n in range(low, high + 1)) for low, high in ranges)
    yield MarkerRun(start, end, tuple(numbers), unknown, tuple(run))


def _may_cite(form: MarkerForm, known: Collection[int]) -> bool:
    """Say whether what it names can be sources."""
    if any(low > high for low, high in form.ranges):
        return False
    numbers = form.numbers
    if form.has_label or form.kind is FormKind.COMMAND:
        return any(n in known for n in numbers) or max(numbers) <= _MOST_INVENTED
    # A raised number of no source is a power or a footnote.
    if form.kind is FormKind.RAISED:
        return all(n in known for n in numbers)
    if form.is_series:
        is_possible = min(numbers) > 0 and max(numbers) <= max(_MOST_INVENTED, *known, 0)
        return (
            is_possible and len(set(numbers)) == len(numbers) and any(n in known for n in numbers)
        )
    return numbers[0] in known or 0 < numbers[0] <= _MOST_INVENTED


def _belongs(
    text: str, before: MarkerForm, form: MarkerForm, known: Collection[int], around: MarkerContext
) -> bool:
    """Say whether two forms are one run."""
    if _GAP.fullmatch(text, before.end, form.start):
        return True
    # The longest word between two forms: further apart they are two citations.
    if form.start - before.end > len(" through ") or before.is_series or form.is_series:
        return False
    # A range needs all that is between: `[1]–[9]` with three sources is none.
    first, last = before.numbers[0], form.numbers[0]
    if _SPAN_GAP.fullmatch(text, before.end, form.start):
        return first < last and all(n in known for n in range(first, last + 1))
    return bool(_AND_GAP.fullmatch(text, before.end, form.start)) and around.ends_clause(
        before, form
    )


def _ranges(text: str, run: Sequence[MarkerForm]) -> list[Span]:
    """Return the ranges that a run names; `[1]-[3]` is one."""
    ranges: list[Span] = []
    for i, form in enumerate(run):
        if i and _SPAN_GAP.fullmatch(text, run[i - 1].end, form.start):
            ranges[-1] = (ranges[-1][0], form.ranges[0][1])
        else:
            ranges += form.ranges
    return ranges


def _unwrapped(text: str, start: int, end: int) -> Span:
    """Return a marker's span with the brackets or emphasis right around it."""
    # Each pair may stand around another: `**([1])**`.
    for _ in range(len(_WRAPPERS)):
        for opening, closing in _WRAPPERS:
            if text.endswith(opening, 0, start) and text.startswith(closing, end):
                start, end = start - len(opening), end + len(closing)
    return start, end
