"""The keys of the window, to be read."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QGridLayout, QWidget

from askance.presentation.words import tr
from askance.ui.design import tokens
from askance.ui.design.focus_ring import wants_ring
from askance.ui.design.lettering import Tone, Words
from askance.ui.design.theme import Look
from askance.ui.model.keys import KEYS
from askance.ui.settings.controls import Control

_NATIVE = QKeySequence.SequenceFormat.NativeText


class KeysControl(Control):
    """A line for each key. It takes the focus as a whole, for those who have it read out."""

    is_wide = True

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        wants_ring(self)
        self._grid = QGridLayout()
        self._grid.setColumnStretch(1, 1)
        self.row.addLayout(self._grid)
        self.parts: list[Words] = []
        for number, (keys, does) in enumerate(KEYS):
            named = Words(look, Tone.BODY, "  ".join(map(_native, keys)), self)
            named.setWordWrap(False)
            told = Words(look, Tone.LEAD, tr(does), self)
            self._grid.addWidget(named, number, 0)
            self._grid.addWidget(told, number, 1)
            self.parts += [named, told]
        self.set_look(look)

    def call(self, label: str, about: str) -> None:
        """Say all of it: nothing in it takes the focus by itself."""
        lines = (f"{', '.join(map(_native, keys))}: {tr(does)}" for keys, does in KEYS)
        self.setAccessibleName(label)
        self.setAccessibleDescription("\n".join(filter(None, (about, *lines))))

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        super().set_look(look)
        self._grid.setHorizontalSpacing(look.px(tokens.SPACE_L))
        self._grid.setVerticalSpacing(look.px(tokens.SPACE_XS))
        # Room for the ring around all of it.
        self._grid.setContentsMargins(0, look.px(tokens.SPACE_XS), 0, look.px(tokens.SPACE_XS))
        for part in self.parts:
            part.set_look(look)


def _native(keys: str) -> str:
    return QKeySequence(keys).toString(_NATIVE)
