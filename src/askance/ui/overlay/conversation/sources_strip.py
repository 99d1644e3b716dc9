"""The sources of an exchange as one strip, from the first result on: tiles on a line, and all of them as rows below it."""

from __future__ import annotations

from PySide6.QtCore import QEasingCurve, QPoint, QRect, QSize, Qt, QVariantAnimation, Signal
from PySide6.QtGui import (
    QAccessible,
    QColor,
    QFont,
    QFontMetrics,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from askance.presentation.i18n import plural, tr
from askance.presentation.source_line import LineSource, SourceState
from askance.ui.design import theme
from askance.ui.design.composing import Composite, Styled, column_of
from askance.ui.design.drawing import antialiased, draw_box, faint, fill, write
from askance.ui.design.focus import PaintedButton
from askance.ui.design.glyphs import ActionButton
from askance.ui.design.labels import set_tip
from askance.ui.design.theme import Look

TILE, _TILE_RADIUS, _TILE_TEXT = 16, 4, 10
_BESIDE_TILE, _BETWEEN = 6, 16
# A long host ends in an ellipsis before it takes the room of two others.
_WIDEST_NAME = 200
_TITLE_SHARE = 0.6
# As wide as a window of 560 has it.
_NARROW = 528
# How much of the ink lies on the paper behind a letter.
_GROUND = 0.09


class SourceStrip(Composite):
    """Tiles on one line; those that have no room stand in the rows that its button unfolds, as all do."""

    link_activated = Signal(str)
    toggled = Signal()
    """The rows were folded or unfolded by hand."""
    is_unfolded_first = False
    """Whether a new strip begins unfolded: as the last one was left."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self._sources: tuple[LineSource, ...] = ()
        self.is_unfolded = SourceStrip.is_unfolded_first
        self._line = _Line(look, self)
        self.more = self._line.more
        self.more.clicked.connect(self._toggle)
        self._rows: list[SourceTile] = []
        # The line reaches over the edges of the text (`OutsideItem`), and its button with it.
        self._list = column_of(look, gap=0, margins=(theme.SPACE_S, 0, theme.SPACE_S, 0))
        self.setLayout(column_of(look, self._line, self._list, gap=0))

    def show_sources(self, sources: tuple[LineSource, ...]) -> None:
        """Show sources in this order. Those that stood elsewhere on the line move to their places."""
        if sources == self._sources:
            return
        self._sources = sources
        self._line.show_sources(sources)
        self._unfold()

    def _toggle(self) -> None:
        self.is_unfolded = SourceStrip.is_unfolded_first = not self.is_unfolded
        self._line.describe(self.is_unfolded)
        self._unfold()
        self.toggled.emit()

    def _unfold(self) -> None:
        shown = self._sources if self.is_unfolded else ()
        while len(self._rows) > len(shown):
            self._list.drop(self._rows.pop())
        while len(self._rows) < len(shown):
            row = SourceTile(self.look, is_row=True)
            row.link_activated.connect(self.link_activated)
            self._list.addWidget(row)
            self._rows.append(row)
        for row, source in zip(self._rows, shown, strict=True):
            row.show_source(source)


class _Line(Styled, QWidget):
    """The tiles side by side, as many as there is room for, and the button at the end."""

    accessible_role = QAccessible.Role.List

    def __init__(self, look: Look, strip: SourceStrip) -> None:
        super().__init__(look)
        self.tiles: list[SourceTile] = []
        self._sources: tuple[LineSource, ...] = ()
        self.more = ActionButton(look, opens_list=True, parent=self)
        self._strip = strip
        self._goals: dict[SourceTile, tuple[int, int]] = {}
        self._easing = QVariantAnimation(self)
        self._easing.setEasingCurve(QEasingCurve.Type.OutCubic)
        self._easing.setStartValue(0.0)
        self._easing.setEndValue(1.0)
        self._easing.valueChanged.connect(self._move)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("Sources"))

    def _restyle(self) -> None:
        self._place(moves=False)

    def show_sources(self, sources: tuple[LineSource, ...]) -> None:
        self._sources = sources
        self._place(moves=self.isVisible())

    def describe(self, is_unfolded: bool) -> None:
        """Say whether the rows are shown."""
        self.more.set_on(is_unfolded)
        shown = tr("All sources are shown below") if is_unfolded else tr("Shows all sources")
        set_tip(self.more, shown)

    def sizeHint(self) -> QSize:
        return QSize(self.look.px(240), self.look.px(theme.GLYPH_TARGET))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.look.px(theme.GLYPH_TARGET))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place(moves=False)

    def _place(self, *, moves: bool) -> None:
        """Show the tiles that have room; those that stood elsewhere move to their places if `moves`."""
        between = self.look.px(_BETWEEN)
        left, room = self.look.px(theme.SPACE_S), self.width() - self._room_of_more - between
        before = {tile.source.url: tile for tile in self.tiles if tile.source}
        self._goals = {}
        for source in self._sources:
            width = _tile_width(source, self.look)
            if self._goals and left + width > room:
                break
            tile = before.pop(source.url, None)
            start = left if tile is None else tile.x()
            tile = tile or self._new_tile()
            tile.show_source(source)
            tile.resize(min(width, max(room, 0)), self.height())
            self._goals[tile] = (start, left)
            left += width + between
        for tile in set(self.tiles) - set(self._goals):
            tile.hide()
            tile.deleteLater()
        if self.tiles != [*self._goals]:
            self.tiles = [*self._goals]
            for part in (*self.tiles, self.more):
                part.raise_()  # screen readers go by this order
        hidden = len(self._sources) - len(self.tiles)
        self.more.setText(self._words_of_more(hidden) if hidden else "")
        self.more.setAccessibleName(
            plural("{n} more source", "{n} more sources", hidden) if hidden else tr("All sources")
        )
        self.more.setVisible(bool(self.tiles))
        size = self.more.sizeHint()
        self.more.setGeometry(QRect(QPoint(self.width() - size.width(), 0), size))
        self.describe(self._strip.is_unfolded)
        self._easing.stop()
        duration = self.look.motion_ms
        if duration and moves and any(start != goal for start, goal in self._goals.values()):
            self._easing.setDuration(duration)
            self._easing.start()
        else:
            self._move(1.0)

    def _new_tile(self) -> SourceTile:
        tile = SourceTile(self.look)
        tile.setParent(self)
        tile.link_activated.connect(self._strip.link_activated)
        tile.show()
        return tile

    @property
    def _room_of_more(self) -> int:
        words = QFontMetrics(self.more.font()).horizontalAdvance(self._words_of_more(88))
        return words + self.look.px(27)

    def _words_of_more(self, hidden: int) -> str:
        # In a narrow window the number alone leaves room for one tile more.
        is_narrow = self.width() < self.look.px(_NARROW)
        return f"+{hidden}" if is_narrow else plural("{n} more", "{n} more", hidden)

    def _move(self, share: float) -> None:
        for tile, (start, goal) in self._goals.items():
            tile.move(round(start + (goal - start) * share), 0)


class SourceTile(PaintedButton):
    """One source: a tile with its number or letter, and where it is; as a row its title and day, too."""

    link_activated = Signal(str)
    accessible_role = QAccessible.Role.ListItem

    def __init__(self, look: Look, *, is_row: bool = False) -> None:
        super().__init__(look, theme.LABEL_TEXT)
        self.source: LineSource | None = None
        self._is_row = is_row
        if is_row:
            self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self._open)

    def show_source(self, source: LineSource) -> None:
        """Show a source."""
        if source == self.source:
            return
        self.source = source
        opens = bool(source.opens)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if opens else Qt.FocusPolicy.NoFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor if opens else Qt.CursorShape.ArrowCursor)
        self.setAccessibleName(source.spoken)
        # Without the fragment, which repeats the quoted words for the browser to find
        # (`#:~:text=`).
        address = source.opens.partition("#")[0]
        origins = source.row.origins if source.row else ""
        set_tip(self, "\n".join(filter(None, (source.title, address, origins))), is_ours=False)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Return the room of its tile and its name; as a row, its height."""
        height = theme.TARGET if self._is_row else theme.GLYPH_TARGET
        width = _tile_width(self.source, self.look) if self.source else 0
        return QSize(width, self.look.px(height))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the tile and the words."""
        if self.source is None:
            return
        with antialiased(self) as painter:
            source, px, c = self.source, self.look.px, self.look.colours
            side = px(TILE)
            tile = QRect(0, (self.height() - side) // 2, side, side)
            draw_tile(painter, source, tile, self.look)
            ink = c.ink_2 if source.state is SourceState.READ else c.ink_3
            lit = self.underMouse() and bool(source.opens)
            ink = c.accent if lit else ink
            room = self.rect().adjusted(px(TILE) + px(_BESIDE_TILE), 0, 0, 0)
            if self._is_row:
                self._draw_row(painter, source, room, c.accent if lit else c.ink)
            else:
                write(painter, source.name, room, self.font(), ink)

    def _draw_row(self, painter: QPainter, source: LineSource, room: QRect, ink: str) -> None:
        c, metrics = self.look.colours, QFontMetrics(self.font())
        row = source.row
        title = source.title or source.name
        noted = (row.date, row.badge, row.origins) if row else ()
        known = (source.name if source.title else "", *noted)
        failed = tr("could not be read") if source.state is SourceState.FAILED else ""
        about = " · ".join(filter(None, (*known, failed)))
        gap = self.look.px(theme.SPACE_S)
        # The host is what a person goes by: the title gives way first.
        beside = min(metrics.horizontalAdvance(about), round(room.width() * (1 - _TITLE_SHARE)))
        taken = min(metrics.horizontalAdvance(title) + 1, room.width() - beside - gap)
        write(painter, title, room.adjusted(0, 0, taken - room.width(), 0), self.font(), ink)
        write(painter, about, room.adjusted(taken + gap, 0, 0, 0), self.font(), c.ink_3)

    def _open(self) -> None:
        if self.source is not None and self.source.opens:
            self.link_activated.emit(self.source.opens)


def _tile_width(source: LineSource, look: Look) -> int:
    metrics = QFontMetrics(look.font(theme.LABEL_TEXT))
    # One more for the fraction of a pixel: a name that has just its own room ends in an ellipsis.
    words = min(metrics.horizontalAdvance(source.name) + 1, look.px(_WIDEST_NAME))
    return look.px(TILE) + look.px(_BESIDE_TILE) + words


def draw_tile(painter: QPainter, source: LineSource, tile: QRect, look: Look) -> None:
    """Draw the tile of a source: its number where it is cited, else a letter on a ground that says how far it is."""
    c, radius = look.colours, look.px(_TILE_RADIUS)
    size = _TILE_TEXT + 1 if source.n else _TILE_TEXT
    ink = c.accent if source.n else c.ink_2
    if source.n:
        # A number of three digits has a wider ground.
        fill(painter, tile, c.accent_soft, radius)
    elif source.state is SourceState.READ:
        fill(painter, tile, faint(c.ink, _GROUND), radius)
    else:
        edge = tile.toRectF().adjusted(0.5, 0.5, -0.5, -0.5)
        draw_box(painter, edge, c.paper, c.line_2, radius)
        ink = c.red if source.state is SourceState.FAILED else c.ink_3
    painter.setFont(look.font(size, QFont.Weight.DemiBold))
    painter.setPen(QColor(ink))
    painter.drawText(tile, Qt.AlignmentFlag.AlignCenter, source.sign)
