"""Settings whose control does more than hold a value, or holds none: the hotkey, SearXNG's address, the
consent, the keys of the window, and what this installation is."""

from __future__ import annotations

import platform

from PySide6.QtCore import Qt, qVersion
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QGridLayout

from askance import __version__
from askance.adapters.network.service_status import ServiceStatus, searxng_vitals
from askance.app.checks.findings import explanation
from askance.config.choices import Consent
from askance.config.folders import Folders
from askance.domain.errors import AskanceError, SettingsError
from askance.presentation.i18n import duration, tr, translated
from askance.ui.design import tokens
from askance.ui.design.composing import Button
from askance.ui.design.focus import announce, wants_ring
from askance.ui.design.hotkey_field import HotkeyField
from askance.ui.design.labels import StyledLabel, TextStyle, set_tip
from askance.ui.design.styling import style
from askance.ui.design.theme import Look
from askance.ui.engine.pending_calls import PendingCalls
from askance.ui.model.keys import KEYS
from askance.ui.settings.context import SettingsContext
from askance.ui.settings.controls import Control, LineControl
from askance.ui.settings.source import SettingsSource


class HotkeyControl(Control):
    """A field that takes a combination of keys by having it pressed."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.keys = HotkeyField(look, self)
        self.keys.chosen.connect(self.edited)
        self.row.addWidget(self.keys)
        self.row.addStretch(1)
        self._main = self.keys

    def call(self, label: str, about: str) -> None:
        """Say what it is for: its name says which keys they are."""
        self.keys.call(label, about)

    def show_value(self, text: str) -> None:
        """Show the combination in force."""
        self.keys.set_combination(text)


_VITALS = "vitals"


class SearxngControl(LineControl):
    """A field for the address. What answers there is asked how it is; no query is sent."""

    def __init__(self, look: Look, context: SettingsContext) -> None:
        super().__init__(look, narrow=False)
        self.status_label = StyledLabel(look, TextStyle.HELP, parent=self)
        self._around = context
        self._calls = PendingCalls(context.chores, self)
        self.status_label.setWordWrap(False)
        style(self.row, look, gap=tokens.SPACE_S)
        self.row.addWidget(self.status_label)

    def show_value(self, text: str) -> None:
        """Show the address in force, and ask there."""
        super().show_value(text)
        if self.isVisible():
            self.refresh()

    def refresh(self) -> None:
        """Ask what answers there."""

        async def work(_parts: object) -> ServiceStatus:
            search = self._around.source.load().search
            token_file = self._around.folders.search_token(search.url, search.token_file)
            return await searxng_vitals(search.url, token_file)

        self._calls.ask(_VITALS, work, self._show)

    def _show(self, status: ServiceStatus | AskanceError) -> None:
        if isinstance(status, AskanceError):
            self.status_label.show_text(tr("no answer"), TextStyle.NOTE)
            set_tip(self.status_label, translated(status))
        else:
            self.status_label.show_text(duration(status.ms), TextStyle.HELP)
            set_tip(self.status_label, tr("SearXNG {version}", version=status.version))


class ConsentControl(Control):
    """A button that explains first, and then takes a yes or a no."""

    def __init__(self, look: Look, source: SettingsSource) -> None:
        super().__init__(look)
        self._source = source
        self._value = Consent.UNASKED
        self._label = ""
        self.button = Button(look, parent=self)
        self.explanation = StyledLabel(look, TextStyle.HELP, parent=self)
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
        self._main = self.button

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
        self.explanation.show_text(self._explained() if asking else "")

    def _name(self) -> None:
        for button in (self.button, self.allow, self.refuse):
            button.setAccessibleName(f"{self._label}: {button.text()}")

    def _explained(self) -> str:
        try:
            return translated(explanation(self._source.load().search))
        except SettingsError as exc:
            return translated(exc)


_NATIVE = QKeySequence.SequenceFormat.NativeText


class AboutControl(Control):
    """A few lines that can be selected and copied."""

    is_wide = True
    is_group = True

    def __init__(self, look: Look, folders: Folders) -> None:
        super().__init__(look)
        grid = QGridLayout()
        grid.setHorizontalSpacing(look.px(tokens.SPACE_L))
        grid.setVerticalSpacing(look.px(tokens.SPACE_S))
        grid.setColumnStretch(1, 1)
        self.row.addLayout(grid)
        lines: list[StyledLabel] = []
        for number, (label, text) in enumerate(facts(folders)):
            about_label = StyledLabel(look, TextStyle.BODY, text, self)
            about_label.setTextInteractionFlags(
                Qt.TextInteractionFlag.TextSelectableByMouse
                | Qt.TextInteractionFlag.TextSelectableByKeyboard
            )
            about_label.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            wants_ring(about_label)
            about_label.setAccessibleName(f"{label}: {text}")
            named = StyledLabel(look, TextStyle.HELP, label, self)
            named.setWordWrap(False)
            grid.addWidget(named, number, 0)
            grid.addWidget(about_label, number, 1)
            lines.append(about_label)
        self._main = lines[0]


def facts(folders: Folders) -> tuple[tuple[str, str], ...]:
    """Return what a report of a mistake should say, and where everything is kept."""
    return (
        (tr("Version"), f"{__version__} (Python {platform.python_version()}, Qt {qVersion()})"),
        (tr("Licence"), "MIT"),
        (tr("Settings"), str(folders.settings_file)),
        (tr("Conversations"), str(folders.history)),
        (tr("Outbound requests"), str(folders.ledger)),
        (tr("Kept pages"), str(folders.page_cache)),
        (tr("Traces"), str(folders.traces)),
        (tr("Log"), str(folders.log)),
        (tr("Crash reports"), str(folders.crashes)),
    )


class KeysControl(Control):
    """A line for each key. It takes the focus as a whole, for those who have it read out."""

    is_wide = True

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        wants_ring(self)
        # Room for the ring around all of it.
        margins, gap = (0, tokens.SPACE_XS, 0, tokens.SPACE_XS), tokens.SPACE_L
        grid = style(QGridLayout(), look, gap=gap, gap_down=tokens.SPACE_XS, margins=margins)
        grid.setColumnStretch(1, 1)
        self.row.addLayout(grid)
        for number, (keys, does) in enumerate(KEYS):
            named = StyledLabel(look, TextStyle.BODY, "  ".join(map(_native, keys)), self)
            named.setWordWrap(False)
            label = StyledLabel(look, TextStyle.LEAD, tr(does), self)
            grid.addWidget(named, number, 0)
            grid.addWidget(label, number, 1)

    def call(self, label: str, about: str) -> None:
        """Say all of it: nothing in it takes the focus by itself."""
        lines = (f"{', '.join(map(_native, keys))}: {tr(does)}" for keys, does in KEYS)
        self.setAccessibleName(label)
        self.setAccessibleDescription("\n".join(filter(None, (about, *lines))))


def _native(keys: str) -> str:
    return QKeySequence(keys).toString(_NATIVE)
