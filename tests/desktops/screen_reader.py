"""What a screen reader finds of the program: the tree on the accessibility bus (AT-SPI 2)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from jeepney import DBusAddress, DBusErrorResponse, new_method_call
from jeepney.io.blocking import DBusConnection, open_dbus_connection
from jeepney.wrappers import unwrap_msg

from desktops.session import Session
from waiting import PATIENCE_S

_ACCESSIBLE = "org.a11y.atspi.Accessible"
_PROPERTIES = "org.freedesktop.DBus.Properties"
_SHOWING = 1 << 25
_REGISTRY = ("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root")
_BUS = ("org.a11y.Bus", "/org/a11y/bus")


@dataclass
class ScreenReader:
    """Reads the tree."""

    connection: DBusConnection

    def names(self, program: str) -> set[tuple[str, str]]:
        """Return the roles and names of all that a program shows; none while it is not there."""
        found = set[tuple[str, str]]()
        for place in self._children(_REGISTRY):
            if self._name(place) == program:
                self._gather(place, found)
        return found

    def _gather(self, place: tuple[str, str], found: set[tuple[str, str]]) -> None:
        try:
            (role,) = self._call(place, _ACCESSIBLE, "GetRoleName")
            ((states, _),) = self._call(place, _ACCESSIBLE, "GetState")
            if role != "application" and not states & _SHOWING:
                return
            found.add((str(role), self._name(place)))
            for child in self._children(place):
                self._gather(child, found)
        except DBusErrorResponse:  # it has gone meanwhile
            return

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
    with open_dbus_connection(address) as connection:
        yield ScreenReader(connection)
