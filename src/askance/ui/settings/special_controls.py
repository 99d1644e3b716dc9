"""Settings whose control does more than hold a value: the hotkey, SearXNG's address, the consent."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from askance.adapters.network.service_status import Vitals, searxng_vitals
from askance.config.choices import Consent
from askance.domain.errors import AskanceError, SettingsError
from askance.health.findings import explanation
from askance.presentation.i18n import duration, tr, translated
from askance.ui.design import tokens
from askance.ui.design.composing import Button
from askance.ui.design.focus import announce
from askance.ui.design.hotkey_field import HotkeyField
from askance.ui.design.labels import Tone, Words, set_tip
from askance.ui.design.theme import Look
from askance.ui.engine.calls import Calls
from askance.ui.settings.controls import Control, LineControl
from askance.ui.settings.source import SettingsSource
from askance.ui.settings.surroundings import Surroundings


class HotkeyControl(Control):
    """A field that takes a combination of keys by having it pressed."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.keys = HotkeyField(look, self)
        self.keys.chosen.connect(self.edited)
        self.row.addWidget(self.keys)
        self.row.addStretch(1)

    @property
    def main(self) -> QWidget:
        """The field."""
        return self.keys

    def call(self, label: str, about: str) -> None:
        """Say what it is for: its name says which keys they are."""
        self.keys.call(label, about)

    def show_value(self, text: str) -> None:
        """Show the combination in force."""
        self.keys.set_combination(text)


_VITALS = "vitals"


class SearxngControl(LineControl):
    """A field for the address. What answers there is asked how it is; no query is sent."""

    def __init__(self, look: Look, surroundings: Surroundings) -> None:
        super().__init__(look, narrow=False)
        self.says = Words(look, Tone.HELP, parent=self)
        self._around = surroundings
        self._calls = Calls(surroundings.chores, self)
        self.says.setWordWrap(False)
        self.row.addWidget(self.says)

    def show_value(self, text: str) -> None:
        """Show the address in force, and ask there."""
        super().show_value(text)
        if self.isVisible():
            self.refresh()

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        super().set_look(look)
        self.row.setSpacing(look.px(tokens.SPACE_S))

    def refresh(self) -> None:
        """Ask what answers there."""

        async def work(_parts: object) -> Vitals:
            search = self._around.source.load().search
            token_file = self._around.folders.search_token(search.url, search.token_file)
            return await searxng_vitals(search.url, token_file)

        self._calls.ask(_VITALS, work, self._show)

    def _show(self, vitals: Vitals | AskanceError) -> None:
        if isinstance(vitals, AskanceError):
            self.says.say(tr("no answer"), Tone.NOTE)
            set_tip(self.says, translated(vitals))
        else:
            self.says.say(duration(vitals.ms), Tone.HELP)
            set_tip(self.says, tr("SearXNG {version}", version=vitals.version))


class ConsentControl(Control):
    """A button that explains first, and then takes a yes or a no."""

    def __init__(self, look: Look, source: SettingsSource) -> None:
        super().__init__(look)
        self._source = source
        self._value = Consent.UNASKED
        self._label = ""
        self.button = Button(look, parent=self)
        self.explanation = Words(look, Tone.HELP, parent=self)
        self.explanation.hide()
        self.allow = Button(look, tr("Allow"), self)
        self.refuse = Button(look, tr("Don't allow"), self)
        buttons = (self.button, self.allow, self.refuse)
        stacked = self.stack(self.explanation, *buttons)
        for button in buttons:
            stacked.setAlignment(button, Qt.AlignmentFlag.AlignLeft)
        self.button.clicked.connect(self._press)
        self.allow.clicked.connect(lambda: self._answer(Consent.GIVEN))
        self.refuse.clicked.connect(lambda: self._answer(Consent.REFUSED))
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
