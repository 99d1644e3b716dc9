"""The model picker: what the server has, with sizes and context, a row each; and downloading another one."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from askance.app.checks.first_steps import loaded_models, suggested, without_server
from askance.app.container import Container
from askance.config.choices import LlmApi
from askance.config.folders import Folders
from askance.config.settings import LlmSettings
from askance.domain.errors import AskanceError
from askance.domain.messages import FixAction, FixKind, Message
from askance.domain.ports.model import ModelInfo
from askance.presentation.i18n import plural, size_text, tr, translated
from askance.system.machine import free_memory
from askance.ui.bridge import OnProgress, PendingCalls
from askance.ui.design import theme
from askance.ui.design.composing import Button, LineField, row_of
from askance.ui.design.labels import StyledLabel, TextStyle
from askance.ui.design.lists import LineList, ListLine
from askance.ui.design.theme import Look
from askance.ui.settings.settings_jobs import LIST, ListPage, SettingsContext


class ModelDownload(ListPage):
    """What to download, a field for its name, a button that downloads or stops, and a line of progress."""

    has_job = True
    arrived = Signal(str)
    """The name of a model that is there now."""

    def __init__(self, look: Look, context: SettingsContext, parent: QWidget) -> None:
        super().__init__(look, context, parent)
        self._name = ""
        # As large as this machine can hold beside what it is doing now.
        name, size = suggested(free_memory())
        # It wraps where a field would cut it off.
        text = tr("Another model, such as {name} ({size})", name=name, size=size_text(size))
        about = StyledLabel(look, TextStyle.HELP, text, self)
        self.field = LineField(look, parent=self, name=tr("Name of a model to download"))
        self.field.returnPressed.connect(self._press)
        self.stop.clicked.connect(self._press)
        gap = theme.SPACE_XS
        asking = row_of(look, self.field, self.stop, gap=gap, wide=self.field)
        self.stack(about, asking, self.line, self.state, gap=gap)
        self.show_working()

    def _press(self) -> None:
        name = self.field.text().strip()
        if self.is_working:
            self.cancel_job()
            # Ollama keeps the part that has come.
            self.state.show_text(tr("Stopped. It continues from here the next time."))
        elif name:
            self._name = name

            async def work(_parts: object, on_progress: OnProgress) -> None:
                await self._context.apply_fix(
                    FixAction(FixKind.DOWNLOAD_MODEL, model=name), on_progress
                )

            message = tr("Downloading {name}: connecting", name=name)
            self.run_job(work, message, self._ended)

    def progress_text(self, text: str) -> str:
        """Say of which model that is."""
        return tr("Downloading {name}: {how}", name=self._name, how=text)

    def _ended(self, result: AskanceError | None) -> None:
        if result is None:
            self.report(tr("{name} is installed.", name=self._name))
            self.field.clear()
            self.arrived.emit(self._name)
        else:
            self.report(result)

    def show_working(self) -> None:
        """Let the button stop what it has begun."""
        self.stop.setText(tr("Stop") if self.is_working else tr("Download"))
        self.field.setEnabled(not self.is_working)


_MOST_MODELS = 8
_START = "start"


@dataclass(frozen=True, slots=True)
class Listed:
    """The models of a server, and which of them it holds in memory.

    `grades` are what `askance evaluate` found of them on this machine, by their names.
    """

    models: tuple[ModelInfo, ...] = ()
    loaded: frozenset[str] = frozenset()
    grades: Mapping[str, Message] = field(default_factory=dict[str, Message])


class ModelControl(ListPage):
    """A list to choose from. It is asked for anew whenever the page is shown or a setting changes."""

    is_group = False

    def __init__(self, look: Look, context: SettingsContext) -> None:
        super().__init__(look, context)
        self._parts_calls = PendingCalls(context.bridge, self)
        self._value = ""
        self._listed = Listed()
        self._is_filling = False
        self.list = LineList(look, _MOST_MODELS, self, is_low=True)
        self.list.chosen.connect(self._pick)
        self._main = self.list
        self.again = Button(look, tr("Check again"), self, self.refresh)
        self.start = Button(look, tr("Start Ollama"), self, self._start_ollama)
        self.start.hide()
        self.download = ModelDownload(look, context, self)
        self.download.arrived.connect(self._arrived)
        buttons = row_of(look, self.state, self.start, self.again, wide=self.state)
        self.stack(self.list, buttons, self.download)
        self._fill()

    def show_value(self, text: str) -> None:
        """Show which model is chosen, and ask the server for all of them."""
        self._value = text
        self._fill()
        if self.isVisible():
            self.refresh()

    def refresh(self) -> None:
        """Ask the server which models it has."""
        self.show_state(tr("Checking"))
        # Over the open parts, which know the server; jobs of this page run in chores.
        self._parts_calls.ask(LIST, partial(listed, self._context.folders), self._show)

    def _show(self, found: Listed | AskanceError) -> None:
        if isinstance(found, AskanceError):
            self._listed = Listed()
            self.state.show_text(translated(found), TextStyle.NOTE)
            self.start.setVisible(self._can_start(found))
        else:
            self._listed, n = found, len(found.models)
            text = plural("{n} model on this server", "{n} models on this server", n)
            self.show_state(text)
            self.start.hide()
        # OpenAI's API has no request by which a model is downloaded.
        self.download.setVisible(self._is_ollama())
        self._fill()

    def _fill(self) -> None:
        """Show the models, and the one of the settings as chosen."""
        lines = [ListLine(tr("First on the server"))]
        lines += [ListLine(m.name, "", self._details(m), key=m.name) for m in self._listed.models]
        # Ollama calls a model without a tag `name:latest`.
        names = {self._value, f"{self._value}:latest"}
        if names.isdisjoint(line.key for line in lines):
            lines.append(ListLine(self._value, "", tr("not installed"), key=self._value))
        self._is_filling = True
        self.list.show_lines(lines)
        self.list.choose(next(n for n, line in enumerate(lines) if line.key in names))
        self._is_filling = False

    def _pick(self, row: int) -> None:
        if row >= 0 and not self._is_filling:
            self.edited.emit(self.list.lines[row].key)

    def _details(self, model: ModelInfo) -> str:
        grade = self._listed.grades.get(model.name)
        parts = [translated(grade)] if grade is not None else []
        parts += [size_text(model.size_bytes)] if model.size_bytes else []
        parts.append(plural("{n} token", "{n} tokens", model.context_tokens))
        if model.name in self._listed.loaded:
            parts.append(tr("in memory"))
        if model.host:
            parts.append(tr("on {host}", host=model.host))
        return " · ".join(parts)

    def _arrived(self, name: str) -> None:
        self.refresh()
        self.edited.emit(name)

    def _start_ollama(self) -> None:
        async def work(_parts: object) -> None:
            await self._context.apply_fix(FixAction(FixKind.START_OLLAMA), lambda _step: None)

        def then(result: object) -> None:
            self.start.setEnabled(True)
            if isinstance(result, AskanceError):
                self.state.show_text(translated(result), TextStyle.NOTE)
            else:
                self.refresh()

        self.start.setEnabled(False)
        self.show_state(tr("Starting Ollama"))
        self._calls.ask(_START, work, then)

    def _can_start(self, problem: AskanceError) -> bool:
        source = self._context.source
        try:
            found = without_server(problem, source.load().llm, source.environment)
        except AskanceError:
            return False
        return FixKind.START_OLLAMA in found.steps

    def _is_ollama(self) -> bool:
        try:
            # What is wrong with the settings themselves is said above every page.
            return self._context.source.load().llm.api is LlmApi.OLLAMA
        except AskanceError:
            return False


async def listed(folders: Folders, parts: Any) -> Listed:
    """Ask the server of the open parts for its models. Raises ServiceError: it failed."""
    settings: LlmSettings = parts.settings.llm
    models = await parts.model.models() if parts.model is not None else ()
    # Asked only once the list has come: without it there is nothing to mark.
    loaded = await loaded_models(settings) if models else frozenset[str]()
    evaluated = Container(parts.settings, folders).evaluations
    grades = await asyncio.to_thread(evaluated.labels, settings.server) if models else {}
    return Listed(models, loaded, grades)
