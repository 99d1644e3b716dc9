"""What stands above an answer: where it comes from, and one line that unfolds into the steps of its run."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from askance.presentation.i18n import tr
from askance.presentation.progress import Status
from askance.presentation.steps import Cell, Tone, TraceRow
from askance.ui.design import drawing, theme
from askance.ui.design.composing import (
    Composite,
    Styled,
    column_of,
    row_of,
    single_shot_timer,
    style,
)
from askance.ui.design.drawing import antialiased, draw_box, draw_hairline, draw_panel, write
from askance.ui.design.focus import LinkButton, PaintedButton
from askance.ui.design.glyphs import draw_glyph
from askance.ui.design.labels import RichLabel, line, lines, set_tip, span
from askance.ui.design.theme import Look, Palette
from askance.ui.overlay.conversation.exchange import OriginTag

SLICE_CHARACTERS = 300
"""After how many no further step is shown in a turn of the event loop. What costs most is to lay
them out, which Qt does later, so that no clock tells it here."""
_ARROW, _ARROW_INSET, _ARROW_ROOM = 16, 6, 15
_LABEL_WIDTH = 80
# A row that is narrower has no room for columns.
_NARROW = 560
# Of the line so much is to be seen beside the tags.
_LEAST_LINE = 80
_ROW_PAD = 6
# The line is higher than its words.
_ABOVE_PANEL = theme.SPACE_M - (theme.TARGET - theme.SMALL_LINE) // 2
_BARE = Qt.KeyboardModifier.NoModifier


class TraceView(Composite):
    """The line of what happens or happened, behind tags that say where all of it comes from; below it, on demand,
    every step.
    """

    link_activated = Signal(str)
    toggled = Signal(bool)
    web_requested = Signal()
    """The web is to be searched for what came from memory."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self._rows: tuple[TraceRow, ...] = ()
        self.tags: list[TagLabel] = []
        self.disclosure = Disclosure(look)
        self.disclosure.unfolded.connect(self._toggle)
        self.web = style(LinkButton(), look, font=theme.SMALL_TEXT, ink="accent")
        self.web.setText(tr("Search the web for it"))
        self.web.setProperty("link", True)
        self.web.clicked.connect(self.web_requested)
        self.web.hide()
        self._panel: TracePanel | None = None
        self._line = row_of(
            look, self.web, self.disclosure, gap=theme.SPACE_S, wide=self.disclosure
        )
        self._line.setAlignment(self.web, Qt.AlignmentFlag.AlignLeft)
        self._layout = column_of(look, self._line, gap=_ABOVE_PANEL)
        self.setLayout(self._layout)

    def show_trace(
        self, status: Status, rows: tuple[TraceRow, ...], time: str = "", cost: str = ""
    ) -> None:
        """Show what happens now, or happened, its steps, and for how long it goes on or went on; under the pointer
        what it cost.
        """
        self._rows = rows
        set_tip(self.disclosure, cost)
        self.disclosure.show_status(status, has_steps=bool(rows), time=time)
        if self._panel is not None and self.disclosure.is_unfolded:
            self._panel.show_rows(rows)

    def show_tags(self, tags: tuple[OriginTag, ...], *, offers_web: bool = False) -> None:
        """Show these tags before the line, and behind them what searches the web."""
        self.web.setVisible(offers_web)
        if tags == tuple(label.tag for label in self.tags):
            return
        while self.tags:
            self._line.drop(self.tags.pop())
        for i, tag in enumerate(tags):
            label = TagLabel(self.look, tag)
            self._line.insertWidget(i, label)
            self.tags.append(label)
        self._turn()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the tags above one another where they have no room beside one another."""
        super().resizeEvent(event)
        self._turn()

    def _turn(self) -> None:
        px = self.look.px
        parts: tuple[QWidget, ...] = tuple(self.tags)
        parts += () if self.web.isHidden() else (self.web,)
        needed = sum(part.sizeHint().width() + px(theme.SPACE_S) for part in parts)
        is_down = bool(parts) and needed + px(_LEAST_LINE) > self.width()
        self._line.turn(is_down=is_down, gap=theme.SPACE_XS if is_down else theme.SPACE_S)

    def unfold(self, *, goes_there: bool = True) -> None:
        """Show the steps, if there are any, and go there if it `goes_there`."""
        if self.disclosure.isEnabled():
            if not self.disclosure.is_unfolded:
                self.disclosure.click()
            if goes_there:
                self.disclosure.setFocus(Qt.FocusReason.OtherFocusReason)

    def label_of(self, step: int) -> RichLabel | None:
        """Return what shows a step; None while it is folded away, or still to come."""
        panel = self.panel
        return panel.label_of(step) if panel is not None else None

    @property
    def panel(self) -> TracePanel | None:
        """The steps, if they are unfolded."""
        return self._panel if self.disclosure.is_unfolded else None

    def _toggle(self, unfolded: bool) -> None:
        if unfolded and self._panel is None:
            # Not made before: a trace that nobody unfolds needs no widgets.
            self._panel = TracePanel(self.look)
            self._panel.link_activated.connect(self.link_activated)
            self._layout.addWidget(self._panel)
        if self._panel is not None:
            self._panel.setVisible(unfolded)
            if unfolded:
                self._panel.show_rows(self._rows)
        self.toggled.emit(unfolded)


_TAG_HEIGHT, _TAG_PAD, _TAG_RADIUS = 20, 7, 5
_TAG_GLYPH, _TAG_GAP = 13, 5


class TagLabel(Styled, QWidget):
    """A few quiet words with a hairline around them; a book before them where they are of the user's library."""

    def __init__(self, look: Look, tag: OriginTag) -> None:
        super().__init__(look)
        self.tag = tag
        style(self, look, font=theme.LABEL_TEXT)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        if tag.tip:
            set_tip(self, tag.tip)
        self.setAccessibleName(tag.text)

    def sizeHint(self) -> QSize:
        """Return the room of the words."""
        px = self.look.px
        words = QFontMetrics(self.font()).horizontalAdvance(self.tag.text) + 1
        glyph = px(_TAG_GLYPH) + px(_TAG_GAP) if self.tag.is_own else 0
        return QSize(words + glyph + 2 * px(_TAG_PAD), px(theme.TARGET))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw it."""
        with antialiased(self) as painter:
            c, px = self.look.colours, self.look.px
            top = (self.height() - px(_TAG_HEIGHT)) / 2
            edge = QRectF(0.5, top + 0.5, self.width() - 1, px(_TAG_HEIGHT) - 1)
            draw_box(painter, edge, c.paper, c.line_2, px(_TAG_RADIUS))
            ink = c.accent if self.tag.is_own else c.ink_2
            room = self.rect().adjusted(px(_TAG_PAD), 0, -px(_TAG_PAD), 0)
            if self.tag.is_own:
                place = QRect(room.left(), 0, px(_TAG_GLYPH), self.height())
                draw_glyph(painter, self, self.look, "book", ink, place, _TAG_GLYPH)
                room.adjust(px(_TAG_GLYPH) + px(_TAG_GAP), 0, 0, 0)
            write(painter, self.tag.text, room, self.font(), ink)


class Disclosure(PaintedButton):
    """One line with an arrow. A click, Space or Enter folds and unfolds, as the arrow keys do.

    It is no check box, which is what Qt calls a checkable button for screen readers.
    """

    unfolded = Signal(bool)

    def __init__(self, look: Look) -> None:
        super().__init__(look, theme.SMALL_TEXT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self._turn)
        self._status = Status("")
        self.time = ""
        self.is_unfolded = False

    def show_status(self, status: Status, *, has_steps: bool, time: str = "") -> None:
        """Show a sentence, more quietly its detail, and at the end for how long it goes on."""
        self._status, self.time = status, time
        # Nothing to unfold yet: Tab passes it by.
        self.setEnabled(has_steps)
        text = f"{status.text} {status.beside}".strip()
        self.setAccessibleName(text or time)
        self._describe()
        self.update()

    def sizeHint(self) -> QSize:
        """Return a line of small text."""
        return QSize(self.look.px(200), self.look.px(theme.TARGET))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let the arrows go to and fro as in a tree."""
        back = self.layoutDirection() is Qt.LayoutDirection.RightToLeft
        match event.key():
            case Qt.Key.Key_Right | Qt.Key.Key_Left if event.modifiers() == _BARE:
                # Right unfolds and left folds; the other way round where the language is read from
                # right to left.
                if (event.key() == Qt.Key.Key_Right) is (self.is_unfolded is back):
                    self.click()
            case _:
                super().keyPressEvent(event)

    def _turn(self) -> None:
        self.is_unfolded = not self.is_unfolded
        self._describe()
        self.update()
        self.unfolded.emit(self.is_unfolded)

    def _describe(self) -> None:
        # Qt offers no way to tell a reader that a line can be unfolded (decision 9): words do.
        hidden, shown = tr("Search steps are hidden"), tr("Search steps are shown below")
        self.setAccessibleDescription(shown if self.is_unfolded else hidden)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the arrow, the sentence and its detail, as much as there is room for."""
        with QPainter(self) as painter:
            look, colours = self.look, self.look.colours
            lit = self.underMouse() and self.isEnabled()
            ink = colours.ink if lit else colours.ink_2
            left = 0
            if self.isEnabled():
                size = look.px(_ARROW)
                name = "unfolded" if self.is_unfolded else "folded"
                picture = drawing.pixmap(name, ink, size, self.devicePixelRatioF())
                # The arrow's own picture has room at its sides; the line is to begin with the arrow.
                painter.drawPixmap(-look.px(_ARROW_INSET), (self.height() - size) // 2, picture)
                left = look.px(_ARROW_ROOM)
            metrics, font = self.fontMetrics(), self.font()
            room = self.rect().adjusted(left, 0, 0, 0)
            if self.time:
                right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
                # Digits of one width: the words beside those that count stand still.
                even = QFont(font)
                even.setFeature(QFont.Tag("tnum"), 1)
                write(painter, self.time, room, even, colours.ink_3, where=right)
                taken = QFontMetrics(even).horizontalAdvance(self.time)
                room.adjust(0, 0, -taken - look.px(theme.SPACE_M), 0)
            status = self._status
            shown = metrics.elidedText(status.text, Qt.TextElideMode.ElideRight, room.width())
            write(painter, shown, room, font, ink)
            room.adjust(metrics.horizontalAdvance(shown) + look.px(theme.SPACE_S), 0, 0, 0)
            if status.beside and room.width() > 0:
                write(painter, status.beside, room, font, colours.ink_3)


class TracePanel(Composite):
    """The steps on a raised panel, parted by hairlines."""

    link_activated = Signal(str)

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.setAccessibleName(tr("Search steps"))
        self._views: list[_RowView] = []
        self._rows: tuple[TraceRow, ...] = ()
        self._done = 0
        self._work = single_shot_timer(self, self._work_on)
        self._layout = column_of(look, gap=0)
        self.setLayout(self._layout)

    def show_rows(self, rows: Sequence[TraceRow]) -> None:
        """Show steps; those that stayed as they were are left alone.

        Where they take long, the last of them come in later turns of the event loop.
        """
        while len(self._views) > len(rows):
            self._layout.drop(self._views.pop())
        self._rows, self._done = tuple(rows), 0
        self._work_on()

    @property
    def is_settled(self) -> bool:
        """Whether all steps are there."""
        return self._done == len(self._rows)

    def _work_on(self) -> None:
        # Counted in characters, for the time is spent later, when Qt lays the labels out.
        room = SLICE_CHARACTERS
        while not self.is_settled:
            if room <= 0:
                self._work.start(0)
                return
            i, row = self._done, self._rows[self._done]
            if i == len(self._views) or self._views[i].row != row:
                room -= row.length
            if i == len(self._views):
                view = _RowView(self.look)
                view.link_activated.connect(self.link_activated)
                self._views.append(view)
                self._layout.addWidget(view)
            self._views[i].show_row(row, is_first=i == 0)
            self._done += 1

    def label_of(self, step: int) -> RichLabel | None:
        """Return what a step says, once it is shown."""
        return self._views[step].body if step < self._done else None

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the panel; the rows draw the hairlines between them."""
        with QPainter(self) as painter:
            draw_panel(painter, self.rect(), self.look)


