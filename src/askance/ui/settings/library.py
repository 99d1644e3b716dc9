"""What the library holds, and what comes into it: folders, files and web pages, with their states."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from askance.app.container import App, Container
from askance.app.library.adding import (
    OCCASION,
    ImportProgress,
    ImportResult,
    folders_of,
    read_folders,
    read_pages,
    throttled,
)
from askance.app.library.contents import contents, take_out
from askance.app.outbound import noted
from askance.domain.errors import AskanceError
from askance.domain.library import Folder, LibraryStats, Removed
from askance.presentation.i18n import plural, tr, translated
from askance.presentation.library import folder_text
from askance.ui.design.composing import Button, row_of
from askance.ui.design.controls import ConfirmButton, ProgressLine
from askance.ui.design.focus import announce
from askance.ui.design.labels import Hairline, StyledLabel, TextStyle
from askance.ui.design.lists import LineList, ListLine
from askance.ui.design.theme import Look
from askance.ui.engine.pending_calls import OnProgress, PendingCalls
from askance.ui.model.library import FolderRow, folder_row, named_places, row_of_others
from askance.ui.settings.context import SettingsContext, library_text, outcome_text, reading_text
from askance.ui.settings.controls import Control, LineControl
from askance.ui.settings.library_parts import (
    WEB,
    AddControls,
    ChoosePlaces,
    FolderContentsView,
    choose_places,
)

_LIST, _READ, _CHANGE, _NOTICE = "list", "read", "change", "notice"
_MOST_SHELVES = 4
Choose = Callable[[tuple[Folder, ...]], Sequence[Folder]]


class PatternsControl(LineControl):
    """A field for patterns, which takes the whole width."""

    is_wide = True


@dataclass(frozen=True, slots=True)
class _Job:
    """Something to read: folders that are chosen of those that are known, or web pages."""

    what: str
    choose: Choose | None = None
    urls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Shown:
    """What the page shows of the library."""

    stats: LibraryStats
    rows: tuple[FolderRow, ...]


async def _notice(parts: App) -> None:
    """Let what was added be embedded."""
    parts.noticed()


class LibraryControl(Control):
    """The folders with their states; the chosen one's files; what adds, reads again and removes.

    One thing is read at a time; what is added meanwhile waits for it.
    """

    is_wide = True
    is_group = True

    def __init__(
        self,
        look: Look,
        context: SettingsContext,
        *,
        choose: ChoosePlaces = choose_places,
    ) -> None:
        super().__init__(look)
        self._around = context
        self._calls = PendingCalls(context.chores, self)
        self._pages = PendingCalls(context.bridge, self)
        self._shown: _Shown | None = None
        self._jobs: list[_Job] = []
        self._read_so_far = ImportResult()
        self.adding = AddControls(look, self, choose)
        self.state = StyledLabel(look, TextStyle.HELP, parent=self)
        self.line = ProgressLine(look, self)
        self.stop = Button(look, tr("Cancel"), self)
        self.folders = LineList(look, _MOST_SHELVES, self)
        self.folders.setAccessibleName(tr("Folders in the library"))
        self.shelf = FolderContentsView(look, self)
        self.total = StyledLabel(look, TextStyle.BODY, parent=self)
        self.clear = ConfirmButton(
            look,
            tr("Remove everything…"),
            tr("Delete the whole library permanently?"),
            tr("Delete"),
            self,
        )
        self.state.hide()
        status_row = row_of(look, self.state, self.stop, wide=self.state)
        stacked = self.stack(self.adding, status_row, self.line, self.folders, self.shelf)
        stacked.put(Hairline(look, self), self.total, self.clear)
        self._connect()
        self._enable()
        self._show_shelf(-1)
        self._main = self.adding.folder

    @property
    def is_reading(self) -> bool:
        """Whether something is being read into the library."""
        return self._calls.is_under_way(_READ) or self._pages.is_under_way(_READ)

    def take_drops_on(self, widget: QWidget) -> None:
        """Let files, folders and pages be dropped on a widget; it is asked before they are added."""
        self.adding.take_drops_on(widget)

    def refresh(self) -> None:
        """Look at what the library holds now."""

        def work() -> _Shown:
            with self._around.container() as parts:
                held = contents(parts)
            # Here, too: of a hundred thousand files that takes longer than a frame.
            rows = [folder_row(shelf.folder, shelf.files) for shelf in held.folders]
            others = (row_of_others(held.others),) if held.others else ()
            return _Shown(held.stats, (*rows, *others))

        self._calls.in_thread(_LIST, work, self._show)

    def add(self, places: Sequence[str]) -> None:
        """Add files, folders and web pages."""
        urls = tuple(place for place in places if place.lower().startswith(WEB))
        paths = tuple(place for place in places if place not in urls)
        if paths:
            self._read(_Job(named_places(paths), lambda known: folders_of(paths, known)))
        if urls:
            self._read(_Job(named_places(urls), urls=urls))

    # Reading

    def _read(self, job: _Job) -> None:
        self._jobs.append(job)
        if not self.is_reading:
            self._read_so_far = ImportResult()
            self._read_next()

    def _read_next(self) -> None:
        job = self._jobs.pop(0)
        self._calls.give_up(_LIST)
        if job.choose is not None:
            self._calls.follow(
                _READ, self._folders_work(job.choose), self._show_progress, self._ended
            )
        else:
            self._pages.follow(_READ, self._pages_work(job.urls), self._show_progress, self._ended)
        self.state.show_text(tr("Reading {what}", what=job.what), TextStyle.HELP)
        self.line.set_fraction(0.0)
        self._enable()

    def _folders_work(self, choose: Choose) -> Callable[[Any, OnProgress], Any]:
        async def work(_parts: object, on_progress: OnProgress) -> ImportResult:
            with self._around.container() as parts:
                await asyncio.to_thread(lambda: parts.settings)
                known = await asyncio.to_thread(parts.library.book.folders)
                wanted = await asyncio.to_thread(choose, known)
                return await read_folders(parts, wanted, throttled(on_progress))

        return work

    def _pages_work(self, urls: tuple[str, ...]) -> Callable[[Any, OnProgress], Any]:
        async def work(app: App, on_progress: OnProgress) -> ImportResult:
            sent = noted(app.ledger, OCCASION)
            return await read_pages(app.container, app.reader, urls, on_progress, sent=sent)

        return work

    def _show_progress(self, step: ImportProgress) -> None:
        self.line.set_fraction(step.done / step.of if step.of else 0.0)
        self.state.show_text(reading_text(step), TextStyle.HELP)

    def _ended(self, result: ImportResult | AskanceError) -> None:
        if isinstance(result, ImportResult):
            self._read_so_far += result
            if self._jobs:
                self._read_next()
                return
            read = self._read_so_far
            self.state.show_text(
                outcome_text(read), TextStyle.NOTE if read.failed else TextStyle.HELP
            )
            self._pages.ask(_NOTICE, _notice, lambda _: None)
        else:
            self._jobs.clear()
            self.state.show_text(translated(result), TextStyle.PROBLEM)
        self._rest()

    def _cancel(self) -> None:
        self._jobs.clear()
        self._calls.give_up(_READ)
        self._pages.give_up(_READ)
        self.state.show_text(tr("Cancelled. What was read before is kept."), TextStyle.HELP)
        self._rest()

    def _rest(self) -> None:
        """Show what has become of it, once nothing is read any more."""
        self.line.set_fraction(None)
        announce(self, self.state.text())
        had_focus = self.stop.hasFocus()
        self._enable()
        if had_focus:
            self.adding.folder.setFocus(Qt.FocusReason.OtherFocusReason)
        self.refresh()

    # Removing

    def _remove(
        self, documents: tuple[str, ...], folders: tuple[str, ...], files: tuple[str, ...]
    ) -> None:
        def work(parts: Container) -> str:
            return _removed_text(take_out(parts, documents, folders, files=files))

        self._change(work)

    def _clear(self) -> None:
        def work(parts: Container) -> str:
            return _removed_text(parts.library.clear())

        self._change(work)

    def _change(self, work: Callable[[Container], str]) -> None:
        def blocks() -> str:
            with self._around.container() as parts:
                return work(parts)

        def then(result: str | AskanceError) -> None:
            is_bad = isinstance(result, AskanceError)
            self.state.show_text(
                translated(result), TextStyle.PROBLEM if is_bad else TextStyle.HELP
            )
            announce(self, self.state.text())
            self.refresh()

        self._calls.in_thread(_CHANGE, blocks, then)

    # What is shown

    def _show(self, found: _Shown | AskanceError) -> None:
        if isinstance(found, AskanceError):
            self.state.show_text(translated(found), TextStyle.PROBLEM)
            return
        self._shown = found
        lines = [
            ListLine(
                row.title, row.summary, row.coverage, key=row.folder.path if row.folder else ""
            )
            for row in found.rows
        ]
        self.folders.show_lines(lines, or_first=True)
        self._show_shelf(self.folders.row)
        self.total.show_text(library_text(found.stats))
        self._enable()

    def _show_shelf(self, row: int) -> None:
        is_there = self._shown is not None and 0 <= row < len(self._shown.rows)
        self.folders.setVisible(self.folders.count() > 0)
        self.shelf.setVisible(is_there)
        if self._shown is not None and is_there:
            self.shelf.show_folder(self._shown.rows[row])

    def _refuse(self, why: str) -> None:
        self.state.show_text(why, TextStyle.PROBLEM)
        announce(self, why)

    def _enable(self) -> None:
        reading = self.is_reading
        self.stop.setVisible(reading)
        self.shelf.setEnabled(not reading)
        stats = self._shown.stats if self._shown is not None else None
        self.clear.setEnabled(not reading and stats is not None and bool(stats.bytes))

    def _read_again(self, folder: Folder) -> None:
        self._read(_Job(folder_text(folder.path), lambda _known: (folder,)))

    def _connect(self) -> None:
        self.adding.wanted.connect(self.add)
        self.adding.refused.connect(self._refuse)
        self.stop.clicked.connect(self._cancel)
        self.folders.chosen.connect(self._show_shelf)
        self.shelf.read_again.connect(self._read_again)
        self.shelf.removed.connect(self._remove)
        self.clear.confirmed.connect(self._clear)


def _removed_text(removed: Removed) -> str:
    text = plural("{n} document removed.", "{n} documents removed.", removed.documents)
    return " ".join((text, *map(translated, removed.left)))
