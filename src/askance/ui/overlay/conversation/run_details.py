"""What stands around an answer: one line that unfolds into the steps of its run, and the sources below."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from askance.presentation.answers import SourceRow
from askance.presentation.i18n import plural, tr
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
from askance.ui.design.drawing import antialiased, draw_hairline, draw_panel, fill, write
from askance.ui.design.focus import LinkButton, PaintedButton, wants_ring
from askance.ui.design.labels import PlainLabel, RichLabel, line, lines, set_tip, span
from askance.ui.design.theme import Look, Palette

SLICE_CHARACTERS = 300
"""After how many no further step is shown in a turn of the event loop. What costs most is to lay
them out, which Qt does later, so that no clock tells it here."""
_ARROW, _ARROW_INSET, _ARROW_ROOM = 16, 6, 15
_LABEL_WIDTH = 80
_ROW_PAD = 6
# The line is higher than its words.
_ABOVE_PANEL = theme.SPACE_M - (theme.TARGET - theme.SMALL_LINE) // 2
_BARE = Qt.KeyboardModifier.NoModifier


class TraceView(Composite):
    """The line of what happens or happened, and below it, on demand, every step."""

    link_activated = Signal(str)
    toggled = Signal(bool)

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self._rows: tuple[TraceRow, ...] = ()
        self.disclosure = Disclosure(look)
        self.disclosure.unfolded.connect(self._toggle)
        self._panel: TracePanel | None = None
        self._layout = column_of(look, self.disclosure, gap=_ABOVE_PANEL)
        self.setLayout(self._layout)

    def show_trace(
        self, status: Status, rows: tuple[TraceRow, ...], seconds: int | None = None
    ) -> None:
        """Show what happens now, or happened, its steps, and for how long it goes on if it does."""
        self._rows = rows
        self.disclosure.show_status(status, has_steps=bool(rows), seconds=seconds)
        if self._panel is not None and self.disclosure.is_unfolded:
            self._panel.show_rows(rows)

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
        self.seconds: int | None = None
        self.is_unfolded = False

    def show_status(self, status: Status, *, has_steps: bool, seconds: int | None = None) -> None:
        """Show a sentence, more quietly its detail, and at the end the seconds that it took so far."""
        self._status, self.seconds = status, seconds
        # Nothing to unfold yet: Tab passes it by.
        self.setEnabled(has_steps)
        text = f"{status.text} {status.detail}".strip()
        self.setAccessibleName(text)
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
            if self.seconds:
                text = tr("{n} s", n=self.seconds)
                right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
                write(painter, text, room, font, colours.ink_3, where=right)
                room.adjust(0, 0, -metrics.horizontalAdvance(text) - look.px(theme.SPACE_M), 0)
            status = self._status
            shown = metrics.elidedText(status.text, Qt.TextElideMode.ElideRight, room.width())
            write(painter, shown, room, font, ink)
            room.adjust(metrics.horizontalAdvance(shown) + look.px(theme.SPACE_S), 0, 0, 0)
            if status.detail and room.width() > 0:
                write(painter, status.detail, room, font, colours.ink_3)


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

    @property
    def spoken(self) -> tuple[str, ...]:
        """The steps as a screen reader says them."""
        return tuple(view.spoken for view in self._views)

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
        self._is_first = True
        self._label, self._body, self._elapsed = RichLabel(), RichLabel(), RichLabel()
        # The column in the middle alone gives way.
        self._label.setWordWrap(False)
        self._elapsed.setWordWrap(False)
        self._body.linkActivated.connect(self.link_activated)
        self._layout = QGridLayout(self)
        top = Qt.AlignmentFlag.AlignTop
        self._layout.addWidget(self._label, 0, 0, top)
        self._layout.addWidget(self._body, 0, 1)
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
        markup = self._table(row) if row.is_tabular else self._flow(row)
        self._body.set_markup(markup, text)

    def sizeHint(self) -> QSize:
        """Return the usual size, whatever the step says: other widths would be laid out, too."""
        width = self.look.px(theme.WINDOW_WIDTH - 2 * theme.SPACE_XL)
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        """Return the same; what has less room is laid out in that."""
        return self.sizeHint()

    @property
    def spoken(self) -> str:
        texts = (self._label, self._body, self._elapsed)
        return ", ".join(filter(None, (text.accessibleName() for text in texts)))

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
        rows = "".join(
            "<tr>"
            + "".join(
                f'<td style="padding-right:{gap}px;">{self._small(self._cell(cell))}</td>'
                for cell in cells
            )
            + "</tr>"
            for cells in row.lines
        )
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


_NUMBER_ROOM = 16
_TITLE_AT = 26
# A button has so much room around its words.
_BUTTON_PAD = 5
_PILL_HEIGHT = 18
_PILL_PAD = 6
_PILL_RADIUS = 5


class SourcesView(Composite):
    """A heading, a row for each source that is cited, and a button that brings the others."""

    link_activated = Signal(str)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._rows: tuple[SourceRow, ...] = ()
        self.buttons: list[SourceButton] = []
        self._heading = PlainLabel(tr("Sources"))
        self._heading.setIndent(0)
        bold = QFont.Weight.DemiBold
        below = (0, 0, 0, 6)
        style(self._heading, look, font=theme.LABEL_TEXT, weight=bold, ink="ink_3", margins=below)
        self.more = style(LinkButton(), look, font=theme.SMALL_TEXT)
        self.more.clicked.connect(self._show_all)
        self.more.hide()
        wants_ring(self.more)
        below_titles = row_of(look, self.more, None, margins=(_TITLE_AT - _BUTTON_PAD, 0, 0, 0))
        self._layout = column_of(look, self._heading, below_titles, gap=0)
        self.setLayout(self._layout)

    def show_sources(self, rows: tuple[SourceRow, ...]) -> None:
        """Show sources; where none is cited, all of them. Nothing is seen where there are none."""
        # Each view of a run brings them: whoever has unfolded the others keeps seeing them.
        if rows == self._rows:
            return
        self._rows = rows
        cited = tuple(row for row in rows if row.cited) or rows
        self._list(cited)
        left = len(rows) - len(cited)
        self.more.setVisible(left > 0)
        self.more.setText(plural("{n} more, not cited", "{n} more, not cited", left))

    def _show_all(self) -> None:
        first = self._rows.index(next(row for row in self._rows if not row.cited))
        self._list(self._rows)
        self.more.hide()
        # The button that was pressed is hidden: the focus goes to what it brought.
        self.buttons[first].setFocus(Qt.FocusReason.OtherFocusReason)

    def _list(self, rows: tuple[SourceRow, ...]) -> None:
        while len(self.buttons) > len(rows):
            self._layout.drop(self.buttons.pop())
        while len(self.buttons) < len(rows):
            button = SourceButton(self.look)
            button.link_activated.connect(self.link_activated)
            self._layout.insertWidget(1 + len(self.buttons), button)
            self.buttons.append(button)
        for button, row in zip(self.buttons, rows, strict=True):
            button.show_source(row)
        self.more.raise_()  # screen readers go by this order


class SourceButton(PaintedButton):
    """One source on one line; what has no room ends in an ellipsis."""

    link_activated = Signal(str)

    def __init__(self, look: Look) -> None:
        super().__init__(look, theme.SMALL_TEXT)
        self.row: SourceRow | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self._open)

    def show_source(self, row: SourceRow) -> None:
        """Show a source."""
        self.row = row
        opens = bool(row.url)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if opens else Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor if opens else Qt.CursorShape.ArrowCursor)
        self.setAccessibleName(row.spoken)
        # Without the fragment, which repeats the quoted words for the browser to find
        # (`#:~:text=`).
        set_tip(self, row.url.partition("#")[0])
        self.update()

    def sizeHint(self) -> QSize:
        """Return a row."""
        return QSize(self.look.px(240), self.look.px(theme.TARGET))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the row."""
        if self.row is None:
            return
        with antialiased(self) as painter:
            look = self.look
            right = self.width()
            if self.row.badge:
                right -= self._pill(painter) + look.px(theme.SPACE_S)
            self._text(painter, self.row, right)

    def _text(self, painter: QPainter, row: SourceRow, right: int) -> None:
        look, colours = self.look, self.look.colours
        vertical = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(look.font(theme.SMALL_TEXT, QFont.Weight.DemiBold))
        painter.setPen(QColor(colours.accent))
        number = QRectF(0, 0, look.px(_NUMBER_ROOM), self.height())
        painter.drawText(number, vertical | Qt.AlignmentFlag.AlignRight, str(row.n))
        painter.setFont(self.font())
        metrics = self.fontMetrics()
        left = look.px(_TITLE_AT)
        about = metrics.horizontalAdvance(row.about) + look.px(10)
        # The host is what a person goes by: the title gives way first, down to half of the line.
        room = max(right - left - about, (right - left) // 2)
        title = metrics.elidedText(row.title, Qt.TextElideMode.ElideRight, room)
        lit = self.underMouse() and bool(row.url)
        painter.setPen(QColor(colours.accent if lit else colours.ink))
        painter.drawText(QRectF(left, 0, room, self.height()), vertical, title)
        left += metrics.horizontalAdvance(title) + look.px(10)
        painter.setPen(QColor(colours.ink_3))
        text = metrics.elidedText(row.about, Qt.TextElideMode.ElideRight, max(right - left, 0))
        painter.drawText(QRectF(left, 0, max(right - left, 0), self.height()), vertical, text)

    def _pill(self, painter: QPainter) -> int:
        assert self.row is not None
        look, colours = self.look, self.look.colours
        font = look.font(theme.KEY_TEXT)
        painter.setFont(font)
        words = painter.fontMetrics().horizontalAdvance(self.row.badge)
        width, height = words + 2 * look.px(_PILL_PAD), look.px(_PILL_HEIGHT)
        pill = QRectF(self.width() - width, (self.height() - height) / 2, width, height)
        fill(painter, pill, colours.amber_soft, _PILL_RADIUS)
        painter.setPen(QColor(colours.amber))
        painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, self.row.badge)
        return round(width)

    def _open(self) -> None:
        if self.row is not None and self.row.url:
            self.link_activated.emit(self.row.url)
