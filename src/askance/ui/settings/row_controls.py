"""The controls of a row: a field, a choice, a switch, each of which speaks text, as the file does; and those that do
more than hold a value, or hold none: the hotkey, the consent, the keys, the installation.
"""

from __future__ import annotations

import platform
from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal, qVersion
from PySide6.QtGui import QColor, QKeyEvent, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QCheckBox, QGridLayout, QHBoxLayout, QLayout, QWidget

from askance import __version__
from askance.app.checks.first_steps import explanation
from askance.config.choices import Consent
from askance.config.folders import Folders
from askance.domain.errors import SettingsError
from askance.presentation.i18n import decimal_mark, tr, translated
from askance.ui.design import theme
from askance.ui.design.composing import Box, Button, Composite, LineField, Styled, column_of, style
from askance.ui.design.controls import HotkeyField
from askance.ui.design.drawing import antialiased, draw_box, pixmap, write
from askance.ui.design.focus import announce, wants_ring
from askance.ui.design.labels import StyledLabel, TextStyle
from askance.ui.design.lists import Combo
from askance.ui.design.theme import Look
from askance.ui.settings.source import SettingsSource

_NUMBER_WIDTH = 70
_SWITCH = (34, 20)
# It stands beside fields, which are higher.
_ABOVE = 5


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
        self.main: QWidget = self
        """The part that takes the focus, and is named for screen readers."""
        self.row = QHBoxLayout(self)
        self.row.setContentsMargins(0, 0, 0, 0)

    def stack(self, *parts: QWidget | QLayout, gap: float = theme.SPACE_S) -> Box:
        """Fill it with parts below one another."""
        made = column_of(self.look, *parts, gap=gap)
        self.row.addLayout(made)
        return made

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
        self.field = LineField(look, parent=self)
        self.field.editingFinished.connect(self.commit)
        self.row.addWidget(self.field, 0 if narrow else 1)
        style(self.field, look, height=theme.CONTROL_HEIGHT)
        if narrow:
            style(self.field, look, width=_NUMBER_WIDTH)
            self.row.addStretch(1)
        self.main = self.field

    def show_value(self, text: str) -> None:
        """Show the value in force, unless another is being typed."""
        self._shown = text.replace(".", decimal_mark()) if self._narrow else text
        # Qt counts as modified what a person has typed, and not what is set.
        if not (self.field.hasFocus() and self.field.isModified()):
            self.field.setText(self._shown)
            self.field.setCursorPosition(0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take back what was typed at Escape; leave it to the window where nothing was."""
        # A field leaves the key to what is around it.
        if event.key() == Qt.Key.Key_Escape and self.field.isModified():
            self.field.setText(self._shown)
        else:
            super().keyPressEvent(event)

    def commit(self) -> None:
        """Hand over what was typed, once."""
        typed = self.field.text().strip()
        if self.field.isModified():
            self.field.setModified(False)
            # The file has points whatever the language is.
            self.edited.emit(typed.replace(decimal_mark(), ".") if self._narrow else typed)


class SecretControl(LineControl):
    """A word that is never shown: neither what is set, nor what is typed. Emptied, it is taken away."""

    def __init__(self, look: Look) -> None:
        super().__init__(look, narrow=False)
        self.field.setEchoMode(LineField.EchoMode.Password)

    def show_value(self, text: str) -> None:
        """Show whether there is one."""
        self.field.setPlaceholderText(tr("Is set") if text else tr("Not set"))
        # Not even its length is shown.
        super().show_value("")


class ChoiceControl(Control):
    """One of several values. A value of the file that is none of them is shown as it stands."""

    def __init__(self, look: Look, options: Sequence[tuple[str, ...]]) -> None:
        super().__init__(look)
        self.box = Combo(look, self)
        for value, label, *below in options:
            self.box.add_option(tr(label), value, *map(tr, below))
        # By a person: `currentIndexChanged` also tells of what `show_value` sets.
        self.box.activated.connect(lambda: self.edited.emit(self.box.currentData()))
        self.row.addWidget(self.box)
        self.main = self.box

    def show_value(self, text: str) -> None:
        """Show the value in force."""
        # A file may have what the window does not offer, such as another text size.
        if self.box.findData(text) < 0:
            self.box.add_option(text, text)
        self.box.setCurrentIndex(self.box.findData(text))


class SwitchControl(Control):
    """On or off."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.switch = Switch(look, self)
        # By a person: `toggled` also tells of what `show_value` sets.
        self.switch.clicked.connect(self._turn)
        self.row.addWidget(self.switch)
        self.row.addStretch(1)
        self.main = self.switch

    def show_value(self, text: str) -> None:
        """Show the value in force."""
        self.switch.setChecked(text == "true")

    def _turn(self, on: bool) -> None:
        self.edited.emit("true" if on else "false")


class Switch(Styled, QCheckBox):
    """A check box that looks like a switch; where its knob lies and a tick both say that it is on.

    Its words stand beside it, if it has any.
    """

    def __init__(self, look: Look, parent: QWidget | None = None, text: str = "") -> None:
        super().__init__(look, text, parent)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        style(self, look, font=theme.SMALL_TEXT)

    def sizeHint(self) -> QSize:
        """Return the room of the switch and its words."""
        width, height = map(self.look.px, _SWITCH)
        words = self.fontMetrics().horizontalAdvance(self.text())
        gap = self.look.px(theme.SPACE_S) if words else 0
        return QSize(width + gap + words, height + 2 * _ABOVE)

    def hitButton(self, pos: QPoint) -> bool:
        """Take a click anywhere on it."""
        return self.rect().contains(pos)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the track, the knob and the focus."""
        c, px = self.look.colours, self.look.px
        with antialiased(self) as painter:
            on, focused = self.isChecked(), self.hasFocus()
            width = 2.0 if focused else 1.0
            track = QRectF(0, (self.height() - px(_SWITCH[1])) / 2, px(_SWITCH[0]), px(_SWITCH[1]))
            track.adjust(width / 2, width / 2, -width / 2, -width / 2)
            # What an environment variable overrides is shown, and cannot be changed.
            painter.setOpacity(1.0 if self.isEnabled() else 0.5)
            beside = self.rect().adjusted(px(_SWITCH[0]) + px(theme.SPACE_S), 0, 0, 0)
            write(painter, self.text(), beside, self.font(), c.ink)
            ground = c.accent if on else c.edge
            edge = (c.ink if on else c.accent) if focused else ground
            draw_box(painter, track, ground, edge, track.height() / 2, edge_width=width)
            size = track.height() - 6
            left = track.right() - size - 3 if on else track.left() + 3
            knob = QRectF(left, track.top() + 3, size, size)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(c.paper))
            painter.drawEllipse(knob)
            if on:
                tick = round(size) - 1
                picture = pixmap("check", c.accent, tick, self.devicePixelRatioF())
                painter.drawPixmap(knob.center() - QRectF(0, 0, tick, tick).center(), picture)


class HotkeyControl(Control):
    """A field that takes a combination of keys by having it pressed."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.keys = HotkeyField(look, self)
        self.keys.chosen.connect(self.edited)
        self.row.addWidget(self.keys)
        self.row.addStretch(1)
        self.main = self.keys

    def call(self, label: str, about: str) -> None:
        """Say what it is for: its name says which keys they are."""
        self.keys.call(label, about)

    def show_value(self, text: str) -> None:
        """Show the combination in force."""
        self.keys.set_combination(text)


class ConsentControl(Control):
    """A button that explains first, and then takes a yes or a no."""

    def __init__(self, look: Look, source: SettingsSource) -> None:
        super().__init__(look)
        self._source = source
        self._value = Consent.UNASKED
        self._label = ""
        self.button = Button(look, parent=self, then=self._press)
        self.explanation = StyledLabel(look, TextStyle.HELP, parent=self)
        self.explanation.hide()
        self.allow = Button(look, tr("Allow"), self)
        self.refuse = Button(look, tr("Don't allow"), self)
        buttons = (self.button, self.allow, self.refuse)
        stacked = self.stack(self.explanation, *buttons)
        for button in buttons:
            stacked.setAlignment(button, Qt.AlignmentFlag.AlignLeft)
        self.allow.clicked.connect(lambda: self._answer(Consent.GIVEN))
        self.refuse.clicked.connect(lambda: self._answer(Consent.REFUSED))
        self._show(asking=False)
        self.main = self.button

    def call(self, label: str, about: str) -> None:
        """Say what it is about before what each button does."""
        self._label = label
        self.button.setAccessibleDescription(about)
        self._name()

    def show_value(self, text: str) -> None:
        """Show what was said."""
        self._value = Consent(text)
        self._show(asking=False)

    def _press(self) -> None:
        # Only a yes is explained: to take it back takes one press.
        if self._value is Consent.GIVEN:
            self._answer(Consent.REFUSED)
        else:
            self._show(asking=True)
            self.allow.setFocus()
            announce(self, self.explanation.text())

    def _answer(self, answer: Consent) -> None:
        self._show(asking=False)
        # The button that had the focus is hidden now.
        self.button.setFocus()
        self.edited.emit(answer.value)

    def _show(self, *, asking: bool) -> None:
        given = self._value is Consent.GIVEN
        self.button.setText(tr("Allowed. Revoke") if given else tr("Allow…"))
        self._name()
        self.button.setVisible(not asking)
        self.allow.setVisible(asking)
        self.refuse.setVisible(asking)
        self.explanation.show_text(self._explained() if asking else "")

    def _name(self) -> None:
        for button in (self.button, self.allow, self.refuse):
            button.setAccessibleName(f"{self._label}: {button.text()}")

    def _explained(self) -> str:
        try:
            return translated(explanation(self._source.load().search))
        except SettingsError as exc:
            return translated(exc)


class AboutControl(Control):
    """A few lines that can be selected and copied."""

    is_wide = True
    is_group = True

    def __init__(self, look: Look, folders: Folders) -> None:
        super().__init__(look)
        grid = QGridLayout()
        grid.setHorizontalSpacing(look.px(theme.SPACE_L))
        grid.setVerticalSpacing(look.px(theme.SPACE_S))
        grid.setColumnStretch(1, 1)
        self.row.addLayout(grid)
        lines: list[StyledLabel] = []
        for number, (label, text) in enumerate(facts(folders)):
            about_label = StyledLabel(look, TextStyle.BODY, text, self)
            about_label.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse
                | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
            # By key as well, for those who copy a path into a report without a mouse.
            about_label.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            wants_ring(about_label)
            about_label.setAccessibleName(f"{label}: {text}")
            named = StyledLabel(look, TextStyle.HELP, label, self, wraps=False)
            grid.addWidget(named, number, 0)
            grid.addWidget(about_label, number, 1)
            lines.append(about_label)
        self.main = lines[0]


def facts(folders: Folders) -> tuple[tuple[str, str], ...]:
    """Return what a report of a mistake should say, and where everything is stored."""
    return (
        (tr("Version"), f"{__version__} (Python {platform.python_version()}, Qt {qVersion()})"),
        (tr("Licence"), "MIT"),
        (tr("Settings"), str(folders.settings_file)),
        (tr("Conversations"), str(folders.history)),
        (tr("Outbound requests"), str(folders.ledger)),
        (tr("Kept pages"), str(folders.page_cache)),
        (tr("Traces"), str(folders.traces)),
        (tr("Log"), str(folders.log)),
        (tr("Crash reports"), str(folders.crashes)),
    )
