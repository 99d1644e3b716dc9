"""What the controls of the settings do beside the window: the context that they work in, how far a job is in words, and
`ListPage` and `ReadOnlyText`, which the pages for models, the library, programs, services and stored data are made of.

Apart from `source`, which the window needs before its icon is there: this loads the client of the
model server and what tells of containers, and comes with the first window beside the overlay.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from askance.app.checks.first_steps import start_ollama
from askance.app.checks.installation_check import (
    OpenUpdates,
    UpdateChecker,
    has_network,
    open_updates,
)
from askance.app.container import Container, local_services
from askance.app.library import ImportProgress, ImportResult
from askance.app.model_offers import FindServers, TryProcessor, find_servers, try_processor
from askance.config.folders import Folders
from askance.config.settings import SearchSettings, Settings
from askance.domain.errors import AskanceError
from askance.domain.library import LibraryStats
from askance.domain.ports.containers import ComposeProgress, ResourceKind, Services
from askance.presentation.answers import place_of, reason_of
from askance.presentation.i18n import plural, size_text, tr, translated
from askance.ui.bridge import Bridge, LongJob, PendingCalls, Then
from askance.ui.design import theme
from askance.ui.design.composing import Button, style
from askance.ui.design.controls import ProgressLine
from askance.ui.design.focus import announce
from askance.ui.design.labels import StyledLabel, TextStyle
from askance.ui.design.theme import Look
from askance.ui.settings.download_list import DownloadList
from askance.ui.settings.row_controls import Control
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
    find_servers: FindServers = find_servers
    try_processor: TryProcessor = try_processor

    @cached_property
    def downloads(self) -> DownloadList:
        """The one list of downloads of models."""
        return DownloadList(self.source, self.folders, self.chores)

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

    async def start_ollama(self) -> None:
        """Start Ollama as the settings in force want it, and wait until it answers.

        Raises:
            AskanceError: it could not be started.
        """
        await start_ollama(self.source.load().llm, self.source.environment)


# In whole megabytes less than this is shown too coarsely; in tenths of them, less than that.
_SMALL, _LEAST = 10_000_000, 100_000


def progress_of(step: ComposeProgress | ImportProgress) -> tuple[str, float | None]:
    """Say how far a job is, and which share of it is done; None where that is not known."""
    match step:
        case ComposeProgress(current_bytes=done, total_bytes=whole):
            return _start_text(step), done / whole if whole else None
        case ImportProgress(done=done, of=whole):
            return _reading_text(step), done / whole if whole else 0.0


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
    n = read.documents
    parts = [plural("{n} document is new or changed.", "{n} documents are new or changed.", n)]
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


LIST, CHANGE, JOB = "list", "change", "job"
"""The names of the calls: what looks the rows up, a change to them, the job."""
_Rows = TypeVar("_Rows")


class ListPage(Control):
    """Looks up, changes and runs a job beside the window; `state` says how that went.

    Changes are made one after the other, and the rows are looked up after the last of them. A page with a
    job (`has_job`) has `line`, its progress, and `stop`, which cancels it.
    """

    is_wide = True
    is_group = True
    has_job = False
    tones = (TextStyle.HELP, TextStyle.PROBLEM)
    """How what is reported looks, and an error."""

    def __init__(self, look: Look, context: SettingsContext, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._context = context
        self._calls = self._job_calls = PendingCalls(context.chores, self)
        self._changes: deque[Callable[[Container], str]] = deque()
        self.state = StyledLabel(look, self.tones[0], parent=self)
        self.state.hide()
        if self.has_job:
            self.line = ProgressLine(look, self)
            self.stop = Button(look, tr("Cancel"), self)

    @property
    def is_working(self) -> bool:
        """Whether the job is under way."""
        return self._job_calls.is_under_way(JOB)

    def show_state(self, result: str | AskanceError) -> None:
        """Say how it stands, or what is wrong."""
        self.state.show_text(translated(result), self.tones[isinstance(result, AskanceError)])

    def report(self, result: str | AskanceError, tone: TextStyle | None = None) -> None:
        """Say what came of something in this tone or the page's, and announce it."""
        self.show_state(result)
        if tone is not None:
            self.state.show_text(translated(result), tone)
        announce(self, self.state.text())

    def look_up(self, work: Callable[[Container], _Rows], show: Callable[[_Rows], None]) -> None:
        """Read rows in a thread, and show them. Where they are being changed, that looks them up later."""

        def then(found: _Rows | AskanceError) -> None:
            if isinstance(found, AskanceError):
                self.show_state(found)
            else:
                show(found)

        # A look in between would show rows of before the change.
        if not self._calls.is_under_way(CHANGE):
            self._calls.in_thread(LIST, lambda: self.with_container(work), then)

    def change(self, work: Callable[[Container], str]) -> None:
        """Change rows in a thread; `work` returns what is reported then."""
        # One after the other: what the first one reports would be overtaken, and both write the
        # same files.
        self._changes.append(work)
        if not self._calls.is_under_way(CHANGE):
            self._change_next()

    def _change_next(self) -> None:
        work = self._changes.popleft()
        # What was read before it would show what is no longer so.
        self._calls.give_up(LIST)

        def then(result: str | AskanceError) -> None:
            self.report(result)
            if self._changes:
                self._change_next()
            else:
                self.refresh()

        self._calls.in_thread(CHANGE, lambda: self.with_container(work), then)

    def with_container(self, work: Callable[[Container], _Rows]) -> _Rows:
        """Do something in a container of its own. It blocks."""
        with self._context.container() as parts:
            return work(parts)

    def run_job(
        self, work: LongJob, message: str, then: Then, calls: PendingCalls | None = None
    ) -> None:
        """Run a job, in chores unless `calls` lead elsewhere; `then` gets its result or its `AskanceError`."""

        def ended(result: Any) -> None:
            self.line.set_fraction(None)
            # Before `then`, which may begin the next job, or hide what gets the focus here.
            self.show_working()
            then(result)

        # The rows as they were before the job would be shown over what it says.
        self._calls.give_up(LIST)
        # Kept, since a job is known only to the calls by which it was begun.
        self._job_calls = calls or self._calls
        self._job_calls.follow(JOB, work, self._show_progress, ended)
        self.show_state(message)
        self.show_working()

    def cancel_job(self) -> None:
        """Give the job up."""
        self._job_calls.give_up(JOB)
        self.line.set_fraction(None)
        self.show_working()

    def show_working(self) -> None:
        """Offer to cancel the job while it is under way, and then nothing that would begin another one."""
        is_working, had_focus = self.is_working, self.stop.hasFocus()
        self.set_working(is_working)
        if had_focus and not is_working:
            # Before what has the focus is hidden, which would send it elsewhere.
            self.main.setFocus(Qt.FocusReason.OtherFocusReason)
        self.stop.setVisible(is_working)

    def set_working(self, is_working: bool) -> None:
        """Enable what can be done while the job is under way or not."""

    def _show_progress(self, step: Any) -> None:
        text, fraction = progress_of(step)
        self.show_state(text)
        self.line.set_fraction(fraction)


class ReadOnlyText(QPlainTextEdit):
    """Text of several lines that can be read and copied, `lines` of them at once."""

    def __init__(self, look: Look, name: str, lines: int, parent: QWidget) -> None:
        super().__init__(parent)
        self.setReadOnly(True)
        self.setProperty("field", True)
        # Or Tab would never leave it.
        self.setTabChangesFocus(True)
        self.setAccessibleName(name)
        style(self, look, font=theme.LABEL_TEXT, height=theme.SMALL_LINE * lines)

    def show_text(self, text: str) -> None:
        """Show a text; the same one again leaves the cursor and the scroll bar where they are."""
        if text != self.toPlainText():
            self.setPlainText(text)
