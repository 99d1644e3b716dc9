"""PDFium, as far as it is needed here: the text of the pages of a PDF file, and what else is on them.

PDFium renders the PDF files of Chromium. It knows where each letter stands, so that it parts words where a font
has no space, and leaves out the second print of fake bold.
"""

from __future__ import annotations

import ctypes
import math
import re
import struct
import unicodedata
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial
from itertools import accumulate
from types import TracebackType
from typing import Any, Self

import pypdfium2_raw as api

from askance.extract.pdf.letters import CODES_OF_TEX, mended, sign_of
from askance.extract.pdf.reading_order import Box, Spans, part_columns, spans_of
from askance.extract.pdf.unseen_text import DrawingTime, PageObjects, drop_hidden_texts
from askance.extract.text.characters import word_counts
from askance.extract.text.decoding import PDF_OBJECT

# Of so many letters of a page it is asked whether its font says which they are.
_ASKED_LETTERS = 400
_UNKNOWN_SHARE, _FEW_UNKNOWN = 0.5, 0.05
_MOST_LETTERS = 50_000
# Control characters, private ones and signs that stand seldom in a text: more of them, and it is none.
_ODD_SHARE = 0.15
_PLAIN_SIGNS = frozenset(".,;:!?'\"()-–—/%’“”„«»·•…").union(
    *(
        map(chr, range(*ends))
        for ends in ((0x3001, 0x3020), (0x30FB, 0x30FC), (0xFF01, 0xFF10), (0xFF1A, 0xFF20))
    )
)
# A letter for another one leaves few vowels in words.
_VOWELS = frozenset("aeiouyаеиоуыэюяієαεηιουω")  # noqa: RUF001 - of three scripts
_LONG_WORD, _FEWEST_WORDS, _SPOKEN_SHARE = 3, 5, 0.9
# Signs of Windows-1252 and of the Macintosh's code page beside those of Latin scripts.
_LATIN_END = 0x250
_OF_CODE_PAGES = frozenset(bytes(range(0x80, 0x100)).decode("mac_roman"))
_SYMBOLIC_FONT = 4
# Not the others: the number of a letter that has no name may be one of theirs.
_SPACES = frozenset(" \u00a0\u3000")
_HALF = re.compile("[\ud800-\udfff]")
# Of so many texts of a page it is asked at which angle they stand.
_ASKED_TEXTS = 50
_MOST_ANNOTATIONS = 2_000
_MOST_OPTIONS = 200
_HIDDEN = api.FPDF_ANNOT_FLAG_INVISIBLE | api.FPDF_ANNOT_FLAG_HIDDEN | api.FPDF_ANNOT_FLAG_NOVIEW
# Any number but none: there is one font.
_BOX_FONT = 1
_CJK_CHARSETS = frozenset(
    {
        api.FXFONT_SHIFTJIS_CHARSET,
        api.FXFONT_HANGEUL_CHARSET,
        api.FXFONT_GB2312_CHARSET,
        api.FXFONT_CHINESEBIG5_CHARSET,
    }
)
_FIELDS_OF_TEXT = frozenset(
    {api.FPDF_FORMFIELD_TEXTFIELD, api.FPDF_FORMFIELD_COMBOBOX, api.FPDF_FORMFIELD_LISTBOX}
)
_PASSWORD_FIELD = 1 << 13
# PDFium passes over texts narrower than a hundredth of a point (`kSizeEpsilon` in cpdf_textpage.cpp).
_NO_EXTENT, _OUTLINE, _LEAST_SIZE = 0.01, 0.5, 0.5
_NAMES_OF_LAYERS = (b"/OC ", b"/OC<", b"/OC\r", b"/OC\n", b"/OC\t", b"/OC/", b"/OC%")
_NUMBERED_NAMES_OF_LAYERS = (b"/O#43", b"/#4f", b"/#4F")
_NO_REMARKS = frozenset({api.FPDF_ANNOT_POPUP, api.FPDF_ANNOT_LINK})
_DRAWN = frozenset(
    {api.FPDF_PAGEOBJ_IMAGE, api.FPDF_PAGEOBJ_FORM, api.FPDF_PAGEOBJ_PATH, api.FPDF_PAGEOBJ_SHADING}
)


