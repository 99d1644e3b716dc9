"""How a look reaches the parts of a window: those that know their look, and those that Qt draws."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict, TypeVar, Unpack

from PySide6.QtCore import QObject
from PySide6.QtGui import QColor, QFont, QPalette
from PySide6.QtWidgets import QLayout, QWidget

from askance.ui.design.theme import Look

Margins = tuple[float, float, float, float]
"""Left, top, right and bottom, in pixels of the tokens."""
_Part = TypeVar("_Part", bound=QWidget | QLayout)


def propagate_look(look: Look, inside: QObject) -> None:
    """Call `set_look` on all that lies in a widget, down to what hands the look on by itself."""
    for part in inside.children():
        take: Callable[[Look], None] | None = getattr(part, "set_look", None)
        if take is not None:
            take(look)
        else:
            propagate_look(look, part)


def set_ink(widget: QWidget, colour: str) -> None:
    """Let a widget write in a colour."""
    palette = widget.palette()
    palette.setColor(QPalette.ColorRole.WindowText, QColor(colour))
    widget.setPalette(palette)


class Styled:
    """Mixed into a widget that draws with `look`, and hands another one on to all that lies in it."""

    look: Look

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on, in the language of the reader."""
        self.look = look
        assert isinstance(self, QWidget)
        propagate_look(look, self)
        self._restyle()
        self.updateGeometry()
        self.update()

    def _restyle(self) -> None:
        """Set what Qt does not ask for when it draws: sizes, style sheets, texts. Constructors call it too."""


class Measures(TypedDict, total=False):
    """What `style` sets, in pixels of the tokens."""

    font: float
    weight: QFont.Weight
    ink: str
    """The name of a colour of the palette."""
    margins: Margins
    gap: float
    gap_down: float
    """Between the rows of a grid, where that is not the gap between its columns."""
    width: float
    height: float
    min_width: float
    min_height: float


_SETTERS = {
    "gap": "setSpacing",
    "gap_down": "setVerticalSpacing",
    "width": "setFixedWidth",
    "height": "setFixedHeight",
    "min_width": "setMinimumWidth",
    "min_height": "setMinimumHeight",
}


def style(part: _Part, look: Look, **measures: Unpack[Measures]) -> _Part:
    """Return a part that has these measures in this look and in every later one."""
    _Measured(part, measures).set_look(look)
    return part


class _Measured(QObject):
    """Lies in a part, where `propagate_look` finds it."""

    def __init__(self, part: QObject, measures: Measures) -> None:
        super().__init__(part)
        self._measures = measures

    def set_look(self, look: Look) -> None:
        part, measures = self.parent(), self._measures
        if "font" in measures and isinstance(part, QWidget):
            part.setFont(look.font(measures["font"], measures.get("weight", QFont.Weight.Normal)))
        if "ink" in measures and isinstance(part, QWidget):
            set_ink(part, getattr(look.colours, measures["ink"]))
        if "margins" in measures and isinstance(part, QWidget | QLayout):
            part.setContentsMargins(*map(look.px, measures["margins"]))
        for name, setter in _SETTERS.items():
            if (measure := measures.get(name)) is not None:
                getattr(part, setter)(look.px(measure))
