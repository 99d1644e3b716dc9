"""What a screen reader finds of the program: the tree on the accessibility bus (AT-SPI 2), and what is announced."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from jeepney import DBusAddress, DBusErrorResponse, MatchRule, Message, message_bus, new_method_call
from jeepney.io.blocking import DBusConnection, open_dbus_connection
from jeepney.wrappers import unwrap_msg

from desktops.session import Session
from waiting import PATIENCE_S

_ACCESSIBLE = "org.a11y.atspi.Accessible"
_PROPERTIES = "org.freedesktop.DBus.Properties"
_FOCUSABLE, _FOCUSED, _SENSITIVE, _SHOWING = (1 << bit for bit in (11, 12, 24, 25))
_SPEAKING = {
    "button", "push button", "toggle button", "radio button", "check box", "combo box", "text", "list", "list item", "link",
    "heading", "dialog", "frame", "window", "menu", "menu item", "progress bar",
}  # fmt: skip
_REGISTRY = ("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root")
_BUS = ("org.a11y.Bus", "/org/a11y/bus")
_ANNOUNCED = MatchRule(
    type="signal", interface="org.a11y.atspi.Event.Object", member="Announcement"
)


class Part(NamedTuple):
    """One thing of the tree, and how deep in it."""

    role: str
    name: str
    states: int
    depth: int

    @property
    def has_focus(self) -> bool:
        return self.states & _FOCUSED != 0

    @property
    def needs_name(self) -> bool:
        """Whether somebody who hears its role alone would not know what it is for."""
        takes_focus = self.states & _FOCUSABLE != 0 and self.states & _SENSITIVE != 0
        return takes_focus or self.role in _SPEAKING


@dataclass
class ScreenReader:
    """Reads the tree, in its order, and listens."""

    connection: DBusConnection
    _signals: deque[Message]
    announced: list[str] = field(default_factory=list[str])

    def listen(self, words: str) -> None:
        """Wait until something with these words is announced, or was. Raises TimeoutError."""
        while not any(words in text for text in self.announced):
            signal = self.connection.recv_until_filtered(self._signals, timeout=PATIENCE_S)
            self.announced.append(str(signal.body[3][1]))

    def parts(self, program: str) -> list[Part]:
        """Return all that a program shows; nothing while it is not there."""
        found: list[Part] = []
        for place in self._children(_REGISTRY):
            if self._name(place) == program:
                self._gather(place, found, 0)
        return found

    def _gather(self, place: tuple[str, str], found: list[Part], depth: int) -> None:
        with suppress(DBusErrorResponse):  # it has gone meanwhile
            (role,) = self._call(place, _ACCESSIBLE, "GetRoleName")
            ((low, high),) = self._call(place, _ACCESSIBLE, "GetState")
            if role != "application" and not low & _SHOWING:
                return
            found.append(Part(str(role), self._name(place), low | high << 32, depth))
            for child in self._children(place):
                self._gather(child, found, depth + 1)

    def _children(self, place: tuple[str, str]) -> list[tuple[str, str]]:
        return self._call(place, _ACCESSIBLE, "GetChildren")[0]

    def _name(self, place: tuple[str, str]) -> str:
        (value,) = self._call(place, _PROPERTIES, "Get", "ss", _ACCESSIBLE, "Name")
        return str(value[1])

    def _call(
        self, place: tuple[str, str], interface: str, method: str, signature: str = "", *values: Any
    ) -> tuple[Any, ...]:
        name, path = place
        call = new_method_call(
            DBusAddress(path, name, interface), method, signature or None, values
        )
        return unwrap_msg(self.connection.send_and_get_reply(call, timeout=PATIENCE_S))


@contextmanager
def screen_reader(session: Session) -> Iterator[ScreenReader]:
    """Turn a screen reader on, as far as programs are told of one."""
    values = ("org.a11y.Status", "ScreenReaderEnabled", ("b", True))
    session.call(*_BUS, _PROPERTIES, "Set", "ssv", *values)
    (address,) = session.call(*_BUS, "org.a11y.Bus", "GetAddress")
    with (
        open_dbus_connection(address) as connection,
        connection.filter(_ANNOUNCED, queue=deque()) as signals,
    ):
        reader = ScreenReader(connection, signals)
        registry = (_REGISTRY[0], "/org/a11y/atspi/registry")
        reader._call(registry, _REGISTRY[0], "RegisterEvent", "sass", "object:announcement", [], "")
        connection.send_and_get_reply(message_bus.AddMatch(_ANNOUNCED), timeout=PATIENCE_S)
        yield reader
