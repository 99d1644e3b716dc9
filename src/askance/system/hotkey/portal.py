"""The hotkey under Wayland: the desktop's portal for global shortcuts."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncGenerator, Generator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from typing import Any

from jeepney import DBusAddress, DBusErrorResponse, HeaderFields, MatchRule, message_bus
from jeepney import Message as Packet

from askance.domain.messages import NOTHING, Message
from askance.domain.ports.hotkey import (
    Combination,
    HotkeyTaken,
    HotkeyUnavailable,
    Modifier,
    Pressed,
)
from askance.system.desktops import desktops_of
from askance.system.hotkey import KEYSYMS, Loss, bind_by_hand, keys_of_desktop
from askance.system.session_bus import PORTAL_NAME, PORTAL_PATH, Bus, open_session_bus

# A portal that the bus has to start first may take as long as the bus itself waits for it.
LIMIT_S = 25.0

SHORTCUTS = "org.freedesktop.portal.GlobalShortcuts"
REGISTRY = "org.freedesktop.host.portal.Registry"
REQUEST = "org.freedesktop.portal.Request"
SESSION = "org.freedesktop.portal.Session"
SHORTCUT = "toggle"

_PORTAL = DBusAddress(PORTAL_PATH, PORTAL_NAME, SHORTCUTS)
# What a request of a portal answers: 0 done, 1 declined by the user, 2 ended otherwise.
_DECLINED = 1
_UNSAID = "unsaid"
_UNKNOWN = {
    f"org.freedesktop.DBus.Error.{name}"
    for name in ("UnknownMethod", "UnknownInterface", "UnknownObject")
}

_NO_PORTAL = {
    f"org.freedesktop.DBus.Error.{name}"
    for name in ("ServiceUnknown", "NameHasNoOwner", "NoReply", "TimedOut")
}
_STARTING_FAILED = "org.freedesktop.DBus.Error.Spawn."


class PortalHotkey:
    """Asks the portal for a combination; the user may be shown a question, or choose other keys.

    `app_id` is the basename of the installed desktop entry, without `.desktop`.
    """

    def __init__(
        self, environment: Mapping[str, str], app_id: str, *, limit_s: float = LIMIT_S
    ) -> None:
        self._environment = environment
        self._app_id = app_id
        self._limit_s = limit_s

    @asynccontextmanager
    async def listening(
        self, combination: Combination, pressed: Pressed
    ) -> AsyncGenerator[Message]:
        """Listen; see `Hotkey.listening`."""
        errors = PortalErrors(combination, bind_by_hand(combination, self._environment))
        loss = Loss()
        async with self._bus(errors) as bus:
            with errors.translated():
                portal = PortalClient(bus, errors)
                async with asyncio.timeout(self._limit_s):
                    await portal.introduce(self._app_id)
                    session = await portal.open_session()
                    keys = None if self._binds_always else await portal.bound_before(session)
                if keys is None:
                    # Here the desktop may ask the user, who may take any time.
                    keys = await portal.bind(session, combination)
                elif not keys:
                    raise errors.without_keys()

            async def listen() -> None:
                with suppress(OSError):  # the bus is gone, and the hotkey with it
                    while not portal.is_end(message := await bus.signal(), session):
                        if portal.is_activation(message, session):
                            options: dict[str, tuple[str, Any]] = message.body[3]
                            pressed(str(options.get("activation_token", ("s", ""))[1]))
                loss.report(errors.taken_back())

            async with loss.ends_body(), asyncio.TaskGroup() as group:
                hearing = group.create_task(listen())
                is_known = keys != _UNSAID
                yield keys_of_desktop(keys, self._environment) if is_known else NOTHING
                # Otherwise the group would wait for the next key.
                hearing.cancel()

    @property
    def _binds_always(self) -> bool:
        """GNOME hears no keys before they are bound, and asks nobody about those that it knows. KDE
        hears them from the start, and up to 6.4 opens its settings whenever they are bound."""
        return "gnome" in desktops_of(self._environment)

    @asynccontextmanager
    async def _bus(self, errors: PortalErrors) -> AsyncGenerator[Bus, None]:
        async with AsyncExitStack() as stack:
            with errors.translated():
                async with asyncio.timeout(self._limit_s):
                    bus = await stack.enter_async_context(open_session_bus(self._environment))
            yield bus


class PortalClient:
    """What is said to the portal, one thing after the other."""

    def __init__(self, bus: Bus, errors: PortalErrors) -> None:
        self._bus = bus
        self._errors = errors

    async def introduce(self, app_id: str) -> None:
        """Give our name, which has to be the first call, and see whether there are shortcuts."""
        for rule in (
            MatchRule(type="signal", sender=PORTAL_NAME, interface=REQUEST),
            MatchRule(type="signal", sender=PORTAL_NAME, interface=SHORTCUTS),
            MatchRule(type="signal", sender=PORTAL_NAME, interface=SESSION),
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
            self._errors.unregistered = exc.name not in _UNKNOWN
        try:
            properties = _PORTAL.with_interface("org.freedesktop.DBus.Properties")
            await self._bus.call(properties, "Get", "ss", SHORTCUTS, "version")
        except DBusErrorResponse as exc:
            if is_absence(exc):
                raise
            raise self._errors.no_shortcuts() from exc

    async def open_session(self) -> str:
        """Open a session and return its path."""
        options = {"session_handle_token": ("s", _token())}
        results = await self._request("CreateSession", "", (), options)
        return str(results["session_handle"][1])

    async def bound_before(self, session: str) -> str | None:
        """Return the keys that the desktop gave when it was asked in an earlier session.

        They are empty where the user has taken them away; None where it was not asked, or cannot tell.
        """
        try:
            return _keys(await self._request("ListShortcuts", "o", (session,), {}))
        except DBusErrorResponse as exc:
            if is_absence(exc):
                raise
        except HotkeyUnavailable:  # not every desktop lists them
            pass
        return None

    async def bind(self, session: str, combination: Combination) -> str:
        """Ask for the combination, and return the keys that were given, in the desktop's words.

        Raises:
            HotkeyTaken: the desktop has other uses for it.
            HotkeyUnavailable: the user said no.
        """
        properties = {
            "description": ("s", "Show or hide Askance"),
            # A wish: the desktop may give other keys, and says which.
            "preferred_trigger": ("s", written_trigger(combination)),
        }
        values = (session, [(SHORTCUT, properties)], "")
        results = await self._request("BindShortcuts", "oa(sa{sv})s", values, {})
        keys = _keys(results)
        if keys is None:
            raise self._errors.refused_by_user()
        if not keys:
            raise self._errors.without_keys()
        return keys

    def is_activation(self, message: Packet, session: str) -> bool:
        """Whether a signal says that the keys were pressed."""
        return named(message) == (SHORTCUTS, "Activated") and message.body[:2] == (
            session,
            SHORTCUT,
        )

    def is_end(self, message: Packet, session: str) -> bool:
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
        # The portal builds the path of its response from this token: a new one keeps two requests
        # apart.
        options_with_token = {"handle_token": ("s", _token()), **options}
        (path,) = await self._bus.call(
            _PORTAL, method, f"{signature}a{{sv}}", *values, options_with_token
        )

        def answers(message: Packet) -> bool:
            if is_farewell(message):
                raise self._errors.taken_back()
            return (
                named(message) == (REQUEST, "Response")
                and message.header.fields.get(HeaderFields.path) == path
            )

        status, results = (await self._bus.signal(answers)).body
        if status == _DECLINED:
            raise self._errors.refused_by_user()
        if status:
            raise self._errors.refused(Message("it ended the request"))
        return results


class PortalErrors:
    """The errors for one combination. `unregistered` says that the portal did not take our name."""

    def __init__(self, combination: Combination, by_hand: str) -> None:
        self._combination = combination
        self._by_hand = by_hand
        self.unregistered = False

    @contextmanager
    def translated(self) -> Generator[None, None, None]:
        """Turn what goes wrong on the bus into what the user should know."""
        try:
            yield
        except TimeoutError as exc:
            raise HotkeyUnavailable(
                Message("The desktop portal does not answer."), fix=self._by_hand
            ) from exc
        except OSError as exc:
            raise HotkeyUnavailable(
                Message(
                    "The session's message bus does not answer, so the desktop cannot be asked for a "
                    "hotkey."
                ),
                fix=self._by_hand,
            ) from exc
        except DBusErrorResponse as exc:
            if is_absence(exc):
                raise HotkeyUnavailable(
                    Message("This desktop has no portal, which a hotkey needs here."),
                    fix=self._by_hand,
                ) from exc
            raise self.refused(_error_text(exc).rstrip(".")) from exc

    def no_shortcuts(self) -> HotkeyUnavailable:
        """The portal has no shortcuts."""
        return HotkeyUnavailable(
            Message("This desktop does not offer hotkeys to programs."), fix=self._by_hand
        )

    def refused(self, reason: str) -> HotkeyUnavailable:
        """The portal said no itself, for a reason in its own words."""
        entry = Message("Run `askance menu`: the portal knows Askance by its entry in the menu.")
        return HotkeyUnavailable(
            Message("The desktop portal refused a hotkey: {problem}.", problem=reason),
            fix=Message.joined(entry, self._by_hand) if self.unregistered else self._by_hand,
        )

    def refused_by_user(self) -> HotkeyUnavailable:
        """The user said no."""
        return HotkeyUnavailable(
            Message("The desktop asked whether Askance may use a hotkey, and the answer was no."),
            fix=Message.joined(
                Message("Turn the hotkey on again in the settings to be asked again."),
                self._by_hand,
            ),
        )

    def without_keys(self) -> HotkeyTaken:
        """The portal agreed, but no keys lead to us."""
        return HotkeyTaken(
            Message("The desktop did not assign {keys} to Askance.", keys=self._combination),
            fix=Message(
                "Choose keys for Askance in the desktop's settings for shortcuts, or another "
                "combination here."
            ),
        )

    def taken_back(self) -> HotkeyUnavailable:
        """The session has ended, or the portal."""
        return HotkeyUnavailable(
            Message("The desktop has taken the hotkey back."), fix=self._by_hand
        )


def _keys(results: dict[str, tuple[str, Any]]) -> str | None:
    """Return the keys of our shortcut in a list of shortcuts; "" where it has none, None where it is
    not in the list."""
    bound = dict(results.get("shortcuts", ("", []))[1])
    if SHORTCUT not in bound:
        return None
    return str(bound[SHORTCUT].get("trigger_description", ("s", _UNSAID))[1])


def written_trigger(combination: Combination) -> str:
    """Return a combination as the XDG shortcuts specification writes it."""
    held = (
        "LOGO" if modifier is Modifier.SUPER else modifier.value.upper()
        for modifier in combination.in_order()
    )
    return "+".join((*held, KEYSYMS[combination.key]))


def is_farewell(message: Packet) -> bool:
    """Whether a signal says that the portal has left the bus."""
    if named(message) != ("org.freedesktop.DBus", "NameOwnerChanged"):
        return False
    name, before, after = message.body
    return name == PORTAL_NAME and bool(before) and not after


def named(message: Packet) -> tuple[str | None, str | None]:
    """Return the interface and the name of a signal."""
    fields = message.header.fields
    return fields.get(HeaderFields.interface), fields.get(HeaderFields.member)


def is_absence(exc: DBusErrorResponse) -> bool:
    """Whether a call failed for want of a portal."""
    return exc.name in _NO_PORTAL or exc.name.startswith(_STARTING_FAILED)


def _owner_changes() -> MatchRule:
    rule = MatchRule(type="signal", interface=message_bus.interface, member="NameOwnerChanged")
    # The bus tells of every name that comes and goes; only one is of interest.
    rule.add_arg_condition(0, PORTAL_NAME)
    return rule


def _token() -> str:
    return f"askance_{secrets.token_hex(6)}"


def _error_text(exc: DBusErrorResponse) -> str:
    """What the other side says itself, or else the name of its error."""
    match exc.data:
        case (str(text), *_) if text:
            return text
        case _:
            return exc.name
