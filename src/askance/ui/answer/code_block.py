"""The button on a panel of code that copies it."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton, QWidget

from askance.presentation.words import tr
from askance.ui.design import icons
from askance.ui.design.announcing import announce
from askance.ui.design.plain_text import set_tip
from askance.ui.design.theme import Look

SIDE = 26
_ICON = 15
_THANKS_MS = 1200
# So many characters of the code tell it from others.
_TOLD = 40


class CopyButton(QPushButton):
    """Copies the code of one panel, and says for a moment that it did."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._code = ""
        self.setProperty("quiet", True)
        # Tab gets there through the answer, between the numbers above and below.
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._back = QTimer(self)
        self._back.setSingleShot(True)
        self._back.timeout.connect(self._rest)
        self.clicked.connect(self._copy)
        self.set_look(look)

    @property
    def code(self) -> str:
        """What it copies."""
        return self._code

    @code.setter
    def code(self, code: str) -> None:
        if code != self._code:
            self._code = code
            self._name()

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        self.look = look
        side = look.px(SIDE)
        self.setFixedSize(side, side)
        self.setIconSize(QSize(look.px(_ICON), look.px(_ICON)))
        self._rest()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.code)
        self.setIcon(icons.icon("check", self.look.colours.accent, self.look.px(_ICON)))
        self.setAccessibleName(tr("Copied"))
        announce(self, tr("Copied"))
        self._back.start(_THANKS_MS)

    def _rest(self) -> None:
        self.setIcon(icons.icon("copy", self.look.colours.ink_3, self.look.px(_ICON)))
        self._name()

    def _name(self) -> None:
        """Say which code it is: an answer may have several."""
        first = next((line.strip() for line in self._code.splitlines() if line.strip()), "")
        if len(first) > _TOLD:
            first = first[:_TOLD].rstrip() + "…"
        does = tr("Copy the code")
        set_tip(self, does)
        self.setAccessibleName(f"{does}: {first}" if first else does)
