"""What the library holds on some words, below the ask bar: its passages as cards, and a document of it at a passage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QModelIndex, QRect, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QResizeEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
)
from PySide6.QtWidgets import QFrame, QStyle, QStyleOptionViewItem, QTextEdit, QWidget

from askance.domain.characters import clean
from askance.domain.library import LibraryHit, LibraryMatches
from askance.presentation.answers import FoundRow, found_row, is_local_file, page_at
from askance.presentation.i18n import plural, tr, translated
from askance.ui.design import theme
from askance.ui.design.composing import Button, Composite, column_of, row_of, style
from askance.ui.design.drawing import draw_box, draw_marked, pixmap, write
from askance.ui.design.focus import LinkButton, announce
from askance.ui.design.labels import StyledLabel, TextStyle
from askance.ui.design.lists import ROW, Index, RowList, RowPainter, Rows
from askance.ui.design.theme import Look
from askance.ui.overlay.answer.answer_piece import units
from askance.ui.overlay.empty_page import EmptyPage

_TOP, _TITLE, _PLACE, _LINE, _LINES, _BOTTOM = 8, 20, 21, 18, 2, 8
_BOX, _BOX_ROOM = 16, 28
_TAG_PAD, _TAG_HEIGHT, _MOST_TAGS = 6, 16, 3
_KEYS = {
    *(Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_End),
    *(Qt.Key.Key_PageUp, Qt.Key.Key_PageDown),
}


class FoundRows(Rows[FoundRow]):
    """The rows of the cards, and which of them are picked to be asked about."""

    def __init__(self) -> None:
        super().__init__()
        self.picked: set[int] = set()

    def show_rows(self, rows: Sequence[FoundRow]) -> None:
        """Show these rows in the place of all others; none is picked."""
        self.picked = set()
        super().show_rows(rows)

    def pick(self, row: int) -> None:
        """Pick a row, or take that back."""
        self.picked ^= {row}
        self.dataChanged.emit(self.index(row), self.index(row))

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what a row is called, what is said of it, all of it, and whether it is picked."""
        value, is_picked = super().data(index, role), index.row() in self.picked
        match role:
            case Qt.ItemDataRole.AccessibleTextRole if is_picked:
                return tr("Picked: {row}", row=value)
            # The box is drawn and pressed by our own code; by this role screen readers know of it.
            case Qt.ItemDataRole.CheckStateRole if index.isValid():
                return Qt.CheckState.Checked if is_picked else Qt.CheckState.Unchecked
            case _:
                return value


