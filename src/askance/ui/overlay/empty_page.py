"""What stands where nothing is to be shown: what the place is for, and one button to begin with."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFont, QResizeEvent
from PySide6.QtWidgets import QWidget

from askance.ui.design import theme
from askance.ui.design.composing import Button, Composite, column_of, style
from askance.ui.design.drawing import IconLabel
from askance.ui.design.focus import announce
from askance.ui.design.labels import StyledLabel, TextStyle
from askance.ui.design.theme import Look

_ICON, _TEXT, _HEIGHT = 26, 300, 236


class EmptyPage(Composite):
    """An icon, a title, a sentence, a button and a hint, in the middle of the room that there is."""

    pressed = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._icon = IconLabel(look, _ICON, parent=self)
        self.title = StyledLabel(look, TextStyle.LABEL, parent=self)
        style(self.title, look, font=theme.BODY_TEXT, weight=QFont.Weight.DemiBold)
        self.sentence = StyledLabel(look, TextStyle.LEAD, parent=self)
        self._hint = StyledLabel(look, TextStyle.HELP, parent=self)
        self.button = Button(look, parent=self, then=self.pressed)
        self.button.setProperty("primary", True)
        style(self.button, look, height=theme.CONTROL_HEIGHT)
        above = (0, 10, 0, 0)
        acting = column_of(look, self.button, margins=above)
        whole = column_of(look, None, self._icon, self.title, self.sentence, acting, self._hint)
        whole.put(None)
        for label in (self.title, self.sentence, self._hint):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        for part in (self._icon, self.button):
            whole.setAlignment(part, Qt.AlignmentFlag.AlignHCenter)
        acting.setAlignment(self.button, Qt.AlignmentFlag.AlignHCenter)
        self.setLayout(whole)
        self._restyle()
        self.hide()

    def sizeHint(self) -> QSize:
        """Return the height of a page."""
        return QSize(0, self.look.px(_HEIGHT))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave the sentences their width."""
        super().resizeEvent(event)
        self._restyle()

    def show_texts(self, icon: str, title: str, sentence: str, button: str, hint: str) -> None:
        """Say what is not there, what the place is for, and what can be done; sentences may be empty."""
        self._icon.set_icon(icon, "ink_3")
        self.title.show_text(title)
        self.sentence.show_text(sentence)
        self.button.setText(button)
        self.button.setAccessibleDescription(sentence)
        self._hint.show_text(hint)
        announce(self, " ".join(filter(None, (f"{title}.", sentence))))

    def _restyle(self) -> None:
        for label in (self.sentence, self._hint):
            # Centred text of two lines reads worse the longer its lines are.
            side = max(0, (self.width() - self.look.px(_TEXT)) // 2)
            label.setContentsMargins(side, 0, side, 0)
