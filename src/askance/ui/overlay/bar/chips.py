"""What a question is about, as chips over the field: attached files and pictures, and quoted texts.

One chip is one stop: Shift+Tab from the field comes to the last one, the arrows walk, Delete takes one away.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QContextMenuEvent,
    QFont,
    QFontMetrics,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPainterPath,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QWidget

from askance.app.attachments import fact_of
from askance.domain.attached_files import Attachment, AttachmentState
from askance.presentation.i18n import tr
from askance.ui.design import theme
from askance.ui.design.composing import Button, Composite, FlowLayout, Slot, column_of
from askance.ui.design.drawing import antialiased, draw_box, fill, write
from askance.ui.design.focus import PaintedButton
from askance.ui.design.glyphs import draw_glyph, fill_hover
from askance.ui.design.labels import set_tip
from askance.ui.design.theme import Look
from askance.ui.overlay.bar.ask_field import INSET
from askance.ui.overlay.conversation.field import Chip

_HEIGHT, _MOST_WIDTH, _RADIUS = 40, 330, 8
_LEFT, _GAP, _RIGHT, _GLYPH, _END, _END_GLYPH = 9, 9, 4, 18, 24, 13
_NAME_LINE, _FACT_LINE, _BAR = 16, 14, 2
_ABOVE = 14
THUMBNAIL = 26


class ChipAct(Enum):
    """What is wanted of a chip."""

    OPEN = "open"
    ANSWER = "answer"
    LIST = "list"
    REMOVE = "remove"
    MENU = "menu"


@dataclass(frozen=True, slots=True)
class ChipFace:
    """What a chip shows. `end` is the glyph of its button, and what that does; `fraction` of it is read."""

    name: str
    fact: str
    glyph: str
    ink: str = "ink_3"
    end: tuple[str, ChipAct] = ("cross", ChipAct.REMOVE)
    fraction: float = 0.0
    thumbnail: QImage | None = None
    about: str = ""
    opens: bool = True


def face_of(one: Attachment, thumbnail: QImage | None, problem: str = "") -> ChipFace:
    """Return how an attachment looks; `problem` is why a picture cannot be shown to the model."""
    glyph, ink, end = "folder" if one.is_folder else "file", "ink_3", ("cross", ChipAct.REMOVE)
    match one.state:
        case AttachmentState.FAILED:
            glyph, ink = "attention", "red"
        case AttachmentState.QUESTION | AttachmentState.TOO_MANY:
            glyph, ink, end = "attention", "amber", ("check", ChipAct.ANSWER)
        case _ if problem:
            ink = "amber"
        case _ if one.is_folder and one.state.is_settled:
            end = ("down", ChipAct.LIST)
        case _:
            pass
    fraction = one.page / one.pages if one.pages and not one.state.is_settled else 0.0
    shown = thumbnail if one.picture is not None else None
    glyph = "image" if one.picture is not None and shown is None else glyph
    name = ", ".join(filter(None, (one.name, fact_of(one)))) if problem else one.name
    return ChipFace(name, problem or fact_of(one), glyph, ink, end, fraction, shown)


def face_of_quote(chip: Chip) -> ChipFace:
    """Return how a quoted text looks."""
    name, _, words = chip.label.rpartition(", ")
    # A quoted text has no place where it could be opened.
    return ChipFace(name or words, words, "quote", about=chip.preview, opens=False)


class ChipButton(PaintedButton):
    """One chip: it opens what it stands for, and the button at its end removes it, or answers what it asks."""

    accessible_role = QAccessible.Role.ListItem
    wanted = Signal(object)
    """A `ChipAct`."""
    stepped = Signal(int)
    """An arrow to the chip before (-1) or behind (1)."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(look, theme.LABEL_TEXT)
        self.setParent(parent)
        self.face = ChipFace("", "", "file")
        self.menu_at = QPoint()

    def show_face(self, face: ChipFace) -> None:
        """Look like this from now on."""
        if face == self.face:
            return
        self.face = face
        self.setAccessibleName(", ".join(filter(None, (face.name, face.fact))))
        set_tip(self, face.about or "\n".join(filter(None, (face.name, face.fact))))
        self.setAccessibleDescription(face.about or tr("Delete removes it"))
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Return the room for the longer of its two lines, up to the most."""
        px = self.look.px
        name, fact = map(QFontMetrics, self._fonts)
        words = max(name.horizontalAdvance(self.face.name), fact.horizontalAdvance(self.face.fact))
        around = _LEFT + self._glyph_size + 2 * _GAP + _END + _RIGHT
        return QSize(min(px(_MOST_WIDTH), words + 2 + px(around)), px(_HEIGHT))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Do what the keys of a chip do."""
        keys = Qt.Key
        match event.key():
            case keys.Key_Left | keys.Key_Right:
                self.stepped.emit(-1 if event.key() == keys.Key_Left else 1)
            case keys.Key_Delete | keys.Key_Backspace if not event.isAutoRepeat():
                self.wanted.emit(ChipAct.REMOVE)
            case keys.Key_Return | keys.Key_Enter | keys.Key_Space if not event.isAutoRepeat():
                act = self.face.end[1]
                is_opened = self.face.opens and act is not ChipAct.ANSWER
                self.wanted.emit(ChipAct.OPEN if is_opened else act)
            case _:
                # What is typed stands in the field.
                event.ignore()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Press the button at the end, or open what the chip stands for."""
        self.setDown(False)
        at = event.position().toPoint()
        if event.button() == Qt.MouseButton.LeftButton and self.rect().contains(at):
            if self._end.contains(at):
                self.wanted.emit(self.face.end[1])
            elif self.face.opens:
                self.wanted.emit(ChipAct.OPEN)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Ask for the menu."""
        self.menu_at = event.globalPos()
        self.wanted.emit(ChipAct.MENU)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the box, the glyph or picture, the two lines, the button and how much is read."""
        face, c, px = self.face, self.look.colours, self.look.px
        loud = getattr(c, face.ink)
        with antialiased(self) as painter:
            edge = self.rect().toRectF().adjusted(0.5, 0.5, -0.5, -0.5)
            draw_box(painter, edge, c.raised, c.line_2, px(_RADIUS))
            if face.fraction:
                self._draw_progress(painter, face.fraction)
            side = px(self._glyph_size)
            glyph = QRect(px(_LEFT), (self.height() - side) // 2, side, side)
            if face.thumbnail is not None:
                _draw_rounded(painter, face.thumbnail, glyph, px(theme.SPACE_XS))
            else:
                draw_glyph(painter, self, self.look, face.glyph, loud, glyph, self._glyph_size)
            left = glyph.right() + 1 + px(_GAP)
            room = self._end.left() - px(_GAP) - left
            top = (self.height() - px(_NAME_LINE + _FACT_LINE)) // 2
            name, fact = self._fonts
            lines = ((face.name, name, c.ink, _NAME_LINE), (face.fact, fact, loud, _FACT_LINE))
            for text, font, ink, height in lines:
                area = QRect(left, top, room, px(height))
                write(painter, text, area, font, ink, elide=Qt.TextElideMode.ElideMiddle)
                top += px(height)
            end = self._end
            if self.underMouse() and end.contains(self.mapFromGlobal(self.cursor().pos())):
                fill_hover(painter, end, self.look)
            draw_glyph(painter, self, self.look, face.end[0], c.ink_3, end, _END_GLYPH)

    def _draw_progress(self, painter: QPainter, fraction: float) -> None:
        painter.save()
        inside = QPainterPath()
        inside.addRoundedRect(self.rect().toRectF(), self.look.px(_RADIUS), self.look.px(_RADIUS))
        painter.setClipPath(inside)
        height = self.look.px(_BAR)
        bar = QRect(0, self.height() - height, round(self.width() * fraction), height)
        fill(painter, bar, self.look.colours.accent, 0)
        painter.restore()

    @property
    def _glyph_size(self) -> int:
        return THUMBNAIL if self.face.thumbnail is not None else _GLYPH

    @property
    def _end(self) -> QRect:
        side = self.look.px(_END)
        right = self.width() - self.look.px(_RIGHT)
        return QRect(right - side, (self.height() - side) // 2, side, side)

    @property
    def _fonts(self) -> tuple[QFont, QFont]:
        medium = QFont.Weight.Medium
        return self.look.font(theme.LABEL_TEXT, medium), self.look.font(theme.KEY_TEXT)


def _draw_rounded(painter: QPainter, picture: QImage, area: QRect, radius: float) -> None:
    painter.save()
    inside = QPainterPath()
    inside.addRoundedRect(area.toRectF(), radius, radius)
    painter.setClipPath(inside)
    painter.drawImage(area, picture)
    painter.restore()


class ChipRow(Composite):
    """The chips, side by side and in as many lines as they need. Hidden while there is none."""

    accessible_role = QAccessible.Role.List
    changed = Signal()
    """A chip has come or gone."""
    left = Signal()
    """The keyboard has left the chips: the field should have it now."""
    attachment_wanted = Signal(int, object, object)
    """The number of an attachment, a `ChipAct`, and its `ChipButton`."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._quotes: dict[Chip, ChipButton] = {}
        self._attached: dict[int, ChipButton] = {}
        self._ways: tuple[Button, ...] = ()
        self.setAccessibleName(tr("Attached"))
        self._flow = FlowLayout(look)
        self._column = column_of(look, self._flow, gap=0)
        self.setLayout(self._column)
        self._restyle()
        self.hide()

    def _restyle(self) -> None:
        # In line with the field's text, before which there is room for its caret.
        self._column.setContentsMargins(INSET, self.look.px(_ABOVE), 0, 0)
        self._fit()

    @property
    def chips(self) -> tuple[Chip, ...]:
        """The quoted texts, in order."""
        return tuple(self._quotes)

    @property
    def buttons(self) -> tuple[ChipButton, ...]:
        """All chips, files before quoted texts."""
        return (*self._attached.values(), *self._quotes.values())

    def add(self, chip: Chip) -> None:
        """Put a quoted text behind the others. One that stands there already is not put there twice."""
        # A selection is offered again each time the window comes up.
        if chip.text in {shown.text for shown in self.chips}:
            return
        button = self._made(partial(self._act_on_quote, chip))
        button.show_face(face_of_quote(chip))
        self._quotes[chip] = button
        self._arrange()

    def show_attachments(
        self, attachments: Sequence[Attachment], thumbnails: Mapping[int, QImage], problem: str = ""
    ) -> None:
        """Show these files; `problem` is why a picture among them cannot be shown to the model."""
        before, numbers = self.buttons, {one.number for one in attachments}
        for number in [number for number in self._attached if number not in numbers]:
            self._drop(self._attached.pop(number))
        for one in attachments:
            if one.number not in self._attached:
                self._attached[one.number] = self._made(partial(self._pass_on, one.number))
            is_seen = one.picture is None or bool(one.documents)
            face = face_of(one, thumbnails.get(one.number), "" if is_seen else problem)
            self._attached[one.number].show_face(face)
        self._attached = dict(sorted(self._attached.items()))
        # Most of the time only more is known of them.
        if self.buttons == before:
            self._fit()
        else:
            self._arrange()

    def show_ways(self, *ways: tuple[str, Slot]) -> None:
        """Show buttons behind the chips, the first one filled; none without any."""
        if [button.text() for button in self._ways] == [text for text, _ in ways]:
            return
        for button in self._ways:
            self._drop(button)
        self._ways = tuple(Button(self.look, text, self, then) for text, then in ways)
        for button in self._ways:
            button.setProperty("primary", button is self._ways[0])
            button.show()
        self._arrange()

    def remove_last(self) -> None:
        """Take the last chip away, if there is one."""
        if self.buttons:
            self.buttons[-1].wanted.emit(ChipAct.REMOVE)

    def clear(self) -> None:
        """Take all quoted texts away."""
        for chip in self.chips:
            self._drop(self._quotes.pop(chip))
            self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Take as many lines as the chips need at this width."""
        super().resizeEvent(event)
        self._fit()

    def _made(self, act: Callable[[ChipAct], None]) -> ChipButton:
        button = ChipButton(self.look, self)
        button.wanted.connect(act)
        button.stepped.connect(partial(self._step, button))
        button.show()
        return button

    def _act_on_quote(self, chip: Chip, act: ChipAct) -> None:
        if act is not ChipAct.REMOVE:
            return
        self._leave(self._quotes[chip])
        self._drop(self._quotes.pop(chip))
        self._arrange()

    def _pass_on(self, number: int, act: ChipAct) -> None:
        button = self._attached[number]
        if act is ChipAct.REMOVE:
            self._leave(button)
        self.attachment_wanted.emit(number, act, button)

    def _leave(self, button: ChipButton) -> None:
        """Give the focus of a chip that goes to the one beside it, or to the field."""
        if button.hasFocus():
            self._step(button, 1 if button is not self.buttons[-1] else -1)
            if button.hasFocus():
                self.left.emit()

    def _step(self, button: ChipButton, by: int) -> None:
        buttons = self.buttons
        at = buttons.index(button) + by
        if 0 <= at < len(buttons):
            buttons[at].setFocus(Qt.FocusReason.TabFocusReason)

    def _drop(self, widget: QWidget) -> None:
        self._flow.removeWidget(widget)
        widget.hide()
        widget.deleteLater()

    def _arrange(self) -> None:
        for part in (*self.buttons, *self._ways):
            self._flow.removeWidget(part)
            self._flow.addWidget(part)
        for button in self.buttons:
            # One stop for Tab; the arrows go on from there.
            is_last = button is self.buttons[-1]
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus if is_last else Qt.FocusPolicy.ClickFocus)
        self.setVisible(bool(self.buttons))
        self._fit()
        self.changed.emit()

    def _fit(self) -> None:
        # Qt asks no widget in a column for its height at a width.
        height = self._flow.heightForWidth(self.width() - INSET)
        self.setFixedHeight(height + self.look.px(_ABOVE))
