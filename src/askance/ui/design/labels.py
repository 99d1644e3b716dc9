"""Labels: plain texts, texts that give way, headings and help, hairlines, tooltips, and our own markup.

Qt takes a tooltip or a label's text that looks like HTML for HTML, and then opens the files that it
names. So tooltips are set here and nowhere else, and all labels are these.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from html import escape

from PySide6.QtCore import QEvent, QPoint, QSize, Qt
from PySide6.QtGui import (
    QAction,
    QFocusEvent,
    QFont,
    QGuiApplication,
    QPainter,
    QPaintEvent,
    QPalette,
)
from PySide6.QtWidgets import QLabel, QSizePolicy, QToolTip, QWidget

from askance.domain.characters import clean
from askance.presentation.i18n import without_backticks
from askance.text.finding import places_of
from askance.ui.design import theme
from askance.ui.design.composing import Margins, Styled, set_ink, style
from askance.ui.design.drawing import draw_hairline
from askance.ui.design.focus import wants_ring
from askance.ui.design.theme import CODE_FAMILY, Look

MOST_CHARACTERS = 1000
"""What is longer ends in an ellipsis: Qt lays a tooltip out whole before it shows it."""


class PlainLabel(QLabel):
    """A label that never takes its text for markup."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(text)

    def setContentsMargins(self, left: int, top: int, right: int, bottom: int) -> None:  # type: ignore[override]
        """Keep room around the text.

        A label that was never laid out is 100 by 30, and Qt, when it is polished, forgets margins
        that leave nothing of it.
        """
        self.resize(max(self.width(), left + right + 1), max(self.height(), top + bottom + 1))
        super().setContentsMargins(left, top, right, bottom)


def set_tip(widget: QWidget, text: str, *, is_ours: bool = True) -> None:
    """Give a widget a tooltip. Screen readers get the same, as the description of the widget."""
    if is_ours:  # a page's title may have thousands of backticks, and they part no code
        text = without_backticks(text)
    widget.setToolTip(as_tip(text))
    # Without one, they would read out the markup of the tooltip.
    widget.setAccessibleDescription(text)


def set_row_tip(row: QAction, text: str) -> None:
    """Give a row of a menu a tooltip."""
    row.setToolTip(as_tip(text))


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
    # With the tag Qt takes it for markup in any case. It would guess by the first characters, and
    # show the escapes of a text that looks plain.
    return f"<qt>{escape(text)}</qt>".replace("\n", "<br>")


_LEAST_CHARACTERS = 4


