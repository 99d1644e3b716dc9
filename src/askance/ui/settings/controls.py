"""The plain controls of a row: a field, a choice, a switch. Each speaks text, as the file does."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QPainter, QPaintEvent, QPen, QShowEvent, QWheelEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLayout, QWidget

from askance.presentation.i18n import decimal_mark, tr
from askance.ui.design import tokens
from askance.ui.design.composing import Box, Composite, LineField, column_of
from askance.ui.design.icons import pixmap
from askance.ui.design.styling import Styled, style
from askance.ui.design.theme import Look

_NUMBER_WIDTH = 70
_TEXT_WIDTH = 150
_CHOICE_WIDTH = 150
_SWITCH = (34, 20)
# It stands beside fields, which are higher.
_ABOVE = 5
_CHEVRON = 14


class Control(Composite):
    """What changes one setting."""

    edited = Signal(str)
    """Another value, as a person would type it."""
    is_wide = False
    """Whether it wants the whole width, below its label."""
    is_group = False
    """Whether it has several parts, each with a name of its own."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._main: QWidget = self
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(0, 0, 0, 0)

    def stack(self, *parts: QWidget | QLayout) -> Box:
        """Fill it with parts below one another."""
        made = column_of(self.look, *parts)
        self.row.addLayout(made)
        return made

    @property
    def main(self) -> QWidget:
        """The part that takes the focus, and is named for screen readers."""
        return self._main

    def call(self, label: str, about: str) -> None:
        """Say to screen readers what it is, and what is to be known of it."""
        named = self if self.is_group else self.main
        named.setAccessibleName(label)
        named.setAccessibleDescription(about)

    def show_value(self, text: str) -> None:
        """Show the value in force."""

    def commit(self) -> None:
        """Hand over what was typed and not handed over yet."""

    def refresh(self) -> None:
        """Ask anew for what it shows beside the value."""

    def showEvent(self, event: QShowEvent) -> None:
        """Ask when the page comes up."""
        super().showEvent(event)
        self.refresh()


class LineControl(Control):
    """One line of text, handed over when it is left or Enter is pressed. Escape takes it back.

    A narrow one takes numbers, which are written as the language writes them.
    """

    def __init__(self, look: Look, *, narrow: bool) -> None:
        super().__init__(look)
        self._narrow = narrow
        self._shown = ""
        self.field = _Line(look, parent=self, size=tokens.BODY_TEXT - 1)
        self.field.editingFinished.connect(self.commit)
        self.field.escaped.connect(lambda: self.field.setText(self._shown))
        self.row.addWidget(self.field, 0 if narrow else 1)
        if narrow:
            style(self.field, look, width=_NUMBER_WIDTH)
            self.row.addStretch(1)
        else:
            style(self.field, look, min_width=_TEXT_WIDTH)
        self._main = self.field

    def show_value(self, text: str) -> None:
        """Show the value in force, unless another is being typed."""
        self._shown = text.replace(".", decimal_mark()) if self._narrow else text
        if not (self.field.hasFocus() and self.field.isModified()):
            self.field.setText(self._shown)
            self.field.setCursorPosition(0)

    def commit(self) -> None:
        """Hand over what was typed, once."""
        typed = self.field.text().strip()
        if self.field.isModified():
            self.field.setModified(False)
            self.edited.emit(typed.replace(decimal_mark(), ".") if self._narrow else typed)


