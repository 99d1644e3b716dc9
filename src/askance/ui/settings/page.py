"""One page of the settings: a heading, and a row for each setting with its help and what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QScrollArea, QVBoxLayout, QWidget

from askance.config.editing import Setting
from askance.presentation.i18n import tr
from askance.ui.design import tokens
from askance.ui.design.focus import announce
from askance.ui.design.labels import Rule, Tone, Words
from askance.ui.design.theme import Look
from askance.ui.settings.controls import Control
from askance.ui.settings.source import SettingsSource, explained, written
from askance.ui.settings.tables import PageTable, Row

_LABEL_SHARE, _CONTROL_SHARE = 46, 54
# Below this width German labels and controls have no room beside each other.
_NARROW = 400
_MARGIN = 26
_BESIDE, _BELOW = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom


class Field(QWidget):
    """A row. It checks what was typed, and hands on only what the setting may be."""

    accepted = Signal(str, str)
    """The setting's name and its new value."""

    def __init__(
        self,
        look: Look,
        row: Row,
        control: Control,
        source: SettingsSource,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.row, self.control, self._source = row, control, source
        self._began_with: str | None = None
        self._label = Words(look, Tone.LABEL, tr(row.label), self)
        self._help = Words(look, Tone.HELP, tr(row.about), self)
        self._note = Words(look, Tone.NOTE, parent=self)
        self.problem = Words(look, Tone.PROBLEM, parent=self)
        self._note.hide()
        self.problem.hide()
        self._label.setBuddy(control.main)
        control.setParent(self)
        control.edited.connect(self.take)
        wide = control.is_wide
        # No grid: what spans rows of one is given the height that it would have at any width.
        self._halves = QBoxLayout(_BELOW if wide else _BESIDE, self)
        self._texts, self._column = QVBoxLayout(), QVBoxLayout()
        self._lay_out()
        self.set_look(look)
        self._name()

    @property
    def note(self) -> str:
        """What is to be known of the value: what overrides it, from when on it counts."""
        return self._note.text()

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        px = look.px
        self._halves.setContentsMargins(0, px(11), 0, px(11))
        is_below = self._halves.direction() == _BELOW
        self._halves.setSpacing(px(tokens.SPACE_S if is_below else tokens.SPACE_L))
        self._texts.setSpacing(px(2))
        self._column.setSpacing(px(tokens.SPACE_XS))
        for part in (self._label, self._help, self._note, self.problem, self.control):
            part.set_look(look)

    def stack(self, look: Look, *, is_narrow: bool) -> None:
        """Put the control below the label where there is no room beside it."""
        if self.control.is_wide:
            return
        self._halves.setDirection(_BELOW if is_narrow else _BESIDE)
        self._halves.setSpacing(look.px(tokens.SPACE_S if is_narrow else tokens.SPACE_L))
        for half, share in enumerate((_LABEL_SHARE, _CONTROL_SHARE)):
            self._halves.setStretch(half, 0 if is_narrow else share)

    def refresh(self) -> None:
        """Show the setting as it is in force now.

        Raises:
            SettingsError: a source of settings is wrong.
        """
        if not self.row.name:
            self.control.show_value("")
            self._help.say(tr(self.row.about))
            return
        setting = self._source.describe(self.row.name)
        self.control.show_value(written(setting.value))
        variable = self._source.overriding(setting)
        self.control.main.setEnabled(not variable)
        self._help.say(tr(self.row.about) or explained(setting))
        self._note.say(self._notes(variable, setting))
        self._name()

    def take(self, text: str) -> None:
        """Take another value: say what is wrong with it, or hand it on."""
        problem = self._source.complaint(self.row.name, text)
        self.complain(problem)
        if not problem:
            self.accepted.emit(self.row.name, text)

    def complain(self, problem: str) -> None:
        """Say below the control what is wrong; nothing takes it away."""
        self.problem.say(problem)
        self._name()
        announce(self.control.main, problem)

    def _notes(self, variable: str, setting: Setting) -> str:
        if variable:
            return tr("Set by the environment variable {variable}.", variable=variable)
        if self.row.later and written(setting.value) != self._first(setting):
            return tr("Takes effect after a restart.")
        return ""

    def _first(self, setting: Setting) -> str:
        """The value with which this window was opened."""
        if self._began_with is None:
            self._began_with = written(setting.value)
        return self._began_with

    def _name(self) -> None:
        said = (self._help.text(), self._note.text(), self.problem.text())
        self.control.call(self._label.text(), " ".join(filter(None, said)))

    def _lay_out(self) -> None:
        self._texts.addWidget(self._label)
        self._texts.addWidget(self._help)
        for part in (self.control, self._note, self.problem):
            self._column.addWidget(part)
        shares = (0, 0)
        if not self.control.is_wide:
            shares = (_LABEL_SHARE, _CONTROL_SHARE)
            self._texts.addStretch(1)
            self._column.addStretch(1)
        self._halves.addLayout(self._texts, shares[0])
        self._halves.addLayout(self._column, shares[1])


MakeField = Callable[[Row], Field]


class SettingsPage(QScrollArea):
    """A page that scrolls where its rows have no room."""

    def __init__(
        self, look: Look, table: PageTable, make_field: MakeField, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._look = look
        self.table = table
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(tr(table.title))
        inside = QWidget(self)
        self._column = QVBoxLayout(inside)
        self._column.setSpacing(0)
        self._title = Words(look, Tone.TITLE, tr(table.title), inside)
        self._about = Words(look, Tone.LEAD, tr(table.about), inside)
        self._column.addWidget(self._title)
        self._column.addWidget(self._about)
        self.fields: Sequence[Field] = tuple(make_field(row) for row in table.rows)
        self._rules = [Rule(look, inside) for _ in self.fields]
        for rule, field in zip(self._rules, self.fields, strict=True):
            self._column.addWidget(rule)
            self._column.addWidget(field)
        self._column.addStretch(1)
        self.setWidget(inside)
        self.set_look(look)

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        self._look = look
        px = look.px
        self._about.setContentsMargins(0, px(6), 0, px(14))
        for part in (self._title, self._about, *self._rules, *self.fields):
            part.set_look(look)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay the rows out for another width."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        px = self._look.px
        # The width with the bar: rows that grow by being stacked must not come back by it.
        is_narrow = self.width() < px(_NARROW)
        across = px(tokens.SPACE_L if is_narrow else _MARGIN)
        self._column.setContentsMargins(across, px(20), across, px(tokens.SPACE_L))
        for field in self.fields:
            field.stack(self._look, is_narrow=is_narrow)

    def field(self, name: str) -> Field:
        """Return the row of a setting. There must be one."""
        return next(field for field in self.fields if field.row.name == name)
