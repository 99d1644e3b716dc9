"""New versions: what is known of them, their changes as plain text, and a button that asks now."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import datetime

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPlainTextEdit

from askance import __version__
from askance.domain.errors import AskanceError
from askance.domain.messages import NOTHING, Message
from askance.domain.updates import UpdateState
from askance.presentation.i18n import tr, translated, without_backticks
from askance.system.installation import find_installation
from askance.ui.design import tokens
from askance.ui.design.composing import Button, row_of, style
from askance.ui.design.focus import announce
from askance.ui.design.labels import StyledLabel, TextStyle
from askance.ui.design.theme import Look
from askance.ui.engine.bridge import PendingCalls
from askance.ui.settings.context import SettingsContext
from askance.ui.settings.controls import Control

_LOOK, _LINES = "look", 8


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known of new versions, and how this installation gets one."""

    state: UpdateState
    update: Message


class UpdatesControl(Control):
    """Says whether there is a new version. Only its button asks anybody."""

    is_wide = True

    def __init__(self, look: Look, context: SettingsContext) -> None:
        super().__init__(look)
        self._around = context
        self._calls = PendingCalls(context.chores, self)
        self.status_label = StyledLabel(look, TextStyle.BODY, parent=self)
        self.how = StyledLabel(look, TextStyle.HELP, parent=self)
        self.how.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.changes = QPlainTextEdit(self)
        self.changes.setReadOnly(True)
        self.changes.setProperty("field", True)
        self.changes.setTabChangesFocus(True)
        self.changes.setAccessibleName(tr("What has changed"))
        style(self.changes, look, font=tokens.LABEL_TEXT, height=tokens.SMALL_LINE * _LINES)
        self.ask = Button(look, tr("Check now"), self)
        self.ask.clicked.connect(self._ask)
        for part in (self.how, self.changes):
            part.hide()
        self.stack(self.status_label, self.how, self.changes, row_of(look, self.ask, None))
        self._main = self.ask

    def call(self, label: str, about: str) -> None:
        """Say what the button is about."""
        self.ask.setAccessibleName(f"{label}: {self.ask.text()}")
        self.ask.setAccessibleDescription(about)

    def refresh(self) -> None:
        """Show what is known; nobody is asked."""
        self._look(asks=False)

    def _ask(self) -> None:
        self.ask.setEnabled(False)
        self.status_label.show_text(tr("Checking"))
        self._look(asks=True)

    def _look(self, *, asks: bool) -> None:
        around = self._around

        def update(state: UpdateState) -> Message:
            newer = state.newer(__version__)
            if not newer:
                return NOTHING
            return find_installation(around.source.environment).update_to(newer[0].version)

        async def work(_parts: object) -> _Known:
            checker = around.updates()
            state = await checker.now() if asks else checker.state
            return _Known(state, await asyncio.to_thread(update, state))

        def then(found: _Known | AskanceError) -> None:
            self.ask.setEnabled(True)
            if isinstance(found, AskanceError):
                self._show(translated(found), "", "", is_problem=True)
            else:
                self._show_known(found)
            if asks:
                announce(self, self.status_label.text())

        self._calls.ask(_LOOK, work, then)

    def _show_known(self, known: _Known) -> None:
        newer = known.state.newer(__version__)
        if newer:
            version = newer[0].version
            text = tr("{version} is available; this is {own}.", version=version, own=__version__)
            changes = "\n\n".join(f"{release.version}\n{release.changes}" for release in newer)
            self._show(text, without_backticks(translated(known.update)), changes)
        else:
            self._show(*_nothing_new(known.state))

    def _show(self, text: str, how: str, changes: str, *, is_problem: bool = False) -> None:
        self.status_label.show_text(text, TextStyle.NOTE if is_problem else TextStyle.BODY)
        self.how.show_text(how)
        self.how.setVisible(bool(how))
        if changes != self.changes.toPlainText():
            self.changes.setPlainText(changes)
        self.changes.setVisible(bool(changes))


def _nothing_new(state: UpdateState) -> tuple[str, str, str]:
    if not state.asked_at:
        return tr("Nobody was asked for newer versions yet."), "", ""
    day = f"{datetime.fromtimestamp(state.asked_at[-1]).astimezone():%Y-%m-%d}"
    if state.problem:
        return tr("No answer on {day}.", day=day), translated(state.problem), ""
    return tr("{own} was the newest version on {day}.", own=__version__, day=day), "", ""
