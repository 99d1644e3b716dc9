"""The session's D-Bus: calls and signals, notifications, this program as a service on it, and two of its portals.

The portals are that for background programs (autostart inside a Flatpak) and that of settings (light or dark).
"""

from __future__ import annotations

import asyncio
import secrets
import sys
from collections import deque
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, cast

from jeepney import (
    DBusAddress,
    DBusErrorResponse,
    HeaderFields,
    MatchRule,
    MessageFlag,
    MessageType,
    message_bus,
    new_error,
    new_method_call,
    new_method_return,
)
from jeepney import Message as Packet
from jeepney.auth import BEGIN, Authenticator
from jeepney.bus import get_connectable_addresses
from jeepney.io.asyncio import DBusConnection
from jeepney.wrappers import unwrap_msg

from askance.domain.errors import InputError
from askance.domain.messages import Message
from askance.system.desktop_entry import APP_ID

_BLOCK = 65_536
_NAME = "org.freedesktop.Notifications"
SERVICE = DBusAddress("/org/freedesktop/Notifications", bus_name=_NAME, interface=_NAME)
_BUS = DBusAddress("/org/freedesktop/DBus", "org.freedesktop.DBus", "org.freedesktop.DBus")
# The name of the action that a click on the notification itself stands for.
_CLICK = "default"
_AS_LONG_AS_USUAL = -1


class Bus:
    """An open connection. Its methods raise `OSError` where the bus is gone.

    It is jeepney's plain connection and not its router, whose filters are never told that the bus
    has hung up: who waits for a signal would wait for ever.
    """

    def __init__(self, connection: DBusConnection) -> None:
        self._connection = connection
        self._signals: deque[Packet] = deque()

    async def call(
        self, target: DBusAddress, method: str, signature: str = "", *values: Any
    ) -> tuple[Any, ...]:
        """Call a method and return the values of its reply.

        Raises:
            DBusErrorResponse: the reply is an error.
        """
        return await self.ask(new_method_call(target, method, signature or None, values))

    async def subscribe(self, rule: MatchRule) -> None:
        """Have the signals of a rule sent here from now on."""
        await self.ask(message_bus.AddMatch(rule))

    async def signal(self, is_wanted: Callable[[Packet], bool] = lambda _: True) -> Packet:
        """Return the next signal that is wanted; the others before it are dropped."""
        while True:
            message = self._signals.popleft() if self._signals else await self._receive()
            if message.header.message_type is MessageType.signal and is_wanted(message):
                return message

    async def next_call(self) -> Packet:
        """Return the next call of a method of ours; all that comes in between is dropped."""
        while True:
            message = self._signals.popleft() if self._signals else await self._receive()
            if message.header.message_type is MessageType.method_call:
                return message

    async def send(self, message: Packet) -> None:
        """Send something that is not answered, such as a reply."""
        await self._connection.send(message)

    async def begin(self) -> None:
        """Authenticate, and be given a name."""
        proof = Authenticator()
        for line in proof:
            self._connection.writer.write(line)
            if not (block := await self._connection.reader.read(_BLOCK)):
                raise ConnectionResetError("the bus has hung up")
            proof.feed(block)
        self._connection.writer.write(BEGIN)
        await self.ask(message_bus.Hello())

    async def ask(self, message: Packet) -> tuple[Any, ...]:
        """Send a call and return the values of its reply. Raises DBusErrorResponse: it is an error."""
        serial = next(self._connection.outgoing_serial)
        await self._connection.send(message, serial=serial)
        while True:
            reply = await self._receive()
            if reply.header.fields.get(HeaderFields.reply_serial) == serial:
                return unwrap_msg(reply)
            # Signals that come before the reply are kept, in order, for `signal`.
            self._signals.append(reply)

    async def _receive(self) -> Packet:
        try:
            return await self._connection.receive()
        except EOFError as exc:
            raise ConnectionResetError("the bus has hung up") from exc


@asynccontextmanager
async def open_session_bus(environment: Mapping[str, str]) -> AsyncGenerator[Bus, None]:
    """Connect to the bus that the environment names.

    Not by the library, which drops its socket unclosed where the bus does not let it in.

    Raises:
        OSError: there is none, or it does not let us in.
    """
    if sys.platform == "win32":
        raise ConnectionRefusedError("Windows has no session bus")
    reader, writer = await asyncio.open_unix_connection(_address(environment))
    try:
        bus = Bus(DBusConnection(reader, writer))
        try:
            await bus.begin()
        except (DBusErrorResponse, ValueError) as exc:
            raise ConnectionRefusedError(str(exc)) from exc
        yield bus
    finally:
        writer.close()


