"""Letters of a PDF page by where they stand: printed twice, raised, accents over letters, in columns or turned, with missing or false spaces.

A text that is set wide has gaps between its letters; PDFium takes some of them for spaces. The second print of
a shadow, or of fake bold, goes where PDFium leaves it. An accent that is drawn over a letter is one with it.
"""

from __future__ import annotations

import ctypes
import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice, pairwise
from statistics import median
from typing import Any

import pypdfium2_raw as api

from askance.extract.pdf.reading_order import Spans, mend_spans, origin_of, size_of
from askance.extract.text.markdown_text import raised
from askance.text.languages.scripts import CJK_RUN, HAN, KANA

# Pages are looked at letter by letter where so many of their words are single letters, or in a row, or one is doubled.
_FEWEST_SINGLE, _SINGLE_SHARE = 3, 0.2
_SINGLE = re.compile(r"(?<!\S)[^\W\d_](?!\S)")
_SINGLE_IN_A_ROW = re.compile(r"(?<!\S)(?:[^\W\d_] ){3}[^\W\d_](?!\S)")
_DOUBLED = re.compile(r"(?<!\w)\w{0,3}?(?:([^\W\d_])\1){3}")
# Without three pairs in a row none is doubled, and without these letters no words are run together: both are known sooner.
_PAIRS = re.compile(r"(.)\1(?=(.)\2(.)\3)")
_MOST_LETTERS = 20_000
_LAST_OF_ASCII = 0x7F
# Where letters are so few, those are looked for that have no width.
_FEW_LETTERS, _NO_WIDTH = 800, 0.05
# The middles of two prints of a letter are so near, as a share of its height; those of a halo are so in both directions.
_NEAR, _NEAR_OF_HALO, _BESIDE_HALO = 0.1, 0.19, 0.05
_REMEMBERED = 12
_KOREAN = re.compile("[\uac00-\ud7af]")
_IS_UTF8 = re.compile(
    f"[{''.join(f'{chr(n + 0x80)}-{chr(n + 0xBF)}' for n in range(0xCE00, 0xD200, 0x100))}]"
)
_FEWEST_CODES = 8
# Letters that are set wide stand so far apart, as a share of their height; a space is that much wider.
_WIDE, _SPACE, _WORDS_APART = 0.15, 1.6, 2.0
_FEWEST_GAPS = 4
# A mark of an Indic script, the letters before it, and a space; that is as wide as so much of the size of letters, at least.
_BEHIND_MARK = re.compile(
    "[\u0900-\u0dff\u1000-\u109f\u1780-\u17ff]{2,6}( )(?=[\u0900-\u0dff\u1000-\u109f\u1780-\u17ff])"
)
_MOST_MARKS, _NO_SPACE = 4_000, 0.1
# Of scripts without spaces between words. One of them is at least half as wide as a letter.
_UNSPACED = re.compile(f"[{HAN}{KANA}]")
_LEAST_SPACE = 0.5
# A letter stands in one column with the one above it where their middles are so near, and the gap between them is no
# wider, as shares of their size. Lines of a table that have one letter each stand further apart. Punctuation stands in a
# corner of its place, and brackets on one side.
_ASIDE, _BELOW = 0.3, 0.3
_ASIDE_OF_SIGNS, _BELOW_OF_SIGNS = 0.8, 1.0
_SIGNS = "\u3001-\u3011\uff01-\uff0f\uff1a-\uff20"
_UPRIGHT = re.compile(f"[{HAN}{KANA}{_SIGNS}]")
_SIGN = re.compile(f"[{_SIGNS}]")
# A letter that has a line of its own. Letters of a text that is turned, or runs along a curve, touch at such a gap, as a share of
# their size, and overlap as seen from their angle; the next one may be turned a little more.
_ALONE = re.compile(r"(?:^|\n)[^\r\n]\r?\n")
_LINE = re.compile(r"[^\r\n]+")
_TOUCHES, _OVERLAPS, _ALIKE_TURNED = 0.16, 0.3, 0.3
_NEARLY_DIAGONAL = 0.2
_WITHIN_WORDS = frozenset("-.,’'")
_CLOSING = frozenset(".,;:)!?'’")

