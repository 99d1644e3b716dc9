"""Where the window's settings come from and go to: the same file and environment as everywhere."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from pydantic import ValidationError

from askance.config.bounds import allowed
from askance.config.editing import DEFAULT, Setting, describe, set_value
from askance.config.settings import Settings
from askance.config.sources import load_settings, parse_name, written_value
from askance.telling.words import tr

# What `bounds` says before the bounds of a number.
_FIGURE = re.compile(r"\d{4,}")
_NUMBERS = ("a whole number ", "a number ")


class SettingsSource:
    """Reads settings, and writes one at a time into the user's file."""

    def __init__(self, file: Path, environment: Mapping[str, str]) -> None:
        self.file = file
        self._environment = environment

    @property
    def environment(self) -> Mapping[str, str]:
        """The environment variables that settings and tools are taken from."""
        return self._environment

    def load(self) -> Settings:
        """Return the settings in force.

        Raises:
            SettingsError: a source is wrong.
        """
        return load_settings(self.file, self._environment)

    def describe(self, name: str) -> Setting:
        """Describe a setting as it is in force.

        Raises:
            SettingsError: a source is wrong.
        """
        return describe(name, self.file, self._environment)

    def overriding(self, setting: Setting) -> str:
        """Return the environment variable that wins over the file, or nothing."""
        return "" if setting.origin in {str(self.file), DEFAULT} else setting.origin

    def complaint(self, name: str, text: str) -> str:
        """Return why a setting cannot have this value, in a sentence; nothing if it can."""
        section, field = parse_name(name)
        try:
            Settings.model_validate({section: {field: written_value(name, text)}})
        except ValidationError as exc:
            error = exc.errors(include_url=False)[0]
            own_words = error["type"] == "value_error"
            must = error["msg"].removeprefix("Value error, ") if own_words else ""
            return tr("This {reason}.", reason=must or f"must be {allowed(section, field)}")
        return ""

    def write(self, name: str, text: str) -> Settings:
        """Write a setting into the file, and return the settings in force then.

        Raises:
            SettingsError: it cannot be written, or the rest of the file is wrong.
        """
        set_value(name, text, self.file)
        return self.load()


def explained(setting: Setting) -> str:
    """Return what a setting is for and how far it may go, for people who do not read Markdown."""
    said = " ".join(setting.help.split())
    while "`" in said:
        said = said.replace("`", "“", 1).replace("`", "”", 1)
    bounds = next((setting.allowed.removeprefix(n) for n in _NUMBERS if n in setting.allowed), "")
    if not bounds or "separated" in setting.allowed:
        return said
    bounds = bounds.removeprefix("from ")
    bounds = _FIGURE.sub(lambda figure: f"{int(figure[0]):,}", bounds)
    return f"{said} {bounds[0].upper()}{bounds[1:]}."


def written(value: object) -> str:
    """Return a value as a person types it."""
    match value:
        case bool():
            return str(value).lower()
        case tuple():
            return ", ".join(map(str, cast("tuple[object, ...]", value)))
        case float():
            return f"{value:g}"
        case _:
            return str(value)
