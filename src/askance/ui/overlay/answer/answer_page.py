"""The page of an answer: its document, what is painted under and over its words, and buttons that copy code and tables.

Grounds of numbers, panels of code and doubts are drawn beside the document, so that what a check finds out
later changes no line of it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from time import perf_counter

from PySide6.QtCore import (
    QMimeData,
    QPointF,
    QRect,
    QRectF,
    QSignalBlocker,
    QSize,
    Qt,
    QThreadPool,
    QUrl,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QGuiApplication,
    QImage,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QTextBlock,
    QTextCursor,
    QTextDocument,
    QTextTable,
)
from PySide6.QtWidgets import QFrame, QPushButton, QSizePolicy, QTextBrowser, QWidget

from askance.domain.evidence import Support
from askance.presentation.i18n import tr
from askance.ui.design import drawing, theme
from askance.ui.design.composing import Styled, single_shot_timer
from askance.ui.design.focus import announce
from askance.ui.design.labels import set_tip
from askance.ui.design.theme import Look
from askance.ui.overlay.answer.answer_document import AnswerDocument
from askance.ui.overlay.answer.answer_piece import PAD
from askance.ui.overlay.answer.copying import table_cells
from askance.ui.overlay.answer.markdown_blocks import MarkdownBlockKind
from askance.ui.overlay.answer.markup import BULLET, Piece
from askance.ui.overlay.answer.tex_formulas import set_formula

_MARKER_RADIUS = 3
_MARKER_ABOVE, _MARKER_BELOW = 12, 4
_UNDERLINE_DROP = 4.5
_BULLET, _BULLET_BEFORE, _BULLET_RISE = 4.5, 12, 5.5
_QUOTE_BAR = 2
# How many characters before and behind the places that Qt hit count as seen: of paragraphs and
# cells, and on a line.
_BESIDE = 2_000
_LINE = 300
# Lengths of dashes and gaps, in widths of the pen. The patterns differ, for colours are never the
# only sign (decision 9).
_DASHES = {Support.WEAK: [3.0, 2.0], Support.UNSUPPORTED: [1.0, 2.0]}

_PANELS = {MarkdownBlockKind.CODE, MarkdownBlockKind.QUOTE, MarkdownBlockKind.RULE}


@dataclass(frozen=True, slots=True)
class LineSegment:
    """A part of a line, in the coordinates of the document."""

    left: float
    right: float
    baseline: float


class LineGeometry:
    """Finds the parts of lines that words take. What is known of the last line is cached: whoever asks
    for all words that are seen asks in their order.
    """

    def __init__(self, document: QTextDocument) -> None:
        self._document = document
        self._start = self._end = 0
        self._block = QTextBlock()

    def stretches(self, start: int, length: int) -> Iterator[LineSegment]:
        """Yield the parts of lines that some words of one paragraph take."""
        end = start + length
        while start < end:
            if not self._start <= start < self._end and not self._go_to(start):
                return
            last = min(end, self._end)
            # PySide gives the place and the cursor's position; only the place is of use.
            left = _x(self._line.cursorToX(start - self._offset))
            right = _x(self._line.cursorToX(last - self._offset))
            # The blank at which a line breaks lies beyond its words.
            right = min(right, self._natural_right)
            yield LineSegment(self._left + left, self._left + right, self._baseline)
            start = last

    def _go_to(self, position: int) -> bool:
        if not self._block.contains(position):
            self._block = self._document.findBlock(position)
            self._offset = self._block.position()
            layout = self._document.documentLayout()
            self._origin = layout.blockBoundingRect(self._block).topLeft()
            self._left = self._origin.x()
        line = self._line = self._block.layout().lineForTextPosition(position - self._offset)
        if not line.isValid():
            self._start = self._end = 0
            return False
        self._start = self._offset + line.textStart()
        self._end = self._start + line.textLength()
        self._natural_right = line.naturalTextRect().right()
        self._baseline = self._origin.y() + line.y() + line.ascent()
        return self._start <= position < self._end


def first_line(document: QTextDocument, start: int) -> Iterator[LineSegment]:
    """Yield what the words of a paragraph's first line take; nothing if it is not laid out yet."""
    block = document.findBlock(start)
    line = block.layout().lineAt(0)
    # A document is laid out bit by bit: paragraphs far below may have no lines yet.
    if line.isValid():
        origin = document.documentLayout().blockBoundingRect(block).topLeft()
        words = line.naturalTextRect()
        yield LineSegment(
            origin.x() + words.left(),
            origin.x() + words.right(),
            origin.y() + line.y() + line.ascent(),
        )


