"""The library's page: what adds to it, its folders, and what became of each file."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from askance.app.container import App, Container, ledger_recorder
from askance.app.library import (
    OCCASION,
    ImportResult,
    contents,
    folders_of,
    read_folders,
    read_pages,
    take_out,
    throttled,
    with_patterns,
)
from askance.domain.characters import one_line
from askance.domain.errors import AskanceError
from askance.domain.library import (
    DocumentRecord,
    FileRecord,
    FileState,
    Folder,
    LibraryStats,
    Removed,
    tally,
)
from askance.presentation.answers import (
    STATES,
    coverage_text,
    folder_text,
    name_of,
    place_of,
    reason_of,
    tally_text,
)
from askance.presentation.i18n import day_of, plural, tr, translated
from askance.text.finding import folded
from askance.ui.bridge import LongJob, OnProgress, PendingCalls
from askance.ui.design import theme
from askance.ui.design.composing import (
    Button,
    Composite,
    LineField,
    column_of,
    row_of,
    single_shot_timer,
)
from askance.ui.design.controls import (
    ConfirmButton,
    DropTarget,
    choose_places,
    named_places,
    places_of_drop,
)
from askance.ui.design.focus import announce
from askance.ui.design.labels import Hairline, StyledLabel, TextStyle
from askance.ui.design.lists import LineList, ListLine, SearchField
from askance.ui.design.theme import Look
from askance.ui.settings.row_controls import LineControl
from askance.ui.settings.settings_jobs import ListPage, SettingsContext, library_text, outcome_text

WEB = ("http://", "https://")
ChoosePlaces = Callable[[QWidget, bool, Callable[[tuple[str, ...]], None]], None]


class AddControls(Composite):
    """Buttons that choose, a field for an address, and a question about what was dropped."""

    wanted = Signal(object)
    """Paths and addresses that are to be added, a tuple."""
    refused = Signal(str)
    """Why what was typed is not added."""

    def __init__(self, look: Look, parent: QWidget, choose: ChoosePlaces = choose_places) -> None:
        super().__init__(look, parent)
        self._choose = choose
        self._held_out: tuple[str, ...] = ()
        self.folder = Button(look, tr("Add folder…"), self)
        self.files = Button(look, tr("Add files…"), self)
        prompt, name = tr("Web address"), tr("Address of a web page to add")
        self.address = LineField(look, prompt, self, name=name)
        self.page = Button(look, tr("Add"), self, self._add_page)
        self.page.setAccessibleName(tr("Add the web page"))
        self.question = StyledLabel(look, TextStyle.BODY, parent=self)
        self.yes = Button(look, tr("Add"), self, self._accept)
        self.yes.setAccessibleName(tr("Add to the library"))
        self.no = Button(look, tr("Don't add"), self, self._decline)
        choosing = row_of(look, self.folder, self.files, None)
        addressing = row_of(look, self.address, self.page, wide=self.address)
        asking = row_of(look, self.question, self.yes, self.no, wide=self.question)
        self.setLayout(column_of(look, choosing, addressing, asking))
        self.folder.clicked.connect(lambda: self._choose(self.window(), True, self.wanted.emit))
        self.files.clicked.connect(lambda: self._choose(self.window(), False, self.wanted.emit))
        self.address.returnPressed.connect(self._add_page)
        self.ask(())

    def take_drops_on(self, widget: QWidget) -> None:
        """Let files, folders and pages be dropped on a widget; it is asked before they are added."""
        takes, ask = places_of_drop, self.ask
        DropTarget(widget, lambda data: bool(takes(data)), lambda data: ask(takes(data)))

    def ask(self, places: tuple[str, ...]) -> None:
        """Ask whether something that was dropped is to be added; of nothing nothing is asked."""
        self._held_out = places
        text = tr("Add {what} to the library?", what=named_places(places)) if places else ""
        self.question.show_text(text)
        for button in (self.yes, self.no):
            button.setVisible(bool(places))
            button.setAccessibleDescription(text)
        if places:
            # Dropped on purpose, and nothing is lost by it: Enter adds it.
            self.yes.setFocus(Qt.FocusReason.OtherFocusReason)
            announce(self, text)

    def _accept(self) -> None:
        places = self._held_out
        self._decline()
        self.wanted.emit(places)

    def _decline(self) -> None:
        self.folder.setFocus(Qt.FocusReason.OtherFocusReason)
        self.ask(())

    def _add_page(self) -> None:
        typed = self.address.text().strip()
        if typed.lower().startswith(WEB):
            self.address.clear()
            self.wanted.emit((typed,))
        elif typed:
            self.refused.emit(tr("An address begins with http:// or https://."))


@dataclass(frozen=True, slots=True)
class FileRow:
    """A file of a folder, or a document that came from none: its name, its state, and why.

    One that `is_partial` is found, but something of it could not be read; `reason` says what. `document` is what of the library it is, empty where it is not there. `key` is what it is
    filtered by: all words in small letters.
    """

    name: str
    state: str
    reason: str
    is_failed: bool = False
    is_found: bool = False
    path: str = ""
    document: str = ""
    key: str = ""
    is_partial: bool = False

    @property
    def shown_state(self) -> str:
        """What stands beside the name."""
        return tr("in part") if self.is_partial else self.state


def file_row(record: FileRecord) -> FileRow:
    """Return the row of a file, by its path below the folder."""
    path, folder = Path(record.path), Path(record.folder)
    below = path.relative_to(folder) if path.is_relative_to(folder) else path
    name = one_line(path.name if path == folder else str(below))
    reason = reason_of(record)
    return FileRow(
        name,
        tr(STATES[record.state]),
        reason,
        record.state is FileState.FAILED,
        record.is_found,
        record.path,
        record.document,
        folded(f"{name} {reason}"),
        record.is_partial,
    )


def document_row(record: DocumentRecord) -> FileRow:
    """Return the row of a document that came from no folder: a page, or an import."""
    title = one_line(record.title) or name_of(record.url)
    read = tr("read on {day}", day=day_of(record.fetched_at))
    place = place_of(record.url)
    key = folded(f"{title} {place}")
    return FileRow(title, read, place, path=record.url, document=record.id, key=key)


def fitting(rows: Iterable[FileRow], words: str) -> tuple[FileRow, ...]:
    """Return the rows whose name, reason or state as it is shown hold all words."""
    # In any order and in parts: people type pieces of a path.
    wanted = folded(words).split()
    return tuple(
        row for row in rows if all(w in f"{row.key} {folded(row.shown_state)}" for w in wanted)
    )


@dataclass(frozen=True, slots=True)
class FolderRow:
    """A folder and its files as they are shown; without one, the documents that came from none."""

    folder: Folder | None
    title: str
    summary: str
    coverage: str
    files: tuple[FileRow, ...]


def folder_row(folder: Folder, records: Sequence[FileRecord]) -> FolderRow:
    """Return the row of a folder. What failed, or is found in part, comes first: people look for that."""
    # The sort is stable: files of one state stay in the order in which they come.
    rows = sorted(map(file_row, records), key=lambda row: (not row.is_failed, not row.is_partial))
    counts = tally(records)
    summary, coverage = tally_text(counts), coverage_text(counts)
    return FolderRow(folder, folder_text(folder.path), summary, coverage, tuple(rows))


def row_of_others(records: Sequence[DocumentRecord]) -> FolderRow:
    """Return the row of the documents that came from no folder."""
    summary = plural("{n} document", "{n} documents", len(records))
    rows = tuple(map(document_row, records))
    return FolderRow(None, tr("Web pages and imports"), summary, "", rows)


MOST_SHOWN = 2000
"""As many as a person looks through."""
_MOST_FILES = 6
_FIELD_TEXT = theme.BODY_TEXT - 1
# A list is filtered when the typing rests for so long.
_REST_MS = 150


class FolderContentsView(Composite):
    """Shows the folder that is chosen, or the documents that came from none."""

    read_again = Signal(object)
    """A `Folder` that is to be read again: with other patterns, if it was given some."""
    removed = Signal(object, object, object)
    """Documents that are to leave the library, and the paths of the folders that go with them."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(look, parent)
        self._folder: Folder | None = None
        self._rows: tuple[FileRow, ...] = ()
        self._shown: tuple[FileRow, ...] = ()
        self.again = Button(look, tr("Read again"), self, self._read_again)
        self.remove = ConfirmButton(
            look, tr("Remove…"), tr("The files stay as they are."), tr("Remove"), self
        )
        self.patterns_label = StyledLabel(look, TextStyle.HELP, tr("Excluded in this folder"), self)
        prompt, name = tr("Such as *.log, /drafts"), tr("Excluded in this folder")
        self.patterns = LineField(look, prompt, self, name=name, size=_FIELD_TEXT)
        self.filter = SearchField(look, tr("Filter files by name or state"), self, clears=True)
        self.patterns_label.setBuddy(self.patterns)
        self.counted = StyledLabel(look, TextStyle.HELP, parent=self)
        self.files = LineList(look, _MOST_FILES, self)
        self.files.setAccessibleName(tr("Files"))
        self.remove_file = ConfirmButton(
            look, tr("Remove this one…"), tr("The file stays as it is."), tr("Remove"), self
        )
        self._rest = single_shot_timer(self, self._filter, _REST_MS)
        whole = column_of(look, row_of(look, self.again, self.remove, wide=self.remove))
        whole.put(self.patterns_label, self.patterns, self.filter)
        whole.put(self.counted, self.files, self.remove_file)
        whole.setAlignment(self.remove_file, Qt.AlignmentFlag.AlignLeft)
        self.setLayout(whole)
        self.remove.confirmed.connect(self._remove)
        self.remove_file.confirmed.connect(self._remove_file)
        self.patterns.editingFinished.connect(self._take_patterns)
        self.filter.textChanged.connect(self._rest.start)
        self.files.chosen.connect(self._enable)

    def show_folder(self, row: FolderRow) -> None:
        """Show a folder and its files, or the documents that came from none."""
        self._folder, self._rows = row.folder, row.files
        is_folder = row.folder is not None
        # What somebody is typing there stays.
        if row.folder and not (self.patterns.hasFocus() and self.patterns.isModified()):
            self.patterns.setText(", ".join(row.folder.exclude))
        for part in (self.again, self.remove, self.patterns_label, self.patterns):
            part.setVisible(is_folder)
        # The question was about the folder that was shown before.
        self.remove.withdraw()
        self._filter()

    def _filter(self) -> None:
        self._rest.stop()
        found = fitting(self._rows, self.filter.text())
        self._shown = found[:MOST_SHOWN]
        lines = [
            ListLine(row.name, row.reason, row.shown_state, row.is_failed, row.path)
            for row in self._shown
        ]
        self.files.show_lines(lines)
        self.counted.show_text(self._count(len(found)))
        self._enable()

    def _count(self, n: int) -> str:
        of = len(self._rows)
        if n > MOST_SHOWN:
            return tr(
                "{n} files, the first {most} of them. Filter to see others.", n=n, most=MOST_SHOWN
            )
        if self._folder is None:
            return plural("{n} document", "{n} documents", n)
        if n < of:
            return tr("{n} of {of} files", n=n, of=of)
        return plural("{n} file", "{n} files", n)

    def _chosen(self) -> FileRow | None:
        row = self.files.row
        return self._shown[row] if 0 <= row < len(self._shown) else None

    def _enable(self) -> None:
        chosen = self._chosen()
        self.remove_file.withdraw()
        # A file that could not be read has no document, and is still one of the folder's.
        can = chosen is not None and (bool(chosen.document) or chosen.is_found)
        self.remove_file.setEnabled(can)

    def _read_again(self) -> None:
        self.patterns.setModified(False)
        if self._folder is not None:
            self.read_again.emit(with_patterns(self._folder, self.patterns.text()))

    def _take_patterns(self) -> None:
        if self.patterns.isModified():
            self._read_again()

    def _remove(self) -> None:
        if self._folder is not None:
            # All rows and not those that the filter shows.
            documents = tuple(row.document for row in self._rows if row.document)
            self.removed.emit(documents, (self._folder.path,), self._files(self._rows))

    def _remove_file(self) -> None:
        if (row := self._chosen()) is not None:
            self.removed.emit((row.document,) if row.document else (), (), self._files((row,)))

    def _files(self, rows: Iterable[FileRow]) -> tuple[str, ...]:
        """The files of some rows: one of them may hold many documents."""
        return tuple(row.path for row in rows) if self._folder is not None else ()