# Where a raised number may begin. It is so much smaller than the letter before it, so much higher, as shares of the
# size of that letter, and no further to the right.
# Behind a slanted letter PDFium takes the way to it, which is no wider than so much, for a space or the end of a line.
_MAY_BE_RAISED = re.compile(
    r"(?=[ \r0-9+\u2212\u2013-])"
    r"(?:(?<=[^\W_])(?P<way> |\r\n)?[+\u2212\u2013-]?[0-9]|(?<=[)\]\u2019'\"\u201d.,;:!?%])[0-9])"
)
_SLANTED = 0.3
_SMALLER, _HIGHER, _WIDEST = (0.4, 0.85), (0.15, 0.8), 2.0
_SAME_HEIGHT = 0.2
_LINE_END = re.compile(r"\r\n[^\r\n]")
_MOST_RAISED_ASKED, _LONGEST_RAISED, _NEAR_LETTERS = 4_000, 100, 40


# Accents with a width of their own, and the marks that make one letter of them and another (Unicode, chapter 7.9); and
# the codes of accents in TeX's fonts as bitmaps, which name nothing (encoding OT1).
_MARKS = {
    "`": "\u0300", "\u00b4": "\u0301", "^": "\u0302", "\u02c6": "\u0302", "~": "\u0303", "\u02dc": "\u0303",
    "\u00af": "\u0304", "\u02c9": "\u0304", "\u02d8": "\u0306", "\u02d9": "\u0307", "\u00a8": "\u0308", "\u02da": "\u030a",
    "\u02dd": "\u030b", "\u02c7": "\u030c", "\u00b8": "\u0327", "\u02db": "\u0328",
    "\x12": "\u0300", "\x13": "\u0301", "\x14": "\u030c", "\x15": "\u0306", "\x16": "\u0304", "\x17": "\u030a", "\x18": "\u0327",
    "}": "\u030b", "_": "\u0307", "\x7f": "\u0308",
}  # fmt: skip
_ACCENT = re.compile(f"[{re.escape(''.join(_MARKS))}]")
_STROKES, _STROKED = re.compile(" [lL]"), {"l": "\u0142", "L": "\u0141"}
_WITHOUT_DOT = {"\u0131": "i", "\u0237": "j", "\x10": "i", "\x11": "j"}
# A font in which one of these is drawn over a letter is such a one: there other codes are letters, too.
_ONLY_TEX = frozenset("\x12\x13\x14\x15\x16\x17\x18\x7f")
_LETTERS_OF_TEX = {
    "\x0b": "ff", "\x0c": "fi", "\r": "fl", "\x0e": "ffi", "\x0f": "ffl", "\x10": "\u0131", "\x19": "\xdf", "\x1a": "\xe6", "\x1b": "\u0153",
    "\x1c": "\xf8", "\x1d": "\xc6", "\x1e": "\u0152", "\x1f": "\xd8",
}  # fmt: skip
_CODES_OF_TEX = "".join(_LETTERS_OF_TEX)
CODES_OF_TEX = _ONLY_TEX.union(_LETTERS_OF_TEX)
"""Codes that are letters and accents in the oldest fonts of TeX, and no signs in others."""
_OF_TEX = re.compile(
    f"(?<=[^\\W\\d_])[{re.escape(_CODES_OF_TEX)}]|[{re.escape(_CODES_OF_TEX)}](?=[^\\W\\d_])"
)
_MARKS_BELOW = frozenset("\u0327\u0328")
# The middle of an accent is so far from that of its letter, as a share of the letter's height.
_ACCENT_AWAY = 1.2
_MOST_ACCENTS, _BESIDE, _FAR = 4_000, 2, 150


@dataclass(frozen=True, slots=True)
class _Letter:
    """A letter by its number, and where it stands in the text; its box as it is drawn, and the edges that its font gives it.

    A space that PDFium made has no box.
    """

    number: int
    sign: str
    place: int
    is_made: bool
    left: float
    right: float
    bottom: float
    top: float
    begin: float
    end: float
    floor: float
    ceiling: float

    @property
    def height(self) -> float:
        return self.ceiling - self.floor


