"""What the controls of the settings find around them, with what does their work.

Apart from `source`, which the window needs before its icon is there: this loads the client of the
model server and what tells of containers, and comes with the first window beside the overlay.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from askance.adapters.containers.tool import find_executable
from askance.adapters.llm.ollama_pull import pull_model, start_ollama
from askance.config.choices import Consent
from askance.config.folders import Folders
from askance.config.settings import SearchSettings, Settings
from askance.health.findings import Step, Way
from askance.health.network import has_network
from askance.stores import Services, local_services
from askance.ui.engine.bridge import Bridge
from askance.ui.settings.source import SettingsSource

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
