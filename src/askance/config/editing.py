"""One setting at a time: what it is and where it comes from, and its new value written into the file.

The reader's container has no `tomlkit`: what reads settings does without this module.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any, cast

from pydantic import SecretStr

from askance.config.private_files import OURS_ALONE, make_folder, make_path, replace_file
from askance.config.settings import (
    Note,
    Settings,
    allowed,
    help_text,
    holds_secrets,
    parse_name,
    written_value,
)
from askance.config.sources import load, load_settings, read_text
from askance.domain.errors import SettingsError
from askance.domain.events import ignore
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
    """Describe the setting `section.field` as it is in force. `note` is called for lines of the file
    that are not understood.

    Raises:
        SettingsError: there is no such setting, or a source is wrong.
    """
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

    The text is read by the type of the setting, and the whole file is validated with it before
    anything is written. A reader of the file sees the old one or the new one, never a part.

    Raises:
        SettingsError: there is no such setting, the value is out of bounds, the rest of the file
            is wrong, or the file cannot be written. The file is then as it was.
    """
    section, field = parse_name(name)
    # Loaded only for its errors: a file that is no TOML is not written to (decision 46).
    load_settings(file, {})
    settings = load_settings(None, {}, {name: written_value(name, text)})
    value = _value(settings, section, field)
    plain = value.get_secret_value() if isinstance(value, SecretStr) else value
    _replace(file, _edited(file, section, field, plain))
    return value


def reset_value(name: str, file: Path) -> None:
    """Take a setting out of the file, so that its default counts; the rest of the file stays as it is.

    Raises:
        SettingsError: there is no such setting, or the file cannot be read or written.
    """
    section, field = parse_name(name)
    load_settings(file, {})
    if name in load(file, {}).origins:
        _replace(file, _edited(file, section, field, None))


def _value(settings: Settings, section: str, field: str) -> Any:
    value = getattr(getattr(settings, section), field)
    return value.value if isinstance(value, Enum) else value


def _edited(file: Path, section: str, field: str, value: Any) -> str:
    import tomlkit  # noqa: PLC0415 - most starts write no setting
    from tomlkit.exceptions import TOMLKitError  # noqa: PLC0415

    try:
        document = tomlkit.parse(read_text(file))
        if section not in document:
            document[section] = tomlkit.table()
        fields = document[section]
        if not isinstance(fields, MutableMapping):
            raise _uneditable(file, Message("{name} is no section there", name=repr(section)))
        lines = cast("MutableMapping[str, Any]", fields)
        if value is None:
            lines.pop(field, None)
        else:
            is_list = isinstance(value, tuple)
            lines[field] = list(cast("tuple[object, ...]", value)) if is_list else value
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
