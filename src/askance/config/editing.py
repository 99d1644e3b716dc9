"""One setting at a time: what it is now, and another value for it in the user's file."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, MutableMapping
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, cast

import tomlkit
from pydantic import SecretStr
from tomlkit.exceptions import TOMLKitError

from askance.config.file_lines import read_text
from askance.config.private_files import OURS_ALONE, make_folder, make_path, replace_file
from askance.config.schema import (
    MERGED,
    Note,
    allowed,
    current_name,
    former_name,
    help_text,
    holds_secrets,
    ignore,
    parse_name,
    written_value,
)
from askance.config.settings import Settings
from askance.config.sources import load, load_settings
from askance.domain.errors import SettingsError
from askance.domain.messages import Message

DEFAULT = "default"


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting as a person should see it.

    `value` is in force now, `origin` where it comes from: "default", the path of the file, or the
    name of the environment variable. `allowed` are the bounds in words, `help` explains the unit.
    `is_held` says that a line of the file is not understood, and the strictest value counts for it.
    """

    name: str
    value: Any
    default: Any
    allowed: str
    help: str
    origin: str
    is_held: bool = False


def describe(name: str, file: Path, environment: Mapping[str, str], note: Note = ignore) -> Setting:
    """Describe the setting `section.field` as it is in force. One that has another name now is
    described under that; `note` is called for old names that are set.

    Raises:
        SettingsError: there is no such setting, or a source is wrong.
    """
    name = current_name(name)
    section, field = parse_name(name)
    loaded = load(file, environment, note=note)
    return Setting(
        name=name,
        value=_value(loaded.settings, section, field),
        default=_value(Settings(), section, field),
        allowed=allowed(section, field),
        help=help_text(section, field),
        origin=loaded.origins.get(name, DEFAULT),
        is_held=loaded.settings.is_held(name),
    )


def set_value(name: str, text: str, file: Path) -> Any:
    """Write one setting into the file and return its value; comments and order of the file stay.

    Where the file has it under the name that it had before, its new name takes that place; settings
    that are part of it now leave the file.

    The text is read by the type of the setting, and the whole file is validated with it before
    anything is written. A reader of the file sees the old one or the new one, never a part.

    Raises:
        SettingsError: there is no such setting, the value is out of bounds, the rest of the file
            is wrong, or the file cannot be written. The file is then as it was.
    """
    name = current_name(name)
    section, field = parse_name(name)
    # Loaded only for its errors: a file that is no TOML is not written to (decision 46).
    load_settings(file, {})
    # By itself: what the file has of an old setting that is part of this one would count before it.
    settings = load_settings(None, {}, {name: written_value(name, text)})
    value = _value(settings, section, field)
    plain = value.get_secret_value() if isinstance(value, SecretStr) else value
    _replace(file, _edited(file, section, field, plain))
    return value


def _value(settings: Settings, section: str, field: str) -> Any:
    value = getattr(getattr(settings, section), field)
    return value.value if isinstance(value, Enum) else value


def _edited(file: Path, section: str, field: str, value: Any) -> str:
    try:
        document = tomlkit.parse(_under_new_name(read_text(file), section, field))
        _drop_merged(document, f"{section}.{field}")
        if section not in document:
            document[section] = tomlkit.table()
        fields = document[section]
        if not isinstance(fields, MutableMapping):
            raise _uneditable(file, Message("{name} is no section there", name=repr(section)))
        cast("MutableMapping[str, Any]", fields)[field] = (
            list(cast("tuple[object, ...]", value)) if isinstance(value, tuple) else value
        )
        return tomlkit.dumps(document)
    except TOMLKitError as exc:
        raise _uneditable(file, exc) from exc


def _uneditable(file: Path, problem: object) -> SettingsError:
    return SettingsError(
        Message(
            "The settings file {file} cannot be edited: {problem}.", file=file, problem=problem
        ),
        fix=Message("Change it by hand."),
    )


def _under_new_name(text: str, section: str, field: str) -> str:
    """Return the file's text with a setting under its new name, where it stood under its old one.

    tomlkit renames no key in its place. Wherever the old word stands it is tried whether the new one
    there makes the tree that is wanted: comments and values that hold the word make another.
    """
    old = former_name(f"{section}.{field}").partition(".")[2]
    tree = tomllib.loads(text)
    found = tree.get(section)
    fields = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
    if not old or old not in fields:
        return text
    value = fields.pop(old)
    if field in fields:
        return _without(text, section, old)
    fields[field] = value
    at = text.find(old)
    while at >= 0:
        tried = text[:at] + field + text[at + len(old) :]
        with suppress(tomllib.TOMLDecodeError):
            # The name may stand elsewhere, too: the right place is where the tree becomes the wanted one.
            if tomllib.loads(tried) == tree:
                return tried
        at = text.find(old, at + 1)
    # The key is written with escapes, so its text was not found.
    return _without(text, section, old)


def _drop_merged(document: tomlkit.TOMLDocument, name: str) -> None:
    for old in (old for old, new in MERGED.items() if new == name):
        section, _, field = old.partition(".")
        if section in document and isinstance(fields := document[section], MutableMapping):
            cast("MutableMapping[str, Any]", fields).pop(field, None)


def _without(text: str, section: str, field: str) -> str:
    document = tomlkit.parse(text)
    del cast("MutableMapping[str, Any]", document[section])[field]
    return tomlkit.dumps(document)


def _replace(file: Path, text: str) -> None:
    # A symbolic link, as dotfile managers make it, stays one.
    target = file.resolve()
    try:
        make_folder(file.parent)
        # The folder behind a link may be a dotfile manager's: its mode stays.
        make_path(target.parent)
        mode = target.stat().st_mode & 0o777 if target.exists() else OURS_ALONE
        # A file with a key is readable by its owner alone, whatever its mode was.
        if holds_secrets(text):
            mode = OURS_ALONE
        replace_file(target, text.encode(), mode=mode)
    except OSError as exc:
        raise SettingsError(
            Message(
                "The settings file {file} cannot be written: {problem}. Nothing was changed.",
                file=file,
                problem=exc,
            )
        ) from exc
