"""A text of another program that may be quoted: one quiet line below the field, and a key for it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from askance.presentation.words import tr
from askance.ui.design import tokens
from askance.ui.design.announcing import announce
from askance.ui.design.elided_label import ElidedLabel
from askance.ui.design.icon_label import IconLabel
from askance.ui.design.plain_text import PlainLabel
from askance.ui.design.theme import Look
from askance.ui.model.chips import Chip
from askance.ui.overlay.ask_field import INSET, AskField

_ICON = 14
_HEIGHT = 26
_CAP_HEIGHT = 18


class Offer(QWidget):
    """Hidden while nothing is offered. Tab in the field takes what is."""

    accepted = Signal(object)
    """The `Chip` that is to be quoted."""

    def __init__(self, look: Look, field: AskField, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.chip: Chip | None = None
        self._field = field
        field.installEventFilter(self)
        self.button = _Button(look, self)
        self.button.clicked.connect(self.accept)
        self._column = QVBoxLayout(self)
        self._column.addWidget(self.button, 0, Qt.AlignmentFlag.AlignLeft)
        self.set_look(look)
        self.hide()

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        self._column.setContentsMargins(INSET, look.px(6), 0, 0)
        self.button.set_look(look)

    def show_chip(self, chip: Chip) -> None:
        """Offer a text, and tell a screen reader of it."""
        self.chip = chip
        self.button.say(chip)
        self.show()
        announce(self, f"{chip.offer}. {self.button.accessibleDescription()}")

    def withdraw(self) -> None:
        """Offer nothing any more."""
        self.chip = None
        self.hide()

    def accept(self) -> None:
        """Take what is offered, if anything is."""
        chip = self.chip
        self.withdraw()
        if chip is not None:
            self.accepted.emit(chip)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take Tab in the field, unless it completes there or belongs to an input method."""
        if self.chip is None or watched is not self._field or not isinstance(event, QKeyEvent):
            return False
        is_tab = event.key() == Qt.Key.Key_Tab and not event.modifiers()
        if event.type() is not QEvent.Type.KeyPress or not is_tab or self._field.is_completing:
            return False
        if self._field.textCursor().block().layout().preeditAreaText():
            return False
        self.accept()
        return True


class _Button(QPushButton):
    """The whole line. It gives way where there is no room for all its words."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAutoDefault(False)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._icon = IconLabel(self)
        self._words = ElidedLabel(parent=self)
        self._key = PlainLabel(parent=self)
        self._key.setObjectName("key")
        self._row = QHBoxLayout(self)
        for part in (self._icon, self._words, self._key):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            self._row.addWidget(part)
        self.set_look(look)

    def set_look(self, look: Look) -> None:
        c, px = look.colours, look.px
        self.setFixedHeight(px(_HEIGHT))
        self._row.setContentsMargins(px(8), 0, px(5), 0)
        self._row.setSpacing(px(6))
        self._icon.set_icon("quote", c.ink_3, px(_ICON))
        self._words.setFont(look.font(tokens.LABEL_TEXT))
        self._words.set_ink(c.ink_2)
        self._key.setFont(look.font(tokens.KEY_TEXT))
        self._key.setFixedHeight(px(_CAP_HEIGHT))
        self._key.setText(tr("Tab"))
        self.setAccessibleDescription(tr("Tab adds it to the question"))
        self.setStyleSheet(
            f"""_Button {{ background: transparent; border: 1px dashed {c.edge}; padding: 0;
            border-radius: {px(tokens.CONTROL_RADIUS)}px; }}
            _Button:hover {{ background: {c.raised}; border-style: solid; }}
            _Button:pressed {{ background: {c.accent_soft}; }}
            _Button:focus {{ border: 2px solid {c.accent}; }}
            PlainLabel#key {{ color: {c.ink_3}; background: {c.raised}; border: 1px solid {c.line};
            border-radius: {px(4)}px; padding: 0 {px(4)}px; }}"""
        )

    def say(self, chip: Chip) -> None:
        self._words.setText(chip.offer)
        self.setAccessibleName(chip.offer)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        return QSize(self._row.sizeHint().width(), self.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(self._row.minimumSize().width(), self.height())