def sign_of(letters: Any, number: int) -> str:
    """Return a letter of a page by its number."""
    # A damaged map of a font names numbers beyond Unicode, which `chr` refuses.
    return chr(api.FPDFText_GetUnicode(letters, number) % 0x110000)


def mended(letters: Any, count: int, text: str, spans: Spans) -> str:
    """Return the text of a page without letters that are printed twice, and with spaces where they are seen.

    Letters beyond the first 65,536 are two in it, as they are for PDFium.
    """
    added = breaks(letters, count, text)
    gone = _gone(letters, count, text)
    of_tex: set[int] = set()
    for accent, base, whole in _accented(letters, text):
        added[base] = added.get(base, "") + whole
        gone |= {base, *accent}
        of_tex.update(_font(letters, n) for n in accent if text[n] in _ONLY_TEX)
    for found in islice(_OF_TEX.finditer(text), _MOST_ACCENTS) if of_tex else ():
        place = found.start()
        # The end of a line that PDFium made has no font.
        if place not in gone and _font(letters, place) in of_tex:
            added[place] = added.get(place, "") + _LETTERS_OF_TEX[found[0]]
            gone.add(place)
    for start, end, shown in _raised_texts(letters, text):
        added[start] = added.get(start, "") + shown
        gone.update(range(start, end))
    mend_spans(letters, text, spans, gone, added)
    if not added and not gone:
        return text
    return "".join(
        added.get(place, "") + ("" if place in gone else sign) for place, sign in enumerate(text)
    )


def _accented(letters: Any, text: str) -> Iterator[tuple[range, int, str]]:
    """Yield where an accent drawn over a letter stands in a text, where that letter does, and what both are together.

    TeX prints an accent and a letter where its font has no letter for both: before or behind it, moved over it. That of a capital
    letter, which is raised, PDFium puts further back, at the end of its line at the latest.
    """
    accents = [found.start() for found in islice(_ACCENT.finditer(text), _MOST_ACCENTS)]
    at = cache(partial(_letter_at, letters))
    for place in accents:
        near = [place + 1, place - 1, place + 2, place - 2]
        if not any(text[n : n + 1].isalpha() or text[n : n + 1] in _WITHOUT_DOT for n in near[:2]):
            near += range(place - _BESIDE - 1, place - _FAR, -1)
        for n in near:
            letter = _WITHOUT_DOT.get(text[n], text[n]) if 0 <= n < len(text) else ""
            whole = unicodedata.normalize("NFC", letter + _MARKS[text[place]])
            is_one = letter.isalpha() and len(whole) == 1
            # In a line that is turned an accent beside a letter is above it.
            if is_one and _is_drawn_at(at(place), at(n)) and size_of(letters, n):
                yield _with_made_spaces(at, text, place, n), n, whole
                break
    for found in _STROKES.finditer(text) if accents else ():
        stroke, base = at(found.start()), at(found.end() - 1)
        # A space that is drawn, in the oldest fonts of TeX.
        if (
            stroke.top > stroke.bottom
            and base.left < (stroke.left + stroke.right) / 2 < base.right
            and base.bottom < (stroke.bottom + stroke.top) / 2 < base.top
        ):
            yield range(found.start(), found.end() - 1), found.end() - 1, _STROKED[base.sign]


def _is_drawn_at(accent: _Letter, base: _Letter) -> bool:
    """Whether the middle of an accent is over a letter, or below it, and not beside it."""
    height = base.top - base.bottom
    above = (accent.bottom + accent.top - base.bottom - base.top) / 2
    return (
        base.left <= (accent.left + accent.right) / 2 <= base.right
        and 0 < (-above if _MARKS[accent.sign] in _MARKS_BELOW else above) <= _ACCENT_AWAY * height
    )


