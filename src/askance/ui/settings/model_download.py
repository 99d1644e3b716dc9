"""Downloading a model by its name, with how far it is; it goes on while other pages are looked at."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from askance.adapters.llm.ollama_pull import PullStep
from askance.adapters.system.memory import free_memory
from askance.domain.errors import AskanceError
from askance.health.findings import Step, Way
from askance.health.first_steps import suggested
from askance.presentation.i18n import size_text, tr, translated
from askance.ui.design import tokens
from askance.ui.design.controls import ProgressLine
from askance.ui.design.focus import announce
from askance.ui.design.labels import Tone, Words
from askance.ui.design.theme import Look
from askance.ui.engine.calls import Calls, Tell
from askance.ui.settings.progress import pull_text
from askance.ui.settings.surroundings import Surroundings

_PULL = "pull"


class ModelDownload(QWidget):
    """A field for the name, a button that downloads or stops, and a line of progress."""

    arrived = Signal(str)
    """The name of a model that is there now."""

    def __init__(
        self, look: Look, surroundings: Surroundings, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._around = surroundings
        self._calls = Calls(surroundings.chores, self)
        self._name = ""
        self.field = QLineEdit(self)
        name, size = suggested(free_memory())
        self.field.setPlaceholderText(
            tr("Another model, such as {name} ({size})", name=name, size=size_text(size))
        )
        self.field.setAccessibleName(tr("Name of a model to download"))
        self.field.returnPressed.connect(self._press)
        self.button = QPushButton(self)
        self.button.clicked.connect(self._press)
        self.line = ProgressLine(look, self)
        self.state = Words(look, Tone.HELP, parent=self)
        self.state.hide()
        self._row = QHBoxLayout()
        self._row.addWidget(self.field, 1)
        self._row.addWidget(self.button)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addLayout(self._row)
        self._column.addWidget(self.line)
        self._column.addWidget(self.state)
        self.set_look(look)
        self._show()

    def set_look(self, look: Look) -> None:
        """Draw with another look from now on."""
        self._column.setSpacing(look.px(tokens.SPACE_XS))
        self._row.setSpacing(look.px(tokens.SPACE_S))
        self.line.set_look(look)
        self.state.set_look(look)
        self.field.setFont(look.font(tokens.SMALL_TEXT))
        self.button.setFont(look.font(tokens.SMALL_TEXT))

    @property
    def is_under_way(self) -> bool:
        """Whether a model is being downloaded."""
        return self._calls.is_under_way(_PULL)

    def download(self, name: str) -> None:
        """Download a model; another one that is on its way is given up."""
        self._name = name

        async def work(_parts: object, tell: Tell) -> None:
            await self._around.take(Way(Step.DOWNLOAD_MODEL, model=name), tell)

        self._calls.follow(_PULL, work, self._told, self._ended)
        self.state.say(tr("Downloading {name}: connecting", name=name), Tone.HELP)
        self._show()

    def _press(self) -> None:
        if self.is_under_way:
            self._calls.give_up(_PULL)
            self.line.set_fraction(None)
            kept = tr("Stopped. It continues from here the next time.")
            self.state.say(kept, Tone.HELP)
            self._show()
        elif name := self.field.text().strip():
            self.download(name)

    def _told(self, step: PullStep) -> None:
        self.state.say(tr("Downloading {name}: {how}", name=self._name, how=pull_text(step)))
        if step.total_bytes:
            self.line.set_fraction(step.done_bytes / step.total_bytes)

    def _ended(self, result: object) -> None:
        self.line.set_fraction(None)
        if isinstance(result, AskanceError):
            self.state.say(translated(result), Tone.PROBLEM)
        else:
            self.state.say(tr("{name} is installed.", name=self._name), Tone.HELP)
            self.field.clear()
            self.arrived.emit(self._name)
        announce(self, self.state.text())
        self._show()

    def _show(self) -> None:
        self.button.setText(tr("Stop") if self.is_under_way else tr("Download"))
        self.field.setEnabled(not self.is_under_way)
