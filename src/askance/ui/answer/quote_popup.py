"""The pop-up over a marker: the words of the source that carry the sentence, and where they stand."""

from __future__ import annotations

from PySide6.QtCore import QMargins, QPoint, QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QGraphicsDropShadowEffect, QVBoxLayout, QWidget

from askance.domain.evidence import Support
from askance.presentation.answers import support_word
from askance.ui.design import tokens
from askance.ui.design.drawing import draw_panel
from askance.ui.design.frame import Frame, can_be_seen_through, take_pointer_in
from askance.ui.design.rich_text import MarkupLabel, line, span
from askance.ui.design.styling import Styled, style
from askance.ui.design.theme import Look
from askance.ui.model.quote import QuoteSegment, QuoteView

WIDTH = 420
_REACH, _DROP = 34, 8
_MARGIN = 12
_BELOW = 6
_SHADOW_LIGHT, _SHADOW_DARK = 40, 120


class QuotePopup(Styled, QWidget):
    """A raised panel with a shadow that never takes the focus and lets the pointer through.

    It has a plain edge where no window can be seen through, as the window below it has.
    """

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
        self._lines = style(QVBoxLayout(self), look, gap=6)
        for label in (self._quote, self._about, self._support):
            self._lines.addWidget(label)
        self.look = look
        self._restyle()

    def _restyle(self) -> None:
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
        quoted = "".join(map(self._stretch, quote.quote))
        self._show_markup(self._quote, quoted, "rtl" if quote.is_right_to_left else "")
        self._show_markup(self._about, span(quote.about, colours.ink_3))
        sentence = quote.support[:1].upper() + quote.support[1:]
        warning = span(sentence, colours.amber if is_weak else colours.red)
        self._show_markup(self._support, warning if doubtful else "")
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

    def _show_markup(self, label: MarkupLabel, markup: str, side: str = "ltr") -> None:
        label.setText(line(self.look, markup, tokens.SMALL_TEXT, tokens.SMALL_LINE, side=side))
        label.setVisible(bool(markup))

    def _stretch(self, stretch: QuoteSegment) -> str:
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


class _Plate(Styled, QWidget):
    """The panel under the words, which casts the shadow so that the words need not."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._shadow = QGraphicsDropShadowEffect(self)
        self._shadow.setBlurRadius(_REACH)
        self._shadow.setOffset(0, _DROP)
        self.setGraphicsEffect(self._shadow)
        self._is_plain = False
        self.look = look
        self._restyle()

    def _restyle(self) -> None:
        self._shadow.setColor(QColor(0, 0, 0, _SHADOW_DARK if self.look.is_dark else _SHADOW_LIGHT))

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
