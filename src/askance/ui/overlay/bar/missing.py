"""The row below the ask bar that says what is missing for an answer, with the one button that helps."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAccessible, QFont, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from askance.presentation.i18n import tr, translated, without_backticks
from askance.presentation.missing_parts import MissingPart
from askance.ui.design import theme
from askance.ui.design.composing import Button, Composite, column_of, row_of, style
from askance.ui.design.drawing import IconLabel, draw_hairline
from askance.ui.design.focus import LinkButton, announce
from askance.ui.design.labels import StyledLabel, TextStyle
from askance.ui.design.theme import Look

_ICON = 18
# A picture's lines begin two pixels inside of it: they stand in line with the text above.
_AROUND, _INSET = (22, 13, 24, 14), 2
_LEAST_BUTTON = 148


class MissingPartRow(Composite):
    """What is missing, what works all the same, and a button; hidden while nothing is missing.

    Addresses and commands stand in the details, which a click unfolds. It never takes the focus by itself.
    """

    accessible_role = QAccessible.Role.AlertMessage
    pressed = Signal(object)
    """The button of this `MissingPart` was pressed."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.part: MissingPart | None = None
        self._has_below = False
        self._icon = IconLabel(look, _ICON, parent=self)
        self._title = StyledLabel(look, TextStyle.LABEL, parent=self)
        style(self._title, look, font=theme.BODY_TEXT - 1, weight=QFont.Weight.DemiBold)
        self._sentence = StyledLabel(look, TextStyle.LEAD, parent=self)
        self.more = LinkButton(self, then=self._turn)
        self.more.setProperty("link", True)
        style(self.more, look, font=theme.SMALL_TEXT, min_height=theme.TARGET)
        self.details = StyledLabel(look, TextStyle.HELP, parent=self)
        self.details.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.button = Button(look, parent=self, then=self.press)
        self.button.setProperty("primary", True)
        style(self.button, look, min_width=_LEAST_BUTTON, height=theme.CONTROL_HEIGHT)
        saying = row_of(look, self._sentence, self.more, None, gap=2)
        texts = column_of(look, self._title, saying, self.details, gap=theme.SPACE_XS)
        whole = row_of(look, self._icon, gap=theme.SPACE_M + _INSET, margins=_AROUND)
        whole.addLayout(texts, 1)
        whole.put(self.button)
        whole.setAlignment(self._icon, Qt.AlignmentFlag.AlignTop)
        self.setLayout(whole)
        self.hide()

    @property
    def texts(self) -> tuple[str, ...]:
        """What it says, without the details."""
        return (self._title.text(), self._sentence.text(), self.button.text())

    def show_part(self, part: MissingPart | None) -> None:
        """Say what is missing; None hides the row. The same one again changes nothing."""
        if part == self.part:
            return
        self.part = part
        self.setVisible(part is not None)
        if part is None:
            return
        self._icon.set_icon(part.icon, "ink_2")
        self._title.show_text(translated(part.title))
        self._sentence.show_text(translated(part.sentence))
        self.button.setText(translated(part.button))
        self.details.setText(without_backticks(translated(part.details)))
        self.details.hide()
        self.more.setVisible(bool(part.details))
        self._name_details()
        self._fit()
        self.setAccessibleName(self._title.text())
        self.button.setAccessibleDescription(" ".join(self.texts[:2]))
        announce(self, ". ".join(self.texts[:2]))

    @property
    def content_height(self) -> int:
        """How high it is at its width, in pixels; 0 while it is hidden."""
        layout = self.layout()
        assert layout is not None
        return 0 if self.isHidden() else layout.totalHeightForWidth(max(self.width(), 1))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Let the details follow the sentence."""
        super().resizeEvent(event)
        self._fit()

    def _restyle(self) -> None:
        self._fit()

    def _fit(self) -> None:
        """Make the sentence as wide as it is, or as there is room for."""
        px, around = self.look.px, _AROUND[0] + _AROUND[2] + _ICON + 3 * theme.SPACE_M + 2 * _INSET
        button = max(self.button.sizeHint().width(), self.button.minimumWidth())
        room = self.width() - px(around) - button
        if self.part is not None and self.part.details:
            room -= self.more.sizeHint().width()
        whole = self._sentence.fontMetrics().horizontalAdvance(self._sentence.text()) + 2
        self._sentence.setFixedWidth(max(1, min(whole, room)))

    def set_has_below(self, has_below: bool) -> None:
        """Say whether something stands below: then the hairline above is the bar's."""
        self._has_below = has_below
        self.update()

    def press(self) -> None:
        """Do what the button promises, if there is one."""
        if self.part is not None:
            self.pressed.emit(self.part)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002 - Qt's interface
        """Draw the hairline that parts it from the bar, or from what stands below."""
        with QPainter(self) as painter:
            top = self.height() - 1 if self._has_below else 0
            draw_hairline(painter, self.look.colours.line, self.width(), top)

    def _turn(self) -> None:
        self.details.setVisible(self.details.isHidden())
        self._name_details()
        announce(self, "" if self.details.isHidden() else self.details.text())

    def _name_details(self) -> None:
        self.more.setText(tr("Details") if self.details.isHidden() else tr("Hide details"))
