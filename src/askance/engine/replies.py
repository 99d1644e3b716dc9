"""Reading replies while they stream: JSON before it is complete, and text that repeats itself without end."""

from __future__ import annotations

import json
import re
from typing import Any

# A loop repeats a unit of at most this many characters at least three times over, and for as long
# as a person would look at it.
LONGEST_LOOP = 400
LOOP_TIMES = 3
LOOP_CHARS = 240
LOOP_PROBE = 40
_KEY = re.compile(r'\s*+,?\s*+"((?:[^"\\]|\\.)*+)"\s*+:\s*+')
_VALUE_END = re.compile(r"\s*+[,}]")
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


def conformed(fields: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """Return fields with words of an enumeration as the schema writes them: `Proceed` is `proceed`."""
    known = dict(fields)
    for name, rules in schema["properties"].items():
        value = known.get(name)
        if isinstance(value, str) and (words := rules.get("enum")):
            known[name] = next((w for w in words if w == value.strip().lower()), value)
    return known


def is_looping(text: str) -> bool:
    """Say whether a text has begun to repeat itself without end, as small models do."""
    probe = text[-LOOP_PROBE:]
    before = text.rfind(probe, max(0, len(text) - LONGEST_LOOP - LOOP_PROBE), len(text) - 1)
    if len(probe) < LOOP_PROBE or before < 0:
        return False
    period = len(text) - LOOP_PROBE - before
    wanted = max(LOOP_CHARS, LOOP_TIMES * period)
    tail = text[-wanted:]
    return len(tail) == wanted and tail[period:] == tail[:-period]
