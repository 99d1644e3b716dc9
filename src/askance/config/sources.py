"""Settings from their three sources: TOML file < environment `ASKANCE_SECTION__FIELD` < command line."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from functools import cache
from ipaddress import ip_address
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from pydantic import BaseModel, SecretStr, ValidationError

from askance.config.renamed import (
    REMOVED,
    RENAMED,
    Note,
    current_name,
    passing_over,
    renaming,
    say_nothing,
)
from askance.config.settings import Settings
from askance.domain.addresses import bare_address, secrets_in
from askance.domain.errors import SettingsError
from askance.domain.messages import Message, message_of

OLLAMA_HOST = "OLLAMA_HOST"
"""The variable in which Ollama's own programs are told where it is."""
_PORT = 11434
_PORTS = {"http": 80, "https": 443}
_LOOPBACK = {4: "127.0.0.1", 6: "::1"}
PREFIX = "ASKANCE_"
TYPED = "the command line"
"""The origin of what was typed just now: an error need not say where that stands."""
NOT_SETTINGS = frozenset({
    "ASKANCE_HOME", "ASKANCE_SEARXNG_IMAGE", "ASKANCE_PYTHON_IMAGE", "ASKANCE_SERVER_PORT",
    "ASKANCE_SERVER_HOSTS", "ASKANCE_SERVER_LLM_API", "ASKANCE_SERVER_LLM_URL",
    "ASKANCE_SERVER_LLM_MODEL", "ASKANCE_SERVER_QDRANT_URL",
})  # fmt: skip
"""Variables that are no settings: the home, and for the containers which images they are made of, and what
the server's is told."""
_BOUNDS = {"minimum": "least", "exclusiveMinimum": "least", "maximum": "most"}

Values = dict[str, dict[str, Any]]
_Rows = list[tuple[str, str, Any]]
"""What a source sets: where it stands, the name of the setting, the value."""


def load_settings(
    file: Path | None,
    environment: Mapping[str, str],
    overrides: Mapping[str, Any] | None = None,
    note: Note = say_nothing,
) -> Settings:
    """Return the settings in force. `overrides` maps `section.field` to values, and wins.

    Without a file, the environment and the defaults count. Names that settings had before are read
    in every source, and `note` is told of each; beside its new name in the same source an old one
    does not count.

    Raises:
        SettingsError: a source cannot be read, names an unknown setting, or a value is out of
            bounds. The message names the source.
    """
    settings, _ = settings_with_origins(file, environment, overrides, note)
    return settings


def settings_with_origins(
    file: Path | None,
    environment: Mapping[str, str],
    overrides: Mapping[str, Any] | None = None,
    note: Note = say_nothing,
) -> tuple[Settings, dict[str, str]]:
    """Return the settings in force, and for each `section.field` that was set, by what it was.

    The origin is the path of the file, the name of the environment variable, or "the command line".
    Where nothing sets `llm.url`, Ollama's own variable `OLLAMA_HOST` takes the place of its default.
    """
    origins: dict[str, str] = {}
    values: Values = {}
    typed = [(TYPED, name, value) for name, value in (overrides or {}).items()]
    for source in (_from_file(file) if file else [], _from_environment(environment), typed):
        for origin, name, value in _as_called_now(source, note):
            _put(values, origins, name, value, origin)
    if "llm.url" not in origins and (address := address_of_ollama(environment)):
        _put(values, origins, "llm.url", address, OLLAMA_HOST)
    try:
        return Settings.model_validate(values), origins
    except ValidationError as exc:
        raise _explained(exc, origins) from exc


def field_names() -> list[str]:
    """Return every setting as `section.field`, in the order of the tree."""
    return [
        f"{section}.{field}"
        for section, info in Settings.model_fields.items()
        for field in cast("type[BaseModel]", info.annotation).model_fields
    ]


def parse_name(name: str) -> tuple[str, str]:
    """Split `section.field`.

    Raises:
        SettingsError: there is no such setting; the message offers the nearest name.
    """
    known = field_names()
    if name in known:
        section, _, field = name.partition(".")
        return section, field
    if name in RENAMED:
        raise SettingsError(renaming(name))
    if name in REMOVED:
        raise SettingsError(Message("{name} is no setting any more.", name=name))
    near = difflib.get_close_matches(name, [*known, *RENAMED], 1)
    hint = (
        Message("Did you mean {name}?", name=current_name(near[0]))
        if near
        else Message("`askance config show` lists all of them.")
    )
    raise SettingsError(Message("There is no setting {name}.", name=repr(name)), fix=hint)


def written_value(name: str, text: str) -> str | list[str]:
    """Return what a setting's value is when a person writes it as text: lists have commas."""
    if name in field_names() and is_list(*parse_name(name)):
        return [part.strip() for part in text.split(",") if part.strip()]
    return text


def read_text(file: Path) -> str:
    """Return the text of the settings file with its own line ends; "" where there is none.

    Raises:
        SettingsError: it cannot be read, or is not UTF-8.
    """
    try:
        return file.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError as exc:
        raise SettingsError(
            Message(
                "The settings file {file} is not UTF-8: {problem} at byte {n}.",
                file=file,
                problem=exc.reason,
                n=exc.start,
            ),
            fix=Message("Save it as UTF-8 in your editor."),
        ) from exc
    except OSError as exc:
        raise SettingsError(
            Message("The settings file {file} cannot be read: {problem}.", file=file, problem=exc)
        ) from exc


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


