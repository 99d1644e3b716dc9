"""One block of an answer, set: paragraphs of formatted runs, and where its markers and doubts are.

Qt reads the Markdown in a document of its own that nobody sees; what is read is set anew here and
only then put into the answer. So a block that turns out to look the same costs the answer nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from PySide6.QtCore import QUrl
from PySide6.QtGui import (
    QImage,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextList,
    QTextListFormat,
    QTextTable,
)

from askance.ui.answer.answer_formats import (
    HEADING_GAP,
    PARAGRAPH_GAP,
    TIGHT_GAP,
    AnswerFormats,
    is_rule,
)
from askance.ui.answer.code_block_colours import Colour, coloured
from askance.ui.design import utf16
from askance.ui.model.doubts import Doubt
from askance.ui.model.markup import CLOSING, OPENING, Piece, pairs_in, target_of
from askance.ui.model.stream import BlockKind

FEATURES = (
    QTextDocument.MarkdownFeature.MarkdownNoHTML
    | QTextDocument.MarkdownFeature.MarkdownDialectGitHub
)
# Longer code stays in one colour: every stretch of colour costs the layout something.
MOST_COLOURED = 20_000
NBSP = "\N{NO-BREAK SPACE}"
BULLET = "- "
_NUMBER = re.compile(r"\[(\d{1,3})\]")


@dataclass(frozen=True, slots=True)
class Marker:
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
class Paragraph:
    """Words in their formats; `cell` is its row and column in a table.

    `sign` is what stands before an item of a list when it is typed: `- ` or `3. `.
    """

    runs: tuple[tuple[str, QTextCharFormat], ...]
    format: QTextBlockFormat
    list: QTextListFormat | None = None
    sign: str = ""
    cell: tuple[int, int] | None = None
    markers: tuple[Marker, ...] = field(default=(), compare=False)
    doubts: tuple[DoubtAt, ...] = field(default=(), compare=False)

    @property
    def length(self) -> int:
        """How many characters it has, as Qt counts them."""
        return sum(utf16.units(text) for text, _ in self.runs)


@dataclass(frozen=True, slots=True)
class SetPiece:
    """A block, set. Two that are equal look the same, whatever their markers lead to."""

    kind: BlockKind
    paragraphs: tuple[Paragraph, ...]


class SealedDocument(QTextDocument):
    """A document that loads nothing: every picture in it is empty, whatever it is called."""

    def loadResource(self, type: int, name: QUrl | str) -> QImage:  # noqa: A002, ARG002 - Qt's interface
        """Return an empty picture. Nothing at all would make Qt look for it itself."""
        return QImage()


class Setter:
    """Sets blocks in the formats of one look."""

    def __init__(self, formats: AnswerFormats) -> None:
        self._formats = formats
        self._draft = SealedDocument()
        self._draft.setUndoRedoEnabled(False)

    def set(self, piece: Piece, gap: float) -> SetPiece:
        """Set a block that stands `gap` below what is above it."""
        if piece.code is not None:
            return SetPiece(piece.kind, tuple(self._code(piece, gap)))
        self._draft.setMarkdown(piece.markdown, FEATURES)
        doubts = iter(piece.doubts)
        paragraphs: list[Paragraph] = []
        block = self._draft.begin()
        while block.isValid():
            if _table_of(block) is not None or block.text() or is_rule(block.blockFormat()):
                inner = TIGHT_GAP if _list_of(block) is not None else PARAGRAPH_GAP
                above = inner if paragraphs else gap
                paragraphs.append(self._paragraph(block, above, doubts))
            block = block.next()
        if not paragraphs:  # every block of an answer owns at least one
            paragraphs.append(Paragraph((), self._formats.block(gap)))
        return SetPiece(piece.kind, tuple(paragraphs))

    def _paragraph(self, block: QTextBlock, gap: float, doubts: Iterator[Doubt]) -> Paragraph:
        table, read = _table_of(block), block.blockFormat()
        made = self._formats.like(read, gap if table is None else 0)
        cell = None
        if table is not None:
            at = table.cellAt(QTextCursor(block))
            cell = (at.row(), at.column())
        item, sign = _item(block)
        if sign == BULLET:  # Qt draws them large, and close to the words
            made.setIndent(item.indent() if item else 0)
            item = None
        line = _Line(self._formats, read.headingLevel())
        line.read(block)
        return Paragraph(
            tuple(line.runs),
            made,
            item,
            sign,
            cell,
            tuple(line.markers),
            tuple(line.doubts(doubts)),
        )

    def _code(self, piece: Piece, gap: float) -> Iterator[Paragraph]:
        assert piece.code is not None
        text, language = piece.code.text, piece.code.language
        if len(text) > MOST_COLOURED:
            language = "text"
        lines: list[list[tuple[str, QTextCharFormat]]] = [[]]
        for stretch, colour in coloured(text, language):
            first, *rest = stretch.split("\n")
            lines[-1].append((first, self._formats.code[colour]))
            lines += [[(line, self._formats.code[colour])] for line in rest]
        for i, runs in enumerate(lines):
            made = self._formats.code_block(gap, is_first=i == 0, is_last=i == len(lines) - 1)
            shown = tuple((words, chars) for words, chars in runs if words)
            # An empty line is as high as its format says only if it has one.
            yield Paragraph(shown or (("", self._formats.code[Colour.TEXT]),), made)


class _Line:
    """Reads one paragraph: markers become numbers on their own ground, marks of doubt disappear."""

    def __init__(self, formats: AnswerFormats, heading: int) -> None:
        self._formats = formats
        self._heading = heading
        self._length = 0
        self.runs: list[tuple[str, QTextCharFormat]] = []
        self.markers: list[Marker] = []
        self._openings: list[int] = []
        self._spans: list[tuple[int, int]] = []

    def read(self, block: QTextBlock) -> None:
        text = utf16.split(block.text())
        pairs = pairs_in(text)
        opens, closes = {a for a, _ in pairs}, {b for _, b in pairs}
        for piece in block.textFormats():
            written = text[piece.start : piece.start + piece.length]
            chars: QTextCharFormat = piece.format
            link = chars.anchorHref() if chars.isAnchor() else ""
            if link and target_of(link) is not None:
                for found in _NUMBER.finditer(written):
                    self._mark(int(found[1]), link)
                continue
            made = self._formats.chars(chars, self._heading)
            done = 0
            for i, character in enumerate(written, piece.start):
                if i not in opens and i not in closes:
                    continue
                self._add(written[done : i - piece.start], made)
                done = i - piece.start + 1
                if character == OPENING:
                    self._openings.append(self._length)
                elif character == CLOSING and self._openings:
                    self._spans.append((self._openings.pop(), self._length))
            self._add(written[done:], made)

    def doubts(self, doubts: Iterator[Doubt]) -> Iterator[DoubtAt]:
        text = utf16.split("".join(words for words, _ in self.runs))
        for start, end in self._spans:
            doubt = next(doubts, None)
            if doubt is not None and start < end:
                yield DoubtAt(start, end - start, utf16.join(text[start:end]), doubt)

    def _add(self, text: str, chars: QTextCharFormat) -> None:
        if not text:
            return
        self._length += len(text)
        if self.runs and self.runs[-1][1] is chars:  # a mark of doubt parted them
            text = self.runs.pop()[0] + text
        self.runs.append((utf16.join(text), chars))

    def _mark(self, n: int, link: str) -> None:
        """Set a number close to the word before it, with room around it for its ground."""
        if self.runs and not self._is_behind_marker:
            words, chars = self.runs[-1]
            trimmed = words.rstrip(" ")
            self._length -= len(words) - len(trimmed)
            self.runs[-1] = (trimmed, chars)
        if self.runs:
            self._add(NBSP, self._formats.gap)
        shown = f"{NBSP}{n}{NBSP}"
        self.markers.append(Marker(self._length, len(shown), n, link))
        self._add(shown, self._formats.marker_of(n))

    @property
    def _is_behind_marker(self) -> bool:
        last = self.markers[-1] if self.markers else None
        return last is not None and last.start + last.length == self._length


def _table_of(block: QTextBlock) -> QTextTable | None:
    return QTextCursor(block).currentTable()


def _list_of(block: QTextBlock) -> QTextList | None:
    return block.textList()


def _item(block: QTextBlock) -> tuple[QTextListFormat | None, str]:
    """Return the list of one item that shows a block as the item that it is, and its sign."""
    of = _list_of(block)
    if of is None:
        return None, ""
    made = QTextListFormat(of.format())
    if made.style() is QTextListFormat.Style.ListDecimal:
        made.setStart(made.start() + of.itemNumber(block))
        return made, f"{made.start()}. "
    is_task = block.blockFormat().marker() is not QTextBlockFormat.MarkerType.NoMarker
    return made, "" if is_task else BULLET


def gap_above(before: Piece | None, piece: Piece) -> float:
    """Return the room between two blocks, in pixels of the tokens."""
    if before is None:
        return 0
    if before.kind is piece.kind is BlockKind.LIST and before.is_tight:
        return TIGHT_GAP
    return HEADING_GAP if piece.kind is BlockKind.HEADING else PARAGRAPH_GAP
