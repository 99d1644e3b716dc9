"""Markdown: its white space in order, its blocks of code apart from what is between them, and raised or struck text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from askance.domain.patterns import lazy_re
from askance.extract.text.characters import is_plain, strip_invisible

_SPACES = lazy_re(r" [^\S\n]++|[^\S\n ][^\S\n]*+")  # but for one that is one already
_LINE_EDGES = lazy_re(r" ?\n ?")
_BLANK_LINES = lazy_re(r"\n{3,}")
_IMAGE = lazy_re(r"!\[([^\[\]\n]*)\]\([^()\n]*\)")
_FENCE = lazy_re(r"([ \t>]{0,8})(`{3,}+|~{3,}+)([^`\n]*)$")
FENCES = ("```", "~~~")
"""With which a block of code begins that stands between fences."""
_TICKS = lazy_re("`{3,}+")
_CODE_INDENTS = ("    ", "\t")
_ITEM = lazy_re(r"[ \t>]{0,8}(?:[-+*]|\d{1,9}[.)])[ \t]")


def tidy_text(text: str) -> str:
    """Return a text with its white space in order, and without invisible characters or images."""
    if "![" in text:
        text = _IMAGE.sub(r"\1", text)
    # Most texts have nothing to be put in order, which is known sooner than each pattern looks.
    spaced = text
    if "  " in text or not is_plain(text):
        spaced = _SPACES.sub(" ", strip_invisible(text))
    if " \n" in spaced or "\n " in spaced:
        spaced = _LINE_EDGES.sub("\n", spaced)
    if "\n\n\n" in spaced:
        spaced = _BLANK_LINES.sub("\n\n", spaced)
    return spaced.strip()


def tidy_line(text: str) -> str:
    """Return a text on one line, without invisible characters or images."""
    if "![" in text:
        text = _IMAGE.sub(r"\1", text)
    return " ".join(strip_invisible(text).split())


def picture_label(text: str) -> str:
    """Return what a picture says to those who do not see it, as a text that says what it is."""
    return f"[Picture: {line}]" if (line := " ".join(text.split())) else ""


def fenced(code: str, syntax: str = "") -> str:
    """Return code between fences that it does not hold itself, with its language if that is known."""
    longest = max((len(mark) for mark in _TICKS.findall(code)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{syntax}\n{code}\n{fence}"


def code_apart(text: str) -> Iterator[tuple[bool, str]]:
    """Yield a Markdown text in parts: blocks of code to the letter, and what is between them.

    Code stands between fences, or is indented outside of a list. What is between fences that stand further
    in, as in a list, loses as much of its indentation.
    """
    lines: list[str] = []
    fence = indent = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if fence:
            # A fence is closed by one of the same sign that is at least as long (CommonMark 4.5).
            if mark and mark[2].startswith(fence) and not mark[3].strip():
                yield True, "\n".join([*lines, line.strip(" \t>")])
                lines, fence = [], ""
            else:
                lines.append(_outdented(line, indent).rstrip())
        elif mark:
            yield from _indented_apart(lines)
            lines, fence, indent = [line.strip(" \t>")], mark[2], mark[1]
        else:
            lines.append(line)
    if fence:
        yield True, "\n".join(lines).rstrip()
    else:
        yield from _indented_apart(lines)


def _outdented(line: str, indent: str) -> str:
    """Return a line of code without what stands before its fence, too, or so much of that as it has."""
    same = next(
        (i for i, (a, b) in enumerate(zip(line, indent, strict=False)) if a != b), len(indent)
    )
    return line[same:]


def _indented_apart(lines: list[str]) -> Iterator[tuple[bool, str]]:
    gathered: list[str] = []
    is_code = in_list = False
    for line in lines:
        if line.strip():
            # Indented code interrupts no paragraph, and in a list it is the item's (4.4, 5.2).
            begins = not in_list and not (gathered and gathered[-1].strip())
            now = line.startswith(_CODE_INDENTS) and (is_code or begins)
            if now is not is_code:
                yield is_code, "\n".join(gathered).rstrip()
                gathered, is_code = [], now
            in_list = bool(_ITEM.match(line)) or (in_list and line[0] in " \t")
        gathered.append(line.rstrip() if is_code else line)
    yield is_code, "\n".join(gathered).rstrip()


# Raised, lowered and struck text in a line: powers, ordinals, signs of notes, formulas of chemistry.
#
# A line without marks for them reads 10<sup>5</sup> as 105, and a note at a word as a part of it.

_EXPONENT = lazy_re(
    r"[+\-\u2212\u2013]?(?:\w{1,12}|\d{1,12}[.,]\d{1,12})[+\-\u2212]?|[+\-\u2212\u2013]"
)
_NOTE = lazy_re(
    r"[\[(]?(?:\d{1,3}|[a-z])(?:[,\-\u2013;\s]{1,3}(?:\d{1,3}|[a-z])){0,20}[\])]?", re.IGNORECASE
)
_BRACKETED = lazy_re(r"[\[(].{0,100}[\])]", re.DOTALL)
_NUMBER = lazy_re(r"[+\-\u2212\u2013]?\d{1,12}(?:[.,]\d{1,12})?[+\-\u2212]?|[+\-\u2212]")
_CENTS = lazy_re(r"\d\d|[-\u2013\u2014]{1,2}")
_PRICE = lazy_re(r"[$\u20ac\u00a3\u00a5\u20b9]\s?\d{1,6}(?:[.,]\d{3}){0,3}$")
# Behind cents; a power of ten may stand before a currency, too.
_CURRENCY = lazy_re(r"\s?(?:[$\u20ac\u00a3\u00a5\u20b9]|(?:EUR|USD|GBP|CHF|kr|z\u0142|K\u010d)\b)")
_TEN = lazy_re(r"(?<!\d)10$")
# Numbers that nobody raises to a power: years, and those with their thousands apart.
_IN_GROUPS = lazy_re(r"(?<!\d)\d{1,3}(?:[.,]\d{3}){1,4}$")
_YEAR = lazy_re(r"(?<![\d.,])(?:1[5-9]|20)\d\d$")
_ORDINALS = frozenset({
    "st", "nd", "rd", "th", "er", "re", "e", "\u00e8me", "eme", "\u00e8re", "ere", "nde", "d", "de", "o", "a", "os", "as",
    "\u00ba", "\u00aa", "ra", "ro", "do", "da", "to", "ta", "mo", "vo", "no", "r", "ers", "es", "\u00e8mes",
})  # fmt: skip
_TRADE_MARKS = frozenset(
    {"tm", "sm", "\u2122", "\u2120", "\u00ae", "\u00a9", "(r)", "(tm)", "mc", "md"}
)
_SYMBOLS = lazy_re(r"[*\u2020\u2021\u00a7\u00b6#\u2016\u00b0\u2032\u2033'\"]{1,4}")
_ROMAN = lazy_re(r"[IVXLCDM]{1,8}$")
_LAST_WORD = lazy_re(r"[^\W\d_]{1,40}$")
_UNITS = frozenset({
    "m", "cm", "mm", "km", "dm", "nm", "\u00b5m", "\u03bcm", "um", "pm", "ft", "in", "yd", "mi", "s", "sec", "min", "h", "hr", "d",
    "g", "kg", "mg", "\u00b5g", "t", "l", "ml", "dl", "mol", "n", "pa", "hpa", "kpa", "j", "kj", "k", "c", "w", "kw", "mw", "v", "a",
    "hz", "px", "au", "pc", "ly", "yr", "ha", "feet", "foot", "inch", "inches", "sq", "meter", "metre", "metres", "meters",
    "sin", "cos", "tan", "log", "ln", "exp", "cot", "csc", "mc", "xy", "ab", "bc", "ac", "dx", "dt", "qm",
})  # fmt: skip
# Symbols of ions, as far as two letters may stand for a word as well.
_ELEMENT = lazy_re(r"(?:[A-Z][a-z]?|[A-Z][a-zA-Z]{0,10}\d?[\d)]*)$")
_CHARGE = lazy_re(r"\d{0,2}[+\-\u2212\u2013]{1,3}|[+\-\u2212\u2013]\d{1,2}")
_ISOTOPE = lazy_re(r"[A-Z][a-z]?(?![a-zA-Z])")
_SLASHES = ("/", "\u2044", "\u2215")
# What follows the upper number of a fraction. A slash before a letter is one between units: m^3/s.
_OF_FRACTION = lazy_re(r"\s{0,2}[/\u2044\u2215](?!\s?[^\W\d_])")
_LONGEST_MARK = 24
# The end of a sentence or clause that was raised or lowered with the letters before it.
_ENDS_CLAUSE = ".,;:"
# What stands around such a text until its line is whole: no XML has these controls.
RAISED, LOWERED, STRUCK_THROUGH = "\x1c", "\x1d", "\x1f"
_ENDS = {RAISED: "\x1e", LOWERED: "\x1e", STRUCK_THROUGH: STRUCK_THROUGH}
# One text may stand in several parts: programs part it where a word is misspelt.
_SCRIPTED = lazy_re("([\x1c\x1d])[^\x1c-\x1e]*+\x1e(?:\\1[^\x1c-\x1e]*+\x1e|)*+")
_STRUCK_TEXT = lazy_re("\x1f([^\x1f]*+)\x1f")
_MARKS = lazy_re("[\x1c-\x1f]")
# So much of a line beside a raised text says what it is.
_NEAR = 40


def raised(before: str, text: str, after: str, *, is_note: bool = False, index: str = "") -> str:
    """Return a raised text as it stands in a line between two others, with the space before it if it needs one.

    `is_note` says that the page itself calls it the sign of a note. `index` is a lowered text right before it.
    """
    last = before[-1:]
    if not text:
        return ""
    # Before all guesses: "10<sup>5</sup>" in a link to a note is note 5 at a 10.
    if is_note:
        return _note(last, text)
    bare = text.rstrip(_ENDS_CLAUSE)
    if ending := text[len(bare) :]:
        return raised(before, bare, f"{ending}{after}", index=index) + ending
    if not last or last.isspace() or last in "([{\u201e\u201c\"'~":
        return text if not after[:1].isalnum() or _ISOTOPE.match(after) else f"{text} "
    if text.lower() in _TRADE_MARKS or _SYMBOLS.fullmatch(text) or last in _SLASHES:
        return text
    # A fraction in small type: 2<sup>1</sup>/<sub>2</sub> is "2 1/2", not "21/2".
    if text.isdigit() and _OF_FRACTION.match(after):
        return f" {text}" if last.isalnum() else text
    # x<sub>i</sub><sup>2</sup>: no note stands at an index of letters.
    if index.isalpha() and _NUMBER.fullmatch(text):
        found = _power(text)
    elif last.isdigit():
        found = _behind_number(before, text, after)
    elif word := _LAST_WORD.search(before):
        found = _behind_word(word[0], before, text)
    else:
        found = _behind_sign(last, text)
    # What follows a power is not of it: 2^n m is not 2^nm.
    is_open = found.startswith("^") and found[-1].isalnum() and after[:1].isalnum()
    return f"{found} " if is_open else found


def lowered(before: str, text: str, after: str) -> str:
    """Return a lowered text as it stands in a line between two others."""
    bare = text.rstrip(_ENDS_CLAUSE)
    if ending := text[len(bare) :]:
        return lowered(before, bare, f"{ending}{after}") + ending
    last, follower = before[-1:], after[:1]
    if not text or not last or last.isspace() or last in _SLASHES:
        return text
    if not text.isalnum():
        return (
            f"_{_grouped(text)}"
            if _EXPONENT.fullmatch(text) or len(text) <= _LONGEST_MARK
            else f" {text}"
        )
    if last.isdigit():
        return f"_{text}"
    # C<sub>2</sub>5 would be read as C25.
    if follower.isdigit():
        return f"_{text} "
    return text


def with_marks(text: str, marks: str) -> str:
    """Return a text with marks around it for `marks_as_text`: `RAISED` or `LOWERED`, `STRUCK_THROUGH`, both, or none."""
    for mark in sorted({*marks}) if text else ():
        # A part that is struck through already would end this mark.
        inner = text.replace(mark, "") if mark == STRUCK_THROUGH else text
        text = f"{mark}{inner}{_ENDS[mark]}"
    return text


def without_marks(text: str) -> str:
    """Return a text without the controls that are marks here: RTF may have any of them as letters."""
    return _MARKS.sub("", text)


def marks_as_text(line: str) -> str:
    """Return a line without the marks around its texts (`with_marks`): 10^5 is not 105, and ~~120~~ is no price."""
    if not _MARKS.search(line):
        return line
    # Of what is struck through each piece has marks of its own.
    line = line.replace(f"{STRUCK_THROUGH}{STRUCK_THROUGH}", "")
    pieces: list[tuple[str, str]] = []
    place = 0
    for found in _SCRIPTED.finditer(line):
        if found.start() > place:
            pieces.append(("", line[place : found.start()]))
        pieces.append((found[1], without_marks(found[0])))
        place = found.end()
    pieces += [("", line[place:]), ("", "")]
    made: list[str] = []
    before = index = ""
    for (script, text), (next_script, after) in pairwise(pieces):
        # As on pages: the charge of SO4^2- does not stand beside the 4.
        after = "" if next_script else after
        if bare := text.strip() if script else "":
            begin, _, end = text.partition(bare)
            before = without_marks(f"{before}{begin}")[-_NEAR:]
            after = without_marks(f"{end}{after}"[: 2 * _NEAR])[:_NEAR]
            shown = (
                lowered(before, bare, after)
                if script == LOWERED
                else raised(before, bare, after, index=index)
            )
            text = f"{begin}{shown}{end}"
        made.append(text)
        before = f"{before}{text}"[-_NEAR:]
        index = bare if script == LOWERED else ""
    return without_marks(_STRUCK_TEXT.sub(struck, "".join(made)))


def struck(found: re.Match[str]) -> str:
    """Return what stands for a text that is struck through, the first group: strokes around it, and no space within them."""
    text = found[1]
    inner = text.strip()
    start = text.index(inner)
    return f"{text[:start]}~~{inner}~~{text[start + len(inner) :]}" if inner else text


def _behind_number(before: str, text: str, after: str) -> str:
    if text.lower() in _ORDINALS:
        return text
    # Shops raise the cents: $19<sup>99</sup>. 10<sup>6</sup> € is a power all the same.
    is_price = _PRICE.search(before) or (_CURRENCY.match(after) and not _TEN.search(before))
    if is_price and _CENTS.fullmatch(text):
        return f".{text}" if text.isdigit() else text
    # "in 1871<sup>2</sup>": nobody takes a year to a power.
    if _NOTE.fullmatch(text) and (_YEAR.search(before) or _IN_GROUPS.search(before)):
        return f" {_bracketed(text)}"
    return _power(text)


def _behind_sign(last: str, text: str) -> str:
    if last in ")]}|\u2019'\u2032" and _NUMBER.fullmatch(text):
        return _power(text)
    return _note(last, text)


def _behind_word(word: str, before: str, text: str) -> str:
    if _CHARGE.fullmatch(text) and _ELEMENT.search(before):
        return _power(text)
    # "m<sup>2</sup>" is a power, "lighthouse<sup>2</sup>" a note.
    is_short = len(word) == 1 or word.lower() in _UNITS
    if is_short and (
        _NUMBER.fullmatch(text) or (len(word) == 1 and len(text) == 1 and text not in "oae")
    ):
        return _power(text)
    if (
        text.isalpha()
        and (text.lower() in _ORDINALS or len(text) > 1)
        # XIX<sup>e</sup>, M<sup>me</sup>.
        and (_ROMAN.search(word) or len(word) <= 2)
    ):
        return text
    if len(word) == 1 and len(text) <= _LONGEST_MARK and not text.isalpha() and not text.isspace():
        return _power(text)
    return _note(word, text)


def _power(text: str) -> str:
    return f"^{_grouped(text)}" if len(text) <= _LONGEST_MARK else f" {text}"


def _grouped(text: str) -> str:
    return text if _EXPONENT.fullmatch(text) or _BRACKETED.fullmatch(text) else f"({text})"


def _note(last: str, text: str) -> str:
    space = " " if last and not last[-1].isspace() else ""
    return f"{space}{_bracketed(text) if _NOTE.fullmatch(text) else text}"


def _bracketed(text: str) -> str:
    return text if _BRACKETED.fullmatch(text) else f"[{text}]"
