"""The other programs that ask: what each may do, what it did last, and that it can be forgotten."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent, QMouseEvent, QShowEvent
from PySide6.QtWidgets import QGridLayout, QWidget

from askance.adapters.storage.database import utc_now
from askance.app.stores import open_clients
from askance.domain.clients import Capability, Client, ClientCall, ClientRecord
from askance.domain.errors import AskanceError
from askance.domain.ports.clients import ClientRegistry
from askance.presentation.i18n import quoted, tr, translated
from askance.presentation.sanitizing import one_line
from askance.server.clients import DEFAULT
from askance.ui.design import tokens
from askance.ui.design.composing import Composite, column_of, row_of
from askance.ui.design.controls import ConfirmButton
from askance.ui.design.focus import announce
from askance.ui.design.labels import StyledLabel, TextStyle
from askance.ui.design.lists import LineList, ListLine
from askance.ui.design.styling import style
from askance.ui.design.theme import Look
from askance.ui.design.timers import repeating_timer
from askance.ui.engine.pending_calls import PendingCalls
from askance.ui.model.programs import (
    CAPABILITIES,
    call_text,
    calls_text,
    may_carry_out,
    seen_text,
    went_wrong,
)
from askance.ui.settings.context import SettingsContext
from askance.ui.settings.controls import Control, Switch

_LIST, _CHANGE = "list", "change"
_MOST_PROGRAMS, _MOST_CALLS = 4, 4
# As many as a person looks through; `askance clients log` shows all that are kept.
_CALLS_READ = 50
# A program that is being connected is seen to arrive.
_LOOKS_EVERY_MS = 4000


@dataclass(frozen=True, slots=True)
class _Program:
    record: ClientRecord
    calls: tuple[ClientCall, ...]

    @property
    def client(self) -> Client:
        return self.record.client

    @property
    def over_http(self) -> bool:
        return self.record.has_token or self.client.name == DEFAULT


@dataclass(frozen=True, slots=True)
class _Change:
    """Something to do with the book, and what is said once it is done."""

    work: Callable[[ClientRegistry], None]
    notice: str = ""


class _Name(StyledLabel):
    """What a switch turns on; a click on it is one on the switch."""

    clicked = Signal()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Take a click."""
        inside = self.rect().contains(event.position().toPoint())
        if event.button() is Qt.MouseButton.LeftButton and inside:
            self.clicked.emit()


class CapabilitySwitch(Composite):
    """One thing that a program may do, or may not."""

    def __init__(self, look: Look, label: str, parent: QWidget) -> None:
        super().__init__(look, parent)
        self.switch = Switch(look, self)
        self.switch.setAccessibleName(label)
        name = _Name(look, TextStyle.BODY, label, self)
        name.setBuddy(self.switch)
        name.clicked.connect(self.switch.click)
        self.setLayout(row_of(look, self.switch, name, wide=name))


