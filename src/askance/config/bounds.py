"""What each setting may be, in words, taken from the tree of settings itself."""

from __future__ import annotations

from functools import cache
from typing import Any, cast

from pydantic import BaseModel

from askance.config.settings import Settings
from askance.domain.messages import Message

_BOUNDS = {"minimum": "least", "exclusiveMinimum": "least", "maximum": "most"}


def requirement(section: str, field: str) -> Message:
    """Return what a setting must be, such as "must be a whole number from 1 to 50"."""
    schema = _schema(section, field)
    is_several = schema.get("type") == "array"
    schema = schema["items"] if is_several else schema
    bounds = {name: _figure(schema[key]) for key, name in _BOUNDS.items() if key in schema}
    match str(schema.get("type")):
        case _ if choices := schema.get("enum"):
            return Message("must be one of {names}", names=", ".join(choices))
        case "boolean":
            return Message("must be true or false")
        case "integer" if is_several:
            return Message(
                "must be whole numbers from {least} to {most}, separated by commas", **bounds
            )
        case "integer":
            return Message("must be a whole number from {least} to {most}", **bounds)
        case "number" if "exclusiveMinimum" in schema:
            return Message("must be a number above {least} and at most {most}", **bounds)
        case "number":
            return Message("must be a number from {least} to {most}", **bounds)
        case _ if is_several:
            return Message("must be text, separated by commas")
        case _:
            return Message("must be text")


def allowed(section: str, field: str) -> str:
    """Return what a setting may be, in English: "a whole number from 1 to 50"."""
    return requirement(section, field).removeprefix("must be ")


def help_text(section: str, field: str) -> str:
    """Return the sentence that explains a setting, its unit included."""
    return _section(section).model_fields[field].description or ""


def is_list(section: str, field: str) -> bool:
    """Say whether a setting holds several values, written with commas between them."""
    return _schema(section, field).get("type") == "array"


def _figure(bound: float) -> str:
    """Return a bound as it is typed: without separators, in every language."""
    return f"{bound:f}".rstrip("0").rstrip(".") if isinstance(bound, float) else str(bound)


@cache
def _schema(section: str, field: str) -> dict[str, Any]:
    whole = _section(section).model_json_schema()
    schema: dict[str, Any] = whole["properties"][field]
    reference = str(schema.get("$ref", ""))
    return whole["$defs"][reference.rpartition("/")[2]] if reference else schema


def _section(name: str) -> type[BaseModel]:
    return cast("type[BaseModel]", Settings.model_fields[name].annotation)
