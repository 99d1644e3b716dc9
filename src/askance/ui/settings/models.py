"""The model picker: what the server has, with sizes and context, a row each; and downloading another one."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QWidget

from askance.app.checks.first_steps import suggested, without_server
from askance.app.model_choices import ModelChoice, model_choices
from askance.config.choices import LlmApi
from askance.config.settings import Settings
from askance.domain.errors import AskanceError
from askance.domain.messages import FixKind
from askance.presentation.i18n import plural, size_text, tr, translated
from askance.system.machine import free_memory
from askance.ui.bridge import PendingCalls
from askance.ui.design import theme
from askance.ui.design.composing import Button, Composite, LineField, column_of, row_of
from askance.ui.design.labels import StyledLabel, TextStyle
from askance.ui.design.lists import LineList, ListLine
from askance.ui.design.theme import Look
from askance.ui.settings.download_list import DownloadRow, show_rows
from askance.ui.settings.settings_jobs import LIST, ListPage, SettingsContext


class ModelNameField(Composite):
    """A field for the name of a model that Ollama is to download, and the downloads that there are."""

    def __init__(self, look: Look, context: SettingsContext, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._downloads = context.downloads
        name, size = suggested(free_memory())
        text = tr("Another model: for example {name} ({size})", name=name, size=size_text(size))
        about = StyledLabel(look, TextStyle.HELP, text, self)
        self.field = LineField(look, parent=self, name=tr("Name of a model to download"))
        self.button = Button(look, tr("Download"), self, self._press)
        self.field.returnPressed.connect(self._press)
        self.asking = (about, self.field, self.button)
        asking = row_of(look, self.field, self.button, gap=theme.SPACE_XS, wide=self.field)
        self.rows: dict[str, DownloadRow] = {}
        self._column = column_of(look, gap=0)
        self.setLayout(column_of(look, about, asking, self._column, gap=theme.SPACE_XS))
        self._downloads.changed.connect(self._show)
        self._show()

    def offer(self, *, can_pull: bool) -> None:
        """Show the field where there is a server that downloads; the downloads are shown anyway."""
        for part in self.asking:
            part.setVisible(can_pull)

    def _press(self) -> None:
        if name := self.field.text().strip():
            self.field.clear()
            self._downloads.pull(name)

    def _show(self) -> None:
        show_rows(self.look, self._downloads, self.rows, self._column)


_MOST_MODELS = 8
_START = "start"


class ModelControl(ListPage):
    """A list to choose from. It is asked for anew whenever the page is shown or a setting changes."""

    is_group = False

    def __init__(self, look: Look, context: SettingsContext) -> None:
        super().__init__(look, context)
        self._parts_calls = PendingCalls(context.bridge, self)
        self._value = ""
        self._listed: tuple[ModelChoice, ...] = ()
        self.list = LineList(look, _MOST_MODELS, self, is_low=True)
        self.list.chosen.connect(self._pick)
        self.main = self.list
        self.again = Button(look, tr("Check again"), self, self.refresh)
        self.start = Button(look, tr("Start Ollama"), self, self._start_ollama)
        self.start.hide()
        self.download = ModelNameField(look, context, self)
        context.downloads.arrived.connect(self._arrived)
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
        self._parts_calls.ask(LIST, model_choices, self._show)

    def _show(self, found: tuple[ModelChoice, ...] | AskanceError) -> None:
        if isinstance(found, AskanceError):
            self._listed = ()
            self.state.show_text(translated(found), TextStyle.NOTE)
            self.start.setVisible(self._can_start(found))
        else:
            self._listed, n = found, len(found)
            text = plural("{n} model on this server", "{n} models on this server", n)
            self.show_state(text)
            self.start.hide()
        # OpenAI's API has no request by which a model is downloaded.
        self.download.offer(can_pull=self._is_ollama())
        self._fill()

    def _fill(self) -> None:
        """Show the models, and the one of the settings as chosen."""
        lines = [ListLine(tr("Automatic"))]
        lines += [ListLine(m.name, "", self._details(m), key=m.name) for m in self._listed]
        # Ollama calls a model without a tag `name:latest`.
        names = {self._value, f"{self._value}:latest"}
        if names.isdisjoint(line.key for line in lines):
            lines.append(ListLine(self._value, "", tr("not installed"), key=self._value))
        # What is chosen here was not chosen by a person.
        with QSignalBlocker(self.list):
            self.list.show_lines(lines)
            self.list.choose(next(n for n, line in enumerate(lines) if line.key in names))

    def _pick(self, row: int) -> None:
        if row >= 0:
            self.edited.emit(self.list.lines[row].key)

    def _details(self, model: ModelChoice) -> str:
        parts = [translated(model.grade)] if model.grade is not None else []
        parts += [size_text(model.size_bytes)] if model.size_bytes else []
        parts.append(plural("{n} token", "{n} tokens", model.context_tokens))
        parts += [tr("in memory")] if model.is_loaded else []
        parts += [tr("on {host}", host=model.host)] if model.host else []
        return " · ".join(parts)

    def _arrived(self, settings: Settings) -> None:
        self.show_value(settings.llm.model)

    def _start_ollama(self) -> None:
        def then(result: object) -> None:
            self.start.setEnabled(True)
            if isinstance(result, AskanceError):
                self.state.show_text(translated(result), TextStyle.NOTE)
            else:
                self.refresh()

        self.start.setEnabled(False)
        self.show_state(tr("Starting Ollama"))
        self._calls.ask(_START, lambda _parts: self._context.start_ollama(), then)

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
