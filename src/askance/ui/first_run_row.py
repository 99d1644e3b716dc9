"""One part on the first page: whether it is well, how it is, and the button that mends it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from askance.telling.words import tr
from askance.ui.doctoring import Diagnosis, Mend
from askance.ui.look import tokens
from askance.ui.look.theme import Look
from askance.ui.widgets.announcing import announce
from askance.ui.widgets.icon_label import IconLabel
from askance.ui.widgets.lettering import Tone, Words
from askance.ui.widgets.progress_line import ProgressLine

_NAME_WIDTH = 120
_SIGN = 16
_HEIGHT = 46


class PartRow(QWidget):
    """A row. It shows what it is told, and says when its button is pressed."""

    pressed = Signal(object, str)
    """The `Mend` that is wanted, and the model that it would fetch."""
    stopped = Signal()

    def __init__(self, look: Look, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._diagnosis: Diagnosis | None = None
        self._is_busy = False
        self.sign = IconLabel(self)
        self.name = Words(look, Tone.LABEL, name, self)
        self.says = Words(look, Tone.LEAD, tr("Looking"), self)
        self.more = Words(look, Tone.HELP, parent=self)
        self.line = ProgressLine(look, self)
        self.button = QPushButton(self)
        self.button.clicked.connect(self._press)
        texts = QVBoxLayout()
        texts.setContentsMargins(0, 0, 0, 0)
        for part in (self.says, self.more, self.line):
            texts.addWidget(part)
        self._texts = texts
        self._row = QHBoxLayout(self)
        centred = Qt.AlignmentFlag.AlignVCenter
        self._row.addWidget(self.sign, 0, centred)
        self._row.addWidget(self.name, 0, centred)
        self._row.addLayout(texts, 1)
        self._row.setAlignment(texts, centred)
        self._row.addWidget(self.button, 0, centred)
        self.more.hide()
        self.line.hide()
        self.button.hide()
        self.set_look(look)

    @property
    def diagnosis(self) -> Diagnosis | None:
        """How the part is, as far as is known."""
        return self._diagnosis

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        self._look = look
        px = look.px
        self.setMinimumHeight(px(_HEIGHT))
        self._row.setContentsMargins(0, px(8), 0, px(8))
        self._row.setSpacing(px(tokens.SPACE_M))
        self._texts.setSpacing(px(2))
        self.name.setFixedWidth(px(_NAME_WIDTH))
        for part in (self.name, self.says, self.more, self.line):
            part.set_look(look)
        self.button.setFont(look.font(tokens.SMALL_TEXT))
        self._draw_sign()

    def show_diagnosis(self, found: Diagnosis, more: str = "") -> None:
        """Show how the part is. `more` is to be read before the button is pressed."""
        self._diagnosis, self._is_busy = found, False
        self.says.say(found.says)
        self.more.say(more)
        self.line.hide()
        self.button.setVisible(bool(found.label))
        self._name_button(found.label)
        self.button.setProperty("primary", not found.well and found.mend is not Mend.CONSENT)
        self.button.style().polish(self.button)
        self._draw_sign()

    def show_work(self, says: str, fraction: float | None = None) -> None:
        """Show what is being done about it; the button gives it up."""
        self.says.say(says)
        if not self._is_busy:
            self._is_busy = True
            self.more.say("")
            self.button.setProperty("primary", False)
            self.button.style().polish(self.button)
            self._name_button(tr("Stop"))
            self.button.show()
            announce(self, says)
        self.line.setVisible(fraction is not None)
        self.line.set_fraction(fraction)

    def show_problem(self, problem: str) -> None:
        """Show why what was tried did not work; it can be tried again."""
        if self._diagnosis is not None:
            self.show_diagnosis(self._diagnosis)
        self.says.say(problem)
        announce(self, problem)

    def _press(self) -> None:
        if self._is_busy:
            self.stopped.emit()
        elif self._diagnosis is not None and self._diagnosis.mend is not None:
            self.pressed.emit(self._diagnosis.mend, self._diagnosis.model)

    def _name_button(self, label: str) -> None:
        self.button.setText(label)
        self.button.setAccessibleName(f"{self.name.text()}: {label}")

    def _draw_sign(self) -> None:
        c, found = self._look.colours, self._diagnosis
        if found is None:
            self.sign.setFixedSize(self._look.px(_SIGN), self._look.px(_SIGN))
            return
        name, colour = ("check", c.accent) if found.well else ("attention", c.amber)
        self.sign.set_icon(name, colour, self._look.px(_SIGN))
        self.says.setAccessibleName(
            self.says.text() if found.well else tr("Attention: {says}", says=self.says.text())
        )
