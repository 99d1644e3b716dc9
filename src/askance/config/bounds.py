"""What each setting may be, in words, taken from the tree of settings itself."""

from __future__ import annotations

from functools import cache
from typing import Any, cast

from pydantic import BaseModel

from askance.config.settings import Settings

_KINDS = {"integer": "a whole number", "number": "a number", "boolean": "true or false"}


def allowed(section: str, field: str) -> str:
    """Return what a setting may be, such as "a whole number from 1 to 50"."""
    schema = _schema(section, field)
    if schema.get("type") == "array":
        item = _in_words(schema["items"]).removeprefix("a ")
        return f"{item.replace('number', 'numbers', 1)}, separated by commas"
    return _in_words(schema)


def help_text(section: str, field: str) -> str:
    """Return the sentence that explains a setting, its unit included."""
    return _section(section).model_fields[field].description or ""


def is_list(section: str, field: str) -> bool:
    """Say whether a setting holds several values, written with commas between them."""
    return _schema(section, field).get("type") == "array"


def _in_words(schema: dict[str, Any]) -> str:
    if choices := schema.get("enum"):
        return f"one of {', '.join(choices)}"
    kind = _KINDS.get(str(schema.get("type")), "text")
    return f"{kind}{_range(schema)}"


def _range(schema: dict[str, Any]) -> str:
    low, above, high = (schema.get(k) for k in ("minimum", "exclusiveMinimum", "maximum"))
    if high is None:
        return ""
    if above is not None:
        return f" above {_figure(above)} and at most {_figure(high)}"
    return f" from {_figure(low)} to {_figure(high)}"


def _figure(bound: Any) -> str:
    return f"{bound:f}".rstrip("0").rstrip(".") if isinstance(bound, float) else str(bound)


@cache
def _schema(section: str, field: str) -> dict[str, Any]:
    whole = _section(section).model_json_schema()
    schema: dict[str, Any] = whole["properties"][field]
    reference = str(schema.get("$ref", ""))
    return whole["$defs"][reference.rpartition("/")[2]] if reference else schema


def _section(name: str) -> type[BaseModel]:
    return cast("type[BaseModel]", Settings.model_fields[name].annotation)
