"""Buttons with a glyph: alone, or before a word."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from askance.ui.design import theme
from askance.ui.design.composing import Slot
from askance.ui.design.drawing import LEFT, antialiased, faint, fill, pixmap, write
from askance.ui.design.focus import PaintedButton, native_keys
from askance.ui.design.labels import set_tip
from askance.ui.design.theme import Look

_DOT, _DOT_INSET = 7, 3
_GAP, _PAD, _ARROW = 6, 8, 13
# How much of the ink lies on the paper below a pointer.
_HOVER = 0.07


class _WithGlyph(PaintedButton):
    """A button that draws a glyph, and can be on, as while what it opens is open."""

    def __init__(self, look: Look, glyph: str, then: Slot | None, parent: QWidget | None) -> None:
        super().__init__(look, theme.LABEL_TEXT, parent)
        self._glyph, self._ink, self._is_on = glyph, "ink_2", False
        if then is not None:
            self.clicked.connect(then)

    def set_glyph(self, glyph: str, ink: str = "ink_2") -> None:
        """Show another glyph, in this colour of the palette while nothing else gives it one."""
        self._glyph, self._ink = glyph, ink
        self.update()

    def set_on(self, is_on: bool) -> None:
        """Show it as pressed in, or not."""
        self._is_on = is_on
        self.update()


class GlyphButton(_WithGlyph):
    """A button with a glyph and no words, 28 pixels of the tokens wide and high. `set_news` puts a dot at its corner."""

    def __init__(
        self,
        look: Look,
        glyph: str,
        name: str = "",
        keys: str = "",
        then: Slot | None = None,
        parent: QWidget | None = None,
        *,
        size: float = theme.GLYPH,
    ) -> None:
        super().__init__(look, glyph, then, parent)
        self._size, self._has_news, self._keys, self._named = size, False, "", ("", "")
        self.rename(name, keys)

    def rename(self, name: str, keys: str = "") -> None:
        """Give it another name, with the keys that do the same, as in `Ctrl+N`."""
        # Rows of buttons are named anew whenever one of them may be another; tips take a while.
        if (name, keys) == self._named:
            return
        self._named, self._keys = (name, keys), native_keys(keys)
        self.setAccessibleName(name)
        set_tip(self, f"{name} · {self._keys}" if keys else name)
        # Behind the tip, which would be the description as well, and say the name twice.
        self.setAccessibleDescription(self._keys)

    def set_news(self, has_news: bool, words: str = "") -> None:
        """Show a dot at its corner, which a screen reader says in these words, or none."""
        self._has_news = has_news
        spoken = (words if has_news else "", self._keys)
        self.setAccessibleDescription(", ".join(filter(None, spoken)))
        self.update()

    def sizeHint(self) -> QSize:
        """Return the size of a target."""
        side = self.look.px(theme.GLYPH_TARGET)
        return QSize(side, side)

    def minimumSizeHint(self) -> QSize:
        """Return the same: a glyph does not give way."""
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the ground, the glyph and the dot."""
        c, px = self.look.colours, self.look.px
        with antialiased(self) as painter:
            is_lit = self.isEnabled() and self.underMouse()
            if self._is_on:
                fill(painter, self.rect(), c.accent_soft, px(theme.MENU_ROW_RADIUS))
            elif is_lit:
                fill_hover(painter, self.rect(), self.look)
            ink = c.accent if self._is_on else c.ink if is_lit else getattr(c, self._ink)
            draw_glyph(painter, self, self.look, self._glyph, ink, self.rect(), self._size)
            if self._has_news:
                # The paper around it, so that it is seen on the glyph.
                corner = QRect(
                    self.width() - px(_DOT_INSET + _DOT), px(_DOT_INSET), px(_DOT), px(_DOT)
                )
                fill(painter, corner.adjusted(-2, -2, 2, 2), c.paper, px(_DOT))
                fill(painter, corner, c.accent, px(_DOT))


class ActionButton(_WithGlyph):
    """A glyph and a word without an edge, 28 pixels of the tokens high; with an arrow where it opens a list.

    Its width is that of its word, whatever glyph stands there: nothing beside it moves.
    """

    def __init__(
        self,
        look: Look,
        text: str = "",
        glyph: str = "",
        then: Slot | None = None,
        *,
        opens_list: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(look, glyph, then, parent)
        self._opens_list = opens_list
        self.setText(text)

    def sizeHint(self) -> QSize:
        """Return the room for glyph, word and arrow."""
        px = self.look.px
        # A button without a word of its own is the arrow of its neighbour.
        # One more for the fraction of a pixel: words that have just their own room end in an ellipsis.
        words = QFontMetrics(self.font()).horizontalAdvance(self.text())
        words += 1 if words else 0
        glyph = px(theme.GLYPH) + (px(_GAP) if words else 0) if self._glyph else 0
        arrow = px(_ARROW) + (px(_GAP) if words else 0) if self._opens_list else 0
        return QSize(2 * px(_PAD) + glyph + words + arrow, px(theme.GLYPH_TARGET))

    def minimumSizeHint(self) -> QSize:
        """Return the height: a long word ends in an ellipsis."""
        return QSize(0, self.look.px(theme.GLYPH_TARGET))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the ground, the glyph, the word and the arrow."""
        c, px = self.look.colours, self.look.px
        with antialiased(self) as painter:
            is_lit = self.isEnabled() and (self.underMouse() or self._is_on)
            if is_lit:
                fill_hover(painter, self.rect(), self.look)
            ink = c.ink_3 if not self.isEnabled() else c.ink if is_lit else c.ink_2
            room = self.rect().adjusted(px(_PAD), 0, -px(_PAD), 0)
            if self._glyph:
                place = QRect(room.left(), 0, px(theme.GLYPH), self.height())
                own = ink if self._ink == "ink_2" else getattr(c, self._ink)
                draw_glyph(painter, self, self.look, self._glyph, own, place)
                room.adjust(px(theme.GLYPH + _GAP), 0, 0, 0)
            if self._opens_list:
                place = QRect(room.right() + 1 - px(_ARROW), 0, px(_ARROW), self.height())
                draw_glyph(painter, self, self.look, "down", c.ink_3, place, _ARROW)
                room.adjust(0, 0, -px(_ARROW + _GAP), 0)
            write(painter, self.text(), room, self.font(), ink, where=LEFT)


def fill_hover(painter: QPainter, area: QRect, look: Look) -> None:
    """Fill what a pointer lies on."""
    fill(painter, area, faint(look.colours.ink, _HOVER), look.px(theme.MENU_ROW_RADIUS))


def draw_glyph(
    painter: QPainter,
    widget: QWidget,
    look: Look,
    name: str,
    colour: str,
    area: QRect,
    size: float = theme.GLYPH,
) -> None:
    """Draw an icon in the middle of an area of a widget, `size` pixels of the tokens wide."""
    side = look.px(size)
    left = area.left() + (area.width() - side) // 2
    top = area.top() + (area.height() - side) // 2
    painter.drawPixmap(left, top, pixmap(name, colour, side, widget.devicePixelRatioF()))
