"""The containers: how each is, and the buttons that start and stop them."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout

from askance.domain.errors import AskanceError
from askance.domain.messages import Message
from askance.domain.ports.containers import (
    MISSING,
    READER,
    READER_NET,
    RUNNING,
    SEARCH_GATEWAY,
    SEARXNG,
    SERVER,
    ComposeProgress,
    Health,
    ServiceState,
    Survey,
)
from askance.presentation.i18n import duration, term, tr, translated
from askance.ui.design import tokens
from askance.ui.design.composing import Button, FlowLayout, style
from askance.ui.design.controls import ProgressLine
from askance.ui.design.drawing import IconLabel
from askance.ui.design.focus import announce
from askance.ui.design.labels import StyledLabel, TextStyle
from askance.ui.design.theme import Look
from askance.ui.engine.bridge import OnProgress, PendingCalls
from askance.ui.settings.context import SettingsContext, start_text
from askance.ui.settings.controls import Control

_SURVEY, _WORK = "survey", "work"
_NAMES = {
    SEARXNG: "SearXNG",
    SEARCH_GATEWAY: term("SearXNG's gateway"),
    READER: term("Page reader"),
    READER_NET: term("Page reader's network"),
    SERVER: term("Server for other programs"),
}
_HEALTH = {
    Health.HEALTHY: term("running"),
    Health.NONE: term("running"),
    Health.STARTING: term("starting"),
    Health.UNHEALTHY: term("running, but unhealthy"),
}

_SIGN = 16


class ServicesControl(Control):
    """A line a service. The steps of starting are shown while it goes on."""

    is_wide = True
    is_group = True

    moved = Signal()
    """The services were started or stopped: the parts that use them must be opened anew."""

    def __init__(self, look: Look, context: SettingsContext) -> None:
        super().__init__(look)
        self._around = context
        self._calls = PendingCalls(context.chores, self)
        self._lines: list[tuple[IconLabel, StyledLabel, StyledLabel]] = []
        self.up = Button(look, tr("Start"), self)
        self.down = Button(look, tr("Stop"), self)
        self.stop = Button(look, tr("Cancel"), self)
        self.again = Button(look, tr("Check again"), self)
        self.state = StyledLabel(look, TextStyle.HELP, parent=self)
        self.line = ProgressLine(look, self)
        self._grid = style(QGridLayout(), look, gap=tokens.SPACE_M, gap_down=tokens.SPACE_S)
        self._grid.setColumnStretch(2, 1)
        buttons = FlowLayout(look, self.up, self.down, self.stop, self.again)
        self.stack(self._grid, self.state, self.line, buttons)
        self.up.clicked.connect(self._start)
        self.down.clicked.connect(self._end)
        self.stop.clicked.connect(self._give_up)
        self.again.clicked.connect(self.refresh)
        self._enable()
        self._main = self.up

    @property
    def status_lines(self) -> list[str]:
        """What is said of each service."""
        return [f"{name.text()}: {label.text()}" for _, name, label in self._lines]

    def refresh(self) -> None:
        """Ask the engine how the services are."""
        if not self._is_working:
            self.state.show_text(tr("Checking"), TextStyle.HELP)
            self._calls.ask(_SURVEY, self._survey, self._show)

    def begin(self) -> None:
        """Start what is missing, unless something is under way."""
        if not self._is_working:
            self._start()

    @property
    def _is_working(self) -> bool:
        return self._calls.is_under_way(_WORK)

    async def _survey(self, _parts: object) -> Survey:
        return await self._around.services().survey()

    def _show(self, survey: Survey | AskanceError) -> None:
        if isinstance(survey, AskanceError):
            self._write(())
            self.up.show()
            self.state.show_text(translated(survey), TextStyle.NOTE)
            return
        self._write(tuple((s, _how(survey, s)) for s in survey.services))
        engine = tr("{name} {version}", name=survey.engine.name, version=survey.engine.version)
        self.state.show_text(engine, TextStyle.HELP)
        self.up.setText(tr("Start the others") if survey.begun else tr("Start"))
        self.up.setVisible(survey.startable)
        self.down.setVisible(survey.begun)

    def _write(self, states: tuple[tuple[ServiceState, tuple[bool, str]], ...]) -> None:
        for parts in self._lines:
            for part in parts:
                self._grid.removeWidget(part)
                part.setParent(None)
                part.deleteLater()
        self._lines = []
        for number, (state, (is_well, message)) in enumerate(states):
            shown = ("check", "accent") if is_well else ("attention", "amber")
            sign = IconLabel(self.look, _SIGN, *shown, self)
            name = StyledLabel(
                self.look, TextStyle.BODY, tr(_NAMES.get(state.name, state.name)), self
            )
            name.setWordWrap(False)
            how = StyledLabel(
                self.look, TextStyle.BODY if is_well else TextStyle.NOTE, message, self
            )
            for column, part in enumerate((sign, name, how)):
                self._grid.addWidget(part, number, column)
            self._lines.append((sign, name, how))

    def _start(self) -> None:
        async def work(_parts: object, on_progress: OnProgress) -> Survey:
            return (await self._around.services().up(on_progress)).survey

        self._work(work, tr("Checking for Docker or Podman"))

    def _end(self) -> None:
        async def work(_parts: object, on_progress: OnProgress) -> Survey:
            await self._around.services().down(on_progress)
            return await self._around.services().survey()

        self._work(work, tr("Stopping"))

    def _work(self, work: Any, message: str) -> None:
        self._calls.give_up(_SURVEY)
        had_focus = self.up.hasFocus() or self.down.hasFocus()
        self._calls.follow(_WORK, work, self._show_step, self._ended)
        self.state.show_text(message, TextStyle.HELP)
        self._enable()
        if had_focus:
            self.stop.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_step(self, step: ComposeProgress) -> None:
        self.state.show_text(start_text(step), TextStyle.HELP)
        whole = step.total_bytes
        self.line.set_fraction(step.current_bytes / whole if whole else None)

    def _ended(self, result: Survey | AskanceError) -> None:
        self.line.set_fraction(None)
        self._enable()
        if isinstance(result, AskanceError):
            self.up.show()
            self.state.show_text(translated(result), TextStyle.PROBLEM)
        else:
            self._show(result)
        announce(self, self.state.text())
        self.moved.emit()

    def _give_up(self) -> None:
        self._calls.give_up(_WORK)
        self.line.set_fraction(None)
        self._enable()
        self.refresh()

    def _enable(self) -> None:
        working, had_focus = self._is_working, self.stop.hasFocus()
        self.up.setEnabled(not working)
        self.down.setEnabled(not working)
        self.again.setEnabled(not working)
        if had_focus and not working:
            self.up.setFocus(Qt.FocusReason.OtherFocusReason)
        self.stop.setVisible(working)


def _how(survey: Survey, state: ServiceState) -> tuple[bool, str]:
    """Return whether a service is well, and how it is in words."""
    trip = survey.round_trip(state.name)
    if state.state == MISSING:
        return False, tr("not started")
    if state.state != RUNNING:
        reason = f": {translated(Message.term(state.reason))}" if state.reason else ""
        return False, translated(Message.term(state.state)) + reason
    if trip is not None and trip.problem:
        return False, translated(trip.problem)
    health = tr(_HEALTH[state.health])
    where = ", ".join(state.addresses)
    span = duration(trip.ms) if trip is not None else ""
    return state.ok, " · ".join(filter(None, (health, where, span)))
