"""Words found in the conversation: a bar above it, its hits marked in the answers, and the questions they stand under."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QTextCursor,
    QTextDocument,
    QTextDocumentFragment,
)
from PySide6.QtWidgets import QApplication, QTextEdit
from shiboken6 import isValid

from askance.presentation.i18n import tr
from askance.text.finding import places_of
from askance.ui.design import theme
from askance.ui.design.composing import (
    Composite,
    LineField,
    activate_layouts,
    row_of,
    single_shot_timer,
)
from askance.ui.design.drawing import IconLabel, draw_panel, faint, in_utf16
from askance.ui.design.focus import announce
from askance.ui.design.glyphs import GlyphButton
from askance.ui.design.labels import RichLabel, StyledLabel, TextStyle
from askance.ui.design.lists import LineList, ListLine
from askance.ui.design.theme import Look
from askance.ui.overlay.conversation.exchange_view import ExchangeWidget
from askance.ui.overlay.conversation.session import Session
from askance.ui.overlay.overlay import Overlay

_FIELD, _MOST_ROWS, _ICON, _COUNT = 150, 8, 15, 62
_INSET, _BELOW, _HIT = 5, 6, 0.18
# So much is seen above and below a hit: the bar lies over what is above.
_AROUND = 90
# A page of hits more than anybody steps through; each of them is drawn.
MOST_HITS = 2_000
# While an answer is written, and older exchanges come in.
_AGAIN_MS = 200
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class FoundWords:
    """Words in an answer, where there is a `cursor`; else the ones of this number in a step, or in the question."""

    exchange: ExchangeWidget
    cursor: QTextCursor | None = None
    step: int | None = None
    number: int = 0

    @property
    def label(self) -> RichLabel | None:
        """What shows the words in a step, unless that is folded away, or in a question."""
        if self.step is not None:
            return self.exchange.trace.label_of(self.step)
        return self.exchange.part(RichLabel)


class FindBar(Composite):
    """A field, where one is among the hits, and how to get on. An empty field shows all questions instead."""

    def __init__(self, look: Look, overlay: Overlay, session: Session) -> None:
        super().__init__(look, overlay)
        self._overlay, self._conversation = overlay, overlay.conversation
        self.hits: list[FoundWords] = []
        self._at, self._wants_list, self._is_due = -1, False, False
        self._selected: RichLabel | None = None
        self.setAccessibleName(tr("Find"))
        self.field = LineField(look, tr("Find"), self)
        self.field.setStyleSheet("QLineEdit { border: none; background: transparent; padding: 0 }")
        self.field.installEventFilter(self)
        self.count = StyledLabel(look, TextStyle.HELP, parent=self)
        self.count.setWordWrap(False)
        self.list_button = GlyphButton(look, "list", tr("Questions"), then=self._toggle_list)
        self.questions = LineList(look, _MOST_ROWS, overlay, is_low=True)
        self.questions.setAccessibleName(tr("Questions"))
        self.questions.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.questions.clicked.connect(self._go_to_chosen)
        self.questions.hide()
        glass = IconLabel(look, _ICON, "search", "ink_3", self)
        steps = (
            GlyphButton(look, "up", tr("Before"), "Shift+Return", lambda: self.step(-1)),
            GlyphButton(look, "down", tr("Next"), "Return", lambda: self.step(1)),
        )
        close = GlyphButton(look, "cross", tr("Close"), "Esc", self.close_bar)
        parts = (glass, self.field, self.count, *steps, self.list_button, close)
        margins = (theme.SPACE_M, _INSET, theme.SPACE_S, _INSET)
        self.setLayout(row_of(look, *parts, gap=theme.SPACE_XS, margins=margins, wide=self.field))
        self._again = single_shot_timer(self, self._look_again, _AGAIN_MS)
        self.field.textChanged.connect(self._find)
        session.cleared.connect(self.close_bar)
        self._conversation.height_changed.connect(self._note_change)
        overlay.hidden.connect(self.close_bar)
        for part in (overlay, overlay.ask_bar.field):
            part.installEventFilter(self)
        self._restyle()
        self.hide()

    def _restyle(self) -> None:
        px = self.look.px
        self.field.setFixedSize(px(_FIELD), px(theme.TARGET))
        self.count.setFixedWidth(px(_COUNT))

    def open_bar(self) -> None:
        """Show the bar; what is selected in an answer stands there, or what was found last, to be typed over."""
        selected = (e.answer.textCursor().selectedText() for e in self._conversation.exchanges)
        words = next(filter(None, selected), "")
        # Of several lines, which a paragraph's sign parts, nothing would be found.
        if words and len(words) <= _LONGEST and "\u2029" not in words:
            self.field.setText(words)
        self.show()
        self._place()
        self.raise_()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()
        self._find()

    def close_bar(self) -> None:
        """Take the bar and the marks away; the conversation stays where it is."""
        if self.isHidden():
            return
        had_focus = self.isAncestorOf(self._overlay.focusWidget() or self._overlay)
        self.hide()
        self.questions.hide()
        self._unmark()
        self.hits, self._at = [], -1
        if had_focus:
            self._overlay.ask_bar.setFocus(Qt.FocusReason.OtherFocusReason)

    def step(self, by: int) -> None:
        """Go to the next hit, or the one before; behind the last is the first."""
        if not self.hits:
            return
        self._at = (self._at + by) % len(self.hits)
        self._show_hit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take the field's keys, and stay at the conversation's corner."""
        if not self.isVisible():
            return False
        if watched is self._overlay and event.type() is QEvent.Type.Resize:
            self._place()
        if event.type() is not QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        # Wherever the keyboard is in the window: the first Escape closes the bar, and not the window.
        is_closing = event.key() == Qt.Key.Key_Escape
        return (watched is self.field or is_closing) and self._take_key(event)

    def _take_key(self, event: QKeyEvent) -> bool:
        is_back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        is_held = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        match event.key():
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if self.hits:
                self.step(-1 if is_back else 1)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self._go_to_chosen()
            # With Alt it is the window's way from question to question.
            case Qt.Key.Key_Down | Qt.Key.Key_Up as key if not is_held:
                by = 1 if key == Qt.Key.Key_Down else -1
                row = max(0, min(self.questions.row + by, self.questions.count() - 1))
                self._show_list(True)
                self.questions.choose(row)
                self._go_to_chosen()
            case Qt.Key.Key_Escape:
                self.close_bar()
            case _:
                return False
        return True

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the panel."""
        with QPainter(self) as painter:
            draw_panel(painter, self.rect(), self.look)

    def _find(self) -> None:
        """Look for what stands in the field, from what is seen on."""
        self._look()
        seen = self._conversation.verticalScrollBar().value()
        # Steps are unfolded for who comes to them, and not at the first letter.
        ahead = [i for i, h in enumerate(self.hits) if h.exchange.geometry().bottom() > seen]
        self._at = next((i for i in ahead if self.hits[i].step is None), ahead[0] if ahead else 0)
        # An empty field is the way round a long talk.
        self._show_list(self._wants_list or not self.field.text())
        if self.hits:
            self._show_hit()
        else:
            self._show_count()

    def _look_again(self) -> None:
        at = self._at
        self._look()
        # Where there was none before, the first is the one that is shown.
        self._at = min(max(at, 0), len(self.hits) - 1)
        is_due, self._is_due = self._is_due, False
        if is_due and self.hits:
            self._show_hit()
        else:
            self._mark()
            self._show_count()

    def _look(self) -> None:
        words, exchanges = self.field.text(), self._conversation.exchanges
        self._unmark()
        self.hits = []
        lines: list[ListLine] = []
        for number, exchange in enumerate(exchanges):
            found = hits_in(exchange, words)[: MOST_HITS - len(self.hits)] if words else []
            self.hits += found
            if exchange.view is not None and (found or not words):
                state = str(len(found)) if found else ""
                title = exchange.view.asked.text
                lines.append(ListLine(title, state=state, key=str(number)))
        self.questions.show_lines(lines)

    def _show_hit(self) -> None:
        hit = self.hits[self._at]
        if hit.step is not None:
            hit.exchange.trace.unfold(goes_there=False)
        self._mark()
        where, y = hit.exchange, hit.exchange.y()
        if hit.cursor is not None:
            rect = where.answer.cursorRect(hit.cursor)
            y += where.answer.viewport().mapTo(where, rect.center()).y()
        elif hit.step is not None and self._selected is not None:
            # What has just been unfolded has no place before it is laid out.
            activate_layouts(where)
            y += self._selected.mapTo(where, self._selected.rect().center()).y()
        elif hit.step is not None:
            # A long run shows its steps a few at a time.
            self._is_due = True
            self._again.start()
        self._conversation.ensureVisible(0, y, 0, self.look.px(_AROUND))
        keys = [line.key for line in self.questions.lines]
        key = str(list(self._conversation.exchanges).index(where))
        self.questions.choose(keys.index(key) if key in keys else -1)
        self._show_count()
        announce(self, self.count.text())

    def _show_count(self) -> None:
        if self.hits:
            self.count.setText(tr("{k} of {n}", k=self._at + 1, n=len(self.hits)))
        else:
            self.count.setText(tr("Nothing") if self.field.text() else "")

    def _mark(self) -> None:
        """Mark all hits of the answers, which changes nothing in their documents."""
        current = self.hits[self._at] if 0 <= self._at < len(self.hits) else None
        marks: dict[ExchangeWidget, list[QTextEdit.ExtraSelection]] = {}
        for hit in self.hits:
            if hit.cursor is not None:
                mark = _mark_of(hit.cursor, self.look, is_current=hit is current)
                marks.setdefault(hit.exchange, []).append(mark)
        self._unmark()
        for exchange, selections in marks.items():
            exchange.answer.setExtraSelections(selections)
        if current is not None and current.cursor is None:
            self._selected = current.label
            if self._selected is not None:
                _select(self._selected, self.field.text(), current.number, self.look)

    def _unmark(self) -> None:
        for exchange in self._conversation.exchanges:
            exchange.answer.setExtraSelections([])
        label, self._selected = self._selected, None
        if label is not None and isValid(label):
            label.setSelection(0, 0)
            # What a reader selects has its own colour again.
            label.setPalette(QApplication.palette(label))

    def _go_to_chosen(self) -> None:
        row = self.questions.row
        if not 0 <= row < self.questions.count():
            return
        exchange = self._conversation.exchanges[int(self.questions.lines[row].key)]
        first = next((i for i, hit in enumerate(self.hits) if hit.exchange is exchange), None)
        if first is not None:
            self._at = first
            self._show_hit()
        else:
            self._conversation.verticalScrollBar().setValue(exchange.y())
            announce(self, self.questions.lines[row].title)

    def _toggle_list(self) -> None:
        self._wants_list = self.questions.isHidden()
        self._show_list(self._wants_list)

    def _show_list(self, is_shown: bool) -> None:
        self.list_button.set_on(is_shown)
        self.questions.setVisible(is_shown and self.questions.count() > 0)
        self.questions.raise_()

    def _note_change(self) -> None:
        if self.isVisible():
            self._again.start()

    def _place(self) -> None:
        px, paper = self.look.px, self._overlay.paper
        self.adjustSize()
        # At the corner of the conversation, beside which there may be another column.
        corner = QPoint(self._conversation.width() - px(theme.SPACE_XL), px(theme.SPACE_S))
        at = self._conversation.mapTo(self._overlay, corner)
        top, right = at.y(), at.x()
        self.move(right - self.width(), top)
        self.questions.setFixedWidth(self.width())
        below = self.geometry().bottom() + 1 + px(_BELOW)
        self.questions.move(right - self.questions.width(), below)
        # A list that is higher than the window is scrolled.
        self.questions.setMaximumHeight(max(px(_AROUND), paper.bottom() - below - px(_BELOW)))


def hits_in(exchange: ExchangeWidget, words: str) -> list[FoundWords]:
    """Return where an exchange holds some words: in its question, in the steps of its run, in its answer."""
    question, view = exchange.part(RichLabel), exchange.view
    hits = [
        FoundWords(exchange, number=number)
        for number, _ in enumerate(places_of(question.accessibleName() if question else "", words))
    ]
    for step, row in enumerate(view.trace if view is not None else ()):
        places = places_of(row.text, words)
        hits += [FoundWords(exchange, step=step, number=number) for number, _ in enumerate(places)]
    if not exchange.answer.isHidden():
        cursors = _cursors(exchange.answer.document(), words)
        hits += [FoundWords(exchange, cursor) for cursor in islice(cursors, MOST_HITS)]
    return hits


def _cursors(document: QTextDocument, words: str) -> Iterator[QTextCursor]:
    # Qt's own search knows case alone: neither accents nor quotes that are typeset.
    block = document.begin()
    while block.isValid():
        text = block.text()
        for start, end in in_utf16(text, places_of(text, words)):
            cursor = QTextCursor(block)
            cursor.setPosition(block.position() + start)
            cursor.setPosition(block.position() + end, QTextCursor.MoveMode.KeepAnchor)
            yield cursor
        block = block.next()


def _mark_of(cursor: QTextCursor, look: Look, *, is_current: bool) -> QTextEdit.ExtraSelection:
    mark = QTextEdit.ExtraSelection()
    if is_current:
        mark.format.setForeground(QColor(look.colours.paper))
    mark.format.setBackground(faint(look.colours.amber, 1 if is_current else _HIT))
    mark.cursor = cursor
    return mark


def _select(label: RichLabel, words: str, number: int, look: Look) -> None:
    shown = QTextDocumentFragment.fromHtml(label.text()).toPlainText()
    places = in_utf16(shown, places_of(shown, words))
    palette = label.palette()
    palette.setColor(QPalette.ColorRole.Highlight, QColor(look.colours.amber))
    palette.setColor(QPalette.ColorRole.HighlightedText, QColor(look.colours.paper))
    label.setPalette(palette)
    for start, end in places[number : number + 1]:
        label.setSelection(start, end - start)
