"""How another program is connected: the configuration of MCP, the address of HTTP, and tokens."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass

from PySide6.QtCore import QMimeData, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent

from askance.adapters.system.program import own_command
from askance.app.stores import open_clients
from askance.domain.clients import LONGEST_NAME
from askance.domain.errors import AskanceError, InputError
from askance.domain.messages import Message
from askance.presentation.i18n import quoted, tr, translated
from askance.server.clients import DEFAULT, checked_name, own_token
from askance.ui.design import tokens
from askance.ui.design.composing import Button, LineField
from askance.ui.design.flow_layout import FlowLayout
from askance.ui.design.focus import announce
from askance.ui.design.labels import StyledLabel, TextStyle
from askance.ui.design.theme import Look
from askance.ui.engine.pending_calls import PendingCalls
from askance.ui.model.programs import configuration, door_address
from askance.ui.settings.context import SettingsContext
from askance.ui.settings.controls import Control

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
    """Buttons that copy what a program is connected with. A token is never shown."""

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
            with closing(open_clients(self._around.folders)) as book:
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
