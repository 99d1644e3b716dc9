"""Texts that are shown as they are, whoever wrote them: labels, tooltips and buttons.

Qt takes a tooltip or a label's text that looks like HTML for HTML, and then opens the files that it
names. So tooltips are set here and nowhere else, and labels are these, or those of `prose`.
"""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QLabel, QToolTip, QWidget

from askance.presentation.cleaning import clean
from askance.presentation.words import without_backticks

MOST_CHARACTERS = 1000
"""What is longer ends in an ellipsis: Qt lays a tooltip out whole before it shows it."""


class PlainLabel(QLabel):
    """A label that never takes its text for markup."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)

    def set_ink(self, colour: str) -> None:
        """Write in a colour of the look."""
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.WindowText, QColor(colour))
        self.setPalette(palette)


def set_tip(widget: QWidget, text: str) -> None:
    """Give a widget a tooltip. Screen readers hear the same, as the description of the widget."""
    text = without_backticks(text)
    widget.setToolTip(as_tip(text))
    # Without one, they would hear the markup of the tooltip.
    widget.setAccessibleDescription(text)


def show_tip(at: QPoint, text: str, widget: QWidget) -> None:
    """Show a tooltip at a place of the screen, for as long as the pointer stays."""
    QToolTip.showText(at, as_tip(text), widget)


def as_tip(text: str) -> str:
    """Return markup that shows a text as it is; none for an empty one."""
    text = clean(text)
    if not text:
        return ""
    if len(text) > MOST_CHARACTERS:
        text = f"{text[:MOST_CHARACTERS]}…"
    return f"<qt>{escape(text)}</qt>".replace("\n", "<br>")


def on_button(text: str) -> str:
    """Return a text for a button that Qt makes no shortcut of: of what follows a `&`."""
    return text.replace("&", "&&")
