"""What the controls of the settings find around them, with what does their work, and how far that is in words.

Apart from `source`, which the window needs before its icon is there: this loads the client of the
model server and what tells of containers, and comes with the first window beside the overlay.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from askance.app.checks.first_steps import pull_model, start_ollama
from askance.app.checks.installation import OpenUpdates, UpdateChecker, has_network, open_updates
from askance.app.container import Container, local_services
from askance.app.library_import import ImportProgress, ImportResult
from askance.config.choices import Consent
from askance.config.folders import Folders
from askance.config.settings import SearchSettings, Settings
from askance.domain.library import LibraryStats
from askance.domain.messages import FixAction, FixKind
from askance.domain.ports.containers import ComposeProgress, ResourceKind, Services
from askance.domain.ports.model import PullStep
from askance.presentation.answers import place_of, reason_of
from askance.presentation.i18n import plural, size_text, tr
from askance.ui.engine.bridge import Bridge
from askance.ui.settings.source import SettingsSource

HasNetwork = Callable[[SearchSettings], bool]
OpenServices = Callable[[Settings, Folders, Mapping[str, str]], Services]


@dataclass(frozen=True)
class SettingsContext:
    """`bridge` leads to the open parts; `chores` to a thread of its own for long work without them."""

    source: SettingsSource
    folders: Folders
    bridge: Bridge
    chores: Bridge
    open_services: OpenServices = local_services
    has_network: HasNetwork = has_network
    open_updates: OpenUpdates = open_updates

    def container(self) -> Container:
        """Return the parts of the program in its files, none of which is open yet. Use it as a context."""
        return Container(self.source.load, self.folders)

    def services(self) -> Services:
        """Return the containers as the settings in force want them.

        Raises:
            SettingsError: a source of settings is wrong.
        """
        return self.open_services(self.source.load(), self.folders, self.source.environment)

    def updates(self) -> UpdateChecker:
        """Return what asks for new versions as the settings in force want it.

        Raises:
            SettingsError: a source of settings is wrong.
        """
        return self.open_updates(self.source.load(), self.folders)

    async def apply_fix(self, way: FixAction, on_progress: Callable[[Any], None]) -> None:
        """Do what a button promises, and `on_progress` each `PullStep` or `ComposeProgress` of it.

        Raises:
            AskanceError: it could not be done.
            ValueError: it is nothing that can be done from here.
        """
        environment = self.source.environment
        match way.step:
            case FixKind.START_OLLAMA:
                await start_ollama(self.source.load().llm, environment)
            case FixKind.DOWNLOAD_MODEL:
                await pull_model(self.source.load().llm, way.model, on_progress)
            case FixKind.START_SERVICES:
                await self.services().up(on_progress)
            case FixKind.ALLOW_SEARCH:
                self.source.write("search.in_process", Consent.GIVEN.value)
            case _:
                raise ValueError(way.step)


# In whole megabytes less than this is shown too coarsely; in tenths of them, less than that.
_SMALL, _LEAST = 10_000_000, 100_000


def progress_of(step: PullStep | ComposeProgress | ImportProgress) -> tuple[str, float | None]:
    """Say how far a job is, and which share of it is done; None where that is not known."""
    match step:
        case PullStep(done_bytes=done, total_bytes=whole):
            return _pull_text(step), done / whole if whole else None
        case ComposeProgress(current_bytes=done, total_bytes=whole):
            return _start_text(step), done / whole if whole else None
        case ImportProgress(done=done, of=whole):
            return _reading_text(step), done / whole if whole else 0.0


def _pull_text(step: PullStep) -> str:
    if not step.total_bytes:
        return tr("Connecting")
    if step.done_bytes >= step.total_bytes:
        return tr("Verifying")
    return tr(
        "{done} of {total}", done=size_text(step.done_bytes), total=size_text(step.total_bytes)
    )


def _start_text(step: ComposeProgress) -> str:
    if step.kind is ResourceKind.BUILD:
        return tr("Building the reader")
    if step.kind is ResourceKind.IMAGE:
        name = step.name.rpartition("/")[2].partition(":")[0]
        if not step.total_bytes:
            return tr("Downloading {name}", name=name)
        done, total = size_text(step.current_bytes), size_text(step.total_bytes)
        return tr("Downloading {name}: {done} of {total}", name=name, done=done, total=total)
    return tr("Starting {name}", name=step.name)


def _reading_text(step: ImportProgress) -> str:
    if not step.of:
        return tr("Reading")
    name = place_of(step.name) if "://" in step.name else step.name
    text = tr("Reading {n} of {of}", n=min(step.done + 1, step.of), of=step.of)
    return " · ".join(filter(None, (text, name)))


def outcome_text(read: ImportResult) -> str:
    """Say what came of reading."""
    new = plural(
        "{n} document is new or changed.", "{n} documents are new or changed.", read.documents
    )
    parts = [new]
    if read.gone:
        parts.append(plural("{n} is gone.", "{n} are gone.", read.gone))
    if failed := read.failed:
        n = len(failed)
        parts.append(plural("{n} could not be read.", "{n} could not be read.", n))
        parts.append(reason_of(failed[0]) if n == 1 else "")
    return " ".join(filter(None, parts))


def library_text(stats: LibraryStats) -> str:
    """Say how much the library holds, and how much room that takes."""
    if not stats.documents:
        return tr("The library is empty.")
    size, least = stats.bytes, max(stats.bytes, _LEAST)
    size_shown = size_text(size) if size >= _SMALL else tr("{n} MB", n=least / 1_000_000)
    parts = [
        plural("{n} document", "{n} documents", stats.documents),
        plural("{n} passage", "{n} passages", stats.passages),
    ]
    if size:  # a server does not say what room it takes
        parts.append(tr("{size} on disk", size=size_shown))
    return " · ".join(parts)