_NOTICE = "notice"
_MOST_SHELVES = 4
Choose = Callable[[tuple[Folder, ...]], Sequence[Folder]]


class PatternsControl(LineControl):
    """A field for patterns, which takes the whole width."""

    is_wide = True


_Shown = tuple[LibraryStats, tuple[FolderRow, ...]]
"""What the page shows of the library."""


async def _notice(parts: App) -> None:
    """Let what was added be embedded."""
    parts.noticed()


class LibraryControl(ListPage):
    """The folders with their states; the chosen one's files; what adds, reads again and removes.

    One thing is read at a time; what is added meanwhile waits for it.
    """

    has_job = True

    def __init__(
        self, look: Look, context: SettingsContext, *, choose: ChoosePlaces = choose_places
    ) -> None:
        super().__init__(look, context)
        self._pages = PendingCalls(context.bridge, self)
        self._rows: tuple[FolderRow, ...] = ()
        self._holds_any = False
        # What is read, the work, and the calls that lead to it.
        self._jobs: list[tuple[str, LongJob, PendingCalls]] = []
        self._read_so_far = ImportResult()
        self.adding = AddControls(look, self, choose)
        self.folders = LineList(look, _MOST_SHELVES, self)
        self.folders.setAccessibleName(tr("Folders in the library"))
        self.shelf = FolderContentsView(look, self)
        self.total = StyledLabel(look, TextStyle.BODY, parent=self)
        question = tr("Delete the whole library permanently?")
        self.clear = ConfirmButton(look, tr("Remove everything…"), question, tr("Delete"), self)
        status_row = row_of(look, self.state, self.stop, wide=self.state)
        stacked = self.stack(self.adding, status_row, self.line, self.folders, self.shelf)
        stacked.put(Hairline(look, self), self.total, self.clear)
        self.main = self.adding.folder
        self.adding.wanted.connect(self.add)
        self.adding.refused.connect(partial(self.report, tone=TextStyle.PROBLEM))
        self.stop.clicked.connect(self.cancel_job)
        self.folders.chosen.connect(self._show_shelf)
        self.shelf.read_again.connect(self._read_again)
        self.shelf.removed.connect(self._remove)
        self.clear.confirmed.connect(self._clear)
        self.show_working()
        self._show_shelf(-1)

    @property
    def is_working(self) -> bool:
        """Whether something is being read into the library, or is to be."""
        return bool(self._jobs) or super().is_working

    def refresh(self) -> None:
        """Look at what the library holds now."""

        def work(parts: Container) -> _Shown:
            held = contents(parts)
            # Here, too: of a hundred thousand files that takes longer than a frame.
            rows = [folder_row(shelf.folder, shelf.files) for shelf in held.folders]
            others = (row_of_others(held.others),) if held.others else ()
            return held.stats, (*rows, *others)

        self.look_up(work, self._show)

    def add(self, places: Sequence[str]) -> None:
        """Add files, folders and web pages."""
        # Two jobs: files are read without the open parts, pages need the reader of those.
        urls = tuple(place for place in places if place.lower().startswith(WEB))
        paths = tuple(place for place in places if place not in urls)
        if paths:
            work = self._folders_work(lambda known: folders_of(paths, known))
            self._read(named_places(paths), work, self._calls)
        if urls:
            self._read(named_places(urls), self._pages_work(urls), self._pages)

    def _read(self, what: str, work: LongJob, calls: PendingCalls) -> None:
        is_first = not self.is_working  # asked before: a job that waits counts as work
        self._jobs.append((what, work, calls))
        if is_first:
            self._read_so_far = ImportResult()
            self._read_next()

    def _read_next(self) -> None:
        what, work, calls = self._jobs.pop(0)
        self.run_job(work, tr("Reading {what}", what=what), self._ended, calls)
        self.line.set_fraction(0.0)

    def _folders_work(self, choose: Choose) -> LongJob:
        async def work(_parts: object, on_progress: OnProgress) -> ImportResult:
            with self._context.container() as parts:
                # In a thread, since the first look at the settings reads files.
                await asyncio.to_thread(lambda: parts.settings)
                known = await asyncio.to_thread(parts.library.book.folders)
                wanted = await asyncio.to_thread(choose, known)
                # Throttled: small files come by the thousand, and each would be drawn.
                return await read_folders(parts, wanted, throttled(on_progress))

        return work

    def _pages_work(self, urls: tuple[str, ...]) -> LongJob:
        async def work(app: App, on_progress: OnProgress) -> ImportResult:
            # What leaves the machine is recorded before it does.
            sent = ledger_recorder(app.ledger, OCCASION)
            return await read_pages(app.container, app.reader, urls, on_progress, sent=sent)

        return work

    def _ended(self, result: ImportResult | AskanceError) -> None:
        if isinstance(result, AskanceError):
            self._jobs.clear()
            self.show_working()
            self.report(result)
        else:
            self._read_so_far += result
            if self._jobs:
                self._read_next()
                return
            read = self._read_so_far
            self.report(outcome_text(read), TextStyle.NOTE if read.failed else TextStyle.HELP)
            # Once for all of them: embedding begins where reading has ended.
            self._pages.ask(_NOTICE, _notice, lambda _: None)
        self.refresh()

    def cancel_job(self) -> None:
        """Read no more; what waits is not read either."""
        self._jobs.clear()
        super().cancel_job()
        self.report(tr("Cancelled. What was read before is kept."))
        self.refresh()

    def _remove(
        self, documents: tuple[str, ...], folders: tuple[str, ...], files: tuple[str, ...]
    ) -> None:
        self.change(lambda parts: _removed_text(take_out(parts, documents, folders, files=files)))

    def _clear(self) -> None:
        self.change(lambda parts: _removed_text(parts.library.clear()))

    def _show(self, found: _Shown) -> None:
        stats, self._rows = found
        self._holds_any = bool(stats.bytes)
        lines = [
            ListLine(
                row.title, row.summary, row.coverage, key=row.folder.path if row.folder else ""
            )
            for row in self._rows
        ]
        self.folders.show_lines(lines, or_first=True)
        self._show_shelf(self.folders.row)
        self.total.show_text(library_text(stats))
        self.show_working()

    def _show_shelf(self, row: int) -> None:
        is_there = 0 <= row < len(self._rows)
        self.folders.setVisible(bool(self.folders.lines))
        self.shelf.setVisible(is_there)
        if is_there:
            self.shelf.show_folder(self._rows[row])

    def set_working(self, is_working: bool) -> None:
        """Remove nothing meanwhile."""
        self.shelf.setEnabled(not is_working)
        self.clear.setEnabled(self._holds_any and not is_working)

    def _read_again(self, folder: Folder) -> None:
        work = self._folders_work(lambda _known: (folder,))
        self._read(folder_text(folder.path), work, self._calls)


def _removed_text(removed: Removed) -> str:
    text = plural("{n} document removed.", "{n} documents removed.", removed.documents)
    return " ".join((text, *map(translated, removed.left)))
