"""The settings by their names: what each is, and what it may be."""

from __future__ import annotations

import ast
import difflib
import inspect
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from itertools import pairwise
from textwrap import dedent
from typing import Any, cast

from pydantic import BaseModel, SecretStr

from askance.config.settings import Settings
from askance.domain.addresses import secrets_in
from askance.domain.errors import SettingsError
from askance.domain.messages import Message, message_of

Rows = list[tuple[str, str, Any]]
"""What a source sets: where it stands, the name of the setting, the value."""

Note = Callable[[Message], None]
"""Called with one sentence for each line of the file that is not understood."""


def ignore(_: Message) -> None:
    """Take a note, and tell nobody."""


_BOUNDS = {"minimum": "least", "exclusiveMinimum": "least", "maximum": "most"}


@cache
def field_names() -> tuple[str, ...]:
    """Return every setting as `section.field`, in the order of the tree."""
    return tuple(
        f"{section}.{field}"
        for section, info in Settings.model_fields.items()
        for field in cast("type[BaseModel]", info.annotation).model_fields
    )


def parse_name(name: str) -> tuple[str, str]:
    """Split `section.field`.

    Raises:
        SettingsError: there is no such setting; the message offers the nearest name.
    """
    known = field_names()
    if name in known:
        section, _, field = name.partition(".")
        return section, field
    near = difflib.get_close_matches(name, known, 1)
    hint = (
        Message("Did you mean {name}?", name=near[0])
        if near
        else Message("`askance config show` lists all of them.")
    )
    raise SettingsError(Message("There is no setting {name}.", name=repr(name)), fix=hint)


def written_value(name: str, text: str) -> str | list[str]:
    """Return what a setting's value is when a person writes it as text: lists have commas."""
    if name in field_names() and is_list(*parse_name(name)):
        return [part.strip() for part in text.split(",") if part.strip()]
    return text


def objection(error: Mapping[str, Any], section: str, field: str) -> Message:
    """Return why a setting is refused: its validator's own words, or what it must be."""
    if error["type"] == "value_error":
        return message_of(error.get("ctx", {}).get("error", ""))
    return requirement(section, field)


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
    return _docstrings(_section(section)).get(field, "")


@cache
def _docstrings(section: type[BaseModel]) -> dict[str, str]:
    # Not by pydantic's `use_attribute_docstrings`: that parses the source at each start, a third of what the settings take.
    (definition,) = ast.parse(dedent(inspect.getsource(section))).body
    found: dict[str, str] = {}
    for field, text in pairwise(cast("ast.ClassDef", definition).body):
        match field, text:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(
                value=ast.Constant(value=str(doc))
            ):
                found[name] = inspect.cleandoc(doc)
            case _:
                pass
    return found


def is_secret(section: str, field: str) -> bool:
    """Say whether a setting's value is never shown."""
    return (
        # A line that is not understood may name an unknown section.
        section in Settings.model_fields
        and _section(section).model_fields[field].annotation is SecretStr
    )


def holds_secrets(text: str) -> bool:
    """Say whether a settings file's text sets what is never shown, or a password in an address."""
    tree = tomllib.loads(text)
    for name in field_names():
        section, _, field = name.partition(".")
        fields = tree.get(section)
        value = cast("dict[str, Any]", fields).get(field) if isinstance(fields, dict) else None
        if value and (is_secret(section, field) or (isinstance(value, str) and secrets_in(value))):
            return True
    return False


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
    # pydantic puts an enumeration under `$defs`, and refers to it.
    reference = str(schema.get("$ref", ""))
    return whole["$defs"][reference.rpartition("/")[2]] if reference else schema


def _section(name: str) -> type[BaseModel]:
    return cast("type[BaseModel]", Settings.model_fields[name].annotation)