class ElidedLabel(PlainLabel):
    """One line of plain text. Screen readers get the whole text.

    It does not shrink below the width of `least_characters`, or of its text where that is shorter.
    """

    def __init__(
        self,
        text: str = "",
        parent: QWidget | None = None,
        *,
        least_characters: int = _LEAST_CHARACTERS,
    ) -> None:
        super().__init__(text, parent)
        self._least_characters = least_characters
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)

    @property
    def is_cut(self) -> bool:
        """Whether not all of the text is seen."""
        return self.fontMetrics().horizontalAdvance(self.text()) > self.width()

    def minimumSizeHint(self) -> QSize:
        """Return the room of a few characters."""
        whole = super().sizeHint()
        # Qt asks for the whole text as the least width: one long name would widen the window.
        least = self.fontMetrics().averageCharWidth() * self._least_characters
        return QSize(min(whole.width(), least), whole.height())

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw as much of the text as there is room for."""
        with QPainter(self) as painter:
            painter.setPen(self.palette().color(QPalette.ColorRole.WindowText))
            # Qt's own label cuts a line off without a sign.
            shown = self.fontMetrics().elidedText(
                self.text(), Qt.TextElideMode.ElideRight, self.width()
            )
            painter.drawText(self.rect(), self.alignment() | Qt.AlignmentFlag.AlignVCenter, shown)


_TITLE = 17
# A text that wraps gives way to this width.
_NARROWEST = 60


class TextStyle(Enum):
    """What a text is: its size, its weight, and which colour of the look it has."""

    TITLE = (_TITLE, QFont.Weight.DemiBold, "ink")
    LEAD = (theme.SMALL_TEXT, QFont.Weight.Normal, "ink_2")
    LABEL = (theme.BODY_TEXT - 1, QFont.Weight.Medium, "ink")
    BODY = (theme.SMALL_TEXT, QFont.Weight.Normal, "ink")
    HELP = (theme.LABEL_TEXT, QFont.Weight.Normal, "ink_3")
    NOTE = (theme.LABEL_TEXT, QFont.Weight.Normal, "amber")
    PROBLEM = (theme.LABEL_TEXT, QFont.Weight.Medium, "red")


class StyledLabel(Styled, PlainLabel):
    """Plain text, which wraps unless it is one line; hidden while it is empty, if so wished."""

    def __init__(
        self,
        look: Look,
        tone: TextStyle,
        text: str = "",
        parent: QWidget | None = None,
        *,
        margins: Margins | None = None,
        wraps: bool = True,
    ) -> None:
        super().__init__(look, without_backticks(text), parent)
        self._tone = tone
        self.setWordWrap(wraps)
        self._restyle()
        if margins is not None:
            style(self, look, margins=margins)

    def show_text(self, text: str, tone: TextStyle | None = None) -> None:
        """Show a text; nothing hides the label."""
        if tone is not None and tone is not self._tone:
            self._tone = tone
            self._restyle()
        self.setText(without_backticks(text))
        self.setVisible(bool(text))

    def show_marked(self, text: str, words: str) -> None:
        """Show a text of ours, bolder where one of the words stands in it."""
        marked, done = "", 0
        for start, end in places_of(text, *words.split()):
            bold = f'<span style="font-weight:600">{escape(text[start:end])}</span>'
            marked, done = f"{marked}{escape(text[done:start])}{bold}", end
        marked += escape(text[done:])
        is_rich = bool(words.strip())
        self.setTextFormat(Qt.TextFormat.RichText if is_rich else Qt.TextFormat.PlainText)
        self.setText(marked if is_rich else text)

    def minimumSizeHint(self) -> QSize:
        """Return one line where the text wraps: how many it takes depends on the width alone."""
        whole = super().minimumSizeHint()
        # A text that does not wrap has nothing to give way with.
        if not self.wordWrap():
            return whole
        margins = self.contentsMargins()
        line = self.fontMetrics().lineSpacing() + margins.top() + margins.bottom()
        return QSize(min(whole.width(), self.look.px(_NARROWEST)), line)

    def _restyle(self) -> None:
        size, weight, colour = self._tone.value
        self.setFont(self.look.font(size, weight))
        set_ink(self, getattr(self.look.colours, colour))


class Hairline(Styled, QWidget):
    """A hairline between rows."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.setFixedHeight(1)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw it."""
        with QPainter(self) as painter:
            draw_hairline(painter, self.look.colours.line, self.width())


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
        wants_ring(self)

    def set_markup(self, markup: str, spoken: str) -> None:
        """Show markup that this module made, and say for a screen reader what it says."""
        # Only with a link is there something to go to: Tab would stop at every row of a trace.
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
            # By width, since a layout asks for the same few again and again while it settles.
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
    is_struck: bool = False,
) -> str:
    """Return a text as markup in a colour; a link where there is an address."""
    drawn = "line-through" if is_struck else "none"
    style = f"color:{colour};font-weight:{weight.value};text-decoration:{drawn};"
    if is_code:
        style += f"font-family:'{CODE_FAMILY}';"
    if ground:
        style += f"background-color:{ground};"
    # Nothing but the web is a link here, whatever address a page or a model has given.
    if url.startswith(("http://", "https://")):
        return f'<a href="{escape(url)}" style="{style}">{escape(text)}</a>'
    return f'<span style="{style}">{escape(text)}</span>'


TypeSize = tuple[float, float]
"""A size of type, and how high its lines are, in pixels of the tokens."""


def lines(look: Look, texts: Sequence[str], size: TypeSize) -> str:
    """Return markup of lines, each as high as its line of type is to be."""
    return "".join(line(look, text, size) for text in texts)


def line(look: Look, text: str, size: TypeSize, *, side: str = "") -> str:
    """Return markup of one line, or of one cell of a table. It begins at the `side` of its first word, or at
    one that is named: `ltr`, `rtl`.
    """
    pixels, height = size
    style = f"margin:0;font-size:{look.px(pixels)}px;line-height:{look.px(height)}px;"
    # Without it, punctuation of a line in another direction goes to the wrong end.
    direction = f' dir="{side}"' if side else ""
    return f'<p{direction} style="{style}-qt-line-height-type:fixed;">{text}</p>'
