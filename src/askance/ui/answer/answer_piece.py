"""One block of an answer, set: paragraphs of formatted runs, and where its parts stand.

What is set here is only then put into the answer: so a block that turns out to look the same costs
the answer nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from PySide6.QtCore import QUrl
from PySide6.QtGui import QImage, QTextBlockFormat, QTextCharFormat, QTextDocument, QTextListFormat

from askance.ui.answer.answer_formats import HEADING_GAP, PARAGRAPH_GAP, TIGHT_GAP, AnswerFormats
from askance.ui.answer.code_highlighting import CodeToken, coloured, is_plain
from askance.ui.answer.direction_marks import code_line, holds_right, isolated_code, isolated_link
from askance.ui.model import markup as model
from askance.ui.model.doubts import Doubt
from askance.ui.model.inline import Style, TextRun
from askance.ui.model.markup import BULLET, Piece, link_to
from askance.ui.model.stream import MarkdownBlockKind

# Longer code stays in one colour: every stretch of colour costs the layout something.
MOST_COLOURED = 20_000
NBSP = "\N{NO-BREAK SPACE}"
# Qt counts in UTF-16: a character beyond the first plane is two units.
_BEYOND = re.compile(r"[\U00010000-\U0010ffff]")
_HALF = re.compile(r"[\ud800-\udfff]")


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
    markers: tuple[PieceMarker, ...] = field(default=(), compare=False)
    doubts: tuple[DoubtAt, ...] = field(default=(), compare=False)

    @property
    def length(self) -> int:
        """How many characters it has, as Qt counts them."""
        return sum(units(text) for text, _ in self.runs)


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
            paragraphs.append(PieceParagraph((), self._formats.block(gap)))
        return SetPiece(piece.kind, tuple(paragraphs))

    def _paragraph(
        self, paragraph: model.MarkupParagraph, gap: float, is_from_right: bool
    ) -> PieceParagraph:
        line = _Line(self._formats, paragraph.heading, is_from_right=is_from_right)
        line.read(paragraph.runs)
        return PieceParagraph(
            tuple(line.runs),
            self._formats.paragraph(
                paragraph, gap if paragraph.cell is None else 0, is_from_right=is_from_right
            ),
            _item(paragraph),
            "" if paragraph.is_done is not None else paragraph.sign,
            paragraph.cell,
            tuple(line.markers),
            tuple(line.doubts),
        )

    def _code(self, piece: Piece, gap: float) -> Iterator[PieceParagraph]:
        assert piece.code is not None
        text, language = piece.code.text, piece.code.language
        if len(text) > MOST_COLOURED:
            language = "text"
        plain = is_plain(piece.code.language)
        codes = self._formats.code_without_ligatures if holds_right(text) else self._formats.code
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


def gap_above(before: Piece | None, piece: Piece) -> float:
    """Return the room between two blocks, in pixels of the tokens."""
    if before is None:
        return 0
    if before.kind is piece.kind is MarkdownBlockKind.LIST and before.is_tight:
        return TIGHT_GAP
    return HEADING_GAP if piece.kind is MarkdownBlockKind.HEADING else PARAGRAPH_GAP


def units(text: str) -> int:
    """Return how many units a text has."""
    return len(text) if text.isascii() else len(text) + len(_BEYOND.findall(text))


def split(text: str) -> str:
    """Return a text in which each unit is a character of its own, so that offsets fit."""
    return _BEYOND.sub(_halves, text)


def join(text: str) -> str:
    """Return what `split` took apart as it was; half a character becomes a question mark."""
    if not _HALF.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


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
                    self._mark(run.n, link_to(run))
                    continue
                blank = len(run.text) - len(run.text.lstrip(" ")) if not end else 0
                begin = self._length
                shown = self._shown(run)
                beside_right = self._is_from_right or holds_right(run.text)
                chars = self._formats.chars(
                    run.style, run.url, self._heading, beside_right=beside_right
                )
                self._add(shown, chars)
                if run.text.strip():
                    start = start if end else begin + blank
                    end = begin + units(shown.rstrip(" "))
                    words.append(run.text)
            if doubt is not None and start < end:
                text = "".join(words).strip(" ")
                self.doubts.append(DoubtAt(start, end - start, text, doubt))

    def _shown(self, run: TextRun) -> str:
        """Return the words of a run with the marks that their order needs."""
        if run.style & Style.CODE:
            text = code_line(run.text, is_whole=False)
            return isolated_code(text) if self._is_from_right else text
        return isolated_link(run.text) if run.url and self._is_from_right else run.text

    def _add(self, text: str, chars: QTextCharFormat) -> None:
        if not text:
            return
        self._length += units(text)
        if self.runs and self.runs[-1][1] is chars:
            text = self.runs.pop()[0] + text
        self.runs.append((text, chars))

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
        self.markers.append(PieceMarker(self._length, len(shown), n, link))
        self._add(shown, self._formats.marker_of(n))

    @property
    def _is_behind_marker(self) -> bool:
        last = self.markers[-1] if self.markers else None
        return last is not None and last.start + last.length == self._length


def _item(paragraph: model.MarkupParagraph) -> QTextListFormat | None:
    """Return the list of one item that shows a paragraph as the item that it is.

    Qt draws bullets large, and close to the words: those are painted beside the document.
    """
    if not paragraph.sign or (paragraph.sign == BULLET and paragraph.is_done is None):
        return None
    made = QTextListFormat()
    made.setIndent(paragraph.depth)
    number = paragraph.sign.strip()
    if number == BULLET.strip():
        made.setStyle(QTextListFormat.Style.ListDisc)
    else:
        made.setStyle(QTextListFormat.Style.ListDecimal)
        made.setStart(int(number[:-1]))
        made.setNumberSuffix(number[-1])
    return made


def _halves(found: re.Match[str]) -> str:
    code = ord(found.group()) - 0x10000
    return chr(0xD800 + (code >> 10)) + chr(0xDC00 + (code & 0x3FF))
