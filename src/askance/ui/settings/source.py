"""Where the window's settings come from and go to: the same file and environment as everywhere."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import cast

from pydantic import ValidationError

from askance.config.editing import Setting, describe, set_value
from askance.config.private_files import exists, set_aside
from askance.config.settings import Settings, objection, parse_name, written_value
from askance.config.sources import (
    PREFIX,
    UnreadLine,
    load,
    load_settings,
    rows_of_file,
    strictest_settings,
)
from askance.domain.errors import SettingsError
from askance.domain.messages import NOTHING, Message
from askance.presentation.i18n import quoted, tr, translated

_log = logging.getLogger(__name__)
# How `config.bounds` says from where to where a number may go.
# Accepts `a whole number from 1 to 8` and `a number above 0 and at most 2`.
_BOUNDS = re.compile(r" number (?:from|(above)) (\S+) (?:to|and at most) (\S+)")
_CODE = re.compile(r"`([^`]*)`")
# A line may end behind a slash, but a path does not begin with a slash alone.
_FIRST_SLASH = re.compile(r"^/(?=\w)")
# Not the newer word joiner: our typeface has none, and that of another one makes the line higher.
_JOINER = "\N{ZERO WIDTH NO-BREAK SPACE}"


# Of more lines than these only the names are said: what is wrong with each stands in the settings.
_MOST_LINES = 2
_BARRED = Message("Until it is fixed, nothing leaves this computer and nothing is saved.")


class SettingsSource:
    """Reads settings, and writes one at a time into the user's file."""

    def __init__(self, file: Path, environment: Mapping[str, str]) -> None:
        self.file = file
        self.environment = environment
        self._noted: set[str] = set()

    def load(self) -> Settings:
        """Return the settings in force. Raises SettingsError: a source is wrong."""
        return load_settings(self.file, self.environment, note=self._note)

    @property
    def is_there(self) -> bool:
        """Whether there is a settings file."""
        return exists(self.file)

    @property
    def is_readable(self) -> bool:
        """Whether the settings file can be read, and is TOML; lines of it may not be understood."""
        try:
            rows_of_file(self.file)
        except SettingsError:
            return False
        return True

    def load_what_is_right(self) -> tuple[Settings, Message]:
        """Return the settings in force, and what of the file is not understood; "" where all is.

        Where they cannot be read at all, everything that guards something is at its strictest, and
        bars all that would leave or be stored.
        """
        try:
            loaded = load(self.file, self.environment, note=self._note)
        except SettingsError as exc:
            # The kind alone: the message quotes the file, and the log has no texts.
            _log.info("The settings cannot be read.", extra={"error": type(exc).__name__})
            why = Message.joined(exc.message, _BARRED)
            return strictest_settings(self.file, self.environment, why), why
        return loaded.settings, _named(loaded.unread)

    def unread(self) -> str:
        """Return what of the file is not understood, a line each, and what counts meanwhile.

        Raises:
            SettingsError: it cannot be read at all.
        """
        lines = load(self.file, self.environment).unread
        return "\n".join(translated(line.message) for line in lines)

    def set_aside(self) -> Path:
        """Give the file another name beside it, so that the defaults count, and return that.

        Raises:
            SettingsError: it cannot be renamed.
        """
        try:
            return set_aside(self.file)
        except OSError as exc:
            raise SettingsError(
                Message("The settings file cannot be renamed: {problem}.", problem=exc)
            ) from exc

    def _note(self, message: Message) -> None:
        # The file is read at each change, and would fill the log with the same note.
        if message not in self._noted:
            self._noted.add(message)
            _log.info(message)

    def describe(self, name: str) -> Setting:
        """Describe a setting as it is in force. Raises SettingsError: a source is wrong."""
        return describe(name, self.file, self.environment)

    def overriding(self, setting: Setting) -> str:
        """Return the environment variable that wins over the file, or nothing."""
        # A file of a name that begins like the variables is none of them.
        is_variable = setting.origin.startswith(PREFIX)
        return setting.origin if is_variable and setting.origin != str(self.file) else ""

    def inline_message(self, name: str, text: str) -> str:
        """Return why a setting cannot have this value, in a sentence; nothing if it can."""
        section, field = parse_name(name)
        try:
            Settings.model_validate({section: {field: written_value(name, text)}})
        except ValidationError as exc:
            error = exc.errors(include_url=False)[0]
            return tr("This {reason}.", reason=translated(objection(error, section, field)))
        return ""

    def write(self, name: str, text: str) -> Settings:
        """Write a setting into the file, and return the settings in force then.

        Raises:
            SettingsError: it cannot be written, or the rest of the file is wrong.
        """
        set_value(name, text, self.file)
        return self.load()


def _named(lines: Sequence[UnreadLine]) -> Message:
    if not lines:
        return NOTHING
    if len(lines) <= _MOST_LINES:
        return Message.joined(*(line.message for line in lines))
    names = ", ".join(line.name for line in lines)
    message = Message("Lines of the settings file are not understood: {names}.", names=names)
    return Message.joined(message, *dict.fromkeys(line.meanwhile for line in lines))


def explained(setting: Setting) -> str:
    """Return what a setting is for and how far it may go, for people who do not read Markdown."""
    text = tr(" ".join(setting.help.split()))
    text = _CODE.sub(lambda code: quoted((_FIRST_SLASH.sub("/" + _JOINER, code[1]),)), text)
    found = _BOUNDS.search(setting.allowed)
    if found is None:
        return text
    least, most = _number(found[2]), _number(found[3])
    # "Above 0" is no news to anybody who types a number.
    if found[1] and not least:
        bounds = tr("Up to {most}.", most=most)
    elif found[1]:
        bounds = tr("Above {least} and at most {most}.", least=least, most=most)
    else:
        bounds = tr("{least} to {most}.", least=least, most=most)
    return f"{text} {bounds}"


def written(value: object) -> str:
    """Return a value as a person types it."""
    match value:
        case bool():
            # As TOML writes it.
            return str(value).lower()
        case tuple():
            return ", ".join(map(str, cast("tuple[object, ...]", value)))
        case float():
            # Without a trailing `.0`, as nobody types it.
            return f"{value:g}"
        case _:
            return str(value)


def _number(written: str) -> int | float:
    return float(written) if "." in written else int(written)
