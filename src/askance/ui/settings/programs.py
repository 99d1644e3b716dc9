"""The other programs that ask: what each may do, and how another one is connected."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from PySide6.QtCore import QMimeData, Qt, Signal
from PySide6.QtGui import QGuiApplication, QHideEvent, QKeyEvent, QMouseEvent, QShowEvent
from PySide6.QtWidgets import QGridLayout, QWidget

from askance.app.container import Container
from askance.config.settings import ServerSettings
from askance.domain.characters import one_line
from askance.domain.errors import AskanceError, InputError
from askance.domain.messages import Message
from askance.domain.ports.storage import LONGEST_NAME, Capability, Client, ClientRecord
from askance.presentation.i18n import moment_text, plural, quoted, term, tr
from askance.server.clients import DEFAULT, checked_name, own_token
from askance.system.program import own_command
from askance.ui.design import theme
from askance.ui.design.composing import (
    Button,
    Composite,
    FlowLayout,
    LineField,
    column_of,
    repeating_timer,
    row_of,
    style,
)
from askance.ui.design.controls import ConfirmButton
from askance.ui.design.focus import announce
from askance.ui.design.labels import StyledLabel, TextStyle
from askance.ui.design.lists import LineList, ListLine
from askance.ui.design.theme import Look
from askance.ui.settings.row_controls import Switch
from askance.ui.settings.settings_jobs import JOB, LIST, ListPage, SettingsContext

_MOST_PROGRAMS = 4
# A program that is being connected is seen to arrive.
_LOOKS_EVERY_MS = 4000


class _Name(StyledLabel):
    """What a switch turns on; a click on it is one on the switch."""

    clicked = Signal()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Take a click."""
        # As a button does it: a press that is dragged out of it means nothing.
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
    """The chosen program: four switches, and a button that forgets it."""

    allowed = Signal(str, object)
    """A program's name, and all that it may do from now on."""
    forgotten = Signal(str)
    """The name of a program that is to be forgotten."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(look, parent)
        self._client: Client | None = None
        self.switches = {
            capability: CapabilitySwitch(look, tr(label), self)
            for capability, label in CAPABILITIES.items()
        }
        self.warning = StyledLabel(look, TextStyle.NOTE, parent=self)
        self.forget = ConfirmButton(
            look, tr("Forget…"), tr("Its token and its calls are deleted."), tr("Forget"), self
        )
        for shown in self.switches.values():
            shown.switch.clicked.connect(self._turn)
        self.forget.confirmed.connect(self._forget)
        grid = style(QGridLayout(), look, gap=theme.SPACE_L, gap_down=2)
        for n, shown in enumerate(self.switches.values()):
            grid.addWidget(shown, n // 2, n % 2)
            grid.setColumnStretch(n % 2, 1)
        self.setLayout(column_of(look, grid, self.warning, self.forget))

    @property
    def name(self) -> str:
        """The program that is shown; nothing where none is."""
        return self._client.name if self._client else ""

    def show_client(self, client: Client) -> None:
        """Show a program. A question about another one is withdrawn."""
        # The page is looked up every few seconds: a question about this one stays.
        if client.name != self.name:
            self.forget.withdraw()
        self._client = client
        self.setAccessibleName(one_line(client.name))
        for capability, shown in self.switches.items():
            shown.switch.setChecked(client.may(capability))
        self._warn(client)

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
        # Before it is stored: the warning stands there as soon as the switch is turned.
        client = Client(self.name, allowed)
        self._warn(client)
        announce(self, self.warning.text())
        self.allowed.emit(client.name, allowed)

    def _forget(self) -> None:
        self.forgotten.emit(self.name)


class ProgramsControl(ListPage):
    """The list of programs, and the chosen one below it."""

    def __init__(self, look: Look, context: SettingsContext) -> None:
        super().__init__(look, context)
        self.clock = lambda: datetime.now(UTC)
        self._programs: tuple[ClientRecord, ...] = ()
        self._wanted = ""
        self.empty = StyledLabel(look, TextStyle.BODY, parent=self)
        self.empty.hide()
        self.list = LineList(look, _MOST_PROGRAMS, self)
        self.list.setAccessibleName(tr("Programs"))
        self.view = ProgramView(look, self)
        self._timer = repeating_timer(self, _LOOKS_EVERY_MS, self.refresh)
        self.stack(self.empty, self.list, self.view, self.state)
        self.list.hide()
        self.view.hide()
        self.list.chosen.connect(self._choose)
        self.view.allowed.connect(self._allow)
        self.view.forgotten.connect(self._forget)
        self._main = self.list

    def refresh(self) -> None:
        """Look at the registry of programs now."""

        self.look_up(lambda parts: tuple(parts.clients.records()), self._show)

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
        # Nobody sees it: at rest the program does not run at all (decision 9).
        self._timer.stop()
        super().hideEvent(event)

    def _show(self, found: tuple[ClientRecord, ...]) -> None:
        self._programs = found
        now = self.clock()
        lines = [
            ListLine(
                one_line(program.client.name),
                seen_text(program, now),
                plural("{n} call", "{n} calls", program.calls),
                key=program.client.name,
            )
            for program in found
        ]
        self.list.show_lines(lines, or_first=True)
        if self._wanted:
            names = [program.client.name for program in found]
            self.list.choose(names.index(self._wanted) if self._wanted in names else 0)
            # Once: later looks must leave the choice to the person.
            self._wanted = ""
        self.list.setVisible(bool(found))
        self._choose(self.list.row)
        self.empty.show_text("" if found else _nobody())

    def _choose(self, row: int) -> None:
        is_there = 0 <= row < len(self._programs)
        self.view.setVisible(is_there)
        if is_there:
            self.view.show_client(self._programs[row].client)

    def _allow(self, name: str, allowed: frozenset[Capability]) -> None:
        def work(parts: Container) -> str:
            parts.clients.allow(name, allowed)
            return ""

        self.change(work)

    def _forget(self, name: str) -> None:
        has_token = any(p.client.name == name and p.has_token for p in self._programs)
        called = quoted((one_line(name),))
        text = (
            tr("{name} is forgotten, and its token has ended.", name=called)
            if has_token
            else tr(
                "{name} is forgotten. If it asks again, it may search the web alone.", name=called
            )
        )

        def work(parts: Container) -> str:
            parts.clients.forget(name)
            return text

        self.change(work)


def _nobody() -> str:
    return tr(
        "No program has asked yet. One that speaks MCP starts Askance with `askance mcp`: give it the"
        " configuration below. `docs/agents.md` tells how for each of them."
    )


MCP, OPENAI = "/mcp", "/v1"
# What keeps a text out of the histories of clipboards: of KDE and those that follow it, of Windows.
_SECRET = {
    "x-kde-passwordManagerHint": b"secret",
    'application/x-qt-windows-mime;value="ExcludeClipboardContentFromMonitorProcessing"': b"1",
}


@dataclass(frozen=True, slots=True)
class _Made:
    """A token, of the program that has been given it."""

    name: str
    token: str


class ConnectingControl(ListPage):
    """How another program is connected: buttons that copy what it needs for it. A token is never shown."""

    made = Signal(str)
    """The name of a program that was given a token."""

    def __init__(self, look: Look, context: SettingsContext) -> None:
        super().__init__(look, context)
        self._address = ""
        self.configuration = Button(look, tr("Copy configuration"), self, self._copy_configuration)
        above = (0, theme.SPACE_S, 0, 0)
        self.address = StyledLabel(look, TextStyle.BODY, parent=self, margins=above)
        self.other = StyledLabel(look, TextStyle.HELP, parent=self)
        self.copy_address = Button(look, tr("Copy address"), self, self._copy_address)
        self.copy_token = Button(look, tr("Copy token"), self, self._copy_token)
        self.new = Button(look, tr("New program…"), self, self._begin_naming)
        self.name = LineField(look, tr("Name of the program"), self)
        self.name.setMaxLength(LONGEST_NAME)
        self.make = Button(look, tr("Create token"), self)
        self.cancel = Button(look, tr("Cancel"), self, self._put_off)
        start = FlowLayout(look, self.configuration)
        copying = FlowLayout(look, self.copy_address, self.copy_token)
        naming = FlowLayout(look, self.new)
        making = FlowLayout(look, self.make, self.cancel)
        self.stack(start, self.address, self.other, copying, naming, self.name, making, self.state)
        self._connect()
        self._ask_for_name(False)
        self._main = self.configuration

    def show_value(self, text: str) -> None:  # noqa: ARG002 - it has none
        """Show the address in force."""
        if self.isVisible():
            self.refresh()

    def refresh(self) -> None:
        """Look for the address in the settings now."""

        def work() -> str:
            return http_address(self._context.source.load().server)

        self._calls.in_thread(LIST, work, self._show)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Take Escape for a cancel while a program is named."""
        if event.key() == Qt.Key.Key_Escape and not self.name.isHidden():
            self._put_off()
        else:
            super().keyPressEvent(event)

    def _show(self, address: str | AskanceError) -> None:
        if isinstance(address, AskanceError):
            self.report(address)
            return
        self._address = address
        self.address.show_text(f"{address}{MCP}")
        self.other.show_text(
            tr("OpenAI's API is at {address}, with the same tokens.", address=f"{address}{OPENAI}")
        )
        self.copy_address.setEnabled(True)

    def _copy_configuration(self) -> None:
        command = own_command(self._context.source.environment)
        QGuiApplication.clipboard().setText(configuration(command))
        self.report(tr("The configuration is in the clipboard."))

    def _copy_address(self) -> None:
        QGuiApplication.clipboard().setText(f"{self._address}{MCP}")
        self.report(tr("The address is in the clipboard."))

    def _copy_token(self) -> None:
        def work() -> _Made:
            return _Made(DEFAULT, own_token(self._context.folders.server_token))

        self._calls.in_thread(JOB, work, self._take_token)

    def _take_token(self, made: _Made | AskanceError) -> None:
        if isinstance(made, AskanceError):
            self.report(made)
            return
        # Into the clipboard alone: a token that is shown can be seen by others, and ends up in
        # pictures.
        _copy_secret(made.token)
        self.report(
            tr(
                "The token is in the clipboard. Programs that show it are listed as {name}.",
                name=quoted((made.name,)),
            )
        )

    def _create(self) -> None:
        """Make a token for a program that has none."""
        # Read now: the field may be another when the thread begins.
        typed = self.name.text()
        if not typed.strip():
            self.report(tr("A program needs a name."), TextStyle.PROBLEM)
            return

        def work() -> _Made:
            name = checked_name(typed)
            with self._context.container() as parts:
                book = parts.clients
                taken = {record.client.name for record in book.records() if record.has_token}
                # Calls with the one token of this installation are listed under the default name.
                if name in taken | {DEFAULT}:
                    raise InputError(
                        Message("{name} has a token already.", name=name),
                        fix=Message("Choose another name."),
                    )
                return _Made(name, book.make_token(name))

        self._calls.in_thread(JOB, work, self._take_made)

    def _take_made(self, made: _Made | AskanceError) -> None:
        if isinstance(made, AskanceError):
            self.report(made)
            return
        _copy_secret(made.token)
        self._put_off()
        text = tr(
            "The token of {name} is in the clipboard, this once: paste it into the program.",
            name=quoted((made.name,)),
        )
        self.report(text)
        self.made.emit(made.name)

    def _ask_for_name(self, naming: bool) -> None:
        for part in (self.name, self.make, self.cancel):
            part.setVisible(naming)
        self.new.setVisible(not naming)

    def _begin_naming(self) -> None:
        self.report("")
        self._ask_for_name(True)
        self.name.setFocus(Qt.FocusReason.OtherFocusReason)

    def _put_off(self) -> None:
        self.report("")
        self.name.clear()
        # Before what has the focus is hidden, which would send it elsewhere.
        self.new.show()
        self.new.setFocus(Qt.FocusReason.OtherFocusReason)
        self._ask_for_name(False)

    def _connect(self) -> None:
        # Until the settings are read there is no address to copy.
        self.copy_address.setEnabled(False)
        self.make.clicked.connect(self._create)
        self.name.returnPressed.connect(self._create)


