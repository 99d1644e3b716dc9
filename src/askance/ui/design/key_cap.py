"""The key that does something now, as a small cap; a click on it does the same."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QWidget

from askance.ui.design import tokens
from askance.ui.design.plain_text import set_tip
from askance.ui.design.theme import Look

_RADIUS = 5
_PAD_ACROSS = 6
_PAD_DOWN = 2
# It is hit a little above and below what is seen of it.
_AROUND = 2


class KeyCap(QPushButton):
    """A button that looks like the key on it."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAutoDefault(False)
        self.set_look(look)

    def set_key(self, text: str, does: str) -> None:
        """Show what stands on the cap. `does` is what it does, for screen readers and the pointer."""
        self.setText(text)
        self.setAccessibleName(does)
        set_tip(self, does)

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        c, px = look.colours, look.px
        self.setFont(look.font(tokens.KEY_TEXT))
        self.setStyleSheet(
            f"""KeyCap {{ background: {c.raised}; color: {c.ink_3}; border: 1px solid {c.edge};
            border-radius: {px(_RADIUS)}px; padding: {px(_PAD_DOWN)}px {px(_PAD_ACROSS)}px;
            margin: {px(_AROUND)}px 0; }}
            KeyCap:hover {{ color: {c.ink}; border-color: {c.ink_3}; }}
            KeyCap:pressed {{ background: {c.accent_soft}; }}
            KeyCap:focus {{ color: {c.ink}; border-color: {c.accent}; }}"""
        )
