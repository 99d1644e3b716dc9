from enum import Enum, IntEnum, IntFlag
from typing import Any

class MessageType(Enum):
    method_call = 1
    method_return = 2
    error = 3
    signal = 4

class HeaderFields(IntEnum):
    path = 1
    interface = 2
    member = 3
    error_name = 4
    reply_serial = 5
    destination = 6
    sender = 7
    signature = 8

class MessageFlag(IntFlag):
    no_reply_expected = 1

class Header:
    message_type: MessageType
    flags: MessageFlag
    serial: int
    fields: dict[HeaderFields, Any]

class Message:
    header: Header
    body: tuple[Any, ...]
    def serialise(self, serial: int | None = None) -> bytes: ...

class DBusErrorResponse(Exception):
    name: str
    data: tuple[Any, ...]
    def __init__(self, msg: Message) -> None: ...

class DBusAddress:
    object_path: str
    bus_name: str | None
    interface: str | None
    def __init__(
        self, object_path: str, bus_name: str | None = None, interface: str | None = None
    ) -> None: ...
    def with_interface(self, interface: str) -> DBusAddress: ...

class MatchRule:
    def __init__(
        self,
        *,
        type: str | None = None,  # noqa: A002 - the name is the library's
        sender: str | None = None,
        interface: str | None = None,
        member: str | None = None,
        path: str | None = None,
    ) -> None: ...
    def add_arg_condition(self, argno: int, value: str, kind: str = "string") -> None: ...

class DBus:
    interface: str
    def Hello(self) -> Message: ...
    def AddMatch(self, rule: MatchRule) -> Message: ...
    def RequestName(self, name: str, flags: int = 0) -> Message: ...
    def ReleaseName(self, name: str) -> Message: ...
    def NameHasOwner(self, name: str) -> Message: ...

message_bus: DBus

def new_method_call(
    remote_obj: DBusAddress,
    method: str,
    signature: str | None = None,
    body: tuple[Any, ...] = (),
) -> Message: ...
def new_method_return(
    parent_msg: Message, signature: str | None = None, body: tuple[Any, ...] = ()
) -> Message: ...
def new_error(
    parent_msg: Message,
    error_name: str,
    signature: str | None = None,
    body: tuple[Any, ...] = (),
) -> Message: ...
def new_signal(
    emitter: DBusAddress, signal: str, signature: str | None = None, body: tuple[Any, ...] = ()
) -> Message: ...