async def reload_services(environment: Mapping[str, str]) -> None:
    """Have the bus read its folders of services anew. Nothing happens where there is no bus."""
    with suppress(OSError, DBusErrorResponse):
        async with open_session_bus(environment) as bus:
            await bus.call(_BUS, "ReloadConfig")


async def notify(
    environment: Mapping[str, str], app_id: str, title: str, text: str, press: str
) -> str | None:
    """Show a notification, and wait for what becomes of it; cancelled, it is taken back.

    It goes to the desktop's own service (Desktop Notifications Specification 1.2), for desktops
    whose panel takes no icon.

    `press` names what a click does, for desktops that show it. Returns None where the notification
    was not shown or was closed, and once it is clicked the token with which the desktop lets a
    window come to the front; it is empty on desktops that have none.
    """
    try:
        async with open_session_bus(environment) as bus:
            # The signals come from whoever holds the name now: another program may not send them.
            await bus.subscribe(MatchRule(type="signal", sender=_NAME, interface=_NAME))
            hints = {"desktop-entry": ("s", app_id)}
            values = ("Askance", 0, app_id, title, text, [_CLICK, press], hints, _AS_LONG_AS_USUAL)
            async with asyncio.TaskGroup() as group:
                showing = group.create_task(_number_of_shown(bus, values))
                try:
                    # Only the reply tells by which number it can be taken back.
                    number = await asyncio.shield(showing)
                    return None if number is None else await _token_of_click(bus, number)
                except OSError:
                    return None
                except asyncio.CancelledError:
                    if (number := await showing) is not None:
                        await _take_back(bus, number)
                    raise
    except (OSError, DBusErrorResponse):
        return None


async def _number_of_shown(bus: Bus, values: tuple[Any, ...]) -> int | None:
    """Show a notification, and return its number; None where the desktop refuses it."""
    try:
        (number,) = await bus.call(SERVICE, "Notify", "susssasa{sv}i", *values)
    except (OSError, DBusErrorResponse):
        return None
    return number


async def _token_of_click(bus: Bus, number: int) -> str | None:
    token = ""
    while True:
        signal = await bus.signal(lambda message: message.body[:1] == (number,))
        match signal.header.fields.get(HeaderFields.member), signal.body:
            case "ActivationToken", (_, str(token)):
                pass
            case "ActionInvoked", _:
                # Some desktops leave it standing.
                await _take_back(bus, number)
                return token
            case "NotificationClosed", _:
                return None
            case _:
                pass


async def _take_back(bus: Bus, number: int) -> None:
    with suppress(OSError, DBusErrorResponse):
        await bus.call(SERVICE, "CloseNotification", "u", number)


def _address(environment: Mapping[str, str]) -> str:
    if named := environment.get("DBUS_SESSION_BUS_ADDRESS"):
        try:
            return next(get_connectable_addresses(named))
        except (RuntimeError, ValueError) as exc:
            raise FileNotFoundError(f"{named} is no address of a bus on this machine") from exc
    if folder := environment.get("XDG_RUNTIME_DIR"):
        # Where the bus of a systemd session listens.
        return f"{folder}/bus"
    raise FileNotFoundError("no session bus is named")


# The program under its own name on the session's bus, as `DBusActivatable` in its desktop entry says.
#
# It speaks org.freedesktop.Application (Desktop Entry Specification, "D-Bus Activation"). Desktops then open the window by
# a call, which brings the permission to come to the front along, and the bus starts the program where it does not run.