def _reads_from_left(document: QTextDocument, start: int) -> bool:
    direction = document.findBlock(start).textDirection()
    return direction is not Qt.LayoutDirection.RightToLeft


def _x(place: object) -> float:
    return float(place[0]) if isinstance(place, tuple) else float(place)  # type: ignore[arg-type]


def ground_of(stretch: LineSegment, look: Look) -> QRectF:
    """Return the ground behind a marker."""
    above, below = look.px(_MARKER_ABOVE), look.px(_MARKER_BELOW)
    return QRectF(
        stretch.left, stretch.baseline - above, stretch.right - stretch.left, above + below
    )


def panel_of(answer: AnswerDocument, index: int, look: Look, width: float) -> QRectF:
    """Return the panel behind a block of code."""
    shown = answer.shown[index]
    start = answer.start_of(index)
    layout = answer.document.documentLayout()
    first = layout.blockBoundingRect(answer.document.findBlock(start + shown.starts[0]))
    last = layout.blockBoundingRect(answer.document.findBlock(start + shown.starts[-1]))
    pad = look.px(PAD)
    return QRectF(0, first.top() - pad, width, last.bottom() - first.top() + 2 * pad)


def table_of(answer: AnswerDocument, index: int) -> QRectF:
    """Return where a table stands, without the room beside it."""
    shown = answer.shown[index]
    start = answer.start_of(index) + shown.starts[0]
    block = answer.document.findBlock(start)
    table = QTextCursor(block).currentTable()
    layout = answer.document.documentLayout()
    # A table that is not laid out yet is as wide as its first words.
    return layout.frameBoundingRect(table) if table else layout.blockBoundingRect(block)


