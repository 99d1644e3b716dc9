"""One page of the settings: a heading, and a row for each setting of its table."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from askance.presentation.words import tr
from askance.ui.design import tokens
from askance.ui.design.lettering import Rule, Tone, Words
from askance.ui.design.theme import Look
from askance.ui.settings.field import Field
from askance.ui.settings.tables import PageTable, Row

MakeField = Callable[[Row], Field]


class SettingsPage(QScrollArea):
    """A page that scrolls where its rows have no room."""

    def __init__(
        self, look: Look, table: PageTable, make_field: MakeField, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
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
        px = look.px
        across = px(26)
        self._column.setContentsMargins(across, px(20), across, px(tokens.SPACE_L))
        self._about.setContentsMargins(0, px(6), 0, px(14))
        for part in (self._title, self._about, *self._rules, *self.fields):
            part.set_look(look)

    def field(self, name: str) -> Field:
        """Return the row of a setting. There must be one."""
        return next(field for field in self.fields if field.row.name == name)
