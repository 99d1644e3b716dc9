"""The events of a run as one compressed value, and back."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable
from typing import Any, cast

from askance.domain.errors import InputError
from askance.domain.events import TokenArrived
from askance.domain.history import TimedEvent
from askance.domain.messages import NOTHING, Message
from askance.domain.records import from_record, to_record

_ALL_LOST = Message("The answer to this question cannot be read any more.")


def packed(events: Iterable[TimedEvent]) -> bytes:
    """Return events as they are stored: JSON records, compressed. Arriving tokens are left out."""
    records = [to_record(e.event, e.at_s) for e in events if not isinstance(e.event, TokenArrived)]
    # Escaped to ASCII: half of a surrogate pair, which a model can write, has no place in UTF-8.
    return zlib.compress(json.dumps(records, separators=(",", ":")).encode())


def unpacked(stored: object) -> tuple[tuple[TimedEvent, ...], Message]:
    """Return stored events, and one sentence on what cannot be read; empty if nothing is wrong.

    An event that this version does not know is left out: one lost step is not a lost answer.
    """
    try:
        records: Any = json.loads(zlib.decompress(cast("bytes", stored)))
    except (zlib.error, ValueError, TypeError, RecursionError):
        return (), _ALL_LOST
    if not isinstance(records, list):
        return (), _ALL_LOST
    events: list[TimedEvent] = []
    records = cast("list[Any]", records)
    for record in records:
        try:
            events.append(TimedEvent(float(record["at_s"]), from_record(record)))
        except (InputError, TypeError, ValueError, KeyError):
            continue
    lost = len(records) - len(events)
    if not lost:
        return tuple(events), NOTHING
    damage = Message("{done} of {n} steps cannot be read any more.", done=lost, n=len(records))
    return tuple(events), damage
