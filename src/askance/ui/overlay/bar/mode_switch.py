"""What Enter asks, the web or the model alone: two halves that look like one switch."""

from __future__ import annotations

from enum import Enum

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QKeyEvent, QPaintEvent, QPen
from PySide6.QtWidgets import QRadioButton, QWidget

from askance.config.choices import AskMode
from askance.presentation.i18n import term, tr
from askance.ui.design import theme
from askance.ui.design.composing import Composite, Styled, row_of, style
from askance.ui.design.drawing import antialiased, faint, fill, write
from askance.ui.design.focus import wants_ring
from askance.ui.design.labels import set_tip
from askance.ui.design.theme import Look

_PAD = 9
_RADIUS = 6
_RING, _RING_INSET = 6, 4
# It is hit a little above and below what is seen of it.
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
    # Not “Library”, which is twice as wide in German: both halves have the width of the widest word.
    Quoted.PASSAGES: (term("Files"), term("Enter asks about these passages of the library")),
}
_FILES = (term("Files"), term("Enter asks these files"))
_WORDS = (*_NAMES.values(), *(name for name, _ in _INSTEAD.values()))
_OUT_OF_FOCUS = 0.06


class ModeSwitch(Composite):
    """What Enter asks, the web or the model alone: two radio buttons that look like one switch. Where nothing can be
    searched, or what is quoted is asked instead, it says so."""

    chosen = Signal(object)
    """The `AskMode` that the user put in front."""
    setup_requested = Signal()
    """The web was chosen, and no search is set up."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.wanted = AskMode.WEB
        """The mode that was chosen, also where nothing can be searched now."""
        self._lacks_search = ""
        self._quoted: Quoted | None = None
        self.has_files = False
        """Whether the second half asks files."""
        self.is_active = True
        """Whether the window has the keyboard: what is in front has the accent then."""
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
        return AskMode.CHAT if self._lacks_search else self.wanted

    def set_mode(self, mode: AskMode) -> None:
        """Put this in front, as soon as it can be."""
        self.wanted = mode
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

    def set_has_files(self, has_files: bool) -> None:
        """Say whether files are asked in the place of the model alone."""
        if has_files is not self.has_files:
            self.has_files = has_files
            self._show()

    def set_active(self, is_active: bool) -> None:
        """Say whether the window has the keyboard."""
        self.is_active = is_active
        self.update()

    @property
    def segment_width(self) -> int:
        """How wide each half is: as the widest word that may stand in one, so that nothing beside it moves."""
        metrics = next(iter(self.segments.values())).fontMetrics()
        widest = max(metrics.horizontalAdvance(tr(word)) for word in _WORDS)
        return widest + 2 * self.look.px(_PAD)

    def _choose(self, mode: AskMode) -> None:
        if mode is AskMode.WEB and self._lacks_search:
            self._show()  # Qt has checked it
            self.setup_requested.emit()
            return
        self.set_mode(mode)
        # With files it is chosen for them alone.
        if not self.has_files:
            self.chosen.emit(mode)

    def _show(self) -> None:
        self.setAccessibleName(tr("Mode"))
        for mode, segment in self.segments.items():
            is_front = mode is self.mode
            name, description = _NAMES[mode], (_FRONT if is_front else _BEHIND)[mode]
            if self.has_files and mode is AskMode.CHAT:
                name, description = _FILES[0], _FILES[1] if is_front else description
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
    """One word. What lacks something has a ring at its corner."""

    def __init__(self, look: Look, parent: ModeSwitch) -> None:
        super().__init__(look, parent)
        self._switch = parent
        self.lacks = False
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        wants_ring(self)
        style(self, look, font=theme.LABEL_TEXT, weight=QFont.Weight.Medium)

    def sizeHint(self) -> QSize:
        return QSize(self._switch.segment_width, self.look.px(theme.GLYPH_TARGET))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    # All of the segment is hit: a radio button of Qt's would take clicks on its circle and words
    # alone.
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

    def paintEvent(self, event: object) -> None:
        """Draw the word; behind the one in front the soft accent."""
        assert isinstance(event, QPaintEvent)
        look, c = self.look, self.look.colours
        is_away = not self._switch.is_active
        with antialiased(self) as painter:
            if self.isChecked():
                ground = faint(c.ink, _OUT_OF_FOCUS) if is_away else c.accent_soft
                around = look.px(_AROUND)
                place = self.rect().adjusted(0, around, 0, -around)
                fill(painter, place, ground, look.px(_RADIUS))
            if self.lacks:
                width, dot, inset = 1.4 * look.scale, look.px(_RING), look.px(_RING_INSET)
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(QPen(QColor(c.amber), width))
                painter.drawEllipse(QRectF(self.width() - inset - dot, inset, dot, dot))
            lit = self.underMouse()
            front = c.ink_2 if is_away else c.accent
            ink = front if self.isChecked() else c.ink if lit else c.ink_3
            middle = Qt.AlignmentFlag.AlignCenter
            write(painter, self.text(), self.rect(), self.font(), ink, where=middle)
