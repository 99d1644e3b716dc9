"""What windows draw by hand: a text that ends in an ellipsis, words that are marked, panels, hairlines, and icons of
one set, on a grid of 24 in any colour and sharp on every screen.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import accumulate
from math import floor

from PySide6.QtCore import QByteArray, QLineF, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QIcon,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QTextCharFormat,
    QTextLayout,
    QTextLine,
)
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QWidget

from askance.system.desktop_entry import APP_ID, shipped_icon
from askance.ui.design import theme
from askance.ui.design.composing import Styled
from askance.ui.design.theme import Look

Marks = Sequence[tuple[int, int]]
LEFT = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft


def antialiased(widget: QWidget) -> QPainter:
    """Return a painter on a widget, which draws without steps. Use it as a context."""
    # With `with` it ends also where an error or a debugger keeps the function's frame: a painter that is left
    # active when the widget is shown crashes Qt.
    painter = QPainter(widget)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    return painter


def write(
    painter: QPainter,
    text: str,
    area: QRect | QRectF,
    font: QFont,
    colour: str,
    *,
    where: Qt.AlignmentFlag = LEFT,
    elide: Qt.TextElideMode = Qt.TextElideMode.ElideRight,
) -> None:
    """Write one line into an area; what has no room ends in an ellipsis, or has one in its middle."""
    painter.setFont(font)
    painter.setPen(QColor(colour))
    painter.drawText(area, where, QFontMetrics(font).elidedText(text, elide, int(area.width())))


def draw_marked(
    painter: QPainter, look: Look, text: str, marks: Marks, area: QRect, rows: int = 1
) -> None:
    """Draw text in an area, on so many rows at most; what has no room ends in an ellipsis.

    The marked words stand on the accent's soft colour. `marks` are their `(start, end)` in the text.
    """
    font = look.font(theme.LABEL_TEXT)
    metrics = QFontMetrics(font)
    high = area.height() // rows
    painter.setPen(QColor(look.colours.ink_2))
    painter.setClipRect(area)
    start = 0
    for row in range(rows):
        rest = text[start:]
        shown = metrics.elidedText(rest, Qt.TextElideMode.ElideRight, area.width())
        if row < rows - 1 and shown != rest:
            # Only the last row ends in an ellipsis: those above end where a line would break.
            shown = rest[: _first_line(rest, font, area.width())]
        layout = QTextLayout(shown.rstrip(), font)
        here = [(max(a - start, 0), min(b - start, len(rest))) for a, b in marks if b > start]
        layout.setFormats([_bold(a, b, look) for a, b in in_utf16(rest, here)])
        # The row was cut by the width of plain words. Marked ones are bolder, and must not break
        # it.
        _lay_out(layout, area.width() * 2)
        layout.draw(painter, area.topLeft().toPointF())
        area = area.translated(0, high)
        start += len(shown)
        if start >= len(text):
            break
    painter.setClipping(False)


_KEY_HEIGHT, _KEY_PAD, _KEY_GAP, _KEY_RADIUS = 18, 5, 6, 4


def keys_width(look: Look, keys: Sequence[str]) -> int:
    """Return how much room names of keys take on their caps."""
    metrics, px = QFontMetrics(look.font(theme.KEY_TEXT)), look.px
    return sum(metrics.horizontalAdvance(key) + 2 * px(_KEY_PAD) + px(_KEY_GAP) for key in keys)


def draw_keys(painter: QPainter, look: Look, keys: Sequence[str], area: QRect) -> int:
    """Draw names of keys on their caps at the right of an area; return how much of its width they take."""
    px, metrics = look.px, QFontMetrics(look.font(theme.KEY_TEXT))
    right = area.right()
    for key in reversed(keys):
        width = metrics.horizontalAdvance(key) + 2 * px(_KEY_PAD)
        top = area.top() + (area.height() - px(_KEY_HEIGHT)) // 2
        cap = QRect(right - width, top, width, px(_KEY_HEIGHT))
        draw_cap(painter, look, key, cap)
        right = cap.left() - px(_KEY_GAP)
    return area.right() - right


def draw_cap(painter: QPainter, look: Look, key: str, cap: QRect) -> None:
    """Draw the name of a key on its cap."""
    c, font = look.colours, look.font(theme.KEY_TEXT)
    edge = cap.toRectF().adjusted(0.5, 0.5, -0.5, -0.5)
    draw_box(painter, edge, c.raised, c.line_2, look.px(_KEY_RADIUS))
    write(painter, key, cap, font, c.ink_3, where=Qt.AlignmentFlag.AlignCenter)


def in_utf16(text: str, places: Marks) -> Marks:
    """Return places as Qt counts them: what lies beyond the basic plane, as an emoji does, takes two."""
    if max(text, default="") <= "\uffff":
        return places
    before = [0, *accumulate(1 + (character > "\uffff") for character in text)]
    return tuple((before[start], before[end]) for start, end in places)


def draw_found(
    painter: QPainter, text: str, marks: Marks, area: QRect, font: QFont, colour: str
) -> None:
    """Write one line whose marked letters are semibold; what has no room ends in an ellipsis."""
    shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, area.width())
    layout = QTextLayout(shown, font)
    layout.setFormats([_bold(start, end) for start, end in in_utf16(text, marks)])
    # Semibold letters are wider: the line was cut by plain ones, and must not break.
    line = _lay_out(layout, area.width() * 2)
    painter.setPen(QColor(colour))
    top = area.top() + (area.height() - line.height()) / 2
    layout.draw(painter, QPointF(area.left(), top))


def faint(colour: str, strength: float) -> QColor:
    """Return a colour that covers what lies below by this share."""
    made = QColor(colour)
    made.setAlphaF(strength)
    return made


def fill(painter: QPainter, area: QRect | QRectF, colour: str | QColor, radius: float) -> None:
    """Fill an area with round corners, without an edge."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colour))
    painter.drawRoundedRect(area, radius, radius)