def _copy_secret(text: str) -> None:
    """Put a text into the clipboard, and ask those that keep its past to leave it out."""
    held = QMimeData()
    held.setText(text)
    for kind, hint in _SECRET.items():
        held.setData(kind, hint)
    QGuiApplication.clipboard().setMimeData(held)


CAPABILITIES = {
    Capability.WEB: term("Search the web"),
    Capability.READ: term("Read pages by address"),
    Capability.LIBRARY_READ: term("Search the library"),
    Capability.LIBRARY_WRITE: term("Add to the library"),
}
"""What each capability is called, in the order in which they are shown."""
# A server that listens on all addresses of this machine is reached over its loopback.
_EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - nothing is bound here


def seen_text(record: ClientRecord, now: datetime) -> str:
    """Say how a program asks, and when it did last."""
    over_http = record.has_token or record.client.name == DEFAULT
    texts = [tr("over HTTP")] if over_http else []
    if record.calls:
        texts.append(tr("last seen {when}", when=moment_text(record.last_seen, now)))
    elif over_http:
        texts.append(tr("has not asked yet"))
    else:
        texts.append(tr("connected {when}", when=moment_text(record.last_seen, now)))
    return " · ".join(texts)


def may_carry_out(client: Client) -> bool:
    """Whether a program both reads the library and can send words or addresses out of this computer."""
    goes_out = client.may(Capability.WEB) or client.may(Capability.READ)
    return goes_out and client.may(Capability.LIBRARY_READ)


def http_address(settings: ServerSettings) -> str:
    """Return the address at which programs of this computer ask over HTTP, without a path."""
    host = _EVERYWHERE.get(settings.host, settings.host)
    # An IPv6 address stands in brackets (RFC 3986, 3.2.2).
    shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{settings.port}"


def configuration(command: Sequence[str]) -> str:
    """Return what programs that start Askance over MCP have in their configuration, as JSON."""
    entry = {"command": command[0], "args": [*command[1:], "mcp"]}
    # With letters as they are: a path is to be read by the person who pastes it.
    return json.dumps({"mcpServers": {"askance": entry}}, indent=2, ensure_ascii=False)
