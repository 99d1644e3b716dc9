"""One part on the first page: whether it is well, how it is, and the buttons that fix it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from askance.app.checks.findings import CheckResult
from askance.domain.fixes import FixKind
from askance.presentation.i18n import tr, translated
from askance.ui.design import tokens
from askance.ui.design.composing import Button, Composite, column_of, row_of
from askance.ui.design.controls import ProgressLine
from askance.ui.design.focus import announce
from askance.ui.design.icons import IconLabel
from askance.ui.design.labels import StyledLabel, TextStyle
from askance.ui.design.theme import Look

_NAME_WIDTH = 120
_SIGN = 16
_HEIGHT = 46


def make_primary(button: QPushButton, *, is_primary: bool) -> None:
    """Let a button be the one that stands out, or one of the others."""
    if bool(button.property("primary")) is not is_primary:
        button.setProperty("primary", is_primary)
        button.style().polish(button)


class PartRow(Composite):
    """A row. It shows what it is told, and says which of its buttons is pressed."""

    pressed = Signal(object)
    """The `Way` that is wanted."""
    stopped = Signal()

    def __init__(self, look: Look, name: str, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.finding: CheckResult | None = None
        self._is_busy = False
        self.sign = IconLabel(self)
        self.name = StyledLabel(look, TextStyle.LABEL, name, self)
        self.status_label = StyledLabel(look, TextStyle.LEAD, tr("Checking"), self)
        self.more = StyledLabel(look, TextStyle.HELP, parent=self)
        self.line = ProgressLine(look, self)
        self.button, self.other = Button(look, parent=self), Button(look, parent=self)
        """The first way, or what stops it; and the second."""
        self.button.clicked.connect(partial(self._press, 0))
        self.other.clicked.connect(partial(self._press, 1))
        # In the middle by what is around them: with an alignment Qt gives texts that wrap too little.
        texts = column_of(look, None, self.status_label, self.more, self.line, None, gap=2)
        buttons = column_of(look, self.button, self.other)
        for button in (self.button, self.other):
            button.hide()
        self.row = row_of(look, self.sign, self.name, texts, buttons, gap=tokens.SPACE_M)
        self.row.setStretch(2, 1)
        for part in (self.sign, self.name):
            self.row.setAlignment(part, Qt.AlignmentFlag.AlignVCenter)
        self.row.setAlignment(buttons, Qt.AlignmentFlag.AlignVCenter)
        self.setLayout(self.row)
        self.more.hide()
        self.line.hide()
        self.set_look(look)

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        super().set_look(look)
        px = look.px
        self.setMinimumHeight(px(_HEIGHT))
        self.row.setContentsMargins(0, px(8), 0, px(8))
        self.name.setFixedWidth(px(_NAME_WIDTH))
        self._draw_sign()

    def show_finding(self, found: CheckResult) -> None:
        """Show how the part is, and a button for each way to fix it: two at most."""
        self.finding, self._is_busy = found, False
        self.status_label.show_text(translated(found.message))
        self.more.show_text(translated(found.more))
        self.line.hide()
        for at, button in enumerate((self.button, self.other)):
            label = translated(found.actions[at].label) if at < len(found.actions) else ""
            button.setVisible(bool(label))
            self._name_button(button, label)
            make_primary(button, is_primary=False)
        self._draw_sign()

    def point_out(self, step: FixKind | None) -> bool:
        """Let the button of this step stand out, where there is one. Return whether there is."""
        steps = self.finding.steps if self.finding is not None and not self._is_busy else []
        for at, button in enumerate((self.button, self.other)):
            make_primary(button, is_primary=steps[at : at + 1] == [step])
        return step in steps

    def show_work(self, message: str, fraction: float | None = None) -> None:
        """Show what is being done about it; the button gives it up."""
        self.status_label.show_text(message)
        if not self._is_busy:
            self._is_busy = True
            self.more.show_text("")
            make_primary(self.button, is_primary=False)
            self._name_button(self.button, tr("Stop"))
            self.button.show()
            self.other.hide()
            announce(self, message)
        self.line.setVisible(fraction is not None)
        self.line.set_fraction(fraction)

    def show_problem(self, problem: str) -> None:
        """Show why what was tried did not work; it can be tried again."""
        if self.finding is not None:
            self.show_finding(self.finding)
        self.status_label.show_text(problem)
        announce(self, problem)

    def _press(self, at: int) -> None:
        if self._is_busy:
            self.stopped.emit()
        elif self.finding is not None and at < len(self.finding.actions):
            self.pressed.emit(self.finding.actions[at])

    def _name_button(self, button: QPushButton, label: str) -> None:
        button.setText(label)
        button.setAccessibleName(f"{self.name.text()}: {label}")

    def _draw_sign(self) -> None:
        c, found = self.look.colours, self.finding
        if found is None:
            self.sign.setFixedSize(self.look.px(_SIGN), self.look.px(_SIGN))
            return
        name, colour = ("check", c.accent) if found.is_well else ("attention", c.amber)
        self.sign.set_icon(name, colour, self.look.px(_SIGN))
        self.status_label.setAccessibleName(
            self.status_label.text()
            if found.is_well
            else tr("Attention: {says}", says=self.status_label.text())
        )
