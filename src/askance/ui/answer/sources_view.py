"""The sources of an answer: the list below it, and the pop-up over a marker with the words that carry it."""

from __future__ import annotations

from PySide6.QtCore import QMargins, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QGraphicsDropShadowEffect,
    QHBoxLayout,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from askance.domain.evidence import Support
from askance.presentation.answers import SourceRow, support_word
from askance.presentation.i18n import plural, tr
from askance.ui.design import tokens
from askance.ui.design.focus import PaintedButton, QuietPush, wants_ring
from askance.ui.design.frame import Frame, can_be_seen_through, take_pointer_in
from askance.ui.design.labels import MarkupLabel, PlainLabel, draw_panel, line, set_tip, span
from askance.ui.design.theme import Look
from askance.ui.model.quote import QuoteView, Stretch

# The pop-up over a marker: the words of the source that carry the sentence, and where they stand.
#
# It has a plain edge where no window can be seen through, as the window below it has.

WIDTH = 420
_REACH, _DROP = 34, 8
_MARGIN = 12
_BELOW = 6
_SHADOW_LIGHT, _SHADOW_DARK = 40, 120


class QuotePopup(QWidget):
    """A raised panel with a shadow that never takes the focus and lets the pointer through."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        # Input goes through all of it: shadow that covers its own marker would end its welcome.
        flags = Qt.WindowType.ToolTip | Qt.WindowType.WindowTransparentForInput
        flags |= Qt.WindowType.FramelessWindowHint | Qt.WindowType.NoDropShadowWindowHint
        super().__init__(parent, flags)
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self._view = parent
        self._is_plain = self._is_through = False
        self._plate = _Plate(look, self)
        self._quote, self._about, self._support = MarkupLabel(), MarkupLabel(), MarkupLabel()
        self._lines = QVBoxLayout(self)
        for label in (self._quote, self._about, self._support):
            self._lines.addWidget(label)
        self.set_look(look)

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        self.look = look
        self._plate.set_look(look)
        self._lines.setSpacing(look.px(6))
        self._inset()

    def open_at(self, quote: QuoteView, marker: QRect) -> None:
        """Show a quote below a marker, given on the screen, or above it where there is no room."""
        self._is_plain = not can_be_seen_through()
        self._is_through = False
        self._plate.set_plain(self._is_plain)
        self._inset()
        colours = self.look.colours
        doubtful = quote.support not in ("", support_word(Support.SUPPORTED))
        is_weak = quote.support == support_word(Support.WEAK)
        self._say(self._quote, "".join(map(self._stretch, quote.quote)))
        self._say(self._about, span(quote.about, colours.ink_3))
        sentence = quote.support[:1].upper() + quote.support[1:]
        warning = span(sentence, colours.amber if is_weak else colours.red)
        self._say(self._support, warning if doubtful else "")
        self.setAccessibleName(quote.spoken)
        around = self._around
        width = self.look.px(WIDTH) + around.left() + around.right()
        self.setFixedWidth(width)
        self.setFixedHeight(self._lines.totalHeightForWidth(width))
        self.move(self._place(marker))
        self.show()

    @property
    def spoken(self) -> str:
        """What it says, in words."""
        return self.accessibleName()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Let all input through. Nothing is drawn here but by the plate."""
        if not self._is_through:
            self._is_through = True
            take_pointer_in(self, QRect())

    def resizeEvent(self, event: object) -> None:  # noqa: ARG002 - Qt's interface
        """Keep the plate under the words."""
        self._plate.setGeometry(self.rect().marginsRemoved(self._around))
        self._plate.lower()

    @property
    def _around(self) -> QMargins:
        """The room around the plate: that of its shadow, if it casts one."""
        if self._is_plain:
            return QMargins()
        return QMargins(_REACH, _REACH - _DROP, _REACH, _REACH + _DROP)

    def _inset(self) -> None:
        side, above = self.look.px(14), self.look.px(12)
        self._lines.setContentsMargins(self._around + QMargins(side, above, side, above))

    def _say(self, label: MarkupLabel, markup: str) -> None:
        label.setText(line(self.look, markup, tokens.SMALL_TEXT, tokens.SMALL_LINE))
        label.setVisible(bool(markup))

    def _stretch(self, stretch: Stretch) -> str:
        colours = self.look.colours
        ground = colours.accent_soft if stretch.is_lit else ""
        return span(stretch.text, colours.ink, ground=ground)

    def _place(self, marker: QRect) -> QPoint:
        """Return where it belongs: on the paper below it and not at its edge, if that is so wide."""
        plate, gap = self.rect().marginsRemoved(self._around), self.look.px(_BELOW)
        window, screen = self._view.window(), self.screen().availableGeometry()
        paper = window.paper if isinstance(window, Frame) else window.rect()
        margin = self.look.px(_MARGIN)
        bounds = QRect(window.mapToGlobal(paper.topLeft()), paper.size()) & screen
        bounds.adjust(margin, 0, -margin, 0)
        if bounds.width() < plate.width():
            bounds = screen
        left = marker.center().x() - plate.width() // 2
        left = max(bounds.left(), min(left, bounds.right() + 1 - plate.width()))
        top = marker.bottom() + gap
        if top + plate.height() > screen.bottom():
            top = marker.top() - gap - plate.height()
        return QPoint(left, top) - plate.topLeft()