def _with_made_spaces(at: Callable[[int], _Letter], text: str, accent: int, base: int) -> range:
    """Return the places of an accent and of spaces beside it that PDFium made since it took the accent for a letter."""
    if abs(accent - base) > _BESIDE:
        return range(accent - (text[accent - 1] == " " and at(accent - 1).is_made), accent + 1)
    start, end = min(accent, base), max(accent, base) + 1
    if start == accent:
        way = next((way for way in (" ", "\r\n") if text.endswith(way, 0, start)), "")
        before = start - len(way) - 1
        if way and before >= 0 and at(start - 1).is_made and _is_next(at(before), at(base)):
            start = before + 1
    elif start == base and text[end : end + 1] == " " and end + 1 < len(text):
        end += at(end).is_made and _is_next(at(base), at(end + 1))
    return range(start, end)


def _is_next(one: _Letter, other: _Letter) -> bool:
    """Whether a letter follows another in a word, without a gap that is seen."""
    height = other.top - other.bottom
    return abs(other.left - one.right) < _WIDE * height and abs(other.bottom - one.bottom) < height


def _font(letters: Any, place: int) -> int:
    """Return the address of the font of a letter, 0 for one that PDFium made."""
    number = api.FPDFText_GetCharIndexFromTextIndex(letters, place)
    text = api.FPDFText_GetTextObject(letters, number)
    font = api.FPDFTextObj_GetFont(text) if text else None
    return ctypes.addressof(font.contents) if font else 0


def _letter_at(letters: Any, place: int) -> _Letter:
    return _letter(letters, api.FPDFText_GetCharIndexFromTextIndex(letters, place))


def _raised_texts(letters: Any, text: str) -> Iterator[tuple[int, int, str]]:
    """Yield where in a text a raised number begins and ends, and how it stands in a line: 10^5 is not 105."""
    done = 0
    # Digits of a number are asked for twice: as one that may be raised, and as the one before it.
    at = cache(partial(origin_of, letters))
    for found in islice(_MAY_BE_RAISED.finditer(text), _MOST_RAISED_ASKED):
        base, start = found.start() - 1, found.start() + len(found["way"] or "")
        if base < done or at(start)[1] <= at(base)[1] or not _is_raised(letters, base, start):
            continue
        height = at(start)[1]
        end = start + 1
        while (
            end < min(len(text), start + _LONGEST_RAISED)
            and not text[end].isspace()
            and abs(origin_of(letters, end)[1] - height) < _SAME_HEIGHT
        ):
            end += 1
        done = end
        # The sign of "[SPB+14]" alone, or a text of which not all has been looked at.
        if not any(map(str.isdigit, text[start:end])) or end - start == _LONGEST_RAISED:
            continue
        before, following = text[max(base - _NEAR_LETTERS, 0) : base + 1], end
        # PDFium begins a line where the letters go down again.
        if _LINE_END.match(text, end) and _is_on_line_of(letters, base, end - 1, end + 2):
            following += 2
        after = text[following : following + _NEAR_LETTERS]
        shown = raised(before, text[start:end], after)
        is_note = shown.endswith("]") and after[:1].isalpha()
        yield base + 1, following, f"{shown} " if is_note else shown


def _is_raised(letters: Any, base: int, place: int) -> bool:
    """Whether a letter that stands higher than the one before it is smaller, on a line that is not turned."""
    (left, floor), (right, height) = (origin_of(letters, n) for n in (base, place))
    if place > base + 1:
        space, first, second = (_letter_at(letters, n) for n in (base + 1, base, place))
        if not space.is_made or second.left - first.right > _SLANTED * (first.top - first.bottom):
            return False
    size, own = (size_of(letters, n) for n in (base, place))
    return (
        _SMALLER[0] * size <= own <= _SMALLER[1] * size
        and _HIGHER[0] * size <= height - floor <= _HIGHER[1] * size
        and 0 < right - left <= _WIDEST * size
    )


