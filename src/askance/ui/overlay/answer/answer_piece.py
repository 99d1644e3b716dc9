"""One block of an answer, set: paragraphs of formatted runs, and where its parts stand.

What is set here is only then put into the answer: so a block that turns out to look the same costs
the answer nothing.

Where two words from right to left have only signs between them, they and the signs are drawn in reverse:
`["a", "b"]` as `["b", "a"]`. Invisible marks behind the first one end that, and let code and addresses be read
from left to right. What is copied comes without.

In order: what a set block is, `Setter` that sets one, its formats, the direction of words, and Qt's units.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby, islice
from unicodedata import bidirectional

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QFontMetricsF,
    QImage,
    QTextBlockFormat,
    QTextCharFormat,
    QTextDocument,
    QTextFrameFormat,
    QTextListFormat,
    QTextTableCellFormat,
    QTextTableFormat,
)

from askance.ui.design import theme
from askance.ui.design.labels import TypeSize
from askance.ui.design.theme import Look
from askance.ui.overlay.answer.citation_links import Doubt, link_to
from askance.ui.overlay.answer.markdown_blocks import (
    CodeToken,
    MarkdownBlockKind,
    coloured,
    is_plain,
)
from askance.ui.overlay.answer.markup import BULLET, MarkupParagraph, Piece, Style, TextRun
from askance.ui.overlay.answer.tex_formulas import (
    OBJECT,
    SET_FORMULAS,
    formula_format,
    is_tall_format,
    source_of,
)

# Room in pixels of the tokens: a look scales them.
PAD = 10
"""The room that a panel of code takes above its first line and below its last."""
CODE_INSET = 14
CODE_BUTTON_ROOM = 40
TABLE_BUTTON_ROOM = 32
PARAGRAPH_GAP = 12
TIGHT_GAP = 4
HEADING_GAP = 20
INDENT = 22
QUOTE_INDENT = 16
TABLE_GAP = 10
_HEADING_SIZES = {1: 18, 2: 16}
EMPTY_LINE = 1
"""How high the empty paragraphs around a table are, which cannot be seen."""
_QUOTE_LEVEL = QTextBlockFormat.Property.BlockQuoteLevel
_LEFT, _RIGHT = Qt.LayoutDirection.LeftToRight, Qt.LayoutDirection.RightToLeft
_LEADING = Qt.AlignmentFlag.AlignLeading
_ALIGNMENTS = {
    "left": Qt.AlignmentFlag.AlignLeft,
    "center": Qt.AlignmentFlag.AlignHCenter,
    "right": Qt.AlignmentFlag.AlignRight,
}
_TASKS = {
    None: QTextBlockFormat.MarkerType.NoMarker,
    False: QTextBlockFormat.MarkerType.Unchecked,
    True: QTextBlockFormat.MarkerType.Checked,
}
_FIXED = QTextBlockFormat.LineHeightTypes.FixedHeight.value
_APART = QTextBlockFormat.LineHeightTypes.LineDistanceHeight.value
# Longer code stays in one colour: every stretch of colour costs the layout something.
MOST_COLOURED = 20_000
NBSP = "\N{NO-BREAK SPACE}"


@dataclass(frozen=True, slots=True)
class PieceMarker:
    """A marker that is shown from `start` on, `length` characters long; `link` is `cite:…`."""

    start: int
    length: int
    n: int
    link: str


@dataclass(frozen=True, slots=True)
class DoubtAt:
    """Doubtful words, and where they are shown."""

    start: int
    length: int
    words: str
    doubt: Doubt


@dataclass(frozen=True, slots=True)
class PieceParagraph:
    """Words in their formats; `cell` is its row and column in a table.

    `sign` is what stands before an item of a list when it is typed: `- ` or `3. `.
    """

    runs: tuple[tuple[str, QTextCharFormat], ...]
    format: QTextBlockFormat
    list: QTextListFormat | None = None
    sign: str = ""
    cell: tuple[int, int] | None = None
    # Not compared: what a marker leads to changes nothing of how the paragraph looks.
    markers: tuple[PieceMarker, ...] = field(default=(), compare=False)
    doubts: tuple[DoubtAt, ...] = field(default=(), compare=False)

    @property
    def length(self) -> int:
        """How many characters it has, as Qt counts them."""
        return sum(units(text) for text, _ in self.runs)

    @property
    def formulas(self) -> Iterator[tuple[int, str]]:
        """Where formulas stand, and their sources."""
        at = 0
        for text, chars in self.runs:
            if text == OBJECT and (source := source_of(chars)):
                yield at, source
            at += units(text)


@dataclass(frozen=True, slots=True)
class SetPiece:
    """A block, set. Two that are equal look the same, whatever their markers lead to."""

    kind: MarkdownBlockKind
    paragraphs: tuple[PieceParagraph, ...]


class SealedDocument(QTextDocument):
    """A document that loads nothing: every picture in it is empty, whatever it is called."""

    def loadResource(self, type: int, name: QUrl | str) -> QImage:  # noqa: A002, ARG002 - Qt's interface
        """Return an empty picture. Nothing at all would make Qt look for it itself."""
        return QImage()


def gap_above(before: Piece | None, piece: Piece) -> float:
    """Return the room between two blocks, in pixels of the tokens."""
    if before is None:
        return 0
    if before.kind is piece.kind is MarkdownBlockKind.LIST and before.is_tight:
        return TIGHT_GAP
    return HEADING_GAP if piece.kind is MarkdownBlockKind.HEADING else PARAGRAPH_GAP


class Setter:
    """Sets blocks in the formats of one look."""

    def __init__(self, formats: AnswerFormats) -> None:
        self._formats = formats

    def set(self, piece: Piece, gap: float, *, is_from_right: bool = False) -> SetPiece:
        """Set a block that stands `gap` below what is above it."""
        if piece.code is not None:
            return SetPiece(piece.kind, tuple(self._code(piece, gap)))
        paragraphs: list[PieceParagraph] = []
        for paragraph in piece.paragraphs:
            inner = TIGHT_GAP if paragraph.sign else PARAGRAPH_GAP
            made = self._paragraph(paragraph, inner if paragraphs else gap, is_from_right)
            paragraphs.append(made)
        if is_from_right:
            paragraphs = _mirrored(paragraphs)
        if not paragraphs:  # every block of an answer owns at least one
            paragraphs.append(PieceParagraph((), self._formats.lines(theme.BODY_LINE, gap)))
        return SetPiece(piece.kind, tuple(paragraphs))

    def _paragraph(
        self, paragraph: MarkupParagraph, gap: float, is_from_right: bool
    ) -> PieceParagraph:
        line = _Line(self._formats, paragraph.heading, is_from_right=is_from_right)
        line.read(paragraph.runs)
        made = self._formats.paragraph(
            paragraph, gap if paragraph.cell is None else 0, is_from_right=is_from_right
        )
        self._formats.make_room(made, line.runs)
        return PieceParagraph(
            tuple(line.runs),
            made,
            _item(paragraph, is_from_right=made.layoutDirection() is _RIGHT),
            "" if paragraph.is_done is not None else paragraph.sign,
            paragraph.cell,
            tuple(line.markers),
            tuple(line.doubts),
        )

    def _code(self, piece: Piece, gap: float) -> Iterator[PieceParagraph]:
        assert piece.code is not None
        text, language = piece.code.text, piece.code.language
        # A language of no patterns, so that all of it has one colour.
        if len(text) > MOST_COLOURED:
            language = "text"
        plain = is_plain(piece.code.language)
        codes = self._formats.code
        lines: list[list[tuple[str, QTextCharFormat]]] = [[]]
        for stretch, colour in coloured(text, language):
            is_whole = colour in {CodeToken.STRING, CodeToken.COMMENT}
            first, *rest = (
                code_line(line, is_whole=is_whole, is_plain=plain) for line in stretch.split("\n")
            )
            lines[-1].append((first, codes[colour]))
            lines += [[(line, codes[colour])] for line in rest]
        for i, runs in enumerate(lines):
            made = self._formats.code_block(gap, is_first=i == 0, is_last=i == len(lines) - 1)
            shown = tuple((words, chars) for words, chars in runs if words)
            # An empty line is as high as its format says only if it has one.
            yield PieceParagraph(shown or (("", self._formats.code[CodeToken.TEXT]),), made)


def _mirrored(paragraphs: list[PieceParagraph]) -> list[PieceParagraph]:
    """Return the cells of a table with its first column at the right; what is no cell stays.

    Qt mirrors no columns.
    """
    cells = [paragraph.cell for paragraph in paragraphs if paragraph.cell is not None]
    if not cells:
        return paragraphs
    last = max(column for _, column in cells)
    turned = [
        replace(paragraph, cell=(paragraph.cell[0], last - paragraph.cell[1]))
        for paragraph in paragraphs
        if paragraph.cell is not None
    ]
    return sorted(turned, key=lambda paragraph: paragraph.cell or (0, 0))


def _item(paragraph: MarkupParagraph, *, is_from_right: bool) -> QTextListFormat | None:
    """Return the list of one item that shows a paragraph as the item that it is.

    Qt draws bullets large, and close to the words: those are painted beside the document.
    """
    if not paragraph.sign or (paragraph.sign == BULLET and paragraph.is_done is None):
        return None
    made = QTextListFormat()
    made.setIndent(paragraph.depth)
    # Each item is a list that begins with its number, so that all stay as written (decision 22).
    number = paragraph.sign.strip()
    if number == BULLET.strip():
        made.setStyle(QTextListFormat.Style.ListDisc)
    else:
        made.setStyle(QTextListFormat.Style.ListDecimal)
        made.setStart(int(number[:-1]))
        # Qt puts the suffix before a number from the right, and then draws both from the right: as `1.` again.
        (made.setNumberPrefix if is_from_right else made.setNumberSuffix)(number[-1])
        if is_from_right:
            made.setNumberSuffix("")
    return made


class _Line:
    """Sets one paragraph: markers become numbers on their own ground, doubts are noted."""

    def __init__(self, formats: AnswerFormats, heading: int, *, is_from_right: bool) -> None:
        self._formats = formats
        self._heading = heading
        self._is_from_right = is_from_right
        self._length = 0
        self.runs: list[tuple[str, QTextCharFormat]] = []
        self.markers: list[PieceMarker] = []
        self.doubts: list[DoubtAt] = []

    def read(self, runs: Sequence[TextRun]) -> None:
        """Set the words, and find where those of each doubt begin and end."""
        for doubt, group in groupby(runs, key=lambda run: run.doubt):
            start, end = self._length, 0
            words: list[str] = []
            for run in group:
                if run.n:
                    self._mark(run.n, link_to(run.n, run.citation))
                    continue
                # The underline of doubtful words begins at the first word, not at the blank before it.
                blank = len(run.text) - len(run.text.lstrip(" ")) if not end else 0
                begin = self._length
                shown, chars = self._shown(run)
                self._add(shown, chars)
                if run.text.strip():
                    start = start if end else begin + blank
                    end = begin + units(shown.rstrip(" "))
                    words.append(run.text)
            if doubt is not None and start < end:
                text = "".join(words).strip(" ")
                self.doubts.append(DoubtAt(start, end - start, text, doubt))

    def _shown(self, run: TextRun) -> tuple[str, QTextCharFormat]:
        """Return how a run is shown: a formula as one character, words with the marks that their order needs."""
        chars = self._formats.chars(run.style & ~Style.FORMULA, run.url, self._heading)
        text = run.text
        if run.style & Style.FORMULA:
            if formula := SET_FORMULAS.get(text):
                return OBJECT, formula_format(text, formula, chars)
            text = isolated_code(text) if self._is_from_right else text
        elif run.style & Style.CODE:
            text = code_line(text, is_whole=False)
            text = isolated_code(text) if self._is_from_right else text
        elif run.url and self._is_from_right:
            text = isolated_link(text)
        return text, chars

    def _add(self, text: str, chars: QTextCharFormat) -> None:
        if not text:
            return
        self._length += units(text)
        # By identity: `AnswerFormats` makes one format for each way in which words are set.
        if self.runs and self.runs[-1][1] is chars:
            text = self.runs.pop()[0] + text
        self.runs.append((text, chars))

    def _mark(self, n: int, link: str) -> None:
        """Set a number close to the word before it, with room around it for its ground."""
        if self.runs and not self._is_behind_marker:
            words, chars = self.runs[-1]
            trimmed = words.rstrip(" ")
            # Blanks are one unit each, so that characters can be counted.
            self._length -= len(words) - len(trimmed)
            self.runs[-1] = (trimmed, chars)
        if self.runs:
            self._add(NBSP, self._formats.gap)
        shown = f"{NBSP}{n}{NBSP}"
        self.markers.append(PieceMarker(self._length, len(shown), n, link))
        self._add(shown, self._formats.marker_of(n))

    @property
    def _is_behind_marker(self) -> bool:
        last = self.markers[-1] if self.markers else None
        return last is not None and last.start + last.length == self._length


class AnswerFormats:
    """The formats of the parts of an answer. Measures are those of the tokens, scaled."""

    def __init__(self, look: Look, size: TypeSize = theme.BODY) -> None:
        self.look = look
        self._line = size[1]
        colours = look.colours
        self.text = _chars(look.font(size[0]), colours.ink)
        self.empty = _chars(look.font(theme.BODY_TEXT), colours.ink)
        tiny = look.font(theme.BODY_TEXT)
        tiny.setPixelSize(EMPTY_LINE)
        self.empty.setFont(tiny)
        self.code = _code(look, look.code_font())
        self.marker = _chars(look.font(theme.KEY_TEXT, QFont.Weight.DemiBold), colours.accent)
        self.gap = _chars(look.font(theme.KEY_TEXT / 2), colours.ink)
        self._markers: dict[int, QTextCharFormat] = {}
        # Cached, since an answer may have thousands of runs and has few formats.
        self._chars: dict[tuple[Style, str, int], QTextCharFormat] = {}

    def chars(self, style: Style, url: str, heading: int) -> QTextCharFormat:
        """Return how words are set that stand in such a style, in a heading of that level if any."""
        key = (style, url, heading)
        if key not in self._chars:
            self._chars[key] = self._made(style, url, heading)
        return self._chars[key]

    def _made(self, style: Style, url: str, heading: int) -> QTextCharFormat:
        if style & Style.CODE:
            made = QTextCharFormat(self.code[CodeToken.TEXT])
        else:
            made = QTextCharFormat(self.text)
            if heading:
                size = _HEADING_SIZES.get(heading, theme.BODY_TEXT)
                made.setFont(self.look.font(size, QFont.Weight.DemiBold))
            if style & Style.BOLD:
                made.setFontWeight(QFont.Weight.DemiBold)
            made.setFontItalic(bool(style & Style.ITALIC))
        made.setFontStrikeOut(bool(style & Style.STRUCK))
        if url:
            made.setAnchor(True)
            made.setAnchorHref(url)
            made.setForeground(QColor(self.look.colours.accent))
            made.setFontUnderline(True)
            made.setUnderlineColor(QColor(self.look.colours.line))
        return made

    def marker_of(self, n: int) -> QTextCharFormat:
        """Return how the marker of a source is set."""
        if n not in self._markers:
            made = QTextCharFormat(self.marker)
            made.setAnchor(True)
            made.setAnchorHref(f"cite:{n}")
            self._markers[n] = made
        return self._markers[n]

    def paragraph(
        self, paragraph: MarkupParagraph, gap: float, *, is_from_right: bool = False
    ) -> QTextBlockFormat:
        """Return how a paragraph of an answer is set, and from which side it is read."""
        made = self.lines(self._line, gap)
        made.setLayoutDirection(_RIGHT if is_from_right else _LEFT)
        # Leading and not left: it turns with the direction of the paragraph.
        made.setAlignment(_ALIGNMENTS.get(paragraph.align, _LEADING))
        if is_from_right and paragraph.cell is not None and not has_letters_from_right(paragraph):
            # `12.5 kg` stays so, and stands where its column does.
            made.setLayoutDirection(_LEFT)
            made.setAlignment(_ALIGNMENTS.get(paragraph.align, _ALIGNMENTS["right"]))
        # A numbered item stands in by its list.
        is_numbered = paragraph.sign and paragraph.sign != BULLET
        made.setIndent(0 if is_numbered or paragraph.is_done is not None else paragraph.depth)
        made.setHeadingLevel(paragraph.heading)
        made.setMarker(_TASKS[paragraph.is_done])
        if paragraph.quote:
            made.setProperty(_QUOTE_LEVEL, paragraph.quote)
            margin = self.look.px(QUOTE_INDENT) * paragraph.quote
            (made.setRightMargin if is_from_right else made.setLeftMargin)(margin)
        return made

    def make_room(
        self, block: QTextBlockFormat, runs: Sequence[tuple[str, QTextCharFormat]]
    ) -> None:
        """Let the lines of a paragraph grow around formulas that have no room in one."""
        if not any(text == OBJECT and is_tall_format(chars) for text, chars in runs):
            return
        # As far apart as all lines are. Above and below a formula that stands alone there is room enough.
        words = [chars for text, chars in runs if text.strip(f"{OBJECT} .,")]
        height = QFontMetricsF(words[0].font()).height() if words else block.lineHeight()
        apart = max(0.0, block.lineHeight() - height)
        block.setLineHeight(apart, _APART)
        block.setTopMargin(block.topMargin() + apart / 2)

    def code_block(self, gap: float, *, is_first: bool, is_last: bool) -> QTextBlockFormat:
        """Return how a line of code is set; the panel's own room is part of its margins."""
        made = self.lines(theme.SMALL_LINE, gap + PAD if is_first else 0)
        made.setLeftMargin(self.look.px(CODE_INSET))
        made.setRightMargin(self.look.px(CODE_BUTTON_ROOM))
        made.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        if is_last:
            # Margins between blocks do not add up: the larger one counts.
            made.setBottomMargin(self.look.px(PAD + PARAGRAPH_GAP))
        return made

    def table(self, *, is_from_right: bool = False) -> QTextTableFormat:
        """Return how a table is set: no box, its rows are parted by hairlines; beside it room for its button."""
        made = QTextTableFormat()
        room = self.look.px(TABLE_BUTTON_ROOM)
        (made.setLeftMargin if is_from_right else made.setRightMargin)(room)
        made.setLayoutDirection(_RIGHT if is_from_right else _LEFT)
        if is_from_right:
            made.setAlignment(Qt.AlignmentFlag.AlignRight)
        made.setCellSpacing(0)
        made.setBorder(0)
        made.setBorderCollapse(True)
        return made

    def cell(self, row: int, column: int) -> QTextTableCellFormat:
        """Return how a cell is set: room around its words, a hairline above all but the first."""
        made = QTextTableCellFormat()
        made.setTopPadding(self.look.px(5))
        made.setBottomPadding(self.look.px(5))
        made.setLeftPadding(self.look.px(18) if column else 0)
        if row:
            made.setTopBorder(1)
            made.setTopBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
            made.setTopBorderBrush(QBrush(QColor(self.look.colours.line)))
        return made

    def lines(self, height: float, gap: float) -> QTextBlockFormat:
        """Return how a paragraph is set with lines of this height, so far below what is above it."""
        made = QTextBlockFormat()
        made.setLineHeight(self.look.px(height), _FIXED)
        made.setTopMargin(self.look.px(gap))
        return made


