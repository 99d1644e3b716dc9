"""What Enter asks: the web or the model alone, as two words of which one is in front.

Where what is quoted is asked instead, the word in front says so.
"""

from __future__ import annotations

from enum import Enum

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QRadioButton, QWidget

from askance.config.choices import AskMode
from askance.presentation.i18n import term, tr
from askance.ui.design import tokens
from askance.ui.design.composing import Composite, row_of
from askance.ui.design.drawing import fill
from askance.ui.design.focus import wants_ring
from askance.ui.design.labels import set_tip
from askance.ui.design.styling import Styled, style
from askance.ui.design.theme import Look

_HEIGHT = 24
_PAD = 8
_RADIUS = 5
# It is hit a little above and below what is seen of it, as the key beside it is.
_AROUND = 2
_NAMES = {AskMode.WEB: term("Web"), AskMode.CHAT: term("Chat")}
_FRONT = {
    AskMode.WEB: term("Enter searches the web"),
    AskMode.CHAT: term("Enter asks the model alone"),
}
_BEHIND = {
    AskMode.WEB: term("Ctrl+Enter searches the web"),
    AskMode.CHAT: term("Ctrl+Enter asks the model alone"),
}


class Quoted(Enum):
    """What a question is answered from in the place of the web, because it was quoted."""

    TEXT = "text"
    PASSAGES = "passages"


_INSTEAD = {
    Quoted.TEXT: (term("Text"), term("Enter asks the model about the text, without a search")),
    Quoted.PASSAGES: (term("Library"), term("Enter asks about these passages of the library")),
}


class ModeSwitch(Composite):
    """Two radio buttons that look like one switch. Where nothing can be searched, it says so."""

    chosen = Signal(object)
    """The `AskMode` that the user put in front."""
    setup_requested = Signal()
    """The web was chosen, and no search is set up."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._wanted = AskMode.WEB
        self._lacks_search = ""
        self._quoted: Quoted | None = None
        self.segments = {mode: _Segment(look, self) for mode in AskMode}
        for mode, segment in self.segments.items():
            segment.clicked.connect(lambda _=False, mode=mode: self._choose(mode))
        self.setLayout(row_of(look, *self.segments.values(), gap=0))
        self._restyle()

    def _restyle(self) -> None:
        self._show()

    @property
    def mode(self) -> AskMode:
        """What is in front: the model alone where nothing can be searched."""
        return AskMode.CHAT if self._lacks_search else self._wanted

    def set_mode(self, mode: AskMode) -> None:
        """Put this in front, as soon as it can be."""
        self._wanted = mode
        self._show()

    def set_search_missing(self, why: str) -> None:
        """Say why nothing can be searched; nothing, if it can."""
        self._lacks_search = why
        self._show()

    def set_quoted(self, quoted: Quoted | None) -> None:
        """Say what the question that stands in the field is answered from in the place of the web."""
        if quoted is not self._quoted:
            self._quoted = quoted
            self._show()

    def _choose(self, mode: AskMode) -> None:
        if mode is AskMode.WEB and self._lacks_search:
            self._show()  # Qt has checked it
            self.setup_requested.emit()
            return
        self.set_mode(mode)
        self.chosen.emit(mode)

    def _show(self) -> None:
        self.setAccessibleName(tr("What Enter asks"))
        for mode, segment in self.segments.items():
            is_front = mode is self.mode
            name, description = _NAMES[mode], (_FRONT if is_front else _BEHIND)[mode]
            if is_front and self._quoted is not None:
                name, description = _INSTEAD[self._quoted]
            name, description = tr(name), tr(description)
            segment.setText(name)
            segment.setChecked(is_front)
            segment.lacks = bool(self._lacks_search) and mode is AskMode.WEB
            if segment.lacks:
                description = f"{self._lacks_search} {tr('A click sets it up.')}"
            segment.setAccessibleName(name)
            set_tip(segment, description)
            # One stop for Tab, as radio buttons have; the arrows go on from there. The field keeps
            # the focus at a click.
            policy = Qt.FocusPolicy.TabFocus if is_front else Qt.FocusPolicy.NoFocus
            segment.setFocusPolicy(policy)
            segment.updateGeometry()
            segment.update()


class _Segment(Styled, QRadioButton):
    """One word. What lacks something has a ring before it, as the lights at the foot have."""

    def __init__(self, look: Look, parent: ModeSwitch) -> None:
        super().__init__(parent)
        self._switch = parent
        self.lacks = False
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        wants_ring(self)
        self.look = look
        style(self, look, font=tokens.LABEL_TEXT, weight=QFont.Weight.Medium, height=_HEIGHT)

    def sizeHint(self) -> QSize:
        words = self.fontMetrics().horizontalAdvance(self.text())
        ring = self._ring_room if self.lacks else 0
        return QSize(words + ring + 2 * self.look.px(_PAD), self.look.px(_HEIGHT))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def hitButton(self, at: object) -> bool:  # noqa: ARG002 - Qt's interface
        return True

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let the arrows, Space and Enter choose the other one, and the focus go with it."""
        keys = Qt.Key
        if event.key() in (
            *(keys.Key_Left, keys.Key_Right, keys.Key_Up, keys.Key_Down),
            *(keys.Key_Space, keys.Key_Return, keys.Key_Enter),
        ):
            other = self._switch.segments[self._switch.mode.other]
            other.click()
            self._switch.segments[self._switch.mode].setFocus(Qt.FocusReason.TabFocusReason)
        else:
            event.ignore()  # what is typed stands in the field

    @property
    def _ring_room(self) -> int:
        return self.look.px(7 + 5)

    def paintEvent(self, event: object) -> None:
        """Draw the word; behind the one in front the soft accent."""
        assert isinstance(event, QPaintEvent)
        look, colours = self.look, self.look.colours
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.isChecked():
            around = look.px(_AROUND)
            ground = self.rect().adjusted(0, around, 0, -around)
            fill(painter, ground, colours.accent_soft, look.px(_RADIUS))
        room = self.rect().adjusted(look.px(_PAD), 0, -look.px(_PAD), 0)
        if self.lacks:
            width = 1.6 * look.scale
            dot = look.px(7)
            ring = QRectF(room.left(), (self.height() - dot) / 2, dot, dot)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(QColor(colours.amber), width))
            painter.drawEllipse(ring.adjusted(width / 2, width / 2, -width / 2, -width / 2))
            room.adjust(self._ring_room, 0, 0, 0)
        lit = self.underMouse()
        ink = colours.accent if self.isChecked() else colours.ink if lit else colours.ink_3
        painter.setPen(QColor(ink))
        painter.setFont(self.font())
        painter.drawText(room, Qt.AlignmentFlag.AlignCenter, self.text())
        painter.end()