PATH = "/" + APP_ID.replace(".", "/")
APPLICATION = "org.freedesktop.Application"
ACTIVATE = ""
"""What is asked where no action is named: the window."""
_INTROSPECTABLE, _PEER = "org.freedesktop.DBus.Introspectable", "org.freedesktop.DBus.Peer"
_UNKNOWN = "org.freedesktop.DBus.Error.UnknownMethod"
# A flag and a reply of RequestName in the D-Bus specification. Whoever queued would become the
# window when the running one ends.
_DO_NOT_QUEUE, _IS_OWNER = 4, 1
# The newer word of what hands the focus over comes first.
_TOKENS = ("activation-token", "desktop-startup-id")
_DESCRIPTION = f"""\
<!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">
<node>
  <interface name="{APPLICATION}">
    <method name="Activate"><arg type="a{{sv}}" direction="in"/></method>
    <method name="Open">
      <arg type="as" direction="in"/><arg type="a{{sv}}" direction="in"/>
    </method>
    <method name="ActivateAction">
      <arg type="s" direction="in"/><arg type="av" direction="in"/><arg type="a{{sv}}" direction="in"/>
    </method>
  </interface>
</node>
"""

OnActivation = Callable[[tuple[str, str]], None]
"""Gets the action that is asked for (`ACTIVATE` for the window itself), and the desktop's token or ""."""


async def serve_application(environment: Mapping[str, str], on_activation: OnActivation) -> None:
    """Own the program's name on the bus, and take calls until the bus hangs up.

    Ends at once where there is no bus, or another process has the name.
    """
    with suppress(OSError, DBusErrorResponse):
        async with open_session_bus(environment) as bus:
            (status,) = await bus.ask(message_bus.RequestName(APP_ID, _DO_NOT_QUEUE))
            if status != _IS_OWNER:
                return
            while True:
                await _answer(bus, await bus.next_call(), on_activation)


async def _answer(bus: Bus, call: Packet, on_activation: OnActivation) -> None:
    fields = call.header.fields
    member, interface = fields.get(HeaderFields.member), fields.get(HeaderFields.interface)
    if interface == _PEER and member == "Ping":
        reply = new_method_return(call)
    elif fields.get(HeaderFields.path) != PATH:
        reply = new_error(call, _UNKNOWN, "s", ("there is no such object",))
    elif interface == _INTROSPECTABLE and member == "Introspect":
        reply = new_method_return(call, "s", (_DESCRIPTION,))
    elif (activation := _activation(str(member), call.body)) is not None:
        on_activation(activation)
        reply = new_method_return(call)
    else:
        reply = new_error(call, _UNKNOWN, "s", (f"there is no method {member}",))
    if not call.header.flags & MessageFlag.no_reply_expected:
        await bus.send(reply)


def _activation(member: str, body: tuple[Any, ...]) -> tuple[str, str] | None:
    """Return what a call asks for, with its token; None where it is no call of the interface."""
    match member, body:
        case "Activate", (dict(),):
            action = ACTIVATE
        # The entry names no kinds of files, so that nobody has a reason to send some.
        case "Open", (list(), dict()):
            action = ACTIVATE
        case "ActivateAction", (str(action), list(), dict()):
            pass
        case _:
            return None
    return action, _token(cast("Mapping[str, Any]", body[-1]))


def _token(platform: Mapping[str, Any]) -> str:
    found = (platform.get(name, ("s", ""))[1] for name in _TOKENS)
    return next((token for token in found if isinstance(token, str) and token), "")


# Starting with the desktop inside a Flatpak: the portal for background programs writes the entry, outside.

PORTAL_NAME = "org.freedesktop.portal.Desktop"
PORTAL_PATH = "/org/freedesktop/portal/desktop"
BACKGROUND = "org.freedesktop.portal.Background"
_REQUEST = "org.freedesktop.portal.Request"
_PORTAL = DBusAddress(PORTAL_PATH, PORTAL_NAME, BACKGROUND)
# The desktop may ask the user.
_LIMIT_S = 120.0


async def request_autostart(
    environment: Mapping[str, str], wanted: bool, command: Sequence[str]
) -> None:
    """Have the portal start a command of ours at login, or no longer.

    Raises:
        InputError: there is no such portal, or the user or the desktop says no.
    """
    try:
        async with asyncio.timeout(_LIMIT_S):
            granted = await _request(environment, wanted, command)
    except (OSError, DBusErrorResponse, TimeoutError) as exc:
        raise InputError(
            Message("The desktop's portal does not let Askance start at login.")
        ) from exc
    # A portal may answer without an error that it has not done it.
    if granted is not wanted:
        raise InputError(
            Message("The desktop does not let Askance start at login."),
            fix=Message(
                "Allow it there: the settings of the desktop list what runs in the background."
            ),
        )