class ProgramView(Composite):
    """The chosen program: four switches, its last calls, and a button that forgets it."""

    allowed = Signal(str, object)
    """A program's name, and all that it may do from now on."""
    forgotten = Signal(str)
    """The name of a program that is to be forgotten."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(look, parent)
        self._program: _Program | None = None
        self.switches = {
            capability: CapabilitySwitch(look, tr(label), self)
            for capability, label in CAPABILITIES.items()
        }
        self.warning = StyledLabel(look, TextStyle.NOTE, parent=self)
        self.label = StyledLabel(look, TextStyle.HELP, parent=self)
        self.calls = LineList(look, _MOST_CALLS, self, is_low=True)
        self.calls.setAccessibleName(tr("Last calls"))
        self.label.setBuddy(self.calls)
        self.forget = ConfirmButton(
            look, tr("Forget…"), tr("Its token and its calls are deleted."), tr("Forget"), self
        )
        for shown in self.switches.values():
            shown.switch.clicked.connect(self._turn)
        self.forget.confirmed.connect(self._forget)
        grid = style(QGridLayout(), look, gap=tokens.SPACE_L, gap_down=2)
        for n, shown in enumerate(self.switches.values()):
            grid.addWidget(shown, n // 2, n % 2)
            grid.setColumnStretch(n % 2, 1)
        self.setLayout(column_of(look, grid, self.warning, self.label, self.calls, self.forget))

    @property
    def name(self) -> str:
        """The program that is shown; nothing where none is."""
        return self._program.client.name if self._program else ""

    def show_program(self, program: _Program, now: datetime) -> None:
        """Show a program. A question about another one is withdrawn."""
        if program.client.name != self.name:
            self.forget.withdraw()
        self._program = program
        self.setAccessibleName(one_line(program.client.name))
        for capability, shown in self.switches.items():
            shown.switch.setChecked(program.client.may(capability))
        self._warn(program.client)
        lines = [
            ListLine(one_line(call.tool), "", call_text(call, now), went_wrong(call), str(n))
            for n, call in enumerate(program.calls)
        ]
        self.calls.show_lines(lines)
        self.calls.setVisible(bool(lines))
        self.label.show_text(tr("Last calls") if lines else tr("No calls yet."))

    def _warn(self, client: Client) -> None:
        warns = may_carry_out(client)
        text = (
            tr(
                "This program can carry private text out of this computer: it reads the library,"
                " and chooses what is searched and read on the web."
            )
            if warns
            else ""
        )
        self.warning.show_text(text)
        self.switches[Capability.LIBRARY_READ].switch.setAccessibleDescription(text)

    def _turn(self) -> None:
        allowed = frozenset(c for c, shown in self.switches.items() if shown.switch.isChecked())
        client = Client(self.name, allowed)
        self._warn(client)
        announce(self, self.warning.text())
        self.allowed.emit(client.name, allowed)

    def _forget(self) -> None:
        self.forgotten.emit(self.name)


class ProgramsControl(Control):
    """The list of programs, and the chosen one below it.

    Changes are made one after the other; what the list holds is looked at anew after the last of them.
    """

    is_wide = True
    is_group = True

    def __init__(self, look: Look, context: SettingsContext) -> None:
        super().__init__(look)
        self.clock = utc_now
        self._around = context
        self._calls = PendingCalls(context.chores, self)
        self._programs: tuple[_Program, ...] = ()
        self._wanted = ""
        self._changes: deque[_Change] = deque()
        self.empty = StyledLabel(look, TextStyle.BODY, parent=self)
        self.empty.hide()
        self.state = StyledLabel(look, TextStyle.HELP, parent=self)
        self.state.hide()
        self.list = LineList(look, _MOST_PROGRAMS, self)
        self.list.setAccessibleName(tr("Programs"))
        self.view = ProgramView(look, self)
        self._timer = repeating_timer(self, _LOOKS_EVERY_MS)
        self._timer.timeout.connect(self.refresh)
        self.stack(self.empty, self.list, self.view, self.state)
        self.list.hide()
        self.view.hide()
        self.list.chosen.connect(self._choose)
        self.view.allowed.connect(self._allow)
        self.view.forgotten.connect(self._forget)
        self._main = self.list

    @property
    def is_busy(self) -> bool:
        """Whether the book of programs is being read or written."""
        return self._calls.is_under_way(_LIST) or self._calls.is_under_way(_CHANGE)

    def refresh(self) -> None:
        """Look at the book of programs now; where it is being written, that looks at it later."""
        if self._calls.is_under_way(_CHANGE):
            return

        def work() -> tuple[_Program, ...]:
            with closing(open_clients(self._around.folders)) as book:
                return tuple(
                    _Program(record, tuple(book.calls(record.client.name, _CALLS_READ)))
                    for record in book.records()
                )

        self._calls.in_thread(_LIST, work, self._show)

    def show_program(self, name: str) -> None:
        """Choose a program that has just come."""
        self._wanted = name
        self.refresh()

    def showEvent(self, event: QShowEvent) -> None:
        """Look from time to time for as long as somebody sees it."""
        super().showEvent(event)
        self._timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        """Look no more."""
        self._timer.stop()
        super().hideEvent(event)

    def _show(self, found: tuple[_Program, ...] | AskanceError) -> None:
        if isinstance(found, AskanceError):
            self.state.show_text(translated(found), TextStyle.PROBLEM)
            return
        self._programs = found
        now = self.clock()
        lines = [
            ListLine(
                one_line(program.client.name),
                seen_text(program.record, now, over_http=program.over_http),
                calls_text(program.record),
                key=program.client.name,
            )
            for program in found
        ]
        self.list.show_lines(lines, or_first=True)
        if self._wanted:
            names = [program.client.name for program in found]
            self.list.choose(names.index(self._wanted) if self._wanted in names else 0)
            self._wanted = ""
        self.list.setVisible(bool(found))
        self._choose(self.list.row)
        self.empty.show_text("" if found else _nobody())

    def _choose(self, row: int) -> None:
        is_there = 0 <= row < len(self._programs)
        self.view.setVisible(is_there)
        if is_there:
            self.view.show_program(self._programs[row], self.clock())

    def _allow(self, name: str, allowed: frozenset[Capability]) -> None:
        self._change(_Change(lambda book: book.allow(name, allowed)))

    def _forget(self, name: str) -> None:
        has_token = any(p.client.name == name and p.record.has_token for p in self._programs)
        called = quoted((one_line(name),))
        text = (
            tr("{name} is forgotten, and its token has ended.", name=called)
            if has_token
            else tr(
                "{name} is forgotten. If it asks again, it may search the web alone.", name=called
            )
        )
        self._change(_Change(lambda book: book.forget(name), text))

    def _change(self, change: _Change) -> None:
        self._changes.append(change)
        if not self._calls.is_under_way(_CHANGE):
            self._next()

    def _next(self) -> None:
        change = self._changes.popleft()
        # What was read before it would show what is no longer so.
        self._calls.give_up(_LIST)

        def work() -> None:
            with closing(open_clients(self._around.folders)) as book:
                change.work(book)

        self._calls.in_thread(_CHANGE, work, lambda ended: self._changed(change, ended))

    def _changed(self, change: _Change, ended: AskanceError | None) -> None:
        if isinstance(ended, AskanceError):
            self.state.show_text(translated(ended), TextStyle.PROBLEM)
        else:
            self.state.show_text(change.notice, TextStyle.HELP)
        announce(self, self.state.text())
        if self._changes:
            self._next()
        else:
            self.refresh()


def _nobody() -> str:
    return tr(
        "No program has asked yet. One that speaks MCP starts Askance with `askance mcp`: give it the"
        " configuration below. `docs/agents.md` tells how for each of them."
    )