def _code(look: Look, font: QFont) -> dict[CodeToken, QTextCharFormat]:
    colours = look.colours
    return {
        CodeToken.TEXT: _chars(font, colours.ink),
        CodeToken.COMMENT: _chars(font, colours.ink_3),
        CodeToken.STRING: _chars(font, colours.amber),
        CodeToken.NUMBER: _chars(font, colours.amber),
        CodeToken.KEYWORD: _chars(font, colours.accent),
    }


def _chars(font: QFont, colour: str) -> QTextCharFormat:
    made = QTextCharFormat()
    made.setFont(font)
    made.setForeground(QColor(colour))
    return made


# Of a block so many characters say from which side it is read.
_MOST_CHARACTERS = 2_000
# Fewer foreign words in an answer from right to left are names: they stand where the rest does.
_FEWEST_WORDS = 4
# Letters that are written from right to left: class R is Hebrew and its like, AL Arabic
# (table 4 of UAX #9).
_FROM_RIGHT = frozenset({"R", "AL"})
LEFT_TO_RIGHT_MARK = "\N{LEFT-TO-RIGHT MARK}"
# Isolates (UAX #9) and no embeddings: those would also turn the signs around them.
_LEFT_TO_RIGHT_ISOLATE = "\N{LEFT-TO-RIGHT ISOLATE}"
_FIRST_STRONG_ISOLATE = "\N{FIRST STRONG ISOLATE}"
_POP = "\N{POP DIRECTIONAL ISOLATE}"
WITHOUT_MARKS = dict.fromkeys(
    map(ord, (LEFT_TO_RIGHT_MARK, _LEFT_TO_RIGHT_ISOLATE, _FIRST_STRONG_ISOLATE, _POP))
)
"""A table for `str.translate` that takes the marks out."""
# Hebrew to Arabic Extended-A, their presentation forms, and the scripts from right to left beyond
# the first plane.
_LETTERS = "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
_RIGHT_LETTER = re.compile(_LETTERS)
# In code every sign parts. In plain text those of sentences do not: `a, b` is one list of words there.
_BEFORE_SIGN = re.compile(rf"{_LETTERS}(?=[ \t]{{0,40}}[!-/:-@\[-`{{-~])")
# Both accept a letter with up to forty blanks before a sign, as in `א = 1`.
_BEFORE_OPERATOR = re.compile(rf'{_LETTERS}(?=[ \t]{{0,40}}["#/;<=>\[\\\]`{{|}}])')


