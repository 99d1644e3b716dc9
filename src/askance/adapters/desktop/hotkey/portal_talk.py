"""What is said to the portal for global shortcuts, and what its signals mean."""

from __future__ import annotations

import secrets
from typing import Any

from jeepney import (
    DBusAddress,
    DBusErrorResponse,
    HeaderFields,
    MatchRule,
    Message,
    message_bus,
)

from askance.adapters.desktop.hotkey.keysyms import KEYSYMS
from askance.adapters.desktop.hotkey.portal_words import Words, is_absence
from askance.adapters.desktop.session_bus import Bus
from askance.domain.combination import Combination, Modifier

NAME = "org.freedesktop.portal.Desktop"
PATH = "/org/freedesktop/portal/desktop"
SHORTCUTS = "org.freedesktop.portal.GlobalShortcuts"
REGISTRY = "org.freedesktop.host.portal.Registry"
REQUEST = "org.freedesktop.portal.Request"
SESSION = "org.freedesktop.portal.Session"
SHORTCUT = "toggle"

_PORTAL = DBusAddress(PATH, NAME, SHORTCUTS)
_DECLINED = 1
_UNKNOWN = {
    f"org.freedesktop.DBus.Error.{name}"
    for name in ("UnknownMethod", "UnknownInterface", "UnknownObject")
}


class Talk:
    """What is said to the portal, one thing after the other."""

    def __init__(self, bus: Bus, words: Words) -> None:
        self._bus = bus
        self._words = words

    async def introduce(self, app_id: str) -> None:
        """Give our name, which has to be the first call, and see whether there are shortcuts."""
        for rule in (
            MatchRule(type="signal", sender=NAME, interface=REQUEST),
            MatchRule(type="signal", sender=NAME, interface=SHORTCUTS),
            MatchRule(type="signal", sender=NAME, interface=SESSION),
            _owner_changes(),
        ):
            await self._bus.subscribe(rule)
        try:
            registry = _PORTAL.with_interface(REGISTRY)
            await self._bus.call(registry, "Register", "sa{sv}", app_id, {})
        except DBusErrorResponse as exc:
            if is_absence(exc):
                raise
            # Older portals have no registry and need none. What a newer one has against the name
            # is told where it then refuses the session.
            self._words.unregistered = exc.name not in _UNKNOWN
        try:
            properties = _PORTAL.with_interface("org.freedesktop.DBus.Properties")
            await self._bus.call(properties, "Get", "ss", SHORTCUTS, "version")
        except DBusErrorResponse as exc:
            if is_absence(exc):
                raise
            raise self._words.no_shortcuts() from exc

    async def open_session(self) -> str:
        """Open a session and return its path."""
        options = {"session_handle_token": ("s", _token())}
        results = await self._request("CreateSession", "", (), options)
        return str(results["session_handle"][1])

    async def bind(self, session: str, combination: Combination) -> None:
        """Ask for the combination.

        Raises:
            HotkeyTaken: the desktop has other uses for it.
            HotkeyUnavailable: the user said no.
        """
        properties = {
            "description": ("s", "Show or hide Askance"),
            "preferred_trigger": ("s", written_trigger(combination)),
        }
        values = (session, [(SHORTCUT, properties)], "")
        results = await self._request("BindShortcuts", "oa(sa{sv})s", values, {})
        bound = dict(results.get("shortcuts", ("", []))[1])
        if SHORTCUT not in bound:
            raise self._words.refused_by_user()
        if not bound[SHORTCUT].get("trigger_description", ("s", "unsaid"))[1]:
            raise self._words.without_keys()

    def is_activation(self, message: Message, session: str) -> bool:
        """Whether a signal says that the keys were pressed."""
        return named(message) == (SHORTCUTS, "Activated") and message.body[:2] == (
            session,
            SHORTCUT,
        )

    def is_end(self, message: Message, session: str) -> bool:
        """Whether a signal says that the session is over."""
        if named(message) == (SESSION, "Closed"):
            return message.header.fields.get(HeaderFields.path) == session
        return is_farewell(message)

    async def _request(
        self,
        method: str,
        signature: str,
        values: tuple[Any, ...],
        options: dict[str, tuple[str, Any]],
    ) -> dict[str, tuple[str, Any]]:
        """Make a request, and return the results of the response that follows it."""
        told = {"handle_token": ("s", _token()), **options}
        (path,) = await self._bus.call(_PORTAL, method, f"{signature}a{{sv}}", *values, told)

        def answers(message: Message) -> bool:
            if is_farewell(message):
                raise self._words.taken_back()
            return (
                named(message) == (REQUEST, "Response")
                and message.header.fields.get(HeaderFields.path) == path
            )

        status, results = (await self._bus.signal(answers)).body
        if status == _DECLINED:
            raise self._words.refused_by_user()
        if status:
            raise self._words.refused("it ended the request")
        return results


def written_trigger(combination: Combination) -> str:
    """Return a combination as the XDG shortcuts specification writes it."""
    held = (
        "LOGO" if modifier is Modifier.SUPER else modifier.value.upper()
        for modifier in combination.in_order()
    )
    return "+".join((*held, KEYSYMS[combination.key]))


def is_farewell(message: Message) -> bool:
    """Whether a signal says that the portal has left the bus."""
    if named(message) != ("org.freedesktop.DBus", "NameOwnerChanged"):
        return False
    name, before, after = message.body
    return name == NAME and bool(before) and not after


def named(message: Message) -> tuple[str | None, str | None]:
    """Return the interface and the name of a signal."""
    fields = message.header.fields
    return fields.get(HeaderFields.interface), fields.get(HeaderFields.member)


def _owner_changes() -> MatchRule:
    rule = MatchRule(type="signal", interface=message_bus.interface, member="NameOwnerChanged")
    rule.add_arg_condition(0, NAME)
    return rule


def _token() -> str:
    return f"askance_{secrets.token_hex(6)}"