def _is_on_line_of(letters: Any, base: int, last: int, following: int) -> bool:
    """Whether a letter stands on the line of `base`, right behind the `last` one before it."""
    (_, height), (end, _), (begin, own) = (origin_of(letters, n) for n in (base, last, following))
    size = size_of(letters, base)
    return abs(own - height) < _SAME_HEIGHT and 0 < begin - end <= _WIDEST * size


def _gone(letters: Any, count: int, text: str) -> set[int]:
    """Return the places of letters that are printed twice, or not at all, and of spaces that are none."""
    gone = set(_unseen(letters, count)) if count <= _FEW_LETTERS else set[int]()
    if count <= _MOST_LETTERS and _ALONE.search(text):
        gone.update(_within_words(letters, text))
    gone.update(_spaces_behind_marks(letters, text))
    is_doubled = bool(_PAIRS.search(text) and _DOUBLED.search(text))
    if not (is_doubled or _has_single_letters(text)) or count > _MOST_LETTERS:
        return gone
    lines = [[each for each in line if each.place >= 0] for line in _lines(letters, count)]
    if is_doubled:
        gone.update(_printed_again(letter for line in lines for letter in line))
        lines = [[letter for letter in line if letter.place not in gone] for line in lines]
    for line in lines:
        gone.update(_no_spaces(line))
        gone.update(_spaces_of_no_width(line))
    return gone


def _spaces_behind_marks(letters: Any, text: str) -> Iterator[int]:
    """Yield the places of spaces that PDFium made behind a mark, although the letter under it reaches to the next one.

    A mark of an Indic script is drawn over its letter: back from the end of that, and the same way on after it.
    """
    for found in () if text.isascii() else islice(_BEHIND_MARK.finditer(text), _MOST_MARKS):
        place = found.start(1)
        is_mark = unicodedata.category(text[place - 1]).startswith("M")
        if not is_mark or not _letter_at(letters, place).is_made:
            continue
        right = max(_letter_at(letters, n).end for n in range(found.start(), place))
        if _letter_at(letters, place + 1).begin - right < _NO_SPACE * size_of(letters, place - 1):
            yield place


def _unseen(letters: Any, count: int) -> Iterator[int]:
    """Yield the places of letters that their font does not name, and that have no width.

    A number in ASCII is as a rule that of its letter, whether the font can draw it or not.
    """
    for n in range(count):
        if (
            api.FPDFText_GetUnicode(letters, n) > _LAST_OF_ASCII
            and api.FPDFText_HasUnicodeMapError(letters, n) == 1
            and (letter := _letter(letters, n)).end - letter.begin < _NO_WIDTH
        ):
            yield letter.place


def _within_words(letters: Any, text: str) -> Iterator[int]:
    """Yield the places of the ends of lines that PDFium makes behind letters of a vertical, turned or curved text."""
    for one, other in pairwise(_LINE.finditer(text)):
        if min(len(one[0]), len(other[0])) > 1:
            continue
        above, below = (_letter_at(letters, n) for n in (one.end() - 1, other.start()))
        if _is_next_in_column(above, below) or _is_next_on_line(letters, above, below):
            yield from range(one.end(), other.start())


def _letter(letters: Any, number: int) -> _Letter:
    edges, room = [ctypes.c_double() for _ in range(4)], api.FS_RECTF()
    api.FPDFText_GetCharBox(letters, number, *edges)
    api.FPDFText_GetLooseCharBox(letters, number, room)
    left, right, bottom, top = (edge.value for edge in edges)
    return _Letter(
        number, sign_of(letters, number), api.FPDFText_GetTextIndexFromCharIndex(letters, number),
        api.FPDFText_IsGenerated(letters, number) == 1, left, right, bottom, top,
        room.left, room.right, room.bottom, room.top,
    )  # fmt: skip


