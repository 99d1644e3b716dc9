"""JSON as it streams in: what can be read of an object before it is complete."""

from __future__ import annotations

import json
import re
from typing import Any

_KEY = re.compile(r'\s*,?\s*"((?:[^"\\]|\\.)*)"\s*:\s*')
_VALUE_END = re.compile(r"\s*[,}]")
# Small models break lines inside strings, which strict JSON does not allow.
_DECODER = json.JSONDecoder(strict=False)


def finished_fields(text: str) -> dict[str, Any]:
    """Return the top-level fields of the first object in `text` whose values are complete.

    Text before the object (a code fence, a word of politeness) is passed over. What is not JSON
    gives an empty dict.
    """
    start = text.find("{")
    fields: dict[str, Any] = {}
    position = start + 1
    while start >= 0 and (key := _KEY.match(text, position)):
        try:
            value, end = _DECODER.raw_decode(text, key.end())
        except (ValueError, RecursionError):
            break
        # A number may go on in the next piece; everything else ends with its own last character.
        if isinstance(value, (int, float)) and not _VALUE_END.match(text, end):
            break
        fields[key.group(1)] = value
        position = end
    return fields


def is_looping(text: str) -> bool:
    """Say whether a text has begun to repeat itself without end, as small models do."""
    if len(text) < LOOP_CHARS:
        return False
    tail = text[-LOOP_CHARS:]
    period = tail[::-1].find(tail[::-1][:LOOP_PROBE], 1)
    if not 1 <= period <= LOOP_PROBE:
        return False
    return all(tail[i] == tail[i - period] for i in range(period, LOOP_CHARS))


# A loop is told by 240 characters that repeat a unit of at most 80: three times over at least.
LOOP_CHARS = 240
LOOP_PROBE = 80