class Encrypted(Exception):
    """A file can be opened with a password only, or in a way that is not known."""


class DamagedPdf(Exception):
    """A file cannot be opened."""


class PageState(Enum):
    """What was found on a page."""

    TEXT = auto()
    DOUBTFUL = auto()
    """Its fonts do not say which letters they show; what came out may be right."""
    NONSENSE = auto()
    """Its fonts do not say which letters they show, and what came out is no text."""
    IMAGE = auto()
    EMPTY = auto()
    """There is nothing on it, or nothing that could be read."""
    BROKEN = auto()


@dataclass(frozen=True, slots=True)
class PdfPage:
    """The text of a page as it came out, and what the page is."""

    text: str
    state: PageState
    lacks_letters: bool = False
    """Whether its fonts may say more of their letters than PDFium reads."""


# A font of boxes, which stands for fonts of Chinese, Japanese and Korean that a PDF file names and does not hold.
#
# PDFium leaves out vertical text whose letters have no extent, and they have none without a font. The fonts of the system
# cannot be opened by a confined process, and which there are should decide nothing. Every character has a box here: half
# an em up to `_LAST_NARROW`, an em beyond it. The tables are those that FreeType needs, as the OpenType specification has
# them (https://learn.microsoft.com/typography/opentype/spec/).