def _is_next_on_line(letters: Any, one: _Letter, other: _Letter) -> bool:
    """Whether a letter touches the one before it on a line of their angle, in letters of one size."""
    if not all(letter.sign.isalnum() or letter.sign in _WITHIN_WORDS for letter in (one, other)):
        return False
    if _UPRIGHT.match(one.sign) or _UPRIGHT.match(other.sign):
        return False
    if one.sign.isalpha() and other.sign.isdigit():  # as a number of a note behind a word
        return False
    angle, turned = (_angle(letters, letter) for letter in (one, other))
    sizes = {api.FPDFText_GetFontSize(letters, letter.number) for letter in (one, other)}
    if abs(math.remainder(angle - turned, math.tau)) > _ALIKE_TURNED or len(sizes) > 1:
        return False
    cos, sin = math.cos(angle), math.sin(angle)
    right, up = (
        (other.left + other.right - one.left - one.right) / 2,
        (other.bottom + other.top - one.bottom - one.top) / 2,
    )
    (length, height), (other_length, other_height) = (
        _turned_back(x, cos, sin) for x in (one, other)
    )
    gap = right * cos - up * sin - (length + other_length) / 2
    overlap = (height + other_height) / 2 - abs(right * sin + up * cos)
    size = max(one.end - one.begin, one.height)
    return abs(gap) <= _TOUCHES * size and overlap >= _OVERLAPS * min(height, other_height)


def _is_next_in_column(above: _Letter, below: _Letter) -> bool:
    if not (_UPRIGHT.match(above.sign) and _UPRIGHT.match(below.sign)):
        return False
    size = max(above.right - above.left, above.top - above.bottom)
    aside = abs(above.left + above.right - below.left - below.right) / 2
    gap = abs(above.bottom - below.top)
    if _SIGN.match(above.sign) or _SIGN.match(below.sign):
        return aside <= _ASIDE_OF_SIGNS * size and gap <= _BELOW_OF_SIGNS * size
    return aside <= _ASIDE * size and gap <= _BELOW * size


def _turned_back(letter: _Letter, cos: float, sin: float) -> tuple[float, float]:
    """Return how long and high a letter is, of which the box around it is known as it stands turned."""
    wide, high = letter.right - letter.left, letter.top - letter.bottom
    cos, sin = abs(cos), abs(sin)
    if abs(cos - sin) < _NEARLY_DIAGONAL:  # where the box says nothing of the letter
        return wide * cos, high * cos
    scale = cos * cos - sin * sin
    return (wide * cos - high * sin) / scale, (high * cos - wide * sin) / scale


def without_utf8_codes(text: str) -> str:
    """Return a text whose letters of two bytes were taken for Korean: some programs number letters as UTF-8 does.

    All Korean letters of a page lie where only such codes do, and make letters of another script.
    """
    found = set(_KOREAN.findall(text))
    if len(found) < _FEWEST_CODES or not all(_IS_UTF8.match(sign) for sign in found):
        return text
    letters = {ord(sign): ord(sign).to_bytes(2, "big").decode("utf-8") for sign in found}
    return text.translate(letters) if all(map(str.isalpha, letters.values())) else text


def _has_single_letters(text: str) -> bool:
    if _SINGLE_IN_A_ROW.search(text):
        return True
    single = sum(1 for _ in _SINGLE.finditer(text))
    return single >= _FEWEST_SINGLE and single >= _SINGLE_SHARE * len(text.split())


def _lines(letters: Any, count: int) -> Iterator[list[_Letter]]:
    """Yield the lines of a page as PDFium has them."""
    line: list[_Letter] = []
    for letter in (_letter(letters, n) for n in range(count)):
        if letter.sign not in "\r\n":
            line.append(letter)
        else:
            yield line
            line = []
    yield line


def _printed_again(letters: Iterable[_Letter]) -> Iterator[int]:
    """Yield the places of letters that stand upon the same letter."""
    before: dict[str, list[_Letter]] = {}
    for letter in letters:
        if letter.sign.isspace():
            continue
        known = before.setdefault(letter.sign, [])
        if any(_is_near(letter, other) for other in known):
            yield letter.place
        else:
            known.append(letter)
            del known[:-_REMEMBERED]


def _is_near(one: _Letter, other: _Letter) -> bool:
    height = min(one.top - one.bottom, other.top - other.bottom)
    aside = abs(one.left + one.right - other.left - other.right) / 2
    above = abs(one.bottom + one.top - other.bottom - other.top) / 2
    is_halo = min(aside, above) >= _BESIDE_HALO * height
    return max(aside, above) <= (_NEAR_OF_HALO if is_halo else _NEAR) * height


