"""The sources below an answer: those that it cites, and a button that brings the others."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from askance.presentation.answers import SourceRow
from askance.presentation.i18n import plural, tr
from askance.ui.design import tokens
from askance.ui.design.composing import Composite, column_of, row_of, style
from askance.ui.design.drawing import fill
from askance.ui.design.focus import LinkButton, PaintedButton, wants_ring
from askance.ui.design.labels import PlainLabel, set_tip
from askance.ui.design.theme import Look

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
        style(self._heading, look, font=tokens.LABEL_TEXT, weight=bold, ink="ink_3", margins=below)
        self.more = style(LinkButton(), look, font=tokens.SMALL_TEXT)
        self.more.clicked.connect(self._show_all)
        self.more.hide()
        wants_ring(self.more)
        below_titles = row_of(look, self.more, None, margins=(_TITLE_AT - _BUTTON_PAD, 0, 0, 0))
        self._layout = column_of(look, self._heading, below_titles, gap=0)
        self.setLayout(self._layout)

    def show_sources(self, rows: tuple[SourceRow, ...]) -> None:
        """Show sources; where none is cited, all of them. Nothing is seen where there are none."""
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
        super().__init__(look, tokens.SMALL_TEXT)
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
        set_tip(self, row.url.partition("#")[0])
        self.update()

    def sizeHint(self) -> QSize:
        """Return a row."""
        return QSize(self.look.px(240), self.look.px(tokens.TARGET))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the row."""
        if self.row is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        look = self.look
        right = self.width()
        if self.row.badge:
            right -= self._pill(painter) + look.px(tokens.SPACE_S)
        self._text(painter, self.row, right)
        painter.end()

    def _text(self, painter: QPainter, row: SourceRow, right: int) -> None:
        look, colours = self.look, self.look.colours
        vertical = Qt.AlignmentFlag.AlignVCenter
        painter.setFont(look.font(tokens.SMALL_TEXT, QFont.Weight.DemiBold))
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
        font = look.font(tokens.KEY_TEXT)
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