def has_letters_from_right(paragraph: MarkupParagraph) -> bool:
    """Say whether any letter of a paragraph is written from right to left."""
    text = "".join(run.text for run in paragraph.runs)[:_MOST_CHARACTERS]
    return any(bidirectional(character) in _FROM_RIGHT for character in text)


def reads_from_right(piece: Piece, *, in_answer_from_right: bool) -> bool:
    """Say whether a block is read from right to left. Code, addresses and numbers of sources do not count.

    In an answer from right to left, a block from left to right has a few words at least.
    """
    if piece.code is not None:
        return False
    runs = (run for paragraph in piece.paragraphs for run in paragraph.runs)
    words = " ".join(run.text for run in runs if not (run.style & Style.CODE or run.url or run.n))
    directions = [bidirectional(character) for character in islice(words, _MOST_CHARACTERS)]
    right, left = sum(d in _FROM_RIGHT for d in directions), directions.count("L")
    if not in_answer_from_right:
        return right > left
    foreign = sum(
        any(bidirectional(c) == "L" for c in word) for word in words.split()[:_MOST_CHARACTERS]
    )
    return left <= right or foreign < _FEWEST_WORDS


def code_line(text: str, *, is_whole: bool, is_plain: bool = False) -> str:
    """Return a stretch of a line of code with the marks that it needs.

    `is_whole` says that it is a string or a comment, whose own words stay together. `is_plain` says that
    nothing is known of its signs.
    """
    if not _RIGHT_LETTER.search(text):
        return text
    if not is_whole:
        parts = _BEFORE_OPERATOR if is_plain else _BEFORE_SIGN
        text = parts.sub(rf"\g<0>{LEFT_TO_RIGHT_MARK}", text)
    return f"{text}{LEFT_TO_RIGHT_MARK}"