def draw_box(
    painter: QPainter,
    area: QRect | QRectF,
    ground: str,
    edge: str,
    radius: float,
    *,
    edge_width: float = 1,
) -> None:
    """Fill an area with round corners, and draw its edge."""
    painter.setPen(QPen(QColor(edge), edge_width))
    painter.setBrush(QColor(ground))
    painter.drawRoundedRect(area, radius, radius)


def draw_panel(painter: QPainter, room: QRect, look: Look) -> None:
    """Draw a raised panel with a hairline around it."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    c, radius = look.colours, look.px(theme.PANEL_RADIUS)
    draw_box(painter, room.toRectF().adjusted(0.5, 0.5, -0.5, -0.5), c.raised, c.line, radius)


def draw_hairline(painter: QPainter, colour: str, width: int, top: int = 0) -> None:
    """Draw a hairline over so many logical pixels. `top` is the first pixel that it covers."""
    pen = QPen(QColor(colour), max(1, floor(painter.device().devicePixelRatioF())))
    # In pixels of the screen: where a logical pixel is one and a half, lines would differ.
    pen.setCosmetic(True)
    painter.setPen(pen)
    painter.drawLine(QLineF(0, top + 0.5, width, top + 0.5))


def _first_line(text: str, font: QFont, width: int) -> int:
    """Return how many characters of a text stand on its first line."""
    # Held here, since a line is a view into its layout.
    layout = QTextLayout(text, font)
    return _lay_out(layout, width).textLength()


def _lay_out(layout: QTextLayout, width: int) -> QTextLine:
    """Lay out the first line, and return it; it is gone with its layout."""
    layout.beginLayout()
    line: QTextLine = layout.createLine()
    line.setLineWidth(width)
    layout.endLayout()
    return line


def _bold(start: int, end: int, look: Look | None = None) -> QTextLayout.FormatRange:
    """Return what makes letters semibold; with a look they stand on the accent's soft colour, too."""
    marked, words = QTextLayout.FormatRange(), QTextCharFormat()
    words.setFontWeight(QFont.Weight.DemiBold)
    if look is not None:
        words.setBackground(QColor(look.colours.accent_soft))
        words.setForeground(QColor(look.colours.accent))
    marked.start, marked.length, marked.format = start, end - start, words
    return marked


# By the package and not by a path, so that it is found in an archive, too.
_FOLDER = files("askance.ui.design").joinpath("icons")


# Painters ask for the same picture at each paint: its file is read and parsed once.
@lru_cache(maxsize=256)
def pixmap(name: str, colour: str, size: int, ratio: float = 1.0) -> QPixmap:
    """Return an icon as a picture of `size` logical pixels for a screen of that pixel ratio.

    Raises:
        FileNotFoundError: there is no icon of that name.
    """
    # `currentColor` is that of the text around; a picture alone has none, and Qt draws it black.
    source = _FOLDER.joinpath(f"{name}.svg").read_text(encoding="utf-8")
    renderer = QSvgRenderer(QByteArray(source.replace("currentColor", colour).encode()))
    picture = QPixmap(round(size * ratio), round(size * ratio))
    picture.fill(Qt.GlobalColor.transparent)
    picture.setDevicePixelRatio(ratio)
    painter = QPainter(picture)
    renderer.render(painter, QRectF(0, 0, size, size))
    painter.end()
    return picture


def icon(name: str, colour: str, size: int = 24) -> QIcon:
    """Return an icon that is sharp on screens of one, two and three pixels to a logical one."""
    made = QIcon()
    for ratio in (1.0, 2.0, 3.0):
        made.addPixmap(pixmap(name, colour, size, ratio))
    return made


def program_icon() -> QIcon:
    """Return the icon of the program's windows: by the name that its desktop entry has, else from its file."""
    # Of an icon without a name Qt hands Wayland the pixels, and gives those that let others shine through
    # wrong colours (seen with 6.11). This one has them at its corners alone.
    return QIcon.fromTheme(APP_ID, QIcon(str(shipped_icon())))


class IconLabel(Styled, QWidget):
    """A picture beside a text, `size` pixels of the tokens wide and high; empty without a name.

    It is nothing to the pointer, the keyboard or a screen reader.
    """

    def __init__(
        self, look: Look, size: float, name: str = "", ink: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(look, parent)
        self._size, self._name, self._ink = size, name, ink
        self._restyle()

    def set_icon(self, name: str, ink: str) -> None:
        """Show another icon, in this colour of the palette.

        Raises:
            FileNotFoundError: there is no icon of that name.
        """
        self._name, self._ink = name, ink
        self._restyle()
        self.update()

    def _restyle(self) -> None:
        size = self.look.px(self._size)
        self.setFixedSize(size, size)
        if self._name:
            self._icon = icon(self._name, getattr(self.look.colours, self._ink), size)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the icon for the screen that it is on."""
        if self._name:
            with QPainter(self) as painter:
                self._icon.paint(painter, self.rect())
