"""How windows are put together: rows and columns that keep their distances in every look."""

from __future__ import annotations

from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QBoxLayout,
    QLayout,
    QLineEdit,
    QPushButton,
    QWidget,
)

from askance.ui.design import tokens
from askance.ui.design.styling import Margins, Styled, propagate_look, style
from askance.ui.design.theme import Look

_Part = QWidget | QLayout | None


class Box(QBoxLayout):
    """Widgets and layouts `gap` pixels of the tokens apart, without margins unless there are some."""

    def __init__(
        self,
        look: Look,
        direction: QBoxLayout.Direction,
        gap: float,
        margins: Margins = (0, 0, 0, 0),
    ) -> None:
        super().__init__(direction)
        self._gap, self._margins = gap, margins
        self.set_look(look)

    def set_look(self, look: Look) -> None:
        """Keep the distances of another look from now on."""
        self._look = look
        self.setSpacing(look.px(self._gap))
        self.setContentsMargins(*map(look.px, self._margins))
        propagate_look(look, self)

    def turn(self, *, is_down: bool, gap: float) -> None:
        """Go on below one another or side by side, other distances apart."""
        kind = QBoxLayout.Direction
        self.setDirection(kind.TopToBottom if is_down else kind.LeftToRight)
        self._gap = gap
        self.setSpacing(self._look.px(gap))

    def put(self, *parts: _Part, wide: QWidget | None = None) -> None:
        """Add parts at the end. None is empty room, and `wide` the part that takes all that is left."""
        for part in parts:
            if isinstance(part, QWidget):
                self.addWidget(part, 1 if part is wide else 0)
            elif part is None:
                self.addStretch(1)
            else:
                self.addLayout(part)

    def drop(self, widget: QWidget) -> None:
        """Take a widget away for good; it is deleted in the next turn of the event loop."""
        self.removeWidget(widget)
        widget.hide()
        widget.deleteLater()


def row_of(
    look: Look,
    *parts: _Part,
    gap: float = tokens.SPACE_S,
    wide: QWidget | None = None,
    margins: Margins = (0, 0, 0, 0),
) -> Box:
    """Return parts side by side; see `Box.put`."""
    made = Box(look, QBoxLayout.Direction.LeftToRight, gap, margins)
    made.put(*parts, wide=wide)
    return made


def column_of(
    look: Look,
    *parts: _Part,
    gap: float = tokens.SPACE_S,
    wide: QWidget | None = None,
    margins: Margins = (0, 0, 0, 0),
) -> Box:
    """Return parts below one another; see `Box.put`."""
    made = Box(look, QBoxLayout.Direction.TopToBottom, gap, margins)
    made.put(*parts, wide=wide)
    return made


def activate_layouts(widget: QWidget) -> None:
    """Lay out all that lies in a widget now, the innermost first, but for what lies in scrolling parts.

    In a hidden window no layout does so by itself, and none tells the one around it of a change.
    """
    for part in widget.children():
        if isinstance(part, QWidget) and not isinstance(part, QAbstractScrollArea):
            activate_layouts(part)
    layout = widget.layout()
    if layout is not None:
        layout.activate()


class Composite(Styled, QWidget):
    """A widget that is put together from others, and hands a look on to them."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.look = look


class Button(QPushButton):
    """A button of a form: its words are small."""

    def __init__(self, look: Look, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        style(self, look, font=tokens.SMALL_TEXT)


class LineField(QLineEdit):
    """A field of one line. `prompt` stands in it while it is empty; `name` is what screen readers say."""

    def __init__(
        self,
        look: Look,
        prompt: str = "",
        parent: QWidget | None = None,
        *,
        name: str = "",
        size: float = tokens.SMALL_TEXT,
    ) -> None:
        super().__init__(parent)
        self.setPlaceholderText(prompt)
        self.setAccessibleName(name or prompt)
        style(self, look, font=size)