async def _request(
    environment: Mapping[str, str], wanted: bool, command: Sequence[str]
) -> bool | None:
    """Return whether it is started at login now; None where the user ended the request."""
    options = {
        "handle_token": ("s", f"askance_{secrets.token_hex(8)}"),
        "reason": ("s", str(Message("Askance waits for its hotkey."))),
        "autostart": ("b", wanted),
        "commandline": ("as", list(command)),
    }
    status, results = await _response(environment, _PORTAL, "RequestBackground", options)
    if status:
        # Turning it off needs nobody's leave.
        return None if wanted else False
    return bool(results.get("autostart", ("b", wanted))[1])


_CALL_S = 25.0
"""A portal answers a call within this; what the user then does has no limit."""


async def _response(
    environment: Mapping[str, str], portal: DBusAddress, method: str, options: dict[str, Any]
) -> tuple[int, Mapping[str, Any]]:
    """Call a method of a portal that answers by a signal; 0 is success, and what came of it."""
    async with open_session_bus(environment) as bus:
        await bus.subscribe(MatchRule(type="signal", sender=PORTAL_NAME, interface=_REQUEST))
        async with asyncio.timeout(_CALL_S):
            (path,) = await bus.call(portal, method, "sa{sv}", "", options)

        def is_response(message: Packet) -> bool:
            fields = message.header.fields
            named = fields.get(HeaderFields.path), fields.get(HeaderFields.member)
            return named == (path, "Response")

        status, results = (await bus.signal(is_response)).body
    return status, results


# A picture of an area of the screen: the portal shows what the user draws it with.

SCREENSHOT = "org.freedesktop.portal.Screenshot"
_SCREENSHOTS = DBusAddress(PORTAL_PATH, PORTAL_NAME, SCREENSHOT)
_PROPERTIES = DBusAddress(PORTAL_PATH, PORTAL_NAME, "org.freedesktop.DBus.Properties")


async def has_screenshots(environment: Mapping[str, str]) -> bool:
    """Return whether the desktop has such a portal."""
    try:
        async with asyncio.timeout(_CALL_S), open_session_bus(environment) as bus:
            await bus.call(_PROPERTIES, "Get", "ss", SCREENSHOT, "version")
    except (OSError, DBusErrorResponse):
        return False
    return True


async def request_screenshot(environment: Mapping[str, str]) -> str:
    """Let the user draw an area, and return the address of its picture; empty where none was drawn.

    Raises:
        OSError: the desktop does not take one.
    """
    options = {
        "handle_token": ("s", f"askance_{secrets.token_hex(8)}"),
        "interactive": ("b", True),
    }
    try:
        status, results = await _response(environment, _SCREENSHOTS, "Screenshot", options)
    except DBusErrorResponse as exc:
        raise OSError(str(exc)) from exc
    # 1 is that the user has cancelled it (org.freedesktop.portal.Request).
    if status > 1:
        raise OSError(f"the portal's answer is {status}")
    return "" if status else str(results.get("uri", ("s", ""))[1])


# Whether the desktop is light or dark, as its settings portal says: Qt misses half of KDE's
# changes.

SETTINGS = "org.freedesktop.portal.Settings"
_APPEARANCE, _KEY = "org.freedesktop.appearance", "color-scheme"
# 0 stands for no preference (org.freedesktop.portal.Settings, `color-scheme`).
_DARK, _LIGHT = 1, 2


async def follow_color_scheme(
    environment: Mapping[str, str], on_change: Callable[[str], None]
) -> None:
    """Report "light", "dark" or, where the user has no preference, "" at each change, until the bus hangs up.

    Ends at once where there is no bus.
    """
    rule = MatchRule(
        type="signal",
        sender=PORTAL_NAME,
        path=PORTAL_PATH,
        interface=SETTINGS,
        member="SettingChanged",
    )
    with suppress(OSError, DBusErrorResponse):
        async with open_session_bus(environment) as bus:
            await bus.subscribe(rule)
            while True:
                match (await bus.signal()).body:
                    case (str(space), str(key), ("u", value)) if (space, key) == (
                        _APPEARANCE,
                        _KEY,
                    ):
                        on_change({_DARK: "dark", _LIGHT: "light"}.get(value, ""))
                    case _:
                        pass
