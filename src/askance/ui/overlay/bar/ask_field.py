"""The field: several lines of plain text that grow with what is typed, the keys that do more, its caret."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from PySide6.QtCore import QMimeData, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QFontMetrics,
    QGuiApplication,
    QInputMethodEvent,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QSyntaxHighlighter,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextOption,
)
from PySide6.QtWidgets import QFrame, QTextEdit, QWidget

from askance.domain.characters import clean_typed
from askance.presentation.i18n import tr
from askance.ui.design import theme
from askance.ui.design.composing import Composition, Styled
from askance.ui.design.controls import holds_files
from askance.ui.design.drawing import draw_cap, write
from askance.ui.design.theme import Look
from askance.ui.overlay.conversation.field import MOST_CHARACTERS

# Of letters without case, those of these scripts go whole; so do all letters with case, and all symbols.
_WHOLE = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL")


def is_deleted_whole(cluster: str) -> bool:
    """Return whether Backspace deletes a whole grapheme cluster.

    Flags, families and accented letters go whole. Where a cluster is typed as several letters and
    signs, as in Arabic, Hebrew, Thai and the scripts of India, only its last code point goes, as in
    Pango (`backspace_deletes_character`), on Windows and on macOS.
    """
    # Lo, Mn and Mc: letters without case, and marks. All else, such as Latin letters and emoji, goes
    # whole.
    first = cluster[:1]
    if not first or unicodedata.category(first) not in {"Lo", "Mn", "Mc"}:
        return True
    return unicodedata.name(first, "").startswith(_WHOLE)


MOST_LINES = 8
_LINE = 24
# Marks characters that were not typed. It goes with them through undo, and with what is left of them.
_PASTED = QTextFormat.Property.UserProperty.value + 1
_CARET = 2
# Room for the caret before the first character, and a gap, so that it does not touch it.
INSET = 4
# Accepts `/search`, also with U+FF0F, up to a blank or another slash: `/tmp/notes` is a path.
_COMMAND = re.compile(r"[/\uff0f][^\s/\uff0f]*|[@\uff20][^\s@\uff20]*")
# What Windows, old Macs and Unicode end lines and paragraphs with. Windows' comes first, or its two
# signs would be two lines.
_BREAKS = ("\r\n", "\r", "\u2028", "\u2029")


class AskField(Styled, QTextEdit):
    """A text field without a frame, as high as its text up to eight lines.

    Enter does not end a line but is signalled, unless an input method is composing.
    """

    sent = Signal()
    """Enter."""
    sent_other = Signal()
    """Ctrl+Enter."""
    escaped = Signal()
    """Escape."""
    completed = Signal()
    """Tab, while `is_completing`."""
    attach_wanted = Signal()
    """Files are to be attached, by the menu of a right click."""
    took_suggestion = Signal()
    """Tab, while `is_suggesting` and empty."""
    stepped = Signal(int)
    """An arrow up (-1) or down (1) that leaves the text, or any while `is_completing`."""
    backed = Signal()
    """Backspace before the first character."""
    pasted = Signal(str)
    """A text was pasted or dropped that `takes_paste` refused."""
    files_pasted = Signal(QMimeData)
    """Files, folders or a picture were pasted."""

    def __init__(
        self,
        look: Look,
        *,
        is_command: Callable[[str], bool],
        takes_paste: Callable[[str], bool],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(look, parent)
        self.is_completing = self.is_suggesting = False
        self._takes_paste = takes_paste
        self._composition = Composition(self._edit, self)
        self._recalled: str | None = None
        self._is_typed = True
        self._caret = _Caret(self)
        self._highlighter = _CommandHighlighter(self.document(), is_command)
        self.setAcceptRichText(False)
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self._inset()
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        self.document().documentLayout().documentSizeChanged.connect(self._fit)
        self.cursorPositionChanged.connect(self._caret.restart)
        self.cursorPositionChanged.connect(self._type_unmarked)
        self._restyle()

    def _restyle(self) -> None:
        c = self.look.colours
        self.setFont(self.look.font(theme.FIELD_TEXT))
        self._space_lines()
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Text, QColor(c.ink))
        palette.setColor(QPalette.ColorRole.PlaceholderText, QColor(c.ink_3))
        palette.setColor(QPalette.ColorRole.Highlight, QColor(c.accent_soft))
        palette.setColor(QPalette.ColorRole.HighlightedText, QColor(c.ink))
        self.setPalette(palette)
        self._highlighter.set_colour(c.accent)
        self._fit()

    @property
    def text(self) -> str:
        """What stands in the field."""
        return self.toPlainText()

    @property
    def pasted_stretches(self) -> tuple[str, ...] | None:
        """Those stretches of the text that were pasted or dropped; None where not all else was typed."""
        if not self._is_typed:
            return None
        found = [""]
        block = self.document().begin()
        while block.isValid():
            fragments = block.begin()
            while not fragments.atEnd():
                fragment = fragments.fragment()
                if fragment.charFormat().hasProperty(_PASTED):
                    found[-1] += fragment.text()
                else:
                    found.append("")
                fragments += 1
            # What goes on in the next line is one stretch.
            found[-1] += "\n" if found[-1] else ""
            block = block.next()
        return tuple(bare for stretch in found if (bare := stretch.strip()))

    @property
    def line_height(self) -> int:
        """How high one line is, in logical pixels."""
        return self.look.px(_LINE)

    @property
    def cursor_at(self) -> int:
        """Before which character the cursor stands."""
        return self.textCursor().position()

    def set_text(self, text: str, cursor: int | None = None) -> None:
        """Put a text in the place of what stands there; it can be undone. The cursor goes to its end."""
        # One word is a command that was completed; where more come from, nobody has noted.
        self._is_typed = len(text.split()) < 2
        # By the cursor: `setPlainText` would throw away what can be undone.
        edit = self.textCursor()
        edit.select(QTextCursor.SelectionType.Document)
        edit.insertText(text)
        last = self.document().characterCount() - 1
        edit.setPosition(last if cursor is None else max(0, min(cursor, last)))
        self.setTextCursor(edit)
        self.ensureCursorVisible()

    def recall(self, text: str) -> None:
        """Put a text there that the arrows go on from, wherever in it the cursor is left."""
        self.set_text(text)
        self._recalled = text

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Tell the keys that do more than edit; they do nothing while an input method composes."""
        # Before all else: the key may belong to words that have not arrived yet.
        if self._composition.takes(event):
            return
        if self._composition.is_on or not self._handles(event):
            self._edit(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """Let the composition know."""
        self._composition.release()
        super().keyReleaseEvent(event)

    def focusNextPrevChild(self, next: bool) -> bool:  # noqa: A002 - Qt's interface
        """Keep the focus while Tab completes or an input method composes."""
        takes_tab = self.is_completing or (self.is_suggesting and not self.text)
        if self._composition.is_on or (next and takes_tab):
            return False
        return super().focusNextPrevChild(next)

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Know whether an input method is composing."""
        super().inputMethodEvent(event)
        self._composition.follow(event)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Take text, and what becomes a quote or is at least answered."""
        return source.hasText() or holds_files(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Insert a text, or signal what does not belong into the field."""
        if holds_files(source):
            self.files_pasted.emit(source)
        else:
            self._paste(source.text())

    def paste_as_text(self) -> None:
        """Insert the copied text where it would become a quote; only what no question has room for is still attached."""
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._paste(QGuiApplication.clipboard().text(), most=MOST_CHARACTERS)

    def _paste(self, text: str, most: int = 0) -> None:
        for other in _BREAKS:
            text = text.replace(other, "\n")
        text = clean_typed(text)
        if self._takes_paste(text) or len(text) <= most:
            marked = QTextCharFormat()
            marked.setProperty(_PASTED, True)
            self.textCursor().insertText(text, marked)
            self._type_unmarked()
            self.ensureCursorVisible()
        else:
            self.pasted.emit(text)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offer what Qt offers, and to attach something."""
        menu = self.createStandardContextMenu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addSeparator()
        menu.addAction(tr("Paste as text"), self.paste_as_text)
        menu.addAction(tr("Attach"), lambda: self.attach_wanted.emit())  # noqa: PLW0108 - it comes with an argument
        menu.popup(event.globalPos())

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the caret."""
        super().focusInEvent(event)
        self._caret.restart()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Hide the caret."""
        super().focusOutEvent(event)
        self._composition.leave()
        self._caret.stop()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the text and a caret in the accent.

        Qt's own caret inverts what lies under it, and has a width on screens with a broken ratio
        even where it is set to have none; so the document is drawn here without it.
        """
        with QPainter(self.viewport()) as painter:
            # While something is composed the document is empty, and the words would lie over the
            # prompt.
            if self.document().isEmpty() and not self._composition.is_on:
                self._draw_prompt(painter)
            caret = self.cursorRect()
            scrolled = self.verticalScrollBar().value()
            painter.translate(0, -scrolled)
            context = self._context()
            context.clip = QRectF(event.rect().translated(0, scrolled))
            self.document().documentLayout().draw(painter, context)
            if self._caret.is_seen:
                width = self.look.px(_CARET)
                at = caret.left() if caret.left() > INSET else 0
                left = min(at, self.viewport().width() - width)
                line = QRectF(left, caret.top() + scrolled, width, caret.height())
                painter.fillRect(line, QColor(self.look.colours.accent))

    def _draw_prompt(self, painter: QPainter) -> None:
        """Draw what stands in the empty field; behind a suggestion the key that takes it."""
        c, px = self.look.colours, self.look.px
        # A line that is higher than its letters has them at its foot.
        high = min(self.line_height, QFontMetrics(self.font()).height())
        room = QRect(INSET, self.line_height - high, self.viewport().width() - INSET, high)
        if not self.is_suggesting:
            write(painter, self.placeholderText(), room, self.font(), c.ink_3)
            return
        key, metrics = tr("Tab"), QFontMetrics(self.look.font(theme.KEY_TEXT))
        cap = metrics.horizontalAdvance(key) + 2 * px(5)
        words = room.adjusted(0, 0, -cap - px(theme.SPACE_M), 0)
        write(painter, self.placeholderText(), words, self.font(), c.ink_3)
        drawn = QFontMetrics(self.font()).horizontalAdvance(self.placeholderText())
        left = words.left() + min(drawn, words.width()) + px(theme.SPACE_S)
        place = QRect(left, room.center().y() - px(17) // 2, cap, px(17))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        draw_cap(painter, self.look, key, place)

    def _context(self) -> QAbstractTextDocumentLayout.PaintContext:
        context = QAbstractTextDocumentLayout.PaintContext()
        context.cursorPosition = -1
        context.palette = self.palette()
        if self.textCursor().hasSelection():
            selection = QAbstractTextDocumentLayout.Selection()
            selection.cursor = self.textCursor()
            selected = QTextCharFormat()
            selected.setBackground(self.palette().brush(QPalette.ColorRole.Highlight))
            selected.setForeground(self.palette().brush(QPalette.ColorRole.HighlightedText))
            selection.format = selected
            context.selections = [selection]
        return context

    def _handles(self, event: QKeyEvent) -> bool:
        """Tell of a key that is not for editing; return whether it was one."""
        # Arrows and Enter of the number pad come with this modifier.
        plain = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        shifted = bool(plain & Qt.KeyboardModifier.ShiftModifier)
        bare = plain == Qt.KeyboardModifier.NoModifier
        match event.key():
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if shifted:
                self.textCursor().insertBlock()
                self.ensureCursorVisible()
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                # A key that is held down asks once.
                if not event.isAutoRepeat():
                    held = plain & Qt.KeyboardModifier.ControlModifier
                    (self.sent_other if held else self.sent).emit()
            case Qt.Key.Key_Escape:
                self.escaped.emit()
            case Qt.Key.Key_Tab if bare:
                # Without another control in the window it comes here, and no tab stop is wanted.
                self._press_tab()
            case Qt.Key.Key_Up if bare and self._leaves(upwards=True):
                self.stepped.emit(-1)
            case Qt.Key.Key_Down if bare and self._leaves(upwards=False):
                self.stepped.emit(1)
            case Qt.Key.Key_Backspace if self._is_at_start() and not event.isAutoRepeat():
                self.backed.emit()
            case _:
                return False
        return True

    def _press_tab(self) -> None:
        if self.is_completing:
            self.completed.emit()
        elif self.is_suggesting and not self.text:
            self.took_suggestion.emit()

    def _type_unmarked(self) -> None:
        """Let what is typed behind or within a paste not be taken for a part of it."""
        if self.document().isEmpty():
            self._is_typed = True
        if self.currentCharFormat().hasProperty(_PASTED) and not self.textCursor().hasSelection():
            self.setCurrentCharFormat(QTextCharFormat())

    def _leaves(self, *, upwards: bool) -> bool:
        """Return whether an arrow has no line to go to, or goes on recalling."""
        if self.is_completing or self._goes_on():
            return True
        edge = self.textCursor()
        end = QTextCursor.MoveOperation.Start if upwards else QTextCursor.MoveOperation.End
        edge.movePosition(end)
        # By what is seen: a long text wraps, and the arrow goes through its lines first.
        return self.cursorRect().top() == self.cursorRect(edge).top()

    def _goes_on(self) -> bool:
        # With the cursor elsewhere somebody edits it: the arrows go through its lines then.
        return self._recalled == self.text and self.textCursor().atEnd()

    def _is_at_start(self) -> bool:
        cursor = self.textCursor()
        return cursor.atStart() and not cursor.hasSelection()

    def _edit(self, event: QKeyEvent) -> None:
        if not self._delete_cluster(event):
            super().keyPressEvent(event)

    def _delete_cluster(self, event: QKeyEvent) -> bool:
        """Delete the grapheme cluster before the cursor if the key is Backspace and it goes whole.

        Return whether it did. Qt deletes a code point, which leaves halves of flags and families.
        """
        shift = Qt.KeyboardModifier.ShiftModifier
        cursor = self.textCursor()
        is_plain = event.modifiers() in {Qt.KeyboardModifier.NoModifier, shift}
        if event.key() != Qt.Key.Key_Backspace or not is_plain or cursor.hasSelection():
            return False
        cursor.movePosition(
            QTextCursor.MoveOperation.PreviousCharacter, QTextCursor.MoveMode.KeepAnchor
        )
        cluster = cursor.selectedText()
        # One code point is what Qt deletes anyway.
        if len(cluster) < 2 or not is_deleted_whole(cluster):
            return False
        cursor.removeSelectedText()
        self.ensureCursorVisible()
        return True

    def _space_lines(self) -> None:
        """Let each line be as high as the tokens have it, or as its letters need; new lines follow those before."""
        document, line = self.document(), QTextBlockFormat()
        if document.begin().blockFormat().lineHeight() == self.line_height:
            return
        line.setLineHeight(self.line_height, QTextBlockFormat.LineHeightTypes.MinimumHeight.value)
        document.setUndoRedoEnabled(False)
        whole = QTextCursor(document)
        whole.select(QTextCursor.SelectionType.Document)
        whole.mergeBlockFormat(line)
        document.setUndoRedoEnabled(True)

    def _inset(self) -> None:
        document = self.document()
        document.setDocumentMargin(0)
        around = document.rootFrame().frameFormat()
        around.setLeftMargin(INSET)
        # Or the margin would be the first thing that an undo takes back.
        document.setUndoRedoEnabled(False)
        document.rootFrame().setFrameFormat(around)
        document.setUndoRedoEnabled(True)

    def _fit(self) -> None:
        whole = max(self.line_height, round(self.document().size().height()))
        most = self.line_height * MOST_LINES
        bars = Qt.ScrollBarPolicy
        self.setVerticalScrollBarPolicy(
            bars.ScrollBarAlwaysOff if whole <= most else bars.ScrollBarAlwaysOn
        )
        self.setFixedHeight(min(whole, most))


class _CommandHighlighter(QSyntaxHighlighter):
    """Draws a command at the start of the text in the accent."""

    def __init__(self, document: QTextDocument, is_command: Callable[[str], bool]) -> None:
        super().__init__(document)
        self._is_command = is_command
        self._format = QTextCharFormat()

    def set_colour(self, colour: str) -> None:
        self._format.setForeground(QColor(colour))
        self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        if self.currentBlock().blockNumber():
            return
        found = _COMMAND.match(text)
        if found and self._is_command(found.group() + text[found.end() :][:1]):
            self.setFormat(0, found.end(), self._format)


class _Caret(QTimer):
    """Blinks as the system's carets do; steady where they do not blink."""

    def __init__(self, field: AskField) -> None:
        super().__init__(field)
        self._field = field
        self.is_seen = False
        self.timeout.connect(self._turn)

    def restart(self) -> None:
        if not self._field.hasFocus():
            return
        # Whoever types sees where: the caret does not blink while it moves.
        self._show(is_seen=True)
        if (whole := QGuiApplication.styleHints().cursorFlashTime()) > 0:
            self.start(whole // 2)

    def stop(self) -> None:
        super().stop()
        self._show(is_seen=False)

    def _turn(self) -> None:
        self._show(is_seen=not self.is_seen)

    def _show(self, *, is_seen: bool) -> None:
        self.is_seen = is_seen
        self._field.viewport().update()