def is_secret(section: str, field: str) -> bool:
    """Say whether a setting's value is never shown."""
    return (
        section in Settings.model_fields
        and _section(section).model_fields[field].annotation is SecretStr
    )


def holds_secrets(text: str) -> bool:
    """Say whether a settings file's text sets what is never shown, or a password in an address."""
    tree = tomllib.loads(text)
    for name in field_names():
        section, _, field = name.partition(".")
        value = tree.get(section, {}).get(field)
        if value and (is_secret(section, field) or (isinstance(value, str) and secrets_in(value))):
            return True
    return False


def is_list(section: str, field: str) -> bool:
    """Say whether a setting holds several values, written with commas between them."""
    return _schema(section, field).get("type") == "array"


def address_of_ollama(environment: Mapping[str, str]) -> str:
    """Return the address that `OLLAMA_HOST` gives, "" where it is not set or gives none.

    It is read as Ollama reads it: the scheme, the host or the port may be missing, and the port
    of an address with a scheme is that of its scheme. Where Ollama listens on every address of its
    machine, it is asked on loopback.
    """
    said = environment.get(OLLAMA_HOST, "").strip().strip("\"'")
    if not said:
        return ""
    scheme, mark, rest = said.partition("://")
    if not mark:
        scheme, rest = "http", said
    if scheme not in _PORTS:
        return ""
    if rest.count(":") > 1 and not rest.startswith("["):
        rest = f"[{rest}]"
    try:
        parts = urlsplit(f"{scheme}://{rest}")
        port = parts.port or (_PORTS[scheme] if mark else _PORT)
    except ValueError:
        return ""
    host = _reachable(parts.hostname or "")
    return f"{scheme}://{host}:{port}{parts.path.rstrip('/')}"


def _as_called_now(rows: _Rows, note: Note) -> _Rows:
    """Return what one source sets, under the names of today."""
    given = {name for _, name, _ in rows}
    current: _Rows = []
    for origin, name, value in rows:
        if name in REMOVED:
            note(passing_over(name))
            continue
        if name in RENAMED:
            note(renaming(name))
        if name not in RENAMED or current_name(name) not in given:
            current.append((origin, current_name(name), value))
    return current


def _put(values: Values, origins: dict[str, str], name: str, value: object, origin: str) -> None:
    try:
        section, field = parse_name(name)
    except SettingsError as exc:
        if origin == TYPED:
            raise
        problem = Message("{origin}: {problem}", origin=origin, problem=exc.problem)
        raise SettingsError(problem, fix=exc.fix) from exc
    values.setdefault(section, {})[field] = value
    origins[name] = origin


def _from_file(file: Path) -> _Rows:
    try:
        tree = tomllib.loads(read_text(file))
    except tomllib.TOMLDecodeError as exc:
        raise SettingsError(
            Message(
                "The settings file {file} is not valid TOML: {problem}.", file=file, problem=exc
            ),
            fix=Message("Fix that line, or move the file away to start with the defaults."),
        ) from exc
    rows: _Rows = []
    for section, fields in tree.items():
        if not isinstance(fields, dict):
            raise SettingsError(
                Message(
                    "{file}: {name} stands outside any section.", file=file, name=repr(section)
                ),
                fix=Message("Put it under its section's heading, such as [llm]."),
            )
        written = cast("dict[str, Any]", fields)
        rows += [(str(file), f"{section}.{field}", value) for field, value in written.items()]
    return rows


def _from_environment(environment: Mapping[str, str]) -> _Rows:
    rows: _Rows = []
    for variable in sorted(environment):
        if not variable.startswith(PREFIX) or variable in NOT_SETTINGS:
            continue
        section, separator, field = variable.removeprefix(PREFIX).lower().partition("__")
        name = f"{section}.{field}" if separator else section
        text = environment[variable]
        rows.append((variable, name, written_value(name, text)))
    return rows


def _explained(exc: ValidationError, origins: dict[str, str]) -> SettingsError:
    values: dict[str, Any] = {}
    reasons: dict[str, Message] = {}
    for error in exc.errors(include_url=False):
        section, field = map(str, error["loc"][:2])
        name = f"{section}.{field}"
        values.setdefault(name, _shown(section, field, error["input"]))
        reasons.setdefault(name, objection(error, section, field))
    return SettingsError(
        Message.joined(
            *(
                _refusal(origins[name], name, repr(values[name]), reason)
                for name, reason in reasons.items()
            )
        ),
        fix=Message("`askance config show {name}` tells what it is for.", name=next(iter(reasons))),
    )


def _shown(section: str, field: str, value: Any) -> Any:
    """Return a value as it may be shown."""
    if is_secret(section, field):
        return "***"
    return bare_address(value) if isinstance(value, str) and "@" in value else value


def _refusal(origin: str, name: str, said: str, reason: Message) -> Message:
    if origin == TYPED:
        return Message(
            "{name} = {said} is not allowed: it {reason}.", name=name, said=said, reason=reason
        )
    return Message(
        "{file}: {name} = {said} is not allowed: it {reason}.",
        file=origin,
        name=name,
        said=said,
        reason=reason,
    )


def _reachable(host: str) -> str:
    try:
        address = ip_address(host or _LOOPBACK[4])
    except ValueError:
        return host
    plain = _LOOPBACK[address.version] if address.is_unspecified else str(address)
    return f"[{plain}]" if address.version == 6 else plain


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
