"""The other programs that ask: what each may do, what it did last, and how another one is connected."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from PySide6.QtCore import QMimeData, Qt, Signal
from PySide6.QtGui import QGuiApplication, QHideEvent, QKeyEvent, QMouseEvent, QShowEvent
from PySide6.QtWidgets import QGridLayout, QWidget

from askance.domain.clients import LONGEST_NAME, Capability, Client, ClientCall, ClientRecord
from askance.domain.errors import AskanceError, InputError
from askance.domain.messages import Message
from askance.domain.ports.storage import ClientRegistry
from askance.presentation.i18n import quoted, tr, translated
from askance.presentation.sanitizing import one_line
from askance.server.clients import DEFAULT, checked_name, own_token
from askance.system.program import own_command
from askance.ui.design import tokens
from askance.ui.design.composing import (
    Button,
    Composite,
    FlowLayout,
    LineField,
    column_of,
    row_of,
    style,
)
from askance.ui.design.controls import ConfirmButton
from askance.ui.design.focus import announce
from askance.ui.design.labels import StyledLabel, TextStyle
from askance.ui.design.lists import LineList, ListLine
from askance.ui.design.theme import Look
from askance.ui.design.timers import repeating_timer
from askance.ui.engine.bridge import PendingCalls
from askance.ui.model.programs import (
    CAPABILITIES,
    call_text,
    calls_text,
    configuration,
    door_address,
    may_carry_out,
    seen_text,
    went_wrong,
)
from askance.ui.settings.context import SettingsContext
from askance.ui.settings.controls import Control, Switch

_LIST, _CHANGE = "list", "change"
_MOST_PROGRAMS, _MOST_CALLS = 4, 4
# As many as a person looks through; `askance clients log` shows all that are stored.
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
        self.clock = lambda: datetime.now(UTC)
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
            with self._around.container() as parts:
                book = parts.clients
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
            with self._around.container() as parts:
                change.work(parts.clients)

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


_ADDRESS, _TOKEN = "address", "token"
MCP, OPENAI = "/mcp", "/v1"
# What keeps a text out of the histories of clipboards: of KDE and those that follow it, of Windows.
_SECRET = {
    "x-kde-passwordManagerHint": b"secret",
    'application/x-qt-windows-mime;value="ExcludeClipboardContentFromMonitorProcessing"': b"1",
}


@dataclass(frozen=True, slots=True)
class _Made:
    """A token, of the program that has been given it; "" where it has one already."""

    name: str
    token: str


class ConnectingControl(Control):
    """How another program is connected: buttons that copy what it needs for it. A token is never shown."""

    is_wide = True
    is_group = True
    made = Signal(str)
    """The name of a program that was given a token."""

    def __init__(self, look: Look, context: SettingsContext) -> None:
        super().__init__(look)
        self._around = context
        self._calls = PendingCalls(context.chores, self)
        self._address = ""
        self._taken = ""
        self.configuration = Button(look, tr("Copy configuration"), self)
        above = (0, tokens.SPACE_S, 0, 0)
        self.address = StyledLabel(look, TextStyle.BODY, parent=self, margins=above)
        self.other = StyledLabel(look, TextStyle.HELP, parent=self)
        self.copy_address = Button(look, tr("Copy address"), self)
        self.copy_token = Button(look, tr("Copy token"), self)
        self.new = Button(look, tr("New program…"), self)
        self.name = LineField(look, tr("Name of the program"), self)
        self.name.setMaxLength(LONGEST_NAME)
        self.make = Button(look, tr("Create token"), self)
        self.cancel = Button(look, tr("Cancel"), self)
        self.state = StyledLabel(look, TextStyle.HELP, parent=self)
        self.state.hide()
        start = FlowLayout(look, self.configuration)
        copying = FlowLayout(look, self.copy_address, self.copy_token)
        naming = FlowLayout(look, self.new)
        making = FlowLayout(look, self.make, self.cancel)
        self.stack(start, self.address, self.other, copying, naming, self.name, making, self.state)
        self._connect()
        self._ask_for_name(False)
        self._main = self.configuration

    @property
    def is_busy(self) -> bool:
        """Whether the address or a token is being looked for."""
        return self._calls.is_under_way(_ADDRESS) or self._calls.is_under_way(_TOKEN)

    def show_value(self, text: str) -> None:  # noqa: ARG002 - it has none
        """Show the address in force."""
        if self.isVisible():
            self.refresh()

    def refresh(self) -> None:
        """Look for the address in the settings now."""

        def work() -> str:
            return door_address(self._around.source.load().server)

        self._calls.in_thread(_ADDRESS, work, self._show)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take Escape for a cancel while a program is named."""
        if event.key() == Qt.Key.Key_Escape and not self.name.isHidden():
            self._put_off()
        else:
            super().keyPressEvent(event)

    def _show(self, address: str | AskanceError) -> None:
        if isinstance(address, AskanceError):
            self._show_message(translated(address), is_bad=True)
            return
        self._address = address
        self.address.show_text(f"{address}{MCP}")
        self.other.show_text(
            tr("OpenAI's API is at {address}, with the same tokens.", address=f"{address}{OPENAI}")
        )
        self.copy_address.setEnabled(True)

    # Copying

    def _copy_configuration(self) -> None:
        command = own_command(self._around.source.environment)
        QGuiApplication.clipboard().setText(configuration(command))
        self._show_message(tr("The configuration is in the clipboard."))

    def _copy_address(self) -> None:
        QGuiApplication.clipboard().setText(f"{self._address}{MCP}")
        self._show_message(tr("The address is in the clipboard."))

    def _copy_token(self) -> None:
        def work() -> _Made:
            return _Made(DEFAULT, own_token(self._around.folders.server_token))

        self._calls.in_thread(_TOKEN, work, self._take_token)

    def _take_token(self, made: _Made | AskanceError) -> None:
        if isinstance(made, AskanceError):
            self._show_message(translated(made), is_bad=True)
            return
        _copy_secret(made.token)
        self._show_message(
            tr(
                "The token is in the clipboard. Programs that show it are listed as {name}.",
                name=quoted((made.name,)),
            )
        )

    # A program of its own

    def _create(self, *, renews: bool = False) -> None:
        """Make a token; in the place of another one only where that was said, and then the button pressed."""
        typed, renewed = self.name.text(), self._taken if renews else ""
        if not typed.strip():
            self._show_message(tr("A program needs a name."), is_bad=True)
            return

        def work() -> _Made:
            name = checked_name(typed)
            if name == DEFAULT:
                raise InputError(
                    Message("{name} has a token already.", name=name),
                    fix=Message("Choose another name."),
                )
            with self._around.container() as parts:
                book = parts.clients
                taken = {record.client.name for record in book.records() if record.has_token}
                if name in taken - {renewed}:
                    return _Made(name, "")
                return _Made(name, book.make_token(name))

        self._calls.in_thread(_TOKEN, work, self._take_made)

    def _take_made(self, made: _Made | AskanceError) -> None:
        if isinstance(made, AskanceError):
            self._show_message(translated(made), is_bad=True)
            return
        if not made.token:
            self._offer_to_renew(made.name)
            return
        _copy_secret(made.token)
        self._put_off()
        text = tr(
            "The token of {name} is in the clipboard, this once: paste it into the program.",
            name=quoted((made.name,)),
        )
        self._show_message(text)
        self.made.emit(made.name)

    def _offer_to_renew(self, name: str) -> None:
        """Offer another token for a program that has one, or for nobody where there is no name."""
        self._taken = name
        self.make.setText(tr("Renew token") if name else tr("Create token"))
        if name:
            text = tr("{name} has a token already. A new one ends it.", name=quoted((name,)))
            self._show_message(text, is_bad=True)

    def _ask_for_name(self, naming: bool) -> None:
        for part in (self.name, self.make, self.cancel):
            part.setVisible(naming)
        self.new.setVisible(not naming)

    def _begin_naming(self) -> None:
        self._show_message("")
        self._ask_for_name(True)
        self.name.setFocus(Qt.FocusReason.OtherFocusReason)

    def _put_off(self) -> None:
        self._show_message("")
        self._offer_to_renew("")
        self.name.clear()
        # Before what has the focus is hidden, which would send it elsewhere.
        self.new.show()
        self.new.setFocus(Qt.FocusReason.OtherFocusReason)
        self._ask_for_name(False)

    def _show_message(self, text: str, *, is_bad: bool = False) -> None:
        self.state.show_text(text, TextStyle.PROBLEM if is_bad else TextStyle.HELP)
        announce(self, self.state.text())

    def _connect(self) -> None:
        self.copy_address.setEnabled(False)
        self.configuration.clicked.connect(self._copy_configuration)
        self.copy_address.clicked.connect(self._copy_address)
        self.copy_token.clicked.connect(self._copy_token)
        self.new.clicked.connect(self._begin_naming)
        self.make.clicked.connect(lambda: self._create(renews=True))
        # Return, pressed once too often, ends nothing.
        self.name.returnPressed.connect(self._create)
        self.name.textEdited.connect(lambda: self._offer_to_renew(""))
        self.cancel.clicked.connect(self._put_off)


def _copy_secret(text: str) -> None:
    """Put a text into the clipboard, and ask those that keep its past to leave it out."""
    held = QMimeData()
    held.setText(text)
    for kind, hint in _SECRET.items():
        held.setData(kind, hint)
    QGuiApplication.clipboard().setMimeData(held)