def _no_spaces(line: Sequence[_Letter]) -> Iterator[int]:
    """Yield the places of spaces that PDFium made where letters stand as far apart as all others of a line."""
    heights = [letter.top - letter.bottom for letter in line if letter.sign.isalnum()]
    if not heights or not _WIDE * median(heights) <= (usual := _usual_gap(line)) <= median(heights):
        return
    for a, space, b in zip(line, line[1:], line[2:], strict=False):
        is_between = a.sign.isalnum() and (b.sign.isalnum() or b.sign in _CLOSING)
        if space.is_made and is_between and 0 < b.left - a.right <= _SPACE * usual:
            yield space.place


def _usual_gap(line: Sequence[_Letter]) -> float:
    """Return how far letters of a word stand apart in a line; 0 where that cannot be said for sure."""
    shown = [(letter, False) for letter in line[:1]]
    shown += [(b, a.is_made) for a, b in pairwise(line) if not b.is_made]
    gaps = [
        (b.left - a.right, is_parted)
        for (a, _), (b, is_parted) in pairwise(shown)
        if a.sign.isalnum() and b.sign.isalnum() and b.left > a.left
    ]
    within = [gap for gap, is_parted in gaps if not is_parted]
    if len(within) >= _FEWEST_GAPS:
        return median(within)
    # All letters stand apart: those of a word are half as far from each other as words, at most.
    every = sorted(gap for gap, _ in gaps if gap > 0)
    for n in range(_FEWEST_GAPS, len(every)):
        if every[n] >= _WORDS_APART * every[n - 1]:
            return median(every[:n])
    return 0.0


def _spaces_of_no_width(line: Sequence[_Letter]) -> Iterator[int]:
    """Yield the places of spaces between letters of a script without spaces that nobody sees."""
    for a, space, b in zip(line, line[1:], line[2:], strict=False):
        if not (space.sign == " " and _UNSPACED.match(a.sign) and _UNSPACED.match(b.sign)):
            continue
        is_below = abs(a.left + a.right - b.left - b.right) < a.right - a.left
        gap = a.bottom - b.top if is_below else b.left - a.right
        size = max(a.right - a.left, a.top - a.bottom)
        if -size < gap < _LEAST_SPACE * size:
            yield space.place


# Words of a PDF page that PDFium runs together although a gap, or another line, is seen between them.
#
# PDFium tells words apart by the widths of letters; it misses gaps in tight headings, in fonts without widths, and where
# letters are placed one by one. Here a gap counts that is clearly wider than the usual one of its line.

# Short pages are looked at letter by letter (slides, labels, covers, forms), and those that have too few spaces.
_LETTERS_A_SPACE = 12
# Words that were run together show where a name, a bracket or a quote stands within one: "theFederal", ")then".
_RUN_TOGETHER = re.compile(r"[^\W\d_A-Z][A-Z][^\W\d_A-Z]|[)\]\u201d][^\W\d_]{2}")
# The same, but found sooner: it begins with the rarer sign. Where it finds few, so does the other.
_MAY_RUN_TOGETHER = re.compile(
    r"[A-Z)\]\u201d](?:(?<=[^\W\d_A-Z][A-Z])[^\W\d_A-Z]|(?<=[)\]\u201d])[^\W\d_]{2})"
)
_FEWEST_RUN_TOGETHER, _RUN_TOGETHER_SHARE = 3, 0.01
# Shares of the height of a line. A gap between words is so much wider than the usual one, both between the letters
# as they are drawn and between the widths that their font gives them.
_WIDER = 0.1
# Letters that overlap are drawn in another font than the one that they are placed for.
_OVERLAP = 0.06
# So far apart two letters are of two lines; less where the second one begins further left.
_LINE_APART, _BACK_APART = 0.5, 0.3
_OTHER_HEIGHT = 1.25
_STRAIGHT, _TURNED = 0.01, 0.04
# What a hyphen parts is put together elsewhere; PDFium names one at the end of a line by a number.
_HYPHENS = frozenset("-\u00ad\u2010\x02")


