"""Running text that wraps, from markup that is made here: spans, links and lines of a fixed height."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFont, QGuiApplication, QPalette
from PySide6.QtWidgets import QLabel, QSizePolicy

from askance.ui.design.focus import wants_ring
from askance.ui.design.theme import CODE_FAMILY, Look

_NARROWEST_PROSE = 240
"""To which width text that wraps gives way, in pixels."""


class MarkupLabel(QLabel):
    """A label of markup that the functions below made; it wraps."""

    def __init__(self) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setWordWrap(True)


class RichLabel(MarkupLabel):
    """Text of one size that wraps. Its parts come as they are; they are escaped here."""

    link_activated = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._heights: dict[int, int] = {}
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.LinksAccessibleByMouse
            | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.linkActivated.connect(self.link_activated)
        wants_ring(self)

    def set_markup(self, markup: str, spoken: str) -> None:
        """Show markup that this module made, and say for a screen reader what it says."""
        has_link = "<a " in markup
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus if has_link else Qt.FocusPolicy.NoFocus)
        if self.text() != markup:
            self._heights.clear()
            self.setText(markup)
        self.setAccessibleName(spoken)

    # Qt lays the whole text out for each of these questions, and a dozen times for a size that
    # looks well, which text that fills its place does not need.

    def heightForWidth(self, width: int) -> int:
        """Return how high the text is at a width."""
        if width not in self._heights:
            self._heights[width] = super().heightForWidth(width)
        return self._heights[width]

    def sizeHint(self) -> QSize:
        """Return a narrow line where the text wraps: how many it takes depends on the width."""
        if not self.wordWrap():
            return super().sizeHint()
        return QSize(_NARROWEST_PROSE, self.fontMetrics().lineSpacing())

    def minimumSizeHint(self) -> QSize:
        """Return the same; text that does not wrap has room for all of it."""
        return self.sizeHint() if self.wordWrap() else super().minimumSizeHint()

    def changeEvent(self, event: QEvent) -> None:
        """Forget the heights of another font or style."""
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._heights.clear()
        super().changeEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Go to the first link, or to the last one when coming from behind."""
        # Qt draws a dotted line around the link that has the focus, in the colour of texts.
        palette = self.palette()
        accent = QGuiApplication.palette().color(QPalette.ColorRole.Link)
        palette.setColor(QPalette.ColorRole.Text, accent)
        palette.setColor(QPalette.ColorRole.WindowText, accent)
        self.setPalette(palette)
        super().focusInEvent(event)
        if event.reason() is Qt.FocusReason.TabFocusReason:
            super().focusNextPrevChild(True)
        elif event.reason() is Qt.FocusReason.BacktabFocusReason:
            super().focusNextPrevChild(False)


def span(
    text: str,
    colour: str,
    *,
    weight: QFont.Weight = QFont.Weight.Normal,
    ground: str = "",
    url: str = "",
    is_code: bool = False,
) -> str:
    """Return a text as markup in a colour; a link where there is an address."""
    style = f"color:{colour};font-weight:{weight.value};text-decoration:none;"
    if is_code:
        style += f"font-family:'{CODE_FAMILY}';"
    if ground:
        style += f"background-color:{ground};"
    if url.startswith(("http://", "https://")):
        return f'<a href="{escape(url)}" style="{style}">{escape(text)}</a>'
    return f'<span style="{style}">{escape(text)}</span>'


def lines(look: Look, texts: Sequence[str], size: float, height: float) -> str:
    """Return markup of lines, each as high as its line of type is to be."""
    return "".join(line(look, text, size, height) for text in texts)


def line(look: Look, text: str, size: float, height: float, *, side: str = "") -> str:
    """Return markup of one line, or of one cell of a table. It begins at the `side` of its first word, or at
    one that is named: `ltr`, `rtl`.
    """
    style = f"margin:0;font-size:{look.px(size)}px;line-height:{look.px(height)}px;"
    direction = f' dir="{side}"' if side else ""
    return f'<p{direction} style="{style}-qt-line-height-type:fixed;">{text}</p>'
