"""The hotkey: recorded by pressing it; what the desktop says against it stands below."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from askance.ui.design import tokens
from askance.ui.design.combination_field import CombinationField
from askance.ui.design.theme import Look
from askance.ui.settings.controls import Control


class HotkeyControl(Control):
    """A field that takes a combination of keys by having it pressed."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.keys = CombinationField(look, self)
        self.keys.chosen.connect(self.edited)
        self.row.addWidget(self.keys)
        self.row.addStretch(1)
        self.set_look(look)

    @property
    def main(self) -> QWidget:
        """The field."""
        return self.keys

    def call(self, label: str, about: str) -> None:
        """Say what it is for: its name says which keys they are."""
        self.keys.call(label, about)

    def show_value(self, text: str) -> None:
        """Show the combination in force."""
        self.keys.set_combination(text)

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        super().set_look(look)
        self.keys.set_look(look)
        self.keys.setFont(look.font(tokens.BODY_TEXT - 1))
