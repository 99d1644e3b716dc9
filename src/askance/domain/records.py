"""Events as plain records, for JSON Lines: `{"type": "page_read", "at_s": 1.25, ...}`, and back.

A message stands in its field as its English text. What it was made from stands beside it, under
`messages` and the name of the field, so that it can be said in another language later.
"""

from __future__ import annotations

import dataclasses
import re
import types
import typing
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import Any, cast, get_args, get_origin, get_type_hints

from askance.domain.errors import InputError
from askance.domain.events import RunEvent
from askance.domain.messages import Message

_MESSAGES = "messages"
_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def type_name(event_type: type) -> str:
    """Return the record's type of an event class: `PageRead` is `page_read`."""
    return _CAPITAL.sub("_", event_type.__name__).lower()


EVENT_TYPES: dict[str, type] = {type_name(cls): cls for cls in get_args(RunEvent)}


def to_record(event: RunEvent, at_s: float) -> dict[str, Any]:
    """Return an event as JSON-ready values. `at_s` is seconds since the run began."""
    return {
        "type": type_name(type(event)),
        "at_s": round(at_s, 3),
        **cast("dict[str, Any]", _plain(event)),
    }


def from_record(record: dict[str, Any]) -> RunEvent:
    """Rebuild an event from its record; keys the event does not have are passed over.

    Raises:
        InputError: the record is of no known type, or a field is missing or of the wrong kind.
    """
    cls = EVENT_TYPES.get(str(record.get("type")))
    if cls is None:
        raise InputError(f"A trace line of type {record.get('type')!r} is not known.")
    try:
        return cast("RunEvent", _rebuilt(cls, record))
    except (TypeError, ValueError, KeyError, AttributeError) as exc:
        raise InputError(f"A trace line of type {record['type']!r} is damaged: {exc}.") from exc


def _plain(value: object) -> object:
    match value:
        case Enum():
            return value.value
        case tuple() | list():
            return [_plain(item) for item in cast("tuple[object, ...]", value)]
        case _ if dataclasses.is_dataclass(value):
            fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
            plain = {name: _plain(field) for name, field in fields.items()}
            made = {name: made for name, field in fields.items() if (made := _made_from(field))}
            return {**plain, _MESSAGES: made} if made else plain
        case Message():
            return str(value)
        case _:
            return value


def _made_from(value: object) -> object:
    """Return what a message, or each of several, was made from; nothing where there is none."""
    match value:
        case Message():
            return value.to_record() if value.is_ours else None
        case tuple():
            each = [_made_from(item) for item in cast("tuple[object, ...]", value)]
            return each if any(each) else None
        case _:
            return None


@cache
def _hints(cls: type) -> dict[str, Any]:
    return get_type_hints(cls)


def _rebuilt(kind: Any, value: Any) -> Any:
    origin = get_origin(kind)
    if origin is tuple:
        if not isinstance(value, list):
            raise TypeError(f"expected a list, got {type(value).__name__}")
        value = cast("list[Any]", value)
        return tuple(_rebuilt(get_args(kind)[0], item) for item in value)
    if origin in (types.UnionType, typing.Union):
        # Of unions, events have `X | None` alone.
        return None if value is None else _rebuilt(get_args(kind)[0], value)
    if dataclasses.is_dataclass(kind):
        if not isinstance(value, dict):
            raise TypeError(f"expected an object, got {type(value).__name__}")
        value = cast("dict[str, Any]", value)
        hints = _hints(cast("type", kind))
        known = {f.name for f in dataclasses.fields(kind)} & set(value)
        made = value.get(_MESSAGES)
        made = cast("dict[str, Any]", made) if isinstance(made, dict) else {}
        fields = {name: _rebuilt(hints[name], value[name]) for name in known}
        messages = {name: _parsed_as(fields[name], made[name]) for name in known & set(made)}
        return cast("type", kind)(**fields | messages)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(value)
    if kind is Message and isinstance(value, str):
        return Message.verbatim(value)
    if isinstance(kind, type) and not isinstance(value, (kind, int) if kind is float else kind):
        raise TypeError(f"expected {kind.__name__}, got {type(value).__name__}")
    return value


def _parsed_as(text: object, record: object) -> object:
    """Return a text, or each of several, as the message that it was."""
    match text, record:
        case str(), _:
            return Message.from_record(text, record)
        case tuple(), list():
            texts, records = cast("tuple[str, ...]", text), cast("list[object]", record)
            return tuple(map(Message.from_record, texts, records))
        case _:
            return text


# Past runs as they are traced.


@dataclass(frozen=True, slots=True)
class TraceSummary:
    """A trace in the list. `seconds` is how long the run took.

    `outcome` is that of the answer (`web`, `library`, …), or `clarify_asked` or `failed`. `damage`
    is empty, or says what is wrong with the file; the fields that cannot be read are then empty.
    """

    id: str
    question: str = ""
    started: str = ""
    outcome: str = ""
    seconds: float = 0.0
    damage: str = ""


@dataclass(frozen=True, slots=True)
class StoredTrace:
    """A whole trace: what was asked, when (ISO, UTC), and each event with its second in the run."""

    id: str
    question: str
    started: str
    events: tuple[tuple[float, RunEvent], ...]