_EM, _ASCENT, _DESCENT = 1000, 880, -120
_LAST_NARROW, _LAST = 0x2E7F, 0x10FFFF
_NARROW, _WIDE = (
    1,
    2,
)  # numbers of glyphs; 0 is what FreeType shows for a character that a font lacks
_BOX_WIDTHS = (_EM, _EM // 2, _EM)
_ON_CURVE = 1


def box_font() -> bytes:
    """Return the font as a TrueType file."""
    glyphs = [_box(width) for width in _BOX_WIDTHS]
    places = [0, *accumulate(len(glyph) for glyph in glyphs)]
    tables = {
        b"cmap": _characters(),
        b"glyf": b"".join(glyphs),
        b"head": struct.pack(
            ">IIIIHHqqhhhhHHhhh",
            # 0x5F0F3CF5 is the magic number of this table.
            *(0x10000, 0, 0, 0x5F0F3CF5, 0, _EM, 0, 0),
            *(0, _DESCENT, _EM, _ASCENT, 0, 0, 2, 0, 0),
        ),
        b"hhea": struct.pack(
            ">IhhhHhhhhhhhhhhhH",
            *(0x10000, _ASCENT, _DESCENT, 0, _EM, 0, 0, _EM, 1, 0, 0, 0, 0, 0, 0, 0, len(glyphs)),
        ),
        b"hmtx": b"".join(struct.pack(">Hh", width, 0) for width in _BOX_WIDTHS),
        b"loca": b"".join(struct.pack(">H", place // 2) for place in places),
        b"maxp": struct.pack(">IHHH22x", 0x10000, len(glyphs), 4, 1),
    }
    head = struct.pack(">IHHHH", 0x10000, len(tables), 0, 0, 0)
    place = len(head) + 16 * len(tables)
    directory, content = b"", b""
    for name, table in tables.items():
        directory += struct.pack(">4sIII", name, 0, place + len(content), len(table))
        # Tables begin at multiples of four bytes.
        content += table + bytes(-len(table) % 4)
    return head + directory + content


def _box(width: int) -> bytes:
    """Return a glyph: one contour of four points, each given by its distance from the one before."""
    head = struct.pack(">hhhhhHH", 1, 0, _DESCENT, width, _ASCENT, 3, 0)
    across, up = (0, 0, width, 0), (_DESCENT, _ASCENT - _DESCENT, 0, _DESCENT - _ASCENT)
    return head + bytes([_ON_CURVE] * 4) + struct.pack(">8h", *across, *up)


def _characters() -> bytes:
    """Return the table from characters to glyphs, in the format of many characters to one glyph."""
    groups = struct.pack(">6I", 0x20, _LAST_NARROW, _NARROW, _LAST_NARROW + 1, _LAST, _WIDE)
    return struct.pack(">HHHHI", 0, 1, 0, 6, 12) + struct.pack(
        ">HHIII", 13, 0, 16 + len(groups), 0, len(groups) // 12
    ) + groups  # fmt: skip


def _start() -> api.FPDF_SYSFONTINFO:
    """Start the library without the fonts of the system: a confined process could not open them.

    Return the callbacks that give it `box_font` in their place, which must live as long as the library.
    """
    none = (ctypes.POINTER(ctypes.c_char) * 1)()
    config = api.FPDF_LIBRARY_CONFIG(version=2, m_pUserFontPaths=none)
    api.FPDF_InitLibraryWithConfig(config)
    font = box_font()

    def map_font(_self: Any, _weight: int, _italic: int, charset: int, *_: Any) -> int | None:
        return _BOX_FONT if charset in _CJK_CHARSETS else None

    def font_data(_self: Any, _font: Any, table: int, room: Any, size: int) -> int:
        if table:  # a part of it was asked for, by its name
            return 0
        if room and size >= len(font):
            ctypes.memmove(room, font, len(font))
        return len(font)

    callbacks: dict[str, Callable[..., int | None]] = {
        "Release": lambda *_: None,
        "EnumFonts": lambda *_: None,
        "MapFont": map_font,
        "GetFont": lambda *_: None,
        "GetFontData": font_data,
        "GetFaceName": lambda *_: 0,
        "GetFontCharset": lambda *_: api.FXFONT_DEFAULT_CHARSET,
        "DeleteFont": lambda *_: None,
    }
    kinds: dict[str, Any] = {name: kind for name, kind, *_ in api.FPDF_SYSFONTINFO._fields_}
    info = api.FPDF_SYSFONTINFO(
        version=1, **{name: kinds[name](made) for name, made in callbacks.items()}
    )
    api.FPDF_SetSystemFontInfo(ctypes.byref(info))
    return info


_SYSTEM_FONTS = _start()
# Called for each letter or object of a page, with handles and numbers alone: to check their types takes two thirds of a call.
_UNCHECKED: tuple[Any, ...] = (
    api.FPDFText_GetUnicode, api.FPDFText_IsGenerated, api.FPDFText_HasUnicodeMapError,
    api.FPDFText_GetCharIndexFromTextIndex, api.FPDFText_GetTextIndexFromCharIndex,
    api.FPDFText_GetTextObject, api.FPDFText_GetFontSize, api.FPDFText_GetCharAngle,
    api.FPDFPage_GetObject, api.FPDFPageObj_GetType, api.FPDFPageObj_CountMarks,
    api.FPDFPageObj_GetMark, api.FPDFPageObj_GetClipPath, api.FPDFTextObj_GetTextRenderMode,
    api.FPDFTextObj_GetFont, api.FPDFClipPath_CountPaths,
)  # fmt: skip
for _function in _UNCHECKED:
    _function.argtypes = None


class PdfFile:
    """A PDF file that is open, of `data`; it is a context manager.

    Raises:
        Encrypted: it needs a password.
        DamagedPdf: it cannot be opened.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data  # PDFium reads from it as long as the file is open
        self._file = api.FPDF_LoadMemDocument64(data, len(data), None)
        if not self._file:
            # A way of encrypting that PDFium does not know is no damage of the file.
            match api.FPDF_GetLastError():
                case api.FPDF_ERR_PASSWORD | api.FPDF_ERR_SECURITY:
                    raise Encrypted
                case _:
                    raise DamagedPdf
        self._time = DrawingTime()
        # The dictionary of a form is never packed, but its names may be written in numbers.
        self._has_layered_forms = _has_layers(data)
        # Fields have values only where there is such an environment; it runs no script here.
        self._config = api.FPDF_FORMFILLINFO(version=2)
        self._form = api.FPDFDOC_InitFormFillEnvironment(self._file, self._config)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close it. No page of it is open any more."""
        if self._form:
            api.FPDFDOC_ExitFormFillEnvironment(self._form)
        api.FPDF_CloseDocument(self._file)

    def begin_part(self) -> None:
        """Give the next pages as much time to be drawn as the first ones had."""
        self._time = DrawingTime()

    def __len__(self) -> int:
        return max(api.FPDF_GetPageCount(self._file), 0)

    def field(self, name: str) -> str:
        """Return what the file says of itself, such as its `Title`; empty if it does not."""
        return _utf16(lambda *room: api.FPDF_GetMetaText(self._file, name.encode(), *room))

    def page(self, number: int) -> PdfPage:
        """Return a page; what was filled into its fields, and remarks on it, at its end."""
        with self._opened(number) as page:
            if not page:
                return PdfPage("", PageState.BROKEN)
            with self._letters(page) as (letters, spans):
                state, lacks_letters = _state_of(page, letters, spans)
                is_text = state is not PageState.NONSENSE
                text = _text_of(letters, spans) if is_text else _named_text_of(letters)
            if not 0 < api.FPDFPage_GetAnnotCount(page) <= _MOST_ANNOTATIONS:
                return PdfPage(text, state, lacks_letters)
            remarks = list(self._remarks(page))
            # What is drawn for fields and remarks becomes a part of the page.
            api.FPDFPage_Flatten(page, api.FLAT_NORMALDISPLAY)
        drawn = ""
        with self._opened(number) as page:
            if page and is_text:
                with self._letters(page) as (letters, spans):
                    drawn = _text_of(letters, spans)
        if word_counts(text) <= word_counts(drawn):
            text = drawn
        present = word_counts(text)
        more = [remark for remark in remarks if not word_counts(remark) <= present]
        if state in {PageState.IMAGE, PageState.EMPTY} and (present or more):
            state = PageState.TEXT
        return PdfPage("\n".join((text, *more)), state, lacks_letters)

    @contextmanager
    def _opened(self, number: int) -> Generator[Any]:
        page = api.FPDF_LoadPage(self._file, number)
        try:
            yield page
        finally:
            if page:
                api.FPDF_ClosePage(page)

    @contextmanager
    def _letters(self, page: Any) -> Generator[tuple[Any, Spans]]:
        """Open the text of a page, of which PDFium gives one letter after the other, None where that fails; and its spans.

        PDFium passes over a text that has no extent. Its box is that of the shapes of its letters, without the width of the last
        one: a letter has none that is placed alone, in a font that has no shape for it. Such a text is given an
        outline, whose width counts. Spaces have no shape either, and stay as they are, since PDFium parts words by gaps.
        Lines that begin at one height it takes for one; so the page is turned until most of its texts are upright.
        """
        objects = PageObjects(page, has_layered_forms=self._has_layered_forms)
        seen = drop_hidden_texts(self._file, page, objects, self._time)
        boxes = [(text.handle, text.box) for text in seen]
        spans = spans_of(self._file, boxes)
        flat = [(text, api.FPDFTextObj_GetTextRenderMode(text)) for text in _flat_texts(boxes)]
        for text, _ in flat:
            api.FPDFPageObj_SetStrokeWidth(text, _OUTLINE)
            _set_mode(text, api.FPDF_TEXTRENDERMODE_STROKE)
        turned = api.FPDFPage_GetRotation(page)
        if (upright := _upright(boxes, turned)) != turned:
            api.FPDFPage_SetRotation(page, upright)
        letters = api.FPDFText_LoadPage(page)
        try:
            spaces = [(text, mode) for text, mode in flat if not _is_seen(text, letters)]
            for text, mode in spaces:
                _set_mode(text, mode)
            read = partial(_text_in, letters)
            if part_columns(page, boxes, read) or spaces:
                api.FPDFText_ClosePage(letters)
                letters = api.FPDFText_LoadPage(page)
            yield letters, spans
        finally:
            if upright != turned:
                api.FPDFPage_SetRotation(page, turned)
            if letters:
                api.FPDFText_ClosePage(letters)

    def _remarks(self, page: Any) -> Iterator[str]:
        for number in range(api.FPDFPage_GetAnnotCount(page)):
            annotation = api.FPDFPage_GetAnnot(page, number)
            if not annotation:
                continue
            try:
                if remark := self._remark(annotation).strip():
                    yield remark
            finally:
                api.FPDFPage_CloseAnnot(annotation)

    def _remark(self, annotation: Any) -> str:
        kind = api.FPDFAnnot_GetSubtype(annotation)
        # A link repeats what stands on the page, and a pop-up the remark that it belongs to.
        if kind in _NO_REMARKS or api.FPDFAnnot_GetFlags(annotation) & _HIDDEN:
            return ""
        if kind != api.FPDF_ANNOT_WIDGET:
            return _utf16(
                lambda *room: api.FPDFAnnot_GetStringValue(annotation, b"Contents", *room)
            )
        form = self._form
        if not form or api.FPDFAnnot_GetFormFieldType(form, annotation) not in _FIELDS_OF_TEXT:
            return ""
        if api.FPDFAnnot_GetFormFieldFlags(form, annotation) & _PASSWORD_FIELD:
            return ""
        if api.FPDFAnnot_GetFormFieldType(form, annotation) == api.FPDF_FORMFIELD_LISTBOX:
            return "\n".join(_lines_of_list(form, annotation))
        return _utf16(lambda *room: api.FPDFAnnot_GetFormFieldValue(form, annotation, *room))


def _has_layers(data: bytes) -> bool:
    # Each search goes over the whole file: as a rule these are four.
    named = b"/OC" in data and any(name in data for name in _NAMES_OF_LAYERS)
    return named or any(name in data for name in _NUMBERED_NAMES_OF_LAYERS)


def _set_mode(text: Any, mode: int) -> None:
    api.FPDFTextObj_SetTextRenderMode(text, mode)
    # PDFium computes the box again when a text is moved, be it nowhere.
    api.FPDFPageObj_Transform(text, 1, 0, 0, 1, 0, 0)


def _text_in(letters: Any, text: Any) -> str:
    return _utf16(partial(api.FPDFTextObj_GetText, text, letters))


def _is_seen(text: Any, letters: Any) -> bool:
    return any(sign.isprintable() and not sign.isspace() for sign in _text_in(letters, text))


def _upright(boxes: Sequence[tuple[Any, object]], turned: int) -> int:
    """Return by how many quarters a page is to be turned so that most of its texts are upright; as it is where none are."""
    matrix = api.FS_MATRIX()
    quarters: Counter[int] = Counter()
    for text, _ in boxes[:: len(boxes) // _ASKED_TEXTS + 1]:
        api.FPDFPageObj_GetMatrix(text, matrix)
        if matrix.a * matrix.d > matrix.b * matrix.c:
            quarters[round(math.atan2(matrix.b, matrix.a) / (math.pi / 2)) % 4] += 1
    return max(quarters, key=lambda quarter: (quarters[quarter], quarter == turned), default=turned)


def _flat_texts(boxes: Iterable[tuple[Any, Box]]) -> Iterator[Any]:
    """Yield the texts that have no extent although their letters have a size."""
    matrix, size = api.FS_MATRIX(), ctypes.c_float()
    for text, (left, _, right, _) in boxes:
        if right - left >= _NO_EXTENT:
            continue
        api.FPDFPageObj_GetMatrix(text, matrix)
        api.FPDFTextObj_GetFontSize(text, size)
        scale = abs(matrix.a * matrix.d - matrix.b * matrix.c) ** 0.5
        if size.value * scale >= _LEAST_SIZE:
            yield text


def _text_of(letters: Any, spans: Spans) -> str:
    count = api.FPDFText_CountChars(letters) if letters else 0
    if count <= 0:
        return ""
    # A letter beyond the first 65,536 takes two places.
    room = (ctypes.c_ushort * (2 * count + 2))()
    written = api.FPDFText_GetText(letters, 0, count, room)
    size = max(written - 1, 0)
    text = bytes(room)[: 2 * size].decode("utf-16-le", "surrogatepass")
    if len(text) < size:
        text = "".join(map(chr, room[:size]))
    half = _HALF.search(text)
    # As a rule these are two letters to PDFium, too; where they are one its numbers of letters are not those of places.
    if text and (not half or _is_at(letters, half)):
        text = mended(letters, count, text, spans)
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _is_at(letters: Any, sign: re.Match[str]) -> bool:
    number = api.FPDFText_GetCharIndexFromTextIndex(letters, sign.start())
    return sign_of(letters, number) == sign[0]


def _text_where(letters: Any, *, is_named: bool) -> str:
    """Return what of a page is in fonts that say which letters they show, or in the others."""
    count = min(api.FPDFText_CountChars(letters), _MOST_LETTERS)
    return "".join(
        sign_of(letters, n)
        if (api.FPDFText_HasUnicodeMapError(letters, n) != 1) is is_named
        else " "
        for n in range(count)
    )


def _named_text_of(letters: Any) -> str:
    """Return what of a page is in fonts that say which letters they show; empty where these are no words."""
    text = _text_where(letters, is_named=True)
    return text if _are_words(text) else ""


def _state_of(page: Any, letters: Any, spans: Spans) -> tuple[PageState, bool]:
    """Return what a page is, and whether its fonts may say more of their letters."""
    count = api.FPDFText_CountChars(letters) if letters else 0
    asked = range(0, max(count, 0), max(count // _ASKED_LETTERS, 1))
    is_made, is_unknown = api.FPDFText_IsGenerated, api.FPDFText_HasUnicodeMapError
    shown = [(n, sign_of(letters, n)) for n in asked]
    written = [(n, sign) for n, sign in shown if sign not in _SPACES and is_made(letters, n) != 1]
    if not written:
        objects = range(min(max(api.FPDFPage_CountObjects(page), 0), _MOST_ANNOTATIONS))
        kinds = (api.FPDFPageObj_GetType(api.FPDFPage_GetObject(page, n)) for n in objects)
        is_drawn = any(kind in _DRAWN for kind in kinds)
        return PageState.IMAGE if is_drawn else PageState.EMPTY, False
    unknown = [is_unknown(letters, n) for n, _ in written].count(1)
    lacks = unknown > 0 or any(
        _is_doubtful(letters, n, sign) for n, sign in written if not sign.isascii()
    )
    if unknown <= _UNKNOWN_SHARE * len(written):
        is_doubtful = unknown > _FEW_UNKNOWN * len(written) and _is_unspoken(
            _text_where(letters, is_named=False)
        )
        return PageState.DOUBTFUL if is_doubtful else PageState.TEXT, lacks
    text = _text_of(letters, spans)
    # Codes that the text does not have any more have been read as letters and accents.
    read = CODES_OF_TEX.difference(text)
    if sum(_is_odd(sign) and sign not in read for _, sign in written) > _ODD_SHARE * len(written):
        return PageState.NONSENSE, lacks
    return PageState.TEXT if _are_words(text) else PageState.DOUBTFUL, lacks


def _is_doubtful(letters: Any, number: int, sign: str) -> bool:
    """Whether a letter is one of the upper half of a code page, in a font that calls itself symbolic."""
    if not (ord(sign) < _LATIN_END or sign in _OF_CODE_PAGES):
        return False
    font = api.FPDFTextObj_GetFont(api.FPDFText_GetTextObject(letters, number))
    return bool(font) and bool(max(api.FPDFFont_GetFlags(font), 0) & _SYMBOLIC_FONT)


def _is_odd(sign: str) -> bool:
    if sign.isalnum() or sign in _PLAIN_SIGNS:
        return False
    return not unicodedata.category(sign).startswith("M")


def _are_words(text: str) -> bool:
    """Whether a text is of words that can be spoken, in letters with vowels."""
    words, spoken = _words_of(text)
    return words >= _FEWEST_WORDS and spoken >= _SPOKEN_SHARE * words


def _is_unspoken(text: str) -> bool:
    """Whether a text is of words in Latin letters that nobody can speak."""
    words, spoken = _words_of("".join(sign if sign.isascii() else " " for sign in text))
    return words >= _FEWEST_WORDS and spoken < _SPOKEN_SHARE * words


def _words_of(text: str) -> tuple[int, int]:
    """Return how many longer words a text has, and how many of them have a vowel."""
    words = [word for word in text.split() if word.isalpha() and len(word) >= _LONG_WORD]
    # Without their accents: é counts as the vowel that it is.
    bare = (unicodedata.normalize("NFD", word.casefold()) for word in words)
    return len(words), sum(not _VOWELS.isdisjoint(word) for word in bare)


def _lines_of_list(form: Any, annotation: Any) -> Iterator[str]:
    """Yield the lines of a list, chosen or not: all of them are shown."""
    for number in range(min(api.FPDFAnnot_GetOptionCount(form, annotation), _MOST_OPTIONS)):
        label = partial(api.FPDFAnnot_GetOptionLabel, form, annotation, number)
        yield _utf16(label)


def _utf16(read: Callable[..., int]) -> str:
    """Return a text that a function writes into the room that it is given, ended by a zero."""
    # PDFium says the size in bytes where it is given no room.
    size = read(None, 0)
    if size <= 2:  # the zero alone
        return ""
    room = (ctypes.c_ushort * (size // 2 + 1))()
    read(room, size)
    return bytes(room)[: size - 2].decode("utf-16-le", "replace").split("\0")[0]


# PDF files that PDFium does not open, since their first or last bytes are gone, with both written anew.
#
# A download that broke off has lost the table of its objects; PDFium looks for the objects itself, but gives up where the
# trailer is broken, too, or where the first line is another one.

_HEADER = b"%PDF-1.7\n"
_SNIFFED_BYTES = 1024
_MARK = re.compile(
    rb"(?P<object>%b)|endobj|(?P<catalogue>/Type\s{0,9}/Catalog\b)" % PDF_OBJECT.pattern
)
_MOST_PDF_OBJECTS = 1_000_000


def repaired(data: bytes) -> bytes | None:
    """Return a PDF file with a first line and a table of its objects; None where no catalogue is found."""
    if b"%PDF-" not in data[:_SNIFFED_BYTES]:
        data = _HEADER + data
    places: dict[int, tuple[int, int]] = {}
    root = current = None
    for found in _MARK.finditer(data):
        if found["object"]:
            number, current = int(found[2]), (int(found[2]), int(found[3]))
            places[number] = found.start(), current[1]
        # The last catalogue counts, since updates stand behind what they change.
        elif found["catalogue"]:
            root = current or root
        else:
            current = None
        if len(places) > _MOST_PDF_OBJECTS:
            return None
    if root is None:
        return None
    rows = b"".join(
        b"%d 1\n%010d %05d n \n" % (number, place, generation)
        for number, (place, generation) in sorted(places.items())
    )
    trailer = b"trailer\n<</Size %d/Root %d %d R>>\n" % (max(places) + 1, *root)
    start = len(data) + 1
    return b"%s\nxref\n0 1\n0000000000 65535 f \n%s%sstartxref\n%d\n%%%%EOF\n" % (
        data,
        rows,
        trailer,
        start,
    )
