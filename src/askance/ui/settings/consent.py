"""Whether public engines may be asked directly: allowed only after what that means was read."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from askance.checkup.findings import explanation
from askance.config.settings import Consent
from askance.domain.errors import SettingsError
from askance.presentation.words import tr, translated
from askance.ui.design import tokens
from askance.ui.design.announcing import announce
from askance.ui.design.lettering import Tone, Words
from askance.ui.design.theme import Look
from askance.ui.settings.controls import Control
from askance.ui.settings.source import SettingsSource

_LEFT = Qt.AlignmentFlag.AlignLeft


class ConsentControl(Control):
    """A button that explains first, and then takes a yes or a no."""

    def __init__(self, look: Look, source: SettingsSource, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._source = source
        self._value = Consent.UNASKED
        self._label = ""
        self.button = QPushButton(self)
        self.explanation = Words(look, Tone.HELP, parent=self)
        self.explanation.hide()
        self.allow = QPushButton(tr("Allow"), self)
        self.refuse = QPushButton(tr("Don't allow"), self)
        self._column = QVBoxLayout()
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(self.explanation)
        for button in (self.button, self.allow, self.refuse):
            self._column.addWidget(button, 0, _LEFT)
        self.row.addLayout(self._column)
        self.button.clicked.connect(self._press)
        self.allow.clicked.connect(lambda: self._answer(Consent.GIVEN))
        self.refuse.clicked.connect(lambda: self._answer(Consent.REFUSED))
        self.set_look(look)
        self._show(asking=False)

    @property
    def main(self) -> QWidget:
        """The button."""
        return self.button

    def call(self, label: str, about: str) -> None:
        """Say what it is about before what each button does."""
        self._label = label
        self.button.setAccessibleDescription(about)
        self._name()

    def show_value(self, text: str) -> None:
        """Show what was said."""
        self._value = Consent(text)
        self._show(asking=False)

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        super().set_look(look)
        self._column.setSpacing(look.px(tokens.SPACE_S))
        self.explanation.set_look(look)
        for button in (self.button, self.allow, self.refuse):
            button.setFont(look.font(tokens.SMALL_TEXT))

    def _press(self) -> None:
        if self._value is Consent.GIVEN:
            self._answer(Consent.REFUSED)
        else:
            self._show(asking=True)
            self.allow.setFocus()
            announce(self, self.explanation.text())

    def _answer(self, answer: Consent) -> None:
        self._show(asking=False)
        self.button.setFocus()
        self.edited.emit(answer.value)

    def _show(self, *, asking: bool) -> None:
        given = self._value is Consent.GIVEN
        self.button.setText(tr("Allowed. Revoke") if given else tr("Allow…"))
        self._name()
        self.button.setVisible(not asking)
        self.allow.setVisible(asking)
        self.refuse.setVisible(asking)
        self.explanation.say(self._explained() if asking else "")

    def _name(self) -> None:
        for button in (self.button, self.allow, self.refuse):
            button.setAccessibleName(f"{self._label}: {button.text()}")

    def _explained(self) -> str:
        try:
            return translated(explanation(self._source.load().search))
        except SettingsError as exc:
            return translated(exc)
