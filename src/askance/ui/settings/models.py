"""The model picker: what the server has, with sizes and context; another one can be fetched."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from askance.adapters.network.vitals import loaded_models
from askance.checkup.findings import Step, Way
from askance.checkup.first_steps import without_server
from askance.config.settings import LlmApi, LlmSettings
from askance.domain.errors import AskanceError
from askance.ports.model import ModelInfo
from askance.presentation.words import plural, size_text, tr, translated
from askance.ui.design import tokens
from askance.ui.design.lettering import Tone, Words
from askance.ui.design.theme import Look
from askance.ui.settings.controls import Control
from askance.ui.settings.model_row import ModelRow
from askance.ui.settings.pulling import Pulling
from askance.ui.settings.surroundings import Surroundings
from askance.ui.talk.calls import Calls

_LIST, _START = "list", "start"


@dataclass(frozen=True, slots=True)
class Listed:
    """The models of a server, which of them it holds in memory, and the settings it was asked with."""

    models: tuple[ModelInfo, ...]
    loaded: frozenset[str]
    settings: LlmSettings


class ModelControl(Control):
    """A list to choose from. It is asked for anew whenever the page is shown or a setting changes."""

    is_wide = True
    is_group = True

    def __init__(
        self, look: Look, surroundings: Surroundings, parent: QWidget | None = None
    ) -> None:
        super().__init__(look, parent)
        self._around = surroundings
        self._calls = Calls(surroundings.bridge, self)
        self._chores = Calls(surroundings.chores, self)
        self._value = ""
        self._found: Sequence[ModelInfo] = ()
        self._loaded: frozenset[str] = frozenset()
        self.rows: list[ModelRow] = []
        self._group = QButtonGroup(self)
        self.state = Words(look, Tone.HELP, parent=self)
        self.again = QPushButton(tr("Check again"), self)
        self.start = QPushButton(tr("Start Ollama"), self)
        self.start.hide()
        self.pulling = Pulling(look, surroundings, self)
        self.pulling.arrived.connect(self._arrived)
        self.again.clicked.connect(self.look_again)
        self.start.clicked.connect(self._start_ollama)
        self._list = QVBoxLayout()
        self._list.setSpacing(look.px(2))
        buttons = QHBoxLayout()
        for part in (self.state, self.start, self.again):
            buttons.addWidget(part, 1 if part is self.state else 0)
        self._column = QVBoxLayout()
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addLayout(self._list)
        self._column.addLayout(buttons)
        self._column.addWidget(self.pulling)
        self.row.addLayout(self._column)
        self._fill()
        self.set_look(look)

    @property
    def main(self) -> QWidget:
        """The row that is chosen."""
        return next((row for row in self.rows if row.isChecked()), self.rows[0])

    def show_value(self, text: str) -> None:
        """Show which model is chosen, and ask the server for all of them."""
        self._value = text
        self._fill()
        if self.isVisible():
            self.look_again()

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        super().set_look(look)
        self._column.setSpacing(look.px(tokens.SPACE_S))
        self.state.set_look(look)
        self.pulling.set_look(look)
        for button in (self.again, self.start):
            button.setFont(look.font(tokens.SMALL_TEXT))
        for row in self.rows:
            row.set_look(look)

    def look_again(self) -> None:
        """Ask the server which models it has."""
        self.state.say(tr("Checking"), Tone.HELP)
        self._calls.ask(_LIST, listed, self._show)

    def _show(self, found: Listed | AskanceError) -> None:
        if isinstance(found, AskanceError):
            self._found, self._loaded = (), frozenset()
            self.state.say(translated(found), Tone.NOTE)
            self.start.setVisible(self._can_start(found))
        else:
            self._found, self._loaded = found.models, found.loaded
            told = plural(
                "{n} model on this server", "{n} models on this server", len(found.models)
            )
            self.state.say(told, Tone.HELP)
            self.start.hide()
        self.pulling.setVisible(self._is_ollama())
        self._fill()

    def _fill(self) -> None:
        """Make the rows anew where there are others; the focus stays on its row."""
        wanted = [("", tr("First on the server"), "")]
        wanted += [(m.name, m.name, self._details(m)) for m in self._found]
        names = {name for name, _, _ in wanted}
        if self._value and not {self._value, f"{self._value}:latest"} & names:
            wanted.append((self._value, self._value, tr("not installed")))
        if [row.shown for row in self.rows] != wanted:
            had_focus = any(row.hasFocus() for row in self.rows)
            for row in self.rows:
                self._group.removeButton(row)
                row.setParent(None)
                row.deleteLater()
            self.rows = [ModelRow(self.look, *shown, self) for shown in wanted]
            for row in self.rows:
                self._group.addButton(row)
                self._list.addWidget(row)
                row.picked.connect(self.edited)
            if had_focus:
                self.rows[0].setFocus()
        for row in self.rows:
            if row.name in {self._value, f"{self._value}:latest"}:
                row.setChecked(True)

    def _details(self, model: ModelInfo) -> str:
        parts = [size_text(model.size_bytes)] if model.size_bytes else []
        parts.append(plural("{n} token", "{n} tokens", model.context_tokens))
        if model.name in self._loaded:
            parts.append(tr("in memory"))
        if model.host:
            parts.append(tr("on {host}", host=model.host))
        return " · ".join(parts)

    def _arrived(self, name: str) -> None:
        self.look_again()
        self.edited.emit(name)

    def _start_ollama(self) -> None:
        async def work(_parts: object) -> None:
            await self._around.take(Way(Step.START_OLLAMA), lambda _step: None)

        def then(result: object) -> None:
            self.start.setEnabled(True)
            if isinstance(result, AskanceError):
                self.state.say(translated(result), Tone.NOTE)
            else:
                self.look_again()

        self.start.setEnabled(False)
        self.state.say(tr("Starting Ollama"), Tone.HELP)
        self._chores.ask(_START, work, then)

    def _can_start(self, problem: AskanceError) -> bool:
        source = self._around.source
        try:
            found = without_server(problem, source.load().llm, source.environment)
        except AskanceError:
            return False
        return Step.START_OLLAMA in found.steps

    def _is_ollama(self) -> bool:
        try:
            return self._around.source.load().llm.api is LlmApi.OLLAMA
        except AskanceError:
            return False


async def listed(parts: Any) -> Listed:
    """Ask the server of the open parts for its models. Raises ServiceError: it failed."""
    settings: LlmSettings = parts.settings.llm
    models = await parts.model.models() if parts.model is not None else ()
    loaded: dict[str, int] = {}
    if models and settings.api is LlmApi.OLLAMA:
        with suppress(AskanceError):  # an older Ollama does not tell
            loaded = await loaded_models(settings.url)
    return Listed(models, frozenset(loaded), settings)
