"""The program under its own name on the session's bus, as `DBusActivatable` in its desktop entry says.

It speaks org.freedesktop.Application (Desktop Entry Specification, "D-Bus Activation"). Desktops then open the window by
a call, which brings the permission to come to the front along, and the bus starts the program where it does not run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, cast

from jeepney import (
    DBusErrorResponse,
    HeaderFields,
    Message,
    MessageFlag,
    message_bus,
    new_error,
    new_method_return,
)

from askance.system.desktop_entry import APP_ID
from askance.system.session_bus import Bus, open_session_bus

PATH = "/" + APP_ID.replace(".", "/")
APPLICATION = "org.freedesktop.Application"
ACTIVATE = ""
"""What is asked where no action is named: the window."""
_INTROSPECTABLE, _PEER = "org.freedesktop.DBus.Introspectable", "org.freedesktop.DBus.Peer"
_UNKNOWN = "org.freedesktop.DBus.Error.UnknownMethod"
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


async def _answer(bus: Bus, call: Message, on_activation: OnActivation) -> None:
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