class SecretControl(LineControl):
    """A word that is never shown: neither what is set, nor what is typed. Emptied, it is taken away."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, narrow=False)
        self.field.setEchoMode(LineField.EchoMode.Password)

    def show_value(self, text: str) -> None:
        """Show whether there is one."""
        self.field.setPlaceholderText(tr("Is set") if text else tr("Not set"))
        super().show_value("")


class ChoiceControl(Control):
    """One of several values. A value of the file that is none of them is shown as it stands."""

    def __init__(
        self,
        look: Look,
        options: Sequence[tuple[str, str]],
        parent: QWidget | None = None,
        *,
        width: float = _CHOICE_WIDTH,
    ) -> None:
        super().__init__(look, parent)
        self.box = _Box(look, width, self)
        for value, label in options:
            self.box.addItem(tr(label), value)
        self.box.activated.connect(self._choose)
        self.row.addWidget(self.box)
        self.row.addStretch(1)
        self._main = self.box

    def show_value(self, text: str) -> None:
        """Show the value in force."""
        if self.box.findData(text) < 0:
            self.box.addItem(text, text)
        self.box.setCurrentIndex(self.box.findData(text))

    def _choose(self, index: int) -> None:
        self.edited.emit(str(self.box.itemData(index)))


class SwitchControl(Control):
    """On or off."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.switch = Switch(look, self)
        self.switch.clicked.connect(self._turn)
        self.row.addWidget(self.switch)
        self.row.addStretch(1)
        self._main = self.switch

    def show_value(self, text: str) -> None:
        """Show the value in force."""
        self.switch.setChecked(text == "true")

    def _turn(self, on: bool) -> None:
        self.edited.emit("true" if on else "false")


class Switch(Styled, QCheckBox):
    """A check box that looks like a switch; where its knob lies and a tick both say that it is on."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.look = look
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def sizeHint(self) -> QSize:
        """Return the room of the switch."""
        width, height = _SWITCH
        return QSize(self.look.px(width), self.look.px(height) + 2 * _ABOVE)

    def hitButton(self, pos: QPoint) -> bool:
        """Take a click anywhere on it."""
        return self.rect().contains(pos)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the track, the knob and the focus."""
        c, px = self.look.colours, self.look.px
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        on, focused = self.isChecked(), self.hasFocus()
        width = 2.0 if focused else 1.0
        track = QRectF(0, (self.height() - px(_SWITCH[1])) / 2, px(_SWITCH[0]), px(_SWITCH[1]))
        track.adjust(width / 2, width / 2, -width / 2, -width / 2)
        painter.setOpacity(1.0 if self.isEnabled() else 0.5)
        edge = (c.ink if on else c.accent) if focused else (c.accent if on else c.ink_3)
        painter.setPen(QPen(QColor(edge), width))
        painter.setBrush(QColor(c.accent if on else c.raised))
        painter.drawRoundedRect(track, track.height() / 2, track.height() / 2)
        size = track.height() - 6
        left = track.right() - size - 3 if on else track.left() + 3
        knob = QRectF(left, track.top() + 3, size, size)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(c.paper if on else c.ink_3))
        painter.drawEllipse(knob)
        if on:
            tick = round(size) - 1
            picture = pixmap("check", c.accent, tick, self.devicePixelRatioF())
            painter.drawPixmap(knob.center() - QRectF(0, 0, tick, tick).center(), picture)
        painter.end()


class _Line(LineField):
    escaped = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take back what was typed at Escape; leave it to the window where nothing was."""
        if event.key() == Qt.Key.Key_Escape and self.isModified():
            self.escaped.emit()
            self.setModified(False)
            return
        super().keyPressEvent(event)


class _Box(Styled, QComboBox):
    """A choice that the wheel passes by: a page that is scrolled must not change a setting."""

    def __init__(self, look: Look, width: float, parent: QWidget) -> None:
        super().__init__(parent)
        self.look = look
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        style(self, look, font=tokens.BODY_TEXT - 1, min_width=width)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to the page."""
        event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the box, and the sign that it opens."""
        super().paintEvent(event)
        size = self.look.px(_CHEVRON)
        painter = QPainter(self)
        picture = pixmap("unfolded", self.look.colours.ink_2, size, self.devicePixelRatioF())
        left = self.width() - size - self.look.px(tokens.SPACE_S)
        painter.drawPixmap(left, (self.height() - size) // 2, picture)
        painter.end()