class _RowView(Styled, QWidget):
    """One step: its name, what came of it, how long it took."""

    link_activated = Signal(str)

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.row: TraceRow | None = None
        self._is_first, self._is_narrow = True, False
        self._label, self.body, self._elapsed = RichLabel(), RichLabel(), RichLabel()
        # The column in the middle alone gives way.
        self._label.setWordWrap(False)
        self._elapsed.setWordWrap(False)
        self.body.linkActivated.connect(self.link_activated)
        self._layout = QGridLayout(self)
        top = Qt.AlignmentFlag.AlignTop
        self._layout.addWidget(self._label, 0, 0, top)
        self._layout.addWidget(self.body, 0, 1)
        self._layout.addWidget(self._elapsed, 0, 2, top | Qt.AlignmentFlag.AlignRight)
        self._layout.setColumnStretch(1, 1)
        self._elapsed.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Minimum)
        self._restyle()
        # To its usual width at once: a widget that was never sized is laid out for 100 pixels
        # first.
        self.resize(self.sizeHint())

    def _restyle(self) -> None:
        side, pad = self.look.px(theme.SPACE_M), self.look.px(_ROW_PAD)
        self._layout.setContentsMargins(side, pad, side, pad + 1)
        self._layout.setHorizontalSpacing(self.look.px(theme.SPACE_S))
        self._layout.setColumnMinimumWidth(0, self.look.px(_LABEL_WIDTH))
        if self.row is not None:
            row, self.row = self.row, None
            self.show_row(row, is_first=self._is_first)

    def show_row(self, row: TraceRow, *, is_first: bool) -> None:
        self._is_first = is_first
        if row == self.row:
            return
        self.row = row
        quiet = self.look.colours.ink_3
        self._label.set_markup(self._small(span(row.label, quiet)), row.label)
        self._elapsed.set_markup(self._small(span(row.elapsed, quiet)), row.elapsed)
        self._elapsed.setVisible(bool(row.elapsed))
        text = "; ".join(", ".join(cell.text for cell in cells) for cells in row.lines)
        has_columns = row.is_tabular and not self._is_narrow
        markup = self._table(row) if has_columns else self._flow(row)
        self.body.set_markup(markup, text)

    def sizeHint(self) -> QSize:
        """Return the usual size, whatever the step says: other widths would be laid out, too."""
        width = self.look.px(theme.WINDOW_WIDTH - 2 * theme.SPACE_XL)
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        """Return the same height and no width: Qt asks for the height at the least width, if there is less room."""
        return QSize(0, self.sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Let cells follow one another where they have no room as columns."""
        super().resizeEvent(event)
        if self._is_narrow is not (self.width() < self.look.px(_NARROW)):
            self._is_narrow = not self._is_narrow
            self._restyle()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        if self._is_first:
            return
        with QPainter(self) as painter:
            draw_hairline(painter, self.look.colours.line, self.width())

    def _flow(self, row: TraceRow) -> str:
        dot = span(" · ", self.look.colours.ink_3)
        texts = [dot.join(self._cell(cell) for cell in cells) for cells in row.lines]
        return lines(self.look, texts, theme.SMALL)

    def _table(self, row: TraceRow) -> str:
        gap = self.look.px(theme.SPACE_M)
        begin, rows = f'<td style="padding-right:{gap}px;">', ""
        for cells in row.lines:
            shown = (f"{begin}{self._small(self._cell(cell))}</td>" for cell in cells)
            rows += f"<tr>{''.join(shown)}</tr>"
        return f'<table cellspacing="0" cellpadding="0" border="0">{rows}</table>'

    def _small(self, markup: str) -> str:
        return line(self.look, markup, theme.SMALL)

    def _cell(self, cell: Cell) -> str:
        return span(cell.text, _colour(cell.tone, self.look.colours), url=cell.url)


def _colour(tone: Tone, colours: Palette) -> str:
    return {
        Tone.PLAIN: colours.ink,
        Tone.GOOD: colours.accent,
        Tone.AMBER: colours.amber,
        Tone.QUIET: colours.ink_2,
        Tone.BAD: colours.red,
    }[tone]
