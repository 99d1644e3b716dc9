"""The other programs that ask: what each may do, and how another one is connected."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime

from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication, QHideEvent, QShowEvent

from askance.app.container import Container
from askance.config.settings import ServerSettings
from askance.domain.characters import one_line
from askance.domain.errors import AskanceError
from askance.domain.ports.storage import Capability, Client, ClientRecord
from askance.presentation.i18n import moment_text, plural, quoted, term, tr
from askance.server.clients import DEFAULT, own_token
from askance.system.program import own_command
from askance.ui.design import theme
from askance.ui.design.composing import Button, Composite, FlowLayout, column_of, repeating_timer
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


class ProgramsControl(ListPage):
    """The list of programs, and of the chosen one a switch for each thing that it may do, and a button that forgets it."""

    def __init__(self, look: Look, context: SettingsContext) -> None:
        super().__init__(look, context)
        self.clock = lambda: datetime.now(UTC)
        self._programs: tuple[ClientRecord, ...] = ()
        self.name = ""
        """The program that is shown; nothing where none is."""
        self.empty = StyledLabel(look, TextStyle.BODY, parent=self)
        self.empty.hide()
        self.list = LineList(look, _MOST_PROGRAMS, self)
        self.list.setAccessibleName(tr("Programs"))
        self.view = Composite(look, self)
        self.switches = {
            capability: Switch(look, self.view, tr(label))
            for capability, label in CAPABILITIES.items()
        }
        self.warning = StyledLabel(look, TextStyle.NOTE, parent=self.view)
        self.forget = ConfirmButton(
            look, tr("Remove…"), tr("Its token and its calls are deleted."), tr("Remove"), self.view
        )
        parts = (*self.switches.values(), self.warning, self.forget)
        self.view.setLayout(column_of(look, *parts, gap=2))
        self._timer = repeating_timer(self, _LOOKS_EVERY_MS, self.refresh)
        self.stack(self.empty, self.list, self.view, self.state)
        self.list.hide()
        self.view.hide()
        self.list.chosen.connect(self._choose)
        for switch in self.switches.values():
            switch.clicked.connect(self._turn)
        self.forget.confirmed.connect(self._forget)
        self.main = self.list

    def refresh(self) -> None:
        """Look at the registry of programs now."""
        self.look_up(lambda parts: tuple(parts.clients.records()), self._show)

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
        self.list.setVisible(bool(found))
        self._choose(self.list.row)
        nobody = tr(
            "No program has asked yet. One that speaks MCP starts Askance with `askance mcp`: give it the"
            " configuration below. `docs/agents.md` tells how for each of them."
        )
        self.empty.show_text("" if found else nobody)

    def _choose(self, row: int) -> None:
        is_there = 0 <= row < len(self._programs)
        self.view.setVisible(is_there)
        if not is_there:
            return
        client = self._programs[row].client
        # The page is looked up every few seconds: a question about this one stays.
        if client.name != self.name:
            self.forget.withdraw()
        self.name = client.name
        self.view.setAccessibleName(one_line(client.name))
        for capability, switch in self.switches.items():
            switch.setChecked(client.may(capability))
        self._warn(client)

    def _warn(self, client: Client) -> None:
        text = ""
        if may_carry_out(client):
            text = tr(
                "This app could leak private text: it can read your library and choose web"
                " searches and pages."
            )
        self.warning.show_text(text)
        self.switches[Capability.LIBRARY_READ].setAccessibleDescription(text)

    def _turn(self) -> None:
        allowed = frozenset(c for c, switch in self.switches.items() if switch.isChecked())
        client = Client(self.name, allowed)
        # Before it is stored: the warning stands there as soon as the switch is turned.
        self._warn(client)
        announce(self, self.warning.text())

        def work(parts: Container) -> str:
            parts.clients.allow(client.name, allowed)
            return ""

        self.change(work)

    def _forget(self) -> None:
        name = self.name
        has_token = any(p.client.name == name and p.has_token for p in self._programs)
        called = quoted((one_line(name),))
        text = tr(
            "{name} is forgotten. If it asks again, it may search the web alone.", name=called
        )
        if has_token:
            text = tr("{name} is forgotten, and its token has ended.", name=called)

        def work(parts: Container) -> str:
            parts.clients.forget(name)
            return text

        self.change(work)


MCP, OPENAI = "/mcp", "/v1"
# What keeps a text out of the histories of clipboards: of KDE and those that follow it, of Windows.
_SECRET = {
    "x-kde-passwordManagerHint": b"secret",
    'application/x-qt-windows-mime;value="ExcludeClipboardContentFromMonitorProcessing"': b"1",
}


class ConnectingControl(ListPage):
    """How another program is connected: buttons that copy what it needs for it. A token is never shown.

    `askance clients add` gives a program a token of its own.
    """

    def __init__(self, look: Look, context: SettingsContext) -> None:
        super().__init__(look, context)
        self._address = ""
        self.configuration = Button(look, tr("Copy configuration"), self, self._copy_configuration)
        above = (0, theme.SPACE_S, 0, 0)
        self.address = StyledLabel(look, TextStyle.BODY, parent=self, margins=above)
        self.other = StyledLabel(look, TextStyle.HELP, parent=self)
        self.copy_address = Button(look, tr("Copy address"), self, self._copy_address)
        # Until the settings are read there is no address to copy.
        self.copy_address.setEnabled(False)
        self.copy_token = Button(look, tr("Copy token"), self, self._copy_token)
        start = FlowLayout(look, self.configuration)
        copying = FlowLayout(look, self.copy_address, self.copy_token)
        self.stack(start, self.address, self.other, copying, self.state)
        self.main = self.configuration

    def show_value(self, text: str) -> None:  # noqa: ARG002 - it has none
        """Show the address in force."""
        if self.isVisible():
            self.refresh()

    def refresh(self) -> None:
        """Look for the address in the settings now."""

        def work() -> str:
            return http_address(self._context.source.load().server)

        self._calls.in_thread(LIST, work, self._show)

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
        file = self._context.folders.server_token
        self._calls.in_thread(JOB, lambda: own_token(file), self._take_token)

    def _take_token(self, token: str | AskanceError) -> None:
        if isinstance(token, AskanceError):
            self.report(token)
            return
        # Into the clipboard alone: a token that is shown can be seen by others, and ends up in
        # pictures.
        _copy_secret(token)
        self.report(
            tr(
                "The token is in the clipboard. Programs that show it are listed as {name}.",
                name=quoted((DEFAULT,)),
            )
        )


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
        texts.append(tr("no requests yet"))
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