def isolated_code(text: str) -> str:
    """Return code that stands within words from right to left, so that its own order stays."""
    return f"{_LEFT_TO_RIGHT_ISOLATE}{text}{_POP}"


def isolated_link(text: str) -> str:
    """Return the words or the address of a link within words from right to left, read by its first letter."""
    return f"{_FIRST_STRONG_ISOLATE}{text}{_POP}"


# Qt counts in UTF-16: a character beyond the first plane is two units.
_BEYOND = re.compile(r"[\U00010000-\U0010ffff]")
_HALF = re.compile(r"[\ud800-\udfff]")


def units(text: str) -> int:
    """Return how many units a text has."""
    return len(text) if text.isascii() else len(text) + len(_BEYOND.findall(text))


def split(text: str) -> str:
    """Return a text in which each unit is a character of its own, so that offsets fit."""
    return _BEYOND.sub(_halves, text)


def join(text: str) -> str:
    """Return what `split` took apart as it was; half a character becomes a question mark."""
    # Encoding takes a while, and nearly every text has no halves.
    if not _HALF.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _halves(found: re.Match[str]) -> str:
    # The pair of surrogates of a character beyond the first plane (RFC 2781, 2.1).
    code = ord(found.group()) - 0x10000
    return chr(0xD800 + (code >> 10)) + chr(0xDC00 + (code & 0x3FF))