class AnswerPaint:
    """Draws the grounds of numbers, panels of code and doubts around the words, in the coordinates of the document."""

    def __init__(self, answer: AnswerDocument, look: Look) -> None:
        self._answer = answer
        self._look = look

    def under(self, painter: QPainter, clip: QRectF, focused: int | None, source: int = 0) -> None:
        """Draw what lies under the words. `focused` is the marker that has the focus, `source` one that is lit."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paragraphs, seen = self._seen(clip)
        self._panels(painter, clip, *paragraphs)
        painter.setPen(Qt.PenStyle.NoPen)
        self._bullets(painter, *paragraphs)
        lines = LineGeometry(self._answer.document)
        markers = self._answer.markers
        painter.setBrush(QColor(self._look.colours.accent_soft))
        for i in _within(markers, *seen):
            position, marker = markers[i]
            for stretch in lines.stretches(position, marker.length):
                is_lit = i == focused or marker.n == source
                self._marker(painter, ground_of(stretch, self._look), is_focused=is_lit)
        doubts = self._answer.doubts
        for i in _within(doubts, *paragraphs):
            position, found = doubts[i]
            for stretch in lines.stretches(position, found.length):
                self._underline(painter, stretch, found.doubt.support)

    def _bullets(self, painter: QPainter, first: int, last: int) -> None:
        painter.setBrush(QColor(self._look.colours.ink_2))
        radius, rise = self._look.px(_BULLET) / 2, self._look.px(_BULLET_RISE)
        paragraphs = self._answer.paragraphs
        for i in _within(paragraphs, first, last):
            position, paragraph = paragraphs[i]
            if paragraph.sign != BULLET:
                continue
            for stretch in first_line(self._answer.document, position):
                before = self._look.px(_BULLET_BEFORE)
                is_left = _reads_from_left(self._answer.document, position)
                place = stretch.left - before if is_left else stretch.right + before
                painter.drawEllipse(QPointF(place, stretch.baseline - rise), radius, radius)

    def _seen(self, clip: QRectF) -> tuple[tuple[int, int], tuple[int, int]]:
        """Return where the first paragraph starts, and the last ends, that is seen in part; and the
        same of the lines.
        """
        document = self._answer.document
        layout = document.documentLayout()
        fuzzy = Qt.HitTestAccuracy.FuzzyHit
        # To look for a place takes milliseconds in a document of many tables.
        top, end = layout.hitTest(clip.topLeft(), fuzzy), layout.hitTest(clip.bottomRight(), fuzzy)
        first, last = document.findBlock(top), document.findBlock(end)
        # In a table the cells beside the one that was hit are seen as well.
        paragraphs = first.position() - _BESIDE, last.position() + last.length() + _BESIDE
        tables: list[QTextTable | None] = [QTextCursor(b).currentTable() for b in (first, last)]
        if any(table is not None for table in tables):
            return paragraphs, paragraphs
        # Where a line runs from right to left, the corner that was hit is its other end.
        return paragraphs, (top - _LINE, end + _LINE)

    def _panels(self, painter: QPainter, clip: QRectF, first: int, last: int) -> None:
        colours = self._look.colours
        for i in self._answer.blocks_between(first, last):
            shown = self._answer.shown[i]
            if shown.set.kind not in _PANELS:
                continue
            panel = panel_of(self._answer, i, self._look, self._answer.document.textWidth())
            # The blocks were found by characters, and generously: some of them are out of sight.
            if not panel.intersects(clip):
                continue
            if shown.set.kind is MarkdownBlockKind.CODE:
                box = panel.adjusted(0.5, 0.5, -0.5, -0.5)
                radius = self._look.px(theme.CONTROL_RADIUS)
                drawing.draw_box(painter, box, colours.raised, colours.line, radius)
                continue
            inside = panel.adjusted(0, self._look.px(PAD), 0, -self._look.px(PAD))
            if shown.set.kind is MarkdownBlockKind.QUOTE:
                if shown.is_from_right:
                    inside.setLeft(inside.right() - _QUOTE_BAR)
                inside.setWidth(_QUOTE_BAR)
            else:
                inside = QRectF(0, round(inside.center().y()), panel.width(), 1)
            painter.fillRect(inside, QColor(colours.line))

    def _marker(self, painter: QPainter, ground: QRectF, *, is_focused: bool) -> None:
        if is_focused:
            painter.setPen(QPen(QColor(self._look.colours.accent), 1.5))
        painter.drawRoundedRect(ground, _MARKER_RADIUS, _MARKER_RADIUS)
        if is_focused:
            painter.setPen(Qt.PenStyle.NoPen)

    def _underline(self, painter: QPainter, stretch: LineSegment, support: Support) -> None:
        colours = self._look.colours
        pen = QPen(QColor(colours.amber if support is Support.WEAK else colours.red), 1.2)
        pen.setDashPattern(_DASHES[support])
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.setPen(pen)
        # In the middle of a pixel, so that a thin line is not blurred over two.
        y = round(stretch.baseline + self._look.px(_UNDERLINE_DROP)) + 0.5
        painter.drawLine(QPointF(stretch.left, y), QPointF(stretch.right, y))
        painter.setPen(Qt.PenStyle.NoPen)


def _within(found: Sequence[tuple[int, object]], first: int, last: int) -> range:
    """Return the indices of what starts between two positions."""
    start = bisect_left(found, first, key=lambda item: item[0])
    return range(start, bisect_left(found, last, key=lambda item: item[0]))


# So long formulas are set until those that are there are shown; the program waits for it when it ends.
_FORMULAS_S = 0.2
SLICE_MS = 3
"""After how long no further block is set in a turn of the event loop; drawing comes on top."""
TAIL_MS = 50
"""How often the open end of an answer is set anew, at most."""
# An open end that takes long to set is set so much less often that the window mostly idles.
_IDLE_SHARE = 8
_BUTTON_INSET = 6
# An answer of nothing but blocks of code has thousands, and each button is a widget.
_MOST_BUTTONS = 50


class AnswerPage(Styled, QTextBrowser):
    """Shows the blocks of an answer. It has no scroll bar: it is as high as it needs to be."""

    height_changed = Signal()
    settled = Signal()
    """Everything that was to be shown is shown."""
    _formulas_set = Signal()

    type_size, pad = theme.BODY, PAD
    """The size of its words, and the room above and below them, in pixels of the tokens."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.answer = AnswerDocument(look, self.type_size, self.pad)
        self.lit_marker: int | None = None
        """The number, from 0, of the marker that is drawn with the focus."""
        self._lit_source = 0
        self._paint = AnswerPaint(self.answer, look)
        self._committed: tuple[Piece, ...] = ()
        self._tail: tuple[Piece, ...] = ()
        self._is_behind = False
        self._buttons: list[CopyButton] = []
        self._tail_set_at = 0.0
        self._tail_every_s = TAIL_MS / 1000
        self._reported_height = 0
        self._work = single_shot_timer(self, self._work_on)
        self._is_setting = False
        # Queued: it is emitted in a thread of the pool.
        self._formulas_set.connect(self._show_formulas, Qt.ConnectionType.QueuedConnection)
        # PySide hands a document that is set over to C++, where nobody deletes it.
        self.answer.document.setParent(self)
        self.setDocument(self.answer.document)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        # Qt would open whatever address stands there; `AnswerView` opens those of the web.
        self.setOpenLinks(False)
        self.viewport().setAutoFillBackground(False)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setMinimumSize(0, 0)
        self.setAccessibleName(tr("Answer"))

    def _restyle(self) -> None:
        self.answer.set_look(self.look)
        self._paint = AnswerPaint(self.answer, self.look)
        self._want()

    def show_pieces(self, committed: tuple[Piece, ...], tail: tuple[Piece, ...] = ()) -> None:
        """Show blocks; `tail` are those that are still being written."""
        self._committed, self._tail = committed, tail
        self._want()

    def light_source(self, n: int) -> None:
        """Draw the numbers of a source as one with the focus; none for 0."""
        if n != self._lit_source:
            self._lit_source = n
            self.viewport().update()

    def finish(self) -> None:
        """Set all that is left at once, for pictures and for tests."""
        self._take(perf_counter())
        while not self.answer.is_done:
            self.answer.step()
        self._settle()

    @property
    def is_settled(self) -> bool:
        """Whether all that was given is shown."""
        return self.answer.is_done and not self._is_behind

    def marker_rect(self, index: int) -> QRect:
        """Return where a marker is, in the view's coordinates."""
        position, marker = self.answer.markers[index]
        rect = QRectF()
        for stretch in LineGeometry(self.answer.document).stretches(position, marker.length):
            rect = rect.united(ground_of(stretch, self.look))
        return rect.toAlignedRect()

    def _want(self) -> None:
        now = perf_counter()
        # The open end of an answer that streams is set at intervals, all else at once.
        ready_at = self._tail_set_at + self._tail_every_s
        if not self._tail or now >= ready_at:
            self._take(now)
            self._work_on()
            return
        self._is_behind = True
        if not self._work.isActive():
            self._work.start(max(1, round(1000 * (ready_at - now))))

    def _take(self, now: float) -> None:
        self.answer.want((*self._committed, *self._tail))
        self._tail_set_at, self._is_behind = now, False

    def _work_on(self) -> None:
        """Set blocks for one slice of time; the rest waits for the next turn of the event loop."""
        began = perf_counter()
        if self._is_behind and self.answer.is_done:
            self._take(began)
        while not self.answer.is_done:
            self.answer.step()
            # Checked after a block, so that each turn sets one, however slow the machine is.
            if 1000 * (perf_counter() - began) >= SLICE_MS:
                break
        self._tail_every_s = max(TAIL_MS / 1000, _IDLE_SHARE * (perf_counter() - began))
        if not self.answer.is_done:
            self._report_height()
            self._work.start(0)
            return
        self._settle()
        if self._is_behind:
            self._work.start(round(1000 * self._tail_every_s))

    def _settle(self) -> None:
        """Bring what lies around the words up to date with them."""
        self._report_height()
        self._place_buttons()
        self._describe()
        self._set_formulas()
        self.settled.emit()

    def _set_formulas(self) -> None:
        """Set formulas that are new, a few at a time, in a thread: until then their sources stand there."""
        unset = self.answer.unset_formulas
        if self._is_setting or not unset:
            return
        self._is_setting = True

        def work() -> None:
            until = perf_counter() + _FORMULAS_S
            for source in unset:
                set_formula(source)
                if perf_counter() >= until:
                    break
            with suppress(RuntimeError):  # the answer went meanwhile
                self._formulas_set.emit()

        # Behind copies, which somebody waits for.
        QThreadPool.globalInstance().start(work, -1)

    def _show_formulas(self) -> None:
        self._is_setting = False
        self.answer.set_formulas()
        self._work_on()

    def _report_height(self) -> None:
        height = self.heightForWidth(self.width())
        # A hidden one may not have been given the width yet at which it will be seen.
        if height != self._reported_height or not self.isVisible():
            self._reported_height = height
            self.updateGeometry()
            self.height_changed.emit()

    def _describe(self) -> None:
        descriptions = [
            tr("{words}: {support}", words=doubtful.words, support=doubtful.doubt.word)
            for _, doubtful in self.answer.doubts
        ]
        description = "\n".join(descriptions)
        if description != self.accessibleDescription():
            self.setAccessibleDescription(description)
            # A doubt changes nothing in the document, so nobody else would draw it.
            self.viewport().update()

    def hasHeightForWidth(self) -> bool:
        """Its height follows from its width."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return how high the words are at a width."""
        document = self.answer.document
        if width > 0 and document.textWidth() != width:
            document.setTextWidth(width)
            if document.textWidth() != width:
                # Qt knows of it, and broke the lines for the width that the view has now: none
                # at all where it was never shown.
                with QSignalBlocker(document.documentLayout()):
                    document.setTextWidth(width)
        # Rounded up, except for hundredths of a pixel, which come from Qt's sums.
        return round(document.size().height() + 0.49)

    def sizeHint(self) -> QSize:
        """Return the size at the present width."""
        return QSize(self.width(), self.heightForWidth(self.width()))

    def minimumSizeHint(self) -> QSize:
        """Nothing is too small for it."""
        return QSize(0, 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break the lines anew."""
        super().resizeEvent(event)
        self._place_buttons()
        self._report_height()

    @property
    def copied_blocks(self) -> list[int]:
        """The blocks that have a button of their own: code and tables, in order."""
        found = (
            i
            for i, shown in enumerate(self.answer.shown)
            if shown.piece.code is not None or shown.set.kind is MarkdownBlockKind.TABLE
        )
        return list(islice(found, _MOST_BUTTONS))

    def _place_buttons(self) -> None:
        blocks = self.copied_blocks
        while len(self._buttons) > len(blocks):
            spare = self._buttons.pop()
            spare.hide()
            spare.deleteLater()
        while len(self._buttons) < len(blocks):
            self._buttons.append(CopyButton(self.look, self))
        inset = self.look.px(_BUTTON_INSET)
        for button, i in zip(self._buttons, blocks, strict=True):
            shown = self.answer.shown[i]
            button.show_piece(shown.piece)
            if shown.piece.code is not None:
                panel = panel_of(self.answer, i, self.look, self.width())
                left, top = panel.right() - button.width() - inset, panel.top() + inset
            else:
                # Beside the table, which leaves room for it (`AnswerFormats.table`).
                table = table_of(self.answer, i)
                room = button.width() + inset
                is_left = shown.is_from_right
                left = table.left() if is_left else table.right() - room + inset
                top = table.top()
            button.move(round(left), round(top))
            button.show()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw what lies under the words, then the words."""
        with QPainter(self.viewport()) as painter:
            clip = QRectF(event.rect())
            self._paint.under(painter, clip, self.lit_marker, self._lit_source)
        super().paintEvent(event)

    def loadResource(self, type: int, name: QUrl | str) -> QImage:  # noqa: A002, ARG002 - Qt's interface
        """Load nothing, whatever an answer names."""
        return QImage()


SIDE = 26
_ICON = 15
_THANKS_MS = 1200
# So many characters of the code tell it from others.
_LONGEST_CODE = 40


class CopyButton(Styled, QPushButton):
    """Copies the code of one panel, or the cells of a table, and says for a moment that it did."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(look, parent)
        self._piece = Piece(MarkdownBlockKind.CODE)
        self.setProperty("quiet", True)
        # Tab gets there through the answer, between the numbers above and below.
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._back = single_shot_timer(self, self._rest)
        self.clicked.connect(self._copy)
        self._restyle()

    def show_piece(self, piece: Piece) -> None:
        """Copy this from now on."""
        if piece != self._piece:
            self._piece = piece
            self._name()

    def _restyle(self) -> None:
        side = self.look.px(SIDE)
        self.setFixedSize(side, side)
        self.setIconSize(QSize(self.look.px(_ICON), self.look.px(_ICON)))
        self._rest()

    def _copy(self) -> None:
        data = QMimeData()
        if self._piece.code is not None:
            data.setText(self._piece.code.text)
        else:
            text, page = table_cells(self._piece)
            data.setText(text)
            data.setHtml(page)
        QGuiApplication.clipboard().setMimeData(data)
        self.setIcon(drawing.icon("check", self.look.colours.accent, self.look.px(_ICON)))
        self.setAccessibleName(tr("Copied"))
        announce(self, tr("Copied"))
        self._back.start(_THANKS_MS)

    def _rest(self) -> None:
        self.setIcon(drawing.icon("copy", self.look.colours.ink_3, self.look.px(_ICON)))
        self._name()

    def _name(self) -> None:
        """Say which code or table it is: an answer may have several."""
        is_code = self._piece.code is not None
        text = self._piece.code.text if self._piece.code else table_cells(self._piece)[0]
        first = next((line.strip() for line in text.splitlines() if line.strip()), "")
        first = first.replace("\t", ", ")
        if len(first) > _LONGEST_CODE:
            first = first[:_LONGEST_CODE].rstrip() + "…"
        does = tr("Copy the code") if is_code else tr("Copy the table")
        set_tip(self, does)
        self.setAccessibleName(f"{does}: {first}" if first else does)
