"""The keys of the window and its commands, on a card above it: typing filters them."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import QStyleOptionViewItem

from askance.app.commands import COMMANDS
from askance.presentation.i18n import tr
from askance.text.finding import holds
from askance.ui.design import theme
from askance.ui.design.composing import column_of, row_of
from askance.ui.design.drawing import draw_keys, keys_width, write
from askance.ui.design.focus import KEY_GROUPS, native_keys
from askance.ui.design.labels import StyledLabel, TextStyle
from askance.ui.design.lists import ROW, Index, RowList, RowPainter, Rows, SearchField
from askance.ui.design.popover import Popover
from askance.ui.design.theme import Look
from askance.ui.overlay.overlay import Overlay

_ROW, _HEADING, _PAD, _BETWEEN = 26, 30, 9, 14
_MOST_ROWS = 12
# Where the second column begins.
_SECOND = "Bring in"
_NARROW = 560
_ARROWS = (("Up", "↑"), ("Down", "↓"), ("Left", "←"), ("Right", "→"))


@dataclass(frozen=True, slots=True)
class KeysRow:
    """What a key or a command does; without either it is the heading of those below it."""

    title: str
    keys: tuple[str, ...] = ()
    command: str = ""

    @property
    def spoken(self) -> str:
        """The row as a screen reader says it."""
        return ", ".join((self.title, *self.keys))


def key_rows() -> list[KeysRow]:
    """Return all keys under their headings."""
    rows: list[KeysRow] = []
    for group, keys in KEY_GROUPS:
        rows.append(KeysRow(tr(group)))
        rows += [KeysRow(tr(does), tuple(map(native_keys, names))) for names, does in keys]
    return rows


def matching(text: str) -> list[KeysRow]:
    """Return the keys and commands that hold all the words typed, in any part of what they are called."""
    commands = [KeysRow(c.about, (f"/{c.name}",), f"/{c.name} ") for c in COMMANDS]
    rows = (*key_rows(), *commands)
    return [row for row in rows if row.keys and holds(row.spoken, text)]


def _drawn(key: str) -> str:
    """Return a key as it stands on a cap: arrows are signs, which a screen reader would pass over."""
    for name, sign in _ARROWS:
        if key.split("+")[-1] == native_keys(name):
            return key.removesuffix(native_keys(name)) + sign
    return key


class KeysPainter(RowPainter):
    """Draws what is done at the left and the keys at the right."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, _ROW)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:  # noqa: ARG002 - Qt's interface
        """Return the height of a row; a heading has room above."""
        row: KeysRow = index.data(ROW)
        return QSize(0, self.look.px(_ROW if row.keys else _HEADING))

    def draw(
        self, painter: QPainter, option: QStyleOptionViewItem, row: KeysRow, **_: bool
    ) -> None:
        """Write a row, or a heading. That it is chosen its ground alone says."""
        c, px = self.look.colours, self.look.px
        inside = option.rect.adjusted(px(_PAD), 0, -px(_PAD), 0)
        if not row.keys:
            bold = self.look.font(theme.LABEL_TEXT, QFont.Weight.DemiBold)
            write(painter, row.title, inside.adjusted(0, px(theme.SPACE_XS), 0, 0), bold, c.ink_3)
            return
        keys, font = [_drawn(key) for key in row.keys], self.look.font(theme.SMALL_TEXT)
        wanted = QFontMetrics(font).horizontalAdvance(row.title)
        # The first key is enough where all of them would cut off what they do.
        if wanted + keys_width(self.look, keys) > inside.width():
            keys = keys[:1]
        used = draw_keys(painter, self.look, keys, inside)
        write(painter, row.title, inside.adjusted(0, 0, -used, 0), font, c.ink)


class KeysCard(Popover):
    """Two columns of keys; what is typed leaves one of those keys and commands that hold it."""

    command_chosen = Signal(str)
    """A command that is to stand in the field."""

    def __init__(self, look: Look, overlay: Overlay) -> None:
        super().__init__(look, overlay, theme.WINDOW_WIDTH)
        self._overlay = overlay
        self.setAccessibleName(tr("Keys and commands"))
        self.search = SearchField(look, tr("Keys and commands"), self)
        self.search.textChanged.connect(self._show)
        self.setFocusProxy(self.search)
        self._rows = [Rows[KeysRow](), Rows[KeysRow]()]
        self.columns = [self._column(rows) for rows in self._rows]
        self.state = StyledLabel(look, TextStyle.HELP, parent=self, margins=(_PAD, 6, _PAD, 6))
        columns = row_of(look, *self.columns, gap=_BETWEEN)
        pads = (_BETWEEN, _BETWEEN, _BETWEEN, _BETWEEN)
        self.contents.addLayout(column_of(look, self.search, columns, self.state, margins=pads))

    def open_card(self) -> None:
        """Show all keys."""
        self.search.clear()
        self._show()
        self.open_below(self._overlay.ask_bar)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go through what was found, and take a command over."""
        found = self.columns[0]
        match event.key():
            case Qt.Key.Key_Down | Qt.Key.Key_Up as key if self.search.text():
                found.step(1 if key == Qt.Key.Key_Down else -1)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self._take(found.currentIndex())
            case _:
                super().keyPressEvent(event)

    def _column(self, rows: Rows[KeysRow]) -> RowList:
        column = RowList(rows, KeysPainter(self.look), self)
        column.setUniformItemSizes(False)
        column.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        column.setAccessibleName(tr("Keys and commands"))
        column.clicked.connect(self._take)
        return column

    def _show(self) -> None:
        text, everything = self.search.text().strip(), key_rows()
        second = everything.index(KeysRow(tr(_SECOND)))
        left, right = everything[:second], everything[second:]
        px = self.look.px
        if text:
            left, right = matching(text), []
        elif self._overlay.paper.width() < px(_NARROW):
            left, right = everything, []
        for number, rows in enumerate((left, right)):
            self._rows[number].show_rows(rows)
            self.columns[number].setVisible(bool(rows))
        most = self.screen().size().height() if right else px(_ROW * _MOST_ROWS)
        for column in self.columns:
            column.fit(most)
        high = max(column.height() for column in self.columns)
        for column in self.columns:
            column.setFixedHeight(high)
        self.state.show_text("" if left else tr("Nothing matches"))
        if text and left:
            self.columns[0].choose(0)
        self.refit()

    def _take(self, index: Index) -> None:
        row: KeysRow | None = index.data(ROW) if index.isValid() else None
        if row is not None and row.command:
            self.close()
            self.command_chosen.emit(row.command)