class _Plate(QWidget):
    """The panel under the words, which casts the shadow so that the words need not."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._shadow = QGraphicsDropShadowEffect(self)
        self._shadow.setBlurRadius(_REACH)
        self._shadow.setOffset(0, _DROP)
        self.setGraphicsEffect(self._shadow)
        self._is_plain = False
        self.set_look(look)

    def set_look(self, look: Look) -> None:
        self.look = look
        self._shadow.setColor(QColor(0, 0, 0, _SHADOW_DARK if look.is_dark else _SHADOW_LIGHT))
        self.update()

    def set_plain(self, is_plain: bool) -> None:
        self._is_plain = is_plain
        self._shadow.setEnabled(not is_plain)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        painter = QPainter(self)
        if self._is_plain:
            painter.fillRect(self.rect(), QColor(self.look.colours.ink_3))
            painter.fillRect(self.rect().adjusted(1, 1, -1, -1), QColor(self.look.colours.raised))
        else:
            draw_panel(painter, self.rect(), self.look)


_NUMBER_ROOM = 16
_TITLE_AT = 26
# A button has so much room around its words.
_BUTTON_PAD = 5
_PILL_HEIGHT = 18
_PILL_PAD = 6
_PILL_RADIUS = 5


class SourcesView(QWidget):
    """A heading, a row for each source that is cited, and a button that brings the others."""

    link_activated = Signal(str)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: tuple[SourceRow, ...] = ()
        self.buttons: list[SourceButton] = []
        self._heading = PlainLabel(tr("Sources"))
        self._heading.setIndent(0)
        self.more = QuietPush()
        self.more.clicked.connect(self._show_all)
        self.more.hide()
        wants_ring(self.more)
        self._layout = QVBoxLayout(self)
        self._layout.setSpacing(0)
        self._layout.addWidget(self._heading)
        self._more_row = QHBoxLayout()
        self._more_row.addWidget(self.more, 0, Qt.AlignmentFlag.AlignLeft)
        self._layout.addLayout(self._more_row)
        self.set_look(look)

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        self.look = look
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._heading.setFont(look.font(tokens.LABEL_TEXT, QFont.Weight.DemiBold))
        self._heading.setContentsMargins(0, 0, 0, look.px(6))
        self._heading.set_ink(look.colours.ink_3)
        self.more.setFont(look.font(tokens.SMALL_TEXT))
        self._more_row.setContentsMargins(look.px(_TITLE_AT - _BUTTON_PAD), 0, 0, 0)
        for button in self.buttons:
            button.set_look(look)

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
            button = self.buttons.pop()
            self._layout.removeWidget(button)
            button.hide()
            button.deleteLater()
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

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.row: SourceRow | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self._open)
        wants_ring(self)
        self.set_look(look)

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        self.look = look
        self.setFont(look.font(tokens.SMALL_TEXT))
        self.updateGeometry()
        self.update()

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
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colours.amber_soft))
        painter.drawRoundedRect(pill, _PILL_RADIUS, _PILL_RADIUS)
        painter.setPen(QColor(colours.amber))
        painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, self.row.badge)
        return round(width)

    def _open(self) -> None:
        if self.row is not None and self.row.url:
            self.link_activated.emit(self.row.url)
