"""The program under its own name on the session's bus, as `DBusActivatable` in its desktop entry says.

It speaks org.freedesktop.Application (Desktop Entry Specification, "D-Bus Activation"). Desktops then open the window by
a call, which brings the permission to come to the front along, and the bus starts the program where it does not run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

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
    reply = new_method_return(call)
    match interface, member, call.body:
        case _ if fields.get(HeaderFields.path) != PATH and interface != _PEER:
            reply = new_error(call, _UNKNOWN, "s", ("there is no such object",))
        case _, "Activate", (dict(platform),):
            on_activation((ACTIVATE, _token(platform)))
        # The entry names no kinds of files, so that nobody has a reason to send some.
        case _, "Open", (list(), dict(platform)):
            on_activation((ACTIVATE, _token(platform)))
        case _, "ActivateAction", (str(action), list(), dict(platform)):
            on_activation((action, _token(platform)))
        case _, "Introspect", _ if interface == _INTROSPECTABLE:
            reply = new_method_return(call, "s", (_DESCRIPTION,))
        case _, "Ping", _ if interface == _PEER:
            pass
        case _:
            reply = new_error(call, _UNKNOWN, "s", (f"there is no method {member}",))
    if not call.header.flags & MessageFlag.no_reply_expected:
        await bus.send(reply)


def _token(platform: Mapping[str, Any]) -> str:
    found = (platform.get(name, ("s", ""))[1] for name in _TOKENS)
    return next((token for token in found if isinstance(token, str) and token), "")
