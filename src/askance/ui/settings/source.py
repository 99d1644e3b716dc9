"""Where the window's settings come from and go to, and what their controls find around them."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from askance.adapters.containers.tool import find_executable
from askance.adapters.llm.ollama_pull import pull_model, start_ollama
from askance.config.editing import DEFAULT, Setting, describe, set_value
from askance.config.folders import Folders
from askance.config.settings import Consent, SearchSettings, Settings
from askance.config.sources import OLLAMA_HOST, load_settings, objection, parse_name, written_value
from askance.domain.errors import SettingsError
from askance.domain.messages import Message
from askance.health.findings import Step, Way
from askance.health.network import has_network
from askance.presentation.i18n import quoted, tr, translated
from askance.stores import Services, local_services
from askance.ui.engine.bridge import Bridge

_log = logging.getLogger(__name__)
# How `config.bounds` says from where to where a number may go.
_BOUNDS = re.compile(r" number (?:from|(above)) (\S+) (?:to|and at most) (\S+)")
_CODE = re.compile(r"`([^`]*)`")
# A line may end behind a slash, but a path does not begin with a slash alone.
_FIRST_SLASH = re.compile(r"^/(?=\w)")
# Not the newer word joiner: our typeface has none, and that of another one makes the line higher.
_JOINER = "\N{ZERO WIDTH NO-BREAK SPACE}"


class SettingsSource:
    """Reads settings, and writes one at a time into the user's file."""

    def __init__(self, file: Path, environment: Mapping[str, str]) -> None:
        self.file = file
        self.environment = environment
        self._noted: set[str] = set()

    def load(self) -> Settings:
        """Return the settings in force. Raises SettingsError: a source is wrong."""
        return load_settings(self.file, self.environment, note=self._note)

    def load_what_is_right(self) -> tuple[Settings, str]:
        """Return the settings in force and nothing, or those without the file, and what is wrong.

        Where the environment is wrong too, the defaults count.
        """
        try:
            return self.load(), ""
        except SettingsError as exc:
            problem = translated(exc)
            _log.info("The settings cannot be read.", extra={"error": type(exc).__name__})
        with suppress(SettingsError):
            return load_settings(None, self.environment), problem
        return Settings(), problem

    def _note(self, said: Message) -> None:
        if said not in self._noted:
            self._noted.add(said)
            _log.info(said)

    def describe(self, name: str) -> Setting:
        """Describe a setting as it is in force. Raises SettingsError: a source is wrong."""
        return describe(name, self.file, self.environment)

    def overriding(self, setting: Setting) -> str:
        """Return the environment variable that wins over the file, or nothing."""
        yielding = {str(self.file), DEFAULT, OLLAMA_HOST}
        return "" if setting.origin in yielding else setting.origin

    def complaint(self, name: str, text: str) -> str:
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


def explained(setting: Setting) -> str:
    """Return what a setting is for and how far it may go, for people who do not read Markdown."""
    said = tr(" ".join(setting.help.split()))
    said = _CODE.sub(lambda code: quoted((_FIRST_SLASH.sub("/" + _JOINER, code[1]),)), said)
    found = _BOUNDS.search(setting.allowed)
    if found is None:
        return said
    least, most = _number(found[2]), _number(found[3])
    if found[1] and not least:
        bounds = tr("Up to {most}.", most=most)
    elif found[1]:
        bounds = tr("Above {least} and at most {most}.", least=least, most=most)
    else:
        bounds = tr("{least} to {most}.", least=least, most=most)
    return f"{said} {bounds}"


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


HasNetwork = Callable[[SearchSettings], bool]
OpenServices = Callable[[Settings, Folders, Mapping[str, str]], Services]


@dataclass(frozen=True)
class Surroundings:
    """`bridge` leads to the open parts; `chores` to a thread of its own for long work without them."""

    source: SettingsSource
    folders: Folders
    bridge: Bridge
    chores: Bridge
    open_services: OpenServices = local_services
    has_network: HasNetwork = has_network

    def services(self) -> Services:
        """Return the containers as the settings in force want them.

        Raises:
            SettingsError: a source of settings is wrong.
        """
        return self.open_services(self.source.load(), self.folders, self.source.environment)

    async def take(self, way: Way, tell: Callable[[Any], None]) -> None:
        """Do what a button promises, and `tell` each `PullStep` or `Progress` of it.

        Raises:
            AskanceError: it could not be done.
            ValueError: it is nothing that can be done from here.
        """
        environment = self.source.environment
        match way.step:
            case Step.START_OLLAMA:
                executable = find_executable("ollama", environment)
                await start_ollama(self.source.load().llm, executable, environment)
            case Step.DOWNLOAD_MODEL:
                await pull_model(self.source.load().llm, way.model, tell)
            case Step.START_SERVICES:
                await self.services().up(tell)
            case Step.ALLOW_SEARCH:
                self.source.write("search.in_process", Consent.GIVEN.value)
            case _:
                raise ValueError(way.step)


def _number(written: str) -> int | float:
    return float(written) if "." in written else int(written)
