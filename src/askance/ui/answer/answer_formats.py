"""How the parts of an answer are set: type, colour and measures."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import (
    QBrush,
    QColor,
    QFont,
    QTextBlockFormat,
    QTextCharFormat,
    QTextFrameFormat,
    QTextTableCellFormat,
    QTextTableFormat,
)

from askance.ui.answer.code_highlighting import CodeToken
from askance.ui.answer.text_direction import has_letters_from_right
from askance.ui.design import tokens
from askance.ui.design.theme import Look
from askance.ui.model.inline import Style
from askance.ui.model.markup import BULLET, MarkupParagraph

PAD = 10
"""The room that a panel of code takes above its first line and below its last, in pixels."""
CODE_INSET = 14
CODE_BUTTON_ROOM = 40
PARAGRAPH_GAP = 12
TIGHT_GAP = 4
HEADING_GAP = 20
INDENT = 22
QUOTE_INDENT = 16
TABLE_GAP = 10
_HEADING_SIZES = {1: 18, 2: 16}
_EMPTY_LINE = 1
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


class AnswerFormats:
    """The formats of the parts of an answer. Measures are those of the tokens, scaled."""

    def __init__(self, look: Look) -> None:
        self.look = look
        colours = look.colours
        self.text = _chars(look.font(tokens.BODY_TEXT), colours.ink)
        self.empty = _chars(look.font(tokens.BODY_TEXT), colours.ink)
        tiny = look.font(tokens.BODY_TEXT)
        tiny.setPixelSize(_EMPTY_LINE)
        self.empty.setFont(tiny)
        self.code = _code(look, look.code_font())
        apart = look.code_font()
        # Signs behind letters from right to left are shaped as those are, and the parts of a ligature
        # such as `--` or `->` change places.
        apart.setFeature(QFont.Tag("calt"), 0)
        self.code_without_ligatures = _code(look, apart)
        self.marker = _chars(look.font(tokens.KEY_TEXT, QFont.Weight.DemiBold), colours.accent)
        self.gap = _chars(look.font(tokens.KEY_TEXT / 2), colours.ink)
        self._markers: dict[int, QTextCharFormat] = {}
        self._chars: dict[tuple[Style, str, int, bool], QTextCharFormat] = {}

    def chars(
        self, style: Style, url: str, heading: int, *, beside_right: bool = False
    ) -> QTextCharFormat:
        """Return how words are set that stand in such a style, in a heading of that level if any.

        `beside_right` says that code stands among letters from right to left.
        """
        key = (style, url, heading, beside_right)
        if key not in self._chars:
            self._chars[key] = self._made(style, url, heading, beside_right)
        return self._chars[key]

    def _made(self, style: Style, url: str, heading: int, beside_right: bool) -> QTextCharFormat:
        if style & Style.CODE:
            codes = self.code_without_ligatures if beside_right else self.code
            made = QTextCharFormat(codes[CodeToken.TEXT])
        else:
            made = QTextCharFormat(self.text)
            if heading:
                size = _HEADING_SIZES.get(heading, tokens.BODY_TEXT)
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

    def block(self, gap: float) -> QTextBlockFormat:
        """Return how a paragraph is set that stands so far below what is above it."""
        return self._lines(tokens.BODY_LINE, gap)

    def paragraph(
        self, paragraph: MarkupParagraph, gap: float, *, is_from_right: bool = False
    ) -> QTextBlockFormat:
        """Return how a paragraph of an answer is set, and from which side it is read."""
        made = self.block(gap)
        made.setLayoutDirection(_RIGHT if is_from_right else _LEFT)
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

    def code_block(self, gap: float, *, is_first: bool, is_last: bool) -> QTextBlockFormat:
        """Return how a line of code is set; the panel's own room is part of its margins."""
        made = self._lines(tokens.SMALL_LINE, gap + PAD if is_first else 0)
        made.setLeftMargin(self.look.px(CODE_INSET))
        made.setRightMargin(self.look.px(CODE_BUTTON_ROOM))
        made.setLayoutDirection(Qt.LayoutDirection.LeftToRight)
        if is_last:
            # Margins between blocks do not add up: the larger one counts.
            made.setBottomMargin(self.look.px(PAD + PARAGRAPH_GAP))
        return made

    def empty_block(self, gap: float) -> QTextBlockFormat:
        """Return how the empty paragraphs around a table are set: as nothing that can be seen."""
        return self._lines(_EMPTY_LINE, gap)

    def table(self, *, is_from_right: bool = False) -> QTextTableFormat:
        """Return how a table is set: no box, its rows are parted by hairlines."""
        made = QTextTableFormat()
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

    def _lines(self, height: float, gap: float) -> QTextBlockFormat:
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
