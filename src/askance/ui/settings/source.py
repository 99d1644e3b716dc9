"""Where the window's settings come from and go to: the same file and environment as everywhere."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import cast

from pydantic import ValidationError
from PySide6.QtCore import QFileSystemWatcher, QObject, Signal

from askance.config.editing import Setting, describe, reset_value, set_value
from askance.config.private_files import exists, make_folder, set_aside
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
from askance.presentation.i18n import tr, translated
from askance.ui.design.composing import single_shot_timer

_log = logging.getLogger(__name__)
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
        return self.write_all({name: text})

    def names_model(self) -> bool:
        """Whether a model or a server was chosen; not where all is as delivered, or cannot be read."""
        try:
            llm = self.load().llm
        except SettingsError:
            return False
        return bool({"api", "url", "model", "gguf"} & llm.model_fields_set)

    def write_all(self, values: Mapping[str, str]) -> Settings:
        """Write several settings, and return those in force then; raises as `write` does."""
        for name, text in values.items():
            set_value(name, text, self.file)
        return self.load()

    def reset(self, name: str) -> Settings:
        """Take a setting out of the user's file, and return the settings in force then.

        Raises:
            SettingsError: the file cannot be written, or the rest of it is wrong.
        """
        reset_value(name, self.file)
        return self.load()


_SETTLED_MS = 100


class SettingsWatcher(QObject):
    """Looks whether somebody else writes the settings file: an editor, `askance config set`, another window."""

    changed = Signal()

    def __init__(self, file: Path, parent: QObject) -> None:
        super().__init__(parent)
        self._file = file
        # One write is several events: the folder's, and those of a file that takes the place of another.
        self._settled = single_shot_timer(self, self._look, _SETTLED_MS)
        self._watcher = QFileSystemWatcher(self)
        self._watcher.directoryChanged.connect(self._settled.start)
        self._watcher.fileChanged.connect(self._settled.start)
        # Without its folder there is nothing to watch.
        with suppress(OSError):
            make_folder(file.parent)
        self._stamp = self._watch()

    def _watch(self) -> tuple[int, int] | None:
        self._watcher.addPath(str(self._file.parent))
        try:
            found = self._file.stat()
        except OSError:
            return None
        # A file that was replaced is no longer watched.
        self._watcher.addPath(str(self._file))
        return found.st_mtime_ns, found.st_size

    def _look(self) -> None:
        before, self._stamp = self._stamp, self._watch()
        if self._stamp != before:
            self.changed.emit()


def _named(lines: Sequence[UnreadLine]) -> Message:
    if not lines:
        return NOTHING
    if len(lines) <= _MOST_LINES:
        return Message.joined(*(line.message for line in lines))
    names = ", ".join(line.name for line in lines)
    message = Message("Lines of the settings file are not understood: {names}.", names=names)
    return Message.joined(message, *dict.fromkeys(line.meanwhile for line in lines))


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
