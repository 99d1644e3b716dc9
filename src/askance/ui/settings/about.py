"""What this installation is, where its files are, and the keys of the window."""

from __future__ import annotations

import platform

from PySide6.QtCore import Qt, qVersion
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QGridLayout, QWidget

from askance import __version__
from askance.config.folders import Folders
from askance.presentation.i18n import tr
from askance.ui.design import tokens
from askance.ui.design.focus import wants_ring
from askance.ui.design.labels import Tone, Words
from askance.ui.design.theme import Look
from askance.ui.model.keys import KEYS
from askance.ui.settings.controls import Control

_NATIVE = QKeySequence.SequenceFormat.NativeText


class AboutControl(Control):
    """A few lines that can be selected and copied."""

    is_wide = True
    is_group = True

    def __init__(self, look: Look, folders: Folders) -> None:
        super().__init__(look)
        grid = QGridLayout()
        grid.setHorizontalSpacing(look.px(tokens.SPACE_L))
        grid.setVerticalSpacing(look.px(tokens.SPACE_S))
        grid.setColumnStretch(1, 1)
        self.row.addLayout(grid)
        self._lines: list[Words] = []
        for number, (label, text) in enumerate(facts(folders)):
            told = Words(look, Tone.BODY, text, self)
            told.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse
                | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
            told.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            wants_ring(told)
            told.setAccessibleName(f"{label}: {text}")
            named = Words(look, Tone.HELP, label, self)
            named.setWordWrap(False)
            grid.addWidget(named, number, 0)
            grid.addWidget(told, number, 1)
            self._lines.append(told)

    @property
    def main(self) -> QWidget:
        """The first line."""
        return self._lines[0]


def facts(folders: Folders) -> tuple[tuple[str, str], ...]:
    """Return what a report of a mistake should say, and where everything is kept."""
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


class KeysControl(Control):
    """A line for each key. It takes the focus as a whole, for those who have it read out."""

    is_wide = True

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        wants_ring(self)
        self._grid = QGridLayout()
        self._grid.setColumnStretch(1, 1)
        self.row.addLayout(self._grid)
        for number, (keys, does) in enumerate(KEYS):
            named = Words(look, Tone.BODY, "  ".join(map(_native, keys)), self)
            named.setWordWrap(False)
            told = Words(look, Tone.LEAD, tr(does), self)
            self._grid.addWidget(named, number, 0)
            self._grid.addWidget(told, number, 1)
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


def _native(keys: str) -> str:
    return QKeySequence(keys).toString(_NATIVE)