def breaks(letters: Any, count: int, text: str) -> dict[int, str]:
    """Return the places in the text of a page before which a space or the end of a line is missing, and which."""
    if not _is_asked(count, text):
        return {}
    found: dict[int, str] = {}
    for line in _lines(letters, count):
        words = _words(line)
        found |= _line_ends(letters, words)
        found |= _spaces(letters, words)
    return {place: sign for place, sign in found.items() if place > 0}


def _is_asked(count: int, text: str) -> bool:
    if count > _MOST_LETTERS:
        return False
    if count <= _FEW_LETTERS:
        return True
    words = len(text.split())
    least = max(_FEWEST_RUN_TOGETHER, _RUN_TOGETHER_SHARE * words)
    are_glued = all(
        sum(1 for _ in pattern.finditer(text)) >= least
        for pattern in (_MAY_RUN_TOGETHER, _RUN_TOGETHER)
    )
    return (words * _LETTERS_A_SPACE < len(text) or are_glued) and not CJK_RUN.search(text)


def _words(line: Iterable[_Letter]) -> list[list[_Letter]]:
    words: list[list[_Letter]] = [[]]
    for letter in line:
        if letter.sign.isspace() or letter.is_made:
            words.append([])
        else:
            words[-1].append(letter)
    return words


def _line_ends(letters: Any, line: Sequence[Sequence[_Letter]]) -> dict[int, str]:
    """Return the letters that stand in another line than the one before them."""
    return {
        b.place: "\n"
        for word in line
        for a, b in pairwise(word)
        if _is_below(a, b)
        and a.sign not in _HYPHENS
        and not CJK_RUN.match(b.sign)
        and _is_straight(letters, a, b)
    }


def _is_below(one: _Letter, other: _Letter) -> bool:
    height = max(one.height, other.height)
    if max(one.floor - other.ceiling, other.floor - one.ceiling) > _LINE_APART * height:
        return True
    apart = max(one.bottom - other.top, other.bottom - one.top)
    return other.right <= one.left and apart > _BACK_APART * height


def _is_straight(letters: Any, *given: _Letter) -> bool:
    return all(abs(_angle(letters, letter)) < _STRAIGHT for letter in given)


def _angle(letters: Any, letter: _Letter) -> float:
    return api.FPDFText_GetCharAngle(letters, letter.number)


def _spaces(letters: Any, line: Sequence[Sequence[_Letter]]) -> dict[int, str]:
    """Return the letters before which there is a gap that is wider than the usual one of a line."""
    pairs = [
        (a, b, max(a.height, b.height))
        for word in line
        for a, b in pairwise(word)
        if max(a.height, b.height) > 0 and not _is_below(a, b)
    ]
    if not pairs:
        return {}
    drawn = [(b.left - a.right) / height for a, b, height in pairs]
    given = [(b.begin - a.end) / height for a, b, height in pairs]
    usual_drawn, usual_given = median(drawn), median(given)
    are_placed = sorted(drawn)[len(drawn) // 4] >= -_OVERLAP
    return {
        b.place: " "
        for (a, b, _), gap, room in zip(pairs, drawn, given, strict=True)
        if _are_letters(a, b)
        and (
            (
                are_placed
                and min(gap, gap - usual_drawn, room - usual_given) >= _WIDER
                and _is_straight(letters, a, b)
            )
            or _is_turned(letters, a, b)
        )
    }


def _are_letters(*given: _Letter) -> bool:
    return all(letter.sign.isalnum() and not CJK_RUN.match(letter.sign) for letter in given)


def _is_turned(letters: Any, one: _Letter, other: _Letter) -> bool:
    """Whether two letters are of texts at two angles."""
    low, high = sorted((one.height, other.height))
    return high > _OTHER_HEIGHT * low and (
        abs(_angle(letters, one) - _angle(letters, other)) > _TURNED
    )