class FoundList(RowList):
    """Passages as cards. Arrows go through them, Enter opens one, Space picks it."""

    opened = Signal(int)
    """The row that is to be opened."""
    picked = Signal()
    """Other rows are picked now."""
    left_above = Signal()
    """An arrow up from the first row."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        self.rows, self._cards = FoundRows(), _Cards(look)
        super().__init__(self.rows, self._cards, parent)
        self.setMouseTracking(True)
        self.setAccessibleName(tr("Passages found in the library"))
        self.doubleClicked.connect(self._open)

    @property
    def content_height(self) -> int:
        """How high all cards are, in pixels."""
        return self.rows.rowCount() * self._cards.height

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take the keys of a list; letters belong to the field."""
        plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        match event.key():
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if plain and self.row >= 0:
                self.opened.emit(self.row)
            case Qt.Key.Key_Space if plain and self.row >= 0:
                self._pick(self.row)
            case Qt.Key.Key_Up if plain and self.row <= 0:
                self.left_above.emit()
            case key if plain and key in _KEYS:
                super().keyPressEvent(event)
            case _:
                event.ignore()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Pick the card whose box was clicked."""
        super().mouseReleaseEvent(event)
        at = event.position().toPoint()
        index = self.indexAt(at)
        if event.button() is Qt.MouseButton.LeftButton and index.isValid():
            rect: QRect = self.visualRect(index)
            # A little around the box counts too: it is smaller than what can be hit easily (WCAG
            # 2.2, 2.5.8).
            if self._cards.box_of(rect).adjusted(-4, -4, 4, 4).contains(at):
                self._pick(index.row())

    def _open(self, index: QModelIndex) -> None:
        self.opened.emit(index.row())

    def _pick(self, row: int) -> None:
        self.rows.pick(row)
        self.picked.emit()


class _Cards(RowPainter):
    """Title and day; where it stands and its tags; two lines of the passage, its words marked."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, _TOP + _TITLE + _PLACE + _LINES * _LINE + _BOTTOM)

    def box_of(self, card: QRect) -> QRect:
        """Return where the box of a card is, by which it is picked."""
        px = self.look.px
        size = px(_BOX)
        top = card.top() + px(_TOP) + (px(_TITLE) - size) // 2
        return QRect(card.left() + px(theme.SPACE_S), top, size, size)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: FoundRow = index.data(ROW)
        is_picked = index.data(Qt.ItemDataRole.CheckStateRole) == Qt.CheckState.Checked
        c, px = self.look.colours, self.look.px
        card: QRect = option.rect
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if chosen:
            focused = option.state & QStyle.StateFlag.State_HasFocus
            ground, edge = (c.accent_soft, c.accent) if focused else (c.raised, c.line)
            box = QRectF(card).adjusted(0.5, 1.5, -0.5, -1.5)
            draw_box(painter, box, ground, edge, px(theme.CONTROL_RADIUS))
        self._draw_box(painter, self.box_of(card), is_picked=is_picked)
        left = card.left() + px(theme.SPACE_S) + px(_BOX_ROOM)
        inside = QRect(left, card.top(), card.right() - px(theme.SPACE_M) - left, card.height())
        top = card.top() + px(_TOP)
        quiet = c.ink_2 if chosen else c.ink_3
        self._draw_title(painter, row, QRect(inside.left(), top, inside.width(), px(_TITLE)), quiet)
        top += px(_TITLE)
        self._draw_place(
            painter, row, QRect(inside.left(), top, inside.width(), px(_TAG_HEIGHT)), quiet
        )
        top += px(_PLACE)
        area = QRect(inside.left(), top, inside.width(), _LINES * px(_LINE))
        draw_marked(painter, self.look, row.snippet, row.marks, area, _LINES)
        painter.restore()

    def _draw_box(self, painter: QPainter, box: QRect, *, is_picked: bool) -> None:
        c = self.look.colours
        ground, edge = (c.accent, c.accent) if is_picked else (c.raised, c.edge)
        draw_box(painter, QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), ground, edge, 4)
        if is_picked:
            size = box.width() - 4
            tick = pixmap("check", c.paper, size, painter.device().devicePixelRatioF())
            painter.drawPixmap(box.left() + 2, box.top() + 2, tick)

    def _draw_title(self, painter: QPainter, row: FoundRow, area: QRect, quiet: str) -> None:
        small = self.look.font(theme.LABEL_TEXT)
        date = QFontMetrics(small).horizontalAdvance(row.date)
        write(painter, row.date, area.adjusted(area.width() - date, 0, 1, 0), small, quiet)
        font = self.look.font(theme.BODY_TEXT - 1, QFont.Weight.Medium)
        room = area.adjusted(0, 0, -date - self.look.px(theme.SPACE_M), 0)
        write(painter, row.title, room, font, self.look.colours.ink)

    def _draw_place(self, painter: QPainter, row: FoundRow, area: QRect, quiet: str) -> None:
        c, px = self.look.colours, self.look.px
        right = area.right() + 1
        font = self.look.font(theme.KEY_TEXT)
        metrics = QFontMetrics(font)
        painter.setFont(font)
        # From the right end on: the first tag stands leftmost.
        for tag in reversed(row.tags[:_MOST_TAGS]):
            # A fifth of the row at most, or one tag of a long name would push the place out.
            words = metrics.elidedText(tag, Qt.TextElideMode.ElideRight, area.width() // 5)
            width = metrics.horizontalAdvance(words) + 2 * px(_TAG_PAD)
            top = area.top() + (area.height() - px(_TAG_HEIGHT)) // 2
            pill = QRect(right - width, top, width, px(_TAG_HEIGHT))
            draw_box(painter, QRectF(pill).adjusted(0.5, 0.5, -0.5, -0.5), c.paper, c.line, 5)
            painter.setPen(QColor(quiet))
            painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, words)
            right -= width + px(theme.SPACE_XS)
        room = QRect(area.topLeft(), area.size())
        room.setWidth(right - area.left() - px(theme.SPACE_S))
        write(painter, row.place, room, self.look.font(theme.LABEL_TEXT), quiet)


_AROUND = 20_000
"""So many characters before and behind a passage are shown: a book would keep the window busy."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A piece of a document around a passage, which stands from `start` to `end` in it."""

    text: str
    start: int
    end: int


def excerpt(text: str, hit: LibraryHit) -> Excerpt:
    """Return a passage in its surroundings, without what hides in them."""
    # The document may have been read again since it was searched, so that the offset is another
    # place's.
    offset = hit.offset if text[hit.offset : hit.offset + len(hit.text)] == hit.text else -1
    if offset < 0:
        offset = max(text.find(hit.text), 0)
    first, last = max(offset - _AROUND, 0), offset + len(hit.text) + _AROUND
    head = "…" if first else ""
    # Cleaned apart: that takes characters away, and the passage's place is counted in what is left.
    before = head + clean(text[first:offset])
    passage = clean(text[offset : offset + len(hit.text)])
    behind = clean(text[offset + len(hit.text) : last]) + ("…" if last < len(text) else "")
    return Excerpt(before + passage + behind, len(before), len(before) + len(passage))


_READING_HEIGHT = 460
_LINES_ABOVE, _INSET = 2, theme.SPACE_XL - theme.SPACE_L


class LibraryView(Composite):
    """What was found in the library. Hidden until that is searched; what it shows is found beside the window."""

    height_changed = Signal()
    opened = Signal(object)
    """A `LibraryHit` whose page or file is to be opened."""
    read_wanted = Signal(object)
    """A `LibraryHit` whose text is to be shown here."""
    asked = Signal(object)
    """The `LibraryHit`s that the next question is about."""
    left = Signal()
    """The field should have the focus now."""
    closed = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self._hits: tuple[LibraryHit, ...] = ()
        # Words and buttons begin where the question does, the ground of a row further out.
        inset = (_INSET, 0, _INSET, 0)
        self.head = StyledLabel(look, TextStyle.HELP, parent=self, margins=inset)
        self.notes = StyledLabel(look, TextStyle.NOTE, parent=self, margins=inset)
        self.empty = EmptyPage(look, self)
        self.list = FoundList(look, self)
        self.reading = ReadingPane(look, self)
        self.ask = Button(look, parent=self, then=self.ask_about_picked)
        self.ask.setProperty("primary", True)
        self.open_it = Button(look, tr("Open"), self)
        self.read_it = Button(look, tr("Read here"), self, self._read_row)
        self.close_it = style(LinkButton(self), look, font=theme.SMALL_TEXT)
        self._lay_out()
        self._connect()
        self._restyle()
        self.hide()

    def _restyle(self) -> None:
        self.close_it.setText(tr("Close"))
        self.close_it.setAccessibleName(tr("Close the library"))
        self._name_ask()

    @property
    def is_open(self) -> bool:
        """Whether it is there to be seen."""
        return not self.isHidden()

    @property
    def hints(self) -> list[str]:
        """What the keys do here, as it stands at the foot of the window."""
        if self.list.isVisibleTo(self):
            return [tr("Enter opens"), tr("Space selects"), tr("Esc closes"), tr("↑↓ choose")]
        return [tr("Esc back")]

    @property
    def content_height(self) -> int:
        """How high all of it is, in pixels."""
        margins = self._column.contentsMargins()
        # The pane scrolls by itself: it gets a height to read in, whatever the document has.
        if self.reading.isVisibleTo(self):
            return self.look.px(_READING_HEIGHT)
        if self.empty.isVisibleTo(self):
            around = margins.top() + margins.bottom() + self._column.spacing()
            return self.empty.sizeHint().height() + around + self.close_it.sizeHint().height()
        wide = self.width() - margins.left() - margins.right()
        spacing = self._column.spacing()
        high = margins.top() + margins.bottom()
        for words in (self.head, self.notes):
            if words.isVisibleTo(self):
                high += words.heightForWidth(wide) + spacing
        if self.list.isVisibleTo(self):
            high += self.list.content_height + spacing
        return high + self.ask.sizeHint().height()

    def show_message(self, sentence: str, tone: TextStyle = TextStyle.BODY) -> None:
        """Show a sentence in the place of passages."""
        self._show(())
        self.head.show_text(sentence, tone)
        self.notes.show_text("")
        self.height_changed.emit()
        announce(self, sentence)

    def show_empty(self, icon: str, title: str, sentence: str, button: str, hint: str) -> None:
        """Show in the place of passages that there are none, with a button for what can be done."""
        self._show(())
        for label in (self.head, self.notes):
            label.show_text("")
        self.empty.show_texts(icon, title, sentence, button, hint)
        self.empty.show()
        self.height_changed.emit()

    def show_found(self, words: str, found: LibraryMatches) -> None:
        """Show passages, best first, and what did not work."""
        self._show(found.hits)
        n = len(found.hits)
        text = plural(
            "{n} passage in the library on “{words}”", "{n} passages in the library on “{words}”",
            n, words=words,
        )  # fmt: skip
        self.head.show_text(text, TextStyle.HELP)
        self.notes.show_text("\n".join(map(translated, found.notes)))
        announce(self, " ".join(filter(None, (text, self.notes.text()))))

    def show_text(self, hit: LibraryHit, text: Excerpt) -> None:
        """Show a document at a passage, in the place of the list."""
        self.reading.show_text(found_row(hit), text, tr("Open file") if is_local_file(hit.url) else
                               tr("Open page") if page_at(hit) else "")  # fmt: skip
        self._read(True)
        self.reading.text.setFocus(Qt.FocusReason.OtherFocusReason)

    def enter(self) -> None:
        """Go into the list, or to the button, if there is one."""
        if self.reading.isVisibleTo(self):
            self.reading.text.setFocus(Qt.FocusReason.OtherFocusReason)
        elif self._hits:
            if self.list.row < 0:
                self.list.choose(0)
            self.list.setFocus(Qt.FocusReason.OtherFocusReason)
        elif self.empty.isVisibleTo(self):
            self.empty.button.setFocus(Qt.FocusReason.OtherFocusReason)

    def close_view(self) -> None:
        """Take it away."""
        if self.is_open:
            self.hide()
            self._read(False)
            self.closed.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Leave with Escape: the document for the list, the list for the conversation."""
        if event.key() != Qt.Key.Key_Escape:
            super().keyPressEvent(event)
        elif self.reading.isVisibleTo(self):
            self._back()
        else:
            self.close_view()
            self.left.emit()

    def _show(self, hits: Sequence[LibraryHit]) -> None:
        self._hits = tuple(hits)
        self._read(False)
        self.list.rows.show_rows([found_row(hit) for hit in hits])
        self.list.choose(0)
        self._name_ask()
        self.show()
        self.height_changed.emit()

    def _read(self, is_reading: bool) -> None:
        """Show the document, or the list with what belongs to it."""
        self.reading.setVisible(is_reading)
        for part in (self.head, self.close_it):
            part.setVisible(not is_reading)
        self.empty.hide()
        for part in (self.list, self.ask, self.open_it, self.read_it):
            part.setVisible(not is_reading and bool(self._hits))
        self.notes.setVisible(not is_reading and bool(self.notes.text()))
        self.height_changed.emit()

    def _back(self) -> None:
        self._read(False)
        self.list.setFocus(Qt.FocusReason.OtherFocusReason)

    def _name_ask(self) -> None:
        n = len(self.list.rows.picked)
        if n:
            text = plural("Ask about {n} passage", "Ask about {n} passages", n)
        else:
            n = len(self._hits)
            text = tr("Ask about this passage") if n == 1 else tr("Ask about all {n}", n=n)
        self.ask.setText(text)
        self.ask.setAccessibleDescription(
            tr("Puts the passages beside the question, or asks it about them.")
        )

    def _chosen(self) -> LibraryHit | None:
        row = self.list.row
        return self._hits[row] if 0 <= row < len(self._hits) else None

    @property
    def has_picked(self) -> bool:
        """Whether some of the passages that are shown are picked."""
        return self.is_open and bool(self.list.rows.picked)

    def ask_about_picked(self) -> None:
        """Ask about the passages that are picked, or about all."""
        # Nothing picked means all: that is what the button says then.
        picked = self.list.rows.picked or range(len(self._hits))
        self.asked.emit(tuple(self._hits[row] for row in sorted(picked)))

    def _open(self) -> None:
        if (hit := self._chosen()) is not None:
            self.opened.emit(hit)

    def _enter_row(self, row: int) -> None:
        """Open a page at what was found; of a file, which no program opens there, show the text."""
        hit = self._hits[row]
        # Of a page the browser can be sent to the very words; programs for files begin at their
        # first page.
        (self.opened if page_at(hit) else self.read_wanted).emit(hit)

    def _read_row(self) -> None:
        if (hit := self._chosen()) is not None:
            self.read_wanted.emit(hit)

    def _enable(self) -> None:
        hit = self._chosen()
        self.open_it.setEnabled(hit is not None and bool(page_at(hit) or is_local_file(hit.url)))

    def _lay_out(self) -> None:
        margins = (theme.SPACE_L, 10, theme.SPACE_L, theme.SPACE_M)
        self._column = column_of(self.look, self.head, self.notes, margins=margins)
        for part in (self.list, self.reading, self.empty):
            self._column.put(part, wide=part)
        buttons = (self.ask, self.open_it, self.read_it)
        foot = row_of(self.look, *buttons, None, self.close_it, margins=(_INSET, 0, 0, 0))
        self._column.put(foot)
        self.setLayout(self._column)

    def _connect(self) -> None:
        self.list.opened.connect(self._enter_row)
        self.list.picked.connect(self._name_ask)
        self.list.left_above.connect(self.left)
        self.list.selectionModel().currentChanged.connect(self._enable)
        self.list.rows.modelReset.connect(self._enable)
        self.open_it.clicked.connect(self._open)
        self.close_it.clicked.connect(self.close_view)
        self.close_it.clicked.connect(self.left)
        self.reading.back.clicked.connect(self._back)
        self.reading.open_it.clicked.connect(self._open)


class ReadingPane(Composite):
    """The text of a document, scrolled to a passage, which is lit."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(look, parent)
        self._lit = (0, 0)
        self.title = StyledLabel(look, TextStyle.LABEL, parent=self)
        self.place = StyledLabel(look, TextStyle.HELP, parent=self)
        self.text = QTextEdit(self)
        self.text.setReadOnly(True)
        self.text.setAcceptRichText(False)
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setTabChangesFocus(True)
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.back = Button(look, parent=self)
        self.open_it = Button(look, parent=self)
        style(self.text, look, font=theme.SMALL_TEXT)
        row = row_of(look, self.back, self.open_it, None, margins=(0, theme.SPACE_S, 0, 0))
        parts = (self.title, self.place, self.text, row)
        self.setLayout(column_of(look, *parts, gap=theme.SPACE_XS, wide=self.text))
        self._restyle()
        self.hide()

    def _restyle(self) -> None:
        self.back.setText(tr("Back to the list"))
        self._set_lines()
        self._light()

    def show_text(self, row: FoundRow, text: Excerpt, opens: str) -> None:
        """Show a document. `opens` is what the button says that opens it elsewhere, if it can be."""
        self.title.show_text(row.title)
        self.place.show_text(" · ".join(filter(None, (row.place, row.date))))
        self.open_it.setText(opens)
        self.open_it.setVisible(bool(opens))
        # As plain text: Markdown of a stranger's document names pictures, which Qt would load.
        self.text.setPlainText(text.text)
        self._set_lines()
        self.text.setAccessibleName(row.title)
        self._lit = (units(text.text[: text.start]), units(text.text[: text.end]))
        self._light()
        self._go()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Stay at the passage: the window grows when a document is opened."""
        super().resizeEvent(event)
        self._go()

    def _go(self) -> None:
        """Scroll to the passage, and to a line or two above it."""
        cursor = self.text.textCursor()
        cursor.setPosition(self._lit[0])
        self.text.setTextCursor(cursor)
        bar, top = self.text.verticalScrollBar(), self.text.cursorRect().top()
        # Or the passage would seem to begin the document.
        bar.setValue(bar.value() + top - _LINES_ABOVE * self.look.px(theme.SMALL_LINE))

    def _set_lines(self) -> None:
        """Give the lines room, and headings weight: that is all that is made of the Markdown."""
        cursor = QTextCursor(self.text.document())
        cursor.select(QTextCursor.SelectionType.Document)
        lines = QTextBlockFormat()
        kind = QTextBlockFormat.LineHeightTypes.FixedHeight.value
        lines.setLineHeight(self.look.px(theme.SMALL_LINE), kind)
        cursor.mergeBlockFormat(lines)
        bold = QTextCharFormat()
        bold.setFontWeight(QFont.Weight.DemiBold)
        block = self.text.document().begin()
        while block.isValid():
            if block.text().startswith("#"):
                cursor.setPosition(block.position())
                cursor.movePosition(
                    QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor
                )
                cursor.mergeCharFormat(bold)
            block = block.next()

    def _light(self) -> None:
        # Laid over the text, whose formats `_set_lines` makes anew with each look.
        passage = QTextEdit.ExtraSelection()
        cursor = QTextCursor(self.text.document())
        start, end = self._lit
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        form = QTextCharFormat()
        form.setBackground(QColor(self.look.colours.accent_soft))
        passage.cursor, passage.format = cursor, form
        self.text.setExtraSelections([passage] if end > start else [])
